package fabric

import (
	"fmt"
	"slices"
	"strings"

	"starloom/firmware"
)

// Program is what is known of a built-in program beside its image, on a network of this
// size.
type Program struct {
	Name         string
	SlotsPerStep int          // of the algorithm
	Rules        Rules        // that it must keep, unless the scenario has its own
	Workloads    []string     // keys under workload: that it can carry; nil if it takes none
	Schedule     string       // that it takes, "" for none
	Note         string       // what a user must know of it here, "" for nothing
	Instead      string       // the program that is right here if this one is not, "" for none
	NoteOnce     string       // the same of gossip in one session
	Needs        Needs        // what it sets where the scenario does not
	Params       []Choice     // parameters that have few values
	Least        func() Least // how many slots its workload needs at least; nil if that is not known
	Carries      *Carries     // of traffic; nil if it carries none
	Native       *firmware.NativeProgram
}

// ReplacedNote is how the note of Replaced begins.
const ReplacedNote = "the scenario's rules replace those of "

// Replaced is the note that a scenario's own rules, nil for none, leave some of the program's unchecked:
// they replace all of them. "" if they check them all.
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

// Unchecked are the rules of the program that others leave out.
func (p *Program) Unchecked(own *Rules) []string {
	checked := own.Checked()
	return slices.DeleteFunc(p.Rules.Checked(), func(rule string) bool { return slices.Contains(checked, rule) })
}

// Needs are values of a scenario that a program needs, unless the file gives others: 0 for the
// usual default.
type Needs struct {
	RxFrames     int    // nic.rx_frames
	TxFrames     int    // nic.tx_frames
	PayloadBytes int    // nic.payload_bytes
	PayloadMin   int    // the smallest nic.payload_bytes that its frames fit in; PayloadBytes if that is more
	Slots        uint32 // stop.slots, of gossip in each session
}

// Least is how many slots it takes at least until all that a workload sends has arrived, as far as that is known.
type Least struct {
	Slots uint32 // of this program, whatever its orders, and whoever waits for whom; 0 if that is not known
	Any   uint32 // of any firmware on this network; 0 if that is not known
	Why   string // what keeps the program from less, in sentences without the last full stop
	Sum   string // the sum that shows it, likewise; "" if Why has it
	How   string // how firmware comes to Any, likewise; "" if that is not known
}

// Needed is Least of a program, nil for none.
func (p *Program) Needed() (least Least) {
	if p != nil && p.Least != nil {
		least = p.Least()
	}
	return least
}

// Choice is a parameter that has only these values.
type Choice struct {
	Name      string
	Values    []int64 // nil: a range
	Low, High int64
	Mean      []string // what each of the values means, in a few words
}

// Allows reports whether a value is one of them.
func (c *Choice) Allows(value int64) bool {
	if c.Values == nil {
		return c.Low <= value && value <= c.High
	}
	return slices.Contains(c.Values, value)
}

// Allowed says which they are.
func (c *Choice) Allowed() string {
	if c.Values == nil {
		return fmt.Sprintf("%d to %d", c.Low, c.High)
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Values), " ", ", "), "[]")
}

// Carries is what of traffic a program can carry.
type Carries struct {
	// Direct: a frame goes from the source of its packet to the destination in the slot in which it is sent; one
	// that has not arrived then is lost.
	Direct bool
	Closed bool // it acknowledges packets: its parameter `closed` says how many may be on their way
	// Reaches says why packets of a source cannot go to a destination, "" if they can; nil: all can. Anywhere says why
	// not all can go to all, but for their own source.
	Reaches  func(source, destination int) (why string)
	Anywhere func() (why string)
}

// Schedule is what all processors do in all slots of an algorithm whose routes are known
// before it starts. A processor has it as a read-only table; the meaning of a word is
// the network's.
type Schedule interface {
	// Slots returns how many slots the algorithm takes.
	Slots() int
	// Words fills dst, one word per processor, with what to do in a slot, from 0 to
	// Slots() at which the schedule is over. It may keep a stage's plan for the next
	// call, so calls for one schedule must not run in parallel.
	Words(slot int, dst []uint64)
}

// Sparse is a Schedule of which few words change from slot to slot.
type Sparse interface {
	Schedule
	// Changes yields the processors whose word in a slot is another one than in the slot
	// before; before slot 0 all words are 0. Words fills in the same, and leaves the others alone.
	Changes(slot int, yield func(processor int, word uint64))
}

// ROM are tables that do not change while a run goes on; what their words mean is the
// network's. They are written before a run, into the memory of firmware that takes them.
type ROM interface {
	// Words returns how many words each processor has, and how many the machine has for
	// all of them.
	Words() (processor, machine int)
	// Processor fills in the words of one processor, Machine those of the machine, for a
	// run with a seed.
	Processor(processor int, seed uint64, dst []uint32)
	Machine(seed uint64, dst []uint32)
}
