//go:build linux

package flatten

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/verilator"
)

// wordsOfOthers are keywords of IEEE 1800-2017 and C++ that are names in VHDL-2008.
const wordsOfOthers = `
accept_on alignas alignof always always_comb always_ff always_latch and_eq asm assign auto automatic before bind bins binsof bit bitand bitor bool
break buf bufif0 bufif1 byte casex casez catch cell chandle char char16_t char32_t char8_t checker class clocking cmos co_await co_return co_yield
compl concept config const const_cast consteval constexpr constinit constraint continue covergroup coverpoint cross deassign decltype defparam delete
design disable dist do double dynamic_cast edge endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface
endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable endtask enum event eventually expect explicit export extends
extern false final first_match float foreach forever fork forkjoin friend genvar global goto highz0 highz1 iff ifnone ignore_bins illegal_bins
implements implies import incdir include initial inline input inside instance int integer interconnect interface intersect join join_any join_none
large let liblist local localparam logic long longint macromodule matches medium modport module mutable namespace negedge nettype nexttime nmos
noexcept noshowcancelled not_eq notif0 notif1 nullptr operator or_eq output packed pmos posedge primitive priority private program public pull0 pull1
pulldown pullup pulsestyle_ondetect pulsestyle_onevent rand randc randcase randsequence rcmos real realtime ref reg reject_on repeat
requires rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared short shortint shortreal showcancelled
signed sizeof small soft solve specify specparam static static_assert static_cast string strong0 strong1 struct supply0 supply1 switch
sync_accept_on sync_reject_on table tagged task template thread_local throughout throw time timeprecision timeunit tran tranif0 tranif1 tri tri0
tri1 triand trior trireg true try typedef typeid typename union unique unique0 unsigned until_with untyped using uwire var vectored virtual void
volatile wait_order wand wchar_t weak weak0 weak1 wildcard wire within wor xor_eq`

// methodsOfVerilator are the methods of Verilator's model class.
const methodsOfVerilator = " eval eval_step eval_end_step name hiername modelname threads rootp contextp vlsymsp eventspending nexttimeslot trace main printf"

// wordsInside is an entity with keywords of Verilog as inner names, and the beginning of one with keywords as ports.
const wordsInside = `library ieee; use ieee.std_logic_1164.all;
entity table is port (posedge, input: in std_logic; output: out std_logic); end;
architecture a of table is signal reg, initial: std_logic := '0'; type memory is array (0 to 1) of std_logic; signal assign: memory; begin
  process (posedge) begin if rising_edge(posedge) then reg <= input; assign(0) <= reg; end if; end process;
  initial <= reg when input = '1' else assign(0);
  output <= initial;
end;
library ieee; use ieee.std_logic_1164.all;
entity words is port (clk: in std_logic`

// TestVHDLWithWordsOfOthers checks that ports, signals, memories, instances and entities in VHDL may have keywords of
// Verilog and C++ as names, through GHDL, Verilator, the print and Yosys.
func TestVHDLWithWordsOfOthers(t *testing.T) {
	words := strings.Fields(wordsOfOthers + methodsOfVerilator)
	text := wordsInside
	body := ");\nend;\narchitecture a of words is begin\n"
	for i, word := range words {
		if i%2 == 0 {
			text += fmt.Sprintf("; %s: in std_logic", word)
			continue
		}
		text += fmt.Sprintf("; %s: out std_logic", word)
		body += fmt.Sprintf("  module%d: entity work.table port map (posedge => clk, input => %s, output => %s);\n", i, words[i-1], word)
	}
	s := vhdlOf(t, "words", text+body+"end;\n")
	o := cosim.BuildOptions{Cache: testCache}
	m, err := Print(t.Context(), s, o)
	require.NoError(t, err)
	read(t, m)
	_, err = Compare(t.Context(), s, m, o, 50, 1)
	require.NoError(t, err)
	require.Len(t, m.Ports, 1+len(words))
	for _, word := range []string{"this", "super", "reinterpret_cast"} { // names that Verilator reserves
		s := vhdlOf(t, "w", fmt.Sprintf("library ieee; use ieee.std_logic_1164.all;\nentity w is port (%s: in std_logic; q: out std_logic); end;\n"+
			"architecture a of w is begin q <= %s; end;\n", word, word))
		_, err := verilator.Wasm().Build(t.Context(), s, o)
		var refused *cosim.InputError
		require.ErrorAs(t, err, &refused)
		require.Contains(t, err.Error(), word)
		require.Contains(t, err.Error(), "rename")
	}
}

func vhdlOf(t *testing.T, top, text string) cosim.Source {
	file := filepath.Join(t.TempDir(), top+".vhd")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	s := cosim.Source{Top: top, Files: []string{file}}
	if strings.Contains(text, "clk") {
		s.Clocks = []string{"clk"}
	}
	return s
}
