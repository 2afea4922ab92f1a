// Package outputs defines destinations of outputs: writers, and files that appear together or not at all.
//
//	Output (file, writer, nowhere) --open--> Set --commit--> all files appear
//	                                          \--abort--> no file appears
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

// Output is the destination of one output: a file, an io.Writer, or nowhere, the zero value. Every destination gets
// the same bytes.
//
// Files of one run appear under their paths together after success, and otherwise not at all; earlier files remain
// until then. A writer gets bytes during the run, in pieces of up to 256 KiB (a log: the lines of each boundary
// together), and the rest at the end, before any file appears. After a failed run its contents are incomplete. The
// writer is never closed and never called concurrently. An error of a writer ends the run, which returns the wrapped
// error.
type Output struct {
	Path   string
	writer io.Writer
}

// File returns an output to the file at path: "-" is standard output, "" is nowhere.
func File(path string) Output { return Output{Path: path} }

// Writer returns an output to w; nil is nowhere. Each output needs its own writer.
func Writer(w io.Writer) Output { return Output{writer: w} }

// Given reports whether the output has a destination, which may be standard output.
func (o Output) Given() bool { return o != Output{} }

// Beside returns given or, if given has no destination, a file next to this output. Standard output and writers have
// no adjacent file.
func (o Output) Beside(given Output, extension string) Output {
	if info, err := os.Stat(o.Path); given.Given() || o.Path == "" || o.Path == "-" ||
		err == nil && !info.Mode().IsRegular() {
		return given // a file beside a pipe or a device would be of no use
	}
	return File(WithExtension(o.Path, extension))
}

// Unless returns the output, or no destination if it is unwanted.
func (o Output) Unless(unwanted bool) Output {
	if unwanted {
		return Output{}
	}
	return o
}

// WithExtension replaces the extension of a path.
func WithExtension(path, extension string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + extension
}

// A Set holds the outputs of a run. Files appear together after success, and otherwise not at all.
type Set struct {
	Files   traces.Files
	Among   *traces.Files // set of another owner, which commits the files; nil selects Files
	Written []outcome.OutputFile
}

// Open opens an output. It returns nil without a destination. No file is visible before the commit.
func (o *Set) Open(option, kind string, to Output) (*traces.File, error) {
	file, err := o.OpenQuietly(option, kind, to)
	if file != nil {
		o.Written = append(o.Written, outcome.OutputFile{Kind: kind, Path: to.Path, Stream: file.Stream()})
	}
	return file, err
}

// OpenQuietly is like Open but does not list the output in Written.
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

// OpenWaveform opens the output of a waveform: FST if the path selects it, otherwise VCD.
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

// NoteWaveform adds a note to the entry of the waveform.
func (o *Set) NoteWaveform(text string) {
	for i := range o.Written {
		if kind := o.Written[i].Kind; kind == "vcd" || kind == "fst" {
			o.Written[i].Note = text
		}
	}
}

// Abort removes uncommitted files.
func (o *Set) Abort() { o.Files.Abort() }
