package fabric

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"starloom/firmware/wasm"
	"starloom/nic"
)

// Finding is an event that may break a rule. Index is the number of a medium for FindCollision, FindLate, FindCrowded
// and FindLost, otherwise the number of a processor. For FindCollision, Value is the cycle within the slot.
type Finding struct {
	Kind  FindingKind
	Slot  uint32
	Index int
	Value uint32
	Cycle uint64    // 0 if the slot determines it
	Text  string    // text of the message, for kinds with a variable text
	Waits []Waiting // for FindDeadlock: the waiting packets

	// Write, unless nil, writes Text for a reported finding. Of millions of findings, about a hundred are reported.
	Write func(f *Finding) string

	Backtrace []wasm.Frame // for FindTrap and FindFail: the call stack
}

// Waiting is a packet or frame that waits for another packet or frame.
type Waiting struct {
	Who   string `json:"who"`
	Holds string `json:"holds"`     // where the packet is: a virtual channel between routers, or the TX FIFO of a NIC
	Path  string `json:"path"`      // path of that channel, or of the channel out of the NIC
	For   string `json:"waits_for"` // what the next one holds
	NIC   bool   `json:"-"`         // it is in a NIC
}

func (w Waiting) String() string {
	return fmt.Sprintf("%s is in %s and waits for %s", w.Who, w.Holds, w.For)
}

// Compare orders findings of one kind and slot: collisions by time, other findings by place.
func (f *Finding) Compare(other *Finding) int {
	if f.Kind == FindCollision {
		return cmp.Or(cmp.Compare(f.Value, other.Value), cmp.Compare(f.Index, other.Index))
	}
	return cmp.Or(cmp.Compare(f.Index, other.Index), cmp.Compare(f.Value, other.Value))
}

// Plain reports whether the finding has no text of its own.
func (f *Finding) Plain() bool { return f.Text == "" && f.Write == nil }

// FindingKind is the kind of a finding. Reports use this order.
type FindingKind uint8

const (
	FindCollision   FindingKind = iota // frames collided on a medium in a slot that must be collision-free
	FindLate                           // light at the far end of a link in the last cycle of a slot
	FindIllegalHear                    // firmware listens to a port that does not exist; Text describes the port
	FindIllegalSend                    // the NIC refuses a frame of firmware; Text gives the reason
	// a processor with one switch sends to one port and listens to another; Text names both
	FindTwoBuses
	FindCrowded      // too many processors are switched to a medium; Text gives the limit
	FindMisrouted    // a packet arrived at a wrong processor; Value is its origin; Text for an announced packet
	FindDuplicate    // a packet arrived again; Value is its origin; Text for an announced packet
	FindUnbacked     // firmware announced a packet without a frame; Value is the packet's origin
	FindCreated      // a frame has an item that its sender cannot know; Value is the item's origin
	FindUnsent       // a queued frame was lost before it was sent; Text gives the cause
	FindLost         // a frame was lost on a medium; Value is its sender; Text gives the cause
	FindUnheard      // a frame was lost at its sender or receiver; Text gives the cause
	FindOverdue      // a deadline was missed; Text describes the delay
	FindHeld         // a processor holds Value packets, more than the maximum; Text if frames show the number
	FindTrap         // the handler trapped: Text gives the place
	FindFail         // the handler called sl_fail, or an assertion failed; Text gives the place
	FindUnfinished   // the run ended before the processor was done; Text describes the processor's state
	FindShort        // the run ended before all packets of its workload were offered; Text gives the progress
	FindUnended      // the run did not end in time; Text gives its progress
	FindResult       // a result of firmware is wrong; Text describes the error
	FindPending      // measured packets have not arrived; Text gives their number
	FindMissing      // a packet has not arrived at the end; Value is its origin; Text if the packet is not in flight
	FindStep         // a message arrived in a wrong step; Text names the step
	FindDisagreement // voters decided differently; Text describes the decisions
	FindInvalid      // a voter decided for a value that no correct module has; Text gives the value
	FindOverrun      // a handler exceeded its compute window; Text gives the excess
	FindSlow         // a frame took too long; Text describes the delay
	FindOvertaken    // a frame arrived after a frame that was queued later; Text names the later frame
	FindCredit       // credits of a channel between routers are missing; Text gives their number
	FindStanding     // the run ended with blocked packets in routers; Text gives their places
	FindDeadlock     // frames in routers wait for each other forever; Text names these frames
	FindEnergy       // an update raised the energy; Text gives the time
	FindNever        // the condition of rule Index of Rules.States was true; Text gives values
	FindAfter        // a condition was not followed by the required condition; Text gives values
	findingKinds
)

// moment is the cycle of a slot to which a finding belongs.
type moment uint8

const (
	atStart    moment = iota
	atValue           // cycle Value of the slot
	atLastPhit        // when a frame is complete; for an announced packet, at the start
	atArrival         // when a frame is complete
	atBoundary        // the last guard cycle
)

// findings describes all kinds: the broken rule, the place and time of the finding, and the message. If the finding
// belongs to a processor, the message follows "processor N". The message is the field text, or the field before and
// then the finding's Text.
var findings = [findingKinds]struct {
	rule   string
	path   func(n Names, index int) string
	medium bool // Index is a medium
	when   moment
	text   func(f *Finding, c *Circumstances) string
	before string
}{
	FindCollision: {rule: RuleCollisionFree, path: Names.Medium, medium: true, when: atValue,
		text: func(f *Finding, c *Circumstances) string {
			one, _ := c.Names.MediumNoun()
			period := c.Rules.CollisionFree.Period
			if period == 1 {
				return fmt.Sprintf("frames collided on a %s; no slot may have a collision", one)
			}
			return fmt.Sprintf("frames met on a %s in the %s of the %d slots of a step, which must be free of collisions", one,
				ordinal(int(f.Slot)%period+1), period)
		}},
	FindLate: {rule: RuleLateLight, path: Names.Link, medium: true, when: atBoundary,
		text: func(f *Finding, _ *Circumstances) string {
			return fmt.Sprintf("light came in the last guard cycle of slot %d, which belongs to no slot: upstream RTL is "+
				"late, or drives light permanently;"+
				" RTL that is k cycles later than its model may need guard_cycles of k+1", f.Slot)
		}},
	FindIllegalHear: {rule: RuleIllegalListen, path: Names.Processor, before: ": "},
	FindIllegalSend: {rule: RuleIllegalSend, path: Names.Processor, before: ": "},
	FindTwoBuses:    {rule: RuleOneBus, path: Names.Processor, before: " "},
	FindCrowded: {rule: RuleBusLength, path: Names.Medium, medium: true,
		text: func(f *Finding, _ *Circumstances) string { return f.Text }},
	FindMisrouted: {rule: RuleExactlyOnce, path: Names.Processor, when: atLastPhit, before: " ",
		text: func(f *Finding, _ *Circumstances) string {
			return fmt.Sprintf("received a packet of origin %d that is not for it", f.Value)
		}},
	FindDuplicate: {rule: RuleExactlyOnce, path: Names.Processor, when: atLastPhit, before: " ",
		text: func(f *Finding, _ *Circumstances) string {
			return fmt.Sprintf("received the packet of processor %d again", f.Value)
		}},
	FindUnbacked: {rule: RuleExactlyOnce, path: Names.Processor, text: func(f *Finding, _ *Circumstances) string {
		return fmt.Sprintf("announced the packet of processor %d, but had received no frame with it", f.Value)
	}},
	FindCreated: {rule: RuleNoCreation, path: Names.Processor, when: atLastPhit,
		text: func(f *Finding, _ *Circumstances) string {
			return fmt.Sprintf("sent the item of processor %d, but had received no frame with it", f.Value)
		}},
	FindUnsent: {rule: RuleNoLoss, path: Names.Processor, before: " "},
	FindLost: {rule: RuleNoLoss, path: Names.Medium, medium: true, when: atArrival,
		text: func(f *Finding, _ *Circumstances) string { return f.Text }},
	FindUnheard: {rule: RuleNoLoss, path: Names.Processor, when: atArrival, before: " "},
	FindOverdue: {rule: RuleDeadline, path: Names.Processor, when: atBoundary, before: " "},
	FindHeld: {rule: RuleHeld, path: Names.Processor, before: ": ", text: func(f *Finding, c *Circumstances) string {
		return fmt.Sprintf("holds %d packets, at most %d are allowed", f.Value, c.Rules.PacketsPerProcessorMax)
	}},
	FindTrap:       {rule: RuleTrap, path: Names.Processor, before: ": "},
	FindFail:       {rule: RuleFail, path: Names.Processor, before: ": "},
	FindUnfinished: {rule: RuleFinishes, path: Names.Processor, before: " "},
	FindShort: {rule: RuleFinishes, path: func(n Names, _ int) string { return whole(n) }, medium: true,
		text: func(f *Finding, _ *Circumstances) string {
			return "all processors " + f.Text
		}},
	FindUnended: {rule: RuleFinishBy, path: func(n Names, _ int) string { return whole(n) }, medium: true,
		text: func(f *Finding, _ *Circumstances) string {
			return f.Text
		}},
	FindResult: {rule: RuleResults, path: Names.Processor, before: " "},
	FindPending: {rule: RuleFinishes, path: func(n Names, _ int) string { return whole(n) }, medium: true,
		text: func(f *Finding, _ *Circumstances) string {
			return f.Text
		}},
	FindMissing: {rule: RuleExactlyOnce, path: Names.Processor, before: " ",
		text: func(f *Finding, _ *Circumstances) string {
			if int(f.Value) == f.Index {
				return "lost its packet for itself, which is routed like all others"
			}
			return fmt.Sprintf("never received the packet of processor %d", f.Value)
		}},
	FindStep:         {rule: RuleReceiveStep, path: Names.Processor, when: atArrival, before: " "},
	FindDisagreement: {rule: RuleAgreement, path: Names.Processor, before: " "},
	FindInvalid:      {rule: RuleValidity, path: Names.Processor, before: " "},
	FindOverrun:      {rule: RuleMeetsBudget, path: Names.Processor, before: " "},
	FindSlow:         {rule: RuleLatency, path: Names.Processor, before: ": "},
	FindOvertaken:    {rule: RuleInOrder, path: Names.Processor, before: ": "},
	FindCredit: {rule: RuleCredits, path: Names.Medium, medium: true,
		text: func(f *Finding, _ *Circumstances) string { return f.Text }},
	FindStanding: {rule: RuleFinishes, path: func(n Names, _ int) string { return whole(n) }, medium: true,
		text: func(f *Finding, _ *Circumstances) string {
			return f.Text
		}},
	FindDeadlock: {rule: RuleDeadlock, path: Names.Medium, medium: true, text: func(f *Finding, _ *Circumstances) string {
		return f.Text
	}},
	FindEnergy: {rule: RuleEnergy, path: Names.Processor, before: " "},
	FindNever: {rule: RuleNever, path: func(n Names, _ int) string { return whole(n) }, medium: true,
		text: func(f *Finding, _ *Circumstances) string { return f.Text }},
	FindAfter: {rule: RuleAfter, path: func(n Names, _ int) string { return whole(n) }, medium: true,
		text: func(f *Finding, _ *Circumstances) string { return f.Text }},
}

// ordinal returns n as an ordinal number.
func ordinal(n int) string {
	ending := "th"
	if n%100 < 11 || n%100 > 13 {
		ending = [...]string{"th", "st", "nd", "rd", "th", "th", "th", "th", "th", "th"}[n%10]
	}
	return strconv.Itoa(n) + ending
}

func whole(n Names) string {
	path, _, _ := strings.Cut(n.Processor(0), ".")
	return path
}

// Rule returns the name of the rule that the kind breaks.
func (k FindingKind) Rule() string { return findings[k].rule }

// Circumstances is the data for messages of findings.
type Circumstances struct {
	Names  Names
	Timing nic.Timing
	Rules  *Rules
}

// Describe returns the cycle, path and message of a finding.
func (c *Circumstances) Describe(f *Finding) (cycle uint64, path, message string) {
	k := &findings[f.Kind]
	if f.Write != nil {
		f.Text, f.Write = f.Write(f), nil
	}
	switch {
	case f.Cycle > 0:
		cycle = f.Cycle
	case k.when == atValue:
		cycle = c.Timing.SlotCycle(f.Slot) + uint64(f.Value)
	case k.when == atBoundary:
		cycle = c.Timing.BoundaryCycle(f.Slot)
	case k.when == atLastPhit && f.Text == "", k.when == atArrival:
		cycle = c.Timing.LastPhitCycle(f.Slot)
	default:
		cycle = c.Timing.SlotCycle(f.Slot)
	}
	switch {
	case k.medium:
		message = k.text(f, c)
	case f.Text != "":
		message = fmt.Sprintf("processor %d%s%s", f.Index, k.before, f.Text)
	default:
		message = fmt.Sprintf("processor %d %s", f.Index, k.text(f, c))
	}
	return cycle, k.path(c.Names, f.Index), message
}

const findingsMax = 100

// Found holds the findings of a shard: their total number in a run, and the findings of the current slot.
type Found struct {
	FindingsTotal uint64
	Findings      []Finding
	kinds         [findingKinds]int
}

func (w *Found) beginSlot() {
	w.Findings = w.Findings[:0]
	w.kinds = [findingKinds]int{}
}

// Find records a finding. If a slot has more than findingsMax findings of a kind, Find keeps the first in the order
// of Compare. The order of calls does not matter.
func (w *Found) Find(f Finding) {
	w.FindingsTotal++
	if w.kinds[f.Kind]++; w.kinds[f.Kind] <= findingsMax {
		w.Findings = append(w.Findings, f)
		return
	}
	highest := -1
	for i := range w.Findings {
		if w.Findings[i].Kind == f.Kind && (highest < 0 || w.Findings[highest].Compare(&w.Findings[i]) < 0) {
			highest = i
		}
	}
	if f.Compare(&w.Findings[highest]) < 0 {
		w.Findings[highest] = f
	}
}
