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
	VerdictPass Verdict = "pass" // the run broke no rule; all rows of the study agree
	VerdictFail Verdict = "fail" // a rule was broken; a row of the study disagrees
)

// ViolationsMax is the maximum number of violations in a report. The first violation of every rule is always
// included.
const ViolationsMax = 100

// Wants reports whether kept has room for a violation of a rule, or does not yet contain one.
func Wants(kept []Violation, rule string) bool {
	return len(kept) < ViolationsMax || !slices.ContainsFunc(kept, func(k Violation) bool { return k.Rule == rule })
}

// Violation is a broken rule at a cycle.
type Violation struct {
	Rule    string `json:"rule"`  // one of the constants Rule...
	Cycle   uint64 `json:"cycle"` // cycle as in waveforms, captures and logs
	Slot    uint64 `json:"slot"`
	Path    string `json:"path"`    // path of a processor, medium or link
	Message string `json:"message"` // message for people; its words may change
	// for one run with faults: CauseFaults, CauseFirmware or CauseUnclear
	Cause string `json:"cause,omitempty"`
	// for collision_free: senders of the frames in the collision, the first SendersMax
	Senders []int            `json:"senders,omitempty"`
	Waits   []fabric.Waiting `json:"waits,omitempty"` // for deadlock: the first waiting frames or packets
	Faults  []int            `json:"-"`               // for the page of one run: faults that cause it alone
	Subject Subject          `json:"-"`               // subject in numbers

	// Backtrace contains the called functions of firmware that trapped or gave up, innermost first, including inlined
	// ones, with file:line:column for images built with -g.
	Backtrace []wasm.Frame `json:"backtrace,omitempty"`
}

// SendersMax bounds Violation.Senders.
const SendersMax = 16

// Subject is the subject of a violation: the kind, the processor or medium, and the value from its fabric.Finding.
type Subject struct {
	Kind  fabric.FindingKind
	Index int
	Value uint32
}

// Text returns the message with the senders of the collided frames.
func (v *Violation) Text() string { return v.Message + SendersText(v.Senders) }

// SendersText names the senders of the collided frames, "" for unknown senders.
func SendersText(senders []int) string { return texts.Say("senders", senders) }

// Where returns the cycle, slot and path of the violation.
func (v *Violation) Where() string { return texts.Say("where", v) }

// Line describes the violation in one line: rule, cycle, path, message and cause.
func (v *Violation) Line() string { return texts.Say("violation", v) }

// Details lists the frames that wait for each other, and the innermost functions of the backtrace, up to the given
// number.
func (v *Violation) Details(most int) string {
	return texts.Say("details", struct {
		*Violation
		Shown []wasm.Frame
		More  int
	}{v, v.Backtrace[:min(most, len(v.Backtrace))], max(0, len(v.Backtrace)-most)})
}

// RuleReplay is broken if firmware behaves differently in isolation, because it depends on data outside its
// registers, FIFOs, schedule and state.
const RuleReplay = "replay"

// rulesBeside may be broken even if the scenario does not check them.
var rulesBeside = []string{fabric.RuleLateLight, RuleReplay, RuleRTLFault, RuleRTLUnknown}

// RuleInterrupted is the rule broken by an interruption.
const RuleInterrupted = "interrupted"

// Rules that only RTL can break. The first two end the run.
const (
	RuleRTLFault   = "rtl_fault"   // the RTL ended the simulation, did not settle, or drove contradictory outputs
	RuleRTLUnknown = "rtl_unknown" // an output of the RTL was X or Z
	RuleRTLTool    = "rtl_tool"    // the simulator of the RTL failed, hung or was killed
)

// Scene holds, for pages, the surroundings of a violation or of a fault's first effect: frames, routes of their
// packets, and signals. A repetition of the run records them.
type Scene struct {
	Violation  int // index in Report.Violations, -1 for a fault
	Fault      int // index in Report.Faults, -1 for a violation
	Cycle      uint64
	Slot       uint64
	Decides    *uint64 // later slot in which a paused handler misses a due action; nil for none
	Path       string
	Sender     string       // path of the sender of a missing packet, "" for none
	Beside     []string     // other scopes with signals: the sender and its requested medium
	Frames     []SceneFrame // frames on the medium or at the processor, by cycle
	FramesLeft int          // number of frames left out
	Trails     []Trail      // trails of packets in the frames of Slot
	TrailsLeft int
	Untrailed  string      // reason for missing trails, otherwise ""
	Waves      *SceneWaves // nil if Unshown
	Unshown    string      // reason for missing waves
	Still      []string    // constant signals with their values
	// for a fault, or for a violation caused by faults: the first harmed frame, if possible a frame of the
	// violation's processor
	Struck *StruckFrame
}

// StruckFrame is a frame that a fault harmed.
type StruckFrame struct {
	SceneFrame
	Number int // number among the frames of its sender, counted from 1; 0 if unknown
	Fault  int // index in Report.Faults
	Bit    int // flipped bit, -1 for none

	// Own frames are sent by or addressed to the processor of the violation.
	Own bool
}

// SceneFrame is a frame at a port: at its first phit for a sent frame, at its last phit for a received frame.
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
	// for an ack: payload of the last data frame that the ack's sender has received, directly or in an ack; nil for
	// none
	Answers []byte
}

// Trail holds the frames that carry one packet through the network.
type Trail struct {
	Payload    []byte
	Frames     []SceneFrame
	FramesLeft int
}

// SceneWaves holds signals around a cycle. Cycles without a change are omitted.
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
	Narrow  []byte // second drawing in the width of a phone, nil for none
}
