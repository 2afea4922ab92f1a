// Package meter counts the cost of handlers: the clock of a core, and the distribution of call times.
//
//	costs of a bank's calls -> Spread, by cycles -> Measured, of a shard, a machine, many runs -> outcome.HandlerCycles
package meter

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/firmware/wasm"
	"starloom/hw"
)

// Clock converts costs of handlers to cycles of the fabric. With a nil Clock, handlers take no time.
type Clock struct {
	ratio  uint64 // cost units per cycle
	Budget uint64 // cycles per handler and slot; 0: unlimited

	// Resumes: at the end of the compute window a processor stands between two instructions, and goes on in the next
	// slot. Otherwise a handler that takes longer is undone.
	Resumes bool

	Longest []uint32 // by processor: cost of the longest call of a slot handler; nil for too many processors
}

// NewClock returns the clock of a number of processors.
func NewClock(c *CPU, processors int) *Clock {
	x := &Clock{ratio: c.Ratio, Budget: c.Budget, Resumes: c.Meter != nil && c.Meter.Window > 0}
	if processors <= outcome.LongestProcessorsMax {
		x.Longest = make([]uint32, processors)
	}
	return x
}

// Spread is the distribution of a handler's call times in cycles. It is exact up to 4,095; above that the relative
// error is less than 1/2,048. The maximum is exact.
type Spread struct {
	counts []uint64
	sum    uint64
	longestCall
}

// longestCall is the first of the longest calls of a handler.
type longestCall struct {
	max       uint64
	Run       uint64 // number of the run in a spread of many runs, otherwise 0
	slot      uint64
	processor uint64
}

// compare is positive if o ranks first: it is longer, or earlier among equals.
func (c *longestCall) compare(o *longestCall) int {
	return cmp.Or(cmp.Compare(o.max, c.max), cmp.Compare(c.Run, o.Run), cmp.Compare(c.slot, o.slot),
		cmp.Compare(c.processor, o.processor))
}

const (
	bucketBits  = 11
	exactCycles = 1<<(bucketBits+1) - 1 // every number up to this one has its own bucket
)

// bucketOf returns the bucket of a number of cycles: one per number up to 2^12-1, and 2^11 per power of two above.
func bucketOf(cycles uint64) int {
	shift := max(bits.Len64(cycles)-bucketBits-1, 0)
	return shift<<bucketBits + int(cycles>>shift)
}

func bucketTop(bucket int) uint64 {
	shift := max(bucket>>bucketBits-1, 0)
	return (uint64(bucket-shift<<bucketBits)+1)<<shift - 1
}

// Add counts a call.
func (d *Spread) Add(cycles uint64, processor int, slot uint32) {
	bucket := bucketOf(cycles)
	d.grow(bucket)
	d.longest(cycles, processor, slot)
	d.counts[bucket]++
	d.sum += cycles
}

// Take counts calls of this slot up to the first call that needs separate handling, and returns its index. Such a
// call may be the longest call, exceeds the budget, has no bucket yet, or has trapped. first is the lowest processor.
func (d *Spread) Take(costs []uint32, clock *Clock, slot uint32, first int) int {
	usual := min(d.max, cmp.Or(clock.Budget, math.MaxUint64), uint64(max(len(d.counts), 1)-1), exactCycles)
	if d.slot == uint64(slot) && uint64(first) < d.processor {
		usual = min(usual, max(d.max, 1)-1)
	}
	counts, sum := d.counts, uint64(0)
	for place, cost := range costs {
		cycles := clock.Cycles(cost)
		if cycles-1 >= usual {
			d.sum += sum
			return place
		}
		counts[cycles]++
		sum += cycles
	}
	d.sum += sum
	return len(costs)
}

func (d *Spread) grow(bucket int) {
	if bucket >= len(d.counts) {
		d.counts = append(d.counts, make([]uint64, bucket+1-len(d.counts))...)
	}
}

func (d *Spread) longest(cycles uint64, processor int, slot uint32) {
	if cycles > d.max || d.sum == 0 {
		d.max, d.processor, d.slot = cycles, uint64(processor), uint64(slot)
	} else if cycles == d.max && uint64(slot) == d.slot && uint64(processor) < d.processor {
		d.processor = uint64(processor)
	}
}

func (d *Spread) merge(o *Spread) {
	if len(o.counts) > len(d.counts) {
		d.counts = append(d.counts, make([]uint64, len(o.counts)-len(d.counts))...)
	}
	for i, n := range o.counts {
		d.counts[i] += n
	}
	if o.sum > 0 && (d.sum == 0 || d.compare(&o.longestCall) > 0) {
		d.longestCall = o.longestCall
	}
	d.sum += o.sum
}

func (d *Spread) clear() { *d = Spread{counts: d.counts[:0]} }

// State saves or restores the spread.
func (d *Spread) State(v *hw.StateVisitor, name string) {
	hw.StateList(v, hw.Statistic, name+".counts", &d.counts)
	for _, f := range []struct {
		name  string
		value *uint64
	}{{".sum", &d.sum}, {".max", &d.max}, {".slot", &d.slot}, {".processor", &d.processor}} {
		hw.StateScalar(v, hw.Statistic, name+f.name, f.value)
	}
}

func (d *Spread) report(names fabric.Names) *outcome.HandlerCycles {
	r := &outcome.HandlerCycles{Max: d.max}
	for _, n := range d.counts {
		r.Calls += n
	}
	if r.Calls == 0 {
		return r
	}
	r.Mean = float64(d.sum) / float64(r.Calls)
	r.Worst = &outcome.WorstCall{Processor: d.processor, Path: names.Processor(int(d.processor)), Slot: d.slot}
	for _, p := range []struct {
		percent uint64
		to      *uint64
	}{{50, &r.P50}, {90, &r.P90}, {99, &r.P99}, {100, &r.P100}} {
		*p.to = min(d.rank((r.Calls*p.percent+99)/100), d.max)
	}
	var count uint64
	for bucket, n := range d.counts {
		top := bucketTop(bucket)
		count += n
		last := bucket == len(d.counts)-1
		if count > 0 && (last || bits.Len64(bucketTop(bucket+1)) > bits.Len64(top)) {
			r.Histogram = append(r.Histogram, outcome.CyclesBin{UpTo: 1<<bits.Len64(top) - 1, Calls: count})
			count = 0
		}
	}
	return r
}

// rank returns the cycles of the call at a place, counted from 1, in ascending order.
func (d *Spread) rank(place uint64) uint64 {
	for bucket, n := range d.counts {
		if place <= n {
			return bucketTop(bucket)
		}
		place -= n
	}
	return d.max
}

// Measured is the cost of the handler calls of a shard, a machine or many runs.
type Measured struct {
	Start, Slot Spread
	Overruns    uint64
	Longest     []uint32 // see Clock; nil for a shard
	Stacks      []uint32 // by processor: bytes of the deepest stack; nil for WebAssembly and for a shard
}

// Reset clears the measurements of a run, except Longest.
func (x *Measured) Reset() {
	x.Start.clear()
	x.Slot.clear()
	x.Overruns = 0
}

// Merge adds other measurements.
func (x *Measured) Merge(other *Measured) {
	x.Start.merge(&other.Start)
	x.Slot.merge(&other.Slot)
	x.Overruns += other.Overruns
	x.Longest, x.Stacks = largest(x.Longest, other.Longest), largest(x.Stacks, other.Stacks)
}

// largest puts the larger entries of two lists in the first, which may be nil.
func largest(list, other []uint32) []uint32 {
	if list == nil {
		return slices.Clone(other)
	}
	for p, value := range other {
		list[p] = max(list[p], value)
	}
	return list
}

// SpreadWhole is the state of a spread at the last whole boundary, without counts, and the costs since then.
type SpreadWhole struct {
	sum  uint64
	zero uint64
	longestCall
	Costs []uint32 // costs since the boundary, 0 for calls with a trap
}

// Mark records a spread at a whole boundary.
func (w *SpreadWhole) Mark(spread *Spread) {
	w.sum, w.zero, w.longestCall, w.Costs = spread.sum, 0, spread.longestCall, w.Costs[:0]
	if len(spread.counts) > 0 {
		w.zero = spread.counts[0]
	}
}

// TakeBack restores a spread to the marked boundary.
func (w *SpreadWhole) TakeBack(spread *Spread, clock *Clock) {
	for _, cost := range w.Costs {
		if cost > 0 {
			spread.counts[bucketOf(clock.Cycles(cost))]--
		}
	}
	spread.sum, spread.longestCall = w.sum, w.longestCall
	if len(spread.counts) > 0 {
		spread.counts[0] = w.zero
	}
}

// Cycles returns the cycles of a cost, rounded up.
func (x *Clock) Cycles(cost uint32) uint64 {
	if x.ratio == 1 {
		return uint64(cost)
	}
	return (uint64(cost) + x.ratio - 1) / x.ratio
}

// Report adds the measurements to a report. Without a model, cpu is nil.
func (x *Measured) Report(r *outcome.FirmwareReport, cpu *CPU, names fabric.Names) {
	x.reportStacks(r, cpu, names)
	if cpu == nil {
		return
	}
	clock := NewClock(cpu, 0)
	r.CPU, r.Cycles, r.StartCycles = cpu.Model, x.Slot.report(names), x.Start.report(names)
	addProcessors(r.Cycles, clock, x.Longest, names)
	if clock.Budget > 0 {
		r.BudgetCycles, r.Overruns = clock.Budget, &x.Overruns
	}
}

func (x *Measured) reportStacks(r *outcome.FirmwareReport, cpu *CPU, names fabric.Names) {
	if len(x.Stacks) == 0 {
		return
	}
	deepest := slices.Max(x.Stacks)
	p := slices.Index(x.Stacks, deepest)
	r.Stack = &outcome.StackReport{Max: uint64(deepest), Processor: uint64(p), Path: names.Processor(p)}
	if cpu != nil {
		r.Stack.Limit = uint64(cpu.Meter.StackBytesMax)
	}
	if len(x.Stacks) <= outcome.LongestProcessorsMax {
		r.Stack.MaxPerProcessor = x.Stacks
	}
}

func addProcessors(h *outcome.HandlerCycles, x *Clock, longest []uint32, names fabric.Names) {
	if h.Calls == 0 || longest == nil {
		return
	}
	h.MaxPerProcessor = make([]uint64, len(longest))
	order := make([]int, len(longest))
	for p, cost := range longest {
		h.MaxPerProcessor[p], order[p] = x.Cycles(cost), p
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(h.MaxPerProcessor[b], h.MaxPerProcessor[a]) })
	for _, p := range order[:min(outcome.SlowestMax, len(order))] {
		h.Slowest = append(h.Slowest,
			outcome.ProcessorCycles{Processor: p, Path: names.Processor(p), Max: h.MaxPerProcessor[p]})
	}
}

// CPU is a core whose instructions take time.
type CPU struct {
	Model  string
	Meter  *wasm.Meter
	Ratio  uint64 // cost units per cycle of the fabric
	Budget uint64 // cycles per handler and slot; 0: unlimited
}
