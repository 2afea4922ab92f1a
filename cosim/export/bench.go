package export

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"starloom/cosim/twin"
)

//go:embed templates
var templates embed.FS

// About describes a run in the texts of the files.
type About struct {
	Scenario, Version, Command string
	Comments                   []string // lines of the header of a waveform
	Seed                       uint64
	Unshown                    []string // signals of the machine's hardware that are missing from the Verilog
}

// Files returns the files of the folder by name, except the waveform: the top, the twins, a testbench with the
// recorded events, and the files that run both simulators. signals are the signals of the waveform. twins are all
// known twins.
func (t *Top) Files(r *Recording, signals []Signal, twins []twin.Twin, about About) (map[string]string, error) {
	t.write() // parameters may follow from the run
	files := map[string]string{"top.v": spdx + t.Text}
	sources, err := t.sources(twins, files)
	if err != nil {
		return nil, err
	}
	for _, s := range r.streams {
		files[s.name()+".hex"] = s.text()
	}
	var dump strings.Builder
	for _, s := range signals {
		fmt.Fprintf(&dump, "$dumpvars(0, tb.%s);\n", escapedPath(s.Path))
	}
	files["dump.vh"] = dump.String()
	data := struct {
		About
		Top     *Top
		Run     *Recording
		Streams []bench
		Sources []string
		Blocks  []string
		Kinds   []kind
		Open    []string
		Signals int
		Offset  int
	}{about, t, r, benches(r), sources, t.blocks(), t.kinds(), t.open(), len(signals), eventOffset}
	functions := template.FuncMap{"sub": func(a, b int) int { return a - b }}
	parsed, err := template.New("").Funcs(functions).ParseFS(templates, "templates/*.tmpl")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"tb.v", "Makefile", "README.md", "names.yml", "blocks.vlt", "files.f", "synth.ys",
		"area.awk", "top.sdc", "top.core"} {
		var text bytes.Buffer
		if err := parsed.ExecuteTemplate(&text, name+".tmpl", data); err != nil {
			return nil, err
		}
		files[name] = text.String()
	}
	return files, nil
}

// blocks returns the modules that Verilator compiles once for all instances.
func (t *Top) blocks() (names []string) {
	if t.Parts["vc_router"] > 1 {
		names = append(names, "vc_router")
	}
	return names
}

// kind is a module with values of its parameters, in alphabetic order.
type kind struct {
	Twin       string
	Parameters []parameter
	Count      int // instances
}

type parameter struct {
	Name  string
	Value int
}

// kinds returns the distinct kinds of parts, in the order of their first instances.
func (t *Top) kinds() (all []kind) {
	number := map[string]int{}
	for _, c := range t.columns {
		for _, element := range c.elements {
			k, values := kind{Twin: c.site.Twin}, c.site.Parameters(element)
			for _, name := range slices.Sorted(maps.Keys(values)) {
				k.Parameters = append(k.Parameters, parameter{name, values[name]})
			}
			key := fmt.Sprint(k)
			if _, known := number[key]; !known {
				number[key] = len(all)
				all = append(all, k)
			}
			all[number[key]].Count++
		}
	}
	return all
}

// open returns the names of the top's outputs that the testbench does not compare.
func (t *Top) open() (names []string) {
	for _, c := range t.columns {
		for p := range c.site.Ports {
			if port := &c.site.Ports[p]; t.outputs[portOf{c, p}] && !port.Polled {
				names = append(names, c.wire(port))
			}
		}
	}
	return names
}

const spdx = "// SPDX-License-Identifier: Apache-2.0\n"

// sources adds the Verilog of the twins to files and returns the names of the modules' files.
func (t *Top) sources(twins []twin.Twin, files map[string]string) ([]string, error) {
	modules := map[string]bool{}
	for _, name := range t.Twins {
		known, err := twin.Find(twins, name)
		if err != nil {
			return nil, err
		}
		for k, file := range known.Files() {
			text, err := known.Source(file)
			if err != nil {
				return nil, err
			}
			files[file] = spdx + string(text)
			if k > 0 { // the first is the header
				modules[file] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(modules)), nil
}

// bench describes a stream of events for the testbench.
type bench struct {
	Name, Column     string
	Checks           bool
	Elements, Events int
	Period           int // cycles between two values that count
	Width            int // bits of an event
	Ports            []benchPort
}

type benchPort struct {
	Name, Wire string
	Bits, Low  int // its lowest bit in an event
	All        int // bits of all elements
}

func benches(r *Recording) (all []bench) {
	for _, s := range r.streams {
		b := bench{Name: s.name(), Column: s.column.name, Checks: s.checks, Elements: len(s.column.elements),
			Events: len(s.lines), Width: s.width(), Period: s.period}
		low := 0
		for _, port := range s.ports {
			b.Ports = append(b.Ports, benchPort{Name: port.Name, Wire: s.column.wire(port), Bits: port.Bits, Low: low,
				All: port.Bits * b.Elements})
			low += port.Bits
		}
		all = append(all, b)
	}
	return all
}
