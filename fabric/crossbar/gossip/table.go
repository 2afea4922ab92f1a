package gossip

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"strconv"
)

// Action is the action of a processor in a step (Definition 4).
type Action uint8

const (
	Idle     Action = iota // "-": waits for a message (WR), or has finished
	Blocked                // "~": waits for its addressee (WS)
	Sent                   // "S3": sends to processor 3
	Received               // "R0": receives from processor 0
)

// Cell is a slot of a run-table: the action of a processor in a step.
type Cell struct {
	Action Action
	Peer   uint32 // receiver or sender; 0 for Idle and Blocked
}

// String returns the cell's symbol: S3, R0, - or ~.
func (c Cell) String() string { return string(c.appendTo(nil)) }

func (c Cell) appendTo(text []byte) []byte {
	switch c.Action {
	case Sent:
		return strconv.AppendUint(append(text, 'S'), uint64(c.Peer), 10)
	case Received:
		return strconv.AppendUint(append(text, 'R'), uint64(c.Peer), 10)
	case Blocked:
		return append(text, '~')
	}
	return append(text, '-')
}

// Table is a run-table (Definition 7): a row of cells per processor, a column per step. A row is a sequence of byte
// codes, about one per message and one per run of waiting if consecutive peers are adjacent: 4096 rows of 12285
// columns need 40 MB. Rows are independent, so different workers may write them.
type Table struct{ rows []row }

// row is an encoded row. The value of a code is the length of a run of Idle or Blocked, or the zigzagged difference
// between the peer and the last peer of the same action.
//
//	bit 7   6..2            1..0
//	more    value, low 5    action    then, with more, the rest of the value as a varint
type row struct {
	code    []byte
	cells   uint32    // columns added
	waiting Action    // action of the last run, which is not yet encoded
	run     uint32    // length of that run, 0 for none
	peer    [2]uint32 // last receiver, and last sender
}

// NewTable returns an empty table for processors 0 .. processors-1.
func NewTable(processors int) *Table { return &Table{make([]row, processors)} }

// Add sets a cell; columns count from 0. The columns of a processor must ascend, otherwise Add panics. Omitted
// columns are Idle.
func (t *Table) Add(processor int, column uint32, cell Cell) {
	r := &t.rows[processor]
	if column < r.cells {
		panic(fmt.Sprintf("gossip: cell %v of processor %d in column %d, after column %d", cell,
			processor, column, r.cells-1))
	}
	if gap := column - r.cells; gap > 0 {
		r.wait(Idle, gap)
	}
	if cell.Action == Idle || cell.Action == Blocked {
		r.wait(cell.Action, 1)
	} else {
		r.flush()
		last := &r.peer[cell.Action-Sent]
		r.encode(cell.Action, zigzag(cell.Peer-*last))
		*last = cell.Peer
	}
	r.cells = column + 1
}

func (r *row) wait(action Action, length uint32) {
	if r.waiting != action {
		r.flush()
		r.waiting = action
	}
	r.run += length
}

func (r *row) flush() {
	if r.run > 0 {
		r.encode(r.waiting, r.run)
		r.run = 0
	}
}

func (r *row) encode(action Action, value uint32) {
	code := byte(value<<2)&0x7c | byte(action)
	if value < 32 {
		r.code = append(r.code, code)
		return
	}
	r.code = binary.AppendUvarint(append(r.code, code|0x80), uint64(value>>5))
}

// zigzag maps differences 0, -1, 1, -2 ... (modulo 2^32) to 0, 1, 2, 3 ...
func zigzag(difference uint32) uint32 {
	return difference<<1 ^ uint32(int32(difference)>>31)
}

func unzigzag(value uint32) uint32 { return value>>1 ^ -(value & 1) }

// Processors returns the number of rows.
func (t *Table) Processors() int { return len(t.rows) }

// Columns returns the number of steps up to the last recorded cell.
func (t *Table) Columns() int {
	columns := uint32(0)
	for i := range t.rows {
		columns = max(columns, t.rows[i].cells)
	}
	return int(columns)
}

// Run is a sequence of equal cells in a row.
type Run struct {
	Column, Length uint32
	Cell           Cell
}

// Row returns the cells of a processor up to the table's last column. Runs of waiting have maximum length; messages
// are separate.
func (t *Table) Row(processor int) iter.Seq[Run] {
	columns := uint32(t.Columns())
	return func(yield func(Run) bool) {
		r := t.rows[processor] // a copy, to flush
		r.code = r.code[:len(r.code):len(r.code)]
		if tail := columns - r.cells; tail > 0 {
			r.wait(Idle, tail)
		}
		r.flush()
		column, peer := uint32(0), [2]uint32{}
		for code := r.code; len(code) > 0; {
			var run Run
			run, code = decode(code, &peer)
			run.Column = column
			column += run.Length
			if !yield(run) {
				return
			}
		}
	}
}

func decode(code []byte, peer *[2]uint32) (run Run, rest []byte) {
	action, value, more := Action(code[0]&3), uint32(code[0]>>2&31), code[0] >= 0x80
	code = code[1:]
	if more {
		rest, size := binary.Uvarint(code)
		value, code = value|uint32(rest)<<5, code[size:]
	}
	if action == Idle || action == Blocked {
		return Run{Length: value, Cell: Cell{Action: action}}, code
	}
	last := &peer[action-Sent]
	*last += unzigzag(value)
	return Run{Length: 1, Cell: Cell{action, *last}}, code
}

// Nu returns the utilisation string: the number of S and R cells of every column (Definition 13).
func (t *Table) Nu() []int {
	nu := make([]int, t.Columns())
	for p := range t.rows {
		for run := range t.Row(p) {
			if run.Cell.Action == Sent || run.Cell.Action == Received {
				nu[run.Column]++
			}
		}
	}
	return nu
}

// Metrics returns the metrics of the run.
func (t *Table) Metrics() Metrics { return Measure(t.Processors(), t.Nu()) }

// WriteCSV writes a row per processor and a column per step, with the symbols S3 R0 - ~ and without a header.
func (t *Table) WriteCSV(w io.Writer) error {
	out := bufio.NewWriter(w)
	var text []byte
	for p := range t.rows {
		for run := range t.Row(p) {
			text = run.Cell.appendTo(append(text[:0], ','))
			first := 0
			if run.Column == 0 {
				first = 1
			}
			for range run.Length {
				_, _ = out.Write(text[first:]) // Flush returns the first error
				first = 0
			}
		}
		_ = out.WriteByte('\n')
	}
	return out.Flush()
}
