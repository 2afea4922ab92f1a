package firmware

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
)

// interpreted is the program for RISC-V of an image, and the core that executes it.
type interpreted struct {
	program *rv32.Program
	core    *rv32.Core
}

// Debugger follows processors instruction by instruction.
type Debugger interface {
	// Follows reports whether a processor runs in the interpreter.
	Follows(processor int) bool
	// Before is called before each instruction of such a processor. An error ends the call and the run, as the end of
	// Until's context does.
	Before(processor int, p *rv32.Processor) error
	// Trapped is called in place of the next Before if the instruction traps; the cause is that of the event.
	Trapped(processor int, p *rv32.Processor, cause error) error
}

// Debug runs the processors that the debugger follows in the interpreter. Call it before instances are made.
func (h *Host) Debug(d Debugger) { h.debugger = d }

// Followed is an Instance whose processors a debugger may follow.
type Followed interface {
	// Processor returns a processor between two turns, for reading.
	Processor(cell int) *rv32.Processor
}

// Processor implements Followed.
func (in *wasmInstance) Processor(cell int) *rv32.Processor {
	of := in.image.interpreted
	p := rv32.NewProcessor(of.program, of.core, nil)
	if state := in.bank.State(cell); rv32.Begun(state) {
		p.Attach(state)
	}
	return p
}

// GivesUp reports whether a program has trapped because it gives up with a code.
func GivesUp(err error) bool {
	var gaveUp gaveUpError
	return errors.As(err, &gaveUp)
}

// interpreter runs turns of an instance's processors instruction by instruction: the reference of the translation. The
// NIC's window is that of the image.
type interpreter struct {
	processor   *rv32.Processor
	load, store api.Function // of the window
	flag        uint32       // address of the word that demands the interpreter
	ramFrom     uint32
	stack       [3]uint64
}

func (in *wasmInstance) prepareInterpreter() error {
	of := in.image.interpreted
	if of == nil || in.image.host.debugger == nil {
		return nil
	}
	at, err := in.image.host.call(in.ctx, in.module, in.module.ExportedFunction(exportInterpreted))
	if err != nil {
		return callError(exportInterpreted, err)
	}
	in.flag, in.ramFrom = uint32(at[0]), of.program.RAM.From
	in.load, in.store = in.module.ExportedFunction(exportWindowLoad), in.module.ExportedFunction(exportWindowStore)
	in.processor = rv32.NewProcessor(of.program, of.core, (*window)(in))
	return nil
}

// demand demands the interpreter for all turns of the instance, or withdraws the demand.
func (in *wasmInstance) demand(value uint32) {
	if in.processor != nil {
		in.module.Memory().WriteUint32Le(in.flag, value)
	}
}

// interpret runs the turn of the current processor if the debugger follows it.
func (in *wasmInstance) interpret() {
	if in == nil || in.processor == nil {
		return
	}
	cell, ok := in.current()
	if d := in.image.host.debugger; ok && d.Follows(in.bank.First+cell) {
		in.interpretTurn(in.bank.State(cell), in.bank.First+cell, d)
	}
}

func (in *wasmInstance) interpretTurn(state []byte, number int, d Debugger) {
	p, host := in.processor, in.image.host
	p.Attach(state)
	p.Cycles = 0
	for waits := false; !waits; {
		err := d.Before(number, p)
		if err == nil {
			var cause error
			if waits, cause = p.Step(); cause != nil {
				if err = d.Trapped(number, p, cause); err == nil {
					panic(in.interpretedTrap(p.PC, cause))
				}
			}
		}
		if err != nil {
			host.stopped.Store(true)
			panic(stoppedError{err})
		}
		if in.image.meter != nil && p.Cycles > in.image.meter.Limit {
			panic(in.interpretedTrap(p.PC, spentError{in.image.meter.Limit, host.limitKey}))
		}
	}
	p.Detach(state, true)
	if in.costs.counter != nil {
		in.costs.counter.Set(in.costs.counter.Get() + p.Cycles)
	}
}

// interpretedError is a trap of an interpreted instruction.
type interpretedError struct {
	error
	frame wasm.Frame
}

func (e interpretedError) Unwrap() error { return e.error }

// trapText is the text of traps that no host function explains, as in the translation.
const trapText = "unreachable"

func (e interpretedError) text() string {
	var trap *rv32.TrapError
	if errors.As(e.error, &trap) {
		return trapText
	}
	return firstLine(e.error)
}

func (in *wasmInstance) interpretedTrap(pc uint32, cause error) error {
	function, file, line := in.image.interpreted.program.Place(pc)
	e := interpretedError{cause, wasm.Frame{Function: cmp.Or(function, fmt.Sprintf("code at %#x", pc))}}
	if line > 0 {
		e.frame.Source = fmt.Sprintf("%s:%d", file, line)
	}
	return e
}

// window is the NIC's window of an instance, by the functions of its image.
type window wasmInstance

func (w *window) Load(address, bytes uint32) (uint32, error) {
	w.stack[0], w.stack[1] = uint64(address-w.ramFrom), uint64(bytes)
	err := w.load.CallWithStack(w.ctx, w.stack[:2])
	return uint32(w.stack[0]), err
}

func (w *window) Store(address, bytes, value uint32) error {
	w.stack = [3]uint64{uint64(address - w.ramFrom), uint64(value), uint64(bytes)}
	return w.store.CallWithStack(w.ctx, w.stack[:])
}
