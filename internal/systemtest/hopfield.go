package systemtest

import (
	"starloom"
	"starloom/fabric/crossbar"
)

// HopfieldScenario is an associative memory on n processors.
func HopfieldScenario(n int, params map[string]int64, g starloom.Gossip) *starloom.Scenario {
	s := starloom.DefaultScenario()
	s.Fabric.Crossbar = &crossbar.Network{Ports: n}
	s.Firmware.Program, s.Firmware.Params = "gossip/hopfield", params
	s.NIC.PayloadBytes = 8 + 16 // to 128 neurons of a processor
	s.Workload = starloom.Workload{Gossip: &g}
	return s
}
