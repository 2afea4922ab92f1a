package netlist

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"starloom/fabric"
	"starloom/fabric/referees"
	"starloom/nic"
	"starloom/traces/figure"
	"starloom/traces/input"
)

type (
	told struct {
		*referees.Told
		runTable
	}
	packets struct {
		*referees.Packets
		runTable
		inner fabric.Witness // witness of firmware with announcements; otherwise nil
	}
)

var (
	_ fabric.Ending  = (*told)(nil)
	_ fabric.Tabled  = (*told)(nil)
	_ fabric.Tabled  = (*packets)(nil)
	_ fabric.Dropper = (*packets)(nil)
)

const tableProcessorsMax = 1 << 16

// runTable records the actions of each processor in each slot, and is empty if shards is nil.
type runTable struct {
	net     *Net
	crossed uint32 // number of slots; later frames are omitted
	hearers [][]int
	shards  [][]doing // by shard: observed actions, in any order
}

// doing is an action of a processor in a slot: a frame sent on a medium, a frame received from a processor, or a
// blocked frame.
type doing struct {
	processor, slot uint32
	what            uint8
	other           uint32
}

const (
	sent = iota
	received
	blocked
)

func (t *runTable) load(l *fabric.Load) error {
	t.shards = nil
	if !l.Table {
		return nil
	}
	if n := len(t.net.Processors); n > tableProcessorsMax {
		return input.Mistake("--run-table", fmt.Sprintf("the network has %d processors", n),
			fmt.Sprintf("a run-table shows at most %d", tableProcessorsMax))
	}
	t.hearers, t.shards = newROM(t.net).hearers, make([][]doing, l.Shards)
	return nil
}

func (t *runTable) add(l *fabric.Ledger, processor int, slot uint32, what uint8, other uint32) {
	if t.shards != nil {
		t.shards[l.Shard] = append(t.shards[l.Shard], doing{uint32(processor), slot, what, other})
	}
}

func (t *runTable) noteSent(l *fabric.Ledger, processor int, frame nic.FrameView, slot uint32) {
	if t.shards == nil {
		return
	}
	if frame.Port() != nic.PortAll {
		if medium := t.net.Names().SentOn(processor, frame.Port(), int(frame.Destination())); medium != None {
			t.add(l, processor, slot, sent, uint32(medium))
		}
		return
	}
	for _, port := range t.net.Processors[processor].Ports {
		if port.Sends != None {
			t.add(l, processor, slot, sent, uint32(port.Sends))
		}
	}
}

func (t *runTable) Drop(slot uint32) {
	for i := range t.shards {
		t.shards[i] = slices.DeleteFunc(t.shards[i], func(d doing) bool { return d.slot >= slot })
	}
}

func (t *runTable) RunTable(slots uint32) fabric.RunTable {
	if t.shards == nil {
		return nil
	}
	t.crossed = slots
	return t
}

// all returns all actions by processor and slot, and the number of slots up to the last action. A sent frame has an
// entry for each listener of the medium.
func (t *runTable) all() (all []doing, slots uint32) {
	for _, shard := range t.shards {
		for _, d := range shard {
			if d.slot >= t.crossed {
				continue
			}
			slots = max(slots, d.slot+1)
			if d.what != sent {
				all = append(all, d)
				continue
			}
			for _, hearer := range t.hearers[d.other] {
				all = append(all, doing{d.processor, d.slot, sent, uint32(hearer)})
			}
		}
	}
	slices.SortFunc(all, func(a, b doing) int {
		return cmp.Or(cmp.Compare(a.processor, b.processor), cmp.Compare(a.slot, b.slot), cmp.Compare(a.what, b.what),
			cmp.Compare(a.other, b.other))
	})
	return slices.Compact(all), slots
}

// WriteCSV writes a row per processor and a column per slot, without a header. The cells are "S1 S3" (sent;
// processors 1 and 3 hear the medium), "R0" (received from processor 0), "~" (blocked) and "-" (no action).
func (t *runTable) WriteCSV(w io.Writer) error {
	all, slots := t.all()
	out := bufio.NewWriter(w)
	var text []byte
	for processor := range uint32(len(t.net.Processors)) {
		for slot := range slots {
			text = text[:0]
			for ; len(all) > 0 && all[0].processor == processor && all[0].slot == slot; all = all[1:] {
				if len(text) > 0 && (all[0].what != blocked || text[len(text)-1] != '~') {
					text = append(text, ' ')
				}
				switch {
				case all[0].what != blocked:
					text = strconv.AppendUint(append(text, "SR"[all[0].what]), uint64(all[0].other), 10)
				case len(text) == 0 || text[len(text)-1] != '~':
					text = append(text, '~')
				}
			}
			if len(text) == 0 {
				text = append(text, '-')
			}
			if slot > 0 {
				_ = out.WriteByte(',') // Flush returns the first error
			}
			_, _ = out.Write(text)
		}
		_ = out.WriteByte('\n')
	}
	return out.Flush()
}

// WriteSVG draws a row per processor and a column per slot. A frame is a bar across the rows of its processors, with
// a square at the sender and dots at the receivers.
func (t *runTable) WriteSVG(w io.Writer) error {
	all, slots := t.all()
	b := figure.RunTable{Title: fmt.Sprintf("Frames of %d processors, %d slots", len(t.net.Processors), t.crossed),
		Row: "processor", Bar: "sender", Column: "slot", Rows: len(t.net.Processors)}
	for slot := range slots {
		b.Columns = append(b.Columns, barsOf(all, slot))
	}
	return b.WriteSVG(w)
}

func barsOf(all []doing, slot uint32) (bars []figure.Bar) {
	places := map[uint32]int{}
	of := func(sender uint32) *figure.Bar {
		if _, ok := places[sender]; !ok {
			places[sender] = len(bars)
			row := int(sender)
			bars = append(bars, figure.Bar{Number: row, First: row, Last: row, Senders: []int{row}})
		}
		return &bars[places[sender]]
	}
	for _, d := range all {
		switch {
		case d.slot != slot:
		case d.what == sent:
			of(d.processor)
		case d.what == received:
			b, row := of(d.other), int(d.processor)
			b.First, b.Last, b.Receivers = min(b.First, row), max(b.Last, row), append(b.Receivers, row)
		}
	}
	slices.SortFunc(bars, func(a, b figure.Bar) int { return cmp.Or(a.First-b.First, a.Number-b.Number) })
	return bars
}

func (r *told) Load(l *fabric.Load) error { return r.load(l) }

func (r *told) Witness(bool) fabric.Witness { return r }

func (r *told) Reset() {
	r.Told.Reset()
	r.Drop(0)
}

func (r *told) Sent(l *fabric.Ledger, processor int, frame nic.FrameView, slot uint32) {
	r.noteSent(l, processor, frame, slot)
	r.Told.Sent(l, processor, frame, slot)
}

func (r *told) Blocked(l *fabric.Ledger, processor int, _ nic.FrameView, slot uint32) {
	r.add(l, processor, slot, blocked, 0)
}

func (r *told) Received(l *fabric.Ledger, processor int, frame nic.FrameView, slot uint32) {
	r.add(l, processor, slot, received, frame.Source())
	r.Told.Received(l, processor, frame, slot)
}

func (r *packets) Load(l *fabric.Load) error {
	if err := r.load(l); err != nil {
		return err
	}
	return r.Packets.Load(l)
}

// Witness implements fabric.Referee. A run-table increases the cost of a frame.
func (r *packets) Witness(announces bool) fabric.Witness {
	r.inner = r.Packets.Witness(announces)
	if r.shards == nil {
		return r.inner
	}
	return r
}

func (r *packets) Reset() {
	r.Packets.Reset()
	r.Drop(0)
}

func (r *packets) Sent(l *fabric.Ledger, processor int, frame nic.FrameView, slot uint32) {
	r.noteSent(l, processor, frame, slot)
}

func (r *packets) Blocked(l *fabric.Ledger, processor int, _ nic.FrameView, slot uint32) {
	r.add(l, processor, slot, blocked, 0)
}

func (r *packets) Received(l *fabric.Ledger, processor int, frame nic.FrameView, slot uint32) {
	r.add(l, processor, slot, received, frame.Source())
	if r.inner != nil {
		r.inner.Received(l, processor, frame, slot)
	}
}
