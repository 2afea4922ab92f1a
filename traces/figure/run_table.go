package figure

import (
	"bufio"
	"fmt"
	"io"
	"slices"
)

// RunTable is a table as a picture: a row for each of several, a column for each step, and in it bars from row to row,
// side by side where they cross rows of each other.
type RunTable struct {
	Title   string
	Row     string // what a row is
	Bar     string // what a bar is
	Column  string // what a column is
	First   int    // number of the first column
	Rows    int
	Columns [][]Bar // each by the first row
}

// Bar leads from its first row to its last one: a square at each sender, dots at those that receive.
type Bar struct {
	Number             int // which gives the colour
	First, Last        int
	Senders, Receivers []int

	lane int
}

type measures struct {
	row, lane, gap  int // heights of rows, widths of lanes, between steps
	dot, square     int // halves
	stroke          int
	left, top       int
	numbers, titles bool // rows have their numbers, bars theirs
}

const fullRowsMax = 256

var (
	fullMeasures  = measures{row: 16, lane: 10, gap: 14, dot: 3, square: 4, stroke: 2, left: 44, top: 66, numbers: true, titles: true}
	smallMeasures = measures{row: 2, lane: 2, gap: 8, dot: 1, square: 1, stroke: 1, left: 8, top: 66}
)

// WriteSVG draws the table.
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
	out := bufio.NewWriter(w) // the first error stays until Flush
	_, _ = out.WriteString(Head(float64(width), float64(m.top+high+barsLegend), b.Title,
		fmt.Sprintf("A row for each %s, a column for each %s: a square sends, dots receive.", b.Row, b.Column)))
	fmt.Fprintf(out, `<text x="%d" y="24" font-size="14" %s>%s</text>`+"\n", barsLeft, Ink.Fill(), b.Title)
	fmt.Fprintf(out, `<g font-size="11" text-anchor="end" %s>`+"\n", Ink.Fill())
	fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="start">%s</text>`+"\n", barsLeft, m.top-8, b.Column)
	if m.numbers {
		for row := range b.Rows {
			fmt.Fprintf(out, `<text x="%d" y="%d">%d</text>`+"\n", m.left-14, m.middle(row)+4, row)
		}
	}
	_, _ = out.WriteString("</g>\n")
	left := m.left
	for column, bars := range b.Columns {
		wide := lanes[column] * m.lane
		if column%2 == 0 {
			fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" %s/>`+"\n", left-m.gap/2, m.top, wide+m.gap, high, Faint.Pale(0.4).Fill())
		}
		fmt.Fprintf(out, `<text x="%d" y="%d" font-size="11" text-anchor="middle" %s>%d</text>`+"\n", left+wide/2, m.top-8, Ink.Fill(), b.First+column)
		for i := range bars {
			bars[i].draw(out, m, b.Bar, left)
		}
		left += wide + m.gap
	}
	m.legend(out, b.Bar, m.top+high+22)
	_, _ = out.WriteString("</svg>\n")
	return out.Flush()
}

// barsLeft is where title and legend begin, barsLegend what the legend takes.
const barsLeft, barsLegend = 12, 40

// legend says what the signs are; its bars have the first colour.
func (m *measures) legend(out *bufio.Writer, bar string, y int) {
	words, x := Ink.Fill(), barsLeft+50+6*len(bar)
	fmt.Fprintf(out, `<g font-size="11"><path d="M%d %dh24" stroke-width="2" %s/><text x="%d" y="%d" %s>%s</text>`,
		barsLeft, y-4, Of(0).Stroke(), barsLeft+30, y, words, bar)
	fmt.Fprintf(out, `<rect x="%d" y="%d" width="8" height="8" %s/><text x="%d" y="%d" %s>sends</text>`, x, y-8, Of(0).Fill(), x+14, y, words)
	fmt.Fprintf(out, `<circle cx="%d" cy="%d" r="3" %s/><text x="%d" y="%d" %s>receives</text></g>`+"\n", x+66, y-4, Of(0).Fill(), x+76, y, words)
}

func (m *measures) middle(row int) int { return m.top + row*m.row + m.row/2 }

// layBars puts each bar of a column in the first lane that is free over all of its rows.
func layBars(bars []Bar) (lanes int) {
	var ends []int // by lane: the last row that is taken
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

func (b *Bar) draw(out *bufio.Writer, m *measures, what string, left int) {
	x, colour := left+b.lane*m.lane+m.lane/2, Of(b.Number)
	fmt.Fprintf(out, `<g %s>`, colour.Fill())
	if m.titles {
		fmt.Fprintf(out, `<title>%s %d</title>`, what, b.Number)
	}
	fmt.Fprintf(out, `<path d="M%d %dV%d" %s stroke-width="%d"/>`, x, m.middle(b.First), m.middle(b.Last), colour.Stroke(), m.stroke)
	for _, row := range b.Senders {
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d"/>`, x-m.square, m.middle(row)-m.square, 2*m.square, 2*m.square)
	}
	for _, row := range b.Receivers {
		fmt.Fprintf(out, `<circle cx="%d" cy="%d" r="%d"/>`, x, m.middle(row), m.dot)
	}
	_, _ = out.WriteString("</g>\n")
}
