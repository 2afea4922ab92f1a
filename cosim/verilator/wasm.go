package verilator

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing/fstest"
	"text/tabwriter"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"starloom/cosim"
)

// Description is what a result says about itself, in the custom section
// starloom.cosim of a wasm file.
type Description struct {
	Format    int               `json:"format"` // descriptionFormat
	Device    string            `json:"device"` // arbiter.v: arbiter
	Top       string            `json:"top"`
	Ports     []cosim.Port      `json:"ports"`
	Types     []string          `json:"types"`                // of the ports: logic [7:0]
	Params    map[string]string `json:"params"`               // of the top module, as it was built
	CaseBlind bool              `json:"case_blind,omitempty"` // names come from VHDL: upper and lower case are the same
	Levels    bool              `json:"levels"`               // something sees more of a clock than its rising edge
	Edges     []string          `json:"edges"`                // inputs other than clocks whose edges something waits for
	Hash      string            `json:"hash"`                 // of the text, the flags and the tools

	// Warnings are those of Verilator that matter; nil if the image does not say.
	Warnings []cosim.Warning `json:"warnings"`

	Sources map[string]string `json:"sources"` // start of the SHA-256 of every file that was read
	Tools   []string          `json:"tools"`

	Data map[string][]byte `json:"data,omitempty"` // files of $readmem by their names
}

// WriteText writes what a user wants to know before using a circuit.
func (d *Description) WriteText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s\n\nport\tdirection\tbits\ttype\n", d.Device)
	clocked := false
	for i, p := range d.Ports {
		direction := "output"
		switch {
		case p.Clock:
			direction, clocked = "clock", true
		case p.Input:
			direction = "input"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", p.Name, direction, p.Bits, d.Types[i])
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var text strings.Builder
	for i, name := range slices.Sorted(maps.Keys(d.Params)) {
		text.WriteString([]string{"parameters ", ", "}[min(i, 1)] + name + "=" + d.Params[name])
	}
	if len(d.Params) > 0 {
		text.WriteString("\n")
	}
	if !clocked && len(d.Edges) > 0 {
		fmt.Fprintf(&text, "no clock is named, but something waits for edges of %s: name the clocks with --clock\n", strings.Join(d.Edges, ", "))
	}
	if text.Len() == 0 {
		return nil
	}
	_, err := io.WriteString(w, "\n"+text.String())
	return err
}

const (
	descriptionFormat  = 1
	descriptionSection = "starloom.cosim"
)

// attach appends the description to a wasm file.
func (d *Description) attach(file string) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	body := binary.AppendUvarint(nil, uint64(len(descriptionSection)))
	body = append(append(body, descriptionSection...), text...)
	section := binary.AppendUvarint([]byte{0}, uint64(len(body)))
	wasm, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(append(wasm, section...), body...), 0o644)
}

// A Circuit is RTL as wasm, from which any number of devices can be opened; devices
// may run in parallel.
type Circuit struct {
	Description
	wasm  []byte
	cache string // a folder for the compiled code, "" for none

	mutex    sync.Mutex
	runtimes [2]*circuitRuntime // compiler, interpreter
}

// circuitRuntime is the compiled code.
type circuitRuntime struct {
	wazero.Runtime
	compiled wazero.CompiledModule
	kept     wazero.CompilationCache // nil for none
}

var errNotBuilt = &cosim.InputError{Reason: "this is not a circuit that Starloom built", Remedy: "make one with `starloom cosim build`"}

// Load takes what `starloom cosim build` wrote. Nothing but the bytes is
// needed to open devices.
func Load(wasm []byte) (*Circuit, error) {
	text, err := customSection(wasm, descriptionSection)
	if err != nil {
		return nil, err
	}
	c := &Circuit{wasm: wasm}
	if err := json.Unmarshal(text, &c.Description); err != nil {
		return nil, &cosim.InputError{Reason: fmt.Sprintf("the description of the circuit is broken: %v", err), Remedy: errNotBuilt.Remedy}
	}
	if c.Format != descriptionFormat {
		return nil, &cosim.InputError{
			Reason: fmt.Sprintf("the circuit has format %d, this Starloom knows %d", c.Format, descriptionFormat),
			Remedy: errNotBuilt.Remedy,
		}
	}
	return c, c.checkPorts()
}

// checkPorts refuses port tables that would make a device read somewhere else.
func (c *Circuit) checkPorts() error {
	if len(c.Types) != len(c.Ports) {
		return &cosim.InputError{Reason: "the description of the ports is broken", Remedy: errNotBuilt.Remedy}
	}
	in, out := 0, 0
	for _, p := range c.Ports {
		next := &out
		if p.Input {
			next = &in
		}
		if p.Bits < 1 || p.Bits > portBitsMax || !p.Clock && p.Word != *next {
			return &cosim.InputError{Reason: fmt.Sprintf("the description of port %s is broken", p.Name), Remedy: errNotBuilt.Remedy}
		}
		if !p.Clock {
			*next += p.Words()
		}
	}
	return nil
}

const portBitsMax = 1 << 24

// customSection finds a custom section of a wasm binary.
func customSection(wasm []byte, name string) ([]byte, error) {
	if !bytes.HasPrefix(wasm, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, errNotBuilt
	}
	for rest := wasm[8:]; len(rest) > 1; {
		id := rest[0]
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, errNotBuilt
		}
		body := rest[1+n : 1+n+int(size)]
		rest = rest[1+n+int(size):]
		if id != 0 {
			continue
		}
		length, n := binary.Uvarint(body)
		if n > 0 && length <= uint64(len(body)-n) && string(body[n:n+int(length)]) == name {
			return body[n+int(length):], nil
		}
	}
	return nil, errNotBuilt
}

// Wasm returns the bytes that Load takes.
func (c *Circuit) Wasm() []byte { return c.wasm }

// Close releases the compiled code; all devices must be closed before.
func (c *Circuit) Close() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var err error
	for i, r := range c.runtimes {
		if r != nil {
			err = errors.Join(err, r.Close(context.Background()))
			c.runtimes[i] = nil
		}
	}
	return err
}

// runtime compiles the circuit when its first device is opened, or takes what was compiled before.
func (c *Circuit) runtime(interpreter bool) (*circuitRuntime, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	kind := 0
	if interpreter {
		kind = 1
	}
	if c.runtimes[kind] != nil {
		return c.runtimes[kind], nil
	}
	r, err := c.newRuntime(interpreter, c.cache)
	if err != nil && c.cache != "" { // a file in the cache is damaged, perhaps
		r, err = c.newRuntime(interpreter, "")
	}
	c.runtimes[kind] = r
	return r, err
}

// newRuntime compiles the circuit, with a folder for what was compiled before, "" for none.
func (c *Circuit) newRuntime(interpreter bool, folder string) (*circuitRuntime, error) {
	config := wazero.NewRuntimeConfig()
	if interpreter {
		config, folder = wazero.NewRuntimeConfigInterpreter(), ""
	}
	ctx := context.Background()
	r := &circuitRuntime{}
	if folder != "" {
		var err error
		if r.kept, err = wazero.NewCompilationCacheWithDir(folder); err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(r.kept)
	}
	r.Runtime = wazero.NewRuntimeWithConfig(ctx, config)
	fail := func(err error) (*circuitRuntime, error) { return nil, errors.Join(err, r.Close(ctx)) }
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r.Runtime); err != nil {
		return fail(err)
	}
	_, err := r.NewHostModuleBuilder("starloom").NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(late), []api.ValueType{api.ValueTypeI64}, nil).Export("late").Instantiate(ctx)
	if err != nil {
		return fail(err)
	}
	if r.compiled, err = r.CompileModule(ctx, c.wasm); err != nil {
		return fail(&cosim.InputError{Place: c.Device, Reason: fmt.Sprintf("broken WebAssembly: %v", err), Remedy: errNotBuilt.Remedy})
	}
	if err := checkExports(r.compiled); err != nil {
		return fail(err)
	}
	return r, nil
}

// Close releases what was compiled.
func (r *circuitRuntime) Close(ctx context.Context) error {
	err := r.Runtime.Close(ctx)
	if r.kept != nil {
		err = errors.Join(err, r.kept.Close(ctx))
	}
	return err
}

// wasmExports are the functions of glue.cpp with their parameters and results: i
// for i32, I for i64.
var wasmExports = map[string]string{
	"sl_open": "II:i", "sl_start": "i:i", "sl_settle": "i:i", "sl_edge": "iI:i", "sl_step": "iIi:i", "sl_part": "ii:i",
}

func checkExports(m wazero.CompiledModule) error {
	letters := func(types []api.ValueType) string {
		text := ""
		for _, t := range types {
			text += map[api.ValueType]string{api.ValueTypeI32: "i", api.ValueTypeI64: "I", api.ValueTypeF32: "f", api.ValueTypeF64: "F"}[t]
		}
		return text
	}
	functions := m.ExportedFunctions()
	for name, want := range wasmExports {
		f, ok := functions[name]
		if !ok || letters(f.ParamTypes())+":"+letters(f.ResultTypes()) != want {
			return &cosim.InputError{Reason: "the function " + name + " is missing in the circuit", Remedy: errNotBuilt.Remedy}
		}
	}
	if m.ExportedMemories()["memory"] == nil {
		return &cosim.InputError{Reason: "the circuit has no memory", Remedy: errNotBuilt.Remedy}
	}
	return nil
}

// dataPath is where the glue looks for a file of $readmem: its name below a folder, in
// which up stands for the folder above. It is relative.
func dataPath(name string) string {
	ups := 0
	for rest, ok := strings.CutPrefix(name, "../"); ok; rest, ok = strings.CutPrefix(name, "../") {
		name = rest
		ups++
	}
	return strings.TrimPrefix(path.Clean("/"+strings.Repeat("up/", ups)+name), "/")
}

// dataFiles is the file system that a circuit sees: the files of its $readmem and
// nothing else.
func (c *Circuit) dataFiles() fstest.MapFS {
	files := fstest.MapFS{}
	for name, text := range c.Data {
		if name := dataPath(name); name != "" {
			files[name] = &fstest.MapFile{Data: text, Mode: 0o444}
		}
	}
	return files
}
