//go:build linux

package prove

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// nasty holds bodies of small modules with input a whose wrong folding, truncation or resolution would make them
// equal. The beginning of a name states the result of Icarus Verilog:
//
//	icarus   it differs or is X, which is correct
//	sv       Icarus cannot read it
//	any      X may be the matching value, which Icarus selects
var nasty = map[string]string{
	"icarus: z":                        "wire z = a ? 1'b1 : 1'bz; assign lane = z;",
	"icarus: z is 0 for Verilator":     "wire z = 1'bz; assign lane = a | z;",
	"icarus: z of a parameter":         "localparam [1:0] P = 2'b0z; assign lane = a | P[0];",
	"icarus: unsized x of a parameter": "localparam logic [3:0] P = 'x; assign lane = a | P[2];",
	"icarus: bufif1":                   "wire z; bufif1 g(z, 1'b1, a); assign lane = z;",
	"icarus: two drivers":              "wire w; assign w = a; assign w = b; assign lane = w;",
	"icarus: a driven input":           "wire w = a; assign w = 1'b1; assign lane = w;",
	"icarus: race":                     "reg x, y, z, u; always @(posedge clock) x = b; always @(posedge clock) y <= x; always @(posedge clock) begin z <= b; u <= z; end assign lane = a | (y ^ u);",
	"icarus: sensitivity":              "reg q; always @(b) q = a & b; assign lane = a | q;",
	"icarus: latch":                    "reg q; always @* if (b) q = a; assign lane = q;",
	"icarus: no reset":                 "reg q; always @(posedge clock) q <= q; assign lane = a | q;",
	"icarus: -: below 0":               "reg [3:0] w; always @* begin w = 4'b0; w[{1'b0, a} -: 2] = 2'b10; end assign lane = a | w[0];",
	"icarus: -: below 0 of a sum":      "reg [3:0] w; always @* begin w = 4'b0; w[(a + 1) - 1 -: 2] = 2'b10; end assign lane = a | w[0];",
	"icarus: an index without its sum": "wire [191:0] v = {192{a}}; reg r; integer k; always @* begin r = 1; for (k = 0; k < 2; k = k + 1) r = r & v[256+8*k -: 1]; end assign lane = r;",
	"icarus: a negative index":         "reg [3:0] w; wire signed [2:0] i = a ? 0 : -1; always @* begin w = 4'b0; w[i +: 2] = 2'b10; end assign lane = a | w[0];",
	"icarus: beyond the end":           "reg [2:0] c; always @(posedge clock) if (reset) c <= 0; else c <= c + 1; wire [3:0] v = {4{a}}; assign lane = v[c];",
	"icarus: beyond a memory":          "reg [1:0] c; reg m [0:2]; always @(posedge clock) begin c <= reset ? 0 : c + 1; m[c] <= 0; end assign lane = a | m[c];",
	"icarus: beyond a parameter":       "localparam [3:0] P = 4'b0; localparam Q = P[4]; assign lane = a | Q;",
	"icarus: 0 by 0":                   "wire [1:0] q = 2'd0 / {1'b0, b}; assign lane = a | q[0];",
	"icarus: modulo 0":                 "wire [1:0] q = 2'd1 % {1'b0, b}; assign lane = a | q[1];",
	"icarus: by a constant 0":          "assign lane = a | (4'd5 / 4'd0) == 4'd15;",
	"icarus: wild":                     "assign lane = a | (1'bx ==? 1'b1);",
	"icarus: is X":                     "wire n = 1'bx; assign lane = n === 1'bx ? ~a : a;",
	"icarus: generate by X":            "localparam P = 1'bx; generate if (P != 1) assign lane = a; else assign lane = ~a; endgenerate",
	"icarus: casex of a parameter":     "localparam P = 1'bx; reg q; always @* casex (P) 1'b1: q = ~a; default: q = a; endcase assign lane = q;",
	"icarus: case of a parameter":      "localparam [3:0] P = 4'd1 / 4'd0; reg q; always @* casez (P[0]) 1'b0, 1'b1: q = a; default: q = ~a; endcase assign lane = q;",
	"icarus: logarithm of X":           "localparam [3:0] P = 4'd1 / 4'd0; localparam Q = $clog2(P); assign lane = a | Q[0] | Q[1] | Q[2];",
	"icarus: generate by 1 / 0":        "generate if (4'd1 / 4'd0 == 0) assign lane = a; else assign lane = ~a; endgenerate",
	"icarus: assign in a process":      "reg q; initial assign q = b; always @* q = a; assign lane = q;",
	"icarus: case of X":                "reg q; always @* case ({a, n}) 2'b10, 2'b11: q = 1; 2'b00: q = 0; default: q = 1; endcase wire n; assign lane = q;",
	"icarus: casex":                    "reg q; wire n; always @* casex ({a, n}) 2'b0?: q = n; default: q = 1; endcase assign lane = q;",
	"icarus: a function without value": "function f; input x; reg t; begin if (x) t = x; f = t; end endfunction assign lane = f(a) | f(b) & 1'b0 | a & b;",
	"icarus: a shift by X":             "wire n; wire [1:0] s = 2'b01 << n; assign lane = a | s[1];",
	"icarus: too wide a shift":         "wire [3:0] s = 4'b1000 >> {b, 2'b00}; assign lane = b ? a : a ^ s[3];",
	"icarus: a signed shift":           "wire signed [3:0] s = -4'sd8; wire [7:0] t = s >>> 1; assign lane = a | t[7];",
	"icarus: an unsigned shift":        "wire [3:0] s = 4'b1000; wire [7:0] t = ($signed(s) >>> 1) + 8'd0; assign lane = a | ~t[7];",
	"icarus: width of a sum":           "wire [3:0] x = {4{~a}}; assign lane = a | ((x + 4'd1) >> 4 != 0);",
	"icarus: a falling edge":           "reg q; always @(negedge clock) q <= a; assign lane = q;",
	"icarus: asynchronous":             "reg q; always @(posedge clock or posedge b) if (b) q <= 1; else q <= 0; assign lane = a | q;",
	"any: if X":                        "wire n = 1'bx; reg q; always @* if (n) q = 0; else q = 1; assign lane = a | ~q;",
	"sv: is unknown":                   "wire n; assign lane = $isunknown(n) ? ~a : a;",
	"sv: a row beyond":                 "logic [1:0][1:0] s; assign s = '0; wire [1:0] w = s[2]; assign lane = a | w[0];",
	"sv: a bit beyond a row":           "logic [2:0][2:0] s; assign s = {3'b0, {3{a}}, 3'b0}; assign lane = a | s[0][{b, 2'b11} - 3'd1];",
	"sv: a row beyond, in another":     "typedef struct packed {logic v; logic [2:0][1:0] d;} t; t [1:0] s; assign s = '0; wire [1:0] w = s[0].d[{b, 1'b1} + 2'd0]; assign lane = a | w[0];",
	"sv: written beyond a row":         "logic [2:0][2:0] s; always_comb begin s = '1; s[0][{b, 2'b11}] = 1'b0; end assign lane = a & s[1][0] & s[2][1];",
	"sv: a row of a parameter":         "localparam logic [1:0][1:0] P = '0; localparam logic [1:0] Q = P[2]; assign lane = a | Q[0];",
	"sv: an element of a parameter":    "localparam logic P [2] = '{1'b0, 1'b0}; localparam logic Q = P[2]; assign lane = a | Q;",
	"sv: beyond in a function":         "function automatic logic f(int i); logic [3:0] v; v = '0; return v[i]; endfunction localparam P = f(4); assign lane = a | P;",
	"sv: written beyond in a function": "function automatic logic f(int i); logic [3:0] v; v = '0; v[i] = 1; return v[0]; endfunction localparam P = f(4); assign lane = a | ~P;",
	"sv: wild in a function":           "function automatic logic f(logic x); return x ==? 1'b1; endfunction localparam P = f(1'bx); assign lane = a | P;",
	"sv: generate by a function":       "function automatic int f(int d); return 1 / d; endfunction generate if (f(0) == 0) assign lane = a; else assign lane = ~a; endgenerate",
	"sv: generate by no value":         "function automatic logic f(logic x); if (x) return 1; endfunction generate if (f(0) == 0) assign lane = a; else assign lane = ~a; endgenerate",
	"sv: next of another":              "typedef enum logic [1:0] {A = 1, B = 2} e_t; e_t e, f; assign e = e_t'(2'b0); always_comb f = e.next(); assign lane = a | f[0];",
	"sv: a chosen index":               "wire [2:0] m = 0; reg [2:0] c; always @(posedge clock) c <= reset ? 0 : c + 1; localparam B = 0; assign lane = a | m[B == 1 ? 3'd0 : c];",
	"sv: no value in a function":       "function automatic logic f(logic x); if (x) return 1'b1; endfunction localparam P = f(1'b0); assign lane = a | P;",
}

// TestLongNasty checks that none of them is proved equal.
func TestLongNasty(t *testing.T) {
	m := twinMap(t, "link", twin.Parameters{"PHIT_BITS": 1, "DELAY_CYCLES": 1})
	model, err := m.NewModel()
	require.NoError(t, err)
	defer model.Close()
	d, err := m.Open(context.Background(), cosim.Options{})
	require.NoError(t, err)
	defer d.Close()
	device := d.(*pinmap.Device)
	for _, name := range slices.Sorted(maps.Keys(nasty)) {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "dut.sv")
			require.NoError(t, os.WriteFile(file, []byte(`module dut(input clock, reset, input [0:0] rail1_i, rail0_i, output reg [0:0] rail1_o, rail0_o);
  wire a = rail1_i[0], b = rail0_i[0];
  wire lane;
  always @(posedge clock) {rail1_o, rail0_o} <= reset ? 2'b00 : {lane, rail0_i};
  `+nasty[name]+"\nendmodule\n"), 0o644))
			kind, _, _ := strings.Cut(name, ":")
			if kind == "icarus" {
				require.True(t, seenByIcarus(t, file), "it is no trap")
			}
			own := *m
			own.Source.Top, own.Source.Params, own.Source.Files, own.Build.Cache = "dut", nil, []string{file}, testCache
			b := &builder{ctx: context.Background(), dir: t.TempDir(), m: &own, model: model,
				wires: device.Wires, terms: device.Terms()}
			made, err := b.build()
			var refused *refusal
			if errors.As(err, &refused) {
				t.Log(err)
				return
			}
			require.NoError(t, err)
			seen := differences(made, rand.New(rand.NewPCG(1, 2)), true)
			require.True(t, slices.ContainsFunc(seen, func(s uint64) bool { return s != 0 }), "equal")
		})
	}
}

// seenByIcarus reports whether a four-state simulator shows a difference.
func seenByIcarus(t *testing.T, file string) bool {
	run := filepath.Join(t.TempDir(), "run")
	said, err := exec.Command("iverilog", "-g2012", "-o", run, "testdata/nasty/bench.v", file).CombinedOutput()
	require.NoError(t, err, string(said))
	said, err = exec.Command("vvp", "-n", run).Output()
	require.NoError(t, err)
	return strings.Contains(string(said), "seen 1")
}
