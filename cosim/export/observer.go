package export

import (
	"fmt"
	"slices"

	"starloom/hw"
)

// Observer compares all inputs with their expressions in every cycle of a run. It evaluates the expression of an
// input and reads the input's closure.
type Observer struct {
	Inputs []*Input
	get    []func() // outputs that lines read
}

// Input is an input of an element, with an expression for its value.
type Input struct {
	Path, Port string
	Fixed      bool // the expression reads no line
	Toggled    bool // two cycles had different values
	Cycles     uint64

	get           func()
	from, counts  func()
	a, b, c, last []uint64 // values of closure and expression, mask of compared bits, previous value
}

// Observe binds the inputs of a wiring, except the inputs that Refusals returns.
func (w *Wiring) Observe() *Observer {
	o, lines := &Observer{}, map[output]hw.Pins{}
	source := func(line hw.Line) hw.Pins {
		at := w.drivers[line]
		pins, ok := lines[at]
		if !ok {
			pins = pinsOf(line.Bits)
			lines[at] = pins
			o.get = append(o.get, w.Sites[at.site].Ports[at.port].Get(at.element, pins))
		}
		return pins
	}
	for _, site := range w.Sites {
		for p := range site.Ports {
			port := &site.Ports[p]
			for element := range site.Elements {
				if port.Input && !port.Outside && w.refuse(port, element) == "" {
					o.Inputs = append(o.Inputs, newInput(site, port, element, w.from(port, element), source))
				}
			}
		}
	}
	return o
}

func newInput(site *hw.Site, port *hw.Port, element int, from hw.Expression,
	source func(hw.Line) hw.Pins) *Input {
	closure, expression, counts := pinsOf(port.Bits), pinsOf(port.Bits), pinsOf(port.Bits)
	x := &Input{Path: site.Path(element), Port: port.Name, Fixed: true, a: closure.Words, b: expression.Words,
		c: counts.Words}
	from.Lines(func(hw.Line) { x.Fixed = false })
	x.get, x.from = port.Get(element, closure), from.Bind(expression, source)
	for i := range x.c {
		x.c[i] = ^uint64(0)
	}
	if port.Counts != nil {
		x.counts = port.Counts(element).Bind(counts, source)
	}
	return x
}

func pinsOf(bits int) hw.Pins { return hw.Pins{Words: make([]uint64, (bits+63)/64), Bits: bits} }

// Look compares all inputs in a cycle whose wires are final. It returns an error for the first difference.
func (o *Observer) Look(cycle uint64) error {
	for _, get := range o.get {
		get()
	}
	for _, x := range o.Inputs {
		x.get()
		x.from()
		if x.counts != nil {
			x.counts()
		}
		for i := range x.a {
			if x.a[i]&x.c[i] != x.b[i]&x.c[i] {
				return fmt.Errorf("%s: cycle %d: %s is %#x, but the lines that drive it have %#x", x.Path, cycle, x.Port, x.a, x.b)
			}
			x.b[i] &= x.c[i]
		}
		if x.last != nil && !slices.Equal(x.last, x.b) {
			x.Toggled = true
		}
		x.last = append(x.last[:0], x.b...)
		x.Cycles++
	}
	return nil
}
