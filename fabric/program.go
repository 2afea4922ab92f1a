package fabric

import (
	"fmt"
	"slices"
	"strings"

	"starloom/firmware"
	"starloom/nic"
)

// Program describes a built-in program, without its image, for a network of one size.
type Program struct {
	Name         string
	SlotsPerStep int          // slots per step of the algorithm
	Rules        Rules        // the program's rules, unless the scenario sets rules
	Workloads    []string     // supported keys under workload:; nil if none
	Schedule     string       // name of its schedule, "" for none
	Note         string       // note for the user, "" for none
	Instead      string       // program to use instead, "" for none
	NoteOnce     string       // replaces Note for gossip in one session
	Needs        Needs        // defaults of scenario keys
	Params       []Choice     // parameters with few values
	Least        func() Least // minimum number of slots of the workload; nil if unknown
	Carries      *Carries     // supported traffic; nil if none
	Native       *firmware.NativeProgram
	// Retransmits means that the program sends lost frames again. The rule no_loss then ignores frames that a fault
	// has destroyed.
	Retransmits bool
}

// ReplacedNote is the beginning of the note that Replaced returns.
const ReplacedNote = "the scenario's rules replace those of "

// Replaced returns a note if the rules of a scenario leave rules of the program unchecked; otherwise it returns "".
// The rules of a scenario replace all rules of the program. own may be nil.
func (p *Program) Replaced(own *Rules) string {
	if own == nil {
		return ""
	}
	left := p.Unchecked(own)
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprintf(ReplacedNote+"%s; not checked: %s", p.Name, strings.Join(left, ", "))
}

// Unchecked returns the rules of the program that are not checked with own.
func (p *Program) Unchecked(own *Rules) []string {
	checked := own.Checked()
	return slices.DeleteFunc(p.Rules.Checked(), func(rule string) bool { return slices.Contains(checked, rule) })
}

// Needs holds the scenario values of a program, unless the file sets them. 0 selects the usual default.
type Needs struct {
	nic.Sizes         // keys of nic
	PayloadMin int    // minimum nic.payload_bytes for the program's frames; PayloadBytes if that is larger
	Slots      uint32 // stop.slots, per session of gossip
}

// Least holds lower bounds in slots for the time until all packets of a workload have arrived.
type Least struct {
	Slots uint32 // bound for this program with any orders and delays; 0 if unknown
	Any   uint32 // bound for any firmware on this network; 0 if unknown
	Why   string // reason for Slots in complete sentences, without the final full stop
	Sum   string // calculation of Slots, without the final full stop; "" if Why contains it
	How   string // how firmware achieves Any, without the final full stop; "" if unknown
}

// Needed returns the bounds of a program, zero if the bounds are unknown or p is nil.
func (p *Program) Needed() (least Least) {
	if p != nil && p.Least != nil {
		least = p.Least()
	}
	return least
}

// Choice is a parameter with an enumerated set of values.
type Choice struct {
	Name      string
	Values    []int64 // nil for the range Low to High
	Low, High int64
	Mean      []string // meaning of each value, as a short phrase
}

// Allows reports whether a value is allowed.
func (c *Choice) Allows(value int64) bool {
	if c.Values == nil {
		return c.Low <= value && value <= c.High
	}
	return slices.Contains(c.Values, value)
}

// Allowed returns the allowed values as text.
func (c *Choice) Allowed() string {
	if c.Values == nil {
		return fmt.Sprintf("%d to %d", c.Low, c.High)
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Values), " ", ", "), "[]")
}

// Carries describes the traffic that a program supports.
type Carries struct {
	// Direct means that a frame reaches its destination in the slot in which it is sent, or is lost.
	Direct bool
	Closed bool // the program acknowledges packets; its parameter `closed` limits the packets in flight
	// Reaches returns the reason why packets of a source cannot reach a destination, "" if they can; nil if all
	// packets can reach their destinations. Anywhere returns the reason why some source cannot reach some
	// destination.
	Reaches  func(source, destination int) (why string)
	Anywhere func() (why string)
}

// Schedule is a plan of all processors for all slots of an algorithm with known routes. Each processor has its part
// of the plan as a read-only table; the network defines the words of this table.
type Schedule interface {
	// Slots returns the length of the algorithm in slots.
	Slots() int
	// Words sets one word of dst per processor for a slot from 0 to Slots(); at slot Slots() the schedule has ended.
	// Calls for one schedule must not be concurrent, because Words may cache a plan.
	Words(slot int, dst []uint64)
}

// Sparse is a Schedule whose words rarely change from slot to slot.
type Sparse interface {
	Schedule
	// Changes yields the processors whose word differs from the word of the previous slot; before slot 0 all words
	// are 0. Words writes only these words.
	Changes(slot int, yield func(processor int, word uint64))
}

// ROM holds constant tables, which are written into the memory of firmware before a run. The network defines their
// words.
type ROM interface {
	// Words returns the number of words per processor, and of the whole machine.
	Words() (processor, machine int)
	// Processor sets the words of a processor for a run with a seed, and Machine the words of the machine.
	Processor(processor int, seed uint64, dst []uint32)
	Machine(seed uint64, dst []uint32)
}
