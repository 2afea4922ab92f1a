package starloom

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/hw"
	"starloom/internal/strict"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
)

// metering is the clock of the processors: what their handlers cost, in cycles of the fabric.
// nil: handlers take no time.
type metering struct {
	ratio  uint64 // costs that a processor works off in a cycle
	budget uint64 // cycles of a handler in a slot; 0: any number

	longest []uint32 // by processor: what the longest call of its slot handler has cost; nil if there are too many
}

// longestProcessorsMax is up to how many processors a report has the longest call of each.
const longestProcessorsMax = 65_536

func newMetering(c *CPUConfig, processors int) *metering {
	x := &metering{ratio: c.Ratio, budget: c.Budget}
	if processors <= longestProcessorsMax {
		x.longest = make([]uint32, processors)
	}
	return x
}

// metered reports whether handlers take time.
func (c *CPU) metered() bool { return c.Model != "" }

// loadMetered compiles an image, with the scenario's meter if it has one.
func (m *Machine) loadMetered(binary []byte) (*firmware.Image, error) {
	if m.meter == nil {
		return m.host.Load(m.image.name, binary)
	}
	m.metered = binary
	return m.host.LoadMetered(m.image.name, binary, m.config.Firmware.CPU.Meter)
}

// checkCPU checks what the keys of firmware.cpu need of each other.
func (s *Scenario) checkCPU() error {
	const path = "firmware.cpu"
	c := &s.Firmware.CPU
	if !c.metered() {
		for _, key := range []struct {
			name  string
			given bool
		}{{"cost", len(c.Cost) > 0}, {"clock_ratio", c.ClockRatio != 0}, {"trap_cycles", c.TrapCycles != 0}} {
			if key.given {
				return s.refuse(strict.Join(path, key.name), fmt.Sprintf("%s.%s without a model: handlers take no time", path, key.name), "add model: unit, or delete the key")
			}
		}
		return nil
	}
	if c.Model == ModelCustom && len(c.Cost) == 0 {
		return s.refuse(path+".model", "model: custom without costs", "add cost: {load: 3, ...}; what is left out costs 1")
	}
	names := make([]string, 0, len(c.Cost))
	for name := range c.Cost {
		names = append(names, name)
	}
	slices.Sort(names) // the same error for the same file
	for _, name := range names {
		at := path + ".cost." + name
		if !slices.Contains(wasm.ClassNames(), name) {
			return s.refuse(at, fmt.Sprintf("there is no class of instructions %q", strict.Clip(name)), input.DidYouMean(name, wasm.ClassNames(), "classes are "+strings.Join(wasm.ClassNames(), ", ")))
		}
		if allowed := costSpan(name); c.Cost[name] < allowed.Min || c.Cost[name] > int64(allowed.Max) {
			return s.refuse(at, fmt.Sprintf("%s is %d", at, c.Cost[name]), allowed.Allowed())
		}
	}
	if budget := uint64(c.BudgetCycles); c.TrapCycles > 0 && c.TrapCycles < budget {
		return s.refuse(path+".trap_cycles", fmt.Sprintf("%s.trap_cycles is %d, less than budget_cycles, %d: a handler would trap before it misses its slot", path, c.TrapCycles, budget),
			fmt.Sprintf("give %d or more, or delete the key", budget))
	}
	if ratio := uint64(max(c.ClockRatio, 1)); c.TrapCycles > firmware.LimitMax/ratio {
		return s.refuse(path+".trap_cycles", fmt.Sprintf("%s.trap_cycles is %d, with a clock_ratio of %d", path, c.TrapCycles, ratio),
			fmt.Sprintf("allowed are 1 to %d: costs are counted to about %d", firmware.LimitMax/ratio, uint64(firmware.LimitMax)))
	}
	return nil
}

// costSpan is the range of the cost of a class of instructions.
func costSpan(class string) strict.Span {
	return strict.Span{Min: int64(wasm.CostMin(class)), Max: wasm.CostMax}
}

// spread is how long the calls of a handler took, in cycles: exact to 4,095, above that with
// an error of less than 1 in 2,048, but for the largest one.
type spread struct {
	counts []uint64 // by bucketOf
	sum    uint64
	longestCall
}

// longestCall is how long the longest call of a handler took, and the first one that took as long.
type longestCall struct {
	max       uint64
	run       uint64 // its place among all, of a spread of many runs; else 0
	slot      uint64
	processor uint64 // the first in that slot
}

// compare is above 0 if o comes before c: it is longer, or the first of equals.
func (c *longestCall) compare(o *longestCall) int {
	return cmp.Or(cmp.Compare(o.max, c.max), cmp.Compare(c.run, o.run), cmp.Compare(c.slot, o.slot), cmp.Compare(c.processor, o.processor))
}

const (
	bucketBits  = 11
	exactCycles = 1<<(bucketBits+1) - 1 // up to here a range is a number
)

// bucketOf numbers the ranges of cycles: one for each up to 2^12-1, then 2^11 for each power of two.
func bucketOf(cycles uint64) int {
	shift := max(bits.Len64(cycles)-bucketBits-1, 0)
	return shift<<bucketBits + int(cycles>>shift)
}

// bucketTop returns the largest number in a range.
func bucketTop(bucket int) uint64 {
	shift := max(bucket>>bucketBits-1, 0)
	return (uint64(bucket-shift<<bucketBits)+1)<<shift - 1
}

func (d *spread) add(cycles uint64, processor int, slot uint32) {
	bucket := bucketOf(cycles)
	d.grow(bucket)
	d.longest(cycles, processor, slot)
	d.counts[bucket]++
	d.sum += cycles
}

// take counts calls of this slot up to the first that needs a look of its own, and returns its place:
// one that may be the longest, misses the budget, has no range of its own yet, or has trapped.
// first is the lowest of the processors.
func (d *spread) take(costs []uint32, x *metering, slot uint32, first int) int {
	usual := min(d.max, cmp.Or(x.budget, math.MaxUint64), uint64(max(len(d.counts), 1)-1), exactCycles)
	if d.slot == uint64(slot) && uint64(first) < d.processor {
		usual = min(usual, max(d.max, 1)-1) // it may be the first that took max
	}
	counts, sum := d.counts, uint64(0)
	for place, cost := range costs {
		cycles := x.cycles(cost)
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

// grow makes room for a range.
func (d *spread) grow(bucket int) {
	if bucket >= len(d.counts) {
		d.counts = append(d.counts, make([]uint64, bucket+1-len(d.counts))...)
	}
}

// longest notes a call that may be the longest.
func (d *spread) longest(cycles uint64, processor int, slot uint32) {
	if cycles > d.max || d.sum == 0 {
		d.max, d.processor, d.slot = cycles, uint64(processor), uint64(slot)
	} else if cycles == d.max && uint64(slot) == d.slot && uint64(processor) < d.processor {
		d.processor = uint64(processor)
	}
}

// merge adds what another part of the machine or another run has seen.
func (d *spread) merge(o *spread) {
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

// clear forgets all calls.
func (d *spread) clear() { *d = spread{counts: d.counts[:0]} }

// state carries the spread.
func (d *spread) state(v *hw.StateVisitor, name string) {
	hw.StateList(v, name+".counts", &d.counts)
	for _, f := range []struct {
		name  string
		value *uint64
	}{{".sum", &d.sum}, {".max", &d.max}, {".slot", &d.slot}, {".processor", &d.processor}} {
		hw.StateScalar(v, name+f.name, f.value)
	}
}

// report describes the calls.
func (d *spread) report(names fabric.Names) *HandlerCycles {
	r := &HandlerCycles{Max: d.max}
	for _, n := range d.counts {
		r.Calls += n
	}
	if r.Calls == 0 {
		return r
	}
	r.Mean = float64(d.sum) / float64(r.Calls)
	r.Worst = &WorstCall{Processor: d.processor, Path: names.Processor(int(d.processor)), Slot: d.slot}
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
			r.Histogram = append(r.Histogram, CyclesBin{UpTo: 1<<bits.Len64(top) - 1, Calls: count})
			count = 0
		}
	}
	return r
}

// rank returns how many cycles the call took that is at this place, from 1, of all by length.
func (d *spread) rank(place uint64) uint64 {
	for bucket, n := range d.counts {
		if place <= n {
			return bucketTop(bucket)
		}
		place -= n
	}
	return d.max
}

// measured is what handlers have cost: of a shard, a machine or many runs.
type measured struct {
	start, slot spread
	overruns    uint64
	longest     []uint32 // as metering's, nil of a shard
}

// reset forgets a run.
func (x *measured) reset() {
	x.start.clear()
	x.slot.clear()
	x.overruns = 0
}

// merge adds what was measured elsewhere.
func (x *measured) merge(o *measured) {
	x.start.merge(&o.start)
	x.slot.merge(&o.slot)
	x.overruns += o.overruns
	if x.longest == nil {
		x.longest = slices.Clone(o.longest)
		return
	}
	for p, cost := range o.longest {
		x.longest[p] = max(x.longest[p], cost)
	}
}

// measure adds what a machine has measured, in the run with this place among all.
func (x *measured) measure(m *Machine, run uint64) {
	for i := range m.shards {
		shard := m.shards[i].meter.measured // its counts are read only
		shard.start.run, shard.slot.run = run, run
		x.merge(&shard)
	}
	x.merge(&measured{longest: m.meter.longest})
}

// shardMeter is what a shard has measured.
type shardMeter struct {
	measured
	kept nic.Kept

	// What takes the boundary that runs back.
	startWhole, slotWhole spreadWhole
	overrunsWhole         uint64
	longer                []longerCall
}

// longerCall is a processor whose longest call is of the boundary that runs, and what that was before.
type longerCall struct {
	processor int
	before    uint32
}

// spreadWhole is what a spread was at the last whole boundary, but for its counts, and what has been
// counted since.
type spreadWhole struct {
	sum  uint64
	zero uint64 // calls that took no cycle
	longestCall
	costs []uint32 // since then, 0 of those that trapped
}

// mark notes a spread at a whole boundary.
func (w *spreadWhole) mark(d *spread) {
	w.sum, w.zero, w.longestCall, w.costs = d.sum, 0, d.longestCall, w.costs[:0]
	if len(d.counts) > 0 {
		w.zero = d.counts[0]
	}
}

// takeBack makes a spread what it was then.
func (w *spreadWhole) takeBack(d *spread, x *metering) {
	for _, cost := range w.costs {
		if cost > 0 {
			d.counts[bucketOf(x.cycles(cost))]--
		}
	}
	d.sum, d.longestCall = w.sum, w.longestCall
	if len(d.counts) > 0 {
		d.counts[0] = w.zero
	}
}

// beginMeter opens a shard's books of a boundary.
func (m *Machine) beginMeter(shard *machineShard) {
	s := &shard.meter
	s.startWhole.mark(&s.start)
	s.slotWhole.mark(&s.slot)
	s.overrunsWhole = s.overruns
	s.longer = s.longer[:0]
}

// dropMeter forgets what was measured in the boundary that runs.
func (m *Machine) dropMeter() {
	for i := range m.shards {
		s := &m.shards[i].meter
		s.startWhole.takeBack(&s.start, m.meter)
		s.slotWhole.takeBack(&s.slot, m.meter)
		s.overruns = s.overrunsWhole
		for _, l := range slices.Backward(s.longer) {
			m.meter.longest[l.processor] = l.before
		}
	}
}

// meterStart notes what the start handlers of a bank have cost.
func (m *Machine) meterStart(shard *machineShard, instance firmware.Instance) {
	bank, costs, d := instance.Bank(), instance.Costs(), &shard.meter.start
	shard.meter.startWhole.costs = append(shard.meter.startWhole.costs, costs...)
	for cell := 0; cell < len(costs); cell++ {
		if cell += d.take(costs[cell:], m.meter, 0, bank.First+cell); cell < len(costs) {
			m.meterOne(d, bank, cell, costs[cell])
		}
	}
}

// meterRestart notes what the start handlers of processors have cost that a fault has restarted.
func (m *Machine) meterRestart(shard *machineShard, bank *nic.Bank, cells, costs []uint32) {
	shard.meter.startWhole.costs = append(shard.meter.startWhole.costs, costs...)
	for place, cost := range costs {
		m.meterOne(&shard.meter.start, bank, int(cells[place]), cost)
	}
}

// meterOne notes what a handler has cost, unless it has trapped.
func (m *Machine) meterOne(d *spread, bank *nic.Bank, cell int, cost uint32) {
	if cost > 0 || !bank.Silenced(cell) {
		d.add(m.meter.cycles(cost), bank.First+cell, m.slot)
	}
}

// meterSlot notes what the handlers of some cells have cost. Of one that was not done at the end of the
// compute window, the NIC has nothing: what it has written there is dropped.
func (m *Machine) meterSlot(shard *machineShard, bank *nic.Bank, cells, costs []uint32) {
	s, d := &shard.meter, &shard.meter.slot
	s.slotWhole.costs = append(s.slotWhole.costs, costs...)
	if longest := m.meter.longest; longest != nil {
		longest = longest[bank.First:]
		for place, cost := range costs {
			if before := &longest[cells[place]]; cost > *before {
				s.longer = append(s.longer, longerCall{bank.First + int(cells[place]), *before})
				*before = cost
			}
		}
	}
	for place := 0; place < len(costs); place++ {
		place += d.take(costs[place:], m.meter, m.slot, bank.First+int(cells[place]))
		if place == len(costs) {
			return
		}
		cell, cycles := int(cells[place]), m.meter.cycles(costs[place])
		m.meterOne(d, bank, cell, costs[place])
		if cycles > cmp.Or(m.meter.budget, math.MaxUint64) {
			s.overruns++
			bank.TakeBack(&s.kept, place, cell)
			shard.ledger.Find(fabric.Finding{Kind: fabric.FindOverrun, Slot: m.slot, Index: bank.First + cell,
				Text: fmt.Sprintf("needed %d cycles for its handler, the compute window allows %d: it missed the slot", cycles, m.meter.budget)})
		}
	}
}

// cycles returns how long a processor works off a cost.
func (x *metering) cycles(cost uint32) uint64 {
	if x.ratio == 1 {
		return uint64(cost)
	}
	return (uint64(cost) + x.ratio - 1) / x.ratio
}

// meterReport adds what was measured to a report.
func (m *Machine) meterReport(r *FirmwareReport) {
	if m.meter != nil {
		var x measured
		x.measure(m, 0)
		x.report(r, m.config.Firmware.CPU, m.names)
	}
}

// report describes what was measured with a clock.
func (x *measured) report(r *FirmwareReport, cpu *CPUConfig, names fabric.Names) {
	clock := newMetering(cpu, 0)
	r.CPU, r.Cycles, r.StartCycles = cpu.Model, x.slot.report(names), x.start.report(names)
	r.Cycles.addProcessors(clock, x.longest, names)
	if clock.budget > 0 {
		r.BudgetCycles, r.Overruns = clock.budget, &x.overruns
	}
}

// stateMeter carries what was measured.
func (m *Machine) stateMeter(v *hw.StateVisitor) {
	if m.meter == nil {
		return
	}
	hw.StateColumn(v, "meter.longest", m.meter.longest)
	for i := range m.shards {
		s, name := &m.shards[i].meter, hw.Index("shard", i)+".meter"
		s.start.state(v, name+".start")
		s.slot.state(v, name+".slot")
		hw.StateScalar(v, name+".overruns", &s.overruns)
	}
}

// HandlerCycles says how long the calls of a handler took, in cycles of the fabric.
type HandlerCycles struct {
	Calls uint64  `json:"calls"` // but for those that trapped
	Max   uint64  `json:"max"`
	Mean  float64 `json:"mean"`
	P50   uint64  `json:"p50"` // at least half of the calls took no longer; exact to 4,095 cycles, then within 1 in 2,048
	P90   uint64  `json:"p90"`
	P99   uint64  `json:"p99"`
	P100  uint64  `json:"p100"`

	Worst *WorstCall `json:"worst,omitempty"` // the first call that took max

	// Of the slot handlers, in networks of up to 65,536 processors.
	MaxPerProcessor []uint64          `json:"max_per_processor,omitempty"` // the longest call of each processor
	Slowest         []ProcessorCycles `json:"slowest,omitempty"`           // those that took longest, 8 at most

	Histogram []CyclesBin `json:"histogram,omitempty"` // by powers of two
}

// WorstCall is a call of a handler.
type WorstCall struct {
	// The run, in a report of many.
	Seed        *uint64  `json:"seed,omitempty"`
	Permutation *uint64  `json:"permutation,omitempty"` // its number, if every permutation was run
	Rate        *float64 `json:"rate,omitempty"`        // of faults.random, if there are several

	Processor uint64 `json:"processor"`
	Path      string `json:"path"`
	Slot      uint64 `json:"slot"`

	Profile *CallProfile `json:"profile,omitempty"` // of a slot handler, where slots were missed or RunOptions.Profile is given
}

// ProcessorCycles is the longest call of a processor's slot handler.
type ProcessorCycles struct {
	Processor int    `json:"processor"`
	Path      string `json:"path"`
	Max       uint64 `json:"max"`
}

// slowestMax bounds HandlerCycles.Slowest, slowestShown those of the text form.
const slowestMax, slowestShown = 8, 3

// addProcessors adds the longest calls of the processors.
func (h *HandlerCycles) addProcessors(x *metering, longest []uint32, names fabric.Names) {
	if h.Calls == 0 || longest == nil {
		return
	}
	h.MaxPerProcessor = make([]uint64, len(longest))
	order := make([]int, len(longest))
	for p, cost := range longest {
		h.MaxPerProcessor[p], order[p] = x.cycles(cost), p
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(h.MaxPerProcessor[b], h.MaxPerProcessor[a]) })
	for _, p := range order[:min(slowestMax, len(order))] {
		h.Slowest = append(h.Slowest, ProcessorCycles{p, names.Processor(p), h.MaxPerProcessor[p]})
	}
}

// slowestText is the line of the text form.
func (h *HandlerCycles) slowestText() string {
	if h.Slowest == nil {
		return fmt.Sprintf("slowest: not known for more than %d processors", longestProcessorsMax)
	}
	var each []string
	for _, p := range h.Slowest[:min(slowestShown, len(h.Slowest))] {
		each = append(each, fmt.Sprintf("%s %d", p.Path, p.Max))
	}
	text := "slowest: " + strings.Join(each, ", ")
	if len(h.MaxPerProcessor) > slowestShown {
		text += "; --json has all processors"
	}
	return text
}

// CyclesBin counts calls that took more cycles than those of the bin before.
type CyclesBin struct {
	UpTo  uint64 `json:"up_to"`
	Calls uint64 `json:"calls"`
}

// text is the line of the text form.
func (h *HandlerCycles) text() string {
	if h.Calls == 0 {
		return "no calls"
	}
	return fmt.Sprintf("mean %s, 50%% %d, 90%% %d, 99%% %d, max %d (%s), %s",
		formatFloat(h.Mean), h.P50, h.P90, h.P99, h.Max, h.Worst.text(), traces.Plural(h.Calls, "call", "calls"))
}

// text says which call it is.
func (w *WorstCall) text() string {
	text := fmt.Sprintf("%s, slot %d", w.Path, w.Slot)
	if w.Seed != nil {
		run := FailedRun{Seed: *w.Seed, Permutation: w.Permutation, Rate: w.Rate}
		text += ", " + run.alone()
	}
	return text
}
