//go:build linux

package prove

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShiftMap checks that shiftMap reads the bits within a vector, and separate free bits beyond it.
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
	g, s := graphOf(t, "module top("+ports.String()[2:]+");\n"+body.String()+"endmodule\n",
		"read_verilog -icells top.v\ntechmap -map shift.v\nopt_clean\ntechmap\nopt_clean\naigmap\nopt_clean\n")

	random, in := rand.New(rand.NewPCG(1, 1)), make([]uint64, g.inputs)
	for at := range 64 { // all sequences read at this index
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
			for place := range r.a { // places outside of the read have no effect
				if place < from || place >= from+r.y {
					require.False(t, seen[in[s.inputs[fmt.Sprintf("a%d[%d]", i, place)]]], "%+v at %d reads %d", r, from, place)
				}
			}
		}
	}
}

// graphOf returns the graph that a script builds of a module called top.
func graphOf(t *testing.T, top, script string) (*graph, *signals) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"top.v": top, "shift.v": shiftMap, "divide.v": divideMap, "buffer.v": bufferMap, "script.ys": script + "write_aiger -zinit -map top.map top.aig\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	_, err := runYosys(t.Context(), dir, "script.ys", yosysMemory())
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(dir, "top.aig"))
	require.NoError(t, err)
	g, err := readAIGER(data)
	require.NoError(t, err)
	names, err := os.ReadFile(filepath.Join(dir, "top.map"))
	require.NoError(t, err)
	s, err := readMap(string(names), g.inputs, len(g.outputs))
	require.NoError(t, err)
	return g, s
}

// TestDivideMap checks that a divider has the width of its possible dividends and divides as before.
func TestDivideMap(t *testing.T) {
	const top = `module top(input [4:0] a, output [11:0] y0, y1, y2, y3, y4, y5, y6);
  wire [11:0] sum = {7'd0, a} + 12'd3;
  assign y0 = $signed({7'd0, a}) % $signed(12'd6);
  assign y1 = $signed(sum) / $signed(12'd5);
  assign y2 = {7'd0, a} % 12'd200;
  assign y3 = sum / 12'd4;
  assign y4 = $signed({{7{a[4]}}, a}) % $signed(12'd6);
  assign y5 = $signed({7'd0, a}) / $signed(-12'd3);
  assign y6 = {a, 7'd0} % 12'd7;
endmodule
`
	_, after, found := strings.Cut(miterScript, "dffunmap\n")
	require.True(t, found)
	after, _, _ = strings.Cut(after, "write_aiger")
	g, s := graphOf(t, top, "read_verilog top.v\nproc\n"+after)
	require.Less(t, len(g.gates), 3_000, "three of 12 bits are left")
	sim, in := g.simulation(), make([]uint64, g.inputs)
	for a := range uint32(32) {
		for bit := range 5 {
			in[s.inputs[fmt.Sprintf("a[%d]", bit)]] = -(uint64(a) >> bit & 1)
		}
		sim.settle(in)
		n := int32(a)
		signed := n << 27 >> 27
		for i, want := range []uint32{a % 6, (a + 3) / 5, a % 200, (a + 3) / 4, uint32(signed%6) & 0xfff,
			uint32(n/-3) & 0xfff, a << 7 & 0xfff % 7} {
			got := uint32(0)
			for bit := range 12 {
				if at, ok := s.outputs[fmt.Sprintf("y%d[%d]", i, bit)]; ok { // else it is always 0
					got |= uint32(sim.of(g.outputs[at])&1) << bit
				}
			}
			require.Equal(t, want, got, "y%d of %d", i, a)
		}
	}
}

// TestLongDivideMapByAll checks all dividends for dividers by constants (all with -full), signed and unsigned, with
// repeated signs and truncated results.
func TestLongDivideMapByAll(t *testing.T) {
	type divider struct {
		celltype             string
		signed, extra, by, y int
	}
	var all []divider
	var ports, body strings.Builder
	for _, signed := range []int{0, 1} {
		for _, extra := range []int{0, 3} {
			for by := 1; by < 16; by++ {
				if !*full && !slices.Contains([]int{3, 8, 13, 15}, by) {
					continue
				}
				for _, celltype := range []string{"div", "mod"} {
					d := divider{celltype, signed, extra, by, []int{3, 9}[by/2%2]}
					high := []string{"1'b0", "a[4]"}[signed]
					fmt.Fprintf(&ports, ", output [%d:0] y%d", d.y-1, len(all))
					fmt.Fprintf(&body, "wire [%d:0] a%d = {%sa};\n", 4+extra, len(all), strings.Repeat(high+", ", extra))
					fmt.Fprintf(&body, "\\$%s #(.A_SIGNED(%d), .B_SIGNED(%d), .A_WIDTH(%d), .B_WIDTH(4), .Y_WIDTH(%d)) d%d (.A(a%d), .B(4'd%d), .Y(y%d));\n",
						celltype, signed, signed, 5+extra, d.y, len(all), len(all), by, len(all))
					all = append(all, d)
				}
			}
		}
	}
	g, s := graphOf(t, "module top(input [4:0] a"+ports.String()+");\n"+body.String()+"endmodule\n",
		"read_verilog -icells top.v\ntechmap -map divide.v\nselect -assert-none t:$div t:$mod\ntechmap\nopt_clean\naigmap\n")
	in := make([]uint64, g.inputs)
	for bit := range 5 {
		for a := range 32 {
			in[s.inputs[fmt.Sprintf("a[%d]", bit)]] |= uint64(a) >> bit & 1 << a
		}
	}
	sim := g.simulation()
	sim.settle(in)
	for i, d := range all {
		for a := range 32 {
			n, by := a, d.by
			if d.signed == 1 {
				n, by = a-a&16*2, d.by-d.by&8*2
			}
			want := n / by
			if d.celltype == "mod" {
				want = n % by
			}
			got := 0
			for bit := range d.y {
				if at, ok := s.outputs[fmt.Sprintf("y%d[%d]", i, bit)]; ok { // else it is always 0
					got |= int(sim.of(g.outputs[at])>>a&1) << bit
				}
			}
			require.Equal(t, want&(1<<d.y-1), got, "%+v of %d", d, n)
		}
	}
}

// TestGraphWithoutMemory checks that Yosys is stopped at its memory limit, with this reason.
func TestGraphWithoutMemory(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "top.v"), []byte("module top(input [4095:0] a, b, output [4095:0] y); assign y = a * b; endmodule"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "script.ys"), []byte("read_verilog top.v\ntechmap\n"), 0o644))
	_, err := runYosys(t.Context(), dir, "script.ys", 200<<20)
	var refused *refusal
	require.ErrorAs(t, err, &refused)
	require.Contains(t, refused.reason, "does not fit into 200 MiB of memory")
}
