package starloom

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFuzzFindsPlantedFaults: an index, a division and a loop that trust a payload. The run
// itself brings none of them out, the smallest input has what it takes and nothing more, and
// the file with it finds the same again.
func TestFuzzFindsPlantedFaults(t *testing.T) {
	for fault, want := range []struct{ text, source string }{
		{"out of bounds memory access", "trusts_a_payload.c:21:"},
		{"integer divide by zero", "trusts_a_payload.c:22:"},
		{"it has not returned after 262144 turns", ""},
	} {
		s := checkScenario(t, "trusts_a_payload")
		s.Firmware.Params = map[string]int64{"fault": int64(fault)}
		folder := filepath.Join(t.TempDir(), "found")
		check, err := CheckFirmware(t.Context(), s, FirmwareCheckOptions{Fuzz: 200, Reproduce: folder})
		require.NoError(t, err)
		require.Equal(t, VerdictFail, check.Verdict)
		require.Nil(t, check.Difference)
		for _, run := range check.Runs {
			require.Equal(t, VerdictPass, run.Verdict)
		}
		x := check.Fuzz[0]
		require.Equal(t, RuleTrap, x.Rule)
		require.Contains(t, x.Text, want.text)
		require.Contains(t, x.Text, want.source)
		require.True(t, x.Received)
		require.Len(t, x.Input.Frames, 1)
		require.Len(t, x.Input.Frames[0].Payload, 2*8, "the shortest that the firmware takes")
		require.Equal(t, "00000000", x.Input.Frames[0].Payload[:8], "a word that does not matter")
		require.Zero(t, x.Input.Frames[0].Source)

		again, err := CheckFirmware(t.Context(), s, FirmwareCheckOptions{Replay: x.File})
		require.NoError(t, err)
		require.Equal(t, VerdictFail, again.Verdict)
		require.Equal(t, x.Rule, again.Fuzz[0].Rule)
		require.Equal(t, x.Input, again.Fuzz[0].Input)

		harmless := x.Input
		harmless.Frames = nil
		text, err := json.Marshal(harmless)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(x.File, text, 0o644))
		again, err = CheckFirmware(t.Context(), s, FirmwareCheckOptions{Replay: x.File})
		require.NoError(t, err)
		require.Equal(t, VerdictPass, again.Verdict)
	}
}

// TestFuzzFindsForeignWrites: the index that is too large for the table is first of all one
// into a neighbour.
func TestFuzzFindsForeignWrites(t *testing.T) {
	s := checkScenario(t, "trusts_a_payload")
	first, err := CheckFirmware(t.Context(), s, FirmwareCheckOptions{Fuzz: 200})
	require.NoError(t, err)
	found := false
	for _, x := range first.Fuzz {
		found = found || x.Rule == ruleForeignWrite
	}
	require.True(t, found)
	second, err := CheckFirmware(t.Context(), s, FirmwareCheckOptions{Fuzz: 200})
	require.NoError(t, err)
	require.Equal(t, first, second, "same seed, same findings")
}

// TestFuzzSparesGoodFirmware: nothing that can be received harms a built-in program.
func TestFuzzSparesGoodFirmware(t *testing.T) {
	s := checkScenario(t, "talks")
	s.Firmware.Image, s.Firmware.Program = "", "pops/random"
	s.Workload.Permutation.Kind, s.Rules = PermutationRandom, nil
	check, err := CheckFirmware(t.Context(), s, FirmwareCheckOptions{Fuzz: 2000})
	require.NoError(t, err)
	require.Equal(t, VerdictPass, check.Verdict, check.Fuzz)
	require.Equal(t, 2000, check.Fuzzed)
}

func TestReplayRefusesBadInput(t *testing.T) {
	s := checkScenario(t, "trusts_a_payload")
	for _, text := range []string{
		"", "[]", `{"other": 1}`, `{"slots": 0}`, `{"slots": 21}`, `{"slots": 1, "processor": 8}`, `{"slots": 1, "state": "0"}`,
		`{"slots": 1, "frames": [{"payload": "zz"}]}`, `{"slots": 1, "frames": [{"port": 4}]}`, `{"slots": 1, "frames": [{"kind": 9}]}`,
		`{"slots": 1, "frames": [{"payload": "0000000000000000000000000000000000"}]}`, `{"slots": 15}`,
	} {
		path := filepath.Join(t.TempDir(), "input.json")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err := CheckFirmware(t.Context(), s, FirmwareCheckOptions{Replay: path})
		var input *InputError
		require.ErrorAs(t, err, &input, text)
		require.Equal(t, path, input.Place)
	}
}
