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

// Flat is a design in one module as Verilator has elaborated it: parameters resolved, instances,
// functions and tasks inlined, every operation with its width.
//
// It is Verilator's dump of its tree and not its XML: that has neither the targets of jumps nor
// which instance of an interface a name belongs to.
type Flat struct {
	Tree  []byte
	Whole []byte            // the tree before indexes are cut to the bits that are needed for all elements
	Early []byte            // the tree before generate is resolved
	Files map[string]string // by the letters that begin every place
	Ports []cosim.Port
	Data  map[string][]byte // files of $readmem by their names there
	// Beyond are constant indexes beyond the ends, by file:line:column: the tree has them cut to the bits
	// that are needed for those within.
	Beyond map[string][]int
	// Steps are the values that constant functions have read, by the place of the reading.
	Steps map[string][]string
	// Doubts are what Verilator or GHDL makes something else of than the source says.
	Doubts []cosim.Warning
	dir    string // what the names of Files are relative to
}

// Text returns a source that Verilator has read.
func (f *Flat) Text(file string) ([]byte, error) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(f.dir, file)
	}
	return input.Read(file, cosim.InputBytesMax)
}

// flatFlags are those of the tree. Nothing is folded in it: folded, an X has a value.
var flatFlags = []string{
	"--flatten", "--no-timing", "-Wno-fatal", "-Wno-lint", "-Wwarn-SELRANGE", "--assert", "-fno-dfg", "-fno-const",
	"--dumpi-tree", "3", // after every stage: 5.032 takes no names of them
	"--debugi-V3Simulate", "9",
}

var step = regexp.MustCompile(`(?m)^- V3Simulate\S+ +set val (\S+) on VARREF (?:0x[0-9a-f]+|\([A-Z]+\)) \{([a-z]+\d+[a-z]+)\}`)

var beyond = regexp.MustCompile(`(?m)^%Warning-SELRANGE: (\S+:\d+:\d+): Selection index out of range: (?:-?\d+:)?(-?\d+) outside`)

// Flatten has Verilator elaborate a design, make turn that into a text, and keeps the text in the
// cache until a source, an option or a tool changes. kind names what make does, and its edition.
func Flatten(ctx context.Context, s cosim.Source, o cosim.BuildOptions, kind string, make func(*Flat) ([]byte, error)) (text []byte, err error) {
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
	if b.tools[0].Since(5, 32) { // which mixes names and addresses of nodes without it; 5.006 does with it, in array patterns
		flags = append(flags, "--dump-tree-addrids")
	}
	list, said, err := b.elaborate(b.verilate, dir, flags...)
	if err != nil {
		return nil, err
	}
	f := &Flat{
		Files: list.files, Ports: b.design.ports, Data: b.description.Data,
		Beyond: map[string][]int{}, Steps: map[string][]string{}, dir: b.hdlDir, Doubts: slices.Concat(b.narrow, b.design.doubts),
	}
	for _, found := range beyond.FindAllSubmatch(said, -1) {
		at, _ := strconv.Atoi(string(found[2])) // digits
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

// tree is Verilator's dump after one of its stages: that of the last one that changed something.
func (b *builder) tree(dir, stage string) ([]byte, error) {
	trees, err := filepath.Glob(filepath.Join(dir, "*.tree")) // sorted: they are numbered
	at := slices.IndexFunc(trees, func(path string) bool { return strings.HasSuffix(path, "_"+stage+".tree") })
	for ; err == nil && at >= 0; at-- {
		text, err := os.ReadFile(trees[at])
		if err != nil || !bytes.Contains(text, []byte("\nNo changes since last dump!")) {
			return text, err
		}
	}
	return nil, &cosim.InputError{
		Place:  verilatorTool.Command,
		Reason: fmt.Sprintf("does not show how it has elaborated %s: %d trees", b.Name(), len(trees)),
		Remedy: "take a version that was run: `starloom tools` lists them",
	}
}
