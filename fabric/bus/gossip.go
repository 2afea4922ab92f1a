package bus

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"starloom/fabric"
	"starloom/fabric/bus/gossip"
	"starloom/hw"
	"starloom/nic"
)

// setBytes returns the number of payload bytes with one bit for each of n items; setWords returns the number of
// 64-bit words of such a set.
func setBytes(n int) int { return (n + 7) / 8 }
func setWords(n int) int { return (n + 63) / 64 }

// gossipReferee tracks the items of every vertex: its own item, and all items received in good frames. A control
// frame has a bit for each item, item 0 in the lowest bit of byte 0. A frame with an item unknown to its sender
// violates the rule no_creation, for the sender but not for the receivers. The run ends when all live vertices have
// all items.
type gossipReferee struct {
	fabric.NoPackets

	n, words int // words of a set
	plan     *Plan
	known    []uint64 // words of each vertex's set
	count    []uint32 // number of items in each vertex's set
	least    []uint32 // by step, up to the last change: minimum number of items of a vertex
	slots    uint32   // number of slots with frames

	having []uint32 // number of vertices by number of items
	lowest uint32   // minimum of count
	behind int      // a vertex without all items, for Over
	table  *gossip.Table
}

var (
	_ fabric.Ending  = (*gossipReferee)(nil)
	_ fabric.Witness = (*gossipReferee)(nil)
	_ fabric.Dropper = (*gossipReferee)(nil)
	_ fabric.Tabled  = (*gossipReferee)(nil)
	_ fabric.Keeper  = (*gossipReferee)(nil)
)

func newGossipReferee(plan *Plan) *gossipReferee {
	n := len(plan.taps.Bus)
	r := &gossipReferee{n: n, words: setWords(n), plan: plan, count: make([]uint32, n), having: make([]uint32, n+1)}
	r.known = make([]uint64, n*r.words)
	r.Reset()
	return r
}

func (r *gossipReferee) Load(l *fabric.Load) error {
	r.table = nil
	if l.Table {
		r.table = gossip.NewTable(r.n)
	}
	return nil
}

func (r *gossipReferee) Witness(bool) fabric.Witness { return r }

func (r *gossipReferee) of(vertex int) []uint64 {
	return r.known[vertex*r.words : (vertex+1)*r.words]
}

func (r *gossipReferee) eachWord(frame nic.FrameView, f func(k int, items uint64)) {
	payload := frame.Payload()
	if frame.Kind() != nic.KindControl || len(payload) != setBytes(r.n) {
		return
	}
	for k := range r.words - 1 {
		f(k, binary.LittleEndian.Uint64(payload[8*k:]))
	}
	var last [8]byte // bits beyond item n-1 are ignored
	copy(last[:], payload[8*(r.words-1):])
	f(r.words-1, binary.LittleEndian.Uint64(last[:])&(^uint64(0)>>(-r.n&63)))
}

func (r *gossipReferee) Sent(l *fabric.Ledger, vertex int, frame nic.FrameView, slot uint32) {
	r.cell(vertex, slot, gossip.Cell{Action: gossip.Sent, Bus: int(r.plan.taps.Bus[vertex][frame.Port()])})
	r.slots = max(r.slots, slot+1)
	if !l.Checks.NoCreation {
		return
	}
	known, first := r.of(vertex), -1
	r.eachWord(frame, func(k int, items uint64) {
		if created := items &^ known[k]; created != 0 && first < 0 {
			first = 64*k + bits.TrailingZeros64(created)
		}
	})
	if first >= 0 {
		l.Find(fabric.Finding{Kind: fabric.FindCreated, Slot: slot, Index: vertex, Value: uint32(first)})
	}
}

func (r *gossipReferee) Blocked(_ *fabric.Ledger, vertex int, frame nic.FrameView, slot uint32) {
	r.cell(vertex, slot, gossip.Cell{Action: gossip.Blocked})
	r.slots = max(r.slots, slot+1)
}

func (r *gossipReferee) Slots() int { return max(int(r.slots), len(r.least)) }

func (r *gossipReferee) Drop(slot uint32) {
	r.slots = min(r.slots, slot)
	if r.table != nil {
		r.table.Cut(int(slot))
	}
}

func (r *gossipReferee) Received(_ *fabric.Ledger, vertex int, frame nic.FrameView, slot uint32) {
	known, gained, before := r.of(vertex), 0, r.lowest
	r.eachWord(frame, func(k int, items uint64) {
		gained += bits.OnesCount64(items &^ known[k])
		known[k] |= items
	})
	r.having[r.count[vertex]]--
	r.count[vertex] += uint32(gained)
	r.having[r.count[vertex]]++
	r.cell(vertex, slot, gossip.Cell{Action: gossip.Received, From: int(frame.Source()), Known: int(r.count[vertex])})
	for r.having[r.lowest] == 0 {
		r.lowest++
	}
	for int(slot) >= len(r.least) { // slots without receptions change nothing
		r.least = append(r.least, before)
	}
	r.least[slot] = r.lowest
}

func (r *gossipReferee) Announce(l *fabric.Ledger, vertex int, origin, slot uint32) {
	l.Claim(vertex, origin, slot, int(origin) < r.n && r.of(vertex)[origin/64]>>(origin%64)&1 != 0)
}

func (r *gossipReferee) cell(vertex int, slot uint32, c gossip.Cell) {
	if r.table != nil {
		r.table.Add(vertex, int(slot), c)
	}
}

func (r *gossipReferee) Over(dead []uint8) bool {
	return int(r.lowest) == r.n ||
		fabric.AllAliveHave(dead, &r.behind, func(vertex int) bool { return int(r.count[vertex]) == r.n })
}

func (r *gossipReferee) Keeps() []string { return []string{fabric.RuleNoCreation} }

func (r *gossipReferee) Unfinished(yield func(fabric.Finding)) {
	unfinished := func(f *fabric.Finding) string {
		return fmt.Sprintf("knew %d of %d items when the run ended; the first that it lacks is that of processor %d",
			r.count[f.Index], r.n, r.lacks(f.Index))
	}
	for vertex, count := range r.count {
		if int(count) < r.n {
			yield(fabric.Finding{Kind: fabric.FindUnfinished, Index: vertex, Write: unfinished})
		}
	}
}

func (r *gossipReferee) lacks(vertex int) int {
	for k, items := range r.of(vertex) {
		if items != ^uint64(0) {
			return 64*k + bits.TrailingZeros64(^items)
		}
	}
	return r.n
}

// Metrics implements fabric.Referee. It returns, for each step, the minimum number of items of a vertex.
func (r *gossipReferee) Metrics(*fabric.End, bool) (m fabric.Metrics) {
	known, least := make([]int, r.slots), 1
	for step := range known {
		if step < len(r.least) {
			least = int(r.least[step])
		}
		known[step] = least
	}
	m.Add("known", known)
	return m
}

func (r *gossipReferee) RunTable(uint32) fabric.RunTable {
	if r.table == nil {
		return nil
	}
	return r.table
}

func (r *gossipReferee) Reset() {
	clear(r.known)
	for vertex := range r.n {
		r.of(vertex)[vertex/64] |= 1 << (vertex % 64)
		r.count[vertex] = 1
	}
	r.least, r.slots = r.least[:0], 0
	r.tally()
}

func (r *gossipReferee) tally() {
	clear(r.having)
	r.lowest = uint32(r.n)
	for _, count := range r.count {
		r.having[count]++
		r.lowest = min(r.lowest, count)
	}
}

// State implements fabric.Referee. It omits the run-table.
func (r *gossipReferee) State(v *hw.StateVisitor) {
	hw.StateColumn(v, hw.Future, "known", r.known, func(i int, items uint64) error {
		if k := i % r.words; k == r.words-1 && items&^(^uint64(0)>>(-r.n&63)) != 0 {
			return fmt.Errorf("vertex %d knows items of processors above %d", i/r.words, r.n-1)
		}
		return nil
	})
	hw.StateList(v, hw.Statistic, "least", &r.least)
	hw.StateScalar(v, hw.Statistic, "slots", &r.slots)
	v.AfterRestore(func() {
		for vertex := range r.count {
			r.count[vertex] = 0
			for _, items := range r.of(vertex) {
				r.count[vertex] += uint32(bits.OnesCount64(items))
			}
		}
		r.tally()
	})
}
