package page

import (
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
)

func nextSteps(r *outcome.Report, first *outcome.Violation, written []outcome.OutputFile) []Step {
	steps, after, told := remedySteps(r, first)
	command := r.Aside.Command
	if first.Rule != outcome.RuleInterrupted && r.Aside.Alone != "" {
		alone := texts.Steps("alone", nil)
		alone[0].Command = command + " " + r.Aside.Alone + " --html run.html"
		return append(steps, alone...)
	}
	moreTime := first.Rule == fabric.RuleFinishes && len(steps) > 0 // neither flags nor signals would help
	switch advice := adviceOn(first); {
	case len(first.Backtrace) > 0 && first.Backtrace[0].Source != "":
		steps = append(steps, texts.Steps("open", first.Backtrace[0])...)
	case first.Cause == outcome.CauseFaults && r.Without != nil:
		steps = append(steps, surviveSteps(r)...)
	case first.Rule == fabric.RuleDeadlock && !told:
		steps = append([]Step{breakRing(r, first, advice)}, steps...)
	case advice != "" && !moreTime && !told:
		steps = append(steps, Step{Text: advice})
	}
	steps = append(steps, after...)
	if command == "" {
		return append(steps, texts.Steps("same seed", r.Seed)...)
	}
	if first.Rule == outcome.RuleInterrupted {
		return steps
	}
	if v := r.Aside.Variables; v != nil && v.Command != "" {
		steps = slices.Insert(steps, variablesAt(first, steps), texts.Steps("see variables", v)...)
	}
	return append(steps,
		texts.Steps("see",
			map[string]any{"R": r, "GTKW": filesOf(written)["gtkw"], "Signals": !moreTime, "Cycle": lookAt(r, first).Cycle})...)
}

// variablesAt returns the place of the step that shows variables: first, unless faults or a known line are the cause.
func variablesAt(first *outcome.Violation, steps []Step) int {
	if first.Cause == outcome.CauseFaults || len(first.Backtrace) > 0 {
		return len(steps)
	}
	return 0
}

// ownSource holds the commands for a modified copy of a program: to write its source File, to build it, to run it.
type ownSource struct{ Program, Write, File, Build, Run string }

func sourceOf(r *outcome.Report) *ownSource {
	program := r.Aside.Known.Program
	if program == "" || r.Aside.Command == "" {
		return nil
	}
	s := &ownSource{Program: program, Run: outcome.WithOwn(r.Aside.Command, program)}
	s.Write, s.File, s.Build = outcome.SourceOf(program)
	return s
}

func breakRing(r *outcome.Report, first *outcome.Violation, advice string) Step {
	if slices.ContainsFunc(first.Waits, func(w fabric.Waiting) bool { return w.NIC }) {
		return texts.Steps("break ring", map[string]any{"Source": sourceOf(r)})[0]
	}
	when, routes, _ := strings.Cut(advice, ", ")
	return Step{When: when, Text: routes}
}

// remedySteps splits remedies into those before and after the general remedy of the rule. told means that the general
// remedy is superseded.
func remedySteps(r *outcome.Report, first *outcome.Violation) (steps, after []Step, told bool) {
	told = r.Aside.Known.Unfit != ""
	for _, remedy := range r.Aside.Remedies {
		switch {
		case remedy.Tried: // shown with the cause
		case remedy.Instead && remedy.Rule == first.Rule:
			steps, told = append(steps, remedy.Step), true
		case remedy.Later || remedy.Command == "" || remedy.Rule != "" && remedy.Rule != first.Rule:
			after = append(after, remedy.Step)
		default:
			steps = append(steps, remedy.Step)
		}
	}
	return steps, after, told
}

func surviveSteps(r *outcome.Report) []Step {
	count := broken(r)
	s := struct {
		*outcome.Report
		R                               *outcome.Report
		Lossy, Unfinished, NoLoss, Late bool
		Dead                            int            // number of exactly_once violations at dead processors
		Paused                          *outcome.Stood // first processor with a due action while paused
		Ways, Limits                    []string
		Source                          *ownSource
	}{Report: r, R: r, Unfinished: count[fabric.RuleFinishes] > 0, NoLoss: count[fabric.RuleNoLoss] > 0,
		Late: slices.Contains(r.Rules, fabric.RuleReceiveStep), Source: sourceOf(r)}
	s.Lossy = count[fabric.RuleExactlyOnce]+count[fabric.RuleNoLoss] > 0 || r.Frames.Faulted > 0
	for i := range r.Violations {
		if v := &r.Violations[i]; v.Rule == fabric.RuleExactlyOnce && slices.Contains(r.Aside.Killed, v.Path) {
			s.Dead++
		}
	}
	if i := slices.IndexFunc(r.Aside.Stood,
		func(o outcome.Stood) bool { return o.Next != nil && o.Next.Paused >= 0 }); i >= 0 {
		s.Paused = &r.Aside.Stood[i]
	}
	s.Ways, s.Limits = texts.Lines("ways", s), texts.Lines("limits", s)
	return texts.Steps("survive", s)
}
