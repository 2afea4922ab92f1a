package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
)

// faultsNamed and lostShown are of how many faults it is said what they did, and at how many places.
const faultsNamed, lostShown = 4, 8

// faultText says what a fault did: where it struck first, and what it has brought about.
func faultText(r *outcome.Report, fault int) string {
	f, name := &r.Faults[fault], r.FaultName(fault)
	if f.First == nil {
		return fmt.Sprintf("The fault `%s` has done nothing.", name)
	}
	text := fmt.Sprintf("The fault `%s` struck first in slot %d, which begins with [cycle %d](#fault-%d), %s",
		name, f.First.Slot, f.First.Cycle, fault+1, f.First.Path)
	if s := sceneOfFault(r, fault); s != nil && s.Waves != nil && s.Waves.Columns[s.Waves.Marked] > f.First.Cycle {
		text += fmt.Sprintf(" (signals show it from cycle %d on)", s.Waves.Columns[s.Waves.Marked])
	}
	return text + "."
}

func breaksAlone(r *outcome.Report) string {
	if !r.Aside.Known.Blamed {
		return ""
	}
	var parts []string
	for k := range r.Faults {
		count := map[string]int{}
		for i := range r.Violations {
			if v := &r.Violations[i]; slices.Contains(v.Faults, k) {
				count[v.Rule]++
			}
		}
		for _, rule := range slices.Sorted(maps.Keys(count)) {
			parts = append(parts, fmt.Sprintf("`%s` breaks `%s` %s", r.FaultName(k), rule, times(count[rule])))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " Each was tried alone: " + join(parts) + "."
}

// cutBlocks say of each fault by which loss it has cut the ways of a message that one processor tells all.
func cutBlocks(r *outcome.Report) (blocks []Block) {
	for k := range r.Faults {
		var roots, behind []string
		for i := range r.Violations {
			v := &r.Violations[i]
			switch {
			case v.Rule != fabric.RuleExactlyOnce || !slices.Equal(v.Faults, []int{k}):
			case strings.Contains(v.Message, ": it comes by way of "):
				behind = append(behind, v.Path)
			default:
				roots = append(roots, v.Message)
			}
		}
		if len(roots) > 0 && len(roots) <= faultsNamed && len(behind) > 0 {
			if more := len(behind) - lostShown; more > 0 {
				behind = append(behind[:lostShown], fmt.Sprintf("%d more", more))
			}
			blocks = append(blocks, text("`%s`: %s. To these it comes by way of others, so they lost it, too: %s.",
				r.FaultName(k), strings.Join(roots, "; "), join(behind)))
		}
	}
	return blocks
}

// shares says how many violations of a rule are whose, if not all are one's.
func shares(r *outcome.Report, rule string) string {
	var order []string
	count := map[string]int{}
	for i := range r.Violations {
		v := &r.Violations[i]
		if v.Rule != rule || v.Cause == "" {
			continue
		}
		who := "also without faults"
		switch v.Cause {
		case outcome.CauseFaults:
			who = "by " + blamed(r, v)
		case outcome.CauseUnclear:
			who = "of unclear cause"
		}
		if count[who]++; count[who] == 1 {
			order = append(order, who)
		}
	}
	if len(order) < 2 {
		return ""
	}
	for i, who := range order {
		order[i] = fmt.Sprintf("%d %s", count[who], who)
	}
	return " Of these: " + join(order) + "."
}

// stoodBlocks say the next due action of an unfinished processor and what prevented it; none if unknown.
func stoodBlocks(r *outcome.Report, s *outcome.Stood) []Block {
	if s.Next == nil {
		return nil
	}
	what := fmt.Sprintf("processor %d does nothing", s.Processor)
	if s.From > 0 {
		what = fmt.Sprintf("processor %d does nothing from slot %d on", s.Processor, s.From)
	}
	what = fmt.Sprintf("`%s`: with the faults %s. Without them it %s", fabric.RuleFinishes, what, s.Next.Text())
	if k := s.Next.Paused; k >= 0 {
		what += fmt.Sprintf(". In slot %d the fault `%s` keeps its handler from being called; when it is called again, "+
			"the slot is over, and the firmware does not make up for it",
			s.Next.Slot, r.FaultName(k))
	}
	return []Block{{Text: what + "."}}
}

// sceneOfFault is where a fault struck first, nil if that is not shown.
func sceneOfFault(r *outcome.Report, fault int) *outcome.Scene {
	for i := range r.Aside.Scenes {
		if s := &r.Aside.Scenes[i]; s.Violation < 0 && s.Fault == fault {
			return s
		}
	}
	return nil
}

func firstFault(r *outcome.Report) string {
	k := slices.IndexFunc(r.Faults, func(f outcome.FaultReport) bool { return f.First != nil })
	return fmt.Sprintf("fault-%d", k+1)
}

// struck is where faults have struck first in a run of which they have broken a rule, nil for none.
func struck(r *outcome.Report) (first *outcome.FaultFirst) {
	if !r.ByFaults() {
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
		return "the fault `" + r.FaultName(0) + "`"
	}
	names := make([]string, len(v.Faults))
	for i, k := range v.Faults {
		names[i] = r.FaultName(k)
	}
	switch {
	case len(names) == 1:
		return "the fault `" + names[0] + "`"
	case len(names) > 1:
		return "each of the faults " + join(names)
	case r.Aside.Known.Blamed:
		return "the faults together, none alone"
	}
	return "the faults"
}

func causeOf(r *outcome.Report, v *outcome.Violation) string {
	switch v.Cause {
	case outcome.CauseFaults:
		return ". It was brought about by " + blamed(r, v) + ": without faults this does not happen"
	case outcome.CauseFirmware:
		return ". It happens without the faults, too: the firmware does this by itself"
	case outcome.CauseUnclear:
		return ". Without the faults the rule is broken here, too, but in another way"
	}
	return ""
}

func causeCell(r *outcome.Report, v *outcome.Violation) string {
	switch v.Cause {
	case outcome.CauseFaults:
		return blamed(r, v)
	case outcome.CauseFirmware:
		return "also without faults"
	}
	return v.Cause
}

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
