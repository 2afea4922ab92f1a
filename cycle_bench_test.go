package starloom

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/nic"
)

// BenchmarkCycle measures the cycle engine per phit that crosses the fabric,
// handlers and boundaries included: processor time, one worker.
func BenchmarkCycle(b *testing.B) {
	for _, groups := range []int{16, 64} {
		b.Run(fmt.Sprintf("n=%d", groups*groups), func(b *testing.B) {
			s := routing(groups, groups)
			const seeds = 4
			var sent [seeds]uint64
			for seed := range sent {
				sent[seed] = countPhits(b, s, uint64(seed))
			}
			m := machine(b, s, MachineOptions{Engine: EngineCycle, Workers: 1})
			phits, spent := uint64(0), time.Duration(0)
			for k := 0; b.Loop(); k++ {
				b.StopTimer()
				require.NoError(b, m.Reset(uint64(k%seeds)))
				b.StartTimer()
				start := cpuTime(b)
				require.NoError(b, m.Run(context.Background(), nil))
				spent += cpuTime(b) - start
				phits += sent[k%seeds]
			}
			b.ReportMetric(float64(spent.Nanoseconds())/float64(phits), "ns/phit")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// countPhits returns the phits that NICs send in a run.
func countPhits(b *testing.B, s *Scenario, seed uint64) (phits uint64) {
	own := *s
	own.Seed = seed
	m := captured(b, &own, MachineOptions{Engine: EngineSlot})
	require.NoError(b, m.Run(context.Background(), func() error {
		for i := range m.shards {
			for _, sent := range m.shards[i].ledger.Sent {
				phits += uint64(nic.Phits(len(sent.Frame), m.timing.PhitBits))
			}
		}
		return nil
	}))
	return phits
}
