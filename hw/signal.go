package hw

import "fmt"

// Signal is a bank of plain electrical wires with a word of up to 64 bits per element, for requests, grants and data.
// Like Light, a Signal is stateless: in every cycle its driver writes all elements of the shard, in the driver's
// phase.
type Signal struct {
	bank  Bank
	path  string
	width int

	Value []uint64 // by element; only the low Bits are used
}

// NewSignal returns a bank of wires at 0. name is the wire's name within its element (path bus.arbiter[1].<name>);
// bits is 1..64.
func NewSignal(bank Bank, name string, bits int) (*Signal, error) {
	if err := bank.Check(); err != nil {
		return nil, err
	}
	path := Join(bank.Path(), name)
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	if bits < 1 || bits > 64 {
		return nil, fmt.Errorf("%s: %d bits; allowed: 1 to 64", path, bits)
	}
	return &Signal{bank: bank, path: path, width: bits, Value: make([]uint64, bank.Size())}, nil
}

func (s *Signal) Path() string { return s.path }

// Bank returns the bank with the names of the elements.
func (s *Signal) Bank() Bank { return s.bank }

// Bits returns the width of a word in bits.
func (s *Signal) Bits() int { return s.width }

// Of returns the line of an element.
func (s *Signal) Of(element int) Line { return Line{s, "", element, s.width} }

func (s *Signal) Probes(yield func(Probe)) {
	name := s.path[len(s.bank.Path()):]
	for i := range s.Value {
		yield(NewProbe(s.bank.Element(i)+name, s.width, s.Value, i))
	}
}

// inEach probes signals element by element, with paths below the paths of the elements.
type inEach struct {
	bank    Bank
	names   []string
	signals []*Signal
}

func (e inEach) Probes(yield func(Probe)) {
	for i := range e.bank.Size() {
		element := e.bank.Element(i)
		for k, s := range e.signals {
			yield(NewProbe(element+"."+e.names[k], s.width, s.Value, i))
		}
	}
}

func (s *Signal) checkInput(bank Bank, what string, bits int) error {
	switch {
	case s == nil:
		return fmt.Errorf("%s: no %s wire", bank.Path(), what)
	case s.bank.Units != bank.Units || s.bank.PerUnit != bank.PerUnit:
		return fmt.Errorf("%s: %d elements in %d units, but its %s %s has %d in %d",
			bank.Path(), bank.Size(), bank.Units, what, s.path, s.bank.Size(), s.bank.Units)
	case s.width != bits:
		return fmt.Errorf("%s: its %s %s has %d bits, but needs %d", bank.Path(), what, s.path, s.width, bits)
	}
	return nil
}

// checkColumn returns an error unless the signal has the given numbers of elements and bits, in any bank.
func (s *Signal) checkColumn(path, what string, elements, bits int) error {
	switch {
	case s == nil:
		return fmt.Errorf("%s: no %s wire", path, what)
	case len(s.Value) != elements || s.width != bits:
		return fmt.Errorf("%s: its %s %s has %d elements of %d bits, but needs %d of %d", path, what, s.path,
			len(s.Value), s.width, elements, bits)
	}
	return nil
}
