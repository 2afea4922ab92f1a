package fabrictest

import (
	"fmt"
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

// TestTrafficOnPOPS carries traffic by time division; with more groups than the listening table has slots, too, and where
// processors stand still and miss their turns.
func TestTrafficOnPOPS(t *testing.T) {
	pops := func(groups, size int) string { return fmt.Sprintf("pops: {groups: %d, group_size: %d}", groups, size) }
	const program = "pops/traffic"
	(&Suite{Cases: []Case{
		{Name: "uniform", Scenario: offering(pops(3, 2), program, "rate: 0.3, self: true", "")},
		{Name: "sizes in bursts", Scenario: offering(pops(2, 3), program, "rate: 0.1, arrivals: bursty, size: [1, {frames: 3, weight: 1}]", "")},
		{Name: "many groups", Scenario: offering(pops(67, 1), program, "rate: 0.1, pattern: tornado, drain: 70", "")},
		{Name: "short queue", Scenario: offering(pops(2, 2), program+", params: {queue: 1}", "rate: 0.6, drain: 10", "")},
		{Name: "stands still", Scenario: offering(pops(2, 2), program, "rate: 0.3, drain: 30",
			"faults: {schedule: [{kind: clock_pause, targets: ['pops.group[0].nic[*]'], slots: {from: 14, to: 23}}]}\n")},
	}, RTL: []starloom.RTL{{Replace: "pops.group[*].coupler[1]", Twin: "star_coupler"}, {Replace: "pops.group[1].nic[*].tx", Twin: "serialiser"}}}).Run(t)
}

// TestTrafficOnEJ carries traffic hop by hop, with and without acknowledgements and credits, and until a queue is too short.
func TestTrafficOnEJ(t *testing.T) {
	ej := func(a, b int, more string) string { return fmt.Sprintf("ej: {a: %d, b: %d, %s}", a, b, more) }
	const program = "ej/traffic"
	(&Suite{Cases: []Case{
		{Name: "uniform", Scenario: offering(ej(1, 2, "dimensions: 2"), program, "rate: 0.4", "")},
		{Name: "closed", Scenario: offering(ej(2, 2, "dimensions: 1"), program, "rate: 0.6, size: 2, closed: 2, drain: 9", "")},
		{Name: "credits", Scenario: offering(ej(0, 4, "dimensions: 1, credits: {depth: 1, round_trip_slots: 3}"), program, "rate: 0.7, drain: 20", "")},
		{Name: "overflow", Scenario: offering(ej(1, 3, "dimensions: 1"), program+", params: {queue: 1}",
			"rate: 0.9, pattern: hotspot, hotspots: [{node: 3, share: 0.9}], drain: 5", ""), Breaks: starloom.RuleFail},
	}, RTL: long(starloom.RTL{Replace: "ej.node[*].dim[2].link[*]", Twin: "duplex_link"})}).Run(t)
}
