package fabric

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"starloom/firmware/wasm"
	"starloom/nic"
)

// Finding is something a rule may object to. Index is a medium for FindCollision, of
// which Value is the cycle in its slot, for FindLate, FindCrowded and FindLost, and a processor otherwise.
type Finding struct {
	Kind  FindingKind
	Slot  uint32
	Index int
	Value uint32
	Cycle uint64    // 0 if the slot tells it
	Text  string    // what the message says, for the kinds that leave it open
	Waits []Waiting // FindDeadlock: who waits for whom

	// Write writes Text of a finding that is kept, if it is not nil: of millions, a hundred are.
	Write func(f *Finding) string

	Backtrace []wasm.Frame // FindTrap, FindFail: what firmware was doing
}

// Waiting is a packet, or a frame, that waits for another one.
type Waiting struct {
	Who   string `json:"who"`
	Holds string `json:"holds"`     // where it is: a virtual channel between routers, or the TX FIFO of a NIC
	Path  string `json:"path"`      // of that channel, or of the one out of the NIC
	For   string `json:"waits_for"` // what the next one holds
	NIC   bool   `json:"-"`         // it is in a NIC
}

func (w Waiting) String() string {
	return fmt.Sprintf("%s is in %s and waits for %s", w.Who, w.Holds, w.For)
}

// Compare orders the findings of one kind and slot: collisions as they come, all others by their place.
func (f *Finding) Compare(o *Finding) int {
	if f.Kind == FindCollision {
		return cmp.Or(cmp.Compare(f.Value, o.Value), cmp.Compare(f.Index, o.Index))
	}
	return cmp.Or(cmp.Compare(f.Index, o.Index), cmp.Compare(f.Value, o.Value))
}

// Plain reports whether the kind says all: the finding has no words of its own.
func (f *Finding) Plain() bool { return f.Text == "" && f.Write == nil }

// FindingKind says what was found. The order is the order in the report.
type FindingKind uint8

// The kinds of findings.
const (
	FindCollision    FindingKind = iota // frames met on a medium in a slot that must be free of that
	FindLate                            // light at the far end of a medium's link in the last cycle of a slot
	FindIllegalHear                     // firmware listens where there is no port: Text says how
	FindIllegalSend                     // firmware sends what the NIC refuses: Text says how
	FindTwoBuses                        // a processor sends to one port and listens to another, and has one switch: Text says which
	FindCrowded                         // too many processors are switched to a medium: Text says how many may be
	FindMisrouted                       // a packet arrived where it does not belong; Value is its origin, Text for an announced one
	FindDuplicate                       // a packet arrived again; Value is its origin, Text for an announced one
	FindUnbacked                        // firmware announces a packet that no frame has brought; Value is its origin
	FindCreated                         // a frame has an item that its sender does not know; Value is its origin
	FindUnsent                          // a frame that firmware has queued is lost before it is sent: Text says how
	FindLost                            // a frame is lost on a medium, Value is its sender: Text says how
	FindUnheard                         // a frame is lost at a processor, sender or receiver: Text says how
	FindOverdue                         // something has missed its deadline: Text says what
	FindHeld                            // a processor holds Value packets, more than the rule allows; Text if frames show it
	FindTrap                            // the handler trapped: Text says where
	FindFail                            // the handler called sl_fail, or an assertion of it failed: Text says where
	FindUnfinished                      // the run ended before the processor was done: Text says how
	FindShort                           // the run ended before its workload was offered: Text says how
	FindUnended                         // the run was not over when it must be: Text says how far it was
	FindResult                          // a result of firmware is not what it must be: Text says which
	FindPending                         // measured packets have not arrived: Text says how many
	FindMissing                         // at the end: no packet has arrived; Value is its origin; Text for one that is no packet on its way
	FindStep                            // a message came in another step than it should: Text says which
	FindDisagreement                    // voters have not decided alike: Text says which
	FindInvalid                         // a voter has decided for what no correct module holds: Text says for what
	FindOverrun                         // a handler took longer than its compute window: Text says by how much
	FindSlow                            // a frame took too long: Text says how
	FindOvertaken                       // a frame came after one that was queued after it: Text says which
	FindCredit                          // credits of a channel between routers are missing: Text says which
	FindStanding                        // the run ended with packets that stand in routers: Text says where
	FindDeadlock                        // frames in routers wait for one another for ever: Text says which
	FindEnergy                          // an update has raised the energy: Text says when
	findingKinds
)

// moment is the cycle of a slot in which a finding shows.
type moment uint8

const (
	atStart    moment = iota
	atValue           // cycle Value of the slot
	atLastPhit        // when a frame is complete; an announced packet: at the start
	atArrival         // when a frame is complete
	atBoundary        // the last guard cycle
)

// findings are all kinds: the rule that each breaks, where and when it shows, and what is
// said of it, after "processor N" if it is one's: text, or the finding's own Text with what
// stands before it.
var findings = [findingKinds]struct {
	rule   string
	path   func(n Names, index int) string
	medium bool // Index is a medium
	when   moment
	text   func(f *Finding, c *Circumstances) string
	before string
}{
	FindCollision: {rule: RuleCollisionFree, path: Names.Medium, medium: true, when: atValue, text: func(f *Finding, c *Circumstances) string {
		one, _ := c.Names.MediumNoun()
		period := c.Rules.CollisionFree.Period
		if period == 1 {
			return fmt.Sprintf("frames met on a %s; no slot may have a collision", one)
		}
		return fmt.Sprintf("frames met on a %s in the %s of the %d slots of a step, which must be free of collisions", one, ordinal(int(f.Slot)%period+1), period)
	}},
	FindLate: {rule: RuleLateLight, path: Names.Link, medium: true, when: atBoundary, text: func(f *Finding, _ *Circumstances) string {
		return fmt.Sprintf("light came in the last guard cycle of slot %d, which counts for no slot: RTL before it is late, or shines all the time;"+
			" RTL that is k cycles later than its model may need guard_cycles of k+1", f.Slot)
	}},
	FindIllegalHear: {rule: RuleIllegalListen, path: Names.Processor, before: ": "},
	FindIllegalSend: {rule: RuleIllegalSend, path: Names.Processor, before: ": "},
	FindTwoBuses:    {rule: RuleOneBus, path: Names.Processor, before: " "},
	FindCrowded:     {rule: RuleBusLength, path: Names.Medium, medium: true, text: func(f *Finding, _ *Circumstances) string { return f.Text }},
	FindMisrouted: {rule: RuleExactlyOnce, path: Names.Processor, when: atLastPhit, before: " ", text: func(f *Finding, _ *Circumstances) string {
		return fmt.Sprintf("received a packet of origin %d that is not for it", f.Value)
	}},
	FindDuplicate: {rule: RuleExactlyOnce, path: Names.Processor, when: atLastPhit, before: " ", text: func(f *Finding, _ *Circumstances) string {
		return fmt.Sprintf("received the packet of processor %d again", f.Value)
	}},
	FindUnbacked: {rule: RuleExactlyOnce, path: Names.Processor, text: func(f *Finding, _ *Circumstances) string {
		return fmt.Sprintf("announced the packet of processor %d, which no frame had brought to it", f.Value)
	}},
	FindCreated: {rule: RuleNoCreation, path: Names.Processor, when: atLastPhit, text: func(f *Finding, _ *Circumstances) string {
		return fmt.Sprintf("sent the item of processor %d, which no frame had brought to it", f.Value)
	}},
	FindUnsent:  {rule: RuleNoLoss, path: Names.Processor, before: " "},
	FindLost:    {rule: RuleNoLoss, path: Names.Medium, medium: true, when: atArrival, text: func(f *Finding, _ *Circumstances) string { return f.Text }},
	FindUnheard: {rule: RuleNoLoss, path: Names.Processor, when: atArrival, before: " "},
	FindOverdue: {rule: RuleDeadline, path: Names.Processor, when: atBoundary, before: " "},
	FindHeld: {rule: RuleHeld, path: Names.Processor, before: ": ", text: func(f *Finding, c *Circumstances) string {
		return fmt.Sprintf("holds %d packets, at most %d are allowed", f.Value, c.Rules.PacketsPerProcessorMax)
	}},
	FindTrap:       {rule: RuleTrap, path: Names.Processor, before: ": "},
	FindFail:       {rule: RuleFail, path: Names.Processor, before: ": "},
	FindUnfinished: {rule: RuleFinishes, path: Names.Processor, before: " "},
	FindShort: {rule: RuleFinishes, path: func(n Names, _ int) string { return whole(n) }, medium: true, text: func(f *Finding, _ *Circumstances) string {
		return "all processors " + f.Text
	}},
	FindUnended: {rule: RuleFinishBy, path: func(n Names, _ int) string { return whole(n) }, medium: true, text: func(f *Finding, _ *Circumstances) string {
		return f.Text
	}},
	FindResult: {rule: RuleResults, path: Names.Processor, before: " "},
	FindPending: {rule: RuleFinishes, path: func(n Names, _ int) string { return whole(n) }, medium: true, text: func(f *Finding, _ *Circumstances) string {
		return f.Text
	}},
	FindMissing: {rule: RuleExactlyOnce, path: Names.Processor, before: " ", text: func(f *Finding, _ *Circumstances) string {
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
	FindCredit:       {rule: RuleCredits, path: Names.Medium, medium: true, text: func(f *Finding, _ *Circumstances) string { return f.Text }},
	FindStanding: {rule: RuleFinishes, path: func(n Names, _ int) string { return whole(n) }, medium: true, text: func(f *Finding, _ *Circumstances) string {
		return f.Text
	}},
	FindDeadlock: {rule: RuleDeadlock, path: Names.Medium, medium: true, text: func(f *Finding, _ *Circumstances) string {
		return f.Text
	}},
	FindEnergy: {rule: RuleEnergy, path: Names.Processor, before: " "},
}

// ordinal is the place of a slot in its step, from the first on: slots themselves count from 0.
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

// Rule names the rule that a finding of this kind breaks.
func (k FindingKind) Rule() string { return findings[k].rule }

// Circumstances are what the words of a finding depend on.
type Circumstances struct {
	Names  Names
	Timing nic.Timing
	Rules  *Rules
}

// Describe says in which cycle and where a finding shows, and what to tell the user.
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

// findingsMax bounds the findings of a shard, kind and slot, as a report's list does; the rest is only counted.
const findingsMax = 100

// Found is what a shard has found: how much in a run, and what in the current slot.
type Found struct {
	FindingsTotal uint64
	Findings      []Finding
	kinds         [findingKinds]int
}

func (w *Found) beginSlot() {
	w.Findings = w.Findings[:0]
	w.kinds = [findingKinds]int{}
}

// Find notes a finding. Of more than findingsMax of one kind in one slot those
// that come first in Compare's order are kept, in whatever order they come.
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
