package gossip

import (
	"fmt"
	"io"
	"strconv"

	"starloom/traces/svg"
)

// Pictures of run-tables use simplified colours of the paper's figures 4, 8 and 12: the background colour for
// waiting, grey for receiving, the ink colour for sending.
var (
	received = svg.Ink.Pale(0.4)
	sent     = svg.Ink
	waiting  = svg.Paper
)

// space above and below a table, in pixels
const (
	headHeight   = 40
	legendHeight = 30
	headLeft     = 12
	legendWidth  = 400
)

// maximum size of a table with symbols in its cells
const (
	symbolRowsMax    = 41
	symbolColumnsMax = 130
)

// pictureColumnsMax is the maximum width of a picture in cells. In a longer table, a column covers several steps.
const pictureColumnsMax = 16384

// Cells are single pixels, or larger in pictures narrower than pictureWidth.
const (
	pictureWidth = 1200
	cellMax      = 12
)

// WriteSVG draws a row per processor and a column per step. Waiting has the background colour, receiving is grey,
// sending has the ink colour. A small table has the symbols S3 R0 - ~ in its cells, ids and steps at its sides, and
// the used slots of every step below. In a table of more than 16384 steps a column covers several steps; the column
// shows a send if one of these steps contains a send, otherwise a reception.
func (t *Table) WriteSVG(w io.Writer) error {
	if t.Processors() <= symbolRowsMax && t.Columns() <= symbolColumnsMax {
		return t.drawSymbols(w)
	}
	return t.drawPicture(w)
}

func (t *Table) title() string {
	return fmt.Sprintf("Run-table of %d processors, %d steps", t.Processors(), t.Columns())
}

func (t *Table) begin(w io.Writer, width, height int, note string) *svg.Drawing {
	title := t.title()
	d := svg.New(w, float64(max(width, legendWidth, 8*len(title))), float64(headHeight+height+legendHeight), title,
		"A row for each processor, a column for each step. "+note)
	d.Text(headLeft, 24, title, svg.Size(14), svg.Fill(svg.Ink))
	defer d.Group("", svg.Size(11), svg.Fill(svg.Ink))()
	x, y := float64(headLeft), float64(headHeight+height+18)
	for _, e := range []struct {
		name   string
		colour svg.Colour
		room   float64
	}{{"sends", sent, 64}, {"receives", received, 76}, {"waits, or is blocked", waiting, 130}} {
		d.Rect(x, y-9, 12, 10, svg.Fill(e.colour), `stroke="#888"`)
		d.Text(x+18, y, e.name)
		x += e.room
	}
	d.Text(x+8, y, note)
	return d
}

func (t *Table) drawSymbols(w io.Writer) error {
	const cell, high, left, top = 30, 20, 34, 22
	columns, rows := t.Columns(), t.Processors()
	d := t.begin(w, left+columns*cell+10, top+(rows+1)*high+10, "S3: to 3; R0: from 0")
	end := d.Group("", svg.Size(12), svg.Middle, svg.Fill(svg.Ink))
	text := func(column, row int, text string, attrs ...svg.Attr) {
		d.Text(float64(left+column*cell+cell/2), float64(headHeight+top+row*high+14), text, attrs...)
	}
	d.Text(left-cell/2, headHeight+top-6, "step")
	for column := range columns {
		text(column, -1, strconv.Itoa(column+1))
	}
	for p := range rows {
		text(-1, p, strconv.Itoa(p))
		for run := range t.Row(p) {
			fill, ink := colours(run.Cell.Action)
			for i := range run.Length {
				column := int(run.Column + i)
				d.Rect(float64(left+column*cell+1), float64(headHeight+top+p*high+1), cell-1, high-1, svg.Fill(fill))
				text(column, p, run.Cell.String(), svg.Fill(ink))
			}
		}
	}
	text(-1, rows, "used")
	for column, used := range t.Nu() {
		text(column, rows, strconv.Itoa(used))
	}
	end()
	return d.Close()
}

func colours(action Action) (fill, ink svg.Colour) {
	switch action {
	case Sent:
		return sent, svg.Paper
	case Received:
		return received, svg.Ink
	}
	return waiting, svg.Ink
}

// drawPicture draws a large table as one path of horizontal strokes per colour.
func (t *Table) drawPicture(w io.Writer) error {
	columns, rows := t.Columns(), t.Processors()
	steps := max(1, (columns+pictureColumnsMax-1)/pictureColumnsMax)
	width := (columns + steps - 1) / steps
	note := ""
	if steps > 1 {
		note = fmt.Sprintf("a column stands for %d steps", steps)
	}
	cell := min(max(1, pictureWidth/width), cellMax)
	d := t.begin(w, width*cell, rows*cell, note)
	end := d.Group("", svg.Attr(fmt.Sprintf(`transform="translate(0 %d) scale(%d)"`, headHeight, cell)))
	drawn := make([]Action, width)
	for _, colour := range []struct {
		action Action
		stroke svg.Colour
	}{{Received, received}, {Sent, sent}} {
		var path []byte
		for p := range rows {
			t.shrink(p, steps, drawn)
			path = appendStrokes(path, p, drawn, colour.action)
		}
		d.Path(string(path), svg.Stroke(colour.stroke), svg.Crisp)
	}
	end()
	return d.Close()
}

// shrink sets the action in each column of a picture for a row, Idle for a waiting processor.
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

// appendStrokes draws the runs of an action in a row: "M0 3.5" to the row, then "h5" along a run and "m2 0" to the
// next.
func appendStrokes(path []byte, row int, drawn []Action, action Action) []byte {
	end := -1 // end of the last stroke
	for first := 0; first < len(drawn); first++ {
		if drawn[first] != action {
			continue
		}
		next := first
		for next < len(drawn) && drawn[next] == action {
			next++
		}
		if end < 0 {
			path = fmt.Appendf(path, "M%d %d.5", first, row)
		} else {
			path = append(strconv.AppendInt(append(path, 'm'), int64(first-end), 10), " 0"...)
		}
		path = strconv.AppendInt(append(path, 'h'), int64(next-first), 10)
		end, first = next, next
	}
	return path
}
