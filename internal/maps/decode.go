package maps

import (
	"math"

	yaml "go.yaml.in/yaml/v4"

	"starloom/hw"
	"starloom/nic"
	"starloom/traces/decode"
	"starloom/traces/input"
	"starloom/traces/input/strict"
	"starloom/traces/vcd"
)

// Decode is a map of the frames in a VCD.
//
//	clock: tb.clk_i               # or period: 1 ns
//	edge: rising                  # or falling
//	first_cycle: 0
//	slot: net.slot                # a signal; or slot_cycles: 6
//	interfaces:
//	  - name: "link[$1]"          # $1 stands for the text matched by the first * of data or rail1
//	    direction: sent           # or received
//	    data: "tb.link[*].data_i"
//	    valid: "tb.link[$1].valid_i"
//	    ready: "tb.link[$1].ready_o"   # optional, like first and last
//	  - name: "net.unit[$1].nic[$2]"   # or with .port[${port}]
//	    rail1: "net.unit[*].nic[*].tx.light.rail1"
//	    rail0: "net.unit[$1].nic[$2].tx.light.rail0"
//	    port: "net.unit[$1].nic[$2].tx.port"
//	    ports: 4                  # a frame to all ports is 4 packets
//
// With frames: raw or ethernet, interfaces carry bytes; see decode.Form for fcs and preamble:
//
//	frames: ethernet
//	fcs: true
//	interfaces:
//	  - {name: rx, axi_stream: tb.rx_}       # rx_tdata, rx_tvalid ...
//	  - {name: tx, data: tb.txd, valid: tb.tx_en, last: tb.tx_last, keep: tb.tx_keep, bad: tb.tx_er, first_byte: high}
type Decode struct {
	Options  decode.Options
	Framings []nic.Framing // by lane
	Ports    []int         // port of a lane; 0 without ports

	Octets bool // interfaces carry frames of bytes in this form instead of Starloom's frames
	Form   decode.Form
}

// LoadDecode reads a map of `trace decode`. Every error is an *input.Error with file, line and column.
func LoadDecode(path string) (*Decode, error) {
	data, path, err := strict.Read(path, traceMapRemedy)
	if err != nil {
		return nil, err
	}
	return ParseDecode(path, data)
}

// ParseDecode parses the text of a map of `trace decode`.
func ParseDecode(path string, data []byte) (*Decode, error) {
	d, root, err := parse(path, data, "the map", traceMapRemedy)
	if err != nil {
		return nil, err
	}
	m := &Decode{}
	o := &m.Options
	keys := d.samplingKeys(&o.Sampling)
	keys["first_cycle"] = func(n *yaml.Node,
		where string) error {
		return d.Natural(n, where, math.MaxInt64, &o.FirstCycle)
	}
	keys["slot"] = func(n *yaml.Node, where string) error { return d.Text(n, where, &o.Slot) }
	keys["slot_cycles"] = func(n *yaml.Node,
		where string) error {
		return d.Natural(n, where, math.MaxInt64, &o.SlotCycles)
	}
	keys["frames"] = func(n *yaml.Node, where string) error {
		words := []string{"starloom", "raw", "ethernet"}
		i, err := d.Word(n, where, words...)
		m.Octets, m.Form.Name = i > 0, words[max(i, 0)]
		return err
	}
	keys["fcs"] = func(n *yaml.Node, where string) error { return d.Bool(n, where, &m.Form.FCS) }
	keys["preamble"] = func(n *yaml.Node, where string) error { return d.Bool(n, where, &m.Form.Preamble) }
	keys["interfaces"] = func(n *yaml.Node, where string) error {
		return d.List(n, where, func(entry *yaml.Node, where string) error { return d.lane(entry, where, m) })
	}
	if err := d.Keys(root, "the map", keys); err != nil {
		return nil, err
	}
	if err := d.octets(root, m); err != nil {
		return nil, err
	}
	if len(o.Lanes) == 0 {
		return nil, d.Refuse(root, "the map has no interfaces", "add interfaces: [{name: ..., valid: ..., data: ...}]")
	}
	return m, nil
}

func (d *decoder) octets(root *yaml.Node, m *Decode) error {
	if (m.Form.FCS || m.Form.Preamble) && m.Form.Name != "ethernet" {
		return d.Refuse(root, "fcs and preamble apply only to Ethernet frames", "write frames: ethernet, or delete them")
	}
	for i := range m.Options.Lanes {
		l := &m.Options.Lanes[i]
		l.Octets = m.Octets
		refuse := func(reason, remedy string) error {
			return input.Mistake(l.Place, "the interface "+l.Name+" has "+reason, remedy)
		}
		switch {
		case !m.Octets && (l.AXIStream != "" || l.Keep != "" || l.Bad != "" || l.HighFirst):
			return refuse("axi_stream, keep, bad or first_byte, which need frames of bytes",
				"write frames: raw or frames: ethernet at the top of the map")
		case m.Octets && (l.Rail1 != "" || l.Rail0 != "" || l.Port != ""):
			return refuse("rails or a port, which only Starloom's frames have", "delete them, or frames")
		case l.AXIStream != "" && l.Data+l.Valid+l.Last != "":
			return refuse("axi_stream and data, valid or last", "give one or the other")
		case m.Octets && l.AXIStream == "" && l.Ready != "" && l.Last == "" && l.First == "":
			return refuse("ready, but neither last nor first: the end of a frame is unknown", "add last or first")
		}
	}
	return nil
}

func (d *decoder) sampling(node *yaml.Node, where string, to *vcd.Sampling) error {
	return d.Keys(node, where, d.samplingKeys(to))
}

func (d *decoder) samplingKeys(to *vcd.Sampling) map[string]func(*yaml.Node, string) error {
	return map[string]func(*yaml.Node, string) error{
		"clock": func(n *yaml.Node, where string) error { return d.Text(n, where, &to.Clock) },
		"edge": func(n *yaml.Node, where string) error {
			i, err := d.Word(n, where, "rising", "falling")
			to.Falling = i == 1
			return err
		},
		"period": func(n *yaml.Node, where string) error {
			var text string
			err := d.Text(n, where, &text)
			if err != nil {
				return err
			}
			if to.Period, err = vcd.ParseDuration(text); err != nil {
				return d.Refuse(n, where+": "+err.Error(), "give the length of a cycle, such as 10ns")
			}
			if to.Period.Count == 0 {
				return d.Refuse(n, where+" is 0", "give the length of a cycle, such as 10ns")
			}
			return nil
		},
	}
}

func (d *decoder) lane(node *yaml.Node, where string, m *Decode) error {
	l := decode.Lane{Place: d.Place(node)}
	var received, gaps, gapsGiven bool
	var ports uint64
	text := func(to *string) func(*yaml.Node, string) error {
		return func(n *yaml.Node, where string) error { return d.Text(n, where, to) }
	}
	err := d.Keys(node, where, map[string]func(*yaml.Node, string) error{
		"name": text(&l.Name), "data": text(&l.Data), "valid": text(&l.Valid), "ready": text(&l.Ready),
		"first": text(&l.First), "last": text(&l.Last), "rail1": text(&l.Rail1),
		"rail0": text(&l.Rail0), "port": text(&l.Port),
		"keep": text(&l.Keep), "bad": text(&l.Bad), "axi_stream": text(&l.AXIStream),
		"first_byte": func(n *yaml.Node, where string) error {
			i, err := d.Word(n, where, "low", "high")
			l.HighFirst = i == 1
			return err
		},
		"ports": func(n *yaml.Node, where string) error { return d.Natural(n, where, hw.PortsMax, &ports) },
		"gaps": func(n *yaml.Node, where string) error {
			gapsGiven = true
			return d.Bool(n, where, &gaps)
		},
		"direction": func(n *yaml.Node, where string) error {
			i, err := d.Word(n, where, "sent", "received")
			received = i == 1
			return err
		},
	})
	if err != nil {
		return err
	}
	if l.Name == "" {
		return d.Refuse(node, where+" has no name", `add name, for example name: "link[$1]"`)
	}
	if ports != 0 && l.Port == "" {
		return d.Refuse(node, where+" has ports, but no port", "add the signal that selects a port, or delete ports")
	}
	if !gapsGiven {
		gaps = l.Ready != "" || l.First != "" || l.Last != ""
	}
	m.Options.Lanes = append(m.Options.Lanes, l)
	m.Ports = append(m.Ports, int(ports))
	m.Framings = append(m.Framings, nic.Framing{
		Light: l.Rail1 != "", Gaps: gaps, Received: received, FirstMarked: l.First != "", LastMarked: l.Last != "",
	})
	return nil
}
