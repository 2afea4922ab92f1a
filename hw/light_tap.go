package hw

// LightTap passes light on, but for what faults do to it: a wire is dark in a slot, or a bit of
// the first frame that it carries in a slot is another one, its rails exchanged. It is where a
// machine with faults has a probe's tip on the wires between links and receivers, so it acts
// alike whether what is before it or after it is a model or RTL.
//
// Latency: none. Reset: nothing; a slot begins with the first light in it. No Verilog twin: it is
// no part of the hardware that is emulated. The cost per cycle grows with the lit wires.
type LightTap struct {
	clock      *Clock
	in, out    *Light
	slotCycles uint64
	harm       func(wire uint32, slot uint32) (dark bool, flip int)

	// Of the last slot in which a wire was lit: its number, from 1, and what happens in it.
	slot  []uint32
	first []uint64 // cycle of the first light
	dark  []bool
	flip  []int32 // bit of the frame, -1 for none
}

// NewLightTap returns a tap from in, and the light that it drives. harm says what happens to a
// wire in a slot of slotCycles: it is dark, or bit flip of the frame is another one, -1 for none.
func NewLightTap(clock *Clock, in *Light, slotCycles int, harm func(wire uint32, slot uint32) (dark bool, flip int)) (*LightTap, *Light, error) {
	bank, wires := in.bank, in.bank.Size()
	bank.Part = "tapped"
	if in.bank.Part != "" {
		bank.Part = in.bank.Part + "_tapped"
	}
	path := Join(bank.Path(), "light")
	if err := CheckPath(path); err != nil {
		return nil, nil, err
	}
	out := &Light{
		bank: bank, path: path, width: in.width, Rail1: make([]uint64, wires), Rail0: make([]uint64, wires),
		lit: make([][]uint32, len(in.lit)), shards: in.shards, readers: in.readers, owner: in.owner, reader: in.reader,
	}
	return &LightTap{
		clock: clock, in: in, out: out, slotCycles: uint64(slotCycles), harm: harm,
		slot: make([]uint32, wires), first: make([]uint64, wires), dark: make([]bool, wires), flip: make([]int32, wires),
	}, out, nil
}

// Path implements Component.
func (t *LightTap) Path() string { return t.out.path }

// Inputs and Outputs implement Combinational.

func (t *LightTap) Inputs() []Wire  { return []Wire{t.in} }
func (t *LightTap) Outputs() []Wire { return []Wire{t.out} }

// Settle passes the shard's light on.
func (t *LightTap) Settle(s Shard) {
	t.out.Clear(s.Index)
	for reader := range t.in.readers {
		for _, wire := range t.in.Lit(s.Index, reader) {
			t.begin(wire)
			if t.dark[wire] {
				continue
			}
			rail1, rail0 := t.in.Rail1[wire], t.in.Rail0[wire]
			if bit := t.bit(wire); (rail1^rail0)&bit != 0 {
				rail1, rail0 = rail1^bit, rail0^bit
			}
			t.out.Put(s.Index, wire, rail1, rail0)
		}
	}
}

// begin asks what happens to a wire when light comes for the first time in a slot.
func (t *LightTap) begin(wire uint32) {
	slot := uint32(t.clock.cycle / t.slotCycles)
	if t.slot[wire] == slot+1 {
		return
	}
	dark, flip := t.harm(wire, slot)
	t.slot[wire], t.first[wire], t.dark[wire], t.flip[wire] = slot+1, t.clock.cycle, dark, int32(flip)
}

// bit is the bit of this cycle's phit that is another one, 0 for none.
func (t *LightTap) bit(wire uint32) uint64 {
	width := int64(t.in.width)
	bit := int64(t.flip[wire]) - int64(t.clock.cycle-t.first[wire])*width
	if t.flip[wire] < 0 || bit < 0 || bit >= width {
		return 0
	}
	return 1 << (width - 1 - bit)
}

// Reached reports whether light has come on a wire in a slot.
func (t *LightTap) Reached(wire, slot uint32) bool { return t.slot[wire] == slot+1 }

// QuietFor implements Quiet.
func (t *LightTap) QuietFor(limit uint64) uint64 {
	if !t.in.Dark() || !t.out.Dark() {
		return 0
	}
	return limit
}

// Probes yields the light after the faults.
func (t *LightTap) Probes(yield func(Probe)) { t.out.Probes(yield) }

// Reset implements Component.
func (t *LightTap) Reset() { clear(t.slot) }

// State implements Stateful: what happened in a slot that has crossed is asked for no more, and
// light of the next one has not come yet.
func (t *LightTap) State(*StateVisitor) {}
