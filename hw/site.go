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
// Sites serve single elements that somebody has chosen to join with RTL, so what they exchange
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

	// Dark reports, of a site whose ports are light, whether all inputs are 0 in this cycle; its outputs
	// are put only where they are not 0. nil: ports are anything.
	Dark func() bool

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

// Port is a port of a component. Get, for an element and pins, returns what copies all that the element has
// there; Put is the other way round: who exchanges the two asks once and calls that every cycle. Ports are moved
// in the order of declaration. Inputs that matter in some
// cycles only (data without a strobe) may be left as they were in the others. The error of
// an output that cannot be put says what is wrong with its value.
type Port struct {
	Name    string // as in the twin
	Bits    int
	Input   bool
	Watched bool // an output that nothing but traces show: RTL may lack it
	Polled  bool // an output that counts in some cycles only: those in which the component asks for it
	Get     func(element int, to Pins) func()
	Put     func(element int, from Pins) func() error
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

// Field is the pins of a port of at most 64 bits, found once: they change their place no more.
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

// Lanes cuts the pins into so many fields of equal width.
func (p Pins) Lanes(count int) []Field {
	fields := make([]Field, count)
	for k := range fields {
		fields[k] = p.Slice(k*(p.Bits/count), p.Bits/count).Field()
	}
	return fields
}

// Field is up to 64 neighbouring pins.
type Field struct {
	low, high *uint64 // the words that they are in
	mask      uint64
	shift     uint8
	crosses   bool  // they are in both
	pins      *Pins // that may be X or Z; nil for two states
}

// Set writes the pins; bits of value above them are ignored.
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

// GetValue is the Get of a port of at most 64 bits with a value.
func GetValue(get func(element int) uint64) func(element int, to Pins) func() {
	return func(element int, to Pins) func() {
		field := to.Field()
		return func() { field.Set(get(element)) }
	}
}

// PutValue is the Put of a port of at most 64 bits.
func PutValue(put func(element int, value uint64) error) func(element int, from Pins) func() error {
	return func(element int, from Pins) func() error {
		field := from.Field()
		return func() error { return put(element, field.Value()) }
	}
}

// GetPins is the Get of a port that does with its pins what it likes.
func GetPins(get func(element int, to Pins)) func(element int, to Pins) func() {
	return func(element int, to Pins) func() {
		return func() { get(element, to) }
	}
}

// PutPins is the Put of such a port.
func PutPins(put func(element int, from Pins) error) func(element int, from Pins) func() error {
	return func(element int, from Pins) func() error {
		return func() error { return put(element, from) }
	}
}

// Unread is the Put of an output that nothing waits for.
func Unread(int, Pins) func() error { return func() error { return nil } }

// SharedPort is the port of a signal that has one element for so many of a component.
func SharedPort(name string, signal *Signal, input bool, sharers int) Port {
	p := SignalPort(name, signal, input)
	get, put := p.Get, p.Put
	p.Get = func(element int, to Pins) func() { return get(element/sharers, to) }
	p.Put = func(element int, from Pins) func() error { return put(element/sharers, from) }
	return p
}

// ColumnPort is the port that so many elements of a signal, side by side, are for every
// element of something larger.
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

// LightPorts are the two ports, one for each rail, that lanes of light are for every
// element, side by side: wire says which wire of a bank is lane l of an element. Who puts
// light clears the bank before.
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

// Paths are those of some elements.
func (s *Site) Paths(elements []int) (paths []string) {
	for _, i := range elements {
		paths = append(paths, s.Path(i))
	}
	return paths
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

// ElementError says what is wrong with an output of an element.
type ElementError struct {
	Path string
	Err  error
}

func (e *ElementError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *ElementError) Unwrap() error { return e.Err }

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

func same(element, _ int) uint32 { return uint32(element) }
