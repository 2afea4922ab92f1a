package engines

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
	"starloom/nic"
)

// cycleNetworks are what BenchmarkCycle runs: a load of each fabric, in one shard.
func cycleNetworks(b *testing.B) []struct {
	name string
	s    *starloom.Scenario
} {
	parsed := func(text string) *starloom.Scenario {
		s, err := starloom.ParseScenario("benchmark.yaml", []byte("starloom: 1\nname: benchmark\n"+text))
		require.NoError(b, err)
		return s
	}
	return []struct {
		name string
		s    *starloom.Scenario
	}{
		{"n=256", systemtest.Routing(16, 16)},
		{"n=4096", systemtest.Routing(64, 64)},
		{"crossbar=64", parsed("fabric: {crossbar: {ports: 64}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: pipelined}}\n")},
		{"crossbar=256,queue", parsed("fabric: {crossbar: {ports: 256}}\nfirmware: {program: scatter/sync}\nworkload: {scatter: {origin: 0}}\n")},
		{"bus=1000", parsed("fabric: {bus: {vertices: 1000, length: 10}}\nfirmware: {program: bus/two-phase}\n")},
		{"bus=16,arbiter", parsed("fabric: {bus: {vertices: 16, buses: [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]], arbiter: round_robin}}\n" +
			"firmware: {program: bus/sensors, params: {period: 20, spread: 1, readings: 100}}\n")},
		{"ej=1369", parsed("fabric: {ej: {a: 3, b: 4, dimensions: 2}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}\n")},
		{"ej=49,all", parsed("fabric: {ej: {a: 1, b: 2, dimensions: 2}}\nfirmware: {program: ej/all-to-all-c1}\nworkload: {all_to_all: {}}\n")},
	}
}

// BenchmarkCycle measures the cycle engine per phit that crosses the fabric,
// handlers and boundaries included: processor time, one worker.
func BenchmarkCycle(b *testing.B) {
	for _, c := range cycleNetworks(b) {
		b.Run(c.name, func(b *testing.B) {
			const seeds = 4
			var sent [seeds]uint64
			for seed := range sent {
				sent[seed] = countPhits(b, c.s, uint64(seed))
			}
			m := systemtest.Machine(b, c.s, starloom.MachineOptions{Engine: starloom.EngineCycle, Workers: 1})
			phits, spent := uint64(0), time.Duration(0)
			for k := 0; b.Loop(); k++ {
				b.StopTimer()
				require.NoError(b, m.Reset(uint64(k%seeds)))
				b.StartTimer()
				start := systemtest.CpuTime(b)
				require.NoError(b, m.Run(context.Background(), nil))
				spent += systemtest.CpuTime(b) - start
				phits += sent[k%seeds]
			}
			b.ReportMetric(float64(spent.Nanoseconds())/float64(phits), "ns/phit")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// countPhits returns the phits that NICs send in a run.
func countPhits(b *testing.B, s *starloom.Scenario, seed uint64) (phits uint64) {
	own := *s
	own.Seed = seed
	m := systemtest.Captured(b, &own, starloom.MachineOptions{Engine: starloom.EngineSlot})
	require.NoError(b, m.Run(context.Background(), func() error {
		for i := range inside.Machine(m).Shards {
			for _, sent := range inside.Machine(m).Shards[i].Ledger.Sent {
				phits += uint64(nic.Phits(len(sent.Frame), m.Timing().PhitBits))
			}
		}
		return nil
	}))
	return phits
}
