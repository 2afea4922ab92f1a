package verilator

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"starloom/cosim"
)

// A shell has plain packed ports and the user's top module inside. It stands around one whose
// ports are unpacked arrays or structures, or interfaces, or which has parameters that are types or of
// an enumeration, whose values are numbers here:
//
//	interface s with r, g     \s.r , \s.g
//	interfaces s [2]          \s[0].r , \s[0].g , \s[1].r , \s[1].g
//	logic [7:0] d [4]         logic [31:0] d, element 0 lowest
//	unpacked struct {a; b;} p logic p with the bits of a above those of b
//
// To know the ports, Verilator reads the top module first, or, since it reads none with interfaces, a
// probe: a module that has nothing but the interfaces and the top module.
type shell struct {
	top, file string // file in the builder's temporary directory
	text      string
}

// interfacePort is a port of the top module that is an interface, or an array of them.
type interfacePort struct{ name, kind, modport, array string }

func (b *builder) readDesign() (err error) {
	var interfaces []interfacePort
	var n *netlist
	if len(b.types) == 0 {
		said, err := b.readNetlist(&n)
		if err != nil && !(len(b.Params) > 0 && enumMessage.Match(said)) {
			if interfaces, err = b.interfacePorts(said, err); err != nil {
				return err
			}
		}
	}
	if n == nil {
		if n, err = b.readProbe(&interfaces); err != nil {
			return err
		}
	}
	module, err := n.moduleOf(b.shell)
	if err != nil {
		return err
	}
	ports, err := n.shellPorts(module, interfaces)
	if err != nil {
		return err
	}
	if b.shell != nil || slices.ContainsFunc(ports, shellPort.unpacked) {
		if err := b.wrap("flat", b.shellText(ports, interfaces)); err != nil {
			return err
		}
		n = nil
		if said, err := b.readNetlist(&n); err != nil {
			return b.refusalUnlessStopped(said, err)
		}
		if module, err = n.moduleOf(b.shell); err != nil {
			return err
		}
	}
	if b.design, err = n.design(b.Source, module); err != nil {
		return err
	}
	b.design.doubts = append(n.fileWarnings(), n.misread()...)
	b.design.describe(ports)
	if !b.VHDL() { // what the build has written itself
		b.design.files = slices.DeleteFunc(b.design.files, func(file string) bool { return filepath.Dir(file) == b.work })
	}
	return refusedByItself(string(b.said))
}

// readProbe reads the top module in a probe. One that has parameters that are types has not been read before: its interfaces are found here.
func (b *builder) readProbe(interfaces *[]interfacePort) (n *netlist, err error) {
	for again := len(*interfaces) == 0 && len(b.types) > 0; ; again = false {
		if err := b.wrap("probe", b.probe(*interfaces)); err != nil {
			return nil, err
		}
		said, err := b.readNetlist(&n)
		if err == nil {
			return n, nil
		}
		refused := b.refusalUnlessStopped(said, err)
		if !again || !bytes.Contains(said, []byte("interface is not found")) {
			return nil, refused
		}
		b.shell = nil
		if said, err = b.readNetlist(&n); err == nil { // its ports are not to blame
			return nil, refused
		}
		if *interfaces, err = b.interfacePorts(said, err); err != nil {
			return nil, err
		}
	}
}

// How Verilator is asked for its tree: in XML, or, where a version has none, in JSON, which before 5.048 lacks signs.
type treeFormat struct {
	option string
	files  []string // options of the files that it writes, in a folder
	read   func(paths ...string) (*netlist, error)
}

var (
	xmlFormat  = treeFormat{"--xml-only", []string{"--xml-output"}, func(paths ...string) (*netlist, error) { return readXML(paths[0]) }}
	jsonFormat = treeFormat{
		"--json-only", []string{"--json-only-output", "--json-only-meta-output"},
		func(paths ...string) (*netlist, error) { return readJSON(paths[0], paths[1]) },
	}
)

// withoutXML are the versions that have refused --xml-only.
var withoutXML sync.Map

// elaborate asks for the tree, written into the folder.
func (b *builder) elaborate(run func(args ...string) ([]byte, error), dir string, args ...string) (n *netlist, said []byte, err error) {
	format := xmlFormat
	if _, none := withoutXML.Load(b.tools[0]); none {
		format = jsonFormat
	}
	options, paths := []string{format.option}, []string(nil)
	for i, option := range format.files {
		paths = append(paths, filepath.Join(dir, fmt.Sprintf("design.tree.%d", i)))
		options = append(options, option, paths[i])
	}
	said, err = run(slices.Concat(options, args)...)
	if err != nil && format.option == xmlFormat.option && bytes.Contains(said, []byte("Invalid option: --xml-only")) {
		withoutXML.Store(b.tools[0], true)
		return b.elaborate(run, dir, args...)
	}
	if err != nil {
		return nil, said, err
	}
	if n, err = format.read(paths...); err != nil {
		return nil, nil, fmt.Errorf("what verilator says of %s: %w", b.Name(), err)
	}
	return n, said, nil
}

// readNetlist asks Verilator for the netlist; said is what it has said to a source that it refuses.
func (b *builder) readNetlist(to **netlist) (said []byte, err error) {
	n, said, err := b.elaborate(b.runVerilator, b.work, "--Mdir", b.work, "--no-timing", "-Wno-fatal", "--assert",
		"-fno-dfg", "-fno-const") // what they change cannot be compared with the source
	if err != nil {
		return said, err
	}
	if b.shell == nil || !strings.HasSuffix(b.shell.top, "_probe") { // its own pins are open
		if err := b.warn(said); err != nil {
			return nil, err
		}
	}
	n.folder = b.hdlDir
	*to = n
	return nil, nil
}

func (b *builder) wrap(kind, text string) error {
	top := b.Top + "_" + kind
	b.shell = &shell{top: top, file: filepath.Join(b.work, top+".sv"), text: fmt.Sprintf("module %s%s", top, text)}
	return os.WriteFile(b.shell.file, []byte(b.shell.text), 0o644)
}

var (
	interfaceMessage = regexp.MustCompile(`(?m)^%Error-UNSUPPORTED: (\S.*?):(\d+):(\d+): Unsupported: Interfaced port on top`)
	enumMessage      = regexp.MustCompile(`(?m)^%Error-ENUMVALUE: `)
	genericMessage   = regexp.MustCompile(`(?m)^%Error-UNSUPPORTED: (\S.*?:\d+:\d+): Unsupported: generic interface`)
	moduleBefore     = regexp.MustCompile(`\bmodule\s+(?:automatic\s+|static\s+)?(\w+)`)
	interfaceType    = regexp.MustCompile(`([A-Za-z_]\w*)(?:\s*\.\s*([A-Za-z_]\w*))?\s+$`)
	interfaceName    = regexp.MustCompile(`^([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)`)
	identifier       = regexp.MustCompile(`\$?[A-Za-z_][\w$:]*`)
	comments         = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)
)

// interfacePorts reads from the source what the ports are that Verilator refuses because they are
// interfaces; for another refusal it returns that.
func (b *builder) interfacePorts(said []byte, refused error) (all []interfacePort, err error) {
	if found := genericMessage.FindSubmatch(said); found != nil {
		return nil, &cosim.InputError{Place: string(found[1]), Reason: "the top module has a port that is any interface", Remedy: remedyWrapper}
	}
	messages := interfaceMessage.FindAllStringSubmatch(string(said), -1)
	if len(messages) == 0 || b.VHDL() {
		return nil, b.refusalUnlessStopped(said, refused)
	}
	for _, m := range messages {
		place := strings.Join(m[1:], ":")
		before, after, err := splitAt(filepath.Join(b.hdlDir, m[1]), m[2], m[3])
		if err != nil {
			return nil, err
		}
		before = comments.ReplaceAllStringFunc(before, func(text string) string { return strings.Repeat(" ", len(text)) })
		if of := moduleBefore.FindAllStringSubmatch(before, -1); len(of) > 0 && of[len(of)-1][1] != b.Top { // 5.032 names one below, too
			continue
		}
		name := interfaceName.FindStringSubmatch(after)
		if name == nil {
			return nil, &cosim.InputError{Place: place, Reason: "the top module has a port that is an interface, without a plain name here", Remedy: remedyWrapper}
		}
		port := interfacePort{name: name[1], array: strings.TrimSpace(name[2])}
		if err := b.sized(port, place); err != nil {
			return nil, err
		}
		if kind := interfaceType.FindStringSubmatch(before); kind != nil {
			port.kind, port.modport = kind[1], kind[2]
		} else if len(all) > 0 && strings.HasSuffix(strings.TrimSpace(before), ",") {
			port.kind, port.modport = all[len(all)-1].kind, all[len(all)-1].modport
		}
		if port.modport == "" {
			return nil, &cosim.InputError{
				Place:  place,
				Reason: fmt.Sprintf("port %s is an interface without a modport, so its signals have no direction", port.name),
				Remedy: fmt.Sprintf("name one: %s.MODPORT %s", cmp.Or(port.kind, "INTERFACE"), port.name),
			}
		}
		if !slices.Contains(all, port) {
			all = append(all, port)
		}
	}
	if len(all) == 0 {
		return nil, b.refusalUnlessStopped(interfaceMessage.ReplaceAll(said, nil), refused)
	}
	return all, nil
}

func (b *builder) sized(port interfacePort, place string) error {
	if strings.Count(port.array, "[") > 1 {
		return &cosim.InputError{Place: place, Reason: fmt.Sprintf("port %s is an array of interfaces in several dimensions", port.name), Remedy: remedyWrapper}
	}
	for _, name := range identifier.FindAllString(port.array, -1) {
		if _, given := b.Params[name]; !given && !strings.ContainsAny(name, "$:") {
			return &cosim.InputError{
				Place: place, Reason: fmt.Sprintf("port %s is an array of interfaces whose size depends on %s", port.name, name),
				Remedy: fmt.Sprintf("give the parameter in the map: params: {%s: 2}", name),
			}
		}
	}
	return nil
}

func (b *builder) sizes(interfaces []interfacePort) (text string) {
	var names []string
	for _, port := range interfaces {
		for _, name := range identifier.FindAllString(port.array, -1) {
			if _, given := b.Params[name]; given && !slices.Contains(names, name) {
				names = append(names, name)
				text += fmt.Sprintf("  localparam %s = %s;\n", name, b.Params[name])
			}
		}
	}
	return text
}

func splitAt(path, line, column string) (before, after string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	row, _ := strconv.Atoi(line) // verilator writes numbers
	col, _ := strconv.Atoi(column)
	at := 0
	for ; row > 1; row-- {
		next := strings.IndexByte(string(text[at:]), '\n')
		if next < 0 {
			return "", "", errors.New(path + ":" + line + " is not in the file")
		}
		at += next + 1
	}
	at = min(at+col-1, len(text))
	return string(text[:at]), string(text[at:]), nil
}

func (b *builder) instance(connections []string) string {
	var values []string
	for _, name := range slices.Sorted(maps.Keys(b.Params)) {
		if !strings.Contains(name, ".") {
			values = append(values, parameterText(name, b.Params[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.types)) {
		values = append(values, fmt.Sprintf(".%s(%s)", name, b.types[name]))
	}
	parameters := ""
	if len(values) > 0 {
		parameters = "#(" + strings.Join(values, ", ") + ") "
	}
	return fmt.Sprintf("  %s %sdut (%s);\n", b.Top, parameters, strings.Join(connections, ", "))
}

// parameterText gives a parameter a value: of an enumeration, any number but no text.
func parameterText(name, value string) string {
	text := fmt.Sprintf(".%s(%s)", name, value)
	if strings.HasPrefix(value, `"`) {
		return text
	}
	return "/* verilator lint_off ENUMVALUE */ " + text + " /* verilator lint_on ENUMVALUE */"
}

func (b *builder) interfaceInstance(port interfacePort, connections []string) string {
	var values []string
	for _, name := range slices.Sorted(maps.Keys(b.Params)) {
		if of, parameter, _ := strings.Cut(name, "."); of == port.name && parameter != "" {
			values = append(values, parameterText(parameter, b.Params[name]))
		}
	}
	return fmt.Sprintf("  %s #(%s) %s %s (%s);\n", port.kind, strings.Join(values, ", "), port.name, port.array, strings.Join(connections, ", "))
}

func (b *builder) probe(interfaces []interfacePort) string {
	text := ";\n" + b.sizes(interfaces)
	var connections []string
	for _, port := range interfaces {
		text += b.interfaceInstance(port, nil)
		connections = append(connections, fmt.Sprintf(".%s(%s)", port.name, port.name))
	}
	return text + b.instance(connections) + "endmodule\n"
}
