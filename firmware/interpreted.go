package firmware

import (
	"errors"
	"math"

	"starloom/firmware/rv32"
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

// interpret runs instructions of the current processor: the whole turn if the debugger follows it, the last
// instructions before the end of a compute window, or those before the translation can be entered.
func (in *wasmInstance) interpret() {
	if in == nil || in.interpreter == nil {
		return
	}
	cell, ok := in.current()
	if !ok {
		return
	}
	x, state, number := in.interpreter, in.bank.State(cell), in.bank.First+cell
	turn := interpretedTurn{wasmInstance: in, state: state, number: number, last: x.cyclesLeft()}
	if x.resumed = x.resumed || in.image.window() > 0; turn.last < 0 {
		turn.last, turn.begun = ^turn.last, true
	} else if turns := rv32.TurnsOf(state); turns.Interrupted {
		turns.Interrupted = false
		turns.Put(state)
	}
	x.Attach(state)
	x.Cycles, x.Limit = 0, math.MaxUint64
	if in.image.window() > 0 {
		x.Limit = uint64(turn.last)
	}
	if d := in.image.host.debugger; d != nil && d.Follows(number) {
		turn.debugger = d
	} else if !turn.begun && in.image.interpreted.translation.Enters(x.PC) {
		return
	}
	turn.run()
}

// cyclesLeft returns program_left of the image.
func (x *interpreter) cyclesLeft() int64 {
	if err := x.left.CallWithStack(x.ctx, x.stack[:1]); err != nil {
		panic(err) // impossible: it reads a number
	}
	return int64(x.stack[0])
}

// interpretedTurn is a turn, or a part of it, in the interpreter.
type interpretedTurn struct {
	*wasmInstance
	state    []byte
	number   int
	last     int64    // cycles to the end of the compute window
	begun    bool     // the translation has executed its first instructions
	debugger Debugger // nil for none
}

func (t *interpretedTurn) run() {
	p, img := t.interpreter.Processor, t.image
	for {
		waits, err := t.step(p)
		if errors.Is(err, rv32.ErrLimit) {
			t.interrupt(p)
			break
		}
		if img.meter != nil && p.Cycles > img.meter.Limit {
			panic(t.image.interpreted.trap(p.PC, spentError{img.meter.Limit, img.host.limitKey}))
		}
		if waits {
			p.Detach(t.state, true)
			break
		}
		if t.debugger == nil && !t.begun && img.interpreted.translation.Enters(p.PC) {
			p.Detach(t.state, false)
			t.interpreter.stack[0] = uint64(t.last) - p.Cycles
			if err := t.interpreter.allow.CallWithStack(t.ctx, t.interpreter.stack[:1]); err != nil {
				panic(err) // impossible: it writes a number
			}
			break
		}
	}
	if t.costs.counter != nil {
		t.costs.counter.Set(t.costs.counter.Get() + p.Cycles)
		t.profile.count()
	}
}

// step executes an instruction, with the debugger's permission.
func (t *interpretedTurn) step(p *rv32.Processor) (waits bool, err error) {
	if t.debugger == nil {
		if waits, err = p.Step(); err != nil && !errors.Is(err, rv32.ErrLimit) {
			panic(t.image.interpreted.trap(p.PC, err))
		}
		return waits, err
	}
	if err = p.Fits(); err != nil {
		return false, err
	}
	if err = t.debugger.Before(t.number, p); err == nil {
		var cause error
		if waits, cause = p.Step(); cause == nil {
			return waits, nil
		}
		if err = t.debugger.Trapped(t.number, p, cause); err == nil {
			panic(t.image.interpreted.trap(p.PC, cause))
		}
	}
	t.image.host.stopped.Store(true)
	panic(stoppedError{err})
}

// interrupt ends the turn between two instructions.
func (t *interpretedTurn) interrupt(p *rv32.Processor) {
	turns := rv32.TurnsOf(t.state)
	turns.Interrupted = true
	turns.Count++
	turns.Spent = uint64(turns.Count)*t.image.window() - (p.Limit - p.Cycles)
	turns.Put(t.state)
	p.Detach(t.state, true)
}
