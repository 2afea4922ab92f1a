// Package refmodel runs reference models written by users, in C, Rust or another language, as WebAssembly.
//
//	in 8 data_i, out 8 data_o ...   exports that return the address of a port's variable
//	settle                          outputs from inputs and state
//	edge, reset                     a clock edge without and with reset
//	follow                          adopts the RTL's values of ports "left 8 index_o"
//
// A model runs in the sandbox of firmware: no imports, loops counted. Its device has the inputs clock and reset,
// unless the model is combinational.
package refmodel

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"starloom/cosim"
	"starloom/cosim/twin"
	"starloom/firmware/wasm"
	"starloom/firmware/wasm/binary"
)

const (
	exportReset  = "reset"
	exportSettle = "settle"
	exportEdge   = "edge"
	exportFollow = "follow"

	portBitsMax    = 1 << 16
	memoryPagesMax = 256 // 16 MiB
)

const remedyHeader = "use SL_IN, SL_OUT and SL_LEFT of starloom_model.h"

var portName = regexp.MustCompile(`^(in|out|left) (.*) ([A-Za-z_]\w*)$`)

// A port is a port of a model, with the name of the export that returns its address.
type port struct {
	cosim.Port
	export string
	left   bool
}

// Model is an image of a model; any number of devices can be opened from it. It is a cosim.Design.
type Model struct {
	ports   []port
	clocked bool
	follows bool

	registers []register // known after examine

	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	copy     *wasm.Copy
}

// registersMax bounds the words of a model's state that guide a check and appear in its waveforms.
const registersMax = 64

const registerBytes = 4

// A register is a word of 32 bits of the model's state: a static variable, or a part of one.
type register struct {
	twin.GivenRegister
	address uint32
}

// Is reports whether an image is a model: whether it exports ports.
func Is(image []byte) bool {
	m, err := binary.Parse(image, false)
	if err != nil {
		return false
	}
	for name := range m.Exports {
		if portName.MatchString(name) {
			return true
		}
	}
	return false
}

func refuse(reason, remedy string) error { return &cosim.InputError{Reason: reason, Remedy: remedy} }

func (m *Model) readExports() error {
	functions := m.compiled.ExportedFunctions()
	has := func(name string) bool { return functions[name] != nil }
	for _, name := range []string{exportReset, exportSettle, exportEdge, exportFollow} {
		if f := functions[name]; f != nil && len(f.ParamTypes())+len(f.ResultTypes()) > 0 {
			return refuse(name+" has parameters or a result", "define void "+name+"(void)")
		}
	}
	switch {
	case !has(exportSettle):
		return refuse("does not export settle", "define void settle(void), which computes the outputs")
	case has(exportEdge) != has(exportReset):
		return refuse("exports only one of edge and reset", "define both, or neither for a combinational model")
	}
	m.clocked, m.follows = has(exportEdge), has(exportFollow)
	if m.clocked {
		m.ports = []port{{Port: cosim.Port{Name: "clock", Bits: 1, Input: true, Clock: true, Word: -1}},
			{Port: cosim.Port{Name: "reset", Bits: 1, Input: true}}}
	}
	image, err := binary.Parse(m.copy.Binary, false)
	if err != nil {
		return err
	}
	var names []string
	for name := range image.Exports {
		if portName.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return int(image.Exports[a].Index) - int(image.Exports[b].Index) })
	for _, name := range names {
		if err := m.addPort(name, functions[name]); err != nil {
			return err
		}
	}
	return m.checkPorts()
}

func (m *Model) addPort(export string, f api.FunctionDefinition) error {
	parts := portName.FindStringSubmatch(export)
	kind, name := parts[1], parts[3]
	bits, err := strconv.Atoi(parts[2])
	switch {
	case f == nil || len(f.ParamTypes()) > 0 || !slices.Equal(f.ResultTypes(), []api.ValueType{api.ValueTypeI32}):
		return refuse(fmt.Sprintf("the export %q does not return an address", export), remedyHeader)
	case err != nil:
		return refuse(fmt.Sprintf("the width of port %s is %q, not a number", name, parts[2]),
			"write the number, or a macro of the number, in "+strings.ToUpper("sl_"+kind))
	case bits < 1 || bits > portBitsMax || kind == "left" && bits > 64:
		return refuse(fmt.Sprintf("port %s has %d bits", name, bits),
			fmt.Sprintf("give 1 to %d bits; at most 64 for SL_LEFT", portBitsMax))
	case slices.ContainsFunc(m.ports, func(p port) bool { return p.Name == name }):
		return refuse("there are two ports "+name, "rename one; clock and reset are names of Starloom")
	}
	next := 0
	for _, p := range m.ports {
		if p.Input == (kind == "in") && !p.Clock {
			next += p.Words()
		}
	}
	m.ports = append(m.ports, port{Port: cosim.Port{Name: name, Bits: bits, Input: kind == "in", Word: next},
		export: export, left: kind == "left"})
	return nil
}

func (m *Model) checkPorts() error {
	left := slices.ContainsFunc(m.ports, func(p port) bool { return p.left })
	switch {
	case !slices.ContainsFunc(m.ports, func(p port) bool { return !p.Input }):
		return refuse("has no output", remedyHeader)
	case left && !m.follows:
		return refuse("leaves a port to the RTL, but has no follow", "define void follow(void)")
	case m.follows && !left:
		return refuse("exports follow, but leaves no port to the RTL", "declare the port by SL_LEFT, or delete follow")
	}
	return nil
}

// Ports returns the ports of the model's devices.
func (m *Model) Ports() (all []cosim.Port) {
	for _, p := range m.ports {
		all = append(all, p.Port)
	}
	return all
}

// Warnings returns an empty list, because no tool has read a model.
func (m *Model) Warnings() []cosim.Warning { return []cosim.Warning{} }

// CaseBlind reports that names are case-sensitive.
func (m *Model) CaseBlind() bool { return false }

// Close releases the compiled code. All devices must have been closed.
func (m *Model) Close() error { return m.runtime.Close(context.Background()) }
