package wasm

import (
	"slices"

	"starloom/firmware/wasm/binary"
)

// Places of the register map that the analysis needs; package nic defines the map.
const (
	processorColumn = 168 // offset of the address of the processor blocks in the bank block
	wakeBytes       = 2   // size of wake, the first register of a processor block
)

// LongSleep is the least number of slots of a sleep that waits for a frame rather than for a slot.
const LongSleep = 1 << 14

// flowing is what the analysis knows about a value.
type flowing struct {
	kind  flowKind
	known bool // plain: value is its value; counting: value is the sum of the constants added to the slot number
	value uint32
	far   bool // joins values, and one may be long
}

// long reports whether a value may be LongSleep or more by a constant of the code.
func (v flowing) long() bool { return v.far || v.known && v.value&0xFFFF >= LongSleep }

type flowKind uint8

const (
	plain    flowKind = iota // independent of the slot number
	counting                 // the slot number plus a plain value, in the lowest 16 bits
	blocks                   // an address in the column of processor blocks
	mixed                    // anything
)

func join(a, b flowing) flowing {
	switch {
	case a == b:
		return a
	case a.kind == b.kind:
		return flowing{kind: a.kind, far: a.long() || b.long()}
	case a.kind != counting && b.kind != counting && a.kind != mixed && b.kind != mixed:
		return flowing{}
	}
	return flowing{kind: mixed}
}

// joinAll joins lists of equal length in place, and reports whether a changes.
func joinAll(a, b []flowing) (changed bool) {
	for k := range min(len(a), len(b)) {
		x := join(a[k], b[k])
		changed, a[k] = changed || x != a[k], x
	}
	return changed
}

// wakes follows the slot number through a function. It passes over the code until the values at the start of each
// loop no longer change.
type wakes struct {
	operands[flowing]
	m       *module
	bank    uint32 // address of the bank block
	locals  []flowing
	frames  []wakeFrame
	loops   map[int][]flowing // locals at the start of each loop, by offset
	changed bool
}

type wakeFrame struct {
	op      binary.Opcode
	at      int // offset of a loop
	height  int
	params  []flowing // if: operands for else
	before  []flowing // if: locals for else
	results []flowing // joined over all paths to the end
	after   []flowing // locals at the end; nil without a path
}

// SlotOnlyWakes reports whether the slot number influences an image only as the start of sleeps shorter than
// LongSleep: starloom_slot adds plain values to its second parameter and stores the sum in wake, and nothing else
// depends on the parameter or on wake. The start of firmware must not sleep, because it counts from slot 0 after a
// restart, too. The result is false for code that the analysis does not understand.
func SlotOnlyWakes(image []byte) (bool, error) {
	m, err := read(image)
	if err != nil {
		return false, err
	}
	bank, ok := m.constantOf("starloom_bank")
	return ok && m.onlyWakes("starloom_start", bank) && m.onlyWakes("starloom_slot", bank), nil
}

// defined returns the code of an exported function.
func (m *module) defined(name string) (f *binary.Function, ok bool) {
	export, ok := m.Exports[name]
	k := int(export.Index) - len(m.Imported)
	if !ok || k < 0 || k >= len(m.Body) {
		return nil, false
	}
	return &m.Body[k], true
}

// constantOf returns the constant that an exported function returns.
func (m *module) constantOf(name string) (value uint32, ok bool) {
	f, ok := m.defined(name)
	if !ok {
		return 0, false
	}
	r := &binary.Reader{Data: f.Code}
	var i, end binary.Instruction
	r.Instruction(&i)
	r.Instruction(&end)
	return uint32(i.Value), r.Err == nil && i.Op == binary.OpI32Const && end.Op == binary.OpEnd
}

func (m *module) onlyWakes(name string, bank uint32) bool {
	f, ok := m.defined(name)
	if !ok || f.Extra > localsMax {
		return false
	}
	params := len(m.Types[f.Signature].Params)
	w := &wakes{m: m, bank: bank, loops: map[int][]flowing{}, changed: true}
	for w.changed && !w.failed {
		w.changed, w.stack = false, nil
		w.frames = []wakeFrame{{op: binary.OpBlock}}
		w.locals = make([]flowing, params+int(f.Extra))
		if params > 1 {
			w.locals[1] = flowing{kind: counting, known: true}
		}
		w.pass(f.Code)
	}
	return !w.failed
}

func (w *wakes) pass(code []byte) {
	r := &binary.Reader{Data: code}
	var i binary.Instruction
	for len(w.frames) > 0 && r.More() && !w.failed {
		if r.Instruction(&i); r.Err != nil {
			break
		}
		switch i.Op {
		case binary.OpBlock, binary.OpLoop, binary.OpIf:
			w.open(&i)
		case binary.OpElse:
			w.branch(0)
			w.otherwise()
		case binary.OpEnd:
			w.reach(&w.frames[len(w.frames)-1])
			w.close(r)
		case binary.OpBr:
			w.branch(i.Index)
			w.skip(r)
		case binary.OpBrIf:
			w.take()
			w.branch(i.Index)
		case binary.OpBrTable:
			w.take()
			for _, target := range i.Targets {
				w.branch(target)
			}
			w.skip(r)
		case binary.OpReturn, binary.OpUnreachable:
			w.skip(r)
		default:
			w.plain(&i)
		}
	}
	w.failed = w.failed || r.Err != nil
}

// take pops a value that may influence anything, so it must not depend on the slot number.
func (w *wakes) take() flowing {
	v := w.pop()
	w.failed = w.failed || v.kind == counting || v.kind == mixed
	return v
}

func (w *wakes) open(i *binary.Instruction) {
	frame := wakeFrame{op: i.Op, at: i.Start}
	if i.Op == binary.OpIf {
		w.take()
		frame.before = slices.Clone(w.locals)
	}
	params, results := w.m.block(i)
	frame.height = len(w.stack) - params
	if frame.height < 0 || i.Op == binary.OpLoop && params > 0 {
		w.failed = true
		return
	}
	frame.params = slices.Clone(w.stack[frame.height:])
	frame.results = make([]flowing, 0, results)
	w.frames = append(w.frames, frame)
	if i.Op == binary.OpLoop {
		w.enter(i.Start)
		w.locals = slices.Clone(w.loops[i.Start])
	}
}

// enter joins the locals with those at the start of a loop.
func (w *wakes) enter(at int) {
	known, ok := w.loops[at]
	if !ok {
		w.loops[at] = slices.Clone(w.locals)
		return
	}
	w.changed = joinAll(known, w.locals) || w.changed
}

// branch joins the values here with those at the target of a branch.
func (w *wakes) branch(label uint32) {
	if uint64(label) >= uint64(len(w.frames)) {
		w.failed = true
		return
	}
	frame := &w.frames[len(w.frames)-1-int(label)]
	if frame.op == binary.OpLoop {
		w.enter(frame.at)
		return
	}
	w.reach(frame)
}

// reach joins the values here with those at the end of a block.
func (w *wakes) reach(frame *wakeFrame) {
	n := cap(frame.results)
	if len(w.stack) < n {
		w.failed = true
		return
	}
	top := w.stack[len(w.stack)-n:]
	if frame.after == nil {
		frame.after, frame.results = slices.Clone(w.locals), append(frame.results[:0], top...)
		return
	}
	joinAll(frame.after, w.locals)
	joinAll(frame.results, top)
}

func (w *wakes) otherwise() {
	frame := &w.frames[len(w.frames)-1]
	if frame.op != binary.OpIf || len(w.stack) < frame.height {
		w.failed = true
		return
	}
	frame.op, w.locals = binary.OpElse, frame.before
	w.stack = append(w.stack[:frame.height], frame.params...)
}

// close ends a block whose end has been reached or skipped to.
func (w *wakes) close(r *binary.Reader) {
	frame := &w.frames[len(w.frames)-1]
	if frame.op == binary.OpIf { // without else
		w.locals, w.stack = frame.before, append(w.stack[:frame.height], frame.params...)
		w.reach(frame)
	}
	ended := *frame
	w.frames = w.frames[:len(w.frames)-1]
	switch {
	case len(w.frames) == 0:
	case ended.after == nil:
		w.skip(r)
	case ended.height > len(w.stack):
		w.failed = true
	default:
		w.locals = ended.after
		w.stack = append(w.stack[:ended.height], ended.results...)
	}
}

func (w *wakes) skip(r *binary.Reader) {
	frame := &w.frames[len(w.frames)-1]
	if len(w.stack) >= frame.height {
		w.stack = w.stack[:frame.height]
	}
	switch r.SkipUnreachable().Op {
	case binary.OpElse:
		w.otherwise()
	case binary.OpEnd:
		w.close(r)
	}
}

func (w *wakes) plain(i *binary.Instruction) {
	switch {
	case i.Op == binary.OpLocalGet:
		w.push(w.locals[i.Index])
	case i.Op == binary.OpLocalSet:
		w.locals[i.Index] = w.pop()
	case i.Op == binary.OpLocalTee:
		v := w.pop()
		w.locals[i.Index] = v
		w.push(v)
	case i.Op == binary.OpDrop:
		w.pop()
	case i.Op == binary.OpI32Const:
		w.push(flowing{known: true, value: uint32(i.Value)})
	case i.Op == binary.OpI32Add, i.Op == binary.OpI32Sub:
		b, a := w.pop(), w.pop()
		w.push(w.sum(a, b, i.Op == binary.OpI32Sub))
	case i.Op == binary.OpSelect, i.Op == binary.OpSelectTyped:
		w.take()
		b, a := w.pop(), w.pop()
		w.push(join(a, b))
	case i.Op >= binary.OpI32Load && i.Op <= binary.OpLoadLast:
		w.load(i)
	case i.Op >= binary.OpI32Store && i.Op <= binary.OpStoreLast:
		w.store(i)
	case i.Op == binary.OpGlobalGet:
		w.push(flowing{})
	case i.Op == binary.OpGlobalSet:
		w.take()
	case i.Op == binary.OpCall:
		w.call(w.m.Types[w.m.Signature(int(i.Index))])
	case i.Op == binary.OpCallIndirect:
		w.take()
		w.call(w.m.Types[i.Index])
	default:
		pops, pushes := effect(i.Op)
		for range pops {
			w.take()
		}
		w.replace(0, pushes)
	}
}

func (w *wakes) call(t binary.FuncType) {
	for range t.Params {
		w.take()
	}
	w.replace(0, len(t.Results))
}

// sum returns a+b, or a-b.
func (w *wakes) sum(a, b flowing, minus bool) flowing {
	if b.kind > plain && !minus {
		a, b = b, a
	}
	if b.kind != plain || a.kind == mixed {
		w.failed = w.failed || b.kind == counting || a.kind == counting || a.kind == mixed || b.kind == mixed
		return flowing{}
	}
	if minus {
		b.value = -b.value
	}
	if !a.known || !b.known {
		return flowing{kind: a.kind, far: a.far || b.far}
	}
	a.value += b.value
	return a
}

// load reads memory. Nothing but the host may read wake.
func (w *wakes) load(i *binary.Instruction) {
	at := w.take()
	w.failed = w.failed || at.kind == blocks && uint64(i.Value) < wakeBytes
	v := flowing{}
	if i.Op == binary.OpI32Load && at.kind == plain && at.known && at.value+uint32(i.Value) == w.bank+processorColumn {
		v.kind = blocks
	}
	w.push(v)
}

// store writes memory. Only wake may depend on the slot number, and its every value must.
func (w *wakes) store(i *binary.Instruction) {
	const store16 = 0x3B // i32.store16
	v, at := w.pop(), w.take()
	if at.kind == blocks && uint64(i.Value) < wakeBytes {
		w.failed = w.failed || i.Op != store16 || i.Value != 0 || v.kind != counting || v.long()
		return
	}
	w.failed = w.failed || v.kind == counting || v.kind == mixed
}
