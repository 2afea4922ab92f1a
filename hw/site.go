package hw

import "fmt"

// Site describes the ports of a component. The same description serves to connect its elements to RTL and to compare
// them with RTL:
//
//	the machine --wires--> component --wires--> the machine      no RTL
//	the machine --Get----> inputs [device] outputs --Put---->    an element replaced by RTL
//	inputs [component] outputs: Put ... Get                      the component as a device itself,
//	                                                             beside RTL or in its place
//
// A Site serves single elements, so a closure per exchange is affordable. The component's phases do not use the Site.
type Site struct {
	Twin       string                           // name of the Verilog twin of an element, e.g. star_coupler
	What       string                           // noun for the elements, e.g. star couplers
	Parameters func(element int) map[string]int // parameters of the twin by Verilog name
	Elements   int
	Path       func(element int) string
	Whole      func(element int) string // path of the component that contains the element; nil if none

	// Clocked means that the twin has the inputs clock and reset before Ports. Combinational means that outputs
	// follow inputs within the cycle and are exchanged in Settle; otherwise inputs are read in Latch and outputs are
	// shown in Drive.
	Clocked, Combinational bool

	Ports []Port // in the order of the twin

	// Always means that inputs from outside may change in every cycle, and that polled outputs count in every cycle.
	// Otherwise inputs change at the boundaries of slots, and outputs count in the last cycle of a slot.
	Always bool

	// Glue drives the lines that no port drives: gates of the component that are not part of its twin.
	Glue []Glue

	// Dark reports whether all inputs are 0 in this cycle. Only sites of light have it. The outputs of these sites
	// are put only if they are not 0.
	Dark func() bool

	// Take is called when all inputs of an element have been put. It may be nil.
	Take func(element int)

	// Replace removes an element from the bank before the kernel runs. From then on the outputs put by RTL count, in
	// the phase given by Combinational. For polled outputs the component calls ask, which returns false if RTL has
	// failed. If Replace is nil, the element may continue to compute, and the outputs put by RTL override its
	// results.
	Replace func(element int, ask func() bool)
}

// Glue is a line and the expression that drives it. Inputs must read the whole line.
type Glue struct {
	Line Line
	From Expression
}

// Sited is a component whose elements RTL can replace.
type Sited interface {
	Component
	Site() *Site
}

// Composite is a component that a kernel can run instead of its parts. RTL can then replace an element of
// each part together.
type Composite interface {
	Sited
	Parts() []Sited
}

// Port is a port of a component. For an element and pins, Get returns a function that copies the element's value to
// the pins. Put returns a function that copies the pins to the element; this function returns an error for a
// forbidden value. Both functions run every cycle, in the order of declaration. Data without a strobe may be stale.
type Port struct {
	Name    string // name of the port in the twin
	Bits    int
	Input   bool
	Watched bool // the output is only traced, and may be missing in RTL
	Polled  bool // the output counts only in cycles in which the component requests it
	Get     func(element int, to Pins) func()
	Put     func(element int, from Pins) func() error

	// Connections of the port, as data beside Get and Put, for `starloom export verilog`.
	Outside bool                         // input: set by firmware or the machine, not by hardware
	From    func(element int) Expression // input: expression for its value; nil if unknown: no export
	Counts  func(element int) Expression // input: mask of the bits that must equal From; nil for all bits
	Lines   func(element int) []Line     // output: the lines that it drives
	Shows   string                       // output: name in waveforms, relative to the element's path; "" for none
	Views   []View                       // output: names of parts of the port in waveforms
}

// View is the name of some bits of an output in waveforms, relative to the element's path. The output may consist of
// several lanes of equal width, such as the ports of a router. A * in the name stands for the number of the lane.
type View struct {
	Name      string
	Low, Bits int // within a lane
	Lanes     int // 0 for an output without lanes
}

// Shown returns the names of the output in waveforms.
func (p *Port) Shown() []View {
	if p.Shows == "" {
		return p.Views
	}
	return append([]View{{Name: p.Shows, Bits: p.Bits}}, p.Views...)
}

// SignalPort returns a port with one word of the signal per element.
func SignalPort(name string, signal *Signal, input bool) Port {
	return Port{
		Name: name, Bits: signal.width, Input: input,
		From:  func(element int) Expression { return Carried(signal.Of(element)) },
		Lines: func(element int) []Line { return []Line{signal.Of(element)} },
		Get: func(element int, to Pins) func() {
			value, field := &signal.Value[element], to.Field()
			return func() { field.Set(*value) }
		},
		Put: func(element int, from Pins) func() error {
			value, field := &signal.Value[element], from.Field()
			return func() error {
				*value = field.Value()
				return nil
			}
		},
	}
}

// GetValue returns the Get of a port of at most 64 bits.
func GetValue(get func(element int) uint64) func(element int, to Pins) func() {
	return func(element int, to Pins) func() {
		field := to.Field()
		return func() { field.Set(get(element)) }
	}
}

// PutValue returns the Put of a port of at most 64 bits.
func PutValue(put func(element int, value uint64) error) func(element int, from Pins) func() error {
	return func(element int, from Pins) func() error {
		field := from.Field()
		return func() error { return put(element, field.Value()) }
	}
}

// GetPins returns the Get of a port that writes its pins itself.
func GetPins(get func(element int, to Pins)) func(element int, to Pins) func() {
	return func(element int, to Pins) func() {
		return func() { get(element, to) }
	}
}

// PutPins returns the Put of a port that reads its pins itself.
func PutPins(put func(element int, from Pins) error) func(element int, from Pins) func() error {
	return func(element int, from Pins) func() error {
		return func() error { return put(element, from) }
	}
}

// Unread is the Put of an output that the model ignores.
func Unread(int, Pins) func() error { return func() error { return nil } }

// SharedPort returns a port with one word of the signal per group of sharers elements.
func SharedPort(name string, signal *Signal, input bool, sharers int) Port {
	p := SignalPort(name, signal, input)
	get, put := p.Get, p.Put
	p.Get = func(element int, to Pins) func() { return get(element/sharers, to) }
	p.Put = func(element int, from Pins) func() error { return put(element/sharers, from) }
	p.From = func(element int) Expression { return Carried(signal.Of(element / sharers)) }
	p.Lines = nil
	return p
}

// ColumnPort returns a port with several adjacent words of the signal per element.
func ColumnPort(name string, signal *Signal, input bool, elements int) Port {
	return Port{
		Name: name, Bits: elements * signal.width, Input: input,
		From: func(element int) Expression {
			var columns []Expression
			for k := range elements {
				columns = append(columns, Carried(signal.Of(element*elements+k)))
			}
			return Together(columns...)
		},
		Get: func(element int, to Pins) func() {
			return func() {
				for k, value := range signal.Value[element*elements:][:elements] {
					to.SetBits(k*signal.width, signal.width, value)
				}
			}
		},
		Put: func(element int, from Pins) func() error {
			return func() error {
				for k := range elements {
					signal.Value[element*elements+k] = from.GetBits(k*signal.width, signal.width)
				}
				return nil
			}
		},
	}
}

// LightPorts returns two ports, one per rail, with lanes of light side by side. wire returns the wire of a lane of an
// element. The caller must clear the bank before it puts light on it.
func LightPorts(rail1, rail0 string, light *Light, input bool, lanes int, wire func(element, lane int) uint32) []Port {
	port := func(name, field string, rail []uint64, put func(driver int, wire uint32, value uint64)) Port {
		return Port{
			Name: name, Bits: lanes * light.width, Input: input,
			From: func(element int) Expression {
				all := make([]Expression, lanes)
				for lane := range all {
					all[lane] = Carried(light.Of(field, int(wire(element, lane))))
				}
				return Together(all...)
			},
			Lines: func(element int) []Line {
				if lanes > 1 {
					return nil
				}
				return []Line{light.Of(field, int(wire(element, 0)))}
			},
			Shows: Join(light.path[len(light.bank.Path())+1:], field),
			Get: func(element int, to Pins) func() {
				fields, wires := to.Lanes(lanes), make([]uint32, lanes)
				for lane := range wires {
					wires[lane] = wire(element, lane)
				}
				return func() {
					for lane := range fields {
						fields[lane].Set(rail[wires[lane]])
					}
				}
			},
			Put: func(element int, from Pins) func() error {
				fields := from.Lanes(lanes)
				return func() error {
					for lane := range fields {
						if value := fields[lane].Value(); value != 0 { // not every lane has a wire
							w := wire(element, lane)
							put(light.Owner(w), w, value)
						}
					}
					return nil
				}
			},
		}
	}
	return []Port{
		port(rail1, FieldRail1, light.Rail1,
			func(driver int, wire uint32, value uint64) { light.Put(driver, wire, value, 0) }),
		port(rail0, FieldRail0, light.Rail0,
			func(driver int, wire uint32, value uint64) { light.Put(driver, wire, 0, value) }),
	}
}

// Paths returns the paths of elements.
func (s *Site) Paths(elements []int) (paths []string) {
	for _, i := range elements {
		paths = append(paths, s.Path(i))
	}
	return paths
}

// Port returns the named port. It panics if the site has none.
func (s *Site) Port(name string) Port {
	for _, p := range s.Ports {
		if p.Name == name {
			return p
		}
	}
	panic(fmt.Sprintf("hw: a %s has no port %s", s.Twin, name))
}

// Wide returns a port under a new name that joins the named port of all elements, for hardware that consists of the
// elements. Errors of the new port name the element.
func (s *Site) Wide(name, port string) Port {
	one := s.Port(port)
	wide := one
	wide.Name, wide.Bits = name, s.Elements*one.Bits
	wide.Outside, wide.From, wide.Counts, wide.Lines, wide.Shows = false, nil, nil, nil, ""
	wide.Get = func(_ int, to Pins) func() {
		gets := make([]func(), s.Elements)
		for k := range gets {
			gets[k] = one.Get(k, to.Slice(k*one.Bits, one.Bits))
		}
		return func() {
			for _, get := range gets {
				get()
			}
		}
	}
	wide.Put = func(_ int, from Pins) func() error {
		puts := make([]func() error, s.Elements)
		for k := range puts {
			puts[k] = one.Put(k, from.Slice(k*one.Bits, one.Bits))
		}
		return func() (first error) {
			for k, put := range puts {
				if err := put(); err != nil && first == nil {
					first = &ElementError{s.Path(k), err}
				}
			}
			return first
		}
	}
	return wide
}

// ElementError is an error of an output of an element.
type ElementError struct {
	Path string
	Err  error
}

func (e *ElementError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *ElementError) Unwrap() error { return e.Err }

func (s *Site) Check() error {
	if s.Twin == "" || s.Elements < 1 || s.Path == nil || s.Parameters == nil || !s.Clocked && !s.Combinational {
		return fmt.Errorf("site of %q: no twin, elements, path or parameters, or neither clocked nor combinational", s.Twin)
	}
	names := map[string]bool{"clock": true, "reset": true}
	for _, p := range s.Ports {
		if names[p.Name] || p.Bits < 1 || p.Get == nil || p.Put == nil {
			return fmt.Errorf("%s: port %q of %d bits: its name is taken, it has no bits, or it cannot be read and written",
				s.Path(0), p.Name, p.Bits)
		}
		names[p.Name] = true
	}
	return nil
}

// Same returns equal parameters for all elements.
func Same(parameters map[string]int) func(element int) map[string]int {
	return func(int) map[string]int { return parameters }
}

func same(element, _ int) uint32 { return uint32(element) }
