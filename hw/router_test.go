package hw

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math/bits"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// golden is a log of BookSim 2 (28f4329), packet by packet.
type golden struct {
	name   string
	top    topology
	config RouterConfig
}

var islipDefault = RouterConfig{VCs: 2, Depth: 4, RoutingDelay: 1}

func goldens() []golden {
	lookahead := islipDefault
	lookahead.RoutingDelay, lookahead.CreditDelay = 0, 2
	return []golden{
		{"mesh44_u20", mesh(4, 2), islipDefault},
		{"m44_la", mesh(4, 2), lookahead},
		{"m44_p5", mesh(4, 2), islipDefault},
		{"m44_mix", mesh(4, 2), islipDefault},
		{"fly", fly(16), RouterConfig{VCs: 4, Depth: 8, CreditDelay: 2, VCAllocator: SeparableInputFirst, SwitchAllocator: SeparableInputFirst}},
	}
}

// readGolden returns the packets of a log as created and as logged.
func readGolden(t testing.TB, name string) (packets, logged *Packets) {
	f, err := os.Open("testdata/booksim/" + name + ".csv.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	packets, logged = &Packets{}, &Packets{}
	lines := bufio.NewScanner(z)
	require.True(t, lines.Scan())
	plain := "pid,src,dest,size,ctime,itime,atime,hops,measured"
	if lines.Text() == plain+",class,type,request" { // types: 0 to 3 read request and reply, write request and reply
		packets.Traffic = &PacketTraffic{}
	} else {
		require.Equal(t, plain, lines.Text())
	}
	var requests []int
	number := map[int]uint32{} // by pid
	for lines.Scan() {
		var x [9]uint32
		_, err := fmt.Sscanf(lines.Text(), "%d,%d,%d,%d,%d,%d,%d,%d,%d", &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7], &x[8])
		require.NoError(t, err)
		packets.Add(x[1], x[2], uint16(x[3]), x[4])
		logged.Add(x[1], x[2], uint16(x[3]), x[4])
		i := logged.Count() - 1
		logged.Sent[i], logged.Received[i], logged.Hops[i] = x[5], x[6], uint16(x[7])
		if p := packets.Traffic; p != nil {
			var class, kind uint8
			var request int
			rest := strings.SplitN(lines.Text(), ",", len(x)+1)[len(x)]
			_, err := fmt.Sscanf(rest, "%d,%d,%d", &class, &kind, &request)
			require.NoError(t, err)
			p.Class, p.Type, requests = append(p.Class, class), append(p.Type, kind), append(requests, request)
			number[int(x[0])] = uint32(i)
		}
	}
	require.NoError(t, lines.Err())
	for _, pid := range requests {
		request := uint32(0)
		if pid >= 0 {
			request = number[pid] + 1
		}
		packets.Traffic.Request = append(packets.Traffic.Request, request)
	}
	if p := packets.Traffic; p != nil {
		p.Classes, p.VCs = int(slices.Max(p.Class))+1, []VCRange{{0, 1}, {2, 3}, {0, 1}, {2, 3}}
		p.Priority = []int32{0, 1}[:p.Classes]
		const plainType = 4
		if p.Type[0] == plainType {
			p.Type, p.VCs, p.Request = nil, nil, nil
		}
	}
	return packets, logged
}

func differ(a, b *Packets) (n int) {
	for i := range a.Source {
		if a.Sent[i] != b.Sent[i] || a.Received[i] != b.Received[i] || a.Hops[i] != b.Hops[i] {
			n++
		}
	}
	return n
}

// totals sums, over all routers and cycles, the sizes of the sets of section 3.4 of the specification, and the
// results.
type totals struct {
	asking, owning      int // heads that request an output VC; heads that get one
	ready, pairs, moved int // flits that request the switch; requested pairs of input and output; flits that cross
	held                int
}

// count runs a network for a cycle and adds its totals.
func (s *totals) count(k *Kernel, n *RouterNetwork) {
	x := n.Routers
	vcs := x.config.VCs
	k.DriveAndSettle()
	before, flits := slices.Clone(x.active), 0
	for port, r := range x.wiring.router {
		f, lit := x.arriving(port)
		first, wanted := x.wiring.first[r], uint64(0)
		for vc := range vcs {
			g, member := port*vcs+vc, (port-first)*vcs+vc
			count := int(x.count[g])
			if lit && f.VC() == vc {
				count++
			}
			flits += count
			switch out := int(x.out[g]); {
			case count == 0:
			case has(x.of(x.active, int(r)), member):
				sent := int(x.sent[first*vcs+out])
				if credit, back := n.Credits.at(uint32(first+out/vcs), 0); back && int(credit) == out%vcs {
					sent--
				}
				if sent < x.config.Depth {
					s.ready++
					wanted |= 1 << (out / vcs)
				} else {
					s.held++
				}
			case x.config.RoutingDelay == 0 || has(x.of(x.waiting, int(r)), member):
				s.asking++
			}
		}
		s.pairs += bits.OnesCount64(wanted)
	}
	k.Latch()
	for _, count := range x.count {
		flits -= int(count)
	}
	s.moved += flits
	for i, active := range x.active {
		s.owning += bits.OnesCount64(active &^ before[i])
	}
}

// TestRoutersAsBookSim requires that every packet of five BookSim runs enters, leaves and hops as logged, for any
// shards and workers and both allocations. The totals are those of section 10 of the specification.
func TestRoutersAsBookSim(t *testing.T) {
	for i, want := range []struct {
		packets int
		totals  totals
	}{
		{6495, totals{23590, 22625, 23165, 23097, 22625, 0}},
		{13019, totals{50820, 45270, 47370, 47297, 45270, 100}},
		{2685, totals{13765, 9382, 62461, 58233, 46910, 15718}},
		{3182, totals{13154, 11133, 40963, 38730, 33333, 8189}},
		{19499, totals{33566, 19499, 49872, 48147, 19499, 0}},
	} {
		g := goldens()[i]
		packets, logged := readGolden(t, g.name)
		require.Equal(t, want.packets, packets.Count())
		for _, run := range []struct {
			unitsPerShard, workers int
			wide                   bool
		}{{16, 1, false}, {5, 2, false}, {1, 3, false}, {16, 1, true}, {3, 2, true}} {
			k, n := newTestNetwork(t, g.top, g.config, packets, run.unitsPerShard, run.workers)
			if run.wide {
				n.Routers.general = true
			}
			k.Reset()
			if run.unitsPerShard == 16 {
				var got totals
				for !n.Done() && k.Cycle() < 10_000 {
					got.count(k, n)
				}
				require.Equal(t, want.totals, got, "%s: %+v", g.name, run)
			}
			runNetwork(k, n)
			require.True(t, n.Done())
			require.Zero(t, differ(packets, logged), "%s: %+v", g.name, run)
		}
	}
}

// TestAllocators checks three calls of each allocator in section 10 of the specification, on sets and lists: matches
// and pointers.
func TestAllocators(t *testing.T) {
	type pair struct{ in, out int }
	calls := [][]pair{{{0, 0}, {0, 2}, {1, 0}, {1, 1}, {2, 1}}, {{1, 1}, {1, 2}}, {{0, 2}, {2, 2}}}
	type after struct {
		matches       []pair
		grant, accept [3]uint16
	}
	for kind, want := range map[RouterAllocator][]after{
		ISLIP: {
			{[]pair{{0, 0}, {1, 1}}, [3]uint16{1, 2, 0}, [3]uint16{1, 2, 0}},
			{[]pair{{1, 2}}, [3]uint16{1, 2, 2}, [3]uint16{1, 0, 0}},
			{[]pair{{2, 2}}, [3]uint16{1, 2, 0}, [3]uint16{1, 0, 0}},
		},
		SeparableInputFirst: {
			{[]pair{{0, 0}, {2, 1}}, [3]uint16{1, 0, 0}, [3]uint16{1, 0, 2}},
			{[]pair{{1, 1}}, [3]uint16{1, 2, 0}, [3]uint16{1, 2, 2}},
			{[]pair{{0, 2}}, [3]uint16{1, 2, 1}, [3]uint16{0, 2, 2}},
		},
	} {
		for _, wide := range []bool{false, true} {
			_, n := newTestNetwork(t, fly(3), RouterConfig{VCs: 1, Depth: 1, VCAllocator: kind}, &Packets{}, 1, 1)
			x, w := n.Routers, &n.Routers.scratch[0]
			w.ports, w.members = 3, 3
			for i, requests := range calls {
				var matches []pair
				if wide {
					m := &matching{ins: 3, outs: 3}
					m.build(3)
					for _, r := range requests {
						m.requests = append(m.requests, request{in: int32(r.in), out: int32(r.out)})
					}
					x.path.(*generalRouters).stage.vcs.match(m)
					for _, k := range m.matches {
						matches = append(matches, requests[k])
					}
				} else {
					waiting := uint64(0)
					clear(x.route)
					for _, r := range requests {
						waiting |= 1 << r.in
						x.route[r.in] |= 1 << r.out
					}
					for in := range members([]uint64{x.allocateVCs(w, waiting, 7)}) {
						matches = append(matches, pair{in, int(x.out[in])})
					}
				}
				require.Equal(t, want[i], after{matches, [3]uint16(x.vcGrant), [3]uint16(x.vcAccept)}, "%d, wide %v, call %d", kind, wide, i)
			}
		}
	}
}

// TestSmallNetworks checks the cases of section 10 of the specification.
func TestSmallNetworks(t *testing.T) {
	type packet struct {
		created, source, destination uint32
		size                         uint16
	}
	line := []packet{{0, 0, 2, 3}, {0, 1, 2, 2}, {1, 0, 2, 1}, {0, 2, 2, 1}, {2, 1, 0, 2}, {2, 2, 0, 4}, {3, 0, 2, 3}}
	ring := []packet{{0, 0, 1, 1}, {0, 0, 4, 1}, {0, 2, 0, 2}, {0, 4, 1, 2}, {1, 3, 1, 1}, {1, 0, 2, 3}}
	star := []packet{{0, 0, 0, 2}, {0, 1, 0, 1}, {0, 2, 0, 1}, {1, 0, 1, 1}, {1, 1, 0, 2}, {1, 2, 1, 1}, {2, 0, 0, 1}}
	graph := []packet{{0, 0, 1, 1}, {0, 2, 1, 2}, {0, 1, 0, 1}, {0, 3, 2, 1}, {5, 1, 3, 2}}
	d := irregular(map[[2]int]int{{0, 1}: 3, {1, 0}: 2, {0, 2}: 1, {2, 0}: 1, {1, 2}: 1, {2, 1}: 1}, 3, []int{0, 1, 0, 2})
	starConfig := RouterConfig{VCs: 2, Depth: 2, CreditDelay: 2}
	separable := starConfig
	separable.VCAllocator, separable.SwitchAllocator = SeparableInputFirst, SeparableInputFirst
	for _, c := range []struct {
		name    string
		top     topology
		config  RouterConfig
		packets []packet
		want    [][3]uint32 // sent, received, hops
	}{
		{"A", mesh(3, 1), RouterConfig{VCs: 2, Depth: 2, RoutingDelay: 1}, line,
			[][3]uint32{{0, 25, 3}, {0, 13, 2}, {7, 24, 3}, {0, 7, 1}, {2, 15, 2}, {2, 27, 3}, {8, 34, 3}}},
		{"A, lookahead, waits for tails", mesh(3, 1), RouterConfig{VCs: 2, Depth: 2, CreditDelay: 1, WaitForTail: true}, line,
			[][3]uint32{{0, 21, 3}, {0, 11, 2}, {6, 20, 3}, {0, 6, 1}, {2, 13, 2}, {2, 23, 3}, {11, 34, 3}}},
		{"A, one VC, separable", mesh(3, 1), RouterConfig{VCs: 1, Depth: 2, RoutingDelay: 1, VCAllocator: SeparableInputFirst, SwitchAllocator: SeparableInputFirst}, line,
			[][3]uint32{{0, 24, 3}, {0, 13, 2}, {7, 29, 3}, {0, 7, 1}, {6, 19, 2}, {2, 31, 3}, {15, 38, 3}}},
		{"B", torus(5, 1), RouterConfig{VCs: 2, Depth: 2, RoutingDelay: 1}, ring,
			[][3]uint32{{0, 13, 2}, {1, 14, 2}, {0, 20, 3}, {0, 21, 3}, {1, 22, 3}, {2, 29, 3}}},
		{"C, islip", fly(3), starConfig, star, [][3]uint32{{0, 9, 1}, {0, 7, 1}, {0, 16, 1}, {2, 8, 1}, {1, 14, 1}, {1, 7, 1}, {3, 13, 1}}},
		{"C, separable", fly(3), separable, star, [][3]uint32{{0, 9, 1}, {0, 7, 1}, {0, 16, 1}, {2, 8, 1}, {1, 14, 1}, {1, 7, 1}, {3, 13, 1}}},
		{"D", d, islipDefault, graph, [][3]uint32{{0, 17, 3}, {0, 19, 3}, {0, 13, 2}, {0, 12, 2}, {5, 18, 2}}},
	} {
		for _, wide := range []bool{false, true} {
			packets := &Packets{}
			for _, p := range c.packets {
				packets.Add(p.source, p.destination, p.size, p.created)
			}
			k, n := newTestNetwork(t, c.top, c.config, packets, 2, 1)
			n.Routers.general = wide
			runNetwork(k, n)
			var got [][3]uint32
			for i := range c.packets {
				got = append(got, [3]uint32{packets.Sent[i], packets.Received[i], uint32(packets.Hops[i])})
			}
			assert.Equal(t, c.want, got, c.name)
		}
	}
}
