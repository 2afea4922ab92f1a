package outcome

import (
	"slices"

	"starloom/fabric"
	"starloom/firmware/wasm"
	"starloom/traces"
)

// Verdict is the outcome of a run or a study.
type Verdict string

// The verdicts.
const (
	VerdictPass Verdict = "pass" // the run kept all rules; all rows of the study agree
	VerdictFail Verdict = "fail" // a rule was broken; a row is off
)

// ViolationsMax is the number of violations that a report lists. The first one of
// every rule is always in the list, so that no rule looks unbroken because
// another one broke often.
const ViolationsMax = 100

// Wants reports whether a list that keeps these keeps one more violation of a rule: there is room, or the rule is new.
func Wants(kept []Violation, rule string) bool {
	return len(kept) < ViolationsMax || !slices.ContainsFunc(kept, func(k Violation) bool { return k.Rule == rule })
}

// Violation is one broken rule, at the cycle in which it broke.
type Violation struct {
	Rule    string           `json:"rule"`  // one of the constants Rule...
	Cycle   uint64           `json:"cycle"` // as in waveforms, captures and logs
	Slot    uint64           `json:"slot"`
	Path    string           `json:"path"`              // of a processor, medium or link
	Message string           `json:"message"`           // for people; may change
	Cause   string           `json:"cause,omitempty"`   // of one run with faults: CauseFaults, CauseFirmware or CauseUnclear
	Senders []int            `json:"senders,omitempty"` // of collision_free: who sent the frames that met, the first SendersMax
	Waits   []fabric.Waiting `json:"waits,omitempty"`   // of deadlock: who waits for whom, the first of them
	Faults  []int            `json:"-"`                 // of one run, for a page: which of its faults bring it about alone
	Subject Subject          `json:"-"`                 // what it is about, in numbers

	// Backtrace is for firmware that trapped or gave up: the functions that were being called,
	// the innermost first, inlined ones, too, with file:line:column of images built with -g.
	Backtrace []wasm.Frame `json:"backtrace,omitempty"`
}

// SendersMax is how many senders of frames that met a violation names.
const SendersMax = 16

// Subject is what a violation is about: the kind of finding, its processor or medium, and what else there is to say of
// it, as in fabric.Finding.
type Subject struct {
	Kind  fabric.FindingKind
	Index int
	Value uint32
}

// Text is the message, with who sent the frames that met.
func (v *Violation) Text() string { return v.Message + SendersText(v.Senders) }

// SendersText names who sent frames that met, "" if that is not known.
func SendersText(senders []int) string { return texts.Say("senders", senders) }

// Where says when and where a rule broke.
func (v *Violation) Where() string { return texts.Say("where", v) }

// Line is the violation in a line: rule, cycle, place, message and cause.
func (v *Violation) Line() string { return texts.Say("violation", v) }

// Details are lines with the frames that wait for one another, and with at most so many functions of a backtrace.
func (v *Violation) Details(most int) string {
	return texts.Say("details", struct {
		*Violation
		Shown []wasm.Frame
		More  int
	}{v, v.Backtrace[:min(most, len(v.Backtrace))], max(0, len(v.Backtrace)-most)})
}

// RuleReplay is the rule that firmware breaks which does something else alone than among
// others: something beside its NIC's registers and FIFOs, its schedule and its state has told
// it what to do.
const RuleReplay = "replay"

// rulesBeside are rules that a run may break without being held to them by its scenario.
var rulesBeside = []string{fabric.RuleLateLight, RuleReplay, RuleRTLFault, RuleRTLUnknown}

// RuleInterrupted is the rule that an interrupted run breaks.
const RuleInterrupted = "interrupted"

// The rules that only RTL can break. The first two end the run.
const (
	RuleRTLFault   = "rtl_fault"   // the RTL ended the simulation, does not settle, or says what cannot be
	RuleRTLUnknown = "rtl_unknown" // an output of the RTL was X or Z
	RuleRTLTool    = "rtl_tool"    // the simulator of the RTL failed, hung or was killed
)

// Scene is what a run did around one of its violations, or where a fault struck first: frames, the way of packets in
// them, signals. It is for pages, and found by repeating the run.
type Scene struct {
	Violation  int // its place in Report.Violations, -1 for...
	Fault      int // ...that of a fault in Report.Faults
	Cycle      uint64
	Slot       uint64
	Decides    *uint64 // a later slot that is shown, too: that in which a paused handler misses what was due; nil for none
	Path       string
	Sender     string       // path of the processor that has sent what has not arrived, "" for none
	Beside     []string     // paths of scopes whose signals belong to it, too: the sender, and the medium that it asks for
	Frames     []SceneFrame // on the medium or at the processor, in the order of cycles
	FramesLeft int          // not listed
	Trails     []Trail      // of packets in the frames of its slot
	TrailsLeft int
	Untrailed  string      // why packets are not followed, "" if they are
	Waves      *SceneWaves // nil for none, then...
	Unshown    string      // ...why
	Still      []string    // signals that do not change, each with its value
}

// SceneFrame is a frame at a port, when its first phit leaves or its last one has come.
type SceneFrame struct {
	Cycle, Slot uint64
	Path        string // of the port
	Processor   int
	Sent        bool   // else heard, then...
	Status      string // ...what the receiver said
	Medium      string // its path, and...
	Link        string // ...that of what leads from it to its listeners

	// Of a frame that can be read.
	Kind                string // "" for a frame that cannot
	Source, Destination uint32
	Payload             []byte
	Answers             []byte // of an ack: the payload of the data frame that its sender had heard last, or had heard an ack of; nil for none
}

// Trail is the way of a packet through a network: the frames with its payload.
type Trail struct {
	Payload    []byte
	Frames     []SceneFrame
	FramesLeft int
}

// SceneWaves are signals around a cycle. Cycles in which none of them changes are left out.
type SceneWaves struct {
	Columns     []uint64 // cycles
	Rows        []traces.WaveRow
	Marked      int      // column of the violation, or fault
	Decides     int      // column in which the slot begins that decides, 0 for none
	SignalsLeft int      // signals that change, too, and are not shown
	Patterns    []string // globs of the signals, as traces.vcd.signals takes them
}

// Picture is SVG with what it shows.
type Picture struct {
	Caption string
	SVG     []byte
}
