package maps

import (
	yaml "go.yaml.in/yaml/v4"

	"starloom/cosim/pinmap"
	"starloom/traces/input/strict"
)

// stream is a side of the RTL as a map writes it: {axis: PREFIX} or {valid: PIN, ready: PIN, payload: PINS}.
type stream struct {
	pinmap.Stream
	axis string
}

func (d *pinDecoder) streams(n *yaml.Node, where string) error {
	keys := map[string]readNode{}
	for _, side := range pinmap.StreamSides {
		keys[side] = func(n *yaml.Node, where string) error {
			d.m.Places[where] = d.Place(n)
			s, err := d.stream(n, where)
			d.sides[side] = s
			return err
		}
	}
	return d.Keys(n, where, keys)
}

func (d *pinDecoder) stream(n *yaml.Node, where string) (*pinmap.Stream, error) {
	var s stream
	stable := true
	err := d.Keys(n, where, map[string]readNode{
		"axis":  d.textTo(&s.axis),
		"valid": d.textTo(&s.Valid), "ready": d.textTo(&s.Ready),
		"payload": func(n *yaml.Node, where string) error {
			if n.Kind == yaml.SequenceNode {
				return d.Texts(n, where, &s.Payload)
			}
			s.Payload = []string{""}
			return d.Text(n, where, &s.Payload[0])
		},
		"stable": func(n *yaml.Node, where string) error { return d.Bool(n, where, &stable) },
	})
	switch {
	case err != nil:
		return nil, err
	case s.axis != "" && (s.Valid != "" || s.Ready != ""):
		return nil, d.Refuse(n, strict.Join(where, "axis")+" names valid and ready already", "delete axis, or valid and ready")
	case s.axis != "" && len(s.Payload) == 0:
		s.Stream = pinmap.AXIStream(s.axis, "tdata")
	case s.axis != "":
		s.Stream = pinmap.AXIStream(s.axis, s.Payload...)
	case s.Valid == "" || s.Ready == "" || len(s.Payload) == 0:
		return nil, d.Refuse(n, where+" lacks pins", "write {valid: PIN, ready: PIN, payload: PIN}, or {axis: s_axis, payload: [tlast, tdata]}")
	}
	s.Unstable = !stable
	return &s.Stream, nil
}
