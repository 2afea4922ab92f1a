package twin

import (
	"fmt"

	"starloom/hw"
)

func capArbiter() Twin {
	return Twin{
		Name: "cap_arbiter", Sources: []string{"cap_arbiter.v"}, Components: []string{"hw.CapArbiters"},
		Does: "chooses one requester in a cycle, lower tag first, of equal tags as KIND says, until CAP are chosen",
		Sets: []Parameters{
			{"PORTS": 5, "CAP": 2, "KIND": 1}, {"PORTS": 4, "CAP": 3, "KIND": 2}, {"PORTS": 4, "CAP": 1, "KIND": 0},
			{"PORTS": 1, "CAP": 1, "KIND": 2}, {"PORTS": 16, "CAP": 16, "KIND": 1}, {"PORTS": matchingMax, "CAP": 9, "KIND": 2},
		},
		Mutants: []Mistake{
			{"tags ignored", "{tag_i[i*16 +: 16], rank_q", "{tag_i[i*16 +: 16] & 16'd0, rank_q"},
			{"one too many", "chosen != CAP[COUNT_BITS-1:0]", "chosen <= CAP[COUNT_BITS-1:0]"},
			{"chosen twice", "request_i[i] && !granted[i]", "request_i[i]"},
			{"the pointer stays at the choice", "if (rank > shift) rank = rank - shift - 1'b1;\n        else rank = rank + (LAST[INDEX_BITS-1:0] - shift);",
				"if (rank >= shift) rank = rank - shift;\n        else rank = rank + (LAST[INDEX_BITS-1:0] - shift) + 1'b1;"},
			{"matrix: winner keeps its rank", "if (rank == shift) rank = LAST[INDEX_BITS-1:0];", "if (rank == shift) rank = shift;"},
			{"the order changes without a choice", "if (choice) rank_q", "rank_q"},
			{"the slot before is not forgotten", "start_i ? {PORTS{1'b0}} : granted_q", "granted_q"},
			{"it goes on without a choice", "busy_q <= choice;", "busy_q <= busy_q || start_i;"},
			{"missing reset", "rank_q[r*INDEX_BITS +: INDEX_BITS] <= r[INDEX_BITS-1:0];", "rank_q[r*INDEX_BITS +: INDEX_BITS] <= rank_q[r*INDEX_BITS +: INDEX_BITS];"},
		},
		Build: func(m *Model, p Parameters) error {
			ports := p["PORTS"]
			if ports > matchingMax || p["KIND"] < 0 {
				return fmt.Errorf("%d ports, kind %d; the module has 1 to %d, and kinds 0 to 2", ports, p["KIND"], matchingMax)
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
