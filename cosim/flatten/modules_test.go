//go:build linux

package flatten

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
)

var moduleName = regexp.MustCompile(`(?m)^module ([mvb]_\w+) \(input (?:logic|wire) clk`)

// together writes a module with the ports clk, rst_n, i and o that instantiates all modules of some files. It also
// returns their names.
func together(t *testing.T, skip []string, files ...string) (s cosim.Source, names []string) {
	var ports, body strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range moduleName.FindAllSubmatch(text, -1) {
			name := string(found[1])
			if slices.Contains(skip, name) {
				continue
			}
			names = append(names, name)
			fmt.Fprintf(&ports, ",\n  output [31:0] %s_o", name)
			fmt.Fprintf(&body, "  %s u_%s (.clk(clk), .rst_n(rst_n), .i(i), .o(%s_o));\n", name, name, name)
		}
	}
	top := filepath.Join(t.TempDir(), "together.v")
	text := fmt.Sprintf("module together (input clk, input rst_n, input [31:0] i%s);\n%sendmodule\n", ports.String(), body.String())
	require.NoError(t, os.WriteFile(top, []byte(text), 0o644))
	return cosim.Source{Top: "together", Files: append([]string{top}, files...), Clocks: []string{"clk"}}, names
}

// TestLongModules prints small modules in the styles of libraries and runs them beside their sources. Every eighth
// module, with -full every module, is also printed alone.
func TestLongModules(t *testing.T) {
	files := []string{"testdata/cells.sv", "testdata/axis.v", "testdata/basejump.sv"}
	alone := []string{"b_tristate"} // it is refused, see TestLongRefused
	if cosimtest.Since(t, "verilator", 5, 48) {
		alone = append(alone, "b_wild") // one of its bits is always X; with the random X of others, no cycle would be compared
	}
	s, names := together(t, alone, files...)
	require.GreaterOrEqual(t, len(names), 58)
	for i, name := range names {
		if i%8 != 0 && !*full {
			continue
		}
		t.Run(name, func(t *testing.T) {
			m, err := Print(context.Background(), cosim.Source{Top: name, Files: files, Clocks: []string{"clk"}}, cosim.BuildOptions{Cache: testCache})
			require.NoError(t, err)
			read(t, m)
		})
	}
	t.Run("together", func(t *testing.T) {
		m, done := beside(t, s, CompareCycles)
		for _, name := range alone[1:] {
			of, _ := beside(t, cosim.Source{Top: name, Files: files}, CompareCycles)
			m.Kinds = append(m.Kinds, of.Kinds...)
		}
		covers(t, m)
		t.Logf("%d assertions, %d registers, %+v", len(m.Assertions), len(m.Registers), *done)
	})
}

// rare are nodes absent from Verilator's trees of all sources here, and CASTCUT, made from casts (TestCastsInIndexes).
var rare = []string{
	"CLOG2", "COVERINC", "DUMPCTL", "EQWILD", "FFLUSH", "LOGAND", "LOGEQ", "LOGIF", "LOGNOT", "LOGOR", "NEQWILD", "POW", "POWSS", "POWSU",
	"REDXNOR", "SIGNED", "SLICESEL", "STREAMR", "UNSIGNED", "XNOR", "COUNTBITS", "FINISH", "DISPLAY", "COMMENT", "CASTCUT",
}

// covers requires all other kinds of nodes among the printed ones.
func covers(t *testing.T, m *Module) {
	var missing []string
	for _, kinds := range [][]string{slices.Sorted(maps.Keys(statements)), slices.Sorted(maps.Keys(expressions))} {
		for _, kind := range kinds {
			since := map[string][]int{"EXPRSTMT": {5, 32}, "CRESET": {5, 48}}[kind]
			if since != nil && !cosimtest.Since(t, "verilator", since...) { // 5.006 takes calls out of expressions
				continue
			}
			if !slices.Contains(m.Kinds, kind) && !slices.Contains(rare, kind) {
				missing = append(missing, kind)
			}
		}
	}
	require.Empty(t, missing)
}
