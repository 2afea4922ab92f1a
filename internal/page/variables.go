package page

import (
	"cmp"
	"fmt"
	"slices"

	"starloom/fabric/outcome"
)

// variablesSection shows the variables of the replayed processor: the last change of each variable, and the states.
func variablesSection(v *outcome.Variables) *Section {
	if v == nil || v.Command != "" {
		return nil
	}
	last := table("The last change of each variable.", "variable", "type", "value", "since", "before", "#changes")
	for _, h := range v.History {
		last.row("`"+h.Name+"`", "`"+h.Type+"`", h.Value, cmp.Or(h.Since, "-"), cmp.Or(h.Before, "-"), h.Changes)
	}
	t := table(fmt.Sprintf("State of %s after calls of its handlers.", v.Path),
		slices.Concat([]string{"boundary", "#cycle"}, v.Columns, []string{"inputs and actions"})...)
	for _, r := range v.Rows {
		row := []any{r.When, r.Cycle}
		for _, cell := range r.Cells {
			row = append(row, cell)
		}
		t.row(append(row, r.What)...)
	}
	named := *v
	named.About = capital(v.About)
	blocks := append(paragraphs("variables", &named), Block{Table: last}, Block{Table: t})
	return &Section{Title: "Variables", Gist: v.Path, Blocks: blocks}
}
