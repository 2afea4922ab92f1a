package check

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/fabric/pops"
	"starloom/firmware"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/nic"
)

// TestFirstField: a field of a report that differs, is missing or is additional.
func TestFirstField(t *testing.T) {
	for _, c := range [][5]string{
		{`{"a": [1, {"b": "x"}], "c": 2}`, `{"a": [1, {"b": "y"}], "c": 3}`, "a[1].b", "x", "y"},
		{`{"a": [1, 2], "c": 2}`, `{"a": [1], "c": 2}`, "a[1]", "2", ""},
		{`{"a": [1], "c": 2}`, `{"a": [1, 2], "c": 2}`, "a[1]", "", "2"},
		{`{"a": 1}`, `{"a": 1, "c": true}`, "c", "", "true"},
		{`{"a": 18446744073709551615}`, `{"a": 18446744073709551614}`, "a", "18446744073709551615", "18446744073709551614"},
	} {
		field, first, other := firstField(fieldsOf([]byte(c[0])), fieldsOf([]byte(c[1])))
		require.Equal(t, c[2:], []string{field, first, other})
	}
}

func TestCheckCountsOne(t *testing.T) {
	slot := int64(1)
	check := Report{
		Runs:   []Run{{Workers: 1, BankSize: 1, Slots: 1}},
		Writes: []Write{{Count: 1, Before: "00", After: "01", Variable: "v"}}, Fuzzed: 1, GaveUp: 1,
		Fuzz:       []FuzzFinding{{Input: FuzzInput{Slots: 1}}},
		Difference: &Difference{Found: true, Slot: 1, Processors: 1, SeenSlot: &slot},
	}
	for range 2 {
		var text bytes.Buffer
		require.NoError(t, check.WriteText(&text))
		require.NotRegexp(t, `\b1 (of such|\w+s\b)`, text.String())
		check.Difference = nil
	}
}

// TestCheckComparesCosts: handler costs are compared only between metered runs.
func TestCheckComparesCosts(t *testing.T) {
	text, costless := []byte("costs 7"), []byte("costs")
	metered := execution{text: text, costless: costless, firmware: outcome.FirmwareReport{CPU: "unit"}}
	equals := func(other *execution) bool {
		a, b := metered.comparable(other)
		return bytes.Equal(a, b)
	}
	require.True(t, equals(&execution{text: costless, costless: costless}))
	require.True(t, equals(&metered))
	require.False(t, equals(&execution{text: []byte("costs 8"), costless: costless, firmware: outcome.FirmwareReport{CPU: "unit"}}))
	require.False(t, equals(&execution{text: costless, costless: text}))
}

// TestCheckCountsCalls counts all calls, also in banks of many processors.
func TestCheckCountsCalls(t *testing.T) {
	c := &checker{ctx: t.Context(), config: checkedConfig(t, "shares_a_variable", 32, 16)}
	require.NoError(t, c.watch())
	require.Len(t, c.report.Writes, 1)
	require.Equal(t, 512*5, c.report.Writes[0].Count, "in the slots 0 to 4")
	require.Empty(t, c.report.NotCompared)
}

// TestCheckListsTheWorstWrites: a full list of notes has room for harmful writes.
func TestCheckListsTheWorstWrites(t *testing.T) {
	c := &checker{ctx: t.Context(), config: checkedConfig(t, "writes_next_door", 4, 2)}
	m, err := c.watched(false)
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Release()) }()
	w, bank := &watcher{checker: c, m: m, kinds: map[firmware.WriteKind]int{}}, m.Shards[0].Instances[0].Bank()
	for range 2 {
		for k := range writesMax + 3 {
			w.noteWrite(bank, &firmware.Write{WriteKind: firmware.WriteKind{Variable: fmt.Sprint(k)}, Calls: 2})
		}
		w.noteWrite(bank, &firmware.Write{WriteKind: firmware.WriteKind{Column: "record", Neighbour: true}, Owner: 1, Calls: 3})
	}
	require.Len(t, c.report.Writes, writesMax+1)
	require.Equal(t, 3, w.unlisted)
	require.Equal(t, 4, c.report.Writes[0].Count)
	worst := c.report.Writes[writesMax]
	require.True(t, worst.Harms())
	require.Equal(t, 6, worst.Count)
}

func TestOneWorkerIsSingular(t *testing.T) {
	require.Contains(t, (&Run{Workers: 1}).Text(), "1 worker,")
}

// TestFuzzListsTheWorst: a full list of notes has room for failures, and reports that it is incomplete.
func TestFuzzListsTheWorst(t *testing.T) {
	c := &checker{ctx: t.Context(), config: checkedConfig(t, "trusts_a_payload", 4, 2)}
	f, err := c.newFuzzer()
	require.NoError(t, err)
	defer func() { require.NoError(t, f.m.Release()) }()
	require.NoError(t, f.step(fuzzBase{1, 1}))
	run := &campaign{checker: c, fuzzer: f}
	find := func(place string, received bool) {
		run.list(&FuzzFinding{Rule: fabric.RuleFail, Input: FuzzInput{Seed: 1, Slots: 1}, Received: received, place: place})
	}
	for k := range fuzzFindingsMax + 2 {
		find(fmt.Sprint(k), false)
	}
	find("1", true)
	find("worse", true)
	find("1", false)
	require.Len(t, c.report.Fuzz, fuzzFindingsMax)
	require.Equal(t, 3, run.unlisted)
	for k, place := range []string{"worse", "1", "2"} {
		require.Equal(t, place, c.report.Fuzz[k].place)
		require.Equal(t, k < 2, c.report.Fuzz[k].Fails())
	}
}

// TestFuzzBases: places of several runs, the scenario's first.
func TestFuzzBases(t *testing.T) {
	list := fuzzBases(7, 40)
	require.Len(t, list, 18)
	require.Equal(t, []fuzzBase{{7, 1}, {7, 2}, {7, 3}, {7, 10}, {7, 20}, {7, 30}, {8, 1}}, list[:7])
	require.Equal(t, []fuzzBase{{1<<64 - 1, 1}, {0, 1}, {1, 1}}, fuzzBases(1<<64-1, 0))
}

// TestCauseWithoutRecursion: without recursion, compiler and interpreter are both in doubt.
func TestCauseWithoutRecursion(t *testing.T) {
	first := Run{Mode: config.ModeIsolated, Runtime: "compiler", Engine: emulator.EngineSlot, Workers: 1, BankSize: 8}
	other := first
	other.Mode, other.Runtime = config.ModeBanked, "interpreter"
	c := checker{report: Report{Runs: []Run{first, other}}}
	cause, remedy := c.cause(&Difference{Runs: [2]int{0, 1}})
	require.NotContains(t, cause, "known limit")
	require.Contains(t, cause, "one of the two executes the image incorrectly, but the check cannot tell which")
	require.Contains(t, remedy, "--mode isolated --runtime compiler --workers 1 --bank 8 --engine slot; --mode banked --runtime interpreter --workers 1 --bank 8 --engine slot.")
	c.recursive = []string{"recurse"}
	cause, _ = c.cause(&Difference{Runs: [2]int{0, 1}})
	require.Contains(t, cause, "known limit")
}

// checkedConfig is a run of 20 slots of a test image on POPS that carries no packets.
func checkedConfig(t *testing.T, image string, groups, groupSize int) *config.Config {
	path := filepath.Join(t.TempDir(), image+".wasm")
	source := filepath.Join(firmwareTestdata, image+".c")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: path}))
	binary, err := os.ReadFile(path)
	require.NoError(t, err)
	timing, err := nic.NewTiming(64, 16, 0, 1, 1)
	require.NoError(t, err)
	timing.Frames = 1
	none := func() string { return "" }
	return &config.Config{
		Name: image, Seed: 1, Network: &pops.Network{Groups: groups, GroupSize: groupSize}, Slots: 20, Timing: timing,
		Workload: fabric.Workload{Permutation: fabric.Permutation{Kind: fabric.PermutationReverse}},
		NIC:      config.NIC{PayloadBytes: 16, RxFrames: 4, TxFrames: 4},
		Firmware: config.Firmware{Name: image, Bytes: binary, Mode: config.ModeBanked},
		Known:    config.Known{SlotsPerStep: 1},
		Source: config.Source{Place: func(path string) string { return path },
			Refusal: func(err error) error { return err }, Hash: none, Identity: none},
	}
}

const firmwareTestdata = "../../testdata/firmware"
