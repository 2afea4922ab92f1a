package gossip

import (
	"bufio"
	"io"
	"strconv"
)

// Action is the action of a vertex in a step.
type Action uint8

const (
	Idle     Action = iota // "-": did nothing
	Blocked                // "~": had a frame for a busy bus
	Sent                   // "S3": sent on bus 3
	Received               // "R3": received on bus 3
)

// Cell is the action of a vertex in a step, and the bus of the action. For Received, From is the sender, and Known is
// the number of items of the vertex afterwards; otherwise both are 0.
type Cell struct {
	Action           Action
	Bus, From, Known int
}

// String returns the cell's symbol: S3, R3, - or ~.
func (c Cell) String() string {
	switch c.Action {
	case Sent:
		return "S" + strconv.Itoa(c.Bus)
	case Received:
		return "R" + strconv.Itoa(c.Bus)
	case Blocked:
		return "~"
	}
	return "-"
}

// Table records the actions of a run: a row of cells for each vertex, a column for each step.
type Table struct {
	rows    [][]Cell // cells up to the last action; Idle beyond
	columns int
}

// NewTable returns an empty table.
func NewTable(vertices int) *Table { return &Table{rows: make([][]Cell, vertices)} }

// TableOf returns the table of a schedule. number returns the bus of an entry of a step.
func TableOf(vertices int, steps []Step, number func(step, entry int) int) *Table {
	t := NewTable(vertices)
	for column, step := range steps {
		for entry, bus := range step {
			k := number(column, entry)
			t.Add(bus.Sender, column, Cell{Action: Sent, Bus: k})
			for _, receiver := range bus.Receivers {
				t.Add(receiver, column, Cell{Action: Received, From: bus.Sender})
			}
		}
	}
	return t
}

// Add sets a cell; columns count from 0. If a vertex has several actions in a step, the cell shows the first.
func (t *Table) Add(vertex, column int, c Cell) {
	row := t.rows[vertex]
	for len(row) <= column {
		row = append(row, Cell{})
	}
	if row[column].Action == Idle {
		row[column] = c
	}
	t.rows[vertex], t.columns = row, max(t.columns, column+1)
}

// Columns returns the number of steps up to the last recorded cell.
func (t *Table) Columns() int { return t.columns }

// Cut removes the columns from index columns on.
func (t *Table) Cut(columns int) {
	for vertex, row := range t.rows {
		t.rows[vertex] = row[:min(len(row), columns)]
	}
	t.columns = min(t.columns, columns)
}

// Cell returns the action of a vertex in a column.
func (t *Table) Cell(vertex, column int) Cell {
	c := t.at(vertex, column)
	if c.Action == Received {
		c.Bus = t.at(c.From, column).Bus
	}
	return c
}

func (t *Table) at(vertex, column int) Cell {
	if vertex < len(t.rows) && column < len(t.rows[vertex]) {
		return t.rows[vertex][column]
	}
	return Cell{}
}

// Known returns the number of items of a vertex after a column, according to the cells. It is 1 before the first
// reception, and for column -1.
func (t *Table) Known(vertex, column int) int {
	for ; column >= 0; column-- {
		if known := t.at(vertex, column).Known; known > 0 {
			return known
		}
	}
	return 1
}

// WriteCSV writes a row for each vertex and a column for each step, with the symbols S3 R3 - ~ and without a header.
func (t *Table) WriteCSV(w io.Writer) error {
	out := bufio.NewWriter(w)
	for vertex := range t.rows {
		for column := range t.columns {
			if column > 0 {
				_ = out.WriteByte(',') // Flush returns the first error
			}
			_, _ = out.WriteString(t.Cell(vertex, column).String())
		}
		_ = out.WriteByte('\n')
	}
	return out.Flush()
}
