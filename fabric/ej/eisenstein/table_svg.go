package eisenstein

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"starloom/traces/figure"
)

const planeNodesMax = 1000

// The picture of a plane: pixels between neighbours, of a node, and around the plane.
const (
	planeHop    = 52
	planeNode   = 15
	planeMargin = 70
	planeLegend = 250
)

// WriteSVG draws the broadcast in a network of one dimension as a hexagonal plane around the source:
// every node where its least representative lies, the packets as arrows in the colour of their
// step, links that leave the plane as stubs with the node at their other end. Of larger networks
// it draws how many nodes send and receive in every step.
func (t *Table) WriteSVG(w io.Writer) error {
	if t.net.Dims > 1 || t.net.Nodes() > planeNodesMax {
		a, b := t.net.Alpha()
		title := fmt.Sprintf("One-to-all broadcast in EJ_{%s}^(%d)", alphaText(a, b), t.net.Dims)
		steps := t.Steps()
		if steps == nil { // no one has sent
			steps = []Step{{}}
		}
		return SendersAndReceivers(title, steps).WriteSVG(w)
	}
	p := plane{Table: t, out: bufio.NewWriter(w)}
	p.draw()
	return p.out.Flush() // the first error stays until here
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

// plane is a picture that is being drawn.
type plane struct {
	*Table
	out    *bufio.Writer
	steps  []Step
	middle point
}

type point struct{ x, y float64 }

func (p *plane) printf(format string, values ...any) { fmt.Fprintf(p.out, format, values...) }

func (p *plane) least(node int) integer { return p.net.least(p.net.Field.Subtract(node, p.source)) }

func (p *plane) at(z integer) point {
	return point{p.middle.x + float64(planeHop*(float64(z.x)+float64(float64(z.y)/2))), p.middle.y - float64(planeHop*float64(z.y)*math.Sqrt(3)/2)}
}

func (p *plane) along(z integer, direction int, distance float64) point {
	from, to := p.at(z), p.at(z.plus(1, units[direction]))
	part := distance / planeHop
	return point{from.x + float64(part*(to.x-from.x)), from.y + float64(part*(to.y-from.y))}
}

func (p *plane) draw() {
	p.steps = p.Steps()
	least, most := point{}, point{}
	for node := range p.net.Nodes() {
		at := p.at(p.least(node))
		least, most = point{min(least.x, at.x), min(least.y, at.y)}, point{max(most.x, at.x), max(most.y, at.y)}
	}
	p.middle = point{planeMargin - least.x, planeMargin + 30 - least.y}
	width := most.x - least.x + 2*planeMargin + planeLegend
	height := max(most.y-least.y+2*planeMargin+30, float64(len(p.steps)*22+190))
	title := fmt.Sprintf("EJ_{%s}: the broadcast of node %d, diameter %d", alphaText(p.net.a, p.net.b), p.source, p.net.Diameter())
	p.printf("%s", figure.Head(width, height, title,
		fmt.Sprintf("%d nodes in a hexagonal plane; packets are arrows in the colours of their steps.", p.net.Nodes())))
	p.printf(`<g font-size="12" %s>`+"\n"+`<text x="%.1f" y="30" text-anchor="middle" font-size="16">%s</text>`+"\n", figure.Ink.Fill(), width/2, title)
	p.links()
	p.packets()
	p.nodes()
	p.legend(width - planeLegend)
	p.printf("</g>\n</svg>\n")
}

// leaves reports whether a link leads out of the plane: the node at its other end is drawn elsewhere.
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
			p.line(from, to, 1, figure.Faint)
			if leaves {
				label := p.along(z, direction, planeHop*0.66)
				p.printf(`<text x="%.1f" y="%.1f" font-size="9" fill-opacity="0.7" text-anchor="middle">%d</text>`+"\n",
					label.x, label.y+3, p.net.Field.Neighbour(node, direction))
			}
		}
	}
}

func (p *plane) line(from, to point, width float64, c figure.Colour) {
	p.printf(`<path d="M%.1f %.1fL%.1f %.1f" %s stroke-width="%.1f"/>`+"\n", from.x, from.y, to.x, to.y, c.Stroke(), width)
}

func (p *plane) arrow(from, to point, step int) {
	const long, half = 8, 4
	dx, dy := to.x-from.x, to.y-from.y
	length := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	dx, dy = dx/length, dy/length
	neck := point{to.x - float64(long*dx), to.y - float64(long*dy)}
	p.line(from, neck, 2.5, colour(step))
	p.printf(`<path d="M%.1f %.1fL%.1f %.1fL%.1f %.1fZ" %s/>`+"\n", to.x, to.y, neck.x-float64(half*dy), neck.y+float64(half*dx),
		neck.x+float64(half*dy), neck.y-float64(half*dx), colour(step).Fill())
}

// packets draws an arrow for each packet; one that leaves the plane has a stub at each end.
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

// nodes draws every node with a ring in the colour of the step in which it receives first, the source as a disc.
func (p *plane) nodes() {
	first := make([]int, p.net.Nodes())
	for _, h := range p.sorted() {
		if first[h.To] == 0 {
			first[h.To] = h.Step
		}
	}
	for node, step := range first {
		z := p.least(node)
		at, fill, ring, wide, ink, what := p.at(z), figure.Paper, figure.Faint, 1, figure.Ink, "not reached"
		switch {
		case node == p.source:
			fill, ring, ink, what = figure.Ink, figure.Ink, figure.Paper, "source"
		case step > 0:
			ring, wide, what = colour(step), 4, fmt.Sprintf("step %d", step)
		}
		p.printf(`<g><title>node %d, %s from node %d: %s</title>`, node, z, p.source, what)
		p.printf(`<circle cx="%.1f" cy="%.1f" r="%d" %s/>`, at.x, at.y, planeNode, fill.Fill())
		p.printf(`<path d="M%.1f %.1fa%d %d 0 1 0 %d 0a%d %d 0 1 0 -%d 0" fill="none" stroke-width="%d" %s/>`,
			at.x-planeNode+2, at.y, planeNode-2, planeNode-2, 2*planeNode-4, planeNode-2, planeNode-2, 2*planeNode-4, wide, ring.Stroke())
		p.printf(`<text x="%.1f" y="%.1f" text-anchor="middle" %s>%d</text></g>`+"\n", at.x, at.y+4, ink.Fill(), node)
	}
}

func (z integer) String() string { return fmt.Sprintf("%d%+drho", z.x, z.y) }

func (p *plane) legend(left float64) {
	const row, top = 22, 80
	for i, step := range p.steps {
		y := float64(top + i*row)
		p.arrow(point{left, y}, point{left + 22, y}, i+1)
		p.printf(`<text x="%.1f" y="%.1f">step %d: senders %d, receivers %d</text>`+"\n", left+32, y+4, i+1, step.Senders, step.Receivers)
	}
	y := float64(top + len(p.steps)*row)
	p.line(point{left, y}, point{left + 22, y}, 1, figure.Faint)
	p.printf(`<text x="%.1f" y="%.1f">unused, or to a node</text><text x="%.1f" y="%.1f">on the other side</text>`+"\n", left+32, y+4, left+32, y+18)
	compass := plane{Table: p.Table, out: p.out, middle: point{left + 75, y + 75}}
	for direction, name := range Directions {
		from, to, label := compass.middle, compass.along(integer{}, direction, 24), compass.along(integer{}, direction, 42)
		p.line(from, to, 1, figure.Ink.Pale(0.6))
		p.printf(`<text x="%.1f" y="%.1f" font-size="10" text-anchor="middle">%s</text>`+"\n", label.x, label.y+4, name)
	}
}

// colour is that of a step: those of curves, again and again.
func colour(step int) figure.Colour { return figure.Of(step - 1) }

// Course is what happens in the steps of one broadcast.
type Course struct {
	Name  string
	Style figure.Style
	Nodes uint64 // N^n
	Steps []Step
}

// Plots are the figures 15 to 18 of the paper: senders, receivers, free and active nodes of every step.
func Plots(network string, courses []Course) (senders, receivers, free, active *figure.Figure) {
	figure := func(what string, count func(nodes uint64, s Step) uint64) *figure.Figure {
		p := &figure.Figure{Title: what + " in every step of a broadcast, " + network, X: figure.Axis{Label: "step"}, Y: figure.Axis{Label: "nodes"}}
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

// SendersAndReceivers draws both of one broadcast.
func SendersAndReceivers(title string, steps []Step) *figure.Figure {
	return &figure.Figure{Title: title, X: figure.Axis{Label: "step"}, Y: figure.Axis{Label: "nodes"}, Curves: []figure.Curve{
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
