package wasm

import (
	"math"
	"slices"
)

// entry is an entry point with a list of cells. A copy that counts calls it for each cell alone, so that the cost
// of a cell is the same whoever is in the list; and what the call of every cell would do first, is done once:
//
//	head                      the start of the entry point, as far as it only sets locals, from constants, from its
//	                          parameters and from constant addresses to which the entry point does not store
//	for place = 0; place < count; place++ {
//	    calls[place], calls[0] = cost, calls[place]
//	    counter = 0
//	    locals = those after head
//	    rest of the entry point, of (1, slot)
//	    if cost = counter; cost > Limit { the host ends the call }
//	}
//
// What head costs is in a local, and counts for each cell. Like the entry point of a copy that does not count, this
// one reads the bank's descriptor once in a call: firmware that writes there finds it in the next slot.
//
// When it ends, or the handler at place traps, calls[k+1] is what place k has cost, for all before
// place; that of the last one is the counter.
type entry struct {
	name     string // export
	k        int    // among the functions with code
	function string // name
	params   int
	woven    *woven

	code   []byte // that is woven, without its locals
	types  []byte // of its locals
	head   int    // bytes of code
	blocks int    // that are open after it
	flow   *flow  // of the rest
}

// The parameters and locals of what calls an entry point; those of the entry point come after.
const (
	eachCount = iota
	eachSlot
	eachCalls
	eachAt
	eachCell
	eachNext
	eachCost
	eachFirst
)

// An entry point that is larger is called, so that the compiler does not take much longer for both.
const entryBytesMax, entryLocalsMax = 1 << 16, 1 << 10

// entries are the entry points of a copy that counts.
func (w *weaver) entries() (entries []*entry) {
	if w.meter == nil {
		return nil
	}
	for _, l := range listed {
		e, ok := w.m.exports[l.name]
		k := int(e.index) - len(w.m.imported)
		if ok && e.kind == kindFunction && k >= 0 && k < len(w.m.body) && w.m.takes(k, l.params) {
			entries = append(entries, &entry{name: l.name, k: k, params: l.params})
		}
	}
	return entries
}

// take takes the entry point's own code, and returns what the copy has in its place: nothing that runs, if
// no one but the host called it, which calls each instead.
func (e *entry) take(w *weaver, own *woven) *woven {
	e.function, e.woven = w.m.functionNames()[len(w.m.imported)+e.k], own
	if w.meter.Profile || !e.inline(w) {
		e.call(w)
		return own
	}
	if w.called[e.k] {
		return own
	}
	return &woven{copier: copier{to: []byte{0, byte(opUnreachable), byte(opEnd)}}}
}

// addEntries adds entry points, which the code of the copy has, to its other sections. Types and functions that are
// added come last, so that no number changes; nothing is the type of functions without parameters and results.
func (m *module) addEntries(entries []*entry, parts map[byte][]byte, shift *copier, nothing uint32) {
	types := &reader{data: parts[sectionType]}
	signature := uint32(types.count())
	parts[sectionType] = appendElement(parts[sectionType], []byte{0x60, 3, typeI32, typeI32, typeI32, 0})
	next := uint32(len(m.imported) + len(m.body))
	for _, e := range entries {
		for _, signature := range []uint32{nothing, signature} {
			parts[sectionFunction] = appendElement(parts[sectionFunction], appendU32(nil, signature, 1))
		}
		m.names[next], m.names[next+1] = EachName+e.name, e.function
		next += 2
		export := appendName(nil, EachName+e.name)
		parts[sectionExport] = appendElement(parts[sectionExport], appendU32(append(export, kindFunction), shift.function(next-1), 1))
	}
}

// over is the body of a function of its own, in which a cell's handler is ended that has returned: it is in no backtrace.
func (e *entry) over(w *weaver) *woven {
	body := w.meter.end([]byte{0}, w.tick)
	return &woven{copier: copier{to: append(body, byte(opEnd))}}
}

// each is the body of (count, slot, calls i32).
func (e *entry) each(w *weaver, over uint32) *woven {
	var kept, zero []uint32 // locals
	before := newSet(len(e.types))
	out := &woven{}
	op := func(op opcode, index uint32) { out.to = appendU32(append(out.to, byte(op)), index, 1) }
	out.to = append(out.to, byte(opI32Const), 1)
	op(opLocalSet, eachFirst)
	before.add(0)
	if e.params == 2 {
		op(opLocalGet, eachSlot)
		op(opLocalSet, eachFirst+1)
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
		op(opLocalGet, eachFirst+n)
		op(opLocalSet, eachFirst+uint32(len(e.types)+len(kept)))
		kept = append(kept, n)
	}
	op(opLocalGet, eachCalls)
	op(opLocalSet, eachAt)
	out.to = append(out.to, byte(opLoop), blockEmpty)
	e.begin(w.meter, out)
	for n, local := range kept {
		op(opLocalGet, eachFirst+uint32(len(e.types)+n))
		op(opLocalSet, eachFirst+local)
	}
	for _, local := range zero {
		out.to = append(out.to, zeros[e.types[local]]...)
		op(opLocalSet, eachFirst+local)
	}
	e.copyRest(out)
	op(opGlobalGet, w.meter.counter)
	op(opLocalTee, eachCost)
	out.to = append(w.meter.exceeds(out.to), byte(opIf), blockEmpty)
	op(opCall, over)
	out.to = append(out.to, byte(opEnd))
	op(opLocalGet, eachAt)
	out.to = append(out.to, byte(opI32Const), 4, byte(opI32Add))
	op(opLocalSet, eachAt)
	op(opLocalGet, eachNext)
	out.to = append(out.to, byte(opI32Const), 1, byte(opI32Add))
	op(opLocalTee, eachNext)
	op(opLocalGet, eachCount)
	out.to = append(out.to, byte(opI32LtU), byte(opBrIf), 0, byte(opEnd), byte(opEnd))
	locals := []byte{typeI32, typeI32, typeI32, typeI64}
	locals = append(locals, e.types...)
	for _, local := range kept {
		locals = append(locals, e.types[local])
	}
	out.declare(locals)
	return out
}

// zeros are instructions by the type of what they leave.
var zeros = map[byte][]byte{
	typeI32: {byte(opI32Const), 0}, typeI64: {byte(opI64Const), 0}, typeF32: {byte(opF32Const), 0, 0, 0, 0},
	typeF64: {byte(opF64Const), 0, 0, 0, 0, 0, 0, 0, 0}, typeV128: append([]byte{simd >> 16, byte(opV128Const & 0xFF)}, make([]byte, 16)...),
}

// declare puts the types of locals before code.
func (f *woven) declare(types []byte) {
	groups, count := []byte(nil), uint32(0)
	for n := 0; n < len(types); count++ {
		same := n
		for n < len(types) && types[n] == types[same] {
			n++
		}
		groups = append(appendU32(groups, uint32(n-same), 1), types[same])
	}
	head := append(appendU32(nil, count, 1), groups...)
	for n := range f.moved {
		f.moved[n].to += uint32(len(head))
	}
	f.to = append(head, f.to...)
}

// begin begins the turn of a cell.
func (e *entry) begin(x *metering, out *woven) {
	op := func(op opcode, index uint32) { out.to = appendU32(append(out.to, byte(op)), index, 1) }
	op(opLocalGet, eachNext)
	op(opGlobalSet, x.place)
	// cell = *at; *at = cost, which has 32 bits: see Limit
	op(opLocalGet, eachAt)
	out.to = append(out.to, byte(opI32Load), 2, 0)
	op(opLocalSet, eachCell)
	op(opLocalGet, eachAt)
	op(opLocalGet, eachCost)
	out.to = append(out.to, byte(opI32WrapI64), byte(opI32Store), 2, 0)
	// *calls = cell
	op(opLocalGet, eachCalls)
	op(opLocalGet, eachCell)
	out.to = append(out.to, byte(opI32Store), 2, 0, byte(opI64Const), 0)
	op(opGlobalSet, x.counter)
}

// call makes code that calls the entry point.
func (e *entry) call(w *weaver) {
	e.types, e.function = slices.Repeat([]byte{typeI32}, e.params), EachName+e.name
	e.code, e.head, e.blocks = nil, 0, 0
	for n := range e.params {
		e.code = append(e.code, byte(opLocalGet), byte(n))
	}
	e.code = appendU32(append(e.code, byte(opCall)), uint32(len(w.m.imported)+e.k)+1, 1)
	e.code = append(e.code, byte(opEnd))
	e.woven = &woven{}
	e.flow = &flow{written: newSet(e.params), early: newSet(e.params)}
}

// inline takes the entry point's own code, if it is not too large, and finds its head.
func (e *entry) inline(w *weaver) bool {
	r := &reader{data: e.woven.to}
	e.types = slices.Repeat([]byte{typeI32}, e.params)
	for n := r.count(); n > 0; n-- {
		same := r.u32()
		valueType := r.byte()
		if zeros[valueType] == nil || uint64(len(e.types))+uint64(same) > entryLocalsMax {
			return false
		}
		e.types = append(e.types, slices.Repeat([]byte{valueType}, int(same))...)
	}
	e.code = e.woven.to[r.at:]
	if len(e.code) > entryBytesMax {
		return false
	}
	flowOf := func(from, blocks int) (*flow, bool) {
		f := &flow{m: w.m, tick: w.tick, params: e.params}
		for range blocks + 1 {
			f.frames = append(f.frames, flowFrame{op: opBlock})
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

// findHead finds how far the code does the same for every cell, and nothing that anyone could see.
func (e *entry) findHead(m *module, whole *flow) {
	h := &head{e: e, m: m, whole: whole, set: newSet(len(e.types))}
	if memories := m.memories(); len(memories) == 1 {
		h.memory = uint64(memories[0].Start) << 16
	}
	r := &reader{data: e.code}
	var i instruction
	for blocks := 0; r.more(); {
		r.instruction(&i)
		if !h.takes(&i) || h.failed {
			return
		}
		if i.op == opBlock {
			blocks++
		}
		if len(h.stack) == 0 {
			e.head, e.blocks = i.end, blocks
		}
	}
}

// head follows the head of an entry point.
type head struct {
	e      *entry
	m      *module
	whole  *flow
	memory uint64 // bytes at the start
	operands[address]
	set localSet
}

// takes reports whether an instruction can be in the head.
func (h *head) takes(i *instruction) bool {
	switch op := i.op; {
	case op == opBlock:
		return i.value == blockEmpty-0x80 && len(h.stack) == 0
	case op == opBrIf: // that does not branch
		v := h.pop()
		return v == address{known: true}
	case op >= opLocalGet && op <= opLocalTee:
		h.local(i)
	case op == opI32Const:
		h.push(address{true, uint32(i.value)})
	case op >= opI64Const && op <= opF64Const:
		h.push(address{})
	case op == opI32Eqz:
		v := h.pop()
		h.push(address{known: v.known && v.value != 0})
	case op >= opI32Load && op <= opLoadLast:
		v := h.pop()
		h.push(address{})
		return v.known && h.same(extentOf(v.value, i))
	case op == opSelect:
		h.replace(3, 1)
	case op == opDrop, op >= opI32Eqz && op <= 0xC4:
		v := h.pop()
		h.push(v)
		h.replace(effect(op))
		return !traps(op, v)
	default:
		return false
	}
	return true
}

// local follows an instruction on a local.
func (h *head) local(i *instruction) {
	switch {
	case i.op == opLocalSet:
		h.pop()
	case i.op == opLocalGet && h.set.has(i.index):
		h.push(address{})
	case i.op == opLocalGet && i.index == 0:
		h.push(address{true, 1}) // cell
	case i.op == opLocalGet:
		h.push(address{known: int(i.index) >= h.e.params})
	}
	if i.op != opLocalGet {
		h.set.add(i.index)
	}
}

// traps reports whether a numeric instruction may trap: a division, unless it is by a constant, and a conversion
// that may be out of range.
func traps(op opcode, last address) bool {
	divides := op >= 0x6D && op <= 0x70 || op >= 0x7F && op <= 0x82
	converts := op >= 0xA8 && op <= 0xB1 && op != 0xAC && op != opI64ExtendI32U
	return converts || divides && (!last.known || last.value == 0 || last.value == math.MaxUint32)
}

// same reports whether bytes of the memory are there, and the entry point does not store to them.
func (h *head) same(e extent) bool {
	return !h.whole.anywhere && e.to <= h.memory && !slices.ContainsFunc(h.whole.stores, func(s extent) bool { return s.from < e.to && e.from < s.to })
}

// copyHead copies the head, without its blocks, and notes which locals it sets.
func (e *entry) copyHead(out *woven, set localSet) {
	r := &reader{data: e.code[:e.head]}
	var i instruction
	for r.more() {
		r.instruction(&i)
		switch i.op {
		case opBlock:
		case opBrIf:
			out.to = append(out.to, byte(opDrop))
		case opLocalSet, opLocalTee:
			set.add(i.index)
			e.copy(out, &i, 0)
		default:
			e.copy(out, &i, 0)
		}
	}
}

// copyRest copies the code after the head, in its blocks, and notes what has moved where.
func (e *entry) copyRest(out *woven) {
	for range e.blocks + 1 {
		out.to = append(out.to, byte(opBlock), blockEmpty)
	}
	depth := uint32(e.blocks)
	start, at := len(e.woven.to)-len(e.code), 0
	r := &reader{data: e.code, at: e.head}
	var i instruction
	for r.more() {
		r.instruction(&i)
		from := uint32(start + i.start)
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
		switch i.op {
		case opBlock, opLoop, opIf:
			depth++
		case opEnd:
			depth--
		}
		e.copy(out, &i, depth)
	}
}

// copy copies an instruction that is in so many blocks of the entry point.
func (e *entry) copy(out *woven, i *instruction, depth uint32) {
	switch i.op {
	case opLocalGet, opLocalSet, opLocalTee:
		out.to = appendU32(append(out.to, byte(i.op)), eachFirst+i.index, 1)
	case opReturn:
		out.to = appendU32(append(out.to, byte(opBr)), depth, 1)
	default:
		out.to = append(out.to, e.code[i.start:i.end]...)
	}
}
