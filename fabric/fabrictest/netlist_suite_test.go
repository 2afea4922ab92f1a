package fabrictest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
)

// Networks of the suite: stars and links of several latencies, a mesh, half-duplex links, NICs that hear one port.
const (
	drawnMixture = `netlist: {nodes: {"p[0..3]": processor, hub: star, "q[0..1]": processor}, links: [["p[0..3]:0", hub], ["p[0]:1", "p[1]:1"], ` +
		`{endpoints: ["p[2]:1", "p[3]:1"], latency: 5}, ["q[0..1]:0", "p[2..3]:2"], {endpoints: ["q[0]:1", "q[1]:1"], duplex: half}]}`
	drawnCredits = `netlist: {nodes: {"p[0..4]": processor, x: {kind: bus, arbiter: matrix}}, links: [{endpoints: ["p[0..3]:0", "p[1..4]:1"], credits: 2}, ` +
		`{endpoints: ["p[4]:0", "p[0]:1"], credits: {depth: 3, round_trip_slots: 3, resync_slots: 8}}, ["p[0..4]:2", x], {endpoints: ["p[0]:3", "p[2]:3"]}]}`
	drawnMesh  = `netlist: {mesh: {k: [3, 2]}}`
	drawnStars = `netlist: {access: one, nodes: {"p[0..4]": processor, "s[0..1]": star}, links: [["p[0..2]:0", "s[0]"], ["p[2]:1", "s[1]"], ["p[3..4]:0", "s[1]"]]}`
)

// onNetlist returns a scenario on one of them.
func onNetlist(network, program, workload, more string) func(t testing.TB) *starloom.Scenario {
	return func(t testing.TB) *starloom.Scenario {
		return parsed(t, fmt.Sprintf("seed: 7\nfabric: {%s}\nfirmware: {program: netlist/%s}\nworkload: {%s}\n%s", network, program, workload, more))
	}
}

// TestNetlistSuite runs the suite on netlists, with RTL for each kind of part.
func TestNetlistSuite(t *testing.T) {
	const offered = "traffic: {warm_up: 9, measure: 40, "
	(&Suite{Cases: []Case{
		{Name: "permutation", Scenario: onNetlist(drawnMixture, "next-hop", "permutation: random", "link: {propagation_cycles: 2}\n")},
		{Name: "one to all", Scenario: onNetlist(drawnStars, "flood", "one_to_all: {source: 4}", "")},
		{Name: "traffic", Scenario: onNetlist(drawnMesh, "traffic", offered+"rate: 0.3, size: [1, 3]}", "")},
		{Name: "traffic in turns", Scenario: onNetlist(drawnMixture, "traffic", offered+"rate: 0.02, closed: 2, drain: 100}", "")},
		{Name: "short queue", Scenario: onNetlist(drawnMesh, "traffic, params: {queue: 1}", offered+"rate: 0.8, drain: 10, overload: true}", ""), Breaks: starloom.RuleFail},
		{Name: "dark link", Scenario: onNetlist(drawnMesh, "next-hop", "permutation: random", "stop: {slots: 20}\nfaults: {schedule: [{kind: stuck, targets: ['netlist.link[*].forth']}]}\n"),
			Breaks: starloom.RuleFinishes},
		{Name: "all to all", Scenario: onNetlist(drawnStars, "gossip", "all_to_all: {}", "")},
		{Name: "gossip", Scenario: onNetlist(drawnCredits, "gossip", "gossip: {}", "")},
		{Name: "gossip, faults", Scenario: onNetlist(drawnMixture, "gossip", "gossip: {}",
			"stop: {slots: 40}\nfaults: {schedule: [{kind: stuck, targets: ['netlist.link[*].forth'], slots: {from: 0, to: 8}}, {kind: dead, targets: ['netlist.q[1]'], slots: {from: 3, to: 3}}]}\n"),
			Breaks: starloom.RuleFinishes},
		{Name: "credits", Scenario: onNetlist(`netlist: {ring: {n: 5, credits: 2}}`, "traffic", offered+"rate: 0.2, drain: 20}", "")},
		{Name: "credits beside a bus", Scenario: onNetlist(drawnCredits, "next-hop", "permutation: random", "")},
		{Name: "lost credits", Scenario: onNetlist(drawnCredits, "next-hop", "permutation: random",
			"stop: {slots: 40}\nfaults: {schedule: [{kind: drop, probability: 0.4}, {kind: dead, targets: ['netlist.p[2]'], slots: {from: 2, to: 3}}]}\n"), Breaks: starloom.RuleFinishes},
		{Name: "metered", Scenario: onNetlist(drawnMesh, "next-hop, cpu: {model: rv32-inorder, budget_cycles: 20000}", "permutation: random", "")},
	}}).Run(t)
}

// TestLongNetlistRTL replaces each kind of part of a netlist, and all parts, by RTL.
func TestLongNetlistRTL(t *testing.T) {
	(&Suite{
		Cases: []Case{{Scenario: onNetlist(drawnMixture, "next-hop", "permutation: random", "link: {propagation_cycles: 2}\n")}},
		RTL: []starloom.RTL{
			{Replace: "netlist.hub.end", Twin: "star_coupler"}, {Replace: "netlist.link[*].*.fibre", Twin: "link"}, {Replace: "netlist.link[4]", Twin: "duplex_link"},
			{Replace: "**.tx", Twin: "serialiser"}, {Replace: "netlist.p[2].port[*].rx", Twin: "deserialiser"},
			{Replace: "netlist.**", Backend: cosim.BackendIcarus},
		},
	}).rtl(t)
	(&Suite{
		Cases: []Case{{Scenario: onNetlist(drawnCredits, "traffic", "traffic: {warm_up: 9, measure: 40, rate: 0.2}", "")}},
		RTL:   []starloom.RTL{{Replace: "netlist.p[*].port[*].credits", Twin: "credit_counter"}, {Replace: "netlist.p[4].port[0]"}},
	}).rtl(t)
}

// TestLongRandomNetlistRTL replaces all parts of 24 random netlists by RTL. Parts found only in a network with a
// single crossbar (queues, lists) have their own tests.
func TestLongRandomNetlistRTL(t *testing.T) {
	var kinds sync.Map
	t.Run("netlists", func(t *testing.T) {
		draw := rand.New(rand.NewPCG(26, 12))
		for i := range 24 {
			text := randomNetlist(draw)
			if i%2 > 0 {
				text = randomShared(draw)
			}
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				flood := Flood{Fabric: parsed(t, text+"firmware: {image: x.wasm}").Fabric}
				replaced, err := flood.replaced(t.Context(), starloom.RTL{Replace: "netlist.**", Backend: cosim.BackendIcarus})
				require.NoError(t, err, text)
				for _, kind := range replaced {
					kinds.Store(kind, true)
				}
			})
		}
	})
	for _, kind := range []string{"arbiter_fixed", "arbiter_matrix", "arbiter_round_robin", "arbiter_tdma", "arbiter_weighted_round_robin", "arbiter_lottery", "bus_taps", "cap_arbiter", "coin", "contention", "credit_counter", "crosspoint",
		"deserialiser", "duplex_link", "link", "output_filter", "requester", "serialiser", "star_coupler"} {
		_, is := kinds.Load(kind)
		require.True(t, is, kind)
	}
}
