package picture

import (
	"fmt"
	"math"
	"strings"

	"starloom/fabric"
	"starloom/traces/figure"
)

// heatColour is that of channels of routers, heatWidth the width of the most loaded one.
const (
	heatColour = 1
	heatWidth  = 7
)

const channelsNote = "each end of a line is the channel that begins there; the wider and darker, the more flits cross it. "

// RoutersOf is the topology of routers, with the flits per cycle of each channel, in the order of links; stuck are routers
// at which packets wait for one another. It is nil if there are too many.
func RoutersOf(n fabric.Network, title string, loads []float64, stuck []int) *Topology {
	r, sketch := fabric.RoutersOf(n), n.Abilities().Description.Routers
	if sketch == nil {
		return nil
	}
	s, ok := sketch()
	if !ok || len(s.Processors) != len(r.Graph.Ports) {
		return nil
	}
	t := &Topology{Title: title, plural: "routers", Broken: map[string]string{}, Struck: map[string]string{},
		Note: strings.ToUpper(channelsNote[:1]) + channelsNote[1:]}
	for _, router := range stuck {
		t.Broken[r.Router(router)] = "packets wait for one another"
	}
	for i, p := range s.Processors {
		t.Nodes = append(t.Nodes, Node{Number: i, Name: r.Router(i), X: p.X, Y: p.Y})
	}
	joined := map[[2]int]int{} // links that still miss their way back
	for i, l := range r.Graph.Links {
		load := Load{r.Channel(l.From, l.Output, l.To), i, loads[i]}
		if round, leads := s.Round[i]; leads {
			t.Links = append(t.Links, Link{From: l.From, To: -1, DX: round.X, DY: round.Y, Number: l.To, Paths: []string{load.Name}, Loads: []Load{load}})
			continue
		}
		if k, ok := joined[[2]int{l.To, l.From}]; ok {
			t.Links[k].OneWay, t.Links[k].Loads = false, append(t.Links[k].Loads, load)
			delete(joined, [2]int{l.To, l.From})
			continue
		}
		joined[[2]int{l.From, l.To}] = len(t.Links)
		t.Links = append(t.Links, Link{From: l.From, To: l.To, Number: -1, OneWay: true, Paths: []string{load.Name}, Loads: []Load{load}})
	}
	return t
}

// Channels gives the channels of a picture of processors and routers their loads, in the order of links.
func (t *Topology) Channels(n fabric.Network, loads []float64) {
	r, names, of := fabric.RoutersOf(n), n.Names(), map[string]Load{}
	for i, l := range r.Graph.Links {
		of[names.Medium(r.Media+i)] = Load{r.Channel(l.From, l.Output, l.To), i, loads[i]}
	}
	for i := range t.Links {
		for k := range t.Links[i].Loads { // without processors
			load := &t.Links[i].Loads[k]
			load.Load = loads[load.link]
		}
		for _, path := range t.Links[i].Paths {
			if load, ok := of[path]; ok {
				t.Links[i].Loads = append(t.Links[i].Loads, load)
			}
		}
	}
	if !strings.Contains(t.Note, channelsNote[1:]) {
		t.Note = "Between routers, " + channelsNote + t.Note
	}
}

func (t *Topology) mostLoad() (most float64) {
	for _, l := range t.Links {
		for _, load := range l.Loads {
			most = max(most, load.Load)
		}
	}
	return most
}

// heat draws the loads of channels, each from where it begins to the middle of its line.
func (t *Topology) heat(s *figure.Sketch, at func(x, y float64) (float64, float64)) {
	most := t.mostLoad()
	for _, l := range t.Links {
		for way, load := range l.Loads {
			from := t.Nodes[l.From]
			x, y := at(from.X, from.Y)
			x2, y2 := at(from.X+float64(0.5*l.DX), from.Y+float64(0.5*l.DY))
			if l.To >= 0 {
				to := t.Nodes[l.To]
				endX, endY := at(to.X, to.Y)
				x2, y2 = (x+endX)/2, (y+endY)/2
				if way == 1 {
					x, y = endX, endY
				}
			}
			part := 0.0
			if most > 0 {
				part = load.Load / most
			}
			func() {
				defer s.Titled(fmt.Sprintf("%s: %.4f flits per cycle", load.Name, load.Load))()
				width := 1.5 + float64((heatWidth-1.5)*part)
				s.Lines(figure.Of(heatColour).Pale(0.2+float64(0.8*part)), math.Round(width*4)/4, false, figure.XYs{{X: x, Y: y}, {X: x2, Y: y2}})
			}()
		}
	}
}
