package starloom

import (
	"fmt"
	"math"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/hw"
	"starloom/nic"
	"starloom/traces/decode"
	"starloom/traces/diff"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// DecodeMap says where in a VCD the frames are.
//
//	clock: tb.clk_i               # or period: 1 ns
//	edge: rising                  # or falling
//	first_cycle: 0
//	slot: net.slot                # a signal; or slot_cycles: 6
//	interfaces:
//	  - name: "link[$1]"          # $1 is what the first * of data or rail1 is
//	    direction: sent           # or received
//	    data: "tb.link[*].data_i"
//	    valid: "tb.link[$1].valid_i"
//	    ready: "tb.link[$1].ready_o"   # optional, as first and last
//	  - name: "net.unit[$1].nic[$2].port[${port}]"
//	    rail1: "net.unit[*].nic[*].tx.light.rail1"
//	    rail0: "net.unit[$1].nic[$2].tx.light.rail0"
//	    port: "net.unit[$1].nic[$2].tx.port"
//	    ports: 4                  # a frame to all ports is 4 packets
type DecodeMap struct {
	options  decode.Options
	framings []nic.Framing // of each lane
	ports    []int         // of each lane, 0 without
}

// portAll is the value of a port select for all ports.
const portAll = hw.PortAll

// mapBytesMax is the largest map.
const mapBytesMax = 16 << 20

// LoadDiffMap reads a map of `trace diff` into options:
//
//	signals:                      # names of A: names of B; see diff.NameRule
//	  tb.u_dut.**: TOP.dut.$1
//	a: {clock: tb.clk}            # or {period: 10 ns}; edge: falling
//	b: {clock: TOP.clk_i}
//	only: [TOP.**]
//	ignore: ["**.debug_*"]
//	align: tb.rst_n
//	offset_cycles: 2
//
// Every error is an *InputError with file, line and column.
func LoadDiffMap(path string, o *diff.Options) error {
	data, err := readMap(path, traceMapRemedy)
	if err != nil {
		return err
	}
	return parseDiffMap(path, data, o)
}

// parseDiffMap is LoadDiffMap for the bytes of a file.
func parseDiffMap(path string, data []byte, o *diff.Options) error {
	d, root, err := parseMap(path, data, "the map", traceMapRemedy)
	if err != nil {
		return err
	}
	return d.object(root, "the map", map[string]func(*yaml.Node, string) error{
		"signals": func(n *yaml.Node, where string) error { return d.rules(n, where, &o.Rules) },
		"a":       func(n *yaml.Node, where string) error { return d.sampling(n, where, &o.A) },
		"b":       func(n *yaml.Node, where string) error { return d.sampling(n, where, &o.B) },
		"only":    func(n *yaml.Node, where string) error { return d.texts(n, where, &o.Only) },
		"ignore":  func(n *yaml.Node, where string) error { return d.texts(n, where, &o.Ignore) },
		"align":   func(n *yaml.Node, where string) error { return d.text(n, where, &o.Align) },
		"offset_cycles": func(n *yaml.Node, where string) error {
			number, err := d.integer(n, where, span{min: -math.MaxInt32, max: math.MaxInt32})
			o.OffsetCycles = number.int64()
			return err
		},
	})
}

// LoadDecodeMap reads a map of `trace decode`. Every error is an *InputError with
// file, line and column.
func LoadDecodeMap(path string) (*DecodeMap, error) {
	data, err := readMap(path, traceMapRemedy)
	if err != nil {
		return nil, err
	}
	return parseDecodeMap(path, data)
}

// parseDecodeMap is LoadDecodeMap for the bytes of a file.
func parseDecodeMap(path string, data []byte) (*DecodeMap, error) {
	d, root, err := parseMap(path, data, "the map", traceMapRemedy)
	if err != nil {
		return nil, err
	}
	m := &DecodeMap{}
	o := &m.options
	keys := d.samplingKeys(&o.Sampling)
	keys["first_cycle"] = func(n *yaml.Node, where string) error { return d.natural(n, where, math.MaxInt64, &o.FirstCycle) }
	keys["slot"] = func(n *yaml.Node, where string) error { return d.text(n, where, &o.Slot) }
	keys["slot_cycles"] = func(n *yaml.Node, where string) error { return d.natural(n, where, math.MaxInt64, &o.SlotCycles) }
	keys["interfaces"] = func(n *yaml.Node, where string) error {
		return d.list(n, where, func(entry *yaml.Node, where string) error { return d.lane(entry, where, m) })
	}
	if err := d.object(root, "the map", keys); err != nil {
		return nil, err
	}
	if len(o.Lanes) == 0 {
		return nil, d.refuse(root, "the map has no interfaces", "add interfaces: [{name: ..., valid: ..., data: ...}]")
	}
	return m, nil
}

const traceMapRemedy = "give the path of a map; `starloom trace diff --help` and `starloom trace decode --help` show one"

// readMap reads the file of a map.
func readMap(path, remedy string) ([]byte, error) {
	data, err := input.Read(path, mapBytesMax)
	if err != nil {
		return nil, input.Unreadable(path, err, remedy)
	}
	return data, nil
}

// parseMap reads the one document of a file. The decoder's way with keys and numbers
// is that of scenarios.
func parseMap(path string, data []byte, what, remedy string) (*mapDecoder, *yaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, nil, syntaxError(path, data, err)
	}
	if len(document.Content) == 0 {
		return nil, nil, &InputError{Place: path + ":1:1", Reason: what + " is empty", Remedy: remedy}
	}
	if err := refuseTags(path, document.Content[0]); err != nil {
		return nil, nil, err
	}
	return &mapDecoder{scenarioDecoder{file: path}}, document.Content[0], nil
}

// mapDecoder reads YAML nodes, one method for each kind of value. where names the
// value in errors.
type mapDecoder struct{ scenarioDecoder }

// object reads an object with these keys.
func (d *mapDecoder) object(node *yaml.Node, where string, keys map[string]func(*yaml.Node, string) error) error {
	node = target(node)
	if node.Kind != yaml.MappingNode {
		return d.wrong(node, where, "an object: {...}")
	}
	seen := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, err := d.key(node.Content[i], where, seen)
		if err != nil {
			return err
		}
		read, ok := keys[key]
		if !ok {
			return d.refuse(node.Content[i], fmt.Sprintf("unknown key %q in %s", key, where), allowedWords(key, keys))
		}
		if err := read(target(node.Content[i+1]), key); err != nil {
			return err
		}
	}
	return nil
}

func allowedWords[V any](key string, keys map[string]V) string {
	words := make([]string, 0, len(keys))
	for word := range keys {
		words = append(words, word)
	}
	slices.Sort(words)
	return input.DidYouMean(key, words, "allowed are "+strings.Join(words, ", "))
}

func (d *mapDecoder) list(node *yaml.Node, where string, read func(*yaml.Node, string) error) error {
	if node.Kind != yaml.SequenceNode {
		return d.wrong(node, where, "a list: [...]")
	}
	for i, entry := range node.Content {
		if err := read(target(entry), fmt.Sprintf("%s[%d]", where, i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *mapDecoder) text(node *yaml.Node, where string, to *string) error {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str" || node.Value == "" {
		return d.wrong(node, where, "a text")
	}
	*to = node.Value
	return nil
}

func (d *mapDecoder) texts(node *yaml.Node, where string, to *[]string) error {
	return d.list(node, where, func(entry *yaml.Node, where string) error {
		var text string
		err := d.text(entry, where, &text)
		*to = append(*to, text)
		return err
	})
}

func (d *mapDecoder) boolean(node *yaml.Node, where string, to *bool) error {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!bool" {
		return d.wrong(node, where, "true or false")
	}
	*to = node.Value == "true"
	return nil
}

func (d *mapDecoder) natural(node *yaml.Node, where string, limit uint64, to *uint64) error {
	number, err := d.integer(node, where, span{max: limit})
	*to = number.magnitude
	return err
}

// word reads one of a few words and returns its index.
func (d *mapDecoder) word(node *yaml.Node, where string, words ...string) (int, error) {
	i := slices.Index(words, node.Value)
	if node.Kind != yaml.ScalarNode || i < 0 {
		return 0, d.wrong(node, where, strings.Join(words, " or "))
	}
	return i, nil
}

// rules reads names of A: names of B, in the file's order.
func (d *mapDecoder) rules(node *yaml.Node, where string, to *[]diff.NameRule) error {
	if node.Kind != yaml.MappingNode {
		return d.wrong(node, where, "an object: {NAME_IN_A: NAME_IN_B}")
	}
	seen := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		rule := diff.NameRule{Place: d.place(node.Content[i])}
		var err error
		if rule.From, err = d.key(node.Content[i], where, seen); err != nil {
			return err
		}
		if err := d.text(target(node.Content[i+1]), rule.From, &rule.To); err != nil {
			return err
		}
		*to = append(*to, rule)
	}
	return nil
}

func (d *mapDecoder) sampling(node *yaml.Node, where string, to *vcd.Sampling) error {
	return d.object(node, where, d.samplingKeys(to))
}

func (d *mapDecoder) samplingKeys(to *vcd.Sampling) map[string]func(*yaml.Node, string) error {
	return map[string]func(*yaml.Node, string) error{
		"clock": func(n *yaml.Node, where string) error { return d.text(n, where, &to.Clock) },
		"edge": func(n *yaml.Node, where string) error {
			i, err := d.word(n, where, "rising", "falling")
			to.Falling = i == 1
			return err
		},
		"period": func(n *yaml.Node, where string) error {
			var text string
			err := d.text(n, where, &text)
			if err != nil {
				return err
			}
			if to.Period, err = vcd.ParseDuration(text); err != nil {
				return d.refuse(n, where+": "+err.Error(), "give the length of a cycle, such as 10ns")
			}
			if to.Period.Count == 0 {
				return d.refuse(n, where+" is 0", "give the length of a cycle, such as 10ns")
			}
			return nil
		},
	}
}

// lane reads one interface.
func (d *mapDecoder) lane(node *yaml.Node, where string, m *DecodeMap) error {
	l := decode.Lane{Place: d.place(node)}
	var received, gaps, gapsGiven bool
	var ports uint64
	text := func(to *string) func(*yaml.Node, string) error {
		return func(n *yaml.Node, where string) error { return d.text(n, where, to) }
	}
	err := d.object(node, where, map[string]func(*yaml.Node, string) error{
		"name": text(&l.Name), "data": text(&l.Data), "valid": text(&l.Valid), "ready": text(&l.Ready),
		"first": text(&l.First), "last": text(&l.Last), "rail1": text(&l.Rail1), "rail0": text(&l.Rail0), "port": text(&l.Port),
		"ports": func(n *yaml.Node, where string) error { return d.natural(n, where, hw.PortsMax, &ports) },
		"gaps": func(n *yaml.Node, where string) error {
			gapsGiven = true
			return d.boolean(n, where, &gaps)
		},
		"direction": func(n *yaml.Node, where string) error {
			i, err := d.word(n, where, "sent", "received")
			received = i == 1
			return err
		},
	})
	if err != nil {
		return err
	}
	if l.Name == "" {
		return d.refuse(node, where+" has no name", `add name, for example name: "link[$1]"`)
	}
	if ports != 0 && (l.Port == "" || !strings.Contains(l.Name, "${port}")) {
		return d.refuse(node, where+" has ports, but no port or no ${port} in its name", "add both, or delete ports")
	}
	if !gapsGiven {
		gaps = l.Ready != "" || l.First != "" || l.Last != ""
	}
	m.options.Lanes = append(m.options.Lanes, l)
	m.ports = append(m.ports, int(ports))
	m.framings = append(m.framings, nic.Framing{
		Light: l.Rail1 != "", Gaps: gaps, Received: received, FirstMarked: l.First != "", LastMarked: l.Last != "",
	})
	return nil
}
