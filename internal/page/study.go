package page

import (
	"fmt"
	"strconv"

	"starloom/fabric/outcome"
	"starloom/fabric/studies"
	"starloom/traces"
)

// Study is the page of a study, which a command runs again.
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
	p.Summary = fmt.Sprintf("%s: %d within tolerance of what was published, %d off, %d that contradict the publication.",
		traces.Plural(uint64(len(r.Rows)), "figure", "figures"), len(r.Rows)-len(off)-len(contradicted), len(off), len(contradicted))
	p.Answers = studyAnswers(r, off, command)
	p.add(rowsSection("Off", "Figures that are not within their tolerance.", off))
	p.add(rowsSection("Contradictions", "Figures that contradict the publication, with its words.", contradicted))
	pictures := &Section{Title: "Plots"}
	for _, x := range r.Aside.Pictures {
		pictures.Blocks = append(pictures.Blocks, Block{Picture: &Picture{titled(x.SVG, x.Caption), x.SVG}})
	}
	p.add(pictures)
	all := make([]*studies.StudyRow, len(r.Rows))
	for i := range r.Rows {
		all[i] = &r.Rows[i]
	}
	p.add(rowsSection("All figures", "What was published, and what was measured.", all))
	p.Add("What was run", Block{Text: "This repeats the study:"}, Block{Command: command}, About("What was run.", [2]string{"study", r.Study}))
	return p
}

func studyAnswers(r *outcome.StudyReport, off []*studies.StudyRow, command string) []Answer {
	if len(off) == 0 {
		const text = "No figure is off. [Those that contradict the publication](#contradictions), if there are any, " +
			"have its words beside them. This repeats the study:"
		return Passed(r.Notes, Block{Text: text}, Block{Command: command})
	}
	first := off[0]
	what := fmt.Sprintf("%s, %s: measured %s", first.Case, first.Quantity, outcome.FormatFloat(first.Measured))
	if first.Published != nil {
		what += ", published " + outcome.FormatFloat(*first.Published)
	} else if first.Reference != nil {
		what += ", expected " + outcome.FormatFloat(*first.Reference)
	}
	what += fmt.Sprintf(", tolerance %s.", outcome.FormatFloat(first.Tolerance))
	if first.Note != "" {
		what += " " + first.Note + "."
	}
	where := fmt.Sprintf("The case %s of the study %s; of %s, [%d are off](#off).",
		first.Case, r.Study, traces.Plural(uint64(len(r.Rows)), "figure", "figures"), len(off))
	return Failed([]string{what}, []string{where}, nil, r.Notes,
		Step{Text: "Run this case alone:", Command: fmt.Sprintf("starloom study %s --case %s", outcome.ShellQuote(r.Study), outcome.ShellQuote(first.Case))},
		Step{Text: "If a change of yours has brought it, compare the digests of one of its runs before and after. " +
			"If not, see whether the interval is wide (se): --full narrows it."})
}

func rowsSection(title, caption string, rows []*studies.StudyRow) *Section {
	if len(rows) == 0 {
		return nil
	}
	t := &Table{Caption: caption, Sorts: len(rows) > 12,
		Columns: columns([]string{"case", "quantity"}, "published", "reference", "measured", "sd", "se", "runs", "tolerance")}
	t.Columns = append(t.Columns, columns([]string{"status", "note"})...)
	for _, x := range rows {
		row := []string{x.Case, x.Quantity}
		for _, value := range []*float64{x.Published, x.Reference, &x.Measured, x.SD, x.SE} {
			row = append(row, outcome.OrDash(value))
		}
		t.Rows = append(t.Rows, append(row, strconv.Itoa(x.Runs), outcome.FormatFloat(x.Tolerance), x.Status(), x.Note))
	}
	return &Section{Title: title, Blocks: []Block{{Table: t}}}
}
