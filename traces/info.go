package traces

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"starloom/traces/input"
)

// InfoSchema is the version of the JSON of Infos.
const InfoSchema = 1

// Infos says what is in some trace files.
type Infos struct {
	Schema int    `json:"schema"`
	Files  []Info `json:"files"`
}

// Info says what is in one trace file: a VCD or a packet capture.
type Info struct {
	File   string       `json:"file"`
	VCD    *VCDInfo     `json:"vcd,omitempty"`
	PCAPNG *CaptureInfo `json:"pcapng,omitempty"`
}

// InfoOptions says what is wanted.
type InfoOptions struct {
	// Signals are patterns (see NameRule); the variables that fit one are listed.
	Signals []string
	// Top is how many of the most active signals are listed; 0 means 5.
	Top int
	// StatusNames are the names of the statuses in a capture, by number.
	StatusNames []string
	// Interrupted is asked now and then; its error ends the reading.
	Interrupted func() error
}

// ReadInfo reads a whole file and says what is in it. Memory grows with the number of
// signals or interfaces, not with the file's length.
func ReadInfo(path string, o InfoOptions) (*Info, error) {
	if o.Top == 0 {
		o.Top = 5
	}
	if o.Interrupted == nil {
		o.Interrupted = func() error { return nil }
	}
	capture, err := isCapture(path)
	if err != nil {
		return nil, err
	}
	info := &Info{File: path}
	if capture {
		info.PCAPNG, err = readCaptureInfo(path, o)
	} else {
		info.VCD, err = readVCDInfo(path, o)
	}
	return info, err
}

// isCapture looks at the first bytes.
func isCapture(path string) (bool, error) {
	file, err := OpenInput(path)
	if err != nil {
		return false, traceFileError(path, err)
	}
	defer file.Close()
	var first [4]byte
	_, err = io.ReadFull(file, first[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, traceFileError(path, err)
	}
	return bytes.Equal(first[:], []byte{0x0a, 0x0d, 0x0d, 0x0a}), nil
}

func traceFileError(path string, err error) *input.Error {
	return input.Unreadable(path, err, "give the path of a VCD or a packet capture")
}

// WriteJSON writes everything as JSON.
func (i *Infos) WriteJSON(w io.Writer) error { return writeJSON(w, i) }

// WriteText writes everything for people, a paragraph for each file.
func (i *Infos) WriteText(w io.Writer) error {
	var b strings.Builder
	for n, info := range i.Files {
		if n > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintln(&b, info.File)
		if info.VCD != nil {
			info.VCD.write(&b)
		} else {
			info.PCAPNG.write(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// table writes rows of a name and a value, the name only once.
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
	fmt.Fprintf(t.w, "  %s\t%s\n", shown, fmt.Sprintf(format, arguments...))
}

func (t *table) lines(name, text string) {
	for line := range strings.Lines(text) {
		t.row(name, "%s", strings.TrimSuffix(line, "\n"))
	}
}

// flush cannot fail: what is below is a strings.Builder.
func (t *table) flush() { _ = t.w.Flush() }

func plural(count uint64, one, many string) string {
	if count == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", count, many)
}
