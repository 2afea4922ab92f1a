package twin

import "starloom/hw"

func link() Twin {
	return Twin{
		Name: "link", Sources: []string{"link.v"}, Components: []string{"hw.Fibre"},
		Does: "shows its input DELAY_CYCLES cycles later, for 0 in the same cycle; dark after a reset",
		Sets: []Parameters{
			{"PHIT_BITS": 8, "DELAY_CYCLES": 1}, {"PHIT_BITS": 8, "DELAY_CYCLES": 0}, {"PHIT_BITS": 1, "DELAY_CYCLES": 2},
			{"PHIT_BITS": 13, "DELAY_CYCLES": 5}, {"PHIT_BITS": 64, "DELAY_CYCLES": 3},
		},
		Mutants: []Mistake{
			{"rails swapped", "{rail1_o, rail0_o} = light_o", "{rail0_o, rail1_o} = light_o"},
			{"one cycle short", "light_q[(DELAY_CYCLES-1)*BITS +: BITS]", "light_q[(DELAY_CYCLES-2)*BITS +: BITS]"},
			{"missing reset", "light_q <= reset ? {BITS{1'b0}} : light_i", "light_q <= light_i"},
		},
		Build: func(m *Model, p Parameters) error {
			phit := p["PHIT_BITS"]
			in, err := hw.NewLight(one("near"), "light", phit, m.Shards(), nil)
			if err != nil {
				return err
			}
			out, err := hw.NewLight(one("far"), "light", phit, m.Shards(), nil)
			if err != nil {
				return err
			}
			fibre, err := hw.NewFibre("fibre", m.Kernel().Clock(), in, out, p["DELAY_CYCLES"])
			if err != nil {
				return err
			}
			if err := m.Stand(fibre); err != nil {
				return err
			}
			in1, in0 := m.Pin("rail1_i"), m.Pin("rail0_i")
			m.Use = func(random *Random, inputs []uint64) {
				stimulateLight(random, in1.Of(inputs), in0.Of(inputs), 1, phit)
			}
			return nil
		},
	}
}
