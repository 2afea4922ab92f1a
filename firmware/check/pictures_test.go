package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/outcome"
	"starloom/traces/figure"
)

// TestTimeline checks that each broken rule, handler that does not return, harmful write, way that differs and finding
// on arbitrary input has a row with a mark at its slot, and that notes have none.
func TestTimeline(t *testing.T) {
	neighbour := 2
	slots := func(n int) []FuzzStep { return make([]FuzzStep, n) }
	r := &Report{
		Stopped: []Stop{{3, "pops.group[0].nic[1]"}},
		Watched: Watched{Slots: 9},
		Runs: []Run{{Mode: "isolated", Slots: 9}, {Mode: "banked", BankSize: 16, Slots: 8},
			{Mode: "banked", BankSize: 4, Slots: 7, Runtime: "interpreter"}},
		Violations: []outcome.Violation{{Rule: "finishes", Slot: 8}, {Rule: "finishes", Slot: 9},
			{Rule: "in_order", Slot: 2}},
		Difference: &Difference{Runs: [2]int{0, 2}, Found: true, Slot: 5},
		Writes: []Write{{Slot: 4, Path: "bus.nic[3]", Neighbour: &neighbour},
			{Slot: 1, Path: "bus.nic[0]", Variable: "v"}},
		Fuzz: []FuzzFinding{{Rule: "firmware_trap", Received: true, Input: FuzzInput{Slots: 6, Steps: slots(2)}},
			{Rule: "illegal_send", Input: FuzzInput{Slots: 1, Steps: slots(1)}}},
	}
	f := r.timeline()
	names := []string{"firmware_trap", "bus.nic[3]", "banks of 4, interpreter", "isolated", "in_order", "finishes",
		"pops.group[0].nic[1]"}
	require.Equal(t, names, f.Y.Names, "from the bottom")
	require.Equal(t, []figure.Point{{X: 3, Y: 6}, {X: 8, Y: 5}, {X: 2, Y: 4}, {X: 5, Y: 3}, {X: 5, Y: 2}, {X: 4, Y: 1},
		{X: 8, Y: 0}}, f.Curves[0].Points)
	require.Equal(t, "arbitrary input", f.Spans[0].Name)
	require.Len(t, f.Spans[0].Rects, 1)
	require.Equal(t, []float64{6, 8}, []float64{f.Spans[0].Rects[0].Left, f.Spans[0].Rects[0].Right})
	require.InDelta(t, -halfRow, f.Spans[0].Rects[0].Low, 1e-9)
	require.Nil(t, (&Report{Runs: r.Runs}).timeline(), "nothing fails")
	require.Nil(t, (&Report{}).coverage())
}

// TestCoverage checks that the functions with the most branches are drawn, and that the others are counted.
func TestCoverage(t *testing.T) {
	r := &Report{}
	for k := range rowsMax + 2 {
		name := string(rune('a' + k))
		r.Branches.Functions = append(r.Branches.Functions, FunctionBranches{Function: name, Reached: k % 3,
			Branches: 40 - k})
	}
	f := r.coverage()
	require.Len(t, f.Y.Names, rowsMax)
	require.Equal(t, "a 0/40", f.Y.Names[rowsMax-1])
	require.Equal(t, "2 smaller functions are not drawn.", f.Note)
	require.Len(t, f.Spans[0].Rects, 2*rowsMax/3, "functions without a reached branch have no bar")
}
