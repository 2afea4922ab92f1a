package rules

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// twoFaced is a vote in two sessions that half of the voters get wrong.
func twoFaced() *starloom.Scenario {
	s := systemtest.VotingScenario(5, 0, starloom.Gossip{Vector: []int64{3, 3, 3, 3, 3}, Faulty: []int{0, 1, 4}, Fault: "two-faced", Sessions: 2})
	s.Rules = &starloom.Rules{Agreement: true, Validity: true}
	return s
}

// TestJudgedWhenGiven checks that a voter's finding, and the disagreement of voters, has the slot of the result, in
// all engines.
func TestJudgedWhenGiven(t *testing.T) {
	for _, sessions := range []int{1, 2} {
		s := twoFaced()
		s.Workload.Gossip.Sessions = sessions
		m := systemtest.Machine(t, s, starloom.MachineOptions{})
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
			case v.Rule == starloom.RuleAgreement:
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

// TestJudgedAlike checks that engine, banks, mode and a saved state between change neither findings nor their slots.
func TestJudgedAlike(t *testing.T) {
	for _, s := range []*starloom.Scenario{twoFaced(), systemtest.Ascends(t)} {
		want := systemtest.MachineRun(t, s).Report()
		require.Equal(t, starloom.VerdictFail, want.Verdict)
		require.Less(t, want.Violations[0].Slot, want.Slots)
		for _, o := range []starloom.MachineOptions{{Engine: starloom.EngineCycle},
			{Engine: starloom.EngineSlot, BankSize: 1, Workers: 2}} {
			m := systemtest.Machine(t, s, o)
			require.NoError(t, m.Run(t.Context(), nil))
			require.Equal(t, want.Violations, m.Report().Violations)
		}
		for _, slots := range []uint64{3, want.Violations[0].Slot, want.Violations[0].Slot + 1, want.Slots - 1} {
			m, other := systemtest.Machine(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot}), systemtest.Machine(t, s,
				starloom.MachineOptions{Engine: starloom.EngineSlot})
			for uint64(m.Slots()) < slots {
				require.NoError(t, m.Step())
			}
			var saved bytes.Buffer
			require.NoError(t, m.Save(&saved))
			require.NoError(t, other.Restore(&saved))
			require.NoError(t, other.Run(t.Context(), nil))
			require.Equal(t, systemtest.ReportText(t, want), systemtest.ReportText(t, other.Report()), "saved before slot %d", slots)
		}
		m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot})
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
	for rule, s := range map[string]*starloom.Scenario{starloom.RuleValidity: twoFaced(),
		starloom.RuleEnergy: systemtest.Ascends(t)} {
		if rule == starloom.RuleValidity {
			s.Rules.Agreement = false
		}
		s.Traces.VCD = &starloom.VCDTrace{Signals: []string{"crossbar.slot"}, Trigger: starloom.TriggerFirstViolation, Before: 2, After: 5}
		first := systemtest.MachineRun(t, s).Report().Violations[0]
		require.Equal(t, rule, first.Rule)
		want := fmt.Sprintf("trigger in cycle %d, window from cycle %d to %d", first.Cycle, first.Cycle-2, first.Cycle+5)
		require.Contains(t, systemtest.WaveformOf(t, s), want)

		m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle})
		var wave bytes.Buffer
		recording, err := m.Record(starloom.RecordOptions{VCD: starloom.Writer(&wave)})
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

		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{BreakOn: starloom.Break{Rule: rule}, State: starloom.StateFiles{Save: filepath.Join(t.TempDir(), "state")}})
		require.NoError(t, err)
		require.Equal(t, first.Slot, report.Slots)
	}
}
