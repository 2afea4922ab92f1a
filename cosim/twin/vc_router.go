package twin

import (
	"starloom/hw"
)

func vcRouter() Twin {
	set := func(ports, vcs, depth, routing, credit, wait, va, sa, data int) Parameters {
		return Parameters{
			"PORTS": ports, "VCS": vcs, "DEPTH": depth, "ROUTING_DELAY": routing, "CREDIT_DELAY": credit, "WAIT_FOR_TAIL": wait,
			"VC_ALLOCATOR": va, "SWITCH_ALLOCATOR": sa, "DATA_BITS": data,
		}
	}
	const accepted = "if (|vc_match[n*N+:N]) vc_accept_q[n*N+:N] <= past_vc(vc_match[n*N+:N]);\n"
	return Twin{
		Name: "vc_router", Sources: []string{"vc_router.v", "vc_matcher.v"}, Components: []string{"hw.Routers"},
		Does: "is an input-queued router with virtual channels and credits: a head gets a free VC among the output VCs " +
			"of its route; one flit per input and output crosses the switch per cycle; kinds of allocators, " +
			"with one iteration: 0 islip, 1 separable_input_first",
		Sets: []Parameters{
			set(3, 2, 4, 1, 0, 0, 0, 0, 12), set(2, 2, 2, 0, 2, 1, 1, 1, 5), set(5, 2, 4, 0, 2, 1, 1, 1, 53),
			set(4, 3, 2, 1, 1, 1, 0, 1, 8), set(2, 5, 8, 0, 0, 0, 1, 0, 1),
			set(1, 1, 1, 1, 0, 1, 0, 0, 4), set(6, 4, 5, 1, 3, 0, 0, 0, 20), set(3, 1, 6, 0, 1, 1, 1, 1, 9),
			set(6, 5, 7, 0, 0, 1, 0, 1, 33),
		},
		Mutants: []Mistake{
			{"accept pointers of VCs stay", accepted, ""},
			{"grant pointers of VCs stay", "if (|vc_matched[n*N+:N]) vc_grant_q[n*N+:N] <= past_vc(vc_matched[n*N+:N]);\n", ""},
			{"accept pointers of the switch stay", "if (|match[n*PORTS+:PORTS]) switch_accept_q[n*PORTS+:PORTS] <= " +
				"past_port(match[n*PORTS+:PORTS]);\n", ""},
			{"grant pointers of the switch stay", "if (|matched[n*PORTS+:PORTS]) switch_grant_q[n*PORTS+:PORTS] <= " +
				"past_port(matched[n*PORTS+:PORTS]);\n", ""},
			{"the choice of a VC stays", "if (|leaves[n*VCS+:VCS]) choice_q[n*VCS+:VCS] <= past_choice(leaves[n*VCS+:VCS]);\n",
				""},
			{"pointers of VCs stay at the match", "past_vc = ~(found | (found - ONE))", "past_vc = ~(found - ONE)"},
			{"pointers of the switch stay at the match", "past_port = ~(found | (found - ONE_PORT))",
				"past_port = ~(found - ONE_PORT)"},
			{"the choice stays at the winner", "past_choice = ~(found | (found - ONE_VC))", "past_choice = ~(found - ONE_VC)"},
			{"no route in no cycle", "waiting_q[m] || (ROUTING_DELAY == 0 && idle[m])", "waiting_q[m]"},
			{"always a route in no cycle", "waiting_q[m] || (ROUTING_DELAY == 0 && idle[m])", "waiting_q[m] || idle[m]"},
			{"no output register", "valid_q <= crossed_q;\n    flit_q <= cross_q;\n    vc_q <= cross_vc_q;",
				"for (n = 0; n < PORTS; n = n + 1) valid_q[n] <= |matched[n*PORTS+:PORTS];\n    flit_q <= crossing;\n    vc_q " +
					"<= crossing_vc;"},
			{"a credit counts one cycle early",
				"assign back = line[CREDIT_DELAY*PORTS+:PORTS];\n      assign back_vc = " +
					"line_vc[CREDIT_DELAY*PORTS*VC_BITS+:PORTS*VC_BITS];",
				"assign back = line[(CREDIT_DELAY-1)*PORTS+:PORTS];\n      assign back_vc = " +
					"line_vc[(CREDIT_DELAY-1)*PORTS*VC_BITS+:PORTS*VC_BITS];"},
			{"a credit counts in the next cycle", "wire [COUNT_BITS-1:0] rest = counts ? out - 1'b1 : out;",
				"wire [COUNT_BITS-1:0] rest = counts && out != FULL ? out - 1'b1 : out;"},
			{"an output VC is free when its tail has left", "(!free[n] && !(WAIT_FOR_TAIL == 0 && tail_sent[n]))",
				"(!free[n] && !tail_sent[n])"},
			{"an output VC is free when its credits are back", "rest == {COUNT_BITS{1'b0}} && tailed_q[m]",
				"rest == {COUNT_BITS{1'b0}}"},
			{"only VCs with credit are asked for", "route[m*N+:N] & free;", "route[m*N+:N] & free & has_credit;"},
			{"a flit waits for a cycle", "filled[i*VCS+j] && |(out_q",
				"count_q[(i*VCS+j)*COUNT_BITS+:COUNT_BITS] != {COUNT_BITS{1'b0}} && |(out_q"},
			{"a credit of the output VC", "vc = vc | c[VC_BITS-1:0];", "vc = vc | (c[VC_BITS-1:0] & {VC_BITS{to[0]}});"},
			{"the second side has no pointer", "wire [A*B-1:0] from_b = KIND == 0 ? accept_i : grant_i;",
				"wire [A*B-1:0] from_b = KIND == 0 ? {A*B{1'b1}} : grant_i;"},
			{"ring one flit short", "LAST_PLACE = DEPTH - 1", "LAST_PLACE = DEPTH > 2 ? DEPTH - 2 : DEPTH - 1"},
			{"flits without credit", "assign has_credit[m] = rest != FULL;", "assign has_credit[m] = 1'b1;"},
			{"missing reset", "      switch_grant_q <= {PORTS*PORTS{1'b1}};\n", ""},
		},
		Build: buildVCRouter,
	}
}

type vcPins struct {
	routers    *hw.Routers
	ports, vcs int
	vcBits     int

	valid, head, tail, vc, data, route, credit, creditVC Pin
	sent, freed                                          lane
}

func buildVCRouter(m *Model, p Parameters) error {
	err := p.within(map[string][2]int{
		"PORTS": {1, 64}, "VCS": {1, 64}, "DEPTH": {1, 4096}, "ROUTING_DELAY": {0, 1},
		"CREDIT_DELAY": {0, 64}, "WAIT_FOR_TAIL": {0, 1},
		"VC_ALLOCATOR": {0, 1}, "SWITCH_ALLOCATOR": {0, 1}, "DATA_BITS": {1, hw.RouterDataBits},
	})
	if err != nil {
		return err
	}
	n, err := hw.NewRouter("pin", m.Kernel().Clock(), hw.RouterConfig{
		VCs: p["VCS"], Depth: p["DEPTH"], RoutingDelay: p["ROUTING_DELAY"], CreditDelay: p["CREDIT_DELAY"],
		WaitForTail: p["WAIT_FOR_TAIL"] == 1,
		VCAllocator: hw.RouterAllocator(p["VC_ALLOCATOR"]), SwitchAllocator: hw.RouterAllocator(p["SWITCH_ALLOCATOR"]),
	}, p["PORTS"], p["DATA_BITS"], m.Shards())
	if err != nil {
		return err
	}
	if err := m.StandFor(n.Routers.Site(), n.Flits, n.Credits, n.Routers); err != nil {
		return err
	}
	x := &vcPins{routers: n.Routers, ports: p["PORTS"], vcs: p["VCS"], vcBits: hw.IndexBits(p["VCS"])}
	for name, pin := range map[string]*Pin{
		"valid_i": &x.valid, "head_i": &x.head, "tail_i": &x.tail, "vc_i": &x.vc, "data_i": &x.data, "route_i": &x.route,
		"credit_i": &x.credit, "credit_vc_i": &x.creditVC,
	} {
		*pin = m.Pin(name)
		m.OnlyInUse = append(m.OnlyInUse, *pin) // neighbours must obey the rules of VCs
	}
	x.sent = newLane(m, p["PORTS"], "valid_o", "vc_o", "head_o", "tail_o", "data_o")
	x.freed = newLane(m, p["PORTS"], "credit_o", "credit_vc_o")
	m.Pulses = []Pulses{{"credit_pulse_i", "credit_i", "credit_vc_i", p["VCS"]},
		{"credit_pulse_o", "credit_o", "credit_vc_o", p["VCS"]}}
	m.Use, m.Keep, m.Where = x.use, x.keep, x.where
	x.cover(m)
	return nil
}

// use sets typical inputs. Packets have one or many flits, never enter a full buffer, and are sent to one output or
// to all. The credits of departed flits return soon or late.
func (x *vcPins) use(random *Random, inputs []uint64) {
	turn := random.Cycle() / uint64(16*x.ports)
	load, credits, long, hot := 1+int(turn%4), int(turn/4%4), int(turn/16%3), turn/2%3 == 0
	for _, pin := range []Pin{x.valid, x.head, x.tail, x.vc, x.data, x.route, x.credit, x.creditVC} {
		clear(pin.Of(inputs))
	}
	for port := range x.ports {
		x.putFlit(random, inputs, port, load, long, hot)
		x.putCredit(random, inputs, port, credits)
	}
}

func (x *vcPins) putFlit(random *Random, inputs []uint64, port, load, long int, hot bool) {
	vc := random.Below(x.vcs)
	flits, inside := x.routers.Room(port, vc)
	if random.Below(4) >= load || flits == 0 {
		return
	}
	hw.PutBits(x.valid.Of(inputs), port, 1, 1)
	hw.PutBits(x.vc.Of(inputs), port*x.vcBits, x.vcBits, uint64(vc))
	width := x.data.Bits / x.ports
	hw.PutBits(x.data.Of(inputs), port*width, width, random.Uint64()&(^uint64(0)>>(64-width)))
	hw.PutBits(x.head.Of(inputs), port, 1, facts(!inside))
	hw.PutBits(x.tail.Of(inputs), port, 1, facts(random.OneIn(1+2*long)))
	// Only head flits need a route: a set of VCs of one output.
	route := random.Uint64()
	if !inside {
		to := random.Below(x.ports)
		if hot && !random.OneIn(4) {
			to = 0
		}
		all := ^uint64(0) >> (64 - x.vcs)
		if route &= all; route == 0 || random.OneIn(2) {
			route = all
		}
		route <<= to * x.vcs
	}
	all := x.ports * x.vcs
	hw.PutBits(x.route.Of(inputs), port*all, all, route&(^uint64(0)>>(64-all)))
}

func (x *vcPins) putCredit(random *Random, inputs []uint64, port, credits int) {
	vc := random.Below(x.vcs)
	if random.Below(4) < credits || x.routers.Owed(port, vc) < 1 {
		return
	}
	hw.PutBits(x.credit.Of(inputs), port, 1, 1)
	hw.PutBits(x.creditVC.Of(inputs), port*x.vcBits, x.vcBits, uint64(vc))
}

func (x *vcPins) cover(m *Model) {
	if x.ports > 1 {
		m.cover("valid_i", []string{"with several heads in the same cycle"}, func(c *Cycle) uint64 {
			return facts(several([]uint64{x.valid.Of(c.Inputs)[0] & x.head.Of(c.Inputs)[0]}))
		})
	}
	m.cover("credit_i", []string{"with a flit in the same cycle"}, func(c *Cycle) uint64 {
		return facts(x.credit.any(c.Inputs) && x.valid.any(c.Inputs))
	})
}
