package wasm

import (
	"math"
	"slices"

	"starloom/firmware/wasm/binary"
)

// entry is an entry point with a list of cells. A metered copy calls it once per cell, so that the cost of a cell is
// independent of other cells in the list. Common work at its start is done once:
//
//	head                      start of the entry point, if it only sets locals from constants, parameters and constant
//	                          addresses to which the entry point does not store
//	for place = 0; place < count; place++ {
//	    calls[place], calls[0] = cost, calls[place]
//	    counter = 0
//	    locals = those after head
//	    rest of the entry point, for (1, slot)
//	    if cost = counter; cost > Limit { the host ends the call }
//	}
//
// A local holds the cost of head, which counts for each cell. Like an unmetered entry point, this one reads the
// bank's descriptor once per call: changes by firmware take effect in the next slot.
//
// When it ends, or when the handler at place traps, calls[k+1] is the cost of place k, for all k before place, and
// the counter is the cost of the last handler.
type entry struct {
	name     string // export
	k        int    // index among defined functions
	function string // name of the function
	params   int
	woven    *woven

	code   []byte // woven code, without declarations of locals
	types  []byte // types of the locals
	head   int    // size in bytes
	blocks int    // blocks open after head
	flow   *flow  // flow of the rest
}

// parameters and locals of the caller of an entry point; those of the entry point follow
const (
	eachCount uint32 = iota
	eachSlot
	eachCalls
	eachAt
	eachCell
	eachNext
	eachCost
	eachFirst
)

// a larger entry point is called instead of inlined, to limit the compile time of caller and entry point
const entryBytesMax, entryLocalsMax = 1 << 16, 1 << 10

func (w *weaver) entries() (entries []*entry) {
	if w.meter == nil {
		return nil
	}
	for _, l := range listed {
		e, ok := w.m.Exports[l.name]
		k := int(e.Index) - len(w.m.Imported)
		if ok && e.Kind == binary.KindFunction && k >= 0 && k < len(w.m.Body) && w.m.takes(k, l.params) {
			entries = append(entries, &entry{name: l.name, k: k, params: l.params})
		}
	}
	return entries
}

// take moves the entry point's code into e. If only the host called the entry point, unreachable code replaces it in
// the copy.
func (e *entry) take(w *weaver, own *woven) *woven {
	e.function, e.woven = w.m.FunctionNames()[len(w.m.Imported)+e.k], own
	if w.meter.Profile || !e.inline(w) {
		e.call(w)
		return own
	}
	if w.called[e.k] {
		return own
	}
	return &woven{copier: copier{to: []byte{0, binary.OpUnreachable, binary.OpEnd}}}
}

// addEntries adds the types, functions and names of entry points to the copy. The additions come last, so that other
// numbers do not change. nothing is the type of functions without parameters and results.
func (m *module) addEntries(entries []*entry, parts binary.Parts, shift *copier, nothing uint32) {
	types := &binary.Reader{Data: parts[binary.SectionType]}
	signature := uint32(types.Count())
	parts.Add(binary.SectionType, 1, []byte{0x60, 3, binary.I32, binary.I32, binary.I32, 0})
	next := uint32(len(m.Imported) + len(m.Body))
	for _, e := range entries {
		for _, signature := range []uint32{nothing, signature} {
			parts.Add(binary.SectionFunction, 1, binary.AppendU32(nil, signature, 1))
		}
		m.Names[next], m.Names[next+1] = EachName+e.name, e.function
		next += 2
		parts.Export(EachName+e.name, binary.KindFunction, shift.function(next-1))
	}
}

func (e *entry) over(w *weaver) *woven {
	body := w.meter.end([]byte{0}, w.tick)
	return &woven{copier: copier{to: append(body, binary.OpEnd)}}
}

// each returns the body of the function (count, slot, calls i32), which calls the entry point once per cell.
func (e *entry) each(w *weaver, over uint32) *woven {
	var kept, zero []uint32 // locals
	before := newSet(len(e.types))
	out := &woven{}
	add := func(parts ...any) { out.to = append(out.to, emit(parts...)...) }
	add(binary.OpI32Const, 1, binary.OpLocalSet, eachFirst)
	before.add(0)
	if e.params == 2 {
		add(binary.OpLocalGet, eachSlot, binary.OpLocalSet, eachFirst+1)
		before.add(1)
	}
	e.copyHead(out, before)
	for n := range uint32(len(e.types)) {
		if !e.flow.written.has(n) || !e.flow.early.has(n) {
			continue
		}
		if !before.has(n) {
			zero = append(zero, n)
			continue
		}
		add(binary.OpLocalGet, eachFirst+n, binary.OpLocalSet, eachFirst+uint32(len(e.types)+len(kept)))
		kept = append(kept, n)
	}
	add(binary.OpLocalGet, eachCalls, binary.OpLocalSet, eachAt, binary.OpLoop, binary.BlockEmpty, e.begin(w.meter))
	for n, local := range kept {
		add(binary.OpLocalGet, eachFirst+uint32(len(e.types)+n), binary.OpLocalSet, eachFirst+local)
	}
	for _, local := range zero {
		add(zeros[e.types[local]], binary.OpLocalSet, eachFirst+local)
	}
	e.copyRest(out)
	add(w.meter.exceeds(emit(binary.OpGlobalGet, w.meter.counter, binary.OpLocalTee, eachCost)),
		binary.OpIf, binary.BlockEmpty, binary.OpCall, over, binary.OpEnd,
		binary.OpLocalGet, eachAt, binary.OpI32Const, 4, binary.OpI32Add, binary.OpLocalSet, eachAt,
		binary.OpLocalGet, eachNext, binary.OpI32Const, 1, binary.OpI32Add, binary.OpLocalTee, eachNext,
		binary.OpLocalGet, eachCount, binary.OpI32LtU, binary.OpBrIf, 0, binary.OpEnd, binary.OpEnd)
	locals := []byte{binary.I32, binary.I32, binary.I32, binary.I64}
	locals = append(locals, e.types...)
	for _, local := range kept {
		locals = append(locals, e.types[local])
	}
	out.declare(locals)
	return out
}

var zeros = map[byte][]byte{
	binary.I32: {binary.OpI32Const, 0}, binary.I64: {binary.OpI64Const, 0}, binary.F32: {binary.OpF32Const, 0, 0, 0, 0},
	binary.F64:  {binary.OpF64Const, 0, 0, 0, 0, 0, 0, 0, 0},
	binary.V128: append([]byte{simd >> 16, binary.OpV128Const & 0xFF}, make([]byte, 16)...),
}

func (f *woven) declare(types []byte) {
	groups, count := []byte(nil), uint32(0)
	for n := 0; n < len(types); count++ {
		same := n
		for n < len(types) && types[n] == types[same] {
			n++
		}
		groups = append(binary.AppendU32(groups, uint32(n-same), 1), types[same])
	}
	head := append(binary.AppendU32(nil, count, 1), groups...)
	for n := range f.moved {
		f.moved[n].to += uint32(len(head))
	}
	f.to = append(head, f.to...)
}

// begin starts the handler of a cell: cell = *at; *at = cost (32 bits: see Limit); *calls = cell.
func (e *entry) begin(x *metering) []byte {
	return emit(binary.OpLocalGet, eachNext, binary.OpGlobalSet, x.place,
		binary.OpLocalGet, eachAt, binary.OpI32Load, 2, 0, binary.OpLocalSet, eachCell,
		binary.OpLocalGet, eachAt, binary.OpLocalGet, eachCost, binary.OpI32WrapI64, binary.OpI32Store, 2, 0,
		binary.OpLocalGet, eachCalls, binary.OpLocalGet, eachCell, binary.OpI32Store, 2, 0,
		binary.OpI64Const, 0, binary.OpGlobalSet, x.counter)
}

func (e *entry) call(w *weaver) {
	e.types, e.function = slices.Repeat([]byte{binary.I32}, e.params), EachName+e.name
	e.code, e.head, e.blocks = nil, 0, 0
	for n := range e.params {
		e.code = append(e.code, binary.OpLocalGet, byte(n))
	}
	e.code = binary.AppendU32(append(e.code, binary.OpCall), uint32(len(w.m.Imported)+e.k)+1, 1)
	e.code = append(e.code, binary.OpEnd)
	e.woven = &woven{}
	e.flow = &flow{written: newSet(e.params), early: newSet(e.params)}
}

func (e *entry) inline(w *weaver) bool {
	r := &binary.Reader{Data: e.woven.to}
	e.types = slices.Repeat([]byte{binary.I32}, e.params)
	for n := r.Count(); n > 0; n-- {
		same := r.U32()
		valueType := r.Byte()
		if zeros[valueType] == nil || uint64(len(e.types))+uint64(same) > entryLocalsMax {
			return false
		}
		e.types = append(e.types, slices.Repeat([]byte{valueType}, int(same))...)
	}
	e.code = e.woven.to[r.At:]
	if len(e.code) > entryBytesMax {
		return false
	}
	flowOf := func(from, blocks int) (*flow, bool) {
		f := &flow{m: w.m, tick: w.tick, params: e.params}
		for range blocks + 1 {
			f.frames = append(f.frames, flowFrame{op: binary.OpBlock})
		}
		return f, f.run(e.code[from:], len(e.types))
	}
	whole, ok := flowOf(0, 0)
	if !ok {
		return false
	}
	e.findHead(w.m, whole)
	e.flow, ok = flowOf(e.head, e.blocks)
	return ok
}

// findHead finds the longest prefix that is equal for all cells and has no side effects.
func (e *entry) findHead(m *module, whole *flow) {
	h := &head{e: e, m: m, whole: whole, set: newSet(len(e.types))}
	if memories := m.Memories(); len(memories) == 1 {
		h.memory = uint64(memories[0].Start) << 16
	}
	r := &binary.Reader{Data: e.code}
	var i binary.Instruction
	for blocks := 0; r.More(); {
		r.Instruction(&i)
		if !h.takes(&i) || h.failed {
			return
		}
		if i.Op == binary.OpBlock {
			blocks++
		}
		if len(h.stack) == 0 {
			e.head, e.blocks = i.End, blocks
		}
	}
}

type head struct {
	e      *entry
	m      *module
	whole  *flow
	memory uint64 // initial size in bytes
	operands[address]
	set localSet
}

func (h *head) takes(i *binary.Instruction) bool {
	switch op := i.Op; {
	case op == binary.OpBlock:
		return i.Value == binary.BlockEmpty-0x80 && len(h.stack) == 0
	case op == binary.OpBrIf: // not taken
		v := h.pop()
		return v == address{known: true}
	case op >= binary.OpLocalGet && op <= binary.OpLocalTee:
		h.local(i)
	case op == binary.OpI32Const:
		h.push(address{true, uint32(i.Value)})
	case op >= binary.OpI64Const && op <= binary.OpF64Const:
		h.push(address{})
	case op == binary.OpI32Eqz:
		v := h.pop()
		h.push(address{known: v.known && v.value != 0})
	case op >= binary.OpI32Load && op <= binary.OpLoadLast:
		v := h.pop()
		h.push(address{})
		return v.known && h.same(extentOf(v.value, i))
	case op == binary.OpSelect:
		h.replace(3, 1)
	case op == binary.OpDrop, op >= binary.OpI32Eqz && op <= 0xC4:
		v := h.pop()
		h.push(v)
		h.replace(effect(op))
		return !traps(op, v)
	default:
		return false
	}
	return true
}

func (h *head) local(i *binary.Instruction) {
	switch {
	case i.Op == binary.OpLocalSet:
		h.pop()
	case i.Op == binary.OpLocalGet && h.set.has(i.Index):
		h.push(address{})
	case i.Op == binary.OpLocalGet && i.Index == 0:
		h.push(address{true, 1}) // number of cells
	case i.Op == binary.OpLocalGet:
		h.push(address{known: int(i.Index) >= h.e.params})
	}
	if i.Op != binary.OpLocalGet {
		h.set.add(i.Index)
	}
}

// traps reports whether a numeric instruction may trap: a division by an unknown value, or a conversion out of range.
func traps(op binary.Opcode, last address) bool {
	divides := op >= 0x6D && op <= 0x70 || op >= 0x7F && op <= 0x82
	converts := op >= 0xA8 && op <= 0xB1 && op != 0xAC && op != binary.OpI64ExtendI32U
	return converts || divides && (!last.known || last.value == 0 || last.value == math.MaxUint32)
}

// same reports whether the bytes exist in the initial memory, and the entry point never stores to them.
func (h *head) same(e extent) bool {
	return !h.whole.anywhere && e.to <= h.memory &&
		!slices.ContainsFunc(h.whole.stores, func(s extent) bool { return s.from < e.to && e.from < s.to })
}

func (e *entry) copyHead(out *woven, set localSet) {
	r := &binary.Reader{Data: e.code[:e.head]}
	var i binary.Instruction
	for r.More() {
		r.Instruction(&i)
		switch i.Op {
		case binary.OpBlock:
		case binary.OpBrIf:
			out.to = append(out.to, binary.OpDrop)
		case binary.OpLocalSet, binary.OpLocalTee:
			set.add(i.Index)
			e.copy(out, &i, 0)
		default:
			e.copy(out, &i, 0)
		}
	}
}

func (e *entry) copyRest(out *woven) {
	for range e.blocks + 1 {
		out.to = append(out.to, binary.OpBlock, binary.BlockEmpty)
	}
	depth := uint32(e.blocks)
	start, at := len(e.woven.to)-len(e.code), 0
	r := &binary.Reader{Data: e.code, At: e.head}
	var i binary.Instruction
	for r.More() {
		r.Instruction(&i)
		from := uint32(start + i.Start)
		for at+1 < len(e.woven.moved) && e.woven.moved[at+1].to <= from {
			at++
		}
		if at < len(e.woven.moved) {
			place := e.woven.moved[at]
			if !place.inserted {
				place.from += from - place.to
			}
			place.to = uint32(len(out.to))
			out.moved = append(out.moved, place)
		}
		switch i.Op {
		case binary.OpBlock, binary.OpLoop, binary.OpIf:
			depth++
		case binary.OpEnd:
			depth--
		}
		e.copy(out, &i, depth)
	}
}

func (e *entry) copy(out *woven, i *binary.Instruction, depth uint32) {
	switch i.Op {
	case binary.OpLocalGet, binary.OpLocalSet, binary.OpLocalTee:
		out.to = binary.AppendU32(append(out.to, byte(i.Op)), eachFirst+i.Index, 1)
	case binary.OpReturn:
		out.to = binary.AppendU32(append(out.to, binary.OpBr), depth, 1)
	default:
		out.to = append(out.to, e.code[i.Start:i.End]...)
	}
}
