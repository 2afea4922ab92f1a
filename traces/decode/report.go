package decode

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"starloom/traces"
	"starloom/traces/input"
)

// Schema is the version of Report's JSON.
const Schema = 1

// Report summarises the frames in a VCD. Its JSON is stable.
type Report struct {
	Schema     int         `json:"schema"`
	File       string      `json:"file"`
	Cycles     uint64      `json:"cycles"`
	Interfaces []Interface `json:"interfaces"` // interfaces with frames
	Lanes      int         `json:"lanes"`      // number of interfaces of the map found in the VCD
	Frames     uint64      `json:"frames"`
	OK         uint64      `json:"ok"`
	Damaged    uint64      `json:"damaged"`
	Collisions uint64      `json:"collisions"`
	Faults     []Fault     `json:"faults,omitempty"` // faults of damaged frames of bytes
	Unknown    uint64      `json:"unknown"`          // number of x and z bits, which count as dark
	Truncated  bool        `json:"truncated,omitempty"`
}

// Fault is a kind of damage and the number of damaged frames.
type Fault struct {
	What   string `json:"what"`
	Frames uint64 `json:"frames"`
	Cycle  uint64 `json:"cycle"` // last cycle of the first damaged frame
}

// Interface counts the frames of one interface.
type Interface struct {
	Name       string `json:"name"`
	Frames     uint64 `json:"frames"`
	OK         uint64 `json:"ok"`
	Damaged    uint64 `json:"damaged"`
	Collisions uint64 `json:"collisions"`
}

func (r *Report) WriteJSON(w io.Writer) error {
	return input.WriteJSON(w, r)
}

func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, input.Printable(r.File))
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  cycles\t%d\n", r.Cycles)
	fmt.Fprintf(t, "  interfaces\t%d in the waveform, %d in the capture\n", r.Lanes, len(r.Interfaces))
	fmt.Fprintf(t, "  frames\t%d: %d ok, %d damaged, %d collided\n", r.Frames, r.OK, r.Damaged, r.Collisions)
	for _, f := range r.Faults {
		fmt.Fprintf(t, "  damaged\t%d: %s, first in cycle %d\n", f.Frames, f.What, f.Cycle)
	}
	if r.Unknown > 0 {
		times := traces.Plural(r.Unknown, "time", "times")
		fmt.Fprintf(t, "  note\tx or z occurred on valid, ready or a rail %s and was read as no phit\n", times)
	}
	if r.Truncated {
		fmt.Fprintf(t, "  note\tthe file ends within a line, which was ignored\n")
	}
	_ = t.Flush() // a strings.Builder cannot fail
	_, err := io.WriteString(w, b.String())
	return err
}
