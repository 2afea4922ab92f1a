package pinmap

import (
	"fmt"
	"math/big"
	"slices"

	"starloom/cosim"
	"starloom/cosim/twin"
)

const (
	clockEdgesMax  = 64   // clock edges per cycle of the model
	clockCyclesMax = 1024 // maximum number of model cycles until all clocks return to their initial phase
	resetCyclesMax = 4096
)

func (m *Map) clocks() []Clock {
	if m.Clock == "" || len(m.Timing.Clocks) > 0 {
		return m.Timing.Clocks
	}
	return []Clock{{Name: m.Clock, Edges: 1, Cycles: 1}}
}

// KeepsState reports whether the RTL, or RTL as its model, has registers but no reset. Such RTL is in its power-on
// state when the model leaves its first reset, and later resets do not reach the RTL.
func (m *Map) KeepsState() bool {
	if g := m.Given(); g != nil && g.Clock != "" && g.Reset == "" {
		return true
	}
	return m.Clock != "" && m.Reset == ""
}

// A beat lists the clock edges in one cycle of the model, as masks for Edge.
type beat struct {
	before []uint64 // edges before the edge of the model's clock, in order
	last   uint64   // edges simultaneous with the edge of the model's clock
}

func (m *Map) beats(rtl []cosim.Port) ([]beat, error) {
	length := 1
	for i, c := range m.clocks() {
		if c.When != "" {
			c.Edges, c.Cycles = 1, 1
		}
		if c.Edges < 1 || c.Cycles < 1 || c.Edges > clockEdgesMax*c.Cycles {
			return nil, m.refuse("clock."+c.Name,
				fmt.Sprintf("%s has %d edges in %d cycles", c.Name, c.Edges, c.Cycles),
				fmt.Sprintf("give a ratio above 0 and up to %d: 2, or 1/4", clockEdgesMax))
		}
		if slices.ContainsFunc(m.clocks()[:i], func(o Clock) bool { return o.Name == c.Name }) {
			return nil, m.refuse("clock."+c.Name, c.Name+" is named twice", "delete one")
		}
		if length *= c.Cycles / gcd(length, c.Cycles); length > clockCyclesMax {
			return nil,
				m.refuse("clock", fmt.Sprintf("the clocks return to the same phase only after more than %d cycles",
					clockCyclesMax), "choose simpler ratios")
		}
	}
	type edge struct {
		time  *big.Rat
		clock uint64
	}
	var edges []edge
	for _, c := range m.clocks() {
		if c.When != "" {
			continue
		}
		bit := m.clockBit(c.Name, rtl)
		phase := c.Phase
		if phase == nil {
			phase = new(big.Rat)
		}
		// edge k rises after k + phase periods; time 0 becomes the end of the cycle
		for k := range c.Edges * length / c.Cycles {
			at := new(big.Rat).Add(big.NewRat(int64(k), 1), phase)
			if at.Mul(at, big.NewRat(int64(c.Cycles), int64(c.Edges))); at.Sign() == 0 {
				at.SetInt64(int64(length))
			}
			edges = append(edges, edge{at, bit})
		}
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return a.time.Cmp(b.time) })
	beats := make([]beat, length)
	for i := 0; i < len(edges); {
		time, mask := edges[i].time, uint64(0)
		for ; i < len(edges) && edges[i].time.Cmp(time) == 0; i++ {
			mask |= edges[i].clock
		}
		if time.IsInt() {
			beats[time.Num().Int64()-1].last = mask
			continue
		}
		cycle := new(big.Int).Quo(time.Num(), time.Denom()).Int64()
		beats[cycle].before = append(beats[cycle].before, mask)
	}
	return beats, nil
}

func (m *Map) clockBit(name string, rtl []cosim.Port) uint64 {
	bit := uint64(1)
	for _, p := range rtl {
		if p.Clock && cosim.SameName(m.FoldsCase(), p.Name, name) {
			break
		}
		if p.Clock {
			bit <<= 1
		}
	}
	return bit
}

// A gated clock rises in cycles in which an input of the model is 1.
type gated struct {
	word int
	mask uint64
}

func (m *Map) gated(model *twin.Model, rtl []cosim.Port) (all []gated) {
	w := &wirer{Map: m, model: model.Ports()}
	for _, c := range m.clocks() {
		if c.When == "" {
			continue
		}
		if at, err := w.modelPort("clock."+c.Name, c.When); err == nil {
			all = append(all, gated{w.model[at].Word, m.clockBit(c.Name, rtl)})
		}
	}
	return all
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (m *Map) resetCycles(beats int) (int, error) {
	switch n := m.Timing.ResetCycles; {
	case n < 0 || n > resetCyclesMax:
		return 0, m.refuse("reset", fmt.Sprintf("a reset of %d cycles", n), fmt.Sprintf("give 1 to %d", resetCyclesMax))
	case m.Reset == "":
		if g := m.Given(); g != nil && g.Reset == "" { // the model is clocked, too
			return beats, nil
		}
		return 0, nil
	case n == 0:
		return beats, nil
	default:
		return n, nil
	}
}
