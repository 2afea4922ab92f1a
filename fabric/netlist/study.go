package netlist

import (
	"fmt"

	"starloom/fabric"
	"starloom/fabric/studies"
	"starloom/hw"
	"starloom/traces/figure"
)

func routersStudy() *studies.Study {
	return &studies.Study{
		Name: "routers", Cases: []string{"zero load", "capacity", "latency"}, Files: []studies.StudyFile{studies.StudyPlot},
		Doc: "networks of routers with bare packets: mesh, torus, fly and an irregular graph: the latency of every pair in an empty network by the " +
			"table of routes, saturation beside the bound by the most loaded channel, latency over load; 13 to 25 processors (--full: to 64)",
		Run: func(r studies.Runs) error {
			s := &routerStudy{Runs: r}
			return s.run()
		},
	}
}

// routerStudy measures networks of routers. What it is compared with follows from the routes alone.
type routerStudy struct {
	studies.Runs
	curves []figure.Curve
}

type studied struct {
	name string
	Network
	ways    *fabric.RouterWays
	pattern string // of a second bound beside that of uniform traffic: all packets of a source go to one processor
}

// irregular has links of unequal latencies, of which some are one in one direction only; three routers have two nodes.
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
	fly.fly = &Fly{K: []int{16}}
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

// zeroLoad sends packets of one flit and of five from every processor to every processor, one at a time.
func (s *routerStudy) zeroLoad(name string, n *studied) error {
	nodes, packets := len(n.routers.Graph.Nodes), &hw.Packets{}
	var wanted []int
	at, total := 0, 0
	for source := range uint32(nodes) {
		for destination := range uint32(nodes) {
			for _, flits := range []int{1, 5} {
				packets.Add(source, destination, uint16(flits), uint32(at))
				latency := n.ways.Latency(source, destination, flits)
				wanted, at, total = append(wanted, latency), at+2*latency, total+latency // credits come back before the next
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
	s.Add(studies.Referred(name, "mean latency, cycles", float64(total)/count, float64(sum)/count, 1, 0, "by the table of routes"))
	return nil
}
