package pinmap

import "maps"

// A Stream is an interface of the RTL with valid and ready.
type Stream struct {
	Valid, Ready string
	Payload      []string // pins of the payload, highest first

	// Unstable means that the sender may withdraw or change a word before the word is accepted.
	Unstable bool
}

// AXIStream returns a stream with pins PREFIX_tvalid, PREFIX_tready and PREFIX_NAME for the payload.
func AXIStream(prefix string, payload ...string) Stream {
	s := Stream{Valid: prefix + "_tvalid", Ready: prefix + "_tready"}
	for _, name := range payload {
		s.Payload = append(s.Payload, prefix+"_"+name)
	}
	return s
}

// StreamSides are the roles of a stream: "in" accepts words, "out" sends them.
var StreamSides = []string{"in", "out"}

// AddStream connects the valid, data and ready ports of a model to a stream and adds the rules of its role to the
// contract. An offered word stays until it is accepted, unless the stream is unstable, and payload counts while valid
// is 1. ready may change freely. The model keeps an offered word, so RTL that drops or changes the word differs from
// the model.
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
		maps.Copy(compare, m.Compare)
		m.Compare = compare
	case !s.Unstable:
		m.Assume = append(m.Assume, "$past(valid_i && !ready_o) -> valid_i && data_i == $past(data_i)")
		if m.Places != nil {
			m.Places[m.AssumeKey(len(m.Assume)-1)] = at
		}
	}
}
