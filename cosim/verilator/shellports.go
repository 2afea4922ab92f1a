package verilator

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"starloom/cosim"
)

// A shellPort is a port of the top module or a signal of an interface port.
type shellPort struct {
	name, text string
	of         string // name of the interface; "" for a port
	ofOwn      bool   // the signal is a port of the interface itself
	open       string // type name of an unpacked structure; "" for a vector
	kind       string // of a vector: logic, bit signed
	input      bool
	bits       int
	dims       []dimension
	parts      []cosim.Part
	leaves     []cosim.Part // members of an unpacked structure, or the whole element without a name
}

func (p shellPort) unpacked() bool { return len(p.dims) > 0 || p.open != "" }

type dimension struct{ left, right int }

func (d dimension) low() int  { return min(d.left, d.right) }
func (d dimension) size() int { return span(d.left, d.right) }

func (n *netlist) moduleOf(f *shell) (*xmlNode, error) {
	if f == nil {
		return n.top, nil
	}
	for _, instance := range n.top.all("instance") {
		if module := n.modules[instance.get("defName")]; instance.get("name") == "dut" && module != nil {
			return module, nil
		}
	}
	return nil, fmt.Errorf("%s has no instance dut in its XML", f.top)
}

func (n *netlist) shellPorts(module *xmlNode, interfaces []interfacePort) (ports []shellPort, err error) {
	var vars []*xmlNode
	for _, v := range module.children {
		if v.name == "var" && v.get("dir") != "" {
			vars = append(vars, v)
		}
	}
	slices.SortStableFunc(vars, func(a, b *xmlNode) int { return number(a.get("pinIndex")) - number(b.get("pinIndex")) })
	for _, v := range vars {
		p, err := n.shellPort(v, v.get("name"), v.get("dir"))
		if err != nil {
			return nil, err
		}
		ports = append(ports, p)
	}
	for _, of := range interfaces {
		signals, err := n.interfaceSignals(of)
		if err != nil {
			return nil, err
		}
		ports = append(ports, signals...)
	}
	return ports, nil
}

// interfaceSignals lists the signals of an interface's modport and the interface's own ports. For an array of
// interfaces, it lists these signals for every element, lowest index first.
func (n *netlist) interfaceSignals(of interfacePort) (signals []shellPort, err error) {
	var kind *xmlNode
	elements := []string{of.name}
	for _, instance := range n.top.all("instance") {
		if instance.get("name") != of.name {
			continue
		}
		kind = n.modules[instance.get("defName")]
		if left, right, ok := rangeOf(instance); ok {
			elements = nil
			for i := min(left, right); i <= max(left, right); i++ {
				elements = append(elements, fmt.Sprintf("%s[%d]", of.name, i))
			}
		}
	}
	if kind == nil {
		return nil, fmt.Errorf("interface %s is not in the XML", of.kind)
	}
	directions := map[string]string{}
	for _, modport := range kind.all("modport") {
		if modport.get("name") == of.modport {
			for _, v := range modport.all("modportvarref") {
				directions[v.get("name")] = v.get("direction") + "put"
			}
		}
	}
	if len(directions) == 0 {
		return nil, &cosim.InputError{
			Place: n.place(kind), Reason: fmt.Sprintf("interface %s has no modport %s with signals", of.kind,
				of.modport), Remedy: remedyWrapper,
		}
	}
	for _, element := range elements {
		own, err := n.signalsOf(kind, of, element, directions)
		if err != nil {
			return nil, err
		}
		signals = append(signals, own...)
	}
	return signals, nil
}

func (n *netlist) signalsOf(kind *xmlNode, of interfacePort, element string,
	directions map[string]string) (signals []shellPort, err error) {
	for _, v := range kind.children {
		name := v.get("name")
		own := v.name == "var" && v.get("dir") != ""
		direction := directions[name]
		if own {
			direction = v.get("dir")
		}
		if v.name != "var" || direction == "" {
			continue
		}
		if own && of.array != "" {
			return nil, &cosim.InputError{
				Place: n.place(v), Reason: fmt.Sprintf("%s is an array of interfaces with ports",
					of.name), Remedy: remedyWrapper,
			}
		}
		p, err := n.shellPort(v, element+"."+name, direction)
		if err != nil {
			return nil, err
		}
		p.of, p.ofOwn = of.name, own
		signals = append(signals, p)
	}
	return signals, nil
}

func (n *netlist) shellPort(v *xmlNode, name, direction string) (p shellPort, err error) {
	refuse := func(what, remedy string) (shellPort, error) {
		return p, &cosim.InputError{Place: n.place(v), Reason: fmt.Sprintf("port %s is %s", name, what), Remedy: remedy}
	}
	if direction != "input" && direction != "output" {
		return refuse("an "+direction, remedyWrapper)
	}
	p = shellPort{name: name, input: direction == "input"}
	id := v.get("dtype_id")
	for t := n.types[id]; t != nil &&
		(t.name == "unpackarraydtype" || t.name == "refdtype" || t.name == "constdtype"); t = n.types[id] {
		if t.name == "unpackarraydtype" {
			left, right, ok := rangeOf(t)
			if !ok {
				return refuse("an unpacked array without a range", remedyWrapper)
			}
			p.dims = append(p.dims, dimension{left, right})
		}
		id = t.get("sub_dtype_id")
	}
	bits, text, why := n.shape(id)
	if why != "" {
		return refuse(why, remedyWrapper)
	}
	if open := n.unpackedStruct(id); open != "" {
		if p.open = n.typeName(id); p.open == "" {
			return refuse("an unpacked structure whose type has no name outside the module",
				"declare the type in a package, or make it packed: `struct packed`, in "+open)
		}
	}
	p.bits, p.text, p.kind, p.leaves = bits, text, n.kind(id), n.leaves(id, "", 0, bits)
	for _, d := range p.dims {
		p.bits *= d.size()
		p.text += fmt.Sprintf(" [%d:%d]", d.left, d.right)
	}
	p.parts = n.elements(id, "", 0, bits, p.dims)
	return p, nil
}

func (n *netlist) elements(id, name string, low, bits int, dims []dimension) (parts []cosim.Part) {
	if len(dims) == 0 {
		return n.parts(id, name, low)
	}
	size := bits
	for _, d := range dims[1:] {
		size *= d.size()
	}
	for i := range dims[0].size() {
		element := fmt.Sprintf("%s[%d]", name, dims[0].low()+i)
		parts = append(parts, cosim.Part{Name: element, Low: low + i*size, Bits: size})
		parts = append(parts, n.elements(id, element, low+i*size, bits, dims[1:])...)
	}
	return parts
}

const partsMax = 4096

// parts lists the members of a structure, including structures in elements of packed arrays. Other bits have no
// names.
func (n *netlist) parts(id, name string, low int) (parts []cosim.Part) {
	t := n.types[id]
	if t == nil {
		return nil
	}
	switch t.name {
	case "refdtype", "constdtype":
		return n.parts(t.get("sub_dtype_id"), name, low)
	case "packarraydtype":
		left, right, ok := rangeOf(t)
		bits, _, _ := n.shape(t.get("sub_dtype_id"))
		if !ok || span(left, right) > partsMax {
			return nil
		}
		for i := range span(left, right) {
			index := right + i
			if left < right {
				index = right - i
			}
			parts = append(parts, n.parts(t.get("sub_dtype_id"), fmt.Sprintf("%s[%d]", name, index), low+i*bits)...)
		}
	case "structdtype", "uniondtype":
		total, _, _ := n.shape(id)
		end := low + total
		for _, member := range t.children {
			bits, _, _ := n.shape(member.get("sub_dtype_id"))
			at := low
			if t.name == "structdtype" {
				end -= bits
				at = end
			}
			part := cosim.Part{Name: name + "." + member.get("name"), Low: at, Bits: bits}
			parts = append(append(parts, part), n.parts(member.get("sub_dtype_id"), part.Name, at)...)
		}
	}
	return parts
}

// unpackedStruct returns the place of an unpacked structure. The netlist does not distinguish it from a packed one,
// so the source text decides.
func (n *netlist) unpackedStruct(id string) string {
	t := n.types[id]
	for t != nil && (t.name == "refdtype" || t.name == "packarraydtype" || t.name == "constdtype") {
		t = n.types[t.get("sub_dtype_id")]
	}
	if t == nil || t.name != "structdtype" && t.name != "uniondtype" {
		return ""
	}
	place := strings.Split(t.get("loc"), ",")
	if len(place) < 3 || n.files[place[0]] == "" {
		return ""
	}
	_, after, err := splitAt(filepath.Join(n.folder, n.files[place[0]]), place[1], place[2])
	if err != nil {
		return ""
	}
	words := strings.Fields(comments.ReplaceAllString(after[:min(len(after), 200)], " "))
	if len(words) < 2 || words[0] != "struct" && words[0] != "union" ||
		strings.HasPrefix(words[1], "packed") || words[1] == "tagged" {
		return ""
	}
	return n.place(t)
}

var nameAnywhere = regexp.MustCompile(`^(\$unit|[A-Za-z_]\w*)::[A-Za-z_]\w*$`)

func (n *netlist) typeName(id string) string {
	t := n.types[id]
	for t != nil && (t.name == "refdtype" || t.name == "constdtype") {
		t = n.types[t.get("sub_dtype_id")]
	}
	if t == nil || t.name != "structdtype" || !nameAnywhere.MatchString(t.get("name")) {
		return ""
	}
	return t.get("name")
}

// kind returns the states and the sign of a vector. An array fits only a port whose elements have the same states and
// sign (IEEE 1800-2017 6.22.2, checked by Verilator 5.048).
func (n *netlist) kind(id string) string {
	kind := "logic"
	if n.twoStates(id) {
		kind = "bit"
	}
	if n.signed(id) {
		kind += " signed"
	}
	return kind
}

func (n *netlist) twoStates(id string) bool {
	switch t := n.types[id]; {
	case t == nil:
		return false
	case t.name == "basicdtype":
		return slices.Contains([]string{"bit", "byte", "shortint", "int", "longint"}, t.get("name"))
	case t.name == "structdtype" || t.name == "uniondtype":
		return !slices.ContainsFunc(t.children, func(m *xmlNode) bool { return !n.twoStates(m.get("sub_dtype_id")) })
	default:
		return n.twoStates(t.get("sub_dtype_id"))
	}
}

func (n *netlist) leaves(id, name string, low, bits int) (all []cosim.Part) {
	if n.unpackedStruct(id) == "" {
		return []cosim.Part{{Name: name, Low: low, Bits: bits}}
	}
	t := n.types[id]
	for t.name != "structdtype" && t.name != "uniondtype" {
		t = n.types[t.get("sub_dtype_id")]
	}
	end := low + bits
	for _, member := range t.children {
		width, _, _ := n.shape(member.get("sub_dtype_id"))
		end -= width
		all = append(all, n.leaves(member.get("sub_dtype_id"), name+"."+member.get("name"), end, width)...)
	}
	return all
}

func (b *builder) shellText(ports []shellPort, interfaces []interfacePort) string {
	var declared, body, connections []string
	own := map[string][]string{}
	for _, p := range ports {
		direction, name := "output", p.name
		if p.input {
			direction = "input"
		}
		if strings.Contains(name, ".") {
			name = `\` + name + " "
		}
		declared = append(declared, fmt.Sprintf("  %s logic [%d:0] %s", direction, p.bits-1, name))
		inside, array := name, ""
		if p.unpacked() && (p.of == "" || p.ofOwn) {
			inside = strings.ReplaceAll(p.name, ".", "__") + "__array"
			array = p.declaration(inside)
		}
		switch {
		case p.of == "":
			connections = append(connections, fmt.Sprintf(".%s(%s)", p.name, inside))
		case p.ofOwn:
			own[p.of] = append(own[p.of], fmt.Sprintf(".%s(%s)", strings.TrimPrefix(p.name, p.of+"."), inside))
		default:
			inside = p.name
		}
		if inside != name {
			body = append(body, array+p.assignments(inside, name))
		}
	}
	text := " (\n" + strings.Join(declared, ",\n") + "\n);\n" + b.sizes(interfaces)
	for _, of := range interfaces {
		text += b.interfaceInstance(of, own[of.name])
		connections = append(connections, fmt.Sprintf(".%s(%s)", of.name, of.name))
	}
	return text + strings.Join(body, "") + b.instance(connections) + "endmodule\n"
}

func (p *shellPort) element() int {
	bits := p.bits
	for _, d := range p.dims {
		bits /= d.size()
	}
	return bits
}

func (p *shellPort) declaration(array string) string {
	declared := ""
	for _, d := range p.dims {
		declared += fmt.Sprintf(" [%d:%d]", d.left, d.right)
	}
	kind := p.open
	if kind == "" {
		kind = fmt.Sprintf("%s [%d:0]", p.kind, p.element()-1)
	}
	return fmt.Sprintf("  %s %s%s;\n", kind, array, declared)
}

func (p *shellPort) assignments(array, vector string) string {
	var b strings.Builder
	bits := p.element()
	for at := 0; at < p.bits; at += bits {
		index, element := "", at/bits
		for _, d := range slices.Backward(p.dims) {
			index = fmt.Sprintf("[%d]", d.low()+element%d.size()) + index
			element /= d.size()
		}
		for _, leaf := range p.leaves {
			slice := fmt.Sprintf("%s[%d+:%d]", vector, at+leaf.Low, leaf.Bits)
			if p.input {
				fmt.Fprintf(&b, "  assign %s%s%s = %s;\n", array, index, leaf.Name, slice)
			} else {
				fmt.Fprintf(&b, "  assign %s = %s%s%s;\n", slice, array, index, leaf.Name)
			}
		}
	}
	return b.String()
}

func (d *design) describe(ports []shellPort) {
	for i := range d.ports {
		for _, p := range ports {
			if p.name == d.ports[i].Name {
				d.types[i], d.ports[i].Parts = p.text, p.parts
			}
		}
	}
}
