package maps

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// LoadPin reads the pin map of RTL that stands for a model:
//
//	model: arbiter_round_robin           # a twin: `starloom cosim check --list`; or RTL: {top: old, sources: [old.sv]}
//	parameters: {REQUESTERS: 16}         # of the model
//	top: rr_arb                          # module of the RTL
//	sources: [rr_arb.sv]                 # relative to the map's folder; -f LIST; {file: language_old.v,
//	                                     # language: 1364-2001}
//	include: [inc]                       # folders of `include
//	defines: {SYNTHESIS: ""}
//	params: {NUM: 16}                    # of the top module
//	image: rr_arb.wasm                   # of `starloom cosim build`, instead of sources
//	backend: wasm                        # or icarus
//	clock: clk_i                         # or {clk_i: 1, fast_i: 2, slow_i: {ratio: 1/4, phase: 1/2}},
//	                                     # {wr_clk: write_clock}
//	reset: {pin: rst_ni, active: low}    # or only a name: active high; cycles: 4; or a list of them
//	pins:                                # port of the model: pin of the RTL
//	  request: [valid_b, "valid_a[3:0]"] # first is highest, as in Verilog's braces
//	  grant: ~ready_no                   # inverted
//	  index: [0, who]                    # zeros above it; also low, reverse, onehot, index: pinmap.ParseItem
//	ties: {test_en_i: 0}                 # constants for other inputs
//	feedback: {ack_i: gnt_o}             # an input that follows an output within a cycle
//	absent: [index]                      # outputs of the model that the RTL lacks
//	latency: {grant: -1}                 # -1: combinational; see pinmap.Map
//	assume: "push -> count < DEPTH"      # what inputs respect, one or a list; compare: when an output counts
//	compare: {head: "count != 0"}
//	streams: {in: {axis: s_axis}}        # sides with valid and ready
//	cut: [u_core]                        # an instance to take out of both sides, which are RTL
//	goals: only                          # prove the RTL's own assertions; beside: and compare
//	libraries: {tools: [tools.vhd]}      # of VHDL; ghdl_flags: [-frelaxed]
//
// Every error is an *input.Error with file, line and column. Pins are looked up when
// a device is opened.
func LoadPin(path string, library pinmap.Library) (*pinmap.Map, error) {
	data, err := input.Read(path, strict.MapBytesMax) // not from standard input: scenarios and sweeps name this file
	if err != nil {
		return nil, input.Unreadable(path, err, pinMapRemedy)
	}
	return ParsePin(path, data, library)
}

const pinMapRemedy = "give the path of a pin map; `starloom cosim check --help --all` shows one"

// ParsePin parses the text of a pin map.
func ParsePin(path string, data []byte, library pinmap.Library) (*pinmap.Map, error) {
	d, root, err := parse(path, data, "the pin map", pinMapRemedy)
	if err != nil {
		return nil, err
	}
	if err := d.refuseLists(root); err != nil {
		return nil, err
	}
	m, err := d.readPin(path, root, library)
	if err == nil {
		m.SHA256 = traces.SHA256(data)
	}
	return m, err
}

func (d *decoder) readPin(path string, root *yaml.Node, library pinmap.Library) (*pinmap.Map, error) {
	m := &pinmap.Map{Library: library, Written: pinmap.Written{File: path}, Places: map[string]string{},
		Parameters: twin.Parameters{},
		Latency:    map[string]int{}}
	m.Compare = map[string]string{}
	if fabric := FabricKey(root); fabric != nil {
		return nil, d.Refuse(fabric, "this is a scenario, not a pin map", "give a pin map")
	}
	p := pinDecoder{d, m, filepath.Dir(path), map[string]*pinmap.Stream{}}
	m.Source.DataDir = p.folder
	if err := p.Keys(root, "the pin map", p.keys()); err != nil {
		return nil, err
	}
	if err := p.completeModel(root); err != nil {
		return nil, err
	}
	for _, side := range pinmap.StreamSides { // streams come after all other keys
		if s := p.sides[side]; s != nil {
			m.AddStream(side, *s)
		}
	}
	if m.Model == "" {
		return nil, d.Refuse(root, "the pin map names no model",
			"add model: the twin that the RTL replaces; `starloom cosim check --list` lists the models; or other RTL, such as the previous version: model: {top: MODULE, sources: [FILE]}")
	}
	return m, nil
}

func (d *pinDecoder) keys() map[string]readNode {
	m := d.m
	keys := map[string]readNode{
		"model": d.model,
		"parameters": d.each(func(n *yaml.Node, key, where string) error {
			return d.integerTo(n, where, m.Parameters, key, 0, math.MaxUint32)
		}),
		"top":     d.textTo(&m.Source.Top),
		"sources": d.sources,
		"libraries": d.each(func(n *yaml.Node, key, where string) error {
			l := cosim.Library{Name: key}
			err := d.pathsTo(&l.Files)(n, where)
			m.Source.Libraries = append(m.Source.Libraries, l)
			return err
		}),
		"ghdl_flags": func(n *yaml.Node, where string) error { return d.noted(n, where, &m.Source.GHDLFlags) },
		"include":    d.pathsTo(&m.Source.IncludeDirs),
		"defines":    d.constants(&m.Source.Defines),
		"params":     d.constants(&m.Source.Params),
		"image": func(n *yaml.Node, where string) error {
			err := d.Text(n, where, &m.Image)
			m.Image = d.relative(m.Image)
			return err
		},
		"backend": func(n *yaml.Node, where string) error {
			i, err := d.Word(n, where, cosim.Backends...)
			m.Backend = cosim.Backends[i]
			return err
		},
		"goals":   d.goals,
		"cut":     func(n *yaml.Node, where string) error { return d.noted(n, where, &m.Cut) },
		"clock":   d.clock,
		"reset":   d.reset,
		"pins":    d.each(d.pin),
		"ties":    d.each(d.tie),
		"streams": d.streams,
		"assume":  d.assume,
		"compare": d.each(func(n *yaml.Node, key, where string) error {
			m.Places[where] = d.Place(n)
			var text string
			err := d.Text(n, where, &text)
			m.Compare[key] = text
			return err
		}),
		"absent": func(n *yaml.Node, where string) error { return d.noted(n, where, &m.Absent) },
		"feedback": d.each(func(n *yaml.Node, key, where string) error {
			f := pinmap.Feedback{To: key}
			err := d.Text(n, where, &f.From)
			m.Feedback = append(m.Feedback, f)
			return err
		}),
		"latency": d.each(func(n *yaml.Node, key, where string) error {
			return d.integerTo(n, where, m.Latency, key, math.MinInt32, math.MaxInt32)
		}),
	}
	for key, read := range keys {
		keys[key] = func(n *yaml.Node, where string) error {
			m.Places[key] = d.Place(n)
			return read(n, where)
		}
	}
	return keys
}

func (d *pinDecoder) constants(to *map[string]string) readNode {
	*to = map[string]string{}
	return d.each(func(n *yaml.Node, key, where string) error {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" && n.ShortTag() != "!!str" {
			return d.Wrong(n, where, `an integer, or a text: "8'hff", for a real number "0.5", for a boolean of VHDL "true"`)
		}
		(*to)[key] = n.Value
		if n.ShortTag() == "!!int" {
			number, err := d.Integer(n, where, strict.Span{Min: math.MinInt32, Max: math.MaxUint32})
			if err != nil {
				return err
			}
			(*to)[key] = strconv.FormatInt(number.Int64(), 10)
		}
		return nil
	})
}

func (d *pinDecoder) assume(n *yaml.Node, where string) error {
	if n.Kind == yaml.SequenceNode {
		return d.noted(n, where, &d.m.Assume)
	}
	var text string
	err := d.Text(n, where, &text)
	d.m.Assume = []string{text}
	return err
}

// pin parses one pin or a list of pins. 0 and 1 are numbers in YAML.
func (d *pinDecoder) pin(n *yaml.Node, key, where string) error {
	w := pinmap.Wiring{Port: key}
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
		for i, entry := range items {
			d.m.Places[fmt.Sprintf("%s[%d]", where, i)] = d.Place(entry)
		}
	}
	for i, entry := range items {
		entry = strict.Target(entry)
		if entry.Kind == yaml.ScalarNode && entry.ShortTag() == "!!int" && (entry.Value == "0" || entry.Value == "1") {
			w.Pins = append(w.Pins, entry.Value)
			continue
		}
		at := where
		if n.Kind == yaml.SequenceNode {
			at = fmt.Sprintf("%s[%d]", where, i)
		}
		var text string
		if err := d.Text(entry, at, &text); err != nil {
			return err
		}
		w.Pins = append(w.Pins, text)
	}
	if len(w.Pins) == 0 {
		return d.Refuse(n, where+" names no pin", "write "+key+": PIN")
	}
	d.m.Places[where] = d.Place(n)
	d.m.Pins = append(d.m.Pins, w)
	return nil
}

func (d *pinDecoder) tie(n *yaml.Node, key, where string) error {
	t := pinmap.Tie{Pin: key}
	err := d.Natural(n, where, math.MaxUint64, &t.Value)
	d.m.Ties = append(d.m.Ties, t)
	return err
}

// stream is an interface of the RTL: {axis: PREFIX} or {valid: PIN, ready: PIN, payload: PINS}.
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
		return nil,
			d.Refuse(n, strict.Join(where, "axis")+" names valid and ready already", "delete axis, or valid and ready")
	case s.axis != "" && len(s.Payload) == 0:
		s.Stream = pinmap.AXIStream(s.axis, "tdata")
	case s.axis != "":
		s.Stream = pinmap.AXIStream(s.axis, s.Payload...)
	case s.Valid == "" || s.Ready == "" || len(s.Payload) == 0:
		return nil, d.Refuse(n, where+" lacks pins", "write {valid: PIN, ready: PIN, payload: PIN}, or {axis: s_axis, "+
			"payload: [tlast, tdata]}")
	}
	s.Unstable = !stable
	return &s.Stream, nil
}

// sources parses file names, file lists, and files with a language:
//
//	sources: [a.sv, -f files.f, {file: language_old.v, language: 1364-2001}]
func (d *pinDecoder) sources(n *yaml.Node, where string) error {
	s := &d.m.Source
	return d.List(n, where, func(entry *yaml.Node, _ string) error {
		entry = strict.Target(entry)
		at := fmt.Sprintf("%s[%d]", where, len(s.Files))
		d.m.Places[at] = d.Place(entry)
		if entry.Kind == yaml.MappingNode {
			return d.oneSource(entry, at)
		}
		var text string
		if err := d.Text(entry, at, &text); err != nil {
			return err
		}
		list, ok := strings.CutPrefix(text, "-f ")
		if !ok {
			s.Files = append(s.Files, d.relative(text))
			return nil
		}
		return s.AddList(d.relative(strings.TrimSpace(list)))
	})
}

func (d *pinDecoder) oneSource(n *yaml.Node, where string) error {
	s := &d.m.Source
	var file, language string
	err := d.Keys(n, where, map[string]readNode{
		"file":     d.textTo(&file),
		"language": d.textTo(&language),
	})
	if err != nil {
		return err
	}
	if file == "" {
		return d.Refuse(n, where+" names no file", "write {file: language_old.v, language: 1364-2001}")
	}
	file = d.relative(file)
	s.Files = append(s.Files, file)
	if language != "" {
		languages := maps.Clone(s.Languages)
		if languages == nil {
			languages = map[string]string{}
		}
		languages[file] = language
		s.Languages = languages
	}
	return nil
}

// Point is a pin map with one value from each list.
type Point struct {
	*pinmap.Map
	Values []string // values such as PORTS=4, parameters of the model first; none without lists
}

const pointsMax = 1000

// LoadPins reads a pin map whose parameters and params may have lists of equal length, which vary together:
//
//	parameters: {REQUESTERS: [1, 2, 5, 16]}
//	params: {NUM: [1, 2, 5, 16]}
//
// It returns a map for each position of the lists, or a single map without lists.
func LoadPins(path string, library pinmap.Library) ([]Point, error) {
	data, path, err := strict.Read(path, pinMapRemedy)
	if err != nil {
		return nil, err
	}
	return ParsePins(path, data, library)
}

// ParsePins parses the text of a pin map with lists.
func ParsePins(path string, data []byte, library pinmap.Library) ([]Point, error) {
	d, root, err := parse(path, data, "the pin map", pinMapRemedy)
	if err != nil {
		return nil, err
	}
	lists, err := d.lists(root)
	if err != nil {
		return nil, err
	}
	if len(lists) == 0 {
		m, err := ParsePin(path, data, library)
		return []Point{{Map: m}}, err
	}
	var points []Point
	for i := range lists[0].values {
		p := Point{}
		at := root
		for _, l := range lists {
			at = withValue(at, l, l.values[i])
			p.Values = append(p.Values, l.name+"="+l.values[i].Value)
		}
		if p.Map, err = d.readPin(path, at, library); err != nil {
			return nil, err
		}
		p.SHA256 = traces.SHA256(data)
		points = append(points, p)
	}
	return points, nil
}

type list struct {
	key, name string
	values    []*yaml.Node
}

// listed names the keys whose values may be lists; keys of the model come first.
var listed = []string{"parameters", "model.params", "params"}

func (d *decoder) lists(root *yaml.Node) (lists []list, err error) {
	for _, key := range listed {
		object := objectOf(root, key)
		if object == nil || object.Kind != yaml.MappingNode {
			continue
		}
		for i := 0; i+1 < len(object.Content); i += 2 {
			node := strict.Target(object.Content[i+1])
			if node.Kind != yaml.SequenceNode {
				continue
			}
			l := list{key: key, name: object.Content[i].Value}
			for _, value := range node.Content {
				l.values = append(l.values, strict.Target(value))
			}
			where := strict.Join(key, l.name)
			switch {
			case len(l.values) == 0:
				return nil, d.Refuse(node, where+" is an empty list", "write its values")
			case len(l.values) > pointsMax:
				return nil,
					d.Refuse(node, fmt.Sprintf("%s has %d values", where, len(l.values)), fmt.Sprintf("give at most %d", pointsMax))
			case len(lists) > 0 && len(l.values) != len(lists[0].values):
				return nil,
					d.Refuse(node, fmt.Sprintf("%s has %d values, but %s.%s has %d: lists vary together", where, len(l.values),
						lists[0].key, lists[0].name, len(lists[0].values)),
						"give all lists the same number of values; for all pairs of two lists, write each pair")
			}
			lists = append(lists, l)
		}
	}
	return lists, nil
}

func valueOf(object *yaml.Node, key string) *yaml.Node {
	for i := 0; object.Kind == yaml.MappingNode && i+1 < len(object.Content); i += 2 {
		if object.Content[i].Value == key {
			return strict.Target(object.Content[i+1])
		}
	}
	return nil
}

// objectOf returns the value of a key, which may be a key below model, or nil.
func objectOf(root *yaml.Node, key string) *yaml.Node {
	if inner, ok := strings.CutPrefix(key, "model."); ok {
		if root, key = valueOf(root, "model"), inner; root == nil {
			return nil
		}
	}
	return valueOf(root, key)
}

func withValue(root *yaml.Node, l list, value *yaml.Node) *yaml.Node {
	changed := withKey(objectOf(root, l.key), l.name, value)
	if inner, ok := strings.CutPrefix(l.key, "model."); ok {
		return withKey(root, "model", withKey(valueOf(root, "model"), inner, changed))
	}
	return withKey(root, l.key, changed)
}

func withKey(object *yaml.Node, key string, value *yaml.Node) *yaml.Node {
	changed := *object
	changed.Content = slices.Clone(object.Content)
	for i := 0; i+1 < len(changed.Content); i += 2 {
		if changed.Content[i].Value == key {
			changed.Content[i+1] = value
		}
	}
	return &changed
}

func (d *decoder) refuseLists(root *yaml.Node) error {
	lists, err := d.lists(root)
	if err != nil || len(lists) == 0 {
		return err
	}
	var names []string
	for _, l := range lists {
		names = append(names, l.key+"."+l.name)
	}
	object := objectOf(root, lists[0].key)
	return d.Refuse(valueOf(object, lists[0].name),
		"one value is needed here, but the pin map has a list in "+strings.Join(names, ", "),
		"give one value; `starloom cosim check` of the pin map alone runs all values of a list")
}
