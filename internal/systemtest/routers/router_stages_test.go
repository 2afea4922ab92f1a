package routers

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
)

const graph5 = `router 0 node 0 node 1 router 1 3 router 2 1
router 1 node 2 router 0 3 router 3 2
router 2 node 3 node 4 router 0 1 router 3 1 router 4 5
router 3 node 5 router 1 2 router 2 1 router 4 1
router 4 node 6 node 7 router 2 5 router 3 1
`

// TestRouterStagesFromScenarios: the packets of BookSim with options of stages come out of scenarios.
func TestRouterStagesFromScenarios(t *testing.T) {
	const sep = "allocator: separable_input_first"
	for name, router := range map[string]string{
		"shared":     "vcs: 4, buffers: {policy: shared, size: 8, private: 0}",
		"is2":        "vcs: 4, input_speedup: 2",
		"is3":        "vcs: 4, input_speedup: 3, " + sep,
		"os2":        "output_speedup: 2",
		"os2b":       "vcs: 3, output_speedup: 2, output_buffer: 1, sw_allocator: separable_output_first",
		"ispd2":      "internal_speedup: 2",
		"ispd15":     "vcs: 3, internal_speedup: 1.5, input_speedup: 2, output_buffer: 2, credit_delay: 1",
		"spec":       "speculative: {}, " + sep,
		"spec_islip": "speculative: {}",
		"spec_two":   "vcs: 4, routing_delay: 0, credit_delay: 2, speculative: {allocator: islip, mask_by_requests: true}",
		"spec_blind": "vcs: 3, speculative: {check_vc: false, check_credit: false, " + sep + "}",
		"hold":       "vcs: 3, hold_switch: true",
		"busy":       "vcs: 3, depth: 2, vc_busy_when_full: true",
		"empty":      "vcs: 4, vc_prioritize_empty: true, vc_allocator: separable_input_first",
		"shuffle":    "vc_shuffle_requests: true",
		"xb3":        "vcs: 4, crossbar_delay: 3",
		"rd3":        "vcs: 4, routing_delay: 3",
		"sepof":      "vcs: 3, priority: network_age, allocator: separable_output_first",
		"wave":       "allocator: wavefront",
		"rrwave":     "vcs: 3, allocator: rr_wavefront",
		"islip3":     "vcs: 3, vc_allocator: islip(2), sw_allocator: islip(3)",
		"matrix":     "vc_allocator: separable_input_first(matrix), sw_allocator: separable_output_first(matrix)",
		"select2":    "vc_allocator: select(2), sw_allocator: select",
		"age":        "priority: age, " + sep,
		"localage":   "vcs: 3, priority: local_age, allocator: wavefront",
		"qlen":       "vcs: 3, priority: queue_length, vc_allocator: select, sw_allocator: separable_output_first",
		"hops":       "vcs: 3, priority: hop_count, priority_donation: true, vc_allocator: separable_input_first, sw_allocator: wavefront",
	} {
		network := "mesh: {k: [4, 4]}"
		switch name {
		case "is3":
			network = "anynet: graph5.txt"
		case "os2b":
			network = "fly: {k: [7]}"
		}
		logged := logOfBookSim(t, "stages_"+name)
		s := routerScenario(t, network+", router: {"+router+"}", logged)
		var packets bytes.Buffer
		options := starloom.RunOptions{Packets: starloom.Writer(&packets)}
		report, err := starloom.Run(context.Background(), s, options)
		require.NoError(t, err, name)
		require.Equal(t, starloom.VerdictPass, report.Verdict, name)
		assert.Equal(t, rowsByID(t, logged), rowsByID(t, packets.String()), name)
	}
}

// TestRouterStagesRefused: keys that contradict each other, or parts that do not know an option, are refused.
func TestRouterStagesRefused(t *testing.T) {
	for text, says := range map[string]string{
		"router: {allocator: loa}":                               `no allocator "loa"; allowed: islip, islip(N), separable_input_first`,
		"router: {allocator: islip(0)}":                          `no allocator "islip(0)"`,
		"router: {speculative: {check_vc: false}}":               "no head would request the switch",
		"router: {speculative: {mask_by_requests: true}}":        "for an allocator of its own",
		"router: {speculative: {allocator: pim}}":                `no allocator "pim"`,
		"router: {buffers: {policy: private, private: 1}}":       "for the policy shared",
		"router: {buffers: {policy: shared, size: 1}}":           "2 pools of 1 private flits among 1",
		"router: {buffers: {policy: dynamic}}":                   "dynamic",
		"router: {buffers: {policy: private, size: 1}}":          "flits of a buffer",
		"router: {priority: class}":                              "priority is class, but packets have no classes; add workload: {traffic: {classes: {...}}}",
		"router: {internal_speedup: 0.5}":                        "internal_speedup",
		"router: {input_speedup: 2}}}\nrtl: [{replace: '*'}]\n#": "input_speedup",
	} {
		file := filepath.Join(t.TempDir(), "refused.yaml")
		require.NoError(t, os.WriteFile(file, nil, 0o644))
		_, err := parsedAndRun(file, "starloom: 1\nworkload: {traffic: {rate: 0.1}}\nfabric: {netlist: {mesh: {k: [2, 2]}, "+text+"}}\n")
		require.ErrorContains(t, err, says, text)
	}
	_, err := parsedAndRun(filepath.Join(t.TempDir(), "ring.yaml"), "starloom: 1\nworkload: {traffic: {rate: 0.1}}\n"+
		"fabric: {netlist: {ring: {n: 4}, router: {vcs: 4, buffers: {policy: shared, private: 0}}}}\n")
	require.ErrorContains(t, err, "the routes need separate virtual channels")
	rules, err := filepath.Abs("examples/routers/routes/west-first.yml")
	require.NoError(t, err)
	_, err = parsedAndRun(filepath.Join(t.TempDir(), "rules.yaml"), "starloom: 1\nworkload: {traffic: {rate: 0.1}}\n"+
		"fabric: {netlist: {mesh: {k: [3, 3]}, router: {vcs: 4, speculative: {}}, routes: "+rules+"}}\n")
	require.ErrorContains(t, err, "speculative needs routes with one output")
}
