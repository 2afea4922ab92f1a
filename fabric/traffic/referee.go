package traffic

import (
	"encoding/binary"
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// Head of a frame's payload: origin, destination, and the packet's number at the source combined with the frame's
// place in the packet.
const (
	headOrigin      = 0
	headDestination = 4
	headNumber      = 8 // offset of the 24-bit number; the upper 8 bits are the number of following frames
	headBytes       = 12
)

// HeadBytes is the minimum payload of a traffic frame in bytes.
const HeadBytes = headBytes

// Config describes the run of a Referee.
type Config struct {
	Spec    *Spec
	Network fabric.Network
	Program *fabric.Program
	Rules   *fabric.Rules
	Timing  nic.Timing
	Shards  []hw.Shard
	Log     bool // keep every packet, for a file
	// Bank returns the bank of a processor and the processor's cell in it.
	Bank func(processor int) (bank *nic.Bank, cell int)
}

// Referee offers the packets of a run and tracks their frames. It offers a packet one boundary before the earliest
// slot in which the packet can be sent. The packet ends when its last frame arrives or can no longer arrive.
type Referee struct {
	fabric.NoPackets
	spec   *Spec
	direct bool
	names  fabric.Names
	timing nic.Timing
	seed   uint64
	draws  *Draws

	cursors
	sources []sources
	flights []flights
	shardOf []uint32
	seen    []seen
	leaving []sighting // last frames sent in the crossed slot
	arriving
	bank func(processor int) (bank *nic.Bank, cell int)

	judge   judge
	figures figures
	log     *log
	over    bool
	slot    uint32 // number of settled slots
}

type seen struct {
	sent     []sighting
	received []sighting
	_        [16]byte
}

type sighting struct {
	slot, processor, origin, destination uint32
	number                               uint32 // packet number and number of following frames
	place                                uint32 // number of frames received before this frame
	ack                                  bool
}

var _ interface {
	fabric.Offering
	fabric.Witness
	fabric.Dropper
	fabric.Keeper
} = (*Referee)(nil)

// New returns the referee of a run.
func New(c *Config) *Referee {
	shape := c.Network.Shape()
	r := &Referee{bank: c.Bank, arriving: arriving{heard: make([]uint32, shape.Processors())}, spec: c.Spec,
		names: c.Network.Names(), timing: c.Timing}
	if c.Program != nil && c.Program.Carries != nil {
		r.direct = c.Program.Carries.Direct
	}
	processors := shape.Processors()
	r.judge = newJudge(c.Rules, processors, "slot")
	r.cursors = newCursors(processors, c.Spec.Closed > 0)
	r.sources, r.flights, r.seen = make([]sources, len(c.Shards)), make([]flights, len(c.Shards)),
		make([]seen, len(c.Shards))
	units := c.Shards[len(c.Shards)-1].End
	perUnit := processors / units
	r.shardOf = make([]uint32, units)
	for i, shard := range c.Shards {
		first, end := shard.First*perUnit, shard.End*perUnit
		r.sources[i].first, r.sources[i].end, r.sources[i].after = first, end, make([]uint32, end-first)
		r.flights[i].begin(first, end)
		for unit := shard.First; unit < shard.End; unit++ {
			r.shardOf[unit] = uint32(i)
		}
	}
	media, routers := shape.Media, fabric.RoutersOf(c.Network)
	if routers != nil {
		media = routers.Media
	}
	r.figures = newFigures(c.Spec, shape.Processors(), media, c.Timing, routers != nil)
	if c.Log {
		r.log = new(log)
	}
	return r
}

func (r *Referee) Load(l *fabric.Load) error {
	r.seed = l.Seed
	r.draw()
	for source := range r.at {
		at := r.draws.First(uint32(source))
		r.at[source], r.due[source] = at, at
	}
	r.file()
	return nil
}

func (r *Referee) draw() {
	r.draws = NewDraws(r.spec, len(r.at), r.seed, r.timing.SlotCycles())
}

func (r *Referee) file() {
	for i := range r.sources {
		r.sources[i].begin(&r.cursors)
	}
}

// Tell implements fabric.Referee. It sets each word to the maximum number of packets in flight, 0 for no limit.
func (r *Referee) Tell(_ int, words []uint32) {
	for i := range words {
		words[i] = uint32(r.spec.Closed)
	}
}

func (r *Referee) Create(shard int, slot uint32) { r.sources[shard].create(&r.cursors, r.draws, slot) }

func (r *Referee) Witness(bool) fabric.Witness { return r }

func (r *Referee) sight(processor int, frame nic.FrameView, slot uint32) (s sighting, ok bool) {
	kind := frame.Kind()
	if frame.PayloadBytes() < headBytes || kind != nic.KindData && kind != nic.KindAck {
		return s, false
	}
	head := frame.Payload()
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(head[at:]) }
	s = sighting{slot: slot, processor: uint32(processor), origin: word(headOrigin), destination: word(headDestination),
		number: word(headNumber),
		ack:    kind == nic.KindAck}
	return s, uint64(s.origin) < uint64(len(r.at)) && uint64(s.destination) < uint64(len(r.at))
}

func (r *Referee) Sent(l *fabric.Ledger, processor int, frame nic.FrameView, slot uint32) {
	r.figures.carried(r.names, processor, frame, slot)
	if s, ok := r.sight(processor, frame, slot); ok && !s.ack {
		r.seen[l.Shard].sent = append(r.seen[l.Shard].sent, s)
	}
}

func (r *Referee) Blocked(*fabric.Ledger, int, nic.FrameView, uint32) {}

// Received implements fabric.Witness. It counts only frames for the processor; other frames are relayed or overheard.
func (r *Referee) Received(l *fabric.Ledger, processor int, frame nic.FrameView, slot uint32) {
	place := r.heard[processor]
	r.heard[processor]++
	s, ok := r.sight(processor, frame, slot)
	if !ok {
		return
	}
	s.place = place
	home := s.destination
	if s.ack {
		home = s.origin
	}
	if int(home) == processor {
		r.seen[l.Shard].received = append(r.seen[l.Shard].received, s)
	}
}

// Settle implements fabric.Offering. It settles the previous slot, then the packets created in this slot.
func (r *Referee) Settle(slot uint32, find func(fabric.Finding)) {
	r.settle(slot, find)
	for i := range r.sources {
		for _, c := range r.sources[i].created {
			r.figures.created(slot, r.draws.before(c.source, c.created-1))
		}
	}
	r.over = r.over || r.done()
}

func (r *Referee) settle(slot uint32, find func(fabric.Finding)) {
	if r.slot = slot; slot == 0 {
		return
	}
	crossed := slot - 1
	r.leaving = r.leaving[:0]
	for i := range r.seen {
		sent, later := r.seen[i].sent, r.seen[i].sent[:0]
		for k := range sent {
			if s := sent[k]; s.slot <= crossed {
				r.settleSent(&s)
			} else { // a bank may send before the next bank hears its requests
				later = append(later, s)
			}
		}
		r.seen[i].sent = later
	}
	for i := range r.seen {
		received := r.seen[i].received
		for k := range received {
			r.settleReceived(&received[k], find)
		}
		r.seen[i].received = received[:0]
	}
	r.deliverHeld(crossed, find)
	for i := range r.leaving {
		r.settleLost(&r.leaving[i], find)
	}
	for i := range r.sources {
		for _, c := range r.sources[i].before {
			r.figures.queue(c.created-r.sent[c.source], crossed)
		}
	}
	r.figures.crossed(crossed)
}

func (r *Referee) settleSent(s *sighting) {
	x := r.flight(s)
	if x == nil {
		return
	}
	last := s.number>>24 == 0
	if s.processor == s.origin && x.sent == never {
		x.sent = s.slot
		r.sent[s.origin]++
		r.figures.leaves()
	}
	if last && x.sent != never {
		x.hops++
	}
	if r.direct && last {
		r.leaving = append(r.leaving, *s)
	}
}

func (r *Referee) settleReceived(s *sighting, find func(fabric.Finding)) {
	x := r.flight(s)
	if s.ack {
		if x != nil && x.arrived == delivered && x.destination == s.destination && r.open != nil {
			r.open[s.origin]--
			r.end(s.origin, x)
		}
		return
	}
	follow := uint8(s.number >> 24)
	late := x != nil && follow >= x.expects && follow < x.size
	switch {
	case x == nil || x.arrived != 0 || x.sent != never && late && !r.arriving.comes(s):
		find(fabric.Finding{Kind: fabric.FindDuplicate, Slot: s.slot, Index: int(s.processor), Value: s.origin})
		return
	case x.sent == never || x.destination != s.destination || follow >= x.size:
		find(fabric.Finding{Kind: fabric.FindMisrouted, Slot: s.slot, Index: int(s.processor), Value: s.origin})
		return
	}
	if !late {
		if r.figures.routed { // only routers may reorder frames
			r.arriving.overtakes(s, follow, x.expects)
		}
		x.expects = follow
	}
	if x.received++; x.received < x.size {
		return
	}
	x.arrived = arrived
	r.held = append(r.held, *s)
}

const (
	arrived   = 1
	delivered = 2
)

func (r *Referee) deliverHeld(slot uint32, find func(fabric.Finding)) {
	held := r.held[:0]
	for i := range r.held {
		s := &r.held[i]
		if bank, cell := r.bank(int(s.processor)); s.place+uint32(bank.Registers[cell].RxCount) >= r.heard[s.processor] {
			held = append(held, *s)
			continue
		}
		x := r.flight(s)
		if x == nil || x.arrived != arrived {
			continue // the state belongs to another run
		}
		x.arrived = delivered
		before := r.draws.before(s.origin, x.number)
		r.figures.arrived(s.origin, x, slot, before)
		r.judge.came(r.trip(s.origin, x, before, slot), find)
		if r.log != nil {
			r.log.note(s.origin, x, before, slot)
		}
		if r.open == nil {
			r.end(s.origin, x)
		}
	}
	r.held = held
}

func (r *Referee) trip(source uint32, x *flight, before, slot uint32) *trip {
	f := &r.figures
	took := slot - min(x.created, slot) + 1
	return &trip{serial: uint64(x.number), source: source, destination: x.destination,
		created: x.created, at: slot, took: took, queued: min(x.sent, slot+1) - min(x.created, x.sent),
		cycles: f.cyclesOf(took) + uint64(before), cycle: uint64(slot)*f.slotCycles + f.toLast,
		measured: f.measured(x.created, before)}
}

// settleLost ends an incomplete packet of a direct program after the last frame was sent.
func (r *Referee) settleLost(s *sighting, find func(fabric.Finding)) {
	x := r.flight(s)
	if x == nil || x.arrived != 0 {
		return
	}
	before := r.draws.before(s.origin, x.number)
	r.figures.loses(x, s.slot, before)
	if r.log != nil {
		r.log.note(s.origin, x, before, never)
	}
	if r.open != nil {
		r.open[s.origin]--
	}
	find(fabric.Finding{Kind: fabric.FindMissing, Slot: s.slot, Index: int(x.destination), Value: s.origin})
	r.end(s.origin, x)
}

func (r *Referee) flightsOf(source uint32) *flights {
	perUnit := len(r.at) / len(r.shardOf) // sources
	return &r.flights[r.shardOf[int(source)/perUnit]]
}

func (r *Referee) flight(s *sighting) *flight {
	return r.flightsOf(s.origin).find(s.origin, s.number&numberMask)
}

func (r *Referee) end(source uint32, x *flight) {
	if x.received < x.size {
		r.arriving.forget(source, x.number)
	}
	r.flightsOf(source).end(source, x)
}

func (r *Referee) done() bool {
	return r.figures.whole(r.slot) && r.figures.pending == 0 || r.slot >= r.spec.Slots()
}

func (r *Referee) Over(dead []uint8) bool {
	r.judge.dead = dead
	return r.over
}

func (r *Referee) Drop(slot uint32) {
	for i := range r.seen {
		r.seen[i].sent = slices.DeleteFunc(r.seen[i].sent, func(s sighting) bool { return s.slot >= slot })
	}
	r.settle(slot, func(fabric.Finding) {})
}

func (r *Referee) Keeps() []string { return nil }

func (r *Referee) Reset() {
	for _, column := range [][]uint32{r.created, r.next, r.sent} {
		clear(column)
	}
	clear(r.shown)
	clear(r.open)
	clear(r.heard)
	r.arriving.reset()
	for i := range r.flights {
		r.flights[i].begin(r.sources[i].first, r.sources[i].end)
		r.seen[i].sent, r.seen[i].received = r.seen[i].sent[:0], r.seen[i].received[:0]
	}
	clear(r.judge.order)
	r.figures.reset()
	if r.log != nil {
		r.log.rows = r.log.rows[:0]
	}
	r.over, r.slot = false, 0
}

func (r *Referee) State(v *hw.StateVisitor) {
	hw.StateScalar(v, hw.Future, "seed", &r.seed)
	hw.StateScalar(v, hw.Future, "settled", &r.slot)
	v.AfterRestore(func() {
		r.draw()
		r.over = r.done()
	})
	r.cursors.state(v)
	hw.StateColumn(v, hw.Future, "heard", r.heard)
	stateSightings(v, "held", &r.held, len(r.at))
	hw.StateList(v, hw.Future, "overtaken", &r.overtaken)
	if r.judge.order != nil {
		r.judge.order.State(v)
	}
	r.figures.state(v)
	for i := range r.flights {
		r.flights[i].state(v, hw.Index("flights", i),
			func(source uint32, x *flight) { x.destination, x.size = r.draws.Packet(source, x.number) })
		stateSightings(v, hw.Index("sent", i), &r.seen[i].sent, len(r.at)) // frames of the slot that has begun
	}
	v.AfterRestore(r.file)
	for i := range r.sources {
		r.sources[i].state(v, hw.Index("created_now", i))
	}
}

const sightWords = 6

func stateSightings(v *hw.StateVisitor, name string, list *[]sighting, processors int) {
	var words []uint32
	if v.Saving() {
		for i := range *list {
			x := &(*list)[i]
			words = append(words, x.slot, x.processor, x.origin, x.destination, x.number, x.place)
		}
	}
	hw.StateList(v, hw.Future, name, &words, func(i int, value uint32) error {
		if at := i % sightWords; at >= 1 && at <= 3 && int(value) >= processors {
			return fmt.Errorf("element %d is %d; at most %d is allowed", i, value, processors-1)
		}
		return nil
	})
	v.AfterRestore(func() {
		*list = (*list)[:0]
		for ; len(words) >= sightWords; words = words[sightWords:] {
			*list = append(*list, sighting{words[0], words[1], words[2], words[3], words[4], words[5], false})
		}
	})
}

// Methods of fabric.Referee without effect for traffic: frames show all packets, and firmware makes no announcements.

func (r *Referee) Announce(_ *fabric.Ledger, _ int, _, _ uint32) {}

// Offer implements fabric.Offering. It reads the words that firmware has cleared, and offers packets of the bank's
// waiting sources.
func (r *Referee) Offer(shard int, bank *nic.Bank, _ uint32) {
	s := &r.sources[shard]
	if bank.Cells < s.end-s.first {
		for cell := range bank.Cells {
			if source := uint32(bank.First + cell); r.created[source] > r.next[source] {
				r.offerOne(bank, cell, shard, source)
			}
		}
		return
	}
	kept := s.waiting[:0]
	for _, source := range s.waiting {
		if r.offerOne(bank, int(source)-bank.First, shard, source) {
			kept = append(kept, source)
		}
	}
	s.waiting = kept
}

func (r *Referee) offerOne(bank *nic.Bank, cell, shard int, source uint32) (waits bool) {
	if r.shown[source] != 0 {
		if bank.Schedule[cell] != 0 {
			return true
		}
		r.shown[source] = 0
		r.next[source]++
		r.due[source] = r.draws.Next(source, r.next[source], r.due[source])
	}
	if r.created[source] == r.next[source] {
		return false
	}
	if r.open != nil {
		if int(r.open[source]) >= r.spec.Closed {
			return true
		}
		r.open[source]++
	}
	number := r.next[source]
	destination, size := r.draws.Packet(source, number)
	r.shown[source] = 1
	r.flights[shard].add(source,
		flight{number: number, created: r.due[source], sent: never, destination: destination, size: size, expects: size})
	bank.SetScheduleWord(cell, word(destination, size, number))
	return true
}
