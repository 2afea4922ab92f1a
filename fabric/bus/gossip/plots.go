package gossip

import (
	"fmt"
	"io"

	"starloom/traces/figure"
)

// Curve is a sequence of numbers over times or sizes.
type Curve struct {
	Name  string
	Style figure.Style
	X, Y  []int
}

func (c *Curve) add(x, y int) { c.X, c.Y = append(c.X, x), append(c.Y, y) }

func plotOf(title string, x, y figure.Axis, curves []Curve) *figure.Figure {
	p := &figure.Figure{Title: title, X: x, Y: y}
	for _, c := range curves {
		curve := figure.Curve{Name: c.Name, Style: c.Style}
		for i := range c.X {
			curve.Points = append(curve.Points, figure.Point{X: float64(c.X[i]), Y: float64(c.Y[i])})
		}
		p.Curves = append(p.Curves, curve)
	}
	return p
}

// GrowthPlot plots the number of columns known to each line over the times of phase 2 (Table 1). Dots show the lines;
// curves show the maximum M(t) and the minimum M(t-1) over all lines.
func GrowthPlot(l int, lines []Curve) *figure.Figure {
	most, least := Curve{Name: "M(t)"}, Curve{Name: "M(t-1)", Style: figure.Dashed}
	for t := range lines[0].X {
		most.add(t, Most(l, t))
		least.add(t, Most(l, max(0, t-1)))
	}
	curves := []Curve{most, least}
	for _, c := range lines {
		c.Style = figure.Dots
		curves = append(curves, c)
	}
	steps, columns := figure.Axis{Label: "t, steps of phase 2"}, figure.Axis{Label: "F(t)", Scale: figure.Log2}
	return plotOf(fmt.Sprintf("Known columns by line in phase 2, l = %d", l), steps, columns, curves)
}

// LengthPlot draws the lengths of the algorithms and the bounds for n from l to largest, with about 24 sizes per
// power of two.
func LengthPlot(l, largest int) *figure.Figure {
	curves := []Curve{
		{Name: "two-phase"}, {Name: "improved"}, {Name: "naive", Style: figure.Dashed},
		{Name: "upper bound of two-phase", Style: figure.Dots}, {Name: "lower bound", Style: figure.Dots},
	}
	for n := l; n <= largest; n += 1 + n/24 {
		for i, length := range []int{Length(n, l), ImprovedLength(n, l), NaiveLength(n, l), UpperBound(n, l), LowerBound(n)} {
			curves[i].add(n, length)
		}
	}
	title := fmt.Sprintf("Steps of gossip on buses of length %d", l)
	return plotOf(title, figure.Axis{Label: "n, vertices", Scale: figure.Log2}, figure.Axis{Label: "steps"}, curves)
}

// WriteSVG draws a row for each vertex and a column for each step. A bus in use is a coloured bar from its lowest to
// its highest vertex, with a square at the sender and dots at the receivers. Overlapping bars are side by side.
func (t *Table) WriteSVG(w io.Writer) error {
	b := figure.RunTable{Title: fmt.Sprintf("Buses in use among %d vertices, %d steps", len(t.rows), t.columns),
		Row: "vertex", Bar: "bus", Column: "step", First: 1, Rows: len(t.rows)}
	for column := range t.columns {
		b.Columns = append(b.Columns, t.bars(column))
	}
	return b.WriteSVG(w)
}

func (t *Table) bars(column int) (bars []figure.Bar) {
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
			bars = append(bars, figure.Bar{Number: c.Bus, First: vertex})
		}
		bars[i].Last = vertex
		if c.Action == Sent {
			bars[i].Senders = append(bars[i].Senders, vertex)
		} else {
			bars[i].Receivers = append(bars[i].Receivers, vertex)
		}
	}
	return bars
}
