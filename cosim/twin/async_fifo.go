package twin

import "starloom/hw"

func asyncFIFO() Twin {
	return Twin{
		Name: "async_fifo", Sources: []string{"async_fifo.v"},
		Does: "is a FIFO between two clocks, which rise in cycles with write_clock_i and read_clock_i: words pushed while " +
			"it is not full are popped once, in order; the RTL chooses its flags, provided that full_o is 1 at " +
			"DEPTH + SPARE words, empty_o is 1 without a word, and both reflect the other side after LATE edges of " +
			"their own clock; head_o is 0 when empty, or with REGISTERED 1 the word popped last",
		Sets: []Parameters{
			{"DEPTH": 4, "WIDTH": 8, "LATE": 3, "SPARE": 0, "REGISTERED": 0},
			{"DEPTH": 2, "WIDTH": 1, "LATE": 2, "SPARE": 0, "REGISTERED": 1},
			{"DEPTH": 8, "WIDTH": 64, "LATE": 4, "SPARE": 1, "REGISTERED": 0},
			{"DEPTH": 5, "WIDTH": 17, "LATE": 3, "SPARE": 3, "REGISTERED": 1},
		},
		Mutants: []Mistake{
			{"binary pointers, whose bits do not arrive together", "gray = number ^ (number >> 1);\n  endfunction\n" +
				"  function [BITS:0] binary(input [BITS:0] code);\n    integer i;\n    for (i = 0; i <= BITS; i = i + 1) " +
				"binary[i] = ^(code >> i);",
				"gray = number;\n  endfunction\n  function [BITS:0] binary(input [BITS:0] code);\n    binary = code;"},
			{"full a word early", "used >= FULL", "used + 1'b1 >= FULL"},
			{"full a word late", "used >= FULL", "used > FULL"},
			{"empty with a last word", "empty_o = available == {BITS + 1{1'b0}}", "empty_o = available <= {{BITS{1'b0}}, 1'b1}"},
			{"empty a word late", "empty_o = available == {BITS + 1{1'b0}}", "empty_o = available == {BITS + 1{1'b1}}"},
			{"a pop when empty moves on", "wire pops = pop_i && !empty_o;", "wire pops = pop_i;"},
			{"a push when full is stored", "wire pushes = push_i && !full_o;", "wire pushes = push_i;"},
			{"word lost at the wrap", "if (pushes) mem_q", "if (pushes && write_q != LAST) mem_q"},
			{"words read from the wrong place", "word = mem_q[place(read_q)]", "word = mem_q[read_q[BITS:1]]"},
			{"pointer without the bit more", "from_to(read_q, written);", "from_to(read_q, written) & ~FULL;"},
			{"one register too many", "STAGES = LATE - 1", "STAGES = LATE"},
			{"missing reset of what was written", "      written_q <= {STAGES{FIRST_CODE}};\n", ""},
			{"pointers of any depth wrap at a power of two", "number == LAST ? FIRST",
				"number == {BITS + 1{1'b1}} ? {BITS + 1{1'b0}}"},
			{"distance over the end of the pointers", "(to < from ? FIRST << 1 : {BITS + 1{1'b0}})", "{BITS + 1{1'b0}}"},
			{"reset to a number that pointers do not take", "write_q <= FIRST;", "write_q <= {BITS + 1{1'b0}};"},
			{"register overwritten while it waits", "moves[i] = !valid_q[i] || moves[i-1]", "moves[i] = 1'b1"},
		},
		Build: buildAsyncFIFO,
	}
}

// buildAsyncFIFO builds a scoreboard. The scoreboard holds the words of the FIFO and counts the pushes and pops since
// the latest edges of the other clock, because a flag may not reflect these yet. The RTL's own flags decide whether a
// push or pop takes place.
func buildAsyncFIFO(m *Model, p Parameters) error {
	err := p.within(map[string][2]int{"DEPTH": {2, 1024}, "WIDTH": {1, 64}, "LATE": {2, 8},
		"SPARE": {0, 4}, "REGISTERED": {0, 1}})
	if err != nil {
		return err
	}
	depth, late, spare := p["DEPTH"], p["LATE"], p["SPARE"]
	words, held, popped := make([]uint64, depth+spare), make([]uint16, 1), make([]uint64, 1)
	// Operations of the other side since each edge of a side's own clock, latest edge first.
	pops, pushes := make([]uint16, late), make([]uint16, late+spare)
	shown := make([]uint8, 2) // full and empty of the RTL
	c := &circuit{twin: "async_fifo"}
	writes, push, data := c.input("write_clock_i", 1), c.input("push_i", 1), c.input("data_i", p["WIDTH"])
	flag := func(must, may bool, shown uint8) uint64 { return facts(must || may && shown != 0) }
	full := func() uint64 {
		return flag(int(held[0]) == depth+spare, int(held[0]+pops[late-1]) >= depth, shown[0])
	}
	empty := func() uint64 { return flag(held[0] == 0, held[0] <= pushes[late+spare-1], shown[1]) }
	c.output("full_o", 1, full)
	reads, pop := c.input("read_clock_i", 1), c.input("pop_i", 1)
	c.output("head_o", p["WIDTH"], func() uint64 {
		switch {
		case p["REGISTERED"] == 1:
			return popped[0]
		case empty() != 0:
			return 0
		}
		return words[0]
	})
	c.output("empty_o", 1, empty)
	c.latch = func() {
		pushed, taken := *writes&*push&^full() != 0, *reads&*pop&^empty() != 0
		happens(pops, *writes != 0, taken, depth+spare)
		happens(pushes, *reads != 0, pushed, depth+spare)
		if taken {
			popped[0] = words[0]
			copy(words, words[1:held[0]])
			held[0]--
			words[held[0]] = 0
		}
		if pushed {
			words[held[0]] = *data
			held[0]++
		}
	}
	most := hw.AtMost(uint16(depth + spare))
	c.declare(hw.Column("words", words, hw.AtMost(^uint64(0)>>(64-p["WIDTH"]))), hw.Column("held", held, most),
		hw.Column("popped", popped, hw.AtMost(^uint64(0)>>(64-p["WIDTH"]))), hw.Column("pops", pops, most),
		hw.Column("pushes", pushes, most),
		hw.Column("shown", shown, hw.AtMost(uint8(1))))
	if err := m.Stand(c); err != nil {
		return err
	}
	m.Edges = []string{"write_clock_i", "read_clock_i"}
	m.leave([]string{"full_o", "empty_o"},
		func(chosen []uint64) { shown[0], shown[1] = uint8(chosen[0]&1), uint8(chosen[1]&1) })
	coverAsyncFIFO(m)
	m.Use = useOfAsyncFIFO(m, depth)
	return nil
}

func happens(since []uint16, edge, done bool, most int) {
	if edge {
		copy(since[1:], since)
		since[0] = 0
	}
	for i := range since {
		if done && int(since[i]) < most {
			since[i]++
		}
	}
}

// useOfAsyncFIFO alternately fills and empties the FIFO, with changing ratios of the two clocks.
func useOfAsyncFIFO(m *Model, depth int) func(random *Random, inputs []uint64) {
	writes, reads, push, pop, data := m.Pin("write_clock_i"), m.Pin("read_clock_i"), m.Pin("push_i"),
		m.Pin("pop_i"), m.Pin("data_i")
	return func(random *Random, inputs []uint64) {
		turn := random.Cycle() / uint64(16*depth)
		// often is the probability of a push in quarters; ratio selects the frequency of clock edges
		often, ratio := 1+2*int(turn%2), int(turn/2%5)
		inputs[writes.Word], inputs[reads.Word] = 1, 1
		if ratio == 1 || ratio == 3 {
			inputs[writes.Word] = facts(random.OneIn(4))
		}
		if ratio == 2 || ratio == 3 {
			inputs[reads.Word] = facts(random.OneIn(4))
		}
		if ratio == 4 {
			inputs[reads.Word] = facts(random.Cycle()%2 == 0)
			inputs[writes.Word] = facts(random.Cycle()%3 == 0)
		}
		inputs[push.Word], inputs[pop.Word] = facts(random.Below(4) < often), facts(random.Below(4) >= often)
		inputs[data.Word] = random.Uint64()
	}
}

func coverAsyncFIFO(m *Model) {
	writes, reads, push, pop, full, empty := m.Pin("write_clock_i"), m.Pin("read_clock_i"), m.Pin("push_i"),
		m.Pin("pop_i"), m.Pin("full_o"), m.Pin("empty_o")
	m.cover("push_i", []string{"at an edge of its clock when it is full"}, func(c *Cycle) uint64 {
		return facts(push.any(c.Inputs) && writes.any(c.Inputs) && full.any(c.Outputs))
	})
	m.cover("pop_i", []string{"at an edge of its clock when it is empty"}, func(c *Cycle) uint64 {
		return facts(pop.any(c.Inputs) && reads.any(c.Inputs) && empty.any(c.Outputs))
	})
	m.cover("write_clock_i", []string{"without read_clock_i in the same cycle", "with read_clock_i in the same cycle"},
		func(c *Cycle) uint64 {
			return facts(writes.any(c.Inputs) && !reads.any(c.Inputs), writes.any(c.Inputs) && reads.any(c.Inputs))
		})
	m.cover("read_clock_i", []string{"without write_clock_i in the same cycle"}, func(c *Cycle) uint64 {
		return facts(reads.any(c.Inputs) && !writes.any(c.Inputs))
	})
}
