package verilator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing/fstest"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"starloom/cosim"
	"starloom/firmware/wasm"
)

// A Circuit is RTL compiled to wasm. Any number of devices can be opened from it and run in parallel.
type Circuit struct {
	Description
	wasm  []byte
	cache string // folder for compiled machine code, "" for none

	mutex    sync.Mutex
	runtimes [2]*circuitRuntime
}

type circuitRuntime struct {
	wazero.Runtime
	compiled wazero.CompiledModule
	kept     wazero.CompilationCache
}

// Load reads an image that `starloom cosim build` wrote. The image contains everything that devices need.
func Load(wasm []byte) (*Circuit, error) {
	text, err := customSection(wasm, descriptionSection)
	if err != nil {
		return nil, err
	}
	c := &Circuit{wasm: wasm}
	if err := json.Unmarshal(text, &c.Description); err != nil {
		return nil, &cosim.InputError{Reason: fmt.Sprintf("the description of the circuit is broken: %v", err),
			Remedy: errNotBuilt.Remedy}
	}
	if c.Format != descriptionFormat {
		return nil, &cosim.InputError{
			Reason: fmt.Sprintf("the circuit has format %d, but this Starloom knows format %d", c.Format, descriptionFormat),
			Remedy: errNotBuilt.Remedy,
		}
	}
	return c, c.checkPorts()
}

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
			return &cosim.InputError{Reason: fmt.Sprintf("the description of port %s is broken", p.Name),
				Remedy: errNotBuilt.Remedy}
		}
		if !p.Clock {
			*next += p.Words()
		}
	}
	return nil
}

const portBitsMax = 1 << 24

// Wasm returns the image that Load reads.
func (c *Circuit) Wasm() []byte { return c.wasm }

// Close releases the compiled code. All devices must have been closed.
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
	if err != nil && c.cache != "" {
		r, err = c.newRuntime(interpreter, "")
	}
	c.runtimes[kind] = r
	return r, err
}

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
		WithGoModuleFunction(api.GoModuleFunc(late), []api.ValueType{api.ValueTypeI64}, nil).Export("late").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(show),
		[]api.ValueType{api.ValueTypeI32, api.ValueTypeI32}, nil).Export("show").
		Instantiate(ctx)
	if err != nil {
		return fail(err)
	}
	code, err := wasm.Selects(c.wasm)
	if err == nil {
		r.compiled, err = r.CompileModule(ctx, code)
	}
	if err != nil {
		return fail(&cosim.InputError{Place: c.Device, Reason: fmt.Sprintf("broken WebAssembly: %v", err),
			Remedy: errNotBuilt.Remedy})
	}
	if err := checkExports(r.compiled); err != nil {
		return fail(err)
	}
	return r, nil
}

func (r *circuitRuntime) Close(ctx context.Context) error {
	err := r.Runtime.Close(ctx)
	if r.kept != nil {
		err = errors.Join(err, r.kept.Close(ctx))
	}
	return err
}

// wasmExports maps the functions of glue.cpp to their parameters and results: i for i32, I for i64.
var wasmExports = map[string]string{
	"sl_open": "II:i", "sl_start": "i:i", "sl_settle": "i:i", "sl_edge": "iI:i", "sl_step": "iIi:i", "sl_part": "ii:i",
	playExport: "iIii:i",
}

const playExport = "sl_play"

func checkExports(m wazero.CompiledModule) error {
	letters := func(types []api.ValueType) string {
		text := ""
		for _, t := range types {
			text += map[api.ValueType]string{api.ValueTypeI32: "i", api.ValueTypeI64: "I", api.ValueTypeF32: "f",
				api.ValueTypeF64: "F"}[t]
		}
		return text
	}
	functions := m.ExportedFunctions()
	for name, want := range wasmExports {
		f, ok := functions[name]
		if !ok && name == playExport {
			continue
		}
		if !ok || letters(f.ParamTypes())+":"+letters(f.ResultTypes()) != want {
			return &cosim.InputError{Reason: "the function " + name + " is missing in the circuit", Remedy: errNotBuilt.Remedy}
		}
	}
	if m.ExportedMemories()["memory"] == nil {
		return &cosim.InputError{Reason: "the circuit has no memory", Remedy: errNotBuilt.Remedy}
	}
	return nil
}

func (c *Circuit) dataFiles() fstest.MapFS {
	files := fstest.MapFS{}
	for name, text := range c.Data {
		if name := dataPath(name); name != "" {
			files[name] = &fstest.MapFile{Data: text, Mode: 0o444}
		}
	}
	return files
}
