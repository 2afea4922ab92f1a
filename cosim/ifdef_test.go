package cosim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIfdefs checks that text that differs in synthesis is named with its lines, except checks alone.
func TestIfdefs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.sv")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.svh"), []byte("`ifdef VERILATOR\n`define D 1\n`endif\n"), 0o666))
	for text, want := range map[string]string{
		"`ifdef VERILATOR\n  assign a = b;\n`else\n`endif\n":                                  "1: VERILATOR, lines 1 to 4",
		"\n/* `ifdef\n*/ `ifndef  VERILATOR // not\n  assign a = b;\n`endif":                  "3: VERILATOR, lines 3 to 5",
		"`ifdef FAST\n`elsif VERILATOR\n`endif":                                               "1: VERILATOR, lines 1 to 3",
		"`ifdef SYNTHESIS\n`ifdef X\n`endif\n`else\n`endif":                                   "1: SYNTHESIS, lines 1 to 5",
		"`ifndef SYNTHESIS\n initial a = 0;\n`endif":                                          "1: SYNTHESIS, lines 1 to 3",
		"`ifndef SYNTHESIS\n always @(posedge c) if (`X) $fatal(1, \"x\");\n`endif":           "",
		"`ifndef SYNTHESIS\n assert property (x);\n`else\n assign a = b;\n`endif":             "1: SYNTHESIS, lines 1 to 5",
		"// `ifdef VERILATOR\n`ifdef OTHER\n`endif\n `endif\nassign a = \"`ifdef VERILATOR\"": "",
		"`include \"b.svh\"\n`include \"c.svh\"\n`include \"a.sv\"":                           "1: VERILATOR, lines 1 to 3",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		s := Source{Top: "a", Files: []string{file}}
		var said []string
		for _, w := range s.Ifdefs("") {
			place := strings.TrimLeft(w.Place[strings.LastIndex(w.Place, ":"):], ":")
			macro := strings.TrimSuffix(strings.Fields(w.Text)[2], ":")
			said = append(said, place+": "+macro+", "+w.Text[strings.Index(w.Text, "lines"):strings.Index(w.Text, " differ")])
		}
		require.Equal(t, want, strings.Join(said, "; "), text)
	}
	require.NoError(t, os.WriteFile(file, []byte("`ifdef VERILATOR\n`endif\n`ifdef SYNTHESIS\n`endif\n"), 0o666))
	s := Source{Top: "a", Files: []string{file}, Defines: map[string]string{"SYNTHESIS": ""}}
	require.Len(t, s.Ifdefs(""), 1, "a map that defines SYNTHESIS has the text of a chip")
	require.Empty(t, s.Ifdefs(BackendIcarus))
	require.Empty(t, (&Source{}).Ifdefs(""), "an image")
}

// TestForVerilator checks that macros of a map are kept and the map is not modified.
func TestForVerilator(t *testing.T) {
	s := Source{Defines: map[string]string{"N": "3", "VERILATOR": "0"}}
	same := s.ForVerilator()
	require.Equal(t, map[string]string{"N": "3", "VERILATOR": "0", "verilator": "1"}, same.Defines)
	require.Len(t, s.Defines, 2)
	require.Equal(t, "1", (&Source{}).ForVerilator().Defines["VERILATOR"])
}
