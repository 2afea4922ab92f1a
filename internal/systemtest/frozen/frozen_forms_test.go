package frozen

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/pops"
	"starloom/internal/emulator"
	"starloom/internal/systemtest"
)

// frozenForms are what Starloom says in other forms than the report of one run: of many runs,
// of survival, of profiles, checks and studies. Sentences are not kept, figures are.
var frozenForms = map[string]func(t *testing.T, to func(name string) starloom.Output) any{
	"seeds": func(t *testing.T, to func(string) starloom.Output) any { return frozenSeeds(t, "random", 1, 20, to) },
	"seeds-fail": func(t *testing.T, to func(string) starloom.Output) any {
		return frozenSeeds(t, "random-loses", 3, 12, to)
	},
	"seeds-all": func(t *testing.T, to func(string) starloom.Output) any { return frozenSeeds(t, "all-fails", 1, 2, to) },
	"seeds-scatter": func(t *testing.T, to func(string) starloom.Output) any {
		return frozenSeeds(t, "scatter-async-poisson", 1, 30, to)
	},
	"seeds-bus": func(t *testing.T, to func(string) starloom.Output) any {
		return frozenSeeds(t, "sensors-none", 1, 5, to)
	},
	"seeds-faults": func(t *testing.T, to func(string) starloom.Output) any {
		return frozenSeeds(t, "faults-only-drops", 1, 30, to)
	},
	"seeds-metered": func(t *testing.T, to func(string) starloom.Output) any {
		return frozenSeeds(t, "metered-overruns", 1, 6, to)
	},
	"survival":        frozenSurvival,
	"profile":         frozenProfile,
	"parking":         frozenParking,
	"check":           func(t *testing.T, _ func(string) starloom.Output) any { return frozenCheck(t, "random-small") },
	"check-gossip":    func(t *testing.T, _ func(string) starloom.Output) any { return frozenCheck(t, "gossip-pipelined") },
	"check-writes":    func(t *testing.T, _ func(string) starloom.Output) any { return frozenCheck(t, "own-babbles") },
	"cosim-check":     frozenCosim,
	"study-pops":      func(t *testing.T, _ func(string) starloom.Output) any { return frozenStudy(t, "pops", "figure 3*") },
	"study-gossip":    func(t *testing.T, _ func(string) starloom.Output) any { return frozenStudy(t, "gossip", "table [1-9]") },
	"study-scatter":   func(t *testing.T, _ func(string) starloom.Output) any { return frozenStudy(t, "scatter", "table*") },
	"study-bus":       func(t *testing.T, _ func(string) starloom.Output) any { return frozenStudy(t, "bus", "table 1*") },
	"study-ej":        func(t *testing.T, _ func(string) starloom.Output) any { return frozenStudy(t, "ej", "table 3*") },
	"interrupted-run": frozenInterrupted,
	"custom":          frozenCustom,
}

// TestFrozenForms compares the frozen forms with what they were, by their hashes: of the report
// without sentences, and of every file that it wrote.
func TestFrozenForms(t *testing.T) {
	hashes := map[string]map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(frozenForms)) {
		t.Run(name, func(t *testing.T) {
			files := map[string]*bytes.Buffer{}
			report := frozenForms[name](t, func(file string) starloom.Output {
				files[file] = &bytes.Buffer{}
				return starloom.Writer(files[file])
			})
			hashes[name] = map[string]string{"report": hashOf(withoutSentences(t, report))}
			for file, data := range files {
				content := data.Bytes()
				if r, ok := report.(*starloom.Report); ok { // the bytes of an image may change
					content = bytes.ReplaceAll(content, []byte(r.Firmware.SHA256), []byte("-"))
				}
				hashes[name][file] = hashOf(content)
			}
		})
	}
	data, err := json.MarshalIndent(hashes, "", "  ")
	require.NoError(t, err)
	if len(hashes) == len(frozenForms) { // not with -run of some
		systemtest.Golden(t, filepath.Join("testdata", "frozen", "forms.json"), string(data)+"\n")
	}
}

func hashOf(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// sentences are the keys of reports whose values are for people, or name the bytes of an image, a file or the program.
var sentences = []string{"message", "note", "notes", "not_compared", "faults", "sha256", "backtrace", "files", "doc", "untried", "profile",
	"provenance"}

// withoutSentences is the JSON form of a report without what people read.
func withoutSentences(t *testing.T, report any) []byte {
	data, err := json.Marshal(report)
	require.NoError(t, err)
	var value any
	require.NoError(t, json.Unmarshal(data, &value))
	strip(value)
	data, err = json.MarshalIndent(value, "", " ")
	require.NoError(t, err)
	return data
}

func strip(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if slices.Contains(sentences, key) {
				delete(v, key)
			} else {
				strip(inner)
			}
		}
	case []any:
		for _, inner := range v {
			strip(inner)
		}
	}
}

func frozenSeeds(t *testing.T, scenario string, first, last uint64, to func(string) starloom.Output) any {
	s := systemtest.FrozenScenario(t, scenario)
	report, err := starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: first, Last: last}, starloom.RunOptions{Reports: starloom.ReportFiles{CSV: to("csv"), StatsCSV: to("stats.csv")}})
	require.NoError(t, err)
	return report
}

func frozenSurvival(t *testing.T, to func(string) starloom.Output) any {
	s, err := starloom.LoadScenario("examples/pops-4x4-survival.yaml")
	require.NoError(t, err)
	report, err := starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: 20},
		starloom.RunOptions{Survival: starloom.TableFiles{CSV: to("survival.csv"), SVG: to("survival.svg")}, Reports: starloom.ReportFiles{CSV: to("csv")}})
	require.NoError(t, err)
	return report
}

// frozenProfile keeps what calls cost; stacks name lines of the SDK.
func frozenProfile(t *testing.T, _ func(string) starloom.Output) any {
	var stacks bytes.Buffer
	report, err := starloom.Run(t.Context(), systemtest.FrozenScenario(t, "metered-overruns"), starloom.RunOptions{Profile: starloom.Writer(&stacks)})
	require.NoError(t, err)
	require.NotEmpty(t, stacks.String())
	return report
}

func frozenParking(t *testing.T, _ func(string) starloom.Output) any {
	s := systemtest.EjScenario(t, 3, 4, 3, "ej/improved", "workload: {one_to_all: {source: 5}}\n")
	m, err := starloom.NewMachine(t.Context(), s,
		systemtest.With(starloom.MachineOptions{}, emulator.Options{Parks: true}))
	require.NoError(t, err)
	defer m.Close()
	require.NoError(t, m.Run(t.Context(), nil))
	report := *m.Report()
	report.Firmware.BytesPerProcessor = 0
	return &report
}

// frozenCheck keeps what both runs and watched handlers gave; what fuzzing draws may change.
func frozenCheck(t *testing.T, scenario string) any {
	check, err := starloom.CheckFirmware(t.Context(), systemtest.FrozenScenario(t, scenario),
		starloom.FirmwareCheckOptions{})
	require.NoError(t, err)
	check.Fuzz, check.Fuzzed, check.GaveUp = nil, 0, 0
	return check
}

// frozenCosim keeps the inputs that RTL is checked with.
func frozenCosim(t *testing.T, _ func(string) starloom.Output) any {
	run, err := starloom.RecordRTL(t.Context(), systemtest.FrozenScenario(t, "rtl-crossbar-arbiters"))
	require.NoError(t, err)
	inputs := map[string]string{}
	for _, p := range run.Parts {
		inputs[p.Path] = hashOf(fmt.Append(nil, p.Stimulus.Inputs))
	}
	return inputs
}

func frozenStudy(t *testing.T, name, rows string) any {
	report, err := starloom.Study(t.Context(), name, starloom.StudyOptions{Case: rows})
	require.NoError(t, err)
	require.NotEmpty(t, report.Rows)
	return report
}

// frozenInterrupted is a run that is interrupted at its third boundary.
func frozenInterrupted(t *testing.T, _ func(string) starloom.Output) any {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	report, err := starloom.Run(ctx, systemtest.FrozenScenario(t, "ej-c2"), starloom.RunOptions{Progress: func(p starloom.Progress) {
		if p.Slots == 3 {
			cancel()
		}
	}})
	require.NoError(t, err)
	return report
}

// ownNetwork is a network from Go: POPS by another name.
type ownNetwork struct{ *pops.Network }

// Kind implements fabric.Network.
func (ownNetwork) Kind() string { return "own" }

// frozenCustom is a run of a network from Go, with its traces.
func frozenCustom(t *testing.T, to func(string) starloom.Output) any {
	s := starloom.DefaultScenario()
	s.Name, s.Seed, s.Stop.Slots = "custom", 7, 400
	s.Fabric.Custom = ownNetwork{&pops.Network{Groups: 3, GroupSize: 3}}
	s.Firmware.Program = "pops/random"
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{Record: starloom.RecordOptions{VCD: to("vcd"), GTKW: to("gtkw"), PCAPNG: to("pcapng")}})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	return report
}
