package starloom

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkScale routes one random permutation on POPS(g,g) from the scenario to
// the verdict, on all cores: building the machine is part of it. `make bench-scale`
// runs it beside the C++ baseline and with the peak of memory.
func BenchmarkScale(b *testing.B) {
	for _, groups := range []int{1024, 4096} {
		for _, runtime := range []string{"compiler", "native"} {
			b.Run(fmt.Sprintf("%s/n=%d", runtime, groups*groups), func(b *testing.B) {
				for b.Loop() {
					start := time.Now()
					m, err := NewMachine(context.Background(), routerScenario("pops/random", groups, groups), MachineOptions{Engine: EngineSlot, Runtime: runtime})
					require.NoError(b, err)
					built := time.Since(start)
					require.NoError(b, m.Run(context.Background(), nil))
					require.Equal(b, VerdictPass, m.Report().Verdict)
					b.ReportMetric(built.Seconds(), "build-s")
					b.ReportMetric(time.Since(start).Seconds(), "wall-s")
					require.NoError(b, m.Close())
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
