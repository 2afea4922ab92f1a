package prove

import (
	"fmt"

	"starloom/cosim/lockstep"
	"starloom/cosim/twin"
)

// agreement simulates the miter's graph on the inputs of a lockstep run, with 64 sequences of free values at once,
// and compares the graph with model and RTL. This comparison ties the proof to the simulators.
type agreement struct {
	*miter
	sim    *simulation
	random *twin.Random
	in     []uint64
	mined  *miner
	over   func() error // returns an error after the time limit; nil for no limit

	cycles, compared uint64 // number of cycles, and of bits compared in these cycles
	checked          []bool // by bit: true if the bit agreed in a cycle that is not affected by a reset
	// by number of cycles since the last reset, up to the RTL's latency: true if outputs were comparable
	phases    []bool
	stretch   int
	disagrees string
	cut       bool // the simulation stopped before the lockstep run
}

func (m *miter) agreement() *agreement {
	a := &agreement{miter: m, sim: m.graph.simulation(), in: make([]uint64, m.graph.inputs),
		checked: make([]bool, len(m.bits)), phases: make([]bool, m.late+1)}
	a.random, a.mined = twin.NewRandom(1), m.miner()
	return a
}

func (a *agreement) see(c *lockstep.Cycle) {
	a.cut = a.cut || a.over != nil && a.over() != nil
	if a.disagrees != "" || a.cut {
		return
	}
	if c.Number == 0 {
		clear(a.sim.latch)
		a.stretch = 0
	}
	a.cycles++
	a.random.At(a.cycles)
	a.put(c.Inputs)
	for _, i := range a.signals.free {
		a.in[i] = a.random.Uint64()
	}
	a.in[a.on] = ^uint64(0)
	a.sim.settle(a.in)
	defer a.sim.edge()
	comparable := a.sim.of(a.graph.outputs[a.comparable])
	if c.Compared != (comparable == ^uint64(0)) || !c.Compared && comparable != 0 {
		a.disagrees = fmt.Sprintf("in cycle %d of random inputs the miter compares although lockstep does not, or the "+
			"reverse",
			c.Number)
		return
	}
	if !c.Compared {
		a.stretch = 0
		return
	}
	a.mined.see(a.sim)
	phase := min(a.stretch, a.late)
	steady := a.sim.of(a.graph.outputs[a.steady]) == ^uint64(0)
	if steady != (phase == a.late) {
		a.disagrees = fmt.Sprintf("in cycle %d of random inputs the miter confuses the last reset with another one", c.Number)
		return
	}
	a.stretch++
	a.phases[phase] = true
	for i, b := range a.bits {
		if b.limit != nil {
			a.checked[i] = a.checked[i] || steady
			continue
		}
		p := a.ports[b.port]
		at, bit := p.Word+b.bit/64, b.bit%64
		wanted, got := a.sim.of(a.graph.outputs[a.wanted[i]]), a.sim.of(a.graph.outputs[a.got[i]])
		model, rtl := -(c.Wanted[at] >> bit & 1), -(c.Got[at] >> bit & 1)
		bad := a.sim.of(a.graph.outputs[a.bad[i]])
		counts := -(c.Counted[at] >> bit & 1)
		switch {
		case bad != (wanted^got)&counts:
			a.disagrees = fmt.Sprintf("in cycle %d of random inputs the miter counts %s[%d] although lockstep does not, or "+
				"the reverse",
				c.Number, p.Name, b.bit)
		case counts == 0:
		case wanted != model:
			a.disagrees = fmt.Sprintf("in cycle %d of random inputs the %s[%d] of its twin differs from the "+
				"model", c.Number, p.Name,
				b.bit)
		case got == rtl:
			a.compared++
			a.checked[i] = a.checked[i] || steady
		case got == 0 || got == ^uint64(0):
			a.disagrees = fmt.Sprintf("in cycle %d of random inputs the %s[%d] of its RTL differs from the simulator", c.Number,
				p.Name, b.bit)
		}
	}
}

func (a *agreement) put(inputs []uint64) {
	for i, p := range a.ports {
		if !p.Input || p.Clock {
			continue
		}
		for bit := range p.Bits {
			if at, ok := a.signals.inputs[fmt.Sprintf("%s[%d]", inputName(i), bit)]; ok {
				a.in[at] = -(inputs[p.Word+bit/64] >> (bit % 64) & 1)
			}
		}
	}
}
