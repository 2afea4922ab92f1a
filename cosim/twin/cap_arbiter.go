package twin

import (
	"fmt"

	"starloom/hw"
)

func capArbiter() Twin {
	return Twin{
		Name: "cap_arbiter", Components: []string{"hw.CapArbiters"},
		Sources: []string{
			"cap_arbiter.v", "arbiter_choice.v", "arbiter_fixed.v", "arbiter_round_robin.v", "arbiter_matrix.v",
			"arbiter_tdma.v", "arbiter_lock.v",
		},
		Does: "chooses one request per cycle, in ascending order of tags and among equal tags by KIND, until CAP " +
			"are chosen",
		Sets: []Parameters{
			{"PORTS": 5, "CAP": 2, "KIND": 1}, {"PORTS": 4, "CAP": 3, "KIND": 2}, {"PORTS": 4, "CAP": 1, "KIND": 0},
			{"PORTS": 1, "CAP": 1, "KIND": 2}, {"PORTS": 16, "CAP": 16, "KIND": 1}, {"PORTS": matchingMax, "CAP": 9, "KIND": 2},
		},
		Mutants: []Mistake{
			{"tags ignored", "!tag_i[i*16 + b]", "(!tag_i[i*16 + b] || b >= 0)"},
			{"the lowest bit of a tag ignored", "b >= 0; b", "b >= 1; b"},
			{"one too many", "chosen != CAP[COUNT_BITS-1:0]", "chosen <= CAP[COUNT_BITS-1:0]"},
			{"chosen twice", "request_i & ~granted &", "request_i &"},
			{"the pointer stays at the choice", "~(choice_o | (choice_o - ONE))", "~(choice_o - ONE)"},
			{"matrix: winner keeps its rank", "(rank_q[b*REQUESTERS +: REQUESTERS] ^ borrow) & ~choice |\n          (choice " +
				"& {REQUESTERS{LAST[b]}});",
				"rank_q[b*REQUESTERS +: REQUESTERS] ^ borrow;"},
			{"the slot before is not forgotten", "start_i ? {PORTS{1'b0}} : granted_q", "granted_q"},
			{"it goes on without a choice", "busy_q <= |choice;", "busy_q <= busy_q || start_i;"},
			{"missing reset", "if (reset) after_q <= {REQUESTERS{1'b1}};\n    else if", "if"},
		},
		Build: func(m *Model, p Parameters) error {
			ports := p["PORTS"]
			if ports > matchingMax || p["KIND"] < 0 || p["KIND"] > int(hw.ArbiterMatrix) {
				return fmt.Errorf("%d ports, kind %d; the module supports 1 to %d ports, and kinds 0 to "+
					"2", ports, p["KIND"], matchingMax)
			}
			column := columnsOf(ports)
			arbiters, err := hw.NewCapArbiters(hw.CapArbiterConfig{
				Bank: one("arbiter"), Ports: ports, Rule: hw.CapRule{Kind: hw.ArbiterKind(p["KIND"]), Cap: p["CAP"]},
				Start: wire("start", 1), Request: column("request", 1), Tag: column("tag", 16),
			})
			if err != nil {
				return err
			}
			if err := m.Stand(arbiters); err != nil {
				return err
			}
			slots := newSlots(m, ports)
			m.Use = func(random *Random, inputs []uint64) { slots.change(random, inputs) }
			return nil
		},
	}
}
