package twin

import (
	"math/bits"

	"starloom/hw"
)

// streamFIFO, skidBuffer and registerSlice hold words between two sides with valid and ready. A word moves in each
// cycle in which valid and ready are both 1.
func streamFIFO() Twin {
	return Twin{
		Name: "stream_fifo", Sources: []string{"stream_fifo.v", "fifo.v"},
		Does: "holds DEPTH words between two sides with valid and ready; FALL_THROUGH 1: when empty it shows its " +
			"input in the same cycle; FULL_THROUGH 1: when full it is ready in a cycle in which its head is " +
			"taken; data_o is 0 without valid_o",
		Sets: []Parameters{
			{"DEPTH": 4, "WIDTH": 8, "FALL_THROUGH": 0, "FULL_THROUGH": 0},
			{"DEPTH": 4, "WIDTH": 8, "FALL_THROUGH": 1, "FULL_THROUGH": 1},
			{"DEPTH": 1, "WIDTH": 1, "FALL_THROUGH": 1, "FULL_THROUGH": 0},
			{"DEPTH": 3, "WIDTH": 64, "FALL_THROUGH": 0, "FULL_THROUGH": 1},
		},
		Mutants: []Mistake{
			{"ready when full", "count_o != FULL ||", "count_o <= FULL ||"},
			{"ring one word short", "LAST_WORD = DEPTH - 1", "LAST_WORD = DEPTH - 2"},
			{"word lost when it falls through", "pushes && !(passes && ready_i)", "pushes && !passes"},
			{"missing reset of the count", "usage_q <= {USAGE_BITS{1'b0}};\n", "\n"},
		},
		Build: func(m *Model, p Parameters) error {
			if err := p.within(map[string][2]int{"DEPTH": {1, 1024}, "WIDTH": {1, 64}, "FALL_THROUGH": {0, 1},
				"FULL_THROUGH": {0, 1}}); err != nil {
				return err
			}
			return stream{"stream_fifo", p["DEPTH"], p["WIDTH"], p["FALL_THROUGH"] == 1, p["FULL_THROUGH"] == 1, true}.build(m)
		},
	}
}

func skidBuffer() Twin {
	return Twin{
		Name: "skid_buffer", Sources: []string{"skid_buffer.v"},
		Does: "cuts the path of ready: ready_o is a register; REGISTERED 0 passes valid and data in the same " +
			"cycle and stores one word in a stall, REGISTERED 1 also registers valid and data and holds two " +
			"words; data_o is 0 without valid_o",
		Sets: []Parameters{{"WIDTH": 8, "REGISTERED": 1}, {"WIDTH": 8, "REGISTERED": 0}, {"WIDTH": 64, "REGISTERED": 1}},
		Mutants: []Mistake{
			{"word lost in a stall", "stalls = valid_i && !full_q && valid_o && !ready_i",
				"stalls = valid_i && !full_q && valid_o && !ready_i && !(&data_i)"},
			{"word doubled", "if (ready_i) full_q <= 1'b0;", "if (ready_i && !(&skid_q)) full_q <= 1'b0;"},
			{"newer word first", "full_q ? skid_q : data_i", "valid_i ? data_i : skid_q"},
			{"missing reset", "    if (reset) full_q <= 1'b0;\n    else ", "    "},
		},
		Build: func(m *Model, p Parameters) error {
			if err := p.within(map[string][2]int{"WIDTH": {1, 64}, "REGISTERED": {0, 1}}); err != nil {
				return err
			}
			return stream{"skid_buffer", 1 + p["REGISTERED"], p["WIDTH"], p["REGISTERED"] == 0, false, false}.build(m)
		},
	}
}

func registerSlice() Twin {
	return Twin{
		Name: "register_slice", Sources: []string{"register_slice.v"},
		Does: "separates two sides with valid and ready by registers; MODE 0 registers valid and data, one word per " +
			"cycle; MODE 1 also ready; MODE 2 only ready; MODE 3 all, one word in two cycles; data_o is 0 " +
			"without valid_o",
		Sets: []Parameters{{"WIDTH": 8, "MODE": 0}, {"WIDTH": 8, "MODE": 1}, {"WIDTH": 8, "MODE": 2},
			{"WIDTH": 64, "MODE": 3}},
		Mutants: []Mistake{
			{"word overwritten in a stall", "assign ready_o = !a_full_q || ready_i;", "assign ready_o = 1'b1;"},
			{"bubble after a word", "a_full_q <= valid_i;", "a_full_q <= valid_i && !a_full_q;"},
			{"data of a stall", "if (!b_full_q) b_q <= data_i;", "b_q <= data_i;"},
			{"missing reset", "if (reset) a_full_q <= 1'b0;\n        else if (ready_o)", "if (ready_o)"},
		},
		Build: func(m *Model, p Parameters) error {
			if err := p.within(map[string][2]int{"WIDTH": {1, 64}, "MODE": {0, 3}}); err != nil {
				return err
			}
			mode := p["MODE"]
			return stream{"register_slice", []int{1, 2, 1, 1}[mode], p["WIDTH"], mode == 2, mode == 0, false}.build(m)
		},
	}
}

// stream is the common model of these circuits: a queue of words.
type stream struct {
	twin         string
	depth, width int

	fallThrough bool // an empty queue shows its input
	fullThrough bool // a full queue is ready while its head is taken
	counts      bool
}

func (s stream) build(m *Model) error {
	words, held := make([]uint64, s.depth), make([]uint16, 1)
	c := &circuit{twin: s.twin}
	validIn, data := c.input("valid_i", 1), c.input("data_i", s.width)
	var readyIn *uint64
	ready := func() bool { return int(held[0]) < s.depth || s.fullThrough && *readyIn != 0 }
	valid := func() bool { return held[0] > 0 || s.fallThrough && *validIn != 0 }
	head := func() uint64 {
		switch {
		case held[0] > 0:
			return words[0]
		case valid():
			return *data
		}
		return 0
	}
	c.output("ready_o", 1, func() uint64 { return facts(ready()) })
	c.output("valid_o", 1, func() uint64 { return facts(valid()) })
	c.output("data_o", s.width, head)
	readyIn = c.input("ready_i", 1)
	if s.counts {
		c.output("count_o", bits.Len(uint(s.depth)), func() uint64 { return uint64(held[0]) })
	}
	c.latch = func() {
		all := words[:held[0]]
		pushes, pops := *validIn != 0 && ready(), valid() && *readyIn != 0
		word := *data
		if pops && len(all) > 0 {
			copy(all, all[1:])
			all = all[:len(all)-1]
			pops = false
		}
		if pushes && !pops { // a word popped in the cycle of its push has fallen through
			all = append(all, word)
		}
		clear(words[len(all):])
		held[0] = uint16(len(all))
	}
	c.declare(hw.Column("words", words, hw.AtMost(^uint64(0)>>(64-s.width))),
		hw.Column("held", held, hw.AtMost(uint16(s.depth))))
	if err := m.Stand(c); err != nil {
		return err
	}
	s.cover(m)
	validPin, dataPin, readyPin := m.Pin("valid_i"), m.Pin("data_i"), m.Pin("ready_i")
	m.Use = func(random *Random, inputs []uint64) {
		// Push more than pop, then the reverse, in turns of 4 depths.
		pushes := 1 + 2*int(random.Cycle()/uint64(4*s.depth)%2)
		inputs[validPin.Word], inputs[readyPin.Word] = facts(random.Below(4) < pushes), facts(random.Below(4) >= pushes)
		inputs[dataPin.Word] = random.Uint64()
	}
	return nil
}

func (s stream) cover(m *Model) {
	validIn, readyIn, readyOut, validOut := m.Pin("valid_i"), m.Pin("ready_i"), m.Pin("ready_o"), m.Pin("valid_o")
	stalled := false
	m.cover("valid_i", []string{"when it is not ready", "with a word taken in the same cycle", "after a stall in which " +
		"it was not ready"}, func(c *Cycle) uint64 {
		valid, ready := validIn.any(c.Inputs), readyOut.any(c.Outputs)
		after := stalled && !c.First && valid && ready
		stalled = valid && !ready
		return facts(valid && !ready, valid && ready && validOut.any(c.Outputs) && readyIn.any(c.Inputs), after)
	})
}
