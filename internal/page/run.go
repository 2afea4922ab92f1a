package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/traces"
)

const violationsListed, violationsPerRule = 30, 12

// Run returns the page of a run; written lists its other output files.
func Run(r *outcome.Report, written []outcome.OutputFile) *Page {
	p := &Page{Subject: "run", Name: outcome.Printable(r.Scenario), Verdict: r.Verdict}
	order := outcome.ShownOnce(r.Violations, r.Aside.Late.Of(r.Violations), violationsListed, violationsPerRule)
	var first *outcome.Violation
	if len(order) > 0 {
		first = &r.Violations[order[0].Place]
	}
	p.Summary = runSummary(r) + expected(r.Expect)
	p.Answers = runAnswers(r, order, written)
	late := first != nil && first.Rule == fabric.RuleMeetsBudget
	if late {
		p.add(costSection(&r.Firmware))
	}
	p.add(violationsSection(r, order))
	for _, picture := range r.Aside.Pictures {
		p.add(pictureSection(p, picture))
	}
	unheldBy, kept := func(rule string) string { return unheld(r, rule) },
		func(rule string) string { return keptBy(r, rule) }
	p.add(rulesSection(r.Rules, broken(r), unheldBy, kept, &r.Aside.Known))
	if !late {
		p.add(costSection(&r.Firmware))
	}
	p.add(faultsSection(r))
	p.add(figuresSection(r))
	if r.Aside.Alone == "" && cutSummary(r) == "" {
		p.add(look(r, written, first))
	}
	if r.Verdict == outcome.VerdictFail {
		p.add(wordsSection())
	}
	p.add(aboutSection(r.Aside.Command, &r.Firmware, r.RTL,
		[][2]string{{"seed", strconv.FormatUint(r.Seed, 10)}, {"digest", r.DigestText()}}))
	return p
}

func pictureSection(p *Page, x outcome.Picture) *Section {
	block := Block{Picture: &Picture{x.Caption, x.SVG}}
	for _, s := range p.Sections {
		if s.Title == "Pictures" {
			s.Blocks = append(s.Blocks, block)
			return nil
		}
	}
	return &Section{Title: "Pictures", Blocks: []Block{block}}
}

func expected(e *outcome.Expectation) string {
	if e == nil {
		return ""
	}
	return " This is " + e.Words() + "."
}

func violationsSection(r *outcome.Report, order []outcome.Repeat) *Section {
	if len(order) == 0 {
		return nil
	}
	s := &Section{Title: "Violations"}
	for i := range r.Aside.Scenes {
		if scene := &r.Aside.Scenes[i]; scene.Violation < 0 {
			s.Parts = append(s.Parts, faultPart(r, scene))
		}
	}
	names := []string{"rule", "#cycle", "#slot", "#times", "where", "what", "cause"}
	if r.Without == nil {
		names = names[:6]
	}
	rest := table("The other violations.", names...)
	rest.Sorts = len(order) > 12
	number, listed := 0, 0
	for _, x := range order {
		v := &r.Violations[x.Place]
		listed += x.Times
		scene := sceneOf(r.Aside.Scenes, x.Place)
		if scene != nil || len(s.Parts) == 0 && number == 0 {
			number++
			part := violationPart(r, number, v, scene)
			if x.Times > 1 {
				again := &r.Violations[x.Last]
				part.Blocks = slices.Insert(part.Blocks, 1, text("The same %s more, up to cycle %d, slot %d%s.",
					times(x.Times-1), again.Cycle, again.Slot, ofThoseListed(r)))
			}
			s.Parts = append(s.Parts, part)
			continue
		}
		cycle, slot := min(v.Cycle, max(r.Cycles, 1)-1), min(v.Slot, max(r.Slots, 1)-1)
		rest.row([]any{v.Rule, cycle, slot, x.Times, v.Path, v.Text(),
			texts.Say("cause cell", failure{r, v})}[:len(names)]...)
	}
	if slices.ContainsFunc(order, func(x outcome.Repeat) bool { return atEnd(r, &r.Violations[x.Place]) }) {
		rest.Caption += " What only the end of the run shows stands in its last cycle."
	}
	if more := r.ViolationsTotal - min(uint64(listed), r.ViolationsTotal); more > 0 {
		rest.Left = fmt.Sprintf("%d more; --json lists the first %d.", more, outcome.ViolationsMax)
	}
	if len(rest.Rows) > 0 {
		s.Parts = append(s.Parts, &Section{Title: "Others", Blocks: []Block{{Table: rest}}})
	}
	return s
}

func sceneOf(scenes []outcome.Scene, violation int) *outcome.Scene {
	for i := range scenes {
		if scenes[i].Violation == violation {
			return &scenes[i]
		}
	}
	return nil
}

func costSection(f *outcome.FirmwareReport) *Section {
	if f.Cycles == nil {
		return nil
	}
	s := &Section{Title: "What handlers cost"}
	t := table("Cycles of the fabric that calls of handlers took; processor model "+f.CPU+".", "handler", "#calls",
		"#mean", "#50%", "#90%", "#99%", "#max")
	for _, h := range []struct {
		name   string
		cycles *outcome.HandlerCycles
	}{{"slot", f.Cycles}, {"start", f.StartCycles}} {
		if c := h.cycles; c != nil {
			t.row(h.name, c.Calls, outcome.FormatFloat(c.Mean), c.P50, c.P90, c.P99, c.Max)
		}
	}
	s.Blocks = append([]Block{{Table: t}}, paragraphs("cost", f)...)
	if worst := f.Cycles.Worst; worst != nil {
		s.Blocks = append(s.Blocks, flameBlocks(worst)...)
	}
	return s
}

func flameBlocks(worst *outcome.WorstCall) (blocks []Block) {
	profile := worst.Profile
	if profile == nil {
		return []Block{{Aside: "Where it spent them is not recorded; --profile F says."}}
	}
	svg, left := FlameGraph("Where the longest call has spent its cost, by function", profile.Stacks())
	t := table("The places that cost most, without what they call.", "place", "#cost", "#%")
	for _, l := range profile.Lines {
		t.row(l.Frame, l.Cost, l.Cost*100/max(profile.Cost, 1))
	}
	return []Block{{Picture: &Picture{texts.Say("flames", left), svg}}, {Table: t}}
}

func figuresSection(r *outcome.Report) *Section {
	t := table("Figures of the run. `starloom explain NAME` says more of each.", "figure", "#value", "unit", "means")
	s, unknown := &Section{Title: "Figures", Blocks: []Block{{Table: t}}}, []string(nil)
	for _, m := range r.Figures() {
		means := r.Aside.Known.Means[m.Name]
		if m.Former {
			continue
		}
		if lined, ok := m.Value.(fabric.Lined); ok {
			if lines := lined.Lines(); len(lines) > 0 {
				s.Blocks = append(s.Blocks, Block{Text: "`" + m.Name + "`: " + means.Means}, Block{Lines: lines})
			}
		} else if value := outcome.FormatMetric(m.Value); value != "" {
			if value == "-" {
				unknown = append(unknown, "`"+m.Name+"`")
				continue
			}
			unit := cmp.Or(m.In, means.Unit)
			if m.Of != "" {
				unit += " " + m.Of
			}
			t.row(m.Name, value, unit, means.Means)
		}
	}
	if unknown != nil {
		s.Blocks = append(s.Blocks,
			Block{Folded: join(unknown) + ".", Fold: traces.Plural(uint64(len(unknown)), "figure is", "figures are") +
				" not known, as the run did not come to where they are complete"})
	}
	return s
}

func aboutSection(command string, f *outcome.FirmwareReport, rtl []outcome.RTLReport, more [][2]string) *Section {
	if command != "" {
		command = "`" + command + "`"
	}
	rows := append([][2]string{{"command", command}}, more...)
	rows = append(rows, [][2]string{{"firmware", f.Image}, {"SHA-256 of its image", f.SHA256}, {"mode", f.Mode}}...)
	for i := range rtl {
		rows = append(rows, [2]string{"RTL", fmt.Sprintf("%s: %s, %s", rtl[i].Path, rtl[i].Top, rtl[i].Backend)})
	}
	return &Section{Title: "What was run", Blocks: []Block{About("What was run.", rows...)}}
}

// About returns a table of the rows with a value, and the version of Starloom.
func About(caption string, rows ...[2]string) Block {
	t := table(caption, "what", "value")
	for _, row := range append(rows, [2]string{"version", outcome.Version()}) {
		if row[1] != "" {
			t.row(row[0], row[1])
		}
	}
	return Block{Table: t}
}

func ofThoseListed(r *outcome.Report) string {
	if r.ViolationsTotal > uint64(len(r.Violations)) {
		return fmt.Sprintf(", of the first %d violations", len(r.Violations))
	}
	return ""
}
