package outcome

import (
	"fmt"
	"io"

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

// Violation is one broken rule, at the cycle in which it broke.
type Violation struct {
	Rule    string `json:"rule"`  // one of the constants Rule...
	Cycle   uint64 `json:"cycle"` // as in waveforms, captures and logs
	Slot    uint64 `json:"slot"`
	Path    string `json:"path"`            // of a processor, medium or link
	Message string `json:"message"`         // for people; may change
	Cause   string `json:"cause,omitempty"` // of one run with faults: CauseFaults, CauseFirmware or CauseUnclear
	Faults  []int  `json:"-"`               // of one run, for a page: which of its faults bring it about alone

	// Backtrace is for firmware that trapped or gave up: the functions that were being called,
	// the innermost first, inlined ones, too, with file:line:column of images built with -g.
	Backtrace []wasm.Frame `json:"backtrace,omitempty"`
}

// Where says when and where a rule broke.
func (v *Violation) Where() string {
	text := fmt.Sprintf("cycle %d, slot %d", v.Cycle, v.Slot)
	if v.Path != "" {
		text += ", " + v.Path
	}
	return text
}

// writeBacktrace writes the innermost functions of a backtrace, a line for each.
func (v *Violation) writeBacktrace(w io.Writer, most int) {
	for k, frame := range v.Backtrace {
		if k == most {
			fmt.Fprintf(w, "    and %s more; --json has all\n", traces.Plural(len(v.Backtrace)-k, "caller", "callers"))
			return
		}
		fmt.Fprintf(w, "    in %s\n", Printable(frame.String()))
	}
}
