package outputs

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"

	"starloom/fabric/outcome"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// Output is where one output goes: to a file, to an io.Writer, or nowhere, which is the
// zero value. The bytes are the same.
//
// Files of one run appear under their paths together, when all is well, and not at all
// otherwise; what was there before stays until then. A writer gets bytes as they come, in
// pieces of up to 256 KiB - of a log, the lines of every boundary at once - and the rest at
// the end, before any file appears. What it has when the run fails is incomplete. It is never closed,
// and never called by two goroutines at once. An error of a writer ends the run and is returned, wrapped.
type Output struct {
	Path   string
	writer io.Writer
}

// File is an output to the file at path: "-" is standard output, "" nowhere.
func File(path string) Output { return Output{Path: path} }

// Writer is an output to w; nil is nowhere. Every output has a writer of its own.
func Writer(w io.Writer) Output { return Output{writer: w} }

// Given reports whether the output goes anywhere.
func (o Output) Given() bool { return o != Output{} }

// Beside returns the output of a file beside this one, unless given; none beside standard output or a writer.
func (o Output) Beside(given Output, extension string) Output {
	if info, err := os.Stat(o.Path); given.Given() || o.Path == "" || o.Path == "-" || err == nil && !info.Mode().IsRegular() {
		return given // nothing stands beside a pipe or a device
	}
	return File(WithExtension(o.Path, extension))
}

// Unless returns an output that goes nowhere if it is not wanted.
func (o Output) Unless(unwanted bool) Output {
	if unwanted {
		return Output{}
	}
	return o
}

// WithExtension is the path with another extension.
func WithExtension(path, extension string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + extension
}

// Set are what a run writes. Files appear together when all went well, and not at all otherwise.
type Set struct {
	Files   traces.Files
	Among   *traces.Files // in their place, those of others, who commit them; nil for none
	Written []outcome.OutputFile
}

// Open opens an output, nil for nowhere. No file is visible before commit.
func (o *Set) Open(option, kind string, to Output) (*traces.File, error) {
	file, err := o.OpenQuietly(option, kind, to)
	if file != nil {
		o.Written = append(o.Written, outcome.OutputFile{Kind: kind, Path: to.Path, Stream: file.Stream()})
	}
	return file, err
}

// OpenQuietly is open without an entry in what the report lists.
func (o *Set) OpenQuietly(option, kind string, to Output) (file *traces.File, err error) {
	files := cmp.Or(o.Among, &o.Files)
	switch {
	case to.writer != nil:
		file, err = files.To(kind, to.writer)
	case to.Path != "":
		file, err = files.Create(to.Path)
	}
	if err != nil {
		return nil, input.Refused(option, err, "")
	}
	return file, nil
}

// OpenWaveform opens the output of a waveform: FST if its path says so, else VCD.
func (o *Set) OpenWaveform(to Output) (*traces.File, error) {
	if !vcd.IsFST(to.Path) {
		return o.Open("--vcd", "vcd", to)
	}
	file, err := o.Open("--vcd", "fst", to)
	if err != nil {
		return nil, err
	}
	if err := file.Through(vcd.FST()); err != nil {
		return nil, err
	}
	return file, nil
}

// NoteWaveform adds a remark to the waveform.
func (o *Set) NoteWaveform(text string) {
	for i := range o.Written {
		if kind := o.Written[i].Kind; kind == "vcd" || kind == "fst" {
			o.Written[i].Note = text
		}
	}
}

// Abort removes what is not committed.
func (o *Set) Abort() { o.Files.Abort() }
