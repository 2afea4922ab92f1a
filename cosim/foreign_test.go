//go:build linux

package cosim

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// capitals is VHDL whose ports have capitals, with a generic of text.
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

// TestNamesOfVHDL: entity, clock and pins may be written in any case, in the map and in
// `cosim build`. What GHDL makes of them is read, not compiled.
func TestNamesOfVHDL(t *testing.T) {
	m := &PinMap{
		Model: "lfsr", Parameters: Parameters{"SEED": 1}, Clock: "clki", Reset: "rst_n", ResetLow: true,
		Pins:   []PinWiring{{"enable", []string{"GO"}}, {"value", []string{"value"}}},
		Source: Source{Top: "captop", Files: []string{write(t, "cap.vhd", capitals)}, Params: map[string]string{"START": `"text"`}, Clocks: []string{"CLKI"}},
	}
	b, err := newBuilder(context.Background(), &m.Source, &BuildOptions{Cache: testCache}, wasmTarget)
	require.NoError(t, err)
	defer func() { require.NoError(t, os.RemoveAll(b.work)) }()
	require.NoError(t, b.discover())
	require.Equal(t, []Port{
		{Name: "ClkI", Bits: 1, Input: true, Clock: true, Word: -1}, {Name: "RST_n", Bits: 1, Input: true, Word: 0},
		{Name: "Go", Bits: 1, Input: true, Word: 1}, {Name: "Value", Bits: 32},
	}, b.description.Ports)
	require.True(t, b.description.CaseBlind)
	model, err := m.NewModel()
	require.NoError(t, err)
	defer model.Close()
	_, err = m.wire(model, b.description.Ports)
	require.NoError(t, err)
	m.Source.Files = nil // an image
	_, err = m.wire(model, b.description.Ports)
	require.ErrorContains(t, err, "the RTL was built with the clock ClkI, not clki", "Verilog tells them apart")
	m.circuit = &Circuit{Description: b.description}
	_, err = m.wire(model, b.description.Ports)
	require.NoError(t, err)
	m.circuit = nil
}

// TestToolMessages: what a tool says before it gives up is not always why, and not
// always the user's fault.
func TestToolMessages(t *testing.T) {
	b := &builder{Context: context.Background(), Source: &Source{Top: "top", Files: []string{"a.vhd"}}, target: wasmTarget}
	failed := errors.New("exit status 1")
	err := b.ghdlRefusal("a.vhd:5:9:warning: signal \"s\" is never assigned [-Wnowrite]\na.vhd:6:1:note: here\na.vhd:8:20: no declaration for \"zork\"\n", failed)
	require.EqualError(t, err, "a.vhd:8:20: no declaration for \"zork\"; correct the source until `ghdl synth --std=08` accepts it")

	var tool *ToolError
	require.ErrorAs(t, b.ghdlRefusal("\n******************** GHDL Bug occurred ***************************\n", failed), &tool)
	require.ErrorAs(t, b.refusal([]byte("%Error: Verilator threw signal 9. Suggest trying --debug --gdbbt\n"), failed), &tool)
	require.Equal(t, "verilator", tool.Tool)
	require.ErrorAs(t, b.compilerError(b.target.compiler.command, []byte("In file included from glue.cpp:37:\na.sv:3:12: error: use of undeclared identifier 'outside'\n"), failed), &tool)
	require.Contains(t, tool.Error(), "a.vhd: top: clang++: does not compile the C++ that Verilator makes of it: a.sv:3:12: use of undeclared identifier 'outside'; replace")

	killed := exec.Command("sh", "-c", "kill -9 $$").Run()
	require.ErrorAs(t, stopped(context.Background(), "ghdl", "a.vhd: top", killed), &tool)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, stopped(ctx, "ghdl", "a.vhd: top", killed), context.Canceled)

	_, err = faultIn(3, &Fault{Kind: FaultDied, Tool: "vvp", Text: "signal: killed"})
	require.ErrorAs(t, err, &tool)
	require.NotContains(t, tool.Error(), "accepts the source", "it has done so")
}

func TestVerilatorWarnings(t *testing.T) {
	found := verilatorWarnings(`%Warning-WIDTH: a.sv:1:2: Operator ASSIGNW expects 4 bits
%Warning-LATCH: a.sv:11:3: Latch inferred for signal 'q'
                         : ... Suggest use of always_latch for intentional latches
%Warning-LATCH: a.sv:11:3: Latch inferred for signal 'q'
%Warning-STMTDLY: b.sv:7:31: Ignoring delay on this statement due to --no-timing
`)
	require.Equal(t, []Warning{{"LATCH", "a.sv:11:3", "Latch inferred for signal 'q'"}, {"STMTDLY", "b.sv:7:31", "Ignoring delay on this statement due to --no-timing"}}, found)
	require.Equal(t, "2 warnings of Verilator: LATCH, STMTDLY", WarningsText(found, BackendWasm))
}

// TestParametersOfText: plain text is quoted where the source says that it is text, and
// nowhere else.
func TestParametersOfText(t *testing.T) {
	file := write(t, "t.sv", "module t #(parameter FILE = \"a\", parameter string S = A, parameter N = 3) (input i); endmodule\n")
	s := Source{Top: "t", Files: []string{file}, Params: map[string]string{"FILE": "words.hex", "S": `a "b" \c`, "N": "8'shff"}}
	require.NoError(t, s.check())
	require.Equal(t, map[string]string{"FILE": `"words.hex"`, "S": `"a \"b\" \\c"`, "N": "8'shff"}, s.constants())
	for value, good := range map[string]bool{"-3": true, "1_000": true, "'hff": true, "1.5": true, "1e3": true, `"abc"`: true, "8hff": false, "abc": false, "4+3": false} {
		s.Params = map[string]string{"N": value}
		if err := s.check(); good {
			require.NoError(t, err, value)
		} else {
			require.ErrorContains(t, err, "N is "+value+", which is not a Verilog constant", value)
		}
	}
}

// TestRemediesArePossible: what a message suggests exists.
func TestRemediesArePossible(t *testing.T) {
	m := &PinMap{Model: "arbiter_fixed", Parameters: Parameters{"REQUESTERS": 4}, Absent: []string{"index", "grant"}}
	model, err := m.NewModel()
	require.NoError(t, err)
	defer model.Close()
	for bits, remedy := range map[int]string{
		2: "or join several pins, the highest first: [req, OTHER]",
		6: `or name the bits: req[3:0], and give the others a constant: ties: {"req[5:4]": 0}`,
	} {
		m.Pins = []PinWiring{{"request", []string{"req"}}}
		rtl := []Port{{Name: "req", Bits: bits, Input: true}}
		_, err := m.wire(model, rtl)
		require.ErrorContains(t, err, remedy)
		if bits == 6 {
			m.Pins, m.Ties = []PinWiring{{"request", []string{"req[3:0]"}}}, []PinTie{{Pin: "req[5:4]"}}
			_, err = m.wire(model, rtl)
			require.NoError(t, err)
		}
	}
	t.Setenv("XDG_CACHE_HOME", write(t, "file", ""))
	_, err = openCache("")
	require.ErrorContains(t, err, "set XDG_CACHE_HOME")
	require.NotContains(t, err.Error(), "--cache")
}

// TestFindData: beside the map first, then beside the source, never where a run starts.
func TestFindData(t *testing.T) {
	maps, sources := t.TempDir(), t.TempDir()
	t.Chdir(t.TempDir())
	put := func(path string) { require.NoError(t, os.WriteFile(path, nil, 0o644)) }
	put("here.hex")
	put(filepath.Join(sources, "both.hex"))
	put(filepath.Join(sources, "source.hex"))
	put(filepath.Join(maps, "both.hex"))
	s := Source{DataDir: maps}
	for name, folder := range map[string]string{"both.hex": maps, "source.hex": sources, "here.hex": ""} {
		path, err := s.findData(name, filepath.Join(sources, "a.v"))
		if folder == "" {
			require.ErrorContains(t, err, "the folder of the pin map")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, filepath.Join(folder, name), path)
	}
	path, err := (&Source{}).findData("here.hex", filepath.Join(sources, "a.v"))
	require.NoError(t, err, "without a map, as in all tools")
	require.Equal(t, "here.hex", path)
	require.Equal(t, "up/up/a/x.hex", dataPath("../../a/./x.hex"))
}

// TestIcarusRunsInAnEmptyFolder: what a circuit writes is not in the user's, nor left.
func TestIcarusRunsInAnEmptyFolder(t *testing.T) {
	file := write(t, "files.v", `module files (input a, output reg b);
  integer f;
  initial begin f = $fopen("out.txt"); $fwrite(f, "x"); $dumpfile("out.vcd"); $dumpvars; f = $fopen("files.v", "r"); if (f) $display("found"); end
  always @* b = a;
endmodule
`)
	t.Chdir(filepath.Dir(file))
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	d, err := OpenIcarus(Source{Top: "files", Files: []string{"files.v"}}, Options{})
	require.NoError(t, err)
	require.NoError(t, d.Settle())
	var tasks []string
	for _, w := range d.(*icarus).Warnings() {
		require.True(t, strings.HasPrefix(w.Place, "files.v:3"), w.Place)
		require.Contains(t, w.Text, "is not a sandbox")
		tasks = append(tasks, w.Code)
	}
	require.Equal(t, []string{"$fopen", "$dumpfile", "$dumpvars"}, tasks)
	require.NoError(t, d.Close())
	require.NotContains(t, d.(Logger).Log(), "found")
	for _, dir := range []string{".", scratch} {
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.LessOrEqual(t, len(left), 1, "%v", left) // the source
	}
}

// TestCoverageGaps: bits and events that no cycle without reset has shown.
func TestCoverageGaps(t *testing.T) {
	twin, err := FindTwin("star_coupler")
	require.NoError(t, err)
	m, err := twin.New(Parameters{"D": 2, "PHIT_BITS": 4})
	require.NoError(t, err)
	defer m.Close()
	c := newCoverage(m)
	for _, inputs := range [][]uint64{{0x3f, 0}, {0xc3, 0xff}, {0, 0}} {
		c.see(inputs)
	}
	require.Equal(t, "rail1_i never lit by two senders at once in bits [3:2] of a phit", GapsText(c.Gaps()[:1]))
	other := newCoverage(m)
	other.see([]uint64{0xcc, 0})
	c.Add(other)
	require.Equal(t, "", GapsText(c.Gaps()))

	twin, err = FindTwin("lfsr")
	require.NoError(t, err)
	m, err = twin.New(Parameters{"SEED": 1})
	require.NoError(t, err)
	defer m.Close()
	c = newCoverage(m)
	c.see([]uint64{1, 1})
	c.see([]uint64{0, 0})
	c.begin()
	c.see([]uint64{1, 0})
	require.Equal(t, "enable_i never 1; reset never again after the first cycles", GapsText(c.Gaps()), "what stands at reset does not count")
}
