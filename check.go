package starloom

import (
	"context"

	"starloom/internal/check"
)

// CheckFirmware runs a scenario in all the ways that must not change what it finds - banked
// and isolated, compiler and interpreter, one worker and two, banks of several sizes, both
// engines, metered and not - compares reports and explains the first difference, slot by slot.
// A banked run in which every handler is called alone finds what handlers write that is not
// their processor's. An image that serves one processor per instance runs isolated only.
// Bad input is an *InputError; when ctx ends, the error is that of ctx.
func CheckFirmware(ctx context.Context, s *Scenario, o FirmwareCheckOptions) (*FirmwareCheck, error) {
	if s.Workload.Permutation.Kind == PermutationAll {
		return nil, s.refuse("workload.permutation", "permutation: all is many runs, and one is checked", "choose one of them, such as random or reverse")
	}
	c, err := s.elaborate()
	if err != nil {
		return nil, err
	}
	return check.Firmware(ctx, c, s.checkedKeys(), &o)
}

// What a check of firmware says.
type (
	// FirmwareCheckOptions say how CheckFirmware looks.
	//
	//	JSON    outputs.Output // report, see FirmwareCheck.WriteJSON
	//	HTML    outputs.Output // report as a page for a browser
	//	Command string         // that repeats the check, for the page; "" for none
	//
	//	Fuzz      int    // sequences of arbitrary input that are tried; 0 for none
	//	Reproduce string // folder for a scenario and an input that shows each of what they find; "" for none
	//	Replay    string // a file of it: only this sequence is tried
	//
	//	// Progress, if set, is called with what is done now.
	//	Progress func(what string)
	FirmwareCheckOptions = check.Options
	// FirmwareCheck is what CheckFirmware has found.
	//
	//	Schema      int // version of this form
	//	Scenario    string
	//	Seed        uint64
	//	Firmware    outcome.FirmwareReport // of the first run; without one, of the machine whose handlers were called
	//	Verdict     outcome.Verdict
	//	Runs        []Run       // ways to execute the scenario; the first is what the others are compared with
	//	NotCompared []string    // for people: what was left out, and why
	//	Difference  *Difference // the first one
	//	Writes      []Write     // what handlers have written that is not their processor's
	//	Watched     Watched
	//	Faults      []string // for people: handlers that did not return in the run
	//
	//	// What the first run has broken: a scenario that fails fails its check.
	//	Violations      []outcome.Violation
	//	ViolationsTotal uint64
	//
	//	Fuzzed    int           // sequences of arbitrary input that were tried
	//	FuzzCalls int           // of handlers, by these
	//	GaveUp    int           // of these sequences, those that have ended in sl_fail
	//	Fuzz      []FuzzFinding // what handlers must not do, in the order in which it was found
	//	Branches  Branches
	//	NotTried  []string // for people: what no sequence has had
	//
	//	func (r *Report) WriteJSON(w io.Writer) error // writes the versioned form
	//	func (r *Report) WriteText(w io.Writer) error // writes the check for people
	FirmwareCheck = check.Report
	// CheckedRun is one way to execute the scenario.
	//
	//	Mode     string
	//	Runtime  string
	//	Engine   string
	//	Workers  int
	//	BankSize int  // processors of a bank, or of a worker's part where each is isolated
	//	Metered  bool // handlers cost something
	//	Slots    uint64
	//	Verdict  outcome.Verdict // of the run itself
	//	Digest   string
	//	Same     bool // its report equals that of the first run
	CheckedRun = check.Run
	// CheckDifference is the first difference between two ways to execute a scenario.
	//
	//	Runs [2]int // places in FirmwareCheck.Runs
	//
	//	// Where it is. If it is found in no processor, Field is the first one that differs of the
	//	// reports' JSON form, and First and Other are its values there.
	//	Found      bool
	//	Field      string
	//	Slot       uint32 // at whose boundary: after it, its handlers were called
	//	Processor  int
	//	Path       string
	//	Item       string // register, status, frame or state
	//	Offset     int    // of the first byte that differs, in what is a frame or a state
	//	Before     string // bytes, in hex: in both runs, one slot before; "" if there was none
	//	First      string // bytes, in hex, in the first of the runs
	//	Other      string // in the other one; "" if it has none
	//	Processors int    // that differ at this boundary
	//	SeenSlot   *int64 // slot in which the events of the two differ for the first time
	//	Cause      string // the usual one, for people
	//	Remedy     string // for people
	CheckDifference = check.Difference
	// CheckWrite is something that a handler has changed and that is not its processor's.
	//
	//	Slot      uint32 // the first in which it was seen
	//	Processor int    // whose handler, the first one
	//	Path      string
	//	Count     int // handler calls that did it
	//
	//	// One of these.
	//	Neighbour *int   // the processor in whose part of the bank it was
	//	Shared    bool   // of the bank, and of no processor
	//	Variable  string // static variable, or what else is outside of the bank
	//	Global    string // of WebAssembly
	//	Grown     int    // the memory, of all processors of the bank
	//
	//	// Carries says of a static variable or a global that what a handler does depends on what another
	//	// one has left there. One that every call writes before it reads it does not fail the check.
	//	Carries bool
	//
	//	Column  string // of the bank, by its name in the register map
	//	Address uint32
	//	Before  string // bytes, in hex
	//	After   string
	CheckWrite = check.Write
	// CheckWatched says how much of a banked run was watched, handler by handler.
	//
	//	Slots uint32 // whose handlers were watched, from the first one on
	//	Whole bool   // to the end of the run
	CheckWatched = check.Watched
	// CheckBranches says how much of the firmware sequences of arbitrary input have reached.
	//
	//	Reached int
	//	Image   int // that the image has, start handlers and all
	CheckBranches = check.Branches
	// FuzzFinding is what a handler has done on arbitrary input and must not do on any.
	//
	//	// Rule is RuleTrap, RuleFail, RuleIllegalSend, RuleIllegalListen, RuleExactlyOnce for a false
	//	// announcement, "foreign_write" or "stale_read".
	//	Rule string
	//	Path string
	//	Text string // for people
	//	// Received says that frames and statuses suffice, which the light of a faulty neighbour can
	//	// bring. What the network gives - words of the workload, of a schedule or of tables, arguments
	//	// of calls - and a state are damaged otherwise, which does not fail the check.
	//	Received bool
	//	// GaveUp says that the handler has called sl_fail: the firmware's own decision, which does not
	//	// fail the check. A failed assertion is a fault, be it sl_assert, one of the SDK's checked
	//	// build or one of clang's sanitizers.
	//	GaveUp bool
	//	Input  FuzzInput // the smallest that was found
	//	// Again is the command that finds the same in the smallest scenario that was found, whose
	//	// files FirmwareCheckOptions.Reproduce has written; "" without it.
	//	Again string
	FuzzFinding = check.FuzzFinding
	// FuzzInput is input that the run itself does not bring.
	//
	//	Seed      uint64 // of the run
	//	Slots     uint32 // at least 1
	//	Processor int
	//	Steps     []FuzzStep // slot after slot
	//	Call      *FuzzCall
	FuzzInput = check.FuzzInput
	// FuzzStep is what a processor gets in one slot.
	//
	//	Frames   []FuzzFrame
	//	Statuses []FuzzLane // of receivers
	//	Transmit []FuzzLane
	//	Schedule *uint64 // the schedule's word
	//	Workload *uint32 // the workload's word
	//	ROM      []FuzzWord
	//	State    string // bytes of the handler's state, in hex, from its first one on
	FuzzStep = check.FuzzStep
	// FuzzFrame is a frame that was received.
	//
	//	Port        uint16
	//	Kind        uint8
	//	Flags       uint8
	//	Tag         uint16
	//	Source      uint32
	//	Destination uint32
	//	Payload     string // in hex
	FuzzFrame = check.FuzzFrame
	// FuzzLane is the status of a receiver or transmitter.
	//
	//	Port   uint16
	//	Status uint8
	//	Served uint32 // of a transmitter: the addressee
	FuzzLane = check.FuzzLane
	// FuzzWord is a word of the network's tables.
	//
	//	Machine bool // of all
	//	Word    int
	//	Value   uint32
	FuzzWord = check.FuzzWord
	// FuzzCall is a call by name.
	//
	//	Name      string
	//	Arguments []uint32
	FuzzCall = check.FuzzCall
)
