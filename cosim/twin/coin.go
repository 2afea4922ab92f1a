package twin

import "starloom/hw"

func coin() Twin {
	return Twin{
		Name: "coin", Sources: []string{"coin.v"}, Components: []string{"hw.Coins"},
		Does: "shows heads with probability 1/count_i in the same cycle; start_i draws, toss_i draws again",
		Sets: []Parameters{{"COUNT_BITS": 32}, {"COUNT_BITS": 7}, {"COUNT_BITS": 1}, {"COUNT_BITS": 17}},
		Mutants: []Mistake{
			{"just not enough", "product <= 65'h1_0000_0000", "product < 65'h1_0000_0000"},
			{"heads without a contender", "|count_i && product", "product"},
			{"the same for all processors", "GAMMA * {32'd0, processor_i}", "GAMMA"},
			{"the same in all slots", "{16'd0, slot_i, 16'd0}", "{48'd0, slot_i[15:0] & 16'd0}"},
			{"the low half", "drawn[63:32]", "drawn[31:0]"},
			{"31 steps", "i < 32;", "i < 31;"},
			{"enable ignored", "else if (toss_i)", "else"},
			{"missing reset", "if (reset) value_q <= 32'd1;\n    else if", "if"},
		},
		Build: func(m *Model, p Parameters) error {
			coins, err := hw.NewCoins(hw.CoinConfig{
				Bank: one("coin"), Inputs: 1, Processors: make([]uint32, 1), Start: wire("start", 1), Slot: wire("slot", 32),
				Count: wire("count", p["COUNT_BITS"]), Toss: wire("toss", 1),
			})
			if err != nil {
				return err
			}
			if err := m.Stand(coins); err != nil {
				return err
			}
			m.coverPairs("start_i", "toss_i")
			start, toss, stream := m.Pin("start_i"), m.Pin("toss_i"), m.Pin("stream_i")
			processor, slot, count := m.Pin("processor_i"), m.Pin("slot_i"), m.Pin("count_i")
			m.Use = func(random *Random, inputs []uint64) {
				inputs[start.Word], inputs[toss.Word] = 0, uint64(random.Below(2))
				if random.OneIn(8) {
					inputs[start.Word] = 1
					inputs[slot.Word]++
				}
				if random.OneIn(256) {
					inputs[stream.Word], inputs[processor.Word], inputs[slot.Word] = random.Uint64(),
						uint64(random.Below(1<<16)), uint64(random.Uint32())
				}
				inputs[count.Word] = uint64(random.Below(8))
				switch random.Below(8) {
				case 0:
					inputs[count.Word] = uint64(random.Uint32()) >> random.Below(32)
				case 1: // 1<<31 makes the value after a reset barely heads
					inputs[count.Word] = 1 << (31 - random.Below(2)*random.Below(32))
				}
			}
			return nil
		},
	}
}
