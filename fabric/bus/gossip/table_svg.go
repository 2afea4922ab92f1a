package gossip

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"starloom/traces/figure"
)

// measures are those of a picture, in pixels.
type measures struct {
	row, lane, gap  int // heights of rows, widths of lanes, between steps
	dot, square     int // halves
	stroke          int
	left, top       int
	numbers, titles bool // rows have their numbers, bars their buses
}

// Tables of at most so many vertices are drawn in full.
const fullRowsMax = 256

var (
	fullMeasures  = measures{row: 16, lane: 10, gap: 14, dot: 3, square: 4, stroke: 2, left: 44, top: 66, numbers: true, titles: true}
	smallMeasures = measures{row: 2, lane: 2, gap: 8, dot: 1, square: 1, stroke: 1, left: 8, top: 66}
)

// bar is a bus in a step of a picture: a bar over the rows of its vertices.
type bar struct {
	bus, first, last, lane int
	senders, receivers     []int
}

// WriteSVG draws the table: a row for each vertex, a column for each step. A bus in use is a bar in
// one colour from its lowest vertex to its highest: a square at the sender, dots at those that
// received. Bars that cross rows of each other stand side by side.
func (t *Table) WriteSVG(w io.Writer) error {
	m := &fullMeasures
	if len(t.rows) > fullRowsMax {
		m = &smallMeasures
	}
	columns, lanes := make([][]bar, t.columns), make([]int, t.columns)
	width := m.left
	for column := range columns {
		columns[column], lanes[column] = t.bars(column)
		width += lanes[column]*m.lane + m.gap
	}
	high := len(t.rows) * m.row
	height := m.top + high + legendHeight
	title := fmt.Sprintf("Buses in use among %d vertices, %d steps", len(t.rows), t.columns)
	width = max(width, 8*len(title))
	out := bufio.NewWriter(w) // the first error stays until Flush
	_, _ = out.WriteString(figure.Head(float64(width), float64(height), title, "A row for each vertex, a column for each step: a square sends, dots receive."))
	fmt.Fprintf(out, `<text x="%d" y="24" font-size="14" %s>%s</text>`+"\n", titleLeft, figure.Ink.Fill(), title)
	fmt.Fprintf(out, `<g font-size="11" text-anchor="end" %s>`+"\n", figure.Ink.Fill())
	fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="start">step</text>`+"\n", titleLeft, m.top-8)
	if m.numbers {
		for vertex := range t.rows {
			fmt.Fprintf(out, `<text x="%d" y="%d">%d</text>`+"\n", m.left-14, m.middle(vertex)+4, vertex)
		}
	}
	_, _ = out.WriteString("</g>\n")
	left := m.left
	for column, bars := range columns {
		wide := lanes[column] * m.lane
		if column%2 == 0 {
			stripe := figure.Faint.Pale(0.4).Fill()
			fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" %s/>`+"\n", left-m.gap/2, m.top, wide+m.gap, high, stripe)
		}
		fmt.Fprintf(out, `<text x="%d" y="%d" font-size="11" text-anchor="middle" %s>%d</text>`+"\n", left+wide/2, m.top-8, figure.Ink.Fill(), column+1)
		for i := range bars {
			bars[i].draw(out, m, left)
		}
		left += wide + m.gap
	}
	m.legend(out, m.top+high+22)
	_, _ = out.WriteString("</svg>\n")
	return out.Flush()
}

// titleLeft is where title and legend begin, legendHeight what the legend takes.
const titleLeft, legendHeight = 12, 40

// legend says what the signs are; its buses have the first colour.
func (m *measures) legend(out *bufio.Writer, y int) {
	words := figure.Ink.Fill()
	fmt.Fprintf(out, `<g font-size="11"><path d="M%d %dh24" stroke-width="2" %s/><text x="%d" y="%d" %s>bus</text>`,
		titleLeft, y-4, figure.Of(0).Stroke(), titleLeft+30, y, words)
	fmt.Fprintf(out, `<rect x="%d" y="%d" width="8" height="8" %s/><text x="%d" y="%d" %s>sends</text>`,
		titleLeft+68, y-8, figure.Of(0).Fill(), titleLeft+82, y, words)
	fmt.Fprintf(out, `<circle cx="%d" cy="%d" r="3" %s/><text x="%d" y="%d" %s>receives</text></g>`+"\n",
		titleLeft+134, y-4, figure.Of(0).Fill(), titleLeft+144, y, words)
}

// middle is the height of a vertex's row in the picture.
func (m *measures) middle(vertex int) int { return m.top + vertex*m.row + m.row/2 }

// bars are the buses of a step, each in the first lane that is free over all of its rows.
func (t *Table) bars(column int) (bars []bar, lanes int) {
	place := map[int]int{}
	for vertex := range t.rows {
		c := t.Cell(vertex, column)
		if c.Action != Sent && c.Action != Received {
			continue
		}
		i, ok := place[c.Bus]
		if !ok {
			i = len(bars)
			place[c.Bus] = i
			bars = append(bars, bar{bus: c.Bus, first: vertex})
		}
		bars[i].last = vertex
		if c.Action == Sent {
			bars[i].senders = append(bars[i].senders, vertex)
		} else {
			bars[i].receivers = append(bars[i].receivers, vertex)
		}
	}
	var ends []int // by lane: the last row that is taken
	for i := range bars {
		b := &bars[i]
		b.lane = slices.IndexFunc(ends, func(end int) bool { return end < b.first })
		if b.lane < 0 {
			b.lane = len(ends)
			ends = append(ends, 0)
		}
		ends[b.lane] = b.last
	}
	return bars, max(1, len(ends))
}

// draw draws a bar in a step whose lanes begin at left.
func (b *bar) draw(out *bufio.Writer, m *measures, left int) {
	x, colour := left+b.lane*m.lane+m.lane/2, figure.Of(b.bus)
	fmt.Fprintf(out, `<g %s>`, colour.Fill())
	if m.titles {
		fmt.Fprintf(out, `<title>bus %d</title>`, b.bus)
	}
	fmt.Fprintf(out, `<path d="M%d %dV%d" %s stroke-width="%d"/>`, x, m.middle(b.first), m.middle(b.last), colour.Stroke(), m.stroke)
	for _, vertex := range b.senders {
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d"/>`, x-m.square, m.middle(vertex)-m.square, 2*m.square, 2*m.square)
	}
	for _, vertex := range b.receivers {
		fmt.Fprintf(out, `<circle cx="%d" cy="%d" r="%d"/>`, x, m.middle(vertex), m.dot)
	}
	_, _ = out.WriteString("</g>\n")
}
