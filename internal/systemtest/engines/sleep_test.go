package engines

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/firmware"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
	"starloom/nic"
)

// TestLongSleepIsAHint builds the programs for POPS with handlers that never sleep: same frames, same
// digest, in both engines and modes, with d < g, d = g and d > g.
func TestLongSleepIsAHint(t *testing.T) {
	const header = "#include \"starloom_pops.h\"\n"
	for _, program := range firmware.Programs() {
		if !strings.HasPrefix(program, "pops/") {
			continue
		}
		t.Run(program, func(t *testing.T) {
			source, err := os.ReadFile("firmware/programs/" + program + ".c")
			require.NoError(t, err)
			before, after, ok := strings.Cut(string(source), header)
			require.True(t, ok)
			dir := t.TempDir()
			restless, image := filepath.Join(dir, "restless.c"), filepath.Join(dir, "restless.wasm")
			require.NoError(t, os.WriteFile(restless, []byte(before+header+"#define sl_sleep(nic, slots) (void)(slots)\n"+after), 0o644))
			require.NoError(t, firmware.Build(context.Background(), firmware.BuildOptions{Source: restless, Output: image}))
			slept := 0
			for _, size := range [][2]int{{4, 16}, {16, 16}, {24, 8}} {
				for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
					for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
						s := systemtest.ProgramScenario(program, size[0], size[1])
						if program == "pops/two-hops" { // under the adversary, which needs d >= g, an image is also told of arrivals
							s = systemtest.ProgramScenario(program, max(size[0], size[1]), size[1])
							s.Workload = starloom.Workload{Adversary: &starloom.Adversary{Slots: 2}}
						}
						s.Stop.Slots = 100
						if program == "pops/traffic" {
							s.Workload = starloom.Workload{Traffic: &fabric.Traffic{Rate: 0.02, WarmUp: &fabric.Duration{},
								Measure: &fabric.Duration{Count: 90}, Drain: &fabric.Duration{}}}
						}
						s.Firmware.Mode = mode
						want, asleep := sleepers(t, s, engine)
						slept += asleep
						if s.Workload.Traffic == nil { // whose words are no schedule of the network
							s.Firmware.Schedule = inside.Decided(s).Schedule
						}
						s.Firmware.Program, s.Firmware.Image = "", image
						have, asleep := sleepers(t, s, engine)
						require.Zero(t, asleep)
						require.Equal(t, want.Digest, have.Digest)
						require.Equal(t, want.Frames, have.Frames)
						require.Equal(t, want.Slots, have.Slots)
					}
				}
			}
			require.Positive(t, slept)
		})
	}
}

// sleepers runs a scenario and counts the handlers asleep after each boundary.
func sleepers(t *testing.T, s *starloom.Scenario, engine string) (report *starloom.Report, asleep int) {
	m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
	for !m.Ended() {
		require.NoError(t, m.Step())
		for processor := range inside.Machine(m).Shape.Processors() {
			bank, cell := inside.Machine(m).Cell(processor)
			asleep += int(bank.Registers[cell].Flags / nic.FlagSleeping & 1)
		}
	}
	return m.Report(), asleep
}

// TestSleepersWake runs testdata/firmware/sleeps.c, whose handlers check themselves
// that they are called in time: by a frame, by a slot, and by a frame left in a FIFO.
func TestSleepersWake(t *testing.T) {
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
			s := systemtest.ImageScenario(t, "sleeps")
			systemtest.NoPackets(s)
			s.NIC.RXFrames, s.NIC.TXFrames = 2, 2
			s.Firmware.Mode = mode
			report := reportOf(t, s, starloom.MachineOptions{Engine: engine})
			require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
			require.EqualValues(t, 2, report.Frames.Sent)
			require.EqualValues(t, 2, report.Frames.Delivered)
		}
	}
}

func reportOf(t testing.TB, s *starloom.Scenario, o starloom.MachineOptions) *starloom.Report {
	m := systemtest.Machine(t, s, o)
	require.NoError(t, m.Run(context.Background(), nil))
	return m.Report()
}

// TestUnfinishedSleeper: a processor that is not done since nothing wakes it says so.
func TestUnfinishedSleeper(t *testing.T) {
	source := filepath.Join(t.TempDir(), "sleeper.c")
	image := source + ".wasm"
	require.NoError(t, os.WriteFile(source, []byte(`#include "starloom.h"
typedef struct { uint32_t calls; } state_t;
static void on_start(sl_nic *nic, state_t *s) { (void)nic; (void)s; }
static void on_slot(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_self(nic) == 1 && sl_slot(nic) == 3) sl_sleep(nic, 1000);
    else if (sl_self(nic) == 2) sl_sleep(nic, 2);
    else if (sl_self(nic) != 1) sl_done(nic);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`), 0o644))
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: image}))
	s := systemtest.ImageScenario(t, "sleeps")
	s.Firmware.Image, s.Rules = image, &starloom.Rules{}
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Len(t, report.Violations, 2)
	require.Equal(t, "processor 1 was not done when the run ended: it sleeps until slot 1003, or until a frame "+
		"arrives; it has sent no frame and has received none", report.Violations[0].Message)
	require.Equal(t, "processor 2 was not done when the run ended; it has sent no frame and has received none", report.Violations[1].Message, "it is awake soon")
}
