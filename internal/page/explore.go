package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/traces"
	"starloom/traces/figure"
)

// Explored returns the page of an exploration. command repeats it.
func Explored(report *outcome.Explored, command string) *Page {
	p := &Page{Subject: "explore", Name: outcome.Printable(report.Scenario), Summary: report.Sentence()}
	switch report.Verdict {
	case outcome.Holds:
		p.Verdict = outcome.VerdictPass
		p.Answers = Passed(nil,
			Block{Text: "No run breaks a rule. See [what the verdict covers](#the-bounds) and what it does not. " +
				"Higher limits under `explore: faults:` extend it. This command repeats the exploration:"}, Block{Command: command})
	case outcome.Fails:
		p.Verdict, p.Cause, p.Summary = outcome.VerdictFail, exploredCause(report), scheduleText(report)
		p.Answers = Failed([]string{failedText(report)}, []string{scheduleText(report)}, nil, nil,
			outcome.Step{Text: "Run the schedule with a waveform and a page:",
				Command: report.Repeat + " --vcd schedule.vcd --html schedule.html"})
	default:
		if report.Guide != nil {
			p.Answers = Passed(nil, Block{Text: "No run that was tried breaks a rule; others may. More slots (`--max-slots`) " +
				"try more runs. Without `--guide`, the search covers all runs."}, Block{Command: command})
			break
		}
		p.Answers = Passed(nil, Block{Text: "A limit was reached first. Higher limits under `explore:` take longer; fewer " +
			"faults, " +
			"targets or processors need fewer states."}, Block{Command: command})
	}
	for _, x := range report.Pictures {
		p.Lead = append(p.Lead, Block{Picture: &Picture{Caption: x.Caption, SVG: x.SVG, Narrow: x.Narrow}})
	}
	p.add(scheduleSection(report))
	p.add(actsSection(report))
	p.add(raisedSection(report))
	states := FigurePicture("Distinct states after each slot, and runs that have not ended.", statesFigure(report))
	if states != nil && report.Verdict != outcome.Fails {
		p.Lead = []Block{{Picture: states}}
	} else if states != nil {
		p.Add("States", Block{Picture: states})
	}
	p.add(targetsSection(report))
	p.add(linesSection(report))
	covers := "The verdict covers:"
	if report.Guide != nil {
		covers = "The search tried:"
	}
	p.Add("The bounds", Block{Text: covers}, Block{List: report.Covered}, Block{Text: "It does not cover:"},
		Block{List: report.NotCovered})
	p.Add("The search", About("Sizes of the search.",
		[2]string{"states", strconv.Itoa(report.Counts.States)}, [2]string{"steps",
			strconv.FormatUint(report.Counts.Transitions, 10)},
		[2]string{"steps to known states", strconv.FormatUint(report.Counts.Known, 10)},
		[2]string{"states that end a run", strconv.Itoa(report.Counts.Ends)},
		[2]string{"slots", strconv.FormatUint(uint64(report.Slots), 10)}))
	return p
}

// failedText returns the violation with the name of its rule.
func failedText(r *outcome.Explored) string {
	v := &r.Violations[0]
	when := fmt.Sprintf("slot %d", v.Slot)
	if v.Rule == fabric.RuleFinishes && v.Slot > 0 { // judged at the end
		when = fmt.Sprintf("after slot %d", v.Slot-1)
	}
	return fmt.Sprintf("%s: %s (rule `%s`, %s, cycle %d).", v.Path, v.Message, v.Rule, when, v.Cycle)
}

// scheduleNamed is the maximum number of faults in the sentence below the verdict.
const scheduleNamed = 4

// exploredCause returns the violation, after the faults that led to it.
func exploredCause(r *outcome.Explored) string {
	if len(r.Schedule) == 0 {
		return failedText(r)
	}
	return "After " + scheduled(r) + ": " + failedText(r)
}

// faultNouns names faults by kind.
var faultNouns = map[string]string{"dead": "the death of", "restart": "a restart of", "clock_pause": "a clock pause of",
	"drop": "a frame lost at", "miss": "a frame missed at", "bit_flip": "a bit flip at", "credit_loss": "a credit lost at",
	"buffers": "smaller buffers of"}

// scheduled names the first faults of the schedule.
func scheduled(r *outcome.Explored) string {
	var names []string
	for i, f := range r.Schedule {
		if i == scheduleNamed {
			names = append(names, "and others")
			break
		}
		names = append(names, fmt.Sprintf("%s %s in slot %d", cmp.Or(faultNouns[f.Kind], f.Kind+" at"), f.Target, f.Slot))
	}
	return join(names)
}

func scheduleText(r *outcome.Explored) string {
	text := "It needs no fault"
	if len(r.Schedule) > 0 {
		text = traces.Plural(uint64(len(r.Schedule)), "fault is", "faults are") + " enough" + sentAt(r)
	}
	if r.FewestShown && len(r.Schedule) > 0 {
		text += ". No run with fewer faults breaks a rule"
	}
	switch {
	case r.Deadlock != nil:
		text += ". Deadlock " + r.Deadlock.Text()
	case r.Never != nil:
		text += ". The run never ends: " + r.Never.Text()
	}
	return text + lastAct(r) + "."
}

// lastAct tells what the handler of an unfinished processor received and did last.
func lastAct(r *outcome.Explored) string {
	v := &r.Violations[0]
	for i := range slices.Backward(r.Acts) {
		if a := &r.Acts[i]; v.Rule == fabric.RuleFinishes && a.Path == v.Path && !a.Fault {
			return fmt.Sprintf(". The last call of its handler that does something, in slot %d: %s", a.Slot, a.Text)
		}
	}
	return ""
}

// sentAt tells the frames that processors sent in the slots of the first faults of media: one of them was harmed.
func sentAt(r *outcome.Explored) string {
	var told []string
	for _, f := range r.Schedule[:min(len(r.Schedule), scheduleNamed)] {
		for i := range r.Acts {
			a := &r.Acts[i]
			if _, did, ok := strings.Cut(a.Text, "-> sends "); ok && a.Slot == f.Slot && !a.Fault {
				frame, _, _ := strings.Cut(did, ";")
				told = append(told, fmt.Sprintf("%s sends %s", a.Path, strings.TrimSpace(frame)))
			}
		}
		if len(told) > 0 {
			return fmt.Sprintf(". In slot %d, %s", f.Slot, join(told))
		}
	}
	return ""
}

func scheduleSection(r *outcome.Explored) *Section {
	if len(r.Schedule)+len(r.Draws)+len(r.Arrivals) == 0 {
		return nil
	}
	t := table("Faults of the run, in order.", "#slot", "fault", "where")
	if len(r.Draws) > 0 {
		t = table("Faults of the run, in order, then its draws.", "#slot", "fault or outcomes", "where")
	}
	for _, f := range r.Schedule {
		t.row(f.Slot, f.Kind, f.Target)
	}
	for _, x := range r.Arrivals {
		t.row(x.Slot, "arrival", fmt.Sprintf("packet %d", x.Packet))
	}
	for i := range r.Draws {
		t.row(r.Draws[i].Slot, r.Draws[i].OutcomesText(), r.Draws[i].Path)
	}
	return &Section{Title: "The schedule", Gist: fmt.Sprint(len(r.Schedule) + len(r.Draws) + len(r.Arrivals)),
		Blocks: []Block{{Table: t}}}
}

// actsSection tells the run of the schedule.
func actsSection(r *outcome.Explored) *Section {
	if len(r.Acts) == 0 {
		return nil
	}
	t := table("What handlers received -> what they did; variables that changed. Other calls are left out.", "#slot",
		"where", "what")
	for i := range r.Acts {
		t.row(r.Acts[i].Slot, r.Acts[i].Path, r.Acts[i].Text)
	}
	return &Section{Title: "The run, slot by slot", Gist: fmt.Sprint(len(r.Acts)), Blocks: []Block{{Table: t}}}
}

func statesFigure(r *outcome.Explored) *figure.Figure {
	if len(r.Levels) < 2 {
		return nil
	}
	states, running := figure.Curve{Name: "states"}, figure.Curve{Name: "of running runs", Style: figure.Dashed}
	for _, l := range r.Levels {
		x := float64(l.Slot)
		states.Points = append(states.Points, figure.Point{X: x, Y: float64(l.States)})
		running.Points = append(running.Points, figure.Point{X: x, Y: float64(l.Running)})
	}
	return &figure.Figure{Title: "States after each slot", X: figure.Axis{Label: "slot", Whole: true},
		Y: figure.Axis{Label: "states", Whole: true}, Curves: []figure.Curve{states, running}}
}
