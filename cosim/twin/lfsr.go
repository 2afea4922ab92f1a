package twin

import "starloom/hw"

func lfsr() Twin {
	return Twin{
		Name: "lfsr", Sources: []string{"lfsr.v"}, Components: []string{"hw.LFSRs"},
		Does: "computes x^32 + x^22 + x^2 + x + 1 in Galois form: enable_i shifts one place towards bit 0, visible in the " +
			"next cycle; SEED after a reset",
		Sets: []Parameters{{"SEED": 1}, {"SEED": 0x7EDCBA98}, {"SEED": 0x80000000}, {"SEED": 0xFFFFFFFF}},
		Mutants: []Mistake{
			{"wrong polynomial", "32'h80200003", "32'h80000057"},
			{"reset to another seed", "value_q <= SEED;", "value_q <= 32'd1;"},
			{"enable ignored", "else if (enable_i)", "else"},
		},
		Build: func(m *Model, p Parameters) error {
			lfsrs, err := hw.NewLFSRs(one("lfsr"), []uint32{uint32(p["SEED"])}, wire("enable", 1))
			if err != nil {
				return err
			}
			if err := m.Stand(lfsrs); err != nil {
				return err
			}
			enable := m.Pin("enable_i")
			m.Use = func(random *Random, inputs []uint64) {
				inputs[enable.Word] = uint64(min(1, random.Below(8)))
			}
			return nil
		},
	}
}
