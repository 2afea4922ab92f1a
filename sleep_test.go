package starloom

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware"
)

// TestSleepIsAHint builds pops/random with handlers that never sleep: same frames,
// same digest, in both engines and modes, with d < g, d = g and d > g.
func TestSleepIsAHint(t *testing.T) {
	source, err := os.ReadFile("firmware/programs/pops/random.c")
	require.NoError(t, err)
	dir := t.TempDir()
	restless := filepath.Join(dir, "restless.c")
	require.NoError(t, os.WriteFile(restless, append([]byte(
		"#define STARLOOM_LISTEN_SLOTS 5 /* a step */\n#include \"starloom.h\"\n#define sl_sleep(nic, slots) (void)(slots)\n"), source...), 0o644))
	image := filepath.Join(dir, "restless.wasm")
	require.NoError(t, firmware.Build(context.Background(), firmware.BuildOptions{Source: restless, Output: image}))
	for _, size := range [][2]int{{4, 16}, {16, 16}, {24, 8}} {
		for _, mode := range []string{ModeBanked, ModeIsolated} {
			for _, engine := range []string{EngineSlot, EngineCycle} {
				s := routerScenario("pops/random", size[1], size[0])
				s.Firmware.Mode = mode
				s.Stop.Slots = 100
				want := reportOf(t, s, MachineOptions{Engine: engine})
				s.Firmware.Program, s.Firmware.Image = "", image
				have := reportOf(t, s, MachineOptions{Engine: engine})
				require.Equal(t, want.Digest, have.Digest)
				require.Equal(t, want.Frames, have.Frames)
				require.Equal(t, want.Slots, have.Slots)
			}
		}
	}
}

// TestSleepersWake runs testdata/firmware/sleeps.c, whose handlers check themselves
// that they are called in time: by a frame, by a slot, and by a frame left in a FIFO.
func TestSleepersWake(t *testing.T) {
	for _, engine := range []string{EngineSlot, EngineCycle} {
		for _, mode := range []string{ModeBanked, ModeIsolated} {
			s := imageScenario(t, "sleeps")
			noPackets(s)
			s.NIC.RXFrames, s.NIC.TXFrames = 2, 2
			s.Firmware.Mode = mode
			report := reportOf(t, s, MachineOptions{Engine: engine})
			require.Equal(t, VerdictPass, report.Verdict, "%+v", report.Violations)
			require.EqualValues(t, 2, report.Frames.Sent)
			require.EqualValues(t, 2, report.Frames.Delivered)
		}
	}
}

func reportOf(t testing.TB, s *Scenario, o MachineOptions) *Report {
	m := machine(t, s, o)
	require.NoError(t, m.Run(context.Background(), nil))
	return m.Report()
}
