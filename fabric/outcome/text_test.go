package outcome

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
)

// TestFormatFloat: counts are exact, fractions have six digits.
func TestFormatFloat(t *testing.T) {
	for want, value := range map[string]float64{
		"0": 0, "-3": -3, "1354133382": 1354133382, "13841287201": 13841287201, "1.02778": 38. / 36.9729729, "0.162162": 6. / 37, "1e+60": 1e60,
	} {
		require.Equal(t, want, FormatFloat(value))
	}
}

// TestOneIsSingular: texts that count say "1 slot", not "1 slots".
func TestOneIsSingular(t *testing.T) {
	first := &FaultFirst{Cycle: 6, Slot: 1, Path: "p"}
	for kind, what := range map[string]string{"dead": "death", "restart": "restart", "clock_pause": "handler call left out", "buffers": "overflow", "drop": "reception prevented"} {
		one, two := FaultReport{Kind: kind, Count: 1, First: first}, FaultReport{Kind: kind, Count: 2, First: first}
		require.Equal(t, "1 "+what+", first in cycle 6, slot 1: p", one.Text())
		require.Contains(t, two.Text(), "s")
		require.NotContains(t, two.Text(), what+",")
	}
	require.Equal(t, "fail after 1 slot, 1 violation; frames: "+Frames{}.Text(), (&WithoutFaults{Verdict: VerdictFail, Slots: 1, ViolationsTotal: 1}).Text())
	require.Contains(t, TrustNote(1), "1 announced delivery is not verified")
	require.Contains(t, TrustNote(2), "2 announced deliveries are not verified")
}

// TestOrderIsSaid: what handlers did comes first, and a line says so if that is not the order of cycles.
func TestOrderIsSaid(t *testing.T) {
	trap := Violation{Rule: fabric.RuleTrap, Cycle: 21}
	for cycle, said := range map[uint64]bool{20: true, 21: false, 22: false} {
		r := Report{Violations: []Violation{{Rule: fabric.RuleDeadline, Cycle: cycle}, trap}, ViolationsTotal: 2}
		if cycle > trap.Cycle {
			slices.Reverse(r.Violations)
		}
		var text bytes.Buffer
		require.NoError(t, r.WriteText(&text))
		require.Less(t, strings.Index(text.String(), fabric.RuleTrap), strings.Index(text.String(), fabric.RuleDeadline))
		require.Equal(t, said, strings.Contains(text.String(), "comes first; --json is in the order of cycles"), text.String())
	}
}

// Violations that are alike but for their time are shown once, by the first of them, with how many there are.
func TestShownOnce(t *testing.T) {
	v := func(rule, path string, slot uint64) Violation {
		return Violation{Rule: rule, Path: path, Slot: slot, Message: "m"}
	}
	all := []Violation{v("x", "a", 0), v("x", "b", 0), v("x", "a", 1), v("firmware_trap", "a", 2), v("x", "a", 3)}
	require.Equal(t, []Repeat{{3, 1, 3}, {0, 3, 4}, {1, 1, 1}}, ShownOnce(all, -1, 9, 9))
	require.Equal(t, []Repeat{{3, 1, 3}, {0, 3, 4}}, ShownOnce(all, -1, 9, 1))
	require.Equal(t, []Repeat{{3, 1, 3}, {1, 1, 1}, {0, 3, 4}}, ShownOnce(all, 1, 9, 9))
}

// TestEntriesAreCounted: a value that is JSON already has entries, not bytes.
func TestEntriesAreCounted(t *testing.T) {
	nodes := json.RawMessage(`{"p[0..15]":{"kind":"processor","ports":["row","column"]},"row[0..3]":"star","column[0..3]":"star"}`)
	require.Equal(t, `{"p[0..15]":{"kind":"processor", ... (3 entries)`, listText(nodes))
	require.Equal(t, `[1000000, 1000001, 1000002, 1000003, 1000004, ... (6 entries)`, listText([]int{1000000, 1000001, 1000002, 1000003, 1000004, 1000005}))
	require.Equal(t, `{"a":1}`, listText(json.RawMessage(`{"a":1}`)))
}
