package twin

import "starloom/hw"

func starCoupler() Twin {
	return Twin{
		Name: "star_coupler", Sources: []string{"star_coupler.v"}, Components: []string{"hw.StarCouplers"},
		Does: "puts the light of all senders on the output in the same cycle; a bit with both rails lit is a code " +
			"violation: two senders",
		Sets: []Parameters{
			{"D": 4, "PHIT_BITS": 8}, {"D": 1, "PHIT_BITS": 1}, {"D": 2, "PHIT_BITS": 64}, {"D": 3, "PHIT_BITS": 5},
			{"D": 16, "PHIT_BITS": 33},
		},
		Mutants: []Mistake{
			{"first sender left out", "for (i = 0;", "for (i = 1;"},
			{"rail 0 hears rail 1", "rail0_o = rail0_o | rail0_i[", "rail0_o = rail0_o | rail1_i["},
			{"violation needs all bits", "|(rail1_o & rail0_o)", "&(rail1_o & rail0_o)"},
		},
		Build: func(m *Model, p Parameters) error {
			d, phit := p["D"], p["PHIT_BITS"]
			in, err := hw.NewLight(hw.Bank{Name: "sender", Units: 1, PerUnit: d}, "light", phit, m.Shards(), nil)
			if err != nil {
				return err
			}
			out, err := hw.NewLight(one("coupler"), "light", phit, m.Shards(), nil)
			if err != nil {
				return err
			}
			couplers, err := hw.NewStarCouplers(in, hw.NewPortSelect(in.Bank(), "port"), out, make([]uint32, d), 1)
			if err != nil {
				return err
			}
			if err := m.Stand(couplers); err != nil {
				return err
			}
			in1, in0 := m.Pin("rail1_i"), m.Pin("rail0_i")
			if d > 1 {
				m.Events = []Event{meeting("rail1_i", in1, d, phit), meeting("rail0_i", in0, d, phit)}
			}
			m.Use = func(random *Random, inputs []uint64) {
				stimulateLight(random, in1.Of(inputs), in0.Of(inputs), d, phit)
			}
			return nil
		},
	}
}

// meeting returns an event that happens when two or more senders light the same bit. No other event detects a coupler
// without OR.
func meeting(input string, rail Pin, senders, phit int) Event {
	return Event{input, []string{"lit by two senders at once"}, phit, func(c *Cycle) (twice uint64) {
		once := uint64(0)
		for i := range senders {
			light := hw.GetBits(rail.Of(c.Inputs), i*phit, phit)
			twice |= once & light
			once |= light
		}
		return twice
	}}
}
