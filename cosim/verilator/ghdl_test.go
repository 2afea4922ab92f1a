package verilator

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
	"starloom/cosim/internal/cosimtest"
)

const vhdlHead = `library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;
entity dut is port (clk : in std_logic; a, b : in std_logic_vector(7 downto 0);
`

// vhdlOperators has an output for each construct that GHDL translates wrongly to Verilog, and for some others.
const vhdlOperators = vhdlHead + `  o : out std_logic_vector(153 downto 0)); end;
architecture r of dut is
  type state is (idle, busy, done);
  signal s : state := idle; signal q : std_logic_vector(7 downto 0) := x"00"; signal bare : std_logic := '0';
  type words is array (0 to 3) of std_logic_vector(8 downto 0); signal m : words := (others => (others => '0'));
begin
  process(all) begin
    case b(1 downto 0) is when "00" => o(7 downto 0) <= a; when "01" => o(7 downto 0) <= not a; when others => o(7 downto 0) <= x"5a"; end case;
    case b(1 downto 0) is when "00" => o(15 downto 8) <= a; when "01" => o(15 downto 8) <= not a; when "10" => o(15 downto 8) <= x"01";
      when "11" => o(15 downto 8) <= b; when others => o(15 downto 8) <= x"00"; end case;
    case to_integer(unsigned(b(3 downto 0))) is when 0 => o(23 downto 16) <= a; when 1 to 5 => o(23 downto 16) <= not a;
      when others => o(23 downto 16) <= x"77"; end case;
    case b is when x"00" => o(31 downto 24) <= a; when x"80" => o(31 downto 24) <= x"80"; when x"81" => o(31 downto 24) <= x"33";
      when others => o(31 downto 24) <= a xor b; end case;
    case b(1 downto 0) is when "00" => case a(1 downto 0) is when "01" => o(39 downto 32) <= x"01"; when others => o(39 downto 32) <= x"02"; end case;
      when "10" => o(39 downto 32) <= a; when others => o(39 downto 32) <= x"09"; end case;
    case s is when idle => o(111 downto 104) <= x"01"; when done => o(111 downto 104) <= a; when others => o(111 downto 104) <= x"04"; end case;
    case b(1 downto 0) is when "00" => bare <= a(0); when others => bare <= '1'; end case;
  end process;
  o(47 downto 40) <= std_logic_vector(signed(a) / (signed(b) or x"01"));
  o(55 downto 48) <= std_logic_vector(signed(a) rem (signed(b) or x"01"));
  o(63 downto 56) <= std_logic_vector(signed(a) mod (signed(b) or x"01"));
  o(71 downto 64) <= std_logic_vector(shift_right(signed(a), to_integer(unsigned(b(3 downto 0)))));
  o(79 downto 72) <= std_logic_vector(abs signed(a));
  o(87 downto 80) <= std_logic_vector(maximum(signed(a), signed(b)));
  o(95 downto 88) <= std_logic_vector(minimum(unsigned(a), unsigned(b)));
  o(103 downto 96) <= q;
  o(119 downto 112) <= std_logic_vector(signed(a) mod 10);
  o(127 downto 120) <= std_logic_vector(to_signed(to_integer(signed(a)) / 4, 8));
  o(135 downto 128) <= std_logic_vector(shift_right(signed(a), 2));
  o(143 downto 136) <= "0000000" & bare;
  o(153) <= '1' when state'pos(s) = 2 else '0'; -- of 64 bits
  o(152 downto 144) <= m(to_integer(unsigned(a(1 downto 0)))); -- what has more than eight bits has another text
  process(clk) begin
    if rising_edge(clk) then
      if b(2) = '1' then m(to_integer(unsigned(b(1 downto 0)))) <= a & b(7); end if;
      case b(1 downto 0) is when "00" => q <= a; when "01" => q <= q(6 downto 0) & '1'; when others => null; end case;
      case s is when idle => if a(0) = '1' then s <= busy; end if; when busy => s <= done; when others => if a(1) = '1' then s <= idle; end if; end case;
    end if;
  end process;
end;
`

// vhdlBench prints all outputs before and after each edge, for 500 pseudo-random inputs.
const vhdlBench = `library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all; use std.textio.all;
entity tb is end;
architecture t of tb is
  signal clk : std_logic := '0'; signal a, b : std_logic_vector(7 downto 0) := x"00"; signal o : std_logic_vector(153 downto 0);
begin
  d: entity work.dut port map (clk, a, b, o);
  process
    variable l : line; variable n : unsigned(31 downto 0) := x"12345678";
  begin
    for i in 0 to 499 loop
      n := resize(n * 1664525, 32) + 1013904223;
      a <= std_logic_vector(n(31 downto 24)); b <= std_logic_vector(n(23 downto 16));
      wait for 1 ns; write(l, to_string(o)); writeline(output, l);
      clk <= '1';
      wait for 1 ns; write(l, to_string(o)); writeline(output, l);
      clk <= '0';
      wait for 1 ns;
    end loop;
    wait;
  end process;
end;
`

// TestVerilogOfVHDL compares circuits built from VHDL with GHDL's simulation.
func TestVerilogOfVHDL(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"dut.vhd": vhdlOperators, "tb.vhd": vhdlBench} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	run := exec.Command("sh", "-c", "ghdl -a --std=08 dut.vhd tb.vhd && ghdl -e --std=08 tb && ghdl -r --std=08 tb")
	run.Dir = dir
	simulated, err := run.Output()
	require.NoError(t, err)
	want := strings.Fields(string(simulated))
	require.Len(t, want, 1000)

	b := bench(t, viaWasm, cosim.Source{Top: "dut", Files: []string{filepath.Join(dir, "dut.vhd")}, Clocks: []string{"clk"}}, cosim.Options{})
	n, at := uint32(0x12345678), 0
	look := func() {
		words := b.get("o")
		require.Equal(t, want[at], fmt.Sprintf("%026b%064b%064b", words[2], words[1], words[0]), "line %d: a = %x, b = %x", at, n>>24, n>>16&0xff)
		at++
	}
	for range 500 {
		n = n*1664525 + 1013904223
		b.set("a", uint64(n>>24))
		b.set("b", uint64(n>>16&0xff))
		b.settle()
		look()
		b.edge()
		look()
	}
}

// TestVHDLThatGHDLChanges checks that such VHDL is refused or leads to a warning.
func TestVHDLThatGHDLChanges(t *testing.T) {
	build := func(body string) (*Circuit, error) {
		path := filepath.Join(t.TempDir(), "dut.vhd")
		text := vhdlHead + "  o : out std_logic_vector(7 downto 0)); end;\narchitecture r of dut is\n  type words is array (0 to 3) of std_logic_vector(7 downto 0);\n" +
			"  signal m : words;\nbegin\n" + body + "\nend;\n"
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return Build(context.Background(), cosim.Source{Top: "dut", Files: []string{path}, Clocks: []string{"clk"}}, cosim.BuildOptions{Cache: testCache})
	}
	_, err := build(`  process(all) begin case? b(1 downto 0) is when "1-" => o <= a; when others => o <= b; end case?; end process;`)
	if cosimtest.Since(t, "ghdl", 6) { // this version compares the other bits
		require.NoError(t, err)
	} else {
		require.ErrorContains(t, err, "dut.vhd:8:45: a choice with -, as in case?, which GHDL omits; write it with if and std_match")
	}
	_, err = build(`  process(all) begin
    if a(0) = '1' then m <= (others => x"00"); o <= x"00";
    elsif rising_edge(clk) then m(to_integer(unsigned(b(1 downto 0)))) <= a; o <= m(to_integer(unsigned(b(3 downto 2)))); end if;
  end process;`)
	if cosimtest.Since(t, "ghdl", 5) { // this version has no edge there
		require.NoError(t, err)
	} else {
		require.ErrorContains(t, err, "which GHDL translates wrongly")
	}
	_, err = build(`  o <= (7 downto 1 => '0') & (unsigned(a(3 downto 0)) ?= "1--0");`)
	require.ErrorContains(t, err, "dut.vhd:8:55: ?= of an unsigned or signed value with -, which GHDL translates wrongly; compare as std_logic_vector, or use std_match")
	c, err := build(`  o <= "0000" & std_logic_vector(resize(signed(a), 4));`)
	require.NoError(t, err)
	require.Len(t, c.Warnings, 1)
	require.Equal(t, "RESIZE", c.Warnings[0].Code)
	require.Contains(t, c.Warnings[0].Place, "dut.vhd:8")
}

// TestIsUnsigned checks that only certainly unsigned values count as unsigned.
func TestIsUnsigned(t *testing.T) {
	const text = "signal a, U : unsigned(7 downto 0); signal s : signed(7 downto 0);\nport (p : in unsigned(3 downto 0)); variable t : signed; signal T: unsigned(1 downto 0);"
	for word, is := range map[string]bool{
		"a": true, "u": true, "p": true, "unsigned": true, "To_Unsigned": true, "s": false, "t": false, "signed": false, "b": false, "": false,
	} {
		require.Equal(t, is, isUnsigned(word, text), word)
	}
}
