package outcome

import (
	"fmt"
	"io"
	"strings"
	"time"

	"starloom/traces"
)

// ExploredVerdict is the result of an exploration.
type ExploredVerdict string

// Verdicts.
const (
	Holds ExploredVerdict = "holds" // no run within the bounds breaks a rule
	Fails ExploredVerdict = "fails" // a run within the bounds breaks a rule
	Open  ExploredVerdict = "open"  // a limit was reached first
)

// ExploredSchema is the version of the JSON form.
const ExploredSchema = 1

// Explored is the verdict on all runs within bounds. Its JSON form is stable and versioned.
type Explored struct {
	Schema      int             `json:"schema"`
	Scenario    string          `json:"scenario"`
	Seed        uint64          `json:"seed"`
	Verdict     ExploredVerdict `json:"verdict"`
	Rules       []string        `json:"rules"`
	Bounds      map[string]int  `json:"faults"` // largest number of faults by kind
	Counts      ExploredCounts  `json:"counts"`
	Slots       uint32          `json:"slots"`                 // slots whose states are all expanded
	Incomplete  string          `json:"incomplete,omitempty"`  // reason of an open verdict
	Violations  []Violation     `json:"violations,omitempty"`  // of the schedule
	Schedule    []ExploredFault `json:"schedule,omitempty"`    // faults of the run with the fewest faults
	Permutation []uint32        `json:"permutation,omitempty"` // of the same run, if all are explored
	// FewestShown means that no run with fewer faults breaks a rule.
	FewestShown bool            `json:"fewest_shown,omitempty"`
	Covered     []string        `json:"covered"`
	NotCovered  []string        `json:"not_covered"`
	Levels      []ExploredLevel `json:"levels"`
	ExploredDetails

	Provenance *traces.Provenance `json:"provenance,omitempty"`
	Repeat     string             `json:"repeat,omitempty"` // command that runs the schedule
	Pictures   []Picture          `json:"-"`                // for the page: the run, also without faults
}

// ExploredAct is what a handler received, did and changed in a slot, or a fault.
type ExploredAct struct {
	Slot  uint32
	Path  string
	Text  string
	Fault bool
	Late  bool // a fault of the frames that the handlers of the slot have sent
}

// Order sorts the acts of a slot.
func (a *ExploredAct) Order() int {
	switch {
	case a.Late:
		return 1
	case a.Fault:
		return -1
	}
	return 0
}

// ExploredCounts are the sizes of a search.
type ExploredCounts struct {
	States      int    `json:"states"` // distinct states
	Transitions uint64 `json:"transitions"`
	Known       uint64 `json:"known"` // number of transitions to a known state without additional faults
	Ends        int    `json:"ends"`  // states in which the run has ended
}

// ExploredLevel counts the states of a slot.
type ExploredLevel struct {
	Slot    uint32 `json:"slot"`
	States  int    `json:"states"`
	Running int    `json:"running"` // number of states of unfinished runs, by minimum number of faults
}

// ExploredCycle is a state to which a run without further faults returns forever.
type ExploredCycle struct {
	First  uint32 `json:"first_slot"` // first slot before which the run has this state
	Period uint32 `json:"period"`     // slots until the state returns
	// length of the run that shows the cycle: the state returns within it, and a run without faults that ends is
	// shorter
	Shown uint32 `json:"shown_slots"`
}

// Text names the state that returns, and its period.
func (c *ExploredCycle) Text() string {
	if c.Period == 1 {
		return fmt.Sprintf("nothing changes from slot %d on", c.First)
	}
	return fmt.Sprintf("its state before slot %d returns every %d slots", c.First, c.Period)
}

// ExploredFault is a fault of a schedule.
type ExploredFault struct {
	Kind   string `json:"kind"`
	Target string `json:"target"`
	Slot   uint32 `json:"slot"`
}

// drawsShown bounds the draws of a schedule in a text.
const drawsShown = 12

// ExploredStart is the requester with the first turn at an arbiter.
type ExploredStart struct {
	Arbiter string `json:"arbiter"`
	First   uint32 `json:"first"`
}

// ExploredArrival is the slot in which a packet of a file is created.
type ExploredArrival struct {
	Packet uint64 `json:"packet"` // id in the file
	Slot   uint32 `json:"slot"`
}

// ExploredDraws are the outcomes of the draws of one processor in one slot of a schedule.
type ExploredDraws struct {
	Processor int      `json:"processor"`
	Path      string   `json:"path"`
	Slot      uint32   `json:"slot"`
	Outcomes  []uint32 `json:"outcomes"` // in the order of the calls, of draws with at least two outcomes
}

// OutcomesText lists the outcomes, such as "draws 0, 2".
func (d *ExploredDraws) OutcomesText() string {
	return "draws " + strings.Trim(strings.ReplaceAll(fmt.Sprint(d.Outcomes), " ", ", "), "[]")
}

// WriteJSON writes the report as JSON.
func (r *Explored) WriteJSON(w io.Writer) error { return WriteJSON(w, r) }

// Sentence returns the verdict in one sentence.
func (r *Explored) Sentence() string {
	switch {
	case r.Verdict == Holds:
		return r.raised() + fmt.Sprintf("no run within the bounds breaks a rule (%s)", strings.Join(r.Rules, ", "))
	case r.Verdict == Open && r.Guide != nil:
		return r.Guide.sentence(r.Incomplete)
	case r.Verdict == Open && r.Slots == 0:
		return r.raised() + r.Incomplete + "; no slot is complete"
	case r.Verdict == Open:
		return r.raised() + fmt.Sprintf("%s; no rule is broken up to slot %d, with all faults of the bounds", r.Incomplete,
			r.Slots)
	}
	v := &r.Violations[0]
	if n := r.Never; n != nil {
		return r.raised() + fmt.Sprintf("%s: the run never ends: %s, without a fault in between; %s: %s", v.Rule, n.Text(),
			v.Path, v.Message)
	}
	return r.raised() + fmt.Sprintf("%s in slot %d, cycle %d: %s: %s", v.Rule, v.Slot, v.Cycle, v.Path, v.Message)
}

// WriteText writes the report for a reader.
func (r *Explored) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", strings.ToUpper(string(r.Verdict)), r.Sentence())
	if r.Verdict == Fails {
		b.WriteString(r.shortest())
	}
	b.WriteString(r.table())
	fmt.Fprintf(&b, "  states       %d, found in %s; %s to known states; %s\n", r.Counts.States,
		traces.Plural(r.Counts.Transitions, "step", "steps"), traces.Plural(r.Counts.Known, "step led", "steps led"),
		traces.Plural(uint64(r.Counts.Ends), "state ends a run", "states end a run"))
	if text := r.BranchesText(); text != "" {
		fmt.Fprintf(&b, "  firmware     %s\n", text)
	}
	covered := "covered      "
	if r.Guide != nil {
		covered = "tried        "
	}
	for _, line := range r.Covered {
		fmt.Fprintf(&b, "  %s%s\n", covered, line)
	}
	for _, line := range r.NotCovered {
		fmt.Fprintf(&b, "  not covered  %s\n", line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Explored) shortest() string {
	var b strings.Builder
	if len(r.Schedule) == 0 {
		b.WriteString("  without any fault\n")
	}
	for _, f := range r.Schedule {
		fmt.Fprintf(&b, "  slot %-7d %s of %s\n", f.Slot, f.Kind, f.Target)
	}
	for _, x := range r.ArbiterStart {
		fmt.Fprintf(&b, "  start        %s serves requester %d first\n", x.Arbiter, x.First)
	}
	for _, x := range r.Arrivals {
		fmt.Fprintf(&b, "  slot %-7d packet %d arrives\n", x.Slot, x.Packet)
	}
	for i := range r.Draws {
		if i == drawsShown {
			fmt.Fprintf(&b, "  and          %s in later slots\n", traces.Plural(len(r.Draws)-i, "draw", "draws"))
			break
		}
		fmt.Fprintf(&b, "  slot %-7d %s\n", r.Draws[i].Slot, r.Draws[i].Path+" "+r.Draws[i].OutcomesText())
	}
	switch {
	case len(r.Schedule) == 0:
	case r.Guide != nil:
		fmt.Fprintf(&b, "  shortened    %s; fewer faults may break a rule, too\n", r.Guide.shortest(len(r.Schedule)))
	case r.FewestShown:
		b.WriteString("  fewest       no run with fewer faults breaks a rule\n")
	default:
		fmt.Fprintf(&b, "  open         whether fewer faults break a rule: %s\n", r.Incomplete)
	}
	if r.Deadlock != nil {
		fmt.Fprintf(&b, "  deadlock     %s\n", r.Deadlock.Text())
	}
	if r.Repeat != "" {
		fmt.Fprintf(&b, "  repeat       %s\n", r.Repeat)
	}
	return b.String()
}

// WriteJUnit writes the report as a test suite: a case for the verdict, and a case for each smaller bound that holds.
// An open verdict is a skipped case.
func (r *Explored) WriteJUnit(w io.Writer, took time.Duration) error {
	c, err := r.junit("explore " + r.Scenario)
	if err != nil {
		return err
	}
	c.Took = took
	return WriteJUnit(w, r.Scenario, took, append(r.cases(r.Scenario), c))
}

// junit returns the test case of the verdict.
func (r *Explored) junit(name string) (JUnitCase, error) {
	var text strings.Builder
	err := r.WriteText(&text)
	c := JUnitCase{Name: name, Details: text.String()}
	switch r.Verdict {
	case Fails:
		c.Failure = r.Sentence()
	case Open:
		c.Skipped = r.Sentence()
	}
	return c, err
}
