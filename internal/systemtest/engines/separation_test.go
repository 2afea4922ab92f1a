package engines

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// separated are machines of every fabric with firmware that keeps all rules by itself, and the change
// with which it breaks some.
var separated = map[string]struct{ machine, old, broken string }{
	"pops": {"fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random}\nstop: {slots: 200}", "stop:",
		"rules: {collision_free: {period: 1, slots: [1]}, exactly_once: true}\nstop:"},
	"crossbar":        {"fabric: {crossbar: {ports: 6}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: pipelined}}\nstop: {slots: 300}", "slots: 300", "slots: 5"},
	"crossbar queues": {"fabric: {crossbar: {ports: 6}}\nfirmware: {program: scatter/sync}\nworkload: {scatter: {origin: 0}}\nstop: {slots: 300}", "slots: 300", "slots: 2"},
	"bus":             {"fabric: {bus: {vertices: 8, buses: [[1, 2, 3, 4, 5, 6, 7, 0]], arbiter: fixed}}\nfirmware: {program: bus/sensors, params: {period: 4, spread: 2, readings: 8}}\nstop: {slots: 400}", "arbiter: fixed", "arbiter: none"},
	"ej":              {"fabric: {ej: {a: 2, b: 3, dimensions: 1}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}\nstop: {slots: 100}", "ej/improved", "ej/misprinted"},
}

// TestSeparation: on every fabric what faults break is theirs, what firmware breaks by itself is its
// own, before faults and among them, in both engines.
func TestSeparation(t *testing.T) {
	const none = "schedule: [{kind: drop, slots: {from: 100000}}, {kind: dead, probability: 0}]"
	kinds := []string{
		"schedule: [{kind: dead, slots: {to: 4}, probability: 0.4}]", "schedule: [{kind: stuck}, {kind: buffers, rx_frames: 1}]", "random: {kind: bit_flip, rate: 0.6}",
		"schedule: [{kind: clock_pause, slots: {from: 1}}]", "schedule: [{kind: restart, slots: {from: 2, every: 2}}, {kind: buffers, rx_frames: 1, tx_frames: 1}]",
	}
	caused := map[string]int{}
	run := func(t *testing.T, machine, faults, engine string) *starloom.Report {
		s := systemtest.FaultScenario(t, machine, faults)
		if faults == "" {
			s.Faults = nil
		}
		r, err := starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}})
		require.NoError(t, err)
		return r
	}
	for name, c := range separated {
		t.Run(name, func(t *testing.T) {
			broken := strings.Replace(c.machine, c.old, c.broken, 1)
			require.NotEqual(t, c.machine, broken)
			sound := run(t, c.machine, none, starloom.EngineSlot)
			require.Equal(t, starloom.VerdictPass, sound.Verdict)
			require.Nil(t, sound.Without, "nothing to explain")

			// The firmware alone.
			own := run(t, broken, none, starloom.EngineSlot)
			require.Equal(t, starloom.VerdictFail, own.Verdict)
			require.Equal(t, own.Digest, own.Without.Digest)
			require.Equal(t, own.Frames, own.Without.Frames)
			for i := range own.Violations {
				require.Equal(t, starloom.CauseFirmware, own.Violations[i].Cause, "%+v", own.Violations[i])
			}

			failed := 0
			for _, faults := range kinds {
				// The faults alone.
				r := run(t, c.machine, faults, starloom.EngineSlot)
				if r.Verdict == starloom.VerdictFail {
					failed++
					require.Equal(t, &starloom.WithoutFaults{Verdict: starloom.VerdictPass, ViolationsTotal: 0, Slots: sound.Slots,
						Frames: sound.Frames, Digest: sound.Digest}, r.Without)
				}
				for i := range r.Violations {
					require.Equal(t, starloom.CauseFaults, r.Violations[i].Cause, "%+v", r.Violations[i])
				}
				// Both: violations also present without faults may be the firmware's. Violations before the first
				// fault cannot be the fault's.
				r = run(t, broken, faults, starloom.EngineSlot)
				require.Equal(t, starloom.VerdictFail, r.Verdict)
				first := ^uint64(0)
				for _, f := range r.Faults {
					if f.First != nil {
						first = min(first, f.First.Cycle)
					}
				}
				there, here, counted := map[string]int{}, map[string]int{}, map[string]int{}
				for i := range own.Violations {
					there[key(&own.Violations[i])]++
				}
				for i := range r.Violations {
					v := &r.Violations[i]
					caused[v.Cause]++
					if v.Cycle < first && v.Cycle < r.Cycles { // the end of a run may be theirs
						require.Equal(t, starloom.CauseFirmware, v.Cause, "%+v", v)
					}
					if v.Rule != starloom.RuleExactlyOnce { // which says later where a packet was lost
						if here[key(v)]++; v.Cause == starloom.CauseFirmware {
							counted[key(v)]++
						}
					}
				}
				for key, n := range here {
					require.Equal(t, min(n, there[key]), counted[key], key)
				}
				var text, again bytes.Buffer
				other := run(t, broken, faults, starloom.EngineCycle)
				other.Engine = r.Engine
				require.NoError(t, r.WriteJSON(&text))
				require.NoError(t, other.WriteJSON(&again))
				require.Equal(t, text.String(), again.String())
			}
			require.GreaterOrEqual(t, failed, 2)
		})
	}
	for _, cause := range []string{starloom.CauseFaults, starloom.CauseFirmware, starloom.CauseUnclear} {
		require.Positive(t, caused[cause], cause)
	}
}

// TestSeparationInterrupted: a run that is interrupted while it is repeated without faults says that causes
// are not known.
func TestSeparationInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := systemtest.FaultScenario(t, separated["pops"].machine, "schedule: [{kind: stuck}]")
	r, err := starloom.Run(ctx, s, starloom.RunOptions{Progress: func(p starloom.Progress) {
		if p.Repeated {
			cancel()
		}
	}})
	require.NoError(t, err)
	require.Nil(t, r.Without)
	require.Contains(t, strings.Join(r.Notes, "\n"), "the violations caused by faults are unknown")
	for i := range r.Violations {
		require.Empty(t, r.Violations[i].Cause)
	}
}

// key is what tells violations apart.
func key(v *starloom.Violation) string {
	message, _, _ := strings.Cut(v.Message, "; it ") // since when it stands still, which Run tells of one run
	return v.Rule + " " + v.Path + " " + message
}
