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

// How many violations a page has, with a scene or in a table, in all and of one rule.
const violationsListed, violationsPerRule = 30, 12

// Run is the page of one run; written are its other files.
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
	unheldBy, kept := func(rule string) string { return unheld(r, rule) }, func(rule string) string { return keptBy(r, rule) }
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
	p.add(aboutSection(r.Aside.Command, &r.Firmware, r.RTL, [][2]string{{"seed", strconv.FormatUint(r.Seed, 10)}, {"digest", r.DigestText()}}))
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

func runSummary(r *outcome.Report) string {
	took := fmt.Sprintf("%s (%s)", traces.Plural(r.Slots, "slot", "slots"), traces.Plural(r.Cycles, "cycle", "cycles"))
	if r.Verdict == outcome.VerdictPass {
		tested := len(r.Rules)
		for _, rule := range r.Rules {
			if unheld(r, rule) != "" {
				tested--
			}
		}
		if tested < len(r.Rules) {
			return fmt.Sprintf("The run kept the %s that it tested, of %d: %s.", traces.Plural(uint64(tested), "rule", "rules"), len(r.Rules), took)
		}
		return fmt.Sprintf("The run kept all %s: %s.", traces.Plural(uint64(len(r.Rules)), "rule", "rules"), took)
	}
	if cut := cutSummary(r); cut != "" {
		return cut
	}
	var names []string
	for i := range r.Violations {
		if name := r.Violations[i].Rule; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return fmt.Sprintf("The run broke %s (%s), %s in all, in %s.", traces.Plural(uint64(len(names)), "rule", "rules"), join(names),
		traces.Plural(r.ViolationsTotal, "violation", "violations"), took)
}

// cutSummary is the verdict of a run of which nothing has failed but that its limit of slots cut it short, "" for others.
func cutSummary(r *outcome.Report) string {
	by := r.Aside.Known.LimitedBy
	if by == "" || len(r.Faults) > 0 || len(r.Violations) == 0 ||
		slices.ContainsFunc(r.Violations, func(v outcome.Violation) bool { return v.Rule != fabric.RuleFinishes }) {
		return ""
	}
	text := fmt.Sprintf("The run was cut short: `%s` ended it after %s (%s), before it was over. That is the only failure (rule `%s`). "+
		"Nothing else has failed up to there", by, traces.Plural(r.Slots, "slot", "slots"), traces.Plural(r.Cycles, "cycle", "cycles"), fabric.RuleFinishes)
	var undecided []string
	for _, rule := range r.Rules {
		if rule != fabric.RuleFinishes && unheld(r, rule) != "" {
			undecided = append(undecided, "`"+rule+"`")
		}
	}
	if undecided != nil {
		text += "; not decided: " + join(undecided)
	}
	return text + "."
}

// violationsSection shows the first violations with their scenes, after those of the faults that have brought them about,
// and lists the others.
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
	rest := &Table{Caption: "The other violations.", Columns: columns([]string{"rule"}, "cycle", "slot"), Sorts: len(order) > 12}
	rest.Columns = append(rest.Columns, Column{Name: "times", Number: true}, Column{Name: "where"}, Column{Name: "what"})
	if r.Without != nil {
		rest.Columns = append(rest.Columns, Column{Name: "cause"})
	}
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
		row := []string{v.Rule, strconv.FormatUint(cycle, 10), strconv.FormatUint(slot, 10), strconv.Itoa(x.Times), v.Path, v.Text()}
		if r.Without != nil {
			row = append(row, texts.Say("cause cell", failure{r, v}))
		}
		rest.Rows = append(rest.Rows, row)
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

// sceneOf is the scene of a violation, nil if there is none.
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
	t := &Table{Caption: "Cycles of the fabric that calls of handlers took; processor model " + f.CPU + ".",
		Columns: columns([]string{"handler"}, "calls", "mean", "50%", "90%", "99%", "max")}
	for _, h := range []struct {
		name   string
		cycles *outcome.HandlerCycles
	}{{"slot", f.Cycles}, {"start", f.StartCycles}} {
		if c := h.cycles; c != nil {
			row := []string{h.name, fmt.Sprint(c.Calls), outcome.FormatFloat(c.Mean)}
			for _, cycles := range []uint64{c.P50, c.P90, c.P99, c.Max} {
				row = append(row, strconv.FormatUint(cycles, 10))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	s.Blocks = append(s.Blocks, Block{Table: t})
	if f.Overruns != nil {
		where := ""
		if *f.Overruns > 0 {
			where = ": [the violations](#violations)"
		}
		s.Blocks = append(s.Blocks, text("The compute window has %s; %s longer and missed their slot%s.",
			traces.Plural(f.BudgetCycles, "cycle", "cycles"), traces.Plural(*f.Overruns, "call took", "calls took"), where))
	}
	if worst := f.Cycles.Worst; worst != nil {
		s.Blocks = append(s.Blocks, text("The longest call took %s: %s.", traces.Plural(f.Cycles.Max, "cycle", "cycles"), worst.Text()))
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
	caption := "Where it has spent its cost: each function below the one that called it, as wide as what it cost with all that it called. " +
		"Filled: a quarter of the cost or more is its own."
	if left > 0 {
		caption += " " + traces.Plural(uint64(left), "function is", "functions are") + " too narrow to be drawn."
	}
	t := &Table{Caption: "The places that cost most, without what they call.", Columns: []Column{{"place", false}, {"cost", true}, {"%", true}}}
	for _, l := range profile.Lines {
		t.Rows = append(t.Rows, []string{l.Frame.String(), strconv.FormatUint(l.Cost, 10), strconv.FormatUint(l.Cost*100/max(profile.Cost, 1), 10)})
	}
	return []Block{{Picture: &Picture{caption, svg}}, {Table: t}}
}

func figuresSection(r *outcome.Report) *Section {
	t := &Table{Caption: "Figures of the run. `starloom explain NAME` says more of each.", Columns: columns([]string{"figure"}, "value")}
	t.Columns = append(t.Columns, Column{Name: "unit"}, Column{Name: "means"})
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
			t.Rows = append(t.Rows, []string{m.Name, value, unit, means.Means})
		}
	}
	if unknown != nil {
		s.Blocks = append(s.Blocks, Block{Folded: join(unknown) + ".", Fold: traces.Plural(uint64(len(unknown)), "figure is", "figures are") +
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

// About is a table of what was run: rows with a value, and by which version of Starloom.
func About(caption string, rows ...[2]string) Block {
	t := &Table{Caption: caption, Columns: columns([]string{"what", "value"})}
	for _, row := range append(rows, [2]string{"version", outcome.Version()}) {
		if row[1] != "" {
			t.Rows = append(t.Rows, []string{row[0], row[1]})
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
