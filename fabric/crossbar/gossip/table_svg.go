package gossip

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"starloom/traces/figure"
)

// Pictures of run-tables have the colours of the paper's figures 4, 8 and 12 made plain:
// waiting is that of paper, receiving grey, sending that of ink.
var (
	received = figure.Ink.Pale(0.4)
	sent     = figure.Ink
	waiting  = figure.Paper
)

// What stands above and below a table, in pixels.
const (
	headHeight   = 40
	legendHeight = 30
	headLeft     = 12
	legendWidth  = 400
)

// Tables of at most so many rows and columns are drawn with symbols in their cells.
const (
	symbolRowsMax    = 41
	symbolColumnsMax = 130
)

// pictureColumnsMax is the largest width of a picture in cells; in a longer table a column is several steps.
const pictureColumnsMax = 16384

// Cells are pixels, and larger ones where a picture would be narrower than this.
const (
	pictureWidth = 1200
	cellMax      = 12
)

// WriteSVG draws the table: a row per processor, a column per step; waiting is as paper,
// receiving grey, sending as ink. A small table has the symbols S3 R0 - ~ in its cells, ids
// and steps beside them and the used slots of every step below. In a table of more than
// 16384 steps a column of the picture stands for several, and shows that somebody sent, else
// that somebody received.
func (t *Table) WriteSVG(w io.Writer) error {
	out := bufio.NewWriter(w)
	if t.Processors() <= symbolRowsMax && t.Columns() <= symbolColumnsMax {
		t.drawSymbols(out)
	} else {
		t.drawPicture(out)
	}
	return out.Flush() // the first error stays until here
}

func (t *Table) title() string {
	return fmt.Sprintf("Run-table of %d processors, %d steps", t.Processors(), t.Columns())
}

func (t *Table) begin(out *bufio.Writer, width, height int, note string) {
	title := t.title()
	wide := max(width, legendWidth, 8*len(title))
	_, _ = out.WriteString(figure.Head(float64(wide), float64(headHeight+height+legendHeight), title, "A row for each processor, a column for each step. "+note))
	words := figure.Ink.Fill()
	fmt.Fprintf(out, `<text x="%d" y="24" font-size="14" %s>%s</text>`+"\n"+`<g font-size="11">`, headLeft, words, title)
	x, y := headLeft, headHeight+height+18
	for _, e := range []struct {
		name   string
		colour figure.Colour
		room   int
	}{{"sends", sent, 64}, {"receives", received, 76}, {"waits, or is blocked", waiting, 130}} {
		fmt.Fprintf(out, `<path d="M%d %dh12v10h-12Z" %s stroke="#888"/><text x="%d" y="%d" %s>%s</text>`,
			x, y-9, e.colour.Fill(), x+18, y, words, e.name)
		x += e.room
	}
	fmt.Fprintf(out, `<text x="%d" y="%d" %s>%s</text></g>`+"\n", x+8, y, words, note)
}

func (t *Table) drawSymbols(out *bufio.Writer) {
	const cell, high, left, top = 30, 20, 34, 22
	columns, rows := t.Columns(), t.Processors()
	t.begin(out, left+columns*cell+10, top+(rows+1)*high+10, "S3: to 3; R0: from 0")
	fmt.Fprintf(out, `<g font-size="12" text-anchor="middle">`+"\n")
	text := func(column, row int, ink figure.Colour, text string) {
		fmt.Fprintf(out, `<text x="%d" y="%d" %s>%s</text>`+"\n", left+column*cell+cell/2, headHeight+top+row*high+14, ink.Fill(), text)
	}
	fmt.Fprintf(out, `<text x="%d" y="%d" %s>step</text>`+"\n", left-cell/2, headHeight+top-6, figure.Ink.Fill())
	for column := range columns {
		text(column, -1, figure.Ink, strconv.Itoa(column+1))
	}
	for p := range rows {
		text(-1, p, figure.Ink, strconv.Itoa(p))
		for run := range t.Row(p) {
			fill, ink := colours(run.Cell.Action)
			for i := range run.Length {
				column := int(run.Column + i)
				fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" %s/>`+"\n", left+column*cell+1, headHeight+top+p*high+1, cell-1, high-1, fill.Fill())
				text(column, p, ink, run.Cell.String())
			}
		}
	}
	text(-1, rows, figure.Ink, "used")
	for column, used := range t.Nu() {
		text(column, rows, figure.Ink, strconv.Itoa(used))
	}
	_, _ = out.WriteString("</g>\n</svg>\n")
}

func colours(action Action) (fill, ink figure.Colour) {
	switch action {
	case Sent:
		return sent, figure.Paper
	case Received:
		return received, figure.Ink
	}
	return waiting, figure.Ink
}

// drawPicture draws a large table as two paths, one per colour, made of horizontal strokes.
func (t *Table) drawPicture(out *bufio.Writer) {
	columns, rows := t.Columns(), t.Processors()
	steps := max(1, (columns+pictureColumnsMax-1)/pictureColumnsMax)
	width := (columns + steps - 1) / steps
	note := ""
	if steps > 1 {
		note = fmt.Sprintf("a column stands for %d steps", steps)
	}
	cell := min(max(1, pictureWidth/width), cellMax)
	t.begin(out, width*cell, rows*cell, note)
	fmt.Fprintf(out, `<svg y="%d" width="%d" height="%d" viewBox="0 0 %d %d" preserveAspectRatio="none">`+"\n", headHeight, width*cell, rows*cell, width, rows)
	drawn := make([]Action, width)
	for _, colour := range []struct {
		action Action
		stroke figure.Colour
	}{{Received, received}, {Sent, sent}} {
		fmt.Fprintf(out, `<path %s shape-rendering="crispEdges" d="`, colour.stroke.Stroke())
		for p := range rows {
			t.shrink(p, steps, drawn)
			drawStrokes(out, p, drawn, colour.action)
		}
		_, _ = out.WriteString("\"/>\n")
	}
	_, _ = out.WriteString("</svg>\n</svg>\n")
}

// shrink sets what the columns of a picture show of a row, Idle where it waits.
func (t *Table) shrink(processor, steps int, drawn []Action) {
	clear(drawn)
	for run := range t.Row(processor) {
		column := &drawn[int(run.Column)/steps]
		switch {
		case run.Cell.Action == Sent, run.Cell.Action == Received && *column == Idle:
			*column = run.Cell.Action
		}
	}
}

// drawStrokes draws the runs of an action in a row: "M0 3.5" to the row, then "m2 0" over
// what is left out and "h5" along what is drawn.
func drawStrokes(out *bufio.Writer, row int, drawn []Action, action Action) {
	var text []byte
	end := 0 // of the last stroke
	for first := 0; first < len(drawn); first++ {
		if drawn[first] != action {
			continue
		}
		next := first
		for next < len(drawn) && drawn[next] == action {
			next++
		}
		if text == nil {
			text = fmt.Appendf(nil, "M%d %d.5", first, row)
		} else {
			text = strconv.AppendInt(append(text, 'm'), int64(first-end), 10)
			text = append(text, " 0"...)
		}
		text = strconv.AppendInt(append(text, 'h'), int64(next-first), 10)
		_, _ = out.Write(text)
		text, end, first = text[:0], next, next
	}
}
