package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v4"

	"starloom"
	"starloom/fabric/pops"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
	"starloom/traces/input/strict"
)

// assignments are those of all values in a node, each with its own path.
func assignments(t *testing.T, node *yaml.Node, path string) (all []starloom.Assignment) {
	switch {
	case node.Kind == yaml.MappingNode && len(node.Content) > 0 && !strings.Contains(node.Content[0].Value, "["):
		for i := 0; i < len(node.Content); i += 2 {
			all = append(all, assignments(t, node.Content[i+1], strict.Join(path, node.Content[i].Value))...)
		}
	case node.Kind == yaml.SequenceNode && len(node.Content) > 0:
		for i, entry := range node.Content {
			all = append(all, assignments(t, entry, path+"["+string(rune('0'+i))+"]")...)
			if i == 9 { // two digits are for other tests
				text, err := json.Marshal(entryValues(t, node))
				require.NoError(t, err)
				return []starloom.Assignment{{Key: path, Value: string(text)}}
			}
		}
	default:
		bare := *node
		bare.HeadComment, bare.LineComment, bare.FootComment = "", "", ""
		if bare.Kind == yaml.MappingNode { // names of its own, in which a path cannot lead
			bare.Style = yaml.FlowStyle
		}
		text, err := yaml.Marshal(&bare)
		require.NoError(t, err)
		all = append(all, starloom.Assignment{Key: path, Value: strings.TrimSpace(string(text))})
	}
	return all
}

// entryValues are the entries of a list.
func entryValues(t *testing.T, node *yaml.Node) (values []any) {
	require.NoError(t, node.Decode(&values))
	return values
}

// TestAssignments: every example, written key by key on the command line into a file that says nothing
// but its version, is the same scenario, in any order of its keys.
func TestAssignments(t *testing.T) {
	for _, path := range goodScenarioFiles(t) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		root, err := strict.Document(path, data, "scenario", "")
		require.NoError(t, err)
		all := assignments(t, root, "")
		want, err := starloom.ParseScenario(path, data)
		require.NoError(t, err, path)
		for _, order := range [][]starloom.Assignment{all, reversed(all)} {
			got, err := starloom.ParseScenario(path, []byte("starloom: 1\n"), order...)
			require.NoError(t, err, path)
			require.Equal(t, scenarioText(t, want), scenarioText(t, got), path)
			require.Equal(t, want.Hash(), got.Hash(), path)
		}
		for _, one := range all { // what the file says already
			got, err := starloom.ParseScenario(path, data, one)
			require.NoError(t, err, "%s: %v", path, one)
			require.Equal(t, scenarioText(t, want), scenarioText(t, got), "%s: %v", path, one)
			if !strings.HasPrefix(one.Key, "fabric.netlist.") { // it says its places itself
				require.Contains(t, got.Place(one.Key), "--set "+one.Key+"=", path)
			}
		}
	}
}

// reversed has the last key first, but for entries of one list, which grows from its start.
func reversed(all []starloom.Assignment) []starloom.Assignment {
	all = slices.Clone(all)
	slices.Reverse(all)
	list := func(a starloom.Assignment) string { name, _, _ := strings.Cut(a.Key, "["); return name }
	slices.SortStableFunc(all, func(a, b starloom.Assignment) int {
		if list(a) == list(b) && strings.Contains(a.Key, "[") && strings.Contains(b.Key, "[") {
			return strings.Compare(a.Key, b.Key)
		}
		return 0
	})
	return all
}

// scenarioText is all that a file can say of a scenario.
func scenarioText(t *testing.T, s *starloom.Scenario) string {
	data, err := json.Marshal(s)
	require.NoError(t, err)
	return string(data)
}

// TestAssignmentRivals: of keys that exclude each other, the assigned one drives out that of the file, and
// two that are assigned are refused as two in a file are.
func TestAssignmentRivals(t *testing.T) {
	const file = systemtest.Small + "workload: {permutation: identity}\nfaults: {random: {kind: dead, rate: 0.5}}\nrtl: [{replace: 'pops.**.coupler[0]', twin: star_coupler}]\n"
	parse := func(words ...string) (*starloom.Scenario, error) {
		var set []starloom.Assignment
		for _, word := range words {
			key, value, _ := strings.Cut(word, "=")
			set = append(set, starloom.Assignment{Key: key, Value: value})
		}
		return starloom.ParseScenario("s.yaml", []byte(file), set...)
	}
	s, err := parse("workload.one_to_all.source=1", "faults.random.rates=[0.25]")
	require.ErrorContains(t, err, "--set workload.one_to_all.source=1: the program pops/random does not carry one_to_all")
	require.Nil(t, s)
	s, err = parse("firmware.program=pops/one-to-all", "workload.one_to_all.source=1", "faults.random.rates=[0.25]")
	require.NoError(t, err)
	require.Equal(t, 1, s.Workload.OneToAll.Source)
	require.Equal(t, []float64{0.25}, s.Faults.Random.Rates)
	require.Nil(t, s.Faults.Random.Rate)
	s, err = parse("firmware.image=router.wasm")
	require.NoError(t, err)
	require.Empty(t, s.Firmware.Program)
	s, err = parse("fabric.crossbar.ports=4", "firmware.program=gossip/fsa", "workload.gossip={}", "rtl[0].replace=**.link")
	require.NoError(t, err)
	require.Nil(t, s.Fabric.POPS)
	require.Equal(t, 4, s.Processors())
	s, err = parse("fabric.pops.groups=3")
	require.NoError(t, err)
	require.Equal(t, &pops.Network{Groups: 3, GroupSize: 2}, s.Fabric.POPS)

	_, err = parse("fabric.crossbar.ports=4", "fabric.pops.groups=3")
	require.EqualError(t, err, "--set fabric.crossbar.ports=4: two fabrics: pops and crossbar; a scenario has exactly one; delete the other")
	_, err = parse("firmware.image=a.wasm", "firmware.program=pops/random")
	require.ErrorContains(t, err, "--set firmware.image=a.wasm: firmware has both program and image")
	_, err = parse("fabric.crossbar.port=4")
	require.ErrorContains(t, err, `--set fabric.crossbar.port=4: unknown key "port" in fabric.crossbar; did you mean "ports"?`)
	_, err = parse("fabric.crossbat.ports=4")
	require.ErrorContains(t, err, `--set fabric.crossbat.ports=4: unknown key "crossbat" in fabric; did you mean "crossbar"?`)
	_, err = parse("fabric.groups=3")
	require.EqualError(t, err, `--set fabric.groups=3: unknown key "groups" in fabric; did you mean fabric.pops.groups?`)
}

// TestAssignmentDecides: who has decided is the option, or the place that an assignment names, and the
// command lines of reports have the option.
func TestAssignmentDecides(t *testing.T) {
	s, err := starloom.ParseScenario("a b.yaml", []byte(systemtest.Small), starloom.Assignment{Key: "fabric.pops.groups", Value: "3"},
		starloom.Assignment{Key: "name", Value: `"64"`},
		starloom.Assignment{Key: "stop.slots", Value: "77", Place: "sweep.yaml:3:4"}, starloom.Assignment{Key: "rules.collision_free",
			Value: "{period: 2, slots: [1]}"})
	require.NoError(t, err)
	require.Equal(t, "64", s.Name)
	e, err := s.Explain(context.Background())
	require.NoError(t, err)
	for _, want := range []starloom.Setting{
		{Key: "fabric.pops.groups", Value: 3, By: starloom.ByOption, Of: "--set"},
		{Key: "fabric.pops.group_size", Value: 2, By: starloom.ByFile, Of: "a b.yaml:2:40"},
		{Key: "stop.slots", Value: uint32(77), By: starloom.ByFile, Of: "sweep.yaml:3:4"},
		{Key: "rules.collision_free.slots", Value: []int{1}, By: starloom.ByOption, Of: "--set"},
		{Key: "rules.no_loss", Value: false, By: starloom.ByDefault, Of: ""},
	} {
		require.Equal(t, want, decided(t, e, want.Key))
	}
	seed := uint64(5)
	require.NoError(t, s.Override(context.Background(), starloom.Overrides{Seed: &seed}))
	const words = `'a b.yaml' --set fabric.pops.groups=3 --set 'name="64"' --set stop.slots=77 --set 'rules.collision_free={period: 2, slots: [1]}'`
	require.Equal(t, "starloom run "+words, inside.Decided(s).RunCommand)
	require.Equal(t, "starloom cosim check "+words+" --seed 5", inside.Decided(s).CheckCommand)

	s, err = starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {ej: {a: 1, b: 2, dimensions: 1}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}\n"), starloom.Assignment{Key: "fabric.ej.credits", Value: "2"})
	require.NoError(t, err)
	e, err = s.Explain(context.Background())
	require.NoError(t, err)
	require.Equal(t, starloom.Setting{Key: "fabric.ej.credits.depth", Value: 2, By: starloom.ByOption, Of: "--set"}, decided(t, e, "fabric.ej.credits.depth"))
	for _, path := range []string{"stop.slots", "workload.file"} { // an error of a sweep's axis is at the axis
		_, err = starloom.ParseScenario(filepath.Join("d", "s.yaml"), []byte(systemtest.Small), starloom.Assignment{Key: path, Value: "-1", Place: "sweep.yaml:3:4"})
		require.ErrorContains(t, err, "sweep.yaml:3:4: "+path)
	}
}

// TestLongAssignmentFuzz checks that any assignment gives a scenario or an error with a place.
func TestLongAssignmentFuzz(t *testing.T) {
	parts := []string{"fabric", "pops", "groups", "rtl", "[0]", "[1]", "[", "]", ".", "replace", "rules", "workload", "permutation",
		"traces", "vcd", "signals", "*", "x", "", "firmware", "params",
		"image", "program", "-1", "9", "name", "seed", "faults", "schedule", "kind", "[[1, 2], {a: b}]", "{}", "[]", "{a: 1}", "\"q\"", "~", "\n", "# c", "&a", "*a", "!!int", "- 1", "true", "1.5", "1e999"}
	random := rand.New(rand.NewPCG(1, 2))
	text := func(most int) (text string) {
		for range random.IntN(most + 1) {
			text += parts[random.IntN(len(parts))]
		}
		return text
	}
	read := 0
	for range 20_000 {
		var set []starloom.Assignment
		for range 1 + random.IntN(3) {
			set = append(set, starloom.Assignment{Key: text(6), Value: text(3)})
		}
		_, err := starloom.ParseScenario("s.yaml", []byte(systemtest.Small), set...)
		var refused *starloom.InputError
		switch {
		case err == nil:
			read++
		case !errors.As(err, &refused):
			t.Fatalf("%v: %v", set, err)
		default:
			require.True(t, strings.HasPrefix(refused.Place, "--set ") || strings.HasPrefix(refused.Place, "s.yaml:"), "%v: %v", set, err)
		}
	}
	require.NotZero(t, read)
}
