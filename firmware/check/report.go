package check

import (
	_ "embed"
	"fmt"
	"strings"

	"starloom/fabric/outcome"
	"starloom/traces"
	"starloom/traces/meaning"
)

// Report is the result of Firmware.
type Report struct {
	Schema   int    `json:"schema"` // version of the report's form
	Scenario string `json:"scenario"`
	Seed     uint64 `json:"seed"`

	Provenance *traces.Provenance `json:"provenance,omitempty"`
	// firmware of the first run; without a run, firmware of the machine whose handlers were called
	Firmware outcome.FirmwareReport `json:"firmware"`
	Verdict  outcome.Verdict        `json:"verdict"`
	// ways to execute the scenario; each is compared with the first
	Runs        []Run       `json:"runs"`
	NotCompared []string    `json:"not_compared"`         // omitted comparisons with reasons, for people
	Difference  *Difference `json:"difference,omitempty"` // the first difference
	Writes      []Write     `json:"writes"`               // writes of handlers outside their processor's memory
	Watched     Watched     `json:"watched"`
	Faults      []string    `json:"faults"` // descriptions of handlers that did not return in the run

	// violations of the first run; a failing scenario also fails its check
	Violations      []outcome.Violation `json:"violations"`
	ViolationsTotal uint64              `json:"violations_total"`

	Fuzzed    int           `json:"fuzzed"`     // sequences of arbitrary input that were tried
	FuzzCalls int           `json:"fuzz_calls"` // handler calls in these sequences
	GaveUp    int           `json:"gave_up"`    // sequences that ended in sl_fail
	Fuzz      []FuzzFinding `json:"fuzz"`       // faults of handlers, in the order of discovery
	Branches  Branches      `json:"branches"`
	Talks     []Talk        `json:"talks"`     // searches of the machine with losses and restarts
	NotTried  []string      `json:"not_tried"` // inputs that no sequence contained, for people

	Stopped []Stop `json:"stopped,omitempty"` // handlers that did not return
}

const schema = 2

// Stop is the slot and processor of a handler that did not return.
type Stop struct {
	Slot uint32 `json:"slot"`
	Path string `json:"path"`
}

// Run is one way to execute the scenario.
type Run struct {
	Mode     string          `json:"mode"`
	Runtime  string          `json:"runtime"`
	Engine   string          `json:"engine"`
	Workers  int             `json:"workers"`
	BankSize int             `json:"bank_size"` // number of processors per bank; in mode isolated, per worker
	Metered  bool            `json:"metered"`   // handlers have costs
	Slots    uint64          `json:"slots"`
	Verdict  outcome.Verdict `json:"verdict"` // verdict of the run itself
	Digest   string          `json:"digest"`
	Same     bool            `json:"same"` // the report is equal to that of the first run
}

// Watched is the part of a banked run that was observed handler by handler.
type Watched struct {
	Slots uint32 `json:"slots"` // number of watched slots, from the first
	Whole bool   `json:"whole"` // watched to the end of the run
}

// Write is a change by a handler outside its processor's memory.
type Write struct {
	Slot      uint32 `json:"slot"`      // slot of the first such write
	Processor int    `json:"processor"` // processor of the first such write
	Path      string `json:"path"`
	Count     int    `json:"count"` // number of handler calls with this kind of write

	// Exactly one of:
	Neighbour *int   `json:"neighbour,omitempty"`   // processor whose part of the bank was changed
	Shared    bool   `json:"shared,omitempty"`      // part of the bank without an owner
	Variable  string `json:"variable,omitempty"`    // static variable, or another place outside the bank
	Global    string `json:"global,omitempty"`      // WebAssembly global
	Grown     int    `json:"grown_bytes,omitempty"` // growth of the bank's memory in bytes

	// Carries means that a handler depends on a value of another handler in a static variable or global. A variable
	// that every call writes before reading does not fail the check.
	Carries bool `json:"carries,omitempty"`

	Column  string `json:"column,omitempty"` // column of the bank, by its name in the register map
	Address uint32 `json:"address"`
	Before  string `json:"before,omitempty"` // bytes in hex
	After   string `json:"after,omitempty"`
}

// Harms reports whether the write alone is harmful: it changed the content or size of memory of a neighbour or of the
// bank. A static variable is harmful only if it carries values.
func (w Write) Harms() bool { return w.Neighbour != nil || w.Shared || w.Grown > 0 }

// Fails reports whether the write fails the check.
func (w Write) Fails() bool { return w.Harms() || w.Carries }

// Difference is the first difference between two ways to execute a scenario.
type Difference struct {
	Runs [2]int `json:"runs"` // indices in Report.Runs

	// place of the difference; if no processor shows one, Field is the first different field of the JSON reports, and
	// First and Other are its values
	Found      bool   `json:"found"`
	Field      string `json:"field,omitempty"`
	Slot       uint32 `json:"slot"` // slot at whose boundary, after the handlers, the processors differ
	Processor  int    `json:"processor"`
	Path       string `json:"path,omitempty"`
	Item       string `json:"item,omitempty"`   // register, status, frame or state
	Offset     int    `json:"offset,omitempty"` // first different byte of a frame or state
	Before     string `json:"before,omitempty"` // bytes in hex in both runs, one slot earlier; "" if missing
	First      string `json:"first"`            // bytes in hex in the first run
	Other      string `json:"other"`            // bytes in hex in the other run, "" if missing
	Processors int    `json:"processors"`       // number of different processors at this boundary
	SeenSlot   *int64 `json:"seen,omitempty"`   // first slot in which the events differ
	Cause      string `json:"cause"`            // usual cause, for people
	Remedy     string `json:"remedy,omitempty"` // remedy, for people
}

// Branches counts the sides of branches, entries and loop heads reached by arbitrary input.
type Branches struct {
	Reached int `json:"reached"`
	Image   int `json:"image"` // number in the image, including start handlers
	// by function of the firmware, without the SDK; none for an image without names and lines
	Functions []FunctionBranches `json:"functions,omitempty"`
}

// rules for handlers with arbitrary input, in addition to the rules of a run
const (
	RuleForeignWrite = "foreign_write" // a handler wrote to another processor's memory
	RuleStaleRead    = "stale_read"    // the behaviour of a handler depends on bytes outside its frames
)

// FuzzFinding is a fault of a handler with arbitrary input.
type FuzzFinding struct {
	// Rule is a rule of a run that handlers can break, RuleForeignWrite or RuleStaleRead.
	Rule string `json:"rule"`
	Path string `json:"path"`
	Text string `json:"text"` // text for people
	// Received means that frames and statuses suffice to cause the finding, so that a faulty neighbour can cause it.
	// Damaged words of the network (workload, schedule, tables, call arguments) or a damaged state do not fail the
	// check.
	Received bool `json:"received"`
	// GaveUp means that the handler has called sl_fail. The call is a decision of the firmware and does not fail the
	// check. A failed assertion (sl_assert, the SDK's checked build, clang's sanitizers) is a fault.
	GaveUp bool `json:"gave_up,omitempty"`
	// Kept means that the firmware's assertion holds for the frames of the scenario's machine, with the faults that the
	// scenario states, so that no processor sends such a frame. It does not fail the check.
	Kept  bool      `json:"kept,omitempty"`
	Input FuzzInput `json:"input"` // smallest input found
	// Again repeats the finding with the files written by Options.Reproduce. It is "" if no files were written.
	Again string `json:"again,omitempty"`

	place string // place in the firmware; findings at one place are merged
}

// Fails reports whether a finding fails the check. Other findings are notes.
func (x FuzzFinding) Fails() bool { return x.Received && !x.GaveUp && !x.Kept }

// is reports whether two findings probably have the same cause.
func (x *FuzzFinding) is(y *FuzzFinding) bool { return x.Rule == y.Rule && x.place == y.place }

//go:embed metrics.yaml
var metrics string

// Meanings describes the keys of a check's report.
func Meanings() []meaning.Group { return meaning.Must(metrics) }

// Talk is a guided search of the scenario's machine: its processors talk, and frames are lost or processors restart.
type Talk struct {
	Faults []string `json:"faults"` // kinds with their largest numbers, as in drop 3
	// whether the scenario states the faults under explore, so that each broken rule fails the check; otherwise
	// assertions, traps and illegal actions fail it after losses
	Stated    bool                    `json:"stated"`
	Slots     uint64                  `json:"slots"`  // slots that were run
	Trials    uint64                  `json:"trials"` // runs from a state of the corpus
	States    int                     `json:"states"` // distinct states
	Branches  Branches                `json:"branches"`
	Violation *outcome.Violation      `json:"violation,omitempty"` // nil if no rule breaks
	Schedule  []outcome.ExploredFault `json:"schedule"`            // faults of the run that breaks the rule
	Note      bool                    `json:"note"`                // the violation does not fail the check
	// number of slot 0 in the run that breaks the rule, if the search began near powers of two
	FirstSlot  *uint32 `json:"first_slot,omitempty"`
	FirstSlots bool    `json:"first_slots,omitempty"` // runs began near 2^8, 2^16 and 2^31, and no rule broke
	Again      string  `json:"again,omitempty"`       // command that runs the schedule
}

// Fails reports whether the violation fails the check.
func (t *Talk) Fails() bool { return t.Violation != nil && !t.Note }

// Text describes what the search tried.
func (t *Talk) Text() string {
	where := ""
	if t.FirstSlots || t.FirstSlot != nil {
		where = ", with first slots near 2^8, 2^16 and 2^31"
	}
	return fmt.Sprintf("%s, each in any slot%s: %s in %s, %s; %d of %s of the firmware reached",
		strings.Join(t.Faults, ", "), where,
		traces.Plural(t.Slots, "slot", "slots"), traces.Plural(t.Trials, "trial", "trials"),
		traces.Plural(t.States, "state", "states"), t.Branches.Reached,
		traces.Plural(t.Branches.Image, "branch", "branches"))
}
