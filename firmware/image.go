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

	"starloom/firmware/wasm"
	"starloom/nic"
	"starloom/traces/input"
)

// Image is a checked and compiled firmware image.
type Image struct {
	Name   string
	SHA256 string
	Probes []string // names of sl_probe's signals
	Params []Param  // parameters and their defaults

	ResultNames []string // names of sl_result's words, from 0 on

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

// pristine is an instance's state after its attachment; Reset writes the host's configuration again.
type pristine struct {
	memory  []byte // up to its last byte that is not zero
	bytes   int    // of the whole memory
	globals []uint64
}

// ownBytes is the image's memory before any attach: its stack and its data.
func (img *Image) ownBytes() uint64 {
	return uint64(img.compiled.ExportedMemories()[exportMemory].Min()) * wasmPageBytes
}

// reserve takes memory for an instance that may grow by growBytesMax, mostly by less than usual.
func (img *Image) reserve(growBytesMax, usual uint64) (linearMemory, error) {
	return img.host.memory.take(min(growBytesMax+img.ownBytes(), addressBytesMax), usual+img.ownBytes())
}

// instantiate makes a wasm instance in a memory, whose content stays. Nothing of the image runs.
func (img *Image) instantiate(memory linearMemory) (api.Module, error) {
	ctx := experimental.WithMemoryAllocator(img.host.ctx, allocator(memory))
	in, err := img.host.runtime.InstantiateModule(ctx, img.compiled,
		// Without a source of randomness an instance is 5 KiB smaller; nothing that an image may import reads it.
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

// frames returns the functions around an offset in the copy's code; see wasm.Places.Frames.
func (img *Image) frames(offset uint64) []wasm.Frame {
	defer img.lockPlaces()()
	return img.places.Frames(offset)
}

func (img *Image) breaking(g *wasm.Global) []wasm.Frame {
	defer img.lockPlaces()()
	return img.places.Breaking(g)
}

// framesAt is frames for an offset in the image's own code section.
func (img *Image) framesAt(offset uint64) []wasm.Frame {
	defer img.lockPlaces()()
	return img.places.FramesAt(offset)
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

// ImageBytesMax is the size of the largest image file.
const ImageBytesMax = 64 << 20

// ReadImage reads an image: a regular file of at most ImageBytesMax bytes.
func ReadImage(path string) ([]byte, error) { return input.Read(path, ImageBytesMax) }

// A bank may take for one processor, beyond its FIFOs, the largest state and
// columnBytesMax, and an instance bytesBase beyond its bank and the image's own data.
// Few states are larger than usualBytes.
const (
	columnBytesMax  = 1024
	usualBytes      = 4096
	bytesBase       = 1 << 20
	addressBytesMax = 1<<32 - wasmPageBytes
)

// runtimeBytesMax is the further growth allowed to the memory of an image with a runtime and a heap.
const runtimeBytesMax = 16 << 20

func (img *Image) runtimeBytes() uint64 {
	if img.Runtime {
		return runtimeBytesMax
	}
	return 0
}
