package pinmap

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/twin"
	"starloom/traces/input"
)

// A Library is what maps can name.
type Library struct {
	Twins    []twin.Twin
	Backends []cosim.Backend // one of wasm among them
}

// A Map says which RTL stands for which model, and which of its pins is which
// port of the model. It makes any RTL a Device with the ports of the model.
//
// A pin is NAME, NAME[3], NAME[7:4], and with ~ before it its inverse; bits count
// from 0 at the low end, whatever the declaration says. Several pins for one port
// are as in Verilog's braces: the first is the highest. Every bit of an RTL input
// must come from somewhere, once; outputs that no pin names are free.
//
// A port of the model may be written without its ending: request for request_i.
//
// Latency, in cycles by output of the model, tells how RTL and model differ in time:
//
//	 0  in the same cycle, also where the output follows inputs within the cycle
//	-1  RTL is a cycle ahead: combinational where the model has a register. The
//	    device samples the RTL just before the edge and shows the sample after the
//	    edge; after an edge with reset on, it shows the model's reset value.
//	 n  RTL is n cycles late, up to 64. A device cannot undo that: package lockstep holds
//	    the model's output back as long, with reset values after a reset.
//
// A Map belongs to one goroutine at a time; the devices that it opens do not.
type Map struct {
	Library

	File   string            // where it was read, for messages
	Places map[string]string // of keys: "pins.request" is at arbiter.yml:7:3; may be nil

	Model      string // a twin's name
	Parameters twin.Parameters

	Source  cosim.Source // without Clocks: see Clock
	Image   string       // what `starloom cosim build` made, instead of Source's files
	Backend string       // "", BackendWasm or BackendIcarus

	Clock    string // "" for RTL without one
	Reset    string // "" for RTL without one
	ResetLow bool   // active low
	Timing   Timing // more of clocks and resets

	Pins     []Wiring
	Ties     []Tie          // RTL inputs that the model does not have
	Feedback []Feedback     // RTL inputs that follow RTL outputs within a cycle
	Absent   []string       // outputs of the model that the RTL does not have; they are 0
	Latency  map[string]int // by output of the model

	Contract

	Build cosim.BuildOptions

	opened *opened // nil before
}

// Clocked is the RTL with its clock.
func (m *Map) Clocked() cosim.Source {
	s := m.Source
	if m.Clock != "" {
		s.Clocks = []string{m.Clock}
	}
	return s
}

// opened is the RTL of a map once it was opened.
type opened struct {
	designs  map[builtAs]cosim.Design
	warnings []cosim.Warning // of what was opened last
	ifdefs   []cosim.Warning // of text that a chip has otherwise
}

// Wiring connects a port of the model to pins.
type Wiring struct {
	Port string
	Pins []string
}

// Tie gives an RTL input a constant value.
type Tie struct {
	Pin   string
	Value uint64
}

// Tied are the ties in words: scan is 0.
func (m *Map) Tied() (texts []string) {
	for _, t := range m.Ties {
		texts = append(texts, fmt.Sprintf("%s is %d", t.Pin, t.Value))
	}
	return texts
}

// TiedText says for which values of its inputs nothing is known of the RTL.
func TiedText(tied []string) string {
	return "the RTL with other values of what the map ties was not looked at: " + strings.Join(tied, ", ")
}

// Feedback makes an RTL input follow an RTL output within a cycle: for example an
// acknowledgement that comes with the grant.
type Feedback struct{ To, From string }

// parameterMax is beyond every model except for a seed; sizes below it need little memory.
const parameterMax = 65535

const latencyMax = 64

type builtAs struct {
	backend string
	seeing  cosim.Seeing
}

// Twin returns what the RTL stands for.
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

// NewModel returns the model with its parameters, in its reset state.
func (m *Map) NewModel() (*twin.Model, error) {
	t, err := m.Twin()
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(t.Sets[0]))
	for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
		if !slices.Contains(names, name) {
			return nil, m.refuse("parameters."+name, fmt.Sprintf("%s has no parameter %s", t.Name, name), input.RemedyOf(name, names))
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
	return remedy + "; `starloom cosim check --list` shows those of each model"
}

// Close forgets what was built; all devices must be closed before.
func (m *Map) Close() error {
	var err error
	for _, design := range m.built().designs {
		err = errors.Join(err, design.Close())
	}
	m.opened = nil
	return err
}

func (m *Map) backend() string {
	if m.Backend == "" {
		return cosim.BackendWasm
	}
	return m.Backend
}

// Warnings is what the tools said of the RTL that was opened last and that bears on a verdict.
func (m *Map) Warnings() []cosim.Warning { return m.built().warnings }

func (m *Map) built() *opened {
	if m.opened == nil {
		m.opened = &opened{designs: map[builtAs]cosim.Design{}}
	}
	return m.opened
}

// On returns the map with the RTL in another backend, which reads the same text as Verilator.
func (m *Map) On(backend string) *Map {
	other := *m
	other.Backend, other.Source, other.opened = backend, m.Source.ForVerilator(), nil
	return &other
}

// FoldsCase reports whether names of the RTL, which has been opened, are those of VHDL.
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

// Place returns where a key stands, or the nearest key above it that has a place.
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

// PinsOf returns the pins of a port of the model.
func (m *Map) PinsOf(port string) []string {
	if port == "reset" && m.Reset != "" {
		if m.ResetLow {
			return []string{"~" + strings.TrimPrefix(m.Reset, "~")}
		}
		return []string{m.Reset}
	}
	for _, names := range [][]string{{port}, {strings.TrimSuffix(port, "_i"), strings.TrimSuffix(port, "_o")}} {
		if i := slices.IndexFunc(m.Pins, func(w Wiring) bool { return slices.Contains(names, w.Port) }); i >= 0 {
			return m.Pins[i].Pins
		}
	}
	return nil
}

// Timing is what a map says of clocks and resets beyond one of each.
type Timing struct {
	// Clocks are all clocks of the RTL, Map.Clock among them; nil for that one alone.
	Clocks []Clock

	// Resets are pins beside Map.Reset that follow the model's reset, too.
	Resets []Reset

	// ResetCycles is how many cycles with reset on the RTL gets for each of the model's; 0: so many that
	// every clock has an edge. For RTL without a reset: how many cycles after a reset of the
	// model nothing is compared.
	ResetCycles int
}

// A Clock of the RTL rises Edges times in so many Cycles of the model. At phase 0 one of its edges is
// that of the model's clock; Phase, from 0 up to but not including 1, shifts all of them by a part of
// its own period.
//
// A clock with When, an input of the model, rises with the model's clock in cycles in which that input
// is 1, and while reset is on.
type Clock struct {
	Name          string
	Edges, Cycles int
	Phase         *big.Rat // nil for 0
	When          string
}

// Reset is a reset of the RTL.
type Reset struct {
	Pin string
	Low bool // active low
}
