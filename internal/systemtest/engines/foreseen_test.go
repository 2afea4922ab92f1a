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

// TestForeseenAfterRestore: a machine that has run further with another seed predicts nothing of its own run after a
// state is restored.
func TestForeseenAfterRestore(t *testing.T) {
	s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {pops: {groups: 4, group_size: 4}}\n"+
		"firmware: {program: pops/traffic}\nworkload: {traffic: {rate: 0.05, measure: 300}}\n"))
	require.NoError(t, err)
	options := starloom.MachineOptions{Engine: starloom.EngineCycle}
	wanted, m := systemtest.Machine(t, s, options), systemtest.Machine(t, s, options)
	require.NoError(t, wanted.Reset(2))
	for range 3 {
		require.NoError(t, wanted.Step())
	}
	var state bytes.Buffer
	require.NoError(t, wanted.Save(&state))
	for range 40 {
		require.NoError(t, m.Step())
	}
	require.NoError(t, m.Restore(&state))
	for range 37 {
		require.NoError(t, wanted.Step())
		require.NoError(t, m.Step())
		var a, b bytes.Buffer
		require.NoError(t, wanted.Save(&a))
		require.NoError(t, m.Save(&b))
		require.True(t, bytes.Equal(a.Bytes(), b.Bytes()), "slot %d", m.Slots())
	}
}
