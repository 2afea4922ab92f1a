package systemtest

import (
	"starloom"
	"starloom/fabric/crossbar"
)

// GossipScenario is a gossip of N+1 processors.
func GossipScenario(N, scheduling int, g starloom.Gossip) *starloom.Scenario {
	s := starloom.DefaultScenario()
	s.Fabric.Crossbar = &crossbar.Network{Ports: N + 1}
	s.NIC = starloom.NIC{PayloadBytes: 8, RXFrames: 1, TXFrames: 1}
	s.Firmware.Program, s.Firmware.Params = "gossip/fsa", map[string]int64{"scheduling": int64(scheduling)}
	s.Workload = starloom.Workload{Gossip: &g}
	s.Stop.Slots = uint32(g.Count()*N*(N+1) + 1)
	return s
}
