package pinmap

import (
	"slices"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// wirePulses connects a valid port and an index port of the model to a pin with a bit for each number of each lane.
func (w *wirer) wirePulses(key string, p Wiring, form *twin.Pulses) error {
	of := [2]int{}
	for i, name := range []string{form.Valid, form.Index} {
		var err error
		if of[i], err = w.unwired(key, name); err != nil {
			return err
		}
	}
	valid, index := w.model[of[0]], w.model[of[1]]
	port := cosim.Port{Name: form.Name, Bits: valid.Bits * form.Numbers, Input: valid.Input}
	j, items, err := w.joiner(key, of[0], port, p)
	if err != nil {
		return err
	}
	each := index.Bits / valid.Bits
	var pulses []Bit
	if valid.Input {
		numbers := bitsOf(OfModel, of[1], index.Bits)
		for lane, on := range bitsOf(OfModel, of[0], valid.Bits) {
			for number := range form.Numbers {
				pulses = append(pulses, w.wires.decode(numbers[lane*each:][:each], number, on))
			}
		}
	}
	pulses = j.join(items, port, pulses)
	valids, numbers := make([]Bit, valid.Bits), make([]Bit, 0, index.Bits)
	for lane := range valids {
		hot := pulses[lane*form.Numbers:][:form.Numbers]
		valids[lane] = w.wires.gate(false, hot...)
		numbers = append(numbers, w.wires.encode(hot, each)...)
		if !valid.Input && form.Numbers > 1 {
			w.wires.limit(Limit{of[0], w.wires.several(hot), one(false), j.text, hot, "more than one bit is 1"})
		}
	}
	w.wires.Ports[of[0]], w.wires.Ports[of[1]] = valids, numbers
	return nil
}

func (w *wirer) pulsesOf(name string) *twin.Pulses {
	if i := slices.IndexFunc(w.pulses, func(p twin.Pulses) bool { return p.Name == name }); i >= 0 {
		return &w.pulses[i]
	}
	return nil
}
