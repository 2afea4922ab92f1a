package firmware

import (
	_ "embed"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"starloom/firmware/rv32"
	"starloom/firmware/variables"
	"starloom/firmware/wasm"
	"starloom/nic"
	"starloom/traces/input"
)

// Image is a checked and compiled firmware image.
type Image struct {
	Name   string
	SHA256 string
	Probes []string // names of sl_probe signals
	Params []Param

	ResultNames []string // names of sl_result words, from word 0

	// estimated size in bytes of the image's own data per instance: tables and static variables, without the stack
	DataBytes uint64

	Announces bool // the image imports deliver, so it may announce arrived packets
	Results   bool // imports result
	Runtime   bool // the image contains a language runtime; one processor per instance
	Checked   bool // checked build, see BuildOptions.Debug

	believed     bool // no proof that calls restore all globals
	host         *Host
	copy         *wasm.Copy // rewritten image
	compiled     wazero.CompiledModule
	meter        *wasm.Meter                 // nil without costs
	interpreted  *interpreted                // nil for WebAssembly
	pristine     map[nic.BankConfig]pristine // states by shape of the bank
	pristineLock sync.Mutex

	places     *wasm.Places // read at the first trap
	placesOnce sync.Once
	placesLock sync.Mutex
}

// Recursive returns the functions of the program that may recurse.
func (img *Image) Recursive() []string {
	if img.interpreted == nil {
		return img.copy.Recursive
	}
	var names []string // without the numbers of the translation
	for _, function := range img.copy.Recursive {
		_, name, _ := strings.Cut(function, " (")
		names = append(names, strings.TrimSuffix(name, ")"))
	}
	return rv32.InProgram(names, func(name string) string { return name })
}

// Param is a parameter whose value a scenario may set.
type Param struct {
	Name    string `json:"name"`
	Default int32  `json:"default"`
}

type pristine struct {
	memory  []byte // memory up to the last nonzero byte
	bytes   int    // memory size
	globals []uint64
}

// ownBytes returns the image's memory before attachment in bytes: stack and data.
func (img *Image) ownBytes() uint64 {
	return uint64(img.compiled.ExportedMemories()[exportMemory].Min()) * wasmPageBytes
}

// reserve reserves memory for an instance. The memory may grow by growBytesMax; usually fewer than usual bytes are
// touched.
func (img *Image) reserve(growBytesMax, usual uint64) (linearMemory, error) {
	return img.host.memory.take(min(growBytesMax+img.ownBytes(), addressBytesMax), usual+img.ownBytes())
}

// instantiate creates a wasm instance on a memory without changing its content. The image's code does not run.
func (img *Image) instantiate(memory linearMemory) (api.Module, error) {
	ctx := experimental.WithMemoryAllocator(img.host.ctx, allocator(memory))
	in, err := img.host.runtime.InstantiateModule(ctx, img.compiled,
		// Without a random source an instance is 5 KiB smaller. No permitted import reads random bytes.
		wazero.NewModuleConfig().WithName("").WithStartFunctions().WithRandSource(strings.NewReader("")))
	if err != nil {
		return nil, fmt.Errorf("does not start: %s", firstLine(err))
	}
	return in, nil
}

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

func (img *Image) frames(offset uint64) []wasm.Frame {
	defer img.lockPlaces()()
	return img.places.Frames(offset)
}

func (img *Image) breaking(g *wasm.Global) []wasm.Frame {
	defer img.lockPlaces()()
	return img.places.Breaking(g)
}

func (img *Image) framesAt(offset uint64) []wasm.Frame {
	defer img.lockPlaces()()
	return img.places.FramesAt(offset)
}

// StateLayout locates the variables in a processor's state of the given size. Errors complete the sentence "the image
// ...".
func (img *Image) StateLayout(bytes int) (*variables.Layout, error) {
	defer img.lockPlaces()()
	return variables.Read(img.places.Data(), bytes)
}

func (img *Image) lockPlaces() (unlock func()) {
	img.placesLock.Lock()
	img.placesOnce.Do(func() {
		if name := img.copy.SourceMap; name == "" || img.host.maps == "" {
			img.places = img.copy.Places()
		} else if text, err := input.Read(filepath.Join(img.host.maps, path.Base(name)), wasm.SourceMapBytesMax); err == nil {
			img.places = img.copy.PlacesIn(text)
		}
	})
	return img.placesLock.Unlock
}

// ImageBytesMax is the maximum size of an image file in bytes.
const ImageBytesMax = 64 << 20

// ReadImage reads an image: a regular file of at most ImageBytesMax bytes.
func ReadImage(path string) ([]byte, error) { return input.Read(path, ImageBytesMax) }

// Memory limits in bytes. A processor may have the largest state and, in addition to its FIFOs, columnBytesMax. An
// instance may have bytesBase in addition to its bank and the image's data. Few states exceed usualBytes.
const (
	columnBytesMax  = 1024
	usualBytes      = 4096
	bytesBase       = 1 << 20
	addressBytesMax = 1<<32 - wasmPageBytes
)

const runtimeBytesMax = 16 << 20

func (img *Image) runtimeBytes() uint64 {
	if img.Runtime {
		return runtimeBytesMax
	}
	return 0
}

// window returns the cost after which a slot's turn ends between two instructions, 0 for none.
func (img *Image) window() uint64 {
	if img.meter == nil {
		return 0
	}
	return img.meter.Window
}
