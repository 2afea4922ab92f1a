package eisenstein

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
)

// Table is a run-table, as text and as a picture: the packets of a broadcast by step, sender and receiver.
type Table struct {
	net     *Torus
	source  int
	packets [][]crossed
}

type crossed struct{ step, from, to uint32 }

// NewTable returns an empty table of a source's message. Shards may add packets concurrently.
func NewTable(net *Torus, source, shards int) *Table {
	return &Table{net: net, source: source, packets: make([][]crossed, shards)}
}

// Add adds a packet that has crossed the link between two neighbours in a step. Steps may be in any order.
func (t *Table) Add(shard, step, from, to int) {
	t.packets[shard] = append(t.packets[shard], crossed{uint32(step), uint32(from), uint32(to)})
}

// Reset empties the table.
func (t *Table) Reset() { clear(t.packets) }

func (t *Table) sorted() []Hop {
	var hops []Hop
	for _, packet := range slices.Concat(t.packets...) {
		dim, direction := t.net.Link(int(packet.from), int(packet.to))
		hops = append(hops, Hop{int(packet.step), dim, direction, int(packet.from), int(packet.to)})
	}
	slices.SortStableFunc(hops, func(a, b Hop) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.From, b.From), cmp.Compare(a.Dim, b.Dim),
			cmp.Compare(a.Direction, b.Direction))
	})
	return hops
}

// Steps counts the distinct senders and receivers of every step.
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

// WriteCSV writes a row per node and a column per step, without a header. The cells are "S1 S27" (sent to nodes 1 and
// 27, in the order of ports), "R0" (received from node 0) and "-" (no packet).
func (t *Table) WriteCSV(w io.Writer) error {
	type part struct {
		Hop
		node, other int
		what        byte
	}
	var parts []part
	last := 0
	for _, h := range t.sorted() {
		parts = append(parts, part{h, h.From, h.To, 'S'}, part{h, h.To, h.From, 'R'})
		last = h.Step
	}
	slices.SortStableFunc(parts,
		func(a, b part) int { return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.Step, b.Step)) })
	out := bufio.NewWriter(w)
	var text []byte
	for node := range t.net.Nodes() {
		for step := 1; step <= last; step++ {
			text = text[:0]
			for ; len(parts) > 0 && parts[0].node == node && parts[0].Step == step; parts = parts[1:] {
				text = strconv.AppendInt(append(text, ' ', parts[0].what), int64(parts[0].other), 10)
			}
			if len(text) == 0 {
				text = append(text, " -"...)
			}
			if text[0] = ','; step == 1 {
				text = text[1:]
			}
			_, _ = out.Write(text) // Flush returns the first error
		}
		_ = out.WriteByte('\n')
	}
	return out.Flush()
}
