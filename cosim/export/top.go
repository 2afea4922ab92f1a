package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"starloom/hw"
)

// Top is the hardware of a machine as one Verilog module.
type Top struct {
	Name    string // instance name of the top in the testbench: the first name of all paths
	Text    string // the module
	Signals []Signal
	Twins   []string // names of the twins, in the order of the sites
	Parts   map[string]int

	wiring  *Wiring
	columns []*column
	root    *place
	of      [][]*column     // by site and element
	outputs map[portOf]bool // ports that are outputs of the top
	shown   map[portOf]bool // ports with names in waveforms
}

// portOf is a port of a column; port is its index.
type portOf struct {
	column *column
	port   int
}

// Signal is an output that a waveform shows. Its path is the same in the model's waveform and in the top.
type Signal struct {
	Path string
	Bits int
}

// Top arranges the parts in a module. known reports whether the machine's waveform has a signal with a given path.
// Top returns an error if paths of parts cannot name generate blocks.
func (w *Wiring) Top(known func(path string) bool) (*Top, error) {
	t := &Top{wiring: w, shown: map[portOf]bool{}, Parts: map[string]int{}, outputs: map[portOf]bool{}}
	var err error
	if t.root, t.columns, t.of, err = w.lay(); err != nil {
		return nil, err
	}
	t.Name = t.root.name
	for _, c := range t.columns {
		if t.Parts[c.site.Twin] == 0 {
			t.Twins = append(t.Twins, c.site.Twin)
		}
		t.Parts[c.site.Twin] += len(c.elements)
		for p, port := range c.site.Ports {
			path := func(element int) string { return hw.Join(c.site.Path(element), port.Shows) }
			if port.Input || port.Shows == "" ||
				slices.ContainsFunc(c.elements, func(element int) bool { return !known(path(element)) }) {
				continue
			}
			t.shown[portOf{c, p}] = true
			for _, element := range c.elements {
				t.Signals = append(t.Signals, Signal{path(element), port.Bits})
			}
		}
	}
	t.findOutputs()
	t.write()
	return t, nil
}

// findOutputs makes an output port of a column an output of the top unless inputs read all its bits.
func (t *Top) findOutputs() {
	read := map[portOf]map[int]bool{} // bits of the column
	var visit func(e hw.Expression)
	visit = func(e hw.Expression) {
		if e.Kind == hw.ExpressionLine {
			at := t.wiring.drivers[e.Line]
			c := t.of[at.site][at.element]
			port := portOf{c, at.port}
			if read[port] == nil {
				read[port] = map[int]bool{}
			}
			for bit := range e.Bits {
				read[port][c.slot[at.element]*e.Line.Bits+e.Low+bit] = true
			}
		}
		for _, of := range e.Of {
			visit(of)
		}
	}
	for _, site := range t.wiring.Sites {
		for _, port := range site.Ports {
			for element := 0; port.From != nil && port.Input && element < site.Elements; element++ {
				visit(t.wiring.from(&port, element))
			}
		}
	}
	for _, c := range t.columns {
		for p, port := range c.site.Ports {
			t.outputs[portOf{c, p}] = !port.Input && len(read[portOf{c, p}]) < len(c.elements)*port.Bits
		}
	}
}

func (c *column) wire(port *hw.Port) string { return c.name + "_" + port.Name }

func vector(bits int) string {
	if bits == 1 {
		return ""
	}
	return fmt.Sprintf("[%d:0] ", bits-1)
}

func (t *Top) line(of hw.Line, low, bits int) string {
	at := t.wiring.drivers[of]
	c := t.of[at.site][at.element]
	port := &c.site.Ports[at.port]
	return slice(c.wire(port), len(c.elements)*port.Bits, c.slot[at.element]*port.Bits+low, bits)
}

func slice(name string, whole, low, bits int) string {
	switch {
	case whole == bits:
		return name
	case bits == 1:
		return fmt.Sprintf("%s[%d]", name, low)
	}
	return fmt.Sprintf("%s[%d +: %d]", name, low, bits)
}

func (t *Top) write() {
	var ports, wires, assigns strings.Builder
	for _, c := range t.columns {
		if c.holes {
			fmt.Fprintf(&wires, "  %s\n", c.slots())
		}
		for p := range c.site.Ports {
			port := &c.site.Ports[p]
			declared := fmt.Sprintf("wire %s%s", vector(len(c.elements)*port.Bits), c.wire(port))
			switch {
			case port.Input && port.Outside:
				fmt.Fprintf(&ports, "  input  %s,\n", declared)
			case t.outputs[portOf{c, p}]:
				fmt.Fprintf(&ports, "  output %s,\n", declared)
			default:
				fmt.Fprintf(&wires, "  %s;\n", declared)
			}
			if !port.Input || port.Outside {
				continue
			}
			for _, element := range c.elements {
				to := slice(c.wire(port), len(c.elements)*port.Bits, c.slot[element]*port.Bits, port.Bits)
				from := value(t.wiring.from(port, element), t.line)
				fmt.Fprintf(&assigns, "  assign %s = %s; // %s\n", to, from, c.site.Path(element))
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `// All hardware of %s. Reset is synchronous and active high.
//
// A vector holds one port of all parts of a kind, side by side in the order of their indices. Generate blocks have the
// names of the parts and contain their outputs under the names in waveforms.
`+"`default_nettype none\n\n"+`module top (
  /* verilator tracing_off */ // waveforms show the generate blocks
%s  input  wire clock,
  input  wire reset
);
%s
%s  /* verilator tracing_on */

  genvar %s;
  generate
`, t.Name, ports.String(), wires.String(), assigns.String(), strings.Join(t.genvars(), ", "))
	for _, child := range t.root.children {
		t.block(&b, child, nil, nil, "    ")
	}
	b.WriteString("  endgenerate\nendmodule\n\n`default_nettype wire\n")
	t.Text = b.String()
}

func (t *Top) genvars() []string {
	deepest := 1
	for _, c := range t.columns {
		deepest = max(deepest, len(c.indexes[0]))
	}
	var names []string
	for k := range deepest {
		names = append(names, fmt.Sprintf("i%d", k))
	}
	return names
}

// block writes the generate block of a place. indexes are the genvars of the enclosing loops, counts their ranges.
func (t *Top) block(b *strings.Builder, p *place, indexes []string, counts []int, indent string) {
	if p.count > 0 {
		i := fmt.Sprintf("i%d", len(indexes))
		fmt.Fprintf(b, "%sfor (%s = 0; %s < %d; %s = %s + 1) begin : %s\n", indent, i, i, p.count, i, i, escaped(p.name))
		indexes, counts = append(slices.Clone(indexes), i), append(slices.Clone(counts), p.count)
	} else {
		condition := "1"
		if p.column != nil && p.column.holes {
			condition = p.column.slotText(indexes, counts) + " != 16'd65535"
		}
		fmt.Fprintf(b, "%sif (%s) begin : %s\n", indent, condition, escaped(p.name))
	}
	if p.column != nil {
		t.instance(b, p.column, p.column.slotText(indexes, counts), indent+"  ")
	}
	for _, child := range p.children {
		t.block(b, child, indexes, counts, indent+"  ")
	}
	fmt.Fprintf(b, "%send\n", indent)
}

// slotText returns the slot of an element as a Verilog expression over genvars.
func (c *column) slotText(indexes []string, counts []int) string {
	text := "0"
	for k, i := range indexes {
		switch {
		case k == 0:
			text = i
		case k == 1:
			text = fmt.Sprintf("%s*%d + %s", text, counts[k], i)
		default:
			text = fmt.Sprintf("(%s)*%d + %s", text, counts[k], i)
		}
	}
	if c.holes {
		text = fmt.Sprintf("%s_slots[16*(%s) +: 16]", c.name, text)
	}
	return text
}

func (t *Top) instance(b *strings.Builder, c *column, slot, indent string) {
	var connected []string
	if c.site.Clocked {
		connected = append(connected, ".clock(clock)", ".reset(reset)")
	}
	scopes := map[string][]string{} // declarations by scope within the block
	var joined strings.Builder
	for p := range c.site.Ports {
		port := &c.site.Ports[p]
		at := c.wire(port)
		if len(c.elements) > 1 {
			at = fmt.Sprintf("%s[(%s)*%d +: %d]", at, slot, port.Bits, port.Bits)
		}
		if !t.shown[portOf{c, p}] {
			connected = append(connected, fmt.Sprintf(".%s(%s)", port.Name, at))
			continue
		}
		scope, name, nested := strings.Cut(port.Shows, ".")
		if !nested {
			scope, name = "", port.Shows
		}
		scopes[scope] = append(scopes[scope], fmt.Sprintf("wire %s%s;", vector(port.Bits), name))
		connected = append(connected, fmt.Sprintf(".%s(%s)", port.Name, port.Shows))
		fmt.Fprintf(&joined, "%sassign %s = %s;\n", indent, at, port.Shows)
	}
	for _, scope := range slices.Sorted(maps.Keys(scopes)) {
		text := strings.Join(scopes[scope], " ")
		if scope != "" {
			text = fmt.Sprintf("if (1) begin : %s %s end", scope, text)
		}
		fmt.Fprintf(b, "%s%s\n", indent, text)
	}
	fmt.Fprintf(b, "%s%s #(%s) part (\n%s  %s\n%s);\n%s", indent, c.site.Twin, c.parameters(slot), indent,
		strings.Join(connected, ",\n"+indent+"  "), indent, joined.String())
}

// parameters returns the parameter list of an instance. If the elements differ in a parameter, the slot selects its
// value from a constant.
func (c *column) parameters(slot string) string {
	var list []string
	first := c.site.Parameters(c.elements[0])
	for _, name := range slices.Sorted(maps.Keys(first)) {
		values, same := make([]string, len(c.elements)), true
		for _, element := range c.elements {
			number := c.site.Parameters(element)[name]
			values[c.slot[element]] = fmt.Sprintf("32'd%d", number)
			same = same && number == first[name]
		}
		text := fmt.Sprint(first[name])
		if !same {
			text = fmt.Sprintf("%s >> (32*(%s))", together(values), slot)
		}
		list = append(list, fmt.Sprintf(".%s(%s)", name, text))
	}
	return strings.Join(list, ", ")
}
