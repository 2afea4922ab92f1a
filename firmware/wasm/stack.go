package wasm

import (
	"fmt"
	"slices"
	"strings"
)

// stackPointer is what compilers call the pointer of their stack in memory.
const stackPointer = "__stack_pointer"

// findGlobals lists the mutable globals and finds those that every function gives
// back: it leaves them, whichever way it returns, with the value they had when it
// was called. A trap skips what follows it, so the host must set them back. This is
// proved from the code and needs no name: it covers the stack pointers of LLVM and
// AssemblyScript, and neither heap pointers nor other state. Where the proof fails a
// global named __stack_pointer is taken at its word; one without a name that some
// functions use as a stack pointer and others do not is refused.
func (m *module) findGlobals(c *Copy) error {
	uses := make([]globalUse, len(m.globals))
	for i := range uses {
		uses[i] = globalUse{keeps: true, stack: -1, breaks: -1}
	}
	for _, k := range m.reachable() {
		m.body[k].give(m, k, uses)
	}
	for i, g := range m.globals {
		if !g.mutable {
			continue
		}
		name, use := m.globalName(i), uses[i]
		named := name == stackPointer || strings.HasSuffix(name, "/"+stackPointer)
		if e, ok := m.exports[stackPointer]; ok && e.kind == kindGlobal && int(e.index) == i {
			named = true
		}
		if !named && !use.keeps && use.stack >= 0 && g.initial > 0 {
			return fmt.Errorf("keeps a stack by %s in %s, but %s need not set it back, so that a trap could harm others: export it as %s", name,
				m.functionName(len(m.imported)+use.stack), m.functionName(len(m.imported)+use.breaks), stackPointer)
		}
		global := Global{Name: name, Export: fmt.Sprintf("%sglobal[%d]", reserved, i), GivenBack: named || use.keeps, Proved: use.keeps}
		if use.breaks >= 0 {
			f := &m.body[use.breaks]
			global.Breaks = m.functionName(len(m.imported) + use.breaks)
			global.at = uint64(f.offset + len(f.locals) + use.at - m.codeOffset())
		}
		c.Globals = append(c.Globals, global)
	}
	return nil
}

// globalUse is what all functions do with a global.
type globalUse struct {
	keeps  bool // all give it back
	stack  int  // a function that lowers it and gives it back, -1 for none
	breaks int  // a function that need not give it back, -1 for none
	at     int  // where in its code it sets it last to something else than what it was
}

// ofHost reports whether the host calls an export of this name.
func ofHost(name string) bool { return strings.HasPrefix(name, "starloom_") || name == "_initialize" }

// reachable returns the functions that the host can call, and what they call.
func (m *module) reachable() []int {
	var list, open []int
	seen := make([]bool, len(m.body))
	reach := func(index uint32) {
		if k := int(index) - len(m.imported); k >= 0 && k < len(m.body) && !seen[k] {
			seen[k] = true
			open = append(open, k)
		}
	}
	for name, e := range m.exports {
		if e.kind == kindFunction && ofHost(name) {
			reach(e.index)
		}
	}
	if m.start >= 0 {
		reach(uint32(m.start))
	}
	tables := false
	for len(open) > 0 {
		k := open[len(open)-1]
		open = open[:len(open)-1]
		list = append(list, k)
		r := &reader{data: m.body[k].code}
		var i instruction
		for r.more() {
			r.instruction(&i)
			switch i.op {
			case opCall:
				reach(i.index)
			case opCallIndirect:
				if !tables {
					tables = true
					for _, index := range m.elements {
						reach(index)
					}
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// term is what is known of a value: that it is a constant, or what a global held
// when the function was called, plus an offset. The zero term knows nothing.
type term struct {
	base   int // global plus one, or constant
	offset int32
}

const constant = -1

// state is what is known at one place of a function.
type state struct {
	locals  []term
	globals []term
}

// clone copies a state, as far as the budget goes.
func (a *giving) clone(s *state) state {
	if a.budget -= len(s.locals) + len(s.globals); a.budget < 0 {
		a.failed = true
		return *s
	}
	return state{slices.Clone(s.locals), slices.Clone(s.globals)}
}

// join keeps what both states know, and says whether s has lost something.
func (a *giving) join(s, o *state) (changed bool) {
	a.budget -= len(s.locals) + len(s.globals)
	for _, part := range [][2][]term{{s.locals, o.locals}, {s.globals, o.globals}} {
		for i := range part[0] {
			if part[0][i] != part[1][i] && part[0][i] != (term{}) {
				part[0][i], changed = term{}, true
			}
		}
	}
	return changed
}

// frame is an open block.
type frame struct {
	op       opcode
	body     int // offset of its first instruction
	height   int
	params   int
	results  int
	before   state // if, loop: at its start
	after    state // at its end, from the branches
	branched bool
}

// stepsPerByte and stepsBase bound the analysis of a function with many loops in loops
// or locals; one that takes more is one that need not give its globals back.
const (
	stepsPerByte = 64
	stepsBase    = 1 << 20
)

// give finds out which globals the function, number k, gives back.
func (f *function) give(m *module, k int, uses []globalUse) {
	var sets []int // globals
	r := &reader{data: f.code}
	var i instruction
	for r.more() {
		r.instruction(&i)
		if i.op == opGlobalSet && !slices.Contains(sets, int(i.index)) {
			sets = append(sets, int(i.index))
		}
	}
	if len(sets) == 0 {
		return
	}
	a := &giving{m: m, f: f, lowered: make([]bool, len(m.globals)), changed: make([]int, len(m.globals)), budget: stepsBase + stepsPerByte*len(f.code)}
	a.now.locals = make([]term, len(m.types[f.signature].params)+int(f.extra))
	a.now.globals = make([]term, len(m.globals))
	for g := range a.now.globals {
		a.now.globals[g] = term{base: g + 1}
	}
	ok := a.run()
	for _, g := range sets {
		switch {
		case !ok || a.returned && a.end.globals[g] != (term{base: g + 1}):
			uses[g].keeps, uses[g].breaks, uses[g].at = false, k, a.changed[g]
		case a.lowered[g]:
			uses[g].stack = k
		}
	}
}

// giving is the analysis of one function: it follows the code, joins what is known
// where paths meet, and goes through a loop again while its start has lost something.
type giving struct {
	m   *module
	f   *function
	now state
	operands[term]
	frames   []frame
	end      state // at the returns
	returned bool
	lowered  []bool // globals that have been set below what they were
	changed  []int  // where they were last set to something else than what they were
	budget   int
}

func (a *giving) run() bool {
	r := &reader{data: a.f.code}
	a.frames = []frame{{op: opBlock}}
	var i instruction
	for len(a.frames) > 0 && r.more() && !a.failed {
		r.instruction(&i)
		if a.budget--; a.budget < 0 {
			return false
		}
		switch i.op {
		case opBlock, opLoop, opIf:
			a.open(&i)
		case opElse:
			a.branch(0)
			a.otherwise()
		case opEnd:
			a.close(r, true)
		case opBr:
			a.branch(int(i.index))
			a.skip(r)
		case opBrIf:
			a.pop()
			a.branch(int(i.index))
		case opBrTable:
			a.pop()
			for _, target := range i.targets {
				a.branch(int(target))
			}
			a.skip(r)
		case opReturn:
			a.branch(len(a.frames) - 1)
			a.skip(r)
		case opUnreachable:
			a.skip(r)
		default:
			a.plain(&i)
		}
	}
	return !a.failed && r.err == nil
}

func (a *giving) open(i *instruction) {
	f := frame{op: i.op, body: i.end}
	if i.op == opIf {
		a.pop()
	}
	f.params, f.results = a.m.block(i)
	if f.params > len(a.stack) {
		a.failed = true
		return
	}
	f.height = len(a.stack) - f.params
	a.forget(f.params)
	if i.op != opBlock {
		f.before = a.clone(&a.now)
	}
	a.frames = append(a.frames, f)
}

// forget makes the topmost values unknown: those that a block takes and leaves.
func (a *giving) forget(count int) {
	for n := range count {
		a.stack[len(a.stack)-1-n] = term{}
	}
}

// branch joins what is known into the end of a block, or the start of a loop.
func (a *giving) branch(label int) {
	if label < 0 || label >= len(a.frames) {
		a.failed = true
		return
	}
	f := &a.frames[len(a.frames)-1-label]
	if !f.branched {
		f.after, f.branched = a.clone(&a.now), true
		return
	}
	a.join(&f.after, &a.now)
}

// otherwise starts the second half of an if.
func (a *giving) otherwise() {
	f := &a.frames[len(a.frames)-1]
	if f.op != opIf {
		a.failed = true
		return
	}
	f.op = opElse
	a.restart(f)
}

// restart goes back to what is known at the start of a block.
func (a *giving) restart(f *frame) {
	a.now = a.clone(&f.before)
	a.cut(f.height, f.params)
}

// close ends a block; falls says whether the code before the end runs into it.
func (a *giving) close(r *reader, falls bool) {
	f := &a.frames[len(a.frames)-1]
	if f.op == opLoop {
		if f.branched && a.join(&f.before, &f.after) {
			f.branched = false
			a.restart(f)
			r.at = f.body
			return
		}
		f.branched = false // its branches went to its start
	}
	if f.op == opIf {
		// Without else the branch that is not taken leaves all as it was.
		if falls {
			a.branch(0)
		}
		a.now, falls = a.clone(&f.before), true
	}
	if falls {
		a.branch(0)
	}
	done := *f
	a.frames = a.frames[:len(a.frames)-1]
	if len(a.frames) == 0 {
		a.end, a.returned = done.after, done.branched
		return
	}
	if !done.branched {
		a.skip(r) // nothing gets here
		return
	}
	a.now = done.after
	a.cut(done.height, done.results)
}

// skip goes to where code can be reached again.
func (a *giving) skip(r *reader) {
	switch r.skipUnreachable().op {
	case opElse:
		a.otherwise()
	case opEnd:
		a.close(r, false)
	}
}

// plain follows an instruction that goes on to the next one.
func (a *giving) plain(i *instruction) {
	switch i.op {
	case opLocalGet:
		a.push(a.now.locals[i.index])
	case opLocalSet:
		a.now.locals[i.index] = a.pop()
	case opLocalTee:
		v := a.pop()
		a.now.locals[i.index] = v
		a.push(v)
	case opGlobalGet:
		a.push(a.now.globals[i.index])
	case opGlobalSet:
		v := a.pop()
		a.now.globals[i.index] = v
		if v != (term{base: int(i.index) + 1}) {
			a.changed[i.index] = i.start
		}
		if v.base == int(i.index)+1 && v.offset < 0 {
			a.lowered[i.index] = true
		}
	case opI32Const:
		a.push(term{constant, int32(i.value)})
	case opI32Add, opI32Sub:
		y, x := a.pop(), a.pop()
		switch {
		case x.base == 0 || y.base == 0:
			x = term{}
		case y.base == constant && i.op == opI32Add:
			x.offset += y.offset
		case y.base == constant:
			x.offset -= y.offset
		case x.base == constant && i.op == opI32Add:
			x = term{y.base, x.offset + y.offset}
		default:
			x = term{}
		}
		a.push(x)
	case opSelect, opSelectTyped:
		a.pop()
		y, x := a.pop(), a.pop()
		if x != y {
			x = term{}
		}
		a.push(x)
	case opCall:
		t := a.m.types[a.m.signature(int(i.index))]
		a.replace(len(t.params), len(t.results))
	case opCallIndirect:
		t := a.m.types[i.index]
		a.replace(len(t.params)+1, len(t.results))
	default:
		a.replace(effect(i.op))
	}
}
