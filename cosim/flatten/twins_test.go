//go:build linux

package flatten

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// read passes a print to Yosys as a proof does and requires that there is neither a warning nor a latch.
func read(t *testing.T, m *Module) {
	t.Helper()
	file, err := m.File(cosim.BuildOptions{Cache: testCache})
	require.NoError(t, err)
	path, err := exec.LookPath("yosys")
	require.NoError(t, err, "this test needs yosys (make tools)")
	script := "read_verilog " + file + "; prep -top " + m.Top + "; setundef -undriven -anyseq; check -assert; memory_map; opt_clean; select -assert-none t:$dlatch t:$_DLATCH*"
	said, err := exec.Command(path, "-q", "-p", script).CombinedOutput()
	require.NoError(t, err, "%s\n%s", said, m.Verilog)
	for line := range strings.Lines(string(said)) { // two resets with different values become separate cells
		if !strings.Contains(line, "is used but has no driver") { // X
			require.Contains(t, line, "Complex async reset")
		}
	}
}

// beside prints a source, passes the print to Yosys, and runs source and print side by side.
func beside(t *testing.T, s cosim.Source, cycles int) (*Module, *Comparison) {
	t.Helper()
	o := cosim.BuildOptions{Cache: testCache}
	m, err := Print(context.Background(), s, o)
	require.NoError(t, err)
	read(t, m)
	done, err := Compare(context.Background(), s, m, o, cycles, 1)
	require.NoError(t, err, m.Verilog)
	require.Equal(t, cycles, done.Cycles)
	_, err = CompareSecond(context.Background(), s, m, o, 1)
	require.NoError(t, err, m.Verilog)
	return m, done
}

// twinsOfKinds are printed in CI: combinational logic, memories, counters, frames, two clocks, a network, and loops.
var twinsOfKinds = []string{"star_coupler", "fifo", "credit_counter", "arbiter_matrix", "list_allocator", "bus", "vc_router", "deserialiser", "async_fifo", "output_port"}

// TestLongTwins prints twins with their first parameters, all of them with -full.
func TestLongTwins(t *testing.T) {
	printed := 0
	for _, tw := range twin.All() {
		if !*full && !slices.Contains(twinsOfKinds, tw.Name) {
			continue
		}
		printed++
		t.Run(tw.Name, func(t *testing.T) {
			model, err := tw.New(tw.Sets[0])
			require.NoError(t, err)
			defer func() { require.NoError(t, model.Close()) }()
			s := cosim.Source{Top: tw.Name, IncludeDirs: []string{"../rtl"}, Params: tw.Sets[0].Verilog()}
			for _, name := range tw.Sources {
				s.Files = append(s.Files, filepath.Join("..", "rtl", name))
			}
			if model.Clocked() {
				s.Clocks = []string{"clock"}
			}
			m, done := beside(t, s, CompareCycles)
			t.Logf("%d assertions, %d registers, %+v", len(m.Assertions), len(m.Registers), *done)
			require.NotZero(t, done.Changed)
			require.Empty(t, m.Unknown)
		})
	}
	require.GreaterOrEqual(t, printed, len(twinsOfKinds))
}
