package gossiptest

import (
	"math/bits"

	"starloom/fabric/crossbar/gossip"
)

// Fill fills a run-table row by row, in the order of the ids. The row of processor p starts after the column of its
// p-th reception. Each message goes to the first column with an empty cell of the addressee; the skipped cells are
// blocked.
func Fill(orders gossip.Orders) *gossip.Table {
	rows := make([][]gossip.Cell, len(orders))
	for p, order := range orders {
		column := len(rows[p]) // the row contains only the p receptions of stage A
		for _, to := range order {
			for !empty(rows[to], column) {
				set(&rows[p], column, gossip.Cell{Action: gossip.Blocked})
				column++
			}
			set(&rows[p], column, gossip.Cell{Action: gossip.Sent, Peer: to})
			set(&rows[to], column, gossip.Cell{Action: gossip.Received, Peer: uint32(p)})
			column++
		}
	}
	table := gossip.NewTable(len(orders))
	for p, row := range rows {
		for column, cell := range row {
			table.Add(p, uint32(column), cell)
		}
	}
	return table
}

func empty(row []gossip.Cell, column int) bool {
	return column >= len(row) || row[column].Action == gossip.Idle
}

// set sets a cell of a row, which grows as needed.
func set(row *[]gossip.Cell, column int, cell gossip.Cell) {
	if short := column + 1 - len(*row); short > 0 {
		*row = append(*row, make([]gossip.Cell, short)...)
	}
	(*row)[column] = cell
}

// ScheduledLength returns the length of a run with Algorithm 2 or 2' on Identity or Pipelined orders. It fills the
// table row by row, as the paper does. Sets of ids are bit sets, so that thousands of processors are feasible.
func ScheduledLength(N int, pipelined bool, scheduling Scheduling) int {
	f := filler{N: N, start: make([]int, N+1)}
	for p := range N + 1 {
		first := 0 // the order of p is first .. N, 0 .. first-1 without p
		if pipelined {
			first = (p + 1) % (N + 1)
		}
		f.fill(p, first, scheduling)
	}
	return len(f.free)
}

// filler is the state of ScheduledLength.
type filler struct {
	N     int
	start []int      // by id: column after the last reception
	free  [][]uint64 // by column: ids with empty cells, 64 per word
}

// everybody returns the set of all ids except one.
func (f *filler) everybody(except int) []uint64 {
	set := make([]uint64, f.N/64+1)
	for id := range f.N + 1 {
		set[id/64] |= 1 << (id % 64)
	}
	set[except/64] &^= 1 << (except % 64)
	return set
}

// fill fills the row of processor p.
func (f *filler) fill(p, first int, scheduling Scheduling) {
	left := f.everybody(p)
	for column, sent := f.start[p], 0; sent < f.N; column++ {
		for column >= len(f.free) {
			f.free = append(f.free, f.everybody(p))
		}
		free := f.free[column]
		free[p/64] &^= 1 << (p % 64)
		to := -1
		if scheduling == Algorithm2 {
			if id := f.cursor(p, first, sent); left[id/64]&free[id/64]>>(id%64)&1 == 1 {
				to = id
			}
		}
		if to < 0 {
			to = firstCommon(left, free, first)
		}
		if to < 0 {
			continue
		}
		left[to/64] &^= 1 << (to % 64)
		free[to/64] &^= 1 << (to % 64)
		f.start[to] = max(f.start[to], column+1)
		sent++
	}
}

// cursor returns the id at a position of the order of processor p, which begins with first.
func (f *filler) cursor(p, first, position int) int {
	before := position
	if first <= p && position >= p-first { // Identity: the order omits p
		before++
	}
	return (first + before) % (f.N + 1)
}

// firstCommon returns the first id in both sets, in circular order from first on, or -1.
func firstCommon(a, b []uint64, first int) int {
	word := first / 64
	if common := a[word] & b[word] >> (first % 64) << (first % 64); common != 0 {
		return word*64 + bits.TrailingZeros64(common)
	}
	for i := 1; i <= len(a); i++ {
		at := (word + i) % len(a)
		if common := a[at] & b[at]; common != 0 {
			return at*64 + bits.TrailingZeros64(common)
		}
	}
	return -1
}
