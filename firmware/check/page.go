package check

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"starloom/fabric/outcome"
	"starloom/internal/page"
	"starloom/traces"
)

// Page returns the report as a page. command repeats the check; run executes the scenario once.
func (r *Report) Page(command, run string) *page.Page {
	p := &page.Page{Subject: "firmware check", Verdict: r.Verdict,
		Name: outcome.Printable(cmp.Or(r.Firmware.Image, "firmware")) + " in " + outcome.Printable(r.Scenario)}
	var failing []string
	count := func(n int, one, many string) {
		if n > 0 {
			failing = append(failing, traces.Plural(n, one, many))
		}
	}
	writes, findings := 0, 0
	for i := range r.Writes {
		if r.Writes[i].fails() {
			writes++
		}
	}
	for i := range r.Fuzz {
		if r.Fuzz[i].Fails() {
			findings++
		}
	}
	count(len(r.Faults), "handler that does not return", "handlers that do not return")
	count(int(min(r.ViolationsTotal, 1<<31)), "violation of the run itself", "violations of the run itself")
	if r.Difference != nil {
		failing = append(failing, "a difference between ways to run it")
	}
	count(writes, "write into what is not the processor's", "writes into what is not the processor's")
	count(findings, "finding on arbitrary input", "findings on arbitrary input")
	if p.Summary = "Found: " + strings.Join(failing, ", ") + "."; failing == nil {
		p.Summary = fmt.Sprintf("No difference found between %s, nothing written that is not a processor's, and nothing on %s of arbitrary input.",
			traces.Plural(len(r.Runs), "way to run it", "ways to run it"), traces.Plural(r.Fuzzed, "sequence", "sequences"))
	}
	p.Answers = r.answers(command, run)
	r.sections(p)
	what := []page.Block{page.About("What was checked.", [][2]string{{"firmware", r.Firmware.Image}, {"SHA-256 of its image", r.Firmware.SHA256},
		{"scenario", r.Scenario}, {"seed", fmt.Sprint(r.Seed)}}...)}
	if command != "" {
		what = append(what, page.Block{Text: "This repeats the check:"}, page.Block{Command: command})
	}
	p.Add("What was run", what...)
	return p
}

func (r *Report) answers(command, run string) []page.Answer {
	answer := func(what, where string, steps ...page.Step) []page.Answer {
		if command != "" {
			steps = append(steps, page.Step{Text: "When it is corrected, check again:", Command: command, Expect: "PASS"})
		}
		return page.Failed([]string{what}, []string{where}, nil, nil, steps...)
	}
	for i := range r.Writes {
		if w := &r.Writes[i]; w.fails() && r.Difference == nil && len(r.Faults) == 0 && r.ViolationsTotal == 0 {
			return answer("A handler writes what is not its processor's: "+w.text()+".", fmt.Sprintf("Slot %d, %s.", w.Slot, w.Path),
				page.Step{Text: "Remedy: " + w.remedy() + "."})
		}
	}
	switch d := r.Difference; {
	case len(r.Faults) > 0:
		return answer("A handler does not return.", r.Faults[0]+".", page.Step{Text: "Bound its loops: a handler must end in every slot."})
	case r.ViolationsTotal > 0:
		v := &r.Violations[0]
		steps := []page.Step{{Text: "Mend what the run has broken first."}}
		if len(v.Backtrace) > 0 && v.Backtrace[0].Source != "" {
			steps[0].Text = fmt.Sprintf("Open %s, in the function %s: the handler stopped there. Correct it, and build the image again.",
				v.Backtrace[0].Source, v.Backtrace[0].Function)
		}
		if run != "" {
			steps = append(steps, page.Step{Text: "See the run alone; its page has signals and frames around the cycle:", Command: run + " --html run.html"})
		}
		where := "C" + strings.TrimPrefix(v.Where(), "c") + "."
		if len(r.Runs) > 0 && v.Slot >= r.Runs[0].Slots && r.Runs[0].Slots > 0 {
			where = fmt.Sprintf("At the end of the run, after slot %d, %s.", r.Runs[0].Slots-1, v.Path)
		}
		if len(v.Backtrace) > 0 {
			where += " In the firmware: " + v.Backtrace[0].String() + "."
		}
		return answer("The run itself fails: "+v.Rule+": "+v.Message+".", where, steps...)
	case d != nil:
		where := "The reports differ in " + d.Field + "; the state of no processor does."
		if d.Found {
			where = fmt.Sprintf("Slot %d, %s: %s.", d.Slot, d.Path, d.Item)
		}
		what := "Two ways to run the same scenario differ: " + r.Runs[d.Runs[0]].Text() + " and " + r.Runs[d.Runs[1]].Text() + "."
		return answer(what, where, page.Step{Text: "Usual cause: " + d.Cause + "."}, page.Step{Text: "Remedy: " + d.Remedy + "."})
	}
	for i := range r.Fuzz {
		if x := &r.Fuzz[i]; x.Fails() {
			step := page.Step{Text: "Write the smallest scenario and input that show it: the same command with --reproduce DIR."}
			if x.Again != "" {
				step = page.Step{Text: "This shows it again, in the smallest scenario that was found:", Command: x.Again}
			}
			return answer("On input that a faulty neighbour could send, a handler breaks "+x.Rule+": "+x.Text+".",
				fmt.Sprintf("%s, after %s of the run with seed %d.", x.Path, traces.Plural(x.Input.Slots, "slot", "slots"), x.Input.Seed), step)
		}
	}
	return page.Passed(nil, page.Block{Text: "Nothing failed. See also [what was not compared, and not tried](#what-was-tried--and-what-not)."})
}

const violationsPerRule = 4

func (r *Report) sections(p *page.Page) {
	if r.ViolationsTotal > 0 {
		t := &page.Table{Caption: "What the run itself has broken.",
			Columns: []page.Column{{Name: "rule"}, {Name: "cycle", Number: true}, {Name: "where"}, {Name: "what"}}}
		listed := map[string]int{}
		for i := range r.Violations {
			v := &r.Violations[i]
			if listed[v.Rule]++; listed[v.Rule] <= violationsPerRule {
				t.Rows = append(t.Rows, []string{v.Rule, fmt.Sprint(v.Cycle), v.Path, v.Message})
			}
		}
		if more := r.ViolationsTotal - uint64(len(t.Rows)); more > 0 {
			t.Left = fmt.Sprintf("%d more; at most %d of a rule are listed. The page of the run has its first ones with their signals.", more, violationsPerRule)
		}
		p.Add("Violations of the run", page.Block{Table: t})
	}
	if d := r.Difference; d != nil {
		p.Add("The first difference", textLines(func(b *bytes.Buffer) { d.writeText(b, r) }))
	}
	if len(r.Writes) > 0 {
		p.Add("What handlers have written", textLines(func(b *bytes.Buffer) {
			for i := range r.Writes {
				r.Writes[i].writeText(b)
			}
		}))
	}
	if len(r.Fuzz) > 0 {
		p.Add("On arbitrary input", textLines(func(b *bytes.Buffer) {
			for i := range r.Fuzz {
				r.Fuzz[i].writeText(b)
			}
		}))
	}
	r.comparedSection(p)
	left := textLines(r.writeTried).Lines
	for _, one := range r.NotCompared {
		left = append(left, "not compared: "+one)
	}
	if w := r.Watched; w.Slots > 0 && !w.Whole {
		left = append(left, fmt.Sprintf("watched in slots 0 to %d only: more takes too long", w.Slots))
	}
	if len(left) > 0 {
		p.Add("What was tried, and what not", page.Block{List: left})
	}
}

func (r *Report) comparedSection(p *page.Page) {
	if len(r.Runs) == 0 {
		return
	}
	t := &page.Table{Caption: "Ways to run it, which must not differ.",
		Columns: []page.Column{{Name: "way"}, {Name: "slots", Number: true}, {Name: "verdict"}, {Name: "digest"}, {Name: "compared"}}}
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

func textLines(write func(b *bytes.Buffer)) page.Block {
	var b bytes.Buffer
	write(&b)
	if b.Len() == 0 {
		return page.Block{}
	}
	all := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	for i := range all {
		all[i] = strings.TrimPrefix(all[i], "  ")
	}
	return page.Block{Lines: all}
}
