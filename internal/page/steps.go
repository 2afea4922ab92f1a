package page

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/traces"
)

// nextSteps are what to do about the first violation: what may mend it, as commands; then what to look at.
func nextSteps(r *outcome.Report, first *outcome.Violation, written []outcome.OutputFile) []Step {
	steps, after, told := remedySteps(r, first)
	command := r.Aside.Command
	if first.Rule != outcome.RuleInterrupted && r.Aside.Alone != "" {
		return append(steps, Step{Text: "Run the first permutation that fails alone, for a page with its signals and frames:",
			Command: command + " " + r.Aside.Alone + " --html run.html", Expect: "FAIL, and the page in run.html"})
	}
	moreTime := first.Rule == fabric.RuleFinishes && len(steps) > 0 // then neither flags nor signals say more
	switch next := nextOf(first); {
	case len(first.Backtrace) > 0 && first.Backtrace[0].Source != "":
		at := &first.Backtrace[0]
		steps = append(steps, Step{Text: fmt.Sprintf("Open %s, in the function %s: the handler stopped there.", at.Source, at.Function)})
	case first.Cause == outcome.CauseFaults && r.Without != nil:
		steps = append(steps, surviveSteps(r)...)
	case first.Rule == fabric.RuleDeadlock && !told:
		steps = append([]Step{breakRing(r, first, next)}, steps...)
	case next != "" && !moreTime && !told:
		steps = append(steps, Step{Text: next})
	}
	steps = append(steps, after...)
	if command == "" {
		return append(steps, Step{Text: fmt.Sprintf("Run the scenario again with seed %d: the run is the same, cycle by cycle.", r.Seed)})
	}
	if first.Rule == outcome.RuleInterrupted {
		return steps
	}
	files, opens := filesOf(written), fmt.Sprintf("GTKWave with its marker at cycle %d", lookAt(r, first).cycle)
	switch {
	case files["gtkw"] != "":
		steps = append(steps, Step{Text: "See it in the waveform:", Command: "gtkwave " + files["gtkw"], Expect: opens})
	case !moreTime:
		steps = append(steps, Step{Text: "See it in a waveform:", Command: command + " --vcd run.vcd; gtkwave run.gtkw", Expect: "the same FAIL, and then " + opens})
	}
	if k := &r.Aside.Known; k.Check != "" {
		steps = append(steps, Step{Text: uncheckedText(r), Command: k.Check, Expect: k.Checked})
	}
	if r.Aside.RTLCheck != "" {
		steps = append(steps, Step{Text: "Find the first cycle in which RTL and model differ:", Command: strings.Trim(r.Aside.RTLCheck, "`"),
			Expect: "FAIL with this cycle, or PASS if they never do: then the model is wrong, too, or what uses it"})
	}
	return steps
}

// breakRing is what mends a deadlock for good: where NICs are in it, their firmware.
func breakRing(r *outcome.Report, first *outcome.Violation, routes string) Step {
	if !slices.ContainsFunc(first.Waits, func(w fabric.Waiting) bool { return w.NIC }) {
		return Step{When: "If the routes may be changed", Text: routes}
	}
	step := Step{When: "If the firmware may be changed", Text: "break the ring at a NIC: either", List: []string{
		"its handler takes all of its RX FIFO before it waits for its TX FIFO",
		"or, if requests wait for replies, these get a port and virtual channels of their own: " +
			"`streaming: {ports: 2}` and `router: {classes: 2}` in the netlist, `port` in the firmware",
	}}
	if program := r.Aside.Known.Program; program != "" && r.Aside.Command != "" {
		write, file, build := outcome.SourceOf(program)
		step.Then = fmt.Sprintf("This writes the source of `%s`:", program)
		step.Command, step.Expect = write, fmt.Sprintf("the file %s; when it is changed, `%s && %s` builds and runs it: PASS if no ring is left",
			file, build, outcome.WithOwn(r.Aside.Command, program))
	}
	return step
}

// remedySteps are what may mend a run, and what comes after the advice that the first broken rule has; it is told if a remedy takes
// the place of that.
func remedySteps(r *outcome.Report, first *outcome.Violation) (steps, after []Step, told bool) {
	told = r.Aside.Known.Unfit != ""
	for _, remedy := range r.Aside.Remedies {
		step := remedy.Step
		switch {
		case remedy.Tried: // it is told with the cause
		case remedy.Instead && remedy.Rule == first.Rule:
			steps, told = append(steps, step), true
		case remedy.Later || remedy.Command == "" || remedy.Rule != "" && remedy.Rule != first.Rule:
			after = append(after, step)
		default:
			steps = append(steps, step)
		}
	}
	return steps, after, told
}

func uncheckedText(r *outcome.Report) string {
	return fmt.Sprintf("Rules of a scenario or of `--set` take the place of those that `%s` has by itself, "+
		"so this run was not checked for %s. Check it for these, too:",
		r.Aside.Known.Program, join(r.Aside.Known.Unchecked))
}

// crossed is the path of a packet that came after its deadline, if a violation is about it and the slot is known; nil if not.
func crossed(r *outcome.Report, v *outcome.Violation) *outcome.LatestPath {
	late := r.Aside.Late
	if i := late.Of(r.Violations); i < 0 || &r.Violations[i] != v || !late.Worst.Known {
		return nil
	}
	return late.Worst
}

// wayOn is how processors go on that wait for what has passed: for a slot in which a handler was paused, or for a frame.
type wayOn struct {
	text   string
	paused bool
}

// waysOn is the way on of the first processor that was paused, or else of those that wait.
func waysOn(r *outcome.Report) wayOn {
	for i := range r.Aside.Stood {
		if next := r.Aside.Stood[i].Next; next != nil && next.Paused >= 0 {
			return wayOn{fmt.Sprintf("A handler that was not called when something was due does it as soon as it is called again "+
				"(processor %d: what was due in slot %d): it asks for that slot or a later one, `>=`, not `==`", r.Aside.Stood[i].Processor, next.Slot), true}
		}
	}
	return wayOn{text: "A processor that waits for a frame or a slot that has passed goes on by itself"}
}

// surviveSteps say how firmware gets over what faults have taken, by the rules that they have broken, and what it can not.
func surviveSteps(r *outcome.Report) []Step {
	var ways, limits []string
	count := broken(r)
	if count[fabric.RuleExactlyOnce]+count[fabric.RuleNoLoss] > 0 || r.Frames.Faulted > 0 {
		again := "A sender that has no answer after some slots sends the frame again"
		if ports := r.Aside.Known.Ports; ports > 1 {
			again += fmt.Sprintf(": by the same way, or, around what is dead or stuck, over another of its %d ports", ports)
		}
		ways = append(ways, "Whoever receives a frame answers it", again, "It is done (`sl_done`) only when it has the answer")
		if len(r.Aside.Killed) > 0 {
			ways = append(ways, "What others get by way of a processor that a fault has killed is sent around it")
		}
	}
	if on := waysOn(r); count[fabric.RuleFinishes] > 0 && (len(ways) == 0 || on.paused) {
		ways = append(ways, on.text)
	}
	dead := 0
	for i := range r.Violations {
		if v := &r.Violations[i]; v.Rule == fabric.RuleExactlyOnce && slices.Contains(r.Aside.Killed, v.Path) {
			dead++
		}
	}
	if count[fabric.RuleNoLoss] > 0 {
		limits = append(limits, "`no_loss` is broken wherever a fault takes a frame")
	}
	if dead > 0 {
		limits = append(limits, fmt.Sprintf("`exactly_once` is broken at processors that are dead, which receive nothing (%s)",
			traces.Plural(dead, "violation", "violations")))
	}
	if slices.Contains(r.Rules, fabric.RuleReceiveStep) && len(ways) > 0 {
		limits = append(limits, "`receive_step` is broken by what is sent again, as that comes in a later step than the algorithm's")
	}
	change := Step{When: "If they are meant, and the firmware has to survive them", Text: "change it:", List: ways}
	if len(ways) == 0 {
		change.Text = "change it."
	}
	command, program := r.Aside.Command, r.Aside.Known.Program
	if command == "" {
		return []Step{change}
	}
	expect := "PASS if nothing is lost for good"
	if len(limits) > 0 {
		expect = "FAIL only for what no firmware can mend: " + strings.Join(limits, "; ")
	}
	expect += fmt.Sprintf(". Unchanged, it fails as here: %s", traces.Plural(r.ViolationsTotal, "violation", "violations"))
	changed := Step{When: "When it is changed", Text: "build it and run this again:", Command: command, Expect: expect}
	if program != "" {
		write, file, build := outcome.SourceOf(program)
		change.Then = fmt.Sprintf("This writes the source of `%s`:", program)
		change.Command, change.Expect = write, fmt.Sprintf("the file %s, which is the one to change", file)
		changed.Text = fmt.Sprintf("build it, and run it in the place of `%s`:", program)
		changed.Command = build + " && " + outcome.WithOwn(command, program)
	}
	return []Step{change, changed}
}
