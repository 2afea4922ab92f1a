package eisenstein

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
)

// Table is the packets of a broadcast, step by step: who sends to whom. It is a run-table, as text
// and as a picture.
type Table struct {
	net    *Torus
	source int
	hops   [][]Hop // of each shard
}

// NewTable returns an empty table of what a source's message does. Shards may add packets at the same time.
func NewTable(net *Torus, source, shards int) *Table {
	return &Table{net: net, source: source, hops: make([][]Hop, shards)}
}

// Add adds a packet that has crossed the link between two neighbours in a step. Steps come in any order.
func (t *Table) Add(shard, step, from, to int) {
	dim, direction := t.net.Link(from, to)
	t.hops[shard] = append(t.hops[shard], Hop{step, dim, direction, from, to})
}

// Reset empties the table.
func (t *Table) Reset() { clear(t.hops) }

// sorted are the packets by step, then by sender, then by link.
func (t *Table) sorted() []Hop {
	hops := slices.Concat(t.hops...)
	slices.SortStableFunc(hops, func(a, b Hop) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.From, b.From), cmp.Compare(a.Dim, b.Dim), cmp.Compare(a.Direction, b.Direction))
	})
	return hops
}

// Steps counts the distinct nodes that send and that receive in every step.
func (t *Table) Steps() (steps []Step) {
	sender := -1
	receivers := map[int]bool{}
	for _, h := range t.sorted() {
		for len(steps) < h.Step {
			steps = append(steps, Step{})
			clear(receivers)
			sender = -1
		}
		step := &steps[h.Step-1]
		if h.From != sender {
			step.Senders++
			sender = h.From
		}
		if !receivers[h.To] {
			step.Receivers++
			receivers[h.To] = true
		}
	}
	return steps
}

// WriteCSV writes a row per node and a column per step: "S1 S27", the nodes that it sends to, in the
// order of its ports, "R0", the nodes that it receives from, and "-"; no header.
func (t *Table) WriteCSV(w io.Writer) error {
	hops := t.sorted()
	last := 0
	if len(hops) > 0 {
		last = hops[len(hops)-1].Step
	}
	type cell struct{ node, step int }
	cells := map[cell][]byte{}
	note := func(node, step int, what byte, other int) {
		text := cells[cell{node, step}]
		if len(text) > 0 {
			text = append(text, ' ')
		}
		cells[cell{node, step}] = strconv.AppendInt(append(text, what), int64(other), 10)
	}
	for _, h := range hops {
		note(h.From, h.Step, 'S', h.To)
		note(h.To, h.Step, 'R', h.From)
	}
	out := bufio.NewWriter(w)
	for node := range t.net.Nodes() {
		for step := 1; step <= last; step++ {
			if step > 1 {
				_ = out.WriteByte(',') // the first error stays until Flush
			}
			text := cells[cell{node, step}]
			if text == nil {
				text = []byte{'-'}
			}
			_, _ = out.Write(text)
		}
		_ = out.WriteByte('\n')
	}
	return out.Flush()
}
