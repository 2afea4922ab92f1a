package verilator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"starloom/cosim"
	"starloom/firmware/wasm/binary"
)

// Description describes a circuit. It is stored in the custom section starloom.cosim of the wasm file.
type Description struct {
	Format    int               `json:"format"`
	Device    string            `json:"device"` // arbiter.v: arbiter
	Top       string            `json:"top"`
	Ports     []cosim.Port      `json:"ports"`
	Types     []string          `json:"types"`  // by port: logic [7:0]
	Params    map[string]string `json:"params"` // values of the top module's parameters
	CaseBlind bool              `json:"case_blind,omitempty"`
	Levels    bool              `json:"levels"` // some logic depends on more than a clock's rising edge
	Edges     []string          `json:"edges"`  // inputs other than clocks whose edges trigger processes
	Hash      string            `json:"hash"`

	// Warnings are warnings of Verilator that affect the verdict; nil if the image has no record of warnings.
	Warnings []cosim.Warning `json:"warnings"`

	Sources map[string]string `json:"sources"` // by file: prefix of its SHA-256
	Tools   []string          `json:"tools"`

	Data map[string][]byte `json:"data,omitempty"` // contents of $readmem files, by name

	Untraced []string `json:"untraced,omitempty"` // signals missing in Verilator's waveforms, with reasons
}

// WriteText writes the ports, parameters and sources of a circuit as text.
func (d *Description) WriteText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s\n\nport\tdirection\tbits\ttype\n", d.Device)
	clocked := false
	for i, p := range d.Ports {
		direction := "output"
		switch {
		case p.Clock:
			direction, clocked = "clock", true
		case p.Input:
			direction = "input"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", p.Name, direction, p.Bits, d.Types[i])
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var text strings.Builder
	for i, name := range slices.Sorted(maps.Keys(d.Params)) {
		text.WriteString([]string{"parameters ", ", "}[min(i, 1)] + name + "=" + d.Params[name])
	}
	if len(d.Params) > 0 {
		text.WriteString("\n")
	}
	if !clocked && len(d.Edges) > 0 {
		fmt.Fprintf(&text, "no clock is named, but a process waits for edges of %s: name the clocks with --clock\n",
			strings.Join(d.Edges, ", "))
	}
	if text.Len() == 0 {
		return nil
	}
	_, err := io.WriteString(w, "\n"+text.String())
	return err
}

const (
	descriptionFormat  = 1
	descriptionSection = "starloom.cosim"
)

func (d *Description) attach(file string) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	section := append(binary.AppendName(nil, descriptionSection), text...)
	return os.WriteFile(file, binary.AppendSection(wasm, binary.SectionCustom, 1, section), 0o644)
}

var errNotBuilt = &cosim.InputError{Reason: "this circuit was not built by Starloom",
	Remedy: "make one with `starloom cosim build`"}

func customSection(wasm []byte, name string) ([]byte, error) {
	sections, ok := bytes.CutPrefix(wasm, binary.Header)
	for r := (&binary.Reader{Data: sections}); ok && r.More(); {
		if s := r.Section(); s.ID == binary.SectionCustom && s.Name == name {
			return s.Content, nil
		}
	}
	return nil, errNotBuilt
}

// dataPath returns the relative path at which the glue opens a $readmem file, with "up" for "..".
func dataPath(name string) string {
	ups := 0
	for rest, ok := strings.CutPrefix(name, "../"); ok; rest, ok = strings.CutPrefix(name, "../") {
		name = rest
		ups++
	}
	return strings.TrimPrefix(path.Clean("/"+strings.Repeat("up/", ups)+name), "/")
}
