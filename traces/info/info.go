// Package info summarises a trace file in one pass. Memory grows only with the number of signals or interfaces.
//
//	file --first bytes--+--> vcd.Reader    --> VCD      --+
//	                    +--> pcapng.Reader --> Capture  --+--> File, Report: text and JSON
package info

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/pcapng"
)

// Schema is the version of Report's JSON.
const Schema = 1

// Report summarises trace files.
type Report struct {
	Schema int    `json:"schema"`
	Files  []File `json:"files"`
}

// File summarises one trace file: a VCD or a packet capture.
type File struct {
	File   string   `json:"file"`
	VCD    *VCD     `json:"vcd,omitempty"`
	PCAPNG *Capture `json:"pcapng,omitempty"`
}

// Options select the contents of a summary.
type Options struct {
	// Signals are patterns (vcd.Pattern) of listed variables.
	Signals []string
	// Top is the number of listed signals with the most changes; 0 selects 5.
	Top int
	// StatusNames are the names of the statuses in a capture, by number.
	StatusNames []string
	// Interrupted is called regularly; its error ends the reading.
	Interrupted func() error
}

// checkEvery is the number of times or blocks between two calls of Interrupted.
const checkEvery = 4096

// Read reads and summarises a file, gzipped or not; "-" is standard input. Memory grows with the number of signals or
// interfaces, not with the file's length.
func Read(path string, o Options) (*File, error) {
	if o.Top == 0 {
		o.Top = 5
	}
	if o.Interrupted == nil {
		o.Interrupted = func() error { return nil }
	}
	s, err := input.OpenStream(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	f := &File{File: s.Name}
	if bytes.HasPrefix(s.Peek(), []byte(pcapng.Magic)) {
		f.PCAPNG, err = readCapture(s, o)
	} else {
		f.VCD, err = readVCD(s, o)
	}
	return f, err
}

func unreadable(path string, err error) error {
	var known *input.Error
	if errors.As(err, &known) {
		return known
	}
	return input.Unreadable(path, err, "give the path of a VCD, an FST or a packet capture, or - for standard input")
}

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error { return traces.WriteJSON(w, r) }

// WriteText writes the report as text, with a paragraph per file.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for n, f := range r.Files {
		if n > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintln(&b, input.Printable(f.File))
		if f.VCD != nil {
			f.VCD.write(&b)
		} else {
			f.PCAPNG.write(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A repeated name is left blank.
type table struct {
	w    *tabwriter.Writer
	last string
}

func newTable(w io.Writer) *table {
	return &table{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
}

func (t *table) row(name, format string, arguments ...any) {
	shown := name
	if name == t.last {
		shown = ""
	}
	t.last = name
	for i, argument := range arguments {
		if text, ok := argument.(string); ok {
			arguments[i] = input.Printable(text)
		}
	}
	fmt.Fprintf(t.w, "  %s\t%s\n", shown, fmt.Sprintf(format, arguments...))
}

func (t *table) lines(name, text string) {
	for line := range strings.Lines(text) {
		t.row(name, "%s", strings.TrimSuffix(line, "\n"))
	}
}

// flush cannot fail: it writes to a strings.Builder.
func (t *table) flush() { _ = t.w.Flush() }
