package traffic

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"

	"starloom/fabric"
	"starloom/fabric/stream"
	"starloom/hw"
	"starloom/nic"
)

// figures holds the measurements of a run. A measured packet is created in a measured cycle. Accepted packets arrive
// in the window. Loads and queues are measured in slots that begin in the window. Times are in cycles; a slot or tick
// has slotCycles cycles.
type figures struct {
	Window
	slotCycles uint64
	toFirst    uint64 // cycles from the start of a slot to the first phit of a frame
	toLast     uint64 // cycles from the start of a slot to the last phit of a frame
	processors int
	fromFile   bool
	routed     bool // processors are at routers, and a slot is a tick
	slotted    bool // frames are sent in slots

	totals
	spec             *Spec
	growing          growing
	latency, network distribution
	cycles           map[uint64]uint64 // number of packets of a file by latency in cycles
	load             []uint64          // by medium, except channels of routers: number of frames
	flows            []uint32          // arrived measured packets, by source and destination; nil on large networks
	flowCycles       []uint64
}

type totals struct {
	offered  uint64
	accepted uint64 // number of packets received in measured slots, whenever created
	pending  uint64 // number of measured packets that have neither arrived nor been lost
	lost     uint64
	hops     uint64 // hops of arrived measured packets
	waiting  uint64 // packets created but not yet sent
	queued   uint64 // sum of waiting over the measured slots
	queueMax uint64 // maximum number of waiting packets at one source
}

const flowProcessorsMax = 1 << 10

func newFigures(s *Spec, processors, media int, timing nic.Timing, routed bool) figures {
	f := figures{
		spec: s, growing: newGrowing(&s.Window, uint64(timing.SlotCycles())),
		Window: s.Window, slotCycles: uint64(timing.SlotCycles()), toFirst: timing.FirstPhitCycle(0),
		toLast:     timing.LastPhitCycle(0),
		processors: processors, fromFile: s.Arrivals == fabric.ArrivalsFile, load: make([]uint64, media),
		cycles: map[uint64]uint64{},
		routed: routed, slotted: timing.Tick == 0,
	}
	if routed { // frames arrive in any cycle; firmware reads them at the boundary
		f.toLast = timing.BoundaryCycle(0)
	}
	if f.processors <= flowProcessorsMax {
		f.flows, f.flowCycles = make([]uint32, f.processors*f.processors), make([]uint64, f.processors*f.processors)
	}
	return f
}

func (f *figures) measures(slot uint32) bool { return f.Measures(uint64(slot) * f.slotCycles) }

// measured reports whether a packet was created in the window, before cycles ahead of slot created.
func (f *figures) measured(created, before uint32) bool {
	return f.Measures(uint64(created)*f.slotCycles - uint64(before))
}

func (f *figures) whole(slots uint32) bool { return uint64(slots)*f.slotCycles >= f.End }

// carried counts a frame on its medium. Several shards may use one medium.
func (f *figures) carried(names fabric.Names, processor int, frame nic.FrameView, slot uint32) {
	if !f.measures(slot) {
		return
	}
	if medium := names.SentOn(processor, frame.Port(), int(frame.Destination())); medium >= 0 && medium < len(f.load) {
		atomic.AddUint64(&f.load[medium], 1)
	}
}

// created counts a packet that is first offered in a slot. before is the number of cycles from the packet's creation
// to that slot.
func (f *figures) created(slot, before uint32) {
	f.waiting++
	f.growing.comes(slot)
	if f.measured(slot, before) {
		f.offered++
		f.pending++
	}
}

func (f *figures) leaves() { f.waiting-- }

func (f *figures) crossed(slot uint32) {
	if f.measures(slot) {
		f.queued += f.waiting
	}
}

func (f *figures) queue(packets uint32, slot uint32) {
	if f.measures(slot) {
		f.queueMax = max(f.queueMax, uint64(packets))
	}
}

func (f *figures) arrived(source uint32, x *flight, slot, before uint32) {
	f.growing.goes(slot)
	if f.Measures(uint64(slot)*f.slotCycles + f.toLast) {
		f.accepted++
	}
	if !f.measured(x.created, before) {
		return
	}
	f.pending--
	latency := slot - min(x.created, slot) + 1
	f.latency.add(latency)
	f.network.add(slot - min(x.sent, slot) + 1)
	f.hops += uint64(x.hops)
	cycles := f.cyclesOf(latency) + uint64(before)
	if f.fromFile {
		f.cycles[cycles]++
	}
	if f.flows != nil {
		k := int(source)*f.processors + int(x.destination)
		f.flows[k]++
		f.flowCycles[k] += cycles
	}
}

func (f *figures) cyclesOf(slots uint32) uint64 { return uint64(slots-1)*f.slotCycles + f.toLast }

func (f *figures) loses(x *flight, slot, before uint32) {
	f.growing.goes(slot)
	if f.measured(x.created, before) {
		f.pending--
		f.lost++
	}
}

func (f *figures) reset() {
	f.totals, f.growing = totals{}, newGrowing(&f.Window, f.slotCycles)
	f.latency.counts, f.network.counts = f.latency.counts[:0], f.network.counts[:0]
	clear(f.cycles)
	clear(f.load)
	clear(f.flows)
	clear(f.flowCycles)
}

func (f *figures) state(v *hw.StateVisitor) {
	t := &f.totals
	for i, total := range []*uint64{&t.offered, &t.accepted, &t.pending, &t.lost, &t.hops, &t.waiting,
		&t.queued, &t.queueMax} {
		class := hw.Statistic
		if total == &t.pending || total == &t.lost { // the end of a run judges them
			class = hw.Future
		}
		hw.StateScalar(v, class, hw.Index("total", i), total)
	}
	for i := range f.growing.halves {
		f.growing.halves[i].state(v, hw.Index("half", i))
	}
	hw.StateList(v, hw.Statistic, "latency", &f.latency.counts)
	hw.StateList(v, hw.Statistic, "network", &f.network.counts)
	hw.StateColumn(v, hw.Statistic, "load", f.load)
	hw.StateColumn(v, hw.Statistic, "flows", f.flows)
	hw.StateColumn(v, hw.Statistic, "flow_cycles", f.flowCycles)
	values := slices.Sorted(maps.Keys(f.cycles))
	counts := make([]uint64, len(values))
	for i, value := range values {
		counts[i] = f.cycles[value]
	}
	hw.StateList(v, hw.Statistic, "cycles.value", &values)
	hw.StateList(v, hw.Statistic, "cycles.count", &counts)
	v.AfterRestore(func() {
		clear(f.cycles)
		for i := range min(len(values), len(counts)) {
			f.cycles[values[i]] = counts[i]
		}
	})
}

type distribution struct{ counts []uint64 }

func (d *distribution) add(value uint32) {
	if int(value) >= len(d.counts) {
		d.counts = append(d.counts, make([]uint64, int(value)+1-len(d.counts))...)
	}
	d.counts[value]++
}

// values returns the counted values in ascending order, each converted by of.
func (d *distribution) values(of func(value uint32) uint64) (all Histogram) {
	for value, count := range d.counts {
		if count > 0 {
			all = append(all, [2]uint64{of(uint32(value)), count})
		}
	}
	return all
}

// Histogram holds pairs of a value and its count, ordered by value.
type Histogram [][2]uint64

// Lines implements fabric.Lined with a count for each power of two.
func (h Histogram) Lines() (lines []string) {
	total, most := uint64(0), uint64(0)
	var bins []uint64
	low := uint64(1)
	if len(h) > 0 {
		low = 1 << (bits.Len64(h[0][0]|1) - 1)
	}
	for _, v := range h {
		k := bits.Len64(v[0]|1) - bits.Len64(low)
		for len(bins) <= k {
			bins = append(bins, 0)
		}
		bins[k] += v[1]
		total += v[1]
		most = max(most, bins[k])
	}
	for k, count := range bins {
		bar := strings.Repeat("#", int((count*40+most-1)/most))
		lines = append(lines,
			strings.TrimRight(fmt.Sprintf("%8d to %-8d %6.2f %%  %s", low<<k, low<<(k+1)-1,
				100*float64(count)/float64(total), bar), " "))
	}
	return lines
}

func (h Histogram) Pool(all fabric.Pooled) fabric.Pooled {
	counts := map[uint64]uint64{}
	other, _ := all.(Histogram)
	for _, v := range slices.Concat(h, other) {
		counts[v[0]] += v[1]
	}
	var sum Histogram
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		sum = append(sum, [2]uint64{value, counts[value]})
	}
	return sum
}

func (h Histogram) Figures(name string) (m fabric.Metrics) {
	s := h.summary()
	for i, q := range quantiles {
		m.Add(strings.TrimSuffix(name, ".histogram")+".pooled."+q.name, s.quantiles[i])
	}
	return m
}

type summary struct {
	mean, sd  float64
	quantiles [4]uint64 // 50, 95, 99 and 99.9 %, by nearest rank
	max       uint64
}

var quantiles = [4]struct {
	name string
	of   uint64
}{{"p50", 500}, {"p95", 950}, {"p99", 990}, {"p999", 999}}

// summary requires at least one value. The sd of one value is 0.
func (h Histogram) summary() (s summary) {
	total, sum := uint64(0), uint64(0)
	for _, v := range h {
		total += v[1]
		sum += v[0] * v[1]
	}
	s.mean = float64(sum) / float64(total)
	squares := 0.0
	for _, v := range h {
		deviation := float64(v[0]) - s.mean
		squares += float64(float64(deviation*deviation) * float64(v[1]))
	}
	if total > 1 {
		s.sd = math.Sqrt(squares / float64(total-1))
	}
	for i, q := range quantiles {
		rank := (total*q.of + 999) / 1000 // rank among the ordered values, from 1
		for _, v := range h {
			if rank <= v[1] {
				s.quantiles[i] = v[0]
				break
			}
			rank -= v[1]
		}
	}
	s.max = h[len(h)-1][0]
	return s
}

// add adds the figures of a distribution. Figures of an empty distribution are unknown. of is their unit, "" for the
// default.
func (h Histogram) add(m *fabric.Metrics, name, of string, known bool) {
	known = known && len(h) > 0
	first := len(*m)
	var s summary
	if known {
		s = h.summary()
	}
	m.AddKnown(known, name+".mean", s.mean)
	m.AddKnown(known, name+".sd", s.sd)
	for i, q := range quantiles {
		m.AddKnown(known, name+"."+q.name, s.quantiles[i])
	}
	m.AddKnown(known, name+".max", s.max)
	for i := first; i < len(*m); i++ {
		(*m)[i].Of = of
	}
}

func (h Histogram) addLatency(m *fabric.Metrics, of string, known bool) {
	h.add(m, "latency", of, known)
	former := len(*m)
	h.add(m, "latency_cycles", of, known)
	for i := former; i < len(*m); i++ {
		(*m)[i].Former = true
	}
}

const loadsMax = 10

// MediumLoad is the mean number of frames on a medium per slot.
type MediumLoad struct {
	Path string  `json:"path"`
	Load float64 `json:"load"`
}

// MediumLoads lists the most loaded media.
type MediumLoads []MediumLoad

func (l MediumLoads) Lines() (lines []string) {
	for _, m := range l {
		lines = append(lines, fmt.Sprintf("%.4f  %s", m.Load, m.Path))
	}
	return lines
}

func (f *figures) media(names fabric.Names) (most MediumLoads, mean float64) {
	order := make([]int, 0, len(f.load))
	all := uint64(0)
	for medium, frames := range f.load {
		if all += frames; frames > 0 {
			order = append(order, medium)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.load[b], f.load[a]) })
	slots := float64(f.slots(f.slotCycles))
	for _, medium := range order[:min(len(order), loadsMax)] {
		most = append(most, MediumLoad{names.Medium(medium), float64(f.load[medium]) / slots})
	}
	return most, float64(all) / slots / float64(max(len(f.load), 1))
}

// FlowLoad is the mean number of packets from a source to a destination per slot, and the mean latency of these
// packets in cycles.
type FlowLoad struct {
	Source      string  `json:"source"`
	Destination string  `json:"destination"`
	Load        float64 `json:"load"`
	Latency     float64 `json:"latency"`
}

// FlowLoads lists the most loaded flows.
type FlowLoads []FlowLoad

func (l FlowLoads) Lines() (lines []string) {
	for _, f := range l {
		lines = append(lines, fmt.Sprintf("%.4f  %s to %s, latency %.2f cycles", f.Load, f.Source, f.Destination, f.Latency))
	}
	return lines
}

func (f *figures) most(names fabric.Names) (most FlowLoads) {
	var order []int
	for k, packets := range f.flows {
		if packets > 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.flows[b], f.flows[a]) })
	slots := float64(f.Cycles()) / float64(f.slotCycles)
	for _, k := range order[:min(len(order), loadsMax)] {
		most = append(most, FlowLoad{names.Processor(k / f.processors), names.Processor(k % f.processors),
			float64(f.flows[k]) / slots, float64(f.flowCycles[k]) / float64(f.flows[k])})
	}
	return most
}

// Latencies returns the latencies in cycles of arrived measured packets, and the number of other measured packets.
func (r *Referee) Latencies() (arrived Histogram, left uint64) {
	return r.figures.inCycles(), r.figures.lost + r.figures.pending
}

func (f *figures) inCycles() (h Histogram) {
	if !f.fromFile {
		return f.latency.values(f.cyclesOf)
	}
	for _, cycles := range slices.Sorted(maps.Keys(f.cycles)) {
		h = append(h, [2]uint64{cycles, f.cycles[cycles]})
	}
	return h
}

// AddLoads adds the loads of channels between routers, for a run of the given number of cycles. It adds no loads for
// a network without channels.
func AddLoads(m *fabric.Metrics, r *fabric.Routers, l *stream.ChannelLoads, cycles uint64) {
	loads := l.PerCycle(cycles)
	if len(loads) == 0 {
		return
	}
	order := make([]int, len(loads))
	for i := range loads {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(loads[b], loads[a]) })
	var most MediumLoads
	for _, i := range order[:min(len(order), loadsMax)] {
		if link := &r.Graph.Links[i]; loads[i] > 0 {
			most = append(most, MediumLoad{Path: r.Channel(link.From, link.Output, link.To), Load: loads[i]})
		}
	}
	m.AddIn(unitChannel, true, "load.mean", float64(l.Total())/float64(len(loads))/float64(max(cycles, 1)))
	m.AddIn(unitChannel, true, "load.max", loads[order[0]])
	m.Add("load.most", most)
}

// Units of figures that depend on the kind of network.
const (
	unitChannel = "flits per channel and cycle"
	unitFlits   = "flits per node and cycle"
	unitMedium  = "frames per medium and slot"
	unitPerSlot = "packets per processor and slot"
	unitPerTick = "packets per processor and tick"
)
