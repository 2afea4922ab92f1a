package twin

import (
	"fmt"

	"starloom/hw"
)

func duplexLink() Twin {
	return Twin{
		Name: "duplex_link", Sources: []string{"duplex_link.v"}, Components: []string{"hw.DuplexLinks"},
		Does: "passes the light of each end to the other end in the same cycle; half duplex: light of both ends " +
			"is a code violation towards both ends",
		Sets: []Parameters{
			{"PHIT_BITS": 8, "HALF": 1}, {"PHIT_BITS": 8, "HALF": 0}, {"PHIT_BITS": 1, "HALF": 1},
			{"PHIT_BITS": 13, "HALF": 0}, {"PHIT_BITS": 64, "HALF": 1}, {"PHIT_BITS": 64, "HALF": 0},
		},
		Mutants: []Mistake{
			{"full duplex all the time", "HALF == 1 && |lit", "HALF == 2 && |lit"},
			{"half duplex all the time", "HALF == 1 && |lit", "HALF != 2 && |lit"},
			{"only rail 1 collides", "rail0_i[2*PHIT_BITS-1:PHIT_BITS]} | {2*PHIT_BITS{meets}}",
				"rail0_i[2*PHIT_BITS-1:PHIT_BITS]}"},
			{"the light comes back", "{rail1_i[PHIT_BITS-1:0], rail1_i[2*PHIT_BITS-1:PHIT_BITS]}", "rail1_i"},
			{"zeros do not collide", "lit = rail1_i | rail0_i", "lit = rail1_i"},
			{"both ends have one flag", "{|both[2*PHIT_BITS-1:PHIT_BITS], |both[PHIT_BITS-1:0]}", "{2{|both}}"},
		},
		Build: func(m *Model, p Parameters) error {
			phit, half := p["PHIT_BITS"], p["HALF"]
			if half < 0 || half > 1 {
				return fmt.Errorf("HALF is %d; the module supports 0 and 1", half)
			}
			ends := func(name string) (*hw.Light, error) {
				return hw.NewLight(hw.Bank{Name: name, Units: 1, PerUnit: 2}, "light", phit, m.Shards(), nil)
			}
			in, err := ends("sender")
			if err != nil {
				return err
			}
			out, err := ends("wire")
			if err != nil {
				return err
			}
			links, err := hw.NewDuplexLinks(hw.DuplexLinkConfig{
				Bank: one("link"), Half: half == 1, In: in, Out: out, From: []uint32{0, 1}, To: []uint32{0, 1},
			})
			if err != nil {
				return err
			}
			if err := m.Stand(links); err != nil {
				return err
			}
			in1, in0 := m.Pin("rail1_i"), m.Pin("rail0_i")
			m.Events = []Event{meeting("rail1_i", in1, 2, phit), meeting("rail0_i", in0, 2, phit)}
			m.Use = func(random *Random, inputs []uint64) {
				stimulateLight(random, in1.Of(inputs), in0.Of(inputs), 2, phit)
			}
			return nil
		},
	}
}
