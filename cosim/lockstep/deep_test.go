//go:build linux

package lockstep

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// TestLongReachesDeepState checks that the default cycles find mistakes that need thousands of cycles without reset,
// and that shrinking their long cases ends.
func TestLongReachesDeepState(t *testing.T) {
	late := uint32(1)
	for range lfsrLateSteps {
		late = late>>1 ^ -(late&1)&0x80200003
	}
	for _, c := range []struct {
		twin, name string
		file       string // file with the mistake
		parameters twin.Parameters
		edits      [][2]string
		deep       uint64 // least number of cycles from a reset to the difference
	}{
		{
			"fifo", "an overflow counter of 12 bits wraps", "fifo.v", twin.Parameters{"DEPTH": 4, "WIDTH": 8, "COUNT_BITS": 12},
			[][2]string{{"loses && !(&total_q)", "loses"}}, 1 << 12,
		},
		{
			"arbiter_round_robin", "a counter of 14 bits ends a grant", "arbiter_lock.v", twin.Parameters{"REQUESTERS": 4},
			[][2]string{
				{"  reg [REQUESTERS-1:0] grant_q;", "  reg [REQUESTERS-1:0] grant_q;\n  reg [13:0] age_q;\n  always @(posedge clock) age_q <= reset ? 14'd0 : age_q + 14'd1;"},
				{"else if (free_o)", "else if (free_o || &age_q)"},
			}, 1<<14 - 1,
		},
		{
			"lfsr", "a late value stays", "lfsr.v", twin.Parameters{"SEED": 1},
			[][2]string{{"else if (enable_i)", fmt.Sprintf("else if (enable_i && value_q != 32'd%d)", late)}}, lfsrLateSteps,
		},
	} {
		t.Run(c.twin+": "+c.name, func(t *testing.T) {
			t.Parallel()
			m := twinMap(t, c.twin, cosim.BackendWasm, c.parameters)
			tw, err := m.Twin()
			require.NoError(t, err)
			dir := t.TempDir()
			files, err := tw.WriteSources(dir)
			require.NoError(t, err)
			path := filepath.Join(dir, c.file)
			edited, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, e := range c.edits {
				require.Equal(t, 1, strings.Count(string(edited), e[0]), e[0])
				edited = []byte(strings.Replace(string(edited), e[0], e[1], 1))
			}
			require.NoError(t, os.WriteFile(path, edited, 0o644))
			m.Source.Files, m.Source.IncludeDirs, m.Build.Cache = files, []string{filepath.Dir(files[0])}, testCache
			r := runLockstep(t, m, Options{})
			require.NotNil(t, r.Divergence, "longest stretch %d", r.LongestStretch)
			t.Logf("%s; found in cycle %d, %d cycles, %d ones", r.Divergence.Text, r.Divergence.Found.Cycle, r.Shown.Stimulus.Cycles(), r.Shown.Stimulus.ones())
			require.GreaterOrEqual(t, r.Divergence.Cycle, c.deep)
			require.GreaterOrEqual(t, r.LongestStretch, c.deep)
		})
	}
}

const lfsrLateSteps = 30_000
