//go:build linux

package prove

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/cosim/flatten"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
)

// goalMap is the map of RTL whose assertions are goals, and nothing else. reset may begin with ~.
func goalMap(t testing.TB, top, text, reset string) *pinmap.Map {
	file := write(t, top+".sv", text)
	m := givenMap(t, top, file, file, reset)
	m.Goals = &pinmap.Goals{Only: true}
	return m
}

func judged(t testing.TB, m *pinmap.Map) *Report {
	r, err := Run(context.Background(), m, Options{Limit: 20 * time.Second})
	require.NoError(t, err)
	return r
}

const queue = `` + "`define HOLDS(name, e) name: assert property (@(posedge clk) disable iff (!rst_n) e)\n" + `
module queue(input clk, input rst_n, input push, input pop, output logic [2:0] n, output full);
  assign full = n == 4;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) n <= 0; else n <= n + (push && !full) - (pop && n != 0);
  ` + "`HOLDS(bound, n <= 4);" + `
  stays: assert property (@(posedge clk) disable iff (!rst_n) full && push && !pop |=> full);
  low: assert property (@(posedge clk) disable iff (!rst_n) n < 3);
  never: assert property (@(posedge clk) disable iff (!rst_n) n == 6 |-> full);
  polite: assume property (@(posedge clk) disable iff (!rst_n) !(push && pop));
  fills: cover property (@(posedge clk) disable iff (!rst_n) full);
  beyond: cover property (@(posedge clk) disable iff (!rst_n) n == 5);
  always_comb begin inside: assert (n != 7); end
endmodule
`

// TestLongGoals decides assertions of each kind: proved, refuted, vacuous, assumed, reached and unreachable.
func TestLongGoals(t *testing.T) {
	r := judged(t, goalMap(t, "queue", queue, "~rst_n"))
	require.Equal(t, GoalsOnly, r.Verdict)
	found := map[string]string{}
	for _, g := range r.Goals {
		found[g.Name] = g.Result()
	}
	require.Equal(t, map[string]string{
		"bound": Proved, "stays": Proved, "low": "refuted in cycle 4", "polite": Assumed, "fills": "reached in cycle 5",
		"never":  "VACUOUS: the condition before its implication never occurs",
		"beyond": Unreachable, "inside": Proved,
	}, found)
	require.True(t, r.GoalsFailed())
	shown, of := r.Shown()
	require.Equal(t, "low", of.Name)
	require.Contains(t, shown.Divergence.Text, "low (")
	require.EqualValues(t, 4, shown.Divergence.Cycle)
	var text bytes.Buffer
	require.NoError(t, r.WriteText(&text))
	require.Contains(t, text.String(), "8 assertions: 3 proved, 1 refuted, 1 vacuous, 1 assumed, 1 reached, 1 unreachable\n")
	require.Positive(t, r.Second.Cycles, "Icarus reads the RTL without its assertions")
	require.Empty(t, r.Second.Absent)
}

// TestLongGoalsBounded decides the same for ten cycles.
func TestLongGoalsBounded(t *testing.T) {
	m := goalMap(t, "queue", strings.Replace(queue, "n < 3", "n < 5", 1), "~rst_n")
	r, err := Run(context.Background(), m, Options{Limit: 20 * time.Second, Cycles: 10})
	require.NoError(t, err)
	require.Equal(t, "holds up to 10 cycles", r.Goals[0].Result())
	require.True(t, r.GoalsBounded())
	for _, g := range r.Goals {
		if g.Name == "never" { // its condition was not reached, but nothing proves that it cannot be
			require.True(t, g.Open())
			require.Contains(t, g.Result(), "does not occur in")
		}
	}
}

// TestLongGoalsAssume checks that an assumption about the RTL itself is named, and one about inputs is not.
func TestLongGoalsAssume(t *testing.T) {
	for i, c := range [][2]string{
		{"!(push && n == 2)", Assumed}, // inputs keep it in every state
		{"n < 3", AboutRTL},            // nothing can keep it after a push at n == 2
		{"n == 2 |-> push && !push", AboutRTL},
		{"push && !full |=> push", Assumed}, // a register of the assertion
		{"$past(push, 2) |-> n != 1", AboutRTL},
	} {
		if !*full && i > 1 {
			break
		}
		verdict := c[1]
		t.Run(fmt.Sprint(i), func(t *testing.T) { // the name is in a path, in which Verilator 5.006 does not escape &
			text := strings.Replace(queue, "!(push && pop)", c[0], 1)
			for _, g := range judged(t, goalMap(t, "queue", text, "~rst_n")).Goals {
				if g.Name == "polite" {
					require.Equal(t, verdict, g.Verdict, g.Reason)
				}
			}
		})
	}
	r := judged(t, goalMap(t, "queue", strings.Replace(queue, "disable iff (!rst_n) !(push && pop)", "n == 7", 1), "~rst_n"))
	require.Equal(t, "VACUOUS: the assumptions exclude all inputs", r.Goals[0].Result())
}

// TestLongGoalsBeside proves RTL equal to its model and decides its assertions under the assumptions of the map.
func TestLongGoalsBeside(t *testing.T) {
	plain := strings.Join(strings.Split(queue, "\n")[2:6], "\n") + "\nendmodule\n"
	old, fresh := write(t, "queue.v", plain), write(t, "queue.sv", strings.Replace(queue, "n < 3", "n < 4", 1))
	m := givenMap(t, "queue", old, fresh, "~rst_n")
	m.Goals, m.Assume = &pinmap.Goals{}, []string{"n == 3 -> !push"}
	r := judged(t, m)
	require.Equal(t, Equal, r.Verdict)
	require.Equal(t, "low", r.Goals[2].Name)
	require.Equal(t, Proved, r.Goals[2].Verdict, "the map excludes a push into 3")
	require.Equal(t, Unreachable, r.Goals[5].Verdict)
	found, err := lockstep.Run(context.Background(), m, lockstep.Options{Cycles: 2000, PowerOn: 1, NoExplore: true})
	require.NoError(t, err)
	require.Nil(t, found.Divergence)
}

// operators are assertions, each beside the net of a monitor in plain Verilog that is 1 where the assertion fails.
var operators = []struct{ assertion, monitor string }{
	{"assert property (@(posedge clk) disable iff (!rst_n) a |-> b);", "rst_n & a & ~b"},
	{"assert property (@(posedge clk) disable iff (!rst_n) a |=> b);", "rst_n & off_q & a_q & ~b"},
	{"assert property (@(posedge clk) a |=> b);", "a_q & ~b"},
	{"assert property (@(posedge clk) v == $past(v));", "v != v_q"},
	{"assert property (@(posedge clk) disable iff (!rst_n) a |-> $past(v, 2) == v);", "rst_n & a & (v_qq != v)"},
	{"assert property (@(posedge clk) $rose(a) |-> b);", "a & ~a_q & ~b"},
	{"assert property (@(posedge clk) $fell(a) |-> b);", "~a & a_q & ~b"},
	{"assert property (@(posedge clk) a |=> $stable(v));", "a_q & (v != v_q)"},
	{"assert property (@(posedge clk) $changed(v) |-> a);", "(v != v_q) & ~a"},
	{"assert property (@(posedge clk) $onehot(v));", "v != 1 & v != 2 & v != 4"},
	{"assert property (@(posedge clk) $onehot0(v));", "v != 0 & v != 1 & v != 2 & v != 4"},
	{"property p(x, y); @(posedge clk) disable iff (!rst_n) x |=> y; endproperty assert property (p(b, v[0]));",
		"rst_n & off_q & b_q & ~v[0]"},
	{"property q(x); @(posedge clk) $countones(x) < 3; endproperty assert property (q(v));", "v == 7"},
	{"cover property (@(posedge clk) disable iff (!rst_n) a && v == 5);", "rst_n & a & v == 5"},
	{"cover property (q(v));", "v != 7"},
	{"always @(posedge clk) if (a) assert (v != 3);", "a & v == 3"},
	{"always_comb begin cover (v == 2); end", "v == 2"},
}

// TestLongGoalOperators proves the net of each operator in the print equal to a monitor in plain Verilog. A monitor
// with a mistake differs.
func TestLongGoalOperators(t *testing.T) {
	var assertions, nets strings.Builder
	ports := ""
	for i, o := range operators {
		fmt.Fprintln(&assertions, " ", o.assertion)
		fmt.Fprintf(&nets, "  assign fails%d = %s;\n", i, o.monitor)
		ports += fmt.Sprintf(", output fails%d", i)
	}
	source := "module dut(input clk, input rst_n, input a, input b, input [2:0] v, output o);\n  assign o = a;\n" +
		assertions.String() + "endmodule\nmodule bound(input clk, input [2:0] v);\n" +
		"  b: assert property (@(posedge clk) v[0] |=> v[1]);\nendmodule\nbind dut bound u(.clk(clk), .v(v));\n"
	fmt.Fprintf(&nets, "  assign fails%d = v_q[0] & ~v[1];\n", len(operators))
	ports += fmt.Sprintf(", output fails%d", len(operators))
	m := goalMap(t, "dut", source, "~rst_n")
	require.NoError(t, m.Prepare(context.Background()))
	marked, err := m.Marked()
	require.NoError(t, err)
	print, err := flatten.Print(context.Background(), marked, m.Build)
	require.NoError(t, err)
	wrapper := print.Verilog + "module top(input clk, input rst_n, input a, input b, input [2:0] v, output o" + ports + ");\n" +
		"  dut d(.clk(clk), .rst_n(rst_n), .a(a), .b(b), .v(v), .o(o)"
	for _, g := range goalsOf(m.Goals.Text, print) {
		if !g.when {
			wrapper += fmt.Sprintf(", .%s(fails%d)", g.net, g.goal)
		}
		if g.scope != "" {
			require.Equal(t, "u", g.scope)
		}
	}
	changed := write(t, "top.v", wrapper+");\nendmodule\n")
	monitor := "module top(input clk, input rst_n, input a, input b, input [2:0] v, output o" + ports + ");\n" +
		"  reg a_q, b_q, off_q; reg [2:0] v_q, v_qq;\n  assign o = a;\n" +
		"  always @(posedge clk) begin a_q <= a; b_q <= b; off_q <= rst_n; v_q <= v; v_qq <= v_q; end\n" + nets.String() +
		"endmodule\n"
	compare := func(monitor string) *Report {
		m := givenMap(t, "top", write(t, "monitor.v", monitor), changed, "~rst_n")
		m.Source.Defines = map[string]string{flatten.DefineAssertions: ""}
		return runProof(t, m, Options{Limit: 20 * time.Second})
	}
	r := compare(monitor)
	require.Equal(t, Equal, r.Verdict, r.Reason)
	require.Equal(t, len(operators)+2, r.Bits)
	for i, mistake := range [][2]string{{"rst_n & off_q & a_q & ~b", "rst_n & a_q & ~b"}, {"v_qq != v)", "v_q != v)"}} {
		if i == 0 || *full {
			wrong := strings.Replace(monitor, mistake[0], mistake[1], 1)
			require.NotEqual(t, monitor, wrong)
			require.Equal(t, Differs, compare(wrong).Verdict)
		}
	}
}

// TestLongCut takes a multiplier out of both sides: what surrounds it is compared, its inputs are outputs.
func TestLongCut(t *testing.T) {
	const core = "module core #(parameter W = 4) (input clk, input [W-1:0] a, input [W-1:0] b, output reg [2*W-1:0] y);\n" +
		"  always @(posedge clk) y <= a * b;\nendmodule\n"
	old := "module top(clk, rst, a, b, q);\n  input clk, rst; input [11:0] a, b; output reg [11:0] q; wire [23:0] y;\n" +
		"  core #(.W(12)) u_core (.clk(clk), .a(a), .b(b ^ 12'h5), .y(y));\n" +
		"  always @(posedge clk) if (rst) q <= 0; else q <= y[23:12] + 1;\nendmodule\n"
	fresh := "module top(input clk, input rst, input [11:0] a, b, output logic [11:0] q);\n  logic [23:0] y;\n" +
		"  wire [11:0] mixed = {b[11:3], ~b[2], b[1], ~b[0]};\n" +
		"  core #(12) u_core (clk, a, mixed, y);\n" +
		"  always_ff @(posedge clk) if (rst) q <= '0; else q <= 12'(y >> 12) - 12'hfff;\nendmodule\n"
	cut := func(old, fresh string, names ...string) *pinmap.Map {
		m := givenMap(t, "top", write(t, "old.v", old+core), write(t, "fresh.sv", fresh+core), "rst")
		m.Cut = names
		return m
	}
	r := judged(t, cut(old, fresh, "u_core"))
	require.Equal(t, Equal, r.Verdict, r.Reason)
	require.Equal(t, 36, r.Bits, "q and both operands")
	require.Contains(t, strings.Join(r.Assumed, "\n"), "u_core")
	r = judged(t, cut(old, strings.Replace(fresh, "~b[2]", "b[2]", 1), "u_core"))
	require.Equal(t, Differs, r.Verdict)
	require.Contains(t, r.Case.Divergence.Signal, "cut_u_core_b")
	if !*full {
		return
	}
	r = judged(t, cut(old, strings.Replace(fresh, "12'hfff", "12'hffe", 1), "u_core"))
	require.Equal(t, Differs, r.Verdict)
	require.Contains(t, r.Case.Divergence.Signal, "q")
	for name, reason := range map[string]string{"u_other": "no instance u_other", "u.v": "no instance u.v"} {
		_, err := Run(context.Background(), cut(old, fresh, name), Options{})
		require.ErrorContains(t, err, reason)
	}
}
