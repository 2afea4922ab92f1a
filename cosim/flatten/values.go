package flatten

import "math/big"

// An operation of the graph. Operands are unsigned vectors; signed operations are separate. Binary arithmetic,
// bitwise operations and comparisons have two operands of equal width.
type operation uint8

// An expr is a value of the graph. Equal values share a pointer.
type expr struct {
	op    operation
	width int
	low   int
	args  []*expr
	value *big.Int
	x     *big.Int // unknown bits, which are 0 in value
	v     *variable
	id    int
	ways  int // number of constants among which the value chooses; 0 if other values are possible
}

const (
	opConst operation = iota
	opVar             // value of a variable outside of the process
	opFree
	opWord   // memory word; the operand is its address
	opSlice  // slice whose low bit is low
	opDyn    // a slice at position operand 1, never out of range
	opConcat // highest operand first
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
	opShl // shift by operand 1, which may have any width
	opShr
	opSar
	opEq
	opLt
	opLtS
	opMux // operand 0 ? operand 1 : operand 2
	opAll
	opAny
	opOdd
)

// A variable is a net or register. Each instance has its own.
type variable struct {
	index         int
	name          string // name in the source, with dots
	printed       string
	what          *dtype
	input, output bool
	temp          bool // variable of an inlined function, without a value before a write
	kept          bool // variable of a static function, whose value from earlier calls is unknown
	memory        bool // variable printed as an array with access by words
	constant      bool // variable written by initial blocks only
	power         *value
	at            *node

	comb      []part
	registers []register // clocked bits
	ports     []writePort
}

type part struct {
	low, width int
	e          *expr
	written    bool
}

// A value lists parts that cover all bits of a variable, low bits first.
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
	resets     []reset // asynchronous resets, by priority
	process    *node
	blocking   bool
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
	low, width int // written bits of the word
	data       *expr
}
