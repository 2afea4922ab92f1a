// Package firmware runs controller firmware in a wazero sandbox.
//
//	programs/FABRIC/NAME.c --clang--> images/FABRIC/NAME.wasm --embed--> Host.Load -> Image
//	                                                                              |
//	                                                                      Image.NewInstance
//	  memory of one instance:                                                     |
//	  | program | columns | records: state, head of each FIFO | planes: the rest |  Instance
//	              ^ nic.Bank, the host's view
//
// One instance serves a bank of processors (banked) or a single processor (isolated), with the same image. A trap in
// a handler disables only its own processor. The executed code is a copy of the image, rewritten by package wasm:
// globals are state, loops can be stopped, and NaNs have equal bits on every platform. The SHA-256 is that of the
// original image.
//
// ABI.md defines exports, imports and the order of calls.
package firmware

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tetratelabs/wazero"

	"starloom/nic"
)

// Host runs firmware images in a wazero sandbox. A host and its images must not be used concurrently, but instances
// may be created and run in parallel.
type Host struct {
	ctx      context.Context
	runtime  wazero.Runtime
	memory   slab
	until    atomic.Pointer[context.Context] // images may run until this context ends
	stopped  atomic.Bool                     // a call was ended
	turns    uint64                          // number of iterations after which a call traps, 0 for no limit; see Limit
	endless  atomic.Bool                     // a call has trapped by Limit
	debugger Debugger                        // nil for none
	covers   bool                            // images record coverage: see Cover
	compiles bool                            // compiler, not interpreter
	choose   func(Draw) (uint32, error)      // nil: draws follow the seed; see Choose

	maps     string // folder of source maps
	limitKey string // wasm.Meter.Key of the last metered image

	compiled []wazero.CompiledModule
}

// Runtimes lists equivalent runtimes. The interpreter is about 28 times slower and is the reference for the compiler.
var Runtimes = []string{"compiler", "interpreter"}

// Until sets the context in which images may run. If ctx ends, a running call stops within wasm.TickTurns loop
// iterations. The stopped handler records no event, and its bank is unusable until Reset.
func (h *Host) Until(ctx context.Context) {
	h.until.Store(&ctx)
	h.stopped.Store(false)
}

// MapsIn sets the folder of the source maps named in images. Without a map, traps have no source lines.
func (h *Host) MapsIn(folder string) { h.maps = folder }

// Stopped reports whether a call was stopped since Until.
func (h *Host) Stopped() bool { return h.stopped.Load() }

type stoppedError struct{ cause error }

func (e stoppedError) Error() string { return "interrupted" }
func (e stoppedError) Unwrap() error { return e.cause }

func beforeHandlers(err error) error { return fmt.Errorf("%w; %s", err, RemedyOfAttach(err)) }

// RemedyOfAttach returns the remedy for an image that cannot serve a bank.
func RemedyOfAttach(err error) string {
	switch {
	case errors.Is(err, nic.ErrLargeState):
		return "make the struct that STARLOOM_FIRMWARE names smaller"
	case errors.Is(err, nic.ErrNoRoom):
		return "a state may take 1 MiB, and a bank 4 GiB: make the state smaller, or use smaller banks with --bank, or " +
			"mode: isolated"
	}
	return "correct the code that the image runs before its handlers"
}

func callError(what string, err error) error {
	var stopped stoppedError
	if errors.As(err, &stopped) {
		return fmt.Errorf("%s: %w", what, stopped)
	}
	return trapError{what, err}
}

type trapError struct {
	what  string
	cause error
}

func (e trapError) Error() string { return fmt.Sprintf("%s traps: %s", e.what, firstLine(e.cause)) }
func (e trapError) Unwrap() error { return e.cause }

func (h *Host) Close() error {
	err := h.runtime.Close(h.ctx)
	for _, compiled := range h.compiled {
		err = errors.Join(err, compiled.Close(h.ctx))
	}
	h.compiled = nil
	h.memory.close()
	return err
}

// Draw is a random draw of a handler: sl_chance, sl_random_bits or sl_random_below.
type Draw struct {
	Processor int
	Drawn     uint32 // outcome by the seed
	Outcomes  uint32 // outcomes are 0..Outcomes-1, or only Drawn if Outcomes is 1; 0: sl_random, with 2^32 outcomes
}

// Choose makes images loaded from now on ask choose for the outcome of every draw. An error ends the handler like a
// trap. Handlers of different instances ask at once.
func (h *Host) Choose(choose func(Draw) (outcome uint32, err error)) { h.choose = choose }
