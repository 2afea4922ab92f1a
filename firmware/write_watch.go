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

// TakeWrites returns what was noted since the last call, in the order of the calls, and whether
// there was more outside of the bank than is kept.
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
