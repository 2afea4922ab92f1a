//go:build linux

package prove

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShiftMap: what shiftMap reads inside of a vector is what is there; each bit beyond it is free, and of its own.
func TestShiftMap(t *testing.T) {
	type read struct{ signed, a, b, y int }
	var reads []read
	for _, a := range []int{1, 2, 5, 8, 13} {
		for _, b := range []int{1, 3, 6} {
			for _, y := range []int{1, 2, 5} {
				reads = append(reads, read{0, a, b, y}, read{1, a, b, y})
			}
		}
	}
	var ports, body strings.Builder
	for i, r := range reads {
		fmt.Fprintf(&ports, ", input [%d:0] a%d, input [%d:0] b%d, output [%d:0] y%d", r.a-1, i, r.b-1, i, r.y-1, i)
		fmt.Fprintf(&body, "\\$shiftx #(.A_SIGNED(0), .B_SIGNED(%d), .A_WIDTH(%d), .B_WIDTH(%d), .Y_WIDTH(%d)) s%d (.A(a%d), .B(b%d), .Y(y%d));\n",
			r.signed, r.a, r.b, r.y, i, i, i, i)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"top.v": "module top(" + ports.String()[2:] + ");\n" + body.String() + "endmodule\n", "shift.v": shiftMap,
		"script.ys": "read_verilog -icells top.v\ntechmap -map shift.v\nopt_clean\ntechmap\nopt_clean\naigmap\nopt_clean\nwrite_aiger -zinit -map top.map top.aig\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	_, err := runYosys(t.Context(), dir, "script.ys")
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(dir, "top.aig"))
	require.NoError(t, err)
	g, err := readAIGER(data)
	require.NoError(t, err)
	names, err := os.ReadFile(filepath.Join(dir, "top.map"))
	require.NoError(t, err)
	s, err := readMap(string(names), g.inputs, len(g.outputs))
	require.NoError(t, err)

	random, in := rand.New(rand.NewPCG(1, 1)), make([]uint64, g.inputs)
	for at := range 64 { // the index in all sequences
		for i := range in {
			in[i] = random.Uint64()
		}
		for i, r := range reads {
			for bit := range r.b {
				in[s.inputs[fmt.Sprintf("b%d[%d]", i, bit)]] = -(uint64(at) >> bit & 1)
			}
		}
		sim := g.simulation()
		sim.settle(in)
		for i, r := range reads {
			from := at & (1<<r.b - 1)
			if r.signed == 1 && from >= 1<<(r.b-1) {
				from -= 1 << r.b
			}
			seen := map[uint64]bool{0: true, ^uint64(0): true}
			for bit := range r.y {
				got, place := sim.of(g.outputs[s.outputs[fmt.Sprintf("y%d[%d]", i, bit)]]), from+bit
				if place >= 0 && place < r.a {
					require.Equal(t, in[s.inputs[fmt.Sprintf("a%d[%d]", i, place)]], got, "%+v at %d, bit %d", r, from, bit)
				}
				require.False(t, seen[got], "%+v at %d, bit %d is a constant, or as another one", r, from, bit)
				seen[got] = true
			}
			for place := range r.a { // what is beyond the vector is nothing of it
				if place < from || place >= from+r.y {
					require.False(t, seen[in[s.inputs[fmt.Sprintf("a%d[%d]", i, place)]]], "%+v at %d reads %d", r, from, place)
				}
			}
		}
	}
}
