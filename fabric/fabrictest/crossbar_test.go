package fabrictest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/fabric/contend"
	"starloom/fabric/crossbar"
)

// gossip returns scenarios of gossip/fsa on a crossbar.
func gossip(x crossbar.Network, scheduling int64, g starloom.Gossip) func(testing.TB) *starloom.Scenario {
	return gossipProgram("gossip/fsa", x, map[string]int64{"scheduling": scheduling}, g)
}

func gossipProgram(program string, x crossbar.Network, params map[string]int64,
	g starloom.Gossip) func(testing.TB) *starloom.Scenario {
	return func(testing.TB) *starloom.Scenario {
		s := starloom.DefaultScenario()
		s.Name, s.Fabric.Crossbar, s.Stop.Slots = "suite", &x, 400
		s.Firmware.Program, s.Firmware.Params = program, params
		s.Workload = starloom.Workload{Gossip: &g}
		return s
	}
}

// scatter returns scenarios of a program of random scattering.
func scatter(program string, x crossbar.Network, order int64, rxFrames int) func(testing.TB) *starloom.Scenario {
	return func(testing.TB) *starloom.Scenario {
		s := starloom.DefaultScenario()
		s.Name, s.Fabric.Crossbar, s.Stop.Slots = "suite", &x, 200
		s.NIC = starloom.NIC{PayloadBytes: 16, RXFrames: rxFrames, TXFrames: 2}
		s.Firmware.Program, s.Workload = program, starloom.Workload{Scatter: &starloom.Scatter{Origin: 3}}
		if program == "scatter/async" {
			s.Firmware.Params = map[string]int64{"order": order}
		}
		return s
	}
}

func TestCrossbar(t *testing.T) {
	(&Suite{
		Cases: []Case{
			{Name: "pipelined", Scenario: gossip(crossbar.Network{Ports: 6}, 0, starloom.Gossip{})},
			{Name: "sessions", Scenario: gossip(crossbar.Network{Ports: 4}, 0, starloom.Gossip{Orders: "shared-random", Sessions: 3})},
			{Name: "round robin", Scenario: gossip(crossbar.Network{Ports: 5, CrossbarKeys: contend.CrossbarKeys{ArbiterKeys: contend.ArbiterKeys{Arbiter: "round_robin"}}}, 0, starloom.Gossip{Orders: "identity"})},
			{Name: "matrix", Scenario: gossip(crossbar.Network{Ports: 5, CrossbarKeys: contend.CrossbarKeys{ArbiterKeys: contend.ArbiterKeys{Arbiter: "matrix"}}}, 0, starloom.Gossip{Orders: "identity"})},
			{Name: "weights", Scenario: gossip(crossbar.Network{Ports: 5, CrossbarKeys: contend.CrossbarKeys{ArbiterKeys: contend.ArbiterKeys{Arbiter: "weighted_round_robin", Weights: []int{2, 1, 3}}}}, 0, starloom.Gossip{Orders: "identity"})},
			{Name: "lottery", Scenario: gossip(crossbar.Network{Ports: 5, CrossbarKeys: contend.CrossbarKeys{ArbiterKeys: contend.ArbiterKeys{Arbiter: "lottery", Weights: []int{2, 1, 3}}}}, 0, starloom.Gossip{Orders: "identity"})},
			{Name: "Algorithm 2", Scenario: gossip(crossbar.Network{Ports: 6}, 2, starloom.Gossip{Orders: "identity", Sessions: 2})},
			{Name: "Algorithm 2', round robin, capped", Scenario: gossip(crossbar.Network{Ports: 6, CrossbarKeys: contend.CrossbarKeys{ArbiterKeys: contend.ArbiterKeys{Arbiter: "round_robin"}, Cap: 2}}, 3, starloom.Gossip{})},
			{Name: "capped", Scenario: gossip(crossbar.Network{Ports: 7, CrossbarKeys: contend.CrossbarKeys{Cap: 2}}, 0, starloom.Gossip{Sessions: 2})},
			{Name: "cap that takes turns", Scenario: gossip(crossbar.Network{Ports: 7, CrossbarKeys: contend.CrossbarKeys{Cap: 2, CapArbiter: "round_robin"}}, 0, starloom.Gossip{Sessions: 2})},
			{Name: "cap by least recently served", Scenario: gossip(crossbar.Network{Ports: 7, CrossbarKeys: contend.CrossbarKeys{Cap: 1, CapArbiter: "matrix"}}, 0, starloom.Gossip{Sessions: 2})},
			{Name: "ALOHA", Scenario: gossip(crossbar.Network{Ports: 5, Medium: "aloha"}, 0, starloom.Gossip{Orders: "identity", Sessions: 2})},
			{Name: "collides", Scenario: func(t testing.TB) *starloom.Scenario {
				s := gossip(crossbar.Network{Ports: 5, Medium: "aloha"}, 0, starloom.Gossip{})(t)
				s.Rules = &starloom.Rules{CollisionFree: &starloom.CollisionFree{Period: 1, Slots: []int{1}}}
				return s
			}, Breaks: starloom.RuleCollisionFree},
			{Name: "scatter sync, two frames in a slot", Scenario: scatter("scatter/sync", crossbar.Network{Ports: 7, CrossbarKeys: contend.CrossbarKeys{QueueFrames: 2}}, 0, 6)},
			{Name: "scatter sync, round robin, small FIFO", Scenario: scatter("scatter/sync", crossbar.Network{Ports: 7, CrossbarKeys: contend.CrossbarKeys{ArbiterKeys: contend.ArbiterKeys{Arbiter: "round_robin"}, QueueFrames: 3}}, 0, 2)},
			{Name: "scatter sync, matrix", Scenario: scatter("scatter/sync", crossbar.Network{Ports: 6, CrossbarKeys: contend.CrossbarKeys{ArbiterKeys: contend.ArbiterKeys{Arbiter: "matrix"}, QueueFrames: 2}}, 0, 5)},
			{Name: "scatter sync, rendezvous", Scenario: scatter("scatter/sync", crossbar.Network{Ports: 6, CrossbarKeys: contend.CrossbarKeys{Output: "rendezvous"}}, 0, 1)},
			{Name: "scatter async", Scenario: scatter("scatter/async", crossbar.Network{Ports: 5}, 0, 1)},
			{Name: "scatter async, poisson", Scenario: scatter("scatter/async", crossbar.Network{Ports: 5}, 2, 1)},
			{Name: "scatter does not finish", Scenario: func(t testing.TB) *starloom.Scenario {
				s := scatter("scatter/async", crossbar.Network{Ports: 5}, 1, 1)(t)
				s.Stop.Slots = 7
				return s
			}, Breaks: starloom.RuleFinishes},
			{Name: "voting", Scenario: gossipProgram("gossip/voting", crossbar.Network{Ports: 5}, map[string]int64{"adjudicate": 2, "scheduling": 2},
				starloom.Gossip{Orders: "shared-random", Sessions: 2, Faulty: []int{0, 3}})},
			{Name: "two-faced modules", Scenario: func(t testing.TB) *starloom.Scenario {
				s := gossipProgram("gossip/voting", crossbar.Network{Ports: 3}, nil, starloom.Gossip{Faulty: []int{0, 1}, Fault: "two-faced"})(t)
				s.Rules = &starloom.Rules{Agreement: true}
				return s
			}, Breaks: starloom.RuleAgreement},
			{Name: "wrong modules", Scenario: gossipProgram("gossip/voting", crossbar.Network{Ports: 3}, map[string]int64{"adjudicate": 1},
				starloom.Gossip{Faulty: []int{0, 1}}), Breaks: starloom.RuleValidity},
			{Name: "a silent module", Scenario: func(t testing.TB) *starloom.Scenario {
				s := gossipProgram("gossip/voting", crossbar.Network{Ports: 3}, nil, starloom.Gossip{Faulty: []int{1}, Fault: "silent"})(t)
				s.Stop.Slots = 20
				return s
			}, Breaks: starloom.RuleFinishes},
			{Name: "Hopfield", Scenario: gossipProgram("gossip/hopfield", crossbar.Network{Ports: 4, CrossbarKeys: contend.CrossbarKeys{Cap: 1}}, map[string]int64{"neurons": 35, "patterns": 3, "sweeps": 1}, starloom.Gossip{Sessions: 4})},
			{Name: "does not finish", Scenario: func(t testing.TB) *starloom.Scenario {
				s := gossip(crossbar.Network{Ports: 6}, 0, starloom.Gossip{})(t)
				s.Stop.Slots = 7
				return s
			}, Breaks: starloom.RuleFinishes},
		},
		RTL: []starloom.RTL{
			{Replace: "crossbar.output[*]", Twin: "star_coupler"}, {Replace: "**.link", Twin: "link"},
			{Replace: "crossbar.nic[*].rx", Twin: "deserialiser"}, {Replace: "crossbar.output[*].arbiter", Twin: "arbiter_fixed"},
			{Replace: "crossbar.output[*].filter", Twin: "output_filter"}, {Replace: "crossbar.output[*].port", Twin: "output_port"},
			{Replace: "crossbar.output[1..2].port"}, {Replace: "crossbar.input[*]", Twin: "crosspoint"}, {Replace: "crossbar.nic[*].tx", Twin: "requester"},
		},
	}).Run(t)
	for name, c := range map[string]struct {
		scenario func(testing.TB) *starloom.Scenario
		rtl      starloom.RTL
	}{
		"allocator":  {gossip(crossbar.Network{Ports: 6}, 2, starloom.Gossip{Orders: "identity", Sessions: 2}), starloom.RTL{Replace: "crossbar.allocator[0]", Twin: "list_allocator"}},
		"contention": {gossip(crossbar.Network{Ports: 5, Medium: "aloha"}, 0, starloom.Gossip{}), starloom.RTL{Replace: "crossbar.medium[*].contention", Twin: "contention"}},
		"coin":       {gossip(crossbar.Network{Ports: 5, Medium: "aloha"}, 0, starloom.Gossip{}), starloom.RTL{Replace: "crossbar.input[*].coin", Twin: "coin"}},
		"cap":        {gossip(crossbar.Network{Ports: 7, CrossbarKeys: contend.CrossbarKeys{Cap: 2, CapArbiter: "matrix"}}, 0, starloom.Gossip{Sessions: 2}), starloom.RTL{Replace: "crossbar.cap[0]", Twin: "cap_arbiter"}},
	} {
		t.Run(name, func(t *testing.T) {
			(&Suite{Cases: []Case{{Name: name, Scenario: c.scenario}}, RTL: []starloom.RTL{c.rtl}}).rtl(t)
		})
	}
}

// TestCrossbarQueues tests RTL whose outputs accept several frames in a slot.
func TestCrossbarQueues(t *testing.T) {
	(&Suite{
		Cases: []Case{{Name: "scatter sync", Scenario: scatter("scatter/sync", crossbar.Network{Ports: 7}, 0, 6)}},
		RTL: []starloom.RTL{
			{Replace: "crossbar.output[*]", Twin: "star_coupler"}, {Replace: "**.link", Twin: "link"},
			{Replace: "crossbar.output[*].arbiter", Twin: "arbiter_fixed"},
		},
	}).Run(t)
}

// TestLongCrossbarAllRTL replaces every part of a crossbar by RTL, in both backends. RTL sets the addressee and CRC
// of frames with lists.
func TestLongCrossbarAllRTL(t *testing.T) {
	for _, c := range []struct {
		name, backend string
		parts         int
		scenario      func(testing.TB) *starloom.Scenario
	}{
		{"gossip", cosim.BackendWasm, 7 * 8, gossip(crossbar.Network{Ports: 8}, 0, starloom.Gossip{Sessions: 2})},
		{"gossip", cosim.BackendIcarus, 7 * 8, gossip(crossbar.Network{Ports: 8}, 0, starloom.Gossip{})},
		{"round robin", cosim.BackendIcarus, 7 * 5, gossip(crossbar.Network{Ports: 5, CrossbarKeys: contend.CrossbarKeys{ArbiterKeys: contend.ArbiterKeys{Arbiter: "round_robin"}}}, 0, starloom.Gossip{Orders: "identity"})},
		{"lists", cosim.BackendIcarus, 5*6 + 1, gossip(crossbar.Network{Ports: 6}, 2, starloom.Gossip{Orders: "identity"})},
		{"capped", cosim.BackendIcarus, 7*5 + 1, gossip(crossbar.Network{Ports: 5, CrossbarKeys: contend.CrossbarKeys{Cap: 2, CapArbiter: "round_robin"}}, 0, starloom.Gossip{})},
		{"ALOHA", cosim.BackendIcarus, 4*4 + 3, gossip(crossbar.Network{Ports: 4, Medium: "aloha"}, 0, starloom.Gossip{Orders: "identity"})},
	} {
		t.Run(c.name+" on "+c.backend, func(t *testing.T) {
			t.Parallel()
			model := Case{Scenario: c.scenario}
			want := model.run(t, starloom.MachineOptions{Engine: starloom.EngineCycle})
			s := c.scenario(t)
			s.RTL = []starloom.RTL{{Replace: "crossbar.**", Backend: c.backend}}
			m := machine(t, s, starloom.MachineOptions{})
			require.NoError(t, m.Run(t.Context(), nil))
			report := m.Report()
			require.Len(t, report.RTL, c.parts)
			require.Equal(t, starloom.VerdictPass, report.Verdict)
			report.RTL = nil
			require.Equal(t, want, text(t, report))
		})
	}
}
