package netlist

import (
	"math"
	"slices"
	"strconv"

	"starloom/fabric"
	"starloom/hw"
)

const sketchMax = 400

func (n Network) sketch() (s fabric.Sketch, ok bool) {
	net := n.drawn()
	s = fabric.Sketch{Round: map[int]Place{}}
	for i := range net.Processors {
		s.Processors = append(s.Processors, fabric.Spot{Name: net.node(net.Processors[i].Path)})
	}
	for i := range net.Media {
		m, x := &net.Media[i], net.crossbarOf(i)
		s.At = append(s.At, None)
		switch {
		case x != nil && i > x.First:
			s.At[i] = len(s.Media) - 1
		case x != nil:
			s.At[i] = len(s.Media)
			s.Media = append(s.Media,
				fabric.Spot{Name: net.node(x.Head), Kind: kindCrossbar, Shape: fabric.Crossed, Path: x.Head})
		case m.Star:
			s.At[i] = len(s.Media)
			s.Media = append(s.Media, fabric.Spot{Name: net.node(m.Path), Kind: kindStar})
			if m.Bus {
				s.Media[s.At[i]].Kind, s.Media[s.At[i]].Shape = kindBus, fabric.Flat
			}
		}
		if net.unequal {
			s.Latencies = append(s.Latencies, m.latencyText())
		}
		if net.Media[i].round != (Place{}) {
			s.Round[i] = net.Media[i].round
		}
	}
	if net.routers != nil {
		net.sketchRouters(&s)
	}
	if len(s.Processors)+len(s.Media) > sketchMax || len(s.Processors) == 0 {
		return s, false
	}
	if net.routers != nil && net.routers.Places != nil {
		net.atPlaces(&s)
		return s, true
	}
	near := net.neighbours(&s)
	placed := 0
	for i, at := range net.places {
		if at != nil {
			placed++
			s.Processors[i].Place = *at
		}
	}
	if 2*placed < len(s.Processors) {
		clear(s.Round)
		for i, at := range spread(near) {
			if i < len(s.Processors) {
				s.Processors[i].Place = at
			} else {
				s.Media[i-len(s.Processors)].Place = at
			}
		}
		return s, true
	}
	below(&s, near, net.places)
	return s, true
}

func (m *Medium) latencyText() string {
	if m.Latency == Usual {
		return ""
	}
	return strconv.Itoa(m.Latency)
}

func (n *Net) sketchRouters(s *fabric.Sketch) {
	g, first := &n.routers.Graph, len(s.Media)
	for i := range g.Ports {
		spot := fabric.Spot{Kind: kindRouter, Shape: fabric.Boxed, Path: hw.Index(hw.Join(n.Name, "router"), i)}
		if !n.grid() { // on a grid, a router has its processor's name
			spot.Name = n.calls[i]
		}
		s.Media = append(s.Media, spot)
	}
	unequal := slices.ContainsFunc(g.Links, func(l hw.RouterLink) bool { return l.Latency != g.Links[0].Latency })
	if unequal && s.Latencies == nil {
		s.Latencies = make([]string, len(n.Media))
	}
	for i, l := range g.Links {
		medium := n.slotted + i
		if l.From != l.To {
			s.Lines = append(s.Lines, fabric.SketchLine{Medium: medium, From: first + l.From, To: first + l.To, Number: l.To})
		}
		if unequal {
			s.Latencies[medium] = strconv.Itoa(l.Latency)
		}
		if round, leads := n.routers.Round[i]; leads {
			s.Round[medium] = round
		}
	}
	for i, node := range g.Nodes {
		at := n.slotted + len(g.Links) + 2*i
		s.At[at], s.At[at+1] = first+g.Source(i).Router, first+node.Router
	}
}

func (n *Net) atPlaces(s *fabric.Sketch) {
	const apart, beside = 1.6, 0.5
	for i, at := range n.routers.Places {
		s.Media[i].Place = Place{X: float64(apart * at.X), Y: float64(apart * at.Y)}
	}
	each := len(s.Processors) / len(n.routers.Places)
	for i := range s.Processors {
		at, k := &s.Media[i/each], i%each
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(max(6, each)))
		s.Processors[i].Place = Place{X: at.X - float64(beside*(cos-sin)), Y: at.Y + float64(beside*(cos+sin))}
	}
}

func (n Network) sketchRouters() (s fabric.Sketch, ok bool) {
	r := n.routers
	s.Round = r.Round
	if len(r.Graph.Ports) > sketchMax {
		return s, false
	}
	places := r.Places
	if places == nil {
		near := make([][]int, len(r.Graph.Ports))
		for _, l := range r.Graph.Links {
			if l.From != l.To && !slices.Contains(near[l.From], l.To) {
				near[l.From] = append(near[l.From], l.To)
			}
			if l.From != l.To && !slices.Contains(near[l.To], l.From) {
				near[l.To] = append(near[l.To], l.From)
			}
		}
		places = spread(near)
	}
	for i, at := range places {
		s.Processors = append(s.Processors, fabric.Spot{Name: r.Router(i), Place: at})
	}
	return s, true
}

// neighbours returns the neighbours of each processor, followed by those of each medium with a node.
func (n *Net) neighbours(s *fabric.Sketch) (near [][]int) {
	near = make([][]int, len(s.Processors)+len(s.Media))
	ends := make([][]int, len(n.Media))
	join := func(a, b int) {
		if a != b && !slices.Contains(near[a], b) {
			near[a], near[b] = append(near[a], b), append(near[b], a)
		}
	}
	for i := range n.Processors {
		for _, port := range n.Processors[i].Ports {
			if port.Asks != 0 {
				join(i, len(s.Processors)+s.At[n.Crossbars[port.Asks-1].First])
			}
			for _, m := range []int{port.Sends, port.Hears} {
				switch {
				case m == None:
				case s.At[m] != None:
					join(i, len(s.Processors)+s.At[m])
				default:
					ends[m] = append(ends[m], i)
				}
			}
		}
	}
	for _, l := range s.Lines {
		join(len(s.Processors)+l.From, len(s.Processors)+l.To)
	}
	for m := range ends {
		if len(ends[m]) == 2 {
			join(ends[m][0], ends[m][1])
		}
	}
	return near
}

// below places the remaining nodes below a shorthand in rows. Each row contains the neighbours of placed nodes; each
// neighbour is below the middle of its placed neighbours.
func below(s *fabric.Sketch, near [][]int, places []*Place) {
	const apart = 1.35
	at := func(node int) *fabric.Spot {
		if node < len(s.Processors) {
			return &s.Processors[node]
		}
		return &s.Media[node-len(s.Processors)]
	}
	done, least := make([]bool, len(near)), 0.0
	for i, place := range places {
		if done[i] = place != nil; done[i] {
			least = min(least, place.Y)
		}
	}
	for y := least - 1.5; slices.Contains(done, false); y -= 1.5 {
		var row []int
		for node := range near {
			if !done[node] && slices.ContainsFunc(near[node], func(other int) bool { return done[other] }) {
				row = append(row, node)
			}
		}
		if row == nil {
			row = append(row, slices.Index(done, false))
		}
		var taken []float64
		for _, node := range row {
			x, above := 0.0, 0
			for _, other := range near[node] {
				if done[other] {
					x, above = x+at(other).X, above+1
				}
			}
			x /= float64(max(1, above))
			for slices.ContainsFunc(taken, func(other float64) bool { return math.Abs(other-x) < apart }) {
				x += apart
			}
			taken = append(taken, x)
			at(node).Place = Place{X: x, Y: y}
		}
		for _, node := range row {
			done[node] = true
		}
	}
}
