package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"starloom"

	"github.com/stretchr/testify/require"
)

// mistaken are the lines of a scenario's sections, each right and then with a mistake of every kind.
var mistaken = [][]string{
	{"fabric: {netlist: {nodes: {\"p[0..3]\": processor, s: star}, links: [[\"p[0..3]\", s]]}}",
		"fabric: {netlist: {nodes: {\"p[0..3]\": processor, s: stra}, links: [[\"p[0..3]\", s]]}}",
		"fabric: {netlist: {nodes: {\"p[0..3]\": processor, s: star}, links: [[\"p[0..3]\", t]]}}",
		"fabric: {pops: {d: 2, g: 0}}", "fabric: {pops: {d: 2, g: 2}, bus: {vertices: 4}}", "fabrik: {}"},
	{"firmware: {program: netlist/next-hop}", "firmware: {program: netlist/next-hop, moed: banked}", "firmware: {program: netlist/next-hop, params: {1: 2}}",
		"firmware: {program: netlist/next-hop, cpu: {clock_ratio: 2}}", "firmwear: {program: netlist/next-hop}"},
	{"workload: {permutation: reverse}", "workload: {permutatoin: reverse}", "workload: {permutation: 3}", "workload: {one_to_all: {}, all_to_all: {}}"},
	{"rules: {exactly_once: true}", "rules: {exactly_onc: true}", "rules: {deadline_slots: -3}", "rules: {collision_free: {period: 2, slots: [3]}}"},
	{"faults: {schedule: [{kind: drop, probability: 0.5}]}", "faults: {schedule: [{kind: dorp}]}", "faults: {random: {kind: drop, targets: [\"*\"]}}",
		"faults: {schedule: [{probability: 0.5}, {probability: 2}]}"},
	{"stop: {slots: 10}", "stop: {slots: x}", "stop: {slot: 10}"},
	{"traces: {vcd: {to: 3}}", "traces: {vcd: {from: 3, to: 2}}", "traces: 3"},
	{"seed: 3", "seed: -3", "seeed: 3"},
	{"starloom: 1", "starlom: 1"},
}

// mistakesOf returns the mistakes of a scenario with one line for each section; at selects the variant of each.
func mistakesOf(t *testing.T, at []int) (lines []string) {
	text := ""
	for i, k := range at {
		text += mistaken[i][k] + "\n"
	}
	_, err := starloom.ParseScenario("s.yaml", []byte(text))
	if err == nil {
		return nil
	}
	require.True(t, errors.As(err, new(*starloom.InputError)), "%v", err)
	return strings.Split(err.Error(), "\n")
}

// TestAllMistakesOfAScenario: a file with two mistakes in different sections is refused with those of each alone, in
// the order of its lines.
func TestAllMistakesOfAScenario(t *testing.T) {
	none := make([]int, len(mistaken))
	require.Empty(t, mistakesOf(t, none))
	alone := func(i, k int) []string {
		at := slices.Clone(none)
		at[i] = k
		lines := mistakesOf(t, at)
		require.NotEmpty(t, lines, mistaken[i][k])
		return lines
	}
	for i := range mistaken {
		for k := 1; k < len(mistaken[i]); k++ {
			for j := range i {
				for l := 1; l < len(mistaken[j]); l++ {
					at := slices.Clone(none)
					at[i], at[j] = k, l
					require.Equal(t, append(alone(j, l), alone(i, k)...), mistakesOf(t, at), "%s\n%s", mistaken[j][l], mistaken[i][k])
				}
			}
		}
	}
	every := slices.Repeat([]int{1}, len(mistaken))
	require.Len(t, mistakesOf(t, every), len(mistaken))
}

// TestManyMistakesOfAScenario: the first 20 are named, of all sections.
func TestManyMistakesOfAScenario(t *testing.T) {
	text := "starloom: 1\nfabric: {netlist: {nodes: {a: processor}, links: [" + strings.Repeat("[a, x], ",
		24) + "[a, x]]}}\nfirmware: {program: netlist/flood}\nstop: {slots: -1}\n"
	_, err := starloom.ParseScenario("s.yaml", []byte(text))
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, 21)
	require.Equal(t, "and 6 more", lines[20])
	for i := range 7 {
		text = fmt.Sprintf("key%d: 1\n", i) + text
	}
	_, err = starloom.ParseScenario("s.yaml", []byte(text))
	lines = strings.Split(err.Error(), "\n")
	require.Contains(t, lines[6], "s.yaml:7:1: ")
	require.Equal(t, "and 13 more", lines[20])
}

// TestNetlistIsNoScenario: who runs a netlist learns what it is and what to write.
func TestNetlistIsNoScenario(t *testing.T) {
	for _, text := range []string{"nodes: {a: processor, b: processor}\nlinks: [[a, b]]\n", "links: [[a, b]]\n"} {
		_, err := starloom.ParseScenario("folder/n.yaml", []byte(text))
		require.ErrorContains(t, err, "folder/n.yaml:1:1: this is a netlist, the network alone; write a scenario that names it: "+
			"starloom: 1, fabric: {netlist: {file: n.yaml}} and firmware: {program: netlist/next-hop}")
	}
	_, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nnodes: {}\n"))
	require.ErrorContains(t, err, `unknown key "nodes"`)
}
