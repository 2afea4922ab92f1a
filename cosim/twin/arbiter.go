package twin

import (
	"fmt"
	"slices"

	"starloom/hw"
)

func arbiter(kind string) Twin {
	grants := map[string]string{
		"fixed": "the lowest requester", "round_robin": "the first after the one that was granted last",
		"matrix": "the one whose last grant is the longest ago", "tdma": "the one whose turn of SLICE_CYCLES it is",
	}
	t := Twin{
		Name: "arbiter_" + kind, Sources: []string{"arbiter_" + kind + ".v", "arbiter_lock.v"},
		Does: "grants " + grants[kind] + ", from the cycle after its request on, and holds the grant while the request stays high; " +
			"index_o is its number, 0 without a grant",
		Components: []string{"hw.Arbiters"}, Mutants: arbiterMutants(kind),
	}
	for _, set := range [][2]int{{4, 4}, {100, 2}, {1, 1}, {5, 3}, {16, 7}, {64, 1}, {65, 1}, {requestersMax, 1}} {
		p := Parameters{"REQUESTERS": set[0]}
		if kind == hw.ArbiterTDMA.String() {
			p["SLICE_CYCLES"] = set[1]
		}
		t.Sets = append(t.Sets, p)
	}
	t.Build = func(m *Model, p Parameters) error {
		if p["REQUESTERS"] > requestersMax {
			return fmt.Errorf("%d requesters, the module has 1 to %d", p["REQUESTERS"], requestersMax)
		}
		lines, err := hw.NewRequests(one("arbiter"), "request", p["REQUESTERS"], m.Shards())
		if err != nil {
			return err
		}
		arbiters, err := hw.NewArbiters(hw.ArbiterConfig{
			Bank: one("arbiter"), Kind: hw.ArbiterKind(slices.Index(hw.ArbiterKinds, kind)), SliceCycles: p["SLICE_CYCLES"], Request: lines,
		})
		if err != nil {
			return err
		}
		if err := m.Stand(arbiters); err != nil {
			return err
		}
		m.coverGrants(nil)
		request := m.Pin("request_i")
		m.Use = func(random *Random, inputs []uint64) { changeRequests(random, request.Of(inputs)) }
		return nil
	}
	return t
}

const requestersMax = 1024

// changeRequests draws requests of 8 cycles on average; now and then all change at once, or one of many is left.
func changeRequests(random *Random, requests []uint64) {
	how := random.Below(64)
	if how == 4 && len(requests) > 1 {
		clear(requests)
		requests[random.Below(len(requests))] = 1 << random.Below(64)
		return
	}
	for w := range requests {
		switch how {
		case 0:
			requests[w] = 0
		case 1:
			requests[w] = ^uint64(0)
		case 2:
			requests[w] = random.Uint64()
		case 3:
			requests[w] = random.Sparse(4)
		default:
			requests[w] ^= random.Sparse(3)
		}
	}
}

func arbiterMutants(kind string) []Mistake {
	notHeld := Mistake{"holder not held", "else if (free_o)", "else"}
	return map[string][]Mistake{
		"fixed": {
			{"all that request", "request_i & (~request_i + ONE)", "request_i & ~(request_i + ONE)"},
			notHeld,
			{"late grant", "grant_q <= choice_i", "grant_q <= |grant_q ? {REQUESTERS{1'b0}} : choice_i"},
			{"missing reset", "if (reset) grant_q <= {REQUESTERS{1'b0}};\n    else if", "if"},
		},
		"round_robin": {
			{"off by one", "~(choice | (choice - ONE))", "~(choice | (choice << 1) | (choice - ONE))"},
			{"winner stays first", "~(choice | (choice - ONE))", "~(choice - ONE)"},
			notHeld,
			{"missing reset", "if (reset) after_q <= {REQUESTERS{1'b1}};\n    else if", "if"},
		},
		"matrix": {
			{"reset order reversed", "rank_q <= numbers;", "rank_q <= ~numbers;"},
			{
				"winner keeps its rank",
				"(rank_q[b*REQUESTERS +: REQUESTERS] ^ borrow) & ~choice |\n          (choice & {REQUESTERS{LAST[b]}});",
				"rank_q[b*REQUESTERS +: REQUESTERS] ^ borrow;",
			},
			{"no one moves up", "borrow = above;", "borrow = {REQUESTERS{1'b0}};"},
			{"moves up by an odd number only", "borrow = borrow & ~rank_q[b*REQUESTERS +: REQUESTERS];", "borrow = {REQUESTERS{1'b0}};"},
			notHeld,
		},
		"tdma": {
			{"slice one cycle long", "LAST_CYCLE = SLICE_CYCLES - 1", "LAST_CYCLE = SLICE_CYCLES"},
			{"turns wait for the holder", "elapsed_q <= elapsed_q + 16'd1;", "if (free) elapsed_q <= elapsed_q + 16'd1;"},
			{"missing reset", "turn_q <= {INDEX_BITS{1'b0}};\n      elapsed_q", "elapsed_q"},
			{"a turn for no one", "LAST = REQUESTERS - 1", "LAST = REQUESTERS"},
		},
	}[kind]
}
