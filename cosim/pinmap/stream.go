package pinmap

import "maps"

// A Stream is a side of the RTL with valid and ready, in its role: "in" takes words, "out" gives them.
type Stream struct {
	Valid, Ready string
	Payload      []string // pins, the highest first

	// Unstable: whoever sends may take a word back, or change it, before it is taken.
	Unstable bool
}

// AXIStream is a stream whose pins are PREFIX_tvalid, PREFIX_tready and others with that prefix.
func AXIStream(prefix string, payload ...string) Stream {
	s := Stream{Valid: prefix + "_tvalid", Ready: prefix + "_tready"}
	for _, name := range payload {
		s.Payload = append(s.Payload, prefix+"_"+name)
	}
	return s
}

// StreamSides are the roles of a stream.
var StreamSides = []string{"in", "out"}

// AddStream gives a stream its role. It connects the ports of a model with valid and ready, and adds
// the rules of the role to the contract: what is offered stays until it is taken, unless the stream
// is unstable, and payload counts while valid is 1. Nothing is assumed of the ready of who takes: it comes and
// goes as it likes, and that what the RTL offers stays is a matter of the model, which does so.
func (m *Map) AddStream(side string, s Stream) {
	valid, data, ready := "valid_i", "data_i", "ready_o"
	if side == "out" {
		valid, data, ready = "valid_o", "data_o", "ready_i"
	}
	at := m.Place("streams." + side)
	add := func(port string, pins ...string) {
		m.Pins = append(m.Pins, Wiring{Port: port, Pins: pins})
		if m.Places != nil {
			m.Places["pins."+port] = at
		}
	}
	add(valid, s.Valid)
	add(data, s.Payload...)
	add(ready, s.Ready)
	switch {
	case side == "out":
		compare := map[string]string{data: valid}
		maps.Copy(compare, m.Compare) // what the map says itself goes before
		m.Compare = compare
	case !s.Unstable:
		m.Assume = append(m.Assume, "$past(valid_i && !ready_o) -> valid_i && data_i == $past(data_i)")
		if m.Places != nil {
			m.Places[m.AssumeKey(len(m.Assume)-1)] = at
		}
	}
}
