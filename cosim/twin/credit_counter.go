package twin

import "starloom/hw"

func creditCounter() Twin {
	return Twin{
		Name: "credit_counter", Sources: []string{"credit_counter.v"}, Components: []string{"hw.CreditCounters"},
		Does: "counts free places, initially DEPTH; a credit given in one cycle can be taken in the next cycle; a" +
			" take without a credit has no effect, and credits beyond DEPTH are dropped; the next cycle flags " +
			"both errors; take_i and give_i are judged by the count before their cycle",
		Sets: []Parameters{{"DEPTH": 4}, {"DEPTH": 1}, {"DEPTH": 3}, {"DEPTH": 17}, {"DEPTH": 65535}},
		Mutants: []Mistake{
			{"taken without a credit", "take_i && count_q != NONE", "take_i"},
			{"more than all", "many ? out : give_i", "give_i"},
			{"given to who takes", "count_q - taken + given", "count_q - taken + (takes ? NONE : given)"},
			{"what is taken counts as free", "give_i > out", "give_i > out + taken"},
			{"stuck underflow flag", "underflow_q <= take_i && !takes", "underflow_q <= underflow_q || take_i && !takes"},
			{"one credit is missing", "count_q <= ALL;", "count_q <= ALL - 1'b1;"},
			{"missing reset of the count", "      count_q <= ALL;\n", ""},
		},
		Build: func(m *Model, p Parameters) error {
			counters, err := hw.NewCreditCounters(one("port"), p["DEPTH"], m.Shards())
			if err != nil {
				return err
			}
			if err := m.Stand(counters); err != nil {
				return err
			}
			coverCredits(m, uint64(p["DEPTH"]))
			take, give := m.Pin("take_i"), m.Pin("give_i")
			m.Use = func(random *Random, inputs []uint64) {
				// alternately take more credits than are given, and give more than are taken
				takes := 1 + 2*int(random.Cycle()/uint64(min(4*p["DEPTH"], 1024))%2)
				inputs[take.Word], inputs[give.Word] = 0, 0
				if random.Below(4) < takes {
					inputs[take.Word] = 1
				}
				if random.Below(4) >= takes {
					inputs[give.Word] = 1
				}
				if random.OneIn(16) {
					inputs[give.Word] = random.Uint64()
				}
			}
			return nil
		},
	}
}

func coverCredits(m *Model, depth uint64) {
	take, give, count := m.Pin("take_i"), m.Pin("give_i"), m.Pin("count_o")
	m.cover("take_i", []string{"with give_i in the same cycle", "for the last credit", "without a credit"},
		func(c *Cycle) uint64 {
			takes, gives, left := take.any(c.Inputs), c.Inputs[give.Word] > 0, c.Outputs[count.Word]
			out := depth - left
			return facts(takes && gives && left > 0 && (out > 0 || depth == 1), takes && !gives && left == 1, takes && left == 0)
		})
	m.cover("give_i", []string{"to a sender without a credit", "for more credits than are out"}, func(c *Cycle) uint64 {
		gives, left := c.Inputs[give.Word], c.Outputs[count.Word]
		return facts(gives > 0 && left == 0, gives > depth-left)
	})
}
