package outcome

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"starloom/fabric"
	"starloom/traces"
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
func (d *Did) Span() string {
	switch {
	case d.From == d.To:
		return fmt.Sprintf("slot %d", d.From)
	case d.From+1 == d.To:
		return fmt.Sprintf("slots %d and %d", d.From, d.To)
	}
	return fmt.Sprintf("slots %d to %d", d.From, d.To)
}

// waits are the slots in which a frame of the sender waited.
func (p *LatestPath) waits() uint64 { return p.WaitedOthers + p.Waited }

// Cause says what made the packet late: its firmware alone would have, or the wait for media has; "" if that is not known.
func (l *Lateness) Cause() string {
	p := l.Worst
	if p == nil {
		return ""
	}
	text := p.Text() + "."
	switch early := l.Most - min(p.waits(), l.Most); {
	case !p.Known:
	case p.waits() == 0:
		text += " No frame of it had to wait for its medium: the slots went into what its program does before."
	case early > l.Deadline:
		text += " It would have been late without that wait, too: the other slots went into what its program does before."
	default:
		text += " Without that wait it would have been in time: others had its medium."
	}
	return text
}

// Text identifies the packet, and says where its slots went.
func (p *LatestPath) Text() string {
	text := fmt.Sprintf("The latest is that of processor %d for processor %d", p.From, p.To)
	if !p.Known {
		return text
	}
	text += fmt.Sprintf(": it crossed in slot %d, the first being 0. In the %s before, processor %d", p.Crossed, traces.Plural(p.Crossed, "slot", "slots"), p.From)
	parts := p.parts()
	if len(parts) > 1 {
		parts[len(parts)-1] = "and " + parts[len(parts)-1]
	}
	separator := ", "
	if len(parts) == 2 {
		separator = " "
	}
	text += " " + strings.Join(parts, separator)
	if p.First < p.Crossed {
		text += fmt.Sprintf("; its first frame crossed in slot %d", p.First)
	}
	return text
}

// didNamed is up to how many spans of slots a text lists; more are counted.
const didNamed = 6

// parts say in which slots, or in how many, the sender did what.
func (p *LatestPath) parts() (parts []string) {
	if before := p.before(); len(before) > 0 && len(before) <= didNamed {
		for i := range before {
			parts = append(parts, p.did(&before[i])+" in "+before[i].Span())
		}
		return parts
	}
	for _, part := range []struct {
		slots uint64
		what  string
	}{{p.Idle, "sent nothing in"}, {p.Others, "sent frames to other processors in"},
		{p.WaitedOthers, "waited to send one of these in"}, {p.Waited, "waited to send this one, as the output of its destination was taken, in"}} {
		if part.slots > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", part.what, part.slots))
		}
	}
	return parts
}

func (p *LatestPath) before() []Did {
	if n := len(p.Did); n > 0 {
		return p.Did[:n-1]
	}
	return nil
}

func (p *LatestPath) did(d *Did) string {
	switch d.What {
	case DidHear:
		return "heard frames"
	case DidWait:
		if slices.Equal(d.With, slices.Repeat([]int{p.To}, len(d.With))) {
			return "waited to send this one, as the output of its destination was taken,"
		}
		return "waited to send another one, as the output of its destination was taken,"
	case DidSend:
		return "sent frames to other processors"
	}
	return "neither sent nor heard a frame"
}

// From is the processor that has sent what a violation is about, -1 if that is not known.
func (l *Lateness) From(v *Violation) int {
	if l != nil && l.Packets && v.Rule == fabric.RuleDeadline {
		return int(v.Subject.Value)
	}
	return -1
}

// Text says how many were late, how late at worst, and what deadline they would have met.
func (l *Lateness) Text() string {
	text := fmt.Sprintf("%s missed the deadline of %s", traces.Plural(uint64(l.Late), l.What[0], l.What[1]), traces.Plural(l.Deadline, "slot", "slots"))
	with, came := ": ", l.Late-l.Lost
	if came > 0 {
		all := "all"
		if l.Lost > 0 {
			all = strconv.Itoa(came)
		}
		text += fmt.Sprintf(": %s came late, the last after %s, %d late", all, traces.Plural(l.Most, "slot", "slots"), l.Most-l.Deadline)
		with = "; "
	}
	if l.Lost > 0 {
		text += fmt.Sprintf("%s%d %s", with, l.Lost, l.Never)
	}
	switch {
	case came > 0 && l.Lost > 0:
		text += fmt.Sprintf(". The smallest deadline that those meet which came is %d", l.Most)
	case came > 0:
		text += fmt.Sprintf(". The smallest deadline that all meet is %d", l.Most)
	}
	if l.Since != "" {
		text += ". Slots are counted " + l.Since
	}
	return text + "."
}

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

// Remedy is something that may mend a run.
type Remedy struct {
	When    string // the condition on which it is to be done, "" for none
	Text    string // why
	Command string
	Expect  string // of the command
	Rule    string // the only one that it is about, "" if it may mend all
	Tried   bool   // by the page itself, to show the cause
	Instead bool   // of the advice that a broken rule has anyway
	Later   bool   // after that advice
}
