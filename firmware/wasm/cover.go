package wasm

import (
	"fmt"
	"slices"
)

// A copy may note where it has been: one bit for each side of a branch, and what its comparisons
// have compared.
//
//	entry, head of a loop, then, else, end of a block    one bit
//	br_if                                                one bit if it is taken, one if not
//	select                                               one bit for either value
//	comparison of integers                               both operands, the last ones
//
// Bits and operands are in globals of the copy, so that no memory of the image changes.
const (
	BranchName  = reserved + "branch."  // and a number: i64, 64 bits of branches
	OperandName = reserved + "operand." // and a number: i64, an operand; those of comparison k are 2k and 2k+1
)

// Bounds of what is noted in one image: instances have these globals each.
const (
	coveredMax     = 1 << 14
	comparisonsMax = 1 << 10
	constantsMax   = 1 << 10
)

// cover is what is noted in a module.
type cover struct {
	Covered
	first   uint32   // its first global
	globals []string // exports of the globals, in their order
	word    uint32   // the global of the last bit
}

// global makes a global.
func (c *cover) global(name string) uint32 {
	c.globals = append(c.globals, name)
	return c.first + uint32(len(c.globals)-1)
}

// addCover adds the globals to the sections of a copy. They come last.
func (w *weaver) addCover(parts map[byte][]byte, copied *Copy) {
	var globals, exports []byte
	for k, name := range w.cover.globals {
		globals = append(globals, typeI64, 1, byte(opI64Const), 0, byte(opEnd))
		exports = appendU32(append(appendName(exports, name), kindGlobal), w.cover.first+uint32(k), 1)
	}
	parts[sectionGlobal] = appendElements(parts[sectionGlobal], len(w.cover.globals), globals)
	parts[sectionExport] = appendElements(parts[sectionExport], len(w.cover.globals), exports)
	slices.Sort(w.cover.Constants)
	w.cover.Constants = slices.Compact(w.cover.Constants)
	copied.Covered = w.cover.Covered
}

// scout notes the way through one function while it is copied; nil notes nothing.
type scout struct {
	*cover
	f    *woven
	open []opcode // blocks, the function's own first
}

func (w *weaver) scout(f *woven) *scout {
	if w.cover == nil {
		return nil
	}
	return &scout{cover: w.cover, f: f, open: []opcode{opBlock}}
}

// enter returns the code that must run first.
func (s *scout) enter() []byte {
	if s == nil {
		return nil
	}
	return s.bit()
}

// bit sets the bit of a branch.
func (s *scout) bit() []byte {
	if s.Branches >= coveredMax {
		return nil
	}
	if s.Branches%64 == 0 {
		s.word = s.global(fmt.Sprint(BranchName, s.Branches/64))
	}
	code := appendU32([]byte{byte(opGlobalGet)}, s.word, 1)
	code = append(appendS64(append(code, byte(opI64Const)), int64(uint64(1)<<(s.Branches%64))), byte(opI64Or))
	s.Branches++
	return appendU32(append(code, byte(opGlobalSet)), s.word, 1)
}

// before returns the code that must run before an instruction.
func (s *scout) before(second, last, i *instruction) []byte {
	if s == nil {
		return nil
	}
	s.constant(second, last, i)
	switch {
	case i.op == opBrIf:
		return s.either(s.bit(), nil)
	case i.op == opSelect || i.op == opSelectTyped:
		return s.either(s.bit(), s.bit())
	case compares(i.op) && s.Comparisons < comparisonsMax:
		return s.operands(i.op)
	}
	return nil
}

// after returns the code that must run after an instruction.
func (s *scout) after(i *instruction) []byte {
	if s == nil {
		return nil
	}
	switch i.op {
	case opBlock, opLoop, opIf:
		s.open = append(s.open, i.op)
		if i.op != opBlock {
			return s.bit()
		}
	case opElse, opBrIf:
		return s.bit()
	case opEnd:
		last := s.open[len(s.open)-1]
		if s.open = s.open[:len(s.open)-1]; len(s.open) > 0 && last != opLoop { // no branch goes to the end of a loop
			return s.bit()
		}
	}
	return nil
}

// either runs one code if what is on top of the stack is true, the other if not, and leaves it there.
func (s *scout) either(yes, no []byte) []byte {
	condition := s.f.local(scratchCondition, typeI32)
	code := appendU32([]byte{byte(opLocalTee)}, condition, 1)
	code = append(append(code, byte(opIf), blockEmpty), yes...)
	if no != nil {
		code = append(append(code, byte(opElse)), no...)
	}
	return appendU32(append(code, byte(opEnd), byte(opLocalGet)), condition, 1)
}

// operands keeps the two values on top of the stack.
func (s *scout) operands(op opcode) []byte {
	a, b := s.f.local(scratchA64, typeI64), s.f.local(scratchB64, typeI64)
	narrow := op <= opI32GeU
	if narrow {
		a, b = s.f.local(scratchA32, typeI32), s.f.local(scratchB32, typeI32)
	}
	keep := func(code []byte, local uint32) []byte {
		code = appendU32(append(code, byte(opLocalGet)), local, 1)
		if narrow {
			code = append(code, byte(opI64ExtendI32U))
		}
		return appendU32(append(code, byte(opGlobalSet)), s.global(fmt.Sprint(OperandName, s.operand())), 1)
	}
	code := appendU32([]byte{byte(opLocalSet)}, b, 1)
	code = appendU32(append(code, byte(opLocalSet)), a, 1)
	code = keep(keep(code, a), b)
	s.Comparisons++
	code = appendU32(append(code, byte(opLocalGet)), a, 1)
	return appendU32(append(code, byte(opLocalGet)), b, 1)
}

// operand is the number of the next one.
func (s *scout) operand() int { return len(s.globals) - (s.Branches+63)/64 }

// compares reports whether an instruction compares two integers.
func compares(op opcode) bool {
	return op >= opI32Eq && op <= opI32GeU || op >= opI64Eq && op <= opI64GeU
}

// constant takes in the constant that one of three instructions, side by side, compares with. Switches
// and ranges take a constant from what they compare, or add its negative.
func (s *scout) constant(second, before, i *instruction) {
	add := func(value uint64) {
		if len(s.Constants) < constantsMax {
			s.Constants = append(s.Constants, value)
		}
	}
	of := func(c *instruction) (value uint64, ok bool) {
		if c.op == opI32Const {
			return uint64(uint32(c.value)), true
		}
		return uint64(c.value), c.op == opI64Const
	}
	value, ok := of(before)
	first, also := of(second)
	switch {
	case compares(i.op) && ok:
		add(value)
	case compares(i.op) && also && before.op == opLocalGet:
		add(first)
	case (i.op == opI32Sub || i.op == opI64Sub || i.op == opI32Xor || i.op == opI64Xor) && ok:
		add(value)
	case i.op == opI32Add && ok:
		add(uint64(uint32(-value)))
	case i.op == opI64Add && ok:
		add(-value)
	}
}
