// Package outcome is what a run has come to: data, and its forms for people and scripts.
//
//	machine, batch, study -> Report, SeedsReport, StudyReport -> WriteText, WriteJSON, WriteJUnit
//
// Report, SeedsReport, StudyReport and Explained with their fields are the API. Aside, Known and what pages show are for Starloom, and
// may change.
//
// It knows no machine and no scenario: whatever a report says was put into it.
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

// ReportSchema is the version of the report's JSON form. Keys are only added
// under one version; a key that changes its meaning or goes makes a new one.
const ReportSchema = 1

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
	Seed            uint64         `json:"seed"`   // of all that is drawn
	Engine          string         `json:"engine"` // "cycle" or "slot"
	Verdict         Verdict        `json:"verdict"`
	Expect          *Expectation   `json:"expect,omitempty"` // nil if nothing was expected
	Rules           []string       `json:"rules"`            // names of the rules that were checked
	Violations      []Violation    `json:"violations"`       // the first ViolationsMax, and the first of every rule
	ViolationsTotal uint64         `json:"violations_total"` // all of them
	Notes           []string       `json:"notes,omitempty"`  // what the user should know of the scenario, whatever the verdict
	Cycles          uint64         `json:"cycles"`           // whole slots, in cycles
	Slots           uint64         `json:"slots"`            // that have crossed the fabric
	Frames          Frames         `json:"frames"`
	Metrics         fabric.Metrics `json:"metrics"`                  // figures by name; starloom explain says what each means
	Firmware        FirmwareReport `json:"firmware"`                 // the image, and what its handlers have cost
	Faults          []FaultReport  `json:"faults,omitempty"`         // what each fault of the scenario has done, in its order
	Without         *WithoutFaults `json:"without_faults,omitempty"` // the same run without them, if it failed
	RTL             []RTLReport    `json:"rtl,omitempty"`            // components that were RTL, by path
	Digest          string         `json:"digest"`                   // of frames, statuses, deliveries and results

	Beside
}

// Beside is what goes with a report and is not in its JSON form.
type Beside struct {
	// Files lists what was written beside the report, for the text form only.
	Files []OutputFile `json:"-"`

	// Aside is what Starloom itself notes beside the report.
	Aside Aside `json:"-"`
}

// Aside is what is noted beside a report, for its text form and for those who go on with it.
type Aside struct {
	CutShort    bool              // the run has ended by itself, but was interrupted while it was repeated
	Missing     []MissingPacket   // packets which never arrived, until it is known where they were lost
	LastSeen    []Violation       // where packets were lost that had not arrived when a run ended at its limit
	OnTrust     uint64            // announced deliveries that cannot be checked
	RTLCheck    string            // the command that compares RTL with its models
	Command     string            // repeats the run; of many runs: one of them, without the options of one seed
	Alone       string            // of every permutation: the options that repeat the first that fails alone, "" for none
	FailedSeeds []FailedRun       // the first run of every seed that failed, for JUnitSeedsMax seeds
	Undecided   map[string]string // rules that the run has come to no end of, and why; nil for none
	Late        *Lateness         // what has missed its deadline; nil if that is not known
	Stood       []Stood           // processors that were not done and stood still
	LastSent    *uint64           // the slot after the last one in which a frame was sent, 0 for none; nil if that is not known
	Killed      []string          // paths of processors that faults have killed
	Remedies    []Remedy          // of one run, for a page: what may mend it, the likeliest first
	Scenes      []Scene           // of one run, for a page: what happened around its first violations
	Pictures    []Picture         // of one run, for a page
	Known       Known             // of one run, for a page

	DigestCovers string // if it is not what it usually is
}

// Known is what a run knows and its report does not say.
type Known struct {
	Limits     map[string]string  // what rules allow, by their names
	Count      int                // of processors
	Processors []string           // their paths, nil of more than a report lists violations of
	Packets    bool               // data frames carry packets: sl_packet
	Paths      []string           // what paths say: of media that have lost frames, and which is that of which processor
	Ports      int                // of a NIC, each of which leads elsewhere
	Outputs    bool               // a NIC has one port, and asks for the output that its frame is for
	Unchecked  []string           // rules of the program that the scenario's own leave out...
	Program    string             // ...and its name
	Check      string             // the command that checks these rules, too, "" if none can...
	Checked    string             // ...and what to expect of it
	Least      fabric.Least       // how many slots the program's workload needs at least
	Means      map[string]Meaning // of figures, by their names
	Faults     []string           // what each fault of the scenario is set to
	Limited    string             // of a run that has come to its limit of slots without finishing: the note that says so, "" for others
	LimitedBy  string             // what has set it: --slots or stop.slots
	Blamed     bool               // each fault was tried alone: Violation.Faults are known...
	Left       []Left             // ...and left out alone: what is left without each
	Unfit      string             // why the program is not right for the network, one of the notes; "" if it is
	Cut        string             // why the run has not come to its end, "" if it has
}

// Meaning is what a figure means, and its unit.
type Meaning struct{ Means, Unit string }

// LimitNote says that a run has ended at its limit.
func LimitNote(slots uint64) string {
	return fmt.Sprintf("the run ended at its limit of %s; stop.slots or --slots sets it", traces.Plural(slots, "slot", "slots"))
}

// NoteTrust names deliveries that were announced and cannot be checked.
func (r *Report) NoteTrust(deliveries uint64) {
	if r.Aside.OnTrust = deliveries; deliveries > 0 {
		r.Notes = append(r.Notes, TrustNote(deliveries))
	}
}

// TrustNote says that so many announced deliveries cannot be checked.
func TrustNote(deliveries uint64) string {
	return fmt.Sprintf("%s taken on trust: the processors have received frames of which only their firmware knows the packet "+
		"(the host reads an sl_packet in a data frame with 8 bytes or more)",
		traces.Plural(deliveries, "announced delivery is", "announced deliveries are"))
}

// DigestText is the digest, and what it covers.
func (r *Report) DigestText() string {
	return r.Digest + "  " + cmp.Or(r.Aside.DigestCovers, digestCovers)
}

func (r *Report) Title() string { return r.Scenario }

// Interrupted reports whether the run was ended from outside, or its repetition, with less told.
func (r *Report) Interrupted() bool {
	return r.Aside.CutShort || slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Rule == RuleInterrupted })
}

// ToolFailed reports whether a tool, the simulator of its RTL, has failed, hung or was killed.
func (r *Report) ToolFailed() bool {
	return slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Rule == RuleRTLTool })
}

// Expects notes what was expected of the run.
func (r *Report) Expects(e *Expectation) {
	r.Expect = e.judge(r.Verdict, r.Interrupted() || r.ToolFailed(), func(rule string) bool {
		return slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Rule == rule })
	})
}

// Figures lists all figures of a run: how long it took, its metrics, its frames.
func (r *Report) Figures() []fabric.Metric {
	all := make([]fabric.Metric, 0, 2+len(r.Metrics)+8)
	all = append(all, fabric.Metric{Name: "slots", Value: r.Slots}, fabric.Metric{Name: "cycles", Value: r.Cycles})
	all = append(all, r.Metrics...)
	for i := range r.Faults {
		all = append(all, fabric.Metric{Name: fmt.Sprintf("fault[%d].%s", i, r.Faults[i].Kind), Value: r.Faults[i].Count})
	}
	frames := reflect.ValueOf(r.Frames)
	for i := range frames.NumField() {
		all = append(all, fabric.Metric{Name: "frames." + frames.Type().Field(i).Tag.Get("json"), Value: frames.Field(i).Uint()})
	}
	return all
}

func (r *Report) WriteJSON(w io.Writer) error { return WriteJSON(w, r.listed()) }

// Line is that form in one line.
func (r *Report) Line() ([]byte, error) {
	var b bytes.Buffer
	err := input.JSONEncoder(&b).Encode(r.listed())
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

// Frames counts frames: what NICs sent, and what became of every reception.
type Frames struct {
	Sent      uint64 `json:"sent"`      // that NICs put on the fabric
	Delivered uint64 `json:"delivered"` // receptions with status ok
	Collided  uint64 `json:"collided"`  // sent frames that met another one on a medium, per medium
	// Blocked counts the slots in which a frame had to wait because its medium was taken.
	Blocked  uint64 `json:"blocked"`
	CRC      uint64 `json:"crc"`      // receptions with status crc
	Overflow uint64 `json:"overflow"` // good frames lost at a full RX FIFO, and slots in which a TX FIFO refused frames, however many
	Unheard  uint64 `json:"unheard"`  // alone on a medium to which no one listened, per medium
	Faulted  uint64 `json:"faulted"`  // alone on a medium to which someone listened, and lost there by a fault, per medium
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
