package page

import (
	"fmt"

	"starloom/fabric/outcome"
	"starloom/fabric/studies"
	"starloom/traces"
)

// Study returns the page of a study; command repeats it.
func Study(r *outcome.StudyReport, command string) *Page {
	p := &Page{Subject: "study", Name: r.Study, Verdict: r.Verdict}
	var off, contradicted []*studies.StudyRow
	for i := range r.Rows {
		switch row := &r.Rows[i]; {
		case !row.OK:
			off = append(off, row)
		case row.Contradicted:
			contradicted = append(contradicted, row)
		}
	}
	p.Summary = fmt.Sprintf("%d of %s agree with the publication within their tolerances; off: %d; contradictions: %d.",
		len(r.Rows)-len(off)-len(contradicted), traces.Plural(uint64(len(r.Rows)), "figure", "figures"), len(off),
		len(contradicted))
	if len(off) > 0 {
		p.Cause = texts.Say("off cause", map[string]any{"Row": off[0]})
	}
	p.Answers = studyAnswers(r, off, command)
	p.add(rowsSection("Off", "Figures outside their tolerance.", off))
	p.add(rowsSection("Contradictions", "Figures that contradict the publication, with quotations from it.", contradicted))
	pictures := &Section{Title: "Plots"}
	for _, x := range r.Aside.Pictures {
		pictures.Blocks = append(pictures.Blocks,
			Block{Picture: &Picture{Caption: titled(x.SVG, x.Caption), SVG: x.SVG, Narrow: x.Narrow}})
	}
	p.add(pictures)
	all := make([]*studies.StudyRow, len(r.Rows))
	for i := range r.Rows {
		all[i] = &r.Rows[i]
	}
	p.add(rowsSection("All figures", "Published and measured figures.", all))
	p.Add("What was run", Block{Text: "This command repeats the study:"}, Block{Command: command},
		About("What was run.", [2]string{"study", r.Study}))
	return p
}

func studyAnswers(r *outcome.StudyReport, off []*studies.StudyRow, command string) []Answer {
	if len(off) == 0 {
		const text = "No figure is off. [Contradictions](#contradictions) to the publication, if any, are listed with " +
			"quotations from it. This command repeats the study:"
		return Passed(r.Notes, Block{Text: text}, Block{Command: command})
	}
	first := map[string]any{"Row": off[0], "R": r, "Off": len(off), "Study": outcome.ShellQuote(r.Study),
		"Case": outcome.ShellQuote(off[0].Case)}
	said := texts.Lines("off", first)
	return Failed(said[:1], said[1:], nil, r.Notes, texts.Steps("off next", first)...)
}

func rowsSection(title, caption string, rows []*studies.StudyRow) *Section {
	if len(rows) == 0 {
		return nil
	}
	t := table(caption, "case", "quantity", "#published", "#reference", "#measured", "#sd", "#se", "#runs",
		"#tolerance", "status", "note")
	t.Sorts = len(rows) > 12
	for _, x := range rows {
		t.row(x.Case, x.Quantity, outcome.OrDash(x.Published), outcome.OrDash(x.Reference), outcome.FormatFloat(x.Measured),
			outcome.OrDash(x.SD), outcome.OrDash(x.SE), x.Runs, outcome.FormatFloat(x.Tolerance), x.Status(), x.Note)
	}
	return &Section{Title: title, Blocks: []Block{{Table: t}}}
}
