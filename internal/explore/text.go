package explore

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"starloom/traces"
)

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// WriteText writes the report for a reader.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	switch r.Verdict {
	case Holds:
		fmt.Fprintf(&b, "HOLDS: no run within the bounds breaks a rule (%s)\n", strings.Join(r.Rules, ", "))
	case Open:
		fmt.Fprintf(&b, "OPEN: %s; no rule is broken up to slot %d, with all faults of the bounds\n", r.Incomplete, r.Slots)
	default:
		v := &r.Violations[0]
		fmt.Fprintf(&b, "FAILS: %s in slot %d, cycle %d: %s: %s\n", v.Rule, v.Slot, v.Cycle, v.Path, v.Message)
		b.WriteString(r.shortest())
	}
	fmt.Fprintf(&b, "  states       %d by %s, %d of them to known states; %s\n", r.Counts.States,
		traces.Plural(r.Counts.Transitions, "step", "steps"), r.Counts.Known,
		traces.Plural(uint64(r.Counts.Ends), "ended run", "ended runs"))
	for _, line := range r.Covered {
		fmt.Fprintf(&b, "  covered      %s\n", line)
	}
	for _, line := range r.NotCovered {
		fmt.Fprintf(&b, "  not covered  %s\n", line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) shortest() string {
	var b strings.Builder
	if len(r.Schedule) == 0 {
		b.WriteString("  without any fault\n")
	}
	for _, f := range r.Schedule {
		fmt.Fprintf(&b, "  slot %-7d %s of %s\n", f.Slot, f.Kind, f.Target)
	}
	if r.FewestShown && len(r.Schedule) > 0 {
		b.WriteString("  fewest       no run with fewer faults breaks a rule\n")
	}
	if r.Counterexample != "" {
		fmt.Fprintf(&b, "  repeat       starloom run %s\n", r.Counterexample)
	}
	return b.String()
}
