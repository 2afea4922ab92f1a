package firmware

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"starloom/firmware/wasm"
	"starloom/nic"
)

// WriteKind classifies writes by the column and its owner, or by the variable. Writes of one kind are counted
// together.
type WriteKind struct {
	Column    string // column of the bank, by its name in the register map; "" outside the bank
	Neighbour bool   // the column belongs to another processor, otherwise to none
	Variable  string // static variable, "" if unknown
	Unnamed   uint32 // address, rounded down to writeBytesMax, if the variable is unknown
	Global    string // WebAssembly global, not memory
	Grows     bool   // growth of the memory, not a write
}

func (k *WriteKind) outside() bool { return k.Column == "" && !k.Grows }

// Write describes the writes of one kind outside their own processor's memory: the first write, and the number of
// writes.
type Write struct {
	WriteKind
	Cell    int // cell of the handler
	Address uint32
	Before  []byte // at most writeBytesMax bytes
	After   []byte
	Owner   int // owning cell, nic.OwnerNone for none
	Grown   int // bytes by which the memory has grown
	Calls   int // number of handler calls with this kind of write

	call int // last of these calls
}

const (
	writeBytesMax   = 16
	outsideMax      = 128  // maximum number of kinds outside the bank between two calls of TakeWrites
	outsideBytesMax = 2048 // bytes outside the bank examined per call
	watchedChunk    = 4096
)

// Watched is an Instance that calls handlers one at a time. It records writes of a handler outside the stack and
// outside the handler's own part of the bank. In an image without names, memory below the stack pointer counts as
// stack.
type Watched struct {
	Instance
	in      *wasmInstance
	before  []byte // memory before the call
	costs   []uint32
	stack   int // global of the stack pointer, -1 for none
	writes  []Write
	kinds   map[WriteKind]int // index in writes
	outside int               // number of writes outside the bank
	cut     bool              // writes were left out
	endless []Event           // traps of calls that did not return
	call    int               // number of the current call
	looked  int               // number of changed bytes outside the bank in this call
	sources map[uint32]string // variable names by address
	blind   bool              // writes are not recorded

	statics  []static // written variables outside the bank
	followed []uint64 // globals before a trial call
}

// Watch wraps an instance of an image.
func Watch(instance Instance) *Watched {
	in := instance.(*wasmInstance)
	w := &Watched{Instance: in, in: in, kinds: map[WriteKind]int{}, sources: map[uint32]string{}}
	w.stack = slices.IndexFunc(in.image.copy.Globals,
		func(g wasm.Global) bool { return strings.HasSuffix(g.Name, stackName) })
	if w.stack < 0 {
		for i, g := range in.image.copy.Globals {
			if g.GivenBack {
				w.stack = i
				break
			}
		}
	}
	return w
}

// Watch turns recording on or off; recording is on initially.
func (w *Watched) Watch(on bool) { w.blind = !on }

// NamedCall is a function of an image for use by the network; see Caller.
type NamedCall struct {
	Name      string
	Arguments int
}

// Calls lists the image's functions for the network, sorted by name.
func (w *Watched) Calls() (calls []NamedCall) {
	for name, f := range w.in.image.compiled.ExportedFunctions() {
		if call, ok := strings.CutPrefix(name, exportCall); ok {
			calls = append(calls, NamedCall{call, len(f.ParamTypes())})
		}
	}
	slices.SortFunc(calls, func(a, b NamedCall) int { return strings.Compare(a.Name, b.Name) })
	return calls
}

const stackName = "__stack_pointer"

func (w *Watched) Call(name string, arguments ...uint32) (uint32, error) {
	return w.in.Call(name, arguments...)
}

// Fault returns the event of a failed Call.
func (w *Watched) Fault(err error) Event {
	var trapped trapError
	if errors.As(err, &trapped) {
		err = trapped.cause
	}
	return w.in.image.faultEvent(err)
}

func (w *Watched) Start() {
	w.each(allCells(w.in.bank.Cells), func(cells []uint32) { w.in.run(w.in.start, 1, cells, 0) })
}

func (w *Watched) Slot(cells []uint32, slot uint32) {
	w.each(cells, func(cells []uint32) { w.in.run(w.in.slot, 2, cells, slot) })
}

func (w *Watched) Restart(cells []uint32) {
	w.in.renew(cells)
	w.each(cells, func(cells []uint32) { w.in.run(w.in.start, 1, cells, 0) })
}

func (w *Watched) Costs() []uint32 { return w.costs }

// TakeWrites returns the writes since the last call, in order. cut means that some writes outside the bank were
// omitted.
func (w *Watched) TakeWrites() (writes []Write, cut bool) {
	writes, cut = w.writes, w.cut
	w.writes, w.outside, w.cut = nil, 0, false
	clear(w.kinds)
	return writes, cut
}

// TakeEndless returns the traps caused by Host.Limit since the last call.
func (w *Watched) TakeEndless() []Event {
	events := w.endless
	w.endless = nil
	return events
}

func (w *Watched) each(cells []uint32, call func(cells []uint32)) {
	if w.blind {
		call(cells)
		w.costs = append(w.costs[:0], w.in.Costs()...)
		return
	}
	w.before, w.costs = append(w.before[:0], w.in.Memory()...), w.costs[:0]
	for i, cell := range cells {
		w.watch(int(cell), func() { call(cells[i : i+1 : i+1]) })
	}
}

// the host writes the list of calls before the handler runs
func (w *Watched) watch(cell int, call func()) {
	w.follow(call)
	host, globals, events := w.in.image.host, w.in.Globals(), len(w.in.events)
	w.call++
	w.looked = 0
	host.endless.Store(false)
	call()
	w.costs = append(w.costs, w.in.Costs()...)
	if host.Endless() {
		w.endless = append(w.endless, w.in.events[events:]...)
	}
	memory := w.in.Memory()
	if grown := len(memory) - len(w.before); grown > 0 {
		w.note(&Write{WriteKind: WriteKind{Grows: true}, Cell: cell, Owner: nic.OwnerNone, Grown: grown})
		w.before = append(w.before, make([]byte, grown)...)
	}
	stack := uint64(0)
	if w.stack >= 0 {
		stack = globals[w.stack]
	}
	for at := 0; at < len(memory); at += watchedChunk {
		now, old := memory[at:min(at+watchedChunk, len(memory))], w.before[at:min(at+watchedChunk, len(memory))]
		if !bytes.Equal(now, old) {
			w.compare(cell, at, old, now, stack)
			copy(old, now)
		}
	}
	for i, value := range w.in.Globals() {
		if value != globals[i] {
			kind := WriteKind{Global: w.in.image.copy.Globals[i].Name}
			w.noteStatic(kind, 0, i)
			w.note(&Write{WriteKind: kind, Cell: cell, Owner: nic.OwnerNone})
		}
	}
}

func (w *Watched) note(write *Write) *Write {
	if k, known := w.kinds[write.WriteKind]; known {
		if kept := &w.writes[k]; kept.call != w.call {
			kept.Calls, kept.call = kept.Calls+1, w.call
		}
		return nil
	}
	if write.outside() {
		if w.outside >= outsideMax {
			w.cut = true
			return nil
		}
		w.outside++
	}
	write.Calls, write.call = 1, w.call
	w.kinds[write.WriteKind] = len(w.writes)
	w.writes = append(w.writes, *write)
	return &w.writes[len(w.writes)-1]
}

// compare records the changes in a piece of memory. Adjacent bytes with one owner form one write.
func (w *Watched) compare(cell, address int, old, now []byte, stack uint64) {
	var kind WriteKind // kind of the previous byte
	var last *Write    // last write of this piece
	for i := range now {
		at := uint64(address + i)
		if old[i] == now[i] {
			continue
		}
		column, owner := w.in.bank.Owner(at)
		if owner == cell || owner == nic.OwnerAny {
			continue
		}
		before := kind
		kind = WriteKind{Column: column, Neighbour: owner >= 0}
		if column == "" {
			if w.looked >= outsideBytesMax {
				w.cut = true
				continue
			}
			kind.Variable = w.variable(uint32(at))
			switch {
			case strings.HasPrefix(kind.Variable, lostFrame):
				kind = WriteKind{}
				continue
			case kind.Variable == "":
				if at < stack {
					continue
				}
				kind.Unnamed = uint32(at) &^ (writeBytesMax - 1)
			}
			w.looked++
			w.noteStatic(kind, uint32(at), -1)
		}
		if kind != before {
			last = w.note(&Write{WriteKind: kind, Cell: cell, Owner: owner, Address: uint32(at)})
		}
		if last != nil && last.Owner == owner && at-uint64(last.Address) < writeBytesMax {
			first := int(last.Address) - address
			last.Before, last.After = slices.Clone(old[first:i+1]), slices.Clone(now[first:i+1])
		}
	}
}

// lostFrame is the SDK's dummy for frames that sl_send drops. Firmware writes it but never reads it.
const lostFrame = "starloom_lost ("

// StaticAt names the static variable at an address, "" without debug information. dummy reports the SDK's dummy for
// frames that sl_send drops, and what it notes of the caller: no handler reads what an earlier one has left there.
func (in *wasmInstance) StaticAt(address uint32) (name string, dummy bool) {
	name = in.image.variable(address)
	return name, strings.HasPrefix(name, "starloom_lost")
}

func (w *Watched) variable(address uint32) string {
	name, known := w.sources[address]
	if !known {
		name = w.in.image.variable(address)
		w.sources[address] = name
	}
	return name
}

func (img *Image) variable(address uint32) string {
	defer img.lockPlaces()()
	return img.places.Variable(address)
}

// Cover makes images loaded from now on record branches and comparisons of handlers; see wasm.Covered.
func (h *Host) Cover() { h.covers = true }

// Coverer is an Instance whose image records branches.
type Coverer interface {
	Covered() wasm.Covered
	// TakeBranches adds the branches taken since the last call to a set.
	TakeBranches(set []uint64)
	// FramesAt returns the functions and lines at an offset of Covered, inlined functions first.
	FramesAt(offset uint64) []wasm.Frame
}

// Covered returns the numbers of recorded branches and comparisons.
func (in *wasmInstance) Covered() wasm.Covered { return in.image.copy.Covered }

func (in *wasmInstance) TakeBranches(set []uint64) {
	for k, g := range in.cover.branches {
		set[k] |= g.Get()
		g.Set(0)
	}
}

func (in *wasmInstance) FramesAt(offset uint64) []wasm.Frame { return in.image.framesAt(offset) }

// Covered returns the numbers of recorded branches and comparisons.
func (w *Watched) Covered() wasm.Covered { return w.in.Covered() }

// FramesAt returns the functions and lines at an offset of Covered, inlined functions first.
func (w *Watched) FramesAt(offset uint64) []wasm.Frame { return w.in.FramesAt(offset) }

// TakeBranches adds the branches taken since the last call to a set.
func (w *Watched) TakeBranches(set []uint64) { w.in.TakeBranches(set) }

// Operands are the two operands of a comparison.
type Operands [2]uint64

// TakeOperands appends the operands of comparisons executed since the last call: the last operands of each
// comparison, if they differ.
func (w *Watched) TakeOperands(list []Operands) []Operands {
	operands := w.in.cover.operands
	for k := 0; k < len(operands); k += 2 {
		if pair := (Operands{operands[k].Get(), operands[k+1].Get()}); pair[0] != pair[1] {
			list = append(list, pair)
			operands[k].Set(0)
			operands[k+1].Set(0)
		}
	}
	return list
}

// Base is a saved state of an instance.
type Base struct {
	memory   []byte
	globals  []uint64
	silenced []uint64
}

// Keep saves the state of the instance.
func (w *Watched) Keep(b *Base) {
	b.memory, b.globals = append(b.memory[:0], w.Memory()...), w.Globals()
	b.silenced = append(b.silenced[:0], w.Bank().SilencedCells()...)
}

// TakeBack restores the saved state. It returns the first write to memory of another cell, nil for none.
func (w *Watched) TakeBack(b *Base, cell int) (foreign *Write, err error) {
	memory := w.Memory()
	if len(memory) != len(b.memory) {
		err = w.SetState(b.memory, b.globals)
	} else {
		for at := 0; at < len(memory); at += watchedChunk {
			now, old := memory[at:min(at+watchedChunk, len(memory))], b.memory[at:min(at+watchedChunk, len(memory))]
			if bytes.Equal(now, old) {
				continue
			}
			if foreign == nil {
				foreign = w.foreign(cell, at, old, now)
			}
			copy(now, old)
		}
		for i, g := range w.in.globals {
			g.Set(b.globals[i])
		}
		w.Bank().Restored()
	}
	copy(w.Bank().SilencedCells(), b.silenced)
	w.TakeEvents()
	return foreign, err
}

func (w *Watched) foreign(cell, address int, old, now []byte) *Write {
	for i := range now {
		if old[i] == now[i] {
			continue
		}
		if column, owner := w.in.bank.Owner(uint64(address + i)); owner >= 0 && owner != cell {
			return &Write{WriteKind: WriteKind{Column: column, Neighbour: true}, Cell: cell, Owner: owner,
				Address: uint32(address + i)}
		}
	}
	return nil
}

type static struct {
	kind    WriteKind
	bytes   []uint32 // addresses
	global  int      // if bytes is empty
	carries bool     // a handler has read a value of another handler
}

const staticBytesMax = 256

func (w *Watched) noteStatic(kind WriteKind, address uint32, global int) {
	k := slices.IndexFunc(w.statics, func(s static) bool { return s.kind == kind })
	if k < 0 {
		if len(w.statics) >= outsideMax {
			return
		}
		k = len(w.statics)
		w.statics = append(w.statics, static{kind: kind, global: global})
	}
	if s := &w.statics[k]; global < 0 && len(s.bytes) < staticBytesMax && !slices.Contains(s.bytes, address) {
		s.bytes = append(s.bytes, address)
	}
}

// Carries reports whether a handler depends on another handler's value in a variable or global. A variable that every
// call writes before reading carries no value.
func (w *Watched) Carries(kind WriteKind) bool {
	return slices.ContainsFunc(w.statics, func(s static) bool { return s.kind == kind && s.carries })
}

// follow tries the next call with and without changed values in the followed statics, and undoes both trials. A
// difference between the trials shows a dependency.
func (w *Watched) follow(call func()) {
	if !slices.ContainsFunc(w.statics, func(s static) bool { return !s.carries }) {
		return
	}
	if !w.depends(call, func(s *static) bool { return !s.carries }) {
		return
	}
	for k := range w.statics {
		one := &w.statics[k]
		one.carries = one.carries || w.depends(call, func(s *static) bool { return s == one })
	}
}

func (w *Watched) depends(call func(), some func(s *static) bool) bool {
	plain, plainGlobals, plainEvents := w.tryOut(call, nil)
	stained, stainedGlobals, events := w.tryOut(call, some)
	if len(plain) != len(stained) || !slices.EqualFunc(plainEvents, events, func(a, b Event) bool {
		return a.Kind == b.Kind && a.Cell == b.Cell && a.Origin == b.Origin && a.Word == b.Word &&
			a.Value == b.Value && a.Text == b.Text
	}) {
		return true
	}
	// a static with an unchanged trial value was neither read nor written
	for k := range w.statics {
		s := &w.statics[k]
		if !some(s) {
			continue
		}
		if s.global >= 0 && stainedGlobals[s.global] == w.stained(w.followed[s.global]) {
			stainedGlobals[s.global] = plainGlobals[s.global]
		}
		for _, at := range s.bytes {
			if stained[at] == ^w.before[at] {
				stained[at] = plain[at]
			}
		}
	}
	return !slices.Equal(plainGlobals, stainedGlobals) || !slices.Equal(plain, stained)
}

func (w *Watched) stained(value uint64) uint64 { return value ^ 0x55 }

func (w *Watched) tryOut(call func(), some func(s *static) bool) (memory []byte, globals []uint64, events []Event) {
	in, before := w.in, len(w.in.events)
	said, spent := in.said, slices.Clone(in.spent)
	probes, silenced := slices.Clone(in.probes), slices.Clone(in.bank.SilencedCells())
	w.followed = in.Globals()
	now := in.Memory()
	for k := range w.statics {
		if s := &w.statics[k]; some != nil && some(s) {
			for _, at := range s.bytes {
				now[at] = ^now[at]
			}
			if s.global >= 0 {
				in.globals[s.global].Set(w.stained(w.followed[s.global]))
			}
		}
	}
	call()
	memory, globals, events = slices.Clone(in.Memory()), in.Globals(), slices.Clone(in.events[before:])
	if err := in.SetState(w.before, w.followed); err != nil {
		panic(err) // impossible, because the instance was in this state before
	}
	in.events, in.said, in.spent = in.events[:before], said, spent
	copy(in.probes, probes)
	copy(in.bank.SilencedCells(), silenced)
	in.image.host.endless.Store(false)
	return memory, globals, events
}

// StackEnd returns the address above the stack of an image whose stack is first in memory, as in SDK builds. For
// other images it returns the end of memory.
func (in *wasmInstance) StackEnd() uint64 {
	if g := in.module.ExportedGlobal(stackName); g != nil {
		return g.Get()
	}
	return uint64(len(in.Memory()))
}
