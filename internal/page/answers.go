package page

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/internal/outcome"
	"starloom/traces"
)

// runAnswers say what failed, where, and what to do next; order are the violations that are told.
func runAnswers(r *outcome.Report, order []outcome.Repeat, written []outcome.OutputFile) []Answer {
	switch {
	case len(order) > 0:
		firsts := firstOfRules(r, order)
		return Failed(whatTexts(r, firsts), whereTexts(r, firsts), r.Notes, nextSteps(r, firsts[0], written)...)
	case r.Aside.Command == "":
		return Passed(r.Notes, Block{Text: "Nothing failed."})
	}
	return Passed(r.Notes, Block{Text: "Nothing failed. This repeats the run:"}, Block{Command: r.Aside.Command})
}

// firstOfRules are the first violations of each rule that was broken.
func firstOfRules(r *outcome.Report, order []outcome.Repeat) (firsts []*outcome.Violation) {
	for _, x := range order {
		v := &r.Violations[x.Place]
		if !slices.ContainsFunc(firsts, func(f *outcome.Violation) bool { return f.Rule == v.Rule }) {
			firsts = append(firsts, v)
		}
	}
	return firsts
}

// rulesNamed is of how many broken rules it is said in short what has broken them, and where.
const rulesNamed = 3

// whatTexts say which rules were broken: a text for each.
func whatTexts(r *outcome.Report, firsts []*outcome.Violation) (texts []string) {
	for i, v := range firsts {
		if i == rulesNamed {
			return append(texts, fmt.Sprintf("And %s more; [all violations](#violations).", traces.Plural(uint64(len(firsts)-i), "rule", "rules")))
		}
		what := "`" + v.Rule + "`: " + v.Message + causeOf(v) + "."
		if means := ruleText(v.Rule, r.Aside.Known.Limits); means != "" {
			what += " The rule: " + means + "."
		}
		what += extent(r, v.Rule)
		if wait := r.Aside.Known.Wait; v.Rule == fabric.RuleDeadline && wait != "" {
			what += " " + wait
		}
		texts = append(texts, what)
	}
	return texts
}

// extent says how often a rule was broken, at how many processors or other places, and in which slots.
func extent(r *outcome.Report, rule string) string {
	places, slots, count, processors := map[string]bool{}, map[uint64]bool{}, 0, 0
	least, most := ^uint64(0), uint64(0)
	for i := range r.Violations {
		if v := &r.Violations[i]; v.Rule == rule {
			if !places[v.Path] && slices.Contains(r.Aside.Known.Processors, v.Path) {
				processors++
			}
			places[v.Path], slots[v.Slot] = true, true
			least, most = min(least, v.Slot), max(most, v.Slot)
			count++
		}
	}
	if f := &r.Firmware; rule == fabric.RuleMeetsBudget && f.Cycles != nil && f.Overruns != nil && *f.Overruns == f.Cycles.Calls {
		return fmt.Sprintf(" Every call of a handler took longer: all %s, every slot.", traces.Plural(uint64(r.Aside.Known.Count), "processor", "processors"))
	}
	if count < 2 {
		return ""
	}
	more := "" // of which a report does not know
	if r.ViolationsTotal > uint64(len(r.Violations)) {
		more = " or more"
	}
	text := fmt.Sprintf(" It was broken %d times%s", count, more)
	switch all := r.Aside.Known.Count; {
	case processors > 1 && processors == all:
		text += fmt.Sprintf(", at all %d processors", all)
	case len(places) > 1 && processors == len(places):
		text += fmt.Sprintf(", at %d of %d processors%s", processors, all, more)
	case len(places) > 1:
		text += fmt.Sprintf(", at %d places%s", len(places), more)
	}
	switch whole := uint64(len(slots)) == most-least+1; {
	case whole && least == 0 && most+1 == r.Slots && len(slots) > 1:
		text += ", in every slot"
	case more != "":
		text += fmt.Sprintf(", from slot %d on", least)
	case len(slots) == 1:
	case len(slots) == 2:
		text += fmt.Sprintf(", in slots %d and %d", least, most)
	case whole:
		text += fmt.Sprintf(", in every slot from %d to %d", least, most)
	default:
		text += fmt.Sprintf(", in %d slots from %d to %d", len(slots), least, most)
	}
	return text + "."
}

// whereTexts say where the first violation is: in the network, in the firmware, who sent; where the other rules were broken
// first, and what faults did before.
func whereTexts(r *outcome.Report, firsts []*outcome.Violation) (texts []string) {
	first := firsts[0]
	where := "C" + strings.TrimPrefix(first.Where(), "c") + "."
	if first.Cycle >= r.Cycles {
		where = "At the end of the run, which has shown it: " + first.Where() + "."
	}
	if len(first.Backtrace) > 0 {
		where += " In the firmware: " + first.Backtrace[0].String() + "."
	}
	if c := r.Firmware.Cycles; first.Rule == fabric.RuleMeetsBudget && c != nil && c.Worst != nil && c.Worst.Profile != nil {
		if stack := c.Worst.Profile.Stack; len(stack) > 0 {
			where += fmt.Sprintf(" The longest call of a handler, %s, spent most of its %d cycles in %s.", c.Worst.Text(), c.Max, stack[0].Frame)
		}
	}
	for i := range r.Aside.Scenes {
		s := &r.Aside.Scenes[i]
		if s.Violation >= 0 && &r.Violations[s.Violation] == first {
			if senders := sendersOn(s); senders != "" {
				where += " Sent there in this slot: " + senders + "."
			}
		}
	}
	texts = append(texts, where)
	for _, v := range firsts[1:min(len(firsts), rulesNamed)] {
		texts = append(texts, fmt.Sprintf("`%s`: first at %s.", v.Rule, v.Where()))
	}
	if slices.ContainsFunc(firsts, func(v *outcome.Violation) bool { return v.Cause == outcome.CauseFaults }) {
		for k := range r.Faults[:min(len(r.Faults), faultsNamed)] {
			texts = append(texts, faultText(r, k))
		}
	}
	return texts
}

// faultsNamed and lostShown are of how many faults it is said what they did, and at how many places.
const faultsNamed, lostShown = 4, 4

// faultText says what a fault did: where it struck first, and what it has brought about.
func faultText(r *outcome.Report, fault int) string {
	f := &r.Faults[fault]
	if f.First == nil {
		return fmt.Sprintf("The fault %s has done nothing.", f.Kind)
	}
	text := fmt.Sprintf("The fault %s struck first at [cycle %d](#fault-%d), slot %d, %s", f.Kind, f.First.Cycle, fault+1, f.First.Slot, f.First.Path)
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

// sendersShown is how many senders are named.
const sendersShown = 4

// sendersOn names who sent on the medium of a scene in its slot.
func sendersOn(s *outcome.Scene) string {
	var names []string
	for i := range s.Frames {
		x := &s.Frames[i]
		if !x.Sent || x.Slot != s.Slot || x.Medium != s.Path && x.Link != s.Path {
			continue
		}
		if len(names) == sendersShown {
			return join(names) + " and others"
		}
		names = append(names, fmt.Sprintf("processor %d at %s", x.Processor, x.Path))
	}
	return join(names)
}

// firstFault is the place of the page with the first fault that has done anything.
func firstFault(r *outcome.Report) string {
	k := slices.IndexFunc(r.Faults, func(f outcome.FaultReport) bool { return f.First != nil })
	return fmt.Sprintf("fault-%d", k+1)
}

// nextSteps are what to do about the first violation.
func nextSteps(r *outcome.Report, first *outcome.Violation, written []outcome.OutputFile) (steps []Step) {
	if next := rules[first.Rule].next; len(first.Backtrace) > 0 && first.Backtrace[0].Source != "" {
		at := &first.Backtrace[0]
		steps = append(steps, Step{Text: fmt.Sprintf("Open %s, in the function %s: the handler stopped there.", at.Source, at.Function)})
	} else if first.Cause == outcome.CauseFaults && r.Without != nil {
		without := "keeps all rules"
		if r.Without.Verdict == outcome.VerdictFail {
			without = "fails, too, with " + traces.Plural(r.Without.ViolationsTotal, "violation", "violations")
		}
		steps = append(steps, Step{Text: fmt.Sprintf("Look at [where the faults struck first](#%s); without them the run %s. "+
			"Then decide whether the firmware should survive such a fault.", firstFault(r), without)})
	} else if next != "" {
		steps = append(steps, Step{Text: next})
	}
	command := r.Aside.Command
	if command == "" {
		return append(steps, Step{Text: fmt.Sprintf("Run the scenario again with seed %d: the run is the same, cycle by cycle.", r.Seed)})
	}
	steps = append(steps, Step{"Repeat it: the run is the same, cycle by cycle.", command})
	files := filesOf(written)
	switch {
	case first.Rule == outcome.RuleInterrupted:
		return steps
	case r.Aside.Alone != "":
		return []Step{{"Run the first permutation that fails alone, for a page with its signals and frames:", command + " " + r.Aside.Alone + " --html run.html"}}
	case files["gtkw"] != "":
		steps = append(steps, Step{"See it in the waveform, with a marker where the rule was broken:", "gtkwave " + files["gtkw"]})
	default:
		steps = append(steps, Step{"See it in a waveform, with a marker where the rule was broken:", command + " --vcd run.vcd; gtkwave run.gtkw"}) // it fails again
	}
	if r.Aside.RTLCheck != "" {
		steps = append(steps, Step{"Find the first cycle in which RTL and model differ:", strings.Trim(r.Aside.RTLCheck, "`")})
	}
	return steps
}
