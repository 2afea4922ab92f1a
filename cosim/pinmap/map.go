// Package pinmap maps RTL to a model: it connects the pins of the RTL with the ports of the model.
//
//	          +--------------- Device: ports of the model ----------------+
//	inputs ---| wiring, inversion, ties --> RTL --> wiring, early outputs |--- outputs
//	          |              feedback <------/                            |
//	          +-----------------------------------------------------------+
package pinmap

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/goals"
	"starloom/cosim/twin"
	"starloom/traces/input"
)

// A Library holds the twins and backends that maps can refer to by name.
type Library struct {
	Twins    []twin.Twin
	Backends []cosim.Backend // includes a wasm backend
}

// A Map connects the pins of some RTL with the ports of a model. It opens the RTL as a Device with the ports of the
// model.
//
// A pin is NAME, NAME[3] or NAME[7:4]; a leading ~ inverts it. Bits count from 0 at the low end, regardless of the
// declaration. Several pins for one port are joined as in Verilog's braces, highest first. Every bit of an RTL input
// needs exactly one driver; unmapped outputs are ignored.
//
// The suffix of a model's port may be omitted: request for request_i.
//
// Latency is the delay of the RTL relative to the model, in cycles, by output of the model:
//
//	 0  none, even if the output follows inputs within the cycle
//	-1  the RTL is a cycle early: combinational where the model has a register. The device
//	    samples it just before the edge and shows the sample after the edge; after an edge
//	    with reset on, it shows the model's reset value
//	 n  the RTL is n cycles late, at most 64. A device cannot undo that: package lockstep
//	    delays the model's output, with reset values after a reset
//
// A Map must not be used concurrently. Other goroutines may use its devices.
type Map struct {
	Library

	Written
	Places map[string]string // places of keys: "pins.request" is at arbiter.yml:7:3; nil for none

	Model      string
	Parameters twin.Parameters

	Source  cosim.Source // Clocks are empty: see Clock
	Image   string       // output of `starloom cosim build`, in place of Source's files
	Backend string

	Clock    string // "" for RTL without a clock
	Reset    string // "" for RTL without a reset
	ResetLow bool
	Timing   Timing

	Pins     []Wiring
	Ties     []Tie          // constants for RTL inputs that the model does not have
	Feedback []Feedback     // RTL inputs that follow RTL outputs within a cycle
	Absent   []string       // outputs of the model that the RTL does not have; their bits are 0
	Latency  map[string]int // cycles, by output of the model

	Contract

	Goals *Goals   // nil unless assertions of the RTL are goals of a proof
	Cut   []string // instances that Prepare takes out of the top modules of both sides

	Build cosim.BuildOptions

	opened  *opened       // nil before Open
	written *cosim.Source // of the map's file; nil unless Prepare has replaced Source
}

// Written is the file of a map.
type Written struct{ File, SHA256 string }

// Goals are the assertions of the RTL. After Prepare, the map's Source is the preprocessed text without them.
type Goals struct {
	Only bool // nothing is compared: the model is the RTL itself

	// Evaluated means that devices of the RTL in WebAssembly end at an assertion that fails, as in a check. In a proof,
	// assertions are decided, and devices lack them.
	Evaluated bool

	Text *goals.Text // nil before Prepare
}

// original returns the source of the RTL as written in the map.
func (m *Map) original() *cosim.Source {
	if m.written != nil {
		return m.written
	}
	return &m.Source
}

// Clocked returns the source of the RTL with its clock.
func (m *Map) Clocked() cosim.Source {
	s := m.Source
	if m.Clock != "" {
		s.Clocks = []string{m.Clock}
	}
	return s
}

type opened struct {
	designs  map[builtAs]cosim.Design
	warnings []cosim.Warning
	ifdefs   []cosim.Warning // warnings about text that synthesis sees differently
}

// Wiring connects a port of the model to pins or functions of pins.
type Wiring struct {
	Port string
	Pins []string
}

// Tie holds an RTL input at a constant value.
type Tie struct {
	Pin   string
	Value uint64
}

// Tied describes the ties: scan is 0.
func (m *Map) Tied() (texts []string) {
	for _, t := range m.Ties {
		texts = append(texts, fmt.Sprintf("%s is %d", t.Pin, t.Value))
	}
	return texts
}

// TiedText states that only the tied values of inputs were tested.
func TiedText(tied []string) string {
	return "the RTL was not checked with other values of tied inputs: " + strings.Join(tied, ", ")
}

// Feedback connects an RTL input to an RTL output within a cycle, such as an acknowledgement to a grant.
type Feedback struct{ To, From string }

// parameterMax is the maximum value of parameters other than seeds. Models of that size need little memory.
const parameterMax = 65535

const latencyMax = 64

type builtAs struct {
	backend string
	seeing  cosim.Seeing
}

// Twin returns the twin of the model.
func (m *Map) Twin() (twin.Twin, error) {
	t, err := twin.Find(m.Twins, m.Model)
	if err != nil {
		var names []string
		for _, t := range m.Twins {
			names = append(names, t.Name)
		}
		return t, m.refuse("model", fmt.Sprintf("there is no model %q", m.Model), input.RemedyOf(m.Model, names))
	}
	return t, nil
}

// Given returns the description of a model that is RTL, otherwise nil.
func (m *Map) Given() *twin.Given {
	if i := slices.IndexFunc(m.Twins, func(t twin.Twin) bool { return t.Name == m.Model }); i >= 0 {
		return m.Twins[i].Given
	}
	return nil
}

// Files returns the paths of all files to which the map refers: the map, the image, and the sources of the RTL and of
// a model that is RTL.
func (m *Map) Files() []string {
	all := append([]string{m.File, m.Image}, m.original().Files...)
	if g := m.Given(); g != nil {
		all = append(all, g.Source.Files...)
	}
	return all
}

// inModel replaces the place of an error in options by the key of the model.
func (m *Map) inModel(err error) error {
	var bad *cosim.InputError
	if !errors.As(err, &bad) {
		return err
	}
	key, ok := strings.CutPrefix(bad.Place, "--")
	if remedy, include := strings.CutSuffix(bad.Remedy, cosim.WithInclude); include {
		return &cosim.InputError{Place: bad.Place, Reason: bad.Reason, Remedy: remedy + "under model: {include: [DIR]}"}
	}
	switch {
	case key == "param" && ok:
		return m.refuse("model.params", bad.Reason, bad.Remedy)
	case ok:
		return m.refuse("model."+strings.ReplaceAll(key, "-", "_"), bad.Reason, bad.Remedy)
	}
	return err
}

// NewModel returns the model with the map's parameters, in its reset state.
func (m *Map) NewModel() (*twin.Model, error) {
	t, err := m.Twin()
	if err != nil {
		return nil, err
	}
	if t.Given != nil {
		if err := m.inModel(t.Given.Prepare(context.Background(), m.Build)); err != nil {
			return nil, err
		}
		model, err := t.New(m.Parameters)
		return model, m.inModel(err)
	}
	names := slices.Sorted(maps.Keys(t.Sets[0]))
	for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
		if !slices.Contains(names, name) {
			return nil,
				m.refuse("parameters."+name, fmt.Sprintf("%s has no parameter %s", t.Name, name), input.RemedyOf(name, names))
		}
		if value := m.Parameters[name]; value < 0 || value > parameterMax && name != "SEED" {
			return nil, m.refuse("parameters."+name,
				fmt.Sprintf("%s of %s is %d", name, t.Name, value),
				fmt.Sprintf("give 0 to %d", parameterMax))
		}
	}
	model, err := t.New(m.Parameters)
	if err != nil {
		return nil, m.refuse("parameters", err.Error(), m.parametersRemedy(t))
	}
	return model, nil
}

func (m *Map) parametersRemedy(t twin.Twin) string {
	remedy, flags := "for example parameters: "+t.Sets[0].Text(), ""
	for _, name := range slices.Sorted(maps.Keys(t.Sets[0])) {
		if _, given := m.Parameters[name]; !given {
			flags += fmt.Sprintf(" -G %s=%d", name, t.Sets[0][name])
		}
	}
	if flags != "" {
		remedy += ", or with a command" + flags
	}
	if len(m.Absent) > 0 {
		remedy += "; absent outputs have a width, too"
	}
	return remedy + "; `starloom cosim check --list` lists them for each model"
}

// Close releases built designs. All devices must have been closed.
func (m *Map) Close() error {
	err := m.CloseRTL()
	if g := m.Given(); g != nil && g.Shape != nil {
		err = errors.Join(err, g.Shape.Close())
		g.Shape = nil
	}
	return err
}

// CloseRTL releases built designs of the RTL, but not of the model.
func (m *Map) CloseRTL() error {
	var err error
	for _, design := range m.built().designs {
		err = errors.Join(err, design.Close())
	}
	m.opened = nil
	return err
}

// ShareRTL lets the map use the builds of another map with the same RTL. Close only the other map.
func (m *Map) ShareRTL(other *Map) { m.opened = other.built() }

func (m *Map) backend() string {
	if m.Backend == "" {
		return cosim.BackendWasm
	}
	return m.Backend
}

// Warnings returns the warnings of the tools that affect a verdict about the most recently opened RTL.
func (m *Map) Warnings() []cosim.Warning { return m.built().warnings }

func (m *Map) built() *opened {
	if m.opened == nil {
		m.opened = &opened{designs: map[builtAs]cosim.Design{}}
	}
	return m.opened
}

// On returns a copy of the map for another backend. The backend reads the same text as Verilator.
func (m *Map) On(backend string) *Map {
	other := *m
	other.Backend, other.Source, other.opened = backend, m.Source.ForVerilator(), nil
	return &other
}

// FoldsCase reports whether the RTL has VHDL names, which are not case-sensitive. An image must have been opened.
func (m *Map) FoldsCase() bool {
	if len(m.Source.Files) > 0 {
		return m.Source.VHDL()
	}
	for _, design := range m.built().designs {
		if design.CaseBlind() {
			return true
		}
	}
	return false
}

// Place returns the place of a key, or of its nearest parent with a place.
func (m *Map) Place(key string) string {
	for {
		if place, ok := m.Places[key]; ok {
			return place
		}
		if key == "" {
			return m.File
		}
		key = key[:max(0, strings.LastIndexAny(key, ".["))]
	}
}

func (m *Map) refuse(key, reason, remedy string) error {
	return &cosim.InputError{Place: m.Place(key), Reason: reason, Remedy: remedy}
}

// PinsOf returns the pins of a port of the model. If the model is RTL, the default is the pin with the port's name.
func (m *Map) PinsOf(port string) []string {
	if port == "reset" && m.Reset != "" {
		if m.ResetLow {
			return []string{"~" + strings.TrimPrefix(m.Reset, "~")}
		}
		return []string{m.Reset}
	}
	if m.Given() != nil && !slices.ContainsFunc(m.Pins, func(w Wiring) bool { return w.Port == port }) {
		return []string{port}
	}
	for _, names := range [][]string{{port}, {strings.TrimSuffix(port, "_i"), strings.TrimSuffix(port, "_o")}} {
		if i := slices.IndexFunc(m.Pins, func(w Wiring) bool { return slices.Contains(names, w.Port) }); i >= 0 {
			return m.Pins[i].Pins
		}
	}
	return nil
}

// Timing describes RTL with more than one clock or reset.
type Timing struct {
	// Clocks are all clocks of the RTL, including Map.Clock; nil for that clock alone.
	Clocks []Clock

	// Resets are further pins that follow the model's reset.
	Resets []Reset

	// ResetCycles is the number of RTL reset cycles per reset cycle of the model; 0 means enough cycles for an edge
	// of every clock. For RTL without a reset, it is the number of cycles after the model's reset that are not
	// compared.
	ResetCycles int
}

// A Clock rises Edges times in Cycles cycles of the model. With phase 0, one of the edges coincides with the edge of
// the model's clock. Phase, at least 0 and below 1, shifts the edges by that part of the clock's period.
//
// A clock with When, an input of the model, is gated. It rises with the model's clock in cycles in which that input
// is 1, and during reset.
type Clock struct {
	Name          string
	Edges, Cycles int
	Phase         *big.Rat // nil for 0
	When          string
}

// Reset is a reset of the RTL.
type Reset struct {
	Pin string
	Low bool
}
