package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/traces"
	"starloom/traces/svg"
)

// Topology shows the wiring: processors in a plane with links, or rows of processors across media.
type Topology struct {
	Title string
	Note  string // omissions

	Nodes  []Node // of a plane; nil for a crossing
	Links  []Link
	plural string // plural of the nodes that are not media

	Rows, Columns []string // of a crossing: processors or groups of processors, and media
	Sends, Hears  [][]bool // by row and column

	Broken map[string]string // broken rules by path
	Struck map[string]string // by path: the fault that struck this path first
	loads
}

// Node is a processor or a medium in a plane. Neighbours have distance 1.
type Node struct {
	Number int // -1 for a medium
	Name   string
	Label  string // text below the node, "" for none
	Kind   string // noun of a medium
	Shape  fabric.SpotShape
	X, Y   float64
}

// Link joins two nodes. A link to a node drawn elsewhere ends at the number of the processor there.
type Link struct {
	From, To int // indices of nodes; To is -1 for a link that ends at a number
	DX, DY   float64
	Number   int // processor at the other end if To is -1, otherwise -1
	OneWay   bool
	Paths    []string // path of its medium, or of both media
	Label    string   // latency in cycles, "" for the usual latency
	Loads    []Load   // loads of the channels from From and back; nil without routers
}

// Load is the load of a channel between routers.
type Load struct {
	Name string
	link int     // number of the channel
	Load float64 // flits per cycle
}

const (
	nodesMax   = 400
	aroundMax  = 108.5 // square of a radius that contains 385 nodes, none near the edge
	circleMax  = 64
	rowsMax    = 32
	columnsTop = 64
)

// TopologyOf returns the topology of a network with marks for broken rules and for first strikes of faults.
func TopologyOf(n fabric.Network, title string, violations, faults []Violation) *Topology {
	t := &Topology{Title: title, plural: "processors", Broken: map[string]string{}, Struck: map[string]string{}}
	for _, f := range faults {
		t.Struck[f.Path] = fmt.Sprintf("the fault %s struck first in slot %d", f.Rule, f.Slot)
	}
	for _, v := range violations {
		if t.Broken[v.Path] == "" {
			t.Broken[v.Path] = fmt.Sprintf("%s in slot %d", v.Rule, v.Slot)
		}
	}
	w := wired{n, n.Shape(), n.Names()}
	if sketch := n.Abilities().Description.Sketch; sketch != nil {
		if s, ok := sketch(); ok {
			t.sketch(&w, &s)
			return t
		}
	}
	if routers := fabric.RoutersOf(n); routers != nil && !fabric.Slotted(n) {
		if r := RoutersOf(n, title, make([]float64, len(routers.Graph.Links)), nil); r != nil {
			r.Broken, r.Struck, r.Note = t.Broken, t.Struck, "Each router has its processors. "+r.Note
			return r
		}
	}
	if w.joinsTwo() {
		t.plane(&w)
	} else {
		t.cross(&w)
	}
	return t
}

// wired is a network with its wiring.
type wired struct {
	fabric.Network
	shape fabric.Shape
	names fabric.Names
}

func (w *wired) ports(processor int) int {
	return w.shape.PortsOf(processor)
}

func (w *wired) sends(processor, towards int, yield func(port, medium int)) {
	for port := range w.ports(processor) {
		last := -1
		for to := range towards {
			medium := w.names.SentOn(processor, uint16(port), to)
			if medium >= 0 && medium == last { // the port leads to one medium
				break
			}
			if medium >= 0 { // otherwise the port only hears
				last = medium
				yield(port, medium)
			}
		}
	}
}

// joinsTwo reports whether each medium of the first processors joins at most one sender to one receiver.
func (w *wired) joinsTwo() bool {
	few := min(w.shape.Processors(), 2*circleMax)
	drivers, hearers := map[int]int{}, map[int]int{}
	for processor := range few {
		w.sends(processor, few, func(_, medium int) { drivers[medium]++ })
		for port := range w.ports(processor) {
			if medium := w.names.HeardOn(processor, uint16(port)); medium >= 0 {
				hearers[medium]++
			}
		}
	}
	for _, counts := range []map[int]int{drivers, hearers} {
		for _, count := range counts {
			if count > 1 {
				return false
			}
		}
	}
	return w.shape.Processors() > 1
}

// plane places processors as defined by the network, otherwise on a circle.
func (t *Topology) plane(w *wired) {
	processors := w.shape.Processors()
	var plane *fabric.Plane
	if planar := w.Abilities().Description.Plane; planar != nil {
		p := planar()
		plane = &p
		in := 0
		for processor := range processors {
			x, y, drawn := plane.Place(processor)
			if !drawn {
				continue
			}
			if in++; processors <= nodesMax || float64(x*x)+float64(y*y) <= aroundMax {
				t.Nodes = append(t.Nodes, Node{Number: processor, X: x, Y: y})
			}
		}
		if in < processors {
			t.Note = fmt.Sprintf("The picture shows only the plane of the first dimension; the network has %s. ",
				traces.Plural(processors, "processor", "processors"))
		}
		if drawn := len(t.Nodes); drawn < in {
			t.Note += fmt.Sprintf("The picture shows %d of the %d processors of this plane, around processor 0. ", drawn, in)
		}
	} else {
		drawn := min(processors, circleMax)
		if drawn < processors {
			t.Note = fmt.Sprintf("The picture shows the first %d of %d processors and the links between them. ", drawn,
				processors)
		}
		for processor := range drawn {
			sin, cos := math.Sincos(2 * math.Pi * float64(processor) / float64(drawn))
			radius := max(1, float64(drawn)/(2*math.Pi))
			t.Nodes = append(t.Nodes, Node{Number: processor, X: float64(radius * sin), Y: float64(radius * cos)})
		}
	}
	t.join(w, plane)
}

func (t *Topology) join(w *wired, plane *fabric.Plane) {
	index, hearer := map[int]int{}, map[int]int{}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		n.Name = w.names.Processor(n.Number)
		index[n.Number] = i
	}
	for _, n := range t.Nodes {
		for port := range w.ports(n.Number) {
			hearer[w.names.HeardOn(n.Number, uint16(port))] = n.Number
		}
	}
	joined := map[[2]int]int{}
	for i, n := range t.Nodes {
		w.sends(n.Number, w.shape.Processors(), func(port, medium int) {
			to, drawn := hearer[medium]
			l := Link{From: i, Number: -1, OneWay: true, Paths: []string{w.names.Medium(medium), w.names.Link(medium)}}
			if drawn {
				l.To, l.Number = index[to], to
			}
			if plane != nil {
				l.DX, l.DY = plane.Step(port)
				if l.DX == 0 && l.DY == 0 {
					return // another dimension
				}
				m := t.Nodes[l.To]
				drawn = drawn && math.Abs(m.X-n.X-l.DX) < 0.01 && math.Abs(m.Y-n.Y-l.DY) < 0.01
			} else if !drawn {
				return
			}
			if !drawn {
				l.To = -1
			} else if k, ok := joined[[2]int{l.To, i}]; ok {
				t.Links[k].OneWay = false
				t.Links[k].Paths = append(t.Links[k].Paths, l.Paths...)
				return
			}
			joined[[2]int{i, l.To}] = len(t.Links)
			t.Links = append(t.Links, l)
		})
	}
}

func (t *Topology) cross(w *wired) {
	per, all := 1, w.shape.Processors()
	if w.shape.PerUnit > 1 && w.shape.Units > 1 {
		per, all = w.shape.PerUnit, w.shape.Units
	}
	for rows := min(all, rowsMax); ; rows-- {
		columns := t.between(w, per, rows, rows == all)
		if len(columns) > columnsTop && rows > 2 {
			continue
		}
		one, many := w.names.MediumNoun()
		group := "processor"
		if per > 1 {
			group = "group"
			t.Note = fmt.Sprintf("A row combines %d processors. ", per)
		}
		cut := len(columns) > columnsTop
		columns = columns[:min(len(columns), columnsTop)]
		if rows < all || cut {
			t.Note = fmt.Sprintf("The picture shows %d of %s and %d of %s. ", rows, traces.Plural(all, group, group+"s"),
				len(columns), traces.Plural(w.shape.Media, one, many)) + t.Note
		}
		t.fill(w, per, rows, columns)
		return
	}
}

// between returns the media on which the first rows send and, unless all is drawn, hear.
func (t *Topology) between(w *wired, per, rows int, all bool) (media []int) {
	if all {
		for medium := range min(w.shape.Media, columnsTop+1) {
			media = append(media, medium)
		}
		return media
	}
	heard := map[int]bool{}
	for row := range rows {
		for port := range w.ports(row * per) {
			heard[w.names.HeardOn(row*per, uint16(port))] = true
		}
	}
	for row := range rows {
		w.sends(row*per, rows*per, func(_, medium int) {
			if heard[medium] && !slices.Contains(media, medium) {
				media = append(media, medium)
			}
		})
		if len(media) > columnsTop {
			return media
		}
	}
	slices.Sort(media)
	return media
}

func (t *Topology) fill(w *wired, per, rows int, columns []int) {
	place := map[int]int{}
	for i, medium := range columns {
		place[medium] = i
		t.Columns = append(t.Columns, w.names.Medium(medium))
	}
	for row := range rows {
		name := w.names.Processor(row)
		if per > 1 {
			name = fmt.Sprintf("%s[%d]", w.names.Unit(), row)
		}
		t.Rows = append(t.Rows, name)
		sends, hears := make([]bool, len(columns)), make([]bool, len(columns))
		w.sends(row*per, rows*per, func(_, medium int) {
			if i, ok := place[medium]; ok {
				sends[i] = true
			}
		})
		for port := range w.ports(row * per) {
			if i, ok := place[w.names.HeardOn(row*per, uint16(port))]; ok {
				hears[i] = true
			}
		}
		t.Sends, t.Hears = append(t.Sends, sends), append(t.Hears, hears)
	}
}

// broken returns the rule broken at a path or below it, "" for none.
func (t *Topology) broken(path string) (what string) {
	if what = t.Broken[path]; what != "" {
		return what
	}
	for at, other := range t.Broken {
		if strings.HasPrefix(at, path+".nic[") && (what == "" || other < what) {
			what = other
		}
	}
	return what
}

// struck returns the fault that struck first at one of the paths or below them, "" for none.
func (t *Topology) struck(paths ...string) (what string) {
	for _, path := range paths {
		for at, fault := range t.Struck {
			rest, below := strings.CutPrefix(at, path+".")
			here := at == path || below && (strings.HasPrefix(rest, "nic[") || !strings.Contains(rest, "["))
			if here && (what == "" || fault < what) {
				what = fault
			}
		}
	}
	return what
}

// loads counts frames by the path of their medium; nil if unknown.
type loads struct {
	frames map[string]uint64
	most   uint64 // maximum of all lines
}

// load returns the number of frames on the media of a line. It returns 0 for a line that ends at the node of a
// medium.
func (t *Topology) load(l Link) (frames uint64) {
	if l.To >= 0 && (t.Nodes[l.From].Number < 0 || t.Nodes[l.To].Number < 0) {
		return 0
	}
	for _, path := range l.Paths {
		frames += t.frames[path]
	}
	return frames
}

// colour of channels between routers, and width of the most heavily loaded channel
const (
	heatColour = 1
	heatWidth  = 7
)

const channelsNote = "each half of a line is the channel that begins at that end; wide, dark halves carry many flits. "

// RoutersOf returns the topology of routers with the flits per cycle of each channel, in the order of links; stuck
// lists the routers with packets that wait for each other. RoutersOf returns nil for too many routers.
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
	joined := map[[2]int]int{} // links without their way back yet
	for i, l := range r.Graph.Links {
		load := Load{r.Channel(l.From, l.Output, l.To), i, loads[i]}
		if round, leads := s.Round[i]; leads {
			t.Links = append(t.Links,
				Link{From: l.From, To: -1, DX: round.X, DY: round.Y, Number: l.To, Paths: []string{load.Name}, Loads: []Load{load}})
			continue
		}
		if k, ok := joined[[2]int{l.To, l.From}]; ok {
			t.Links[k].OneWay, t.Links[k].Loads = false, append(t.Links[k].Loads, load)
			delete(joined, [2]int{l.To, l.From})
			continue
		}
		joined[[2]int{l.From, l.To}] = len(t.Links)
		t.Links = append(t.Links,
			Link{From: l.From, To: l.To, Number: -1, OneWay: true, Paths: []string{load.Name}, Loads: []Load{load}})
	}
	return t
}

// Channels adds the loads of channels, in the order of links, to a picture of processors and routers.
func (t *Topology) Channels(n fabric.Network, loads []float64) {
	r, names, of := fabric.RoutersOf(n), n.Names(), map[string]Load{}
	for i, l := range r.Graph.Links {
		of[names.Medium(r.Media+i)] = Load{r.Channel(l.From, l.Output, l.To), i, loads[i]}
	}
	for i := range t.Links {
		for k := range t.Links[i].Loads { // a picture without processors
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

// heat draws the load of each channel, from its source to the middle of its line.
func (t *Topology) heat(s *svg.Drawing, at func(x, y float64) (float64, float64)) {
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
				defer s.Group(fmt.Sprintf("%s: %.4f flits per cycle", load.Name, load.Load))()
				width := 1.5 + float64((heatWidth-1.5)*part)
				s.Line(svg.Of(heatColour).Pale(0.2+float64(0.8*part)), math.Round(width*4)/4, x, y, x2, y2)
			}()
		}
	}
}
