package wasm

import (
	"fmt"
	"slices"

	"starloom/firmware/wasm/binary"
)

// A copy may record coverage: one bit per side of a branch, and the operands of comparisons.
//
//	entry, head of a loop, then, else, end of a block    one bit
//	br_if                                                one bit if taken, one if not
//	select                                               one bit per value
//	integer comparison                                   both operands, the last ones
//
// Globals of the copy hold bits and operands, so the image's memory does not change.
const (
	BranchName  = binary.Reserved + "branch."  // plus a number: i64, 64 branch bits
	OperandName = binary.Reserved + "operand." // plus a number: i64; comparison k has the operands 2k and 2k+1
)

// limits per image, because every instance has these globals
const (
	coveredMax     = 1 << 14
	comparisonsMax = 1 << 10
	constantsMax   = 1 << 10
)

type cover struct {
	Covered
	first   uint32   // index of the first global
	globals []string // export names
	word    uint32   // global of the last bit
}

func (c *cover) global(name string) uint32 {
	c.globals = append(c.globals, name)
	return c.first + uint32(len(c.globals)-1)
}

func (w *weaver) addCover(parts binary.Parts, copied *Copy) {
	var globals, exports []byte
	for k, name := range w.cover.globals {
		globals = append(globals, binary.I64, 1, binary.OpI64Const, 0, binary.OpEnd)
		exports = binary.AppendU32(append(binary.AppendName(exports, name), binary.KindGlobal), w.cover.first+uint32(k), 1)
	}
	parts.Add(binary.SectionGlobal, len(w.cover.globals), globals)
	parts.Add(binary.SectionExport, len(w.cover.globals), exports)
	slices.Sort(w.cover.Constants)
	w.cover.Constants = slices.Compact(w.cover.Constants)
	copied.Covered = w.cover.Covered
}

// scout instruments one function while it is copied. A nil scout does nothing.
type scout struct {
	*cover
	f    *woven
	base uint32          // offset of the function's code
	at   uint32          // offset of the instruction
	open []binary.Opcode // open blocks, first the function's own
}

func (w *weaver) scout(f *woven, base uint32) *scout {
	if w.cover == nil {
		return nil
	}
	return &scout{cover: w.cover, f: f, base: base, at: base, open: []binary.Opcode{binary.OpBlock}}
}

func (s *scout) enter() []byte {
	if s == nil {
		return nil
	}
	return s.bit()
}

func (s *scout) bit() []byte {
	if s.Branches >= coveredMax {
		return nil
	}
	if s.Branches%64 == 0 {
		s.word = s.global(fmt.Sprint(BranchName, s.Branches/64))
	}
	bit := int64(uint64(1) << (s.Branches % 64))
	s.Branches++
	s.Offsets = append(s.Offsets, s.at)
	return emit(binary.OpGlobalGet, s.word, binary.OpI64Const, bit, binary.OpI64Or, binary.OpGlobalSet, s.word)
}

func (s *scout) before(second, last, i *binary.Instruction) []byte {
	if s == nil {
		return nil
	}
	s.at = s.base + uint32(i.Start)
	s.constant(second, last, i)
	switch {
	case i.Op == binary.OpBrIf:
		return s.either(s.bit(), nil)
	case i.Op == binary.OpSelect || i.Op == binary.OpSelectTyped:
		return s.either(s.bit(), s.bit())
	case compares(i.Op) && s.Comparisons < comparisonsMax:
		return s.operands(i.Op)
	}
	return nil
}

func (s *scout) after(i *binary.Instruction) []byte {
	if s == nil {
		return nil
	}
	switch i.Op {
	case binary.OpBlock, binary.OpLoop, binary.OpIf:
		s.open = append(s.open, i.Op)
		if i.Op != binary.OpBlock {
			return s.bit()
		}
	case binary.OpElse, binary.OpBrIf:
		return s.bit()
	case binary.OpEnd:
		last := s.open[len(s.open)-1]
		if s.open = s.open[:len(s.open)-1]; len(s.open) > 0 && last != binary.OpLoop { // no branch targets the end of a loop
			return s.bit()
		}
	}
	return nil
}

// either returns code that runs yes or no depending on the value on top of the stack, and keeps this value.
func (s *scout) either(yes, no []byte) []byte {
	condition := s.f.local(scratchCondition, binary.I32)
	code := emit(binary.OpLocalTee, condition, binary.OpIf, binary.BlockEmpty, yes)
	if no != nil {
		code = emit(code, binary.OpElse, no)
	}
	return emit(code, binary.OpEnd, binary.OpLocalGet, condition)
}

func (s *scout) operands(op binary.Opcode) []byte {
	a, b := s.f.local(scratchA64, binary.I64), s.f.local(scratchB64, binary.I64)
	narrow := op <= binary.OpI32GeU
	if narrow {
		a, b = s.f.local(scratchA32, binary.I32), s.f.local(scratchB32, binary.I32)
	}
	keep := func(code []byte, local uint32) []byte {
		code = emit(code, binary.OpLocalGet, local)
		if narrow {
			code = append(code, binary.OpI64ExtendI32U)
		}
		return emit(code, binary.OpGlobalSet, s.global(fmt.Sprint(OperandName, s.operand())))
	}
	code := keep(keep(emit(binary.OpLocalSet, b, binary.OpLocalSet, a), a), b)
	s.Comparisons++
	return emit(code, binary.OpLocalGet, a, binary.OpLocalGet, b)
}

func (s *scout) operand() int { return len(s.globals) - (s.Branches+63)/64 }

func compares(op binary.Opcode) bool {
	return op >= binary.OpI32Eq && op <= binary.OpI32GeU || op >= binary.OpI64Eq && op <= binary.OpI64GeU
}

// constant records the constant of a comparison, or of a subtraction or addition before a comparison (switches, range
// checks).
func (s *scout) constant(second, before, i *binary.Instruction) {
	add := func(value uint64) {
		if len(s.Constants) < constantsMax {
			s.Constants = append(s.Constants, value)
		}
	}
	of := func(c *binary.Instruction) (value uint64, ok bool) {
		if c.Op == binary.OpI32Const {
			return uint64(uint32(c.Value)), true
		}
		return uint64(c.Value), c.Op == binary.OpI64Const
	}
	value, ok := of(before)
	first, also := of(second)
	switch {
	case compares(i.Op) && ok:
		add(value)
	case compares(i.Op) && also && before.Op == binary.OpLocalGet:
		add(first)
	case (i.Op == binary.OpI32Sub || i.Op == binary.OpI64Sub || i.Op == binary.OpI32Xor || i.Op == binary.OpI64Xor) && ok:
		add(value)
	case i.Op == binary.OpI32Add && ok:
		add(uint64(uint32(-value)))
	case i.Op == binary.OpI64Add && ok:
		add(-value)
	}
}
