package contend

import (
	"fmt"

	"starloom/hw"
)

// arbiters are those of all outputs, each with its registers; nil columns are those of other kinds.
type arbiters struct {
	kind  hw.ArbiterKind
	ports int
	first []uint32 // round robin: who goes first
	since []uint32 // matrix: when each input was served, 0 for never, output by output
	now   []uint32 // matrix: how many have been served
}

// newArbiters makes those of n outputs. A list allocator serves by itself.
func newArbiters(x Crossbar, n int) arbiters {
	r := arbiters{kind: x.Arbiter, ports: n}
	switch {
	case x.List, x.NoArbiter, r.kind == hw.ArbiterFixed:
	case r.kind == hw.ArbiterRoundRobin:
		r.first = make([]uint32, n)
	case r.kind == hw.ArbiterMatrix:
		r.since, r.now = make([]uint32, n*n), make([]uint32, n)
	default:
		panic(fmt.Sprintf("contend: slots have no arbiter %v", r.kind))
	}
	return r
}

func (r *arbiters) before(output, a, b int) bool {
	switch r.kind {
	case hw.ArbiterRoundRobin:
		first := int(r.first[output])
		if atOrAfter := a >= first; atOrAfter != (b >= first) {
			return atOrAfter
		}
	case hw.ArbiterMatrix:
		since := r.since[output*r.ports:]
		if since[a] != since[b] {
			return since[a] < since[b]
		}
	}
	return a < b
}

func (r *arbiters) rotate(output, input int) {
	switch r.kind {
	case hw.ArbiterRoundRobin:
		r.first[output] = uint32((input + 1) % r.ports)
	case hw.ArbiterMatrix:
		r.now[output]++
		r.since[output*r.ports+input] = r.now[output]
	}
}

func (r *arbiters) reset() {
	clear(r.first)
	clear(r.since)
	clear(r.now)
}

func (r *arbiters) state(v *hw.StateVisitor) {
	hw.StateColumn(v, "first", r.first, hw.AtMost(uint32(r.ports-1)))
	hw.StateColumn(v, "since", r.since)
	hw.StateColumn(v, "now", r.now)
}

func (x Crossbar) check() error {
	outputs := hw.ForOutputs
	switch {
	case x.List:
		outputs = hw.ForLists
	case x.Cap > 0:
		outputs = hw.ForCapped
	}
	switch {
	case !x.NoArbiter && !x.Arbiter.Works(outputs):
		return fmt.Errorf("%s: an arbiter %v, allowed are %v", x.Head, x.Arbiter, hw.ArbitersFor(outputs))
	case x.Cap > 0 && !x.CapArbiter.Works(hw.ForCaps):
		return fmt.Errorf("%s: a cap arbiter %v, allowed are %v", x.Head, x.CapArbiter, hw.ArbitersFor(hw.ForCaps))
	}
	return nil
}

func (x Crossbar) listRule() hw.ListRule {
	return hw.ListRule{RoundRobin: x.Arbiter == hw.ArbiterRoundRobin, Cap: x.Cap}
}

func (x Crossbar) capRule() hw.CapRule { return hw.CapRule{Kind: x.CapArbiter, Cap: x.Cap} }
