package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
)

// TestLongEveryExportEnds checks that firmware that never returns, in any export, is ended in run, with and without a
// model, and in inspect. During loading this is an input error with the export; in a handler it is a violation with
// function and line, the same in every bank, and other processors continue.
func TestLongEveryExportEnds(t *testing.T) {
	dir := folder(t, nil)
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	models := map[string]string{"": "it has not returned after 250000000 iterations of its loops", ", cpu: {model: " +
		"unit, trap_cycles: 100000}": "it cost more than trap_cycles, the equivalent of 100000 in the cost table"}
	firmware := func(image, more string) string {
		return strings.Replace(smallScenario, "{program: pops/random}", "{image: "+image+".wasm, mode: banked"+more+"}", 1) + "stop: {slots: 8}\n"
	}
	for _, export := range []string{"start", "_initialize", "starloom_abi", "starloom_probe_names", "starloom_param_names", "starloom_bank", "starloom_attach"} {
		write(export+".wasm", string(endlessModule(export)))
		for model, text := range models {
			write("s.yaml", firmware(export, model))
			r := starloomIn(t, dir, "run", "s.yaml")
			require.Equal(t, statusInput, r.status, "%s%s: %s%s", export, model, r.stdout, r.stderr)
			require.Contains(t, r.stderr, text, export)
			if export != "start" && export != "_initialize" {
				require.Contains(t, r.stderr, export)
			}
		}
		if export == "starloom_attach" || *full {
			r := starloomIn(t, dir, "firmware", "inspect", export+".wasm")
			require.Equal(t, statusInput, r.status, "%s: %s%s", export, r.stdout, r.stderr)
			require.Contains(t, r.stderr, "it is considered endless: the call has cost more than 1000000000", export)
		}
	}
	for where, name := range []string{"none", "starloom_start", "starloom_slot", "starloom_call_choice"} {
		if where == 0 {
			continue
		}
		source := strings.ReplaceAll(endlessSource, "WHERE", string(rune('0'+where)))
		source = strings.Replace(source, "== 1)", "== 1 && sl_self(nic) == 5)", 1)
		write(name+".c", source)
		r := starloomIn(t, dir, "firmware", "build", name+".c", "--debug")
		require.Equal(t, statusPass, r.status, r.stderr)
		for model, text := range models {
			scenario := firmware(name, model)
			if name == "starloom_call_choice" {
				write("s.yaml", scenario+"workload: {adversary: {slots: 2}}\n")
				r := starloomIn(t, dir, "run", "s.yaml")
				require.Equal(t, statusInput, r.status, "%s%s", r.stdout, r.stderr)
				require.Contains(t, r.stderr, text)
				require.Contains(t, r.stderr, "starloom_call_choice")
				continue
			}
			write("s.yaml", scenario)
			var first string
			for _, args := range [][]string{{}, {"--bank", "3", "--workers", "2"}, {"--mode", "isolated"}} {
				r := starloomIn(t, dir, append([]string{"run", "s.yaml", "--json", "r.json"}, args...)...)
				require.Equal(t, statusFail, r.status, "%s%s", r.stdout, r.stderr)
				data, err := os.ReadFile(filepath.Join(dir, "r.json"))
				require.NoError(t, err)
				var report struct {
					Slots      uint64
					Digest     string
					Violations []starloom.Violation
				}
				require.NoError(t, json.Unmarshal(data, &report))
				var trapped []string
				for _, v := range report.Violations {
					if v.Rule == starloom.RuleTrap {
						trapped = append(trapped, v.Path+": "+v.Message)
					}
				}
				require.Len(t, trapped, 1)
				require.Contains(t, trapped[0], "nic[1]") // processor 5
				require.Contains(t, trapped[0], text)
				require.Contains(t, trapped[0], name+".c:")
				require.EqualValues(t, 8, report.Slots)
				if first == "" {
					first = trapped[0] + report.Digest
				}
				assert.Equal(t, first, trapped[0]+report.Digest, "%s%s %v", name, model, args)
				if name == "starloom_start" && !*full {
					break
				}
			}
		}
	}
}

// TestLargeStateIsRefused checks that a state above 1 MiB is refused with its size, however many processors share an
// instance.
func TestLargeStateIsRefused(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario, "large.c": `#include "starloom.h"
typedef struct { uint32_t x, table[750000]; } state_t;
static void on_start(sl_nic *nic, state_t *s) {}
static void on_slot(sl_nic *nic, state_t *s) { s->table[s->x++] = 1; }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`})
	require.Equal(t, statusPass, starloomIn(t, dir, "firmware", "build", "large.c").status)
	const want = "the firmware has a state of 3000004 bytes; at most 1048576 are allowed; make the struct that STARLOOM_FIRMWARE names smaller\n"
	for _, args := range [][]string{{"run", "s.yaml", "--firmware", "large.wasm"}, {"run", "s.yaml", "--firmware", "large.wasm", "--mode", "isolated"}, {"firmware", "inspect", "large.wasm"}} {
		r := starloomIn(t, dir, args...)
		require.Equal(t, statusInput, r.status)
		require.Contains(t, r.stderr, "large.wasm: "+want, "%v", args)
	}
}
