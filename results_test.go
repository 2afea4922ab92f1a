package starloom

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/pops"
	"starloom/firmware"
)

// TestResults: results of an image are in the report of any network, however the machine is cut;
// one more than a processor may give in a slot is a trap.
func TestResults(t *testing.T) {
	image := filepath.Join(t.TempDir(), "results.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/firmware/results.c", Output: image}))
	s := DefaultScenario()
	s.Fabric.POPS = &pops.Network{Groups: 3, GroupSize: 1}
	s.Firmware.Image = image
	var digests []string
	for _, o := range []MachineOptions{{Engine: EngineSlot}, {Engine: EngineCycle, BankSize: 1, Workers: 2}} {
		m, err := NewMachine(t.Context(), s, o)
		require.NoError(t, err)
		defer m.Close()
		require.NoError(t, m.Run(t.Context(), nil))
		report := m.Report()
		const high = 1 << 63
		require.Equal(t, [][3]uint64{
			{0, 0, high}, {0, 1, high}, {0, 2, high}, {0, 7, 2},
			{1, 0, high | 1}, {1, 1, high | 1}, {1, 2, high | 1}, {1, 7, 1021},
			{2, 0, high | 2}, {2, 1, high | 2}, {2, 2, high | 2}, {2, 7, 2},
		}, report.Metrics.Get("results"))
		require.Len(t, report.Violations, 1)
		require.Equal(t, RuleTrap, report.Violations[0].Rule)
		require.Contains(t, report.Violations[0].Message, "more than 1024 results of one processor in one slot")
		digests = append(digests, report.Digest)
	}
	require.Equal(t, digests[0], digests[1])
}
