package fabrictest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
)

// offering is a scenario of traffic: what stands under fabric and under workload.traffic, and the program.
func offering(network, program, workload, more string) func(t testing.TB) *starloom.Scenario {
	return func(t testing.TB) *starloom.Scenario {
		s, err := starloom.ParseScenario("traffic.yaml", []byte("starloom: 1\nname: traffic\nfabric: {"+network+"}\nfirmware: {program: "+program+
			"}\nworkload: {traffic: {warm_up: 9, measure: 40, "+workload+"}}\n"+more))
		require.NoError(t, err)
		return s
	}
}

// TestTraffic runs traffic in all ways that must not matter, from states of every slot, too.
func TestTraffic(t *testing.T) {
	const crossbar, bus = "crossbar/traffic", "bus/traffic"
	(&Suite{Cases: []Case{
		{Name: "crossbar", Scenario: offering("crossbar: {ports: 6, arbiter: round_robin}", crossbar, "rate: 0.5", "")},
		{Name: "sizes in bursts", Scenario: offering("crossbar: {ports: 5}", crossbar, "rate: 0.1, arrivals: bursty, size: [1, 4], self: false", "")},
		{Name: "queues", Scenario: offering("crossbar: {ports: 5, output: queue}", crossbar, "rate: 0.7, arrivals: periodic", "")},
		{Name: "closed", Scenario: offering("crossbar: {ports: 4, arbiter: matrix}", crossbar, "rate: 0.3, closed: 1, size: 2", "")},
		{Name: "aloha", Scenario: offering("crossbar: {ports: 4, medium: aloha}", crossbar, "rate: 0.05", "")},
		{Name: "saturated", Scenario: offering("crossbar: {ports: 3}", crossbar, "rate: 1, drain: 10", "")},
		{Name: "lost", Scenario: offering("crossbar: {ports: 6, output: queue}", crossbar, "rate: 0.9, drain: 20", "nic: {rx_frames: 1}"), Breaks: starloom.RuleExactlyOnce},
		{Name: "bus", Scenario: offering("bus: {vertices: 5, buses: [[1, 2, 3, 4, 0]], arbiter: matrix}", bus, "rate: 0.15", "")},
		{Name: "bus without an arbiter", Scenario: offering("bus: {vertices: 5, buses: [[1, 2, 3, 4, 0]]}", bus, "rate: 0.2", "")},
	}, RTL: []starloom.RTL{{Replace: "crossbar.output[*].arbiter"}}}).Run(t)
}
