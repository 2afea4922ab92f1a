package check

import (
	_ "embed"

	"starloom/fabric/outcome"
	"starloom/traces/meaning"
)

// Report is what CheckFirmware has found.
type Report struct {
	Schema      int                    `json:"schema"` // version of this form
	Scenario    string                 `json:"scenario"`
	Seed        uint64                 `json:"seed"`
	Firmware    outcome.FirmwareReport `json:"firmware"` // of the first run; without one, of the machine whose handlers were called
	Verdict     outcome.Verdict        `json:"verdict"`
	Runs        []Run                  `json:"runs"`                 // ways to execute the scenario; the first is what the others are compared with
	NotCompared []string               `json:"not_compared"`         // for people: what was left out, and why
	Difference  *Difference            `json:"difference,omitempty"` // the first one
	Writes      []Write                `json:"writes"`               // what handlers have written that is not their processor's
	Watched     Watched                `json:"watched"`
	Faults      []string               `json:"faults"` // for people: handlers that did not return in the run

	// What the first run has broken: a scenario that fails fails its check.
	Violations      []outcome.Violation `json:"violations"`
	ViolationsTotal uint64              `json:"violations_total"`

	Fuzzed    int           `json:"fuzzed"`     // sequences of arbitrary input that were tried
	FuzzCalls int           `json:"fuzz_calls"` // of handlers, by these
	GaveUp    int           `json:"gave_up"`    // of these sequences, those that have ended in sl_fail
	Fuzz      []FuzzFinding `json:"fuzz"`       // what handlers must not do, in the order in which it was found
	Branches  Branches      `json:"branches"`
	NotTried  []string      `json:"not_tried"` // for people: what no sequence has had
}

const schema = 2

// Run is one way to execute the scenario.
type Run struct {
	Mode     string          `json:"mode"`
	Runtime  string          `json:"runtime"`
	Engine   string          `json:"engine"`
	Workers  int             `json:"workers"`
	BankSize int             `json:"bank_size"` // processors of a bank, or of a worker's part where each is isolated
	Metered  bool            `json:"metered"`   // handlers cost something
	Slots    uint64          `json:"slots"`
	Verdict  outcome.Verdict `json:"verdict"` // of the run itself
	Digest   string          `json:"digest"`
	Same     bool            `json:"same"` // its report equals that of the first run
}

// Watched says how much of a banked run was watched, handler by handler.
type Watched struct {
	Slots uint32 `json:"slots"` // whose handlers were watched, from the first one on
	Whole bool   `json:"whole"` // to the end of the run
}

// Write is something that a handler has changed and that is not its processor's.
type Write struct {
	Slot      uint32 `json:"slot"`      // the first in which it was seen
	Processor int    `json:"processor"` // whose handler, the first one
	Path      string `json:"path"`
	Count     int    `json:"count"` // handler calls that did it

	// One of these.
	Neighbour *int   `json:"neighbour,omitempty"`   // the processor in whose part of the bank it was
	Shared    bool   `json:"shared,omitempty"`      // of the bank, and of no processor
	Variable  string `json:"variable,omitempty"`    // static variable, or what else is outside of the bank
	Global    string `json:"global,omitempty"`      // of WebAssembly
	Grown     int    `json:"grown_bytes,omitempty"` // the memory, of all processors of the bank

	// Carries says of a static variable or a global that what a handler does depends on what another
	// one has left there. One that every call writes before it reads it does not fail the check.
	Carries bool `json:"carries,omitempty"`

	Column  string `json:"column,omitempty"` // of the bank, by its name in the register map
	Address uint32 `json:"address"`
	Before  string `json:"before,omitempty"` // bytes, in hex
	After   string `json:"after,omitempty"`
}

// Harms reports whether a write does harm by itself: a neighbour's memory is of another size, or
// holds something else, than if it were alone. That of a static variable shows in a difference,
// sooner or later.
func (w Write) Harms() bool { return w.Neighbour != nil || w.Shared || w.Grown > 0 }

func (w Write) fails() bool { return w.Harms() || w.Carries }

// Difference is the first difference between two ways to execute a scenario.
type Difference struct {
	Runs [2]int `json:"runs"` // places in FirmwareCheck.Runs

	// Where it is. If it is found in no processor, Field is the first one that differs of the
	// reports' JSON form, and First and Other are its values there.
	Found      bool   `json:"found"`
	Field      string `json:"field,omitempty"`
	Slot       uint32 `json:"slot"` // at whose boundary: after it, its handlers were called
	Processor  int    `json:"processor"`
	Path       string `json:"path,omitempty"`
	Item       string `json:"item,omitempty"`   // register, status, frame or state
	Offset     int    `json:"offset,omitempty"` // of the first byte that differs, in what is a frame or a state
	Before     string `json:"before,omitempty"` // bytes, in hex: in both runs, one slot before; "" if there was none
	First      string `json:"first"`            // bytes, in hex, in the first of the runs
	Other      string `json:"other"`            // in the other one; "" if it has none
	Processors int    `json:"processors"`       // that differ at this boundary
	SeenSlot   *int64 `json:"seen,omitempty"`   // slot in which the events of the two differ for the first time
	Cause      string `json:"cause"`            // the usual one, for people
	Remedy     string `json:"remedy,omitempty"` // for people
}

// Branches says how much of the firmware arbitrary input has reached: sides of branches, entries and loop heads.
type Branches struct {
	Reached int `json:"reached"`
	Image   int `json:"image"` // that the image has, start handlers and all
}

// Rules that a handler on arbitrary input breaks, beside those of a run.
const (
	RuleForeignWrite = "foreign_write" // a handler wrote what is another processor's
	RuleStaleRead    = "stale_read"    // a handler's behaviour depends on bytes that are of no frame
)

// FuzzFinding is what a handler has done on such input and must not do on any.
type FuzzFinding struct {
	// Rule is RuleTrap, RuleFail, RuleIllegalSend, RuleIllegalListen, RuleExactlyOnce for a false
	// announcement, "foreign_write" or "stale_read".
	Rule string `json:"rule"`
	Path string `json:"path"`
	Text string `json:"text"` // for people
	// Received says that frames and statuses suffice, which the light of a faulty neighbour can
	// bring. What the network gives - words of the workload, of a schedule or of tables, arguments
	// of calls - and a state are damaged otherwise, which does not fail the check.
	Received bool `json:"received"`
	// GaveUp says that the handler has called sl_fail: the firmware's own decision, which does not
	// fail the check. A failed assertion is a fault, be it sl_assert, one of the SDK's checked
	// build or one of clang's sanitizers.
	GaveUp bool      `json:"gave_up,omitempty"`
	Input  FuzzInput `json:"input"` // the smallest that was found
	// Again is the command that finds the same in the smallest scenario that was found, whose
	// files FirmwareCheckOptions.Reproduce has written; "" without it.
	Again string `json:"again,omitempty"`

	place string // in the firmware: findings of one place are one
}

// Fails reports whether a finding fails the check; others are noted.
func (x FuzzFinding) Fails() bool { return x.Received && !x.GaveUp }

// is reports whether two findings are the same fault, as far as one can tell.
func (x *FuzzFinding) is(y *FuzzFinding) bool { return x.Rule == y.Rule && x.place == y.place }

//go:embed metrics.yaml
var metrics string

// Meanings says what the keys of a check's report mean.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
