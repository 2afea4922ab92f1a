package starloom

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkSlot measures one processor and slot of the slot engine, wall time on
// one worker, for pops/random under a random permutation:
//
//	banked    the image in the sandbox, one instance per bank
//	native    the same firmware in Go over the same ABI
//	isolated  one instance per processor (to 65,536)
//
// The sandbox's price is banked divided by native.
func BenchmarkSlot(b *testing.B) {
	for _, groups := range []int{64, 256, 1024} {
		for _, kind := range []string{"banked", "native", "isolated"} {
			n := groups * groups
			if kind == "isolated" && n > 65536 {
				continue
			}
			b.Run(fmt.Sprintf("%s/n=%d", kind, n), func(b *testing.B) {
				s := popsRow{groups: groups}.scenario()
				o := MachineOptions{Engine: EngineSlot, Workers: 1}
				switch kind {
				case "native":
					o.Runtime = "native"
				case "isolated":
					s.Firmware.Mode = ModeIsolated
				}
				m, err := NewMachine(context.Background(), s, o)
				require.NoError(b, err)
				defer func() { require.NoError(b, m.Close()) }()
				slots := 0
				for seed := uint64(1); b.Loop(); seed++ {
					b.StopTimer()
					m.Reset(seed)
					b.StartTimer()
					require.NoError(b, m.Run(context.Background(), nil))
					slots += int(m.Slots())
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(slots)/float64(n), "ns/processor-slot")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
