package starloom

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware"
)

// twoFaced is a vote in two sessions that half of the voters get wrong.
func twoFaced() *Scenario {
	s := votingScenario(5, 0, Gossip{Vector: []int64{3, 3, 3, 3, 3}, Faulty: []int{0, 1, 4}, Fault: "two-faced", Sessions: 2})
	s.Rules = &Rules{Agreement: true, Validity: true}
	return s
}

// ascendingImage is an image of a Hopfield network whose updates raise the energy.
func ascendingImage(t *testing.T) string {
	source, err := os.ReadFile("firmware/programs/gossip/hopfield.c")
	require.NoError(t, err)
	mutant := strings.Replace(string(source), "(field > 0) == up", "(field < 0) == up", 1)
	require.NotEqual(t, string(source), mutant)
	folder := t.TempDir()
	path, image := filepath.Join(folder, "ascends.c"), filepath.Join(folder, "ascends.wasm")
	require.NoError(t, os.WriteFile(path, []byte(mutant), 0o666))
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: path, Output: image}))
	return image
}

// ascends is a run of it.
func ascends(t *testing.T) *Scenario {
	s := hopfieldScenario(4, map[string]int64{"neurons": 16}, Gossip{Values: "random", Sessions: 3})
	s.Firmware.Program, s.Firmware.Image = "", ascendingImage(t)
	s.Rules = &Rules{Energy: true}
	return s
}

// TestJudgedWhenGiven: what a voter has found, and that voters do not agree, is stamped with the slot in which
// that is given, whatever executes the machine.
func TestJudgedWhenGiven(t *testing.T) {
	for _, sessions := range []int{1, 2} {
		s := twoFaced()
		s.Workload.Gossip.Sessions = sessions
		m := machine(t, s, MachineOptions{})
		found := map[int]uint64{} // slot in which a voter has first a result of the last session
		agreed := uint64(0)       // in which two are different
		require.NoError(t, m.Run(t.Context(), func() error {
			values := map[int64]bool{}
			for voter, value := range m.Report().Metrics.Get("results").([]*int64) {
				if value == nil {
					continue
				}
				if _, before := found[voter]; !before {
					found[voter] = uint64(m.Slots())
				}
				if values[*value] = true; len(values) == 2 && agreed == 0 {
					agreed = uint64(m.Slots())
				}
			}
			return nil
		}))
		report, last := m.Report(), ""
		if sessions > 1 {
			last = "in session 1"
		}
		wrong, disagreements := 0, 0
		for _, v := range report.Violations {
			require.Equal(t, m.Timing().SlotCycle(uint32(v.Slot)), v.Cycle)
			switch {
			case !strings.Contains(v.Message, last):
				require.Less(t, v.Slot, agreed)
			case v.Rule == RuleAgreement:
				require.Equal(t, agreed, v.Slot)
				disagreements++
			default:
				var voter int
				_, err := fmt.Sscanf(v.Message, "processor %d has found", &voter)
				require.NoError(t, err)
				require.Equal(t, found[voter], v.Slot, v.Message)
				wrong++
			}
		}
		require.Equal(t, []int{2, 1}, []int{wrong, disagreements}, "%+v", report.Violations)
		require.Less(t, agreed, report.Slots)
	}
}

// TestJudgedAlike: neither engine, nor banks, mode or a state between change what is found when.
func TestJudgedAlike(t *testing.T) {
	for _, s := range []*Scenario{twoFaced(), ascends(t)} {
		want := machineRun(t, s).Report()
		require.Equal(t, VerdictFail, want.Verdict)
		require.Less(t, want.Violations[0].Slot, want.Slots)
		for _, o := range []MachineOptions{{Engine: EngineCycle}, {Engine: EngineSlot, BankSize: 1, Workers: 2}} {
			m := machine(t, s, o)
			require.NoError(t, m.Run(t.Context(), nil))
			require.Equal(t, want.Violations, m.Report().Violations)
		}
		for _, slots := range []uint64{3, want.Violations[0].Slot, want.Violations[0].Slot + 1, want.Slots - 1} {
			m, other := machine(t, s, MachineOptions{Engine: EngineSlot}), machine(t, s, MachineOptions{Engine: EngineSlot})
			for uint64(m.Slots()) < slots {
				require.NoError(t, m.Step())
			}
			var saved bytes.Buffer
			require.NoError(t, m.Save(&saved))
			require.NoError(t, other.Restore(&saved))
			require.NoError(t, other.Run(t.Context(), nil))
			require.Equal(t, reportText(t, want), reportText(t, other.Report()), "saved before slot %d", slots)
		}
		m := machine(t, s, MachineOptions{Engine: EngineSlot})
		for range 2 {
			require.NoError(t, m.Run(t.Context(), nil))
			require.Equal(t, want.Violations, m.Report().Violations)
			require.NoError(t, m.Reset(s.Seed))
		}
	}
}

// TestTriggerShowsTheJudged: the window of a waveform is at the slot in which the rule was broken, also of a
// recording, which sees a run once; and a run stops there.
func TestTriggerShowsTheJudged(t *testing.T) {
	for rule, s := range map[string]*Scenario{RuleValidity: twoFaced(), RuleEnergy: ascends(t)} {
		if rule == RuleValidity {
			s.Rules.Agreement = false
		}
		s.Traces.VCD = &VCDTrace{Signals: []string{"crossbar.slot"}, Trigger: TriggerFirstViolation, Before: 2, After: 5}
		first := machineRun(t, s).Report().Violations[0]
		require.Equal(t, rule, first.Rule)
		want := fmt.Sprintf("trigger in cycle %d, window from cycle %d to %d", first.Cycle, first.Cycle-2, first.Cycle+5)
		require.Contains(t, waveformOf(t, s), want)

		m := machine(t, s, MachineOptions{Engine: EngineCycle})
		var wave bytes.Buffer
		recording, err := m.Record(RecordOptions{VCD: Writer(&wave)})
		require.NoError(t, err)
		for len(m.Violations()) == 0 {
			require.NoError(t, m.Step())
		}
		require.EqualValues(t, first.Slot, m.Slots())
		for !m.Ended() {
			require.NoError(t, m.Step())
		}
		require.NoError(t, recording.Close())
		require.Contains(t, wave.String(), want)

		report, err := Run(t.Context(), s, RunOptions{BreakOn: Break{Rule: rule}, Save: filepath.Join(t.TempDir(), "state")})
		require.NoError(t, err)
		require.Equal(t, first.Slot, report.Slots)
	}
}
