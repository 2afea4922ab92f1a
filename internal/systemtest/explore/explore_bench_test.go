package explore

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/emulator"
	"starloom/internal/explore"
	"starloom/internal/inside"
)

// BenchmarkExplore reports transitions per second and states.
//
//	go test -bench Explore ./internal/systemtest/explore
func BenchmarkExplore(b *testing.B) {
	image, err := alternatingBit()
	require.NoError(b, err)
	bit := fmt.Sprintf("starloom: 1\nfabric: {bus: {vertices: 4, buses: [[0, 1, 2, 3]], arbiter: fixed}}\n"+
		"firmware: {image: %s, params: {packets: 30}}\nstop: {slots: 200}\n", image)
	scatter := "starloom: 1\nfabric: {crossbar: {ports: 32}}\nfirmware: {program: scatter/sync}\n" +
		"workload: {scatter: {origin: 0}}\nstop: {slots: 100}\n"
	mesh := "starloom: 1\nfabric: {netlist: {mesh: {k: [4, 4]}, router: {vcs: 2, depth: 4}}}\n" +
		"firmware: {program: netlist/direct}\nstop: {slots: 30}\n"
	for _, x := range []struct{ name, scenario, faults, engine string }{
		{"bit/8 drops", bit, "{drop: 8}", emulator.EngineSlot},
		{"bit/20 drops", bit, "{drop: 20}", emulator.EngineSlot},
		{"bit/cycle engine", bit, "{drop: 8}", emulator.EngineCycle},
		{"scatter of 32/3 drops", scatter, "{drop: 3}", emulator.EngineSlot},
		{"mesh of 4x4/1 restart", mesh, "{restart: 1}", emulator.EngineCycle},
	} {
		s, err := starloom.ParseScenario("", []byte(x.scenario),
			starloom.Assignment{Key: "explore.faults", Value: x.faults})
		require.NoError(b, err)
		c, err := inside.Config(s)
		require.NoError(b, err)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d workers", x.name, workers), func(b *testing.B) {
				var steps uint64
				states := 0
				for range b.N {
					r, err := explore.Of(b.Context(), c, *s.Explore, explore.Options{Engine: x.engine, Workers: workers})
					require.NoError(b, err)
					steps, states = steps+r.Counts.Transitions, r.Counts.States
				}
				b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "transitions/s")
				b.ReportMetric(float64(states), "states")
			})
		}
	}
}
