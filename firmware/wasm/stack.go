package wasm

import (
	"fmt"
	"slices"
	"strings"

	"starloom/firmware/wasm/binary"
)

// stackPointer is the name of the stack pointer in compiler output.
const stackPointer = "__stack_pointer"

// findGlobals lists the mutable globals and finds the globals that every function restores: on every return, their
// values equal the values at the call. A trap skips the restoration, so the host must restore these globals. The
// proof uses the code, not names. It covers the stack pointers of LLVM and AssemblyScript, but no heap pointers or
// other state. Without a proof, a global named __stack_pointer is trusted, and an unnamed global that only some
// functions use as a stack pointer is rejected.
func (m *module) findGlobals(c *Copy) error {
	uses := make([]globalUse, len(m.Globals))
	for i := range uses {
		uses[i] = globalUse{keeps: true, stack: -1, breaks: -1}
	}
	for _, k := range m.reachable() {
		m.give(k, uses)
	}
	for i, g := range m.Globals {
		if !g.Mutable {
			continue
		}
		name, use := m.GlobalName(i), uses[i]
		named := name == stackPointer || strings.HasSuffix(name, "/"+stackPointer)
		if e, ok := m.Exports[stackPointer]; ok && e.Kind == binary.KindGlobal && int(e.Index) == i {
			named = true
		}
		if !named && !use.keeps && use.stack >= 0 && g.Initial > 0 {
			return fmt.Errorf("keeps a stack with %s in %s, but %s may not restore it, so a trap could harm other processors: "+
				"export it as %s", name,
				m.FunctionName(len(m.Imported)+use.stack), m.FunctionName(len(m.Imported)+use.breaks), stackPointer)
		}
		global := Global{Name: name, Export: fmt.Sprintf("%sglobal[%d]", binary.Reserved, i), GivenBack: named ||
			use.keeps, Proved: use.keeps}
		if use.breaks >= 0 {
			f := &m.Body[use.breaks]
			global.Breaks = m.FunctionName(len(m.Imported) + use.breaks)
			global.at = uint64(f.Offset + len(f.Locals) + use.at - m.Contents(binary.SectionCode).Base)
		}
		c.Globals = append(c.Globals, global)
	}
	return nil
}

type globalUse struct {
	keeps  bool // all functions restore the global
	stack  int  // a function that lowers and restores the global, -1 for none
	breaks int  // a function that may not restore the global, -1 for none
	at     int  // offset in breaks of the last change
}

func ofHost(name string) bool { return strings.HasPrefix(name, "starloom_") || name == "_initialize" }

func (m *module) reachable() []int {
	var list, open []int
	seen := make([]bool, len(m.Body))
	reach := func(index uint32) {
		if k := int(index) - len(m.Imported); k >= 0 && k < len(m.Body) && !seen[k] {
			seen[k] = true
			open = append(open, k)
		}
	}
	for name, e := range m.Exports {
		if e.Kind == binary.KindFunction && ofHost(name) {
			reach(e.Index)
		}
	}
	if m.Start >= 0 {
		reach(uint32(m.Start))
	}
	tables := false
	for len(open) > 0 {
		k := open[len(open)-1]
		open = open[:len(open)-1]
		list = append(list, k)
		r := &binary.Reader{Data: m.Body[k].Code}
		var i binary.Instruction
		for r.More() {
			r.Instruction(&i)
			switch i.Op {
			case binary.OpCall:
				reach(i.Index)
			case binary.OpCallIndirect:
				if !tables {
					tables = true
					for _, index := range m.Elements {
						reach(index)
					}
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// term is a value: a constant, or a global's value at the call plus an offset. The zero term is unknown.
type term struct {
	base   int // index of the global plus one, or constant
	offset int32
}

const constant = -1

type state struct {
	locals  []term
	globals []term
}

func (a *giving) clone(s *state) state {
	if a.budget -= len(s.locals) + len(s.globals); a.budget < 0 {
		a.failed = true
		return *s
	}
	return state{slices.Clone(s.locals), slices.Clone(s.globals)}
}

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

type frame struct {
	op       binary.Opcode
	body     int // offset of the first instruction
	height   int
	params   int
	results  int
	before   state // if, loop: at the start
	after    state // state at the end, from branches
	branched bool
}

// stepsPerByte and stepsBase limit the analysis of a function. A function beyond the limit counts as one that does
// not restore its globals.
const (
	stepsPerByte = 64
	stepsBase    = 1 << 20
)

func (m *module) give(k int, uses []globalUse) {
	f := &m.Body[k]
	var sets []int // globals
	r := &binary.Reader{Data: f.Code}
	var i binary.Instruction
	for r.More() {
		r.Instruction(&i)
		if i.Op == binary.OpGlobalSet && !slices.Contains(sets, int(i.Index)) {
			sets = append(sets, int(i.Index))
		}
	}
	if len(sets) == 0 {
		return
	}
	a := &giving{m: m, f: f, lowered: make([]bool, len(m.Globals)), changed: make([]int, len(m.Globals)),
		budget: stepsBase + stepsPerByte*len(f.Code)}
	a.now.locals = make([]term, len(m.Types[f.Signature].Params)+int(f.Extra))
	a.now.globals = make([]term, len(m.Globals))
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

// giving analyses one function: it joins states where paths meet and repeats loops until their states are stable.
type giving struct {
	m   *module
	f   *binary.Function
	now state
	operands[term]
	frames   []frame
	end      state // state at the returns
	returned bool
	lowered  []bool // globals set below their initial values
	changed  []int  // offset of the last change of each global from its initial value
	budget   int
}

func (a *giving) run() bool {
	r := &binary.Reader{Data: a.f.Code}
	a.frames = []frame{{op: binary.OpBlock}}
	var i binary.Instruction
	for len(a.frames) > 0 && r.More() && !a.failed {
		r.Instruction(&i)
		if a.budget--; a.budget < 0 {
			return false
		}
		switch i.Op {
		case binary.OpBlock, binary.OpLoop, binary.OpIf:
			a.open(&i)
		case binary.OpElse:
			a.branch(0)
			a.otherwise()
		case binary.OpEnd:
			a.close(r, true)
		case binary.OpBr:
			a.branch(int(i.Index))
			a.skip(r)
		case binary.OpBrIf:
			a.pop()
			a.branch(int(i.Index))
		case binary.OpBrTable:
			a.pop()
			for _, target := range i.Targets {
				a.branch(int(target))
			}
			a.skip(r)
		case binary.OpReturn:
			a.branch(len(a.frames) - 1)
			a.skip(r)
		case binary.OpUnreachable:
			a.skip(r)
		default:
			a.plain(&i)
		}
	}
	return !a.failed && r.Err == nil
}

func (a *giving) open(i *binary.Instruction) {
	f := frame{op: i.Op, body: i.End}
	if i.Op == binary.OpIf {
		a.pop()
	}
	f.params, f.results = a.m.block(i)
	if f.params > len(a.stack) {
		a.failed = true
		return
	}
	f.height = len(a.stack) - f.params
	a.forget(f.params)
	if i.Op != binary.OpBlock {
		f.before = a.clone(&a.now)
	}
	a.frames = append(a.frames, f)
}

func (a *giving) forget(count int) {
	for n := range count {
		a.stack[len(a.stack)-1-n] = term{}
	}
}

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

func (a *giving) otherwise() {
	f := &a.frames[len(a.frames)-1]
	if f.op != binary.OpIf {
		a.failed = true
		return
	}
	f.op = binary.OpElse
	a.restart(f)
}

func (a *giving) restart(f *frame) {
	a.now = a.clone(&f.before)
	a.cut(f.height, f.params)
}

// close ends a block. falls means that the preceding code reaches the end.
func (a *giving) close(r *binary.Reader, falls bool) {
	f := &a.frames[len(a.frames)-1]
	if f.op == binary.OpLoop {
		if f.branched && a.join(&f.before, &f.after) {
			f.branched = false
			a.restart(f)
			r.At = f.body
			return
		}
		f.branched = false // the branches of a loop lead to its start
	}
	if f.op == binary.OpIf {
		// without else, a false condition leaves the state unchanged
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
		a.skip(r) // unreachable
		return
	}
	a.now = done.after
	a.cut(done.height, done.results)
}

func (a *giving) skip(r *binary.Reader) {
	switch r.SkipUnreachable().Op {
	case binary.OpElse:
		a.otherwise()
	case binary.OpEnd:
		a.close(r, false)
	}
}

func (a *giving) plain(i *binary.Instruction) {
	switch i.Op {
	case binary.OpLocalGet:
		a.push(a.now.locals[i.Index])
	case binary.OpLocalSet:
		a.now.locals[i.Index] = a.pop()
	case binary.OpLocalTee:
		v := a.pop()
		a.now.locals[i.Index] = v
		a.push(v)
	case binary.OpGlobalGet:
		a.push(a.now.globals[i.Index])
	case binary.OpGlobalSet:
		v := a.pop()
		a.now.globals[i.Index] = v
		if v != (term{base: int(i.Index) + 1}) {
			a.changed[i.Index] = i.Start
		}
		if v.base == int(i.Index)+1 && v.offset < 0 {
			a.lowered[i.Index] = true
		}
	case binary.OpI32Const:
		a.push(term{constant, int32(i.Value)})
	case binary.OpI32Add, binary.OpI32Sub:
		y, x := a.pop(), a.pop()
		switch {
		case x.base == 0 || y.base == 0:
			x = term{}
		case y.base == constant && i.Op == binary.OpI32Add:
			x.offset += y.offset
		case y.base == constant:
			x.offset -= y.offset
		case x.base == constant && i.Op == binary.OpI32Add:
			x = term{y.base, x.offset + y.offset}
		default:
			x = term{}
		}
		a.push(x)
	case binary.OpSelect, binary.OpSelectTyped:
		a.pop()
		y, x := a.pop(), a.pop()
		if x != y {
			x = term{}
		}
		a.push(x)
	case binary.OpCall:
		t := a.m.Types[a.m.Signature(int(i.Index))]
		a.replace(len(t.Params), len(t.Results))
	case binary.OpCallIndirect:
		t := a.m.Types[i.Index]
		a.replace(len(t.Params)+1, len(t.Results))
	default:
		a.replace(effect(i.Op))
	}
}
