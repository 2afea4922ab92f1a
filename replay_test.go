package starloom

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReplay replays processors of every kind of network, in both engines and modes: alone,
// with the same from their NICs, their handlers do the same.
func TestReplay(t *testing.T) {
	paths, err := filepath.Glob("examples/*.yaml")
	require.NoError(t, err)
	kinds := map[string]bool{}
	for i, path := range paths {
		s, err := LoadScenario(path)
		require.NoError(t, err)
		if s.Processors() > 300 || s.Workload.Permutation.Kind == PermutationAll || s.rates() != nil {
			continue
		}
		kinds[s.network().Kind()] = true
		if i%2 == 0 {
			s.Firmware.Mode = ModeIsolated
		}
		var text bytes.Buffer
		o := RunOptions{MachineOptions: MachineOptions{Engine: []string{EngineSlot, EngineCycle}[i%2]}}
		want, err := Run(context.Background(), s, o)
		require.NoError(t, err, path)
		o.Replay, o.ReplayProcessor = Writer(&text), s.Processors()/2
		got, err := Run(context.Background(), s, o)
		require.NoError(t, err, path)
		require.Equal(t, reportText(t, want), reportText(t, got), path)
		require.Contains(t, text.String(), "\nstart:", path)
		require.True(t, strings.HasSuffix(text.String(), "\nequal to the whole run\n"), "%s: %s", path, text.String())
	}
	require.GreaterOrEqual(t, len(kinds), 3, kinds)
}

// TestReplayTells: what came and what the handler did, failures included.
func TestReplayTells(t *testing.T) {
	s := imageScenario(t, "asserts")
	s.Rules = &Rules{}
	var text bytes.Buffer
	report, err := Run(context.Background(), s, RunOptions{Replay: Writer(&text), ReplayProcessor: 2})
	require.NoError(t, err)
	require.Len(t, report.Violations, 2)
	require.Contains(t, text.String(), "start: -> logged \"processor 2 of 4:")
	require.Contains(t, text.String(), "\nslot 1: -> assertion `s->turns < 2 && \"too many\"` failed at asserts.c:18\nequal to the whole run\n")
}

// TestReplayDiffers: firmware that keeps something in a static variable does something else
// alone, and only banked.
func TestReplayDiffers(t *testing.T) {
	for _, mode := range []string{ModeBanked, ModeIsolated} {
		s := imageScenario(t, "shares")
		s.Firmware.Mode, s.Rules = mode, &Rules{}
		var text bytes.Buffer
		report, err := Run(context.Background(), s, RunOptions{Replay: Writer(&text), ReplayProcessor: 1})
		require.NoError(t, err)
		if mode == ModeIsolated {
			require.Equal(t, VerdictPass, report.Verdict, report.Violations)
			require.Contains(t, text.String(), "slot 2: -> sends data to 0 on port 0, 4 bytes 03")
			continue
		}
		require.Equal(t, VerdictFail, report.Verdict)
		require.EqualValues(t, 1, report.ViolationsTotal)
		require.Equal(t, RuleReplay, report.Violations[0].Rule)
		require.EqualValues(t, 2, report.Violations[0].Slot)
		require.Contains(t, report.Violations[0].Message, "processor 1: given the same alone, the handler does something else (TX FIFO)")
	}
}

// TestReplayRefused: nothing is replayed of processors that are not there.
func TestReplayRefused(t *testing.T) {
	var text bytes.Buffer
	for _, c := range []struct {
		o    RunOptions
		want string
	}{
		{RunOptions{ReplayProcessor: 16}, "allowed are 0 to 15"},
		{RunOptions{ReplayProcessor: -1}, "allowed are 0 to 15"},
		{RunOptions{Restore: "state"}, "delete --restore"},
	} {
		c.o.Replay = Writer(&text)
		_, err := Run(context.Background(), routing(4, 4), c.o)
		var refused *InputError
		require.ErrorAs(t, err, &refused)
		require.ErrorContains(t, err, c.want)
	}
	_, err := RunSeeds(context.Background(), routing(4, 4), Seeds{1, 2}, RunOptions{Replay: Writer(&text)})
	require.ErrorContains(t, err, "--replay")
}
