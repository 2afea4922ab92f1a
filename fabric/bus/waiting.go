package bus

import (
	"fmt"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// Waiting is the referee of firmware on buses that are given. It follows packets, if the firmware
// carries any, and what waits at the taps: how many frames have been sent there, how often one had
// to wait, and for how many slots, from the one in which its NIC has first asked for the bus to the
// one in which it was sent.
//
// A frame that is withdrawn counts until then as one that was blocked, and not as one that waited.
// If another frame to the same port takes its place without a slot between, the wait goes on.
type Waiting struct {
	*fabric.Packets
	announces bool

	plan  *Plan
	names fabric.Names
	first []uint32 // by vertex: its port 0 in the columns of all taps

	// By tap.
	sent, blocked, waited []uint64 // frames, blocked slots, slots of those that were sent
	longest               []uint32

	// By vertex: the frame that waits.
	port  []uint16
	since []uint32 // the slot in which it asked first
	last  []uint32 // 1 + the slot in which it was blocked last, 0 for none
}

// NewWaiting follows the taps of a network.
func NewWaiting(b Network) *Waiting {
	p := b.Plan()
	w := &Waiting{Packets: fabric.NewPackets(b.Vertices), plan: p, names: b.Names(), first: make([]uint32, b.Vertices),
		port: make([]uint16, b.Vertices), since: make([]uint32, b.Vertices), last: make([]uint32, b.Vertices)}
	taps := uint32(0)
	for vertex := range w.first {
		w.first[vertex] = taps
		taps += uint32(p.Ports(vertex))
	}
	w.sent, w.blocked, w.waited, w.longest = make([]uint64, taps), make([]uint64, taps), make([]uint64, taps), make([]uint32, taps)
	return w
}

// tap is the place of a vertex's port in the columns of all taps.
func (w *Waiting) tap(vertex int, port uint16) int { return int(w.first[vertex]) + int(port) }

// Sent implements fabric.Witness.
func (w *Waiting) Sent(_ *fabric.Ledger, vertex int, frame nic.FrameView, slot uint32) {
	tap := w.tap(vertex, frame.Port())
	w.sent[tap]++
	if w.waits(vertex, frame.Port(), slot) {
		wait := slot - w.since[vertex]
		w.waited[tap] += uint64(wait)
		w.longest[tap] = max(w.longest[tap], wait)
	}
	w.last[vertex] = 0
}

// Blocked implements fabric.Witness.
func (w *Waiting) Blocked(_ *fabric.Ledger, vertex int, frame nic.FrameView, slot uint32) {
	w.blocked[w.tap(vertex, frame.Port())]++
	if !w.waits(vertex, frame.Port(), slot) {
		w.port[vertex], w.since[vertex] = frame.Port(), slot
	}
	w.last[vertex] = slot + 1
}

// waits reports whether a frame to a port of a vertex was blocked in the slot before.
func (w *Waiting) waits(vertex int, port uint16, slot uint32) bool {
	return w.last[vertex] == slot && slot > 0 && w.port[vertex] == port
}

// Received implements fabric.Witness.
func (w *Waiting) Received(l *fabric.Ledger, vertex int, frame nic.FrameView, slot uint32) {
	if w.announces {
		w.Packets.Received(l, vertex, frame, slot)
	}
}

// TapWaiting is what a report says of a tap at which something was sent or blocked.
type TapWaiting struct {
	Tap         string  `json:"tap"`
	Vertex      int     `json:"vertex"`
	Frames      uint64  `json:"frames"`       // that were sent
	Blocked     uint64  `json:"blocked"`      // slots in which one had to wait
	WaitingMax  uint32  `json:"waiting_max"`  // slots from the first request of a frame to its transmission
	WaitingMean float64 `json:"waiting_mean"` // the same, of all that were sent
}

// String is a line of a report.
func (t TapWaiting) String() string {
	return fmt.Sprintf("%s vertex %d: %d frames, waited %d slots at most, %.3g on average", t.Tap, t.Vertex, t.Frames, t.WaitingMax, t.WaitingMean)
}

// TapsWaiting are the taps of a report, bus by bus.
type TapsWaiting []TapWaiting

// Lines implements fabric.Lined.
func (t TapsWaiting) Lines() []string {
	lines := make([]string, len(t))
	for i, tap := range t {
		lines[i] = tap.String()
	}
	return lines
}

// Taps returns the figures of all taps at which something was sent or blocked.
func (w *Waiting) Taps() TapsWaiting {
	taps := TapsWaiting{}
	for bus, members := range w.plan.Buses {
		for _, vertex := range members {
			port := uint16(w.plan.Port(vertex, bus))
			tap := w.tap(vertex, port)
			if w.sent[tap]+w.blocked[tap] == 0 {
				continue
			}
			taps = append(taps, TapWaiting{
				Tap: w.names.Port(vertex, port), Vertex: vertex, Frames: w.sent[tap], Blocked: w.blocked[tap],
				WaitingMax: w.longest[tap], WaitingMean: float64(w.waited[tap]) / float64(max(1, w.sent[tap])),
			})
		}
	}
	return taps
}

// Metrics implements fabric.Referee: those of packets if there are any, the longest wait of all,
// and what each tap has seen.
func (w *Waiting) Metrics(e *fabric.End, carries bool) (m fabric.Metrics) {
	if carries {
		m = w.Packets.Metrics(e, carries)
	}
	taps, longest := w.Taps(), 0
	for _, tap := range taps {
		longest = max(longest, int(tap.WaitingMax))
	}
	m.Add("waiting_max", longest)
	m.Add("taps", taps)
	return m
}

// Witness implements fabric.Referee.
func (w *Waiting) Witness(announces bool) fabric.Witness {
	w.announces = announces
	w.Packets.Witness(announces)
	return w
}

// Reset implements fabric.Referee.
func (w *Waiting) Reset() {
	w.Packets.Reset()
	for _, column := range [][]uint64{w.sent, w.blocked, w.waited} {
		clear(column)
	}
	for _, column := range [][]uint32{w.longest, w.since, w.last} {
		clear(column)
	}
	clear(w.port)
}

// State implements fabric.Referee.
func (w *Waiting) State(v *hw.StateVisitor) {
	w.Packets.State(v)
	hw.StateColumn(v, "sent", w.sent)
	hw.StateColumn(v, "blocked", w.blocked)
	hw.StateColumn(v, "waited", w.waited)
	hw.StateColumn(v, "longest", w.longest)
	hw.StateColumn(v, "port", w.port)
	hw.StateColumn(v, "since", w.since)
	hw.StateColumn(v, "last", w.last)
}
