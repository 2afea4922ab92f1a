package engines

import (
	"context"
	"fmt"
	"testing"

	"starloom"
	"starloom/internal/inside"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// BenchmarkSlot measures the slot engine per processor and slot, on one worker,
// for pops/random under random permutations:
//
//	banked    the image in the sandbox, one instance per bank
//	native    the same firmware in Go over the same ABI
//	isolated  the image, one instance per processor (to 65,536); isolated:banked is the ratio of medians, and
//	          isolated:banked-mark the largest that is a goal with 65,536
//
// It is processor time, of which a busy machine takes a little more. Every round runs each kind
// once with the same seed, so that all of them pay; the figures are medians over the rounds, and banked:native,
// the price of the sandbox, is the median of the rounds' ratios.
func BenchmarkSlot(b *testing.B) {
	for _, groups := range []int{64, 256, 1024} {
		n := groups * groups
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			banked := benchMachine(b, groups, starloom.ModeBanked, "compiler")
			native := benchMachine(b, groups, starloom.ModeBanked, "native")
			var isolated *starloom.Machine
			if n <= 65536 {
				isolated = benchMachine(b, groups, starloom.ModeIsolated, "compiler")
			}
			var bankedNS, nativeNS, isolatedNS, ratios []float64
			for seed := uint64(1); b.Loop(); seed++ {
				wasm, plain := timeRun(b, banked, seed), timeRun(b, native, seed)
				bankedNS, nativeNS, ratios = append(bankedNS, wasm), append(nativeNS, plain), append(ratios, wasm/plain)
				if isolated != nil && seed%4 == 1 {
					isolatedNS = append(isolatedNS, timeRun(b, isolated, seed))
				}
			}
			b.ReportMetric(systemtest.Median(bankedNS), "banked-ns")
			b.ReportMetric(systemtest.Median(nativeNS), "native-ns")
			b.ReportMetric(systemtest.Median(ratios), "banked:native")
			if isolated != nil {
				b.ReportMetric(systemtest.Median(isolatedNS), "isolated-ns")
				b.ReportMetric(systemtest.Median(isolatedNS)/systemtest.Median(bankedNS), "isolated:banked")
				b.ReportMetric(isolatedMark, "isolated:banked-mark")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

const isolatedMark = 22

func benchMachine(b *testing.B, groups int, mode, runtime string) *starloom.Machine {
	s := systemtest.RouterScenario("pops/random", groups, groups)
	s.Firmware.Mode = mode
	return systemtest.Machine(b, s, starloom.MachineOptions{Engine: starloom.EngineSlot, Workers: 1, Runtime: runtime})
}

// timeRun returns the nanoseconds per processor and slot of one run.
func timeRun(b *testing.B, m *starloom.Machine, seed uint64) float64 {
	require.NoError(b, m.Reset(seed))
	start := systemtest.CpuTime(b)
	require.NoError(b, m.Run(context.Background(), nil))
	return float64((systemtest.CpuTime(b) - start).Nanoseconds()) / float64(m.Slots()) / float64(
		inside.Machine(m).Shape.Processors())
}
