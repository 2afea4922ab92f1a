package hw

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// ofClasses restricts each packet to the block of virtual channels of its class.
func ofClasses(p *Packets, vcs int, class func(packet int) int) {
	p.FirstVC, p.LastVC = nil, nil
	for i := range p.Source {
		first := uint8(class(i) * vcs)
		p.FirstVC, p.LastVC = append(p.FirstVC, first), append(p.LastVC, first+uint8(vcs)-1)
	}
}

// again returns the same packets, unsent.
func again(p *Packets) *Packets {
	q := &Packets{}
	for i := range p.Source {
		q.Add(p.Source[i], p.Destination[i], p.Size[i], p.Created[i])
	}
	return q
}

// TestClasses requires that packets of one class take the same cycles as in a network with only the virtual channels
// of the class, and that no packet leaves its block.
func TestClasses(t *testing.T) {
	compared := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 27))
		n := newRandomNetwork(t, r)
		one := n.config
		// some routes use other VCs of their class than others
		if table := &n.top.routing; table.Ports != nil && one.VCs > 1 {
			half := uint8(one.VCs / 2)
			table.VCs = []VCRange{{0, half - 1}, {half, uint8(one.VCs - 1)}}
			for range table.Ports {
				table.Classes = append(table.Classes, uint8(r.IntN(2)))
			}
		}
		classes := 2 + r.IntN(2)
		several := one
		several.Classes, several.VCs = classes, classes*one.VCs
		sent := randomPackets(r, n.nodes)
		alone := again(sent)
		k, network := newTestNetwork(t, n.top, one, alone, 4, 1)
		runNetwork(k, network)
		for class := range classes {
			among := again(sent)
			ofClasses(among, one.VCs, func(int) int { return class })
			k, network := newTestNetwork(t, n.top, several, among, 4, 1)
			runNetwork(k, network)
			require.Zero(t, differ(alone, among), "seed %d, class %d of %d, %v", seed, class, classes, n.settings)
			compared += among.Count()
		}
		mixed := again(sent)
		ofClasses(mixed, one.VCs, func(packet int) int { return packet % classes })
		k, network = newTestNetwork(t, n.top, several, mixed, 4, 1)
		for range 400 {
			k.DriveAndSettle()
			shown := hopsOfHeads(network.Routers)
			k.Latch()
			requireInBlocks(t, network.Routers, one.VCs, classes)
			for g, hop := range shown {
				first := hop.Port * several.VCs
				want := []int{first + hop.Low, first + hop.High}
				route := slices.Collect(members(network.Routers.of(network.Routers.route, g)))
				require.Equal(t, want, []int{route[0], route[len(route)-1]}, "seed %d, of RTL and of a router", seed)
				require.Len(t, route, hop.High-hop.Low+1)
			}
		}
	}
	require.Greater(t, compared, 4000)
}

// hopsOfHeads returns the hops shown to RTL, for arriving heads that are routed at once, by input VC.
func hopsOfHeads(x *Routers) map[int]Hop {
	hops := map[int]Hop{}
	for port, r := range x.wiring.router {
		f, lit := x.arriving(port)
		g := port*x.config.VCs + f.VC()
		if lit && f.Head() && x.count[g] == 0 && !has(x.of(x.active, int(r)), g-x.wiring.first[r]*x.config.VCs) {
			hops[g] = x.hop(port, f)
		}
	}
	return hops
}

// TestClassesThatDoNotFit requires equal blocks of virtual channels, and routes within one class.
func TestClassesThatDoNotFit(t *testing.T) {
	top := mesh(2, 2) // of four routers
	build := func(vcs int, high uint8) error {
		table := top.routing
		table.Classes, table.VCs = make([]uint8, len(table.Ports)), []VCRange{{0, high}}
		_, err := NewRouterNetwork("net", &Clock{}, RouterConfig{VCs: vcs, Depth: 1, Classes: 2}, &top.graph, table, &Packets{}, Shards(4, 4))
		return err
	}
	require.NoError(t, build(4, 1))
	require.ErrorContains(t, build(4, 2), "in a class of VCs that does not exist")
	require.ErrorContains(t, build(5, 1), "2 classes of 5 virtual channels")
}

// requireInBlocks requires that each packet uses buffers and virtual channels of its class only.
func requireInBlocks(t *testing.T, x *Routers, vcs, classes int) {
	for g, count := range x.count {
		for place := range int(count) {
			f := Flit(x.buffer[g*x.config.Depth+(int(x.head[g])+place)%x.config.Depth])
			class := int(f.Packet()) % classes
			require.Equal(t, class, g%x.config.VCs/vcs)
			router := int(x.wiring.router[g/x.config.VCs])
			if member := g - x.wiring.first[router]*x.config.VCs; place == 0 && has(x.of(x.active, router), member) {
				require.Equal(t, class, int(x.out[g])%x.config.VCs/vcs)
			}
		}
	}
}
