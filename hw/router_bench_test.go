package hw

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkMesh measures flit-hops per second on meshes with uniform one-flit packets that exist at the start,
// relative to the C++ yardstick on the same packets, and of two workers relative to one; every packet must be equal.
// The last mesh has two or three packets in flight, for the cost of idle routers. Each ratio is shown with its
// minimum.
func BenchmarkMesh(b *testing.B) {
	yardstick := buildYardstick(b)
	for _, c := range []struct {
		k, workers, cycles int
		load, atLeast      float64 // minimum relative to the yardstick; minimum relative to one worker
	}{{8, 1, 20_000, 0.2, 0.5}, {8, 1, 20_000, 0.36, 0.5}, {32, 1, 2000, 0.08, 0.4}, {32, 2, 2000, 0.08, 1.5},
		{64, 1, 5000, 2.5e-6, 2}} {
		b.Run(fmt.Sprintf("%dx%d/load=%v/workers=%d", c.k, c.k, c.load, c.workers), func(b *testing.B) {
			config := RouterConfig{VCs: 4, Depth: 8, RoutingDelay: 1}
			build := func(workers int) (run func() (time.Duration, *Packets)) {
				packets := uniformPackets(c.k*c.k, c.cycles, c.load)
				k, n := newTestNetwork(b, mesh(c.k, 2), config, packets, RoutersPerShard, workers)
				return func() (time.Duration, *Packets) {
					k.Reset()
					begin := time.Now()
					runNetwork(k, n)
					return time.Since(begin), packets
				}
			}
			run, alone := build(c.workers), build(1)
			ours, one, theirs, hops := time.Duration(0), time.Duration(0), 0.0, 0.0
			for range b.N { // alternating, so that other load affects all
				took, packets := run()
				ours += took
				if c.workers > 1 {
					took, other := alone()
					require.Equal(b, packets.Received, other.Received)
					one += took
				}
				theirs += runYardstick(b, yardstick, packets, fmt.Sprintf("k=%d", c.k), "num_vcs=4", "vc_buf_size=8")
				hops += sumHops(packets)
			}
			b.ReportMetric(hops/ours.Seconds()/1e6, "Mflit-hops/s")
			b.ReportMetric(hops/theirs/1e6, "yardstick-Mflit-hops/s")
			b.ReportMetric(theirs/ours.Seconds(), "of-yardstick")
			if c.workers > 1 {
				b.ReportMetric(one.Seconds()/ours.Seconds(), "of-one-worker")
			}
			b.ReportMetric(c.atLeast, "at-least")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func sumHops(p *Packets) (sum float64) {
	for i, hops := range p.Hops {
		sum += float64(hops) * float64(p.Size[i])
	}
	return sum
}

func uniformPackets(nodes, cycles int, load float64) *Packets {
	p := &Packets{}
	stream := NewStream(7, PurposeTraffic)
	for cycle := range uint32(cycles) {
		for node := range uint32(nodes) {
			if float64(stream.Draw(node, cycle, 0)) < load*(1<<32) {
				p.Add(node, uint32(uint64(stream.Draw(node, cycle, 1))*uint64(nodes)>>32), 1, cycle)
			}
		}
	}
	return p
}

func buildYardstick(t testing.TB) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "vc_routers")
	out, err := exec.Command("g++", "-O2", "-std=c++17", "-o", program, "benchmarks/vc_routers.cpp").CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

var yardstickSays = regexp.MustCompile(`: (\d+) packets, (\d+) differ, undelivered (\d+); (\d+) cycles, (\d+) flit-hops, ([0-9.]+) s`)

func runYardstick(t testing.TB, program string, packets *Packets, settings ...string) float64 {
	t.Helper()
	name := filepath.Join(t.TempDir(), "packets.csv")
	f, err := os.Create(name)
	require.NoError(t, err)
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "pid,src,dest,size,ctime,itime,atime,hops,measured")
	for i := range packets.Source {
		fmt.Fprintf(w, "%d,%d,%d,%d,%d,%d,%d,%d,0\n", i, packets.Source[i], packets.Destination[i], packets.Size[i], packets.Created[i],
			int32(packets.Sent[i]), int32(packets.Received[i]), packets.Hops[i])
	}
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())
	defer os.Remove(name)
	command := exec.Command(program, append([]string{name}, settings...)...)
	command.Env = append(os.Environ(), fmt.Sprintf("CYCLES=%d", lastReceived(packets)+1000))
	out, _ := command.CombinedOutput()
	said := yardstickSays.FindStringSubmatch(string(out))
	require.NotNil(t, said, string(out))
	require.Equal(t, "0", said[2], "%s %q", out, settings)
	seconds, err := strconv.ParseFloat(said[6], 64)
	require.NoError(t, err)
	return seconds
}

func lastReceived(p *Packets) (last uint32) {
	for i, received := range p.Received {
		last = max(last, p.Created[i])
		if received != PacketPending {
			last = max(last, received)
		}
	}
	return last
}
