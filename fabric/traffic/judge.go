package traffic

import (
	"cmp"
	"fmt"

	"starloom/fabric"
	"starloom/fabric/stream"
	"starloom/traces"
)

// judge applies the rules that hold on every network. The limits of a measured packet apply from its creation to the
// arrival of its last bit. All packets of a source must arrive in the order of their creation.
type judge struct {
	latency, deadline uint32
	order             stream.Order
	unit              string
	dead              []uint8 // processors killed by faults, nil for none
}

func newJudge(r *fabric.Rules, processors int, unit string) judge {
	j := judge{latency: r.LatencyMax, deadline: r.DeadlineSlots, unit: unit}
	if r.InOrder {
		j.order = make(stream.Order, processors)
	}
	return j
}

type trip struct {
	serial              uint64
	deadline            uint32 // limit of its class, 0 for that of all packets
	source, destination uint32
	created, at         uint32 // at: time of arrival, or end of the run
	took                uint32 // time compared with the deadline, first slot included
	queued              uint32 // part of took before the packet left its source
	cycles, cycle       uint64 // cycles from creation to at, and cycle of at
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
	if over := j.over(t, j.unit, cmp.Or(t.deadline, j.deadline), uint64(t.took)); over != "" {
		find(t.finding(fabric.FindOverdue, "received "+t.name(j.unit)+" "+over))
	}
}

func (j *judge) waits(t *trip, find func(fabric.Finding)) {
	if over := j.over(t, "cycle", j.latency, t.cycles); over != "" {
		find(t.finding(fabric.FindSlow, t.name(j.unit)+" has not come "+over))
	}
	if over := j.over(t, j.unit, cmp.Or(t.deadline, j.deadline), uint64(t.took)); over != "" {
		find(t.finding(fabric.FindOverdue, "has not received "+t.name(j.unit)+" "+over))
	}
}

// over returns the amount by which a measured packet exceeds a limit, or "" if it does not.
func (j *judge) over(t *trip, unit string, limit uint32, took uint64) string {
	if !t.measured || limit == 0 || took <= uint64(limit) {
		return ""
	}
	text := fmt.Sprintf("%s after it was created; at most %d are allowed", traces.Plural(took, unit, unit+"s"), limit)
	if 2*t.queued > t.took {
		text += fmt.Sprintf("; it waited %s at its source", traces.Plural(uint64(t.queued), j.unit, j.unit+"s"))
	}
	return text
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
