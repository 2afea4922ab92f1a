package twin

import "starloom/hw"

func starCoupler() Twin {
	return Twin{
		Name: "star_coupler", Sources: []string{"star_coupler.v"}, Components: []string{"hw.StarCouplers"},
		Sets: []Parameters{
			{"D": 4, "PHIT_BITS": 8}, {"D": 1, "PHIT_BITS": 1}, {"D": 2, "PHIT_BITS": 64}, {"D": 3, "PHIT_BITS": 5}, {"D": 16, "PHIT_BITS": 33},
		},
		Mutants: []Mistake{
			{"first sender left out", "for (i = 0;", "for (i = 1;"},
			{"rail 0 hears rail 1", "rail0_o = rail0_o | rail0_i[", "rail0_o = rail0_o | rail1_i["},
			{"violation needs all bits", "|(rail1_o & rail0_o)", "&(rail1_o & rail0_o)"},
		},
		Build: func(m *Model, p Parameters) error {
			d, phit := p["D"], p["PHIT_BITS"]
			in1, in0 := m.Input("rail1_i", d*phit), m.Input("rail0_i", d*phit)
			out1, out0, violation := m.Output("rail1_o", phit), m.Output("rail0_o", phit), m.Output("violation_o", 1)

			in, err := m.Light(hw.Bank{Name: "sender", Units: 1, PerUnit: d}, in1, in0, phit, nil)
			if err != nil {
				return err
			}
			// All senders are switched to the one coupler.
			ports := hw.NewPortSelect(in.Bank(), "port")
			clear(ports.Value)
			m.pins.wires = append(m.pins.wires, ports)
			out, err := hw.NewLight(one("coupler"), "light", phit, m.Shards(), nil)
			if err != nil {
				return err
			}
			couplers, err := hw.NewStarCouplers(in, ports, out, make([]uint32, d), 1)
			if err != nil {
				return err
			}
			m.Kernel().Add(couplers)
			m.Ahead = func() { couplers.ClearSlot(0) } // the module shows the violations of this cycle
			m.Show = func() {
				m.Put(out1, out.Rail1[0])
				m.Put(out0, out.Rail0[0])
				m.Put(violation, uint64(couplers.Violation[0]))
			}
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

// meeting is light of two senders or more on the same bit: where it is missing, a coupler
// that adds light in another way than by OR does not show.
func meeting(input string, rail Pin, senders, phit int) Event {
	return Event{input, "lit by two senders at once", phit, func(inputs []uint64) (twice uint64) {
		once := uint64(0)
		for i := range senders {
			light := hw.GetBits(rail.Of(inputs), i*phit, phit)
			twice |= once & light
			once |= light
		}
		return twice
	}}
}
