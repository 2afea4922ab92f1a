package firmware

import (
	"cmp"
	"errors"
	"fmt"

	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
)

// Debug runs the processors that the debugger follows in the interpreter. Call it before instances are made.
func (h *Host) Debug(d Debugger) { h.debugger = d }

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

// interpret runs the turn of the current processor if the debugger follows it.
func (in *wasmInstance) interpret() {
	if in == nil || in.interpreter == nil {
		return
	}
	cell, ok := in.current()
	if d := in.image.host.debugger; ok && d.Follows(in.bank.First+cell) {
		in.interpretTurn(in.bank.State(cell), in.bank.First+cell, d)
	}
}

func (in *wasmInstance) interpretTurn(state []byte, number int, d Debugger) {
	p, host := in.interpreter.Processor, in.image.host
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

func (in *wasmInstance) interpretedTrap(pc uint32, cause error) error {
	function, file, line := in.image.interpreted.program.Place(pc)
	e := interpretedError{cause, wasm.Frame{Function: cmp.Or(function, fmt.Sprintf("code at %#x", pc))}}
	if line > 0 {
		e.frame.Source = fmt.Sprintf("%s:%d", file, line)
	}
	return e
}
