package outcome

import (
	"slices"

	"starloom/fabric"
)

// Lateness is how late in a run came what has missed its deadline.
type Lateness struct {
	What     [2]string // what waits: one and many
	Deadline uint64    // in slots
	Late     int       // that have missed it
	Lost     int       // of these, that have not come at all
	Most     uint64    // slots after which the last of the others came, 0 for none
	Never    string    // what is said of these: never came
	Since    string    // from when slots are counted
	Packets  bool      // of the workload: the subject of each violation is who has not received it, and from whom
	Worst    *LatestPath
}

// LatestPath is the packet that came last, and what its sender did in the slots before it crossed; nothing is known of one
// that came by way of others.
type LatestPath struct {
	From, To     int
	Known        bool
	Idle         uint64 // slots in which the sender sent nothing, and nothing of it waited
	Others       uint64 // in which it sent other frames
	WaitedOthers uint64 // in which another frame of it waited for its medium
	Waited       uint64 // in which this one did
	First        uint64 // the slot in which the sender's first frame crossed...
	Crossed      uint64 // ...and this one, which...
	Cycle        uint64 // ...was sent from this cycle on...
	Came         uint64 // ...and had come with this one
	Did          []Did  // slot by slot, up to that one
}

// MarkerCame is what waveforms call the cycle from which on the latest packet was sent.
const MarkerCame = "packet_sent"

// Did is what a processor did in some slots, one after the other.
type Did struct {
	From, To uint64 // the first and the last
	What     Doing
	With     []int // whose frames it heard, or whom it sent to or waited to send to: a processor for each slot, -1 for anybody
}

// Doing is what a processor does in a slot.
type Doing uint8

// What a processor does.
const (
	DidNothing Doing = iota // that is seen from outside
	DidHear                 // a frame
	DidWait                 // to send one
	DidSend                 // one
)

// Span names the slots.
func (d *Did) Span() string { return texts.Say("span", d) }

// Waits is the number of slots in which a frame of the sender waited.
func (p *LatestPath) Waits() uint64 { return p.WaitedOthers + p.Waited }

// Cause says what made the packet late: its firmware alone would have, or the wait for media has; "" if that is not known.
func (l *Lateness) Cause() string {
	if l.Worst == nil {
		return ""
	}
	return texts.Say("why late", l)
}

// Text identifies the packet, and says where its slots went.
func (p *LatestPath) Text() string { return texts.Say("latest", p) }

// didNamed is up to how many spans of slots a text lists; more are counted.
const didNamed = 6

// Before are the spans of slots before the packet crossed, nil of more than a text lists.
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

// From is the processor that has sent what a violation is about, -1 if that is not known.
func (l *Lateness) From(v *Violation) int {
	if l != nil && l.Packets && v.Rule == fabric.RuleDeadline {
		return int(v.Subject.Value)
	}
	return -1
}

// Text says how many were late, how late at worst, and what deadline they would have met.
func (l *Lateness) Text() string { return texts.Say("late", l) }

// Meets is the smallest deadline that all would have met, 0 if none is known.
func (l *Lateness) Meets() uint64 {
	if l == nil || l.Lost > 0 {
		return 0
	}
	return l.Most
}

// Of is where violations have the packet that came last, -1 if that is not known.
func (l *Lateness) Of(violations []Violation) int {
	if l == nil || l.Worst == nil {
		return -1
	}
	return slices.IndexFunc(violations, func(v Violation) bool { return l.From(&v) == l.Worst.From && v.Subject.Index == l.Worst.To })
}

// Remedy is a step that may mend a run.
type Remedy struct {
	Step
	Rule    string // the only one that it is about, "" if it may mend all
	Tried   bool   // by the page itself, to show the cause
	Instead bool   // of the advice that a broken rule has anyway
	Later   bool   // after that advice
}
