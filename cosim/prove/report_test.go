package prove

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/pinmap"
)

// TestReservations checks that a verdict names tied inputs and tool warnings.
func TestReservations(t *testing.T) {
	for verdict, says := range map[string]bool{Equal: true, Bounded: true, Undecided: false} {
		r := newReport(&pinmap.Map{Ties: []pinmap.Tie{{Pin: "scan"}, {Pin: "~mode", Value: 3}}})
		r.Verdict, r.Warnings = verdict, append(r.Warnings, cosim.Warning{Code: "ASSIGNDLY", Place: "a.v:1:2", Text: "ignored"})
		var text, json bytes.Buffer
		require.NoError(t, r.WriteText(&text))
		require.NoError(t, r.WriteJSON(&json))
		for _, line := range []string{"not checked with other values of tied inputs: scan is 0, ~mode is 3\n", "  warning: a.v:1:2: ASSIGNDLY: ignored\n"} {
			require.Equal(t, says, bytes.Contains(text.Bytes(), []byte(line)), text.String())
		}
		require.Contains(t, json.String(), `"scan is 0",`)
		require.Contains(t, json.String(), `"ASSIGNDLY"`)
	}
}

// TestLoopIn checks that the wires of a loop are named.
func TestLoopIn(t *testing.T) {
	const said = "Warning: found logic loop in module starloom_rtl_side:\n    cell $and$1 ($and)\n    wire \\side.a\n    wire \\b\n" +
		"Found and reported 1 problems.\n    wire \\c\n"
	require.Equal(t, "the RTL has a combinational loop through a, b, but a proof needs logic without loops", loopIn(said))
	const reset = "Warning: found logic loop in module starloom_miter:\n    cell $auto$async2sync.cc:1:execute$2 ($mux)\n" +
		"    wire \\rtl.side.a\n    wire \\rtl.side.c [0]\n    wire \\rtl.side.n3\nFound and reported 1 problems.\n"
	require.Equal(t, "the RTL has a combinational loop through an asynchronous reset, and a, c, but a proof needs "+
		"logic without loops", loopIn(reset))
	require.Empty(t, loopIn("Checking module starloom_rtl_side...\nFound and reported 0 problems.\n"))
}
