package traffic

import (
	"fmt"

	"starloom/fabric"
)

func (r *Referee) window() *window {
	f := &r.figures
	return &window{spec: r.spec, unit: "slot", created: f.offered, accepted: f.accepted, pending: f.pending, lost: f.lost, over: r.over,
		slotCycles: f.slotCycles, growing: f.growing}
}

// Lost is how many of the packets created in the measured slots were lost.
func (r *Referee) Lost() uint64 { return r.figures.lost }

// Limits adds to the limits of rules how many packets they have judged.
func (r *Referee) Limits(limits map[string]string) map[string]string {
	return r.window().limits(limits)
}

// Notes are what the user should know of the measured slots.
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
	if f.fromFile { // in any cycle
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
	f.network.values(func(value uint32) uint64 { return f.cyclesOf(value) - f.toFirst }).add(&m, "network_latency", w.of(), r.over)
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

// Unfinished implements fabric.Ending: a run that was given less slots than it takes, or measured packets that have not arrived.
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
