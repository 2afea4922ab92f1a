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

// Wire returns the wiring between a model and RTL with the given ports, or an *InputError.
func (m *Map) Wire(model *twin.Model, rtl []cosim.Port) (*Wires, error) {
	w := &wirer{Map: m, model: model.Ports(), idle: model.Idle, rtl: rtl, fold: m.FoldsCase(), taken: map[[2]int]string{}}
	w.wired, w.edges, w.left, w.pulses = make([]string, len(w.model)), model.Edges, model.Left(), model.Pulses
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
				"only outputs can be absent: the RTL must see every input")
		}
		if w.wired[at] != "" {
			return w.refuse(key, w.model[at].Name+" is named twice", "delete one")
		}
		if slices.Contains(w.left, w.model[at].Name) {
			return w.refuse(key, fmt.Sprintf("%s follows %s of the RTL, which cannot be absent", w.Model,
				w.model[at].Name), "give it a pin")
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
		case len(w.left) > 0:
			return w.refuse(key, fmt.Sprintf("%s follows outputs of the RTL, cycle by cycle", w.Model),
				"delete latency; a parameter of the model states the delay")
		case w.model[at].Input:
			return w.refuse(key,
				fmt.Sprintf("%s is %s of %s", w.model[at].Name, w.model[at].Kind(), w.Model),
				"latency is for outputs: "+strings.Join(namesOf(w.model, false), ", "))
		case cycles < -1 || cycles > latencyMax:
			return w.refuse(key,
				fmt.Sprintf("a latency of %d cycles", cycles),
				fmt.Sprintf("give -1 (the RTL is combinational, the model has a register) to %d (the RTL is later)", latencyMax))
		case cycles == -1 && !slices.ContainsFunc(w.model, func(p cosim.Port) bool { return p.Clock }):
			return w.refuse(key, w.Model+" has no clock, so the RTL cannot be ahead of it", "delete it")
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
	if err := w.wireEqualNames(); err != nil {
		return err
	}
	for i, p := range w.model {
		switch {
		case w.wired[i] != "" || p.Clock && w.Clock == "" || p.Name == "reset" && w.Reset == "" ||
			slices.Contains(w.idle, p.Name):
		case slices.Contains(w.edges, p.Name):
			return w.refuse("clock",
				fmt.Sprintf("no clock of the RTL rises in cycles with %s of %s", p.Name, w.Model),
				fmt.Sprintf("write clock: {PIN: %s} instead of a ratio; assume limits the clock edges",
					strings.TrimSuffix(p.Name, "_i")))
		case p.Input:
			return w.refuse("pins",
				fmt.Sprintf("%s of %s has no pin", p.Name, w.Model),
				fmt.Sprintf("add %s: PIN; inputs of the RTL are %s", p.Name, strings.Join(namesOf(w.rtl, true), ", ")))
		default:
			return w.refuse("pins",
				fmt.Sprintf("%s of %s has no pin", p.Name, w.Model),
				fmt.Sprintf("add %s: PIN (outputs of the RTL are %s), or absent: [%s]", p.Name,
					strings.Join(namesOf(w.rtl, false), ", "), p.Name))
		}
	}
	return nil
}

// wireEqualNames wires ports of a model that is RTL to the pins of their names.
func (w *wirer) wireEqualNames() error {
	if w.Given() == nil {
		return nil
	}
	for i, p := range w.model {
		same := func(pin cosim.Port) bool {
			return pin.Input == p.Input && !pin.Clock && cosim.SameName(w.fold, pin.Name, p.Name)
		}
		at := slices.IndexFunc(w.rtl, same)
		if w.wired[i] != "" || p.Clock || w.Clock != "" && p.Name == "reset" || at < 0 || w.taken[[2]int{at, 0}] != "" {
			continue
		}
		if err := w.wirePort("pins", Wiring{p.Name, []string{w.rtl[at].Name}}); err != nil {
			return err
		}
	}
	return nil
}

func (w *wirer) wirePort(key string, p Wiring) error {
	if form := w.pulsesOf(p.Port); form != nil {
		return w.wirePulses(key, p, form)
	}
	if at, err := w.modelPort(key, p.Port); err == nil && w.model[at].Clock {
		return w.refuse(key, w.model[at].Name+" is the clock of "+w.Model, "write clock: "+strings.Join(p.Pins, ", "))
	}
	at, err := w.unwired(key, p.Port)
	if err != nil {
		return err
	}
	port := w.model[at]
	j, items, err := w.joiner(key, at, port, p)
	if err == nil {
		w.wires.Ports[at] = j.join(items, port, bitsOf(OfModel, at, port.Bits))
	}
	return err
}

func (w *wirer) unwired(key, name string) (at int, err error) {
	if at, err = w.modelPort(key, name); err != nil {
		return 0, err
	}
	if before := w.wired[at]; before != "" {
		return 0, w.refuse(key, fmt.Sprintf("%s is wired twice, first at %s", w.model[at].Name,
			w.Place(before)), "delete one")
	}
	w.wired[at] = key
	return at, nil
}

func (w *wirer) joiner(key string, at int, port cosim.Port, p Wiring) (*joiner, []joined, error) {
	items, err := w.items(key, port.Input, p)
	if err == nil {
		err = w.fit(key, port, p, items)
	}
	text := port.Name + " is " + strings.Join(p.Pins, ", ")
	if len(p.Pins) > 1 {
		text = port.Name + " is [" + strings.Join(p.Pins, ", ") + "]"
	}
	return &joiner{wirer: w, port: at, text: text}, items, err
}

// join connects the pins of an input to their drivers. It returns the port's bits in terms of RTL pins.
func (j *joiner) join(items []joined, port cosim.Port, by []Bit) (bits []Bit) {
	bits = make([]Bit, port.Bits)
	end := port.Bits
	for _, item := range items {
		if port.Input {
			j.drive(item, by[end-item.bits:end])
		}
		copy(bits[end-item.bits:end], j.value(item, port.Input))
		end -= item.bits
	}
	return bits
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
				"name as many bits of the wider signal, as in "+cosim.SliceText(named.Name, 0, min(len(to), len(from))))
		}
		for i := range to {
			w.driveBit(to[i], from[i])
		}
	}
	return nil
}

func (w *wirer) checkAllDriven() error {
	for i, p := range w.rtl {
		if !p.Input {
			continue
		}
		for bit := range p.Bits {
			if _, ok := w.taken[[2]int{i, bit}]; ok {
				continue
			}
			name := w.undriven(i, bit)
			reason := fmt.Sprintf("nothing drives the RTL's input %s", name)
			remedy := fmt.Sprintf("map it in pins, or give it a constant: ties: {%s: 0}", name)
			one := fmt.Sprintf("name both: clock: {%s: 1, %s: 1}", w.Clock, p.Name)
			switch {
			case p.Clock, p.Edges && w.Clock == "":
				remedy = "write clock: " + p.Name
			case p.Edges && len(w.clocks()) > 1:
				reason, remedy = fmt.Sprintf("the RTL's input %s is a second clock: its edges trigger logic", name),
					"add it to clock: "+p.Name+": 1"
			case p.Edges:
				reason, remedy = fmt.Sprintf("the RTL's input %s is a second clock, besides %s: its edges trigger logic",
					name, w.Clock), one
			case p.Bits == 1 && (w.Reset == "" || w.Clock == ""):
				remedy += "; declare a clock under clock: and a reset under reset:"
			case p.Bits == 1:
				remedy += "; if it is a second clock, " + one
			}
			return w.refuse("pins", reason, remedy)
		}
	}
	return nil
}

// undriven names undriven bits of an RTL input, starting at bit from. The result names the whole port, a member or
// some bits, and can be used in ties.
func (w *wirer) undriven(port, from int) string {
	p, end := w.rtl[port], from
	free := func(bit int) bool { return w.taken[[2]int{port, bit}] == "" }
	for end < p.Bits && free(end) {
		end++
	}
	if end-from == p.Bits {
		return p.Name
	}
	name, most := "", 0
	for _, part := range p.Parts {
		if part.Low == from && part.Low+part.Bits <= end && part.Bits > most {
			name, most = p.Name+part.Name, part.Bits
		}
	}
	if most > 0 {
		return name
	}
	for _, part := range p.Parts { // bits of the smallest member that contains the undriven bits
		if part.Low <= from && from < part.Low+part.Bits && (most == 0 || part.Bits < most) &&
			len(p.Elements(part.Name)) == 0 {
			most = part.Bits
			name = cosim.SliceText(p.Name+part.Name, from-part.Low, min(end, part.Low+part.Bits)-part.Low)
		}
	}
	if most > 0 {
		return name
	}
	return cosim.SliceText(p.Name, from, end)
}

func (w *wirer) wireResets() error {
	all := w.Timing.Resets
	if w.Reset != "" {
		all = append([]Reset{{w.Reset, w.ResetLow}}, all...)
	}
	if len(all) == 0 {
		return nil
	}
	at := slices.IndexFunc(w.model, func(p cosim.Port) bool { return p.Name == "reset" })
	if at < 0 {
		return w.refuse("reset", w.Model+" has no reset", "give the RTL's reset a constant: ties: {"+w.Reset+": 0}")
	}
	for _, r := range all {
		pin := r.Pin
		if r.Low {
			pin = "~" + strings.TrimPrefix(pin, "~")
		}
		w.wired[at] = ""
		if err := w.wirePort("reset", Wiring{"reset", []string{pin}}); err != nil {
			return err
		}
	}
	return nil
}

func (w *wirer) wireClocks() error {
	clocks := w.clocks()
	if len(clocks) == 0 {
		return nil
	}
	named := func(p cosim.Port) bool {
		return slices.ContainsFunc(clocks, func(c Clock) bool { return cosim.SameName(w.fold, p.Name, c.Name) })
	}
	for i, p := range w.rtl {
		switch {
		case p.Clock && !named(p):
			return w.refuse("clock",
				fmt.Sprintf("the RTL was built with the clock %s, not %s", p.Name, w.Clock),
				"name that clock, or build the image again with --clock "+w.Clock)
		case p.Clock:
			w.taken[[2]int{i, 0}] = "clock"
		case named(p):
			return w.refuse("clock", p.Name+" is "+p.Kind()+" and was not built as a clock",
				"build it again with --clock "+p.Name)
		}
	}
	for _, c := range clocks {
		if !slices.ContainsFunc(w.rtl, func(p cosim.Port) bool { return cosim.SameName(w.fold, p.Name, c.Name) }) {
			return w.refuse("clock", fmt.Sprintf("the RTL has no pin %s", c.Name), remedyOfClock(c.Name, w.rtl))
		}
		if err := w.wireEdges(c); err != nil {
			return err
		}
	}
	for i, p := range w.model {
		if p.Clock {
			w.wired[i] = "clock"
			return nil
		}
	}
	return w.refuse("clock", w.Model+" has no clock", "give the RTL's clock a constant: ties: {"+w.Clock+": 0}")
}

func (w *wirer) wireEdges(c Clock) error {
	if c.When == "" {
		return nil
	}
	key := "clock." + c.Name
	at, err := w.modelPort(key, c.When)
	if err != nil {
		return err
	}
	if port := w.model[at]; !slices.Contains(w.edges, port.Name) {
		remedy := "give the ratio of the clocks: {" + c.Name + ": 1}"
		if len(w.edges) > 0 {
			remedy = "name one of " + strings.Join(w.edges, ", ")
		}
		reason := fmt.Sprintf("%s of %s does not select cycles in which a clock rises", port.Name, w.Model)
		return w.refuse(key, reason, remedy)
	}
	w.wired[at] = key
	return nil
}
