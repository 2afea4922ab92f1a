//go:build linux

package prove

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/flatten"
	"starloom/cosim/twin"
)

// TestLongLooksOn refutes RTL whose shortest counterexample starts with a register value that simulation lacks; a
// longer one loads the value.
func TestLongLooksOn(t *testing.T) {
	m := twinMap(t, "link", twin.Parameters{"PHIT_BITS": 1, "DELAY_CYCLES": 1})
	file := filepath.Join(t.TempDir(), "dut.v")
	require.NoError(t, os.WriteFile(file, []byte(`module dut(input clock, reset, input rail1_i, rail0_i, output reg rail1_o, rail0_o);
  reg [15:0] key;
  always @(posedge clock) begin
    key <= {key[14:0], rail1_i};
    {rail1_o, rail0_o} <= reset ? 2'b00 : {rail1_i ^ (key == 16'hbeef), rail0_i};
  end
endmodule
`), 0o644))
	m.Source.Top, m.Source.Params, m.Source.Files, m.Build.Cache = "dut", nil, []string{file}, testCache
	r := runProof(t, m, Options{engines: true})
	require.Equal(t, Differs, r.Verdict)
	require.NotEqual(t, "random inputs", r.FoundBy)
	require.Greater(t, r.Case.Divergence.Cycle, uint64(15))
}

// TestRestsOn checks that the free values are named whose inversion removes a counterexample.
func TestRestsOn(t *testing.T) {
	// Inputs: a driven one, two X, and the initial values of two registers. One register marks the first cycle.
	g := &graph{inputs: 5, next: []uint32{1, 0}}
	first := 2*g.firstLatch() ^ 1
	began := g.and(first, g.and(8, 4))
	g.next[1] = g.or([]uint32{began, g.and(10, 6)})
	g.outputs = []uint32{g.and(2*(g.firstLatch()+1), 2)}
	s := &signals{free: []int{1, 2, 3, 4}, powerOnOf: map[int]int{2: 3, 3: 4}, registerOf: map[int]string{3: "n1_q[0]", 4: "n2_q[0]"}}
	witness := [][]bool{{false, true, false, true, true}, {true, false, false, false, false}}
	require.Equal(t, []int{1, 3}, g.needed(witness, 0, s.free))

	p := &prover{
		print: &flatten.Module{Unknown: []string{"a.v:3:1"}, Registers: []flatten.Register{{Name: "n1_q", Source: "count", Place: "a.v:2:5"}}},
		miter: &miter{graph: g, signals: s},
	}
	d := &decision{Witness: witness, By: "pdr"}
	require.Equal(t, ": it rests on X at a.v:3:1 (an index beyond the end, or no value) and on what count (a.v:2:5) has at power-on, "+
		"which may have any value in a proof, but has one value in simulation", p.restsOn(d))
	p.print.Unknown = nil
	require.Contains(t, p.restsOn(d), "rests on a net that nothing drives and on what count")
	p.miter.ports, p.miter.bits, p.miter.bad = []cosim.Port{{Name: "data_o"}}, []comparedBit{{}}, []int{0}
	require.EqualError(t, p.notShown(d, ": why"), "pdr has a counterexample of 2 cycles, in data_o[0], that lockstep "+
		"does not confirm: why")

	settled := g.settled([]int{1, 2})
	require.Equal(t, uint32(0), settled.next[1])
	require.Equal(t, g.inputs, settled.inputs)
	require.Equal(t, "1, 2, 3, 4 and 2 more", listed([]string{"1", "2", "3", "4", "5", "6"}))
}
