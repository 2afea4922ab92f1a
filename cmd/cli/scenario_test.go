package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ownImage is a scenario with an image, a metered core, credits and a permutation in a file.
const ownImage = `starloom: 1
seed: 3
fabric: {ej: {a: 1, b: 2, dimensions: 1, credits: 2}}
nic: {payload_bytes: 32, rx_frames: 20}
firmware:
  image: own.wasm
  cpu: {model: rv32-inorder, budget_cycles: 40}
workload: {file: seven.csv}
rules: {no_loss: true, collision_free: {period: 2, slots: [1]}}
`

// TestScenarioShow compares elaborated scenarios with testdata/scenario, as text and JSON, by kind of network and
// origin of values. Update: go test ./cmd/cli -run ScenarioShow -update.
func TestScenarioShow(t *testing.T) {
	own := folder(t, map[string]string{"own.yaml": ownImage, "seven.csv": "destination\n6\n5\n4\n3\n2\n1\n0\n"})
	image, err := os.ReadFile("../../firmware/images/pops/random.wasm")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(own, "own.wasm"), image, 0o644))
	for _, c := range []struct {
		name, folder, command string
	}{
		{"pops", "../../examples", "pops-64x16-published.yaml"},
		{"pops-options", "../../examples", "pops-2x4-all.yaml --permutation 7 --slots 99 --mode isolated"},
		{"pops-program", "../../examples", "pops-4x4-faults.yaml --firmware pops/offline --seed 7"},
		{"pops-rates", "../../examples", "pops-4x4-survival.yaml"},
		{"ej-faults", "../../examples", "ej-faults.yaml"},
		{"bus-sensors", "../../examples", "bus-sensors.yaml"},
		{"bus-gossip", "../../examples", "bus-gossip.yaml"},
		{"crossbar-image", "../../examples", "crossbar-faults.yaml --firmware ../firmware/images/scatter/sync.wasm"},
		{"crossbar-rtl", "../../examples/rtl", "gossip-4.yaml"},
		{"own", own, "own.yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "out.json")
			args := append([]string{"scenario", "show"}, strings.Fields(c.command)...)
			r := starloomIn(t, c.folder, append(args, "--json", file)...)
			require.Equal(t, statusPass, r.status, r.stderr)
			require.Empty(t, r.stderr)
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			sources, err := filepath.Abs("../..")
			require.NoError(t, err)
			text := r.stdout
			if strings.Contains(text, sources) { // the path decides the width of a column
				text = regexp.MustCompile("  +").ReplaceAllString(strings.ReplaceAll(text, sources, ""), "  ")
			}
			golden(t, c.name+".txt", text)
			golden(t, c.name+".json", strings.ReplaceAll(string(data), sources, ""))
		})
	}
}

func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata/scenario", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), text, path)
}

// TestScenarioShowRefuses checks that `scenario show` and `run` refuse the same scenarios in the same words, and that
// `scenario show` prints the values of a run's report.
func TestScenarioShowRefuses(t *testing.T) {
	dir := folder(t, map[string]string{
		"key.yaml":     smallScenario + "nick: {}\n",
		"range.yaml":   smallScenario + "nic: {rx_frames: 256}\n",
		"two.yaml":     smallScenario + "stop: {slots: 0}\n",
		"image.yaml":   "starloom: 1\nfabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {image: none.wasm}\n",
		"payload.yaml": smallScenario + "nic: {payload_bytes: 4}\n",
		"lanes.yaml":   "starloom: 1\nfabric: {ej: {a: 1, b: 2, dimensions: 2}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}\nnic: {rx_frames: 40}\n",
		"rule.yaml":    smallScenario + "rules: {validity: true}\n",
		"targets.yaml": smallScenario + "faults: {schedule: [{kind: dead, targets: [\"pops.group[9].nic[0]\"]}]}\n",
		"depth.yaml":   smallScenario + "faults: {schedule: [{kind: buffers, rx_frames: 5}]}\n",
		"orders.yaml": "starloom: 1\nfabric: {crossbar: {ports: 4}}\nfirmware: {program: gossip/fsa}\n" +
			"workload: {gossip: {orders: none.csv}}\n",
		"rtl.yaml":    smallScenario + "rtl: [{replace: pops.group}]\n",
		"memory.yaml": "starloom: 1\nfabric: {pops: {groups: 4000, group_size: 60000}}\nfirmware: {program: pops/random}\n",
	})
	available := regexp.MustCompile(`has [0-9.]+ [MG]iB`) // a figure that changes with time
	for _, name := range append(list(t, dir), "none.yaml", "payload.yaml --slots 0", "key.yaml --seed x", "range.yaml --firmware no.wasm") {
		args := strings.Fields(name)
		run, show := starloomIn(t, dir, append([]string{"run"}, args...)...), starloomIn(t, dir, append([]string{"scenario", "show"}, args...)...)
		require.Equal(t, statusInput, run.status, name)
		run.stderr, show.stderr = available.ReplaceAllString(run.stderr, "has what is"), available.ReplaceAllString(show.stderr, "has what is")
		require.Equal(t, run, show, name)
	}

	require.NoError(t, os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(smallScenario), 0o644))
	var run struct {
		Rules  []string `json:"rules"`
		Cycles uint64   `json:"cycles"`
		Slots  uint64   `json:"slots"`
	}
	var show struct {
		Rules []string `json:"rules"`
		Slot  struct {
			Cycles uint64 `json:"cycles"`
		} `json:"slot"`
	}
	require.NoError(t, json.Unmarshal([]byte(starloomIn(t, dir, "run", "s.yaml", "--json", "-").stdout), &run))
	require.NoError(t, json.Unmarshal([]byte(starloomIn(t, dir, "scenario", "show", "s.yaml", "--json", "-").stdout), &show))
	require.Equal(t, run.Rules, show.Rules)
	require.Equal(t, run.Cycles, run.Slots*show.Slot.Cycles)

	r := starloomIn(t, dir, "scenario", "show", "s.yaml", "--json", "s.yaml")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "--json: s.yaml is an input of the run")
}
