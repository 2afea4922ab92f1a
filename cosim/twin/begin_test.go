package twin_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	. "starloom/cosim/twin"
	"starloom/hw"
)

// TestBanksBeginInReset checks that a built, a reset and a restored component have the same state and outputs,
// independent of their earlier states.
func TestBanksBeginInReset(t *testing.T) {
	const seed, cycles = 5, 60
	forTwins(t, func(t *testing.T, twin Twin) {
		for _, p := range twin.Sets {
			m := newTestModel(t, twin, p)
			begun, shown := kernelState(t, m), probesOf(m)
			outputs := append([]uint64(nil), m.Outputs()...)
			record(t, m, seed, 0, cycles)
			m.Kernel().Reset()
			m.Kernel().BeforeCycle0()
			require.Equal(t, begun, kernelState(t, m), "%s after Reset", p.Text())
			clear(m.Inputs())
			require.NoError(t, m.Settle())
			require.Equal(t, shown, probesOf(m), "%s after Reset", p.Text())
			require.Equal(t, outputs, m.Outputs(), "%s after Reset", p.Text())

			record(t, m, seed, 0, cycles)
			require.NoError(t, hw.Restore(bytes.NewReader(begun), m.Kernel()))
			require.Equal(t, begun, kernelState(t, m), "%s after Restore", p.Text())
			clear(m.Inputs())
			require.NoError(t, m.Settle())
			require.Equal(t, shown, probesOf(m), "%s after Restore", p.Text())
		}
	})
}

func kernelState(t *testing.T, m *Model) []byte {
	var b bytes.Buffer
	require.NoError(t, hw.Save(&b, m.Kernel()))
	return b.Bytes()
}

func probesOf(m *Model) map[string]uint64 {
	values := map[string]uint64{}
	note := func(p hw.Probe) { values[p.Path] = p.Value() }
	hw.Collect(m.Kernel())
	m.Kernel().Probes(note)
	m.Kernel().Cells(note)
	return values
}
