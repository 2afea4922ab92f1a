//go:build linux

package cosim

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLockstepReachesDeepState: mistakes that thousands of cycles without reset lead
// to are found with the default cycles, and shrinking their long cases ends.
func TestLockstepReachesDeepState(t *testing.T) {
	late := uint32(1)
	for range lfsrLateSteps {
		late = late>>1 ^ -(late&1)&0x80200003
	}
	for _, c := range []struct {
		twin, name string
		parameters Parameters
		edits      [][2]string
		deep       uint64 // cycles from a reset to the difference, at least
	}{
		{
			"fifo", "an overflow counter of 12 bits wraps", Parameters{"DEPTH": 4, "WIDTH": 8, "COUNT_BITS": 12},
			[][2]string{{"loses && !(&total_q)", "loses"}}, 1 << 12,
		},
		{
			"arbiter_round_robin", "a counter of 14 bits ends a grant", Parameters{"REQUESTERS": 4},
			[][2]string{
				{"  always @(posedge clock) begin", "  reg [13:0] age_q;\n  always @(posedge clock) age_q <= reset ? 14'd0 : age_q + 14'd1;\n  always @(posedge clock) begin"},
				{"else if (!hold)", "else if (!hold || &age_q)"},
			}, 1<<14 - 1,
		},
		{
			"lfsr", "a late value stays", Parameters{"SEED": 1},
			[][2]string{{"else if (enable_i)", fmt.Sprintf("else if (enable_i && value_q != 32'd%d)", late)}}, lfsrLateSteps,
		},
	} {
		t.Run(c.twin+": "+c.name, func(t *testing.T) {
			t.Parallel()
			m := twinMap(t, c.twin, BackendWasm, c.parameters)
			files, err := writeSources(t.TempDir(), []string{c.twin + ".v"}, func(name, text string) (string, error) {
				for _, e := range c.edits {
					if name == c.twin+".v" {
						require.Equal(t, 1, strings.Count(text, e[0]), e[0])
						text = strings.Replace(text, e[0], e[1], 1)
					}
				}
				return text, nil
			})
			require.NoError(t, err)
			m.Source.Files, m.Source.IncludeDirs, m.Build.Cache = files, []string{filepath.Dir(files[0])}, testCache
			r := runLockstep(t, m, LockstepOptions{})
			require.NotNil(t, r.Divergence, "longest stretch %d", r.LongestStretch)
			t.Logf("%s; found in cycle %d, %d cycles, %d ones", r.Divergence.Text, r.Divergence.Found.Cycle, r.Shown.Stimulus.Cycles(), r.Shown.Stimulus.ones())
			require.GreaterOrEqual(t, r.Divergence.Cycle, c.deep)
			require.GreaterOrEqual(t, r.LongestStretch, c.deep)
		})
	}
}

const lfsrLateSteps = 30_000

// TestScheduleHasStretchesOfAllLengths: whatever the length of a run, one stretch
// without reset is more than half of it, and there are short ones before and after.
func TestScheduleHasStretchesOfAllLengths(t *testing.T) {
	twin, err := FindTwin("lfsr")
	require.NoError(t, err)
	for _, cycles := range []uint64{64, 1000, 10_000, 100_000} {
		for seed := range uint64(8) {
			m := newTwinModel(t, twin, twin.Sets[0])
			s := NewSchedule(seed, cycles)
			var lengths []uint64
			length := uint64(0)
			for cycle := range cycles {
				m.Stimulate(s, cycle, m.Inputs())
				if m.get(m.reset) == 0 {
					length++
				} else if length > 0 {
					lengths = append(lengths, length)
					length = 0
				}
			}
			longest, decades := uint64(0), map[int]int{}
			for _, length := range append(lengths, length) {
				longest = max(longest, length)
				decades[len(fmt.Sprint(length))]++
			}
			require.Greater(t, longest, cycles/2, "%d cycles, seed %d: %v", cycles, seed, lengths)
			if cycles >= 1000 {
				for decade := 1; decade < len(fmt.Sprint(cycles)); decade++ {
					require.Positive(t, decades[decade], "%d cycles, seed %d: %v", cycles, seed, lengths)
				}
				require.Less(t, length, cycles/8, "a reset near the end shows what outlives one")
			}
		}
	}
}
