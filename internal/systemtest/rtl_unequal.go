package systemtest

import (
	"testing"

	"starloom"

	"github.com/stretchr/testify/require"
)

// Unequal lists machines that together contain every kind of component that RTL can replace. Where the network
// permits it, latencies, widths and depths differ within a machine.
var Unequal = map[string]string{
	"links": `fabric:
  netlist:
    nodes: {"p[0..3]": processor, "hub[0..1]": star}
    links:
      - ["p[0..1]:0", "hub[0]"]
      - ["p[2..3]:0", "hub[1]"]
      - {endpoints: ["p[1]:1", "p[2]:1"], latency: 3}
firmware: {program: netlist/next-hop}
rtl: [{replace: "netlist.**"}]`,
	"shared": `fabric:
  netlist:
    nodes:
      "p[0..4]": processor
      hub: star
      "pair[0..1]": star
      wire: {kind: bus, arbiter: round_robin}
      "line[0..1]": {kind: bus, arbiter: tdma}
      x: {kind: crossbar, arbiter: matrix}
      y: {kind: crossbar, cap: 1}
    links:
      - ["p[0..4]:0", hub]
      - {endpoints: ["p[0..4]:1", wire], latency: 3}
      - {endpoints: ["p[0..4]:2", x], latency: 2}
      - {endpoints: ["p[0]:3", "p[4]:3"], duplex: half}
      - {endpoints: ["p[1..3]:3", y], latency: 4}
      - ["p[2..3]:4", "line[0]"]
      - ["p[0]:4", "line[1]"]
      - ["p[1]:4", "line[1]"]
      - ["p[4]:4", "line[1]"]
      - ["p[0..1]:5", "pair[0]"]
      - {endpoints: ["p[2..4]:5", "pair[1]"], latency: 5}
firmware: {program: netlist/flood}
workload: {one_to_all: {source: 0}}
rtl: [{replace: "netlist.**"}]`,
	"whole ports": `fabric:
  netlist:
    nodes: {"p[0..4]": processor, x: {kind: crossbar, arbiter: matrix}, y: crossbar, "wire[0..1]": {kind: bus, arbiter: fixed}}
    links:
      - {endpoints: ["p[0..4]:0", x], latency: 2}
      - ["p[1..3]:1", y]
      - ["p[0]:1", "wire[0]"]
      - ["p[4]:1", "wire[0]"]
      - {endpoints: ["p[0..2]:2", "wire[1]"], latency: 3}
      - ["p[3]:2", "p[4]:2"]
firmware: {program: netlist/flood}
workload: {one_to_all: {source: 0}}
rtl: [{replace: "netlist.*.output[*].port"}, {replace: "netlist.wire[*]", twin: bus}, {replace: "**.tx"}]`,
	"weights": `fabric:
  netlist:
    nodes: {"p[0..3]": processor, wire: {kind: bus, arbiter: weighted_round_robin, weights: [2, 1, 3]}, x: {kind: crossbar, arbiter: lottery, weights: [1, 2, 1, 4]}}
    links:
      - {endpoints: ["p[0..3]:0", x], latency: 2}
      - ["p[0..3]:1", wire]
firmware: {program: netlist/flood}
workload: {one_to_all: {source: 0}}
rtl: [{replace: "netlist.**"}]`,
	"credits": `fabric:
  netlist:
    nodes: {"p[0..4]": processor, x: {kind: bus, arbiter: matrix}}
    links:
      - {endpoints: ["p[0..3]:0", "p[1..4]:1"], credits: 2}
      - {endpoints: ["p[4]:0", "p[0]:1"], latency: 2, credits: {depth: 3, round_trip_slots: 3, resync_slots: 8}}
      - ["p[0..4]:2", x]
firmware: {program: netlist/traffic}
workload: {traffic: {warm_up: 9, measure: 30, rate: 0.2}}
rtl: [{replace: "netlist.**"}]`,
	"faults": `fabric: {netlist: {nodes: {"p[0..3]": processor, "hub[0..1]": star},
  links: [["p[0..1]:0", "hub[0]"], {endpoints: ["p[1..3]:1", "hub[1]"], latency: 3}, ["p[0]:1", "p[2]:0"], ["p[3]:0", "p[2]:2"]]}}
firmware: {program: netlist/next-hop}
faults: {schedule: [{kind: drop, slots: {every: 2}, probability: 0.5}]}
rtl: [{replace: "netlist.**"}]`,
	"lists": `fabric: {crossbar: {ports: 4, matching: list, arbiter: round_robin, cap: 3}}
firmware: {program: gossip/fsa, params: {scheduling: 2}}
workload: {gossip: {sessions: 2}}
rtl: [{replace: "crossbar.**"}]`,
	"ALOHA": `fabric: {crossbar: {ports: 4, medium: aloha}}
firmware: {program: gossip/fsa}
workload: {gossip: {}}
rtl: [{replace: "crossbar.**"}]`,
	"routers": `fabric:
  netlist:
    nodes: {"p[0..3]": processor, "r[0..3]": router}
    links:
      - ["p[0..3]:0", "r[0..3]"]
      - ["r[0]", "r[1..3]"]
      - {endpoints: ["r[1]", "r[2]"], latency: 4}
    router: {vcs: 2, depth: 2}
workload: {traffic: {rate: 0.1, measure: 60}}
rtl: [{replace: "netlist.router[*]"}]`,
	"all at once": `fabric: {pops: {groups: 2, group_size: 3}}
firmware: {program: pops/random-corrected}
rtl: [{replace: pops}]`,
}

// UnequalScenario returns a scenario of Unequal with its RTL in a backend.
func UnequalScenario(t *testing.T, name, backend string) *starloom.Scenario {
	s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+Unequal[name]+"\n"))
	require.NoError(t, err)
	for i := range s.RTL {
		s.RTL[i].Backend = backend
	}
	return s
}
