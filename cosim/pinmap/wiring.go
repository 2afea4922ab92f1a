package pinmap

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/twin"
	"starloom/traces/input"
)

// A wirer works out the wiring of a map.
type wirer struct {
	*Map
	wires      *Wires
	model, rtl []cosim.Port
	fold       bool              // RTL in VHDL: upper and lower case are the same
	taken      map[[2]int]string // port and bit of the RTL: the key that takes it
	wired      []string          // by port of the model: the key that wires it
}

// Wire works out the wiring between a model and RTL with these ports, or returns an *InputError.
func (m *Map) Wire(model *twin.Model, rtl []cosim.Port) (*Wires, error) {
	w := &wirer{Map: m, model: model.Ports(), rtl: rtl, fold: m.FoldsCase(), taken: map[[2]int]string{}}
	w.wired = make([]string, len(w.model))
	w.wires = &Wires{
		Model: w.model, RTL: rtl,
		Pins: make([][]Bit, len(rtl)), Ports: make([][]Bit, len(w.model)),
		Late: make([]int, len(w.model)), Absent: make([]bool, len(w.model)), Derived: make([]bool, len(w.model)),
	}
	for i, p := range rtl {
		if p.Input && !p.Clock {
			w.wires.Pins[i] = make([]Bit, p.Bits)
		}
	}
	for _, step := range []func() error{
		w.wireClocks, w.wireResets, w.wireAbsent, w.wireLatency, w.wirePins, w.wireTies, w.wireFeedback, w.checkAllDriven,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	w.derive(model)
	return w.wires, nil
}

func remedyOfClock(name string, rtl []cosim.Port) string {
	return input.RemedyOf(name, namesOf(rtl, true))
}

func (w *wirer) wireAbsent() error {
	for i, name := range w.Absent {
		key := fmt.Sprintf("absent[%d]", i)
		at, err := w.modelPort(key, name)
		if err != nil {
			return err
		}
		if w.model[at].Input {
			return w.refuse(key,
				fmt.Sprintf("%s is %s of %s", w.model[at].Name, w.model[at].Kind(), w.Model),
				"only outputs can be absent: the RTL has to see every input")
		}
		if w.wired[at] != "" {
			return w.refuse(key, w.model[at].Name+" is named twice", "delete one")
		}
		w.wires.Absent[at], w.wired[at] = true, key
	}
	return nil
}

func (w *wirer) wireLatency() error {
	for _, name := range slices.Sorted(maps.Keys(w.Latency)) {
		key, cycles := "latency."+name, w.Latency[name]
		at, err := w.modelPort(key, name)
		if err != nil {
			return err
		}
		switch {
		case w.model[at].Input:
			return w.refuse(key,
				fmt.Sprintf("%s is %s of %s", w.model[at].Name, w.model[at].Kind(), w.Model),
				"latency is for outputs: "+strings.Join(namesOf(w.model, false), ", "))
		case cycles < -1 || cycles > latencyMax:
			return w.refuse(key,
				fmt.Sprintf("a latency of %d cycles", cycles),
				fmt.Sprintf("give -1 (RTL is combinational, the model has a register) to %d (RTL is later)", latencyMax))
		case cycles == -1 && !slices.ContainsFunc(w.model, func(p cosim.Port) bool { return p.Clock }):
			return w.refuse(key, w.Model+" has no clock, so nothing can be ahead of it", "delete it")
		}
		w.wires.Late[at] = cycles
	}
	return nil
}

func (w *wirer) wirePins() error {
	for _, p := range w.Pins {
		if err := w.wirePort("pins."+p.Port, p); err != nil {
			return err
		}
	}
	for i, p := range w.model {
		switch {
		case w.wired[i] != "" || p.Clock && w.Clock == "" || p.Name == "reset" && w.Reset == "":
		case p.Input:
			return w.refuse("pins",
				fmt.Sprintf("%s of %s has no pin", p.Name, w.Model),
				fmt.Sprintf("add %s: PIN; inputs of the RTL are %s", p.Name, strings.Join(namesOf(w.rtl, true), ", ")))
		default:
			return w.refuse("pins",
				fmt.Sprintf("%s of %s has no pin", p.Name, w.Model),
				fmt.Sprintf("add %s: PIN (outputs of the RTL are %s), or absent: [%s]", p.Name, strings.Join(namesOf(w.rtl, false), ", "), p.Name))
		}
	}
	return nil
}

// wirePort connects one port of the model.
func (w *wirer) wirePort(key string, p Wiring) error {
	at, err := w.modelPort(key, p.Port)
	if err != nil {
		return err
	}
	port := w.model[at]
	if port.Clock {
		return w.refuse(key, port.Name+" is the clock of "+w.Model, "write clock: "+strings.Join(p.Pins, ", "))
	}
	if before := w.wired[at]; before != "" {
		return w.refuse(key, fmt.Sprintf("%s is wired twice, first at %s", port.Name, w.Place(before)), "delete one")
	}
	w.wired[at] = key
	items, err := w.items(key, p)
	if err != nil {
		return err
	}
	if err := w.fit(key, port, p, items); err != nil {
		return err
	}
	text := port.Name + " is " + strings.Join(p.Pins, ", ")
	if len(p.Pins) > 1 {
		text = port.Name + " is [" + strings.Join(p.Pins, ", ") + "]"
	}
	j := &joiner{wirer: w, port: at, text: text}
	bits := make([]Bit, port.Bits)
	end := port.Bits // the first item is the highest
	for _, item := range items {
		part := bits[end-item.bits : end]
		if port.Input {
			j.drive(item, bitsOf(OfModel, at, port.Bits)[end-item.bits:end])
		}
		copy(part, j.value(item, port.Input))
		end -= item.bits
	}
	w.wires.Ports[at] = bits
	return nil
}

func (w *wirer) wireTies() error {
	for _, t := range w.Ties {
		key := "ties." + t.Pin
		pin, err := w.takePin(key, t.Pin, true)
		if err != nil {
			return err
		}
		if len(pin) < 64 && t.Value>>len(pin) != 0 {
			return w.refuse(key,
				fmt.Sprintf("%d does not fit into %s of %s", t.Value, cosim.BitsText(len(pin)), t.Pin),
				fmt.Sprintf("give at most %d", uint64(1)<<len(pin)-1))
		}
		for i, b := range pin {
			w.driveBit(b, one(i < 64 && t.Value>>i&1 != 0))
		}
	}
	return nil
}

// driveBit says what drives a bit of the RTL's inputs; of one that a map inverts, its inverse.
func (w *wirer) driveBit(pin, by Bit) {
	if pin.Inverted {
		by = by.Not()
	}
	w.wires.Pins[pin.Port][pin.Bit] = by
}

func (w *wirer) wireFeedback() error {
	for _, f := range w.Feedback {
		key := "feedback." + f.To
		to, err := w.takePin(key, f.To, true)
		if err != nil {
			return err
		}
		from, err := w.pin(key, f.From, false)
		if err != nil {
			return err
		}
		if len(from) != len(to) {
			wider := f.From
			if len(to) > len(from) {
				wider = f.To
			}
			named, _ := ParsePin(wider)
			return w.refuse(key,
				fmt.Sprintf("%s has %s, %s has %s", f.To, cosim.BitsText(len(to)), f.From, cosim.BitsText(len(from))),
				"name as many bits of the wider one, as in "+cosim.SliceText(named.Name, 0, min(len(to), len(from))))
		}
		for i := range to {
			w.driveBit(to[i], from[i])
		}
	}
	return nil
}

// checkAllDriven refuses RTL inputs that nothing drives.
func (w *wirer) checkAllDriven() error {
	for i, p := range w.rtl {
		if !p.Input {
			continue
		}
		for bit := range p.Bits {
			if _, ok := w.taken[[2]int{i, bit}]; ok {
				continue
			}
			name := p.Name
			if p.Bits > 1 {
				name = fmt.Sprintf("%s[%d]", p.Name, bit)
			}
			reason := fmt.Sprintf("nothing drives the RTL's input %s", name)
			remedy := fmt.Sprintf("map it in pins, or give it a constant: ties: {%s: 0}", p.Name)
			one := fmt.Sprintf("name both: clock: {%s: 1, %s: 1}", w.Clock, p.Name)
			switch {
			case p.Clock, p.Edges && w.Clock == "":
				remedy = "write clock: " + p.Name
			case p.Edges && len(w.clocks()) > 1:
				reason, remedy = fmt.Sprintf("the RTL's input %s is another clock: something waits for its edges", name), "add it to clock: "+p.Name+": 1"
			case p.Edges:
				reason, remedy = fmt.Sprintf("the RTL's input %s is a second clock, beside %s: something waits for its edges", name, w.Clock), one
			case p.Bits == 1 && (w.Reset == "" || w.Clock == ""):
				remedy += "; a clock or a reset goes to clock: and reset:"
			case p.Bits == 1:
				remedy += "; if it is a second clock, " + one
			}
			return w.refuse("pins", reason, remedy)
		}
	}
	return nil
}

// modelPort finds a port of the model, with or without its ending.
func (w *wirer) modelPort(key, name string) (int, error) {
	for i, p := range w.model {
		if p.Name == name || strings.TrimSuffix(strings.TrimSuffix(p.Name, "_i"), "_o") == name {
			return i, nil
		}
	}
	all := append(namesOf(w.model, true), namesOf(w.model, false)...)
	return 0, w.refuse(key, fmt.Sprintf("%s has no port %s", w.Model, name), input.RemedyOf(name, all))
}

// pin finds bits of the RTL, low bit first.
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
			fmt.Sprintf("the RTL's %s is an array, there are no bits [%d:%d]", p.Name+part.Name, high, low),
			"name elements: "+strings.Join(elements, ", "))
	}
	if high < 0 {
		high, low = part.Bits-1, 0
	}
	if high < low || high >= part.Bits {
		of := cosim.Port{Bits: part.Bits, Input: p.Input}
		return nil, w.refuse(key,
			fmt.Sprintf("the RTL's %s is %s, there are no bits [%d:%d]", p.Name+part.Name, of.Kind(), high, low),
			fmt.Sprintf("bits are [%d:0]; the higher one comes first, and reverse(%s) is the other order", part.Bits-1, p.Name+part.Name))
	}
	bits := bitsOf(OfRTL, at, p.Bits)[part.Low+low : part.Low+high+1]
	for i := range bits {
		bits[i].Inverted = named.Inverted
	}
	return bits, nil
}

// find returns the port that a pin is of, the part of it, all of it for a plain one, and
// which bits of the part are meant.
func (w *wirer) find(named Pin) (at int, part cosim.Part, rest Pin) {
	tries := []Pin{named}
	if named.High >= 0 && named.High == named.Low { // data[3] is an element before it is a bit
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

// takePin finds bits of the RTL that are still free, and takes them.
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

// namesOf are the names of ports of one direction.
func namesOf(ports []cosim.Port, input bool) (names []string) {
	for _, p := range ports {
		if p.Input == input {
			names = append(names, p.Name)
		}
	}
	return names
}
