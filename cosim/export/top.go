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
	tables  []string        // constants with the slots of grids with holes
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
	t := &Top{wiring: w, Parts: map[string]int{}, outputs: map[portOf]bool{}}
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
		for p := range c.site.Ports {
			port := &c.site.Ports[p]
			if port.Input {
				continue
			}
			for _, shown := range port.Shown() {
				signals, err := t.root.show(c, p, shown, known)
				if err != nil {
					return nil, err
				}
				t.Signals = append(t.Signals, signals...)
			}
		}
	}
	if err := t.root.check(nil); err != nil {
		return nil, err
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

// write sets Text, with the present parameters of the parts.
func (t *Top) write() {
	var ports, wires, assigns, blocks strings.Builder
	for _, child := range t.root.children {
		t.block(&blocks, child, nil, nil, "    ")
	}
	for i, table := range t.tables {
		fmt.Fprintf(&wires, "  "+table+"\n", tableName(i))
	}
	for _, c := range t.columns {
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
%s`, t.Name, ports.String(), wires.String(), assigns.String(), strings.Join(t.genvars(), ", "), blocks.String())
	b.WriteString("  endgenerate\nendmodule\n\n`default_nettype wire\n")
	t.Text = b.String()
}

func (t *Top) genvars() []string {
	deepest := t.root.depth()
	var names []string
	for k := range deepest {
		names = append(names, fmt.Sprintf("i%d", k))
	}
	return names
}

// depth returns the number of nested loops.
func (p *place) depth() (deepest int) {
	for _, child := range p.children {
		deepest = max(deepest, child.depth())
	}
	if p.count > 0 {
		deepest++
	}
	return deepest
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
			condition = t.slotText(&p.column.points, indexes, counts) + " != 16'd65535"
		} else if len(p.views) > 0 && p.views[0].holes {
			condition = t.slotText(&p.views[0].points, indexes, counts) + " != 16'd65535"
		}
		fmt.Fprintf(b, "%sif (%s) begin : %s\n", indent, condition, escaped(p.name))
	}
	if p.column != nil {
		t.instance(b, p.column, t.slotText(&p.column.points, indexes, counts), indent+"  ")
	}
	t.show(b, p, indexes, counts, indent+"  ")
	for _, child := range p.children {
		t.block(b, child, indexes, counts, indent+"  ")
	}
	fmt.Fprintf(b, "%send\n", indent)
}

// show writes the wires that waveforms show at a place.
func (t *Top) show(b *strings.Builder, p *place, indexes []string, counts []int, indent string) {
	var names []string
	for _, v := range p.views {
		port := &v.column.site.Ports[v.port]
		from, lane := v.column.wire(port), port.Bits/max(1, v.Lanes)
		if whole := len(v.column.elements) * port.Bits; whole > v.Bits {
			from = fmt.Sprintf("%s[(%s)*%d + %d +: %d]", from, t.slotText(&v.points, indexes, counts), lane, v.Low, v.Bits)
		}
		fmt.Fprintf(b, "%swire %s%s = %s;\n", indent, vector(v.Bits), v.name, from)
		names = append(names, v.name)
	}
	if names != nil {
		fmt.Fprintf(b, "%s/* verilator tracing_off */ wire unused = &{1'b0, %s}; /* verilator tracing_on */\n", indent,
			strings.Join(names, ", "))
	}
}

// slotText returns the slot of an element as a Verilog expression over genvars.
func (t *Top) slotText(p *points, indexes []string, counts []int) string {
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
	if p.holes {
		table := p.table()
		at := slices.Index(t.tables, table)
		if at < 0 {
			at, t.tables = len(t.tables), append(t.tables, table)
		}
		text = fmt.Sprintf("%s[16*(%s) +: 16]", tableName(at), text)
	}
	return text
}

func tableName(i int) string { return fmt.Sprintf("slots%d", i) }

func (t *Top) instance(b *strings.Builder, c *column, slot, indent string) {
	var connected []string
	if c.site.Clocked {
		connected = append(connected, ".clock(clock)", ".reset(reset)")
	}
	for p := range c.site.Ports {
		port := &c.site.Ports[p]
		at := c.wire(port)
		if len(c.elements) > 1 {
			at = fmt.Sprintf("%s[(%s)*%d +: %d]", at, slot, port.Bits, port.Bits)
		}
		connected = append(connected, fmt.Sprintf(".%s(%s)", port.Name, at))
	}
	parameters, tables := c.parameters(slot)
	for _, table := range tables {
		fmt.Fprintf(b, "%slocalparam %s;\n", indent, table)
	}
	const text = "%s/* verilator tracing_off */\n%s%s #(%s) part (\n%s  %s\n%s);\n%s/* verilator tracing_on */\n"
	fmt.Fprintf(b, text, indent, indent, c.site.Twin, parameters, indent,
		strings.Join(connected, ",\n"+indent+"  "), indent, indent)
}

// parameters returns the parameter list of an instance. If the elements differ in a parameter, the slot selects its
// value from a table.
func (c *column) parameters(slot string) (all string, tables []string) {
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
			text = fmt.Sprintf("%s_TABLE[32*(%s) +: 32]", name, slot)
			tables = append(tables, fmt.Sprintf("[%d:0] %s_TABLE = %s", 32*len(values)-1, name, together(values)))
		}
		list = append(list, fmt.Sprintf(".%s(%s)", name, text))
	}
	return strings.Join(list, ", "), tables
}
