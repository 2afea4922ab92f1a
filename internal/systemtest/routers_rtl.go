package systemtest

import (
	"starloom"
	"testing"
)

// RoutedExchange is firmware on a mesh of routers, some of which may be RTL.
func RoutedExchange(t *testing.T, rtl string) *starloom.Scenario {
	return RoutedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 2, depth: 2}, streaming: {tick: 7}",
		"nic: {rx_frames: 1}\nworkload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}\n"+rtl)
}
