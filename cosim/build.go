package cosim

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"starloom/traces"
)

// Source is RTL: the files of a design and what to make of them.
type Source struct {
	Top         string            // module, or VHDL entity
	Files       []string          // Verilog and SystemVerilog, or VHDL in the order of analysis
	DataDir     string            // where the files of $readmem are; "": the working directory; then beside the source that reads them
	IncludeDirs []string          // for `include, and for modules in files of their name
	Defines     map[string]string // `define; "" for a name without a value
	Params      map[string]string // of the top module, as Verilog constants or plain text; VHDL: generics
	Clocks      []string          // the inputs that Edge drives, in any order
}

// name says what a source is in messages.
func (s *Source) name() string { return filepath.Base(s.Files[0]) + ": " + s.Top }

// Options say how to open a device.
type Options struct {
	// Seed gives every register without a reset value a random one, the same for
	// the same seed; 0: all of them start at zero.
	Seed uint64

	// TimeLimit is how long one cycle may take before it is a FaultHang; 0: 10 s.
	TimeLimit time.Duration

	// Interpreter runs wasm slowly: the oracle of the compiler.
	Interpreter bool
}

func (o *Options) timeLimit() time.Duration {
	if o.TimeLimit > 0 {
		return o.TimeLimit
	}
	return 10 * time.Second
}

// Logger is a device that keeps what its circuit prints: about the last 64 KiB.
type Logger interface{ Log() string }

// BuildOptions say how to build.
type BuildOptions struct {
	Cache    string            // directory of earlier results; "" for the user's own
	Warnings io.Writer         // what the tools say of a source that they accept; nil: nobody listens
	Progress func(step string) // called when a step begins; may be nil
}

func (o *BuildOptions) step(text string) {
	if o.Progress != nil {
		o.Progress(text)
	}
}

//go:embed glue
var glue embed.FS

// A target is what a circuit is compiled for.
type target struct {
	ending   string // of the result's name
	compiler tool
	compile  []string // its arguments
	linker   tool
	link     []string // its arguments
	tools    []tool   // beside Verilator and the compiler
	// libraries finds what is linked beside the objects; nil: the linker knows.
	libraries func(ctx context.Context) (libraries, error)
}

var wasmTarget = target{
	ending:   ".wasm",
	compiler: clangTool,
	compile: []string{
		"--target=wasm32-wasi", sysroot, "-fno-exceptions", "-fno-rtti", "-Iwasi",
		"-DVL_IGNORE_UNKNOWN_ARCH",
	},
	// Not by clang's driver: it may run wasm-opt where binaryen is installed.
	linker: linkerTool,
	link: []string{
		"-m", "wasm32", "--entry", "_initialize", "--gc-sections", "--strip-all", "--stack-first",
		"-z", fmt.Sprintf("stack-size=%d", wasmStackBytes),
	},
	tools:     []tool{linkerTool},
	libraries: wasiLibraries,
}

// wasmStackBytes is where data begins: the stack lies below it and is empty between
// two calls.
const wasmStackBytes = 1 << 20

// commonFlags go to every compilation. Without -fno-finite-loops clang removes an
// endless loop of the RTL.
var commonFlags = []string{
	"-O3", "-std=gnu++17", "-fno-finite-loops", "-include", "shim.h", "-I.", "-w", "-fvisibility=hidden",
	"-DVL_USER_FINISH", "-DVL_USER_STOP", "-DVL_USER_FATAL", "-DVL_TIME_CONTEXT", "-DVM_TRACE=0",
}

var verilatorFlags = []string{
	"--cc", "--no-timing", "-Wno-fatal", "--assert", "--prefix", "Vdut", "-O3",
	"--x-assign", "unique", "--x-initial", "unique", "-Wwarn-UNDRIVEN", "-Wwarn-ASSIGNDLY",
}

// Build compiles a design to wasm, or finds the result of an earlier build of the
// same text with the same tools. Errors about the design and the tools are
// *InputError.
func Build(ctx context.Context, s Source, o BuildOptions) (*Circuit, error) {
	for again := false; ; again = true {
		_, path, err := build(ctx, s, o, wasmTarget)
		if err != nil {
			return nil, err
		}
		wasm, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		c, err := LoadWasm(wasm)
		if err == nil {
			return c, nil
		}
		// Somebody has damaged what is in the cache: it is made anew.
		if removal := os.Remove(path); again || removal != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), removal)
		}
	}
}

// build returns the path of the result in the cache, and its description.
func build(ctx context.Context, s Source, o BuildOptions, t target) (d Description, path string, err error) {
	b, err := newBuilder(ctx, &s, &o, t)
	if err != nil {
		return d, "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.work)) }()
	if err := b.discover(); err != nil {
		return d, "", err
	}
	if path, err = b.cache.take(b.description.Hash+t.ending, b.compile); err == nil && t.ending != wasmTarget.ending {
		err = b.lint() // a library has no place for what was said when it was made
	}
	return b.description, path, err
}

// A builder is one build in a temporary directory.
type builder struct {
	context.Context
	*Source
	options   *BuildOptions
	target    target
	cache     cache
	work      string // temporary directory
	hdlDir    string // where Verilator runs, so that Files are found
	vhdlTop   string // the top module of GHDL's Verilog
	tools     []toolVersion
	libraries libraries

	design      *design
	description Description
}

func newBuilder(ctx context.Context, s *Source, o *BuildOptions, t target) (*builder, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	plain := *s
	plain.Params = s.constants()
	b := &builder{Context: ctx, Source: &plain, options: o, target: t}
	needed := append([]tool{verilatorTool, t.compiler}, t.tools...)
	if s.vhdl() {
		needed = append(needed, ghdlTool)
	}
	for _, tool := range needed {
		version, err := tool.version(ctx)
		if err != nil {
			return nil, err
		}
		b.tools = append(b.tools, version)
	}
	var err error
	if t.libraries != nil {
		if b.libraries, err = t.libraries(ctx); err != nil {
			return nil, err
		}
	}
	if b.cache, err = openCache(o.Cache); err != nil {
		return nil, err
	}
	b.work, err = os.MkdirTemp("", "starloom-cosim-")
	return b, err
}

// discover finds the ports, and the hash of everything that the result depends on.
func (b *builder) discover() error {
	if b.vhdl() {
		b.options.step("ghdl reads " + b.Top)
		if err := b.synthesise(); err != nil {
			return err
		}
	}
	b.options.step("verilator reads " + b.Top)
	if err := b.readDesign(); err != nil {
		return err
	}
	data, err := b.readData()
	if err != nil {
		return err
	}
	sources, err := b.sources()
	if err != nil {
		return err
	}
	b.description = Description{
		Format: descriptionFormat, Device: b.name(), Top: b.Top, Ports: b.design.ports, Types: b.design.types,
		Params: b.design.params, CaseBlind: b.vhdl(), Levels: b.design.levels, Edges: b.design.resets, Sources: sources, Data: data,
	}
	for _, t := range b.tools {
		b.description.Tools = append(b.description.Tools, t.text)
	}
	b.description.Hash, err = b.hash()
	return err
}

// readData reads the files of $readmemh and $readmemb: they become a part of the
// result.
func (b *builder) readData() (map[string][]byte, error) {
	data := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(b.design.data)) {
		path, err := b.findData(name, b.design.data[name])
		if err != nil {
			return nil, err
		}
		if data[name], err = traces.ReadInput(path, InputBytesMax); err != nil {
			return nil, &InputError{Place: path, Reason: fmt.Sprintf("$readmem cannot read it: %v", reason(err)), Remedy: "give a file that can be read"}
		}
	}
	return data, nil
}

// hash covers everything that the compilers see, their flags and their versions.
func (b *builder) hash() (string, error) {
	sum := sha256.New()
	say := func(parts ...string) {
		for _, part := range parts {
			fmt.Fprintf(sum, "%d %s\n", len(part), part)
		}
	}
	description, err := json.Marshal(&b.description)
	if err != nil {
		return "", err
	}
	say(string(description), fmt.Sprint(b.IncludeDirs))
	say(b.verilatorArguments()...)
	say(verilatorFlags...)
	say(b.compileFlags()...)
	say(b.target.linker.command, b.libraries.hash)
	say(b.target.link...)
	say(b.portsHeader(nil, ""))
	if err := eachGlueFile(func(name string, text []byte) error { say(name, string(text)); return nil }); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil))[:32], nil
}

// sources returns a hash of every file that Verilator has read.
func (b *builder) sources() (map[string]string, error) {
	hashes := map[string]string{}
	for _, name := range b.design.files {
		path := name
		if !filepath.IsAbs(name) {
			path = filepath.Join(b.hdlDir, name)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		hashes[name] = hex.EncodeToString(sum[:16])
	}
	return hashes, nil
}

// InputBytesMax bounds every file of a user that is read whole: an image, data of
// $readmem.
const InputBytesMax = 256 << 20

// check refuses what no tool has to see.
func (s *Source) check() error {
	if s.Top == "" {
		return &InputError{Place: "--top", Reason: "no top module is named", Remedy: "give the name of the module to build"}
	}
	if !isIdentifier(s.Top) {
		return &InputError{Place: "--top", Reason: fmt.Sprintf("%q is not the name of a module", s.Top), Remedy: "give a plain Verilog name"}
	}
	if len(s.Files) == 0 {
		return &InputError{Place: s.Top, Reason: "no source is given", Remedy: "give the Verilog or VHDL files of the design"}
	}
	for _, file := range s.Files {
		info, err := os.Stat(file)
		if err != nil {
			return &InputError{Place: file, Reason: fmt.Sprintf("cannot be read: %v", reason(err)), Remedy: "give an existing source"}
		}
		if info.IsDir() {
			return &InputError{Place: file, Reason: "is a directory", Remedy: "give the files, and the directory with -I"}
		}
		if !info.Mode().IsRegular() {
			return &InputError{Place: file, Reason: "is not a regular file", Remedy: "give a file with Verilog or VHDL"}
		}
		if isVHDL(file) != s.vhdl() {
			return &InputError{Place: file, Reason: "Verilog and VHDL in one design", Remedy: "synthesise the VHDL part first: `ghdl synth --std=08 --out=verilog`"}
		}
	}
	if err := s.checkParams(); err != nil {
		return err
	}
	for _, names := range []map[string]string{s.Defines, s.Params} {
		for name, value := range names {
			if !isIdentifier(name) || strings.ContainsAny(value, "\n\x00") {
				return &InputError{Place: name + "=" + value, Reason: "is not a name and a value", Remedy: "write NAME=VALUE"}
			}
		}
	}
	for i, clock := range s.Clocks {
		if slices.Contains(s.Clocks[:i], clock) {
			return &InputError{Place: "--clock", Reason: clock + " is named twice", Remedy: "name every clock once"}
		}
	}
	if len(s.Clocks) > 64 {
		return &InputError{Place: "--clock", Reason: fmt.Sprintf("%d clocks", len(s.Clocks)), Remedy: "at most 64 are possible"}
	}
	return nil
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*$`)

func isIdentifier(text string) bool { return identifier.MatchString(text) }

// reason is an error of the operating system without the path, which the place of
// the message says.
func reason(err error) error {
	if pathError, ok := err.(*os.PathError); ok {
		return pathError.Err
	}
	return err
}
