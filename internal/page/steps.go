package page

import (
	"fmt"
	"strings"

	"starloom/fabric"
	"starloom/internal/outcome"
)

// nextSteps are what to do about the first violation: what may mend it, as commands; then what to look at.
func nextSteps(r *outcome.Report, first *outcome.Violation, written []outcome.OutputFile) (steps []Step) {
	for _, remedy := range r.Aside.Remedies {
		steps = append(steps, Step(remedy))
	}
	command := r.Aside.Command
	if first.Rule != outcome.RuleInterrupted && r.Aside.Alone != "" {
		const text = "Run the first permutation that fails alone, for a page with its signals and frames:"
		return append(steps, Step{text, command + " " + r.Aside.Alone + " --html run.html"})
	}
	moreTime := first.Rule == fabric.RuleFinishes && len(steps) > 0 // then neither flags nor signals say more
	switch next := rules[first.Rule].next; {
	case len(first.Backtrace) > 0 && first.Backtrace[0].Source != "":
		at := &first.Backtrace[0]
		steps = append(steps, Step{Text: fmt.Sprintf("Open %s, in the function %s: the handler stopped there.", at.Source, at.Function)})
	case first.Cause == outcome.CauseFaults && r.Without != nil:
		const text = "Look at [where the faults struck first](#%s). Whether the firmware should survive that is yours to decide: if so, let it notice " +
			"the loss (a timeout) and send again; if not, hold it only to rules that those keep whom the faults spare."
		steps = append(steps, Step{Text: fmt.Sprintf(text, firstFault(r))})
	case next != "" && !moreTime:
		steps = append(steps, Step{Text: next})
	}
	if command == "" {
		return append(steps, Step{Text: fmt.Sprintf("Run the scenario again with seed %d: the run is the same, cycle by cycle.", r.Seed)})
	}
	steps = append(steps, Step{"Repeat it: the run is the same, cycle by cycle.", command})
	files := filesOf(written)
	switch {
	case first.Rule == outcome.RuleInterrupted:
		return steps
	case files["gtkw"] != "":
		steps = append(steps, Step{"See it in the waveform, with a marker where the rule was broken:", "gtkwave " + files["gtkw"]})
	case !moreTime:
		steps = append(steps, Step{"See it in a waveform, with a marker where the rule was broken:", command + " --vcd run.vcd; gtkwave run.gtkw"}) // it fails again
	}
	if r.Aside.RTLCheck != "" {
		steps = append(steps, Step{"Find the first cycle in which RTL and model differ:", strings.Trim(r.Aside.RTLCheck, "`")})
	}
	return steps
}
