package picture

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starloom/fabric"
	"starloom/traces"
	"starloom/traces/figure"
)

const (
	edge      = 24 // around them
	head      = 44 // above them
	letter    = 5.4
	cell      = 20 // of a crossing
	hop       = 46 // between neighbours
	nodeBig   = 14 // radius with a number in it
	nodeSmall = 8  // of a medium
	below     = 34 // with the legend
)

const brokenColour = 1

const struckColour = 3

// SVG draws it.
func (t *Topology) SVG() ([]byte, error) {
	if t.Nodes != nil {
		return t.drawPlane()
	}
	return t.drawCrossing()
}

// sheet begins a picture of a size without title, legend and note, and returns how to end it.
func (t *Topology) sheet(width, high float64, legend []entry) (s *figure.Sketch, end func() ([]byte, error)) {
	heading := t.Title + ": topology"
	room := 2.0 * edge
	for _, e := range legend {
		room += float64(letter*float64(len(e.name))) + 40
	}
	width = max(width, 2*edge+float64(7*float64(len(heading))), room, 400)
	notes := figure.Wrapped(t.Note, int((width-2*edge)/5))
	all := high + below + float64(13*float64(len(notes)))
	s = figure.NewSketch(width, all, heading, t.describe())
	s.Text(figure.Ink, 13, figure.Begin, edge, 24, heading)
	x := float64(edge)
	for _, e := range legend {
		e.draw(s, x+8, high+8)
		s.Text(figure.Ink, 11, figure.Begin, x+22, high+12, e.name)
		x += float64(letter*float64(len(e.name))) + 40
	}
	for i, line := range notes {
		s.Text(figure.Ink, 10, figure.Begin, edge, high+below+float64(13*float64(i)), line)
	}
	return s, func() ([]byte, error) {
		var b bytes.Buffer
		err := s.WriteSVG(&b)
		return b.Bytes(), err
	}
}

// entry is one of a legend, drawn around a point.
type entry struct {
	name string
	draw func(s *figure.Sketch, x, y float64)
}

func (t *Topology) describe() string {
	if t.Nodes != nil {
		links := len(t.Links)
		for _, l := range t.Links {
			if !l.OneWay {
				links++ // and back
			}
		}
		media := 0
		for _, n := range t.Nodes {
			if n.Number < 0 {
				media++
			}
		}
		if media > 0 {
			return fmt.Sprintf("%d %s and %d media, %d lines, one for each direction. %s", len(t.Nodes)-media, t.plural, media, links, t.Note)
		}
		return fmt.Sprintf("%d %s, %d links, one for each direction. %s", len(t.Nodes), t.plural, links, t.Note)
	}
	return fmt.Sprintf("%d rows, %s to %s, cross %d columns, %s to %s. %s", len(t.Rows), t.Rows[0], t.Rows[len(t.Rows)-1],
		len(t.Columns), t.Columns[0], t.Columns[len(t.Columns)-1], t.Note)
}

func sign(s *figure.Sketch, x, y float64, sends, hears bool) {
	if hears {
		s.Disc(figure.Paper, figure.Of(2), x, y, 6)
	}
	if sends {
		s.Disc(figure.Of(0), figure.Of(0), x, y, 3)
	}
}

// drawCrossing draws rows that cross columns: a dot where a row sends, a ring where it hears.
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
		{"sends", func(s *figure.Sketch, x, y float64) { sign(s, x, y, true, false) }},
		{"hears", func(s *figure.Sketch, x, y float64) { sign(s, x, y, false, true) }},
		{"sends and hears", func(s *figure.Sketch, x, y float64) { sign(s, x, y, true, true) }},
	}
	if t.marks() {
		legend = append(legend, entry{"a rule was broken", func(s *figure.Sketch, x, y float64) {
			s.Lines(figure.Of(brokenColour), 3, false, figure.XYs{{X: x - 8, Y: y}, {X: x + 8, Y: y}})
		}})
	}
	if slices.ContainsFunc(slices.Concat(t.Rows, t.Columns), func(name string) bool { return t.struck(name) != "" }) {
		legend = append(legend, struckEntry())
	}
	s, end := t.sheet(right+edge, bottom+10, legend)
	x := func(column int) float64 { return left + float64(cell*(float64(column)+0.5)) }
	y := func(row int) float64 { return top + float64(cell*(float64(row)+0.5)) }
	for column, name := range t.Columns {
		t.line(s, name, figure.XYs{{X: x(column), Y: top}, {X: x(column), Y: bottom}})
		s.Upright(figure.Ink, 10, x(column)+3.5, top-6, name)
	}
	for row, name := range t.Rows {
		t.line(s, name, figure.XYs{{X: left, Y: y(row)}, {X: right, Y: y(row)}})
		s.Text(figure.Ink, 10, figure.End, left-6, y(row)+3.5, name)
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
	return entry{"a fault struck here first", func(s *figure.Sketch, x, y float64) {
		s.Lines(figure.Of(struckColour), 7, false, figure.XYs{{X: x - 8, Y: y}, {X: x + 8, Y: y}})
	}}
}

func (t *Topology) strike(s *figure.Sketch, line figure.XYs, paths ...string) {
	if what := t.struck(paths...); what != "" {
		defer s.Titled(paths[0] + ": " + what)()
		s.Lines(figure.Of(struckColour), 7, false, line)
	}
}

// line draws a row or a column, in another colour if a rule was broken there.
func (t *Topology) line(s *figure.Sketch, name string, line figure.XYs) {
	t.strike(s, line, name)
	what := t.broken(name)
	if what == "" {
		s.Lines(figure.Faint, 1.5, false, line)
		return
	}
	defer s.Titled(name + ": " + what)()
	s.Lines(figure.Of(brokenColour), 3, false, line)
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
		legend = append(legend, entry{"a rule was broken", func(s *figure.Sketch, x, y float64) {
			s.Disc(figure.Of(brokenColour), figure.Ink, x, y, 6)
		}})
	}
	if t.struckDrawn() {
		legend = append(legend, struckEntry())
	}
	if most := t.mostLoad(); most > 0 {
		legend = append(legend, entry{fmt.Sprintf("%.3f flits per cycle", most), func(s *figure.Sketch, x, y float64) {
			s.Lines(figure.Of(heatColour), heatWidth, false, figure.XYs{{X: x - 8, Y: y}, {X: x + 8, Y: y}})
		}})
	}
	s, end := t.sheet(width, high, append(legend, t.kinds()...))
	var both, single, short []figure.XYs
	var labels []label
	for _, l := range t.Links {
		from := t.Nodes[l.From]
		x, y := at(from.X, from.Y)
		if l.To < 0 {
			x2, y2 := at(from.X+float64(0.5*l.DX), from.Y+float64(0.5*l.DY))
			t.strike(s, figure.XYs{{X: x, Y: y}, {X: x2, Y: y2}}, l.Paths...)
			if l.Loads == nil && !t.loaded(s, l, figure.XYs{{X: x, Y: y}, {X: x2, Y: y2}}) {
				short = append(short, figure.XYs{{X: x, Y: y}, {X: x2, Y: y2}})
			}
			if l.Number < 0 {
				continue
			}
			x2, y2 = at(from.X+float64(0.68*l.DX), from.Y+float64(0.68*l.DY))
			s.Text(figure.Ink.Pale(0.7), 8, figure.Middle, x2, y2+3, strconv.Itoa(l.Number))
			continue
		}
		to := t.Nodes[l.To]
		x2, y2 := at(to.X, to.Y)
		line := figure.XYs{{X: x, Y: y}, {X: x2, Y: y2}}
		t.strike(s, line, l.Paths...)
		if l.Loads == nil && !t.loaded(s, l, line) { // of routers, each way has a line of its own
			both = append(both, line)
		}
		if l.Label != "" {
			labels = append(labels, label{(x + x2) / 2, float64((y+y2)/2) - 3, l.Label})
		}
		if l.OneWay {
			single = append(single, arrow(x, y, x2, y2))
		}
	}
	t.heat(s, at)
	s.Lines(figure.Of(0).Pale(0.7), 1.5, false, both...)
	s.Lines(figure.Faint, 1.5, false, short...)
	s.Areas(figure.Of(0), single...)
	for _, l := range labels {
		s.Text(figure.Ink, 8, figure.Middle, l.x, l.y, l.text)
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

func arrow(x, y, x2, y2 float64) figure.XYs {
	dx, dy := x2-x, y2-y
	length := math.Hypot(dx, dy)
	dx, dy = dx/length, dy/length
	tip := func(along, across float64) (float64, float64) {
		return x2 - float64(along*dx) - float64(across*dy), y2 - float64(along*dy) + float64(across*dx)
	}
	ax, ay := tip(nodeBig, 0)
	bx, by := tip(nodeBig+9, 4)
	cx, cy := tip(nodeBig+9, -4)
	return figure.XYs{{X: ax, Y: ay}, {X: bx, Y: by}, {X: cx, Y: cy}}
}

func (t *Topology) node(s *figure.Sketch, n Node, x, y float64) {
	name, fill, ink := n.Name, figure.Paper, figure.Ink
	if what := t.broken(n.Name); what != "" {
		name, fill, ink = name+": "+what, figure.Of(brokenColour), figure.Paper
	}
	if what := t.struck(n.Name); what != "" {
		name += ": " + what
		s.Disc(figure.Of(struckColour), figure.Of(struckColour), x, y, nodeBig+5)
	}
	if frames, ok := t.frames[n.Name]; ok && n.Number < 0 {
		name += ": " + traces.Plural(frames, "frame", "frames")
		n.Label += ", " + traces.Plural(frames, "frame", "frames")
	}
	defer s.Titled(name)()
	if n.Number < 0 {
		shape(s, n.Shape, x, y)
	} else {
		s.Disc(fill, figure.Ink, x, y, nodeBig)
		s.Text(ink, 10, figure.Middle, x, y+3.5, strconv.Itoa(n.Number))
	}
	if n.Label != "" {
		s.Text(figure.Ink, 8, figure.Middle, x, y+nodeBig+8, n.Label)
	}
}

func (t *Topology) loaded(s *figure.Sketch, l Link, line figure.XYs) bool {
	if t.frames == nil || l.To >= 0 && (t.Nodes[l.From].Number < 0 || t.Nodes[l.To].Number < 0) {
		return false
	}
	var says []string
	for _, path := range l.Paths {
		if frames, ok := t.frames[path]; ok {
			says = append(says, path+": "+traces.Plural(frames, "frame", "frames"))
		}
	}
	defer s.Titled(strings.Join(says, "; "))()
	frames := t.load(l)
	if frames == 0 {
		s.Lines(figure.Faint, 1, true, line)
		return true
	}
	s.Lines(figure.Of(0).Pale(0.7), 1+float64(5*float64(frames)/float64(t.most)), false, line)
	return true
}

type label struct {
	x, y float64
	text string
}

func shape(s *figure.Sketch, kind fabric.SpotShape, x, y float64) {
	box := func(width, high float64) figure.XYs {
		return figure.XYs{{X: x - width, Y: y - high}, {X: x + width, Y: y - high}, {X: x + width, Y: y + high}, {X: x - width, Y: y + high}}
	}
	switch kind {
	case fabric.Flat:
		s.Areas(figure.Of(2), box(nodeBig, nodeSmall/2))
	case fabric.Crossed:
		s.Areas(figure.Of(2), box(nodeSmall, nodeSmall))
		s.Lines(figure.Paper, 2, false, figure.XYs{{X: x - nodeSmall, Y: y - nodeSmall}, {X: x + nodeSmall, Y: y + nodeSmall}},
			figure.XYs{{X: x - nodeSmall, Y: y + nodeSmall}, {X: x + nodeSmall, Y: y - nodeSmall}})
	case fabric.Boxed:
		s.Areas(figure.Ink, box(nodeSmall, nodeSmall))
		s.Areas(figure.Paper, box(nodeSmall-1.5, nodeSmall-1.5))
	default:
		s.Disc(figure.Of(2), figure.Ink, x, y, nodeSmall)
	}
}

func (t *Topology) kinds() (legend []entry) {
	for i, n := range t.Nodes {
		if n.Kind != "" && !slices.ContainsFunc(t.Nodes[:i], func(other Node) bool { return other.Kind == n.Kind }) {
			left := 0.0
			if n.Shape == fabric.Flat { // which is wider than the others
				left = nodeBig - nodeSmall
			}
			legend = append(legend, entry{n.Kind, func(s *figure.Sketch, x, y float64) { shape(s, n.Shape, x-left, y) }})
		}
	}
	if slices.ContainsFunc(t.Links, func(l Link) bool { return l.Label != "" }) {
		legend = append(legend, entry{"latency in cycles", func(s *figure.Sketch, x, y float64) { s.Text(figure.Ink, 8, figure.Middle, x, y+3, "5") }})
	}
	if t.most > 0 {
		legend = append(legend, entry{traces.Plural(t.most, "frame", "frames"), func(s *figure.Sketch, x, y float64) {
			s.Lines(figure.Of(0).Pale(0.7), 6, false, figure.XYs{{X: x - 8, Y: y}, {X: x + 8, Y: y}})
		}})
	}
	return legend
}
