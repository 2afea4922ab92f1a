package traffic

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"

	"starloom/fabric"
	"starloom/fabric/stream"
	"starloom/traces/meaning"
)

func (r *Referee) window() *window {
	f := &r.figures
	return &window{spec: r.spec, unit: "slot", created: f.offered, accepted: f.accepted, pending: f.pending,
		lost: f.lost, over: r.over,
		slotCycles: f.slotCycles, growing: f.growing}
}

// Lost returns the number of measured packets that were lost.
func (r *Referee) Lost() uint64 { return r.figures.lost }

// Limits adds the number of judged packets to the limits of rules.
func (r *Referee) Limits(limits map[string]string) map[string]string {
	return r.window().limits(limits)
}

// Notes returns remarks about the measured slots for the user.
func (r *Referee) Notes() []string {
	w := r.window()
	if h := r.figures.network.values(func(value uint32) uint64 { return uint64(value) }); len(h) > 0 {
		w.way = h.summary().mean
	}
	return w.notes()
}

func (r *Referee) Metrics(e *fabric.End, _ bool) (m fabric.Metrics) {
	f, w := &r.figures, r.window()
	whole := f.whole(r.slot)
	slots := float64(f.processors) * float64(f.slots(f.slotCycles))
	perSlot := float64(f.processors) * (float64(f.Cycles()) / float64(f.slotCycles))
	created := slots
	if f.fromFile { // the creation cycle of a packet from a file is arbitrary
		created = perSlot
	}
	rate, load := unitPerSlot, "load"
	if f.routed {
		rate, load = unitPerTick, "media_load"
	}
	m.Add("window", r.spec.WindowText())
	m.AddIn(rate, whole, "offered", float64(f.offered)/created)
	m.AddIn(rate, whole, "accepted", float64(f.accepted)/perSlot)
	w.addSaturated(&m, whole)
	m.AddKnown(whole, "lost", f.lost)
	m.AddKnown(whole, "pending", f.pending)
	latency := f.inCycles()
	latency.addLatency(&m, w.of(), r.over)
	if f.slotted {
		f.latency.values(func(value uint32) uint64 { return uint64(value) }).add(&m, "latency_slots", w.of(), r.over)
	}
	f.network.values(func(value uint32) uint64 { return f.cyclesOf(value) - f.toFirst }).add(&m, "network_latency", w.of(),
		r.over)
	arrived := f.offered - f.lost - f.pending
	m.AddKnown(r.over && arrived > 0, "hops.mean", float64(f.hops)/float64(max(arrived, 1)))
	m.AddKnown(whole, "source_queue.mean", float64(f.queued)/slots)
	m.AddKnown(whole, "source_queue.max", f.queueMax)
	most, mean := f.media(r.names)
	if len(f.load) > 0 {
		m.AddIn(unitMedium, whole, load+".mean", mean)
	}
	m.AddKnown(r.over && len(latency) > 0, "latency.histogram", latency)
	if len(f.load) > 0 {
		m.AddKnown(whole && len(most) > 0, load+".most", most)
	}
	m.AddKnown(r.over && f.flows != nil && arrived > 0, "flows.most", f.most(r.names))
	return m
}

// Unfinished implements fabric.Ending. It yields a finding for a run with too few slots, and findings for measured
// packets that have not arrived.
func (r *Referee) Unfinished(yield func(fabric.Finding)) {
	if r.over {
		w := r.window()
		if r.judge.dead != nil {
			r.pending(func(source uint32, x *flight, _ uint32) {
				if r.judge.killed(source, x.destination) && r.figures.measures(x.created) {
					w.excused++
				}
			})
		}
		if text := w.late(); text != "" {
			yield(fabric.Finding{Kind: fabric.FindPending, Text: text})
		}
		if r.judge.limits() && r.slot > 0 {
			r.pending(func(source uint32, x *flight, before uint32) {
				if !r.judge.killed(source, x.destination) {
					r.judge.waits(r.trip(source, x, before, r.slot-1), yield)
				}
			})
		}
		return
	}
	slot := uint64(r.timing.SlotCycles())
	measured := uint32((r.spec.End + slot - 1) / slot)
	yield(fabric.Finding{Kind: fabric.FindShort, Text: fmt.Sprintf(
		"were to be offered packets for %d slots, with up to %d more for these to arrive; the run was given %d",
		measured, r.spec.Slots()-measured, r.slot)})
}

//go:embed metrics.yaml
var metrics string

// Meanings returns the meanings of the figures of traffic.
func Meanings() []meaning.Group { return meaning.Must(metrics) }

// AddFrames adds the latencies of frames between processors at routers, and the loads of channels, for a run of the
// given number of cycles. For other transports it adds nothing.
func AddFrames(m *fabric.Metrics, n fabric.Network, t fabric.Transport, cycles uint64) {
	s := stream.StreamOf(t)
	if s == nil {
		return
	}
	whole, network, hops := s.Latencies()
	latency, frames := histogram(whole), uint64(0)
	for _, bin := range latency {
		frames += bin[1]
	}
	latency.add(m, "frame_latency", "", frames > 0)
	histogram(network).add(m, "frame_network_latency", "", frames > 0)
	m.AddKnown(frames > 0, "frame_hops.mean", float64(hops)/float64(max(frames, 1)))
	AddLoads(m, fabric.RoutersOf(n), s.Loads(), cycles)
}

// WritePackets writes all packets created so far, by arrival, then by source. Packets that have not arrived come
// last, by creation.
func (r *Referee) WritePackets(to io.Writer) error {
	rows := append([]logged(nil), r.log.rows...)
	r.pending(func(source uint32, x *flight, before uint32) {
		rows = append(rows, logged{source, x.number, x.destination, x.created, before, x.sent, never, x.hops, x.size})
	})
	byCreation := func(a, b logged) int {
		return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(b.before, a.before), cmp.Compare(a.source, b.source),
			cmp.Compare(a.number, b.number))
	}
	slices.SortFunc(rows, byCreation)
	id := make([]int, len(rows))
	for i := range id {
		id[i] = i
	}
	slices.SortStableFunc(id, func(a, b int) int {
		x, y := &rows[a], &rows[b]
		if x.arrived == never && y.arrived == never {
			return 0
		}
		return cmp.Or(cmp.Compare(x.arrived, y.arrived), cmp.Compare(x.source, y.source))
	})
	return fabric.WritePackets(to, false, func(yield func(fabric.PacketRow) bool) {
		for _, i := range id {
			if !yield(r.row(i, &rows[i])) {
				return
			}
		}
	})
}

// pending yields the packets that have neither arrived nor been lost, each with the number of cycles from its
// creation to slot.
func (r *Referee) pending(yield func(source uint32, x *flight, before uint32)) {
	for i := range r.flights {
		f := &r.flights[i]
		for source := f.first; source < f.first+len(f.of); source++ {
			f.each(source, func(x *flight) {
				if x.arrived != delivered {
					yield(uint32(source), x, r.draws.before(uint32(source), x.number))
				}
			})
			r.queued(uint32(source), yield)
		}
	}
}

func (r *Referee) queued(source uint32, yield func(source uint32, x *flight, before uint32)) {
	number, at := r.next[source], r.due[source]
	if r.shown[source] != 0 {
		number++
		at = r.draws.Next(source, number, at)
	}
	for ; number < r.created[source]; number++ {
		destination, size := r.draws.Packet(source, number)
		yield(source, &flight{number: number, created: at, sent: never, destination: destination, size: size},
			r.draws.before(source, number))
		at = r.draws.Next(source, number+1, at)
	}
}

func (r *Referee) row(id int, x *logged) fabric.PacketRow {
	f := &r.figures
	at := func(slot uint32, cycle uint64) uint64 {
		if slot == never {
			return fabric.NotYet
		}
		return uint64(slot)*f.slotCycles + cycle
	}
	return fabric.PacketRow{ID: uint64(id), Source: x.source, Destination: x.destination,
		Size: uint16(x.size), Hops: x.hops,
		Created: uint64(x.created)*f.slotCycles - uint64(x.before), Sent: at(x.sent, f.toFirst),
		Received: at(x.arrived, f.toLast),
		Measured: f.measured(x.created, x.before)}
}
