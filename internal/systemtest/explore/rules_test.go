package explore

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/explore"
)

func ruled(t *testing.T, rules, faults string) *starloom.Scenario {
	t.Helper()
	s, err := starloom.ParseScenario("", []byte(stopAndWait+"explore: {faults: "+faults+", rules: "+rules+"}\n"))
	require.NoError(t, err)
	return s
}

// Conditions on probes are judged in every state: with the fewest faults, and by a run of the schedule in both engines.
func TestRules(t *testing.T) {
	for _, x := range []struct {
		rules, faults string
		fewest        int // -1: the rules hold
		text          string
	}{
		{"[{never: received.max > 4}]", "{drop: 1}", -1, ""},
		{"[{never: received.max > 2}]", "{drop: 1}", 0, "received.max > 2 holds: received is 2, 2, 3, 2"},
		{"[{after: sent.max == 2, within: 3 slots, then: received.min > 1}]", "{drop: 1}", 1,
			"received.min > 1 has not followed within 3 slots after sent.max == 2: sent is 1, 2, 0, 1; received is 2, 0, 3, 2"},
		{"[{after: sent.max == 2, within: 30 slots, then: received.min > 1}]", "{drop: 1}", -1, ""},
		{"[{after: sent.sum >= 16, within: 1 slot, then: sent.sum > 16}]", "{drop: 1}", 0,
			"the run is over, and sent.sum > 16 has not followed after sent.sum >= 16: sent is 4, 4, 4, 4"},
		{"[{never: 'received.count > 3 and received.max > 4'}]", "{dead: 1}", -1, ""},
	} {
		r, err := starloom.Explore(t.Context(), ruled(t, x.rules, x.faults), starloom.ExploreOptions{})
		require.NoError(t, err, x.rules)
		if x.fewest < 0 {
			if r.Verdict == outcome.Fails { // deaths break finishes
				assert.Equal(t, "finishes", r.Violations[0].Rule, x.rules)
			}
			continue
		}
		require.Equal(t, outcome.Fails, r.Verdict, x.rules)
		assert.Len(t, r.Schedule, x.fewest, x.rules)
		assert.Equal(t, x.text, r.Violations[0].Message)
	}
	explored(t, stopAndWait+"explore: {rules: [{after: sent.max == 2, within: 8 slots, then: received.min > 1}]}\n",
		"{drop: 1, restart: 1}", explore.Options{Verify: true})
}

// A rule whose condition after never holds is named.
func TestRuleWithoutOccasion(t *testing.T) {
	s := ruled(t, "[{after: sent.max > 9, within: 1 slot, then: sent.max > 10}]", "{drop: 1}")
	r, err := starloom.Explore(t.Context(), s, starloom.ExploreOptions{})
	require.NoError(t, err)
	assert.Equal(t, outcome.Holds, r.Verdict)
	assert.Contains(t, r.NotCovered, "the rule after sent.max > 9: the condition held in no state")
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	assert.Contains(t, report.Notes, "the rule after judged nothing: sent.max > 9 never held")
	assert.Contains(t, report.Rules, "after")
}

// An obligation outlives a saved state.
func TestRuleAcrossSavedState(t *testing.T) {
	s := ruled(t, "[{after: sent.max == 1, within: 6 slots, then: sent.max > 100}]", "{drop: 1}")
	violated := func(saved []byte) string {
		m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
		require.NoError(t, err)
		defer m.Close()
		if saved != nil {
			require.NoError(t, m.Restore(bytes.NewReader(saved)))
		}
		require.NoError(t, m.Run(t.Context(), nil))
		v := m.Report().Violations
		require.Len(t, v, 1)
		return fmt.Sprint(v[0].Slot, v[0].Rule, v[0].Message)
	}
	m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	require.NoError(t, err)
	defer m.Close()
	for range 4 {
		require.NoError(t, m.Step())
	}
	var saved bytes.Buffer
	require.NoError(t, m.Save(&saved))
	assert.Equal(t, violated(nil), violated(saved.Bytes()))
}

func TestBadRules(t *testing.T) {
	for rules, want := range map[string]string{
		"[{never: nothing > 1}]": `"nothing > 1" is not a condition: unknown name nothing (1:1); valid names are the probes and ` +
			"results of the firmware: sent, received, wrong",
		"[{never: 1 > 2}]":                              `"1 > 2" names neither a probe nor a result, so it never changes`,
		"[{never: 'sent.count +'}]":                     "unexpected token EOF",
		"[{never: sent.count}]":                         "expected bool",
		"[{never: 'sent.values[9] > 1'}]":               "index out of range: 9; values has the processors 0 to 3",
		"[{never: sent.max > 1, then: sent.max > 1}]":   "never and after are two rules",
		"[{after: sent.max > 1, then: sent.max > 1}]":   "a rule has never, or all of after, within and then",
		"[{after: a, within: 5 cycles, then: b}]":       "is 5 cycles, but conditions are judged once per slot of 7 cycles",
		"[{after: a, within: 0, then: b}]":              "allowed: 1 to",
		"[{never: sent.max > 1, always: sent.max > 0}]": "always",
	} {
		s, err := starloom.ParseScenario("s.yaml", []byte(stopAndWait+"explore: {rules: "+rules+"}\n"))
		if err == nil {
			_, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
		}
		require.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "s.yaml", rules)
		var refused *starloom.InputError
		assert.ErrorAs(t, err, &refused, rules)
	}
}
