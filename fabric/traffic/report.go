package traffic

import "starloom/fabric"

// overloadedOf is how many measured packets it takes to tell overload from chance.
const overloadedOf = 200

// Overload is how many packets were created and received in the slots that are measured, and whether the second is
// clearly less than the first although all of them have arrived since or were lost: queues have grown, and latencies with them.
func (r *Referee) Overload() (offered, accepted uint64, overloaded bool) {
	f := &r.figures
	return f.offered, f.accepted, r.over && f.pending == 0 && f.offered >= overloadedOf && f.accepted+f.lost < f.offered-f.offered/20
}

// Lost is how many of the packets created in these slots were lost.
func (r *Referee) Lost() uint64 { return r.figures.lost }

// Metrics implements fabric.Referee.
func (r *Referee) Metrics(e *fabric.End, _ bool) (m fabric.Metrics) {
	f := &r.figures
	whole := f.whole(r.slot)
	slots := float64(f.processors) * float64(f.slots(f.slotCycles))
	perSlot := float64(f.processors) * (float64(f.Cycles()) / float64(f.slotCycles))
	created := slots
	if f.fromFile { // in any cycle
		created = perSlot
	}
	saturated := whole && f.pending > 0
	rate, load := unitPerSlot, "load"
	if f.routed {
		rate, load = unitPerTick, "media_load"
	}
	m.Add("window", r.spec.WindowText())
	m.AddIn(rate, whole, "offered", float64(f.offered)/created)
	m.AddIn(rate, whole, "accepted", float64(f.accepted)/perSlot)
	m.AddKnown(r.over, "saturated", map[bool]int{true: 1}[saturated])
	m.AddKnown(whole, "lost", f.lost)
	m.AddKnown(whole, "pending", f.pending)
	known := r.over && !saturated
	latency := f.inCycles()
	latency.addLatency(&m, known)
	if f.slotted {
		f.latency.values(func(value uint32) uint64 { return uint64(value) }).add(&m, "latency_slots", known)
	}
	f.network.values(func(value uint32) uint64 { return f.cyclesOf(value) - f.toFirst }).add(&m, "network_latency", known)
	arrived := f.offered - f.lost - f.pending
	m.AddKnown(known && arrived > 0, "hops.mean", float64(f.hops)/float64(max(arrived, 1)))
	m.AddKnown(whole, "source_queue.mean", float64(f.queued)/slots)
	m.AddKnown(whole, "source_queue.max", f.queueMax)
	most, mean := f.media(r.names)
	if len(f.load) > 0 {
		m.AddIn(unitMedium, whole, load+".mean", mean)
	}
	m.AddKnown(known && len(latency) > 0, "latency.histogram", latency)
	if len(f.load) > 0 {
		m.AddKnown(whole && len(most) > 0, load+".most", most)
	}
	m.AddKnown(known && f.flows != nil && arrived > 0, "flows.most", f.most(r.names))
	return m
}
