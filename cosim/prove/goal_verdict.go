package prove

import (
	"slices"

	"starloom/cosim/lockstep"
)

// Verdicts about goals. Bounded and Undecided are verdicts about goals, too.
const (
	Proved      = "proved"             // for all inputs
	Refuted     = "refuted"            // Case shows it
	Vacuous     = "vacuous"            // proved that the condition before its implication cannot occur
	Reached     = "reached"            // a cover, with a trace
	Unreachable = "unreachable"        // a cover: proved
	Assumed     = "assumed"            // an assume, which restricts inputs
	AboutRTL    = "assumed of the RTL" // an assume that no inputs may be able to keep
	Absent      = "absent"             // not in the elaborated design
)

// Goal is an assertion of the RTL, in one instance of its module, with its verdict.
type Goal struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Place    string `json:"place"`
	Instance string `json:"instance,omitempty"`
	Text     string `json:"text"`
	Verdict  string `json:"verdict"`
	Reason   string `json:"reason,omitempty"`
	FoundBy  string `json:"found_by,omitempty"`
	Cycle    int    `json:"cycle"`        // of the failure or of a cover; -1 for none
	Depth    int    `json:"depth_cycles"` // cycles from power-on without a failure, if not proved
	When     string `json:"when,omitempty"`

	Case *lockstep.Report `json:"case,omitempty"`

	after int
}

// Failed reports whether the verdict is an error of the RTL or of the goal.
func (g *Goal) Failed() bool {
	return slices.Contains([]string{Refuted, Vacuous, Unreachable}, g.Verdict)
}

// Open reports whether the goal is not decided, or holds only under an assumption about the RTL.
func (g *Goal) Open() bool {
	return g.Verdict == Undecided || g.Verdict == AboutRTL || g.When == Undecided
}
