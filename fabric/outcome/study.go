package outcome

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"starloom/fabric/studies"
	"starloom/traces/input"
)

// StudyReport compares measured figures with published figures.
type StudyReport struct {
	Study   string             `json:"study"`
	Verdict Verdict            `json:"verdict"`
	Rows    []studies.StudyRow `json:"rows"`
	Notes   []string           `json:"notes,omitempty"` // progress of an interrupted study

	Beside
}

// Interrupted reports whether the study was interrupted.
func (r *StudyReport) Interrupted() bool { return r.Aside.CutShort }

func (r *StudyReport) WriteJSON(w io.Writer) error {
	out := *r
	if out.Rows == nil {
		out.Rows = []studies.StudyRow{}
	}
	return WriteJSON(w, &out)
}

// WriteText writes an aligned table and the verdict.
func (r *StudyReport) WriteText(w io.Writer) error {
	var b bytes.Buffer
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "case\tquantity\tpublished\treference\tmeasured\tsd\tse\truns\ttolerance\tstatus\tnote")
	statuses := map[string]int{}
	for _, row := range r.Rows {
		status := row.Status()
		statuses[status]++
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", row.Case, row.Quantity,
			OrDash(row.Published), OrDash(row.Reference), FormatFloat(row.Measured), OrDash(row.SD), OrDash(row.SE),
			row.Runs, FormatFloat(row.Tolerance), status, row.Note)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	// An empty last column leaves trailing blanks.
	var out bytes.Buffer
	for line := range strings.Lines(b.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	for i, note := range r.Notes {
		if i == 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "note: %s\n", note)
	}
	writeFiles(&out, r.Files)
	fmt.Fprintf(&out, "\n%s  study %s: %d of %d rows within tolerance", strings.ToUpper(string(r.Verdict)), r.Study,
		statuses["ok"], len(r.Rows))
	if n := statuses["contradicted"]; n > 0 {
		fmt.Fprintf(&out, ", %d %s the publication", n, map[bool]string{true: "contradicts", false: "contradict"}[n == 1])
	}
	out.WriteByte('\n')
	_, err := w.Write(out.Bytes())
	return err
}

// WriteCSV writes a row per figure, with all digits.
func (r *StudyReport) WriteCSV(w io.Writer) error {
	exact := func(f *float64) string {
		if f == nil {
			return ""
		}
		return ExactFloat(*f)
	}
	rows := [][]string{{"case", "quantity", "published", "reference", "measured", "sd", "se", "runs", "tolerance",
		"ok", "contradicted", "note"}}
	for _, x := range r.Rows {
		rows = append(rows, []string{x.Case, x.Quantity, exact(x.Published), exact(x.Reference), ExactFloat(x.Measured),
			exact(x.SD), exact(x.SE),
			strconv.Itoa(x.Runs), ExactFloat(x.Tolerance), strconv.FormatBool(x.OK), strconv.FormatBool(x.Contradicted), x.Note})
	}
	return input.NewCSVWriter(w).WriteAll(rows)
}
