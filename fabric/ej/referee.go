package ej

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"starloom/fabric"
	"starloom/fabric/ej/eisenstein"
	"starloom/fabric/referees"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces/input"
)

// Referee implements fabric.Network. The referee tracks broadcasts frame by frame, and other workloads packet by
// packet.
func (e Network) Referee(w *fabric.Workload, p *fabric.Program) fabric.Referee {
	if w.OneToAll == nil && w.AllToAll == nil {
		return referees.NewPackets(e.nodes())
	}
	r := &referee{net: e, torus: e.torus(), all: w.AllToAll != nil, size: packetBytes(p)}
	if p != nil {
		r.program = p.Name
	}
	if r.all {
		r.rowWords = (e.nodes() + 63) / 64
		r.rows = make([]uint64, e.nodes()*r.rowWords)
	} else {
		r.source = w.OneToAll.Source
		r.got = make([]uint8, e.nodes())
	}
	r.weigh()
	r.Reset()
	return r
}

// referee tracks a broadcast from one node or from all nodes. A data frame is a copy of the source's message or, with
// many sources, a list of packets; each packet begins with its source. A message should reach every node once, in the
// algorithm's step.
type referee struct {
	fabric.NoPackets

	net     Network
	torus   *eisenstein.Torus
	program string
	all     bool // all nodes are sources
	source  int  // the only source otherwise
	size    int  // bytes of a packet

	got      []uint8  // with one source, by node: 1 if the node has the message, plus the mark of its last send
	rows     []uint64 // with many sources, rowWords by node: a bit for each received message
	rowWords int
	shards   []shardCounts
	weights  [][]uint16 // number of hops from the only source, by dimension and coordinate

	table *eisenstein.Table // run-table of one source, nil unless requested
}

type shardCounts struct {
	steps      []stepCounts
	duplicates uint64

	// last counted sender and receiver, with the slot
	sender, receiver int
	sentIn, heardIn  uint32

	// with one source: only nodes first..last have sent; their marks are from slot fresh on
	first, last int
	fresh       uint32
}

type stepCounts struct {
	senders, receivers uint32
	both               uint32 // with one source: number of nodes that send and receive in one step
	packets            uint32 // most packets on one link
}

var (
	_ fabric.Witness = (*referee)(nil)
	_ fabric.Keeper  = (*referee)(nil)
	_ fabric.Dropper = (*referee)(nil)
	_ fabric.Tabled  = (*referee)(nil)
)

func (r *referee) weigh() {
	if r.all {
		return
	}
	for k := range r.net.Dimensions {
		from := r.torus.Coordinate(r.source, k+1)
		weights := make([]uint16, r.torus.Size())
		for c := range weights {
			weights[c] = uint16(r.torus.Weight(r.torus.Field.Subtract(c, from)))
		}
		r.weights = append(r.weights, weights)
	}
}

// dueStep returns the step in which the only message is due at a node: the node's distance; with rounds, the end of
// the message's route in the round of the node's lowest nonzero coordinate.
func (r *referee) dueStep(node int) (step int) {
	size, rounds := r.torus.Size(), r.program == previousProgram
	for k, weights := range r.weights {
		above := r.torus.Above(node, 1)
		hops := int(weights[node-above*size])
		node = above
		if rounds && hops > 0 {
			return (r.net.Dimensions-1-k)*r.torus.Diameter() + hops
		}
		step += hops
	}
	return step
}

func (r *referee) dueStepOf(node, source int) (step int) {
	for k := range r.net.Dimensions {
		step += r.torus.OrientedWeight(r.torus.Field.Subtract(r.torus.Coordinate(node, k+1), r.torus.Coordinate(source, k+1)))
	}
	return step
}

// timed reports whether messages have known due steps: with one source, or with many sources on oriented links
// without a limit per link.
func (r *referee) timed() bool {
	return !r.all || r.program == allToAllC2Program && r.net.PacketsPerLink == 0
}

func (r *referee) Keeps() []string {
	if !r.timed() {
		return nil
	}
	return []string{fabric.RuleReceiveStep}
}

func (r *referee) Load(l *fabric.Load) error {
	r.shards = make([]shardCounts, l.Shards)
	for i := range r.shards {
		r.shards[i].forget()
	}
	if l.Table && !r.all {
		if r.net.nodes() > tableNodesMax {
			return input.Mistake("--run-table", fmt.Sprintf("the network has %d nodes", r.net.nodes()),
				fmt.Sprintf("a run-table shows at most %d", tableNodesMax))
		}
		r.table = eisenstein.NewTable(r.torus, r.source, l.Shards)
	}
	return nil
}

// tableNodesMax is the maximum size of a network with a run-table. The table takes about 200 bytes per node.
const tableNodesMax = 1 << 21

// RunTable implements fabric.Tabled for the message of one source.
func (r *referee) RunTable(uint32) fabric.RunTable {
	if r.table == nil {
		return nil
	}
	return r.table
}

func (s *shardCounts) forget() { *s = shardCounts{sender: -1, receiver: -1, last: -1} }

func (r *referee) Tell(_ int, words []uint32) {
	for i := range words {
		words[i] = uint32(r.source)
	}
}

func (r *referee) Witness(bool) fabric.Witness { return r }

func (s *shardCounts) step(slot uint32) *stepCounts {
	for int(slot) >= len(s.steps) {
		s.steps = append(s.steps, stepCounts{})
	}
	return &s.steps[slot]
}

func (r *referee) Sent(l *fabric.Ledger, node int, frame nic.FrameView, slot uint32) {
	s := &r.shards[l.Shard]
	step := s.step(slot)
	if s.sender != node || s.sentIn != slot {
		s.sender, s.sentIn = node, slot
		step.senders++
		if !r.all {
			r.mark(s, node, slot)
		}
	}
	if frame.Kind() == nic.KindData {
		step.packets = max(step.packets, uint32(max(1, frame.PayloadBytes()/r.size)))
	}
}

// With one source, the lowest bit of a node's byte is set if the node has the message. The other bits hold the slot
// of its last send, modulo markSlots, plus 1. freshen removes marks before they repeat.
const markSlots = 127

func markOf(slot uint32) uint8 { return uint8(slot%markSlots+1) << 1 }

func (r *referee) mark(s *shardCounts, node int, slot uint32) {
	if s.last < 0 {
		s.first = node
	}
	s.first, s.last = min(s.first, node), max(s.last, node)
	r.freshen(s, slot)
	r.got[node] = r.got[node]&1 | markOf(slot)
}

func (r *referee) marked(s *shardCounts, node int, slot uint32) bool {
	r.freshen(s, slot)
	return r.got[node]&^1 == markOf(slot)
}

// freshen removes old marks. It keeps the marks of this slot and of the previous slot, whose frames some nodes have
// not heard yet.
func (r *referee) freshen(s *shardCounts, slot uint32) {
	if slot < s.fresh || s.last < 0 {
		return
	}
	s.fresh = slot + markSlots - 2
	now, before := markOf(slot), markOf(slot+markSlots-1)
	for i, got := range r.got[s.first : s.last+1] {
		if mark := got &^ 1; mark != now && mark != before {
			r.got[s.first+i] = got & 1
		}
	}
}

func (r *referee) Slots() (slots int) {
	for i := range r.shards {
		slots = max(slots, len(r.shards[i].steps))
	}
	return slots
}

func (r *referee) Drop(slot uint32) {
	for i := range r.shards {
		s := &r.shards[i]
		s.steps = s.steps[:min(len(s.steps), int(slot))]
	}
}

func (r *referee) Blocked(*fabric.Ledger, int, nic.FrameView, uint32) {}

func (r *referee) Received(l *fabric.Ledger, node int, frame nic.FrameView, slot uint32) {
	if frame.Kind() != nic.KindData {
		return
	}
	s := &r.shards[l.Shard]
	if s.receiver != node || s.heardIn != slot {
		s.receiver, s.heardIn = node, slot
		step := s.step(slot)
		step.receivers++
		if !r.all && r.marked(s, node, slot) {
			step.both++
		}
	}
	if !r.all {
		if r.table != nil {
			r.table.Add(l.Shard, int(slot)+1, int(frame.Source()), node)
		}
		r.receive(l, s, node, r.source, slot)
		return
	}
	for payload := frame.Payload(); len(payload) >= r.size; payload = payload[r.size:] {
		source := int(binary.LittleEndian.Uint32(payload))
		if source >= r.net.nodes() {
			if l.Checks.ExactlyOnce {
				l.Find(fabric.Finding{Kind: fabric.FindMisrouted, Slot: slot, Index: node, Value: uint32(source)})
			}
			continue
		}
		r.receive(l, s, node, source, slot)
	}
}

func (r *referee) receive(l *fabric.Ledger, s *shardCounts, node, source int, slot uint32) {
	if r.take(node, source) {
		s.duplicates++
		if l.Checks.ExactlyOnce {
			l.Find(fabric.Finding{Kind: fabric.FindDuplicate, Slot: slot, Index: node, Value: uint32(source)})
		}
		return
	}
	if !l.Checks.ReceiveStep {
		return
	}
	due := 0
	if r.all {
		due = r.dueStepOf(node, source)
	} else {
		due = r.dueStep(node)
	}
	if due != int(slot)+1 {
		l.Find(fabric.Finding{Kind: fabric.FindStep, Slot: slot, Index: node, Value: uint32(source),
			Text: fmt.Sprintf("received the message of processor %d in step %d, which is due in step %d", source, slot+1, due)})
	}
}

func (r *referee) take(node, source int) (before bool) {
	if !r.all {
		before = r.got[node]&1 != 0
		r.got[node] |= 1
		return before
	}
	word, bit := &r.rows[node*r.rowWords+source>>6], uint64(1)<<(source&63)
	before = *word&bit != 0
	*word |= bit
	return before
}

// Metrics implements fabric.Referee. Entry i-1 of an array belongs to step i. Senders and receivers count as distinct
// nodes. Active nodes send or receive; free nodes do neither.
func (r *referee) Metrics(*fabric.End, bool) (m fabric.Metrics) {
	var senders, receivers, both, free, active, packets []int
	duplicates := 0
	for i := range r.shards {
		for k, step := range r.shards[i].steps {
			if k >= len(senders) {
				senders, receivers, both, packets = append(senders, 0), append(receivers, 0), append(both, 0), append(packets, 0)
			}
			senders[k] += int(step.senders)
			receivers[k] += int(step.receivers)
			both[k] += int(step.both)
			packets[k] = max(packets[k], int(step.packets))
		}
		duplicates += int(r.shards[i].duplicates)
	}
	m.Add("senders", some(senders))
	m.Add("receivers", some(receivers))
	if !r.all { // an all-to-all node sends and receives in the same step
		for k := range senders {
			active = append(active, senders[k]+receivers[k]-both[k])
			free = append(free, r.net.nodes()-active[k])
		}
		m.Add("free", some(free))
		m.Add("active", some(active))
	}
	missing, most := r.missing()
	m.Add("missing", missing)
	if r.all {
		m.Add("missing_per_processor_max", most)
	}
	m.Add("duplicates", duplicates)
	m.Add("packets_per_link_max", some(packets))
	return m
}

func some(list []int) []int {
	if list == nil {
		return []int{}
	}
	return list
}

func (r *referee) missing() (missing, most int) {
	if !r.all {
		for _, got := range r.got {
			missing += int(1 - got&1)
		}
		return missing, min(missing, 1)
	}
	for node := range r.net.nodes() {
		have := 0
		for _, word := range r.rows[node*r.rowWords : (node+1)*r.rowWords] {
			have += bits.OnesCount64(word)
		}
		missing += r.net.nodes() - have
		most = max(most, r.net.nodes()-have)
	}
	return missing, most
}

func (r *referee) Missing(yield func(fabric.Finding) bool) {
	if !r.all {
		for node, got := range r.got {
			if got&1 == 0 && !yield(never(node, r.source)) {
				return
			}
		}
		return
	}
	for node := range r.net.nodes() {
		for k, word := range r.rows[node*r.rowWords : (node+1)*r.rowWords] {
			for left := ^word; left != 0; left &= left - 1 {
				source := k*64 + bits.TrailingZeros64(left)
				if source < r.net.nodes() && !yield(never(node, source)) {
					return
				}
			}
		}
	}
}

func never(node, source int) fabric.Finding {
	return fabric.Finding{Kind: fabric.FindMissing, Index: node, Value: uint32(source), Write: neverText}
}

func neverText(f *fabric.Finding) string {
	return fmt.Sprintf("never received the message of processor %d", f.Value)
}

func (r *referee) Reset() {
	clear(r.got)
	clear(r.rows)
	if !r.all {
		r.got[r.source] = 1
	} else {
		for node := range r.net.nodes() {
			r.take(node, node)
		}
	}
	for i := range r.shards {
		r.shards[i].forget()
	}
	if r.table != nil {
		r.table.Reset()
	}
}

// State implements fabric.Referee. It does not save the run-table.
func (r *referee) State(v *hw.StateVisitor) {
	hw.StateColumn(v, hw.Future, "got", r.got)
	hw.StateColumn(v, hw.Future, "rows", r.rows)
	for i := range r.shards {
		s, name := &r.shards[i], hw.Index("counts", i)
		var figures []uint32
		for _, step := range s.steps {
			figures = append(figures, step.senders, step.receivers, step.both, step.packets)
		}
		hw.StateList(v, hw.Future, name+".steps", &figures)
		hw.StateScalar(v, hw.Future, name+".duplicates", &s.duplicates)
		first, last := int32(s.first), int32(s.last)
		hw.StateScalar(v, hw.Future, name+".first", &first, r.aNode)
		hw.StateScalar(v, hw.Future, name+".last", &last, r.aNode)
		hw.StateScalar(v, hw.Future, name+".fresh", &s.fresh)
		v.AfterRestore(func() {
			s.steps, s.sender, s.receiver = s.steps[:0], -1, -1
			for ; len(figures) >= 4; figures = figures[4:] {
				s.steps = append(s.steps, stepCounts{figures[0], figures[1], figures[2], figures[3]})
			}
			s.first, s.last = int(max(min(first, last), 0)), int(last)
		})
	}
}

func (r *referee) aNode(_ int, node int32) error {
	if node < -1 || int(node) >= r.net.nodes() {
		return fmt.Errorf("there is no node %d", node)
	}
	return nil
}

func (r *referee) Announce(l *fabric.Ledger, node int, origin, slot uint32) {
	switch {
	case uint64(origin) >= uint64(r.net.nodes()):
		l.Claim(node, origin, slot, false)
	case r.all:
		l.Claim(node, origin, slot, r.rows[node*r.rowWords+int(origin>>6)]>>(origin&63)&1 != 0)
	default:
		l.Claim(node, origin, slot, int(origin) == r.source && r.got[node]&1 != 0)
	}
}
