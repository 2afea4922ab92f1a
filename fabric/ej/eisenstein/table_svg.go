package eisenstein

import (
	"bufio"
	"fmt"
	"io"
	"math"
)

// planeNodesMax is the largest number of nodes that are drawn one by one.
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

// alphaText is alpha as the paper writes it.
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

// point is a place in pixels.
type point struct{ x, y float64 }

func (p *plane) printf(format string, values ...any) { fmt.Fprintf(p.out, format, values...) }

// least is the representative of a node's displacement from the source by which it is drawn.
func (p *plane) least(node int) integer { return p.net.least(p.net.Field.Subtract(node, p.source)) }

// at is where an integer is drawn, in hops from it: +1 leads to the right, +rho up and to the right.
func (p *plane) at(z integer) point {
	return point{p.middle.x + float64(planeHop*(float64(z.x)+float64(float64(z.y)/2))), p.middle.y - float64(planeHop*float64(z.y)*math.Sqrt(3)/2)}
}

// along is the point at a distance in pixels from an integer in a direction.
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
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" `+
		`font-family="sans-serif" font-size="12">`+"\n", width, height, width, height)
	p.printf("<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<defs>\n", title)
	for step := range p.steps {
		p.printf(`<marker id="step%d" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" `+
			`markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8Z" fill="%s"/></marker>`+"\n", step+1, p.colour(step+1))
	}
	p.printf("</defs>\n")
	p.printf(`<text x="%.1f" y="30" text-anchor="middle" font-size="16">%s</text>`+"\n", width/2, title)
	p.links()
	p.packets()
	p.nodes()
	p.legend(width - planeLegend)
	p.printf("</svg>\n")
}

// leaves reports whether a link leads out of the plane: the node at its other end is drawn elsewhere.
func (p *plane) leaves(node, direction int) bool {
	return p.least(p.net.Field.Neighbour(node, direction)) != p.least(node).plus(1, units[direction])
}

// links draws every link once, and both ends of those that leave the plane.
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
			p.printf(`<path d="M%.1f %.1fL%.1f %.1f" stroke="#ccc"/>`+"\n", from.x, from.y, to.x, to.y)
			if leaves {
				label := p.along(z, direction, planeHop*0.66)
				p.printf(`<text x="%.1f" y="%.1f" font-size="9" fill="#888" text-anchor="middle">%d</text>`+"\n",
					label.x, label.y+3, p.net.Field.Neighbour(node, direction))
			}
		}
	}
}

// packets draws an arrow for each packet; one that leaves the plane has a stub at each end.
func (p *plane) packets() {
	for _, h := range p.sorted() {
		arrow := func(from, to point) {
			p.printf(`<path d="M%.1f %.1fL%.1f %.1f" stroke="%s" stroke-width="2.5" marker-end="url(#step%d)"/>`+"\n",
				from.x, from.y, to.x, to.y, p.colour(h.Step), h.Step)
		}
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

// nodes draws every node in the colour of the step in which it receives first, the source in black.
func (p *plane) nodes() {
	first := make([]int, p.net.Nodes())
	for _, h := range p.sorted() {
		if first[h.To] == 0 {
			first[h.To] = h.Step
		}
	}
	for node, step := range first {
		z := p.least(node)
		at, fill, ink, what := p.at(z), "#fff", "#000", "not reached"
		switch {
		case node == p.source:
			fill, ink, what = "#000", "#fff", "source"
		case step > 0:
			fill, ink, what = p.colour(step), "#fff", fmt.Sprintf("step %d", step)
		}
		p.printf(`<g><title>node %d, %s from node %d: %s</title>`, node, z, p.source, what)
		p.printf(`<circle cx="%.1f" cy="%.1f" r="%d" fill="%s" stroke="#333"/>`, at.x, at.y, planeNode, fill)
		p.printf(`<text x="%.1f" y="%.1f" text-anchor="middle" fill="%s">%d</text></g>`+"\n", at.x, at.y+4, ink, node)
	}
}

// String is x + y*rho as the paper writes it.
func (z integer) String() string { return fmt.Sprintf("%d%+drho", z.x, z.y) }

// legend says what the colours mean, and shows the directions.
func (p *plane) legend(left float64) {
	const row, top = 22, 80
	for i, step := range p.steps {
		y := float64(top + i*row)
		p.printf(`<path d="M%.1f %.1fh22" stroke="%s" stroke-width="2.5" marker-end="url(#step%d)"/>`+"\n", left, y, p.colour(i+1), i+1)
		p.printf(`<text x="%.1f" y="%.1f">step %d: senders %d, receivers %d</text>`+"\n", left+32, y+4, i+1, step.Senders, step.Receivers)
	}
	y := float64(top + len(p.steps)*row)
	p.printf(`<path d="M%.1f %.1fh22" stroke="#ccc"/>`+"\n", left, y)
	p.printf(`<text x="%.1f" y="%.1f">unused, or to a node</text><text x="%.1f" y="%.1f">on the other side</text>`+"\n", left+32, y+4, left+32, y+18)
	compass := plane{Table: p.Table, middle: point{left + 75, y + 75}}
	for direction, name := range Directions {
		from, to, label := compass.middle, compass.along(integer{}, direction, 24), compass.along(integer{}, direction, 42)
		p.printf(`<path d="M%.1f %.1fL%.1f %.1f" stroke="#888"/>`+"\n", from.x, from.y, to.x, to.y)
		p.printf(`<text x="%.1f" y="%.1f" font-size="10" text-anchor="middle">%s</text>`+"\n", label.x, label.y+4, name)
	}
}

// ramp are the colours of the steps from the first to the last, dark enough for white letters.
var ramp = [...][3]float64{{0x35, 0x2a, 0x87}, {0x00, 0x72, 0xb2}, {0x00, 0x8a, 0x63}, {0xb3, 0x6b, 0x00}, {0xb0, 0x24, 0x18}}

// colour is that of a step.
func (p *plane) colour(step int) string {
	place := 0.0
	if len(p.steps) > 1 {
		place = float64(step-1) / float64(len(p.steps)-1) * float64(len(ramp)-1)
	}
	below := min(int(place), len(ramp)-2)
	part := place - float64(below)
	mixed := [3]int{}
	for i := range mixed {
		mixed[i] = int(math.Round(float64(ramp[below][i]*(1-part)) + float64(ramp[below+1][i]*part)))
	}
	return fmt.Sprintf("#%02x%02x%02x", mixed[0], mixed[1], mixed[2])
}
