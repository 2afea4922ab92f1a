package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"starloom/fabric/outcome"
	"starloom/firmware/wasm"
	"starloom/internal/page"
)

// Page returns the report as a page. command repeats the check; run executes the scenario once.
func (r *Report) Page(command, run string) *page.Page {
	p := &page.Page{Subject: "firmware check", Verdict: r.Verdict,
		Name: outcome.Printable(cmp.Or(r.Firmware.Image, "firmware")) + " in " + outcome.Printable(r.Scenario)}
	counts := struct {
		*Report
		WritesFailing, FuzzFailing, TalksFailing int
		Failing                                  []string
	}{Report: r}
	for i := range r.Writes {
		if r.Writes[i].Fails() {
			counts.WritesFailing++
		}
	}
	for i := range r.Fuzz {
		if r.Fuzz[i].Fails() {
			counts.FuzzFailing++
		}
	}
	for i := range r.Talks {
		if r.Talks[i].Fails() {
			counts.TalksFailing++
		}
	}
	counts.Failing = texts.Lines("failing", counts)
	p.Summary = texts.Say("summary", counts)
	if p.Answers = r.answers(command, run); r.Verdict == outcome.VerdictFail {
		p.Cause = p.Answers[0].Blocks[0].Text
		p.Summary = p.Answers[1].Blocks[0].Text + " " + p.Summary
	}
	p.Lead = r.pictures()
	r.sections(p)
	what := []page.Block{page.About("What was checked.",
		[][2]string{{"firmware", r.Firmware.Image}, {"SHA-256 of its image", r.Firmware.SHA256},
			{"scenario", r.Scenario}, {"seed", fmt.Sprint(r.Seed)}}...)}
	if command != "" {
		what = append(what, page.Block{Text: "This command repeats the check:"}, page.Block{Command: command})
	}
	p.Add("What was run", what...)
	return p
}

// failing holds the first failure of each kind, for the explanations of a page.
type failing struct {
	*Report
	Wrote               *Write
	Found               *FuzzFinding
	Talked              *Talk
	Source              *wasm.Frame // place at which the run stopped
	AtEnd               bool        // the violation is detected only at the end of the run
	Command, RunCommand string
}

func (r *Report) answers(command, run string) []page.Answer {
	if r.Verdict != outcome.VerdictFail {
		return page.Passed(nil, page.Block{Text: "No check failed. See also [what was not compared, and not " +
			"tried](#what-was-tried--and-what-not)."})
	}
	f := failing{Report: r, Command: command, RunCommand: run}
	if i := slices.IndexFunc(r.Writes, Write.Fails); i >= 0 {
		f.Wrote = &r.Writes[i]
	}
	if i := slices.IndexFunc(r.Fuzz, FuzzFinding.Fails); i >= 0 {
		f.Found = &r.Fuzz[i]
	}
	if i := slices.IndexFunc(r.Talks, func(t Talk) bool { return t.Fails() }); i >= 0 {
		f.Talked = &r.Talks[i]
	}
	if len(r.Violations) > 0 {
		v := &r.Violations[0]
		if len(v.Backtrace) > 0 && v.Backtrace[0].Source != "" {
			f.Source = &v.Backtrace[0]
		}
		f.AtEnd = len(r.Runs) > 0 && v.Slot >= r.Runs[0].Slots && r.Runs[0].Slots > 0
	}
	said := texts.Lines("what", f)
	return page.Failed(said[:1], said[1:], nil, nil, texts.Steps("next", f)...)
}

func (r *Report) sections(p *page.Page) {
	if r.ViolationsTotal > 0 {
		t := page.Alike("Violations of the run itself; a row combines violations that differ only in "+
			"numbers.", r.Violations, nil)
		if more := r.ViolationsTotal - uint64(len(r.Violations)); more > 0 {
			t.Left = fmt.Sprintf("%d more. The page of the run shows the first ones with their signals.", more)
		}
		p.Add("Violations of the run", page.Block{Table: t})
	}
	if r.Difference != nil {
		p.Add("The first difference", textLines("difference", r))
	}
	if len(r.Writes) > 0 {
		p.Add("What handlers have written", textLines("writes", r))
	}
	if slices.ContainsFunc(r.Talks, func(t Talk) bool { return t.Violation != nil }) {
		p.Add("With losses and restarts", textLines("talks", r))
	}
	if len(r.Fuzz) > 0 {
		p.Add("On arbitrary input", textLines("findings", r))
	}
	r.comparedSection(p)
	left := textLines("tried", r).Lines
	for _, one := range r.NotCompared {
		left = append(left, "not compared: "+one)
	}
	if w := r.Watched; w.Slots > 0 && !w.Whole {
		left = append(left, fmt.Sprintf("watched only in slots 0 to %d: more slots would take too long", w.Slots))
	}
	if len(left) > 0 {
		p.Add("What was tried, and what not", page.Block{List: left})
	}
}

func (r *Report) comparedSection(p *page.Page) {
	if len(r.Runs) == 0 {
		return
	}
	t := &page.Table{Caption: "Ways to run the scenario, which must agree.",
		Columns: []page.Column{{Name: "way"}, {Name: "slots", Number: true}, {Name: "verdict"},
			{Name: "digest"}, {Name: "compared"}}}
	for i := range r.Runs {
		x, same := &r.Runs[i], "same"
		switch {
		case i == 0:
			same = "the others are compared with it"
		case !x.Same:
			same = "DIFFERS"
		}
		t.Rows = append(t.Rows, []string{x.Text(), fmt.Sprint(x.Slots), string(x.Verdict), x.Digest, same})
	}
	p.Add("What was compared", page.Block{Table: t})
}

func textLines(name string, r *Report) page.Block {
	lines := texts.Lines(name, r)
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return page.Block{Lines: lines}
}
