package firmware

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"starloom/firmware/wasm"
	"starloom/nic"
)

// Write is what a handler has changed that is not its own processor's.
type Write struct {
	Cell     int    // whose handler
	Slot     uint32 // in which it was called, 0 for the start handler, too
	Address  uint32
	Before   []byte // at most writeBytesMax
	After    []byte
	Column   string // of the bank, by its name in the register map; "" outside of the bank
	Owner    int    // the cell whose it is, nic.OwnerNone for nobody's
	Variable string // static variable that lies there, "" if the image does not say
	Global   string // a global of WebAssembly in the place of memory
	Grown    int    // bytes by which the memory has grown, in the place of a write
}

const (
	writeBytesMax = 16
	writesMax     = 256 // that are kept between two calls of TakeWrites...
	outsideMax    = 128 // ...of which so many are outside of the bank
	watchedChunk  = 4096
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
	outside int               // of writes
	sources map[uint32]string // names of variables that were asked for
	blind   bool              // nothing is noted now
}

// Watch watches an instance of an image.
func Watch(instance Instance) *Watched {
	in := instance.(*wasmInstance)
	w := &Watched{Instance: in, in: in, sources: map[uint32]string{}}
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

// Call implements Caller.
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

// Start implements Instance.
func (w *Watched) Start() {
	if w.blind {
		w.in.Start()
		w.costs = append(w.costs[:0], w.in.Costs()...)
		return
	}
	w.before, w.costs = append(w.before[:0], w.in.Memory()...), w.costs[:0]
	for cell := range w.in.bank.Cells {
		w.watch(cell, 0, func() { w.in.run(w.in.start, 1, []uint32{uint32(cell)}, 0) })
	}
}

// Slot implements Instance.
func (w *Watched) Slot(cells []uint32, slot uint32) {
	if w.blind {
		w.in.Slot(cells, slot)
		w.costs = append(w.costs[:0], w.in.Costs()...)
		return
	}
	w.before, w.costs = append(w.before[:0], w.in.Memory()...), w.costs[:0]
	for i, cell := range cells {
		w.watch(int(cell), slot, func() { w.in.run(w.in.slot, 2, cells[i:i+1:i+1], slot) })
	}
}

// Costs implements Instance.
func (w *Watched) Costs() []uint32 { return w.costs }

// TakeWrites returns what was noted since the last call, in the order of the calls.
func (w *Watched) TakeWrites() []Write {
	writes := w.writes
	w.writes, w.outside = nil, 0
	return writes
}

// watch calls one handler and compares the memory before and after. The list of calls is
// the host's: it is written before.
func (w *Watched) watch(cell int, slot uint32, call func()) {
	globals := w.in.Globals()
	call()
	w.costs = append(w.costs, w.in.Costs()...)
	memory := w.in.Memory()
	w.note(&Write{Cell: cell, Slot: slot, Owner: nic.OwnerNone, Grown: len(memory) - len(w.before)}, len(memory) > len(w.before))
	w.before = append(w.before, make([]byte, len(memory)-len(w.before))...)
	stack := uint64(0)
	if w.stack >= 0 {
		stack = globals[w.stack]
	}
	for at := 0; at < len(memory); at += watchedChunk {
		now, old := memory[at:min(at+watchedChunk, len(memory))], w.before[at:min(at+watchedChunk, len(memory))]
		if !bytes.Equal(now, old) {
			w.compare(cell, slot, at, old, now, stack)
			copy(old, now)
		}
	}
	for i, value := range w.in.Globals() {
		g := w.in.image.copy.Globals[i]
		w.note(&Write{Cell: cell, Slot: slot, Owner: nic.OwnerNone, Global: g.Name}, value != globals[i])
	}
}

// note keeps a write, if it is one and there is room.
func (w *Watched) note(write *Write, is bool) {
	if is && len(w.writes) < writesMax {
		w.writes = append(w.writes, *write)
	}
}

// compare notes what has changed in a piece of memory at an address: bytes side by side
// with one owner are one write.
func (w *Watched) compare(cell int, slot uint32, address int, old, now []byte, stack uint64) {
	var last *Write
	for i := range now {
		at := uint64(address + i)
		if old[i] == now[i] {
			continue
		}
		column, owner := w.in.bank.Owner(at)
		variable := ""
		if column == "" {
			if w.outside >= outsideMax {
				continue
			}
			variable = w.variable(uint32(at))
		}
		own := owner == cell || owner == nic.OwnerAny || column == "" && variable == "" && at < stack
		if own {
			continue
		}
		if last != nil && last.Column == column && last.Owner == owner && last.Variable == variable &&
			int(at)-int(last.Address) < writeBytesMax {
			first := int(last.Address) - address
			last.Before, last.After = slices.Clone(old[first:i+1]), slices.Clone(now[first:i+1])
			continue
		}
		if len(w.writes) >= writesMax {
			return
		}
		w.writes = append(w.writes, Write{Cell: cell, Slot: slot, Address: uint32(at), Column: column, Owner: owner, Variable: variable,
			Before: slices.Clone(old[i : i+1]), After: slices.Clone(now[i : i+1])})
		if column == "" {
			w.outside++
		}
		last = &w.writes[len(w.writes)-1]
	}
}

// variable names what the image has at an address.
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
