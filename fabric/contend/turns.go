package contend

import (
	"fmt"

	"starloom/hw"
)

// turns decides whom buses serve in a slot, as their arbiters do in the arbitration cycle.
type turns struct {
	kind  hw.ArbiterKind
	taps  int      // of the longest bus: turns go round over so many
	first []uint32 // by bus: its tap 0 in since

	// Registers of the arbiters, nil if their kind has none.
	next  []uint16 // round robin, by bus: the tap that goes first
	since []uint64 // matrix, by tap: when it was served, 0 for never
	now   []uint64 // matrix, by bus: how often it has served
}

func newTurns(kind hw.ArbiterKind, wiring *hw.Taps) *turns {
	t := &turns{kind: kind, taps: wiring.Longest}
	switch kind {
	case hw.ArbiterFixed, hw.ArbiterTDMA:
	case hw.ArbiterRoundRobin:
		t.next = make([]uint16, len(wiring.Members))
	case hw.ArbiterMatrix:
		taps := uint32(0)
		for _, members := range wiring.Members {
			t.first = append(t.first, taps)
			taps += uint32(len(members))
		}
		t.since, t.now = make([]uint64, taps), make([]uint64, len(wiring.Members))
	default:
		panic(fmt.Sprintf("contend: slots have no arbiter %v", kind))
	}
	return t
}

func (t *turns) reset() {
	clear(t.next)
	clear(t.since)
	clear(t.now)
}

func (t *turns) may(tap uint16, slot uint32) bool {
	return t.kind != hw.ArbiterTDMA || uint32(tap) == slot%uint32(t.taps)
}

func (t *turns) before(bus uint32, a, b uint16) bool {
	switch t.kind {
	case hw.ArbiterRoundRobin:
		if next := t.next[bus]; a >= next != (b >= next) {
			return a >= next
		}
	case hw.ArbiterMatrix:
		since := t.since[t.first[bus]:]
		if since[a] != since[b] {
			return since[a] < since[b]
		}
	}
	return a < b
}

func (t *turns) grant(bus uint32, tap uint16) {
	switch t.kind {
	case hw.ArbiterRoundRobin:
		t.next[bus] = uint16((int(tap) + 1) % t.taps)
	case hw.ArbiterMatrix:
		t.now[bus]++
		t.since[t.first[bus]+uint32(tap)] = t.now[bus]
	}
}

func (t *turns) state(v *hw.StateVisitor) {
	hw.StateColumn(v, "next", t.next, hw.AtMost(uint16(t.taps-1)))
	hw.StateColumn(v, "since", t.since)
	hw.StateColumn(v, "now", t.now)
}
