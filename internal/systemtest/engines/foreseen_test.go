package engines

import (
	"bytes"
	"testing"

	"starloom"
	"starloom/internal/inside"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// TestForeseen: the state of a machine is, slot by slot, that of one whose every cycle is watched, in which each phit
// is decoded.
func TestForeseen(t *testing.T) {
	for _, name := range []string{
		"pops-16x16", "pops-traffic", "gossip", "crossbar-traffic", "bus-gossip", "bus-sensors", "ej-broadcast", "ej-traffic",
		"netlist", "netlist-hypercube-of-buses", "netlist-torus",
	} {
		t.Run(name, func(t *testing.T) {
			foreseen := 0
			for _, phitBits := range []int{64, 13} {
				s, err := starloom.LoadScenario("examples/" + name + ".yaml")
				require.NoError(t, err)
				s.Link.PhitBits = phitBits
				m, watched := systemtest.Machine(t, s,
					starloom.MachineOptions{Engine: starloom.EngineCycle}), systemtest.Machine(t, s,
					starloom.MachineOptions{Engine: starloom.EngineCycle})
				require.NoError(t, watched.Watch(func(uint64) error { return nil }))
				for !m.Ended() && m.Slots() < 20 {
					require.NoError(t, m.Step())
					require.NoError(t, watched.Step())
					var state, want bytes.Buffer
					require.NoError(t, m.Save(&state))
					require.NoError(t, watched.Save(&want))
					require.True(t, bytes.Equal(want.Bytes(), state.Bytes()), "phits of %d bits, after slot %d", phitBits, m.Slots())
					if inside.Machine(m).Plant.Foreseen() {
						foreseen++
					}
					require.False(t, inside.Machine(watched).Plant.Foreseen())
				}
			}
			require.Positive(t, foreseen)
		})
	}
}
