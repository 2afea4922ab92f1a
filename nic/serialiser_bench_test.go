package nic

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

// BenchmarkLink sends frames from every transmitter (or few of many) over the
// whole chain and reports the processor time per phit that a transmitter sends.
func BenchmarkLink(b *testing.B) {
	for _, c := range []struct{ d, g, senders int }{{16, 16, 256}, {64, 64, 4096}, {64, 64, 16}} {
		b.Run(fmt.Sprintf("POPS(%d,%d)/senders=%d", c.d, c.g, c.senders), func(b *testing.B) {
			l := newLink(b,
				linkConfig{d: c.d, g: c.g, phitBits: 64, payloadBytes: 16, propagation: 1, guard: 1, unitsPerShard: max(1, c.g/8)})
			n := c.d * c.g
			frame := makeFrame(rand.New(rand.NewPCG(1, 0)), 0, 16)
			for cell := range n {
				l.hear(cell, cell%c.g)
			}
			slot := uint32(0)
			start := cpuTime()
			for b.Loop() {
				for i := range c.senders {
					cell := i * (n / c.senders)
					l.tx.Load(cell, frame, uint16((cell+int(slot))%c.g))
				}
				l.runSlot(slot)
				slot++
			}
			b.ReportMetric(float64((cpuTime()-start).Nanoseconds())/float64(b.N)/float64(c.senders*l.timing.FramePhits), "ns/phit")
		})
	}
}

// cpuTime returns the processor time of this process.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func BenchmarkSerialisers(b *testing.B) {
	l := newLink(b, linkConfig{d: 64, g: 64, phitBits: 64, payloadBytes: 16, guard: 1, unitsPerShard: 64})
	shard := l.kernel.Shards()[0]
	frame := makeFrame(rand.New(rand.NewPCG(1, 0)), 0, 16)
	for cell := range 4096 {
		l.tx.Load(cell, frame, 0)
	}
	l.endSlot()
	for b.Loop() {
		l.tx.Drive(shard)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/phit")
}

// BenchmarkDeserialisers is one receiver per phit on 4096 lit couplers.
func BenchmarkDeserialisers(b *testing.B) {
	l := newLink(b, linkConfig{d: 64, g: 64, phitBits: 64, payloadBytes: 16, guard: 1, unitsPerShard: 64})
	shard := l.kernel.Shards()[0]
	frame := makeFrame(rand.New(rand.NewPCG(1, 0)), 0, 16)
	for cell := range 4096 {
		l.tx.Load(cell, frame, uint16(cell%64))
		l.hear(cell, cell%64)
	}
	l.endSlot()
	l.kernel.DriveAndSettle()
	for b.Loop() {
		l.rx.Latch(shard)
		l.rx.EndSlot(0)
		l.rx.Latch(shard)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/phit")
}
