package page

import (
	"fmt"

	"starloom/fabric/outcome"
)

// variablesSection shows the variables of the replayed processor, a row for each call.
func variablesSection(v *outcome.Variables) *Section {
	if v == nil {
		return nil
	}
	columns := []string{"boundary", "#cycle"}
	for _, name := range v.Columns {
		columns = append(columns, "`"+name+"`")
	}
	t := table(fmt.Sprintf("State of %s after calls of its handlers.", v.Path), append(columns, "inputs and actions")...)
	for i := range t.Columns {
		t.Columns[i].Name = plain(t.Columns[i].Name)
	}
	for _, r := range v.Rows {
		row := []any{r.When, r.Cycle}
		for _, cell := range r.Cells {
			row = append(row, cell)
		}
		t.row(append(row, r.What)...)
	}
	named := *v
	named.About = capital(v.About)
	s := &Section{Title: "Variables", Blocks: append(paragraphs("variables", &named), Block{Table: t})}
	if v.Constant != nil {
		s.Blocks = append(s.Blocks, Block{Folded: join(v.Constant) + ".", Fold: texts.Say("constant variables", v)})
	}
	return s
}
