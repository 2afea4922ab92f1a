package goals

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

const text = "`line 1 \"inc/q.sv\" 1\n" + `module q(input clk, input rst_n, input a, b, output reg [2:0] n); // assert property in a comment
  property both(x, y); @(posedge clk) disable iff (!rst_n)
    x |=> y;
  endproperty
  first: assert property (both(a, b)) else $error("no; %d", n);
  assert property (@(posedge clk) disable iff (!rst_n) a && $past(b, 3) |-> n != 5);
` + "`line 40 \"inc/q.sv\" 0\n" + `  limit: assume property (@(posedge clk) !(a && b));
  seen: cover property (@(posedge clk) n == 4) $display("seen");
  always @(posedge clk) begin
    case (n)
      3: assert (a);
      IDLE: assert (b) else begin $error("x"); end
      default: ;
    endcase
    inside_it: assert (n < 5);
    if (a) cover (n == 2); else n <= {n[1:0], b};
  end
endmodule
module other(input clk, a); w: assert property (@(posedge clk) a); endmodule
bind q other u(.clk(clk), .a(a));
`

func TestRead(t *testing.T) {
	read, err := Read(text)
	require.NoError(t, err)
	var found []string
	for _, g := range read.Goals {
		found = append(found, strings.Join([]string{g.Kind, g.Name, g.Place}, " "))
	}
	require.Equal(t, []string{
		"assert first inc/q.sv:5:10", "assert assert_6 inc/q.sv:6:3", "assume limit inc/q.sv:40:10",
		"cover seen inc/q.sv:41:9", "assert assert_44 inc/q.sv:44:10", "assert assert_45 inc/q.sv:45:13",
		"assert inside_it inc/q.sv:48:16", "cover cover_49 inc/q.sv:49:12", "assert w inc/q.sv:52:32"}, found)
	require.True(t, read.Goals[0].When)
	require.Equal(t, 1, read.Goals[0].After)
	require.Equal(t, 3, read.Goals[1].After)
	require.Zero(t, read.Goals[2].After)

	plain := read.Plain()
	require.Len(t, plain, len(text))
	require.Equal(t, strings.Count(text, "\n"), strings.Count(plain, "\n"))
	for _, gone := range []string{"assert (", "assume", "cover", "property (", "endproperty", "bind"} {
		require.NotContains(t, plain, gone)
	}
	for _, kept := range []string{"IDLE: begin end", "3: begin end", "if (a) begin end", "else n <= {n[1:0], b};",
		"`line 40 \"inc/q.sv\" 0\n", "module other(input clk, a);"} {
		require.Contains(t, plain, kept)
	}
	all := lex(plain)
	require.Equal(t, "inc/q.sv:54:1", (&token{file: "inc/q.sv", line: 54, column: 1}).place())
	require.Equal(t, 52, all[len(all)-1].line) // endmodule of other
}

func TestRewrite(t *testing.T) {
	read, err := Read(text)
	require.NoError(t, err)
	marked := read.Marked()
	for _, part := range []string{
		`property both ( x , y ); @ ( posedge clk ) disable iff (! rst_n)  (!(! rst_n) && (x)) |=> y; endproperty`,
		`property both__starloom_when ( x , y ); @ ( posedge clk ) disable iff (! rst_n) !(x); endproperty`,
		`assert property ( both ( a , b )) else $error("starloom goal 0"); assert property ( both__starloom_when ( a , b ))`,
		`assert property (@ ( posedge clk ) !(n == 4)) else $error("starloom goal 3");`,
		`begin assert (!(n == 2)) else $error("starloom goal 7"); end else n <=`,
	} {
		require.Contains(t, marked, part)
	}
	lines := func(text string) int { all := lex(text); return all[len(all)-1].line }
	require.Equal(t, lines(text), lines(marked))
	only := read.Only(1, "it fails")
	require.Contains(t, only, `else if (starloom_age_1 > 3) $error("it fails");`)
	require.NotContains(t, only, "starloom goal")
	require.Equal(t, lines(text), lines(only))

	i, when, ok := Marked("Assertion failed in %m: starloom when 12")
	require.True(t, ok && when)
	require.Equal(t, 12, i)
}

// TestRefused checks that constructs that no monitor holds are named with their place.
func TestRefused(t *testing.T) {
	for _, c := range [][2]string{
		{"assert property (@(posedge clk) a ##1 b);", "a delay ##"},
		{"assert property (@(posedge clk) a |-> b[*3]);", "a repetition [*"},
		{"assert property (@(posedge clk) a[->1] |-> b);", "a repetition [->"},
		{"assert property (@(posedge clk) a throughout b);", "throughout"},
		{"sequence s; a; endsequence", "sequence"},
		{"default disable iff (rst);", "default disable iff"},
		{"property p; a until b; endproperty", "until"},
		{"assert property (@(posedge clk) not a);", "not"},
		{"assert property (@(posedge clk) a |-> b |-> c);", "a second implication"},
		{"assert property (@(posedge clk) (a |-> b) && c);", "an implication inside an expression"},
		{"assert property (@(posedge clk or negedge r) a);", "a clock of several edges"},
		{"assert property (@(posedge clk) $isunknown(a));", "$isunknown"},
		{"cover property (@(posedge clk) a |-> b);", "cover of an implication"},
		{"cover sequence (a);", "cover sequence"},
		{"always @(posedge clk) assert property (a);", "a property in a process"},
		{"assert property (@(posedge clk) p(a)); property p(x); x; endproperty", "before its declaration"},
		{"property p; a; endproperty assert property (@(posedge clk) p && b);", "property p inside an expression"},
		{"assert property ();", "no condition"},
	} {
		_, err := Read("`line 7 \"m.sv\" 1\nmodule m; " + c[0] + " endmodule")
		var bad *cosim.InputError
		require.ErrorAs(t, err, &bad, c[0])
		require.Contains(t, bad.Reason, c[1])
		require.True(t, strings.HasPrefix(bad.Place, "m.sv:7:") || c[1] == "no condition", bad.Place)
	}
}

// TestCut checks the pins of each form, ports in the header of each form, and refusals.
func TestCut(t *testing.T) {
	ports := []cosim.Port{{Name: "clk", Bits: 1, Input: true}, {Name: "a", Bits: 4, Input: true}, {Name: "y", Bits: 8}}
	const head, body = "`line 3 \"t.v\" 1\nmodule t", " endmodule"
	for pins, want := range map[string]string{
		".clk(clk), .a({b, c}), .y(z)": "assign cut_u_a = { b , c }; assign z = cut_u_y;",
		"clk, a, z[7:0]":               "assign cut_u_a = a; assign z [ 7 : 0 ] = cut_u_y;",
		".*":                           "assign cut_u_a = a; assign y = cut_u_y;",
		".clk, .a, .y()":               "assign cut_u_a = a;",
	} {
		text, err := Cut(head+"(input clk, output [7:0] z); core #(.W(4)) u ("+pins+");"+body, "t", "u", ports, "clk")
		require.NoError(t, err)
		require.Contains(t, text, want)
		require.NotContains(t, text, "core")
		if pins == ".*" {
			require.Contains(t, text, "output [7:0] z, output wire [3:0] cut_u_a, input wire [7:0] cut_u_y);")
		}
	}
	text, err := Cut(head+"(clk, z); input clk; output z; core u (clk, z, z);"+body, "t", "u", ports, "clk")
	require.NoError(t, err)
	require.Contains(t, text, "(clk, z, cut_u_a, cut_u_y); output wire [3:0] cut_u_a; input wire [7:0] cut_u_y; input clk;")
	for _, c := range []string{"", "begin core u (clk); end", "core u (clk); other u (a);", "core u (clk), v (clk);"} {
		_, err := Cut(head+"(input clk); "+c+body, "t", "u", ports, "clk")
		require.ErrorContains(t, err, "no single instance u", c)
	}
	_, err = Cut(head+"(input clk); core u (clk);"+body, "none", "u", ports, "clk")
	require.ErrorContains(t, err, "no module none")
}

// FuzzRead checks that any text is read or refused, and that rewriting keeps lengths and lines.
func FuzzRead(f *testing.F) {
	f.Add(text)
	f.Add("assert property (@(posedge clk) a |=> b")
	f.Add("module m #(x) (input a); c #(1) u (.a(b), .y(y)); endmodule module m; c u (a, y); endmodule")
	f.Add("property p(x; endproperty bind a b c(;")
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = Cut(text, "m", "u", []cosim.Port{{Name: "a", Bits: 2, Input: true}, {Name: "y", Bits: 1}}, "clk")
		read, err := Read(text)
		if err != nil {
			return
		}
		read.Marked()
		if plain := read.Plain(); len(read.binds) == 0 && !strings.Contains(text, "`line") {
			require.Equal(t, strings.Count(text, "\n"), strings.Count(plain, "\n"))
		}
	})
}
