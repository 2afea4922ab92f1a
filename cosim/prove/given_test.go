//go:build linux

package prove

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/flatten"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// givenMap compares RTL with RTL of the same ports. reset may begin with ~ for a reset that is active low.
func givenMap(t testing.TB, top, old, changed, reset string) *pinmap.Map {
	pin, low := strings.CutPrefix(reset, "~")
	g := &twin.Given{
		Source: cosim.Source{Top: top, Files: []string{old}}, Parameters: twin.Parameters{}, Clock: "clk", Reset: pin,
		ResetLow: low, Load: flatten.LoadGiven,
	}
	m := &pinmap.Map{
		Library: pinmap.Library{Twins: []twin.Twin{g.Twin()}, Backends: library().Backends}, Model: top,
		Parameters: g.Parameters, Source: cosim.Source{Top: top, Files: []string{changed}}, Clock: "clk", Reset: pin,
		ResetLow: low, Build: cosim.BuildOptions{Cache: testCache},
	}
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

func write(t testing.TB, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func checked(t testing.TB, m *pinmap.Map) *lockstep.Report {
	r, err := lockstep.Run(context.Background(), m, lockstep.Options{Cycles: 20_000, PowerOn: 2, Explore: 50_000})
	require.NoError(t, err)
	return r
}

// A pair is two versions of a module, each written in a style of its own, and mistakes in the second with the output
// that shows them.
var pairs = []struct {
	top, reset string
	mutants    [][3]string // old text, new text, output
}{
	{"fifo", "~rst_n", [][3]string{
		{"count != D,", "count < D - 1,", "full empty dout"},
		{"rp <= rp == D - 1 ? 0 : rp + 1", "rp <= rp + 1 + (count == 1)", "dout"},
		{"count + w - r", "count + w - (r && !w)", "empty full"},
	}},
	{"arbiter", "~rst_n", [][3]string{
		{"else if (ack)", "else if (ack && !req[0])", "grant"},
		{"last <= N - 1", "last <= 0", "grant"},
		{"k >= 1", "k >= 2", "grant"},
	}},
	{"counter", "rst", [][3]string{
		{"", "count == 6'd17", "count wrap"}, // in the netlist: see the test
	}},
	{"shifter", "~rst_n", [][3]string{
		{"left <= 10", "left <= 9", "ready"},
		{"{1'b1, bits[8:1]}", "{1'b0, bits[8:1]}", "line"},
		{"if (valid) begin", "if (valid && data != 8'h5a) begin", "line ready"},
	}},
	{"door", "rst", [][3]string{
		{"up_q[4]", "up_q[5]", "down alarm"},
		{"(blocked || open)", "(open)", "up down alarm"},
		{"{rising, falling} <= 2'b10", "falling <= 0", "up"},
	}},
}

// synthesised returns the output of synthesis by Yosys.
func synthesised(t testing.TB, source, top string) string {
	out := filepath.Join(t.TempDir(), top+".v")
	said, err := exec.Command("yosys", "-q", "-p", "read_verilog "+source+"; synth -top "+top+"; write_verilog -noattr "+
		out).CombinedOutput()
	require.NoError(t, err, string(said))
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	return string(text)
}

// TestLongPairs proves two versions of five modules equal, one of them a netlist, and refutes mistakes; the check
// agrees.
func TestLongPairs(t *testing.T) {
	for i, p := range pairs {
		if !*full && i > 0 {
			break
		}
		old := filepath.Join("testdata/pairs", p.top+"_old.v")
		var changed string
		if text, err := os.ReadFile(filepath.Join("testdata/pairs", p.top+"_new.v")); err == nil {
			changed = string(text)
		} else {
			changed = synthesised(t, old, p.top)
		}
		t.Run(p.top, func(t *testing.T) {
			m := givenMap(t, p.top, old, write(t, p.top+".v", changed), p.reset)
			r := runProof(t, m, Options{Limit: fullLimit()})
			require.Equal(t, Equal, r.Verdict)
			require.NotZero(t, r.ModelRTL.Second.Cycles)
			require.Nil(t, checked(t, m).Divergence)
		})
		for i, mutant := range p.mutants {
			if !*full && i > 0 {
				break
			}
			text := strings.Replace(changed, mutant[0], mutant[1], 1)
			if mutant[0] == "" { // the first flip-flop of the netlist samples an inverted value
				text = strings.Replace(changed, "<= ", "<= ~", 1)
			}
			require.NotEqual(t, changed, text)
			t.Run(fmt.Sprint(p.top, " with mistake ", i), func(t *testing.T) {
				m := givenMap(t, p.top, old, write(t, p.top+".v", text), p.reset)
				r := runProof(t, m, Options{Limit: fullLimit()})
				require.Equal(t, Differs, r.Verdict)
				require.Contains(t, mutant[2], r.Case.Divergence.Signal)
				found := checked(t, m)
				require.NotNil(t, found.Divergence)
				require.Contains(t, mutant[2], found.Divergence.Signal)
			})
		}
	}
}

// TestLongGivenX checks the four cases of X: in the model, it stands for any value of the RTL; in the RTL, for all.
func TestLongGivenX(t *testing.T) {
	text := func(x string) string {
		return "module m(input clk, input rst, input [1:0] s, input d, output reg q);\n" +
			"  always @(posedge clk) if (rst) q <= 0; else case (s)\n    " + x +
			"\n    default: q <= d;\n  endcase\nendmodule\n"
	}
	const is0, is1, isX = "1: q <= 0;", "1: q <= 1;", "1: q <= 1'bx;"
	for _, c := range []struct{ name, old, changed, verdict string }{
		{"values that are equal", is0, is0, Equal}, {"values that differ", is0, is1, Differs},
		{"X in the model", isX, is1, Equal}, {"X in both", isX, isX, Equal}, {"X in the RTL", is1, isX, Differs},
		{"X of a register without a reset", "1: begin q <= never; end 2: if (d) never <= 1;", "1: q <= 1; 2: ;", Equal},
	} {
		if !*full && c.name != "X in the model" && c.name != "X in the RTL" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			old := strings.Replace(text(c.old), "always", "reg never; always", 1)
			m := givenMap(t, "m", write(t, "old.v", old), write(t, "new.v", text(c.changed)), "rst")
			r, err := Run(t.Context(), m, Options{Limit: fullLimit()})
			require.NoError(t, err)
			if c.name == "X in the RTL" && r.Verdict == Undecided { // lockstep shows one value of X
				require.Contains(t, r.Reason, "counterexample")
			} else {
				require.Equal(t, c.verdict, r.Verdict, r.Reason)
			}
			m.Backend = cosim.BackendIcarus
			found, err := lockstep.Run(t.Context(), m, lockstep.Options{Cycles: 300, PowerOn: 1, NoExplore: true})
			require.NoError(t, err)
			require.Equal(t, c.verdict == Differs, found.Divergence != nil)
		})
	}
}

// TestLongGivenForms compares RTL with a model that has no clock, that has no reset, and that is earlier by a cycle.
func TestLongGivenForms(t *testing.T) {
	for _, c := range []struct {
		name, old, changed string
		form               func(m *pinmap.Map, g *twin.Given)
		wrong              [2]string
	}{
		{"without a clock",
			"module m(input [1:0] a, input en, output reg [3:0] q); always @* begin q = 0; if (en) q[a] = 1; end endmodule",
			"module m(input [1:0] a, input en, output [3:0] q); assign q = {3'd0, en} << a; endmodule",
			func(m *pinmap.Map, g *twin.Given) { m.Clock, m.Reset, g.Clock, g.Reset = "", "", "", "" },
			[2]string{"{3'd0, en}", "{3'd0, en & ~a[1]}"}},
		{"without a reset",
			"module m(input clk, input [1:0] d, output reg [1:0] q); reg [1:0] p; always @(posedge clk) begin p <= d; q <= p; end endmodule",
			"module m(input clk, input [1:0] d, output [1:0] q); reg [3:0] s; always @(posedge clk) s <= {s[1:0], d}; assign q = s[3:2]; endmodule",
			func(m *pinmap.Map, g *twin.Given) { m.Reset, g.Reset = "", "" },
			[2]string{"s[3:2]", "s[2:1]"}},
		{"a cycle earlier, with another reset",
			"module m(input clk, input rst, input d, output q); reg p, n; always @(posedge clk) if (rst) {p, n} <= 0; else {p, n} <= {d, n ^ d}; assign q = p ^ n; endmodule",
			"module m(input clk, input rst, input d, output reg out); reg p, n; always @(posedge clk) if (!rst) {p, n, out} <= 0; else begin {p, n} <= {d, n ^ d}; out <= p ^ n; end endmodule",
			func(m *pinmap.Map, g *twin.Given) {
				m.ResetLow, m.Latency = true, map[string]int{"q": 1}
				m.Pins = []pinmap.Wiring{{Port: "q", Pins: []string{"out"}}}
			},
			[2]string{"out <= p ^ n", "out <= p | n"}},
	} {
		for _, text := range []string{c.changed, strings.Replace(c.changed, c.wrong[0], c.wrong[1], 1)} {
			t.Run(c.name, func(t *testing.T) {
				m := givenMap(t, "m", write(t, "old.v", c.old), write(t, "new.v", text), "rst")
				c.form(m, m.Given())
				r := runProof(t, m, Options{Limit: fullLimit()})
				require.Equal(t, map[bool]string{true: Equal, false: Differs}[text == c.changed], r.Verdict, r.Reason)
				require.Equal(t, r.Verdict == Differs, checked(t, m).Divergence != nil)
			})
		}
		if !*full {
			break
		}
	}
}
