package twin

import "starloom/hw"

func fifo() Twin {
	return Twin{
		Name: "fifo", Sources: []string{"fifo.v"}, Components: []string{"hw.FIFOs"},
		Does: "shows the head without a pop, 0 when empty; a pop precedes a push in the same cycle, so a full " +
			"FIFO accepts a push together with a pop; other pushes into a full FIFO are lost and counted",
		Sets: []Parameters{
			{"DEPTH": 4, "WIDTH": 8, "COUNT_BITS": 16}, {"DEPTH": 1, "WIDTH": 1, "COUNT_BITS": 1},
			{"DEPTH": 3, "WIDTH": 64, "COUNT_BITS": 4},
			{"DEPTH": 5, "WIDTH": 17, "COUNT_BITS": 3}, {"DEPTH": 16, "WIDTH": 32, "COUNT_BITS": 32},
		},
		Mutants: []Mistake{
			{"a full FIFO that is popped accepts no word", "(usage_q != FULL || pops)", "usage_q != FULL"},
			{"stuck overflow flag", "lost_q <= loses;", "lost_q <= lost_q || loses;"},
			{"overflow counter wraps", "loses && !(&total_q)", "loses"},
			{"ring one word short", "LAST_WORD = DEPTH - 1", "LAST_WORD = DEPTH - 2"},
			{"missing reset of the count", "usage_q <= {USAGE_BITS{1'b0}};\n", "\n"},
		},
		Build: func(m *Model, p Parameters) error {
			depth, width := p["DEPTH"], p["WIDTH"]
			fifos, err := hw.NewFIFOs(hw.FIFOConfig{
				Bank: one("fifo"), Depth: depth, Width: width, CountBits: p["COUNT_BITS"],
				Push: wire("push", 1), Data: wire("data", width), Pop: wire("pop", 1),
			})
			if err != nil {
				return err
			}
			if err := m.Stand(fifos); err != nil {
				return err
			}
			coverFIFO(m, uint64(depth))
			push, data, pop := m.Pin("push_i"), m.Pin("data_i"), m.Pin("pop_i")
			m.Use = func(random *Random, inputs []uint64) {
				// alternately push more than pop, and pop more than push, for 4 depths each
				pushes := 1 + 2*int(random.Cycle()/uint64(4*depth)%2)
				inputs[push.Word], inputs[pop.Word] = 0, 0
				if random.Below(4) < pushes {
					inputs[push.Word] = 1
				}
				if random.Below(4) >= pushes {
					inputs[pop.Word] = 1
				}
				inputs[data.Word] = random.Uint64()
			}
			return nil
		},
	}
}

func coverFIFO(m *Model, depth uint64) {
	push, pop, count := m.Pin("push_i"), m.Pin("pop_i"), m.Pin("count_o")
	m.cover("push_i", []string{
		"alone when it is full", "with pop_i in the same cycle when it is empty",
		"with pop_i in the same cycle when it is full",
	}, func(c *Cycle) uint64 {
		pushes, pops, words := push.any(c.Inputs), pop.any(c.Inputs), c.Outputs[count.Word]
		return facts(pushes && !pops && words == depth, pushes && pops && words == 0, pushes && pops && words == depth)
	})
	m.cover("pop_i", []string{"alone when it is empty"}, func(c *Cycle) uint64 {
		return facts(pop.any(c.Inputs) && !push.any(c.Inputs) && c.Outputs[count.Word] == 0)
	})
	if depth > 1 {
		m.cover("push_i", []string{"with pop_i in the same cycle when it is neither empty nor full"}, func(c *Cycle) uint64 {
			words := c.Outputs[count.Word]
			return facts(push.any(c.Inputs) && pop.any(c.Inputs) && words > 0 && words < depth)
		})
	}
}
