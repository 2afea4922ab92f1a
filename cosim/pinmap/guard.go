package pinmap

import (
	"slices"

	"starloom/cosim"
	"starloom/cosim/condition"
	"starloom/cosim/twin"
	"starloom/hw"
)

type guard struct {
	*Wires
	*Terms
	model *twin.Model
	sight *condition.Sight
}

// Guard returns the map's assumptions for RTL with the given ports. It returns nil if the map has no assumptions or
// the ports do not match.
func (m *Map) Guard(rtl []cosim.Port) cosim.Rules {
	if len(m.Assume) == 0 {
		return nil
	}
	g := &guard{}
	var err error
	if g.model, err = m.NewModel(); err != nil {
		return nil
	}
	if g.Wires, err = m.Wire(g.model, rtl); err == nil {
		g.Terms, err = m.Terms(g.model, rtl)
	}
	if err != nil {
		_ = g.Close()
		return nil
	}
	g.sight = condition.NewSight(g.model.Inputs(), g.model.Outputs())
	return g
}

func (g *guard) Meets(in []uint64) bool {
	for i, p := range g.Model {
		for at, b := range g.Ports[i] {
			if p.Input {
				hw.PutBits(g.model.Inputs(), 64*p.Word+at, 1, g.bit(b, in))
			}
		}
	}
	_ = g.model.Settle()
	return !slices.ContainsFunc(g.Assume, func(a *condition.Condition) bool {
		return (!g.inReset() || a.OfInputs()) &&
			!a.Holds(g.sight)
	})
}

func (g *guard) bit(b Bit, in []uint64) (value uint64) {
	switch b.Origin {
	case OfRTL:
		if p := g.RTL[b.Port]; p.Input {
			value = in[p.Word+b.Bit/64] >> (b.Bit % 64) & 1
		}
	case OfGate:
		gate := g.Gates[b.Port]
		all := !slices.ContainsFunc(gate.Inputs, func(b Bit) bool { return (g.bit(b, in) == 1) != gate.And })
		if all == gate.And {
			value = 1
		}
	}
	if b.Inverted {
		value ^= 1
	}
	return value
}

func (g *guard) inReset() bool {
	return g.model.Clocked() && g.model.Inputs()[g.model.ResetWord()]&1 != 0
}

func (g *guard) Reset(in []uint64) {
	for i, p := range g.RTL {
		for at, b := range g.Pins[i] {
			if g.model.Clocked() && b.Origin == OfModel && g.Model[b.Port].Word == g.model.ResetWord() && g.Model[b.Port].Input {
				on := uint64(1)
				if b.Inverted {
					on = 0
				}
				hw.PutBits(in, 64*p.Word+at, 1, on)
			}
		}
	}
}

func (g *guard) Edge() {
	if g.inReset() {
		g.sight.Reset()
	} else {
		g.sight.Next()
	}
	if g.model.Clocked() {
		_ = g.model.Edge(1)
	}
}

func (g *guard) Close() error { return g.model.Close() }
