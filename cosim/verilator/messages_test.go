//go:build linux

package verilator

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
)

// capitals is VHDL with capitals in the names of ports, and a generic of text.
const capitals = `library ieee; use ieee.std_logic_1164.all;
entity CapTop is
  generic (Start : string := "none");
  port (ClkI : in std_logic; RST_n, Go : in std_logic; Value : out std_logic_vector(31 downto 0));
end entity;
architecture rtl of CapTop is
  signal v : std_logic_vector(31 downto 0);
begin
  process (ClkI) begin
    if rising_edge(ClkI) then
      if RST_n = '0' then v <= (0 => '1', others => '0');
      elsif Go = '1' and Start = "text" then v <= '0' & v(31 downto 1); end if;
    end if;
  end process;
  Value <= v;
end architecture;
`

// TestNamesOfVHDL checks that case does not matter in the names of entity and clock. GHDL's output is read, not
// compiled.
func TestNamesOfVHDL(t *testing.T) {
	s := cosim.Source{Top: "captop", Files: []string{write(t, "cap.vhd", capitals)}, Params: map[string]string{"START": `"text"`}, Clocks: []string{"clki"}}
	b, err := newBuilder(context.Background(), &s, &cosim.BuildOptions{Cache: testCache}, wasmTarget)
	require.NoError(t, err)
	defer func() { require.NoError(t, os.RemoveAll(b.work)) }()
	require.NoError(t, b.discover())
	require.Equal(t, []cosim.Port{
		{Name: "ClkI", Bits: 1, Input: true, Clock: true, Word: -1}, {Name: "RST_n", Bits: 1, Input: true, Word: 0},
		{Name: "Go", Bits: 1, Input: true, Word: 1}, {Name: "Value", Bits: 32},
	}, b.description.Ports)
	require.True(t, b.description.CaseBlind)
}

// TestToolMessages checks that the last message of a tool is not always the reason, or the user's fault.
func TestToolMessages(t *testing.T) {
	b := &builder{Context: context.Background(), Source: &cosim.Source{Top: "top", Files: []string{"a.vhd"}}, target: wasmTarget}
	failed := errors.New("exit status 1")
	err := b.ghdlRefusal("a.vhd:5:9:warning: signal \"s\" is never assigned [-Wnowrite]\na.vhd:6:1:note: here\na.vhd:8:20: no declaration for \"zork\"\n", failed)
	require.EqualError(t, err, "a.vhd:8:20: no declaration for \"zork\"; correct the source until `ghdl synth --std=08` accepts it")
	err = b.ghdlRefusal("a.vhd:4:3:(assertion failure): N is too large\n", failed)
	require.EqualError(t, err, "a.vhd:4:3: the source ends with its own assertion: N is too large; give the parameters values that it accepts")

	b.Params = map[string]string{"Level": "1"}
	for said, wanted := range map[string]string{
		"a.vhd:3:12:warning: value \"1\" not in enumeration std_ulogic [-Wruntime-error]\n" +
			"/usr/bin/ghdl-mcode: override for generic \"level\" is out of bounds\n": "generic Level of top does not accept " +
			"1; " +
			`write a number of its range, '1' for a std_logic, true or false for a boolean, 0010 for a vector, in a pin map as texts: L: "'1'", B: "true", V: "0010"`,
		"ghdl: incorrect character \"'2'\" in string\n": "a generic of top is a vector: incorrect character \"'2'\" in string; write a number of its range",
		"ghdl: no generic \"z\" for -g\n":               "entity top has no generic z; name generics that it has",
	} {
		require.ErrorContains(t, b.ghdlRefusal(said, failed), "--param: "+wanted)
	}

	var tool *cosim.ToolError
	require.ErrorAs(t, b.ghdlRefusal("\n******************** GHDL Bug occurred ***************************\n", failed), &tool)
	require.ErrorAs(t, b.refusal([]byte("%Error: Verilator threw signal 9. Suggest trying --debug --gdbbt\n"), failed), &tool)
	require.Equal(t, "verilator", tool.Tool)
	require.ErrorAs(t, b.compilerError(b.target.compiler.Command, []byte("In file included from glue.cpp:37:\na.sv:3:12: error: use of undeclared identifier 'outside'\n"), failed), &tool)
	require.Contains(t, tool.Error(), "a.vhd: top: clang++: does not compile the C++ that Verilator generates: "+
		"a.sv:3:12: use of undeclared identifier 'outside'; replace")
}

// TestMistakeBeforeACrash checks crashes of Verilator after, or on, a mistake in the source. The mistake is shown
// with its place; only a crash without one counts as Verilator's.
func TestMistakeBeforeACrash(t *testing.T) {
	replication := "a.sv:2:19: Expecting expression to be constant, but variable isn't const: 'v' (and 1 more error); correct"
	if cosimtest.Since(t, "verilator", 5, 32) {
		replication = "a.sv:2:20: Replication value isn't a constant.; correct"
	}
	unconnected, division := "Parent instance's interface is not found: 'i'",
		"verilator gives up here: toUInt with 4-state 32'bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; correct this place"
	if cosimtest.Since(t, "verilator", 5, 48) {
		unconnected, division = "Interface 'i' not connected as parent's interface not connected", "left side of bit range isn't a two-state constant"
	}
	for name, c := range map[string]struct{ text, says string }{
		"circular": {"wire [W-1:0] a; localparam W = $bits(a);", "a.sv:2:30: Variable's initial value is circular: 'W'; correct the source until `verilator --lint-only` accepts it"},
		"interface": {"sub s(clk); endmodule interface i; logic a; modport m(input a); endinterface module sub(i.m x); wire q = x.a;",
			"a.sv:2:91: " + unconnected + "; connect an instance"},
		"division by zero": {"localparam P = 1/0; wire [P:0] q;", "a.sv:2:29: " + division},
		"replication":      {"wire [3:0] q = {v{1'b0}};", replication},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			require.NoError(t, os.WriteFile("a.sv", []byte("module top(input clk, output reg v);\n  "+c.text+"\nendmodule\n"), 0o644))
			_, err := Build(context.Background(), cosim.Source{Top: "top", Files: []string{"a.sv"}}, cosim.BuildOptions{Cache: testCache})
			var input *cosim.InputError
			require.ErrorAs(t, err, &input)
			require.Contains(t, err.Error(), c.says)
		})
	}
}

func TestVerilatorWarnings(t *testing.T) {
	found := weightyWarnings(`%Warning-WIDTH: a.sv:1:2: Operator ASSIGNW expects 4 bits
%Warning-LATCH: a.sv:11:3: Latch inferred for signal 'q'
                         : ... Suggest use of always_latch for intentional latches
%Warning-LATCH: a.sv:11:3: Latch inferred for signal 'q'
%Warning-STMTDLY: b.sv:7:31: Ignoring delay on this statement due to --no-timing
`)
	require.Equal(t, []cosim.Warning{{Code: "LATCH", Place: "a.sv:11:3", Text: "Latch inferred for signal 'q'"}, {Code: "STMTDLY", Place: "b.sv:7:31", Text: "Ignoring delay on this statement due to --no-timing"}}, found)
	require.Equal(t, "2 warnings: LATCH, STMTDLY", cosim.WarningsText(found))
}

// TestWarningsOfVHDL checks that no warning names a line of generated Verilog.
func TestWarningsOfVHDL(t *testing.T) {
	found := ofVHDL([]cosim.Warning{
		{Code: "COMBDLY", Place: "dut.v:345:21", Text: "Non-blocking assignment"}, {Code: "LATCH", Place: "dut.v:3:1", Text: "Latch"}, {Code: "LATCH", Place: "dut.v:7:1", Text: "Latch"},
	}, "dut.v")
	require.Equal(t, []cosim.Warning{{Code: "LATCH", Place: "dut, as GHDL synthesises it", Text: "Latch"}}, found)
}

func TestDataPath(t *testing.T) {
	require.Equal(t, "up/up/a/x.hex", dataPath("../../a/./x.hex"))
}

// TestLongEnumerations checks that a parameter of an enumeration accepts its numbers, wherever it is declared, beside
// ports that need a shell, and that no message names the shell.
func TestLongEnumerations(t *testing.T) {
	t.Chdir(t.TempDir())
	for file, text := range map[string]string{
		"own.sv": "module own (q); typedef enum logic [1:0] {A, B, C} e_t; parameter e_t E = A; output logic [E == C ? 4 : 2:0] q; endmodule",
		"all.sv": `package p; typedef enum {A, B, C} e_t; endpackage
			module all #(parameter p::e_t E = p::A, type T = int) (output logic [E == p::C && $bits(T) == 8 ? 4 : 2:0] q, input T d [2]); endmodule`,
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	discover := func(top string, params map[string]string) ([]cosim.Port, error) {
		b, err := newBuilder(context.Background(), &cosim.Source{Top: top, Files: []string{top + ".sv"}, Params: params}, &cosim.BuildOptions{Cache: testCache}, wasmTarget)
		require.NoError(t, err)
		defer func() { require.NoError(t, os.RemoveAll(b.work)) }()
		err = b.discover()
		return b.description.Ports, err
	}
	for top, params := range map[string]map[string]string{"own": {"E": "2'd2"}, "all": {"E": "2", "T": "byte"}} {
		ports, err := discover(top, params)
		require.NoError(t, err)
		require.Equal(t, 5, ports[0].Bits)
	}
	for text, params := range map[string]map[string]string{"Implicit conversion to enum": {"E": `"C"`}, "": {"E": "2", "T": "q::t"}} {
		_, err := discover("all", params)
		require.ErrorContains(t, err, "--param: all does not accept the values of its parameters: "+text)
		require.ErrorContains(t, err, "give a value of the declared type: a number for an enumeration, a type")
	}
}

// TestArraysOfVectors checks that the shell's arrays have the states and signs of the ports' elements.
func TestArraysOfVectors(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("top.sv", []byte(`package p; typedef enum {A, B} e_t; typedef enum logic [3:0] {C, D} f_t;
		typedef struct packed {bit a; byte b;} s_t; typedef struct packed {logic a; byte b;} u_t; endpackage
		module top (input byte a [2], input logic signed [3:0] b [2], input p::e_t c [2], input p::f_t d [2], input p::s_t e [2],
		input p::u_t f [2], input int unsigned g [2], input bit [1:0][3:0] h [2], input logic [1:0][3:0] i [2], output bit o [2]);
		assign o[0] = a[0] < 0; assign o[1] = b[1] < 0; endmodule`), 0o644))
	b, err := newBuilder(t.Context(), &cosim.Source{Top: "top", Files: []string{"top.sv"}}, &cosim.BuildOptions{Cache: testCache}, wasmTarget)
	require.NoError(t, err)
	defer func() { require.NoError(t, os.RemoveAll(b.work)) }()
	require.NoError(t, b.discover())
	for _, want := range []string{"bit signed [7:0] a", "logic signed [3:0] b", "bit signed [31:0] c", "logic [3:0] d", "bit [8:0] e",
		"logic [8:0] f", "bit [31:0] g", "bit [7:0] h", "logic [7:0] i", "bit [0:0] o"} {
		require.Contains(t, b.shell.text, "  "+want+"__array [0:1];\n")
	}
}
