package lockstep

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// TestCoverageGaps: bits and events that no cycle without reset has shown.
func TestCoverageGaps(t *testing.T) {
	tw, err := twin.Find(twin.All(), "star_coupler")
	require.NoError(t, err)
	m, err := tw.New(twin.Parameters{"D": 2, "PHIT_BITS": 4})
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

	tw, err = twin.Find(twin.All(), "lfsr")
	require.NoError(t, err)
	m, err = tw.New(twin.Parameters{"SEED": 1})
	require.NoError(t, err)
	defer m.Close()
	c = newCoverage(m)
	c.see([]uint64{1, 1})
	c.see([]uint64{0, 0})
	c.begin()
	c.see([]uint64{1, 0})
	require.Equal(t, "enable_i never 1; reset never again after the first cycles", GapsText(c.Gaps()), "what stands at reset does not count")
}

// TestFaultOfASimulator is not one of the RTL.
func TestFaultOfASimulator(t *testing.T) {
	var tool *cosim.ToolError
	_, err := faultIn(3, &cosim.Fault{Kind: cosim.FaultDied, Tool: "vvp", Text: "signal: killed"})
	require.ErrorAs(t, err, &tool)
	require.NotContains(t, tool.Error(), "accepts the source", "it has done so")
}
