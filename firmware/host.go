package firmware

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tetratelabs/wazero"

	"starloom/nic"
)

// Host runs firmware images in a wazero sandbox. It and its images are for one
// goroutine at a time, except that instances may be made and run in parallel.
type Host struct {
	ctx      context.Context
	runtime  wazero.Runtime
	memory   slab
	until    atomic.Pointer[context.Context] // until it ends, the image may run
	stopped  atomic.Bool                     // a call of the image was ended
	turns    uint64                          // after so many a call traps; 0: see Limit
	endless  atomic.Bool                     // one has
	covers   bool                            // images note their way: see Cover
	compiles bool                            // instead of interpreting

	maps     string // MapsIn
	limitKey string // wasm.Meter.Key of the last image with a meter: a host has one

	compiled []wazero.CompiledModule
}

// Runtimes are the ways to execute an image: results are the same, the
// interpreter is about 28 times slower and serves as the compiler's oracle.
var Runtimes = []string{"compiler", "interpreter"}

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

func (h *Host) Close() error {
	err := h.runtime.Close(h.ctx)
	for _, compiled := range h.compiled {
		err = errors.Join(err, compiled.Close(h.ctx))
	}
	h.compiled = nil
	h.memory.close()
	return err
}
