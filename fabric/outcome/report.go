// Package outcome holds the results of runs, and their forms for users and scripts.
//
//	machine, batch, study -> Report, SeedsReport, StudyReport -> WriteText, WriteJSON, WriteJUnit
//
// Report, SeedsReport, StudyReport and Explained with their fields are the API. Aside, Known and the data of pages
// are internal to Starloom and may change.
//
// The package depends on no machine and no scenario: callers fill in reports.
package outcome

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"

	"starloom/fabric"
	"starloom/traces"
	"starloom/traces/input"
)

// ReportSchema is the version of the report's JSON form. New keys do not change the version; changed or removed keys
// increase it.
const ReportSchema = 1

// digestCovers describes the digest. The statuses are those of receivers and of blocked frames. A comparison of runs
// must also compare their reports.
const digestCovers = "(frames, statuses, deliveries, results; not timing, packets held, logs)"

// Report is the outcome of a run. Its JSON form is stable and independent of host, clock and output files: equal
// scenarios and seeds produce equal bytes.
type Report struct {
	Schema          int            `json:"schema"` // ReportSchema
	Scenario        string         `json:"scenario"`
	Seed            uint64         `json:"seed"`   // seed of all random numbers
	Engine          string         `json:"engine"` // "cycle" or "slot"
	Verdict         Verdict        `json:"verdict"`
	Expect          *Expectation   `json:"expect,omitempty"` // nil without an expectation
	Rules           []string       `json:"rules"`            // names of the checked rules
	Violations      []Violation    `json:"violations"`       // first ViolationsMax, and the first of every rule
	ViolationsTotal uint64         `json:"violations_total"` // number of all violations
	Notes           []string       `json:"notes,omitempty"`  // remarks on the scenario, independent of the verdict
	Cycles          uint64         `json:"cycles"`           // length in cycles, whole slots
	Slots           uint64         `json:"slots"`            // number of slots that crossed the fabric
	Frames          Frames         `json:"frames"`
	Metrics         fabric.Metrics `json:"metrics"`                  // figures by name; starloom explain describes each
	Firmware        FirmwareReport `json:"firmware"`                 // image and cost of its handlers
	Faults          []FaultReport  `json:"faults,omitempty"`         // effects of the faults, in scenario order
	Without         *WithoutFaults `json:"without_faults,omitempty"` // outcome without the faults, if the run failed
	RTL             []RTLReport    `json:"rtl,omitempty"`            // RTL components, by path
	Digest          string         `json:"digest"`                   // digest of frames, statuses, deliveries and results

	Beside
}

// Beside holds data that accompanies a report's figures. Only Provenance is part of the JSON form.
type Beside struct {
	Provenance *traces.Provenance `json:"provenance,omitempty"`

	// output files, for the text form
	Files []OutputFile `json:"-"`

	Aside Aside `json:"-"`
}

// Aside holds notes for the text form and for further processing.
type Aside struct {
	CutShort bool            // the repetition of a complete run, or a study, was interrupted
	Missing  []MissingPacket // packets that did not arrive and whose losses are not located yet
	LastSeen []Violation     // losses of packets that had not arrived at the slot limit
	OnTrust  uint64          // announced deliveries that cannot be verified
	RTLCheck string          // command that compares RTL with its models
	Command  string          // command that repeats the run; one of several runs also requires its seed
	// for runs of all permutations: options of the first run that fails on its own, "" for none
	Alone       string
	FailedSeeds []FailedRun       // first run of every failed seed, at most JUnitSeedsMax
	Undecided   map[string]string // undecided rules with the reasons; nil for none
	Late        *Lateness         // missed deadlines; nil if unknown
	Stood       []Stood           // unfinished processors that stood still
	LastSent    *uint64           // slot after the last frame sent, 0 for none; nil if unknown
	Killed      []string          // paths of processors killed by faults
	Remedies    []Remedy          // for the page of one run: remedies, most likely first
	Scenes      []Scene           // for the page of one run: surroundings of the first violations
	Pictures    []Picture         // for the page of one run
	Variables   *Variables        // after a replay, or how to see them; nil for none
	Known       Known             // for the page of one run
	One         *Report           // for the page of many runs: MostFailed with its details; nil if unknown

	DigestCovers string // "" for the usual coverage
}

// Variables are the variables of one processor's state, with a row for each handler call that changed the state, up
// to the first violation.
type Variables struct {
	Command string // instead of all others: command that shows the variables of the first processor that failed
	Path    string // path of the processor
	About   string // type and size of the state, and the variables that are not in memory
	History []VariableHistory
	Columns []string // variables that change in the rows
	Rows    []VariableRow
	Calm    bool     // calls are omitted if they change only variables that change in more than half of the calls
	Left    []string // further variables that change
	Earlier int      // earlier calls
	Later   bool     // later calls exist
}

// VariableHistory is the last change of a variable.
type VariableHistory struct {
	Name, Type    string
	Value         string
	Since, Before string // boundary of the last change, and the previous value; "" without a change
	Changes       int
}

// VariableRow holds the values after a call.
type VariableRow struct {
	When  string
	Cycle uint64
	Cells []string
	What  string // inputs and actions of the handler
}

// Known holds facts about a run for its page.
type Known struct {
	Limits     map[string]string  // limits of rules in words, by rule
	Count      int                // number of processors
	Processors []string           // paths of processors, nil above ViolationsMax
	Packets    bool               // data frames carry packets (sl_packet)
	Paths      []string           // sentences about the paths of lossy media and of processors
	Ports      int                // number of ports of a NIC, each connected to a different medium
	Outputs    bool               // a NIC has one port and requests the output of its addressee
	Unchecked  []string           // rules of the program that the scenario's own rules replace
	Program    string             // name of the program
	Check      string             // command that also checks the rules in Unchecked, "" for none
	Checked    string             // expected end of the command Check
	Least      fabric.Least       // minimum number of slots for the program's workload
	Means      map[string]Meaning // meanings of figures, by their names
	Faults     []string           // settings of the scenario's faults, in words
	Limited    string             // note of an unfinished run at its slot limit, otherwise ""
	LimitedBy  string             // origin of that limit: --slots or stop.slots
	Blamed     bool               // each fault was tried alone, so Violation.Faults is known
	Left       []Left             // outcomes without each fault, if Blamed
	Unfit      string             // one of the notes: reason why the program is unsuitable for the network, "" for none
	Cut        string             // reason why the run stopped early, "" for a complete run
}

// Meaning is the meaning of a figure, and its unit.
type Meaning struct{ Means, Unit string }

// LimitNotePrefix is the beginning of the note of a run that ended at its limit.
const LimitNotePrefix = "the run ended at its limit"

// LimitNote returns the note of a run that ended at its limit.
func LimitNote(slots uint64) string {
	return fmt.Sprintf(LimitNotePrefix+" of %s; stop.slots or --slots sets it",
		traces.Plural(slots, "slot", "slots"))
}

// NoteTrust adds a note about announced deliveries that cannot be verified.
func (r *Report) NoteTrust(deliveries uint64) {
	if r.Aside.OnTrust = deliveries; deliveries > 0 {
		r.Notes = append(r.Notes, TrustNote(deliveries))
	}
}

// TrustNote returns the note about announced deliveries that cannot be verified.
func TrustNote(deliveries uint64) string {
	return fmt.Sprintf("%s not verified: the processors received frames for which only their firmware knows the "+
		"packet "+
		"(the host reads an sl_packet in a data frame with 8 bytes or more)",
		traces.Plural(deliveries, "announced delivery is", "announced deliveries are"))
}

// DigestText is the digest with its coverage.
func (r *Report) DigestText() string {
	return r.Digest + "  " + cmp.Or(r.Aside.DigestCovers, digestCovers)
}

func (r *Report) Title() string { return r.Scenario }

// Interrupted reports whether the run or its repetition was interrupted.
func (r *Report) Interrupted() bool {
	return r.Aside.CutShort ||
		slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Rule == RuleInterrupted })
}

// ToolFailed reports whether the simulator of the RTL has failed, has hung or was killed.
func (r *Report) ToolFailed() bool {
	return slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Rule == RuleRTLTool })
}

// Expects judges the run against an expectation.
func (r *Report) Expects(e *Expectation) {
	r.Expect = e.judge(r.Verdict, r.Interrupted() || r.ToolFailed(), func(rule string) bool {
		return slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Rule == rule })
	})
}

// Figures lists all figures of a run: its length, metrics and frames.
func (r *Report) Figures() []fabric.Metric {
	all := make([]fabric.Metric, 0, 2+len(r.Metrics)+8)
	all = append(all, fabric.Metric{Name: "slots", Value: r.Slots}, fabric.Metric{Name: "cycles", Value: r.Cycles})
	all = append(all, r.Metrics...)
	for i := range r.Faults {
		all = append(all, fabric.Metric{Name: fmt.Sprintf("fault[%d].%s", i, r.Faults[i].Kind), Value: r.Faults[i].Count})
	}
	frames := reflect.ValueOf(r.Frames)
	for i := range frames.NumField() {
		all = append(all,
			fabric.Metric{Name: "frames." + frames.Type().Field(i).Tag.Get("json"), Value: frames.Field(i).Uint()})
	}
	return all
}

func (r *Report) WriteJSON(w io.Writer) error { return WriteJSON(w, r.listed()) }

// Line returns the JSON form on one line.
func (r *Report) Line() ([]byte, error) {
	var b bytes.Buffer
	listed := r.listed()
	listed.Provenance = nil // results of different versions remain equal in one table
	err := input.JSONEncoder(&b).Encode(listed)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func (r *Report) listed() *Report {
	out := *r
	// Scripts want a list, never null.
	if out.Rules == nil {
		out.Rules = []string{}
	}
	if out.Violations == nil {
		out.Violations = []Violation{}
	}
	return &out
}

// Frames counts the frames sent by NICs, and receptions by outcome.
type Frames struct {
	Sent      uint64 `json:"sent"`      // frames that NICs put on the fabric
	Delivered uint64 `json:"delivered"` // receptions with status ok
	Collided  uint64 `json:"collided"`  // number of sent frames that collided on a medium, per medium
	// number of slots in which a frame waited for a busy medium
	Blocked  uint64 `json:"blocked"`
	CRC      uint64 `json:"crc"`      // receptions with status crc
	Overflow uint64 `json:"overflow"` // good frames lost at a full RX FIFO, and slots in which a TX FIFO rejected frames
	Unheard  uint64 `json:"unheard"`  // number of frames alone on a medium without a listener, per medium
	Faulted  uint64 `json:"faulted"`  // frames alone on a medium with a listener, but lost to a fault, per medium
}

// Add adds the counters of another run.
func (f *Frames) Add(o Frames) {
	sum, more := reflect.ValueOf(f).Elem(), reflect.ValueOf(o)
	for i := range sum.NumField() {
		sum.Field(i).SetUint(sum.Field(i).Uint() + more.Field(i).Uint())
	}
}

// Text lists the counters.
func (f Frames) Text() string { return texts.Say("frames", f) }
