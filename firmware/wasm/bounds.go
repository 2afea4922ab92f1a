package wasm

import (
	"math"
	"slices"

	"starloom/firmware/wasm/binary"
)

// Unbounded stands for a cost without a known bound.
const Unbounded = math.MaxUint64

// plus saturates at Unbounded.
func plus(a, b uint64) uint64 {
	if a > math.MaxInt64-min(b, math.MaxInt64) {
		return Unbounded
	}
	return a + b
}

func times(n, cost uint64) uint64 {
	if n != 0 && cost > math.MaxInt64/n {
		return Unbounded
	}
	return n * cost
}

// value is the knowledge about a number on the stack or in a local. The zero value means unknown.
type value struct {
	kind   valueKind
	negate bool // the comparison must not hold
	op     binary.Opcode
	loop   int
	local  uint32
	add    uint32 // constant, or offset from the local's value at the head of the loop
	limit  uint32 // constant operand of the comparison
}

type valueKind byte

const (
	anything   valueKind = iota
	fixed                // a constant
	moving               // local at the head of a loop, plus a constant
	comparison           // moving value compared with a constant
)

func isFixed(add uint32) value { return value{kind: fixed, add: add} }

// bounds analyses one function in a single walk over its code. At each place it knows the largest cost of a path from
// the entry or from the head of the innermost loop, and the locals that are constant or have moved by a constant
// since the head of a loop. A local written by the loop is represented by its value at the head. Therefore bounds
// walks no loop twice, and knowledge within a loop does not depend on other loops.
type bounds struct {
	*program
	k      int // function index
	now    uint64
	locals []value // nil: unknown
	operands[value]
	frames []boundsFrame
	result functionBounds
	budget int // remaining copies of locals

	blockStart int
	blockCost  uint64
	blockCalls []uint32
}

type functionBounds struct {
	worst   uint64 // cost of a call, including callees
	blocks  []codeBlock
	loops   []loopBounds
	lengths []int    // offsets of memory.copy, fill and init of unknown length
	callees []uint32 // defined functions that the function may call, without duplicates
	tables  []int    // offsets of call_indirect
	given   bool     // worst depends on Turns
}

type codeBlock struct {
	offset int
	cost   uint64   // cost without callees
	calls  []uint32 // function indices, in order
}

// loopBounds describes a loop: the offsets of its head, its end, and the last branch back (0 for none), the largest
// cost of a turn, and the largest number of turns per entry, 0 if unknown. given means that Turns provides the number
// of turns.
type loopBounds struct {
	offset, end, back int
	turn, turns       uint64
	given             bool
}

type boundsFrame struct {
	op              binary.Opcode
	height          int
	params, results int
	around          int     // index of the innermost enclosing loop's frame, -1 for none
	before          uint64  // cost at the start
	entry           []value // locals at the start
	after           uint64  // cost at the end, from branches
	branched        bool
	end             []value
	condition       value // condition of an if
	backsBefore     int   // earlier branches to the head of the loop around an if

	// For loops:
	loop   int     // index of the loop
	turn   uint64  // cost of a turn
	backs  int     // branches to the head
	head   []value // locals at these branches
	guards []guard
	exits  map[int]uint64 // costs from the head to branches to an outer frame
}

// guard is a condition that is true in all turns of a loop with the given number of branches back, or with anyBacks
// for any number.
type guard struct {
	value
	backs int
}

const anyBacks = -1

// boundsCells is the maximum number of copies of locals in a function. Beyond it, locals are unknown.
const boundsCells = 1 << 22

func (p *program) function(k int, params []value) functionBounds {
	f := &p.m.Body[k]
	a := &bounds{program: p, k: k, budget: boundsCells}
	count := len(p.m.Types[f.Signature].Params)
	a.locals = make([]value, count+int(f.Extra))
	copy(a.locals, params)
	for i := count; i < len(a.locals); i++ {
		a.locals[i] = isFixed(0)
	}
	a.frames = []boundsFrame{{op: binary.OpBlock, around: -1}}
	r := &binary.Reader{Data: f.Code}
	var i binary.Instruction
	for len(a.frames) > 0 && r.More() && !a.failed {
		r.Instruction(&i)
		a.step(r, &i)
	}
	if a.failed || r.Err != nil {
		a.result.worst = Unbounded
	}
	return a.result
}

func (a *bounds) step(r *binary.Reader, i *binary.Instruction) {
	cost := a.m.cost(a.costs, i, *r)
	a.now, a.blockCost = plus(a.now, cost), plus(a.blockCost, cost)
	switch i.Op {
	case binary.OpBlock:
		a.open(i, nil)
	case binary.OpLoop:
		a.endBlock(i.End)
		a.open(i, a.writes(r))
	case binary.OpIf:
		a.endBlock(i.End)
		condition := truth(a.pop())
		a.open(i, nil)
		a.frames[len(a.frames)-1].condition = condition
	case binary.OpElse:
		a.endBlock(i.End)
		a.branch(i, 0)
		a.otherwise()
	case binary.OpEnd:
		a.endBlock(i.End)
		a.close(r, i, true)
	case binary.OpBr:
		a.endBlock(i.End)
		a.branch(i, int(i.Index))
		a.skip(r)
	case binary.OpBrIf:
		a.endBlock(i.End)
		a.branchIf(i, truth(a.pop()))
	case binary.OpBrTable:
		a.endBlock(i.End)
		a.pop()
		for _, target := range i.Targets {
			a.branch(i, int(target))
		}
		a.skip(r)
	case binary.OpReturn:
		a.endBlock(i.End)
		a.branch(i, len(a.frames)-1)
		a.skip(r)
	case binary.OpUnreachable:
		a.endBlock(i.End)
		a.flow(0, a.now)
		a.skip(r)
	default:
		a.plain(i)
	}
}

func (a *bounds) endBlock(next int) {
	if a.blockCost > 0 || len(a.blockCalls) > 0 {
		a.result.blocks = append(a.result.blocks, codeBlock{a.blockStart, a.blockCost, a.blockCalls})
	}
	a.blockStart, a.blockCost, a.blockCalls = next, 0, nil
}

// writes returns the locals that a loop writes. It leaves r after the head of the loop.
func (a *bounds) writes(r *binary.Reader) []uint32 {
	inside := &binary.Reader{Data: r.Data, At: r.At}
	var written []uint32
	var i binary.Instruction
	for depth := 0; depth >= 0 && inside.More(); {
		inside.Instruction(&i)
		switch i.Op {
		case binary.OpBlock, binary.OpLoop, binary.OpIf:
			depth++
		case binary.OpEnd:
			depth--
		case binary.OpLocalSet, binary.OpLocalTee:
			written = append(written, i.Index)
		}
		if a.budget--; a.budget < 0 {
			a.locals = nil
			return nil
		}
	}
	return written
}

func (a *bounds) clone(locals []value) []value {
	if a.budget -= len(locals); a.budget < 0 {
		return nil
	}
	return slices.Clone(locals)
}

func (a *bounds) join(x, y []value) []value {
	if x == nil || y == nil {
		return nil
	}
	a.budget -= len(x)
	for i := range x {
		if x[i] != y[i] {
			x[i] = value{}
		}
	}
	return x
}

func (a *bounds) around() int { return a.frames[len(a.frames)-1].around }

func (a *bounds) open(i *binary.Instruction, written []uint32) {
	f := boundsFrame{op: i.Op, around: a.around(), before: a.now}
	f.params, f.results = a.m.block(i)
	if f.params > len(a.stack) {
		a.failed = true
		return
	}
	f.height = len(a.stack) - f.params
	a.cut(f.height, f.params)
	switch i.Op {
	case binary.OpIf:
		f.entry = a.clone(a.locals)
		if f.around >= 0 {
			f.backsBefore = a.frames[f.around].backs
		}
	case binary.OpLoop:
		f.entry = a.clone(a.locals)
		f.around, f.loop = len(a.frames), len(a.result.loops)
		f.exits = map[int]uint64{}
		a.result.loops = append(a.result.loops, loopBounds{offset: i.Start})
		for _, local := range written {
			if int(local) < len(a.locals) {
				a.locals[local] = value{kind: moving, loop: f.loop, local: local}
			}
		}
		a.now = 0
	}
	a.frames = append(a.frames, f)
}

// flow propagates the cost of a path from the head of the innermost loop to the target of frame t.
func (a *bounds) flow(t int, cost uint64) { a.flowFrom(a.around(), t, cost) }

func (a *bounds) flowFrom(around, t int, cost uint64) {
	switch {
	case around < t:
		a.frames[t].after = max(a.frames[t].after, cost)
	case around == t:
		a.frames[t].turn = max(a.frames[t].turn, cost)
	default:
		a.frames[around].exits[t] = max(a.frames[around].exits[t], cost)
	}
}

func (a *bounds) branch(i *binary.Instruction, label int) {
	t := len(a.frames) - 1 - label
	if t < 0 {
		a.failed = true
		return
	}
	f := &a.frames[t]
	if f.op == binary.OpLoop {
		a.result.loops[f.loop].back = i.Start
	}
	a.flow(t, a.now)
	locals := a.clone(a.locals)
	switch {
	case f.op == binary.OpLoop && f.backs == 0:
		f.head = locals
	case f.op == binary.OpLoop:
		f.head = a.join(f.head, locals)
	case !f.branched:
		f.end = locals
	default:
		f.end = a.join(f.end, locals)
	}
	f.backs++
	f.branched = true
}

func (a *bounds) branchIf(i *binary.Instruction, condition value) {
	top, around := len(a.frames)-1, a.around()
	t := top - int(i.Index)
	if around >= 0 && condition.kind == comparison && condition.loop == a.frames[around].loop {
		switch f := &a.frames[around]; {
		case t == around:
			f.guards = append(f.guards, guard{condition, 1})
		case t < around && top == around && f.backs == 0:
			// All turns reach this branch. A turn that continues has not taken the branch.
			condition.negate = !condition.negate
			f.guards = append(f.guards, guard{condition, anyBacks})
		}
	}
	a.branch(i, int(i.Index))
}

// endThen ends the then part of an if. If all turns of the enclosing loop reach the if, and no other branch leads
// back, all turns that continue have met the condition of the if.
func (a *bounds) endThen(f *boundsFrame) {
	if f.around != len(a.frames)-2 || f.condition.kind != comparison {
		return
	}
	if loop := &a.frames[f.around]; f.condition.loop == loop.loop && f.backsBefore == 0 {
		loop.guards = append(loop.guards, guard{f.condition, loop.backs})
	}
}

func (f *boundsFrame) turns() uint64 {
	if f.backs == 0 {
		return 1
	}
	least := uint64(0)
	for _, g := range f.guards {
		if g.backs != anyBacks && g.backs != f.backs || int(g.local) >= len(f.head) || int(g.local) >= len(f.entry) {
			continue
		}
		start, step := f.entry[g.local], f.head[g.local]
		if start.kind != fixed || step.kind != moving || step.loop != f.loop || step.local != g.local {
			continue
		}
		op := g.op
		if g.negate {
			op = negated(op)
		}
		if n, ok := trips(start.add+g.add, step.add, op, g.limit); ok && (least == 0 || n+1 < least) {
			least = n + 1
		}
	}
	return least
}

func (a *bounds) otherwise() {
	f := &a.frames[len(a.frames)-1]
	if f.op != binary.OpIf {
		a.failed = true
		return
	}
	a.endThen(f)
	f.op = binary.OpElse
	a.now, a.locals = f.before, a.clone(f.entry)
	a.cut(f.height, f.params)
}

// close ends a block. falls means that the preceding code reaches the end.
func (a *bounds) close(r *binary.Reader, i *binary.Instruction, falls bool) {
	f := &a.frames[len(a.frames)-1]
	if f.op == binary.OpLoop {
		a.closeLoop(r, falls)
		return
	}
	if f.op == binary.OpIf {
		a.endThen(f)
		if falls {
			a.branch(i, 0)
		}
		a.now, a.locals, falls = f.before, a.clone(f.entry), true
	}
	if falls {
		a.branch(i, 0)
	}
	done := *f
	if len(a.frames) == 1 {
		a.frames, a.result.worst = nil, done.after
		return
	}
	a.frames = a.frames[:len(a.frames)-1]
	if !done.branched {
		a.skip(r)
		return
	}
	// a branch from an inner loop has added its cost at the close of that loop
	a.now, a.locals = done.after, done.end
	a.cut(done.height, done.results)
}

func (a *bounds) closeLoop(r *binary.Reader, falls bool) {
	done := a.frames[len(a.frames)-1]
	a.frames = a.frames[:len(a.frames)-1]
	around := a.around()
	loop := &a.result.loops[done.loop]
	loop.end, loop.turns, loop.turn = r.At, done.turns(), done.turn
	if loop.turns == 0 {
		loop.turns = a.turnsGiven(a.loopPlace(a.k, loop))
		loop.given = loop.turns > 0
		a.result.given = a.result.given || loop.given
	}
	back := uint64(Unbounded) // cost of all turns but the last
	if loop.turns > 0 {
		back = times(loop.turns-1, done.turn)
	}
	if back == Unbounded && done.turn != Unbounded {
		loop.turns = 0
	}
	start := plus(done.before, back)
	for t, cost := range done.exits {
		loop.turn = max(loop.turn, cost)
		a.flowFrom(around, t, plus(start, cost))
	}
	if falls {
		loop.turn = max(loop.turn, a.now)
	}
	a.flowFrom(around, 0, start) // the call may end inside the loop
	if !falls {
		a.skip(r)
		return
	}
	a.now = plus(start, a.now)
	a.cut(done.height, done.results)
}

func (a *bounds) skip(r *binary.Reader) {
	i := r.SkipUnreachable()
	a.blockStart = i.End
	if i.Op == binary.OpElse {
		a.otherwise()
	} else if i.Op == binary.OpEnd {
		a.close(r, &i, false)
	}
}

func (a *bounds) plain(i *binary.Instruction) {
	known := func(local uint32) value {
		if int(local) < len(a.locals) {
			return a.locals[local]
		}
		return value{}
	}
	switch i.Op {
	case binary.OpLocalGet:
		a.push(known(i.Index))
	case binary.OpLocalSet, binary.OpLocalTee:
		v := a.pop()
		if int(i.Index) < len(a.locals) {
			a.locals[i.Index] = v
		}
		if i.Op == binary.OpLocalTee {
			a.push(v)
		}
	case binary.OpGlobalGet:
		a.replace(0, 1)
	case binary.OpGlobalSet:
		a.replace(1, 0)
	case binary.OpI32Const:
		a.push(isFixed(uint32(i.Value)))
	case binary.OpI32Add, binary.OpI32Sub:
		y, x := a.pop(), a.pop()
		a.push(sum(x, y, i.Op == binary.OpI32Sub))
	case binary.OpI32Eqz:
		a.push(compare(binary.OpI32Eq, a.pop(), isFixed(0)))
	case binary.OpI32Eq, binary.OpI32Ne, binary.OpI32LtS, binary.OpI32LtU, binary.OpI32GtS, binary.OpI32GtU,
		binary.OpI32LeS, binary.OpI32LeU, binary.OpI32GeS, binary.OpI32GeU:
		y, x := a.pop(), a.pop()
		if x.kind == fixed {
			x, y, i.Op = y, x, mirrored(i.Op)
		}
		a.push(compare(i.Op, x, y))
	case binary.OpCall:
		t := a.m.Types[a.m.Signature(int(i.Index))]
		a.replace(len(t.Params), len(t.Results))
		if a.m.chooses(i) {
			break
		}
		a.blockCalls = append(a.blockCalls, i.Index)
		if k := int(i.Index) - len(a.m.Imported); k >= 0 {
			a.call(uint32(k))
		}
	case binary.OpCallIndirect:
		t := a.m.Types[i.Index]
		a.replace(len(t.Params)+1, len(t.Results))
		a.result.tables = append(a.result.tables, i.Start)
		before, most := a.now, a.now
		for _, k := range a.byType[t] {
			a.now = before
			a.call(k)
			most = max(most, a.now)
		}
		a.now = most
	case binary.OpMemoryCopy, binary.OpMemoryFill, binary.OpMemoryInit:
		each, length := uint64(a.costs[classMemoryByte]), a.pop()
		a.replace(2, 0)
		bytes := times(each, uint64(length.add))
		if each > 0 && length.kind != fixed {
			bytes = Unbounded
			a.result.lengths = append(a.result.lengths, i.Start)
		}
		a.now = plus(a.now, bytes)
		a.blockCost = plus(a.blockCost, bytes)
	case binary.OpSelect, binary.OpSelectTyped:
		a.replace(3, 1)
	default:
		a.replace(effect(i.Op))
	}
}

func (a *bounds) call(k uint32) {
	if !slices.Contains(a.result.callees, k) {
		a.result.callees = append(a.result.callees, k)
	}
	a.now = plus(a.now, a.worst[k])
	a.result.given = a.result.given || a.found[k].given
}

func sum(x, y value, minus bool) value {
	if minus {
		if y.kind != fixed {
			return value{}
		}
		y.add = -y.add
	}
	if x.kind == fixed {
		x, y = y, x
	}
	if y.kind != fixed || x.kind != fixed && x.kind != moving {
		return value{}
	}
	x.add += y.add
	return x
}

func truth(v value) value {
	if v.kind == comparison {
		return v
	}
	return compare(binary.OpI32Ne, v, isFixed(0))
}

func compare(op binary.Opcode, x, y value) value {
	switch {
	case y.kind == fixed && x.kind == moving:
		x.kind, x.op, x.limit = comparison, op, y.add
		return x
	case y == isFixed(0) && x.kind == comparison && op == binary.OpI32Eq:
		x.negate = !x.negate
		return x
	}
	return value{}
}
