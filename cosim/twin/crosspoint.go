package twin

import (
	"fmt"

	"starloom/hw"
)

func crosspoint() Twin {
	return Twin{
		Name: "crosspoint", Sources: []string{"crosspoint.v"}, Components: []string{"hw.Crosspoints"},
		Does: "passes the light of an input to the output that serves it, in the same cycle",
		Sets: []Parameters{{"OUTPUTS": 4, "PHIT_BITS": 8}, {"OUTPUTS": 5, "PHIT_BITS": 64},
			{"OUTPUTS": 1, "PHIT_BITS": 1}, {"OUTPUTS": 65, "PHIT_BITS": 33}},
		Mutants: []Mistake{
			{"any grant will do", "(listed || addressee_i == q[15:0])", "1'b1"},
			{"lists are not served", "(listed || addressee_i", "(addressee_i"},
			{"the lowest of several", "to_o = q[15:0];", "to_o = to_o == PORT_NONE[15:0] ? q[15:0] : to_o;"},
			{"an output without light", "lit && grant_i[q]", "grant_i[q]"},
			{"output 0 is never served", "q = 0; q < OUTPUTS", "q = 1; q < OUTPUTS"},
			{"rail 0 is always open", "rail0_i & {PHIT_BITS{passes}}", "rail0_i"},
		},
		Build: func(m *Model, p Parameters) error {
			outputs, phit := p["OUTPUTS"], p["PHIT_BITS"]
			if outputs > requestersMax {
				return fmt.Errorf("%d outputs; the module supports 1 to %d", outputs, requestersMax)
			}
			in, err := hw.NewLight(one("tx"), "light", phit, m.Shards(), nil)
			if err != nil {
				return err
			}
			out, err := hw.NewLight(one("input"), "light", phit, m.Shards(), nil)
			if err != nil {
				return err
			}
			each := hw.Bank{Name: "output", Units: 1, PerUnit: outputs}
			busy, err := hw.NewSignal(each, "busy", 1)
			if err != nil {
				return err
			}
			index, err := hw.NewSignal(each, "index", hw.ArbiterIndexBits(1))
			if err != nil {
				return err
			}
			points, err := hw.NewCrosspoints(hw.CrosspointConfig{
				In: in, Asks: hw.NewAsks(one("tx"), "ask", 1), Busy: busy, Index: index, Out: out,
			})
			if err != nil {
				return err
			}
			if err := m.Stand(points); err != nil {
				return err
			}
			in1, in0 := m.Pin("rail1_i"), m.Pin("rail0_i")
			addressee, grant := m.Pin("addressee_i"), m.Pin("grant_i")
			if outputs > 1 {
				both := func(c *Cycle) uint64 { return facts(several(grant.Of(c.Inputs))) }
				m.cover("grant_i", []string{"by two outputs at once"}, both)
			}
			m.Use = func(random *Random, words []uint64) {
				stimulateLight(random, in1.Of(words), in0.Of(words), 1, phit)
				words[addressee.Word] = uint64(random.Below(outputs))
				switch random.Below(8) {
				case 0, 1:
					words[addressee.Word] = hw.PortNone
				case 2:
					words[addressee.Word] = uint64(random.Below(1 << 16))
				}
				grants := grant.Of(words)
				clear(grants)
				switch random.Below(4) {
				case 1:
					for w := range grants {
						grants[w] = random.Uint64()
					}
				case 2:
					hw.PutBits(grants, random.Below(outputs), 1, 1)
				case 3:
					if to := words[addressee.Word]; to < uint64(outputs) {
						hw.PutBits(grants, int(to), 1, 1)
					}
				}
			}
			return nil
		},
	}
}
