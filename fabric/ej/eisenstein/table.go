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
	hops   []Hop
}

// NewTable returns an empty table of what a source's message does.
func NewTable(net *Torus, source int) *Table { return &Table{net: net, source: source} }

// Add adds a packet that has crossed its link. Packets come in any order.
func (t *Table) Add(h Hop) { t.hops = append(t.hops, h) }

// sorted are the packets by step, then by sender, then as they came.
func (t *Table) sorted() []Hop {
	slices.SortStableFunc(t.hops, func(a, b Hop) int { return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.From, b.From)) })
	return t.hops
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
// order in which they were added, "R0", the nodes that it receives from, and "-"; no header.
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
