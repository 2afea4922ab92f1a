package twin

import "starloom/hw"

func lightTap() Twin {
	return Twin{
		Name: "light_tap", Sources: []string{"light_tap.v"}, Components: []string{"hw.LightTap"},
		Does: "passes light in the same cycle; a slot with dark_i is dark, and a slot with flip_i has one " +
			"inverted bit",
		Sets: []Parameters{
			{"PHIT_BITS": 8, "SLOT_CYCLES": 24}, {"PHIT_BITS": 64, "SLOT_CYCLES": 1100}, {"PHIT_BITS": 1, "SLOT_CYCLES": 1},
			{"PHIT_BITS": 13, "SLOT_CYCLES": 64}, {"PHIT_BITS": 1, "SLOT_CYCLES": 150},
		},
		Mutants: []Mistake{
			{"the fault of the cycle", "lit_q ? dark_q : dark_i", "dark_i"},
			{"darkness of the slot before", "dark_q <= 1'b0;", "dark_q <= dark; if (!reset) lit_q <= 1'b1;"},
			{"bits from the right", "FIRST >> place", "ONE[PHIT_BITS-1:0] << place"},
			{"bits counted beyond the range of the counter", "flip_q <= flip && {16'd0, place} >= PHIT_BITS", "flip_q <= flip"},
			{"bits from the first cycle of the slot", "if (lit || lit_q)", "if (1'b1)"},
			{"bits counted in lit cycles only", "if (lit || lit_q)", "if (lit)"},
			{"a collision turned round", "(FIRST >> place) & (rail1_i ^ rail0_i)", "(FIRST >> place)"},
			{"one rail", "rail0_i ^ exchanged", "rail0_i"},
			{"a slot too long", "LAST = SLOT_CYCLES - 1", "LAST = SLOT_CYCLES"},
			{"missing reset", "if (reset) cycle_q <= LAST;\n    else if", "if"},
		},
		Build: func(m *Model, p Parameters) error {
			phit, slot := p["PHIT_BITS"], p["SLOT_CYCLES"]
			in, err := hw.NewLight(one("far"), "light", phit, m.Shards(), nil)
			if err != nil {
				return err
			}
			tap, _, err := hw.NewLightTap(m.Kernel().Clock(), in, slot, nil) // nil, since the ports control faults
			if err != nil {
				return err
			}
			if err := m.Stand(tap); err != nil {
				return err
			}
			m.coverPairs("dark_i", "rail1_i")
			m.coverPairs("flip_i", "rail1_i")
			m.coverPairs("dark_i", "flip_i")
			in1, in0, dark, flip, bit := m.Pin("rail1_i"), m.Pin("rail0_i"), m.Pin("dark_i"), m.Pin("flip_i"), m.Pin("bit_i")
			m.Use = func(random *Random, inputs []uint64) {
				stimulateLight(random, in1.Of(inputs), in0.Of(inputs), 1, phit)
				if random.OneIn(4) {
					inputs[dark.Word], inputs[flip.Word] = 0, uint64(random.Below(2))
					cycles := 1 + random.Below(slot)
					if random.OneIn(2) {
						cycles = 2
					}
					inputs[bit.Word] = uint64(random.Below(min(phit*cycles, 1<<16)))
					if random.OneIn(8) {
						inputs[dark.Word] = 1
					}
				}
			}
			return nil
		},
	}
}
