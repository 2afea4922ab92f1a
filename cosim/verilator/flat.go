package verilator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
	"starloom/traces/input"
)

// Flat is a design elaborated by Verilator into one module. Parameters are resolved, instances, functions and tasks
// are inlined, and every operation has a width.
//
// Flat is read from Verilator's tree dump, because the XML lacks jump targets and the interface instances to which
// names refer.
type Flat struct {
	Tree  []byte
	Whole []byte            // tree before Verilator truncates indexes to the bits that valid elements need
	Early []byte            // before generate is resolved
	Files map[string]string // file names, by the letters with which places in the tree begin
	Ports []cosim.Port
	Data  map[string][]byte // $readmem files, by name
	// Beyond holds constant indexes beyond the end of a vector or array, by file:line:column. The tree contains these
	// indexes truncated.
	Beyond map[string][]int
	// Steps holds the values that constant functions read, by place.
	Steps map[string][]string
	// Doubts are warnings about constructs that Verilator or GHDL translates wrongly.
	Doubts []cosim.Warning
	dir    string // folder of relative names in Files
}

// Text returns a source file.
func (f *Flat) Text(file string) ([]byte, error) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(f.dir, file)
	}
	return input.Read(file, cosim.InputBytesMax)
}

// flatFlags request the tree without constant folding, which would replace X by a value.
var flatFlags = []string{
	"--flatten", "--no-timing", "-Wno-fatal", "-Wno-lint", "-Wwarn-SELRANGE", "--assert", "-fno-dfg", "-fno-const",
	"--dumpi-tree", "3", // dumps after every stage, since 5.032 does not accept stage names
	"--debugi-V3Simulate", "9",
}

var step = regexp.MustCompile(
	`(?m)^- V3Simulate\S+ +set val (\S+) on VARREF (?:0x[0-9a-f]+|\([A-Z]+\)) \{([a-z]+\d+[a-z]+)\}`)

var beyond = regexp.MustCompile(
	`(?m)^%Warning-SELRANGE: (\S+:\d+:\d+): Selection index out of range: (?:-?\d+:)?(-?\d+) outside`)

// Flatten elaborates a design and passes it to make. The text that make returns is cached until a source, an option
// or a tool changes. kind identifies make and its edition.
func Flatten(ctx context.Context, s cosim.Source, o cosim.BuildOptions, kind string,
	make func(*Flat) ([]byte, error)) (text []byte, err error) {
	b, err := newBuilder(ctx, &s, &o, target{ending: "." + kind, compiler: verilatorTool})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.work)) }()
	name, err := b.elaborationName()
	if err != nil {
		return nil, err
	}
	if path := b.elaborated(name); path != "" {
		return os.ReadFile(path)
	}
	if err := b.discover(); err != nil {
		return nil, err
	}
	flat, err := b.flat()
	if err != nil {
		return nil, err
	}
	path, err := b.cache.Take(b.description.Hash+b.target.ending, func(path string) error {
		text, err := make(flat)
		if err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o644)
	})
	if err != nil {
		return nil, err
	}
	if err := b.keepElaboration(name, path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func (b *builder) flat() (*Flat, error) {
	dir := filepath.Join(b.work, "flat")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	flags := append([]string{"--Mdir", dir}, flatFlags...)
	// without this option, 5.032 mixes names and addresses of nodes; with this option, 5.006 mixes them in array patterns
	if b.tools[0].Since(5, 32) {
		flags = append(flags, "--dump-tree-addrids")
	}
	list, said, err := b.elaborate(b.verilate, dir, flags...)
	if err != nil {
		return nil, err
	}
	f := &Flat{
		Files: list.files, Ports: b.design.ports, Data: b.description.Data,
		Beyond: map[string][]int{}, Steps: map[string][]string{}, dir: b.hdlDir,
		Doubts: slices.Concat(b.narrow, b.design.doubts),
	}
	for _, found := range beyond.FindAllSubmatch(said, -1) {
		at, _ := strconv.Atoi(string(found[2]))
		f.Beyond[string(found[1])] = append(f.Beyond[string(found[1])], at)
	}
	for _, found := range step.FindAllSubmatch(said, -1) {
		if at, value := string(found[2]), string(found[1]); !slices.Contains(f.Steps[at], value) {
			f.Steps[at] = append(f.Steps[at], value)
		}
	}
	for _, stage := range []struct {
		tree *[]byte
		name string
	}{{&f.Early, "linkjump"}, {&f.Whole, "width"}, {&f.Tree, "task"}} {
		if *stage.tree, err = b.tree(dir, stage.name); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// tree returns the dump after a stage. If the stage changed nothing, it returns the dump of an earlier stage.
func (b *builder) tree(dir, stage string) ([]byte, error) {
	trees, err := filepath.Glob(filepath.Join(dir, "*.tree"))
	at := slices.IndexFunc(trees, func(path string) bool { return strings.HasSuffix(path, "_"+stage+".tree") })
	for ; err == nil && at >= 0; at-- {
		text, err := os.ReadFile(trees[at])
		if err != nil || !bytes.Contains(text, []byte("\nNo changes since last dump!")) {
			return text, err
		}
	}
	return nil, &cosim.InputError{
		Place:  verilatorTool.Command,
		Reason: fmt.Sprintf("does not show its elaboration of %s: %d trees", b.Name(), len(trees)),
		Remedy: "use a tested version: `starloom tools` lists them",
	}
}

// preprocess returns the text of Verilog sources after macros and includes. Columns in lines without macros stay,
// because comments stay.
func preprocess(ctx context.Context, s cosim.Source, o cosim.BuildOptions) (text string, err error) {
	b, err := newBuilder(ctx, &s, &o, target{ending: ".preprocessed", compiler: verilatorTool})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.work)) }()
	if b.VHDL() {
		return "", &cosim.InputError{Place: b.Files[0], Reason: "VHDL has no text of a preprocessor",
			Remedy: "translate it first: `ghdl synth --std=08 --out=verilog`"}
	}
	said, err := b.outputOf("-E", "--pp-comments")
	return string(said), err
}

// outputOf returns the standard output of Verilator without its warnings.
func (b *builder) outputOf(args ...string) ([]byte, error) {
	c := cosim.Command(b, b.hdlDir, verilatorTool.Command, append(args, b.arguments()...)...)
	said, err := c.Output()
	if err == nil {
		return said, nil
	}
	said, err = b.runVerilator(args...)
	return nil, b.refusalUnlessStopped(said, err)
}

// portsOf returns the ports of an instance in the top module, in order.
func portsOf(ctx context.Context, s cosim.Source, instance string, o cosim.BuildOptions) (ports []cosim.Port,
	err error) {
	b, err := newBuilder(ctx, &s, &o, target{ending: ".ports", compiler: verilatorTool})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.work)) }()
	var n *netlist
	if said, err := b.readNetlist(&n); err != nil {
		return nil, b.refusalUnlessStopped(said, err)
	}
	for _, at := range n.top.all("instance") {
		module := n.modules[at.get("defName")]
		if at.get("name") != instance || module == nil {
			continue
		}
		var vars []*xmlNode
		for _, v := range module.children {
			if v.name == "var" && v.get("dir") != "" && v.get("param") != "true" {
				vars = append(vars, v)
			}
		}
		slices.SortStableFunc(vars,
			func(a, b *xmlNode) int { return number(a.get("pinIndex")) - number(b.get("pinIndex")) })
		for _, v := range vars {
			p, _, err := n.port(v)
			if err != nil {
				return nil, err
			}
			ports = append(ports, p)
		}
		return ports, nil
	}
	return nil, &cosim.InputError{Place: n.place(n.top),
		Reason: fmt.Sprintf("module %s has no instance %s", s.Top, instance), Remedy: "name an instance of the top module"}
}
