package lockstep

import (
	"fmt"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/hw"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// vcdInput is the source of some bits of an input.
type vcdInput struct {
	name      string
	high, low int // -1: whole signal
	inverted  bool
	net       vcd.NetID
	bits      int
	to        int
	port      int
	fixed     []bool // constant bits in a join; a single bit fills the rest of the join
	fills     bool
}

func (s *Stimulus) readVCD(stream *input.Stream, m *pinmap.Map, model *twin.Model) error {
	path := stream.Name
	r, err := vcd.OpenStream(stream)
	if err != nil {
		return err
	}
	defer r.Close()
	v, err := s.findVCDInputs(path, r.Header(), m, model)
	if err != nil {
		return err
	}
	nets := []vcd.NetID{}
	now, high := make([]uint64, s.words), false
	v.putFixed(now)
	for _, in := range v.inputs {
		nets = append(nets, in.net)
	}
	if v.clocked {
		nets = append(nets, v.clock)
	}
	if err := r.Watch(nets); err != nil {
		return err
	}
	changed := false
	for first := true; r.Next(); first = false {
		if !v.clocked && !first {
			for time := r.Time(); time < r.NextTime(); time++ {
				s.rows = append(s.rows, now...)
				if err := s.tooLong(path); err != nil {
					return err
				}
			}
		}
		nets, err := r.Step()
		if err != nil {
			return err
		}
		changed = len(nets) > 0
		if v.clocked {
			value := r.Value(v.clock)
			rises := value.Known() && value.Value[0]&1 != 0
			if rises && !high {
				s.rows = append(s.rows, now...)
			}
			high = rises
		}
		for _, in := range v.inputs {
			value := r.Value(in.net)
			for bit := range in.bits {
				at := in.low + bit
				one := value.Value[at>>6] &^ value.Unknown[at>>6] >> (at & 63) & 1
				if in.inverted && value.Unknown[at>>6]>>(at&63)&1 == 0 {
					one ^= 1
				}
				hw.PutBits(now, in.to+bit, 1, one)
			}
		}
		if err := s.tooLong(path); err != nil {
			return err
		}
	}
	if !v.clocked && changed { // otherwise the last time only marks the end of the last cycle
		s.rows = append(s.rows, now...)
	}
	return r.Err()
}

type vcdInputs struct {
	inputs  []vcdInput
	clocked bool
	clock   vcd.NetID
}

func (v *vcdInputs) putFixed(row []uint64) {
	for _, in := range v.inputs {
		for bit, one := range in.fixed {
			if one {
				hw.PutBits(row, in.to+bit, 1, 1)
			}
		}
	}
	v.inputs = slices.DeleteFunc(v.inputs, func(in vcdInput) bool { return in.fixed != nil })
}

func (s *Stimulus) findVCDInputs(path string, header *vcd.Header, m *pinmap.Map,
	model *twin.Model) (*vcdInputs, error) {
	ours := vcdNames(m, s.Inputs, false)
	pins := vcdNames(m, s.Inputs, true)
	scopes := map[string]map[string]vcd.Var{}
	var order []string
	for _, v := range header.Vars {
		scope, name := "", v.Path
		if dot := strings.LastIndexByte(v.Path, '.'); dot >= 0 {
			scope, name = v.Path[:dot], v.Path[dot+1:]
		}
		if scopes[scope] == nil {
			scopes[scope] = map[string]vcd.Var{}
			order = append(order, scope)
		}
		scopes[scope][name] = v
	}
	for _, scope := range order {
		for _, wanted := range []struct {
			inputs []vcdInput
			clock  string
		}{{ours, "clock"}, {pins, m.Clock}} {
			if inputs := s.matchVCD(scopes[scope], wanted.inputs, m.FoldsCase()); inputs != nil {
				clock, clocked := scopes[scope][wanted.clock]
				if !clocked && m.FoldsCase() {
					clock, clocked = scopes[scope][strings.ToLower(wanted.clock)]
				}
				return &vcdInputs{inputs, clocked && clock.Bits == 1 && model.Clocked(), clock.Net}, nil
			}
		}
	}
	var names []string
	for _, in := range ours {
		names = append(names, in.name)
	}
	return nil, &cosim.InputError{
		Place:  path,
		Reason: fmt.Sprintf("no scope has all of %s, and none has all pins of the map", strings.Join(names, ", ")),
		Remedy: "give a waveform of the model or of the RTL; `starloom trace info --signals` lists its signals",
	}
}

func vcdNames(m *pinmap.Map, inputs []cosim.Port, pins bool) (all []vcdInput) {
	for i, p := range inputs {
		texts := []string{p.Name}
		if pins {
			texts = m.PinsOf(p.Name)
		}
		if len(texts) == 0 {
			return nil
		}
		for _, text := range texts {
			item, why := pinmap.ParseItem(text)
			switch {
			case why != "" || item.Function != "":
				return nil
			case !item.IsPin:
				all = append(all, vcdInput{port: i, fixed: item.Fixed(), fills: item.Flexible(), high: -1})
			default:
				all = append(all,
					vcdInput{port: i, name: item.Pin.Name, high: item.Pin.High, low: item.Pin.Low, inverted: item.Pin.Inverted})
			}
		}
	}
	return all
}

// partsOf returns the vectors of at most 64 bits that represent a wide input in a waveform of Waves.WriteVCD, highest
// first. If the scope has no such vectors, it returns the input itself.
func partsOf(scope map[string]vcd.Var, in vcdInput) (parts []vcdInput) {
	if _, whole := scope[in.name]; whole || in.high >= 0 {
		return []vcdInput{in}
	}
	for low, bits := 0, 64; bits == 64; low += 64 {
		part := in
		for ; bits > 0; bits-- {
			part.name = partName(in.name, low, bits)
			if _, ok := scope[part.name]; ok {
				parts = append(parts, part)
				break
			}
		}
	}
	if parts == nil {
		return []vcdInput{in}
	}
	slices.Reverse(parts)
	return parts
}

func (s *Stimulus) matchVCD(scope map[string]vcd.Var, wanted []vcdInput, fold bool) []vcdInput {
	var inputs []vcdInput
	for _, in := range wanted {
		inputs = append(inputs, partsOf(scope, in)...)
	}
	left := make([]int, len(s.Inputs))
	for i, p := range s.Inputs {
		left[i] = p.Bits
	}
	for i := range inputs {
		in := &inputs[i]
		if in.fixed != nil {
			if in.bits = len(in.fixed); !in.fills {
				left[in.port] -= in.bits
			}
			continue
		}
		v, ok := scope[in.name]
		if !ok && fold { // GHDL writes lower-case names
			v, ok = scope[strings.ToLower(in.name)]
		}
		if !ok || v.Kind != vcd.KindBits {
			return nil
		}
		if in.high < 0 {
			in.high, in.low = v.Bits-1, 0
		}
		in.net, in.bits = v.Net, in.high-in.low+1
		if left[in.port] -= in.bits; in.high >= v.Bits || in.bits < 1 {
			return nil
		}
	}
	for i := range inputs {
		if in := &inputs[i]; in.fills {
			if in.bits, left[in.port] = left[in.port], 0; in.bits < 1 {
				return nil
			}
			in.fixed = slices.Repeat(in.fixed, in.bits)
		}
	}
	if len(inputs) == 0 || slices.ContainsFunc(left, func(bits int) bool { return bits != 0 }) {
		return nil
	}
	for i := len(inputs) - 1; i >= 0; i-- { // a join lists its highest part first
		in := &inputs[i]
		in.to = 64*s.Inputs[in.port].Word + left[in.port]
		left[in.port] += in.bits
	}
	return inputs
}
