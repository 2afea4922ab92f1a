package twin

import "starloom/hw"

func packetSource() Twin {
	set := func(vcs, depth, wait, data, size, queue int) Parameters {
		return Parameters{"VCS": vcs, "DEPTH": depth, "WAIT_FOR_TAIL": wait, "DATA_BITS": data, "SIZE_BITS": size,
			"QUEUE": queue}
	}
	return Twin{
		Name: "packet_source", Sources: []string{"packet_source.v"}, Components: []string{"hw.PacketSources"},
		Does: "sends packets flit by flit in order of creation; a head takes the next free VC with a credit, and a packet " +
			"owns its VC until its tail has left or, with WAIT_FOR_TAIL, until its credits are back",
		Sets: []Parameters{
			set(2, 4, 0, 12, 4, 4), set(3, 2, 1, 53, 2, 3), set(1, 1, 1, 1, 1, 1), set(5, 3, 1, 20, 3, 2),
			set(4, 7, 0, 8, 16, 5),
		},
		Mutants: []Mistake{
			{"always the lowest VC", "|after ? after : candidates", "candidates"},
			{"the last VC again", "~(last_q | (last_q - ONE))", "~(last_q - ONE)"},
			{"starts at VC 1", "last_q <= ONE << LAST_VC;", "last_q <= ONE;"},
			{"flits without credit", "assign has_credit[v] = rest != FULL;", "assign has_credit[v] = 1'b1;"},
			{"a credit counts one cycle late", "assign has_credit[v] = rest != FULL;", "assign has_credit[v] = out != FULL;"},
			{"a VC is free when its tail has left", "!(ends && WAIT_FOR_TAIL == 0)", "!ends"},
			{"a VC is free when a credit is back", "counts && rest == {COUNT_BITS{1'b0}})", "counts)"},
			{"a packet waits for a cycle", "wire waits = !empty || enters;", "wire waits = !empty;"},
			{"all VCs", "has_credit & may;", "has_credit;"},
			{"only the named VCs", "|vcs[v:0] && |vcs[VCS-1:v]", "vcs[v]"},
			{"holds all flits", "!(first && hold_i)", "!hold_i"},
			{"ring one packet short", "LAST_PLACE = QUEUE - 1", "LAST_PLACE = QUEUE > 2 ? QUEUE - 2 : QUEUE - 1"},
			{"missing reset of the place", "      place_q <= {SIZE_BITS{1'b0}};\n      read_q", "      read_q"},
		},
		Build: func(m *Model, p Parameters) error {
			err := p.within(map[string][2]int{"VCS": {1, 64}, "DEPTH": {1, 4096}, "WAIT_FOR_TAIL": {0, 1}})
			if err != nil {
				return err
			}
			x, err := hw.NewPacketSource("pin", m.Kernel().Clock(),
				hw.RouterConfig{VCs: p["VCS"], Depth: p["DEPTH"], WaitForTail: p["WAIT_FOR_TAIL"] == 1}, p["QUEUE"],
				p["SIZE_BITS"], p["DATA_BITS"], m.Shards())
			if err != nil {
				return err
			}
			if err := m.StandFor(x.Site(), x.Components()...); err != nil {
				return err
			}
			create, size, data := m.Pin("create_i"), m.Pin("size_i"), m.Pin("data_i")
			credit, vc, vcs, hold := m.Pin("credit_i"), m.Pin("credit_vc_i"), m.Pin("vcs_i"), m.Pin("hold_i")
			m.Use = func(random *Random, inputs []uint64) {
				turn := random.Cycle() / 64
				inputs[create.Word] = facts(random.Below(8) < 1+int(turn%4)*2)
				inputs[size.Word] = uint64(random.Below(1 + min(6, 1<<size.Bits-1)))
				inputs[data.Word] = random.Uint64() & (^uint64(0) >> (64 - data.Bits))
				inputs[vcs.Word] = ^uint64(0) >> (64 - vcs.Bits)
				if turn/16%2 == 1 {
					inputs[vcs.Word] &= random.Uint64()
				}
				inputs[hold.Word] = facts(turn/8%2 == 1 && random.Below(4) == 0)
				inputs[credit.Word] = facts(random.Below(4) < 1+int(turn/4%4))
				inputs[vc.Word] = uint64(random.Below(p["VCS"]))
			}
			return nil
		},
	}
}
