package firmware

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
)

// interpreted is the program for RISC-V of an image, and the core that executes it.
type interpreted struct {
	program     *rv32.Program
	core        *rv32.Core
	translation *rv32.Translation
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

// Followed is an Instance whose processors a debugger may follow.
type Followed interface {
	// Processor returns a processor between two turns, for reading.
	Processor(cell int) *rv32.Processor
}

// interpreter runs turns of an instance's processors instruction by instruction: the reference of the translation. It
// is the NIC's window of the program, by the functions of the image.
type interpreter struct {
	*rv32.Processor // nil for programs that it never runs

	ctx         context.Context
	memory      api.Memory
	load, store api.Function
	deep        api.Function
	left, allow api.Function // cycles until the compute window ends
	flag        uint32       // address of the word that demands the interpreter
	ramFrom     uint32
	stack       [3]uint64
	debugs      bool // a debugger may follow processors
	resumed     bool // a turn of this call began or ended between two instructions
}

func newInterpreter(ctx context.Context, module api.Module, of *interpreted) (*interpreter, error) {
	at, err := module.ExportedFunction(exportInterpreted).Call(ctx)
	if err != nil {
		return nil, err
	}
	x := &interpreter{ctx: ctx, memory: module.Memory(), load: module.ExportedFunction(exportWindowLoad),
		store: module.ExportedFunction(exportWindowStore), flag: uint32(at[0]), ramFrom: of.program.RAM.From,
		deep: module.ExportedFunction(exportDeep),
		left: module.ExportedFunction(exportLeft), allow: module.ExportedFunction(exportAllow)}
	x.Processor = rv32.NewProcessor(of.program, of.core, (*window)(x))
	return x, nil
}

// demand demands the interpreter for all turns of the instance, or withdraws the demand.
func (x *interpreter) demand(value uint32) {
	if x != nil && x.debugs {
		x.memory.WriteUint32Le(x.flag, value)
	}
}

type window interpreter

func (w *window) Load(address, bytes uint32) (uint32, error) {
	w.stack[0], w.stack[1] = uint64(address-w.ramFrom), uint64(bytes)
	err := w.load.CallWithStack(w.ctx, w.stack[:2])
	return uint32(w.stack[0]), err
}

func (w *window) Store(address, bytes, value uint32) error {
	w.stack = [3]uint64{uint64(address - w.ramFrom), uint64(value), uint64(bytes)}
	return w.store.CallWithStack(w.ctx, w.stack[:])
}

func (w *window) Deep() error { return w.deep.CallWithStack(w.ctx, nil) }

// interpretedError is a trap of an interpreted instruction.
type interpretedError struct {
	error
	frame wasm.Frame
}

func (e interpretedError) Unwrap() error { return e.error }

// trapText is the text of traps that no host function explains, as in the translation.
const trapText = "unreachable"

// text returns the text of the trap's event, for the message of its cause.
func (e interpretedError) text(message string) string {
	var trap *rv32.TrapError
	if errors.As(e.error, &trap) {
		return trapText
	}
	return message
}

// trap returns the trap of an interpreted instruction.
func (of *interpreted) trap(pc uint32, cause error) error {
	function, file, line := of.program.Place(pc)
	e := interpretedError{cause, wasm.Frame{Function: cmp.Or(function, fmt.Sprintf("code at %#x", pc))}}
	if line > 0 {
		e.frame.Source = fmt.Sprintf("%s:%d", file, line)
	}
	e.frame.Instructions = of.program.Around(pc)
	return e
}

// around disassembles the program around an offset in the image's code section; "" for code of its runtime.
func (of *interpreted) around(offset uint64, ok bool) string {
	if of == nil || !ok {
		return ""
	}
	pc, ok := of.translation.Origin(offset)
	if !ok {
		return ""
	}
	return of.program.Around(pc)
}
