package lockstep

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// TestCoverageGaps checks the list of bits and events that no cycle without reset has shown.
func TestCoverageGaps(t *testing.T) {
	tw, err := twin.Find(twin.All(), "star_coupler")
	require.NoError(t, err)
	m, err := tw.New(twin.Parameters{"D": 2, "PHIT_BITS": 4})
	require.NoError(t, err)
	defer m.Close()
	c := newCoverage(m)
	see := func(c *Coverage, m *twin.Model, inputs ...uint64) {
		copy(m.Inputs(), inputs)
		require.NoError(t, m.Settle())
		c.see()
	}
	see(c, m, 0x3f, 0)
	see(c, m, 0xc3, 0xff)
	see(c, m, 0, 0)
	require.Equal(t, "rail1_i never lit by two senders at once in bits [3:2] of a phit", GapsText(c.Gaps()[:1]))
	other := newCoverage(m)
	see(other, m, 0xcc, 0)
	c.Add(other)
	require.Equal(t, "", GapsText(c.Gaps()))

	tw, err = twin.Find(twin.All(), "lfsr")
	require.NoError(t, err)
	m, err = tw.New(twin.Parameters{"SEED": 1})
	require.NoError(t, err)
	defer m.Close()
	c = newCoverage(m)
	see(c, m, 1, 1)
	see(c, m, 0, 0)
	c.begin()
	see(c, m, 1, 0)
	require.Equal(t, "enable_i never 1; reset never again after the first cycles", GapsText(c.Gaps()), "what stands at reset does not count")
}

// TestFaultOfASimulator checks that a failed simulator is not a fault of the RTL.
func TestFaultOfASimulator(t *testing.T) {
	var tool *cosim.ToolError
	_, err := faultIn(3, &cosim.Fault{Kind: cosim.FaultDied, Tool: "vvp", Text: "signal: killed"})
	require.ErrorAs(t, err, &tool)
	require.NotContains(t, tool.Error(), "accepts the source", "it has done so")
}

// TestCoverageOfPairs checks that strobes that never coincide and requests that never return are named even if many
// bits never toggle, and are not named once they have happened.
func TestCoverageOfPairs(t *testing.T) {
	for _, c := range []struct {
		name       string
		parameters twin.Parameters
		before     [][]uint64 // inputs by cycle, beginning with reset
		gap        string
		then       [][]uint64 // inputs that fill the gap
	}{
		{"credit_counter", twin.Parameters{"DEPTH": 4}, [][]uint64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 0}}, "take_i never with give_i in the same cycle", [][]uint64{{0, 1, 1}}},
		{"fifo", twin.Parameters{"DEPTH": 2, "WIDTH": 8, "COUNT_BITS": 8}, [][]uint64{{1, 0, 0, 0}, {0, 1, 7, 0}, {0, 0, 0, 1}, {0, 1, 7, 0}, {0, 1, 7, 0}},
			"push_i never with pop_i in the same cycle when it is full", [][]uint64{{0, 1, 7, 1}}},
		{"arbiter_round_robin", twin.Parameters{"REQUESTERS": 8}, [][]uint64{{1, 0}, {0, 3}, {0, 3}, {0, 2}, {0, 2}, {0, 1}, {0, 1}, {0, 0}, {0, 0}, {0, 1}, {0, 1}, {0, 0}, {0, 0}, {0, 6}, {0, 0}},
			"request_i never by the same requester again, beside another, when there is no " +
				"holder", [][]uint64{{0, 3}, {0, 2}, {0, 0}, {0, 6}}},
		{"bus", twin.Parameters{"TAPS": 3, "PHIT_BITS": 1, "ARBITER": 1, "KIND": 2, "SLICE_CYCLES": 1}, [][]uint64{{1, 0}, {0, 1}, {0, 1}},
			"request_i never by another requester in the cycle in which the holder releases", [][]uint64{{0, 2}}},
	} {
		tw, err := twin.Find(twin.All(), c.name)
		require.NoError(t, err)
		m, err := tw.New(c.parameters)
		require.NoError(t, err)
		coverage := newCoverage(m)
		run := func(cycles [][]uint64) string {
			for _, inputs := range cycles {
				copy(m.Inputs(), inputs)
				require.NoError(t, m.Settle())
				coverage.see()
				m.Latch()
			}
			return GapsText(coverage.Gaps())
		}
		require.Contains(t, run(c.before), c.gap, c.name)
		require.NotContains(t, run(c.then), c.gap, c.name)
		require.NoError(t, m.Close())
	}
}
