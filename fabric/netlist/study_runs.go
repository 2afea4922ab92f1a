package netlist

import (
	"context"
	"fmt"

	"starloom/fabric"
	"starloom/fabric/studies"
	"starloom/fabric/traffic"
	"starloom/hw"
	"starloom/traces/figure"
)

const cyclesPerLook = 1 << 10

func (n *studied) send(ctx context.Context, packets *hw.Packets, limit uint64) (cycles uint64, err error) {
	built := n.routers
	shards, pool := hw.Shards(len(built.Graph.Ports), hw.RoutersPerShard), hw.NewWorkers(1)
	defer pool.Close()
	k := hw.NewKernel(pool, shards)
	network, err := hw.NewRouterNetwork("netlist", k.Clock(), built.Config, &built.Graph, built.Routes, packets, shards)
	if err != nil {
		return 0, err
	}
	k.Add(network.Components()...)
	if err := k.Build(); err != nil {
		return 0, err
	}
	for look := uint64(0); !network.Done() && k.Cycle() < limit; {
		if k.Cycle() >= look {
			if look = k.Cycle() + cyclesPerLook; ctx.Err() != nil {
				return 0, ctx.Err()
			}
		}
		if skip := k.QuietFor(limit - k.Cycle()); skip > 0 {
			k.Skip(skip)
			continue
		}
		k.DriveAndSettle()
		k.Latch()
	}
	return k.Cycle(), nil
}

type offered struct {
	rate, accepted, latency float64
	stable                  bool // the network is not saturated
	known                   bool // the latency is known: all measured packets have arrived
}

func (s *routerStudy) spec(n *studied, pattern string, rate float64, drain uint64) (*traffic.Spec, error) {
	warmUp, measure, self := fabric.Duration{Count: 1000}, fabric.Duration{Count: 4000}, true
	if s.Full() {
		measure.Count = 20_000
	}
	t := &fabric.Traffic{Pattern: pattern, Self: &self, Rate: rate, WarmUp: &warmUp, Measure: &measure,
		Drain: &fabric.Duration{Count: drain}}
	if pattern == fabric.PatternHotspot {
		t.Hotspots = []fabric.Hotspot{{Node: 0, Share: 1}}
	}
	return traffic.Settle(t, n.Network, nil, fabric.TimebaseOf(n.Network, true, 1))
}

func (s *routerStudy) offer(n *studied, pattern string, rate float64, drain uint64) (o offered, err error) {
	spec, err := s.spec(n, pattern, rate, drain)
	if err != nil {
		return o, err
	}
	packets, err := traffic.NewBare(spec, len(n.routers.Graph.Nodes), 1)
	if err != nil {
		return o, err
	}
	cycles, err := n.send(s.Context(), packets.Packets, uint64(spec.Slots()))
	if err != nil {
		return o, err
	}
	m := packets.Shown(cycles).Metrics()
	o.rate, _ = m.Get("offered").(float64)
	o.accepted, _ = m.Get("accepted").(float64)
	o.stable = m.Get("saturated") == 0
	o.latency, o.known = m.Get("latency.mean").(float64)
	o.known = o.known && m.Get("pending") == uint64(0)
	return o, nil
}

// bound returns the rate at which the most heavily loaded channel, between routers or at a processor, is always busy.
func (s *routerStudy) bound(n *studied, pattern string) (rate float64, err error) {
	nodes := len(n.routers.Graph.Nodes)
	spec, err := s.spec(n, pattern, 1, 0)
	if err != nil {
		return 0, err
	}
	draws := traffic.NewDraws(spec, nodes, 1, 1)
	// each source sends one packet to each node
	links, ejected := make([]int, len(n.routers.Graph.Links)), make([]int, nodes)
	most := nodes
	add := func(source, destination uint32, packets int) {
		ejected[destination] += packets
		most = max(most, ejected[destination])
		n.ways.Follow(source, destination, func(link int) {
			links[link] += packets
			most = max(most, links[link])
		})
	}
	for source := range uint32(nodes) {
		if pattern != fabric.PatternUniform { // all of a source's packets go to one processor
			destination, _ := draws.Packet(source, 0)
			add(source, destination, nodes)
			continue
		}
		for destination := range uint32(nodes) {
			add(source, destination, 1)
		}
	}
	return float64(nodes) / float64(most), nil
}

// Tolerances of saturation relative to the bound, because packets block each other.
const (
	missesUniform = 0.4  // the allocators run one iteration
	missesFixed   = 0.35 // one of the two VC classes of a torus may idle
	missesHotspot = 0.01 // only one channel must be busy
	boundPassed   = 1.02 // slow growth is lost in noise
)

func (s *routerStudy) capacity(name string, n *studied) error {
	for _, x := range []struct {
		pattern string
		misses  float64
	}{{fabric.PatternUniform, missesUniform}, {n.pattern, missesFixed}} {
		bound, err := s.bound(n, x.pattern)
		if err != nil {
			return err
		}
		at, runs, err := s.saturation(n, x.pattern, bound)
		if err != nil {
			return err
		}
		row := studies.Referred(name, x.pattern+": saturation, flits per processor and cycle", bound, at,
			runs, float64(x.misses*bound),
			fmt.Sprintf("bound by the most loaded channel; at most this value, and at least %g %% below it", 100*x.misses))
		row.OK = row.OK && at <= boundPassed*bound
		s.Add(row)
	}
	bound, err := s.bound(n, fabric.PatternHotspot)
	if err != nil {
		return err
	}
	o, err := s.offer(n, fabric.PatternHotspot, 2*bound, 0)
	if err != nil {
		return err
	}
	s.Add(studies.Referred(name, "all to one: accepted of twice the bound", bound, o.accepted, 1,
		float64(missesHotspot*bound),
		"the channel to that processor carries a flit in every cycle"))
	return nil
}

func (s *routerStudy) saturation(n *studied, pattern string, bound float64) (rate float64, runs int, err error) {
	low, high := 0.0, min(1.1*bound, 1)
	for runs = 0; high-low > bound/100; runs++ {
		o, err := s.offer(n, pattern, (low+high)/2, 0)
		if err != nil {
			return 0, 0, err
		}
		if o.stable {
			low = (low + high) / 2
		} else {
			high = (low + high) / 2
		}
	}
	return low, runs, nil
}

func (s *routerStudy) latency(name string, n *studied) error {
	bound, err := s.bound(n, fabric.PatternUniform)
	if err != nil {
		return err
	}
	empty, c := n.emptyLatency(), figure.Curve{Name: n.name, Style: figure.Marked}
	before := empty
	for tenths := 1; tenths < 10; tenths++ {
		o, err := s.offer(n, fabric.PatternUniform, bound*float64(tenths)/10, latencyDrain)
		if err != nil {
			return err
		}
		if !o.known || !o.stable {
			break
		}
		quantity := fmt.Sprintf("mean latency at %d %% of the bound, cycles", 10*tenths)
		row := studies.Referred(name, quantity, empty, o.latency, 1, float64(0.05*empty), "reference: the empty network")
		if tenths > 1 {
			row.Reference, row.Tolerance, row.OK = nil, 0, o.latency > before
			row.Note = "more than at the rate before"
		}
		s.Add(row)
		c.Points, before = append(c.Points, figure.Point{X: o.rate, Y: o.latency}), o.latency
	}
	s.curves = append(s.curves, c)
	return nil
}

const latencyDrain = 10_000

func (n *studied) emptyLatency() float64 {
	nodes, sum := uint32(len(n.routers.Graph.Nodes)), 0
	for source := range nodes {
		for destination := range nodes {
			sum += n.ways.Latency(source, destination, 1)
		}
	}
	return float64(sum) / float64(nodes*nodes)
}

func (s *routerStudy) draw() error {
	if len(s.curves) == 0 || !s.Writes(studies.StudyPlot) {
		return nil
	}
	f := &figure.Figure{
		Title: "Networks of routers under uniform traffic", Curves: s.curves,
		X:    figure.Axis{Label: "offered, flits per processor and cycle"},
		Y:    figure.Axis{Label: "mean latency, cycles", Scale: figure.Log2},
		Note: "4 virtual channels of 8 flits, packets of one flit; a curve ends where the network is no longer stable.",
	}
	return s.Plot("routers-latency", f)
}

func routersStudy() *studies.Study {
	return &studies.Study{
		Name: "routers", Cases: []string{"zero load", "capacity", "latency"}, Files: []studies.StudyFile{studies.StudyPlot},
		Doc: "networks of routers with bare packets: mesh, torus, fly and an irregular graph: the latency of every pair " +
			"in an empty network by the " +
			"table of routes, saturation beside the bound by the most loaded channel, latency over load; 13 to 25 processors " +
			"(--full: to 64)",
		Run: func(r studies.Runs) error {
			s := &routerStudy{Runs: r}
			return s.run()
		},
	}
}

type routerStudy struct {
	studies.Runs
	curves []figure.Curve
}

type studied struct {
	name string
	Network
	ways    *fabric.RouterWays
	pattern string // pattern of the second bound, in which each source sends to one destination
}

// irregular has links of unequal latencies, some of them one-way, and three routers with two nodes.
const irregular = `router 0 node 0 node 1 router 1 2 router 2
router 1 node 2 router 3 router 4 3
router 2 node 3 router 5 router 6 2
router 3 node 4 node 5
router 4 node 6 router 7
router 5 node 7 router 8 4
router 6 node 8 node 9 router 9
router 7 node 10
router 8 node 11
router 9 node 12
`

func (s *routerStudy) networks() (all []*studied, err error) {
	mesh, torus := 4, 5
	if s.Full() {
		mesh, torus = 8, 7
	}
	fly := New("")
	fly.concentrated = []concentrated{{value: &Fly{K: []int{16}}}}
	graph, err := parseAnynet("irregular", irregular)
	if err != nil {
		return nil, err
	}
	for _, x := range []struct {
		name    string
		drawing *Drawing
		graph   *Anynet
		pattern string
	}{
		{fmt.Sprintf("mesh %dx%d", mesh, mesh), New("").Mesh(mesh, mesh), nil, fabric.PatternBitComplement},
		{fmt.Sprintf("torus %dx%d", torus, torus), New("").Torus(torus, torus), nil, fabric.PatternTranspose},
		{"fly 16", fly, nil, fabric.PatternTranspose},
		{"irregular 13", New(""), graph, fabric.PatternTornado},
	} {
		n := &studied{name: x.name, pattern: x.pattern}
		x.drawing.router = &Router{VCs: 4, Depth: 8}
		n.fill(x.drawing)
		var m mistakes
		n.routers, n.net = x.drawing.routed(&m, x.graph)
		if err := m.err(); err != nil {
			return nil, err
		}
		n.ways = n.routers.Ways()
		all = append(all, n)
	}
	return all, nil
}

func (s *routerStudy) run() error {
	all, err := s.networks()
	if err != nil {
		return err
	}
	for _, part := range []struct {
		begins string
		run    func(name string, n *studied) error
	}{{"zero load ", s.zeroLoad}, {"capacity ", s.capacity}, {"latency ", s.latency}} {
		for _, n := range all {
			name := part.begins + n.name
			if !s.Wants(name) {
				continue
			}
			s.Tell(name)
			if err := part.run(name, n); err != nil {
				return err
			}
		}
	}
	return s.draw()
}

// zeroLoad sends packets of one and of five flits between all pairs of processors, one packet at a time.
func (s *routerStudy) zeroLoad(name string, n *studied) error {
	nodes, packets := len(n.routers.Graph.Nodes), &hw.Packets{}
	var wanted []int
	at, total := 0, 0
	for source := range uint32(nodes) {
		for destination := range uint32(nodes) {
			for _, flits := range []int{1, 5} {
				packets.Add(source, destination, uint16(flits), uint32(at))
				latency := n.ways.Latency(source, destination, flits)
				wanted, at, total = append(wanted, latency), at+2*latency, total+latency // credits return before the next packet
			}
		}
	}
	if _, err := n.send(s.Context(), packets, uint64(at)+1000); err != nil {
		return err
	}
	differ, sum := 0, 0
	for i, latency := range wanted {
		took := int(packets.Received[i]) - int(packets.Created[i])
		if sum += took; took != latency {
			differ++
		}
	}
	count := float64(len(wanted))
	s.Add(studies.Referred(name, "packets whose latency is not that of their routes", 0, float64(differ), 1, 0,
		fmt.Sprintf("%d packets of 1 and 5 flits, one at a time: every pair of %d processors", len(wanted), nodes)))
	s.Add(studies.Referred(name, "mean latency, cycles", float64(total)/count, float64(sum)/count, 1, 0,
		"by the table of routes"))
	return nil
}
