package pinmap

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
	"starloom/cosim/twin"
	"starloom/hw"
	"starloom/traces/input"
)

// pinBits are bits of one port, and of the words that all ports of its direction
// share.
type pinBits struct {
	port     int // index
	first    int // bit in the words
	bits     int
	inverted bool
}

// A bitMove copies up to 64 bits between two vectors of words.
type bitMove struct {
	from, to, bits int
	invert         uint64 // all ones of bits, or 0
}

// A routing connects the ports of a model to those of an RTL device.
type routing struct {
	in       []bitMove // model's inputs to RTL's inputs
	out      []bitMove // RTL's outputs to the model's
	early    []bitMove // the same of outputs that are a cycle ahead
	feedback []bitMove // RTL's outputs to its inputs
	ties     []pinBits
	values   []uint64 // of ties
	late     []int    // cycles that RTL is late, by port of the model
	absent   []bool   // by port of the model
}

// A wirer works out the wiring of a map.
type wirer struct {
	*Map
	routing
	model, rtl []cosim.Port
	fold       bool              // RTL in VHDL: upper and lower case are the same
	taken      map[[2]int]string // port and bit of the RTL: the key that takes it
	wired      []string          // by port of the model: the key that wires it
	err        error
}

// wire connects ports, or returns an *InputError.
func (m *Map) wire(model *twin.Model, rtl []cosim.Port) (*routing, error) {
	w := &wirer{Map: m, model: model.Ports(), rtl: rtl, fold: m.FoldsCase(), taken: map[[2]int]string{}}
	w.wired = make([]string, len(w.model))
	w.late, w.absent = make([]int, len(w.model)), make([]bool, len(w.model))
	for _, step := range []func() error{
		w.wireClock, w.wireReset, w.wireAbsent, w.wireLatency, w.wirePins, w.wireTies, w.wireFeedback, w.checkAllDriven,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return &w.routing, nil
}

func (w *wirer) wireClock() error {
	if w.Clock == "" {
		return nil
	}
	for i, p := range w.rtl {
		named := cosim.SameName(w.fold, p.Name, w.Clock)
		if p.Clock && !named {
			return w.refuse("clock",
				fmt.Sprintf("the RTL was built with the clock %s, not %s", p.Name, w.Clock),
				"name that one, or build it again with --clock "+w.Clock)
		}
		if named {
			if !p.Clock {
				return w.refuse("clock", w.Clock+" is "+p.Kind()+" and was not built as a clock", "build it again with --clock "+w.Clock)
			}
			w.taken[[2]int{i, 0}] = "clock"
		}
	}
	if len(w.taken) == 0 {
		return w.refuse("clock", fmt.Sprintf("the RTL has no pin %s", w.Clock), input.RemedyOf(w.Clock, namesOf(w.rtl, true)))
	}
	for i, p := range w.model {
		if p.Clock {
			w.wired[i] = "clock"
			return nil
		}
	}
	return w.refuse("clock", w.Model+" has no clock", "give the RTL's clock a constant: ties: {"+w.Clock+": 0}")
}

func (w *wirer) wireReset() error {
	if w.Reset == "" {
		return nil
	}
	pin := w.Reset
	if w.ResetLow {
		pin = "~" + strings.TrimPrefix(pin, "~")
	}
	if !slices.ContainsFunc(w.model, func(p cosim.Port) bool { return p.Name == "reset" }) {
		return w.refuse("reset", w.Model+" has no reset", "give the RTL's reset a constant: ties: {"+w.Reset+": 0}")
	}
	return w.wirePort("reset", Wiring{"reset", []string{pin}})
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
		w.absent[at], w.wired[at] = true, key
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
		w.late[at] = cycles
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
	pins := make([]pinBits, len(p.Pins))
	total := 0
	for i, text := range p.Pins {
		pinKey := key
		if len(p.Pins) > 1 {
			pinKey = fmt.Sprintf("%s[%d]", key, i)
		}
		if pins[i], err = w.takePin(pinKey, text, port.Input); err != nil {
			return err
		}
		total += pins[i].bits
	}
	if total != port.Bits {
		remedy := "give both the same width by params of the RTL or parameters of the model"
		switch first := pinText.FindStringSubmatch(p.Pins[0]); {
		case total < port.Bits:
			remedy += ", or join several pins, the highest first: [" + first[2] + ", OTHER]"
			if !port.Input {
				remedy += fmt.Sprintf(", or leave it out and compare the others: absent: [%s]", port.Name)
			}
		case len(p.Pins) == 1 && first[3] == "":
			remedy += ", or name the bits: " + cosim.SliceText(first[1]+first[2], 0, port.Bits)
			if port.Input {
				remedy += ", and give the others a constant: ties: {\"" + cosim.SliceText(first[2], port.Bits, total) + "\": 0}"
			}
		default:
			remedy += ", or name fewer bits"
		}
		return w.refuse(key,
			fmt.Sprintf("%s has %s, %s of %s has %d", strings.Join(p.Pins, ", "), cosim.BitsText(total), port.Name, w.Model, port.Bits),
			remedy)
	}
	at64 := 64*port.Word + port.Bits // the first pin is the highest
	for _, pin := range pins {
		at64 -= pin.bits
		switch {
		case port.Input:
			w.in = appendMoves(w.in, at64, pin.first, pin.bits, pin.inverted)
		case w.late[at] < 0:
			w.early = appendMoves(w.early, pin.first, at64, pin.bits, pin.inverted)
		default:
			w.out = appendMoves(w.out, pin.first, at64, pin.bits, pin.inverted)
		}
	}
	return nil
}

func (w *wirer) wireTies() error {
	for _, t := range w.Ties {
		key := "ties." + t.Pin
		pin, err := w.takePin(key, t.Pin, true)
		if err != nil {
			return err
		}
		if pin.bits < 64 && t.Value>>pin.bits != 0 {
			return w.refuse(key,
				fmt.Sprintf("%d does not fit into %s of %s", t.Value, cosim.BitsText(pin.bits), t.Pin),
				fmt.Sprintf("give at most %d", uint64(1)<<pin.bits-1))
		}
		w.ties, w.values = append(w.ties, pin), append(w.values, t.Value)
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
		if from.bits != to.bits {
			wider := f.From
			if to.bits > from.bits {
				wider = f.To
			}
			named, _ := ParsePin(wider)
			return w.refuse(key,
				fmt.Sprintf("%s has %s, %s has %s", f.To, cosim.BitsText(to.bits), f.From, cosim.BitsText(from.bits)),
				"name as many bits of the wider one, as in "+cosim.SliceText(named.Name, 0, min(to.bits, from.bits)))
		}
		w.feedback = appendMoves(w.feedback, from.first, to.first, to.bits, from.inverted != to.inverted)
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
			one := "drive both from one clock in a wrapper, and name that as top: a map has one clock"
			switch {
			case p.Clock, p.Edges && w.Clock == "":
				remedy = "write clock: " + p.Name
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

var pinText = regexp.MustCompile(`^(~?)([A-Za-z_][A-Za-z0-9_$]*)(?:\[(\d{1,8})(?::(\d{1,8}))?\])?$`)

// A Pin is a pin as a map writes it.
type Pin struct {
	Name      string
	High, Low int // -1: all bits
	Inverted  bool
}

// ParsePin reads NAME, NAME[3] or NAME[7:4], with ~ before it for its inverse.
func ParsePin(text string) (pin Pin, ok bool) {
	parts := pinText.FindStringSubmatch(text)
	if parts == nil {
		return Pin{}, false
	}
	pin = Pin{Name: parts[2], High: -1, Low: -1, Inverted: parts[1] != ""}
	if parts[3] != "" {
		pin.High, _ = strconv.Atoi(parts[3]) // at most eight digits
		if pin.Low = pin.High; parts[4] != "" {
			pin.Low, _ = strconv.Atoi(parts[4])
		}
	}
	return pin, true
}

// pin finds bits of the RTL.
func (w *wirer) pin(key, text string, isInput bool) (pinBits, error) {
	named, ok := ParsePin(text)
	if !ok {
		return pinBits{}, w.refuse(key,
			fmt.Sprintf("%q is not a pin", text),
			"write NAME, NAME[3] or NAME[7:4], with ~ before it for its inverse")
	}
	at := slices.IndexFunc(w.rtl, func(p cosim.Port) bool { return cosim.SameName(w.fold, p.Name, named.Name) })
	if at < 0 {
		return pinBits{}, w.refuse(key,
			fmt.Sprintf("the RTL has no pin %s", named.Name),
			input.RemedyOf(named.Name, namesOf(w.rtl, isInput)))
	}
	p := w.rtl[at]
	if p.Input != isInput {
		wanted := "an output"
		if isInput {
			wanted = "an input"
		}
		return pinBits{}, w.refuse(key,
			fmt.Sprintf("the RTL's %s is %s; this place needs %s", p.Name, p.Kind(), wanted),
			input.RemedyOf(p.Name, namesOf(w.rtl, isInput)))
	}
	if p.Clock {
		return pinBits{}, w.refuse(key, p.Name+" is the clock", "name another pin: "+strings.Join(namesOf(w.rtl, true), ", "))
	}
	high, low := named.High, named.Low
	if high < 0 {
		high, low = p.Bits-1, 0
	}
	if high < low || high >= p.Bits {
		return pinBits{}, w.refuse(key,
			fmt.Sprintf("the RTL's %s is %s, there are no bits [%d:%d]", p.Name, p.Kind(), high, low),
			fmt.Sprintf("bits are [%d:0]; the higher one comes first", p.Bits-1))
	}
	return pinBits{port: at, first: 64*p.Word + low, bits: high - low + 1, inverted: named.Inverted}, nil
}

// takePin finds bits of the RTL that are still free, and takes them.
func (w *wirer) takePin(key, text string, input bool) (pinBits, error) {
	pin, err := w.pin(key, text, input)
	if err != nil {
		return pin, err
	}
	low := pin.first - 64*w.rtl[pin.port].Word
	for bit := low; bit < low+pin.bits; bit++ {
		if before, ok := w.taken[[2]int{pin.port, bit}]; ok {
			return pin, w.refuse(key,
				fmt.Sprintf("the RTL's %s is mapped twice, first at %s", w.rtl[pin.port].Name, w.Place(before)),
				"delete one, or name other bits")
		}
		w.taken[[2]int{pin.port, bit}] = key
	}
	return pin, nil
}

// appendMoves adds the moves of any number of bits.
func appendMoves(moves []bitMove, from, to, bits int, inverted bool) []bitMove {
	for bits > 0 {
		m := bitMove{from: from, to: to, bits: min(bits, 64)}
		if inverted {
			m.invert = ^uint64(0) >> (64 - m.bits)
		}
		moves = append(moves, m)
		from, to, bits = from+m.bits, to+m.bits, bits-m.bits
	}
	return moves
}

// moveBits does all moves from one vector to another.
func moveBits(moves []bitMove, from, to []uint64) {
	for i := range moves {
		m := &moves[i]
		hw.PutBits(to, m.to, m.bits, hw.GetBits(from, m.from, m.bits)^m.invert)
	}
}

// moveUnknown moves values and their unknown bits: an unknown bit is not inverted.
func moveUnknown(moves []bitMove, from, fromUnknown, to, toUnknown []uint64) {
	for i := range moves {
		m := &moves[i]
		unknown := hw.GetBits(fromUnknown, m.from, m.bits)
		hw.PutBits(to, m.to, m.bits, hw.GetBits(from, m.from, m.bits)^m.invert&^unknown)
		hw.PutBits(toUnknown, m.to, m.bits, unknown)
	}
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
