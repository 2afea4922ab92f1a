package starloom

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"starloom/traces"
)

// Output is where one output goes: to a file, to an io.Writer, or nowhere, which is the
// zero value. The bytes are the same.
//
// Files of one run appear under their paths together, when all is well, and not at all
// otherwise; what was there before stays until then. A writer gets bytes as they come, in
// pieces of up to 256 KiB - of a log, the lines of every boundary at once - and the rest at
// the end, before any file appears. What it has when the run fails is incomplete. It is never closed, and never called by two goroutines
// at once. An error of a writer ends the run and is returned, wrapped.
type Output struct {
	path   string
	writer io.Writer
}

// File is an output to the file at path: "-" is standard output, "" nowhere.
func File(path string) Output { return Output{path: path} }

// Writer is an output to w; nil is nowhere. Every output has a writer of its own.
func Writer(w io.Writer) Output { return Output{writer: w} }

func (o Output) given() bool { return o != Output{} }

// beside returns the output of a file that goes with this one, unless it is given:
// nothing goes with standard output or a writer.
func (o Output) beside(given Output, extension string) Output {
	if info, err := os.Stat(o.path); given.given() || o.path == "" || o.path == "-" || err == nil && !info.Mode().IsRegular() {
		return given // nothing stands beside a pipe or a device
	}
	return File(withExtension(o.path, extension))
}

func withExtension(path, extension string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + extension
}

// outputs are what a run writes. Files appear together when all went well, and not at all
// otherwise.
type outputs struct {
	files   traces.Files
	written []OutputFile
	reports []reportFile
	rows    *traces.File // a row for each run
}

// reportForms are the forms that every report has for scripts.
type reportForms interface {
	WriteJSON(io.Writer) error
	WriteJUnit(io.Writer) error
	Title() string // the scenario's
}

// reportFile is a report in one of its forms, written at the end.
type reportFile struct {
	OutputFile
	file  *traces.File
	write func(reportForms, *tally, io.Writer) error
}

// open opens an output, nil for nowhere. No file is visible before commit.
func (o *outputs) open(option, kind string, to Output) (*traces.File, error) {
	file, err := o.openQuietly(option, kind, to)
	if file != nil {
		o.written = append(o.written, OutputFile{Kind: kind, Path: to.path, Stream: file.Stream()})
	}
	return file, err
}

// openQuietly is open without an entry in what the report lists.
func (o *outputs) openQuietly(option, kind string, to Output) (file *traces.File, err error) {
	switch {
	case to.writer != nil:
		file, err = o.files.To(kind, to.writer)
	case to.path != "":
		file, err = o.files.Create(to.path)
	}
	if err != nil {
		return nil, &InputError{Place: option, Reason: err.Error()}
	}
	return file, nil
}

// openReports opens the outputs of the report before the run: a file that cannot be
// written is refused before a long run, not after it.
func (o *outputs) openReports(options RunOptions) error {
	for _, r := range []struct {
		kind  string
		to    Output
		write func(reportForms, *tally, io.Writer) error
	}{
		{"survival", options.SurvivalCSV, func(_ reportForms, t *tally, w io.Writer) error { return t.curve().WriteCSV(w) }},
		{"survival", options.SurvivalSVG, func(r reportForms, t *tally, w io.Writer) error { return t.curve().Plot(r.Title()).WriteSVG(w) }},
		{"json", options.JSON, func(r reportForms, _ *tally, w io.Writer) error { return r.WriteJSON(w) }},
		{"junit", options.JUnit, func(r reportForms, _ *tally, w io.Writer) error { return r.WriteJUnit(w) }},
		{"csv", options.CSV, func(_ reportForms, t *tally, _ io.Writer) error { return t.flush() }},
		{"stats-csv", options.StatsCSV, func(_ reportForms, t *tally, w io.Writer) error { return t.statistics().WriteCSV(w) }},
	} {
		file, err := o.openQuietly("--"+r.kind, r.kind, r.to)
		if err != nil {
			return err
		}
		if file == nil {
			continue
		}
		if r.kind == "csv" {
			o.rows = file
		}
		o.reports = append(o.reports, reportFile{OutputFile{Kind: r.kind, Path: r.to.path, Stream: file.Stream()}, file, r.write})
	}
	return nil
}

// note adds a remark to an output of a kind.
func (o *outputs) note(kind, text string) {
	for i := range o.written {
		if o.written[i].Kind == kind {
			o.written[i].Note = text
		}
	}
}

// commitReports writes the reports, gives writers what they do not have yet, and makes
// all files visible.
func (o *outputs) commitReports(report reportForms, t *tally) ([]OutputFile, error) {
	for _, r := range o.reports {
		if err := r.write(report, t, r.file); err != nil {
			return nil, err
		}
		o.written = append(o.written, r.OutputFile)
	}
	return o.written, o.files.Commit()
}

// abort removes what is not committed.
func (o *outputs) abort() { o.files.Abort() }
