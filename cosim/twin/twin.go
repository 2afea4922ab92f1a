// Package twin gives the components of packages hw and nic the ports of their Verilog twins. A component and its twin
// can then be compared, and RTL can replace a component.
//
//	Twin --New(parameters)--> Model (a cosim.Device)
//	     --WriteSources-----> Verilog
//	     --Mutants----------> Verilog with a mistake, which lockstep must detect
//
// All lists the components. A fabric may add twins with their own Verilog (Twin.Own), so functions accept a list of
// twins.
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

// A Twin is a component of package hw or nic with its Verilog, which has the same ports. In lockstep, component and
// Verilog agree in every output and cycle after the first clock edge with reset on.
type Twin struct {
	Name    string   // name of the twin and of its top module: star_coupler
	Sources []string // files in directory rtl, the top module's first

	// Does describes the behaviour in one line.
	Does string

	// Components are the Go types of the component: hw.StarCouplers.
	Components []string

	// Sets are tested parameter sets, small ones first.
	Sets []Parameters

	// Mutants are mistakes that lockstep must detect, at least three.
	Mutants []Mistake

	// Own holds sources that a fabric adds to the files in directory rtl. It may be nil.
	Own fs.FS

	// Given is the device of a model that is RTL itself, nil for a component.
	Given *Given

	// Build declares the ports of a model and connects them to the component.
	Build func(m *Model, p Parameters) error
}

// Parameters maps the Verilog names of a module's parameters to values.
type Parameters map[string]int

// Verilog returns the values as Verilog constants.
func (p Parameters) Verilog() map[string]string {
	values := map[string]string{}
	for name, value := range p {
		values[name] = strconv.Itoa(value)
		if value > 1<<31-1 { // larger than a plain decimal number
			values[name] = fmt.Sprintf("32'd%d", value)
		}
	}
	return values
}

// Text returns the values in the syntax of a map: {DEPTH: 4, WIDTH: 8}.
func (p Parameters) Text() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		all = append(all, fmt.Sprintf("%s: %d", name, p[name]))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// Find returns the named twin.
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

// New returns the component with the ports of the Verilog module, in its reset state. Every parameter needs a value.
// A value that the component rejects is an error.
func (t Twin) New(p Parameters) (*Model, error) {
	for _, name := range slices.Sorted(maps.Keys(t.Sets[0])) {
		if _, ok := p[name]; !ok {
			return nil, fmt.Errorf("%s: parameter %s has no value", t.Name, name)
		}
	}
	if len(p) != len(t.Sets[0]) {
		return nil, fmt.Errorf("%s: %d parameters; the module has %d", t.Name, len(p), len(t.Sets[0]))
	}
	m := newModel(t.Name)
	if err := t.Build(m, p); err != nil {
		m.Close()
		return nil, err
	}
	return m, m.finish()
}

// Source returns the text of one of the twin's Verilog files, or of the header of these files.
func (t Twin) Source(name string) ([]byte, error) {
	text, err := cosim.RTL.ReadFile("rtl/" + name)
	if errors.Is(err, fs.ErrNotExist) && t.Own != nil {
		return fs.ReadFile(t.Own, name)
	}
	return text, err
}

// Files returns the names of the header and of the sources, which include the header.
func (t Twin) Files() []string { return append([]string{"starloom_registers.vh"}, t.Sources...) }

// WriteSources writes the header and the Verilog files to a directory and returns the paths of the files, the top
// module's first.
func (t Twin) WriteSources(dir string) ([]string, error) { return t.writeSources(dir, nil) }

// writeSources passes each text to edit, which may be nil, before it writes the file.
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

// A Mistake is a common design error. Lockstep must detect the mistake with some set of parameters, because a check
// that cannot fail proves nothing.
type Mistake struct {
	Name     string
	Old, New string // Old occurs once in the first source that contains Old
}
