package firmware

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"starloom/firmware/wasm"
	"starloom/nic"
)

// WriteKind says whose a write is, or which variable it changes: writes of one kind are counted
// together.
type WriteKind struct {
	Column    string // of the bank, by its name in the register map; "" outside of the bank
	Neighbour bool   // the column is another processor's; else no one's
	Variable  string // static variable that lies there, "" if the image does not say
	Unnamed   uint32 // in its place: the address, rounded down to writeBytesMax
	Global    string // a global of WebAssembly in the place of memory
	Grows     bool   // the memory has grown, in the place of a write
}

// outside reports whether it is neither of the bank nor of the memory's size.
func (k *WriteKind) outside() bool { return k.Column == "" && !k.Grows }

// Write is what handlers have changed that is not their own processor's: the first that did,
// and how many.
type Write struct {
	WriteKind
	Cell    int // whose handler
	Address uint32
	Before  []byte // at most writeBytesMax
	After   []byte
	Owner   int // the cell whose it is, nic.OwnerNone for no one's
	Grown   int // bytes by which the memory has grown
	Calls   int // of handlers that made such a write

	call int // the last one of these
}

const (
	writeBytesMax   = 16
	outsideMax      = 128  // kinds outside of the bank that are kept between two calls of TakeWrites
	outsideBytesMax = 2048 // of a call that are looked at there
	watchedChunk    = 4096
)

// Watched is an Instance that calls its handlers one at a time and notes what each of them
// writes beside its own processor's part of the bank and its stack. Without names in the
// image, memory below the stack pointer is taken for the stack.
type Watched struct {
	Instance
	in      *wasmInstance
	before  []byte // the memory before the call
	costs   []uint32
	stack   int // global of the stack pointer, -1 for none
	writes  []Write
	kinds   map[WriteKind]int // places in writes
	outside int               // of writes
	cut     bool              // there were more
	endless []Event           // of calls that did not return
	call    int               // number of the call that is made
	looked  int               // bytes outside of the bank that it has changed
	sources map[uint32]string // names of variables that were asked for
	blind   bool              // nothing is noted now

	statics  []static // what handlers have written outside of the bank
	followed []uint64 // globals before a call that is tried out
}

// Watch watches an instance of an image.
func Watch(instance Instance) *Watched {
	in := instance.(*wasmInstance)
	w := &Watched{Instance: in, in: in, kinds: map[WriteKind]int{}, sources: map[uint32]string{}}
	w.stack = slices.IndexFunc(in.image.copy.Globals, func(g wasm.Global) bool { return strings.HasSuffix(g.Name, stackName) })
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

// Watch says whether what handlers write is noted from now on. At first it is.
func (w *Watched) Watch(on bool) { w.blind = !on }

// NamedCall is a function of an image that the network may call: Caller.
type NamedCall struct {
	Name      string
	Arguments int
}

// Calls lists those of the image, by name.
func (w *Watched) Calls() (calls []NamedCall) {
	for name, f := range w.in.image.compiled.ExportedFunctions() {
		if call, ok := strings.CutPrefix(name, exportCall); ok {
			calls = append(calls, NamedCall{call, len(f.ParamTypes())})
		}
	}
	slices.SortFunc(calls, func(a, b NamedCall) int { return strings.Compare(a.Name, b.Name) })
	return calls
}

// stackName is the end of the stack pointer's name where tools give it one.
const stackName = "__stack_pointer"

func (w *Watched) Call(name string, arguments ...uint32) (uint32, error) {
	return w.in.Call(name, arguments...)
}

// Fault is the event of a Call that has failed.
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

// TakeWrites returns the notes since the last call, in order, and whether writes outside the bank were left out.
func (w *Watched) TakeWrites() (writes []Write, cut bool) {
	writes, cut = w.writes, w.cut
	w.writes, w.outside, w.cut = nil, 0, false
	clear(w.kinds)
	return writes, cut
}

// TakeEndless returns the traps of calls that did not return, see Host.Limit, since the last call.
func (w *Watched) TakeEndless() []Event {
	events := w.endless
	w.endless = nil
	return events
}

// each calls handlers one at a time, or at once where nothing is noted.
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

// watch calls one handler and compares the memory before and after. The list of calls is
// the host's: it is written before.
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

// note counts a write, and keeps the first of its kind if there is room: then it returns it.
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

// compare notes the changes in a piece of memory at an address: adjacent bytes of one owner are one write.
func (w *Watched) compare(cell, address int, old, now []byte, stack uint64) {
	var kind WriteKind // of the byte before
	var last *Write    // that begins here
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

// lostFrame is the SDK's: a frame of sl_send that is not sent. Handlers write to it and never read it.
const lostFrame = "starloom_lost ("

func (w *Watched) variable(address uint32) string {
	name, known := w.sources[address]
	if !known {
		name = w.in.image.variable(address)
		w.sources[address] = name
	}
	return name
}

// variable returns the static variable at an address, "" if the image does not say.
func (img *Image) variable(address uint32) string {
	defer img.lockPlaces()()
	return img.places.Variable(address)
}

// Cover lets images loaded from now on note the branches and comparisons of handlers: see wasm.Covered.
func (h *Host) Cover() { h.covers = true }

// Covered says what the image's copy notes.
func (w *Watched) Covered() wasm.Covered { return w.in.image.copy.Covered }

// TakeBranches adds those that were taken since the last call to a set.
func (w *Watched) TakeBranches(set []uint64) {
	for k, g := range w.in.cover.branches {
		set[k] |= g.Get()
		g.Set(0)
	}
}

// Operands are what a comparison has compared.
type Operands [2]uint64

// TakeOperands appends those of all comparisons that were made since the last call, the last ones of
// each, where they differ.
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

// Base is what an instance was before calls that are taken back.
type Base struct {
	memory   []byte
	globals  []uint64
	silenced []uint64
}

// Keep notes what the instance is.
func (w *Watched) Keep(b *Base) {
	b.memory, b.globals = append(b.memory[:0], w.Memory()...), w.Globals()
	b.silenced = append(b.silenced[:0], w.Bank().SilencedCells()...)
}

// TakeBack lets the instance be what it was, and returns the first write since then into what
// belongs to another cell than the one that was called, nil if there is none.
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

// foreign is the first change in a piece of memory at an address of what is another cell's.
func (w *Watched) foreign(cell, address int, old, now []byte) *Write {
	for i := range now {
		if old[i] == now[i] {
			continue
		}
		if column, owner := w.in.bank.Owner(uint64(address + i)); owner >= 0 && owner != cell {
			return &Write{WriteKind: WriteKind{Column: column, Neighbour: true}, Cell: cell, Owner: owner, Address: uint32(address + i)}
		}
	}
	return nil
}

// static is what handlers write outside of the bank: bytes of a variable, or a global.
type static struct {
	kind    WriteKind
	bytes   []uint32 // addresses
	global  int      // if there are none
	carries bool     // a handler has read what another one has left
}

// staticBytesMax bounds the bytes of a variable that are followed.
const staticBytesMax = 256

// noteStatic follows a byte of a variable from now on, or a global.
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

// Carries reports whether a handler has read what another one has left in a variable or a global:
// what it does depends on it. One that is written before it is read in every call carries nothing.
func (w *Watched) Carries(kind WriteKind) bool {
	return slices.ContainsFunc(w.statics, func(s static) bool { return s.kind == kind && s.carries })
}

// follow makes a call that is going to be made twice more, with other values in the variables and
// globals that are followed, and takes both back: what differs depends on what was in them.
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
		return a.Kind == b.Kind && a.Cell == b.Cell && a.Origin == b.Origin && a.Word == b.Word && a.Value == b.Value && a.Text == b.Text
	}) {
		return true
	}
	// What is stained and stays so was neither read nor written.
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

// stained is another value than that of a global, whatever its type.
func (w *Watched) stained(value uint64) uint64 { return value ^ 0x55 }

// tryOut makes a call with other values in some statics, and takes it back.
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
		panic(err) // it has been in this state before
	}
	in.events, in.said, in.spent = in.events[:before], said, spent
	copy(in.probes, probes)
	copy(in.bank.SilencedCells(), silenced)
	in.image.host.endless.Store(false)
	return memory, globals, events
}
