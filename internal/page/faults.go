package page

import (
	"fmt"
	"slices"
	"strings"

	"starloom/internal/outcome"
)

// faultsNamed and lostShown are of how many faults it is said what they did, and at how many places.
const faultsNamed, lostShown = 4, 4

// faultText says what a fault did: where it struck first, and what it has brought about.
func faultText(r *outcome.Report, fault int) string {
	f, name := &r.Faults[fault], r.FaultName(fault)
	if f.First == nil {
		return fmt.Sprintf("The fault %s has done nothing.", name)
	}
	text := fmt.Sprintf("The fault %s struck first at [cycle %d](#fault-%d), slot %d, %s", name, f.First.Cycle, fault+1, f.First.Slot, f.First.Path)
	if !r.Aside.Known.Blamed {
		return text + "."
	}
	var places []string
	for i := range r.Violations {
		v := &r.Violations[i]
		if place := v.Rule + " at " + v.Path; slices.Contains(v.Faults, fault) && !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	for i := len(places) - 1; i > 0; i-- { // a rule is named once
		rule, path, _ := strings.Cut(places[i], " at ")
		if before, _, _ := strings.Cut(places[i-1], " at "); before == rule {
			places[i] = path
		}
	}
	switch more := len(places) - lostShown; {
	case len(places) == 0:
		return text + ". Alone it breaks none of these rules."
	case more > 1:
		return text + fmt.Sprintf(". Alone it breaks %s and %d more.", join(places[:lostShown]), more)
	}
	return text + ". Alone it breaks " + join(places) + "."
}

// firstFault is the place of the page with the first fault that has done anything.
func firstFault(r *outcome.Report) string {
	k := slices.IndexFunc(r.Faults, func(f outcome.FaultReport) bool { return f.First != nil })
	return fmt.Sprintf("fault-%d", k+1)
}

// struck is where faults have struck first in a run of which they have broken a rule, nil for none.
func struck(r *outcome.Report) (first *outcome.FaultFirst) {
	if !slices.ContainsFunc(r.Violations, func(v outcome.Violation) bool { return v.Cause == outcome.CauseFaults }) {
		return nil
	}
	for k := range r.Faults {
		if at := r.Faults[k].First; at != nil && (first == nil || at.Cycle < first.Cycle) {
			first = at
		}
	}
	return first
}

// blamed names the faults that have brought a violation about: each alone, or the only one there is.
func blamed(r *outcome.Report, v *outcome.Violation) string {
	if len(r.Faults) == 1 {
		return "the fault " + r.FaultName(0)
	}
	names := make([]string, len(v.Faults))
	for i, k := range v.Faults {
		names[i] = r.FaultName(k)
	}
	switch {
	case len(names) == 1:
		return "the fault " + names[0]
	case len(names) > 1:
		return "each of the faults " + join(names)
	case r.Aside.Known.Blamed:
		return "the faults together, none alone"
	}
	return "the faults"
}

// causeOf says whose a violation is, in a run with faults.
func causeOf(r *outcome.Report, v *outcome.Violation) string {
	switch v.Cause {
	case outcome.CauseFaults:
		return " - brought about by " + blamed(r, v) + ": without faults this does not happen"
	case outcome.CauseFirmware:
		return " - without the faults, too: the firmware does this by itself"
	case outcome.CauseUnclear:
		return " - without the faults the rule is broken here, too, but in another way"
	}
	return ""
}

// causeCell is causeOf in a table.
func causeCell(r *outcome.Report, v *outcome.Violation) string {
	switch v.Cause {
	case outcome.CauseFaults:
		return blamed(r, v)
	case outcome.CauseFirmware:
		return "also without faults"
	}
	return v.Cause
}

// faultsSection says what the faults of the scenario are set to, and what they have done.
func faultsSection(r *outcome.Report) *Section {
	if len(r.Faults) == 0 {
		return nil
	}
	s := &Section{Title: "Faults of the scenario"}
	set := r.Aside.Known.Faults
	t := &Table{Caption: "What each fault is set to, and what it has done.", Columns: columns([]string{"fault", "is set to", "has done"})}
	for i := range r.Faults {
		row := []string{r.FaultName(i), "", r.Faults[i].Text()}
		if i < len(set) {
			_, row[1], _ = strings.Cut(set[i], ": ")
		}
		t.Rows = append(t.Rows, row)
	}
	s.Blocks = append(s.Blocks, Block{Table: t})
	if r.Without != nil {
		s.Blocks = append(s.Blocks, text("The same run without the faults: %s.", r.Without.Text()))
	}
	return s
}
