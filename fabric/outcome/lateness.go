package outcome

import (
	"slices"

	"starloom/fabric"
)

// Lateness sums up the missed deadlines of a run.
type Lateness struct {
	What     [2]string // noun of the late item, singular and plural
	Deadline uint64    // in slots
	Late     int       // number that missed the deadline
	Lost     int       // number of Late that never came
	Most     uint64    // slots until the last of the others came, 0 for none
	Never    string    // words for those that never came
	Since    string    // start of the count of slots, in words
	Packets  bool      // packets of the workload: the subject of a violation holds destination and origin
	Worst    *LatestPath
}

// LatestPath is the packet that came last, and the actions of its sender before it crossed. They are known only for a
// packet that came directly.
type LatestPath struct {
	From, To     int
	Known        bool
	Idle         uint64 // slots in which the sender neither sent nor waited
	Others       uint64 // slots in which it sent other frames
	WaitedOthers uint64 // slots in which another frame of it waited for its medium
	Waited       uint64 // slots in which this packet waited
	First        uint64 // slot in which the sender's first frame crossed
	Crossed      uint64 // slot in which this packet crossed
	Cycle        uint64 // cycle of its first phit
	Came         uint64 // cycle of its last phit
	Did          []Did  // actions up to slot Crossed
}

// MarkerCame is the marker in waveforms at the first phit of the latest packet.
const MarkerCame = "packet_sent"

// Did is an action of a processor in consecutive slots.
type Did struct {
	From, To uint64 // first and last slot
	What     Doing
	With     []int // per slot the processor heard from, sent to or waited for; -1 for any
}

// Doing is an action of a processor in a slot.
type Doing uint8

// Actions of a processor.
const (
	DidNothing Doing = iota // nothing visible from outside
	DidHear                 // it heard a frame
	DidWait                 // it waited to send a frame
	DidSend                 // it sent a frame
)

// Span names the slots.
func (d *Did) Span() string { return texts.Say("span", d) }

// Waits is the number of slots in which a frame of the sender waited.
func (p *LatestPath) Waits() uint64 { return p.WaitedOthers + p.Waited }

// Cause tells a delay by the firmware from a delay by waiting for media; "" if neither is known.
func (l *Lateness) Cause() string {
	if l.Worst == nil {
		return ""
	}
	return texts.Say("why late", l)
}

// Text identifies the packet and lists the actions of its sender.
func (p *LatestPath) Text() string { return texts.Say("latest", p) }

const didNamed = 6

// Before returns the spans of slots before the packet crossed, nil if they are more than a text lists.
func (p *LatestPath) Before() []Did {
	if n := len(p.Did); n > 0 && n <= didNamed+1 {
		return p.Did[:n-1]
	}
	return nil
}

// WaitsFor reports whether the sender waited for one processor alone.
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

// Text gives the number of late packets, the largest delay and the smallest deadline that would have sufficed.
func (l *Lateness) Text() string { return texts.Say("late", l) }

// Meets is the smallest deadline that all would have met, 0 if unknown.
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
	return slices.IndexFunc(violations, func(v Violation) bool { return l.From(&v) == l.Worst.From && v.Subject.Index == l.Worst.To })
}

// Remedy is a step that may repair a run.
type Remedy struct {
	Step
	Rule    string // the broken rule that it repairs, "" for all
	Tried   bool   // the page has tried it, to show the cause
	Instead bool   // it replaces the general remedy of the rule
	Later   bool   // it follows the general remedy
}
