package flatten

import "math/big"

// An operation of the graph. All operands are vectors without a sign; what is signed in the source
// is an operation of its own. Every operation says how wide its operands are: binary arithmetic,
// bitwise operations and comparisons have two of the same width.
type operation uint8

// An expr is a value of the graph. Equal ones are the same pointer.
type expr struct {
	op    operation
	width int
	low   int // of a slice; which free value
	args  []*expr
	value *big.Int // of a constant
	x     *big.Int // its unknown bits, which are 0 in value
	v     *variable
	id    int
	ways  int // how many constants it chooses from; 0: it is not only constants
}

const (
	opConst  operation = iota
	opVar              // a variable as it stands outside of the process
	opFree             // X in the source: any value, in every cycle another one; low: which
	opWord             // a word of a memory; operand: address
	opSlice            // low bit: low
	opDyn              // a slice that begins at operand 1, never beyond the end
	opConcat           // the first operand is the highest
	opSext
	opNot
	opAnd
	opOr
	opXor
	opAdd
	opSub
	opMul
	opDiv
	opMod
	opDivS
	opModS
	opShl // operand 1: by how much, of any width
	opShr
	opSar
	opEq
	opLt
	opLtS
	opMux // if operand 0: operand 1, else operand 2
	opAll
	opAny
	opOdd
)

// A variable is a net or a register of the design, in one place however often it is instantiated.
type variable struct {
	index         int
	name          string // as in the source, with dots
	printed       string
	what          *dtype
	input, output bool
	temp          bool // of an inlined function: it has no value before it is written
	kept          bool // of a function that is not automatic: from call to call, which is not known here
	memory        bool // printed as an array: words are read and written, nothing else
	constant      bool // written by initial blocks only
	power         *value
	at            *node

	comb      []part     // who drives which bits
	registers []register // bits that a clock writes
	ports     []writePort
}

// A part is some bits of a variable.
type part struct {
	low, width int
	e          *expr
	written    bool // on some path
}

// A value has the parts of all bits of a variable, the low one first.
type value struct{ parts []part }

func (p part) end() int { return p.low + p.width }

type event struct {
	e       *expr
	falling bool
}

type register struct {
	low, width int
	clock      event
	next       *expr
	resets     []reset // asynchronous ones, the first one counts
	process    *node
	blocking   bool // written by =
}

type reset struct {
	event
	value *expr // nil: the register holds
}

type writePort struct {
	memoryWrite
	clock   event
	process *node
}

type memoryWrite struct {
	v          *variable
	when       *expr
	address    *expr
	low, width int // of the word
	data       *expr
}
