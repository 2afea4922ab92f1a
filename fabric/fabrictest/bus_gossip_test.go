package fabrictest

import (
	"testing"

	"starloom"
	"starloom/fabric/bus"
	"starloom/fabric/contend"
)

// busGossip returns scenarios of a gossip program on buses with its defaults.
func busGossip(program string, b bus.Network, slots uint32) func(testing.TB) *starloom.Scenario {
	return func(testing.TB) *starloom.Scenario {
		s := starloom.DefaultScenario()
		s.Name, s.Fabric.Bus, s.Stop.Slots = "suite", &b, slots
		s.NIC = starloom.NIC{PayloadBytes: (b.Vertices + 7) / 8, RXFrames: 1, TXFrames: 1}
		s.Firmware.Program = program
		return s
	}
}

func TestBusGossip(t *testing.T) {
	(&Suite{
		Cases: []Case{
			{Name: "two-phase", Scenario: busGossip("bus/two-phase", bus.Network{Vertices: 11, Length: 4}, 8)},
			{Name: "improved", Scenario: busGossip("bus/improved", bus.Network{Vertices: 70, Length: 3}, 20)},
			{Name: "naive", Scenario: busGossip("bus/naive", bus.Network{Vertices: 9, Length: 3}, 8)},
			{Name: "with arbiters", Scenario: busGossip("bus/two-phase", bus.Network{Vertices: 10, Length: 3, ArbiterKeys: contend.ArbiterKeys{Arbiter: "round_robin"}}, 8)},
			{Name: "a limit above all", Scenario: busGossip("bus/two-phase", bus.Network{Vertices: 5, Length: 100}, 4)},
			{Name: "not enough time", Scenario: busGossip("bus/two-phase", bus.Network{Vertices: 11, Length: 4}, 5), Breaks: starloom.RuleFinishes},
		},
		RTL: long(
			starloom.RTL{Replace: "bus.bus[*]", Twin: "bus"}, starloom.RTL{Replace: "bus.bus[*].wire", Twin: "link"},
			starloom.RTL{Replace: "bus.nic[*].tx", Twin: "serialiser"}, starloom.RTL{Replace: "bus.nic[*].rx", Twin: "deserialiser"},
		),
	}).Run(t)
}
