package page

import (
	"fmt"
	"strings"

	"starloom/cosim/lockstep"
	"starloom/cosim/prove"
	"starloom/fabric/outcome"
)

// Proof returns the page of a proof. subject is the argument of `starloom cosim prove`; written lists the other
// output files.
func Proof(r *prove.Report, subject string, written []outcome.OutputFile) *Page {
	p := &Page{Subject: "cosim prove", Name: r.Title(), Summary: r.Sentence()}
	command := "starloom cosim prove " + subject
	switch r.Verdict {
	case prove.Equal:
		p.Verdict = outcome.VerdictPass
		p.Answers = Passed(nil, Block{Text: "Nothing differs. See [what the proof covers, and why](#the-proof). This " +
			"command repeats the proof:"},
			Block{Command: command + " --again"})
	case prove.Differs:
		p.Verdict = outcome.VerdictFail
		p.Answers = lockstepAnswers(r.Case, "", command, subject, written)
		p.Cause = texts.Say("differs cause", map[string]any{"D": r.Case.Divergence, "Bits": asBits(r.Case.Divergence)})
		p.Summary += RightText(r.Case)
		p.add(shownSection(r.Case))
	case prove.Bounded:
		p.Answers = Passed(nil, Block{Text: "For all cycles, without a limit:"}, Block{Command: command})
	case prove.GoalsOnly:
		if p.Answers = Passed(nil, Block{Text: "See [the assertions](#assertions)."}); !r.GoalsOpen() && !r.GoalsBounded() {
			p.Verdict = outcome.VerdictPass
		}
	default:
		p.Answers = Passed(nil, Block{Steps: undecidedSteps(r, subject)})
	}
	goalsOn(p, r, command, subject, written)
	p.add(proofSection(r))
	return p
}

// goalsOn adds the assertions of the RTL to the page. A failed assertion is the verdict unless the sides differ.
func goalsOn(p *Page, r *prove.Report, command, subject string, written []outcome.OutputFile) {
	if len(r.Goals) == 0 {
		return
	}
	if shown, goal := r.Shown(); goal != nil {
		if r.GoalsFailed() {
			p.Answers = lockstepAnswers(shown, "", command, subject, written)
		}
		p.add(shownSection(shown))
	}
	if r.GoalsFailed() && r.Verdict != prove.Differs {
		p.Verdict = outcome.VerdictFail
	}
	if r.Verdict != prove.GoalsOnly {
		p.Summary += " " + r.GoalsSentence()
	}
	p.add(&Section{Title: "Assertions", ID: "assertions", Blocks: []Block{
		{Text: r.GoalLines()[0] + "."}, {List: r.GoalLines()[1:]}}})
}

// undecidedSteps returns the steps after an undecided proof. More time helps only after a timeout.
func undecidedSteps(r *prove.Report, subject string) (steps []Step) {
	if r.Late {
		command := "starloom cosim prove " + subject
		steps = []Step{{Text: "Give it more time:", Command: command + " --time 10m"}}
		if r.Depth > 0 {
			steps = append(steps,
				Step{Text: "Prove only the cycles without a difference:",
					Command: fmt.Sprintf("%s --cycles %d", command, r.Depth)})
		}
	}
	return append(steps, Step{Text: "Look for a difference:", Command: "starloom cosim check " + subject})
}

func proofSection(r *prove.Report) *Section {
	if r == nil {
		return nil
	}
	rows := [][2]string{
		{"verdict", r.Verdict}, {"RTL", r.Top}, {"model", r.Model}, {"pin map", r.Map},
		{"outputs compared", r.ComparedText()},
		{"bits proved", fmt.Sprintf("%d of %d", r.BitsProved, r.Bits)}, {"tools", strings.Join(r.Tools, ", ")},
	}
	if r.Depth > 0 {
		rows = append(rows, [2]string{"no difference in the first cycles", fmt.Sprint(r.Depth)})
	}
	s := &Section{Title: "The proof", ID: "the-proof", Blocks: []Block{About("What was to be proved.", rows...)}}
	if lines := r.Reservations(); len(lines) > 0 {
		s.Blocks = append(s.Blocks, Block{Text: "What the proof covers, and why:"}, Block{List: lines})
	}
	return s
}

// LockstepProved returns the page of RTL beside its model, continued by a proof; nil for none.
func LockstepProved(r *lockstep.Report, proof *prove.Report, subject, options string,
	written []outcome.OutputFile) *Page {
	p := Lockstep(r, "", subject+options, subject, written)
	if proof == nil {
		return p
	}
	if proof.Verdict == prove.Differs {
		found := Proof(proof, subject, written)
		found.Sections = append(found.Sections, p.Sections...)
		return found
	}
	p.Summary += " " + proof.Sentence()
	if p.Verdict = outcome.VerdictPass; proof.Verdict != prove.Equal {
		p.Verdict = ""
	}
	p.add(proofSection(proof))
	return p
}
