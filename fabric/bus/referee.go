package bus

import (
	"fmt"

	"starloom/fabric"
	"starloom/fabric/referees"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
)

// Waiting is the referee of firmware on given buses. It tracks packets, if the firmware carries any, and frames that
// wait at the taps. It counts sent frames and blocked slots, and measures waits. The wait for a grant begins in the
// slot in which a frame at the head of its NIC requests the bus. The wait in the queue begins in the slot in which
// firmware queues the frame. Both waits end when the frame is sent, or at the end of the run.
//
// A withdrawn frame counts as blocked until its withdrawal, but its wait is not measured.
type Waiting struct {
	*referees.Packets
	announces bool

	plan   *Plan
	names  fabric.Names
	queues *referees.Queues
	first  []uint32 // index of each vertex's port 0 in the columns of taps

	// number of sent frames; number of blocked slots; sums over sent frames of the wait for a grant and of the wait
	// in the queue, in slots
	sent, blocked, granted, queued []uint64
	grantMax, queueMax             []uint32
	// maximum number of frames in the vertex's TX FIFO just after a frame for the tap was queued
	depth []uint32

	// By vertex: the requesting frame.
	port  []uint16 // port of the frame
	since []uint32 // slot of its first request
	last  []uint32 // 1 + last slot in which the vertex was blocked, 0 for none
}

var (
	_ referees.QueueWatcher = (*Waiting)(nil)
	_ fabric.Timed          = (*Waiting)(nil)
)

// NewWaiting returns the referee for the taps of a network.
func NewWaiting(b Network) *Waiting {
	p := b.Plan()
	w := &Waiting{Packets: referees.NewPackets(b.Vertices), plan: p, names: b.Names(), first: make([]uint32, b.Vertices),
		port: make([]uint16, b.Vertices), since: make([]uint32, b.Vertices), last: make([]uint32, b.Vertices)}
	taps := uint32(0)
	for vertex := range w.first {
		w.first[vertex] = taps
		taps += uint32(p.Ports(vertex))
	}
	w.sent, w.blocked, w.granted, w.queued = make([]uint64, taps), make([]uint64, taps),
		make([]uint64, taps), make([]uint64, taps)
	w.grantMax, w.queueMax, w.depth = make([]uint32, taps), make([]uint32, taps), make([]uint32, taps)
	return w
}

func (w *Waiting) tap(vertex int, port uint16) int {
	if int(port) >= w.plan.Ports(vertex) {
		return -1
	}
	return int(w.first[vertex]) + int(port)
}

func (w *Waiting) Follow(q *referees.Queues) { w.queues = q }

func (w *Waiting) Queued(vertex int, port uint16, place int) {
	if tap := w.tap(vertex, port); tap >= 0 { // the NIC rejects other ports
		w.depth[tap] = max(w.depth[tap], uint32(place))
	}
}

func (w *Waiting) Left(vertex int, port uint16, queued, sent uint32) {
	tap, wait, asked := w.tap(vertex, port), sent-queued, sent
	if tap < 0 {
		return
	}
	if w.last[vertex] == sent { // the frame was blocked in the previous slot
		asked = w.since[vertex]
	}
	w.last[vertex] = 0
	w.sent[tap]++
	w.queued[tap] += uint64(wait)
	w.queueMax[tap] = max(w.queueMax[tap], wait)
	w.granted[tap] += uint64(sent - asked)
	w.grantMax[tap] = max(w.grantMax[tap], sent-asked)
}

// Withdrawn implements referees.QueueWatcher. The wait of the next frame for a grant begins now.
func (w *Waiting) Withdrawn(vertex int) { w.last[vertex] = 0 }

// Sent implements fabric.Witness. Left follows once the slot has crossed.
func (w *Waiting) Sent(*fabric.Ledger, int, nic.FrameView, uint32) {}

func (w *Waiting) Blocked(_ *fabric.Ledger, vertex int, frame nic.FrameView, slot uint32) {
	w.blocked[w.tap(vertex, frame.Port())]++
	if w.last[vertex] != slot || slot == 0 {
		w.port[vertex], w.since[vertex] = frame.Port(), slot
	}
	w.last[vertex] = slot + 1
}

func (w *Waiting) Received(l *fabric.Ledger, vertex int, frame nic.FrameView, slot uint32) {
	if w.announces {
		w.Packets.Received(l, vertex, frame, slot)
	}
}

// TapWaiting is the report on a tap with sent, blocked or waiting frames. A mean covers all sent frames, and is nil
// without sent frames. A maximum also covers waiting frames.
type TapWaiting struct {
	Tap                string   `json:"tap"`
	Vertex             int      `json:"vertex"`
	Frames             uint64   `json:"frames"`               // sent frames
	Blocked            uint64   `json:"blocked"`              // number of slots in which a frame waited for a grant
	QueueWaitSlotsMax  uint32   `json:"queue_wait_slots_max"` // slots from queueing to sending
	QueueWaitSlotsMean *float64 `json:"queue_wait_slots_mean"`
	GrantWaitSlotsMax  uint32   `json:"grant_wait_slots_max"` // slots from the first request to the grant
	GrantWaitSlotsMean *float64 `json:"grant_wait_slots_mean"`
	// number of frames in the vertex's TX FIFO after a frame for this tap was queued
	QueueDepthMax   uint32 `json:"queue_depth_max"`
	Waiting         uint64 `json:"waiting"`           // number of frames not sent by the end of the run
	WaitingSlotsMax uint32 `json:"waiting_slots_max"` // wait of the first of them
}

// String returns a line of a report.
func (t TapWaiting) String() string {
	mean := func(slots *float64) string {
		if slots == nil {
			return "-"
		}
		return fmt.Sprintf("%.3g", *slots)
	}
	text := fmt.Sprintf("%s vertex %d: %s, queue wait %s at most (mean %s), grant wait %d (mean %s), queue depth %d",
		t.Tap, t.Vertex,
		traces.Plural(t.Frames, "frame", "frames"), traces.Plural(t.QueueWaitSlotsMax, "slot", "slots"),
		mean(t.QueueWaitSlotsMean),
		t.GrantWaitSlotsMax, mean(t.GrantWaitSlotsMean), t.QueueDepthMax)
	if t.Waiting > 0 {
		still := ", still waiting"
		if t.Frames == 0 {
			still = ", starves"
		}
		text += fmt.Sprintf("%s: %s for up to %s", still, traces.Plural(t.Waiting, "frame", "frames"),
			traces.Plural(t.WaitingSlotsMax, "slot", "slots"))
	}
	return text
}

// TapsWaiting lists the taps of a report, bus by bus.
type TapsWaiting []TapWaiting

func (t TapsWaiting) Lines() []string {
	lines := make([]string, len(t))
	for i, tap := range t {
		lines[i] = tap.String()
	}
	return lines
}

// Taps returns the figures of all taps with sent, blocked or waiting frames. slots is the number of crossed slots.
func (w *Waiting) Taps(slots uint32) TapsWaiting {
	count, longest, asks := make([]uint64, len(w.sent)), make([]uint32, len(w.sent)), make([]uint32, len(w.sent))
	if w.queues != nil {
		w.queues.Each(func(vertex int, port uint16, since uint32) {
			if tap := w.tap(vertex, port); tap >= 0 && since < slots {
				count[tap]++
				longest[tap] = max(longest[tap], slots-since)
			}
		})
	}
	for vertex, last := range w.last {
		if last == slots && slots > 0 { // the frame was blocked in the last slot
			asks[w.tap(vertex, w.port[vertex])] = slots - w.since[vertex]
		}
	}
	mean := func(sum, frames uint64) *float64 {
		if frames == 0 {
			return nil
		}
		of := float64(sum) / float64(frames)
		return &of
	}
	taps := TapsWaiting{}
	for bus, members := range w.plan.Buses {
		for _, vertex := range members {
			port := uint16(w.plan.Port(vertex, bus))
			tap := w.tap(vertex, port)
			if w.sent[tap]+w.blocked[tap]+count[tap] == 0 {
				continue
			}
			taps = append(taps, TapWaiting{
				Tap: w.names.Port(vertex, port), Vertex: vertex, Frames: w.sent[tap], Blocked: w.blocked[tap],
				QueueWaitSlotsMax: max(w.queueMax[tap], longest[tap]), QueueWaitSlotsMean: mean(w.queued[tap], w.sent[tap]),
				GrantWaitSlotsMax: max(w.grantMax[tap], asks[tap]), GrantWaitSlotsMean: mean(w.granted[tap], w.sent[tap]),
				QueueDepthMax: w.depth[tap], Waiting: count[tap], WaitingSlotsMax: longest[tap],
			})
		}
	}
	return taps
}

// Metrics implements fabric.Referee: the metrics of packets, if any, the longest waits, and the figures of each tap.
func (w *Waiting) Metrics(e *fabric.End, carries bool) (m fabric.Metrics) {
	if carries {
		m = w.Packets.Metrics(e, carries)
	}
	taps := w.Taps(e.Slots)
	queue, grant := 0, 0
	for i := range taps {
		queue, grant = max(queue, int(taps[i].QueueWaitSlotsMax)), max(grant, int(taps[i].GrantWaitSlotsMax))
	}
	m.AddKnown(len(taps) > 0, "queue_wait_slots_max", queue)
	m.AddKnown(len(taps) > 0, "grant_wait_slots_max", grant)
	m.Add("taps", taps)
	return m
}

func (w *Waiting) Witness(announces bool) fabric.Witness {
	w.announces = announces
	w.Packets.Witness(announces)
	return w
}

func (w *Waiting) Slots() (slots int) {
	for vertex, last := range w.last {
		if last > 0 {
			slots = max(slots, int(last), int(w.since[vertex])+1)
		}
	}
	return slots
}

func (w *Waiting) Reset() {
	w.Packets.Reset()
	for _, column := range [][]uint64{w.sent, w.blocked, w.granted, w.queued} {
		clear(column)
	}
	for _, column := range [][]uint32{w.grantMax, w.queueMax, w.depth, w.since, w.last} {
		clear(column)
	}
	clear(w.port)
}

func (w *Waiting) State(v *hw.StateVisitor) {
	w.Packets.State(v)
	hw.StateColumn(v, hw.Statistic, "sent", w.sent)
	hw.StateColumn(v, hw.Statistic, "blocked", w.blocked)
	hw.StateColumn(v, hw.Statistic, "granted", w.granted)
	hw.StateColumn(v, hw.Statistic, "queued", w.queued)
	hw.StateColumn(v, hw.Statistic, "grant_max", w.grantMax)
	hw.StateColumn(v, hw.Statistic, "queue_max", w.queueMax)
	hw.StateColumn(v, hw.Statistic, "depth", w.depth)
	hw.StateColumn(v, hw.Statistic, "port", w.port, func(vertex int, port uint16) error {
		if port > 0 && w.tap(vertex, port) < 0 {
			return fmt.Errorf("vertex %d at port %d of %d", vertex, port, w.plan.Ports(vertex))
		}
		return nil
	})
	hw.StateColumn(v, hw.Statistic, "since", w.since)
	hw.StateColumn(v, hw.Statistic, "last", w.last)
}
