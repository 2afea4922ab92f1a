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
)

const violationsListed, violationsPerRule = 30, 12 // in answers

// Run returns the page of a run; written lists its other output files.
func Run(r *outcome.Report, written []outcome.OutputFile) *Page {
	p := &Page{Subject: "run", Name: outcome.Printable(r.Scenario), Verdict: r.Verdict}
	order := outcome.ShownOnce(r.Violations, r.Aside.Late.Of(r.Violations), violationsListed, violationsPerRule)
	var first *outcome.Violation
	if len(order) > 0 {
		first = &r.Violations[order[0].Place]
	}
	p.Summary = runSummary(r) + expected(r.Expect)
	if first != nil && cutSummary(r) == "" {
		p.Cause = texts.Say("cause sentence", struct {
			failure
			Extent *extent
			Strike *strike
			Seen   *outcome.Violation
		}{failure{r, first}, extentOf(r, first.Rule), strikeBefore(r, first), seenBefore(r, first)})
		p.Summary = texts.Say("cause place", failure{r, first}) + " " + p.Summary
	}
	if r.Metrics.Get("saturated") == 1 {
		p.Warning = texts.Say("saturated", nil)
	}
	p.Answers = runAnswers(r, order, written)
	late := first != nil && first.Rule == fabric.RuleMeetsBudget
	if late {
		p.add(costSection(&r.Firmware))
	}
	p.add(violationsSection(r, order))
	p.add(variablesSection(r.Aside.Variables))
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
		p.add(wordsSection(&r.Aside.Known, signalsShown(r)))
	}
	p.add(aboutSection(r.Aside.Command, &r.Firmware, r.RTL,
		[][2]string{{"seed", strconv.FormatUint(r.Seed, 10)}, {"digest", r.DigestText()}}))
	return p
}

func pictureSection(p *Page, x outcome.Picture) *Section {
	block := Block{Picture: &Picture{Caption: x.Caption, SVG: x.SVG, Narrow: x.Narrow}}
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
	s := &Section{Title: "Violations", Gist: brokenText(r)}
	var faults []*Section
	for i := range r.Aside.Scenes {
		if scene := &r.Aside.Scenes[i]; scene.Violation < 0 {
			faults = append(faults, faultPart(r, scene))
		}
	}
	if faultsFirst(r) {
		s.Parts = faults
	}
	number, shown := 0, map[int]bool{}
	for _, x := range order {
		v := &r.Violations[x.Place]
		scene := sceneOf(r.Aside.Scenes, x.Place)
		if scene == nil && (len(s.Parts) > 0 || number > 0) {
			continue
		}
		number++
		part := violationPart(r, number, v, scene)
		if x.Times > 1 {
			again := &r.Violations[x.Last]
			part.Blocks = slices.Insert(part.Blocks, 1, text("The same %s more, up to cycle %d, slot %d%s.",
				times(x.Times-1), again.Cycle, again.Slot, ofThoseListed(r)))
		}
		s.Parts = append(s.Parts, part)
		for i := range r.Violations {
			if o := &r.Violations[i]; o.Rule == v.Rule && o.Path == v.Path && o.Message == v.Message && o.Cause == v.Cause {
				shown[i] = true
			}
		}
	}
	if !faultsFirst(r) {
		s.Parts = append(s.Parts, faults...)
	}
	if len(shown) < len(r.Violations) {
		s.Parts = append(s.Parts, otherViolations(r, shown))
	}
	return s
}

// otherViolations returns the violations without their own part of the page, with one row for similar violations.
func otherViolations(r *outcome.Report, shown map[int]bool) *Section {
	var others []outcome.Violation
	ended := false
	for i := range r.Violations {
		if v := r.Violations[i]; !shown[i] {
			ended = ended || atEnd(r, &v)
			v.Cycle, v.Slot = min(v.Cycle, max(r.Cycles, 1)-1), min(v.Slot, max(r.Slots, 1)-1)
			others = append(others, v)
		}
	}
	var cause func(v *outcome.Violation) string
	if r.Without != nil {
		cause = func(v *outcome.Violation) string { return texts.Say("cause cell", failure{r, v}) }
	}
	t := Alike("The other violations; a row combines violations that differ only in numbers.", others, cause)
	if ended {
		t.Caption += " Violations that only the end of the run reveals are listed in its last cycle."
	}
	if more := r.ViolationsTotal - min(uint64(len(r.Violations)), r.ViolationsTotal); more > 0 && t.Left == "" {
		t.Left = fmt.Sprintf("%d more; --json lists the first %d.", more, outcome.ViolationsMax)
	}
	return &Section{Title: "Others", Gist: traces.Plural(uint64(len(others)), "violation", "violations"),
		Blocks: []Block{{Table: t}}}
}

// brokenText returns the number of listed violations of each rule.
func brokenText(r *outcome.Report) string {
	count, more := broken(r), ""
	if r.ViolationsTotal > uint64(len(r.Violations)) {
		more = " or more"
	}
	var parts []string
	for _, rule := range outcome.LeftOf(r).Rules {
		parts = append(parts, fmt.Sprintf("%s %d%s", rule, count[rule], more))
	}
	return join(parts)
}

// signalsShown reports whether the page of a run shows a signal.
func signalsShown(r *outcome.Report) func(signal string) bool {
	return func(signal string) bool {
		for i := range r.Aside.Scenes {
			s := &r.Aside.Scenes[i]
			if s.Waves != nil && slices.ContainsFunc(s.Waves.Rows,
				func(row traces.WaveRow) bool { return strings.HasSuffix(row.Name, "."+signal) }) ||
				slices.ContainsFunc(s.Still, func(still string) bool { return strings.Contains(still, "."+signal+" ") }) {
				return true
			}
		}
		return false
	}
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
	t := table("Durations of handler calls in cycles of the fabric; processor model "+f.CPU+".", "handler", "#calls",
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
		return []Block{{Aside: "The places at which it spent them are not recorded; --profile F records them."}}
	}
	svg, left := FlameGraph("Where the longest call has spent its cost, by function", profile.Stacks())
	t := table("The most expensive places, without the functions that they call.", "place", "#cost", "#%")
	for _, l := range profile.Lines {
		t.row(l.Frame, l.Cost, l.Cost*100/max(profile.Cost, 1))
	}
	return []Block{{Picture: &Picture{Caption: texts.Say("flames", left), SVG: svg}}, {Table: t}}
}

func figuresSection(r *outcome.Report) *Section {
	t := table("Figures of the run. `starloom explain NAME` explains each.", "figure", "#value", "unit", "means")
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
				" unknown, because the run ended before they were complete"})
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
