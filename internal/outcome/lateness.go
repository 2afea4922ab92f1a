package outcome

import (
	"fmt"
	"strconv"

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
	Latest   string    // which one that is, "" if that is not known
	Since    string    // from when slots are counted
	List     []LatePacket
}

// LatePacket is a packet that has missed its deadline: who has sent it, and its violation, by path and message.
type LatePacket struct {
	Path, Message string
	From          int
}

// From is the processor that has sent what a violation is about, -1 if that is not known.
func (l *Lateness) From(v *Violation) int {
	if l != nil {
		for i := range l.List {
			if l.List[i].Path == v.Path && l.List[i].Message == v.Message {
				return l.List[i].From
			}
		}
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
	if l.Latest != "" && came > 0 {
		text += ". The latest is that of " + l.Latest
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

// Remedy is something that may mend a run: why, and the command line.
type Remedy struct{ Text, Command string }
