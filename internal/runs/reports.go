package runs

import (
	"fmt"
	"io"
	"slices"
	"time"

	"starloom/fabric/outcome"
	"starloom/internal/outputs"
	"starloom/internal/page"
	"starloom/traces"
)

type reportForms interface {
	WriteJSON(io.Writer) error
	WriteTimedJUnit(io.Writer, time.Duration) error
	Title() string // name of the scenario
}

type reportFiles struct {
	out  *outputs.Set
	list []reportFile
	rows *traces.File // a row per run; nil for none

	opened time.Time
}

type reportFile struct {
	outcome.OutputFile
	file  *traces.File
	write func(reportForms, *tally, io.Writer) error
}

// openReports opens the outputs before the run, so that errors appear immediately.
func openReports(out *outputs.Set, options *Options) (*reportFiles, error) {
	files := &reportFiles{out: out, opened: time.Now()}
	for _, r := range []struct {
		kind  string
		to    outputs.Output
		write func(reportForms, *tally, io.Writer) error
	}{
		{"survival", options.Survival.CSV, func(_ reportForms, t *tally, w io.Writer) error { return t.curve().WriteCSV(w) }},
		{"survival", options.Survival.SVG,
			func(r reportForms, t *tally, w io.Writer) error { return t.curve().Plot(r.Title()).WriteSVG(w) }},
		{"json", options.Reports.JSON, func(r reportForms, _ *tally, w io.Writer) error { return r.WriteJSON(w) }},
		{"junit", options.Reports.JUnit, func(r reportForms, _ *tally, w io.Writer) error {
			return r.WriteTimedJUnit(w, time.Since(files.opened))
		}},
		{"csv", options.Reports.CSV, func(_ reportForms, t *tally, _ io.Writer) error { return t.flush() }},
		{"html", options.Reports.HTML, files.writePage},
		{"stats-csv", options.Reports.StatsCSV,
			func(_ reportForms, t *tally, w io.Writer) error { return t.statistics().WriteCSV(w) }},
	} {
		file, err := out.OpenQuietly("--"+r.kind, r.kind, r.to)
		if err != nil {
			return nil, err
		}
		if file == nil {
			continue
		}
		if r.kind == "csv" {
			files.rows = file
		}
		files.list = append(files.list,
			reportFile{outcome.OutputFile{Kind: r.kind, Path: r.to.Path, Stream: file.Stream()}, file, r.write})
	}
	return files, nil
}

func (f *reportFiles) commit(report reportForms, t *tally) ([]outcome.OutputFile, error) {
	for _, r := range f.list {
		if err := r.write(report, t, r.file); err != nil {
			return nil, err
		}
		f.out.Written = append(f.out.Written, r.OutputFile)
	}
	return f.out.Written, f.out.Files.Commit()
}

func (f *reportFiles) writePage(report reportForms, _ *tally, w io.Writer) error {
	written := f.out.Written
	for _, r := range f.list {
		written = append(slices.Clip(written), r.OutputFile)
	}
	switch r := report.(type) {
	case *outcome.Report:
		return page.Run(r, written).Write(w)
	case *outcome.SeedsReport:
		return page.Seeds(r).Write(w)
	}
	panic(fmt.Sprintf("no page of %T", report))
}
