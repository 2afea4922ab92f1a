package binary

import (
	"fmt"
	"slices"
)

func (m *Module) readCode(r *Reader) {
	n := r.Count()
	if n != len(m.Body) && r.Err == nil {
		r.Broken("%d functions have %d bodies", len(m.Body), n)
	}
	for k := 0; k < n && r.Err == nil; k++ {
		f := &m.Body[k]
		before := r.At
		size := r.U32()
		f.Width, f.Offset = r.At-before, r.Base+r.At
		b := &Reader{Data: r.bytes(uint64(size)), Base: f.Offset}
		for groups := b.Count(); groups > 0 && b.Err == nil; groups-- {
			f.Extra += uint64(b.U32())
			b.valueType()
		}
		if b.Err == nil && r.Err == nil && !b.More() {
			b.Broken("function %d has no instructions", len(m.Imported)+k)
		}
		if b.Err != nil {
			r.Broken("%v", b.Err)
			return
		}
		f.Locals, f.Code = b.Data[:b.At], b.Data[b.At:]
	}
}

// Has reports whether a function contains one of the given instructions.
func (f *Function) Has(ops ...Opcode) bool {
	r := &Reader{Data: f.Code}
	var i Instruction
	for r.More() {
		if r.Instruction(&i); slices.Contains(ops, i.Op) {
			return r.Err == nil
		}
	}
	return false
}

// InRange rejects an undefined index, because it might refer to an item added by the copy.
func (m *Module) InRange(i *Instruction, locals uint64) error {
	index, limit := uint64(i.Index), uint64(0)
	what := ""
	switch i.Op {
	case OpCall, OpRefFunc:
		what, limit = "function", uint64(len(m.Imported)+len(m.Body))
	case OpCallIndirect:
		what, limit = "type", uint64(len(m.Types))
	case OpBlock, OpLoop, OpIf:
		if i.Value < 0 {
			return nil
		}
		what, index, limit = "type", uint64(i.Value), uint64(len(m.Types))
	case OpGlobalGet, OpGlobalSet:
		what, limit = "global", uint64(len(m.Globals))
	case OpLocalGet, OpLocalSet, OpLocalTee:
		what, limit = "local", locals
	default:
		return nil
	}
	if index >= limit {
		return fmt.Errorf("there is no %s %d", what, index)
	}
	return nil
}

// SkipUnreachable skips unreachable code and returns the instruction after it: the end or else of the block. It
// returns a zero Instruction at the end of the code.
func (r *Reader) SkipUnreachable() (i Instruction) {
	depth := 0
	for r.More() {
		r.Instruction(&i)
		switch i.Op {
		case OpBlock, OpLoop, OpIf:
			depth++
		case OpElse, OpEnd:
			if depth == 0 {
				return i
			}
			if i.Op == OpEnd {
				depth--
			}
		}
	}
	return Instruction{}
}
