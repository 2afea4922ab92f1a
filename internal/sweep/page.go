package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"starloom/fabric/outcome"
	"starloom/internal/page"
	"starloom/internal/plot"
	"starloom/internal/sweep/folder"
	"starloom/traces"
	"starloom/traces/figure"
	"starloom/traces/rounded"
)

// limits of a page; the tables contain all figures
const (
	pageFiguresMax = 6
	pageCurvesMax  = 12
)

var pageFigures = []string{"latency.mean", "latency.p99", "throughput.accepted", "steps", "slots", "lambda", "mu",
	"completion", "lost", "delivered"}

// Page returns the report as a page with a table and plots. command is the command that repeats the sweep; unit
// returns the unit of a figure.
func (r *Report) Page(command string, unit func(figure string) string) (*page.Page, error) {
	t, err := plot.Read(r.Out, folder.ResultsCSV)
	if err != nil {
		return nil, err
	}
	p := &page.Page{Subject: "sweep", Name: outcome.Printable(r.Name)}
	if r.Verdict() == outcome.VerdictFail { // failed runs are results, so the page does not fail because of them
		p.Verdict = outcome.VerdictFail
	}
	p.Summary = fmt.Sprintf("%s, %s; %d failed.", traces.Plural(uint64(r.Extent.Points), "point", "points"),
		traces.Plural(r.Runs, "run", "runs"), r.Failed)
	p.Cause = r.cause()
	p.Answers = r.answers(command)
	names, left := r.figures(t)
	r.unfinishedPage(p)
	r.failedPage(p)
	if r.Limits != nil {
		rows := r.Limits.rows()
		limits := &page.Table{Caption: "Values of " + r.Limits.Axis + " between which runs begin to fail or to saturate.",
			Rows: rows[1:]}
		for _, name := range rows[0] {
			limits.Columns = append(limits.Columns, page.Column{Name: name})
		}
		p.Add("Limits", page.Block{Table: limits})
	}
	p.Add("Results", page.Block{Table: r.table(t, names)}, page.Block{Aside: r.leftText(left)})
	p.Add("Plots", r.plots(t, names, unit)...)
	p.Add("What was run",
		page.Block{Text: "This command repeats the sweep; runs with results in its folder are not repeated."},
		page.Block{Command: command},
		page.About("What was run.", [2]string{"sweep", r.Name}))
	return p, nil
}

// cause names the rule that most runs broke first, and the first of its listed violations, "" without a failed run.
func (r *Report) cause() string {
	most := -1
	for i := range r.FailedRuns {
		if most < 0 || r.Broken[r.FailedRuns[i].Rule] > r.Broken[r.FailedRuns[most].Rule] {
			most = i
		}
	}
	switch {
	case len(r.Unfinished) > 0:
		return fmt.Sprintf("%s could not be finished: %s.",
			traces.Plural(uint64(len(r.Unfinished)), "point", "points"), r.Unfinished[0].Reason)
	case most < 0:
		return ""
	}
	f := &r.FailedRuns[most]
	text := fmt.Sprintf("%d of %s failed; %d broke %s first, the first of them at `%s`", r.Failed,
		traces.Plural(r.Runs, "run", "runs"), r.Broken[f.Rule], f.Rule, f.Point)
	if f.First.Message != "" {
		text += fmt.Sprintf(", in slot %d, %s: %s", f.First.Slot, f.First.Path, f.First.Message)
	}
	return text + "."
}

func (r *Report) answers(command string) []page.Answer {
	switch {
	case len(r.Unfinished) > 0:
		u := &r.Unfinished[0]
		what := fmt.Sprintf("%s could not be finished: %s.",
			traces.Plural(uint64(len(r.Unfinished)), "point", "points"), u.Reason)
		return page.Failed([]string{what}, []string{"The first one is " + u.Point + "."}, nil, nil,
			page.Step{Text: "Remove [the reason](#not-finished), or exclude the point with `where`."},
			page.Step{Text: "The same command runs only the missing points:", Command: command})
	case len(r.FailedRuns) == 0:
		return page.Passed(nil, page.Block{Text: "No run failed. Sort and filter [the table of results](#results), or " +
			"draw other figures of it:"},
			page.Block{Command: fmt.Sprintf("starloom plot %s --x %s --y FIGURE -o FIGURE.svg",
				outcome.ShellQuote(r.Out), r.Axes[0])})
	}
	first := &r.FailedRuns[0]
	step := page.Step{Text: "Run the first failed point alone, for a page with its signals and frames:",
		Command: first.Command + " --html run.html"}
	if first.Command == "" {
		step = page.Step{Text: "The scenario is inside the sweep file: write it to a separate file to run this point " +
			"alone, with --html run.html."}
	}
	what := fmt.Sprintf("%d of %s; the first broke the rule %s.", r.Failed,
		traces.Plural(r.Runs, "run", "runs"), first.Rule)
	return page.Failed([]string{what}, []string{"The first one is " + first.Point + "."}, nil, nil, step, page.Step{
		Text: "See in [the plots](#plots) and [the table](#results) where runs begin to fail. A run that fails is a " +
			"result; it does not fail the sweep."})
}

func (r *Report) unfinishedPage(p *page.Page) {
	if len(r.Unfinished) == 0 {
		return
	}
	t := &page.Table{Caption: "Points that could not be finished.", Columns: []page.Column{{Name: "point"}, {Name: "why"}}}
	for _, u := range r.Unfinished {
		t.Rows = append(t.Rows, []string{u.Point, u.Reason})
	}
	p.Add("Not finished", page.Block{Table: t})
}

func (r *Report) failedPage(p *page.Page) {
	if len(r.FailedRuns) == 0 {
		return
	}
	t := &page.Table{Caption: "Failed runs, by the first broken rule.", Lists: map[int][]string{},
		Columns: []page.Column{{Name: "rule"}, {Name: "runs", Number: true, Opens: true}, {Name: "the first one"},
			{Name: "command"}}}
	at := map[string]int{}
	for i := range r.FailedRuns {
		f := &r.FailedRuns[i]
		row, ok := at[f.Rule]
		if !ok {
			row = len(t.Rows)
			at[f.Rule] = row
			t.Rows = append(t.Rows, []string{f.Rule, "", f.Point, f.Command})
		}
		t.Lists[row] = append(t.Lists[row], f.Point)
		t.Rows[row][1] = fmt.Sprint(len(t.Lists[row]))
	}
	if more := r.Failed - uint64(len(r.FailedRuns)); more > 0 {
		t.Left = fmt.Sprintf("%d more failed; %s lists them.", more, folder.RunsCSV)
	}
	p.Add("Runs that failed", page.Block{Table: t})
}

// figures selects the varying figures for a page: well-known figures first, frames last. left is the number of the
// other figures.
func (r *Report) figures(t *plot.Table) (names []string, left int) {
	for _, name := range t.Metrics() {
		if t.Varies(name + ".mean") {
			names = append(names, name)
		}
	}
	rank := func(name string) int {
		at := slices.Index(pageFigures, name)
		switch {
		case at >= 0:
			return at
		case strings.HasPrefix(name, "frames."), name == "cycles":
			return len(pageFigures) + 1
		}
		return len(pageFigures)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	var shown []string
	for _, name := range names {
		alike := func(other string) bool { return sameColumn(t, name+".mean", other+".mean") }
		if len(shown) < pageFiguresMax && !slices.ContainsFunc(shown, alike) {
			shown = append(shown, name)
		}
	}
	return shown, len(t.Metrics()) - len(shown)
}

func sameColumn(t *plot.Table, one, other string) bool {
	a, b := slices.Index(t.Columns, one), slices.Index(t.Columns, other)
	return !slices.ContainsFunc(t.Rows(), func(row []string) bool { return row[a] != row[b] })
}

func (r *Report) leftText(left int) string {
	if left == 0 {
		return ""
	}
	return fmt.Sprintf("%s not shown: %s contains all figures. `starloom explain NAME` explains each.",
		traces.Plural(uint64(left), "figure is", "figures are"), folder.ResultsCSV)
}

func (r *Report) table(t *plot.Table, names []string) *page.Table {
	out := &page.Table{Sorts: true, Caption: "Results of each point: means over its runs \u00b1 half of their " +
		"interval at 95%."}
	at := func(name string) int { return slices.Index(t.Columns, name) }
	for _, axis := range t.Axes {
		out.Columns = append(out.Columns, page.Column{Name: axis, Number: numbers(t, at(axis))})
	}
	out.Columns = append(out.Columns, page.Column{Name: "runs", Number: true}, page.Column{Name: "failed", Number: true})
	for _, name := range names {
		out.Columns = append(out.Columns, page.Column{Name: name, Number: true})
	}
	for _, cells := range t.Rows() {
		row := append(slices.Clone(cells[:len(t.Axes)]), cells[at("runs")], cells[at("failed")])
		for _, name := range names {
			mean := "-"
			if value, err := strconv.ParseFloat(cells[at(name+".mean")], 64); err == nil {
				mean = outcome.FormatFloat(value)
				if high, err := strconv.ParseFloat(cells[at(name+".high")], 64); err == nil {
					mean = rounded.PlusMinus(value, high-value)
				}
			}
			row = append(row, mean)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func numbers(t *plot.Table, column int) bool {
	return !slices.ContainsFunc(t.Rows(), func(row []string) bool {
		_, err := strconv.ParseFloat(row[column], 64)
		return err != nil
	})
}

func (r *Report) plots(t *plot.Table, names []string, unit func(string) string) (blocks []page.Block) {
	x, most, points := "", 0, 1
	for k, axis := range t.Axes {
		values := map[string]bool{}
		for _, row := range t.Rows() {
			values[row[k]] = true
		}
		points *= len(values)
		if n := len(values); n > most && (numbers(t, k) || x == "") {
			x, most = axis, n
		}
	}
	if most < 2 {
		return nil
	}
	if r.Failed > 0 && t.Varies("failed") {
		names = append([]string{"failed"}, names...)
	}
	for _, name := range names {
		if points/most > pageCurvesMax {
			const text = "Left out, because they would have %d curves: plots over %s. " +
				"`starloom plot %s --x %s --y %s --where AXIS=VALUE -o plot.svg` draws some of them."
			return []page.Block{{Aside: fmt.Sprintf(text, points/most, x, outcome.ShellQuote(r.Out), x, name)}}
		}
		o := plot.Options{X: x, Y: name, Unit: unit}
		if t.Wide(name) {
			o.LogY = figure.Log10
		}
		f, note, err := plot.Draw(t, o)
		var mixed *plot.MixedUnits
		switch {
		case errors.As(err, &mixed):
			blocks = append(blocks, page.Block{Aside: "Not drawn: " + mixed.Error() + "."})
			continue
		case err != nil:
			continue // all rows on these axes lack the figure
		}
		f.Y.Whole = name == "failed"
		caption := f.Title
		if note != "" {
			caption += "; " + note
		}
		if drawn := page.FigurePicture(caption+".", f); drawn != nil {
			blocks = append(blocks, page.Block{Picture: drawn})
		}
	}
	return blocks
}
