package prove

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// TestLongParts proves RTL with arrays of interfaces and unpacked structures as ports, and refutes exchanged parts.
func TestLongParts(t *testing.T) {
	for given, verdict := range map[int]string{1: Equal, 0: Differs} {
		m := &pinmap.Map{
			Library: library(), Model: "credit_counter", Parameters: twin.Parameters{"DEPTH": 4}, Clock: "clk", Reset: "rst_n", ResetLow: true,
			Pins: []pinmap.Wiring{{Port: "take", Pins: []string{"back[1].take"}}, {Port: "give", Pins: []string{fmt.Sprintf("back[%d].give", given)}}},
			Ties: []pinmap.Tie{{Pin: "back[0].take"}, {Pin: fmt.Sprintf("back[%d].give", 1-given)}},
		}
		for port, part := range map[string]string{"count": "left", "underflow": "under", "overflow": "over"} {
			m.Pins = append(m.Pins, pinmap.Wiring{Port: port, Pins: []string{"status[1]." + part}})
		}
		m.Source.Top, m.Source.Files = "credit_gates", []string{filepath.Join("testdata", "parts", "credit_gates.sv")}
		m.Build.Cache = testCache
		require.Equal(t, verdict, runProof(t, m, Options{Limit: fullLimit()}).Verdict)
	}
}

// TestLongValues proves RTL with the model's parameters, whose values the verdict states.
func TestLongValues(t *testing.T) {
	for wrong, verdict := range map[string]string{"DEPTH": Equal, "LESS": Differs} {
		m := &pinmap.Map{
			Library: library(), Model: "credit_counter", Parameters: twin.Parameters{"DEPTH": 5}, Clock: "clk", Reset: "rst_n", ResetLow: true,
			Pins: []pinmap.Wiring{
				{Port: "take", Pins: []string{"take"}}, {Port: "give", Pins: []string{"give"}}, {Port: "count", Pins: []string{"left"}},
				{Port: "underflow", Pins: []string{"under"}}, {Port: "overflow", Pins: []string{"over"}},
			},
		}
		m.Source.Top, m.Source.Files = "credit_depth", []string{filepath.Join("testdata", "parts", "credit_depth.sv")}
		m.Source.Params = map[string]string{"DEPTH": "$DEPTH"}
		if wrong != "DEPTH" {
			m.Source.Params[wrong] = "1"
		}
		m.Build.Cache = testCache
		r := runProof(t, m, Options{Limit: fullLimit()})
		require.Equal(t, verdict, r.Verdict)
		require.Equal(t, []string{"DEPTH=5"}, r.Values)
		require.Equal(t, "credit_depth DEPTH=5 against the twin of credit_counter DEPTH=5", r.Title())
	}
}
