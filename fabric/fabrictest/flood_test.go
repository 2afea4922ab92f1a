package fabrictest

import (
	"testing"

	"starloom"
	"starloom/fabric/bus"
	"starloom/fabric/contend"
	"starloom/fabric/crossbar"
	"starloom/fabric/pops"
)

// TestFlood floods networks of all kinds; TestEJ floods Eisenstein-Jacobi networks.
func TestFlood(t *testing.T) {
	arbitrated := func(arbiter string) starloom.Fabric {
		return starloom.Fabric{Bus: &bus.Network{Vertices: 9, Buses: randomBuses(9, 4, 7),
			ArbiterKeys: contend.ArbiterKeys{Arbiter: arbiter}}}
	}
	for name, f := range map[string]starloom.Fabric{
		"POPS":                {POPS: &pops.Network{Groups: 3, GroupSize: 5}},
		"POPS of one group":   {POPS: &pops.Network{Groups: 1, GroupSize: 7}},
		"POPS of many groups": {POPS: &pops.Network{Groups: 7, GroupSize: 1}},
		"buses":               {Bus: &bus.Network{Vertices: 9, Buses: randomBuses(9, 4, 7)}},
		"buses, matrix":       arbitrated("matrix"),
		"buses, TDMA":         arbitrated("tdma"),
		"crossbar":            {Crossbar: &crossbar.Network{Ports: 8}},
		"crossbar with a cap": {Crossbar: &crossbar.Network{Ports: 7, CrossbarKeys: contend.CrossbarKeys{Cap: 2, CapArbiter: "round_robin"}}},
		"ALOHA":               {Crossbar: &crossbar.Network{Ports: 5, Medium: "aloha"}},
		"queues":              {Crossbar: &crossbar.Network{Ports: 7, CrossbarKeys: contend.CrossbarKeys{ArbiterKeys: contend.ArbiterKeys{Arbiter: "matrix"}, Output: "queue", QueueFrames: 2}}},
	} {
		t.Run(name, Flood{Fabric: f}.Run)
	}
}
