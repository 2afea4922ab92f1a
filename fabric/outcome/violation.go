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

// ViolationsMax bounds the violations of a report. The first of every rule is always listed.
const ViolationsMax = 100

// Wants reports whether a list has room for a violation of a rule, or lacks the rule.
func Wants(kept []Violation, rule string) bool {
	return len(kept) < ViolationsMax || !slices.ContainsFunc(kept, func(k Violation) bool { return k.Rule == rule })
}

// Violation is a broken rule at a cycle.
type Violation struct {
	Rule    string           `json:"rule"`  // one of the constants Rule...
	Cycle   uint64           `json:"cycle"` // cycle as in waveforms, captures and logs
	Slot    uint64           `json:"slot"`
	Path    string           `json:"path"`              // path of a processor, medium or link
	Message string           `json:"message"`           // message for people; its words may change
	Cause   string           `json:"cause,omitempty"`   // for one run with faults: CauseFaults, CauseFirmware or CauseUnclear
	Senders []int            `json:"senders,omitempty"` // for collision_free: senders of the frames that met, the first SendersMax
	Waits   []fabric.Waiting `json:"waits,omitempty"`   // for deadlock: the first waiting frames or packets
	Faults  []int            `json:"-"`                 // for the page of one run: the faults that cause it alone
	Subject Subject          `json:"-"`                 // subject in numbers

	// Backtrace holds the called functions of firmware that trapped or gave up, the innermost first and inlined ones
	// included, with file:line:column of images built with -g.
	Backtrace []wasm.Frame `json:"backtrace,omitempty"`
}

// SendersMax bounds Violation.Senders.
const SendersMax = 16

// Subject is the subject of a violation: kind, processor or medium, and value of its fabric.Finding.
type Subject struct {
	Kind  fabric.FindingKind
	Index int
	Value uint32
}

// Text is the message with the senders of frames that met.
func (v *Violation) Text() string { return v.Message + SendersText(v.Senders) }

// SendersText names the senders of frames that met, "" if unknown.
func SendersText(senders []int) string { return texts.Say("senders", senders) }

// Where is the cycle, slot and path of the violation.
func (v *Violation) Where() string { return texts.Say("where", v) }

// Line is the violation in one line: rule, cycle, path, message and cause.
func (v *Violation) Line() string { return texts.Say("violation", v) }

// Details lists the frames that wait for one another, and the innermost functions of the backtrace, at most most.
func (v *Violation) Details(most int) string {
	return texts.Say("details", struct {
		*Violation
		Shown []wasm.Frame
		More  int
	}{v, v.Backtrace[:min(most, len(v.Backtrace))], max(0, len(v.Backtrace)-most)})
}

// RuleReplay is broken by firmware that behaves differently alone than among others: it depends on data beside its
// registers, FIFOs, schedule and state.
const RuleReplay = "replay"

// rulesBeside may be broken without being checked by the scenario.
var rulesBeside = []string{fabric.RuleLateLight, RuleReplay, RuleRTLFault, RuleRTLUnknown}

// RuleInterrupted is the rule that an interrupted run breaks.
const RuleInterrupted = "interrupted"

// Rules that only RTL can break. The first two end the run.
const (
	RuleRTLFault   = "rtl_fault"   // the RTL ended the simulation, does not settle, or drives contradictory outputs
	RuleRTLUnknown = "rtl_unknown" // an output of the RTL was X or Z
	RuleRTLTool    = "rtl_tool"    // the simulator of the RTL failed, hung or was killed
)

// Scene is the surroundings of a violation, or of a fault's first effect, for pages: frames, routes of their packets,
// signals. A repetition of the run finds it.
type Scene struct {
	Violation  int // index in Report.Violations, -1 for a fault
	Fault      int // index in Report.Faults, -1 for a violation
	Cycle      uint64
	Slot       uint64
	Decides    *uint64 // later slot in which a paused handler misses a due action; nil for none
	Path       string
	Sender     string       // path of the sender of a missing packet, "" for none
	Beside     []string     // further scopes with signals: the sender and its requested medium
	Frames     []SceneFrame // frames on the medium or at the processor, by cycle
	FramesLeft int          // number of unlisted frames
	Trails     []Trail      // trails of packets in the frames of Slot
	TrailsLeft int
	Untrailed  string      // reason for missing trails, otherwise ""
	Waves      *SceneWaves // nil if Unshown
	Unshown    string      // reason for missing waves
	Still      []string    // constant signals with their values
}

// SceneFrame is a frame at a port, at its first phit if sent, at its last if heard.
type SceneFrame struct {
	Cycle, Slot uint64
	Path        string // path of the port
	Processor   int
	Sent        bool   // false for a heard frame
	Status      string // receiver status of a heard frame
	Medium      string // path of the medium
	Link        string // path of the link from the medium to its listeners

	// Contents of a readable frame.
	Kind                string // "" for an unreadable frame
	Source, Destination uint32
	Payload             []byte
	Answers             []byte // for an ack: payload of the data frame last heard by its sender, directly or by an ack; nil for none
}

// Trail holds the frames of a packet on its way through the network.
type Trail struct {
	Payload    []byte
	Frames     []SceneFrame
	FramesLeft int
}

// SceneWaves holds signals around a cycle, without cycles in which none changes.
type SceneWaves struct {
	Columns     []uint64 // numbers of the cycles
	Rows        []traces.WaveRow
	Marked      int      // column of the violation or fault
	Decides     int      // first column of slot Scene.Decides, 0 for none
	SignalsLeft int      // number of changing signals left out
	Patterns    []string // globs of the signals, as in traces.vcd.signals
}

// Picture is an SVG with its caption.
type Picture struct {
	Caption string
	SVG     []byte
}
