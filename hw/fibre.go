package hw

import (
	"cmp"
	"fmt"
	"slices"
)

// Fibre delays a bank of wires by Delay cycles. Throughput is one phit per cycle; code violations pass unchanged.
//
// Delay 0 is combinational (Settle copies); Delay >= 1 is a pipeline of registers (Drive shows the last stage, Latch
// fills the first). Reset state: dark. The work per cycle grows with the number of phits that enter and leave, not
// with the number of wires or the delay.
//
// Parameter: delay. Input and output: light with equal numbers of wires and equal shards.
type Fibre struct {
	Registers
	clock *Clock
	in    *Light
	out   *Light
	delay int      // delay of all wires, or of the longest wire
	own   []uint16 // delay by wire in cycles; nil if all wires have the same delay

	// By shard: delay stages, used in turn.
	stages [][]lightOnWire

	replaced []bool // by wire: RTL replaces the wire; nil if RTL replaces none

	// registers as a table, filled only before a state is saved
	saved struct {
		wire         []uint32
		wait         []uint32 // cycles until the output
		rail1, rail0 []uint64
	}
}

type lightOnWire struct {
	wire         uint32
	rail1, rail0 uint64
}

// FibreDelayMax is the maximum delay in cycles.
const FibreDelayMax = 4096

// NewFibre returns a fibre from in to out with a delay of 0..FibreDelayMax cycles.
func NewFibre(path string, clock *Clock, in, out *Light, delayCycles int) (*Fibre, error) {
	switch {
	case delayCycles < 0 || delayCycles > FibreDelayMax:
		return nil, fmt.Errorf("%s: delay of %d cycles; allowed: 0 to %d", path, delayCycles, FibreDelayMax)
	case in.bank.Units != out.bank.Units || in.bank.PerUnit != out.bank.PerUnit:
		return nil, fmt.Errorf("%s: %d input wires in %d units, but %d output wires in %d units",
			path, in.bank.Size(), in.bank.Units, out.bank.Size(), out.bank.Units)
	case in.width != out.width:
		return nil, fmt.Errorf("%s: %d bits in, %d bits out", path, in.width, out.width)
	case in.shards != out.shards:
		return nil, fmt.Errorf("%s: %d shards in, %d shards out", path, in.shards, out.shards)
	case in.Routed():
		return nil, fmt.Errorf("%s: %s must be read by the unit that drives it", path, in.path)
	}
	f := &Fibre{
		clock: clock, in: in, out: out, delay: delayCycles,
		stages: make([][]lightOnWire, in.shards*delayCycles),
	}
	f.Registers = Declare(Declaration{
		Path: path,
		Registers: []Register{
			List("wire", &f.saved.wire, AtMost(uint32(in.bank.Size()-1))),
			List("wait", &f.saved.wait, f.checkWait),
			List("rail1", &f.saved.rail1),
			List("rail0", &f.saved.rail0),
		},
		Wires:   []Probed{out},
		Collect: f.collect,
		Derive:  f.fill,
	})
	return f, nil
}

// NewUnequalFibre is like NewFibre, but each wire has its own delay: 0 for all wires, or 1..FibreDelayMax.
func NewUnequalFibre(path string, clock *Clock, in, out *Light, delays []uint16) (*Fibre, error) {
	if len(delays) != in.bank.Size() {
		return nil, fmt.Errorf("%s: %d delays for %d wires", path, len(delays), in.bank.Size())
	}
	if least, most := slices.Min(delays), slices.Max(delays); least == 0 && most > 0 {
		return nil, fmt.Errorf("%s: delays of 0 and of up to %d cycles; allowed: 0 for all wires, or 1 or more for each",
			path,
			most)
	}
	f, err := NewFibre(path, clock, in, out, int(slices.Max(delays)))
	if err == nil && slices.Min(delays) != slices.Max(delays) {
		f.own = delays
	}
	return f, err
}

func (f *Fibre) Inputs() []Wire {
	if f.delay == 0 {
		return []Wire{f.in}
	}
	return nil
}

func (f *Fibre) Outputs() []Wire {
	if f.delay == 0 {
		return []Wire{f.out}
	}
	return nil
}

func (f *Fibre) Drives() []Wire {
	if f.delay == 0 {
		return nil
	}
	return []Wire{f.out}
}

func (f *Fibre) Latches() []Wire {
	if f.delay == 0 {
		return nil
	}
	return []Wire{f.in}
}

func (f *Fibre) Settle(s Shard) {
	f.out.Clear(s.Index)
	rail1, rail0 := f.in.Rail1, f.in.Rail0
	for _, wire := range f.in.Lit(s.Index, 0) {
		if f.replaced == nil || !f.replaced[wire] {
			f.out.Put(s.Index, wire, rail1[wire], rail0[wire])
		}
	}
}

func (f *Fibre) Site() *Site {
	return &Site{
		Twin: "link", What: "links", Parameters: f.parameters,
		Elements: f.out.bank.Size(), Path: f.out.bank.Element, Clocked: true, Combinational: f.delay == 0,
		Ports: append(LightPorts("rail1_i", "rail0_i", f.in, true, 1, same),
			LightPorts("rail1_o", "rail0_o", f.out, false, 1, same)...),
		Replace: f.replace, Dark: f.in.Dark,
	}
}

func (f *Fibre) parameters(wire int) map[string]int {
	return map[string]int{"PHIT_BITS": f.in.width, "DELAY_CYCLES": f.Delay(wire)}
}

// Delay returns the delay of a wire in cycles.
func (f *Fibre) Delay(wire int) int {
	if f.own != nil {
		return int(f.own[wire])
	}
	return f.delay
}

func (f *Fibre) replace(wire int, _ func() bool) {
	if f.replaced == nil {
		f.replaced = make([]bool, f.in.bank.Size())
	}
	f.replaced[wire] = true
}

func (f *Fibre) Drive(s Shard) {
	if f.delay == 0 {
		return
	}
	f.out.Clear(s.Index)
	for _, x := range *f.stage(s.Index, f.clock.cycle) {
		f.out.Lay(s.Index, x.wire, x.rail1, x.rail0)
	}
}

// Latch stores the light of this cycle in the stage that Drive has just shown.
func (f *Fibre) Latch(s Shard) {
	if f.delay == 0 {
		return
	}
	if f.own != nil {
		f.latchUnequal(s)
		return
	}
	stage := f.stage(s.Index, f.clock.cycle)
	*stage = enter((*stage)[:0], f.in.Lit(s.Index, 0), f.in.Rail1, f.in.Rail0)
	if f.replaced != nil {
		*stage = slices.DeleteFunc(*stage, func(x lightOnWire) bool { return f.replaced[x.wire] })
	}
}

func (f *Fibre) latchUnequal(s Shard) {
	shown := f.stage(s.Index, f.clock.cycle)
	*shown = (*shown)[:0]
	for _, wire := range f.in.Lit(s.Index, 0) {
		if f.replaced == nil || !f.replaced[wire] {
			stage := f.stage(s.Index, f.clock.cycle+uint64(f.own[wire]))
			*stage = append(*stage, lightOnWire{wire, f.in.Rail1[wire], f.in.Rail0[wire]})
		}
	}
}

func enter(stage []lightOnWire, lit []uint32, rail1, rail0 []uint64) []lightOnWire {
	for _, wire := range lit {
		stage = append(stage, lightOnWire{wire, rail1[wire], rail0[wire]})
	}
	return stage
}

// stage returns the stage that is shown and refilled in a cycle. Cycles count from CycleOfReset, one cycle before
// cycle 0.
func (f *Fibre) stage(shard int, cycle uint64) *[]lightOnWire {
	return &f.stages[shard*f.delay+int((cycle+1)%uint64(f.delay))]
}

func (f *Fibre) QuietFor(limit uint64) uint64 {
	if !f.in.Dark() || !f.out.Dark() {
		return 0
	}
	for wait := range min(uint64(f.delay), limit) {
		for shard := range f.in.shards {
			if len(*f.stage(shard, f.clock.cycle+wait)) > 0 {
				return wait
			}
		}
	}
	return limit
}

// collect lists the light in flight by remaining time and wire, independently of shards and of the order of arrival.
func (f *Fibre) collect() {
	saved := &f.saved
	saved.wire, saved.wait = saved.wire[:0], saved.wait[:0]
	saved.rail1, saved.rail0 = saved.rail1[:0], saved.rail0[:0]
	var flight []lightOnWire
	for wait := range f.delay {
		flight = flight[:0]
		for shard := range f.in.shards {
			flight = append(flight, *f.stage(shard, f.clock.cycle+uint64(wait))...)
		}
		slices.SortFunc(flight, func(a, b lightOnWire) int { return cmp.Compare(a.wire, b.wire) })
		for _, x := range flight {
			saved.wire = append(saved.wire, x.wire)
			saved.wait = append(saved.wait, uint32(wait))
			saved.rail1 = append(saved.rail1, x.rail1)
			saved.rail0 = append(saved.rail0, x.rail0)
		}
	}
}

func (f *Fibre) fill() {
	for i := range f.stages {
		f.stages[i] = f.stages[i][:0]
	}
	for i, wire := range f.saved.wire {
		stage := f.stage(f.in.Owner(wire), f.clock.cycle+uint64(f.saved.wait[i]))
		*stage = append(*stage, lightOnWire{wire, f.saved.rail1[i], f.saved.rail0[i]})
	}
}

func (f *Fibre) checkWait(i int, wait uint32) error {
	if wait >= uint32(f.delay) {
		return fmt.Errorf("element %d is %d, but the delay is %d", i, wait, f.delay)
	}
	return nil
}
