package picture

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"starloom/fabric"
	"starloom/traces"
	"starloom/traces/figure"
	"starloom/traces/svg"
)

const (
	edge      = 24 // margin
	head      = 44 // top margin with the title
	letter    = 6.4
	cell      = 20 // size of a cell of a crossing
	hop       = 46 // distance of neighbours
	nodeBig   = 14 // radius of a node with a number
	nodeSmall = 8  // radius of a medium
	below     = 34 // bottom margin with the legend
)

const brokenColour = 1

const struckColour = 3

// SVG draws the topology.
func (t *Topology) SVG() ([]byte, error) {
	if t.Nodes != nil {
		return t.drawPlane()
	}
	return t.drawCrossing()
}

// sheet begins a picture with title, legend and note around an area; end completes it.
func (t *Topology) sheet(width, high float64, legend []entry) (s *svg.Drawing, end func() ([]byte, error)) {
	heading := t.Title + ": topology"
	room := 2.0 * edge
	for _, e := range legend {
		room += float64(letter*float64(len(e.name))) + 40
	}
	width = max(width, 2*edge+float64(7*float64(len(heading))), room, 400)
	notes := figure.Wrapped(t.Note, int((width-2*edge)/6))
	all := high + below + float64(16*float64(len(notes)))
	var b bytes.Buffer
	s = svg.New(&b, width, all, heading, t.describe())
	s.Text(edge, 24, heading, svg.Size(14), svg.Fill(svg.Ink))
	x := float64(edge)
	for _, e := range legend {
		e.draw(s, x+8, high+8)
		s.Text(x+22, high+12, e.name, svg.Size(12), svg.Fill(svg.Ink))
		x += float64(letter*float64(len(e.name))) + 40
	}
	for i, line := range notes {
		s.Text(edge, high+below+float64(16*float64(i)), line, svg.Size(12), svg.Fill(svg.Ink))
	}
	return s, func() ([]byte, error) {
		err := s.Close()
		return b.Bytes(), err
	}
}

// entry is an entry of a legend; draw draws its sign around a point.
type entry struct {
	name string
	draw func(s *svg.Drawing, x, y float64)
}

func (t *Topology) describe() string {
	if t.Nodes != nil {
		links := len(t.Links)
		for _, l := range t.Links {
			if !l.OneWay {
				links++ // the way back
			}
		}
		media := 0
		for _, n := range t.Nodes {
			if n.Number < 0 {
				media++
			}
		}
		if media > 0 {
			return fmt.Sprintf("%d %s and %d media, %d lines, one for each direction. %s", len(t.Nodes)-media,
				t.plural, media, links, t.Note)
		}
		return fmt.Sprintf("%d %s, %d links, one for each direction. %s", len(t.Nodes), t.plural, links, t.Note)
	}
	return fmt.Sprintf("%d rows, %s to %s, cross %d columns, %s to %s. %s", len(t.Rows), t.Rows[0], t.Rows[len(t.Rows)-1],
		len(t.Columns), t.Columns[0], t.Columns[len(t.Columns)-1], t.Note)
}

func sign(s *svg.Drawing, x, y float64, sends, hears bool) {
	if hears {
		s.Disc(x, y, 6, svg.Paper, svg.Of(2))
	}
	if sends {
		s.Disc(x, y, 3, svg.Of(0), svg.Of(0))
	}
}

// drawCrossing draws rows across columns: a dot where a row sends, a ring where it hears.
func (t *Topology) drawCrossing() ([]byte, error) {
	widest, tallest := 0, 0
	for _, row := range t.Rows {
		widest = max(widest, len(row))
	}
	for _, column := range t.Columns {
		tallest = max(tallest, len(column))
	}
	left, top := edge+float64(letter*float64(widest))+12, head+float64(letter*float64(tallest))+10
	right, bottom := left+float64(cell*float64(len(t.Columns))), top+float64(cell*float64(len(t.Rows)))
	legend := []entry{
		{"sends", func(s *svg.Drawing, x, y float64) { sign(s, x, y, true, false) }},
		{"hears", func(s *svg.Drawing, x, y float64) { sign(s, x, y, false, true) }},
		{"sends and hears", func(s *svg.Drawing, x, y float64) { sign(s, x, y, true, true) }},
	}
	if t.marks() {
		legend = append(legend, entry{"a rule was broken", func(s *svg.Drawing, x, y float64) {
			s.Line(svg.Of(brokenColour), 3, x-8, y, x+8, y)
		}})
	}
	if slices.ContainsFunc(slices.Concat(t.Rows, t.Columns), func(name string) bool { return t.struck(name) != "" }) {
		legend = append(legend, struckEntry())
	}
	s, end := t.sheet(right+edge, bottom+10, legend)
	x := func(column int) float64 { return left + float64(cell*(float64(column)+0.5)) }
	y := func(row int) float64 { return top + float64(cell*(float64(row)+0.5)) }
	for column, name := range t.Columns {
		t.line(s, name, svg.Segment(x(column), top, x(column), bottom))
		s.Upright(x(column)+4, top-6, name, svg.Size(12), svg.Fill(svg.Ink))
	}
	for row, name := range t.Rows {
		t.line(s, name, svg.Segment(left, y(row), right, y(row)))
		s.Text(left-6, y(row)+4, name, svg.Size(12), svg.Fill(svg.Ink), svg.End)
	}
	for row := range t.Rows {
		for column := range t.Columns {
			if sends, hears := t.Sends[row][column], t.Hears[row][column]; sends || hears {
				sign(s, x(column), y(row), sends, hears)
			}
		}
	}
	return end()
}

func struckEntry() entry {
	return entry{"a fault struck here first", func(s *svg.Drawing, x, y float64) {
		s.Line(svg.Of(struckColour), 7, x-8, y, x+8, y)
	}}
}

func (t *Topology) strike(s *svg.Drawing, line svg.Line, paths ...string) {
	if what := t.struck(paths...); what != "" {
		defer s.Group(paths[0] + ": " + what)()
		s.Lines(svg.Of(struckColour), 7, []svg.Line{line})
	}
}

// line draws a row or a column, in another colour for a broken rule.
func (t *Topology) line(s *svg.Drawing, name string, line svg.Line) {
	t.strike(s, line, name)
	what := t.broken(name)
	if what == "" {
		s.Lines(svg.Faint, 1.5, []svg.Line{line})
		return
	}
	defer s.Group(name + ": " + what)()
	s.Lines(svg.Of(brokenColour), 3, []svg.Line{line})
}

func (t *Topology) marks() bool {
	for _, names := range [][]string{t.Rows, t.Columns} {
		for _, name := range names {
			if t.broken(name) != "" {
				return true
			}
		}
	}
	for _, n := range t.Nodes {
		if t.broken(n.Name) != "" {
			return true
		}
	}
	return false
}

func (t *Topology) drawPlane() ([]byte, error) {
	var least, most struct{ X, Y float64 }
	for _, n := range t.Nodes {
		least.X, least.Y = min(least.X, n.X), min(least.Y, n.Y)
		most.X, most.Y = max(most.X, n.X), max(most.Y, n.Y)
	}
	margin := 2.0 * edge
	at := func(x, y float64) (float64, float64) {
		return margin + float64(hop*(x-least.X)), head + float64(margin/2) + float64(hop*(most.Y-y))
	}
	width, high := float64(2*margin)+float64(hop*(most.X-least.X)), head+float64(1.6*margin)+float64(hop*(most.Y-least.Y))
	var legend []entry
	if t.marks() {
		legend = append(legend, entry{"a rule was broken", func(s *svg.Drawing, x, y float64) {
			s.Disc(x, y, 6, svg.Of(brokenColour), svg.Ink)
		}})
	}
	if t.struckDrawn() {
		legend = append(legend, struckEntry())
	}
	if most := t.mostLoad(); most > 0 {
		legend = append(legend, entry{fmt.Sprintf("%.3f flits per cycle", most), func(s *svg.Drawing, x, y float64) {
			s.Line(svg.Of(heatColour), heatWidth, x-8, y, x+8, y)
		}})
	}
	s, end := t.sheet(width, high, append(legend, t.kinds()...))
	var both, single, short []svg.Line
	var labels []label
	for _, l := range t.Links {
		from := t.Nodes[l.From]
		x, y := at(from.X, from.Y)
		if l.To < 0 {
			x2, y2 := at(from.X+float64(0.5*l.DX), from.Y+float64(0.5*l.DY))
			t.strike(s, svg.Segment(x, y, x2, y2), l.Paths...)
			if line := svg.Segment(x, y, x2, y2); l.Loads == nil && !t.loaded(s, l, line) {
				short = append(short, line)
			}
			if l.Number < 0 {
				continue
			}
			x2, y2 = at(from.X+float64(0.68*l.DX), from.Y+float64(0.68*l.DY))
			s.Text(x2, y2+3, strconv.Itoa(l.Number), svg.Size(10), svg.Fill(svg.Ink.Pale(0.7)), svg.Middle)
			continue
		}
		to := t.Nodes[l.To]
		x2, y2 := at(to.X, to.Y)
		line := svg.Segment(x, y, x2, y2)
		t.strike(s, line, l.Paths...)
		if l.Loads == nil && !t.loaded(s, l, line) { // channels between routers have a line for each direction
			both = append(both, line)
		}
		if l.Label != "" {
			labels = append(labels, label{(x + x2) / 2, float64((y+y2)/2) - 3, l.Label})
		}
		if l.OneWay {
			single = append(single, svg.Arrowhead(x, y, x2, y2, nodeBig, 9, 4))
		}
	}
	t.heat(s, at)
	s.Lines(svg.Of(0).Pale(0.7), 1.5, both)
	s.Lines(svg.Faint, 1.5, short)
	s.Areas(svg.Of(0), single...)
	for _, l := range labels {
		s.Text(l.x, l.y, l.text, svg.Size(10), svg.Fill(svg.Ink), svg.Middle)
	}
	for _, n := range t.Nodes {
		x, y := at(n.X, n.Y)
		t.node(s, n, x, y)
	}
	return end()
}

func (t *Topology) struckDrawn() bool {
	return slices.ContainsFunc(t.Links, func(l Link) bool { return t.struck(l.Paths...) != "" }) ||
		slices.ContainsFunc(t.Nodes, func(n Node) bool { return t.struck(n.Name) != "" })
}

func (t *Topology) node(s *svg.Drawing, n Node, x, y float64) {
	name, fill, ink := n.Name, svg.Paper, svg.Ink
	if what := t.broken(n.Name); what != "" {
		name, fill, ink = name+": "+what, svg.Of(brokenColour), svg.Paper
	}
	if what := t.struck(n.Name); what != "" {
		name += ": " + what
		s.Disc(x, y, nodeBig+5, svg.Of(struckColour), svg.Of(struckColour))
	}
	if frames, ok := t.frames[n.Name]; ok && n.Number < 0 {
		name += ": " + traces.Plural(frames, "frame", "frames")
		n.Label += ", " + traces.Plural(frames, "frame", "frames")
	}
	defer s.Group(name)()
	if n.Number < 0 {
		shape(s, n.Shape, x, y)
	} else {
		s.Disc(x, y, nodeBig, fill, svg.Ink)
		s.Text(x, y+4, strconv.Itoa(n.Number), svg.Size(12), svg.Fill(ink), svg.Middle)
	}
	if n.Label != "" {
		s.Text(x, y+nodeBig+10, n.Label, svg.Size(10), svg.Fill(svg.Ink), svg.Middle)
	}
}

func (t *Topology) loaded(s *svg.Drawing, l Link, line svg.Line) bool {
	if t.frames == nil || l.To >= 0 && (t.Nodes[l.From].Number < 0 || t.Nodes[l.To].Number < 0) {
		return false
	}
	var says []string
	for _, path := range l.Paths {
		if frames, ok := t.frames[path]; ok {
			says = append(says, path+": "+traces.Plural(frames, "frame", "frames"))
		}
	}
	defer s.Group(strings.Join(says, "; "))()
	frames := t.load(l)
	if frames == 0 {
		s.Lines(svg.Faint, 1, []svg.Line{line}, svg.Dashes(4, 3))
		return true
	}
	s.Lines(svg.Of(0).Pale(0.7), 1+float64(5*float64(frames)/float64(t.most)), []svg.Line{line})
	return true
}

type label struct {
	x, y float64
	text string
}

func shape(s *svg.Drawing, kind fabric.SpotShape, x, y float64) {
	switch kind {
	case fabric.Flat:
		s.Areas(svg.Of(2), svg.Box(x, y, nodeBig, nodeSmall/2))
	case fabric.Crossed:
		s.Areas(svg.Of(2), svg.Box(x, y, nodeSmall, nodeSmall))
		s.Lines(svg.Paper, 2, []svg.Line{svg.Segment(x-nodeSmall, y-nodeSmall, x+nodeSmall, y+nodeSmall),
			svg.Segment(x-nodeSmall, y+nodeSmall, x+nodeSmall, y-nodeSmall)})
	case fabric.Boxed:
		s.Areas(svg.Ink, svg.Box(x, y, nodeSmall, nodeSmall))
		s.Areas(svg.Paper, svg.Box(x, y, nodeSmall-1.5, nodeSmall-1.5))
	default:
		s.Disc(x, y, nodeSmall, svg.Of(2), svg.Ink)
	}
}

func (t *Topology) kinds() (legend []entry) {
	for i, n := range t.Nodes {
		if n.Kind != "" && !slices.ContainsFunc(t.Nodes[:i], func(other Node) bool { return other.Kind == n.Kind }) {
			left := 0.0
			if n.Shape == fabric.Flat { // wider than the others
				left = nodeBig - nodeSmall
			}
			legend = append(legend, entry{n.Kind, func(s *svg.Drawing, x, y float64) { shape(s, n.Shape, x-left, y) }})
		}
	}
	if slices.ContainsFunc(t.Links, func(l Link) bool { return l.Label != "" }) {
		legend = append(legend,
			entry{"latency in cycles",
				func(s *svg.Drawing, x, y float64) { s.Text(x, y+3, "5", svg.Size(10), svg.Fill(svg.Ink), svg.Middle) }})
	}
	if t.most > 0 {
		legend = append(legend, entry{traces.Plural(t.most, "frame", "frames"), func(s *svg.Drawing, x, y float64) {
			s.Line(svg.Of(0).Pale(0.7), 6, x-8, y, x+8, y)
		}})
	}
	return legend
}
