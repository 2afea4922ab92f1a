package engines

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// TestMachinesBeginInReset checks that a new machine, a reset one, and one restored to its state before slot 0 have
// equal states after any earlier run, for every bank of every kind of network, in both engines. cosim/twin has the
// same test for hardware alone.
func TestMachinesBeginInReset(t *testing.T) {
	scenarios := map[string]*starloom.Scenario{"streams": systemtest.RoutedExchange(t, "")}
	for name := range systemtest.Unequal {
		if name != "routers" { // packets alone
			scenarios[name] = systemtest.WithRTL(systemtest.UnequalScenario(t, name, ""))
		}
	}
	for _, name := range []string{"faults-each", "metered", "ej-credits", "gossip-cap-matrix", "scatter-sync", "traffic-queue",
		"traffic-sizes", "traffic-bus-tdma", "voting-median"} {
		if _, ok := systemtest.AllFrozen()[name]; ok {
			scenarios[name] = systemtest.FrozenScenario(t, name)
		}
	}
	require.Greater(t, len(scenarios), 14)
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		for _, engine := range []string{starloom.EngineCycle, starloom.EngineSlot} {
			if name == "streams" && engine == starloom.EngineSlot {
				continue
			}
			m := systemtest.Machine(t, scenarios[name], starloom.MachineOptions{Engine: engine})
			state := func() []byte {
				var b bytes.Buffer
				require.NoError(t, m.Save(&b))
				return b.Bytes()
			}
			begun := state()
			run := func() {
				for range 5 {
					require.NoError(t, m.Step())
				}
			}
			run()
			require.NotEqual(t, begun, state())
			require.NoError(t, m.Reset(scenarios[name].Seed))
			requireSameState(t, begun, state(), name+", "+engine+": after Reset")
			run()
			require.NoError(t, m.Restore(bytes.NewReader(begun)))
			requireSameState(t, begun, state(), name+", "+engine+": after Restore")
		}
	}
}

// requireSameState names the column in which two states differ.
func requireSameState(t *testing.T, want, got []byte, of string) {
	t.Helper()
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	if at < max(len(want), len(got)) {
		names := regexp.MustCompile(`[a-z]+(\[\d+\])?(\.[a-z_]+(\[\d+\])?)+`).FindAllString(string(want[:at]), -1)
		require.Fail(t, of, "the column %s differs", names[len(names)-1])
	}
}
