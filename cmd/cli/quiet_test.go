package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuiet checks that every command with --quiet prints only errors and output requested by -, with the same exit
// status.
func TestQuiet(t *testing.T) {
	dir := folder(t, map[string]string{
		"s.yaml":   smallScenario,
		"bad.yaml": smallScenario + "stop: {slots: 3}\n",
		"f.c": "#include \"starloom.h\"\ntypedef struct { int unused; } state_t;\nstatic void on_start(sl_nic *nic, state_t *s) { (void)nic; (void)s; int x; }\n" +
			"static void on_slot(sl_nic *nic, state_t *s) { (void)s; sl_done(nic); }\nSTARLOOM_FIRMWARE(state_t, on_start, on_slot)\n",
		"sweep.yaml": "scenario:\n  starloom: 1\n  fabric: {pops: {groups: 2, group_size: 4}}\n  firmware: {program: pops/random-corrected}\naxes:\n  groups: {key: fabric.pops.groups, values: [2, 4]}\nseeds: 1..2\n",
	})
	for _, c := range []struct {
		line   string
		status int
	}{
		{"run s.yaml --vcd out.vcd --pcapng out.pcapng", statusPass},
		{"run bad.yaml", statusFail},
		{"run bad.yaml --expect fail", statusPass},
		{"run s.yaml --expect fail", statusFail},
		{"run s.yaml --seeds 1..3", statusPass},
		{"estimate s.yaml", statusPass},
		{"scenario show s.yaml", statusPass},
		{"study gossip --case claims", statusPass},
		{"sweep sweep.yaml --out results", statusPass},
		{"firmware new --language c mine", statusPass},
		{"firmware build f.c", statusPass},
		{"firmware inspect f.wasm", statusPass},
		{"firmware check pops/random s.yaml --fuzz 1", statusPass},
		{"trace info out.vcd", statusPass},
		{"trace diff out.vcd out.vcd", statusPass},
	} {
		for _, option := range []string{"--quiet", "-q"} {
			if option == "-q" && !strings.HasPrefix(c.line, "run") {
				continue
			}
			r := starloomIn(t, dir, append(strings.Fields(c.line), option)...)
			require.Equal(t, c.status, r.status, "%s: %s", c.line, r.stderr)
			require.Empty(t, r.stdout+r.stderr, c.line)
		}
	}
	for line, begins := range map[string]string{
		"run bad.yaml --json -": "{", "run s.yaml --junit -": "<?xml", "run s.yaml --log -": "", "run s.yaml --replay 0": "", "schema": "{", "version": "starloom ",
		"study list": "pops", "explain lambda": "lambda", "trace dissector": "--", "help run": "Runs a scenario", "cosim check --list": "", "scenario show s.yaml --json -": "{",
		"plot results/results.csv --x groups --y slots -o -": "<svg",
	} {
		r := starloomIn(t, dir, append(strings.Fields(line), "--quiet")...)
		require.Empty(t, r.stderr, line)
		require.True(t, strings.HasPrefix(r.stdout, begins), "%s: %.80s", line, r.stdout)
		require.NotContains(t, r.stdout, "PASS", line)
	}
	for _, line := range []string{"run none.yaml", "run s.yaml --sed 1", "study nope", "firmware build none.c", "explain nope"} {
		r := starloomIn(t, dir, append(strings.Fields(line), "--quiet")...)
		require.Equal(t, statusInput, r.status, line)
		require.Empty(t, r.stdout, line)
		require.NotEmpty(t, r.stderr, line)
	}
}

// TestExpect checks that exit status and files agree with the expectation.
func TestExpect(t *testing.T) {
	dir := folder(t, map[string]string{"bad.yaml": smallScenario + "stop: {slots: 3}\n"})
	for expect, status := range map[string]int{
		"fail": statusPass, "fail:finishes": statusPass, "fail:exactly_once": statusFail, "pass": statusFail,
		"fail:exactly_onse": statusInput, "failed": statusInput,
	} {
		for _, seeds := range []string{"--seed=1", "--seeds=1..2"} {
			r := starloomIn(t, dir, "run", "bad.yaml", "--expect", expect, seeds, "--json", "out.json", "--junit", "out.xml")
			require.Equal(t, status, r.status, "%s %s: %s", expect, seeds, r.stdout+r.stderr)
			if status == statusInput {
				require.NoFileExists(t, filepath.Join(dir, "out.json"))
				continue
			}
			var report struct {
				Verdict string
				Expect  struct{ Met bool }
			}
			data, err := os.ReadFile(filepath.Join(dir, "out.json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(data, &report))
			require.Equal(t, "fail", report.Verdict)
			require.Equal(t, status == statusPass, report.Expect.Met)
			xml, err := os.ReadFile(filepath.Join(dir, "out.xml"))
			require.NoError(t, err)
			require.Equal(t, status == statusPass, strings.Contains(string(xml), ` failures="0"`), string(xml))
			require.NoError(t, os.Remove(filepath.Join(dir, "out.json")))
		}
	}
}
