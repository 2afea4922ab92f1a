package explore

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/explore"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// BenchmarkExplore reports transitions per second of processor time, states, and the largest heap after a slot. It
// takes the processor time of all threads without that of building the machines, so figures hold on a loaded machine.
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
	gossip, err := os.ReadFile("examples/rtl/gossip-4.yaml")
	require.NoError(b, err)
	for _, x := range []struct{ name, scenario, faults, engine string }{
		{"bit/8 drops", bit, "{drop: 8}", emulator.EngineSlot},
		{"bit/20 drops", bit, "{drop: 20}", emulator.EngineSlot},
		{"bit/cycle engine", bit, "{drop: 8}", emulator.EngineCycle},
		{"scatter of 32/3 drops", scatter, "{drop: 3}", emulator.EngineSlot},
		{"mesh of 4x4/3 pauses", mesh, "{clock_pause: 3}", emulator.EngineCycle},
		{"RTL arbiters/1 drop", string(gossip), "{drop: 1}", emulator.EngineCycle},
	} {
		s, err := starloom.ParseScenario("examples/rtl/gossip-4.yaml", []byte(x.scenario),
			starloom.Assignment{Key: "explore.faults", Value: x.faults})
		require.NoError(b, err)
		c, err := inside.Config(s)
		require.NoError(b, err)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d workers", x.name, workers), func(b *testing.B) {
				benchmarkExplore(b, c, *s.Explore, explore.Options{Engine: x.engine, Workers: workers})
			})
		}
	}
}

func benchmarkExplore(b *testing.B, c *config.Config, bounds explore.Bounds, o explore.Options) {
	var steps, heap uint64
	states, searching := 0, time.Duration(0)
	for range b.N {
		began, started := time.Duration(0), false
		o.Progress = func(explore.Progress) {
			if !started { // after the first slot, when all machines are built
				began, started = systemtest.CpuTime(b), true
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			heap = max(heap, m.HeapInuse)
		}
		r, err := explore.Of(b.Context(), c, bounds, o)
		require.NoError(b, err)
		searching += systemtest.CpuTime(b) - began
		steps, states = steps+r.Counts.Transitions, r.Counts.States
	}
	b.ReportMetric(float64(steps)/searching.Seconds(), "transitions/cpu-s")
	b.ReportMetric(searching.Seconds()/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(states), "states")
	b.ReportMetric(float64(heap>>20), "MiB-heap")
}
