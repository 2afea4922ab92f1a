package engines

import (
	"fmt"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// BenchmarkMetering measures what counting costs a whole emulation: pops/random in the slot engine
// on one worker, without a model, with the model unit, and with a budget that all handlers meet.
// Every round runs each once with the same seed, and the first twice; the figures are medians of the rounds' ratios.
func BenchmarkMetering(b *testing.B) {
	for _, groups := range []int{64, 1024} {
		b.Run(fmt.Sprintf("n=%d", groups*groups), func(b *testing.B) {
			metered := func(cpu starloom.CPU) *starloom.Machine {
				s := systemtest.RouterScenario("pops/random", groups, groups)
				s.Firmware.CPU = cpu
				return systemtest.Machine(b, s, starloom.MachineOptions{Engine: starloom.EngineSlot, Workers: 1})
			}
			machines := []*starloom.Machine{metered(starloom.CPU{}), metered(starloom.CPU{Model: "unit"}), metered(starloom.CPU{Model: "unit", BudgetCycles: 1 << 16})}
			var plain, again, counted, budgeted []float64
			for seed := uint64(1); b.Loop(); seed++ {
				var ns [4]float64
				for k, m := range []int{0, 1, 0, 2} { // a machine that has just run is in the caches
					ns[k] = timeRun(b, machines[m], seed)
				}
				again = append(again, ns[2]/ns[0])
				plain, counted, budgeted = append(plain, ns[0]), append(counted, ns[1]/ns[0]), append(budgeted, ns[3]/ns[0])
			}
			for _, m := range machines[1:] {
				require.Equal(b, machines[0].Report().Digest, m.Report().Digest)
			}
			b.ReportMetric(systemtest.Median(plain), "plain-ns")
			b.ReportMetric(systemtest.Median(again), "plain:plain")
			b.ReportMetric(systemtest.Median(counted), "metered:plain")
			b.ReportMetric(systemtest.Median(budgeted), "budget:plain")
			b.ReportMetric(0, "ns/op")
		})
	}
}
