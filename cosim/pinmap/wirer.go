package pinmap

import (
	"fmt"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/twin"
	"starloom/traces/input"
)

type wirer struct {
	*Map
	wires      *Wires
	model, rtl []cosim.Port
	fold       bool              // names ignore case, as in VHDL
	taken      map[[2]int]string // by port and bit of the RTL: key of the map that uses the bit
	wired      []string          // by port of the model: key of the map that wires the port
	edges      []string          // model inputs that gate clocks
	left       []string          // outputs that the model leaves to the RTL
	idle       []string          // model inputs that need no pin
	pulses     []twin.Pulses     // alternative forms of the model's ports
}

func (w *wirer) driveBit(pin, by Bit) {
	if pin.Inverted {
		by = by.Not()
	}
	w.wires.Pins[pin.Port][pin.Bit] = by
}

func (w *wirer) modelPort(key, name string) (int, error) {
	for _, named := range []func(cosim.Port) bool{
		func(p cosim.Port) bool { return p.Name == name },
		func(p cosim.Port) bool { return strings.TrimSuffix(strings.TrimSuffix(p.Name, "_i"), "_o") == name },
	} {
		if i := slices.IndexFunc(w.model, named); i >= 0 {
			return i, nil
		}
	}
	all := append(namesOf(w.model, true), namesOf(w.model, false)...)
	return 0, w.refuse(key, fmt.Sprintf("%s has no port %s", w.Model, name), input.RemedyOf(name, all))
}

func (w *wirer) pin(key, text string, isInput bool) ([]Bit, error) {
	named, ok := ParsePin(text)
	if !ok {
		return nil, w.refuse(key, fmt.Sprintf("%q is not a pin", text), itemHelp)
	}
	return w.bitsOfPin(key, named, isInput)
}

func (w *wirer) bitsOfPin(key string, named Pin, isInput bool) ([]Bit, error) {
	at, part, rest := w.find(named)
	if at < 0 {
		return nil, w.refuse(key,
			fmt.Sprintf("the RTL has no pin %s", named.Name),
			input.RemedyOf(named.Name, namesOf(w.rtl, isInput)))
	}
	p := w.rtl[at]
	if p.Input != isInput {
		wanted := "an output"
		if isInput {
			wanted = "an input"
		}
		return nil, w.refuse(key,
			fmt.Sprintf("the RTL's %s is %s; this place needs %s", p.Name, p.Kind(), wanted),
			input.RemedyOf(p.Name, namesOf(w.rtl, isInput)))
	}
	if p.Clock {
		return nil, w.refuse(key, p.Name+" is the clock", "name another pin: "+strings.Join(namesOf(w.rtl, true), ", "))
	}
	high, low := rest.High, rest.Low
	if elements := p.Elements(part.Name); high >= 0 && len(elements) > 0 {
		return nil, w.refuse(key,
			fmt.Sprintf("the RTL's %s is an array without bits [%d:%d]", p.Name+part.Name, high, low),
			"name elements: "+strings.Join(elements, ", "))
	}
	if high < 0 {
		high, low = part.Bits-1, 0
	}
	if high < low || high >= part.Bits {
		of := cosim.Port{Bits: part.Bits, Input: p.Input}
		return nil, w.refuse(key,
			fmt.Sprintf("the RTL's %s is %s, without bits [%d:%d]", p.Name+part.Name, of.Kind(), high, low),
			fmt.Sprintf("bits are [%d:0], with the higher index first; reverse(%s) reverses the order",
				part.Bits-1, p.Name+part.Name))
	}
	bits := bitsOf(OfRTL, at, p.Bits)[part.Low+low : part.Low+high+1]
	for i := range bits {
		bits[i].Inverted = named.Inverted
	}
	return bits, nil
}

// find returns the port of a pin, the part of the port (the whole port for a plain pin), and the selected bits.
func (w *wirer) find(named Pin) (at int, part cosim.Part, rest Pin) {
	tries := []Pin{named}
	if named.High >= 0 && named.High == named.Low { // data[3] may be an element or a bit
		tries = []Pin{{fmt.Sprintf("%s[%d]", named.Name, named.High), -1, -1, named.Inverted}, named}
	}
	for _, try := range tries {
		for i, p := range w.rtl {
			for _, part := range append([]cosim.Part{{Bits: p.Bits}}, p.Parts...) {
				if cosim.SameName(w.fold, p.Name+part.Name, try.Name) {
					return i, part, try
				}
			}
		}
	}
	return -1, cosim.Part{}, named
}

func (w *wirer) takePin(key, text string, input bool) ([]Bit, error) {
	bits, err := w.pin(key, text, input)
	if err != nil {
		return nil, err
	}
	return bits, w.take(key, bits)
}

func (w *wirer) take(key string, bits []Bit) error {
	for _, b := range bits {
		if before, ok := w.taken[[2]int{b.Port, b.Bit}]; ok {
			return w.refuse(key,
				fmt.Sprintf("the RTL's %s is mapped twice, first at %s", w.rtl[b.Port].Name, w.Place(before)),
				"delete one, or name other bits")
		}
		w.taken[[2]int{b.Port, b.Bit}] = key
	}
	return nil
}

func namesOf(ports []cosim.Port, input bool) (names []string) {
	for _, p := range ports {
		if p.Input == input {
			names = append(names, p.Name)
		}
	}
	return names
}
