//go:build shared && unix

package verilator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"starloom/cosim"
)

// Shared is RTL as a native library, which stays loaded until the process ends. It
// is not in a sandbox: a crash in it ends Starloom.
type Shared struct {
	Description
	open, start, settle, edge, step, close, part uintptr
}

var sharedTarget = target{
	ending:   ".so",
	compiler: gccTool,
	compile:  []string{"-fPIC"},
	linker:   gccTool,
	link: []string{
		"-fPIC", "-shared", "-Wl,-Bsymbolic", "-Wl,--exclude-libs,ALL", "-static-libstdc++", "-static-libgcc", "-pthread", "-s",
	},
}

// BuildShared compiles a design to a native library, or finds the result of an
// earlier build, and loads it. Errors are those of Build.
func BuildShared(ctx context.Context, s cosim.Source, o cosim.BuildOptions) (*Shared, error) {
	description, path, err := build(ctx, s, o, sharedTarget)
	if err != nil {
		return nil, err
	}
	library, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("loading what was built of %s: %w", s.Name(), err)
	}
	shared := &Shared{Description: description}
	for name, symbol := range map[string]*uintptr{
		"sl_open": &shared.open, "sl_start": &shared.start, "sl_settle": &shared.settle, "sl_edge": &shared.edge,
		"sl_step": &shared.step, "sl_close": &shared.close, "sl_part": &shared.part,
	} {
		if *symbol, err = purego.Dlsym(library, name); err != nil {
			return nil, fmt.Errorf("loading what was built of %s: %w", s.Name(), err)
		}
	}
	return shared, shared.placeData(library, path+".data")
}

// placeData puts the files of $readmem beside the library, where it looks for them.
func (s *Shared) placeData(library uintptr, folder string) error {
	if len(s.Data) == 0 {
		return nil
	}
	for name, text := range s.Data {
		if filepath.IsAbs(name) {
			continue
		}
		to := filepath.Join(folder, filepath.FromSlash(dataPath(name)))
		if old, err := os.ReadFile(to); err == nil && bytes.Equal(old, text) {
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o644)); err != nil {
			return &cosim.InputError{
				Place:  to,
				Reason: fmt.Sprintf("cannot hold a file of $readmem: %v", cosim.Reason(err)),
				Remedy: "name another directory with --cache",
			}
		}
	}
	data, err := purego.Dlsym(library, "sl_data")
	if err != nil {
		return err
	}
	text := append([]byte(folder), 0)
	call(data, uintptr(unsafe.Pointer(&text[0])))
	runtime.KeepAlive(text)
	return nil
}

// sharedDevice is one instance of a Shared. Its columns are memory of the library.
type sharedDevice struct {
	shared          *Shared
	self            uintptr
	limit           time.Duration
	clocks          uint64
	inputs, outputs []uint64
	cycles          *uint64
	printed         *glueLog
	text, log       []byte
	kept            cosim.KeptLog
	err             error // what ended the device
	closed          bool
}

// OpenShared makes a device of a library. It has two states, cannot save them,
// and keeps what the circuit prints: it is a Logger. $time counts edges. The memory of
// a device that ended with a fault is not freed. $random is one sequence per
// thread of the process: use wasm where it matters.
//
// Errors: a *Fault, if the circuit ends the simulation before the first cycle.
func OpenShared(s *Shared, o cosim.Options) (cosim.Device, error) {
	d := &sharedDevice{shared: s, limit: o.Limit(), clocks: cosim.ClockMask(s.Ports)}
	d.self = call(s.open, uintptr(o.Seed), uintptr(d.limit.Nanoseconds()))
	in, out := cosim.Words(s.Ports)
	part := func(part uintptr) uintptr { return call(s.part, d.self, part) }
	d.inputs, d.outputs = view[uint64](part(partInputs), in), view[uint64](part(partOutputs), out)
	d.cycles = &view[uint64](part(partCycles), 1)[0]
	d.printed = &view[glueLog](part(partLog), 1)[0]
	d.text, d.log = view[byte](part(partText), textBytes), view[byte](part(partLogText), logBytes)
	if call(s.start, d.self) != 0 {
		if err := d.after(); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	return d, nil
}

func call(function uintptr, arguments ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(function, arguments...)
	return result
}

// view is memory of the library, which no garbage collector moves or frees.
func view[T any](address uintptr, count int) []T {
	if count == 0 {
		return nil
	}
	return unsafe.Slice(*(**T)(unsafe.Pointer(&address)), count)
}

func (d *sharedDevice) Ports() []cosim.Port { return d.shared.Ports }
func (d *sharedDevice) Inputs() []uint64    { return d.inputs }
func (d *sharedDevice) Outputs() []uint64   { return d.outputs }
func (d *sharedDevice) Unknown() []uint64   { return nil }
func (d *sharedDevice) Log() string         { return string(d.kept) }

func (d *sharedDevice) Settle() error {
	if d.err != nil {
		return d.err
	}
	if result, _, _ := purego.SyscallN(d.shared.settle, d.self); uint32(result) != 0 {
		return d.after()
	}
	return nil
}

func (d *sharedDevice) Edge(clocks uint64) error {
	if d.err != nil || clocks&^d.clocks != 0 {
		return refuseClocks(d.err, &d.shared.Description, clocks)
	}
	if result, _, _ := purego.SyscallN(d.shared.edge, d.self, uintptr(clocks)); uint32(result) != 0 {
		return d.after()
	}
	return nil
}

func (d *sharedDevice) Step(clocks uint64, cycles int) error {
	if d.err != nil || clocks&^d.clocks != 0 {
		return refuseClocks(d.err, &d.shared.Description, clocks)
	}
	for cycles > 0 {
		part := min(cycles, stepCyclesMax)
		if result, _, _ := purego.SyscallN(d.shared.step, d.self, uintptr(clocks), uintptr(part)); uint32(result) != 0 {
			if err := d.after(); err != nil {
				return err
			}
		}
		cycles -= part
	}
	return nil
}

// after takes what was printed, and finds out how a call ended.
func (d *sharedDevice) after() error {
	takeLog(&d.kept, d.log, d.printed)
	if kind, ended := endKinds[d.printed.end]; ended {
		switch {
		case d.printed.end == endEndless:
			d.err = hangFault(&d.shared.Description, *d.cycles, 0)
		case kind == cosim.FaultHang:
			d.err = hangFault(&d.shared.Description, *d.cycles, d.limit)
		default:
			d.err = fault(kind, &d.shared.Description, *d.cycles, d.text)
		}
		return d.err
	}
	return nil
}

func (d *sharedDevice) Save() ([]byte, error) { return nil, cosim.ErrNoSnapshot }
func (d *sharedDevice) Restore([]byte) error  { return cosim.ErrNoSnapshot }

func (d *sharedDevice) Close() error {
	if d.closed {
		return nil
	}
	d.closed = true
	// Objects that were left in the middle of an evaluation cannot be freed safely.
	if d.err == nil {
		call(d.shared.close, d.self)
	}
	d.inputs, d.outputs = nil, nil
	d.err = errClosed(&d.shared.Description)
	return nil
}
