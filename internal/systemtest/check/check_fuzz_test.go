package check

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/firmware"
	"starloom/firmware/check"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
	"starloom/traces/input/strict"
)

// TestFuzzFindsPlantedFaults: an index, a division and a loop that trust a payload. The run
// itself brings none of them out, the smallest input has what it takes and nothing more, and
// the file with it finds the same again.
func TestFuzzFindsPlantedFaults(t *testing.T) {
	for fault, want := range []struct{ text, source string }{
		{"out of bounds memory access", "trusts_a_payload.c:21:"},
		{"integer divide by zero", "trusts_a_payload.c:22:"},
		{"it has not returned after 262144 iterations", ""},
	} {
		s := systemtest.CheckScenario(t, "trusts_a_payload")
		s.Firmware.Params = map[string]int64{"fault": int64(fault)}
		folder := filepath.Join(t.TempDir(), "found")
		check, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{Fuzz: 200, Reproduce: folder})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictFail, check.Verdict)
		require.Nil(t, check.Difference)
		for _, run := range check.Runs {
			require.Equal(t, starloom.VerdictPass, run.Verdict)
		}
		x := check.Fuzz[0]
		require.Equal(t, starloom.RuleTrap, x.Rule)
		require.Contains(t, x.Text, want.text)
		require.Contains(t, x.Text, want.source)
		require.True(t, x.Received)
		require.Len(t, x.Input.Steps[0].Frames, 1)
		require.Len(t, x.Input.Steps[0].Frames[0].Payload, 2*8, "the shortest that the firmware takes")
		require.Equal(t, "00000000", x.Input.Steps[0].Frames[0].Payload[:8], "a word that does not matter")
		require.Zero(t, x.Input.Steps[0].Frames[0].Source)

		// The printed command names the image, the smallest scenario and the input.
		words := strings.Fields(x.Again)
		require.Equal(t, []string{"starloom", "firmware", "check", filepath.Join(folder, "trusts_a_payload.wasm")}, words[:4])
		require.Equal(t, "--replay", words[5])
		small, err := starloom.LoadScenario(words[4])
		require.NoError(t, err)
		require.LessOrEqual(t, small.Processors(), 2, "of the eight that it was found with")
		require.EqualValues(t, 1, small.Stop.Slots)
		if fault > 0 {
			require.EqualValues(t, fault, small.Firmware.Params["fault"])
		}
		require.NoError(t, small.Override(t.Context(), starloom.Overrides{Image: words[3]}))
		again, err := starloom.CheckFirmware(t.Context(), small, starloom.FirmwareCheckOptions{Replay: words[6]})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictFail, again.Verdict)
		require.Equal(t, x.Rule, again.Fuzz[0].Rule)
		require.Equal(t, x.Text, again.Fuzz[0].Text)
		require.Equal(t, x.Input.Steps[0].Frames[0].Payload, again.Fuzz[0].Input.Steps[0].Frames[0].Payload)

		harmless := again.Fuzz[0].Input
		harmless.Steps[0].Frames = nil
		text, err := json.Marshal(harmless)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(words[6], text, 0o644))
		again, err = starloom.CheckFirmware(t.Context(), small, starloom.FirmwareCheckOptions{Replay: words[6]})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictPass, again.Verdict)
	}
}

// TestLongFuzzFindsAssertions: what a checked build asserts on arbitrary input - clang's sanitizers,
// sl_assert - is found, made smaller and shown again like a trap. sl_fail is a note, with a count.
func TestLongFuzzFindsAssertions(t *testing.T) {
	image := filepath.Join(t.TempDir(), "checked.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/firmware/trusts_a_payload.c", Output: image, Debug: true}))
	for fault, text := range map[int64]string{
		0: "its handler fails the assertion `the index is in the array` in take at trusts_a_payload.c:21",
		1: "its handler fails the assertion `the divisor is not 0, and the quotient fits` in take at trusts_a_payload.c:22",
		3: "its handler fails the assertion `words[1] < 8` in take at trusts_a_payload.c:23",
		4: "its handler calls sl_fail with code 9 in take at trusts_a_payload.c:25:",
	} {
		s := systemtest.CheckScenario(t, "trusts_a_payload")
		s.Firmware.Image, s.Firmware.Params = image, map[string]int64{"fault": fault}
		sequences := 400
		if fault == 4 {
			sequences = 1000
		}
		check, err := starloom.CheckFirmware(t.Context(), s,
			starloom.FirmwareCheckOptions{Fuzz: sequences, Reproduce: t.TempDir()})
		require.NoError(t, err)
		require.Nil(t, check.Difference)
		require.Equal(t, sequences, check.Fuzzed)
		k := slices.IndexFunc(check.Fuzz, func(x starloom.FuzzFinding) bool { return strings.Contains(x.Text, text) })
		require.GreaterOrEqual(t, k, 0, "%v", check.Fuzz)
		x, want := check.Fuzz[k], starloom.VerdictFail
		if fault == 4 {
			want = starloom.VerdictPass
		}
		require.Equal(t, starloom.RuleFail, x.Rule)
		require.Equal(t, fault == 4, x.GaveUp)
		require.Equal(t, fault == 4, check.GaveUp > 256, "which ends no calls")
		require.Equal(t, want, check.Verdict)
		require.True(t, x.Received)
		require.Len(t, x.Input.Steps[0].Frames, 1)
		require.Len(t, x.Input.Steps[0].Frames[0].Payload, 2*8, "the shortest that the firmware takes")

		words := strings.Fields(x.Again)
		small, err := starloom.LoadScenario(words[4])
		require.NoError(t, err)
		require.LessOrEqual(t, small.Processors(), 2, "of the eight that it was found with")
		again, err := starloom.CheckFirmware(t.Context(), small, starloom.FirmwareCheckOptions{Replay: words[6]})
		require.NoError(t, err)
		require.Equal(t, want, again.Verdict)
		require.Len(t, again.Fuzz, 1)
		require.Equal(t, x.Text, again.Fuzz[0].Text)
		require.Equal(t, fault == 4, again.GaveUp == 1)
	}
}

// TestFuzzFindsForeignWrites: the index that is too large for the table is first of all one
// into a neighbour.
func TestFuzzFindsForeignWrites(t *testing.T) {
	s := systemtest.CheckScenario(t, "trusts_a_payload")
	first, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{Fuzz: 2000})
	require.NoError(t, err)
	found := false
	for _, x := range first.Fuzz {
		found = found || x.Rule == check.RuleForeignWrite
	}
	require.True(t, found)
	require.Less(t, first.Fuzzed, 2000)
	require.Equal(t, []string{fmt.Sprintf("%d more sequences on arbitrary input: %d earlier sequences already failed "+
		"the check, or did not return", 2000-first.Fuzzed, 256)}, first.NotCompared)
	second, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{Fuzz: 2000})
	require.NoError(t, err)
	require.Equal(t, first, second, "same seed, same findings")
}

// TestLongFuzzSparesGoodFirmware: nothing that can be received harms a built-in program, with its tables
// and its schedule, slot after slot.
func TestLongFuzzSparesGoodFirmware(t *testing.T) {
	sequences := 100
	if *systemtest.Full {
		sequences = 500
	}
	var list [][2]string
	for _, program := range firmware.Programs() {
		list = append(list, [2]string{program, systemtest.NetworksOfPrograms[program]})
	}
	const pops, gossip = "fabric: {pops: {groups: 4, group_size: ", "fabric: {crossbar: {ports: 7}}\nworkload: {gossip: {orders: shared-random}}\n"
	for _, c := range append(list, [][2]string{
		{"pops/random", pops + "2}}\n"}, {"pops/random", pops + "4}}\n"}, {"pops/two-hops", pops + "2}}\n"},
		{"pops/random-corrected", pops + "2}}\n"}, {"pops/random-corrected", pops + "4}}\n"},
		{"gossip/fsa, params: {scheduling: 2}", gossip}, {"gossip/fsa, params: {scheduling: 3}", gossip},
		{"gossip/voting", "fabric: {crossbar: {ports: 7}}\nworkload: {gossip: {values: random, sessions: 2}}\n"},
	}...) {
		s, err := starloom.ParseScenario("good.yaml", []byte("starloom: 1\nfirmware: {program: "+c[0]+"}\n"+c[1]))
		require.NoError(t, err, c[0])
		report, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{Fuzz: sequences})
		require.NoError(t, err)
		var text strings.Builder
		require.NoError(t, report.WriteText(&text))
		require.Equal(t, sequences, report.Fuzzed, "%s: %s", c[0], text.String())
		require.False(t, slices.ContainsFunc(report.Fuzz, starloom.FuzzFinding.Fails), "%s: %s", c[0], text.String())
		require.Greater(t, report.Branches.Reached*4, report.Branches.Image, "%s: %s", c[0], text.String())
	}
}

func TestReplayRefusesBadInput(t *testing.T) {
	s := systemtest.CheckScenario(t, "trusts_a_payload")
	for _, text := range []string{
		"", "[]", `{"other": 1}`, `{"slots": 0}`, `{"slots": 21}`, `{"slots": 1}`, `{"slots": 15, "steps": [{}]}`, `{"slots": 1, "processor": 8, "steps": [{}]}`,
		`{"slots": 1, "steps": [{"state": "0"}]}`, `{"slots": 1, "steps": [{"frames": [{"payload": "zz"}]}]}`,
		`{"slots": 1, "steps": [{"frames": [{"port": 4}]}]}`, `{"slots": 1, "steps": [{}, {"frames": [{"kind": 9}]}]}`,
		`{"slots": 1, "steps": [{"frames": [{"payload": "0000000000000000000000000000000000"}]}]}`,
		`{"slots": 1, "steps": [{"statuses": [{"port": 1}]}]}`, `{"slots": 1, "steps": [{"transmit_statuses": [{"port": 9}]}]}`,
		`{"slots": 1, "steps": [{"schedule": 1}]}`, `{"slots": 1, "steps": [{"rom": [{"word": 0}]}]}`,
		`{"slots": 1, "steps": [{"rom": [{"machine": true, "word": -1}]}]}`, `{"slots": 1, "call": {"name": "x"}}`,
		`{"slots": 1, "steps": [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}]}`,
	} {
		path := filepath.Join(t.TempDir(), "input.json")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{Replay: path})
		var input *starloom.InputError
		require.ErrorAs(t, err, &input, text)
		require.Equal(t, path, input.Place)
	}
}

// TestLongFuzzReachesEverything: faults that only a word of a schedule or a table, an argument of a named
// call, or statuses of several ports bring out are found and shown again by their command. What a
// frame's light can bring fails the check, the others are noted.
func TestLongFuzzReachesEverything(t *testing.T) {
	for image, c := range map[string]struct {
		scenario string
		verdict  starloom.Verdict
		found    []string // how the input is told
	}{
		"trusts_a_schedule": {"fabric: {pops: {groups: 3, group_size: 2}}\nfirmware: {image: %s, schedule: offline}\nrules: {}",
			starloom.VerdictPass, []string{", schedule 0x", ", call share["}},
		"trusts_a_table": {"fabric: {crossbar: {ports: 6}}\nfirmware: {image: %s}\nworkload: {gossip: {orders: identity}}\nrules: {}\nstop: {slots: 9}", starloom.VerdictFail, []string{", word 1 of its table 0x", ", transmit status of port 0 3, served 0"}},
		"trusts_a_status": {"fabric: {ej: {a: 1, b: 2, dimensions: 1}}\nfirmware: {image: %s}\nrules: {}", starloom.VerdictFail,
			[]string{", status of port 3 crc, status of port 5 overflow\n"}},
	} {
		t.Run(image, func(t *testing.T) {
			s, err := starloom.ParseScenario("trusts.yaml", fmt.Appendf(nil, "starloom: 1\n"+c.scenario, systemtest.Image(t, image)))
			require.NoError(t, err)
			check, err := starloom.CheckFirmware(t.Context(), s,
				starloom.FirmwareCheckOptions{Fuzz: 3000, Reproduce: t.TempDir()})
			require.NoError(t, err)
			var text strings.Builder
			require.NoError(t, check.WriteText(&text))
			require.Equal(t, c.verdict, check.Verdict, text.String())
			require.Len(t, check.Fuzz, len(c.found), text.String())
			require.NotContains(t, text.String(), "wasm stack trace")
			for _, found := range c.found {
				require.Contains(t, text.String(), found)
			}
			for _, x := range check.Fuzz {
				words := strings.Fields(x.Again)
				small, err := starloom.LoadScenario(words[4])
				require.NoError(t, err)
				again, err := starloom.CheckFirmware(t.Context(), small, starloom.FirmwareCheckOptions{Replay: words[6]})
				require.NoError(t, err)
				require.Len(t, again.Fuzz, 1)
				require.Equal(t, x.Rule, again.Fuzz[0].Rule)
				require.Equal(t, x.Received, again.Fuzz[0].Received)
				require.Equal(t, x.Received, again.Verdict == starloom.VerdictFail, "a note stays a note")
			}
		})
	}
}

// TestScenarioKeys checks that the scenario written to reproduce a finding equals the one read.
func TestScenarioKeys(t *testing.T) {
	files, err := filepath.Glob("examples/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range append(files, "testdata/scenarios/everything.yaml") {
		s, err := starloom.LoadScenario(file)
		require.NoError(t, err)
		keys, err := inside.Decided(s).Keys()
		require.NoError(t, err)
		text, err := strict.WriteYAML(keys)
		require.NoError(t, err)
		back, err := starloom.ParseScenario("scenario.yaml", text)
		require.NoError(t, err, "%s", text)
		for _, g := range []*fabric.Gossip{s.Workload.Gossip, back.Workload.Gossip} {
			if g != nil { // paths of files
				g.Orders, g.Values = filepath.Base(g.Orders), filepath.Base(g.Values)
			}
		}
		require.Equal(t, s.Hash(), back.Hash(), "%s", text)
	}
}

// TestReproducedElsewhere: the folder with what shows findings again can be sent to someone who has
// nothing else: also the files that the scenario reads are in it.
func TestReproducedElsewhere(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		"same/table.csv":  "1,2,3,4\n2,3,4,0\n3,4,0,1\n4,0,1,2\n0,1,2,3\n",
		"other/table.csv": "5,5,6,5,5\n",
		"s.yaml": "starloom: 1\nfabric: {crossbar: {ports: 5}}\nfirmware: {image: " + systemtest.Image(t, "trusts_a_table") +
			"}\nworkload: {gossip: {orders: same/table.csv, values: other/table.csv}}\nrules: {}\nstop: {slots: 9}\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o666))
	}
	s, err := starloom.LoadScenario(filepath.Join(home, "s.yaml"))
	require.NoError(t, err)
	check, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{Fuzz: 3000, Reproduce: filepath.Join(home, "found")})
	require.NoError(t, err)
	require.NotEmpty(t, check.Fuzz)
	elsewhere := filepath.Join(t.TempDir(), "sent")
	require.NoError(t, os.Rename(filepath.Join(home, "found"), elsewhere))
	require.NoError(t, os.RemoveAll(home))
	files, tables := 0, 0
	entries, err := os.ReadDir(elsewhere)
	require.NoError(t, err)
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(elsewhere, entry.Name()))
		require.NoError(t, err)
		require.NotContains(t, string(text), home, entry.Name())
		files++
		if filepath.Ext(entry.Name()) == ".csv" {
			tables++
		}
	}
	require.Positive(t, tables, "a finding needs its tables")
	require.Equal(t, 1+2*len(check.Fuzz)+tables, files)
	for _, x := range check.Fuzz {
		words := strings.Fields(x.Again)
		here := func(path string) string { return filepath.Join(elsewhere, filepath.Base(path)) }
		small, err := starloom.LoadScenario(here(words[4]))
		require.NoError(t, err)
		again, err := starloom.CheckFirmware(t.Context(), small, starloom.FirmwareCheckOptions{Replay: here(words[6])})
		require.NoError(t, err)
		require.Len(t, again.Fuzz, 1)
		require.Equal(t, x.Rule, again.Fuzz[0].Rule)
		text, err := os.ReadFile(here(words[4]))
		require.NoError(t, err)
		require.Contains(t, string(text), "\n# In this folder: starloom firmware check trusts_a_table.wasm "+filepath.Base(words[4])+" --replay "+filepath.Base(words[6])+"\n")
	}
}

func TestReproduceRefused(t *testing.T) {
	s := systemtest.CheckScenario(t, "trusts_a_payload")
	for _, o := range []starloom.FirmwareCheckOptions{{Reproduce: "found"}, {Fuzz: 9, Reproduce: "found", Replay: "x.json"}} {
		_, err := starloom.CheckFirmware(t.Context(), s, o)
		var refused *starloom.InputError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, "--reproduce", refused.Place)
		require.NoDirExists(t, "found")
	}
}
