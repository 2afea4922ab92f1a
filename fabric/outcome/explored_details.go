package outcome

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"starloom/traces"
)

// ExploredDetails are details of an exploration in addition to its verdict.
type ExploredDetails struct {
	Draws []ExploredDraws `json:"draws,omitempty"` // of the schedule, if all outcomes are explored
	// of the schedule, if all starts are explored
	ArbiterStart []ExploredStart `json:"arbiter_start,omitempty"`

	Arrivals []ExploredArrival `json:"arrivals,omitempty"` // of the schedule, if all are explored

	Raised   []ExploredBound   `json:"raised,omitempty"` // bounds explored one after another
	Deadlock *ExploredDeadlock `json:"deadlock,omitempty"`
	// Never is the cycle of a run that never ends; nil for none. Violations then come from a run of Never.Shown
	// slots.
	Never   *ExploredCycle   `json:"never_ends,omitempty"`
	Targets []ExploredTarget `json:"targets,omitempty"` // places at which faults were tried
	Lines   []ExploredLine   `json:"lines,omitempty"`   // of the firmware, with branches
	Graph   *ExploredGraph   `json:"-"`                 // nil if it is not asked for
	Guide   *ExploredGuide   `json:"guide,omitempty"`   // of a guided search
	Acts    []ExploredAct    `json:"-"`                 // for the page: the run up to the violation, in order
}

// ExploredTarget counts the steps with a fault at a target. Failing counts the schedules found so far that contain
// such a fault and break a rule.
type ExploredTarget struct {
	Kind    string `json:"kind"`
	Target  string `json:"target"`
	Steps   uint64 `json:"steps"`
	Differ  uint64 `json:"differ"` // number of steps whose next state differs from the state without the fault
	Failing uint64 `json:"failing"`
}

// ExploredLine counts the branches of a line of the firmware. Both outcomes of a condition are branches.
type ExploredLine struct {
	Function string `json:"function"`
	Source   string `json:"source"` // file:line
	Branches int    `json:"branches"`
	Reached  int    `json:"reached"` // in any explored state
}

// ExploredBound is the verdict for bounds of faults.
type ExploredBound struct {
	Bounds      []ExploredLimit `json:"bounds"`
	Verdict     ExploredVerdict `json:"verdict"`
	States      int             `json:"states"`
	Transitions uint64          `json:"transitions"`
	Slots       uint32          `json:"slots"` // slots whose states are all expanded
}

// ExploredLimit is the maximum number of faults of a kind. All means that a larger number leads to no other states.
type ExploredLimit struct {
	Kind  string `json:"kind"`
	Limit int    `json:"limit"`
	All   bool   `json:"all,omitempty"`
}

// ExploredDeadlock is the final state of a schedule after which nothing changes.
type ExploredDeadlock struct {
	Since   uint32   `json:"since_slot"`
	Waiting []string `json:"waiting"` // paths of processors that are not done, at most WaitingMax
	More    int      `json:"more,omitempty"`
}

// WaitingMax bounds ExploredDeadlock.Waiting.
const WaitingMax = 8

// Text names the slot and the processors.
func (d *ExploredDeadlock) Text() string {
	names := strings.Join(d.Waiting, ", ")
	if d.More > 0 {
		names += fmt.Sprintf(" and %d more", d.More)
	}
	verb := "wait"
	if len(d.Waiting)+d.More == 1 {
		verb = "waits"
	}
	return fmt.Sprintf("since slot %d: %s %s, and no register, FIFO or variable changes again", d.Since, names, verb)
}

// Text lists the limits: drop 2, restart 1.
func (b *ExploredBound) Text() string {
	var words []string
	for _, l := range b.Bounds {
		if l.All {
			words = append(words, "any number of "+l.Kind)
			continue
		}
		words = append(words, fmt.Sprintf("%s %d", l.Kind, l.Limit))
	}
	return cmp.Or(strings.Join(words, ", "), "no fault")
}

// raised returns the beginning of Sentence: the bounds that hold, and the bounds to which the verdict refers.
func (r *Explored) raised() string {
	n := len(r.Raised)
	if n == 0 {
		return ""
	}
	last := &r.Raised[n-1]
	if r.Verdict == Holds {
		return fmt.Sprintf("for %s: ", last.Text())
	}
	word := "open"
	if r.Verdict == Fails {
		word = "fails"
	}
	if n == 1 {
		return fmt.Sprintf("%s for %s: ", word, last.Text())
	}
	return fmt.Sprintf("holds for %s, %s for %s: ", r.Raised[n-2].Text(), word, last.Text())
}

// raisedShown is the maximum number of bounds in the text. The last bounds are shown.
const raisedShown = 16

const linesShown = 4

// Unreached lists the lines with a branch that no explored state reaches.
func (d *ExploredDetails) Unreached() (lines []ExploredLine) {
	for _, l := range d.Lines {
		if l.Reached < l.Branches {
			lines = append(lines, l)
		}
	}
	return lines
}

// BranchesText counts the branches that no state reaches and names the first lines with such branches. It returns ""
// if the branches are unknown.
func (d *ExploredDetails) BranchesText() string {
	if len(d.Lines) == 0 {
		return ""
	}
	all, missed := 0, 0
	for _, l := range d.Lines {
		all, missed = all+l.Branches, missed+l.Branches-l.Reached
	}
	text := fmt.Sprintf("%d of %d branches of the firmware are not reached", missed, all)
	for i, l := range d.Unreached() {
		switch {
		case i == linesShown:
			return text + ", ..."
		case i == 0:
			text += ": "
		default:
			text += ", "
		}
		text += fmt.Sprintf("%s (%s)", l.Source, l.Function)
	}
	return text
}

func (d *ExploredDetails) table() string {
	if len(d.Raised) == 0 {
		return ""
	}
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  bounds\tverdict\tstates\tsteps")
	first := max(0, len(d.Raised)-raisedShown)
	if first > 0 {
		fmt.Fprintf(t, "  %d lower bounds\tHOLDS\n", first)
	}
	for i := range d.Raised[first:] {
		x := &d.Raised[first+i]
		fmt.Fprintf(t, "  %s\t%s\t%d\t%d\n", x.Text(), strings.ToUpper(string(x.Verdict)), x.States, x.Transitions)
	}
	_ = t.Flush() // a buffer takes all
	return b.String()
}

// cases returns the test cases of all raised bounds except the last. All these bounds hold.
func (d *ExploredDetails) cases(scenario string) (list []JUnitCase) {
	for i := range d.Raised {
		if x := &d.Raised[i]; i < len(d.Raised)-1 {
			list = append(list, JUnitCase{Name: "explore " + scenario + ", " + x.Text(),
				Details: traces.Plural(x.Transitions, "step", "steps") + "\n"})
		}
	}
	return list
}
