package hw

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// placedSink models a node's sink with places: packets get places in the order of their heads, at most one per cycle,
// and the first packet with a place and a flit continues.
type placedSink struct {
	heads    []uint32         // packets
	pending  map[uint32][]int // by incomplete packet: VCs of its waiting flits
	rest     map[uint32]int
	received []uint32
}

// cycle runs one cycle with an arriving flit, if lit; places are present and past places of packets.
func (s *placedSink) cycle(p *Packets, f Flit, lit bool, places int) {
	packet := f.Packet()
	if lit && f.Head() {
		s.heads, s.rest[packet] = append(s.heads, packet), int(p.Size[packet])
	}
	if lit {
		s.pending[packet] = append(s.pending[packet], f.VC())
	}
	for _, packet := range s.heads[:min(len(s.heads), places)] {
		if len(s.pending[packet]) == 0 {
			continue
		}
		s.pending[packet] = s.pending[packet][1:]
		if s.rest[packet]--; s.rest[packet] == 0 {
			s.received = append(s.received, packet)
		}
		return
	}
}

// TestSinksWithPlaces: packets get the places of a sink emptied by firmware in the order of their heads, for any
// virtual channels and order of tails; flits without a place wait until firmware has taken another packet.
func TestSinksWithPlaces(t *testing.T) {
	const nodes, packets = 4, 24
	downwards, overtaken, waited := 0, 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 27))
		places, config := 1+r.IntN(3), RouterConfig{VCs: 1 + r.IntN(4), Depth: 1 + r.IntN(3), RoutingDelay: 1}
		pool := NewWorkers(1)
		t.Cleanup(pool.Close)
		top, k := fly(nodes), NewKernel(pool, Shards(1, 1))
		feed := Feed{TxFrames: packets, RxFrames: places, Lossless: true}
		n, err := NewFedNetwork("net", k.Clock(), config, &top.graph, top.routing, feed, k.Shards())
		require.NoError(t, err)
		k.Add(n.Components()...)
		require.NoError(t, k.Build())
		for i := range packets {
			n.Feed(i%nodes, 0, uint16(1+r.IntN(4)), 0, VCRange{})
		}
		want := placedSink{pending: map[uint32][]int{}, rest: map[uint32]int{}}
		var vcs []int
		var tails, got []uint32
		for freed := 0; len(got) < packets; {
			require.Less(t, k.Cycle(), uint64(2000))
			k.DriveAndSettle()
			flit, lit := n.Flits.at(nodes, 0) // sink of node 0, after the router's inputs
			f := Flit(flit)
			if lit && f.Head() {
				vcs = append(vcs, f.VC())
			}
			if lit && f.Tail() {
				tails = append(tails, f.Packet())
			}
			want.cycle(n.Packets, f, lit, places+freed)
			k.Latch()
			n.Arrived(func(packet uint32) { got = append(got, packet) })
			require.Equal(t, want.received, got, "seed %d, cycle %d", seed, k.Cycle())
			held := make([]uint16, config.VCs)
			for _, list := range want.pending {
				for _, vc := range list {
					held[vc]++
					waited++
				}
			}
			require.Equal(t, held, n.Sinks.eject.count[:config.VCs], "seed %d, cycle %d", seed, k.Cycle())
			if freed < len(got) && r.IntN(8) == 0 {
				freed++
				n.Freed(0, 1)
			}
		}
		if !slices.Equal(tails, got) {
			overtaken++
		}
		if !slices.IsSorted(vcs) {
			downwards++
		}
	}
	require.Greater(t, downwards, 30)
	require.Greater(t, overtaken, 5)
	require.Greater(t, waited, 1000)
}
