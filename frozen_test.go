package starloom

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

	"starloom/cosim"
)

// frozen are scenarios whose outputs must survive any change of the code's structure:
// all programs, odd sizes and timings, RTL, and the firmware that breaks each rule.
// A commit that rewrites testdata/frozen (-update) says which outputs changed, and why.
//
// An image without .wasm is testdata/firmware/<image>.c.
var frozen = map[string]string{
	"random":              "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random}",
	"random-odd-timing":   "fabric: {pops: {groups: 5, group_size: 5}}\nfirmware: {program: pops/random, cpu: {budget_cycles: 3}}\nlink: {phit_bits: 7, propagation_cycles: 3, guard_cycles: 2}\nseed: 8",
	"random-small":        "fabric: {pops: {groups: 3, group_size: 3}}\nfirmware: {program: pops/random}\nnic: {payload_bytes: 8, rx_frames: 1, tx_frames: 1}\nseed: 3",
	"random-large-frames": "fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}\nnic: {payload_bytes: 1024, rx_frames: 255, tx_frames: 9}",
	"random-loses":        "fabric: {pops: {groups: 3, group_size: 7}}\nfirmware: {program: pops/random}\nlink: {phit_bits: 8}\nseed: 8",
	"random-isolated":     "fabric: {pops: {groups: 6, group_size: 2}}\nfirmware: {program: pops/random, mode: isolated}\nstop: {slots: 40}",
	"random-cut":          "fabric: {pops: {groups: 9, group_size: 9}}\nfirmware: {program: pops/random}\nstop: {slots: 7}",
	"random-trigger":      "fabric: {pops: {groups: 3, group_size: 7}}\nfirmware: {program: pops/random}\nlink: {phit_bits: 8}\nseed: 8\ntraces: {vcd: {signals: [pops.slot, '**.violation', '**.rx_status'], trigger: first_violation, before: 2, after: 5}}",
	"corrected":           "fabric: {pops: {groups: 3, group_size: 7}}\nfirmware: {program: pops/random-corrected}",
	"corrected-square":    "fabric: {pops: {groups: 5, group_size: 5}}\nfirmware: {program: pops/random-corrected}\nworkload: {permutation: reverse}",
	"corrected-one-group": "fabric: {pops: {groups: 1, group_size: 5}}\nfirmware: {program: pops/random-corrected}\nworkload: {permutation: identity}",
	"offline":             "fabric: {pops: {groups: 3, group_size: 5}}\nfirmware: {program: pops/offline}",
	"offline-wide":        "fabric: {pops: {groups: 7, group_size: 2}}\nfirmware: {program: pops/offline}\nlink: {phit_bits: 3, propagation_cycles: 0, guard_cycles: 1}",
	"sort":                "fabric: {pops: {groups: 4, group_size: 3}}\nfirmware: {program: pops/sort}",
	"sort-list":           "fabric: {pops: {groups: 2, group_size: 3}}\nfirmware: {program: pops/sort}\nworkload: {permutation: [4, 0, 5, 1, 3, 2]}",
	"one-to-all":          "fabric: {pops: {groups: 4, group_size: 3}}\nfirmware: {program: pops/one-to-all}\nworkload: {one_to_all: {source: 5}}",
	"two-hops":            "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/two-hops}",
	"adversary":           "fabric: {pops: {groups: 8, group_size: 8}}\nfirmware: {program: pops/two-hops}\nworkload: {adversary: {slots: 2}}",
	"all":                 "fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random-corrected}\nworkload: {permutation: all}",
	"all-fails":           "fabric: {pops: {groups: 2, group_size: 3}}\nfirmware: {program: pops/random}\nworkload: {permutation: all}",

	"own-sleeps":             brokenScenario("sleeps", 4, 1, ""),
	"own-talks":              brokenScenario("talks", 4, 1, ""),
	"own-babbles":            brokenScenario("babbles", 4, 1, ""),
	"own-deaf":               brokenScenario("deaf", 4, 1, ""),
	"breaks-collision-free":  brokenScenario("collides", 2, 2, "collision_free: {period: 5, slots: [3, 4, 5]}"),
	"breaks-held":            brokenScenario("hoards", 4, 1, "packets_per_processor_max: 3"),
	"breaks-once-twice":      brokenScenario("duplicates", 4, 1, "exactly_once: true"),
	"breaks-once-elsewhere":  brokenScenario("misroutes", 4, 1, "exactly_once: true"),
	"breaks-once-lost":       brokenScenario("loses", 4, 1, "exactly_once: true"),
	"breaks-finishes":        brokenScenario("never_done", 4, 1, ""),
	"breaks-finishes-sends":  brokenScenario("sends_on", 4, 1, ""),
	"breaks-finishes-faulty": brokenScenario("pretends", 4, 1, ""),
	"breaks-fail":            brokenScenario("gives_up", 4, 1, ""),
	"breaks-send-port":       brokenScenario("sends_to_no_port", 4, 1, ""),
	"breaks-send-size":       brokenScenario("sends_too_much", 4, 1, ""),
	"breaks-send-kind":       brokenScenario("sends_no_kind", 4, 1, ""),
	"breaks-send-lie":        brokenScenario("lies", 4, 1, ""),
	"breaks-listen":          brokenScenario("listens_to_no_port", 4, 1, ""),
	"breaks-trap":            brokenScenario("traps", 4, 1, ""),

	"rtl-parts":  "fabric: {pops: {groups: 3, group_size: 2}}\nfirmware: {program: pops/random-corrected}\nrtl: [{replace: 'pops.**'}]",
	"rtl-all":    "fabric: {pops: {groups: 3, group_size: 2}}\nfirmware: {program: pops/random-corrected}\nrtl: [{replace: pops, backend: icarus}]",
	"rtl-timing": "fabric: {pops: {groups: 2, group_size: 3}}\nfirmware: {program: pops/random-corrected, cpu: {budget_cycles: 2}}\nlink: {phit_bits: 9, propagation_cycles: 2, guard_cycles: 3}\nrtl: [{replace: 'pops.**', backend: icarus}]",
}

func brokenScenario(image string, groups, groupSize int, rules string) string {
	return fmt.Sprintf("fabric: {pops: {groups: %d, group_size: %d}}\nfirmware: {image: %s}\nworkload: {permutation: reverse}\nstop: {slots: 20}\nrules: {%s}", groups, groupSize, image, rules)
}

// frozenTraces are the SHA-256 of a scenario's outputs, without the firmware's.
type frozenTraces struct {
	VCD      string `json:"vcd"`
	GTKW     string `json:"gtkw"`
	PCAPNG   string `json:"pcapng"`
	Log      string `json:"log"`
	RunTable string `json:"run_table,omitempty"`
}

// allFrozen are the frozen scenarios by name.
func allFrozen() map[string]string {
	all := maps.Clone(frozen)
	maps.Copy(all, frozenFabrics)
	return all
}

// TestFrozen compares report, texts, waveform and capture of every frozen scenario with
// what they were. Both engines must give the same report.
func TestFrozen(t *testing.T) {
	frozen := allFrozen()
	folder := filepath.Join("testdata", "frozen")
	hashes := map[string]frozenTraces{}
	for _, name := range slices.Sorted(maps.Keys(frozen)) {
		t.Run(name, func(t *testing.T) {
			s := frozenScenario(t, name)
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
			data := reportText(t, report)
			if len(s.RTL) == 0 && s.Workload.Permutation.Kind != PermutationAll {
				require.Equal(t, data, frozenReport(t, s), "the slot engine and the cycle engine differ")
			}
			golden(t, filepath.Join(folder, name+".json"), data)
			golden(t, filepath.Join(folder, name+".txt"), texts.String())
		})
	}
	data, err := json.MarshalIndent(hashes, "", "  ")
	require.NoError(t, err)
	if len(hashes) == len(frozen) { // not with -run of some
		golden(t, filepath.Join(folder, "traces.json"), string(data)+"\n")
	}
}

func frozenScenario(t *testing.T, name string) *Scenario {
	path := filepath.Join(t.TempDir(), name+".yaml")
	text := "starloom: 1\nname: " + name + "\n" + allFrozen()[name] + "\n"
	if _, image, own := strings.Cut(text, "image: "); own {
		image, _, _ = strings.Cut(image, "}")
		text = strings.Replace(text, "image: "+image, "image: "+testImage(t, image), 1)
	}
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	s, err := LoadScenario(path)
	require.NoError(t, err)
	return s
}

// frozenRun runs a scenario in the cycle engine with all its files.
func frozenRun(t *testing.T, s *Scenario) (*Report, frozenTraces) {
	dir := t.TempDir()
	o := RunOptions{}
	path := func(name string) Output { return File(filepath.Join(dir, name)) }
	if s.Workload.Permutation.Kind != PermutationAll {
		o.VCD, o.PCAPNG, o.Log = path("run.vcd"), path("run.pcapng"), path("run.log")
	}
	if s.Fabric.Crossbar != nil && s.Workload.Gossip != nil || s.Workload.OneToAll != nil && s.Fabric.EJ != nil {
		o.RunTableCSV = path("run-table.csv")
	}
	report, err := Run(context.Background(), s, o)
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

// TestFrozenRestored: a frozen run that is saved in its middle, and goes on from there in
// another machine, has the report of the one that was not.
func TestFrozenRestored(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(allFrozen())) {
		t.Run(name, func(t *testing.T) {
			s := frozenScenario(t, name)
			if s.Workload.Permutation.Kind == PermutationAll {
				t.Skip("many runs are not saved")
			}
			if slices.ContainsFunc(s.RTL, func(r RTL) bool { return r.Backend == cosim.BackendIcarus }) {
				t.Skip("Icarus cannot save its state")
			}
			whole, err := Run(t.Context(), s, RunOptions{})
			require.NoError(t, err)
			if whole.Slots < 2 {
				t.Skip("a run of one slot has no middle")
			}
			state := filepath.Join(t.TempDir(), "middle.state")
			_, err = Run(t.Context(), s, RunOptions{Save: state, BreakOn: Break{Slot: uint32(whole.Slots) / 2}})
			require.NoError(t, err)
			rest, err := Run(t.Context(), s, RunOptions{Restore: state})
			require.NoError(t, err)
			for _, r := range []*Report{whole, rest} {
				r.Files, r.Notes = nil, nil
			}
			require.Equal(t, reportText(t, whole), reportText(t, rest))
		})
	}
}

// frozenReport is the report of the slot engine, as frozenRun's.
func frozenReport(t *testing.T, s *Scenario) string {
	report, err := Run(context.Background(), s, RunOptions{MachineOptions: MachineOptions{Engine: EngineSlot}})
	require.NoError(t, err)
	for i := range report.Violations {
		report.Violations[i].Message, report.Violations[i].Backtrace = "", nil
	}
	report.Notes = nil
	return reportText(t, report)
}
