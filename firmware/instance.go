package firmware

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"unsafe"

	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm"
	"starloom/nic"
	"starloom/traces"
)

// Instance serves one bank of processors. Methods of different instances, except Close, may run in parallel.
type Instance interface {
	// Bank returns the registers and FIFOs.
	Bank() *nic.Bank
	// Start calls the start handlers of all cells, in order.
	Start()
	// Slot calls the slot handlers of the given cells, in order.
	Slot(cells []uint32, slot uint32)
	// Restart returns cells, in ascending order, to their state before Start, and calls their start handlers. If
	// these are all cells of the instance, Restart resets the whole memory except the host's data for the processors.
	Restart(cells []uint32)
	// Reset returns the instance to its state before Start, with a new seed.
	Reset(seed uint64)
	// Costs returns the costs of the last Start or Slot, in the order of its cells. The cost of a trapped handler is
	// 0, that of a handler which goes on in the next slot CostGoesOn. The slice is empty without a meter, and valid
	// until the next Start or Slot.
	Costs() []uint32
	// TakeEvents returns the events since the last call, in the order of cells. The events are valid until the next
	// Slot.
	TakeEvents() []Event
	// Probes returns the values of sl_probe, len(Image.Probes) per cell.
	Probes() []uint64
	// Memory and Globals return the complete firmware state.
	Memory() []byte
	Globals() []uint64
	// SetState restores values of Memory and Globals.
	SetState(memory []byte, globals []uint64) error
}

// CostGoesOn stands for the cost of a handler whose turn ended between two instructions (wasm.Meter.Window).
const CostGoesOn = math.MaxUint32

// Caller is an Instance whose image exports functions for use by the network.
type Caller interface {
	// Call calls the function with the given name (STARLOOM_CALL). The network defines the meaning of the arguments.
	// Call returns ErrNoCall if the image does not export the function.
	Call(name string, arguments ...uint32) (uint32, error)
}

// Profiler is an Instance of an image loaded by LoadProfiled.
type Profiler interface {
	Instance
	// ProfileSlot calls the slot handler of a cell and returns its cost profile.
	ProfileSlot(cell, slot uint32) *Profile
}

// ErrNoCall means that the image does not export the called function.
var ErrNoCall = errors.New("the firmware has no such call")

type wasmInstance struct {
	image   *Image
	ctx     context.Context
	module  api.Module
	bank    *nic.Bank
	start   api.Function
	slot    api.Function
	memory  linearMemory
	globals []api.MutableGlobal // image.copy.Globals
	before  []uint64            // values before the running call, for globals with GivenBack
	params  [3]uint64
	metering
	extras
	calling     []uint32 // cells whose handlers are being called
	pristine    pristine
	probes      []uint64
	events      []Event
	said        said
	runtime     runtimeCall
	turns       *turns
	interpreter *interpreter // nil without a debugger or a compute window
}

type metering struct {
	costs costsOf
	spent []uint32 // returned by Costs
	calls uint64   // address of bank.Calls in the image
}

type extras struct {
	cover   coverOf
	choice  choiceGlobals
	profile *profile // while a call is profiled
}

type choiceGlobals struct{ drawn, outcomes, below, asked api.MutableGlobal }

func choiceGlobalsOf(module api.Module) (g choiceGlobals) {
	get := func(name string) api.MutableGlobal {
		global, _ := module.ExportedGlobal(name).(api.MutableGlobal)
		return global
	}
	return choiceGlobals{get(wasm.DrawnName), get(wasm.OutcomesName), get(wasm.BelowName), get(wasm.AskedName)}
}

type coverOf struct{ branches, operands []api.MutableGlobal }

func coverGlobals(module api.Module, c *wasm.Covered) (g coverOf) {
	for k := range (c.Branches + 63) / 64 {
		g.branches = append(g.branches, module.ExportedGlobal(fmt.Sprint(wasm.BranchName, k)).(api.MutableGlobal))
	}
	for k := range 2 * c.Comparisons {
		g.operands = append(g.operands, module.ExportedGlobal(fmt.Sprint(wasm.OperandName, k)).(api.MutableGlobal))
	}
	return g
}

type instanceKey struct{}

// callContext answers the context lookups of host calls directly, because every host call makes several.
type callContext struct {
	context.Context
	in *wasmInstance
}

func (c callContext) Value(key any) any {
	switch key.(type) {
	case instanceKey:
		return c.in
	case turnsKey:
		return c.in.turns
	}
	return nil
}

func caller(ctx context.Context) *wasmInstance {
	in, _ := ctx.Value(instanceKey{}).(*wasmInstance)
	return in
}

func profileOf(ctx context.Context) *profile {
	if in, _ := ctx.Value(instanceKey{}).(*wasmInstance); in != nil {
		return in.profile
	}
	return nil
}

type runtimeCall struct {
	slot  uint64
	draws uint64 // random words drawn in this call
	waits int
	line  []byte // current line of output, unfinished
	panic string // last line with a panic message
}

func (c *runtimeCall) begin(slot uint32) { c.slot, c.panic = uint64(slot), "" }

// MemoryBytesMax returns the maximum memory growth, in bytes, of an instance for a bank. The range is reserved, but
// not committed.
func MemoryBytesMax(c nic.BankConfig) uint64 {
	return growBytes(c, nic.StateBytesMax+columnBytesMax)
}

// ErrOneProcessor means that the bank of an image with a language runtime has several processors.
var ErrOneProcessor = errors.New("it contains a language runtime (it imports " + wasiModule +
	"), and serves one processor per instance")

func growBytes(c nic.BankConfig, perCell int) uint64 {
	perCell += 6 * c.Lanes()
	fifos := (c.RxFrames + c.TxFrames) * nic.FrameStride(c.PayloadBytes)
	return min(bytesBase+uint64(c.Cells)*uint64(perCell+fifos+4*c.ROMWords)+4*uint64(c.MachineROM), addressBytesMax)
}

// NewInstance returns ErrOneProcessor for an image with a runtime and several cells.
func (img *Image) NewInstance(c nic.BankConfig) (Instance, error) {
	if img.Runtime && c.Cells > 1 {
		return nil, ErrOneProcessor
	}
	usual := growBytes(c, usualBytes) + img.runtimeBytes()
	if nic.FrameStride(c.PayloadBytes) > os.Getpagesize() {
		usual = 0 // large frames leave pages untouched
	}
	memory, err := img.reserve(MemoryBytesMax(c)+img.runtimeBytes(), usual)
	if err != nil {
		return nil, err
	}
	in := &wasmInstance{
		image:  img,
		memory: memory,
		before: make([]uint64, len(img.copy.Globals)),
		probes: make([]uint64, c.Cells*len(img.Probes)),
	}
	if err := in.instantiate(); err != nil {
		return nil, err
	}
	if err := img.initialise(in.module); err != nil {
		return nil, err
	}
	descriptor, err := in.image.host.call(in.ctx, in.module, in.module.ExportedFunction(exportBank))
	if err != nil {
		return nil, callError(exportBank, err)
	}
	if err := nic.DescribeBank(in.Memory(), uint32(descriptor[0]), c); err != nil {
		return nil, err
	}
	address, err := in.image.host.call(in.ctx, in.module, in.module.ExportedFunction(exportAttach),
		uint64(c.Cells), uint64(c.PayloadBytes), uint64(c.RxFrames), uint64(c.TxFrames))
	if err != nil {
		return nil, callError(exportAttach, err)
	}
	if address[0] != 0 && address[0] != descriptor[0] {
		return nil, fmt.Errorf("%s puts the bank descriptor at %#x, but %s puts it at %#x", exportBank, descriptor[0],
			exportAttach, address[0])
	}
	if address[0] == 0 {
		if err := nic.CheckState(in.Memory(), uint32(descriptor[0])); err != nil {
			return nil, err
		}
	}
	if in.bank, err = nic.AttachBank(in.Memory(), uint32(address[0]), c); err != nil {
		return nil, err
	}
	if img.meter != nil {
		in.calls = in.callsAddress()
	}
	in.keep()
	in.pristine = img.pristineState(in)
	return in, nil
}

func (in *wasmInstance) instantiate() (err error) {
	if in.module, err = in.image.instantiate(in.memory); err != nil {
		return err
	}
	in.turns = newTurns(in.module)
	in.ctx = callContext{context.Background(), in}
	prefix := ""
	if in.image.meter != nil {
		prefix = wasm.EachName
	}
	in.start, in.slot = in.module.ExportedFunction(prefix+exportStart), in.module.ExportedFunction(prefix+exportSlot)
	in.costs, in.cover = costGlobals(in.module), coverGlobals(in.module, &in.image.copy.Covered)
	in.choice = choiceGlobalsOf(in.module)
	in.globals = in.globals[:0]
	for _, g := range in.image.copy.Globals {
		in.globals = append(in.globals, in.module.ExportedGlobal(g.Export).(api.MutableGlobal))
	}
	debugs := in.image.host.debugger != nil
	if of := in.image.interpreted; of != nil && (debugs || in.image.window() > 0) {
		if in.interpreter, err = newInterpreter(in.ctx, in.module, of); err == nil {
			in.interpreter.debugs = debugs
		}
	}
	return err
}

func (img *Image) pristineState(in *wasmInstance) pristine {
	shape := in.bank.BankConfig
	shape.First, shape.Seed = 0, 0
	img.pristineLock.Lock()
	defer img.pristineLock.Unlock()
	if state, ok := img.pristine[shape]; ok {
		return state
	}
	in.bank.ClearListen()
	memory := in.Memory()
	end := 0
	for at, page := range touched(memory) {
		if !bytes.Equal(page, zeros[:len(page)]) {
			end = at + len(page)
		}
	}
	for end > 0 && memory[end-1] == 0 {
		end--
	}
	state := pristine{make([]byte, end), len(memory), in.Globals()}
	copyDirty(state.memory, memory[:end])
	in.bank.Reset(in.bank.Seed)
	img.pristine[shape] = state
	return state
}

func (in *wasmInstance) Reset(seed uint64) {
	if err := in.set(in.pristine); err != nil {
		panic(fmt.Sprintf("resetting %s: %v", in.image.Name, err)) // impossible: the instance was in this state before
	}
	clear(in.probes)
	in.events = in.events[:0]
	in.said = said{}
	in.bank.Reset(seed)
}

// set replaces the state of the instance. A memory cannot shrink, so an instance with a larger memory gets a new
// module.
func (in *wasmInstance) set(state pristine) error {
	if len(in.Memory()) > state.bytes {
		if err := in.module.Close(in.image.host.ctx); err != nil {
			return err
		}
		if err := in.instantiate(); err != nil {
			return err
		}
	}
	if missing := state.bytes - len(in.Memory()); missing > 0 {
		if _, ok := in.module.Memory().Grow(uint32(missing / wasmPageBytes)); !ok {
			return fmt.Errorf("the firmware's memory cannot grow to %d bytes", state.bytes)
		}
	}
	memory := in.Memory()
	copyDirty(memory, state.memory)
	for at, page := range touched(memory) {
		if page = page[min(max(at, len(state.memory))-at, len(page)):]; !bytes.Equal(page, zeros[:len(page)]) {
			clear(page)
		}
	}
	for i, g := range in.globals {
		g.Set(state.globals[i])
	}
	in.keep()
	return nil
}

// copyDirty copies memory, but writes only differences, so that untouched pages take no memory.
func copyDirty(to, from []byte) {
	for len(from) > 0 {
		n := min(len(zeros), len(from))
		if !bytes.Equal(to[:n], from[:n]) {
			copy(to[:n], from[:n])
		}
		to, from = to[n:], from[n:]
	}
}

func (in *wasmInstance) Call(name string, arguments ...uint32) (uint32, error) {
	f := in.module.ExportedFunction(exportCall + name)
	if f == nil {
		return 0, fmt.Errorf("%w: it does not export %s%s", ErrNoCall, exportCall, name)
	}
	if want := len(f.Definition().ParamTypes()); want != len(arguments) {
		return 0,
			fmt.Errorf("the firmware's call %s takes %s, but the network passes %d", name,
				traces.Plural(want, "argument", "arguments"), len(arguments))
	}
	values := make([]uint64, len(arguments))
	for i, value := range arguments {
		values[i] = uint64(value)
	}
	in.enter()
	result, err := in.image.host.call(in.ctx, in.module, f, values...)
	in.leave()
	if err != nil {
		return 0, callError(exportCall+name, err)
	}
	return uint32(result[0]), nil
}

func (in *wasmInstance) Bank() *nic.Bank { return in.bank }

func (in *wasmInstance) Memory() []byte {
	memory, _ := in.module.Memory().Read(0, in.module.Memory().Size())
	return memory
}

func (in *wasmInstance) Globals() []uint64 {
	values := make([]uint64, len(in.globals))
	for i, g := range in.globals {
		values[i] = g.Get()
	}
	return values
}

func (in *wasmInstance) SetState(memory []byte, globals []uint64) error {
	if len(globals) != len(in.globals) || len(memory) < int(in.image.ownBytes()) || len(memory)%wasmPageBytes != 0 {
		return errors.New("the state does not belong to this firmware")
	}
	if err := in.set(pristine{memory, len(memory), globals}); err != nil {
		return err
	}
	in.bank.Restored()
	return nil
}

// enter precedes a call of the image, and leave follows it. After a trap, leave resets the globals that functions
// restore on return, such as the stack pointer. Other globals keep their values.
func (in *wasmInstance) enter() {
	if in.image.believed {
		in.keep()
	}
}

// keep records the globals that calls must restore. If calls provably restore them, one call of keep suffices.
func (in *wasmInstance) keep() {
	for i, g := range in.globals {
		if in.image.copy.Globals[i].GivenBack {
			in.before[i] = g.Get()
		}
	}
}

func (in *wasmInstance) leave() {
	for i, g := range in.globals {
		if in.image.copy.Globals[i].GivenBack {
			g.Set(in.before[i])
		}
	}
}

func (in *wasmInstance) kept() error {
	for i, g := range in.globals {
		if global := &in.image.copy.Globals[i]; global.GivenBack && g.Get() != in.before[i] {
			return keptError{global, int32(in.before[i]), int32(g.Get())}
		}
	}
	return nil
}

func (in *wasmInstance) Probes() []uint64 { return in.probes }

func (in *wasmInstance) callsAddress() uint64 {
	memory := in.Memory()
	return uint64(
		uintptr(unsafe.Pointer(unsafe.SliceData(in.bank.Calls))) - uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
}

func (in *wasmInstance) Costs() []uint32 { return in.spent }

// EventKind is the kind of an Event.
type EventKind uint8

// The kinds of events.
const (
	EventTrap    EventKind = iota // the handler trapped
	EventFail                     // the handler called sl_fail
	EventLog                      // the handler called sl_log
	EventDeliver                  // the handler called sl_deliver
	EventResult                   // the handler called sl_result
	EventAssert                   // an assertion of the handler has failed
	EventLogFull                  // handlers logged more lines than the maximum; Lines is the number of dropped lines
)

// Event is an effect of firmware that is not a frame.
type Event struct {
	Kind     EventKind
	Cell     int
	Origin   uint32 // deliver: source of the packet
	Word     uint32 // result: word number
	Value    uint64
	Lines    int    // log full: dropped lines
	Text     string // trap: reason; fail: code; assert: condition; log: line
	Function string // trap, fail: innermost firmware function; assert: function with the assertion
	Source   string // trap, fail: file:line:column, "" without debug information; assert: file:line

	// Backtrace contains the active functions, innermost first, including inlined functions, each with its place if
	// known.
	Backtrace []wasm.Frame
}

// limits of events per processor and slot; they bound the host's memory independently of the bank
const (
	logLinesPerCellMax   = 16
	logBytesMax          = 256
	deliveriesPerCellMax = 2 // the second already violates exactly_once
	resultsPerCellMax    = 1024
)

type said struct {
	cell       int // cell of the cell counts
	cellLines  int
	cellPacket int
	cellWords  int // results
	linesLost  int // dropped log lines
	deliveries int
}
