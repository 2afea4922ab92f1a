package twin

import "starloom/hw"

func delayLine() Twin {
	return Twin{
		Name: "delay_line", Sources: []string{"delay_line.v"},
		Does: "shows its input CYCLES cycles later; RESET 1: 0 after a reset; RESET 0: the data have no reset, so" +
			" data_o is 0 until filled_o is 1 and counts only from then on (compare: {data: filled}; RTL may " +
			"lack filled_o: absent: [filled])",
		Sets: []Parameters{
			{"WIDTH": 8, "CYCLES": 3, "RESET": 0}, {"WIDTH": 8, "CYCLES": 3, "RESET": 1},
			{"WIDTH": 1, "CYCLES": 1, "RESET": 0}, {"WIDTH": 64, "CYCLES": 17, "RESET": 1},
		},
		Mutants: []Mistake{
			{"one cycle long", "(CYCLES-1)*WIDTH +: WIDTH", "0 +: WIDTH"},
			{"filled one cycle early", "filled_o = filled_q[CYCLES-1]", "filled_o = filled_q[CYCLES/2]"},
			{"reset does not reach the data", "if (RESET != 0 && reset)", "if (1'b0)"},
			{"missing reset of filled", "reset ? {CYCLES{1'b0}} : {filled_q", "{filled_q"},
		},
		Build: func(m *Model, p Parameters) error {
			if err := p.within(map[string][2]int{"WIDTH": {1, 64}, "CYCLES": {1, 1024}, "RESET": {0, 1}}); err != nil {
				return err
			}
			width, cycles := p["WIDTH"], p["CYCLES"]
			line, age := make([]uint64, cycles), make([]uint16, 1)
			c := &circuit{twin: "delay_line"}
			data := c.input("data_i", width)
			filled := func() bool { return int(age[0]) == cycles }
			c.output("data_o", width, func() uint64 { return line[cycles-1] })
			c.output("filled_o", 1, func() uint64 { return facts(filled()) })
			c.latch = func() {
				copy(line[1:], line)
				if line[0] = *data; !filled() {
					age[0]++
				}
			}
			c.declare(hw.Column("line", line, hw.AtMost(^uint64(0)>>(64-width))),
				hw.Column("age", age, hw.AtMost(uint16(cycles))))
			if err := m.Stand(c); err != nil {
				return err
			}
			pin := m.Pin("data_i")
			m.Use = func(random *Random, inputs []uint64) { inputs[pin.Word] = random.Uint64() }
			return nil
		},
	}
}
