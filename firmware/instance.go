package firmware

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm"
	"starloom/nic"
	"starloom/traces"
)

// Instance serves one bank of processors with their firmware. Every method but
// Close may run in parallel with those of other instances.
type Instance interface {
	// Bank returns the processors' registers and FIFOs.
	Bank() *nic.Bank
	// Start calls the start handlers of all cells, in order.
	Start()
	// Slot calls the slot handlers of some cells, in order.
	Slot(cells []uint32, slot uint32)
	// Restart takes some cells, in ascending order, back to before Start, and calls their start
	// handlers. If these are all cells of the instance, the whole memory is as after its
	// attachment, but for what the host tells the processors.
	Restart(cells []uint32)
	// Reset takes the instance back to before Start, with a new seed.
	Reset(seed uint64)
	// Costs returns what the handlers of the last Start or Slot have cost, in the order of their
	// cells, 0 for one that has trapped; none of an image without a meter. The slice is valid
	// until the next Start or Slot.
	Costs() []uint32
	// TakeEvents returns what happened since the last call, in the order of the
	// cells: faults and log lines. The slice is valid until the next Slot.
	TakeEvents() []Event
	// Probes returns the values of sl_probe, one column of len(Image.Probes)
	// values per cell.
	Probes() []uint64
	// Memory and Globals return all of the firmware's state, as plain data.
	Memory() []byte
	Globals() []uint64
	// SetState replaces it by what Memory and Globals returned once.
	SetState(memory []byte, globals []uint64) error
}

// Caller is an Instance whose image the network may call by name.
type Caller interface {
	// Call calls the image's function of that name (STARLOOM_CALL). What the arguments
	// mean is the network's. ErrNoCall: the image has none.
	Call(name string, arguments ...uint32) (uint32, error)
}

// ErrNoCall says that an image has no function of a name.
var ErrNoCall = errors.New("the firmware has no such call")

// EventKind says what an Event is.
type EventKind uint8

// The kinds of events.
const (
	EventTrap    EventKind = iota // the handler trapped
	EventFail                     // the handler called sl_fail
	EventLog                      // the handler called sl_log
	EventDeliver                  // the handler called sl_deliver
	EventResult                   // the handler called sl_result
	EventAssert                   // an assertion of the handler has failed
	EventLogFull                  // handlers logged more than is kept: Lines more lines
)

// Event is something that firmware did beside its frames.
type Event struct {
	Kind     EventKind
	Cell     int
	Origin   uint32 // deliver: where the packet comes from
	Word     uint32 // result: its number
	Value    uint64 // result
	Lines    int    // log full: lines that are not kept
	Text     string // trap: reason; fail: the code; assert: the condition; log: the line
	Function string // trap, fail: innermost function of the firmware; assert: that with the assertion
	Source   string // trap, fail: file:line:column, "" without debug information; assert: file:line

	// Backtrace is for trap, fail and assert: the functions that were being called, the
	// innermost first, inlined ones too, each with file:line:column as far as the debug
	// information says it.
	Backtrace []wasm.Frame
}

// Limits of what firmware may say in one slot, so that a handler in a loop does not
// fill the host's memory. They are limits of one processor, so that nothing depends
// on who shares its instance.
const (
	logLinesPerCellMax   = 16
	logBytesMax          = 256
	deliveriesPerCellMax = 2 // the exactly-once rule has failed at the second one already
	resultsPerCellMax    = 1024
)

// wasmInstance is an Instance in the sandbox.
type wasmInstance struct {
	image    *Image
	ctx      context.Context
	module   api.Module
	bank     *nic.Bank
	start    api.Function
	slot     api.Function
	memory   linearMemory
	globals  []api.MutableGlobal // those of image.copy.Globals
	before   []uint64            // what they held before the call that runs, of those that are given back
	params   [3]uint64
	costs    costsOf
	cover    coverOf
	spent    []uint32 // Costs
	calls    uint64   // address of bank.Calls in the image, if it has a meter
	calling  []uint32 // the cells whose handlers are being called
	pristine pristine
	probes   []uint64
	events   []Event
	said     said
	runtime  runtimeCall
	turns    *turns
	profile  *profile // while a call is profiled
}

// said is how much a run of the handlers has said so far.
type said struct {
	cell       int // whose handler the counts of a cell are about
	cellLines  int
	cellPacket int
	cellWords  int // of results
	linesLost  int // log lines that are not kept
	deliveries int
}

// A bank may take for one processor, beyond its FIFOs, the largest state and
// columnBytesMax, and an instance bytesBase beyond its bank and the image's own data.
// Few states are larger than usualBytes.
const (
	columnBytesMax  = 1024
	usualBytes      = 4096
	bytesBase       = 1 << 20
	addressBytesMax = 1<<32 - wasmPageBytes
)

// MemoryBytesMax returns by how much the memory of an instance for this bank may
// grow. The range is reserved, not committed.
func MemoryBytesMax(c nic.BankConfig) uint64 {
	return growBytes(c, nic.StateBytesMax+columnBytesMax)
}

// ErrOneProcessor says that an image brings a runtime of its own, and a bank has more than
// one processor.
var ErrOneProcessor = errors.New("it brings a runtime of its own (it imports " + wasiModule + "), and serves one processor per instance")

// runtimeBytesMax is by how much more the memory of an image may grow that brings a runtime
// with a heap.
const runtimeBytesMax = 16 << 20

func (img *Image) runtimeBytes() uint64 {
	if img.Runtime {
		return runtimeBytesMax
	}
	return 0
}

// growBytes is by how much a memory grows for processors with so much beside their FIFOs.
func growBytes(c nic.BankConfig, perCell int) uint64 {
	perCell += 6 * c.Lanes() // statuses
	fifos := (c.RxFrames + c.TxFrames) * nic.FrameStride(c.PayloadBytes)
	return min(bytesBase+uint64(c.Cells)*uint64(perCell+fifos+4*c.ROMWords)+4*uint64(c.MachineROM), addressBytesMax)
}

// NewInstance makes an instance that serves the bank.
func (img *Image) NewInstance(c nic.BankConfig) (Instance, error) {
	if img.Runtime && c.Cells > 1 {
		return nil, ErrOneProcessor
	}
	memory, err := img.reserve(MemoryBytesMax(c)+img.runtimeBytes(), growBytes(c, usualBytes)+img.runtimeBytes())
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
		return nil, fmt.Errorf("%s says that the bank descriptor is at %#x, %s that it is at %#x", exportBank, descriptor[0], exportAttach, address[0])
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

// instantiate makes the instance's module, in its memory.
func (in *wasmInstance) instantiate() (err error) {
	if in.module, err = in.image.instantiate(in.memory); err != nil {
		return err
	}
	in.turns = newTurns(in.module)
	in.ctx = context.WithValue(context.WithValue(in.image.host.ctx, instanceKey{}, in), turnsKey{}, in.turns)
	prefix := ""
	if in.image.meter != nil {
		prefix = wasm.EachName
	}
	in.start, in.slot = in.module.ExportedFunction(prefix+exportStart), in.module.ExportedFunction(prefix+exportSlot)
	in.costs, in.cover = costGlobals(in.module), coverGlobals(in.module, &in.image.copy.Covered)
	in.globals = in.globals[:0]
	for _, g := range in.image.copy.Globals {
		in.globals = append(in.globals, in.module.ExportedGlobal(g.Export).(api.MutableGlobal))
	}
	return nil
}

// pristine is the state of an instance after its attachment; what the host has
// configured is written again by Reset.
type pristine struct {
	memory  []byte // up to its last byte that is not zero
	bytes   int    // of the whole memory
	globals []uint64
}

// pristineState is shared by all instances for banks of one shape.
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
	end := len(memory)
	for end > 0 && memory[end-1] == 0 {
		end--
	}
	state := pristine{append([]byte(nil), memory[:end]...), len(memory), in.Globals()}
	in.bank.Reset(in.bank.Seed)
	img.pristine[shape] = state
	return state
}

// Reset implements Instance.
func (in *wasmInstance) Reset(seed uint64) {
	if err := in.set(in.pristine); err != nil {
		panic(fmt.Sprintf("resetting %s: %v", in.image.Name, err)) // it has been in this state before
	}
	clear(in.probes)
	in.events = in.events[:0]
	in.said = said{}
	in.bank.Reset(seed)
}

// set replaces the state of the instance. A memory cannot shrink: where it has grown
// beyond the state's, a new module takes it over, whose image sees it as it was.
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
	clearDirty(memory[copy(memory, state.memory):])
	for i, g := range in.globals {
		g.Set(state.globals[i])
	}
	in.keep()
	return nil
}

// clearDirty makes memory zero and writes only where it is not: a page that
// nobody has touched stays without memory of its own.
func clearDirty(memory []byte) {
	for len(memory) > 0 {
		part := memory[:min(len(zeros), len(memory))]
		if !bytes.Equal(part, zeros[:len(part)]) {
			clear(part)
		}
		memory = memory[len(part):]
	}
}

var zeros [4096]byte // one page

// Call implements Caller.
func (in *wasmInstance) Call(name string, arguments ...uint32) (uint32, error) {
	f := in.module.ExportedFunction(exportCall + name)
	if f == nil {
		return 0, fmt.Errorf("%w: it does not export %s%s", ErrNoCall, exportCall, name)
	}
	if want := len(f.Definition().ParamTypes()); want != len(arguments) {
		return 0, fmt.Errorf("the firmware's call %s takes %s, the network gives %d", name, traces.Plural(want, "argument", "arguments"), len(arguments))
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

// Bank implements Instance.
func (in *wasmInstance) Bank() *nic.Bank { return in.bank }

// Memory implements Instance.
func (in *wasmInstance) Memory() []byte {
	memory, _ := in.module.Memory().Read(0, in.module.Memory().Size())
	return memory
}

// Globals implements Instance.
func (in *wasmInstance) Globals() []uint64 {
	values := make([]uint64, len(in.globals))
	for i, g := range in.globals {
		values[i] = g.Get()
	}
	return values
}

// SetState implements Instance.
func (in *wasmInstance) SetState(memory []byte, globals []uint64) error {
	if len(globals) != len(in.globals) || len(memory) < int(in.image.ownBytes()) || len(memory)%wasmPageBytes != 0 {
		return errors.New("the state is not one of this firmware")
	}
	if err := in.set(pristine{memory, len(memory), globals}); err != nil {
		return err
	}
	in.bank.Restored()
	return nil
}

// enter and leave stand around a call of the image. A trap ends it wherever it is: the
// globals that its functions would have given back - the stack pointer - are set back,
// the others have the value that they would have if the trap came from the hardware.
func (in *wasmInstance) enter() {
	if in.image.believed {
		in.keep()
	}
}

// keep notes the globals that calls give back. Where that is proved, no call changes what
// was noted.
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

// kept returns the error of a call that has not given back a global, nil for none.
func (in *wasmInstance) kept() error {
	for i, g := range in.globals {
		if global := &in.image.copy.Globals[i]; global.GivenBack && g.Get() != in.before[i] {
			return keptError{global, int32(in.before[i]), int32(g.Get())}
		}
	}
	return nil
}

// keptError ends a handler that has returned and not given back a stack pointer.
type keptError struct {
	global        *wasm.Global
	before, after int32
}

func (e keptError) Error() string {
	kept := e.before - e.after
	if kept < 0 {
		return fmt.Sprintf("the handler has returned with %s %d bytes above where it was", e.global.Name, -kept)
	}
	return fmt.Sprintf("the handler has returned and kept %d bytes of the stack: %s is not what it was", kept, e.global.Name)
}

// Probes implements Instance.
func (in *wasmInstance) Probes() []uint64 { return in.probes }

// TakeEvents implements Instance.
func (in *wasmInstance) TakeEvents() []Event {
	in.endLog()
	events := in.events
	in.events = in.events[:0]
	in.said = said{}
	return events
}

// Start implements Instance.
func (in *wasmInstance) Start() { in.run(in.start, 1, allCells(in.bank.Cells), 0) }

// allCells lists the cells of a bank.
func allCells(count int) []uint32 {
	cells := make([]uint32, count)
	for cell := range cells {
		cells[cell] = uint32(cell)
	}
	return cells
}

// Slot implements Instance.
func (in *wasmInstance) Slot(cells []uint32, slot uint32) { in.run(in.slot, 2, cells, slot) }

// Restart implements Instance.
func (in *wasmInstance) Restart(cells []uint32) {
	in.renew(cells)
	in.run(in.start, 1, cells, 0)
}

// renew gives cells the state in which their start handlers are called.
func (in *wasmInstance) renew(cells []uint32) {
	if len(cells) == in.bank.Cells { // of an instance of its own everything is reset
		told := in.bank.Told()
		in.Reset(in.bank.Seed)
		in.bank.Tell(told)
	}
	for _, cell := range cells {
		in.bank.Restart(int(cell), in.pristine.memory)
		clear(in.probes[int(cell)*len(in.image.Probes):][:len(in.image.Probes)])
	}
}

// run calls an entry point for some cells. Where it is not proved that calls give back the
// stack pointer, it calls them one at a time: a handler that keeps some of the stack has failed,
// before others have too little.
func (in *wasmInstance) run(entry api.Function, params int, cells []uint32, slot uint32) {
	in.spent = in.spent[:0]
	if !in.image.believed {
		in.runAll(entry, params, cells, slot)
		return
	}
	for i := range cells {
		in.runAll(entry, params, cells[i:i+1:i+1], slot)
		if in.image.host.Stopped() {
			return
		}
		if err := in.kept(); err != nil {
			in.leave()
			if in.image.meter != nil {
				in.spent[i] = 0
			}
			in.fault(int(cells[i]), err)
		}
	}
}

// runAll calls an entry point for some cells. When a handler traps, its cell is marked
// faulty and the loop goes on with the next one. The list in the firmware's memory is
// the host's word to the firmware; what firmware makes of it is not believed. When the
// call is stopped, nobody is at fault: see Host.Stopped.
func (in *wasmInstance) runAll(entry api.Function, params int, cells []uint32, slot uint32) {
	in.turns.all, in.turns.laps = 0, uint64(len(cells))
	if !in.image.copy.Laps {
		in.turns.begin()
	}
	if in.image.meter != nil {
		in.runMetered(entry, cells, slot)
		return
	}
	for len(cells) > 0 {
		in.calling = cells
		in.bank.SetCurrent(-1)
		in.params = [3]uint64{uint64(copy(in.bank.Calls, cells)), uint64(slot)}
		in.runtime.begin(slot)
		in.enter()
		err := entry.CallWithStack(in.ctx, in.params[:params])
		if in.image.Runtime {
			in.endRuntimeCall()
		}
		if err == nil {
			return
		}
		err = in.overflowed(err)
		in.leave()
		var stopped stoppedError
		if errors.As(err, &stopped) {
			return
		}
		place := in.bank.Current()
		if uint64(place) >= uint64(len(cells)) {
			// The image has overwritten its own descriptor: nobody knows whose
			// handler ran, so the rest of the cells cannot go on.
			for _, cell := range cells {
				in.fault(int(cell), err)
			}
			return
		}
		in.fault(int(cells[place]), err)
		cells = cells[place+1:]
	}
}

// fault marks a cell faulty and silences its NIC. A cell fails once, even if its
// firmware, or that of a neighbour in the bank, has revived it.
func (in *wasmInstance) fault(cell int, err error) {
	if in.bank.Silenced(cell) {
		in.bank.Silence(cell)
		return
	}
	in.bank.Silence(cell)
	event := in.image.faultEvent(err)
	event.Cell = cell
	if event.Kind == EventTrap && in.runtime.panic != "" {
		event.Text = fmt.Sprintf("%s (%s)", in.runtime.panic, event.Text)
	}
	in.events = append(in.events, event)
}

// faultEvent says what the error of a call is: a trap, sl_fail or an assertion.
func (img *Image) faultEvent(err error) Event {
	event := Event{Kind: EventTrap}
	event.Text, event.Function, event.Source, event.Backtrace = img.parseTrap(err)
	var gaveUp gaveUpError
	var failed assertError
	var endless endlessError
	var kept keptError
	var overflow overflowError
	switch {
	case errors.As(err, &overflow):
		event.Text += overflow.what
	case errors.As(err, &kept):
		event.Backtrace = img.breaking(kept.global)
		event.Function, event.Source = event.Backtrace[0].Function, event.Backtrace[0].Source
	case errors.As(err, &endless):
		event.Text = endless.Error()
	case errors.As(err, &gaveUp):
		event.Kind, event.Text = EventFail, strconv.Itoa(int(gaveUp))
	case errors.As(err, &failed):
		event.Kind, event.Text, event.Function, event.Source = EventAssert, failed.condition, or(failed.function, functionAt(event.Backtrace, failed.source)), failed.source
	}
	var spent spentError
	if errors.As(err, &spent) {
		event.Text = spent.Error()
	}
	return event
}

// overflowError is a trap for want of stack.
type overflowError struct {
	error
	what string // beyond the runtime's words
}

func (e overflowError) Unwrap() error { return e.error }

// overflowed says of a trap, before leave, that the stack was too small: that of the image, which
// grows down to address 0, or that of the runtime.
func (in *wasmInstance) overflowed(err error) error {
	if !strings.HasPrefix(err.Error(), "wasm error: ") && firstLine(err) != "stack overflow" {
		return err // the host has ended the call
	}
	if recursive := in.image.copy.Recursive; strings.HasSuffix(firstLine(err), "stack overflow") && len(recursive) > 0 {
		return overflowError{err, ": too many calls inside each other of " + some(recursive)}
	}
	for i, g := range in.globals {
		if in.image.copy.Globals[i].GivenBack && int32(in.before[i]) > 0 && int32(g.Get()) < 0 {
			return overflowError{err, fmt.Sprintf(": the stack of %d bytes has overflowed", in.before[i])}
		}
	}
	return err
}

// gaveUpError ends a handler that has called sl_fail; its value is the code.
type gaveUpError int32

func (e gaveUpError) Error() string { return fmt.Sprintf("gave up with code %d", int32(e)) }

// assertError ends a handler of which an assertion has failed.
type assertError struct{ condition, function, source string }

func (e assertError) Error() string {
	return fmt.Sprintf("assertion `%s` failed in %s at %s", e.condition, e.function, e.source)
}

// functionAt is the function of a backtrace that is at a file:line, without a folder; else
// the innermost one. Sanitizers do not tell it.
func functionAt(backtrace []wasm.Frame, source string) string {
	for _, frame := range backtrace {
		if strings.HasPrefix(path.Base(frame.Source), source+":") {
			return frame.Function
		}
	}
	if len(backtrace) > 0 {
		return backtrace[0].Function
	}
	return ""
}

// current returns the cell whose handler calls the host. There is none while the
// image starts or attaches its bank.
func (in *wasmInstance) current() (cell int, ok bool) {
	if in.bank == nil {
		return 0, false
	}
	place := in.place()
	if uint64(place) >= uint64(len(in.calling)) {
		return 0, false
	}
	if cell = int(in.calling[place]); cell != in.said.cell {
		in.said.cell, in.said.cellLines, in.said.cellPacket, in.said.cellWords = cell, 0, 0, 0
	}
	return cell, true
}

func (in *wasmInstance) hostDeliver(origin uint32) {
	cell, ok := in.current()
	if !ok || in.said.cellPacket >= deliveriesPerCellMax || in.said.deliveries >= deliveriesPerCellMax*in.bank.Cells {
		return
	}
	in.said.cellPacket++
	in.said.deliveries++
	in.events = append(in.events, Event{Kind: EventDeliver, Cell: cell, Origin: origin})
}

// hostResult ends a handler that gives more results than are taken: none is dropped unseen.
func (in *wasmInstance) hostResult(word uint32, value uint64) {
	cell, ok := in.current()
	if !ok {
		return
	}
	if in.said.cellWords++; in.said.cellWords > resultsPerCellMax {
		panic(fmt.Errorf("sl_result: more than %d results of one processor in one slot", resultsPerCellMax))
	}
	in.events = append(in.events, Event{Kind: EventResult, Cell: cell, Word: word, Value: value})
}

func (in *wasmInstance) hostProbe(signal uint32, value uint64) {
	cell, ok := in.current()
	if !ok {
		return
	}
	if count := len(in.image.Probes); uint64(signal) < uint64(count) {
		in.probes[cell*count+int(signal)] = value
	} else {
		in.logLine(func() string {
			return fmt.Sprintf("(sl_probe: there is no probe %d; STARLOOM_PROBES has %d)", signal, count)
		})
	}
}

func (in *wasmInstance) hostLog(m api.Module, at, size uint32) {
	in.logLine(func() string {
		if text, inside := m.Memory().Read(at, min(size, logBytesMax)); inside {
			return string(text)
		}
		return "(sl_log: the text lies outside the memory)"
	})
}

func (in *wasmInstance) hostLogf(m api.Module, format, arguments uint32) {
	in.logLine(func() string { return formatLog(m.Memory(), format, arguments) })
}

// logLine logs a line of the processor whose handler runs, unless it has logged too many.
func (in *wasmInstance) logLine(line func() string) {
	cell, ok := in.current()
	if !ok {
		return
	}
	if in.said.cellLines >= logLinesPerCellMax {
		in.said.linesLost++
		return
	}
	in.said.cellLines++
	in.events = append(in.events, Event{Kind: EventLog, Cell: cell, Text: printable(line())})
}

// endLog says how many lines were not kept.
func (in *wasmInstance) endLog() {
	if in.said.linesLost > 0 {
		in.events = append(in.events, Event{Kind: EventLogFull, Cell: in.bank.Cells - 1, Lines: in.said.linesLost})
	}
}

// printable makes one line of what firmware says, without anything that moves a
// terminal's cursor.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r):
			return '?'
		}
		return r
	}, strings.ToValidUTF8(strings.TrimRight(text, "\r\n"), "?"))
}

// frameName is a line of wazero's stack trace: a name, which may have parentheses of
// its own, the types of the parameters and those of the results.
var frameName = regexp.MustCompile(`^(.*?)\((?:\w+(?:,\w+)*)?\)(?: \w+| \(\w+(?:,\w+)*\))?$`)

// parseTrap takes reason, innermost function and source line, and all functions, out of
// wazero's error, whose text is
//
//	wasm error: unreachable
//	wasm stack trace:
//		.on_slot(i32,i32)
//			0x1a: ?
//
// The number is the offset in the code of the copy, of which the image's own debug
// information knows nothing.
func (img *Image) parseTrap(err error) (reason, function, source string, backtrace []wasm.Frame) {
	lines := strings.Split(err.Error(), "\n")
	reason = strings.TrimPrefix(lines[0], "wasm error: ")
	name, placed := "", true
	end := func() { // of what is said of a function
		if !placed {
			backtrace = append(backtrace, wasm.Frame{Function: name})
		}
		placed = true
	}
frames:
	for _, line := range lines[1:] {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "\t\t"):
			number, _, _ := strings.Cut(text, ":")
			offset, err := strconv.ParseUint(number, 0, 32)
			if placed || err != nil {
				continue
			}
			frames := img.frames(offset)
			if len(frames) == 0 {
				continue
			}
			if function == name && source == "" && len(backtrace) == 0 {
				function, source = or(frames[0].Function, name), frames[0].Source
			}
			frames[len(frames)-1].Function = or(frames[len(frames)-1].Function, name)
			backtrace, placed = append(backtrace, frames...), true
		case strings.HasPrefix(line, "\t"):
			end()
			if name = frameName.ReplaceAllString(text, "$1"); strings.HasPrefix(name, importModule+".") {
				continue
			}
			if name = strings.TrimPrefix(name, "."); strings.HasPrefix(name, wasm.EachName) {
				function = or(function, strings.TrimPrefix(name, wasm.EachName)) // which has returned
				break frames                                                     // the copy's own entry point, which the image has not
			}
			placed = false
			function = or(function, name)
		}
	}
	end()
	if k := ownFrame(backtrace); k > 0 {
		function, source = backtrace[k].Function, backtrace[k].Source
	}
	return reason, function, source, backtrace[:min(len(backtrace), backtraceMax)]
}

// ownFrame is the place of the innermost function that is the user's: a trap in what a language brings -
// its panic, its checks - is the caller's doing. A panic handler, which the user may have written, is
// inside of the panic.
func ownFrame(backtrace []wasm.Frame) int {
	at := max(slices.IndexFunc(backtrace, func(f wasm.Frame) bool {
		return strings.Contains(f.Source, "/core/src/panicking.rs:") || strings.HasPrefix(f.Function, "core::panicking::")
	}), 0)
	for k, f := range backtrace[at:] {
		if !ofLibrary(f) {
			return at + k
		}
	}
	return 0
}

// libraries are where the sources and the functions of Rust, AssemblyScript and Go themselves are.
var libraries = regexp.MustCompile(`/library/(core|alloc|std|panic_abort|compiler-builtins)/|/compiler_builtins-`)

var libraryFunctions = []string{"core::", "alloc::", "std::", "compiler_builtins::", "~lib/", "runtime."}

func ofLibrary(f wasm.Frame) bool {
	return libraries.MatchString(f.Source) || slices.ContainsFunc(libraryFunctions, func(start string) bool { return strings.HasPrefix(f.Function, start) })
}

// backtraceMax is how many functions of a backtrace are kept, the innermost ones.
const backtraceMax = 64

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
