package outcome

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"starloom/fabric"
	"starloom/firmware/wasm"
	"starloom/traces"
)

// ReportSchema is the version of the report's JSON form. Keys are only added
// under one version; a key that changes its meaning or goes makes a new one.
const ReportSchema = 1

// ViolationsMax is the number of violations that a report lists. The first one of
// every rule is always in the list, so that no rule looks unbroken because
// another one broke often.
const ViolationsMax = 100

// Verdict is the outcome of a run or a study.
type Verdict string

// The verdicts.
const (
	VerdictPass Verdict = "pass"
	VerdictFail Verdict = "fail"
)

// ToolFailed reports whether the run has ended because a tool that it needs, the
// simulator of its RTL, failed, hung or was killed.
func (r *Report) ToolFailed() bool {
	return slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Rule == RuleRTLTool })
}

// digestCovers says beside every digest what it covers; statuses are those of receivers and of
// frames that the medium held back. Equal digests say nothing of the rest: compare the
// reports, too.
const digestCovers = "(frames, statuses, deliveries, results; not timing, packets held, logs)"

// Report is the outcome of a run. Its JSON form is stable and holds nothing of
// the host, the clock or the files that were written: the same scenario and seed
// give the same bytes.
type Report struct {
	Schema          int            `json:"schema"` // ReportSchema
	Scenario        string         `json:"scenario"`
	Seed            uint64         `json:"seed"`
	Engine          string         `json:"engine"` // "cycle" or "slot"
	Verdict         Verdict        `json:"verdict"`
	Rules           []string       `json:"rules"`            // names of the rules that were checked
	Violations      []Violation    `json:"violations"`       // the first ViolationsMax, and the first of every rule
	ViolationsTotal uint64         `json:"violations_total"` // all of them
	Notes           []string       `json:"notes,omitempty"`  // what the user should know of the scenario, whatever the verdict
	Cycles          uint64         `json:"cycles"`           // whole slots, in cycles
	Slots           uint64         `json:"slots"`            // that have crossed the fabric
	Frames          Frames         `json:"frames"`
	Metrics         fabric.Metrics `json:"metrics"`
	Firmware        FirmwareReport `json:"firmware"`
	Faults          []FaultReport  `json:"faults,omitempty"`         // what each fault of the scenario has done, in its order
	Without         *WithoutFaults `json:"without_faults,omitempty"` // the same run without them, if it failed
	RTL             []RTLReport    `json:"rtl,omitempty"`            // components that were RTL, by path
	Digest          string         `json:"digest"`                   // of what digestCovers says

	// Files lists what was written beside the report, for the text form only.
	Files []OutputFile `json:"-"`

	// Aside is what Starloom itself notes beside the report.
	Aside Aside `json:"-"`
}

// Aside is what is noted beside a report, for its text form and for those who go on with it.
type Aside struct {
	CutShort    bool            // the run has ended by itself, but was interrupted while it was repeated
	Missing     []MissingPacket // violations that are packets which never arrived
	OnTrust     uint64          // announced deliveries that cannot be checked
	RTLCheck    string          // the command that compares RTL with its models
	Command     string          // of many runs: of a run, without the options of one seed
	FailedSeeds []FailedRun     // the first run of every seed that failed, for junitSeedsMax seeds
}

// NoteTrust names deliveries that were announced and cannot be checked.
func (r *Report) NoteTrust(deliveries uint64) {
	if r.Aside.OnTrust = deliveries; deliveries > 0 {
		r.Notes = append(r.Notes, TrustNote(deliveries))
	}
}

func TrustNote(deliveries uint64) string {
	return fmt.Sprintf("%s taken on trust: the processors have received payloads that are not an sl_packet (a data frame with 8 bytes or more), and only their firmware knows what was in them", traces.Plural(deliveries, "announced delivery is", "announced deliveries are"))
}

func (r *Report) Title() string { return r.Scenario }

// Interrupted reports whether the run was ended from outside, or its repetition, which would have told
// more.
func (r *Report) Interrupted() bool {
	return r.Aside.CutShort || slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Rule == RuleInterrupted })
}

// Violation is one broken rule, at the cycle in which it broke.
type Violation struct {
	Rule    string `json:"rule"`  // one of the constants Rule...
	Cycle   uint64 `json:"cycle"` // as in waveforms, captures and logs
	Slot    uint64 `json:"slot"`
	Path    string `json:"path"`            // of a processor, medium or link
	Message string `json:"message"`         // for people; may change
	Cause   string `json:"cause,omitempty"` // of one run with faults: CauseFaults, CauseFirmware or CauseUnclear

	// Backtrace is for firmware that trapped or gave up: the functions that were being called,
	// the innermost first, inlined ones, too, with file:line:column of images built with -g.
	Backtrace []FirmwareFrame `json:"backtrace,omitempty"`
}

// FirmwareFrame is a function of a backtrace and the place that it had reached.
type FirmwareFrame = wasm.Frame

// Frames counts frames: what NICs sent, and what became of every reception.
type Frames struct {
	Sent      uint64 `json:"sent"`      // that NICs put on the fabric
	Delivered uint64 `json:"delivered"` // receptions with status ok
	Collided  uint64 `json:"collided"`  // sent frames that met another one on a medium, per medium
	// Blocked counts the slots in which a frame had to wait because its medium was taken.
	Blocked  uint64 `json:"blocked"`
	CRC      uint64 `json:"crc"`      // receptions with status crc
	Overflow uint64 `json:"overflow"` // good frames lost at a full RX FIFO, and slots in which a TX FIFO was too small
	Unheard  uint64 `json:"unheard"`  // alone on a medium to which nobody listened, per medium
	Faulted  uint64 `json:"faulted"`  // alone on a medium to which somebody listened, and lost there by a fault, per medium
}

// FirmwareReport says which firmware ran, and how many processors trapped.
type FirmwareReport struct {
	Image  string `json:"image"`  // program name or the image's file name
	SHA256 string `json:"sha256"` // of the image, in hex; "" for Runtime "native"
	Traps  uint64 `json:"traps"`  // processors that trapped

	// Mode is ModeBanked or ModeIsolated. Trusted says that processors share an instance, so that
	// nothing but trust keeps a handler from what is another's: CheckFirmware looks.
	Mode    string `json:"mode,omitempty"`
	Trusted bool   `json:"trusted,omitempty"`

	// What handlers took, if firmware.cpu has a model.
	CPU          string         `json:"cpu,omitempty"`           // the model
	Cycles       *HandlerCycles `json:"cycles,omitempty"`        // of the slot handlers
	StartCycles  *HandlerCycles `json:"start_cycles,omitempty"`  // of the start handlers, after restarts, too; they have no budget
	BudgetCycles uint64         `json:"budget_cycles,omitempty"` // the compute window, if there is one
	Overruns     *uint64        `json:"overruns,omitempty"`      // calls of slot handlers that took longer and missed their slot

	// BytesPerProcessor is what a processor takes while it sleeps, registers and state, in a
	// machine of so many that only those which are called have a bank; else 0.
	BytesPerProcessor int `json:"bytes_per_processor,omitempty"`
}

// WriteJSON writes the stable, versioned form.
func (r *Report) WriteJSON(w io.Writer) error {
	out := *r
	// Scripts want a list, never null.
	if out.Rules == nil {
		out.Rules = []string{}
	}
	if out.Violations == nil {
		out.Violations = []Violation{}
	}
	return WriteJSON(w, &out)
}

// WriteJSON writes v indented by two blanks, with a newline at the end and
// without escapes for HTML.
func WriteJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// StudyReport sets what was measured beside what was published.
type StudyReport struct {
	Study   string            `json:"study"`
	Verdict Verdict           `json:"verdict"`
	Rows    []fabric.StudyRow `json:"rows"`
	Notes   []string          `json:"notes,omitempty"` // how far an interrupted study came

	// Files lists what was written beside the rows, for the text form only.
	Files []OutputFile `json:"-"`

	// Aside is what Starloom itself notes beside the report.
	Aside Aside `json:"-"`
}

// Interrupted reports whether the study was ended from outside.
func (r *StudyReport) Interrupted() bool { return r.Aside.CutShort }

// WriteJSON writes the stable form.
func (r *StudyReport) WriteJSON(w io.Writer) error {
	out := *r
	if out.Rows == nil {
		out.Rows = []fabric.StudyRow{}
	}
	return WriteJSON(w, &out)
}
