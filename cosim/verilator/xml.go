package verilator

import (
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
)

type xmlNode struct {
	name       string
	attributes map[string]string
	parent     *xmlNode
	children   []*xmlNode
}

func (n *xmlNode) get(attribute string) string { return n.attributes[attribute] }

func (n *xmlNode) each(do func(*xmlNode)) {
	do(n)
	for _, child := range n.children {
		child.each(do)
	}
}

func (n *xmlNode) all(name string) (found []*xmlNode) {
	n.each(func(n *xmlNode) {
		if n.name == name {
			found = append(found, n)
		}
	})
	return found
}

// A netlist is the output of `verilator --xml-only`: modules with resolved parameters, and a table of types.
type netlist struct {
	files   map[string]string
	types   map[string]*xmlNode
	modules map[string]*xmlNode
	top     *xmlNode
	root    *xmlNode
	folder  string // folder of relative file names
	texts   map[string]string
}

func readXML(path string) (*netlist, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	root, err := parseXML(file)
	if err != nil {
		return nil, err
	}
	return netlistOf(root)
}

func netlistOf(root *xmlNode) (*netlist, error) {
	n := &netlist{files: map[string]string{}, types: map[string]*xmlNode{}, modules: map[string]*xmlNode{}, root: root,
		texts: map[string]string{}}
	for _, file := range root.all("file") {
		n.files[file.get("id")] = file.get("filename")
	}
	for _, table := range root.all("typetable") {
		for _, t := range table.children {
			n.types[t.get("id")] = t
		}
	}
	for _, module := range slices.Concat(root.all("iface"), root.all("module")) {
		n.modules[module.get("name")] = module
		if module.get("topModule") == "1" {
			n.top = module
		}
	}
	if n.top == nil {
		return nil, errors.New("its tree has no top module")
	}
	return n, nil
}

func parseXML(r io.Reader) (*xmlNode, error) {
	decoder := xml.NewDecoder(r)
	now := &xmlNode{}
	root := now
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return root, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			node := &xmlNode{name: t.Name.Local, attributes: map[string]string{}, parent: now}
			for _, a := range t.Attr {
				node.attributes[a.Name.Local] = a.Value
			}
			now.children = append(now.children, node)
			now = node
		case xml.EndElement:
			now = now.parent
		}
	}
}

// design reads the top module's ports and the other inputs of a build. The parameters are read from module, which is
// the top or, with a shell, the user's module inside the shell.
func (n *netlist) design(s *cosim.Source, module *xmlNode) (*design, error) {
	d := &design{params: map[string]string{}}
	var vars []*xmlNode
	for _, v := range module.children {
		if v.name == "var" && v.get("param") == "true" {
			d.params[v.get("name")] = parameterValue(v)
		}
	}
	for _, v := range n.top.children {
		switch {
		case v.name != "var" || v.get("param") == "true":
		case v.get("dir") != "":
			vars = append(vars, v)
		}
	}
	slices.SortStableFunc(vars, func(a, b *xmlNode) int { return number(a.get("pinIndex")) - number(b.get("pinIndex")) })
	for _, v := range vars {
		port, text, err := n.port(v)
		if err != nil {
			return nil, err
		}
		d.ports, d.types = append(d.ports, port), append(d.types, text)
	}
	if len(d.ports) == 0 {
		return nil, &cosim.InputError{
			Place:  n.place(n.top),
			Reason: fmt.Sprintf("module %s has no ports", s.Top),
			Remedy: "name the module inside the test bench as the top",
		}
	}
	clocks := make([]string, len(s.Clocks))
	for i, clock := range s.Clocks {
		clocks[i] = spelled(s.VHDL(), clock, d.ports)
	}
	if err := cosim.PlacePorts(d.ports, clocks); err != nil {
		return nil, err
	}
	for _, name := range n.files {
		if !strings.HasPrefix(name, "<") && !strings.HasPrefix(filepath.Base(name), "verilated_std") {
			d.files = append(d.files, name)
		}
	}
	slices.Sort(d.files)
	n.sensitivity(d)
	d.large = n.untraced()
	var err error
	d.data, err = n.dataFiles()
	return d, err
}

func (n *netlist) port(v *xmlNode) (cosim.Port, string, error) {
	name := v.get("name")
	refuse := func(what string) (cosim.Port, string, error) {
		return cosim.Port{}, "",
			&cosim.InputError{Place: n.place(v), Reason: fmt.Sprintf("port %s is %s", name, what), Remedy: remedyWrapper}
	}
	if v.get("dir") != "input" && v.get("dir") != "output" {
		return refuse("an " + v.get("dir"))
	}
	bits, text, why := n.shape(v.get("dtype_id"))
	if why != "" {
		return refuse(why)
	}
	return cosim.Port{Name: name, Bits: bits, Input: v.get("dir") == "input"}, text, nil
}

func (n *netlist) place(node *xmlNode) string {
	part := strings.Split(node.get("loc"), ",")
	if len(part) < 3 {
		return ""
	}
	return n.files[part[0]] + ":" + part[1] + ":" + part[2]
}

// shape returns a type's width in bits and its text. If a port cannot have the type, shape returns the reason.
func (n *netlist) shape(id string) (bits int, text, refused string) {
	t := n.types[id]
	if t == nil {
		return 0, "", "of a type that verilator does not list"
	}
	below := func() (int, string, string) { return n.shape(t.get("sub_dtype_id")) }
	switch t.name {
	case "basicdtype":
		return basicShape(t)
	case "refdtype", "constdtype":
		return below()
	case "enumdtype":
		bits, _, refused = below()
		return bits, t.get("name") + " {" + enumText(t) + "}", refused
	case "packarraydtype":
		bits, text, refused = below()
		if left, right, ok := rangeOf(t); ok {
			return bits * span(left, right), fmt.Sprintf("%s [%d:%d]", text, left, right), refused
		}
	case "structdtype", "uniondtype":
		return n.structShape(t)
	case "unpackarraydtype":
		return 0, "", "an unpacked array"
	case "ifacerefdtype":
		return 0, "", "an interface"
	}
	return 0, "", "of the type " + strings.TrimSuffix(t.name, "dtype")
}

func basicShape(t *xmlNode) (bits int, text, refused string) {
	name := t.get("name")
	switch name {
	case "real", "shortreal", "realtime", "double", "string", "chandle", "event":
		return 0, "", "of the type " + name
	}
	if t.get("signed") == "true" && name == "logic" {
		name += " signed"
	}
	if t.get("left") == "" {
		return 1, name, ""
	}
	left, right := number(t.get("left")), number(t.get("right"))
	if t.get("name") == "int" || t.get("name") == "integer" || t.get("name") == "byte" {
		return span(left, right), name, ""
	}
	return span(left, right), fmt.Sprintf("%s [%d:%d]", name, left, right), ""
}

func (n *netlist) structShape(t *xmlNode) (bits int, text, refused string) {
	var members []string
	for _, member := range t.children {
		width, _, why := n.shape(member.get("sub_dtype_id"))
		if why != "" {
			return 0, "", "a structure with a member that is " + why
		}
		members = append(members, fmt.Sprintf("%s:%d", member.get("name"), width))
		if t.name == "uniondtype" {
			bits = max(bits, width)
		} else {
			bits += width
		}
	}
	return bits, t.get("name") + " {" + strings.Join(members, " ") + "}", ""
}

func enumText(t *xmlNode) string {
	var items []string
	for _, item := range t.children {
		items = append(items, item.get("name"))
	}
	return strings.Join(items, " ")
}

func rangeOf(t *xmlNode) (left, right int, ok bool) {
	for _, r := range t.children {
		if r.name == "range" && len(r.children) == 2 {
			return constant(r.children[0].get("name")), constant(r.children[1].get("name")), true
		}
	}
	return 0, 0, false
}

func span(left, right int) int { return max(left-right, right-left) + 1 }

func number(text string) int {
	value, _ := strconv.Atoi(text)
	return value
}

func constant(text string) int {
	_, digits, _ := strings.Cut(text, "h")
	value, _ := strconv.ParseUint(digits, 16, 64)
	return int(int32(value))
}

var plainConstant = regexp.MustCompile(`^\d+'(s?)h([0-9a-f]+)$`)

func parameterValue(v *xmlNode) string {
	for _, value := range v.children {
		if value.name != "const" {
			continue
		}
		found := plainConstant.FindStringSubmatch(value.get("name"))
		if found == nil {
			return value.get("name")
		}
		bits, err := strconv.ParseUint(found[2], 16, 64)
		switch {
		case err != nil:
			return value.get("name")
		case found[1] != "" && len(found[2]) <= 8:
			return strconv.Itoa(int(int32(bits)))
		}
		return strconv.FormatUint(bits, 10)
	}
	return ""
}

func (n *netlist) dataFiles() (readers map[string]string, err error) {
	readers = map[string]string{}
	for _, read := range n.root.all("readmem") {
		name := ""
		if len(read.children) > 0 && read.children[0].name == "const" {
			name = stringConstant(read.children[0].get("name"))
		}
		if name == "" {
			return nil, &cosim.InputError{
				Place:  n.place(read),
				Reason: "$readmem reads a file whose name is not a constant",
				Remedy: "write the name as a string or a parameter: the file becomes part of the circuit",
			}
		}
		if _, ok := readers[name]; !ok {
			file, _, _ := strings.Cut(read.get("loc"), ",")
			readers[name] = n.files[file]
		}
	}
	return readers, nil
}

func stringConstant(text string) string {
	if plain, err := strconv.Unquote(text); err == nil {
		return plain
	}
	_, digits, _ := strings.Cut(text, "h")
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	plain, err := hex.DecodeString(digits)
	if err != nil {
		return ""
	}
	return strings.TrimLeft(string(plain), "\x00")
}

func (n *netlist) sensitivity(d *design) {
	plain := map[string]bool{} // the inputs, and the ports of instances wired to the inputs
	for i, p := range d.ports {
		if p.Clock {
			d.levels = d.levels || !n.edgesOnly(p.Name, "POS")
		}
		if !p.Input {
			continue
		}
		wires := n.wires(p.Name)
		for key := range wires {
			plain[key] = true
		}
		if !p.Clock && n.waitsFor(func(key string) bool { return wires[key] }) {
			d.resets = append(d.resets, p.Name)
			d.ports[i].Edges = p.Bits == 1 && n.edgesOnly(p.Name, "POS", "NEG")
		}
	}
	d.inner = n.waitsFor(func(key string) bool { return !plain[key] })
}

// wires returns a port of the top module and the ports of instances that are directly wired to this port, each as
// module and name.
func (n *netlist) wires(name string) map[string]bool {
	found := map[string]bool{}
	var follow func(module *xmlNode, name string)
	follow = func(module *xmlNode, name string) {
		if module == nil || found[key(module, name)] {
			return
		}
		found[key(module, name)] = true
		for _, ref := range module.all("varref") {
			if ref.get("name") == name && isConnection(ref.parent) {
				follow(n.modules[ref.parent.parent.get("defName")], ref.parent.get("name"))
			}
		}
	}
	follow(n.top, name)
	return found
}

func key(module *xmlNode, name string) string { return module.get("name") + " " + name }

func isConnection(node *xmlNode) bool {
	return node.name == "port" && node.get("direction") == "in" && node.parent.name == "instance"
}

// waitsFor reports whether a process is triggered by a wanted signal. An expression counts as the signal "".
func (n *netlist) waitsFor(asked func(key string) bool) bool {
	for _, module := range n.modules {
		for _, item := range module.all("senitem") {
			name := ""
			if len(item.children) == 1 && item.children[0].name == "varref" {
				name = item.children[0].get("name")
			}
			if asked(key(module, name)) {
				return true
			}
		}
	}
	return false
}

// edgesOnly reports whether an input and the ports wired to it are used only as edge triggers of the given types. If
// the only type is POS, a falling clock has no effect.
func (n *netlist) edgesOnly(name string, types ...string) bool {
	wires := n.wires(name)
	only := true
	for _, module := range n.modules {
		module.each(func(node *xmlNode) {
			switch {
			case node.name == "varref" && wires[key(module, node.get("name"))]:
				edge := node.parent.name == "senitem" && slices.Contains(types, node.parent.get("edgeType"))
				only = only && (edge || isConnection(node.parent))
			case node.name == "varxref":
				for wire := range wires {
					only = only && !strings.HasSuffix(wire, " "+node.get("name"))
				}
			}
		})
	}
	return only
}

// fileTasks are system tasks with access to files or programs, by their netlist names.
var fileTasks = map[string]string{
	"fopen": "$fopen", "fopenmcd": "$fopen", "writemem": "$writemem", "systemt": "$system",
	"systemf": "$system", "dumpctl": "$dump...",
}

func (n *netlist) fileWarnings() (found []cosim.Warning) {
	n.root.each(func(node *xmlNode) {
		if task, ok := fileTasks[node.name]; ok {
			found = append(found, cosim.Warning{
				Code:  task,
				Place: n.place(node),
				Text:  "a circuit reads no files except with $readmem: this statement has no effect",
			})
		}
	})
	return found
}
