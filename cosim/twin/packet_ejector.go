package twin

import "starloom/hw"

func packetEjector() Twin {
	set := func(vcs, depth, places, data int) Parameters {
		return Parameters{"VCS": vcs, "DEPTH": depth, "PLACES": places, "DATA_BITS": data}
	}
	return Twin{
		Name: "packet_ejector", Sources: []string{"packet_ejector.v"}, Components: []string{"hw.PacketEjector"},
		Does: "gives packets places in the order of their heads and takes one flit per cycle, of the first packet that has " +
			"a place and a flit; the other flits wait in a FIFO per VC; the credit of a flit returns one cycle later",
		Sets: []Parameters{set(2, 4, 2, 12), set(1, 1, 1, 1), set(3, 2, 3, 53), set(5, 3, 1, 7)},
		Mutants: []Mistake{
			{"credit of VC 0", "credit_vc_q <= number;", "credit_vc_q <= {VC_BITS{1'b0}};"},
			{"places without end", "wanted < free ? wanted : free", "wanted"},
			{"one place in a cycle", "wanted < free ? wanted : free",
				"|wanted && |free ? {{(WIDE-1){1'b0}}, 1'b1} : {WIDE{1'b0}}"},
			{"the last packet first", "if (!past && k[", "if (k["},
			{"flits of packets without places", "k[ROOM_BITS-1:0] < granted &&", "k[ROOM_BITS-1:0] < packets &&"},
			{"flits wait for a cycle", "(lit[n] || count_q", "(count_q"},
			{"tails keep their turn", "order_q <= end_o ? rest :", "order_q <="},
			{"a tail frees its place", "free_q <= freed_i > taken ? ALL : left + freed_i;",
				"free_q <= freed_i > taken ? ALL : left + freed_i + (end_o && left != ALL ? 1'b1 : 1'b0);"},
			{"ring one flit short", "LAST_AT = DEPTH - 1", "LAST_AT = DEPTH > 2 ? DEPTH - 2 : DEPTH - 1"},
			{"missing reset of the places", "      free_q <= ALL;\n", ""},
		},
		Build: func(m *Model, p Parameters) error {
			x, err := hw.NewPacketEjector("pin", p["VCS"], p["DEPTH"], p["PLACES"], p["DATA_BITS"])
			if err != nil {
				return err
			}
			if err := m.Stand(x); err != nil {
				return err
			}
			valid, tail, vc := m.Pin("valid_i"), m.Pin("tail_i"), m.Pin("vc_i")
			data, freed := m.Pin("data_i"), m.Pin("freed_i")
			m.Use = func(random *Random, inputs []uint64) {
				turn := random.Cycle() / 64
				inputs[valid.Word] = facts(random.Below(8) < 2+int(turn%4)*2)
				inputs[tail.Word] = facts(random.Below(3) == 0)
				inputs[vc.Word] = uint64(random.Below(p["VCS"]))
				inputs[data.Word] = random.Uint64() & (^uint64(0) >> (64 - data.Bits))
				if inputs[freed.Word] = 0; random.Below(16) < 1+int(turn/4%4)*3 {
					inputs[freed.Word] = uint64(random.Below(1 + p["PLACES"]))
				}
			}
			return nil
		},
	}
}
