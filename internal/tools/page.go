package tools

import (
	"fmt"

	"starloom/internal/outcome"
	"starloom/internal/page"
	"starloom/traces"
)

// Page is the check as a page; subject is what the command takes, written are the other files.
func (c *Check) Page(subject string, written []outcome.OutputFile) *page.Page {
	p := page.Lockstep(c.Report, c.Path, subject, outcome.ShellQuote(c.Report.Map), written)
	p.Name = c.Scenario
	components := traces.Plural(c.Components, "component", "components")
	if len(c.Differing) == 0 {
		p.Summary = fmt.Sprintf("No difference found in %s: %d of %d outputs compared, on %d cycles of inputs.", components, c.ComparedAll, c.OutputsAll, c.InputsAll)
	} else {
		p.Summary = fmt.Sprintf("%d of %s differ from the model; first %s, in cycle %d of the run.", len(c.Differing), components, c.Path, c.Differing[0].Cycle)
		t := &page.Table{Caption: "Components that differ, the earliest first.", Sorts: len(c.Differing) > 12,
			Columns: []page.Column{{Name: "component"}, {Name: "cycle", Number: true}, {Name: "power-on", Number: true}}}
		for _, d := range c.Differing {
			t.Rows = append(t.Rows, []string{d.Path, fmt.Sprint(d.Cycle), fmt.Sprint(d.PowerOn)})
		}
		p.Add("Components that differ", page.Block{Table: t})
	}
	t := &page.Table{Caption: "RTL that was checked, by its pin map.", Columns: []page.Column{{Name: "RTL"}, {Name: "model"}, {Name: "backend"}, {Name: "verdict"},
		{Name: "components", Number: true}, {Name: "cycles", Number: true}, {Name: "pin map"}}}
	for i := range c.Kinds {
		k := &c.Kinds[i]
		t.Rows = append(t.Rows, []string{k.Top, k.Model, k.Backend, k.Verdict, fmt.Sprint(k.Components), fmt.Sprint(k.Cycles), k.Map})
	}
	p.Add("RTL of the scenario", page.Block{Table: t})
	return p
}
