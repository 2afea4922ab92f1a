package maps

import (
	"fmt"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/traces/diff"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// PinDiff fills the options of a comparison of two waveforms from a pin map. Each file has the ports of the model, as
// written by `starloom cosim check --vcd`, or the pins of the RTL. Ports are compared cycle by cycle from the first
// cycle after the first reset on, because values at power-on differ. left lists the other ports, with the reason.
func PinDiff(m *pinmap.Map, first, second string, o *diff.Options) (left []string, err error) {
	model, err := m.NewModel()
	if err != nil {
		return nil, err
	}
	ports := model.Ports()
	if err := model.Close(); err != nil {
		return nil, err
	}
	var sides [2]*side
	for i, path := range []string{first, second} {
		if path == input.StandardInput {
			return nil, input.Mistake("--pins", "with a pin map, a waveform is read twice", "give a file instead of -")
		}
		if sides[i], err = findSide(m, ports, path); err != nil {
			return nil, err
		}
		reset, err := lockstep.FirstReset(m, path)
		if err != nil {
			return nil, err
		}
		if from := uint64(reset + max(1, m.Timing.ResetCycles)); model.Clocked() && from > o.From.Cycle {
			o.From = diff.Bound{Given: true, Cycle: from}
		}
	}
	o.A, o.B = sides[0].sampling, sides[1].sampling
	for _, p := range ports {
		if p.Clock || p.Name == "reset" || p.Name == "clock" {
			continue
		}
		pair, why := sides, ""
		if late := latencyOf(m, p.Name); late != 0 && !equalTimes(&pair) {
			why = fmt.Sprintf("latency %d", late)
		} else {
			why = addRules(m, p, pair, o)
		}
		if why != "" {
			left = append(left, p.Name+" ("+why+")")
		}
	}
	if len(o.Rules) == 0 {
		return nil, input.Mistake("--pins", "no port can be compared: "+strings.Join(left, ", "), "give --map with names")
	}
	return left, nil
}

func latencyOf(m *pinmap.Map, port string) int {
	return m.Latency[port] + m.Latency[strings.TrimSuffix(port, "_o")]
}

// equalTimes replaces the model's ports by the RTL's pins, which the waveform of a check has among the internals, so
// that a latency does not matter. It reports whether both files then have the same kind of names.
func equalTimes(sides *[2]*side) bool {
	if sides[0].pins == sides[1].pins {
		return true
	}
	for i, s := range sides {
		if !s.pins && s.rtl == nil {
			return false
		}
		if !s.pins {
			sides[i] = s.rtl
		}
	}
	return true
}

// side is the scope of a file with the ports of the model or the pins of the RTL.
type side struct {
	rtl      *side // another scope of the file, with the pins of the RTL; nil for none, or if this one has the pins
	scope    string
	vars     map[string]vcd.Var
	pins     bool
	sampling vcd.Sampling
}

func (s *side) path(name string) string { return strings.TrimPrefix(s.scope+"."+name, ".") }

func findSide(m *pinmap.Map, ports []cosim.Port, path string) (*side, error) {
	stream, err := input.OpenStream(path)
	if err != nil {
		return nil, input.Unreadable(path, err, "give the path of a VCD or an FST")
	}
	r, err := vcd.OpenStream(stream)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	scopes := map[string]map[string]vcd.Var{}
	var order []string
	for _, v := range r.Header().Vars {
		dot := strings.LastIndexByte(v.Path, '.')
		scope, name := v.Path[:max(dot, 0)], v.Path[dot+1:]
		if scopes[scope] == nil {
			scopes[scope] = map[string]vcd.Var{}
			order = append(order, scope)
		}
		scopes[scope][name] = v
	}
	var names, pins []string
	for _, p := range ports {
		of := m.PinsOf(p.Name)
		if p.Clock || p.Name == "reset" || p.Name == "clock" || of == nil {
			continue
		}
		names = append(names, p.Name)
		for _, text := range of {
			if item, _ := pinmap.ParseItem(text); item.IsPin {
				pins = append(pins, item.Pin.Name)
			}
		}
	}
	find := func(names []string, clock string, pins bool) *side {
		for _, scope := range order {
			vars := scopes[scope]
			if slices.ContainsFunc(names, func(name string) bool { _, ok := vars[name]; return !ok }) {
				continue
			}
			s := &side{scope: scope, vars: vars, pins: pins}
			if _, clocked := vars[clock]; clocked {
				s.sampling.Clock = s.path(clock)
			} else {
				s.sampling.Period = vcd.Duration{Count: 1, Unit: r.Header().Timescale}
			}
			return s
		}
		return nil
	}
	ofModel, ofRTL := find(names, "clock", false), find(pins, m.Clock, true)
	switch {
	case ofModel != nil && (ofRTL == nil || slices.Index(order, ofModel.scope) <= slices.Index(order, ofRTL.scope)):
		ofModel.rtl = ofRTL
		return ofModel, nil
	case ofRTL != nil:
		return ofRTL, nil
	}
	reason := fmt.Sprintf("no scope contains all of %s, or all of %s", strings.Join(names, ", "), strings.Join(pins, ", "))
	return nil, input.Mistake(path, reason,
		"give a waveform of the model or of the RTL; `starloom trace info --signals` lists its signals")
}

// addRules adds the names of a port's bits in both files. why is the reason why some bits are not compared.
func addRules(m *pinmap.Map, p cosim.Port, sides [2]*side, o *diff.Options) (why string) {
	texts := m.PinsOf(p.Name)
	if texts == nil {
		return "no pin"
	}
	if sides[0].pins == sides[1].pins && !sides[0].pins {
		texts = []string{p.Name}
	}
	high := p.Bits
	for _, text := range texts {
		item, _ := pinmap.ParseItem(text)
		switch {
		case item.Function != "":
			return "a function of pins: " + text
		case !item.IsPin:
			high -= len(item.Fixed())
			if item.Flexible() { // the item fills the bits above the lower pins
				high = widths(texts[1:], sides)
			}
			continue
		}
		bits, ok := widthOf(&item, sides)
		if !ok || high < bits {
			return "pins of another width"
		}
		if item.Pin.Inverted {
			why = "inverted: " + text
		} else {
			from, to := sides[0].name(p, text, high, bits), sides[1].name(p, text, high, bits)
			o.Rules = append(o.Rules, diff.NameRule{From: from, To: to, Place: "--pins"})
			o.Only = append(o.Only, from)
		}
		high -= bits
	}
	return why
}

// name returns the name of bits of a port, below high, or of a pin.
func (s *side) name(p cosim.Port, pin string, high, bits int) string {
	if s.pins {
		return s.path(pin)
	}
	if bits == p.Bits {
		return s.path(p.Name)
	}
	return fmt.Sprintf("%s[%d:%d]", s.path(p.Name), high-1, high-bits)
}

func widthOf(item *pinmap.Item, sides [2]*side) (bits int, ok bool) {
	if item.Pin.High >= 0 {
		return item.Pin.High - item.Pin.Low + 1, true
	}
	for _, s := range sides {
		if v, there := s.vars[item.Pin.Name]; there {
			return v.Bits, true
		}
	}
	return 0, false
}

func widths(texts []string, sides [2]*side) (bits int) {
	for _, text := range texts {
		item, _ := pinmap.ParseItem(text)
		if n, ok := widthOf(&item, sides); item.IsPin && ok {
			bits += n
		} else {
			bits += len(item.Fixed())
		}
	}
	return bits
}
