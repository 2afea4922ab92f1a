package eisenstein

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"starloom/traces/figure"
	"starloom/traces/svg"
)

const planeNodesMax = 1000

// sizes in a plane in pixels: distance of neighbours, radius of a node, margin, legend
const (
	planeHop    = 52
	planeNode   = 15
	planeMargin = 70
	planeLegend = 250
)

// WriteSVG draws a broadcast in a one-dimensional network as a hexagonal plane around the source. The position of a
// node is its least representative. A packet is an arrow in the colour of its step. A link out of the plane ends at
// the number of the far node. For larger networks WriteSVG plots senders and receivers by step.
func (t *Table) WriteSVG(w io.Writer) error {
	if t.net.Dims > 1 || t.net.Nodes() > planeNodesMax {
		a, b := t.net.Alpha()
		title := fmt.Sprintf("One-to-all broadcast in EJ_{%s}^(%d)", alphaText(a, b), t.net.Dims)
		steps := t.Steps()
		if steps == nil {
			steps = []Step{{}}
		}
		return SendersAndReceivers(title, steps).WriteSVG(w)
	}
	p := plane{Table: t, steps: t.Steps()}
	return p.draw(w)
}

func alphaText(a, b int) string {
	switch {
	case a == 0 && b == 1:
		return "rho"
	case a == 0:
		return fmt.Sprintf("%drho", b)
	case b == 1:
		return fmt.Sprintf("%d+rho", a)
	}
	return fmt.Sprintf("%d+%drho", a, b)
}

type plane struct {
	*Table
	d      *svg.Drawing
	steps  []Step
	middle point
}

type point struct{ x, y float64 }

func (p *plane) least(node int) integer { return p.net.least(p.net.Field.Subtract(node, p.source)) }

func (p *plane) at(z integer) point {
	return point{p.middle.x + float64(planeHop*(float64(z.x)+float64(float64(z.y)/2))),
		p.middle.y - float64(planeHop*float64(z.y)*math.Sqrt(3)/2)}
}

func (p *plane) along(z integer, direction int, distance float64) point {
	from, to := p.at(z), p.at(z.plus(1, units[direction]))
	part := distance / planeHop
	return point{from.x + float64(part*(to.x-from.x)), from.y + float64(part*(to.y-from.y))}
}

func (p *plane) draw(w io.Writer) error {
	least, most := point{}, point{}
	for node := range p.net.Nodes() {
		at := p.at(p.least(node))
		least, most = point{min(least.x, at.x), min(least.y, at.y)}, point{max(most.x, at.x), max(most.y, at.y)}
	}
	p.middle = point{planeMargin - least.x, planeMargin + 30 - least.y}
	width := most.x - least.x + 2*planeMargin + planeLegend
	height := max(most.y-least.y+2*planeMargin+30, float64(len(p.steps)*22+190))
	title := fmt.Sprintf("EJ_{%s}: the broadcast of node %d, diameter %d", alphaText(p.net.a, p.net.b),
		p.source, p.net.Diameter())
	p.d = svg.New(w, width, height, title, fmt.Sprintf("%d nodes in a hexagonal plane; packets are arrows in the "+
		"colours of their steps.", p.net.Nodes()))
	end := p.d.Group("", svg.Size(12), svg.Fill(svg.Ink))
	p.d.Text(width/2, 30, title, svg.Middle, svg.Size(16))
	p.links()
	p.packets()
	p.nodes()
	p.legend(width - planeLegend)
	end()
	return p.d.Close()
}

// leaves reports whether a link leads out of the plane.
func (p *plane) leaves(node, direction int) bool {
	return p.least(p.net.Field.Neighbour(node, direction)) != p.least(node).plus(1, units[direction])
}

func (p *plane) links() {
	for node := range p.net.Nodes() {
		z := p.least(node)
		for direction := range 6 {
			leaves := p.leaves(node, direction)
			if !leaves && direction >= 3 {
				continue
			}
			length := float64(planeHop)
			if leaves {
				length = planeHop / 2
			}
			from, to := p.at(z), p.along(z, direction, length)
			p.line(from, to, 1, svg.Faint)
			if leaves {
				label := p.along(z, direction, planeHop*0.66)
				p.d.Text(label.x, label.y+3, strconv.Itoa(p.net.Field.Neighbour(node, direction)), svg.Size(9),
					svg.Fill(svg.Ink.Pale(0.7)), svg.Middle)
			}
		}
	}
}

func (p *plane) line(from, to point, width float64, c svg.Colour) {
	p.d.Line(c, width, from.x, from.y, to.x, to.y)
}

func (p *plane) arrow(from, to point, step int) {
	head := svg.Arrowhead(from.x, from.y, to.x, to.y, 0, 8, 4)
	p.line(from, point{float64(head[1].X+head[2].X) / 2, float64(head[1].Y+head[2].Y) / 2}, 2.5, colour(step))
	p.d.Areas(colour(step), head)
}

// packets draws an arrow per packet. A packet that leaves the plane has a short arrow at both ends.
func (p *plane) packets() {
	for _, h := range p.sorted() {
		arrow := func(from, to point) { p.arrow(from, to, h.Step) }
		z := p.least(h.From)
		if !p.leaves(h.From, h.Direction) {
			arrow(p.at(z), p.along(z, h.Direction, planeHop-planeNode))
			continue
		}
		arrow(p.at(z), p.along(z, h.Direction, planeHop/2))
		end, back := p.least(h.To), Opposite(h.Direction)
		arrow(p.along(end, back, planeHop/2), p.along(end, back, planeNode))
	}
}

// nodes draws each node with a ring in the colour of the node's first receive step. The source is a disc.
func (p *plane) nodes() {
	first := make([]int, p.net.Nodes())
	for _, h := range p.sorted() {
		if first[h.To] == 0 {
			first[h.To] = h.Step
		}
	}
	for node, step := range first {
		z := p.least(node)
		at, fill, ring, wide, ink, what := p.at(z), svg.Paper, svg.Faint, 1.0, svg.Ink, "not reached"
		switch {
		case node == p.source:
			fill, ring, ink, what = svg.Ink, svg.Ink, svg.Paper, "source"
		case step > 0:
			ring, wide, what = colour(step), 4, fmt.Sprintf("step %d", step)
		}
		end := p.d.Group(fmt.Sprintf("node %d, %s from node %d: %s", node, z, p.source, what))
		p.d.Circle(at.x, at.y, planeNode, svg.Fill(fill))
		p.d.Circle(at.x, at.y, planeNode-2, svg.NoFill, svg.Width(wide), svg.Stroke(ring))
		p.d.Text(at.x, at.y+4, strconv.Itoa(node), svg.Middle, svg.Fill(ink))
		end()
	}
}

func (z integer) String() string { return fmt.Sprintf("%d%+drho", z.x, z.y) }

func (p *plane) legend(left float64) {
	const row, top = 22, 80
	for i, step := range p.steps {
		y := float64(top + i*row)
		p.arrow(point{left, y}, point{left + 22, y}, i+1)
		p.d.Text(left+32, y+4, fmt.Sprintf("step %d: senders %d, receivers %d", i+1, step.Senders, step.Receivers))
	}
	y := float64(top + len(p.steps)*row)
	p.line(point{left, y}, point{left + 22, y}, 1, svg.Faint)
	p.d.Text(left+32, y+4, "unused, or to a node")
	p.d.Text(left+32, y+18, "on the other side")
	compass := plane{Table: p.Table, middle: point{left + 75, y + 75}}
	for direction, name := range Directions {
		from, to, label := compass.middle, compass.along(integer{}, direction, 24), compass.along(integer{}, direction, 42)
		p.line(from, to, 1, svg.Ink.Pale(0.6))
		p.d.Text(label.x, label.y+4, name, svg.Size(10), svg.Middle)
	}
}

func colour(step int) svg.Colour { return svg.Of(step - 1) }

// Course lists the steps of one broadcast.
type Course struct {
	Name  string
	Style figure.Style
	Nodes uint64 // N^n
	Steps []Step
}

// Plots returns figures 15 to 18 of the paper: senders, receivers, free nodes and active nodes by step.
func Plots(network string, courses []Course) (senders, receivers, free, active *figure.Figure) {
	figure := func(what string, count func(nodes uint64, s Step) uint64) *figure.Figure {
		p := &figure.Figure{Title: what + " in every step of a broadcast, " + network, X: figure.Axis{Label: "step"},
			Y: figure.Axis{Label: "nodes"}}
		for _, c := range courses {
			p.Curves = append(p.Curves, curve(c.Name, c.Style, c.Steps, func(s Step) uint64 { return count(c.Nodes, s) }))
		}
		return p
	}
	senders = figure("Senders", func(_ uint64, s Step) uint64 { return s.Senders })
	receivers = figure("Receivers", func(_ uint64, s Step) uint64 { return s.Receivers })
	free = figure("Free nodes", func(nodes uint64, s Step) uint64 { return nodes - s.Active() })
	active = figure("Active nodes", func(_ uint64, s Step) uint64 { return s.Active() })
	return senders, receivers, free, active
}

// SendersAndReceivers plots senders and receivers of one broadcast by step.
func SendersAndReceivers(title string, steps []Step) *figure.Figure {
	return &figure.Figure{Title: title, X: figure.Axis{Label: "step"},
		Y: figure.Axis{Label: "nodes"}, Curves: []figure.Curve{
			curve("senders", figure.Line, steps, func(s Step) uint64 { return s.Senders }),
			curve("receivers", figure.Dashed, steps, func(s Step) uint64 { return s.Receivers }),
		}}
}

func curve(name string, style figure.Style, steps []Step, count func(Step) uint64) figure.Curve {
	c := figure.Curve{Name: name, Style: style}
	for i, step := range steps {
		c.Points = append(c.Points, figure.Point{X: float64(i + 1), Y: float64(count(step))})
	}
	return c
}
