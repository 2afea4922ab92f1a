package gossip

import (
	"fmt"
	"io"

	"starloom/traces/figure"
)

// WriteSVG draws the table: a row for each vertex, a column for each step. A bus in use is a bar in
// one colour from its lowest vertex to its highest: a square at the sender, dots at those that
// received. Bars that cross rows of each other stand side by side.
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
