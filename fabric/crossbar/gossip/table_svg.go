package gossip

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// Pictures of run-tables have the colours of the paper's figures 4, 8 and 12 made plain:
// waiting is white, receiving grey, sending black.
const (
	svgHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif">
<title>%s</title>
<rect width="100%%" height="100%%" fill="#fff"/>
`
	receivedFill = "#999"
	sentFill     = "#000"
)

// Tables of at most so many rows and columns are drawn with symbols in their cells.
const (
	symbolRowsMax    = 41
	symbolColumnsMax = 130
)

// pictureColumnsMax is the largest width of a picture in cells. A column of the picture of a
// longer table stands for several steps.
const pictureColumnsMax = 16384

// Cells are pixels, and larger ones where a picture would be narrower than this.
const (
	pictureWidth = 1200
	cellMax      = 12
)

// WriteSVG draws the table: a row per processor, a column per step; waiting is white,
// receiving grey, sending black. A small table has the symbols S3 R0 - ~ in its cells, ids
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

// title says what is drawn.
func (t *Table) title() string {
	return fmt.Sprintf("Run-table of %d processors, %d steps: sending black, receiving grey, waiting white", t.Processors(), t.Columns())
}

// drawSymbols draws a small table like Table 1 of the paper.
func (t *Table) drawSymbols(out *bufio.Writer) {
	const cell, high, left, top = 30, 20, 34, 22
	columns, rows := t.Columns(), t.Processors()
	width, height := left+columns*cell+10, top+(rows+1)*high+10
	fmt.Fprintf(out, svgHead, width, height, width, height, t.title())
	fmt.Fprintf(out, `<g font-size="12" text-anchor="middle">`+"\n")
	text := func(column, row int, fill, text string) {
		fmt.Fprintf(out, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", left+column*cell+cell/2, top+row*high+14, fill, text)
	}
	for column := range columns {
		text(column, -1, "#555", strconv.Itoa(column+1))
	}
	for p := range rows {
		text(-1, p, "#555", strconv.Itoa(p))
		for run := range t.Row(p) {
			fill, ink := colours(run.Cell.Action)
			for i := range run.Length {
				column := int(run.Column + i)
				fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s" stroke="#ccc"/>`+"\n", left+column*cell, top+p*high, cell, high, fill)
				text(column, p, ink, run.Cell.String())
			}
		}
	}
	text(-1, rows, "#555", "used")
	for column, used := range t.Nu() {
		text(column, rows, "#555", strconv.Itoa(used))
	}
	_, _ = out.WriteString("</g>\n</svg>\n")
}

// colours are those of a cell and of its symbol.
func colours(action Action) (fill, ink string) {
	switch action {
	case Sent:
		return sentFill, "#fff"
	case Received:
		return receivedFill, "#000"
	}
	return "#fff", "#000"
}

// drawPicture draws a large table as two paths, one per colour, made of horizontal strokes.
func (t *Table) drawPicture(out *bufio.Writer) {
	columns, rows := t.Columns(), t.Processors()
	steps := max(1, (columns+pictureColumnsMax-1)/pictureColumnsMax)
	width := (columns + steps - 1) / steps
	title := t.title()
	if steps > 1 {
		title += fmt.Sprintf("; a column stands for %d steps", steps)
	}
	cell := min(max(1, pictureWidth/width), cellMax)
	fmt.Fprintf(out, svgHead, width, rows, width*cell, rows*cell, title)
	drawn := make([]Action, width)
	for _, colour := range []struct {
		action Action
		stroke string
	}{{Received, receivedFill}, {Sent, sentFill}} {
		fmt.Fprintf(out, `<path stroke="%s" shape-rendering="crispEdges" d="`, colour.stroke)
		for p := range rows {
			t.shrink(p, steps, drawn)
			drawStrokes(out, p, drawn, colour.action)
		}
		_, _ = out.WriteString("\"/>\n")
	}
	_, _ = out.WriteString("</svg>\n")
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
