package gossip

import (
	"bufio"
	"fmt"
	"io"
	"slices"
)

// busColours are those of buses that are side by side in a step; they repeat.
var busColours = []string{"#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#a2720c", "#444"}

// The measures of a picture, in pixels.
const (
	rowHigh, laneWide     = 16, 10
	pictureLeft, stepGap  = 44, 14
	pictureTop            = 26
	namedRowsMax          = 256 // rows with their numbers
	receiverDot, senderIn = 3, 4
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
	columns, lanes := make([][]bar, t.columns), make([]int, t.columns)
	width := pictureLeft
	for column := range columns {
		columns[column], lanes[column] = t.bars(column)
		width += lanes[column]*laneWide + stepGap
	}
	height := pictureTop + len(t.rows)*rowHigh + 10
	out := bufio.NewWriter(w) // the first error stays until Flush
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif">
<title>Buses in use among %d vertices, %d steps: a square sends, dots receive</title>
<rect width="100%%" height="100%%" fill="#fff"/>
<g font-size="11" fill="#555" text-anchor="end">
`, width, height, width, height, len(t.rows), t.columns)
	for vertex := range min(len(t.rows), namedRowsMax) {
		fmt.Fprintf(out, `<text x="%d" y="%d">%d</text>`+"\n", pictureLeft-14, rowMiddle(vertex)+4, vertex)
	}
	_, _ = out.WriteString("</g>\n")
	left := pictureLeft
	for column, bars := range columns {
		wide := lanes[column] * laneWide
		fill := "#f4f4f4"
		if column%2 == 1 {
			fill = "#fff"
		}
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", left-stepGap/2, pictureTop, wide+stepGap, len(t.rows)*rowHigh, fill)
		fmt.Fprintf(out, `<text x="%d" y="%d" font-size="11" fill="#555" text-anchor="middle">%d</text>`+"\n", left+wide/2, pictureTop-8, column+1)
		for i := range bars {
			bars[i].draw(out, left)
		}
		left += wide + stepGap
	}
	_, _ = out.WriteString("</svg>\n")
	return out.Flush()
}

// rowMiddle is the height of a vertex's row in the picture.
func rowMiddle(vertex int) int { return pictureTop + vertex*rowHigh + rowHigh/2 }

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
func (b *bar) draw(out *bufio.Writer, left int) {
	x, colour := left+b.lane*laneWide+laneWide/2, busColours[b.bus%len(busColours)]
	fmt.Fprintf(out, `<g fill="%s"><title>bus %d</title>`, colour, b.bus)
	fmt.Fprintf(out, `<path d="M%d %dV%d" stroke="%s" stroke-width="2"/>`, x, rowMiddle(b.first), rowMiddle(b.last), colour)
	for _, vertex := range b.senders {
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d"/>`, x-senderIn, rowMiddle(vertex)-senderIn, 2*senderIn, 2*senderIn)
	}
	for _, vertex := range b.receivers {
		fmt.Fprintf(out, `<circle cx="%d" cy="%d" r="%d"/>`, x, rowMiddle(vertex), receiverDot)
	}
	_, _ = out.WriteString("</g>\n")
}
