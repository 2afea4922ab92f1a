package traffic

import (
	"fmt"

	"starloom/fabric"
	"starloom/fabric/stream"
	"starloom/traces"
)

// judge holds packets to rules that mean the same on every network: the measured ones to their limits, from creation to the last bits at
// the destination, and all of them to the order in which their sources have created them.
type judge struct {
	latency, deadline uint32       // 0 for none
	order             stream.Order // nil for none
	unit              string       // what deadline and times count
	dead              []uint8      // processors that faults have killed, nil for none
}

func newJudge(r *fabric.Rules, processors int, unit string) judge {
	j := judge{latency: r.LatencyMax, deadline: r.DeadlineSlots, unit: unit}
	if r.InOrder {
		j.order = make(stream.Order, processors)
	}
	return j
}

// trip is a packet that has come, or waits: in slots, in cycles for bare packets.
type trip struct {
	serial              uint64
	source, destination uint32
	created, at         uint32 // at: when it came, or the end of the run
	took                uint32 // of the deadline, the first slot included
	cycles, cycle       uint64 // from its creation to at, and the cycle of that
	measured            bool
}

func (j *judge) came(t *trip, find func(fabric.Finding)) {
	if j.order != nil {
		c := stream.Came{Serial: t.serial, Created: t.created, Received: t.at}
		if before, overtaken := j.order.Note(t.source, t.destination, c); overtaken {
			find(t.finding(fabric.FindOvertaken, c.Text("packet", "created", j.unit, t.source, t.destination, before)))
		}
	}
	if over := j.over(t, "cycle", j.latency, t.cycles); over != "" {
		find(t.finding(fabric.FindSlow, t.name(j.unit)+" came "+over))
	}
	if over := j.over(t, j.unit, j.deadline, uint64(t.took)); over != "" {
		find(t.finding(fabric.FindOverdue, "received "+t.name(j.unit)+" "+over))
	}
}

func (j *judge) waits(t *trip, find func(fabric.Finding)) {
	if over := j.over(t, "cycle", j.latency, t.cycles); over != "" {
		find(t.finding(fabric.FindSlow, t.name(j.unit)+" has not come "+over))
	}
	if over := j.over(t, j.unit, j.deadline, uint64(t.took)); over != "" {
		find(t.finding(fabric.FindOverdue, "has not received "+t.name(j.unit)+" "+over))
	}
}

// over says by how much a measured packet is over a limit, "" if it is not.
func (j *judge) over(t *trip, unit string, limit uint32, took uint64) string {
	if !t.measured || limit == 0 || took <= uint64(limit) {
		return ""
	}
	return fmt.Sprintf("%s after it was created, at most %d are allowed", traces.Plural(took, unit, unit+"s"), limit)
}

func (j *judge) limits() bool { return j.latency > 0 || j.deadline > 0 }

func (t *trip) name(unit string) string {
	return fmt.Sprintf("packet %d (%d to %d, created in %s %d)", t.serial, t.source, t.destination, unit, t.created)
}

func (t *trip) finding(kind fabric.FindingKind, text string) fabric.Finding {
	return fabric.Finding{Kind: kind, Slot: t.at, Index: int(t.destination), Value: t.source, Cycle: t.cycle, Text: text}
}

func (j *judge) killed(source, destination uint32) bool {
	return j.dead != nil && (j.dead[source] != 0 || j.dead[destination] != 0)
}
