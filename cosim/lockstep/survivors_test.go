//go:build linux

package lockstep

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// linkWithMistakes is a link with a latency of 3 cycles and a mistake for each mode.
const linkWithMistakes = `module dut(input clock, input reset, input [2:0] mode, input [15:0] in, output [15:0] out);
  reg [15:0] memory [0:3];
  reg [1:0] to, age;
  reg reset_q;
  wire [15:0] whole = age == 3 ? memory[to + 2'd1] : 16'd0;
  always @(posedge clock) begin
    reset_q <= reset;
    memory[to] <= in;
    to <= reset ? 0 : to + 1;
    if (!reset) age <= age == 3 ? 3 : age + 1;
    else if (mode != 2 && (mode != 7 || reset_q)) age <= 0;
  end
  reg [15:0] late, reset_late;
  always @(posedge clock) late <= whole;
  always @(posedge clock) reset_late <= reset ? 0 : whole;
  wire [15:0] other = age == 3 ? memory[to] : 16'd0;
  wire [15:0] loop = in[0] ? whole : out;
  assign out = mode == 3 ? late : mode == 4 ? reset_late : mode == 5 ? other : mode == 6 ? loop : whole;
endmodule`

// TestClaimsMissingReset checks that a missing reset is claimed only if it was shown, and that other mistakes are
// described as observed. In Icarus unset registers are X, which shows nothing.
func TestClaimsMissingReset(t *testing.T) {
	const missing, survives, short = "a reset is missing: with ", "some state survives the reset (", "with reset " +
		"active for 16 cycles the RTL does not differ"
	lasting := "" // Icarus 11 leaves the register at X, the value of an operand of ||
	if cosimtest.Since(t, "iverilog", 12) {
		lasting = short
	}
	for _, backend := range []string{cosim.BackendWasm, cosim.BackendIcarus} {
		m := foreign(t, linkWithMistakes, &pinmap.Map{
			Library: library(),
			Model:   "link", Parameters: twin.Parameters{"PHIT_BITS": 8, "DELAY_CYCLES": 3}, Clock: "clock", Reset: "reset", Backend: backend,
			Pins: []pinmap.Wiring{{Port: "rail1_i", Pins: []string{"in[15:8]"}}, {Port: "rail0_i", Pins: []string{"in[7:0]"}}, {Port: "rail1_o", Pins: []string{"out[15:8]"}}, {Port: "rail0_o", Pins: []string{"out[7:0]"}}},
		})
		for _, c := range []struct {
			mode         uint64
			what         string
			wasm, icarus string // expected text
		}{
			{2, "a reset is missing", missing, ""},
			{3, "late, in a register without reset", "", ""},
			{4, "late", "", ""},
			{5, "a wrong index", survives, ""},
			{6, "a loop", survives, ""},
			{7, "reset has to last", short, lasting},
		} {
			t.Run(backend+", "+c.what, func(t *testing.T) {
				m.Ties = []pinmap.Tie{{Pin: "mode", Value: c.mode}}
				// in Icarus every trial is a process
				r := runLockstep(t, m, Options{Cycles: 2000, NoShrink: backend == cosim.BackendIcarus})
				require.NotNil(t, r.Divergence)
				var b bytes.Buffer
				require.NoError(t, r.WriteText(&b))
				t.Log(b.String())
				want := map[string]string{cosim.BackendWasm: c.wasm, cosim.BackendIcarus: c.icarus}[backend]
				for _, text := range []string{missing, survives, short} {
					require.Equal(t, text == want, bytes.Contains(b.Bytes(), []byte(text)), text)
				}
				require.Equal(t, want == missing, r.Divergence.MissingReset)
				require.Equal(t, want == missing || want == survives, r.Divergence.Undefined)
			})
		}
	}
}

// TestReplay checks that the command for a case of a later power-on state requests that many states.
func TestReplay(t *testing.T) {
	r := &Report{Backend: cosim.BackendWasm, Divergence: &Divergence{}}
	r.Divergence.Found.PowerOn = PowerOnDefault
	require.Empty(t, r.Replay())
	r.Divergence.Found.PowerOn++
	require.Equal(t, " --reset-seeds 4", r.Replay())
}
