package page

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"starloom/fabric"
	"starloom/internal/outcome"
	"starloom/traces"
)

// How many violations a page has, with a scene or in a table, in all and of one rule.
const violationsListed, violationsPerRule = 30, 12

// Run is the page of one run; written are its other files.
func Run(r *outcome.Report, written []outcome.OutputFile) *Page {
	p := &Page{Subject: "run", Name: outcome.Printable(r.Scenario), Verdict: r.Verdict}
	order := outcome.Shown(r.Violations, violationsListed, violationsPerRule)
	var first *outcome.Violation
	if len(order) > 0 {
		first = &r.Violations[order[0]]
	}
	p.Summary = runSummary(r) + expected(r.Expect)
	p.Answers = runAnswers(r, first, written)
	late := first != nil && first.Rule == fabric.RuleMeetsBudget
	if late {
		p.add(costSection(&r.Firmware))
	}
	p.add(violationsSection(r, order))
	for _, picture := range r.Aside.Pictures {
		p.add(pictureSection(p, picture))
	}
	p.add(rulesSection(r.Rules, broken(r)))
	if !late {
		p.add(costSection(&r.Firmware))
	}
	p.add(faultsSection(r))
	p.add(figuresSection(r))
	if r.Aside.Alone == "" {
		p.add(look(r.Aside.Command, written, first, r.Cycles))
	}
	p.add(aboutSection(r.Aside.Command, &r.Firmware, r.RTL, [][2]string{{"seed", strconv.FormatUint(r.Seed, 10)}, {"digest", r.Digest}}))
	return p
}

// pictureSection adds a picture to the section of pictures.
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

// expected says whether a run has ended as expected, if anything was.
func expected(e *outcome.Expectation) string {
	if e == nil {
		return ""
	}
	return " This is " + e.Words() + "."
}

// runSummary is the verdict in a sentence.
func runSummary(r *outcome.Report) string {
	took := fmt.Sprintf("%s, %s", traces.Plural(r.Slots, "slot", "slots"), traces.Plural(r.Cycles, "cycle", "cycles"))
	if r.Verdict == outcome.VerdictPass {
		return fmt.Sprintf("The run kept all %s: %s.", traces.Plural(uint64(len(r.Rules)), "rule", "rules"), took)
	}
	var names []string
	for i := range r.Violations {
		if name := r.Violations[i].Rule; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return fmt.Sprintf("The run broke %s (%s), %s in all: %s.", traces.Plural(uint64(len(names)), "rule", "rules"), join(names),
		traces.Plural(r.ViolationsTotal, "violation", "violations"), took)
}

// broken counts the violations of each rule that are listed.
func broken(r *outcome.Report) map[string]int {
	count := map[string]int{}
	for i := range r.Violations {
		count[r.Violations[i].Rule]++
	}
	return count
}

// runAnswers say what failed, where, and what to do next.
func runAnswers(r *outcome.Report, first *outcome.Violation, written []outcome.OutputFile) (answers []Answer) {
	if first == nil {
		a := Answer{Question: "What to do next", Blocks: []Block{{Text: "Nothing failed. This repeats the run:"}, {Command: r.Aside.Command}}}
		if r.Aside.Command == "" {
			a.Blocks = []Block{{Text: "Nothing failed."}}
		}
		a.notes(r.Notes)
		return []Answer{a}
	}
	what := first.Rule + ": " + first.Message + causeOf(first) + "."
	if means := meaning(first.Rule); means != "" {
		what += " The rule: " + means + "."
	}
	where := whereText(r, first)
	next := Answer{Question: "What to do next", Blocks: []Block{{Steps: nextSteps(r, first, written)}}}
	next.notes(r.Notes)
	return []Answer{
		{"What failed", []Block{{Text: what}}},
		{"Where", []Block{{Text: where}}},
		next,
	}
}

// whereText says where the first violation is: in the network, in the firmware, who sent, and what faults did before.
func whereText(r *outcome.Report, first *outcome.Violation) string {
	where := "C" + strings.TrimPrefix(first.Where(), "c") + "."
	if first.Cycle >= r.Cycles {
		where = "At the end of the run, which has shown it: " + first.Where() + "."
	}
	if len(first.Backtrace) > 0 {
		where += " In the firmware: " + first.Backtrace[0].String() + "."
	}
	if c := r.Firmware.Cycles; first.Rule == fabric.RuleMeetsBudget && c != nil && c.Worst != nil && c.Worst.Profile != nil {
		if stack := c.Worst.Profile.Stack; len(stack) > 0 {
			where += fmt.Sprintf(" The longest call of a handler, %s, spent most of its %d cycles in %s.", c.Worst.Text(), c.Max, stack[0].Frame)
		}
	}
	for i := range r.Aside.Scenes {
		s := &r.Aside.Scenes[i]
		if s.Violation >= 0 && &r.Violations[s.Violation] == first {
			if senders := sendersOn(s); senders != "" {
				where += " Sent there in this slot: " + senders + "."
			}
		}
		if s.Violation < 0 {
			where += fmt.Sprintf(" The fault %s struck first at cycle %d, slot %d, %s.", r.Faults[s.Fault].Kind, s.Cycle, s.Slot, s.Path)
		}
	}
	return where
}

// sendersShown is how many senders are named.
const sendersShown = 4

// sendersOn names who sent on the medium of a scene in its slot.
func sendersOn(s *outcome.Scene) string {
	var names []string
	for i := range s.Frames {
		x := &s.Frames[i]
		if !x.Sent || x.Slot != s.Slot || x.Medium != s.Path && x.Link != s.Path {
			continue
		}
		if len(names) == sendersShown {
			return join(names) + " and others"
		}
		names = append(names, fmt.Sprintf("processor %d at %s", x.Processor, x.Path))
	}
	return join(names)
}

// nextSteps are what to do about the first violation.
func nextSteps(r *outcome.Report, first *outcome.Violation, written []outcome.OutputFile) (steps []Step) {
	if next := rules[first.Rule].next; len(first.Backtrace) > 0 && first.Backtrace[0].Source != "" {
		at := &first.Backtrace[0]
		steps = append(steps, Step{Text: fmt.Sprintf("Open %s, in the function %s: the handler stopped there.", at.Source, at.Function)})
	} else if first.Cause == outcome.CauseFaults && r.Without != nil {
		without := "keeps all rules"
		if r.Without.Verdict == outcome.VerdictFail {
			without = "fails, too, with " + traces.Plural(r.Without.ViolationsTotal, "violation", "violations")
		}
		steps = append(steps, Step{Text: fmt.Sprintf("Look at where the faults struck first, below; without them the run %s. "+
			"Then decide whether the firmware should survive such a fault.", without)})
	} else if next != "" {
		steps = append(steps, Step{Text: next})
	}
	command := r.Aside.Command
	if command == "" {
		return append(steps, Step{Text: fmt.Sprintf("Run the scenario again with seed %d: the run is the same, cycle by cycle.", r.Seed)})
	}
	steps = append(steps, Step{"Repeat it: the run is the same, cycle by cycle.", command})
	files := filesOf(written)
	switch {
	case first.Rule == outcome.RuleInterrupted:
		return steps
	case r.Aside.Alone != "":
		return []Step{{"Run the first permutation that fails alone, for a page with its signals and frames:", command + " " + r.Aside.Alone + " --html run.html"}}
	case files["gtkw"] != "":
		steps = append(steps, Step{"See it in the waveform, with a marker where the rule was broken:", "gtkwave " + files["gtkw"]})
	default:
		steps = append(steps, Step{"See it in a waveform, with a marker where the rule was broken:", command + " --vcd run.vcd; gtkwave run.gtkw"}) // it fails again
	}
	if r.Aside.RTLCheck != "" {
		steps = append(steps, Step{"Find the first cycle in which RTL and model differ:", strings.Trim(r.Aside.RTLCheck, "`")})
	}
	return steps
}

// violationsSection shows the first violations with their scenes, and lists the others.
func violationsSection(r *outcome.Report, order []int) *Section {
	if len(order) == 0 {
		return nil
	}
	s := &Section{Title: "Violations"}
	rest := &Table{Caption: "The other violations.", Columns: columns([]string{"rule"}, "cycle", "slot"), Sorts: len(order) > 12}
	rest.Columns = append(rest.Columns, Column{Name: "where"}, Column{Name: "what"})
	if r.Without != nil {
		rest.Columns = append(rest.Columns, Column{Name: "cause"})
	}
	last := max(r.Cycles, 1) - 1
	number := 0
	for _, k := range order {
		v := &r.Violations[k]
		scene := sceneOf(r.Aside.Scenes, k)
		if scene != nil || len(r.Aside.Scenes) == 0 && number == 0 {
			number++
			s.Parts = append(s.Parts, violationPart(number, v, scene, last))
			continue
		}
		row := []string{v.Rule, strconv.FormatUint(v.Cycle, 10), strconv.FormatUint(v.Slot, 10), v.Path, v.Message}
		if r.Without != nil {
			row = append(row, v.Cause)
		}
		rest.Rows = append(rest.Rows, row)
	}
	for i := range r.Aside.Scenes {
		if scene := &r.Aside.Scenes[i]; scene.Violation < 0 {
			s.Parts = append(s.Parts, faultPart(&r.Faults[scene.Fault], scene, last))
		}
	}
	if more := r.ViolationsTotal - min(uint64(len(order)), r.ViolationsTotal); more > 0 {
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

// rulesSection lists the rules that were checked.
func rulesSection(names []string, broken map[string]int) *Section {
	t := &Table{Caption: "What the run was held to.", Columns: columns([]string{"rule", "means", "result"})}
	listed := map[string]bool{}
	row := func(name string) {
		result := "kept"
		if n := broken[name]; n > 0 {
			result = fmt.Sprintf("BROKEN %s", times(n))
		}
		listed[name] = true
		t.Rows = append(t.Rows, []string{name, meaning(name), result})
	}
	for _, name := range names {
		row(name)
	}
	for _, name := range slices.Sorted(maps.Keys(broken)) {
		if !listed[name] {
			row(name)
		}
	}
	return &Section{Title: "Rules", Blocks: []Block{{Table: t}}}
}

// times is once, or 2 times; of more than are listed, no one has counted those of one rule.
func times(n int) string {
	switch {
	case n == 1:
		return "once"
	case n >= outcome.ViolationsMax:
		return fmt.Sprintf("%d times or more", n)
	}
	return fmt.Sprintf("%d times", n)
}

// costSection says what handlers cost, and where the longest call has spent it.
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
		s.Blocks = append(s.Blocks, text("The compute window has %s; %s longer and missed their slot.",
			traces.Plural(f.BudgetCycles, "cycle", "cycles"), traces.Plural(*f.Overruns, "call took", "calls took")))
	}
	if worst := f.Cycles.Worst; worst != nil {
		s.Blocks = append(s.Blocks, text("The longest call took %s: %s.", traces.Plural(f.Cycles.Max, "cycle", "cycles"), worst.Text()))
		s.Blocks = append(s.Blocks, flameBlocks(worst)...)
	}
	return s
}

// flameBlocks show where a call has spent its cost.
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

// faultsSection says what the faults of the scenario have done.
func faultsSection(r *outcome.Report) *Section {
	if len(r.Faults) == 0 {
		return nil
	}
	s := &Section{Title: "Faults of the scenario"}
	t := &Table{Caption: "What each fault has done.", Columns: columns([]string{"fault", "has done"})}
	for i := range r.Faults {
		t.Rows = append(t.Rows, []string{r.Faults[i].Kind, r.Faults[i].Text()})
	}
	s.Blocks = append(s.Blocks, Block{Table: t})
	if r.Without != nil {
		s.Blocks = append(s.Blocks, text("The same run without the faults: %s.", r.Without.Text()))
	}
	return s
}

// figuresSection lists all figures.
func figuresSection(r *outcome.Report) *Section {
	t := &Table{Caption: "Figures of the run. `starloom explain NAME` says what each means.", Columns: columns([]string{"figure", "value"})}
	for _, m := range r.Figures() {
		value := ""
		if lined, ok := m.Value.(fabric.Lined); ok {
			value = strings.Join(lined.Lines(), "; ")
		} else {
			value = outcome.FormatMetric(m.Value)
		}
		if value != "" {
			t.Rows = append(t.Rows, []string{m.Name, value})
		}
	}
	return &Section{Title: "Figures", Blocks: []Block{{Table: t}}}
}

// aboutSection says what was run, and how to run it again.
func aboutSection(command string, f *outcome.FirmwareReport, rtl []outcome.RTLReport, more [][2]string) *Section {
	t := &Table{Caption: "What was run.", Columns: columns([]string{"what", "value"})}
	add := func(name, value string) {
		if value != "" {
			t.Rows = append(t.Rows, []string{name, value})
		}
	}
	add("command", command)
	for _, row := range more {
		add(row[0], row[1])
	}
	add("firmware", f.Image)
	add("SHA-256 of its image", f.SHA256)
	add("mode", f.Mode)
	for i := range rtl {
		add("RTL", fmt.Sprintf("%s: %s, %s", rtl[i].Path, rtl[i].Top, rtl[i].Backend))
	}
	return &Section{Title: "What was run", Blocks: []Block{{Table: t}}}
}

// join lists texts.
func join(list []string) string { return strings.Join(list, ", ") }
