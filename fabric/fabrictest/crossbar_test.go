package fabrictest

import (
	"testing"

	"starloom"
	"starloom/fabric/crossbar"
)

// gossip returns scenarios of gossip/fsa on a crossbar.
func gossip(x crossbar.Network, scheduling int64, g starloom.Gossip) func(testing.TB) *starloom.Scenario {
	return func(testing.TB) *starloom.Scenario {
		s := starloom.DefaultScenario()
		s.Name, s.Fabric.Crossbar, s.Stop.Slots = "suite", &x, 400
		s.Firmware.Program, s.Firmware.Params = "gossip/fsa", map[string]int64{"scheduling": scheduling}
		s.Workload = starloom.Workload{Gossip: &g}
		return s
	}
}

func TestCrossbar(t *testing.T) {
	(&Suite{
		Cases: []Case{
			{Name: "pipelined", Scenario: gossip(crossbar.Network{Ports: 6}, 0, starloom.Gossip{})},
			{Name: "sessions", Scenario: gossip(crossbar.Network{Ports: 4}, 0, starloom.Gossip{Orders: "shared-random", Sessions: 3})},
			{Name: "round robin", Scenario: gossip(crossbar.Network{Ports: 5, Arbiter: "round_robin"}, 0, starloom.Gossip{Orders: "identity"})},
			{Name: "matrix", Scenario: gossip(crossbar.Network{Ports: 5, Arbiter: "matrix"}, 0, starloom.Gossip{Orders: "identity"})},
			{Name: "does not finish", Scenario: func(t testing.TB) *starloom.Scenario {
				s := gossip(crossbar.Network{Ports: 6}, 0, starloom.Gossip{})(t)
				s.Stop.Slots = 7
				return s
			}, Breaks: starloom.RuleFinishes},
		},
		RTL: []starloom.RTL{
			{Replace: "crossbar.output[*]", Twin: "star_coupler"}, {Replace: "**.link", Twin: "link"},
			{Replace: "crossbar.nic[*].rx", Twin: "deserialiser"}, {Replace: "crossbar.output[*].arbiter", Twin: "arbiter_fixed"},
		},
	}).Run(t)
}
