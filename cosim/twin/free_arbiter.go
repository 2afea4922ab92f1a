package twin

import (
	"math/bits"

	"starloom/hw"
)

const (
	holdNothing   = iota // the arbiter chooses in every cycle
	holdRequested        // the arbiter holds a choice while the chosen input requests
	holdTaken            // the arbiter holds a choice until take_i
	holdReleased         // the arbiter holds a choice until take_i, a cycle after the grant
	holdCount
)

func freeArbiter() Twin {
	return Twin{
		Name: "free_arbiter", Sources: []string{
			"free_arbiter.v", "arbiter_choice.v", "arbiter_fixed.v", "arbiter_round_robin.v", "arbiter_matrix.v",
			"arbiter_tdma.v", "arbiter_lock.v",
		},
		Does: "grants in the cycle of the request: KIND 0 the lowest request, KIND 1 the first after the last " +
			"granted one; HOLD 0 chooses in every cycle, 1 holds while requested, 2 holds until take_i, 3 holds" +
			" until take_i one cycle later; with HOLD 0 and 2 only a taken grant advances KIND 1",
		Sets: []Parameters{
			{"REQUESTERS": 4, "KIND": 1, "HOLD": 0, "TAKE_BITS": 1}, {"REQUESTERS": 4, "KIND": 1, "HOLD": 2, "TAKE_BITS": 4},
			{"REQUESTERS": 5, "KIND": 1, "HOLD": 3, "TAKE_BITS": 5}, {"REQUESTERS": 5, "KIND": 1, "HOLD": 1, "TAKE_BITS": 1},
			{"REQUESTERS": 4, "KIND": 0, "HOLD": 1, "TAKE_BITS": 1}, {"REQUESTERS": 64, "KIND": 1, "HOLD": 2, "TAKE_BITS": 1},
			{"REQUESTERS": 1, "KIND": 0, "HOLD": 0, "TAKE_BITS": 1},
		},
		Mutants: []Mistake{
			{"winner stays first", "~(choice_o | (choice_o - ONE))", "~(choice_o - ONE)"},
			{"moves on without a take", "wire moves = |grant_o && (taken || HOLD == 1 || HOLD == 3);", "wire moves = |grant_o;"},
			{"lock never released", "held_q & {REQUESTERS{!taken}}", "held_q"},
			{"missing reset of the order", "if (reset) after_q <= {REQUESTERS{1'b1}};\n    else if", "if"},
		},
		Build: buildFreeArbiter,
	}
}

func buildFreeArbiter(m *Model, p Parameters) error {
	n, hold, roundRobin, takenOnce := p["REQUESTERS"], p["HOLD"], p["KIND"] == 1, p["TAKE_BITS"] == 1
	if err := p.within(map[string][2]int{"REQUESTERS": {1, 64}, "KIND": {0, 1}, "HOLD": {0, holdCount - 1},
		"TAKE_BITS": {1, 64}}); err != nil {
		return err
	}
	if !takenOnce {
		if err := p.within(map[string][2]int{"TAKE_BITS": {n, n}}); err != nil {
			return err
		}
	}
	all := ^uint64(0) >> (64 - n)
	held, after := make([]uint64, 1), make([]uint64, 1)
	c := &circuit{twin: "free_arbiter"}
	request, take := c.input("request_i", n), c.input("take_i", p["TAKE_BITS"])
	takes := func(who uint64) bool {
		if takenOnce {
			return *take != 0
		}
		return *take&who != 0
	}
	grant := func() uint64 {
		keep := uint64(0)
		switch {
		case hold == holdRequested:
			keep = held[0] & *request
		case hold == holdTaken, hold == holdReleased && !takes(held[0]):
			keep = held[0]
		}
		if keep != 0 {
			return keep
		}
		asks := *request
		if roundRobin && asks&after[0] != 0 {
			asks &= after[0]
		}
		return asks & -asks
	}
	c.output("grant_o", n, grant)
	c.output("index_o", 6, func() uint64 {
		if g := grant(); g != 0 {
			return uint64(bits.TrailingZeros64(g))
		}
		return 0
	})
	c.latch = func() {
		g := grant()
		taken := takes(g)
		if g != 0 && (taken || hold == holdRequested || hold == holdReleased) {
			after[0] = all &^ (g | (g - 1))
		}
		if held[0] = g; hold == holdNothing || hold == holdTaken && taken {
			held[0] = 0
		}
	}
	c.declare(hw.Column("held", held, hw.AtMost(all)), hw.Column("after", after, hw.AtMost(all)).ResetTo(all))
	c.Reset()
	if err := m.Stand(c); err != nil {
		return err
	}
	if hold == holdRequested || hold == holdNothing && !roundRobin {
		m.Idle = []string{"take_i"}
	}
	requests, takePin := m.Pin("request_i"), m.Pin("take_i")
	m.Use = func(random *Random, inputs []uint64) {
		changeRequests(random, requests.Of(inputs))
		inputs[takePin.Word] = random.Uint64()
	}
	return nil
}
