package twin

import (
	"slices"

	"starloom/hw"
)

// arbiter is the twin of hw.Arbiters of one kind.
func arbiter(kind string) Twin {
	t := Twin{Name: "arbiter_" + kind, Sources: []string{"arbiter_" + kind + ".v"}, Components: []string{"hw.Arbiters"}, Mutants: arbiterMutants(kind)}
	for _, set := range [][2]int{{4, 4}, {1, 1}, {5, 3}, {16, 7}, {64, 1}} {
		p := Parameters{"REQUESTERS": set[0]}
		if kind == hw.ArbiterTDMA.String() {
			p["SLICE_CYCLES"] = set[1]
		}
		t.Sets = append(t.Sets, p)
	}
	t.Build = func(m *Model, p Parameters) error {
		n := p["REQUESTERS"]
		arbiters, err := hw.NewArbiters(hw.ArbiterConfig{
			Bank: one("arbiter"), Kind: hw.ArbiterKind(slices.Index(hw.ArbiterKinds, kind)), Requesters: n,
			SliceCycles: p["SLICE_CYCLES"], Request: wire("request", n),
		})
		if err != nil {
			return err
		}
		if err := m.Stand(arbiters); err != nil {
			return err
		}
		request := m.Pin("request_i")
		m.Use = func(random *Random, inputs []uint64) {
			// Requests last for 8 cycles on average; now and then all change at once.
			switch random.Below(64) {
			case 0:
				inputs[request.Word] = 0
			case 1:
				inputs[request.Word] = ^uint64(0)
			case 2:
				inputs[request.Word] = random.Uint64()
			case 3:
				inputs[request.Word] = random.Sparse(4)
			default:
				inputs[request.Word] ^= random.Sparse(3)
			}
		}
		return nil
	}
	return t
}

// arbiterMutants are the mistakes of one kind.
func arbiterMutants(kind string) []Mistake {
	const hold, lowest = "else if (!hold)", "for (i = REQUESTERS - 1; i >= 0; i = i - 1)"
	return map[string][]Mistake{
		"fixed": {
			{"two grants", "choice = {REQUESTERS{1'b0}};\n        choice[i]", "choice[i]"},
			{"highest first", lowest, "for (i = 0; i < REQUESTERS; i = i + 1)"},
			{"holder not held", hold, "else"},
			{"late grant", "grant_q <= choice", "grant_q <= |grant_q ? {REQUESTERS{1'b0}} : choice"},
			{"missing reset", "if (reset) grant_q <= {REQUESTERS{1'b0}};\n    else if", "if"},
		},
		"round_robin": {
			{"off by one", "~(choice | (choice - ONE))", "~(choice | (choice << 1) | (choice - ONE))"},
			{"winner stays first", "~(choice | (choice - ONE))", "~(choice - ONE)"},
			{"holder not held", hold, "else"},
			{"missing reset", "behind_q <= {REQUESTERS{1'b1}};", ""},
		},
		"matrix": {
			{"reset order reversed", "~(ALL << i)", "~(ALL >> i)"},
			{"winner stays first", "choice[i] ? ALL : beaten_q", "beaten_q"},
			{"winner's column stays", " & ~choice;", ";"},
			{"holder not held", hold, "else"},
		},
		"tdma": {
			{"slice one cycle long", "LAST_CYCLE = SLICE_CYCLES - 1", "LAST_CYCLE = SLICE_CYCLES"},
			{"turns wait for the holder", "elapsed_q <= elapsed_q + 16'd1;", "if (!hold) elapsed_q <= elapsed_q + 16'd1;"},
			{"missing reset", "turn_q <= 6'd0;\n      elapsed_q", "elapsed_q"},
			{"a turn for nobody", "LAST = REQUESTERS - 1", "LAST = REQUESTERS"},
		},
	}[kind]
}
