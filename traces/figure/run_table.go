package figure

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"starloom/traces/svg"
)

// RunTable draws a table with a column for each step. Bars lead from row to row within a column; bars that share rows
// are side by side.
type RunTable struct {
	Title   string
	Row     string // noun of a row
	Bar     string // noun of a bar
	Column  string // noun of a column
	First   int    // number of the first column
	Rows    int
	Columns [][]Bar // bars by first row
}

// Bar leads from its first row to its last row, with a square at each sender and a dot at each receiver.
type Bar struct {
	Number             int // its colour
	First, Last        int
	Senders, Receivers []int

	lane int
}

type measures struct {
	row, lane, gap  int // height of a row, width of a lane, space between columns
	dot, square     int // half of the size
	stroke          int
	left, top       int
	numbers, titles bool // rows have numbers, bars have titles
}

const fullRowsMax = 256

var (
	fullMeasures = measures{row: 16, lane: 10, gap: 14, dot: 3, square: 4, stroke: 2, left: 44, top: 66,
		numbers: true, titles: true}
	smallMeasures = measures{row: 2, lane: 2, gap: 8, dot: 1, square: 1, stroke: 1, left: 8, top: 66}
)

// WriteSVG draws the table. It returns write errors of w.
func (b *RunTable) WriteSVG(w io.Writer) error {
	m := &fullMeasures
	if b.Rows > fullRowsMax {
		m = &smallMeasures
	}
	lanes, width := make([]int, len(b.Columns)), m.left
	for column, bars := range b.Columns {
		lanes[column] = layBars(bars)
		width += lanes[column]*m.lane + m.gap
	}
	high := b.Rows * m.row
	width = max(width, 8*len(b.Title))
	d := svg.New(w, float64(width), float64(m.top+high+barsLegend), b.Title,
		fmt.Sprintf("A row for each %s, a column for each %s: a square sends, dots receive.", b.Row, b.Column))
	d.Text(barsLeft, 24, b.Title, svg.Size(14), svg.Fill(svg.Ink))
	end := d.Group("", svg.Size(11), svg.Fill(svg.Ink))
	d.Text(barsLeft, float64(m.top-8), b.Column)
	if m.numbers {
		for row := range b.Rows {
			d.Text(float64(m.left-14), float64(m.middle(row)+4), strconv.Itoa(row), svg.End)
		}
	}
	left := m.left
	for column, bars := range b.Columns {
		wide := lanes[column] * m.lane
		if column%2 == 0 {
			d.Rect(float64(left-m.gap/2), float64(m.top), float64(wide+m.gap), float64(high), svg.Fill(svg.Faint.Pale(0.4)))
		}
		d.Text(float64(left+wide/2), float64(m.top-8), strconv.Itoa(b.First+column), svg.Middle)
		for i := range bars {
			bars[i].draw(d, m, b.Bar, left)
		}
		left += wide + m.gap
	}
	barLegend(d, b.Bar, float64(m.top+high+22))
	end()
	return d.Close()
}

// barsLeft is the left edge of title and legend, barsLegend the height of the legend.
const barsLeft, barsLegend = 12, 40

// barLegend explains the signs in the colour of bar 0.
func barLegend(d *svg.Drawing, bar string, y float64) {
	x := float64(barsLeft + 50 + 6*len(bar))
	d.Line(svg.Of(0), 2, barsLeft, y-4, barsLeft+24, y-4)
	d.Text(barsLeft+30, y, bar)
	d.Rect(x, y-8, 8, 8, svg.Fill(svg.Of(0)))
	d.Text(x+14, y, "sends")
	d.Circle(x+66, y-4, 3, svg.Fill(svg.Of(0)))
	d.Text(x+76, y, "receives")
}

func (m *measures) middle(row int) int { return m.top + row*m.row + m.row/2 }

// layBars puts each bar of a column into the first lane that is free in all rows of the bar.
func layBars(bars []Bar) (lanes int) {
	var ends []int // last occupied row of each lane
	for i := range bars {
		b := &bars[i]
		b.lane = slices.IndexFunc(ends, func(end int) bool { return end < b.First })
		if b.lane < 0 {
			b.lane, ends = len(ends), append(ends, 0)
		}
		ends[b.lane] = b.Last
	}
	return max(1, len(ends))
}

func (b *Bar) draw(d *svg.Drawing, m *measures, what string, left int) {
	colour, title := svg.Of(b.Number), ""
	if m.titles {
		title = fmt.Sprintf("%s %d", what, b.Number)
	}
	defer d.Group(title, svg.Fill(colour))()
	at := left + b.lane*m.lane + m.lane/2
	x := float64(at)
	d.Path(fmt.Sprintf("M%d %dV%d", at, m.middle(b.First), m.middle(b.Last)), svg.Stroke(colour),
		svg.Width(float64(m.stroke)))
	for _, row := range b.Senders {
		d.Rect(x-float64(m.square), float64(m.middle(row)-m.square), float64(2*m.square), float64(2*m.square))
	}
	for _, row := range b.Receivers {
		d.Circle(x, float64(m.middle(row)), float64(m.dot))
	}
}
