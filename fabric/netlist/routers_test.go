package netlist

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/hw"
)

// randomAnynet is a connected graph with unequal latencies, some of them 1 by default, with lines and items in any
// order.
func randomAnynet(r *rand.Rand) (text string, nodes int) {
	routers := 2 + r.IntN(9)
	lines := make([][]string, routers)
	join := func(a, b int) {
		item := fmt.Sprintf("router %d", b)
		if r.IntN(3) > 0 {
			item += fmt.Sprintf(" %d", 1+r.IntN(5))
		}
		lines[a] = append(lines[a], item)
	}
	for i := 1; i < routers; i++ {
		if to := r.IntN(i); r.IntN(2) == 0 {
			join(i, to)
		} else {
			join(to, i)
		}
	}
	for range r.IntN(2 * routers) {
		if a, b := r.IntN(routers), r.IntN(routers); a != b {
			join(a, b)
		}
	}
	for _, node := range r.Perm(routers + r.IntN(routers)) {
		at := r.IntN(routers)
		lines[at] = append(lines[at], fmt.Sprintf("node %d", node))
		nodes++
	}
	for _, i := range r.Perm(routers) {
		r.Shuffle(len(lines[i]), func(a, b int) { lines[i][a], lines[i][b] = lines[i][b], lines[i][a] })
		text += fmt.Sprintf("router %d %s\n", i, strings.Join(lines[i], " "))
	}
	return text, nodes
}

// TestLongRoutersOfGraphs: random graphs in the format of anynet have the ports, latencies and routes of the yardstick
// in C++, which reads the same files: every packet takes the same way in the same cycles.
func TestLongRoutersOfGraphs(t *testing.T) {
	dir := t.TempDir()
	yardstick := filepath.Join(dir, "vc_routers")
	out, err := exec.Command("g++", "-O1", "-std=c++17", "-o", yardstick, "../../hw/benchmarks/vc_routers.cpp").CombinedOutput()
	require.NoError(t, err, string(out))
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		text, nodes := randomAnynet(r)
		graph := filepath.Join(dir, "graph.txt")
		require.NoError(t, os.WriteFile(graph, []byte(text), 0o644))
		drawn := filepath.Join(dir, "drawn.yaml")
		require.NoError(t, os.WriteFile(drawn, []byte("anynet: graph.txt\nrouter: {vcs: 3, depth: 3}\n"), 0o644))
		file, err := readFile(drawn, drawn)
		require.NoError(t, err)
		n := Network{}
		require.NoError(t, n.draw(file))
		packets := &hw.Packets{}
		for cycle := range uint32(60) {
			packets.Add(uint32(r.IntN(nodes)), uint32(r.IntN(nodes)), uint16(1+r.IntN(4)), cycle)
		}
		runRouters(t, &n, packets)
		trace := bytes.NewBufferString("pid,src,dest,size,ctime,itime,atime,hops,measured\n")
		for i := range packets.Source {
			fmt.Fprintf(trace, "%d,%d,%d,%d,%d,%d,%d,%d,0\n", i, packets.Source[i], packets.Destination[i], packets.Size[i], packets.Created[i],
				int32(packets.Sent[i]), int32(packets.Received[i]), packets.Hops[i])
		}
		log := filepath.Join(dir, "packets.csv")
		require.NoError(t, os.WriteFile(log, trace.Bytes(), 0o644))
		command := exec.Command(yardstick, log, "topology=anynet", "network_file="+graph, "num_vcs=3", "vc_buf_size=3")
		command.Env = append(os.Environ(), "CYCLES=20000")
		out, _ := command.CombinedOutput()
		require.Contains(t, string(out), ": 60 packets, 0 differ", text)
	}
}

func runRouters(t *testing.T, n *Network, packets *hw.Packets) []hw.Knot {
	offered := *packets
	network := runRoutersTo(t, n, packets, math.MaxUint64)
	knots := network.Knots(nil)
	require.Equal(t, network.Done(), len(knots) == 0)
	for _, k := range knots[:min(len(knots), 1)] { // it closes with the last of its flits that moves
		at := func(cycle uint64) (stand []hw.Knot) {
			again := &hw.Packets{}
			for i := range offered.Source {
				again.Add(offered.Source[i], offered.Destination[i], offered.Size[i], offered.Created[i])
			}
			for _, k := range runRoutersTo(t, n, again, cycle).Knots(nil) {
				stand = append(stand, hw.Knot{VCs: k.VCs, Since: k.Since}) // of its cycles it may tell another one
			}
			return stand
		}
		require.NotContains(t, at(k.Since), hw.Knot{VCs: k.VCs, Since: k.Since})
		require.Contains(t, at(k.Since+20), hw.Knot{VCs: k.VCs, Since: k.Since})
	}
	return knots
}

// runRoutersTo runs routers up to a cycle, or until nothing moves.
func runRoutersTo(t *testing.T, n *Network, packets *hw.Packets, cycles uint64) *hw.RouterNetwork {
	built := n.routers
	shards := hw.Shards(len(built.Graph.Ports), 3)
	pool := hw.NewWorkers(1)
	defer pool.Close()
	k := hw.NewKernel(pool, shards)
	network, err := hw.NewRouterNetwork("net", k.Clock(), built.Config, &built.Graph, built.Routes, packets, shards)
	require.NoError(t, err)
	k.Add(network.Components()...)
	require.NoError(t, k.Build())
	for !network.Done() && !network.Still() && k.Cycle() < cycles {
		k.DriveAndSettle()
		k.Latch()
	}
	return network
}

// TestRouterGrids: a grid of unequal sizes has the ports of its dimensions, and its routes reach.
func TestRouterGrids(t *testing.T) {
	for _, text := range []string{"mesh: {k: [4, 2, 3]}\nrouter: {}\n", "torus: {k: [3, 5], latency: 4}\nrouter: {vcs: 5}\n"} {
		file := filepath.Join(t.TempDir(), "grid.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		n, err := ReadFile(file)
		require.NoError(t, err)
		packets := &hw.Packets{}
		nodes := len(n.routers.Graph.Nodes)
		require.Equal(t, nodes, n.Shape().Processors())
		for from := range nodes {
			for to := range nodes {
				packets.Add(uint32(from), uint32(to), 2, uint32(from*nodes+to)*100)
			}
		}
		runRouters(t, &n, packets)
		for i := range packets.Source {
			require.NotEqual(t, hw.PacketPending, packets.Received[i])
			hops, latency := distanceIn(text[:4] == "toru", int(packets.Source[i]), int(packets.Destination[i])), 1
			if text[:4] == "toru" {
				latency = 4
			}
			require.Equal(t, hops+1, int(packets.Hops[i]))
			require.Equal(t, 3+4*(hops+1)+latency*hops+1, int(packets.Received[i]-packets.Created[i]), "from %d to %d", packets.Source[i], packets.Destination[i])
		}
	}
}

func distanceIn(torus bool, from, to int) (hops int) {
	k := []int{4, 2, 3}
	if torus {
		k = []int{3, 5}
	}
	for _, k := range k {
		d := max(from%k, to%k) - min(from%k, to%k)
		if torus {
			d = min(d, k-d)
		}
		hops += d
		from, to = from/k, to/k
	}
	return hops
}
