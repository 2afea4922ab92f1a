//go:build linux

package verilator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

// TestEndlessLoopIsCounted checks that an endless loop is detected by its number of iterations, which is the same on
// every machine, not by time.
func TestEndlessLoopIsCounted(t *testing.T) {
	b := bench(t, viaWasm, conforming("misbehave.sv", "misbehave", "clk_i"), cosim.Options{TimeLimit: time.Hour})
	b.reset()
	b.set("mode_i", 5)
	var fault *cosim.Fault
	require.ErrorAs(t, b.Step(1, 1000), &fault)
	require.Equal(t, cosim.FaultHang, fault.Kind)
	require.Equal(t, "a loop does not end: 1,073,741,824 turns in one cycle", fault.Text)
}

// TestLongLoopsAreNoHang checks that iterations and time are counted per call. Combinational logic stays in cycle 0.
func TestLongLoopsAreNoHang(t *testing.T) {
	const limit = 300 * time.Millisecond
	b := bench(t, viaWasm, cosim.Source{Top: "sum", Files: []string{write(t, "sum.v", `module sum(input [31:0] a, output reg [31:0] b);
  integer i;
  always @* begin b = a; for (i = 0; i < 200000; i = i + 1) b = {b[30:0], b[31] ^ b[7]}; end
endmodule
`)}}, cosim.Options{TimeLimit: limit})
	start := time.Now()
	for a := uint64(0); time.Since(start) < 3*limit; a++ {
		b.set("a", a)
		require.NoError(t, b.Settle())
	}
}
