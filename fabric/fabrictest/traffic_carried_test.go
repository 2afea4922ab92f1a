package fabrictest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
)

// carrying returns scenarios of traffic on a network.
func carrying(text string) func(testing.TB) *starloom.Scenario {
	return func(t testing.TB) *starloom.Scenario {
		s, err := starloom.ParseScenario("traffic.yaml", []byte("starloom: 1\nname: traffic\nseed: 3\n"+text))
		require.NoError(t, err)
		return s
	}
}

// TestTrafficOnPOPS carries traffic by time division; with more groups than a listening table has slots, too, and where
// a processor stands still and misses its turns.
func TestTrafficOnPOPS(t *testing.T) {
	const firmware = "firmware: {program: pops/traffic}\n"
	(&Suite{
		Cases: []Case{
			{Name: "uniform", Scenario: carrying("fabric: {pops: {groups: 3, group_size: 2}}\n" + firmware + "workload: {traffic: {rate: 0.3, self: true, warm_up: 5, measure: 25}}\n")},
			{Name: "sizes", Scenario: carrying("fabric: {pops: {groups: 2, group_size: 3}}\n" + firmware +
				"workload: {traffic: {rate: 0.1, arrivals: bursty, size: [1, {frames: 3, weight: 1}], warm_up: 0, measure: 40}}\n")},
			{Name: "many groups", Scenario: carrying("fabric: {pops: {groups: 67, group_size: 1}}\n" + firmware + "workload: {traffic: {rate: 0.1, pattern: tornado, warm_up: 0, measure: 66, drain: 40}}\n")},
			{Name: "short queue", Scenario: carrying("fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/traffic, params: {queue: 1}}\n" +
				"workload: {traffic: {rate: 0.6, warm_up: 0, measure: 20, drain: 10}}\n")},
			{Name: "stands still", Scenario: carrying("fabric: {pops: {groups: 2, group_size: 2}}\n" + firmware + "workload: {traffic: {rate: 0.3, warm_up: 0, measure: 30, drain: 30}}\n" +
				"faults: {schedule: [{kind: clock_pause, targets: ['pops.group[0].nic[*]'], slots: {from: 4, to: 13}}]}\n"), Breaks: starloom.RuleExactlyOnce},
		},
		RTL: []starloom.RTL{{Replace: "pops.group[*].coupler[1]", Twin: "star_coupler"}, {Replace: "pops.group[1].nic[*].tx", Twin: "serialiser"}},
	}).Run(t)
}

// TestTrafficOnEJ carries traffic from hop to hop, with and without acknowledgements and credits, and until a queue is too short.
func TestTrafficOnEJ(t *testing.T) {
	const firmware = "firmware: {program: ej/traffic}\n"
	(&Suite{
		Cases: []Case{
			{Name: "uniform", Scenario: carrying("fabric: {ej: {a: 1, b: 2, dimensions: 2}}\n" + firmware + "workload: {traffic: {rate: 0.4, warm_up: 5, measure: 15}}\n")},
			{Name: "closed", Scenario: carrying("fabric: {ej: {a: 2, b: 2, dimensions: 1}}\n" + firmware + "workload: {traffic: {rate: 0.6, size: 2, closed: 2, warm_up: 0, measure: 20, drain: 9}}\n")},
			{Name: "credits", Scenario: carrying("fabric: {ej: {a: 0, b: 4, dimensions: 1, credits: {depth: 1, round_trip_slots: 3}}}\n" + firmware + "workload: {traffic: {rate: 0.7, warm_up: 0, measure: 20, drain: 20}}\n")},
			{Name: "overflow", Scenario: carrying("fabric: {ej: {a: 1, b: 3, dimensions: 1}}\nfirmware: {program: ej/traffic, params: {queue: 1}}\n" +
				"workload: {traffic: {rate: 0.9, pattern: hotspot, hotspots: [{node: 3, share: 0.9}], warm_up: 0, measure: 20, drain: 5}}\n"), Breaks: starloom.RuleFail},
		},
		RTL: long(starloom.RTL{Replace: "ej.node[*].dim[2].link[*]", Twin: "duplex_link"}),
	}).Run(t)
}
