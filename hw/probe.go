package hw

import "fmt"

// Probe is a view of one element of a component's column: a signal that a trace
// may follow. It stays valid as long as the component keeps its columns, which
// every component in this module does from construction on.
type Probe struct {
	Path    string
	Bits    int      // 1..64
	States  []string // names of the values 0, 1, ... of an enumeration, or nil
	Decimal bool     // a number that is read in decimal

	// Exactly one of these is set. A switch over four pointers is as fast as an
	// unsafe load and the compiler still checks it.
	p8   *uint8
	p16  *uint16
	p32  *uint32
	p64  *uint64
	view func() uint64 // of what is not one register
}

// Probed is a component with signals. yield is called once per signal, in an
// order that depends on nothing but the component's parameters.
type Probed interface {
	Probes(yield func(Probe))
}

// NewProbe returns the probe of column[index]. bits is 1 to the width of T.
func NewProbe[T uint8 | uint16 | uint32 | uint64](path string, bits int, column []T, index int) Probe {
	return ProbeOf(path, bits, &column[index])
}

// ProbeOf returns the probe of one register that does not move.
func ProbeOf[T uint8 | uint16 | uint32 | uint64](path string, bits int, register *T) Probe {
	p := Probe{Path: path, Bits: bits}
	width := 0
	switch element := any(register).(type) {
	case *uint8:
		p.p8, width = element, 8
	case *uint16:
		p.p16, width = element, 16
	case *uint32:
		p.p32, width = element, 32
	case *uint64:
		p.p64, width = element, 64
	}
	if bits < 1 || bits > width {
		panic(fmt.Sprintf("hw: probe %s of %d bits on a column of %d bits", path, bits, width))
	}
	return p
}

// ViewProbe returns a probe of what a function says: a signal that is kept in another shape, or on a wire.
func ViewProbe(path string, bits int, view func() uint64) Probe {
	return Probe{Path: path, Bits: bits, view: view}
}

// Value returns what the signal is now. Call it between DriveAndSettle and Latch.
func (p *Probe) Value() uint64 {
	switch {
	case p.p64 != nil:
		return *p.p64
	case p.p8 != nil:
		return uint64(*p.p8)
	case p.p16 != nil:
		return uint64(*p.p16)
	case p.p32 != nil:
		return uint64(*p.p32)
	default:
		return p.view()
	}
}
