package wasm

import (
	"slices"
	"strings"

	"starloom/firmware/wasm/binary"
)

// flow tracks the uses of locals, and the constant addresses of stores.
type flow struct {
	m      *module
	tick   uint32 // function numbers are those of the copy; see copier
	params int
	operands[address]
	frames []flowFrame // open blocks, first the function's own

	set     localSet // locals set on every path to this place
	written localSet // locals set anywhere
	early   localSet // locals that may be read before they are set

	stores   []extent // stores to constant addresses
	anywhere bool     // the code also stores vectors, or stores ranges to constant addresses
}

type extent struct{ from, to uint64 }

func extentOf(base uint32, i *binary.Instruction) extent {
	const sizes = "\x04\x08\x04\x08\x01\x01\x02\x02\x01\x01\x02\x02\x04\x04" + "\x04\x08\x04\x08\x01\x02\x01\x02\x04"
	from := uint64(base) + uint64(i.Value)
	return extent{from, from + uint64(sizes[i.Op-binary.OpI32Load])}
}

type address struct {
	known bool
	value uint32
}

type flowFrame struct {
	op              binary.Opcode
	height          int
	params, results int
	before          localSet // if: set at the start
	after           localSet // locals set on every path to the end, nil without a path
}

type localSet []uint64

func newSet(count int) localSet           { return make(localSet, (count+63)/64) }
func (b localSet) has(number uint32) bool { return b[number/64]>>(number%64)&1 != 0 }
func (b localSet) add(number uint32)      { b[number/64] |= 1 << (number % 64) }

func (b localSet) keep(other localSet) {
	for k := range b {
		b[k] &= other[k]
	}
}

// the stack is empty at the start of code
func (f *flow) run(code []byte, locals int) bool {
	f.set, f.written, f.early = newSet(locals), newSet(locals), newSet(locals)
	r := &binary.Reader{Data: code}
	var i binary.Instruction
	for len(f.frames) > 0 && r.More() && !f.failed {
		r.Instruction(&i)
		switch i.Op {
		case binary.OpBlock, binary.OpLoop, binary.OpIf:
			f.open(&i)
		case binary.OpElse:
			f.branch(0)
			f.otherwise()
		case binary.OpEnd:
			f.close(r, true)
		case binary.OpBr:
			f.branch(i.Index)
			f.skip(r)
		case binary.OpBrIf:
			f.pop()
			f.branch(i.Index)
		case binary.OpBrTable:
			f.pop()
			for _, target := range i.Targets {
				f.branch(target)
			}
			f.skip(r)
		case binary.OpReturn, binary.OpUnreachable:
			f.skip(r)
		default:
			f.plain(&i)
		}
	}
	return !f.failed && r.Err == nil
}

func (f *flow) open(i *binary.Instruction) {
	frame := flowFrame{op: i.Op}
	if i.Op == binary.OpIf {
		f.pop()
		frame.before = slices.Clone(f.set)
	}
	frame.params, frame.results = f.m.block(i)
	frame.height = len(f.stack) - frame.params
	f.failed = f.failed || frame.height < 0
	f.frames = append(f.frames, frame)
}

func (f *flow) branch(label uint32) {
	if uint64(label) >= uint64(len(f.frames)) {
		f.failed = true
		return
	}
	frame := &f.frames[len(f.frames)-1-int(label)]
	switch {
	case frame.op == binary.OpLoop: // locals set at the start of the loop remain set
	case frame.after == nil:
		frame.after = slices.Clone(f.set)
	default:
		frame.after.keep(f.set)
	}
}

func (f *flow) otherwise() {
	frame := &f.frames[len(f.frames)-1]
	if frame.op != binary.OpIf {
		f.failed = true
		return
	}
	frame.op = binary.OpElse
	f.set = frame.before
	f.cut(frame.height, frame.params)
}

// close ends a block. falls means that the preceding code reaches the end.
func (f *flow) close(r *binary.Reader, falls bool) {
	frame := f.frames[len(f.frames)-1]
	if frame.op == binary.OpIf {
		if falls {
			f.branch(0)
		}
		f.set, falls = frame.before, true
	}
	if frame.op == binary.OpLoop && falls {
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

func (f *flow) skip(r *binary.Reader) {
	switch r.SkipUnreachable().Op {
	case binary.OpElse:
		f.otherwise()
	case binary.OpEnd:
		f.close(r, false)
	}
}

func (f *flow) plain(i *binary.Instruction) {
	switch {
	case i.Op == binary.OpLocalGet:
		if !f.set.has(i.Index) {
			f.early.add(i.Index)
		}
		f.push(address{i.Index >= uint32(f.params) && !f.written.has(i.Index), 0})
	case i.Op == binary.OpLocalSet, i.Op == binary.OpLocalTee:
		f.set.add(i.Index)
		f.written.add(i.Index)
		if i.Op == binary.OpLocalSet {
			f.pop()
		}
	case i.Op == binary.OpI32Const:
		f.push(address{true, uint32(i.Value)})
	case i.Op >= binary.OpI32Store && i.Op <= binary.OpStoreLast:
		f.pop()
		if to := f.pop(); to.known {
			f.stores = append(f.stores, extentOf(to.value, i))
		}
	case i.Op>>16 != 0 && isStore(i.Op):
		pops, _ := effect(i.Op)
		f.replace(pops-1, 0)
		f.anywhere = f.pop().known || f.anywhere
	case i.Op == binary.OpGlobalGet:
		f.push(address{})
	case i.Op == binary.OpGlobalSet:
		f.pop()
	case i.Op == binary.OpSelect, i.Op == binary.OpSelectTyped:
		f.replace(3, 1)
	case i.Op == binary.OpCall:
		if i.Index != f.tick {
			t := f.m.Types[f.m.Signature(int(f.original(i.Index)))]
			f.replace(len(t.Params), len(t.Results))
		}
	case i.Op == binary.OpCallIndirect:
		t := f.m.Types[i.Index]
		f.replace(len(t.Params)+1, len(t.Results))
	default:
		f.replace(effect(i.Op))
	}
}

func (f *flow) original(index uint32) uint32 {
	if index > f.tick {
		return index - 1
	}
	return index
}

func isStore(op binary.Opcode) bool {
	switch op {
	case binary.OpMemoryInit, binary.OpMemoryCopy, binary.OpMemoryFill, simd | 11, simd | 88,
		simd | 89, simd | 90, simd | 91:
		return true
	}
	return false
}

// ReadsSlot reports whether the handler of an image can read the slot number, the second parameter of starloom_slot:
// It tests whether code on some path reads the parameter's local before overwriting it.
func ReadsSlot(image []byte) (bool, error) {
	m, err := read(image)
	if err != nil {
		return false, err
	}
	const number = 1
	k := int(m.Exports["starloom_slot"].Index) - len(m.Imported)
	if k < 0 || k >= len(m.Body) {
		return true, nil
	}
	f, params := &m.Body[k], len(m.Types[m.Signature(len(m.Imported)+k)].Params)
	uses := &flow{m: m, tick: ^uint32(0), params: params, frames: []flowFrame{{op: binary.OpBlock}}}
	if !uses.run(f.Code, params+int(f.Extra)) {
		return true, nil
	}
	return uses.early.has(number), nil
}

// golden is a constant of every draw.
const golden = 0x9E3779B97F4A7C15

// Draws reports whether an image contains draws whose outcomes a host can choose, and whether it contains others:
// those of an older starloom.h, of another language, or of a language's runtime.
func Draws(image []byte) (chosen, others bool, err error) {
	m, err := read(image)
	if err != nil {
		return false, false, err
	}
	chosen = m.choice >= 0
	others = slices.ContainsFunc(m.ImportNames, func(name string) bool { return strings.HasSuffix(name, ".random_get") })
	if chosen {
		return chosen, others, nil
	}
	var i binary.Instruction
	for k := range m.Body {
		for r := (&binary.Reader{Data: m.Body[k].Code}); r.More() && r.Err == nil; {
			r.Instruction(&i)
			others = others || i.Op == binary.OpI64Const && uint64(i.Value) == golden
		}
	}
	return chosen, others, nil
}
