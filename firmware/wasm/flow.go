package wasm

import "slices"

// flow follows the code of a function, or the end of it, and notes what it does with its locals, and
// to which constant addresses it stores.
type flow struct {
	m      *module
	tick   uint32 // see copier: numbers of functions are the copy's
	params int
	operands[address]
	frames []flowFrame // open blocks, the function's own first

	set     localSet // locals that are set on every way to here
	written localSet // that are set somewhere
	early   localSet // that may be read before they are set

	stores   []extent // at constant addresses
	anywhere bool     // it stores at constant addresses that are not noted
}

// extent is bytes of the memory.
type extent struct{ from, to uint64 }

// extentOf is what an instruction of the MVP loads or stores at an address.
func extentOf(base uint32, i *instruction) extent {
	const sizes = "\x04\x08\x04\x08\x01\x01\x02\x02\x01\x01\x02\x02\x04\x04" + "\x04\x08\x04\x08\x01\x02\x01\x02\x04"
	from := uint64(base) + uint64(i.value)
	return extent{from, from + uint64(sizes[i.op-opI32Load])}
}

// address is a value that is known.
type address struct {
	known bool
	value uint32
}

// flowFrame is an open block.
type flowFrame struct {
	op              opcode
	height          int
	params, results int
	before          localSet // if: set at its start
	after           localSet // set on every way to the end, nil if none is known
}

// localSet is a set of numbers.
type localSet []uint64

func newSet(count int) localSet           { return make(localSet, (count+63)/64) }
func (b localSet) has(number uint32) bool { return b[number/64]>>(number%64)&1 != 0 }
func (b localSet) add(number uint32)      { b[number/64] |= 1 << (number % 64) }

// keep takes out what is not in another set, too.
func (b localSet) keep(other localSet) {
	for k := range b {
		b[k] &= other[k]
	}
}

// run follows code up to its end, and reports whether it was understood. The stack is empty at its start.
func (f *flow) run(code []byte, locals int) bool {
	f.set, f.written, f.early = newSet(locals), newSet(locals), newSet(locals)
	r := &reader{data: code}
	var i instruction
	for len(f.frames) > 0 && r.more() && !f.failed {
		r.instruction(&i)
		switch i.op {
		case opBlock, opLoop, opIf:
			f.open(&i)
		case opElse:
			f.branch(0)
			f.otherwise()
		case opEnd:
			f.close(r, true)
		case opBr:
			f.branch(i.index)
			f.skip(r)
		case opBrIf:
			f.pop()
			f.branch(i.index)
		case opBrTable:
			f.pop()
			for _, target := range i.targets {
				f.branch(target)
			}
			f.skip(r)
		case opReturn, opUnreachable:
			f.skip(r)
		default:
			f.plain(&i)
		}
	}
	return !f.failed && r.err == nil
}

func (f *flow) open(i *instruction) {
	frame := flowFrame{op: i.op}
	if i.op == opIf {
		f.pop()
		frame.before = slices.Clone(f.set)
	}
	frame.params, frame.results = f.m.block(i)
	frame.height = len(f.stack) - frame.params
	f.failed = f.failed || frame.height < 0
	f.frames = append(f.frames, frame)
}

// branch goes to the end of a block, or the start of a loop.
func (f *flow) branch(label uint32) {
	if uint64(label) >= uint64(len(f.frames)) {
		f.failed = true
		return
	}
	frame := &f.frames[len(f.frames)-1-int(label)]
	switch {
	case frame.op == opLoop: // what was set at its start is set
	case frame.after == nil:
		frame.after = slices.Clone(f.set)
	default:
		frame.after.keep(f.set)
	}
}

// otherwise starts the second half of an if.
func (f *flow) otherwise() {
	frame := &f.frames[len(f.frames)-1]
	if frame.op != opIf {
		f.failed = true
		return
	}
	frame.op = opElse
	f.set = frame.before
	f.cut(frame.height, frame.params)
}

// close ends a block; falls says whether the code before the end runs into it.
func (f *flow) close(r *reader, falls bool) {
	frame := f.frames[len(f.frames)-1]
	if frame.op == opIf {
		if falls {
			f.branch(0)
		}
		f.set, falls = frame.before, true
	}
	if frame.op == opLoop && falls {
		f.frames[len(f.frames)-1].after = f.set
	} else if falls {
		f.branch(0)
	}
	after := f.frames[len(f.frames)-1].after
	f.frames = f.frames[:len(f.frames)-1]
	switch {
	case len(f.frames) == 0:
	case after == nil:
		f.skip(r)
	default:
		f.set = after
		f.cut(frame.height, frame.results)
	}
}

// skip goes to where code can be reached again.
func (f *flow) skip(r *reader) {
	switch r.skipUnreachable().op {
	case opElse:
		f.otherwise()
	case opEnd:
		f.close(r, false)
	}
}

// plain follows an instruction that goes on to the next one.
func (f *flow) plain(i *instruction) {
	switch {
	case i.op == opLocalGet:
		if !f.set.has(i.index) {
			f.early.add(i.index)
		}
		f.push(address{i.index >= uint32(f.params) && !f.written.has(i.index), 0})
	case i.op == opLocalSet, i.op == opLocalTee:
		f.set.add(i.index)
		f.written.add(i.index)
		if i.op == opLocalSet {
			f.pop()
		}
	case i.op == opI32Const:
		f.push(address{true, uint32(i.value)})
	case i.op >= opI32Store && i.op <= opStoreLast:
		f.pop()
		if to := f.pop(); to.known {
			f.stores = append(f.stores, extentOf(to.value, i))
		}
	case i.op>>16 != 0 && isStore(i.op):
		pops, _ := effect(i.op)
		f.replace(pops-1, 0)
		f.anywhere = f.pop().known || f.anywhere
	case i.op == opGlobalGet:
		f.push(address{})
	case i.op == opGlobalSet:
		f.pop()
	case i.op == opSelect, i.op == opSelectTyped:
		f.replace(3, 1)
	case i.op == opCall:
		if i.index != f.tick {
			t := f.m.types[f.m.signature(int(f.original(i.index)))]
			f.replace(len(t.params), len(t.results))
		}
	case i.op == opCallIndirect:
		t := f.m.types[i.index]
		f.replace(len(t.params)+1, len(t.results))
	default:
		f.replace(effect(i.op))
	}
}

// original is the number that a function of the copy has in the image.
func (f *flow) original(index uint32) uint32 {
	if index > f.tick {
		return index - 1
	}
	return index
}

// isStore reports whether an instruction with a prefix writes to the memory.
func isStore(op opcode) bool {
	switch op {
	case opMemoryInit, opMemoryCopy, opMemoryFill, simd | 11, simd | 88, simd | 89, simd | 90, simd | 91:
		return true
	}
	return false
}
