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
	Name    string // instance of the top in the testbench: the first name of all paths
	Text    string // the module
	Signals []Signal
	Twins   []string // names of the twins, in the order of the sites
	Parts   map[string]int

	wiring  *Wiring
	columns []*column
	root    *place
	outputs map[output]bool // by port, element 0: the port is an output of the top
}

// Signal is an output with a name in waveforms. Its path is the same in the model's waveform and in the top.
type Signal struct {
	Path string
	Bits int
}

// Top lays out the parts. It returns an error if their paths cannot be generate blocks.
func (w *Wiring) Top() (*Top, error) {
	t := &Top{wiring: w, Parts: map[string]int{}, outputs: map[output]bool{}}
	var err error
	if t.root, t.columns, err = w.lay(); err != nil {
		return nil, err
	}
	t.Name = t.root.name
	for _, c := range t.columns {
		if t.Parts[c.site.Twin] == 0 {
			t.Twins = append(t.Twins, c.site.Twin)
		}
		t.Parts[c.site.Twin] += c.site.Elements
		for _, port := range c.site.Ports {
			for element := 0; port.Shows != "" && !port.Input && element < c.site.Elements; element++ {
				t.Signals = append(t.Signals, Signal{hw.Join(c.site.Path(element), port.Shows), port.Bits})
			}
		}
	}
	t.findOutputs()
	t.write()
	return t, nil
}

// findOutputs makes a port an output of the top unless inputs read all its bits.
func (t *Top) findOutputs() {
	unread := map[output]int{}
	for number, site := range t.wiring.Sites {
		for p, port := range site.Ports {
			if !port.Input {
				unread[output{number, 0, p}] = site.Elements * port.Bits
			}
		}
	}
	seen := map[output]map[int]bool{}
	var visit func(e hw.Expression)
	visit = func(e hw.Expression) {
		if e.Kind == hw.ExpressionLine {
			at := t.wiring.drivers[e.Line]
			port := output{at.site, 0, at.port}
			if seen[port] == nil {
				seen[port] = map[int]bool{}
			}
			for bit := range e.Bits {
				seen[port][at.element*e.Line.Bits+e.Low+bit] = true
			}
		}
		for _, of := range e.Of {
			visit(of)
		}
	}
	for _, site := range t.wiring.Sites {
		for _, port := range site.Ports {
			for element := 0; port.From != nil && port.Input && element < site.Elements; element++ {
				visit(port.From(element))
			}
		}
	}
	for port, bits := range unread {
		t.outputs[port] = len(seen[port]) < bits
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
	c := t.columns[at.site]
	port := &c.site.Ports[at.port]
	return slice(c.wire(port), c.site.Elements*port.Bits, c.slot[at.element]*port.Bits+low, bits)
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
		for p := range c.site.Ports {
			port := &c.site.Ports[p]
			declared := fmt.Sprintf("wire %s%s", vector(c.site.Elements*port.Bits), c.wire(port))
			switch {
			case port.Input && port.Outside:
				fmt.Fprintf(&ports, "  input  %s,\n", declared)
			case !port.Input && t.outputs[output{c.number, 0, p}]:
				fmt.Fprintf(&ports, "  output %s,\n", declared)
			default:
				fmt.Fprintf(&wires, "  %s;\n", declared)
			}
			for element := 0; port.Input && !port.Outside && element < c.site.Elements; element++ {
				to := slice(c.wire(port), c.site.Elements*port.Bits, c.slot[element]*port.Bits, port.Bits)
				fmt.Fprintf(&assigns, "  assign %s = %s; // %s\n", to, value(port.From(element), t.line), c.site.Path(element))
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `// All hardware of %s. Reset is synchronous and active high.
//
// Vectors hold a port of all parts of a kind, side by side in the order of their indices. Generate blocks have the
// names of the parts, and hold their outputs under the names of waveforms.
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

// block writes the generate block of a place. indexes are the genvars around it, counts their ranges.
func (t *Top) block(b *strings.Builder, p *place, indexes []string, counts []int, indent string) {
	if p.count > 0 {
		i := fmt.Sprintf("i%d", len(indexes))
		fmt.Fprintf(b, "%sfor (%s = 0; %s < %d; %s = %s + 1) begin : %s\n", indent, i, i, p.count, i, i, escaped(p.name))
		indexes, counts = append(slices.Clone(indexes), i), append(slices.Clone(counts), p.count)
	} else {
		fmt.Fprintf(b, "%sif (1) begin : %s\n", indent, escaped(p.name))
	}
	if p.column != nil {
		t.instance(b, p.column, slotText(indexes, counts), indent+"  ")
	}
	for _, child := range p.children {
		t.block(b, child, indexes, counts, indent+"  ")
	}
	fmt.Fprintf(b, "%send\n", indent)
}

// slotText is the number of an element in the order of its indices.
func slotText(indexes []string, counts []int) string {
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
		if c.site.Elements > 1 {
			at = fmt.Sprintf("%s[(%s)*%d +: %d]", at, slot, port.Bits, port.Bits)
		}
		if port.Input || port.Shows == "" {
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

// parameters is the list of an instance. A parameter with several values is selected from a constant by the slot.
func (c *column) parameters(slot string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(c.site.Parameters(0))) {
		values, same := make([]string, c.site.Elements), true
		for element := range c.site.Elements {
			number := c.site.Parameters(element)[name]
			values[c.slot[element]] = fmt.Sprintf("32'd%d", number)
			same = same && number == c.site.Parameters(0)[name]
		}
		text := fmt.Sprint(c.site.Parameters(0)[name])
		if !same {
			text = fmt.Sprintf("%s >> (32*(%s))", together(values), slot)
		}
		list = append(list, fmt.Sprintf(".%s(%s)", name, text))
	}
	return strings.Join(list, ", ")
}
