package traffic

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"

	"starloom/fabric"
	"starloom/fabric/stream"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
)

const barePacketsMax = 1 << 30

// Bare holds the packets of a network of routers without firmware: a frame is a flit, a slot is a cycle. Packets are
// numbered in the order of their creation. Bare is the referee of such a run.
type Bare struct {
	fabric.NoPackets
	*hw.Packets
	ids        []uint64             // ids from the file; nil for packet numbers
	types      []fabric.TrafficType // by packet; nil without classes
	spec       *Spec
	processors int

	net   *stream.Bare // network in a machine, nil outside
	rules *fabric.Rules
	last  *Shown
	limit uint32 // slot limit of the run
}

// NewBare draws all packets of a run, or reads them from the file. It returns an error if the network cannot carry
// the packets of the file.
func NewBare(s *Spec, processors int, seed uint64) (*Bare, error) {
	b := &Bare{Packets: &hw.Packets{}, spec: s, processors: processors}
	return b, b.draw(seed)
}

// RefereeOf returns the referee for a run on hardware with the given rules and slot limit.
func RefereeOf(s *Spec, processors int, net *stream.Bare, rules *fabric.Rules, limit uint32) *Bare {
	return &Bare{Packets: net.Network().Packets, spec: s, processors: processors, net: net, rules: rules, limit: limit}
}

func (b *Bare) draw(seed uint64) error {
	s := b.spec
	*b.Packets, b.ids = hw.Packets{}, nil
	b.beginClasses()
	if s.Closed > 0 {
		return refuse(refusal{true, "closed", fmt.Sprintf("closed is %d, but sources of bare packets get no notice when "+
			"packets "+
			"arrives", s.Closed), "delete closed"})
	}
	if s.Arrivals == fabric.ArrivalsFile {
		b.Reserve(len(s.Rows))
		b.ids = make([]uint64, 0, len(s.Rows))
		for i := range s.Rows {
			r := &s.Rows[i]
			if r.Created >= uint64(hw.PacketPending) {
				return &input.Error{Place: fmt.Sprintf("%s:%d:1", s.Path, r.Line),
					Reason: fmt.Sprintf("a packet is created in cycle %d", r.Created),
					Remedy: fmt.Sprintf("allowed: 0 to %d", hw.PacketPending-1)}
			}
			b.Add(r.Source, r.Destination, uint16(r.Size), uint32(r.Created))
			b.ids = append(b.ids, r.ID)
			if r.Via > 0 && b.Mid == nil {
				b.Mid = make([]uint32, len(s.Rows))
			}
			if b.Mid != nil {
				b.Mid[i] = r.Via
			}
			if r.Choice != 0 && b.Choice == nil {
				b.Choice = make([]uint64, len(s.Rows))
			}
			if b.Choice != nil {
				b.Choice[i] = r.Choice
			}
			if b.classed() {
				b.class(s.rows[i])
			}
		}
		return nil
	}
	return b.drawAll(s.draws(b.processors, seed), uint32(min(s.End, never-1)))
}

// packetsPerWindow is the mean number of packets in a window of drawAll. Each window is sorted separately.
const packetsPerWindow = 1 << 14

// drawAll draws the packets created before end, by the draws of each class. For each window of cycles, it draws the
// packets source by source, class by class, and sorts them by creation, then by source and class. A reply follows its
// request.
func (b *Bare) drawAll(draws []*Draws, end uint32) error {
	type made struct {
		at, source, number uint32
		class              uint8
	}
	perCycle := b.spec.rate() * float64(b.processors)
	b.Reserve(int(min(perCycle*float64(end), 1<<24)))
	window := uint32(min(packetsPerWindow/perCycle+1, math.MaxUint32))
	next := make([]made, 0, b.processors*len(draws))
	for source := range uint32(b.processors) {
		for class, d := range draws {
			next = append(next, made{d.First(source), source, 0, uint8(class)})
		}
	}
	var list []made
	for begin := uint32(0); begin < end; {
		stop := begin + min(window, end-begin)
		list = list[:0]
		for i := range next {
			n := &next[i]
			for n.at < stop {
				list = append(list, *n)
				n.number++
				n.at = draws[n.class].Next(n.source, n.number, n.at)
			}
		}
		packets := len(list)
		if b.spec.Replies() {
			packets *= 2
		}
		if b.Count()+packets > barePacketsMax {
			return refuse(refusal{true, "measure",
				fmt.Sprintf("there are more than %d packets", barePacketsMax), "measure fewer cycles"})
		}
		hw.SortByKey(list, func(x *made) uint32 { return x.at - begin })
		for _, x := range list {
			b.create(draws[x.class], x.class, x.source, x.number, x.at)
		}
		begin = stop
	}
	return nil
}

// ID returns the id of a packet from the file; without a file, the packet number.
func (b *Bare) ID(packet uint32) uint64 {
	if b.ids == nil {
		return uint64(packet)
	}
	return b.ids[packet]
}

func (b *Bare) measures(cycle uint32) bool { return b.spec.Measures(uint64(cycle)) }

// Pending returns the number of packets that have not arrived.
func (b *Bare) Pending() (pending uint64) {
	for _, received := range b.Received {
		if received == hw.PacketPending {
			pending++
		}
	}
	return pending
}

// Shown summarises the measured packets of a run. It counts offered and accepted traffic in flits.
type Shown struct {
	b                  *Bare
	w                  *window
	cycles             uint64
	offered, accepted  uint64
	hops, arrived, way uint64 // sums over arrived packets; way: number of cycles in the network
	// number of packets by latency in cycles, from creation and from departure from the source
	latency, network tally
	classes          []classFigures
}

// Shown summarises a run of the given number of cycles.
func (b *Bare) Shown(cycles uint64) *Shown {
	w := &window{spec: b.spec, unit: "cycle", slotCycles: 1, growing: newGrowing(&b.spec.Window, 1)}
	s := &Shown{b: b, w: w, cycles: cycles, classes: make([]classFigures, len(b.spec.classes))}
	for i, created := range b.Created {
		if created == hw.PacketPending {
			continue // a reply to a request that has not arrived
		}
		received, size := b.Received[i], uint64(b.Size[i])
		w.growing.comes(created)
		if received != hw.PacketPending {
			w.growing.goes(received)
			if b.measures(received) {
				w.accepted++
				s.accepted += size
			}
		}
		if !b.measures(created) {
			continue
		}
		w.created++
		var c *classFigures
		if len(s.classes) > 0 {
			c = &s.classes[b.Traffic.Class[i]]
			c.created++
		}
		if s.offered += size; received == hw.PacketPending {
			w.pending++
			continue
		}
		s.arrived++
		s.hops += uint64(b.Hops[i])
		s.way += uint64(received - b.Sent[i])
		s.latency.add(received - created)
		s.network.add(received - b.Sent[i])
		if c != nil {
			c.arrived++
			c.latency.add(received - created)
			c.network.add(received - b.Sent[i])
		}
	}
	w.over, w.way = w.pending == 0 || cycles >= uint64(b.spec.Slots()), float64(s.way)/float64(max(s.arrived, 1))
	return s
}

func (b *Bare) judge(cycles uint64, find func(fabric.Finding)) {
	j := newJudge(b.rules, b.processors, "cycle")
	if j.order == nil && !j.limits() {
		return
	}
	for _, i := range b.Arrived() {
		j.came(b.trip(i, b.Received[i]), find)
	}
	for i, received := range b.Received {
		if b.Created[i] == hw.PacketPending {
			continue
		}
		if t := b.trip(uint32(i), uint32(cycles)); received == hw.PacketPending && uint64(t.created) < cycles {
			j.waits(t, find)
		}
	}
}

func (b *Bare) trip(i, at uint32) *trip {
	took := at - min(b.Created[i], at)
	deadline := uint32(0)
	if b.classed() {
		deadline = uint32(b.spec.classes[b.Traffic.Class[i]].Deadline)
	}
	return &trip{deadline: deadline, serial: b.ID(i), source: b.Source[i], destination: b.Destination[i],
		created: b.Created[i], at: at, took: took, queued: min(b.Sent[i], at) - min(b.Created[i], b.Sent[i]),
		cycles: uint64(took), cycle: uint64(at), measured: b.measures(b.Created[i])}
}

// Metrics returns the figures of the window.
func (s *Shown) Metrics() (m fabric.Metrics) {
	b, w := s.b, s.w
	whole := b.Pending() == 0 || s.cycles >= b.spec.End
	perCycle := float64(b.processors) * float64(b.spec.Cycles())
	m.Add("window", b.spec.WindowText())
	m.AddIn(unitFlits, whole, "offered", float64(s.offered)/perCycle)
	m.AddIn(unitFlits, whole, "accepted", float64(s.accepted)/perCycle)
	w.addSaturated(&m, whole)
	m.AddKnown(whole, "pending", w.pending)
	latencies := s.latency.histogram()
	latencies.addLatency(&m, w.of(), w.over)
	s.network.histogram().add(&m, "network_latency", w.of(), w.over)
	m.AddKnown(w.over && s.arrived > 0, "hops.mean", float64(s.hops)/float64(max(s.arrived, 1)))
	queued, most := b.queues(s.cycles)
	m.AddKnown(whole, "source_queue.mean", float64(queued)/perCycle)
	m.AddKnown(whole, "source_queue.max", most)
	s.addClasses(&m)
	m.AddKnown(w.over && len(latencies) > 0, "latency.histogram", latencies)
	return m
}

// tally counts values. Small values have their own counters.
type tally struct {
	small []uint64
	large map[uint64]uint64
}

const tallySmall = 1 << 16

func (t *tally) add(value uint32) {
	switch {
	case int(value) < len(t.small):
		t.small[value]++
	case t.small == nil:
		t.small, t.large = make([]uint64, tallySmall), map[uint64]uint64{}
		t.add(value)
	default:
		t.large[uint64(value)]++
	}
}

func (t *tally) histogram() (h Histogram) {
	for value, count := range t.small {
		if count > 0 {
			h = append(h, [2]uint64{uint64(value), count})
		}
	}
	return append(h, histogram(t.large)...)
}

func histogram(counts map[uint64]uint64) (h Histogram) {
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		h = append(h, [2]uint64{value, counts[value]})
	}
	return h
}

// byCreation yields the numbers of the created packets by cycle of creation.
func (b *Bare) byCreation() iter.Seq2[int, uint32] {
	if b.Traffic == nil || b.Traffic.Request == nil {
		return func(yield func(int, uint32) bool) {
			for i := 0; i < b.Count() && yield(i, uint32(i)); i++ {
			}
		}
	}
	var order []uint32
	for i, at := range b.Created {
		if at != hw.PacketPending {
			order = append(order, uint32(i))
		}
	}
	hw.SortByKey(order, func(i *uint32) uint32 { return b.Created[*i] })
	return slices.All(order)
}

// queues returns the sum over cycles of the packets in source queues within the window, and the longest queue of a
// source at the end of a cycle.
func (b *Bare) queues(cycles uint64) (queued, most uint64) {
	from, end := b.spec.From, b.spec.End
	waits := make([]struct { // by source: send cycles of the waiting packets, sent[first:]
		sent  []uint32
		first int
	}, b.processors)
	for _, i := range b.byCreation() {
		at := b.Created[i]
		sent := uint64(math.MaxUint64)
		if b.Sent[i] != hw.PacketPending {
			sent = uint64(b.Sent[i])
		}
		created := uint64(at)
		if a, z := max(created, from), min(sent, end, cycles); a < z {
			queued += z - a
		}
		w := &waits[b.Source[i]]
		for w.first < len(w.sent) && w.sent[w.first] <= at {
			w.first++
		}
		if w.first == len(w.sent) {
			w.sent, w.first = w.sent[:0], 0
		}
		if sent > created {
			w.sent = append(w.sent, b.Sent[i])
			if b.measures(at) {
				most = max(most, uint64(len(w.sent)-w.first))
			}
		}
	}
	return queued, most
}

const (
	bareSent     = 1
	bareReceived = 2
)

// Digest returns the digest of sent and received packets in cycle order.
func (b *Bare) Digest() (d traces.Digest) {
	type event struct{ cycle, packet uint32 } // bit 31: bareReceived-bareSent; other bits: number, below 2^30
	const received = 1 << 31
	all := make([]event, 0, 2*b.Count())
	for i := range uint32(b.Count()) {
		if b.Sent[i] != hw.PacketPending {
			all = append(all, event{b.Sent[i], i})
		}
		if b.Received[i] != hw.PacketPending {
			all = append(all, event{b.Received[i], i | received})
		}
	}
	hw.SortByKey(all, func(e *event) uint32 { return e.cycle })
	for k := 0; k < len(all); {
		var sum traces.Sum
		cycle := all[k].cycle
		for ; k < len(all) && all[k].cycle == cycle; k++ {
			i, kind := all[k].packet&^received, bareSent+uint8(all[k].packet/received)
			sum.Event(traces.EventHead(kind, 0, 0, b.Source[i]), uint64(b.Destination[i])<<16|uint64(b.Size[i]),
				uint64(b.Created[i]), uint64(i))
		}
		d.Slot(cycle, sum)
	}
	return d
}

// WritePackets writes all packets by arrival, then by source. Packets that have not arrived come last, by creation.
func (b *Bare) WritePackets(to io.Writer) error {
	order := b.Arrived()
	for i, received := range b.Received {
		if received == hw.PacketPending && b.Created[i] != hw.PacketPending {
			order = append(order, uint32(i))
		}
	}
	return fabric.WritePackets(to, b.classed(), func(yield func(fabric.PacketRow) bool) {
		for _, i := range order {
			row := fabric.PacketRowOf(b.Packets, i)
			row.Measured, row.ID = b.measures(b.Created[i]), b.ID(i)
			if t := b.Traffic; t != nil {
				row.Class, row.Type = b.spec.classes[t.Class[i]].name, b.types[i].String()
				if t.Request != nil && t.Request[i] > 0 {
					row.Request = 1 + b.ID(t.Request[i]-1)
				}
			}
			if !yield(row) {
				return
			}
		}
	})
}

// Packets is a referee of traffic, for runs with or without firmware.
type Packets interface {
	fabric.Offering
	Limits(limits map[string]string) map[string]string
	Lost() uint64
	Notes() []string
	Latencies() (arrived Histogram, left uint64)
	WritePackets(to io.Writer) error
}

func (b *Bare) Load(l *fabric.Load) error {
	b.last = nil
	err := b.draw(l.Seed)
	if err == nil {
		b.Packets, err = b.net.Load(*b.Packets, b.ID)
	}
	return err
}

// Methods without effect, because hardware alone carries the packets.

func (b *Bare) Announce(*fabric.Ledger, int, uint32, uint32) {}
func (b *Bare) Witness(bool) fabric.Witness                  { return nil }
func (b *Bare) Create(int, uint32)                           {}
func (b *Bare) Offer(int, *nic.Bank, uint32)                 {}
func (b *Bare) Settle(uint32, func(fabric.Finding))          {}
func (b *Bare) Reset()                                       {}
func (b *Bare) State(v *hw.StateVisitor)                     { v.AfterRestore(func() { b.last = nil }) }

// Over reports whether all packets have arrived or were discarded.
func (b *Bare) Over([]uint8) bool { return b.net.Network().Done() }

// Lost returns 0, because a run with a missing packet does not finish.
func (b *Bare) Lost() uint64 { return 0 }

func (b *Bare) shown() *Shown {
	if cycles := uint64(b.net.Slots()); b.last == nil || b.last.cycles != cycles {
		b.last = b.Shown(cycles)
	}
	return b.last
}

// Limits adds the number of judged packets to the limits of rules. Times are in cycles.
func (b *Bare) Limits(limits map[string]string) map[string]string {
	if b.rules.DeadlineSlots > 0 {
		limits[fabric.RuleDeadline] = traces.Plural(uint64(b.rules.DeadlineSlots), "cycle", "cycles")
	}
	return b.shown().w.limits(limits)
}

// Notes returns remarks about the measured cycles for the user.
func (b *Bare) Notes() []string { return b.shown().w.notes() }

// Latencies returns the latencies in cycles of arrived measured packets, and the number of other measured packets.
func (b *Bare) Latencies() (arrived Histogram, left uint64) {
	s := b.shown()
	return s.latency.histogram(), s.w.pending
}

// Metrics returns the figures of the window and the loads of channels.
func (b *Bare) Metrics(*fabric.End, bool) fabric.Metrics {
	s := b.shown()
	m := s.Metrics()
	AddLoads(&m, b.net.Wired(), b.net.Loads(), s.cycles)
	return m
}

// Unfinished yields the violations of rules by packets, and the reasons for missing packets, by cycle.
func (b *Bare) Unfinished(yield func(fabric.Finding)) {
	var found []fabric.Finding
	note := func(f fabric.Finding) { found = append(found, f) }
	cycles := uint64(b.net.Slots())
	b.judge(cycles, note)
	knots := b.net.Knots()
	if f := (fabric.Finding{Kind: fabric.FindPending, Cycle: cycles, Text: b.left(cycles, len(knots) > 0)}); f.Text != "" {
		if len(knots) > 0 {
			d := b.net.Deadlock(knots, func(i uint32) string {
				return fmt.Sprintf("packet %d (%d to %d, sent in cycle %d)", i, b.Source[i], b.Destination[i], b.Sent[i])
			})
			f.Kind, f.Text, f.Waits, f.Cycle, f.Index = fabric.FindDeadlock, f.Text+"; "+d.Text, d.Waits, d.Since,
				b.net.Wired().Media+d.Link
		}
		note(f)
	}
	slices.SortStableFunc(found, func(x, y fabric.Finding) int { return cmp.Compare(x.Cycle, y.Cycle) })
	for _, f := range found {
		yield(f)
	}
}

// left returns the reason for missing packets, "" if none is missing. knots means that some packets are in a
// deadlock.
func (b *Bare) left(cycles uint64, knots bool) string {
	pending := b.Pending()
	left := fmt.Sprintf("%d of %s not arrived", pending, traces.Plural(uint64(b.Count()), "packet has", "packets have"))
	harmed := ""
	if pending > 0 && b.Harm != nil {
		harmed = b.harmed()
	}
	switch {
	case harmed != "":
		return left + harmed
	case pending > 0 && b.net.Network().Still():
		return left + ", and none of them moves: they wait for each other (deadlock)"
	case knots && cycles < uint64(b.limit):
		return left + ", and some will never arrive although others move: they wait for each other (deadlock)"
	case pending == 0, cycles >= uint64(b.spec.Slots()):
		return b.shown().w.late()
	}
	return left + " at the limit of " + traces.Plural(uint64(b.limit), "cycle",
		"cycles") + " (set by stop.slots or --slots)"
}

func (b *Bare) harmed() (text string) {
	var dropped, cut uint64
	for i, harm := range b.Harm {
		switch {
		case b.Received[i] != hw.PacketPending:
		case harm&hw.HarmCut != 0:
			cut++
		case harm&hw.HarmDropped != 0:
			dropped++
		}
	}
	if dropped > 0 {
		text = fmt.Sprintf("; faults have dropped %d", dropped)
	}
	if cut > 0 {
		text += fmt.Sprintf("; flits of %s have vanished", traces.Plural(cut, "packet", "packets"))
	}
	standing := b.net.Standing(func(i uint32) string {
		return fmt.Sprintf("packet %d (%d to %d, created in cycle %d)", i, b.Source[i], b.Destination[i], b.Created[i])
	})
	if standing != "" {
		text += "; " + standing
	}
	return text
}
