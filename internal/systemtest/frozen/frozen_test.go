package frozen

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/internal/systemtest"
)

// frozenTraces are the SHA-256 of a scenario's outputs, without the firmware's.
type frozenTraces struct {
	VCD      string `json:"vcd"`
	GTKW     string `json:"gtkw"`
	PCAPNG   string `json:"pcapng"`
	Log      string `json:"log"`
	RunTable string `json:"run_table,omitempty"`
}

// TestFrozen compares report, texts, waveform and capture of every frozen scenario with
// what they were. Both engines must give the same report.
func TestFrozen(t *testing.T) {
	frozen := systemtest.AllFrozen()
	folder := filepath.Join("testdata", "frozen")
	hashes := map[string]frozenTraces{}
	for _, name := range slices.Sorted(maps.Keys(frozen)) {
		t.Run(name, func(t *testing.T) {
			s := systemtest.FrozenScenario(t, name)
			report, hash := frozenRun(t, s)
			hashes[name] = hash
			var texts strings.Builder
			for i := range report.Violations {
				v := &report.Violations[i]
				fmt.Fprintf(&texts, "%s %s: %s\n", v.Rule, v.Path, v.Message)
				v.Message, v.Backtrace = "", nil // which name lines of the SDK
			}
			for _, note := range report.Notes {
				fmt.Fprintln(&texts, "note:", note)
			}
			for i := range report.RTL {
				report.RTL[i].SHA256 = ""
			}
			report.Notes = nil
			data := systemtest.ReportText(t, report)
			if len(s.RTL) == 0 && s.Workload.Permutation.Kind != starloom.PermutationAll {
				require.Equal(t, data, frozenReport(t, s), "the slot engine and the cycle engine differ")
			}
			systemtest.Golden(t, filepath.Join(folder, name+".json"), data)
			systemtest.Golden(t, filepath.Join(folder, name+".txt"), texts.String())
		})
	}
	data, err := json.MarshalIndent(hashes, "", "  ")
	require.NoError(t, err)
	if len(hashes) == len(frozen) { // not with -run of some
		systemtest.Golden(t, filepath.Join(folder, "traces.json"), string(data)+"\n")
	}
}

// frozenRun runs a scenario in the cycle engine with all its files.
func frozenRun(t *testing.T, s *starloom.Scenario) (*starloom.Report, frozenTraces) {
	dir := t.TempDir()
	o := starloom.RunOptions{}
	path := func(name string) starloom.Output { return starloom.File(filepath.Join(dir, name)) }
	if s.Workload.Permutation.Kind != starloom.PermutationAll {
		o.Record.VCD, o.Record.PCAPNG, o.Record.Log = path("run.vcd"), path("run.pcapng"), path("run.log")
	}
	if s.Fabric.Crossbar != nil && s.Workload.Gossip != nil || s.Workload.OneToAll != nil && s.Fabric.EJ != nil {
		o.RunTables.CSV = path("run-table.csv")
	}
	report, err := starloom.Run(context.Background(), s, o)
	require.NoError(t, err)
	report.Files = nil
	hash := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if os.IsNotExist(err) {
			return ""
		}
		require.NoError(t, err)
		data = bytes.ReplaceAll(data, []byte(report.Firmware.SHA256), []byte("-"))
		data = bytes.ReplaceAll(data, []byte(s.Hash()), []byte("-")) // the scenario's form may change
		data = bytes.ReplaceAll(data, []byte(dir), []byte("-"))
		return fmt.Sprintf("%x", sha256.Sum256(data))
	}
	return report, frozenTraces{hash("run.vcd"), hash("run.gtkw"), hash("run.pcapng"), hash("run.log"), hash("run-table.csv")}
}

// TestFrozenRestored checks that a frozen run, saved in its middle and continued in another machine, has the report
// of the uninterrupted run.
func TestFrozenRestored(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(systemtest.AllFrozen())) {
		t.Run(name, func(t *testing.T) {
			s := systemtest.FrozenScenario(t, name)
			if s.Workload.Permutation.Kind == starloom.PermutationAll {
				t.Skip("many runs are not saved")
			}
			if slices.ContainsFunc(s.RTL, func(r starloom.RTL) bool { return r.Backend == cosim.BackendIcarus }) {
				t.Skip("Icarus cannot save its state")
			}
			whole, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
			require.NoError(t, err)
			if whole.Slots < 2 {
				t.Skip("a run of one slot has no middle")
			}
			state := filepath.Join(t.TempDir(), "middle.state")
			_, err = starloom.Run(t.Context(), s,
				starloom.RunOptions{State: starloom.StateFiles{Save: state},
					BreakOn: starloom.Break{Slot: uint32(whole.Slots) / 2}})
			require.NoError(t, err)
			rest, err := starloom.Run(t.Context(), s, starloom.RunOptions{State: starloom.StateFiles{Restore: state}})
			require.NoError(t, err)
			for _, r := range []*starloom.Report{whole, rest} {
				r.Files, r.Notes = nil, nil
			}
			require.Equal(t, systemtest.ReportText(t, whole), systemtest.ReportText(t, rest))
		})
	}
}

// frozenReport is the report of the slot engine, as frozenRun's.
func frozenReport(t *testing.T, s *starloom.Scenario) string {
	report, err := starloom.Run(context.Background(), s,
		starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: starloom.EngineSlot}})
	require.NoError(t, err)
	for i := range report.Violations {
		report.Violations[i].Message, report.Violations[i].Backtrace = "", nil
	}
	report.Notes = nil
	return systemtest.ReportText(t, report)
}
