package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"starloom/fabric/outcome"
	"starloom/traces"
)

func raisedSection(r *outcome.Explored) *Section {
	if len(r.Raised) == 0 {
		return nil
	}
	t := table("Bounds in the order of exploration.", "bounds", "verdict", "#states", "#steps", "#slots")
	for i := range r.Raised {
		x := &r.Raised[i]
		t.row(x.Text(), strings.ToUpper(string(x.Verdict)), x.States, x.Transitions, x.Slots)
	}
	return &Section{Title: "Higher and higher bounds", Gist: fmt.Sprint(len(r.Raised)), Blocks: []Block{{Table: t}}}
}

// targetsShown and linesShown bound the rows of two tables.
const (
	targetsShown = 24
	linesShown   = 24
)

func targetsSection(r *outcome.Explored) *Section {
	if len(r.Targets) == 0 {
		return nil
	}
	sorted := slices.Clone(r.Targets)
	slices.SortStableFunc(sorted, func(a, b outcome.ExploredTarget) int {
		return cmp.Or(cmp.Compare(b.Failing, a.Failing), cmp.Compare(b.Differ, a.Differ))
	})
	t := table("By place: steps with a fault, steps to a state that differs from the state without the fault, and "+
		"failing schedules with the fault, as far as the search went.", "fault", "where", "#steps", "#to another "+
		"state", "#failing schedules")
	for i, x := range sorted {
		if i == targetsShown {
			break
		}
		t.row(x.Kind, x.Target, x.Steps, x.Differ, x.Failing)
	}
	s := &Section{Title: "Which faults mattered", Gist: fmt.Sprint(len(sorted)), Blocks: []Block{{Table: t}}}
	if more := len(sorted) - targetsShown; more > 0 {
		s.Blocks = append(s.Blocks, Block{Aside: traces.Plural(more, "other place", "other places") + " had fewer effects."})
	}
	return s
}

func linesSection(r *outcome.Explored) *Section {
	lines := r.Unreached()
	if len(lines) == 0 {
		return nil
	}
	t := table("Lines of the firmware with a branch that no explored state reaches.", "line", "function", "#branches",
		"#reached")
	for i, l := range lines {
		if i == linesShown {
			break
		}
		t.row(l.Source, l.Function, l.Branches, l.Reached)
	}
	s := &Section{Title: "Branches never reached", Gist: fmt.Sprint(len(lines)), Blocks: []Block{{Table: t}}}
	if more := len(lines) - linesShown; more > 0 {
		s.Blocks = append(s.Blocks, Block{Aside: traces.Plural(more, "other line", "other lines") + " are in the JSON form."})
	}
	return s
}

// ExploredSweep returns the page of explorations at the points of a sweep. command repeats them.
func ExploredSweep(s *outcome.ExploredSweep, command string) *Page {
	p := &Page{Subject: "explore", Name: outcome.Printable(s.Name), Summary: s.Sentence() + "."}
	switch verdict, _ := s.Worst(); verdict {
	case outcome.Holds:
		p.Verdict = outcome.VerdictPass
	case outcome.Fails:
		p.Verdict = outcome.VerdictFail
	}
	rows := s.Rows()
	t := &Table{Caption: "The verdict at each point.", Rows: rows[1:]}
	for _, name := range rows[0] {
		t.Columns = append(t.Columns, Column{Name: name, Number: name == "states" || name == "steps" || name == "slots" ||
			name == "faults"})
	}
	p.Add("Points", Block{Table: t})
	for i := range s.Points {
		r := s.Points[i].Report
		if r.Verdict != outcome.Fails {
			continue
		}
		title := strings.Join(s.Points[i].Labels, " ")
		p.Add("Point "+outcome.Printable(title), Block{Text: failedText(r)}, Block{Text: scheduleText(r)},
			Block{Command: r.Repeat})
	}
	p.Add("What was explored", Block{Text: "This command repeats the exploration."}, Block{Command: command},
		About("The sweep.", [2]string{"points", fmt.Sprint(s.Total)}))
	return p
}
