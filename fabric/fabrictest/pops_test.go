package fabrictest

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/pops"
	"starloom/firmware"
)

// on returns scenarios of a program on POPS(d,g).
func on(program string, d, g int, change func(*starloom.Scenario)) func(testing.TB) *starloom.Scenario {
	return func(testing.TB) *starloom.Scenario {
		s := starloom.DefaultScenario()
		s.Name, s.Fabric.POPS = "suite", &pops.Network{Groups: g, GroupSize: d}
		s.Firmware.Program, s.Stop.Slots = program, 200
		if change != nil {
			change(s)
		}
		return s
	}
}

func TestPOPS(t *testing.T) {
	image := filepath.Join(t.TempDir(), "direct.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "../../testdata/firmware/direct.c", Output: image}))
	told := filepath.Join(t.TempDir(), "told.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "../../testdata/firmware/told.c", Output: told}))
	rules := func(r starloom.Rules) func(*starloom.Scenario) {
		return func(s *starloom.Scenario) { s.Rules = &r }
	}
	(&Suite{
		Cases: []Case{
			{Name: "random", Scenario: on("pops/random", 3, 3, nil)},
			{Name: "random-corrected", Scenario: on("pops/random-corrected", 5, 2, nil)},
			{Name: "offline", Scenario: on("pops/offline", 3, 4, nil)},
			{Name: "sort", Scenario: on("pops/sort", 2, 3, nil)},
			{Name: "one-to-all", Scenario: on("pops/one-to-all", 3, 2, func(s *starloom.Scenario) { s.Workload = starloom.Workload{OneToAll: &starloom.OneToAll{Source: 4}} })},
			{Name: "two-hops", Scenario: on("pops/two-hops", 3, 3, nil)},
			{Name: "transmit status", Scenario: on("", 1, 4, func(s *starloom.Scenario) {
				s.Firmware.Image, s.Rules = told, &starloom.Rules{ExactlyOnce: true}
				s.Workload.Permutation.Kind = starloom.PermutationReverse
			})},
			{Name: "does not finish", Scenario: on("pops/random", 3, 3, func(s *starloom.Scenario) { s.Stop.Slots = 3 }), Breaks: starloom.RuleFinishes},
			{Name: "collides", Scenario: on("pops/two-hops", 3, 3, rules(starloom.Rules{CollisionFree: &starloom.CollisionFree{Period: 1, Slots: []int{1}}})), Breaks: starloom.RuleCollisionFree},
			{Name: "holds too many", Scenario: on("pops/random", 3, 3, rules(starloom.Rules{PacketsPerProcessorMax: 1})), Breaks: starloom.RuleHeld},
			{Name: "misroutes", Scenario: on("", 1, 4, func(s *starloom.Scenario) {
				s.Firmware.Image, s.Rules = image, &starloom.Rules{ExactlyOnce: true}
				s.Workload.Permutation.Kind = starloom.PermutationIdentity
			}), Breaks: starloom.RuleExactlyOnce},
		},
		RTL: []starloom.RTL{
			{Replace: "pops.group[*].coupler[1]", Twin: "star_coupler"}, {Replace: "**.fibre", Twin: "link"},
			{Replace: "pops.group[1].nic[*].tx", Twin: "serialiser"}, {Replace: "pops.group[*].nic[2].rx", Twin: "deserialiser"},
			{Replace: "pops.group[2].nic[*]"}, {Replace: "pops", Twin: "pops_slot"},
		},
	}).Run(t)
}
