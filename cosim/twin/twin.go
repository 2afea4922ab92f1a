package twin

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
)

// A Twin is a component of package hw or nic in Verilog, and the component itself
// with the same ports. In lockstep the two agree in every output of every cycle,
// from the first clock edge with reset on.
type Twin struct {
	Name    string   // also the top module: star_coupler
	Sources []string // file names in RTL's directory rtl, the top module's first

	// Does says in one line how it behaves, for people who choose a model.
	Does string

	// Components are the Go types that it is the twin of: hw.StarCouplers.
	Components []string

	// Sets are values of all parameters that deserve a test, small ones first.
	Sets []Parameters

	// Mutants are mistakes that lockstep has to find, at least three.
	Mutants []Mistake

	// Own holds those of Sources that RTL lacks: a fabric's own. It may be nil.
	Own fs.FS

	// Build declares the ports of a model and connects the component to them.
	Build func(m *Model, p Parameters) error
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

// Text returns the values as a map has them: {DEPTH: 4, WIDTH: 8}.
func (p Parameters) Text() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		all = append(all, fmt.Sprintf("%s: %d", name, p[name]))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// Find returns the twin of a name.
func Find(twins []Twin, name string) (Twin, error) {
	var names []string
	for _, t := range twins {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Twin{}, fmt.Errorf("twin %q: there are %v", name, names)
}

// New returns the Go component with the ports of the Verilog module, in its reset
// state. Every parameter must have a value; one that the component refuses is an
// error.
func (t Twin) New(p Parameters) (*Model, error) {
	for _, name := range slices.Sorted(maps.Keys(t.Sets[0])) {
		if _, ok := p[name]; !ok {
			return nil, fmt.Errorf("%s: parameter %s has no value", t.Name, name)
		}
	}
	if len(p) != len(t.Sets[0]) {
		return nil, fmt.Errorf("%s: %d parameters, the module has %d", t.Name, len(p), len(t.Sets[0]))
	}
	m := newModel(t.Name)
	if err := t.Build(m, p); err != nil {
		m.Close()
		return nil, err
	}
	return m, m.finish()
}

// Source returns the text of one of the twin's Verilog files, or of the header that they include.
func (t Twin) Source(name string) ([]byte, error) {
	text, err := cosim.RTL.ReadFile("rtl/" + name)
	if errors.Is(err, fs.ErrNotExist) && t.Own != nil {
		return fs.ReadFile(t.Own, name)
	}
	return text, err
}

// Files names the header of the register map and the sources that include it.
func (t Twin) Files() []string { return append([]string{"starloom_registers.vh"}, t.Sources...) }

// WriteSources writes the twin's Verilog files, and the header that they include,
// into a directory and returns their paths, the top module's first.
func (t Twin) WriteSources(dir string) ([]string, error) { return t.writeSources(dir, nil) }

// writeSources writes sources after edit, which may be nil.
func (t Twin) writeSources(dir string, edit func(name, text string) (string, error)) ([]string, error) {
	var paths []string
	for _, name := range t.Files() {
		text, err := t.Source(name)
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

// A Mistake is a common error in a design. Lockstep has to find each with some set of
// parameters: a check that cannot fail checks nothing.
type Mistake struct {
	Name     string // what is wrong
	Old, New string // of the first source that has it; Old occurs once there
}
