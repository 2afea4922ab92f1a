package hw

import "fmt"

// LightTap applies faults of media to the light between links and receivers. A fault makes a wire dark for a slot, or
// inverts one bit of the first frame in a slot by exchanging its rails.
//
//	cycle      0    1    2    3    4    5     slots of 5 cycles, phits of 4 bits
//	light in   .    a    b    c    .    .
//	harm            x                         drawn at the first light of the slot: flip bit 6
//	light out  .    a    b'   c    .    .     bit 6 is bit 2 of the second phit
//
// Latency 0 cycles, throughput one phit per cycle without stalls. A bit with both rails lit, or none, is unchanged.
// Reset: no light in this slot; the cycle before cycle 0 is a separate slot. The cost of a cycle grows with the
// number of lit wires. Twin: light_tap.v.
type LightTap struct {
	Registers
	clock      *Clock
	in, out    *Light
	slotCycles uint64
	harm       func(wire, slot uint32) Harm
	told       []Harm // harm set through ports, in place of the function harm; nil without RTL
	replaced   []bool // by wire: RTL replaces the tap; nil if RTL replaces none

	// by wire: the last slot in which the wire was lit (slots count from 1), the first lit cycle, and the harm
	number []uint32
	first  []uint64 // cycle of its first light
	held   []Harm

	// registers of this slot as a table, filled only before a state is saved
	saved struct {
		wire  []uint32
		first []uint64
		harm  []uint32
	}
}

// Harm is the effect of faults on a wire in a slot. Either the wire is dark, or bit Bit of the frame, counted from 0,
// is inverted.
type Harm struct {
	Dark, Flips bool
	Bit         uint16
}

func (h Harm) word() uint32 { return uint32(oneIf(h.Dark)|oneIf(h.Flips)<<1) | uint32(h.Bit)<<2 }

func harmOf(word uint32) Harm { return Harm{word&1 != 0, word&2 != 0, uint16(word >> 2)} }

// SlotCyclesMax is the maximum length of a slot in cycles.
const SlotCyclesMax = 1<<31 - 1

// NewLightTap returns a tap on in together with its output. harm returns the effect of faults on a wire in a slot.
// slotCycles is 1 to SlotCyclesMax.
func NewLightTap(clock *Clock, in *Light, slotCycles int,
	harm func(wire, slot uint32) Harm) (*LightTap, *Light, error) {
	bank, wires := in.bank, in.bank.Size()
	bank.Part = "tapped"
	if in.bank.Part != "" {
		bank.Part = in.bank.Part + "_tapped"
	}
	path := Join(bank.Path(), "light")
	if err := CheckPath(path); err != nil {
		return nil, nil, err
	}
	if slotCycles < 1 || slotCycles > SlotCyclesMax {
		return nil, nil, fmt.Errorf("%s: slots of %d cycles; allowed: 1 to %d", path, slotCycles, SlotCyclesMax)
	}
	out := &Light{
		bank: bank, path: path, width: in.width, Rail1: make([]uint64, wires), Rail0: make([]uint64, wires),
		lit: make([][]uint32, len(in.lit)), shards: in.shards, readers: in.readers, owner: in.owner, reader: in.reader,
	}
	t := &LightTap{
		clock: clock, in: in, out: out, slotCycles: uint64(slotCycles), harm: harm,
		number: make([]uint32, wires), first: make([]uint64, wires), held: make([]Harm, wires),
	}
	t.Registers = Declare(Declaration{
		Path: path,
		Registers: []Register{
			List("wire", &t.saved.wire, AtMost(uint32(wires-1))),
			List("first", &t.saved.first, t.checkFirst),
			List("harm", &t.saved.harm, AtMost(Harm{true, true, 1<<16 - 1}.word())),
		},
		Wires: []Probed{out}, Collect: t.collect, Derive: t.derive,
	})
	return t, out, nil
}

func (t *LightTap) Inputs() []Wire  { return []Wire{t.in} }
func (t *LightTap) Outputs() []Wire { return []Wire{t.out} }

func (t *LightTap) Latches() []Wire { return []Wire{t.in} }

func (t *LightTap) Site() *Site {
	input := func(name string, bits int, get func(Harm) uint64, put func(h *Harm, value uint64)) Port {
		return Port{
			Name: name, Bits: bits, Input: true,
			Get: GetValue(func(wire int) uint64 { return get(t.ask(uint32(wire))) }),
			Put: PutValue(func(wire int, value uint64) error {
				if t.told == nil {
					t.told = make([]Harm, len(t.held))
				}
				put(&t.told[wire], value)
				return nil
			}),
		}
	}
	ports := append(LightPorts("rail1_i", "rail0_i", t.in, true, 1, same),
		input("dark_i", 1, func(h Harm) uint64 { return oneIf(h.Dark) }, func(h *Harm, value uint64) { h.Dark = value != 0 }),
		input("flip_i", 1, func(h Harm) uint64 { return oneIf(h.Flips) },
			func(h *Harm, value uint64) { h.Flips = value != 0 }),
		input("bit_i", 16, func(h Harm) uint64 { return uint64(h.Bit) },
			func(h *Harm, value uint64) { h.Bit = uint16(value) }))
	return &Site{
		Twin: "light_tap", What: "taps of faults",
		Parameters: Same(map[string]int{"PHIT_BITS": t.in.width, "SLOT_CYCLES": int(t.slotCycles)}),
		Elements:   t.out.bank.Size(), Path: t.out.bank.Element, Clocked: true, Combinational: true,
		Ports: append(ports, LightPorts("rail1_o", "rail0_o", t.out, false, 1, same)...),
		Replace: func(wire int, _ func() bool) {
			if t.replaced == nil {
				t.replaced = make([]bool, len(t.held))
			}
			t.replaced[wire] = true
		},
	}
}

func (t *LightTap) Settle(s Shard) {
	t.out.Clear(s.Index)
	for reader := range t.in.readers {
		for _, wire := range t.in.Lit(s.Index, reader) {
			harm, bit := t.at(wire)
			if harm.Dark || t.replaced != nil && t.replaced[wire] {
				continue
			}
			rail1, rail0 := t.in.Rail1[wire], t.in.Rail0[wire]
			if harm.Flips && bit < uint64(t.in.width) {
				if exchanged := uint64(1) << (uint64(t.in.width) - 1 - bit); (rail1^rail0)&exchanged != 0 {
					rail1, rail0 = rail1^exchanged, rail0^exchanged
				}
			}
			t.out.Put(s.Index, wire, rail1, rail0)
		}
	}
}

func (t *LightTap) Latch(s Shard) {
	now := t.now()
	if now == 0 {
		return
	}
	for reader := range t.in.readers {
		for _, wire := range t.in.Lit(s.Index, reader) {
			if t.number[wire] != now {
				t.number[wire], t.first[wire], t.held[wire] = now, t.clock.cycle, t.ask(wire)
			}
		}
	}
}

func (t *LightTap) now() uint32 { return uint32((t.clock.cycle + t.slotCycles) / t.slotCycles) }

func (t *LightTap) ask(wire uint32) Harm {
	if t.told != nil {
		return t.told[wire]
	}
	return t.harm(wire, t.now()-1)
}

// at returns the harm to a lit wire in this cycle's slot, and the position of Harm.Bit in this cycle's phit. A
// position beyond the phit's width means that the bit is in another cycle.
func (t *LightTap) at(wire uint32) (harm Harm, bit uint64) {
	if now := t.now(); now == 0 || t.number[wire] != now {
		harm = t.ask(wire)
		return harm, uint64(harm.Bit)
	}
	harm = t.held[wire]
	return harm, uint64(harm.Bit) - (t.clock.cycle-t.first[wire])*uint64(t.in.width)
}

// Reached reports whether a wire was lit in a slot. Call it before the slot's last cycle.
func (t *LightTap) Reached(wire, slot uint32) bool { return t.number[wire] == slot+1 }

func (t *LightTap) QuietFor(limit uint64) uint64 {
	if !t.in.Dark() || !t.out.Dark() {
		return 0
	}
	return limit
}

func (t *LightTap) collect() {
	s, now := &t.saved, t.now()
	s.wire, s.first, s.harm = s.wire[:0], s.first[:0], s.harm[:0]
	for wire, number := range t.number {
		if now != 0 && number == now {
			s.wire, s.first, s.harm = append(s.wire, uint32(wire)), append(s.first, t.first[wire]),
				append(s.harm, t.held[wire].word())
		}
	}
}

func (t *LightTap) derive() {
	clear(t.number)
	for i, wire := range t.saved.wire {
		t.number[wire], t.first[wire], t.held[wire] = t.now(), t.saved.first[i], harmOf(t.saved.harm[i])
	}
}

func (t *LightTap) checkFirst(i int, first uint64) error {
	if first == CycleOfReset {
		return fmt.Errorf("element %d is the cycle before cycle 0, which is not part of a slot", i)
	}
	return nil
}
