package hw

import (
	"fmt"
	"math/bits"
)

// Site is what a component says of its ports, once. Whatever joins elements of it with
// RTL, or compares the two, follows from it:
//
//	the machine --wires--> component --wires--> the machine      no RTL
//	the machine --Get----> inputs [device] outputs --Put---->    an element replaced by RTL
//	inputs [component] outputs: Put ... Get                      the component as a device itself,
//	                                                             beside RTL or in its place
//
// Sites serve single elements that somebody has chosen to join with RTL, so their functions
// may cost what a closure costs; the component's own phases know nothing of them.
type Site struct {
	Twin       string                           // the Verilog twin of one element: star_coupler
	What       string                           // elements in words: star couplers
	Parameters func(element int) map[string]int // of the twin, by their Verilog names
	Elements   int
	Path       func(element int) string
	Whole      func(element int) string // of what an element is a part of, nil for none

	// Clocked: the twin has the inputs clock and reset, before Ports. Combinational:
	// outputs follow inputs within the cycle, so they are exchanged in Settle; else inputs
	// are taken in Latch and outputs shown in Drive.
	Clocked, Combinational bool

	Ports []Port // in the order of the twin

	// Take is called when all inputs of an element have been put, nil for nothing to do.
	Take func(element int)

	// Replace takes an element out of the bank, before the kernel runs: from then on its
	// outputs are what is put there, in the phase that Combinational says; polled ones
	// when the component calls ask, which is false if RTL has failed. nil: the element may
	// compute what it likes, the outputs put are those that count.
	Replace func(element int, ask func() bool)
}

// Sited is a component whose elements RTL can stand for.
type Sited interface {
	Component
	Site() *Site
}

// Composite is a component that a kernel may run in the place of others, its parts, for RTL
// that stands for an element of each of them.
type Composite interface {
	Sited
	Parts() []Sited
}

// Port is a port of a component. Get copies what an element has there, Put is the other
// way round; ports are moved in the order of declaration. Inputs that matter in some
// cycles only (data without a strobe) may be left as they were in the others. The error of
// an output that cannot be put says what is wrong with its value.
type Port struct {
	Name    string // as in the twin
	Bits    int
	Input   bool
	Watched bool // an output that nothing but traces show: RTL may lack it
	Polled  bool // an output that counts in some cycles only: those in which the component asks for it
	Get     func(element int, to Pins)
	Put     func(element int, from Pins) error
}

// Pins are one element's part of a port of a device: bits of a packed vector, the low word
// first.
type Pins struct {
	Words       []uint64 // of the whole port, and maybe of others
	First, Bits int
	Start       int // where the pins start in their port, for Wild

	// Unknown has a one for every bit that is X or Z, nil for none; Wild, not nil then, is
	// where the first of them that is read is noted.
	Unknown []uint64
	Wild    *Wild
}

// Wild is what was X or Z.
type Wild struct {
	Mask  uint64 // the bits, 0 for none
	First int    // where they start in the port
}

// Set writes a port of at most 64 bits.
func (p Pins) Set(value uint64) { PutBits(p.Words, p.First, p.Bits, value) }

// Value reads a port of at most 64 bits.
func (p Pins) Value() uint64 { return p.GetBits(0, p.Bits) }

// SetBits writes at most 64 bits, from bit first on.
func (p Pins) SetBits(first, bits int, value uint64) { PutBits(p.Words, p.First+first, bits, value) }

// GetBits reads at most 64 bits, from bit first on.
func (p Pins) GetBits(first, bits int) uint64 {
	if p.Unknown != nil && p.Wild.Mask == 0 {
		if mask := GetBits(p.Unknown, p.First+first, bits); mask != 0 {
			*p.Wild = Wild{mask, p.Start + first}
		}
	}
	return GetBits(p.Words, p.First+first, bits)
}

// SetBytes writes bytes from bit first on, the first byte in the low bits.
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

// GetBytes reads bytes from bit first on.
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

// Ones calls visit for every pin that is one, the lowest first.
func (p Pins) Ones(visit func(pin int)) {
	for first := 0; first < p.Bits; first += 64 {
		for word := p.GetBits(first, min(64, p.Bits-first)); word != 0; word &= word - 1 {
			visit(first + bits.TrailingZeros64(word))
		}
	}
}

// Slice is the part of the pins from bit first on.
func (p Pins) Slice(first, bits int) Pins {
	p.First, p.Start, p.Bits = p.First+first, p.Start+first, bits
	return p
}

// SignalPort is the port that a signal is for every element.
func SignalPort(name string, signal *Signal, input bool) Port {
	return Port{
		Name: name, Bits: signal.width, Input: input,
		Get: func(element int, to Pins) { to.Set(signal.Value[element]) },
		Put: func(element int, from Pins) error {
			signal.Value[element] = from.Value()
			return nil
		},
	}
}

// SharedPort is the port of a signal that has one element for so many of a component.
func SharedPort(name string, signal *Signal, input bool, sharers int) Port {
	p := SignalPort(name, signal, input)
	get, put := p.Get, p.Put
	p.Get = func(element int, to Pins) { get(element/sharers, to) }
	p.Put = func(element int, from Pins) error { return put(element/sharers, from) }
	return p
}

// ColumnPort is the port that so many elements of a signal, side by side, are for every
// element of something larger.
func ColumnPort(name string, signal *Signal, input bool, elements int) Port {
	return Port{
		Name: name, Bits: elements * signal.width, Input: input,
		Get: func(element int, to Pins) {
			for k, value := range signal.Value[element*elements:][:elements] {
				to.SetBits(k*signal.width, signal.width, value)
			}
		},
		Put: func(element int, from Pins) error {
			for k := range elements {
				signal.Value[element*elements+k] = from.GetBits(k*signal.width, signal.width)
			}
			return nil
		},
	}
}

// LightPorts are the two ports, one for each rail, that lanes of light are for every
// element, side by side: wire says which wire of a bank is lane l of an element. Who puts
// light clears the bank before.
func LightPorts(rail1, rail0 string, light *Light, input bool, lanes int, wire func(element, lane int) uint32) []Port {
	port := func(name string, rail []uint64, put func(driver int, wire uint32, value uint64)) Port {
		return Port{
			Name: name, Bits: lanes * light.width, Input: input,
			Get: func(element int, to Pins) {
				for lane := range lanes {
					to.SetBits(lane*light.width, light.width, rail[wire(element, lane)])
				}
			},
			Put: func(element int, from Pins) error {
				for lane := range lanes {
					if value := from.GetBits(lane*light.width, light.width); value != 0 {
						w := wire(element, lane)
						put(light.Owner(w), w, value)
					}
				}
				return nil
			},
		}
	}
	return []Port{
		port(rail1, light.Rail1, func(driver int, wire uint32, value uint64) { light.Put(driver, wire, value, 0) }),
		port(rail0, light.Rail0, func(driver int, wire uint32, value uint64) { light.Put(driver, wire, 0, value) }),
	}
}

// Port returns the port of a name; it panics when there is none.
func (s *Site) Port(name string) Port {
	for _, p := range s.Ports {
		if p.Name == name {
			return p
		}
	}
	panic(fmt.Sprintf("hw: a %s has no port %s", s.Twin, name))
}

// Wide is one port of all elements of a site side by side, under another name: a port
// of hardware that these are parts of. Errors name the element.
func (s *Site) Wide(name, port string) Port {
	one := s.Port(port)
	wide := one
	wide.Name, wide.Bits = name, s.Elements*one.Bits
	wide.Get = func(_ int, to Pins) {
		for k := range s.Elements {
			one.Get(k, to.Slice(k*one.Bits, one.Bits))
		}
	}
	wide.Put = func(_ int, from Pins) error {
		var first error
		for k := range s.Elements {
			if err := one.Put(k, from.Slice(k*one.Bits, one.Bits)); err != nil && first == nil {
				first = &ElementError{s.Path(k), err}
			}
		}
		return first
	}
	return wide
}

// ElementError says what is wrong with an output of an element.
type ElementError struct {
	Path string
	Err  error
}

func (e *ElementError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *ElementError) Unwrap() error { return e.Err }

// Check refuses a site that says not enough.
func (s *Site) Check() error {
	if s.Twin == "" || s.Elements < 1 || s.Path == nil || s.Parameters == nil || !s.Clocked && !s.Combinational {
		return fmt.Errorf("site of %q: no twin, elements, path or parameters, or neither clocked nor combinational", s.Twin)
	}
	names := map[string]bool{"clock": true, "reset": true}
	for _, p := range s.Ports {
		if names[p.Name] || p.Bits < 1 || p.Get == nil || p.Put == nil {
			return fmt.Errorf("%s: port %q of %d bits: its name is taken, it has no bits, or it cannot be read and written", s.Path(0), p.Name, p.Bits)
		}
		names[p.Name] = true
	}
	return nil
}

// Same are the parameters of elements that do not differ.
func Same(parameters map[string]int) func(element int) map[string]int {
	return func(int) map[string]int { return parameters }
}

// same is the wire of an element that has one of each number.
func same(element, _ int) uint32 { return uint32(element) }
