package hw

import (
	"fmt"
	"math/bits"
)

// Site describes the ports of a component once. The description is used to connect its elements to RTL and to compare
// both:
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

// Sited is a component whose elements RTL can replace.
type Sited interface {
	Component
	Site() *Site
}

// Composite is a component that a kernel can run instead of its parts. RTL can thereby replace one element of each
// part at once.
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
}

// Pins is one element's part of a port of a device: bits of a packed vector, low word first.
type Pins struct {
	Words       []uint64 // words of the whole port, possibly shared with other ports
	First, Bits int
	Start       int // offset of the pins in their port, for Wild

	// Unknown marks the bits that are X or Z, nil if there are none. If Unknown is not nil, Wild is not nil either
	// and records the first such bits that are read.
	Unknown []uint64
	Wild    *Wild
}

// Wild records bits that were X or Z when they were read.
type Wild struct {
	Mask  uint64 // mask of the bits; 0 if none
	First int    // offset of the bits in the port
}

// Field returns the pins of a port of at most 64 bits for repeated access.
func (p Pins) Field() Field {
	word, shift := p.First>>6, uint8(p.First&63)
	f := Field{low: &p.Words[word], shift: shift, mask: ^uint64(0) >> (64 - uint(p.Bits))}
	if f.crosses = int(shift)+p.Bits > 64; f.crosses {
		f.high = &p.Words[word+1]
	}
	if p.Unknown != nil {
		f.pins = &p
	}
	return f
}

// Lanes divides the pins into count fields of equal width.
func (p Pins) Lanes(count int) []Field {
	fields := make([]Field, count)
	for k := range fields {
		fields[k] = p.Slice(k*(p.Bits/count), p.Bits/count).Field()
	}
	return fields
}

// Field is a group of up to 64 adjacent pins.
type Field struct {
	low, high *uint64 // words that contain the pins
	mask      uint64
	shift     uint8
	crosses   bool  // the pins span both words
	pins      *Pins // pins that may be X or Z; nil for two-state pins
}

// Set writes the pins. It ignores higher bits of value.
func (f *Field) Set(value uint64) {
	value &= f.mask
	*f.low = *f.low&^(f.mask<<f.shift) | value<<f.shift
	if f.crosses {
		f.setHigh(value)
	}
}

func (f *Field) setHigh(value uint64) {
	*f.high = *f.high&^(f.mask>>(64-f.shift)) | value>>(64-f.shift)
}

// Value reads the pins.
func (f *Field) Value() uint64 {
	if f.crosses || f.pins != nil {
		return f.general()
	}
	return *f.low >> f.shift & f.mask
}

func (f *Field) general() uint64 {
	if f.pins != nil {
		return f.pins.Value()
	}
	return (*f.low>>f.shift | *f.high<<(64-f.shift)) & f.mask
}

// Set writes a port of at most 64 bits.
func (p Pins) Set(value uint64) { PutBits(p.Words, p.First, p.Bits, value) }

// Value reads a port of at most 64 bits.
func (p Pins) Value() uint64 { return p.GetBits(0, p.Bits) }

// SetBits writes up to 64 bits, starting at bit first.
func (p Pins) SetBits(first, bits int, value uint64) { PutBits(p.Words, p.First+first, bits, value) }

// GetBits reads up to 64 bits, starting at bit first.
func (p Pins) GetBits(first, bits int) uint64 {
	if p.Unknown != nil && p.Wild.Mask == 0 {
		if mask := GetBits(p.Unknown, p.First+first, bits); mask != 0 {
			*p.Wild = Wild{mask, p.Start + first}
		}
	}
	return GetBits(p.Words, p.First+first, bits)
}

// SetBytes writes bytes, starting at bit first; the first byte is the lowest.
func (p Pins) SetBytes(first int, bytes []byte) {
	for len(bytes) > 0 {
		n, word := min(8, len(bytes)), uint64(0)
		for i, b := range bytes[:n] {
			word |= uint64(b) << (8 * i)
		}
		p.SetBits(first, 8*n, word)
		first, bytes = first+8*n, bytes[n:]
	}
}

// GetBytes reads bytes, starting at bit first.
func (p Pins) GetBytes(first int, bytes []byte) {
	for len(bytes) > 0 {
		n := min(8, len(bytes))
		word := p.GetBits(first, 8*n)
		for i := range bytes[:n] {
			bytes[i] = byte(word >> (8 * i))
		}
		first, bytes = first+8*n, bytes[n:]
	}
}

// Clear writes zeros.
func (p Pins) Clear() {
	for first := 0; first < p.Bits; first += 64 {
		p.SetBits(first, min(64, p.Bits-first), 0)
	}
}

// Ones calls visit for every pin at 1 in ascending order.
func (p Pins) Ones(visit func(pin int)) {
	for first := 0; first < p.Bits; first += 64 {
		for word := p.GetBits(first, min(64, p.Bits-first)); word != 0; word &= word - 1 {
			visit(first + bits.TrailingZeros64(word))
		}
	}
}

// Slice returns a range of the pins, starting at bit first.
func (p Pins) Slice(first, bits int) Pins {
	p.First, p.Start, p.Bits = p.First+first, p.Start+first, bits
	return p
}

// SignalPort returns a port with one word of the signal per element.
func SignalPort(name string, signal *Signal, input bool) Port {
	return Port{
		Name: name, Bits: signal.width, Input: input,
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

// Unread is the Put of an output that the model does not read.
func Unread(int, Pins) func() error { return func() error { return nil } }

// SharedPort returns a port with one word of the signal per group of sharers elements.
func SharedPort(name string, signal *Signal, input bool, sharers int) Port {
	p := SignalPort(name, signal, input)
	get, put := p.Get, p.Put
	p.Get = func(element int, to Pins) func() { return get(element/sharers, to) }
	p.Put = func(element int, from Pins) func() error { return put(element/sharers, from) }
	return p
}

// ColumnPort returns a port with several adjacent words of the signal per element.
func ColumnPort(name string, signal *Signal, input bool, elements int) Port {
	return Port{
		Name: name, Bits: elements * signal.width, Input: input,
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
	port := func(name string, rail []uint64, put func(driver int, wire uint32, value uint64)) Port {
		return Port{
			Name: name, Bits: lanes * light.width, Input: input,
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
		port(rail1, light.Rail1, func(driver int, wire uint32, value uint64) { light.Put(driver, wire, value, 0) }),
		port(rail0, light.Rail0, func(driver int, wire uint32, value uint64) { light.Put(driver, wire, 0, value) }),
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
