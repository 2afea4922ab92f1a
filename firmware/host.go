package firmware

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"starloom/firmware/wasm"
	"starloom/nic"
	"starloom/traces/input"
)

// Host runs firmware images in a wazero sandbox. It and its images are for one
// goroutine at a time, except that instances may be made and run in parallel.
type Host struct {
	ctx     context.Context
	runtime wazero.Runtime
	memory  slab
	until   atomic.Pointer[context.Context] // until it ends, the image may run
	stopped atomic.Bool                     // a call of the image was ended
	turns   uint64                          // after so many a call traps; 0: see Limit
	endless atomic.Bool                     // one has
	covers  bool                            // images note their way: see Cover

	maps     string // MapsIn
	limitKey string // wasm.Meter.Key of the last image with a meter: a host has one

	compiled []wazero.CompiledModule
}

// Runtimes are the ways to execute an image: results are the same, the
// interpreter is about 28 times slower and serves as the compiler's oracle.
var Runtimes = []string{"compiler", "interpreter"}

// compilations holds what wazero has compiled for as long as a host has it loaded: all
// machines of a batch share one compilation of their image.
var compilations = wazero.NewCompilationCache()

// NewHost makes a host with the given runtime, "compiler" or "interpreter". What an
// image does while it is loaded, attached and run ends with ctx, in an error that
// wraps that of ctx; see Until.
func NewHost(ctx context.Context, runtime string) (*Host, error) {
	var config wazero.RuntimeConfig
	switch runtime {
	case "compiler", "":
		config = wazero.NewRuntimeConfig()
	case "interpreter":
		config = wazero.NewRuntimeConfigInterpreter()
	default:
		return nil, fmt.Errorf("runtime %q is not known; use one of %s", runtime, strings.Join(Runtimes, ", "))
	}
	// Reference types bring table.grow, with which an image could take any amount of
	// the host's memory; only linear memory is limited.
	config = config.WithCoreFeatures(api.CoreFeaturesV2 &^ api.CoreFeatureReferenceTypes).WithCompilationCache(compilations)
	h := &Host{ctx: context.WithoutCancel(ctx), runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	h.Until(ctx)
	if err := h.exportImports(); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// Until says until when images may run from now on. A call that is running when ctx
// ends stops within wasm.TickTurns iterations of its loops: a handler makes no event then,
// and leaves its bank in the middle of something, good only for a Reset.
func (h *Host) Until(ctx context.Context) {
	h.until.Store(&ctx)
	h.stopped.Store(false)
}

// MapsIn says in which folder the source maps of images are that name one. It is that of the image, from
// which a build has both; without, traps have no lines.
func (h *Host) MapsIn(folder string) { h.maps = folder }

// Stopped reports whether a call of an image was ended since Until.
func (h *Host) Stopped() bool { return h.stopped.Load() }

// tick ends the call that asks when it may not go on: it has cost more than its limit, or the
// run has ended. A call of Go is also where the
// scheduler can take the thread, which it cannot in the code of an image: without it
// a garbage collection that is due would stop all goroutines for as long as a handler
// runs.
func (h *Host) tick(ctx context.Context, module api.Module, _ []uint64) {
	h.endSpent(module)
	profileOf(ctx).count()
	h.limit(ctx)
	if err := (*h.until.Load()).Err(); err != nil {
		h.stopped.Store(true)
		panic(stoppedError{err})
	}
}

// stoppedError is why a call was ended.
type stoppedError struct{ cause error }

func (e stoppedError) Error() string { return "interrupted" }
func (e stoppedError) Unwrap() error { return e.cause }

// beforeHandlers says what to do about what an image does wrong before any handler is called.
func beforeHandlers(err error) error { return fmt.Errorf("%w; %s", err, RemedyOfAttach(err)) }

// RemedyOfAttach is what to do about an image that cannot serve a bank.
func RemedyOfAttach(err error) string {
	switch {
	case errors.Is(err, nic.ErrLargeState):
		return "make the struct that STARLOOM_FIRMWARE names smaller"
	case errors.Is(err, nic.ErrNoRoom):
		return "a state may have 1 MiB, and a bank 4 GiB: make the state smaller, or use smaller banks with --bank, or mode: isolated"
	}
	return "correct what the image does before its handlers are called"
}

// callError is the error of a call in an image that is not yet running.
func callError(what string, err error) error {
	var stopped stoppedError
	if errors.As(err, &stopped) {
		return fmt.Errorf("%s: %w", what, stopped)
	}
	return trapError{what, err}
}

// trapError is a call that has trapped, beside those of handlers.
type trapError struct {
	what  string
	cause error
}

func (e trapError) Error() string { return fmt.Sprintf("%s traps: %s", e.what, firstLine(e.cause)) }
func (e trapError) Unwrap() error { return e.cause }

// Close releases all instances and their memory.
func (h *Host) Close() error {
	err := h.runtime.Close(h.ctx)
	for _, compiled := range h.compiled {
		err = errors.Join(err, compiled.Close(h.ctx))
	}
	h.compiled = nil
	h.memory.close()
	return err
}

// Image is a checked and compiled firmware image.
type Image struct {
	Name   string
	SHA256 string
	Probes []string // names of sl_probe's signals
	Params []Param  // parameters and their defaults

	// DataBytes is about what an instance takes for the image's own data: tables and
	// static variables, without the stack.
	DataBytes uint64

	Announces bool // it imports deliver, so it may say that packets have arrived
	Results   bool // it imports result
	Runtime   bool // it brings a language's runtime, and serves one processor per instance
	Checked   bool // it is a checked build, see BuildOptions.Debug

	believed     bool // some global is given back only by its name's word
	host         *Host
	copy         *wasm.Copy // what is compiled: the image with what the host needs put in
	compiled     wazero.CompiledModule
	meter        *wasm.Meter                 // nil if costs are not asked for
	pristine     map[nic.BankConfig]pristine // by shape of the bank
	pristineLock sync.Mutex

	places     *wasm.Places // read at the first trap
	placesOnce sync.Once
	placesLock sync.Mutex
}

// Recursive names the functions that may call themselves.
func (img *Image) Recursive() []string { return img.copy.Recursive }

// Param is a parameter that an image takes from the scenario.
type Param struct {
	Name    string `json:"name"`
	Default int32  `json:"default"`
}

// The exports of an image. Every argument and result is an i32.
const (
	exportABI        = "starloom_abi"
	exportBank       = "starloom_bank"
	exportAttach     = "starloom_attach"
	exportStart      = "starloom_start"
	exportSlot       = "starloom_slot"
	exportProbeNames = "starloom_probe_names"
	exportParamNames = "starloom_param_names"
	exportChecked    = "starloom_checked" // of a checked build only
	exportCall       = "starloom_call_"   // and a name
	exportInitialise = "_initialize"
	exportMemory     = "memory"
)

// exportTypes are the signatures: how many i32 go in and come out.
var exportTypes = []struct {
	name            string
	params, results int
	optional        bool
}{
	{exportABI, 0, 1, false},
	{exportBank, 0, 1, true}, // describe wants it, when the version is known
	{exportAttach, 4, 1, false},
	{exportStart, 1, 0, false},
	{exportSlot, 2, 0, false},
	{exportProbeNames, 0, 1, true},
	{exportParamNames, 0, 1, true},
	{exportChecked, 0, 1, true},
}

// Load checks a wasm binary against the ABI and compiles it. The errors say
// what is wrong and what to do.
func (h *Host) Load(name string, binary []byte) (*Image, error) { return h.load(name, binary, nil) }

// load is Load, with a meter if it is not nil.
func (h *Host) load(name string, binary []byte, meter *wasm.Meter) (*Image, error) {
	if !bytes.HasPrefix(binary, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, errors.New("not a WebAssembly module; build one with `starloom firmware build`")
	}
	if meter != nil {
		h.limitKey = meter.Key
	}
	rewritten, err := rewrite(binary, meter, h.covers)
	var broken *wasm.BrokenError
	if err != nil && !errors.As(err, &broken) {
		return nil, err
	}
	var compiled wazero.CompiledModule
	if err == nil {
		compiled, err = h.runtime.CompileModule(listening(h.ctx, meter), rewritten.Binary)
	}
	if err != nil {
		return nil, brokenImage(rewritten, err)
	}
	h.compiled = append(h.compiled, compiled)
	img := &Image{Name: name, host: h, copy: rewritten, compiled: compiled, meter: meter, pristine: map[nic.BankConfig]pristine{}}
	img.believed = slices.ContainsFunc(rewritten.Globals, func(g wasm.Global) bool { return g.GivenBack && !g.Proved })
	sum := sha256.Sum256(binary)
	img.SHA256 = hex.EncodeToString(sum[:])
	if err := img.check(); err != nil {
		return nil, err
	}
	return img, img.describe()
}

// brokenImage is the error of what is not a module, or not one that is run, with what helps: to build it
// again helps only if the file is not what was built.
func brokenImage(rewritten *wasm.Copy, err error) error {
	if rewritten != nil {
		err = rewritten.Named(err)
	}
	var unknown *wasm.UnknownError
	if errors.As(err, &unknown) {
		return fmt.Errorf("%w; build it without that: firmware/ABI.md says what is refused", err)
	}
	return fmt.Errorf("broken WebAssembly module: %w; if the file is the one that was built, correct what wrote it", err)
}

// check compares imports and exports with the ABI.
func (img *Image) check() error {
	for _, f := range img.compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if module == wasm.TickModule {
			continue // of the copy; Rewrite refuses it in an image
		}
		if module == wasiModule {
			if err := checkWASI(f); err != nil {
				return err
			}
			img.Runtime = true
			continue
		}
		want, known := importTypes[name]
		if module != importModule || !known {
			return fmt.Errorf("imports the function %s.%s, which the ABI does not know; allowed are %s", wasm.Clip(module), wasm.Clip(name), importList())
		}
		img.Announces = img.Announces || name == importDeliver
		img.Results = img.Results || name == importResult
		if !slices.Equal(f.ParamTypes(), want) || len(f.ResultTypes()) != 0 {
			return fmt.Errorf("imports %s.%s as %s; include starloom.h of this version", module, name, signature(f.ParamTypes(), f.ResultTypes()))
		}
	}
	if len(img.compiled.ImportedMemories()) > 0 {
		return errors.New("imports its memory, and an image brings and exports its own; link without --import-memory")
	}
	if len(img.compiled.ExportedMemories()) != 1 || img.compiled.ExportedMemories()[exportMemory] == nil {
		return errors.New("does not export its memory as \"memory\"; use STARLOOM_FIRMWARE of starloom.h")
	}
	if own := img.ownBytes(); own > ownBytesMax {
		unit, shift := "MiB", 20
		if own>>20 == ownBytesMax>>20 {
			unit, shift = "KiB", 10
		}
		return fmt.Errorf("has %d %s of data of its own, allowed are %d; make its tables smaller", own>>shift, unit, ownBytesMax>>shift)
	}
	exports := img.compiled.ExportedFunctions()
	img.Checked = exports[exportChecked] != nil
	for _, want := range exportTypes {
		f, ok := exports[want.name]
		if !ok {
			if want.optional {
				continue
			}
			return fmt.Errorf("does not export %s; use STARLOOM_FIRMWARE of starloom.h, once, in one of its sources", want.name)
		}
		if !allI32(f.ParamTypes(), want.params) || !allI32(f.ResultTypes(), want.results) {
			return fmt.Errorf("exports %s as %s, the ABI has %d i32 parameters and %d results; use STARLOOM_FIRMWARE of starloom.h",
				want.name, signature(f.ParamTypes(), f.ResultTypes()), want.params, want.results)
		}
	}
	for name, f := range exports {
		if strings.HasPrefix(name, exportCall) && (!allI32(f.ParamTypes(), len(f.ParamTypes())) || !allI32(f.ResultTypes(), 1)) {
			return fmt.Errorf("exports %s as %s; a named call takes i32 and returns one i32; "+
				"use STARLOOM_CALL of starloom.h", wasm.Clip(name), signature(f.ParamTypes(), f.ResultTypes()))
		}
	}
	return nil
}

// migration says what to do about an image of another ABI.
func migration(version uint64) string {
	const again = "build the image again with its starloom.h"
	switch {
	case version > nic.ABIVersion:
		return "run it with the Starloom that it was built for, or " + again
	case version == 2:
		return again + " (sl_group, sl_groups, sl_index, sl_group_size, sl_scheduled and STARLOOM_CHOICE are in starloom_pops.h)"
	}
	return again
}

// describe runs the image once to read its ABI version and its names.
func (img *Image) describe() error {
	memory, err := img.reserve(describeBytesMax+img.runtimeBytes(), describeBytesMax+img.runtimeBytes())
	if err != nil {
		return err
	}
	in, err := img.instantiate(memory)
	if err != nil {
		return err
	}
	defer in.Close(img.host.ctx)
	if err := img.initialise(in); err != nil {
		return beforeHandlers(err)
	}
	img.DataBytes = img.dataBytes(in)
	version, err := img.host.call(img.host.ctx, in, in.ExportedFunction(exportABI))
	if err != nil {
		return beforeHandlers(callError(exportABI, err))
	}
	if version[0] != nic.ABIVersion {
		return fmt.Errorf("built for ABI version %d, this Starloom has version %d; %s", version[0], nic.ABIVersion, migration(version[0]))
	}
	if in.ExportedFunction(exportBank) == nil {
		return fmt.Errorf("does not export %s; use STARLOOM_FIRMWARE of starloom.h, once, in one of its sources", exportBank)
	}
	if img.Probes, err = img.names(in, exportProbeNames); err != nil {
		return err
	}
	for k, name := range img.Probes {
		if !isName(name) {
			return fmt.Errorf("probe %q: write a letter or _, then letters, digits and _ in STARLOOM_PROBES", name)
		}
		if slices.Contains(img.Probes[:k], name) {
			return fmt.Errorf("has two probes %q; rename one in STARLOOM_PROBES", name)
		}
	}
	params, err := img.names(in, exportParamNames)
	if err != nil {
		return err
	}
	if len(params) > nic.Params {
		return fmt.Errorf("has %d parameters, at most %d are possible; delete some of STARLOOM_PARAMS", len(params), nic.Params)
	}
	for _, p := range params {
		name, value, ok := strings.Cut(p, "=")
		number, err := strconv.ParseInt(value, 10, 32)
		if !ok || err != nil || !isName(name) {
			return fmt.Errorf("parameter %q: write name=default with a 32-bit integer in STARLOOM_PARAMS", p)
		}
		if slices.ContainsFunc(img.Params, func(p Param) bool { return p.Name == name }) {
			return fmt.Errorf("has two parameters %q; rename one in STARLOOM_PARAMS", name)
		}
		img.Params = append(img.Params, Param{name, int32(number)})
	}
	return nil
}

// isName reports whether a probe or parameter can be a name in scenarios, traces
// and C.
func isName(text string) bool {
	for i, c := range []byte(text) {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

const (
	describeBytesMax = 1 << 20
	ownBytesMax      = 256 << 20
	namesMax         = 64
	nameBytesMax     = 64
)

// names reads a list of C strings: an array of pointers that ends with 0.
func (img *Image) names(in api.Module, export string) (names []string, err error) {
	f := in.ExportedFunction(export)
	if f == nil {
		return nil, nil
	}
	list, err := img.host.call(img.host.ctx, in, f)
	if err != nil {
		return nil, beforeHandlers(callError(export, err))
	}
	for k := range uint32(namesMax + 1) {
		at, ok := in.Memory().ReadUint32Le(uint32(list[0]) + 4*k)
		if !ok {
			break
		}
		if at == 0 {
			return names, nil
		}
		text, ok := in.Memory().Read(at, min(nameBytesMax+1, in.Memory().Size()-min(at, in.Memory().Size())))
		end := bytes.IndexByte(text, 0)
		if !ok || end <= 0 || bytes.ContainsAny(text[:end], " \t\r\n") {
			return nil, fmt.Errorf("%s: name %d is not a string of 1 to %d characters without white space; "+
				"correct STARLOOM_PROBES or STARLOOM_PARAMS", export, k, nameBytesMax)
		}
		names = append(names, string(text[:end]))
	}
	return nil, fmt.Errorf("%s: not a list of at most %d names with a 0 at its end; correct STARLOOM_PROBES or STARLOOM_PARAMS", export, namesMax)
}

// ownBytes is the memory that the image has before anything is attached: its stack
// and its data.
func (img *Image) ownBytes() uint64 {
	return uint64(img.compiled.ExportedMemories()[exportMemory].Min()) * wasmPageBytes
}

// unknownStackBytes is the stack of an image that does not say where it starts.
const unknownStackBytes = 1 << 20

// dataBytes is at least what a fresh instance holds beside zeros, and at least what
// its memory has above the stack, but for the rounding to wasm pages: tables are
// there to be filled.
func (img *Image) dataBytes(in api.Module) uint64 {
	memory, _ := in.Memory().Read(0, in.Memory().Size())
	written := 0
	for part := range slices.Chunk(memory, len(zeros)) {
		if !bytes.Equal(part, zeros[:len(part)]) {
			written += len(part)
		}
	}
	stack := uint64(unknownStackBytes)
	for _, g := range img.copy.Globals {
		if g.GivenBack {
			stack = uint64(uint32(in.ExportedGlobal(g.Export).Get()))
			break
		}
	}
	above := img.ownBytes() - min(img.ownBytes(), stack+wasmPageBytes)
	return max(uint64(written), above)
}

// reserve takes memory for an instance that may grow by growBytesMax and will mostly grow
// by less than usual.
func (img *Image) reserve(growBytesMax, usual uint64) (linearMemory, error) {
	return img.host.memory.take(min(growBytesMax+img.ownBytes(), addressBytesMax), usual+img.ownBytes())
}

// instantiate makes a wasm instance in a memory; what else is in there stays. Nothing
// of the image runs.
func (img *Image) instantiate(memory linearMemory) (api.Module, error) {
	ctx := experimental.WithMemoryAllocator(img.host.ctx, allocator(memory))
	in, err := img.host.runtime.InstantiateModule(ctx, img.compiled,
		// Without a source of randomness of its own an instance is 5 KiB smaller;
		// nothing that an image may import reads it.
		wazero.NewModuleConfig().WithName("").WithStartFunctions().WithRandSource(strings.NewReader("")))
	if err != nil {
		return nil, fmt.Errorf("does not start: %s", firstLine(err))
	}
	return in, nil
}

// initialise runs what an image does before anything else.
func (img *Image) initialise(in api.Module) error {
	for _, name := range []string{img.copy.Start, exportInitialise} {
		if f := in.ExportedFunction(name); name != "" && f != nil {
			if _, err := img.host.call(img.host.ctx, in, f); err != nil {
				var stopped stoppedError
				if errors.As(err, &stopped) {
					return fmt.Errorf("does not start: %w", stopped)
				}
				return fmt.Errorf("does not start: %s", firstLine(err))
			}
		}
	}
	return nil
}

// frames returns the functions around an offset in the copy's code; see wasm.Places.Frames.
func (img *Image) frames(offset uint64) []wasm.Frame {
	defer img.lockPlaces()()
	return img.places.Frames(offset)
}

// breaking returns the functions around the place in which a global is changed for good.
func (img *Image) breaking(g *wasm.Global) []wasm.Frame {
	defer img.lockPlaces()()
	return img.places.Breaking(g)
}

// framesAt is frames for an offset in the image's own code section.
func (img *Image) framesAt(offset uint64) []wasm.Frame {
	defer img.lockPlaces()()
	return img.places.FramesAt(offset)
}

// lockPlaces reads the debug information, once.
func (img *Image) lockPlaces() (unlock func()) {
	img.placesLock.Lock()
	img.placesOnce.Do(func() {
		if name := img.copy.SourceMap; name == "" || img.host.maps == "" {
			img.places = img.copy.Places()
		} else if text, err := input.Read(filepath.Join(img.host.maps, path.Base(name)), ImageBytesMax); err == nil {
			img.places = img.copy.PlacesIn(text)
		}
	})
	return img.placesLock.Unlock
}

// ImageBytesMax is the size of the largest image file.
const ImageBytesMax = 64 << 20

// ReadImage reads an image: a regular file of at most ImageBytesMax bytes.
func ReadImage(path string) ([]byte, error) { return input.Read(path, ImageBytesMax) }
