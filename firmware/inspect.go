package firmware

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starloom/nic"
	"starloom/traces/input"
)

// Info describes an image.
type Info struct {
	Name   string `json:"image"`
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
	// bytes of the state, RX FIFO and TX FIFO of one processor, with one frame of 16 payload bytes in each FIFO
	RecordBytes int      `json:"record_bytes"`
	Params      []Param  `json:"params"`
	Probes      []string `json:"probes"`
	Results     []string `json:"results,omitempty"` // names of results, from word 0
	Schedule    bool     `json:"needs_schedule"`    // the scenario must provide a schedule
	ROM         bool     `json:"needs_rom"`         // the network must provide tables
	Recursive   []string `json:"recursive"`
	Runtime     bool     `json:"brings_runtime"` // contains a language runtime; one processor per instance
	Checked     bool     `json:"checked"`        // checked build: `starloom firmware build --debug`
}

// Inspect checks and describes an image: a file, or the name of a built-in program. It runs the image's
// initialisation and attachment, with at most LimitDefault instructions per call, until ctx ends.
func Inspect(ctx context.Context, path string) (Info, error) {
	binary, err := findImage(path)
	if err != nil {
		return Info{}, err
	}
	return InspectImage(ctx, path, binary)
}

// RemedyOfUnread returns the remedy for an unreadable image: a build from a source in the same folder or, for a name
// that does not look like a file, the correction of a mistyped program.
func RemedyOfUnread(path, name string, programs []string, err error) string {
	remedy := "give an image built by `starloom firmware build`"
	if !errors.Is(err, os.ErrNotExist) {
		return remedy
	}
	for _, ending := range slices.Sorted(maps.Keys(languageFlags)) {
		source := strings.TrimSuffix(path, filepath.Ext(path)) + ending
		if _, err := os.Stat(source); err == nil && source != path {
			return fmt.Sprintf("build it from its source: 'starloom firmware build %s'", source)
		}
	}
	if filepath.Ext(name) == ".wasm" || len(programs) == 0 {
		return remedy
	}
	return input.DidYouMean(name, programs, remedy+", or one of the programs "+strings.Join(programs, ", "))
}

func findImage(path string) ([]byte, error) {
	binary, _, err := input.Argument(path, ImageBytesMax)
	if errors.Is(err, os.ErrNotExist) {
		if builtin, builtinErr := ProgramImage(path); builtinErr == nil {
			return builtin, nil
		}
	}
	return binary, err
}

// InspectImage is Inspect for the bytes of an image; errors contain name.
func InspectImage(ctx context.Context, name string, wasm []byte) (info Info, err error) {
	host, err := NewHost(ctx, "compiler")
	if err != nil {
		return Info{}, err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	image, err := host.LoadMetered(name, wasm, CountingMeter(wasm))
	if err != nil {
		return Info{}, err
	}
	in, err := image.NewInstance(nic.BankConfig{
		Cells: 1, Processors: 1, Shape: [nic.ShapeWords]uint32{1, 1, 1, 1, 1, 1, 1, 1}, Ports: 1,
		Sizes: nic.Sizes{PayloadBytes: 16, RxFrames: 1, TxFrames: 1}, ROMWords: 1, MachineROM: 1,
	})
	if err != nil {
		return Info{}, beforeHandlers(err)
	}
	return Info{
		Name: name, SHA256: image.SHA256, Bytes: len(wasm), RecordBytes: in.Bank().RecordBytes(),
		Params: image.Params, Probes: image.Probes, Results: image.ResultNames, Schedule: in.Bank().Schedule != nil,
		ROM:       in.Bank().TakesROM,
		Recursive: image.Recursive(), Runtime: image.Runtime, Checked: image.Checked,
	}, nil
}

func (i Info) write(t io.Writer) {
	fmt.Fprintf(t, "image\t%s\n", i.Name)
	fmt.Fprintf(t, "size\t%d bytes\n", i.Bytes)
	fmt.Fprintf(t, "sha256\t%s\n", i.SHA256)
	fmt.Fprintf(t, "abi\t%d\n", nic.ABIVersion)
	fmt.Fprintf(t, "record\t%d bytes per processor with FIFOs of one 16-byte frame\n", i.RecordBytes)
	if i.Checked {
		fmt.Fprintf(t, "checked\t%s\n", CheckedText)
	}
	for _, p := range i.Params {
		fmt.Fprintf(t, "parameter\t%s, default %d\n", p.Name, p.Default)
	}
	if len(i.Probes) > 0 {
		fmt.Fprintf(t, "probes\t%s\n", strings.Join(i.Probes, ", "))
	}
	if len(i.Results) > 0 {
		fmt.Fprintf(t, "results\t%s\n", strings.Join(i.Results, ", "))
	}
	if i.Schedule {
		fmt.Fprintln(t, "schedule\tneeded: firmware: {schedule: offline} or {schedule: sort} in the scenario")
	}
	if i.ROM {
		fmt.Fprintln(t, "rom\tneeded: the tables of a network")
	}
	if len(i.Recursive) > 0 {
		fmt.Fprintf(t, "recursion\t%s\n", RecursionText(i.Recursive))
	}
}

// CheckedText describes how a checked build affects costs.
const CheckedText = "a checked build (firmware build --debug): its handlers cost more than the handlers of a " +
	"release build"

// RecursionText describes the effect of recursive functions on a run.
func RecursionText(functions []string) string {
	return fmt.Sprintf("functions that may call themselves (%s): the interpreter ends recursion after about 2,000 calls "+
		"(stack overflow), the compiler much later", some(functions))
}
