package starloom

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/fabric/pops"
	"starloom/firmware"
	"starloom/internal/check"
	"starloom/internal/emulator"
)

// TestLongFuzzFindsHiddenFaults: what takes a magic word, four frames in their order, a byte that an
// earlier frame has left, a header, or an announcement that nothing backs, is found by default, is
// as small as it can be, and its command shows it again.
func TestLongFuzzFindsHiddenFaults(t *testing.T) {
	for fault, c := range []struct {
		rule, text string
		steps      int
		input      string
	}{
		{RuleTrap, "its handler traps in take at hides_faults.c: unreachable", 1, "with payload 00000000a1e7c25e"},
		{RuleTrap, "its handler traps in take at hides_faults.c: unreachable", 4,
			"with payload 53; 1 slot later, frame from 0 with payload a7; 1 slot later, frame from 0 with payload 1c; 1 slot later, frame from 0 with payload e9\n"},
		{check.RuleStaleRead, "what its handler does depends on bytes of the RX FIFO that are of no frame", 1, "with payload nothing\n"},
		{RuleTrap, "its handler traps in take at hides_faults.c: unreachable", 1, "control frame from 0, flags 0x5a, tag 0xbee5 with payload nothing\n"},
		{RuleExactlyOnce, "which no frame had brought to it", 1, "ack frame from 0 with payload nothing\n"},
	} {
		s := checkScenario(t, "hides_faults")
		s.Firmware.Params = map[string]int64{"fault": int64(fault)}
		s.Workload.Permutation.Kind = PermutationReverse
		s.Rules = &Rules{ExactlyOnce: fault == 4}
		s.Stop.Slots = 20
		begun := time.Now()
		check, err := CheckFirmware(t.Context(), s, FirmwareCheckOptions{Fuzz: 10000, Reproduce: filepath.Join(t.TempDir(), "found")})
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, check.WriteText(&text))
		t.Log(time.Since(begun), text.String())
		require.Equal(t, VerdictFail, check.Verdict, text.String())
		failing := slices.DeleteFunc(check.Fuzz, func(x FuzzFinding) bool { return !x.Fails() })
		require.Len(t, failing, 1, text.String())
		x := failing[0]
		require.Equal(t, c.rule, x.Rule)
		require.Contains(t, x.Text, c.text)
		require.Len(t, x.Input.Steps, c.steps)
		require.Contains(t, text.String(), c.input)

		words := strings.Fields(x.Again)
		small, err := LoadScenario(words[4])
		require.NoError(t, err)
		again, err := CheckFirmware(t.Context(), small, FirmwareCheckOptions{Replay: words[6]})
		require.NoError(t, err)
		require.Equal(t, VerdictFail, again.Verdict)
		require.Equal(t, x.Rule, again.Fuzz[0].Rule)
	}
}

// TestFuzzFindsUncheckedDestination: pops/random as it was sends to a port that does not exist, two
// slots after one frame; no word of the network, call or state is damaged for that.
func TestFuzzFindsUncheckedDestination(t *testing.T) {
	for _, image := range []string{"random_unchecked", ""} {
		s := DefaultScenario()
		s.Fabric.POPS = &pops.Network{Groups: 4, GroupSize: 4}
		s.Firmware.Program = "pops/random"
		if image != "" {
			s.Firmware.Program, s.Firmware.Image = "", testImage(t, image)
			s.Rules = &Rules{}
		}
		check, err := CheckFirmware(t.Context(), s, FirmwareCheckOptions{Fuzz: 10000})
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, check.WriteText(&text))
		t.Log(text.String())
		if image == "" {
			require.Equal(t, VerdictPass, check.Verdict, text.String())
			continue
		}
		require.Equal(t, VerdictFail, check.Verdict, text.String())
		require.Len(t, check.Fuzz, 1, text.String())
		x := check.Fuzz[0]
		require.Equal(t, RuleIllegalSend, x.Rule)
		require.True(t, x.Received)
		require.Len(t, x.Input.Steps, 3)
		require.NotContains(t, text.String(), "damaged")
	}
}

// TestLongCoveredFirmwareIsTheSame: what notes the way of handlers changes nothing that they do.
func TestLongCoveredFirmwareIsTheSame(t *testing.T) {
	for _, program := range firmware.Programs() {
		for _, cpu := range []string{"", ", cpu: {model: unit}"} {
			s, err := ParseScenario("same.yaml", []byte("starloom: 1\nfirmware: {program: "+program+cpu+"}\n"+networksOfPrograms[program]))
			require.NoError(t, err)
			plain := result(t, s, MachineOptions{})
			require.Equal(t, plain, result(t, s, MachineOptions{more: emulator.Options{HandlersCovered: true}}), program)
		}
	}
}
