package twin

import (
	"math/bits"

	"starloom/hw"
)

const (
	counterSaturates = iota
	counterWraps
	counterModes
)

func counter() Twin {
	return Twin{
		Name: "counter", Sources: []string{"counter.v"},
		Does: "counts up and down by 1 per cycle between 0 and MAX; MODE 0 stays at its ends, MODE 1 wraps; a " +
			"step beyond an end is flagged in the next cycle; for RTL that must not get such steps: assume: " +
			"\"up -> down || count < MAX\"",
		Sets: []Parameters{{"MAX": 9, "MODE": 0}, {"MAX": 9, "MODE": 1}, {"MAX": 1, "MODE": 1}, {"MAX": 255, "MODE": 0},
			{"MAX": 65535, "MODE": 1}},
		Mutants: []Mistake{
			{"wraps where it saturates", "MODE == 1 ? NONE : ALL", "NONE"},
			{"saturates where it wraps", "MODE == 1 ? ALL : NONE", "NONE"},
			{"end off by one", "count_o == ALL", "count_o == ALL - 1'b1"},
			{"up wins over down", "wire down = down_i && !up_i;", "wire down = down_i;"},
			{"missing reset", "count_q <= NONE;\n", "\n"},
		},
		Build: func(m *Model, p Parameters) error {
			if err := p.within(map[string][2]int{"MAX": {1, 65535}, "MODE": {0, counterModes - 1}}); err != nil {
				return err
			}
			most, wraps := uint32(p["MAX"]), p["MODE"] == counterWraps
			count, over, under := make([]uint32, 1), make([]uint8, 1), make([]uint8, 1)
			c := &circuit{twin: "counter"}
			up, down := c.input("up_i", 1), c.input("down_i", 1)
			c.output("count_o", bits.Len32(most), func() uint64 { return uint64(count[0]) })
			c.output("overflow_o", 1, func() uint64 { return uint64(over[0]) })
			c.output("underflow_o", 1, func() uint64 { return uint64(under[0]) })
			c.latch = func() {
				over[0], under[0] = 0, 0
				switch ups, downs := *up != 0 && *down == 0, *down != 0 && *up == 0; {
				case ups && count[0] == most:
					if over[0] = 1; wraps {
						count[0] = 0
					}
				case ups:
					count[0]++
				case downs && count[0] == 0:
					if under[0] = 1; wraps {
						count[0] = most
					}
				case downs:
					count[0]--
				}
			}
			c.declare(hw.Column("count", count, hw.AtMost(most)), hw.Column("over", over, hw.AtMost[uint8](1)),
				hw.Column("under", under, hw.AtMost[uint8](1)))
			if err := m.Stand(c); err != nil {
				return err
			}
			upPin, downPin, countPin := m.Pin("up_i"), m.Pin("down_i"), m.Pin("count_o")
			m.Use = func(random *Random, inputs []uint64) {
				// count up, then down, each long enough to reach the end
				ups := 1 + 6*int(random.Cycle()/uint64(2*most+16)%2)
				inputs[upPin.Word], inputs[downPin.Word] = facts(random.Below(8) < ups), facts(random.Below(8) >= ups)
			}
			m.cover("up_i", []string{"beyond the largest", "with down_i at the largest"}, func(c *Cycle) uint64 {
				ups, downs := upPin.any(c.Inputs), downPin.any(c.Inputs)
				return facts(ups && !downs && c.Outputs[countPin.Word] == uint64(most), ups && downs &&
					c.Outputs[countPin.Word] == uint64(most))
			})
			m.cover("down_i", []string{"below 0", "with up_i at 0"}, func(c *Cycle) uint64 {
				ups, downs := upPin.any(c.Inputs), downPin.any(c.Inputs)
				return facts(downs && !ups && c.Outputs[countPin.Word] == 0, ups && downs && c.Outputs[countPin.Word] == 0)
			})
			return nil
		},
	}
}
