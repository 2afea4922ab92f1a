package cosim

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// RTL holds the Verilog twins, one module per file and the file named after it, and
// the register map's header.
//
//go:embed rtl/*.v rtl/*.vh
var RTL embed.FS

// A Twin is a component of package hw or nic in Verilog, and the component itself
// behind the same ports. In lockstep the two agree in every output of every cycle,
// from the first clock edge with reset on.
type Twin struct {
	Name    string   // also the top module: star_coupler
	Sources []string // file names in RTL's directory rtl, the top module's first

	// Components are the Go types that it is the twin of: hw.StarCouplers.
	Components []string

	// Sets are values of all parameters that are worth a test, small ones first.
	Sets []Parameters

	build func(m *Model, p Parameters) error
}

// Parameters are the values of a module's parameters by their Verilog names.
type Parameters map[string]int

// Verilog returns the values as Verilog constants.
func (p Parameters) Verilog() map[string]string {
	values := map[string]string{}
	for name, value := range p {
		values[name] = strconv.Itoa(value)
		if value > 1<<31-1 { // what a plain decimal number holds
			values[name] = fmt.Sprintf("32'd%d", value)
		}
	}
	return values
}

// Twins returns the twins of all components.
func Twins() []Twin {
	return []Twin{
		starCouplerTwin, linkTwin,
		fifoTwin, lfsrTwin,
		arbiterTwin("fixed"), arbiterTwin("round_robin"), arbiterTwin("matrix"), arbiterTwin("tdma"),
		crc16Twin, serialiserTwin, deserialiserTwin,
		popsSlotTwin,
	}
}

// FindTwin returns the twin of a name.
func FindTwin(name string) (Twin, error) {
	var names []string
	for _, t := range Twins() {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Twin{}, fmt.Errorf("twin %q: there are %v", name, names)
}

// New returns the Go component behind the ports of the Verilog module, in its reset
// state. Every parameter must have a value; one that the component refuses is an
// error.
func (t Twin) New(p Parameters) (*Model, error) {
	for name := range t.Sets[0] {
		if _, ok := p[name]; !ok {
			return nil, fmt.Errorf("%s: parameter %s has no value", t.Name, name)
		}
	}
	if len(p) != len(t.Sets[0]) {
		return nil, fmt.Errorf("%s: %d parameters, the module has %d", t.Name, len(p), len(t.Sets[0]))
	}
	m := newModel(t.Name)
	if err := t.build(m, p); err != nil {
		m.Close()
		return nil, err
	}
	return m, m.finish()
}

// WriteSources writes the twin's Verilog files, and the header that they include,
// into a directory and returns their paths, the top module's first.
func (t Twin) WriteSources(dir string) ([]string, error) { return writeSources(dir, t.Sources, nil) }

// writeSources writes sources after edit, which may be nil.
func writeSources(dir string, sources []string, edit func(name, text string) (string, error)) ([]string, error) {
	var paths []string
	for _, name := range append([]string{"starloom_registers.vh"}, sources...) {
		text, err := RTL.ReadFile("rtl/" + name)
		if err != nil {
			return nil, err
		}
		if edit != nil {
			edited, err := edit(name, string(text))
			if err != nil {
				return nil, err
			}
			text = []byte(edited)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths[1:], nil
}
