package check

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/pops"
	"starloom/firmware"
	"starloom/firmware/check"
	"starloom/internal/emulator"
	"starloom/internal/systemtest"
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
		{starloom.RuleTrap, "its handler traps in take at hides_faults.c: unreachable", 1, "with payload 00000000a1e7c25e"},
		{starloom.RuleTrap, "its handler traps in take at hides_faults.c: unreachable", 4,
			"with payload 53; 1 slot later, frame from 0 with payload a7; 1 slot later, frame from 0 with payload 1c; 1 slot later, frame from 0 with payload e9\n"},
		{check.RuleStaleRead, "its handler depends on bytes of the RX FIFO outside its frames", 1, "with payload nothing\n"},
		{starloom.RuleTrap, "its handler traps in take at hides_faults.c: unreachable", 1, "control frame from 0, flags 0x5a, tag 0xbee5 with payload nothing\n"},
		{starloom.RuleExactlyOnce, "had received no frame with it", 1, "ack frame from 0 with payload nothing\n"},
	} {
		s := systemtest.CheckScenario(t, "hides_faults")
		s.Firmware.Params = map[string]int64{"fault": int64(fault)}
		s.Workload.Permutation.Kind = starloom.PermutationReverse
		s.Rules = &starloom.Rules{ExactlyOnce: fault == 4}
		s.Stop.Slots = 20
		begun := time.Now()
		check, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{Fuzz: 10000, Reproduce: filepath.Join(t.TempDir(), "found")})
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, check.WriteText(&text))
		t.Log(time.Since(begun), text.String())
		require.Equal(t, starloom.VerdictFail, check.Verdict, text.String())
		failing := slices.DeleteFunc(check.Fuzz, func(x starloom.FuzzFinding) bool { return !x.Fails() })
		require.Len(t, failing, 1, text.String())
		x := failing[0]
		require.Equal(t, c.rule, x.Rule)
		require.Contains(t, x.Text, c.text)
		require.Len(t, x.Input.Steps, c.steps)
		require.Contains(t, text.String(), c.input)

		words := strings.Fields(x.Again)
		small, err := starloom.LoadScenario(words[4])
		require.NoError(t, err)
		again, err := starloom.CheckFirmware(t.Context(), small, starloom.FirmwareCheckOptions{Replay: words[6]})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictFail, again.Verdict)
		require.Equal(t, x.Rule, again.Fuzz[0].Rule)
	}
}

// TestFuzzFindsUncheckedDestination: pops/random as it was sends to a port that does not exist, two
// slots after one frame; no word of the network, call or state is damaged for that.
func TestFuzzFindsUncheckedDestination(t *testing.T) {
	for _, image := range []string{"random_unchecked", ""} {
		s := starloom.DefaultScenario()
		s.Fabric.POPS = &pops.Network{Groups: 4, GroupSize: 4}
		s.Firmware.Program = "pops/random"
		if image != "" {
			s.Firmware.Program, s.Firmware.Image = "", systemtest.Image(t, image)
			s.Rules = &starloom.Rules{}
		}
		check, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{Fuzz: 10000})
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, check.WriteText(&text))
		t.Log(text.String())
		if image == "" {
			require.Equal(t, starloom.VerdictPass, check.Verdict, text.String())
			continue
		}
		require.Equal(t, starloom.VerdictFail, check.Verdict, text.String())
		require.Len(t, check.Fuzz, 1, text.String())
		x := check.Fuzz[0]
		require.Equal(t, starloom.RuleIllegalSend, x.Rule)
		require.True(t, x.Received)
		require.Len(t, x.Input.Steps, 3)
		require.NotContains(t, text.String(), "damaged")
	}
}

// TestLongCoveredFirmwareIsTheSame: what notes the way of handlers changes nothing that they do.
func TestLongCoveredFirmwareIsTheSame(t *testing.T) {
	for _, program := range firmware.Programs() {
		for _, cpu := range []string{"", ", cpu: {model: unit}"} {
			s, err := starloom.ParseScenario("same.yaml", []byte("starloom: 1\nfirmware: {program: "+program+cpu+"}\n"+systemtest.NetworksOfPrograms[program]))
			require.NoError(t, err)
			plain := systemtest.Result(t, s, starloom.MachineOptions{})
			require.Equal(t, plain,
				systemtest.Result(t, s, systemtest.With(starloom.MachineOptions{},
					emulator.Options{HandlersCovered: true})), program)
		}
	}
}
