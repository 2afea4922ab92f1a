package outcome

import (
	"slices"

	"starloom/fabric"
)

// Lateness summarises the missed deadlines of a run.
type Lateness struct {
	What     [2]string // noun of the late item, singular and plural
	Deadline uint64    // in slots
	Late     int       // number of items that missed the deadline
	Lost     int       // number of late items that never came
	Most     uint64    // number of slots until the last of the other late items arrived, 0 for none
	Never    string    // text for items that never came
	Since    string    // description of the event from which slots are counted
	Packets  bool      // the items are packets of the workload; the subject of a violation holds destination and origin
	Worst    *LatestPath
}

// LatestPath is the last packet to arrive, and the actions of its sender before the packet crossed. The actions are
// known only for a packet without intermediate hops.
type LatestPath struct {
	From, To     int
	Known        bool
	Idle         uint64 // number of slots in which the sender neither sent nor waited
	Others       uint64 // number of slots in which the sender sent other frames
	WaitedOthers uint64 // number of slots in which another frame of the sender waited for its medium
	Waited       uint64 // slots in which this packet waited
	First        uint64 // slot in which the sender's first frame crossed
	Crossed      uint64 // slot in which this packet crossed
	Cycle        uint64 // cycle of the packet's first phit
	Came         uint64 // cycle of the packet's last phit
	Did          []Did  // actions up to slot Crossed
}

// MarkerCame is the marker in waveforms at the first phit of the latest packet.
const MarkerCame = "packet_sent"

// Did is an action of a processor in consecutive slots.
type Did struct {
	From, To uint64 // first and last slot
	What     Doing
	With     []int // by slot: processor at the other end; -1 for any
}

// Doing is an action of a processor in a slot.
type Doing uint8

// Actions of a processor.
const (
	DidNothing Doing = iota // nothing visible from outside
	DidHear                 // the processor heard a frame
	DidWait                 // the processor waited to send a frame
	DidSend                 // the processor sent a frame
)

// Span names the range of slots.
func (d *Did) Span() string { return texts.Say("span", d) }

// Waits returns the number of slots in which a frame of the sender waited.
func (p *LatestPath) Waits() uint64 { return p.WaitedOthers + p.Waited }

// Cause names the cause of the delay: the firmware, or waiting for media; "" for an unknown cause.
func (l *Lateness) Cause() string {
	if l.Worst == nil {
		return ""
	}
	return texts.Say("why late", l)
}

// Text identifies the packet and lists the actions of its sender.
func (p *LatestPath) Text() string { return texts.Say("latest", p) }

const didNamed = 6

// Before returns the spans of slots before the packet crossed, or nil if there are too many for a text.
func (p *LatestPath) Before() []Did {
	if n := len(p.Did); n > 0 && n <= didNamed+1 {
		return p.Did[:n-1]
	}
	return nil
}

// WaitsFor reports whether the sender waited for this processor and no other.
func (d *Did) WaitsFor(to int) bool {
	return d.What == DidWait && !slices.ContainsFunc(d.With, func(with int) bool { return with != to })
}

// From returns the origin of a violation's packet, -1 if unknown.
func (l *Lateness) From(v *Violation) int {
	if l != nil && l.Packets && v.Rule == fabric.RuleDeadline {
		return int(v.Subject.Value)
	}
	return -1
}

// Text describes the number of late packets, the maximum delay and the smallest sufficient deadline.
func (l *Lateness) Text() string { return texts.Say("late", l) }

// Meets returns the smallest deadline that all packets would have met, 0 if unknown.
func (l *Lateness) Meets() uint64 {
	if l == nil || l.Lost > 0 {
		return 0
	}
	return l.Most
}

// Of returns the index of the violation about the latest packet, -1 if unknown.
func (l *Lateness) Of(violations []Violation) int {
	if l == nil || l.Worst == nil {
		return -1
	}
	return slices.IndexFunc(violations,
		func(v Violation) bool { return l.From(&v) == l.Worst.From && v.Subject.Index == l.Worst.To })
}

// Remedy is a step that may correct a run.
type Remedy struct {
	Step
	Rule    string // the corrected rule, "" for all rules
	Tried   bool   // the page has tried the remedy, to reveal the cause
	Instead bool   // the remedy replaces the general remedy of the rule
	Later   bool   // the remedy follows the general remedy
}
