//go:build linux

package lockstep

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// TestLongOscillationIsKept checks that a case includes the inputs of the cycle in which logic does not settle, so
// that a replay ends there, too, and that no longer reset is suggested.
func TestLongOscillationIsKept(t *testing.T) {
	const oscillates = `module dut(input clock, input reset, input mode, input [15:0] in, output [15:0] out);
  reg [15:0] q; reg armed;
  always @(posedge clock) begin q <= reset ? 16'd0 : in; armed <= !reset && (armed || in[1]); end
  wire loop = ~(loop & (CONDITION));
  assign out = q ^ {15'd0, ~loop};
endmodule`
	const later = "mode ? armed && in[3:0] == 4'd4 : in[15:12] == 4'd11"
	for _, c := range []struct {
		name, when string
		mode       uint64
		cycles     int // number of cycles of the case
	}{{"at once", "1'b1", 0, 1}, {"by an input", later, 0, 2}, {"by a register", later, 1, 3}} {
		t.Run(c.name, func(t *testing.T) {
			m := foreign(t, string(bytes.ReplaceAll([]byte(oscillates), []byte("CONDITION"), []byte(c.when))), &pinmap.Map{
				Library: library(),
				Model:   "link", Parameters: twin.Parameters{"PHIT_BITS": 8, "DELAY_CYCLES": 1}, Clock: "clock", Reset: "reset",
				Pins: []pinmap.Wiring{{Port: "rail1_i", Pins: []string{"in[15:8]"}}, {Port: "rail0_i", Pins: []string{"in[7:0]"}}, {Port: "rail1_o", Pins: []string{"out[15:8]"}}, {Port: "rail0_o", Pins: []string{"out[7:0]"}}},
				Ties: []pinmap.Tie{{Pin: "mode", Value: c.mode}},
			})
			r := runLockstep(t, m, Options{Cycles: 2000})
			require.NotNil(t, r.Divergence)
			require.EqualValues(t, cosim.FaultOscillation, r.Divergence.Kind)
			require.Equal(t, "", r.Divergence.Survivors.text(r.Divergence.Signal == ""))
			require.Equal(t, c.cycles, r.Shown.Stimulus.Cycles())
			if c.cycles > 1 {
				require.Len(t, r.Shown.samples, c.cycles, "the cycle is drawn")
				require.Equal(t, "xx", labelOf(r.Shown.ports[len(r.Shown.ports)-1], r.Shown.samples[c.cycles-1].rtl, r.Shown.samples[c.cycles-1].unknown))
			}
			var b bytes.Buffer
			_, err := r.Shown.WriteVCD(&b, nil)
			require.NoError(t, err)

			again := runLockstep(t, m, Options{Stimulus: r.Shown.Stimulus})
			require.NotNil(t, again.Divergence, "the replay passes")
			require.Equal(t, r.Divergence.Text, again.Divergence.Text)
		})
	}
}
