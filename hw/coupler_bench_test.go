package hw

import (
	"fmt"
	"testing"
)

// benchOptics lights every transmitter of a POPS(64,64), each on its own coupler.
func benchOptics(b *testing.B, delay int) *optics {
	o := newOptics(b, 64, 64, 64, delay, 1, 64, nil)
	for i := range o.lamps.rail1 {
		o.lamps.rail1[i], o.lamps.rail0[i] = 0xAAAA, 0x5555
		o.lamps.ports.Value[i] = uint16(i % 64)
	}
	run(o.kernel, 2*delay+1)
	o.kernel.DriveAndSettle()
	return o
}

func perPhit(b *testing.B, phits int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(phits), "ns/phit")
}

func BenchmarkStarCouplers(b *testing.B) {
	o := benchOptics(b, 0)
	shard := o.kernel.Shards()[0]
	for b.Loop() {
		o.couplers.Settle(shard)
	}
	perPhit(b, 4096)
}

func BenchmarkFibre(b *testing.B) {
	for _, delay := range []int{1, 16} {
		b.Run(fmt.Sprintf("delay=%d", delay), func(b *testing.B) {
			o := benchOptics(b, delay)
			shard := o.kernel.Shards()[0]
			for b.Loop() {
				o.fibre.Drive(shard)
				o.fibre.Latch(shard)
			}
			perPhit(b, 4096)
		})
	}
}
