package twin

import (
	"fmt"

	"starloom/hw"
)

const tapsMax = 1024

func bus() Twin {
	return Twin{
		Name: "bus",
		Does: "ORs the light of open taps onto the bus in the same cycle; with an arbiter only the granted tap is" +
			" open, from the cycle after its request on",
		Sources: []string{
			"bus.v", "bus_taps.v", "arbiter.v", "arbiter_choice.v", "arbiter_lock.v",
			"arbiter_fixed.v", "arbiter_round_robin.v", "arbiter_matrix.v", "arbiter_tdma.v",
		},
		Components: []string{"hw.Buses", "hw.ArbitratedBuses"},
		Sets: []Parameters{
			{"TAPS": 4, "PHIT_BITS": 8, "ARBITER": 1, "KIND": 1, "SLICE_CYCLES": 1},
			{"TAPS": 4, "PHIT_BITS": 8, "ARBITER": 0, "KIND": 0, "SLICE_CYCLES": 1},
			{"TAPS": 5, "PHIT_BITS": 64, "ARBITER": 1, "KIND": 0, "SLICE_CYCLES": 1},
			{"TAPS": 3, "PHIT_BITS": 1, "ARBITER": 1, "KIND": 2, "SLICE_CYCLES": 1},
			{"TAPS": 3, "PHIT_BITS": 5, "ARBITER": 1, "KIND": 3, "SLICE_CYCLES": 7},
			{"TAPS": 2, "PHIT_BITS": 33, "ARBITER": 0, "KIND": 0, "SLICE_CYCLES": 1},
			{"TAPS": 65, "PHIT_BITS": 3, "ARBITER": 1, "KIND": 1, "SLICE_CYCLES": 1},
			{"TAPS": 1, "PHIT_BITS": 1, "ARBITER": 0, "KIND": 0, "SLICE_CYCLES": 1},
		},
		Mutants: []Mistake{
			{"all that request are open", ".grant_i(grant_o)", ".grant_i(request_i)"},
			{"kinds swapped", ".KIND(KIND)", ".KIND(KIND == 1 ? 2 : KIND)"},
			{
				"without an arbiter no tap waits, but tap 0 does", "assign grant_o = request_i;",
				"assign grant_o = request_i & ~{{(TAPS-1){1'b0}}, |request_i[TAPS-1:TAPS/2]};",
			},
			{"slices of one cycle", ".SLICE_CYCLES(SLICE_CYCLES)", ".SLICE_CYCLES(1)"},
			{"rails swapped", ".rail1_i(rail1_i), .rail0_i(rail0_i)", ".rail1_i(rail0_i), .rail0_i(rail1_i)"},
		},
		Build: func(m *Model, p Parameters) error {
			taps, phit, kind, slice := p["TAPS"], p["PHIT_BITS"], p["KIND"], p["SLICE_CYCLES"]
			if err := p.within(map[string][2]int{"ARBITER": {0, 1},
				"KIND": {0, p["ARBITER"] * int(hw.ArbiterTDMA)}}); err != nil {
				return err
			}
			slices := hw.ArbiterKind(kind).Spec().Slices
			if slice != 1 && !slices || slice < 1 {
				return fmt.Errorf("slices of %d cycles; the module needs 1 without TDMA, and at least 1 with TDMA", slice)
			}
			c, err := newBus(m, taps, phit)
			if err != nil {
				return err
			}
			var component hw.Sited
			if p["ARBITER"] == 0 {
				c.Ports = hw.NewPortSelect(c.In.Bank(), "port")
				component, err = hw.NewBuses(c)
			} else {
				component, err = arbitrated(m, c, hw.ArbiterKind(kind), slice)
			}
			if err != nil {
				return err
			}
			if err := m.Stand(component); err != nil {
				return err
			}
			request, in1, in0 := m.Pin("request_i"), m.Pin("rail1_i"), m.Pin("rail0_i")
			if p["ARBITER"] == 1 {
				m.coverGrants(nil)
			}
			if taps > 1 {
				m.Events = append(m.Events, meeting("rail1_i", in1, taps, phit), meeting("rail0_i", in0, taps, phit))
			}
			m.Use = func(random *Random, inputs []uint64) {
				changeRequests(random, request.Of(inputs))
				stimulateLight(random, in1.Of(inputs), in0.Of(inputs), taps, phit)
			}
			return nil
		},
	}
}

func newBus(m *Model, taps, phit int) (c hw.BusConfig, err error) {
	if taps < 1 || taps > tapsMax {
		return c, fmt.Errorf("%d taps; the module supports 1 to %d", taps, tapsMax)
	}
	if c.In, err = hw.NewLight(hw.Bank{Name: "tx", Units: 1, PerUnit: taps}, "light", phit, m.Shards(), nil); err != nil {
		return c, err
	}
	if c.Out, err = hw.NewLight(one("bus"), "light", phit, m.Shards(), nil); err != nil {
		return c, err
	}
	members := make([]int, taps)
	for i := range members {
		members[i] = i
	}
	c.Taps = hw.NewTaps(taps, [][]int{members})
	return c, nil
}

func arbitrated(m *Model, c hw.BusConfig, kind hw.ArbiterKind, slice int) (hw.Sited, error) {
	if !kind.Spec().Slices {
		slice = 0
	}
	taps := len(c.Taps.Bus)
	lines, err := hw.NewRequests(one("bus"), "request", taps, m.Shards())
	if err != nil {
		return nil, err
	}
	arbiters, err := hw.NewArbiters(hw.ArbiterConfig{Bank: one("arbiter"), Kind: kind, SliceCycles: slice, Request: lines})
	if err != nil {
		return nil, err
	}
	c.Asks, c.Request, c.Busy, c.Index = hw.NewAsks(c.In.Bank(), "ask", 1), lines, arbiters.Busy(), arbiters.Index()
	buses, err := hw.NewBuses(c)
	if err != nil {
		return nil, err
	}
	return hw.NewArbitratedBuses(buses, arbiters), nil
}

func oneAtMost(grant []uint64) (broken string) {
	granted := false
	for w, bits := range grant {
		grant[w] = 0
		if bits != 0 && !granted {
			grant[w] = bits & -bits
		}
		if bits != grant[w] {
			broken = "an arbiter grants one tap at most"
		}
		granted = granted || bits != 0
	}
	return broken
}

func busTaps() Twin {
	return Twin{
		Name: "bus_taps", Sources: []string{"bus_taps.v"}, Components: []string{"hw.Buses"},
		Does: "ORs the light of granted taps onto the bus in the same cycle",
		Sets: []Parameters{
			{"TAPS": 4, "PHIT_BITS": 8}, {"TAPS": 1, "PHIT_BITS": 1}, {"TAPS": 5, "PHIT_BITS": 64},
			{"TAPS": 65, "PHIT_BITS": 33},
		},
		Mutants: []Mistake{
			{"tap 0 left out", "for (i = 0;", "for (i = 1;"},
			{"rail 0 is always open", "rail0_i[i*PHIT_BITS +: PHIT_BITS] & {PHIT_BITS{grant_i[i]}}",
				"rail0_i[i*PHIT_BITS +: PHIT_BITS]"},
			{"one grant opens all", "rail1_i[i*PHIT_BITS +: PHIT_BITS] & {PHIT_BITS{grant_i[i]}}",
				"rail1_i[i*PHIT_BITS +: PHIT_BITS] & {PHIT_BITS{|grant_i}}"},
			{"violation needs all bits", "|(rail1_o & rail0_o)", "&(rail1_o & rail0_o)"},
		},
		Build: func(m *Model, p Parameters) error {
			taps, phit := p["TAPS"], p["PHIT_BITS"]
			c, err := newBus(m, taps, phit)
			if err != nil {
				return err
			}
			c.Asks, c.Busy, c.Index = hw.NewAsks(c.In.Bank(), "ask", 1), wire("busy", 1),
				wire("index", hw.ArbiterIndexBits(taps))
			if c.Request, err = hw.NewRequests(one("bus"), "request", taps, m.Shards()); err != nil {
				return err
			}
			buses, err := hw.NewBuses(c)
			if err != nil {
				return err
			}
			if err := m.Stand(buses); err != nil {
				return err
			}
			in1, in0, grant := m.Pin("rail1_i"), m.Pin("rail0_i"), m.Pin("grant_i")
			m.OnlyInUse = append(m.OnlyInUse, grant)
			m.Keep = func(inputs []uint64) (broken string) { return oneAtMost(grant.Of(inputs)) }
			m.Use = func(random *Random, inputs []uint64) {
				stimulateLight(random, in1.Of(inputs), in0.Of(inputs), taps, phit)
				clear(grant.Of(inputs))
				if !random.OneIn(4) {
					hw.PutBits(grant.Of(inputs), random.Below(taps), 1, 1)
				}
			}
			return nil
		},
	}
}
