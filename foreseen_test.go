package starloom

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestForeseen: the state of a machine is, slot by slot, that of one whose every cycle is watched, in which each phit is decoded.
func TestForeseen(t *testing.T) {
	for _, name := range []string{
		"pops-16x16", "pops-traffic", "gossip", "crossbar-traffic", "bus-gossip", "bus-sensors", "ej-broadcast", "ej-traffic",
		"netlist", "netlist-hypercube-of-buses", "netlist-torus",
	} {
		t.Run(name, func(t *testing.T) {
			foreseen := 0
			for _, phitBits := range []int{64, 13} {
				s, err := LoadScenario("examples/" + name + ".yaml")
				require.NoError(t, err)
				s.Link.PhitBits = phitBits
				m, watched := machine(t, s, MachineOptions{Engine: EngineCycle}), machine(t, s, MachineOptions{Engine: EngineCycle})
				require.NoError(t, watched.Watch(func(uint64) error { return nil }))
				for !m.Ended() && m.Slots() < 20 {
					require.NoError(t, m.Step())
					require.NoError(t, watched.Step())
					var state, want bytes.Buffer
					require.NoError(t, m.Save(&state))
					require.NoError(t, watched.Save(&want))
					require.True(t, bytes.Equal(want.Bytes(), state.Bytes()), "phits of %d bits, after slot %d", phitBits, m.Slots())
					if m.own.Plant.Foreseen() {
						foreseen++
					}
					require.False(t, watched.own.Plant.Foreseen())
				}
			}
			require.Positive(t, foreseen)
		})
	}
}
