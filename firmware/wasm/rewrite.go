package wasm

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Rewrite makes the copy of an image that the host runs. Errors are about images
// that are broken, or that hold what the host cannot keep its word for; they say
// where and what to do.
func Rewrite(binary []byte) (*Copy, error) { return rewriteWith(binary, nil, false) }

// RewriteMetered is Rewrite with a counter.
func RewriteMetered(binary []byte, meter Meter) (*Copy, error) {
	return rewriteWith(binary, &meter, false)
}

// RewriteCovered is Rewrite, or RewriteMetered if meter is not nil, of a copy that notes its way.
func RewriteCovered(binary []byte, meter *Meter) (*Copy, error) {
	return rewriteWith(binary, meter, true)
}

// rewriteWith makes a copy that counts costs if meter is not nil, and notes its way if it covers.
func rewriteWith(binary []byte, meter *Meter, covers bool) (*Copy, error) {
	m, err := read(binary)
	if err != nil {
		return nil, err
	}
	w := &weaver{m: m, tick: uint32(len(m.imported)), counter: uint32(len(m.globals)), current: m.bankCurrent()}
	if meter != nil {
		w.meter = &metering{*meter, w.lap() + 1, w.lap() + 2}
	}
	if covers {
		w.cover = &cover{first: w.lap() + 1}
		if meter != nil {
			w.cover.first = w.meter.at()
			if meter.Profile {
				w.cover.first++
			}
		}
	}
	if err := w.analyse(); err != nil {
		return nil, err
	}
	c := &Copy{}
	if err := m.findGlobals(c); err != nil {
		return nil, err
	}
	if len(m.debugSections()["line"]) > 0 {
		c.original = m.debugSections()
	} else {
		c.SourceMap, c.codeStart = m.sourceMap(), m.codeOffset()
	}
	for k := range m.body {
		c.functions = append(c.functions, m.functionName(len(m.imported)+k))
	}
	reached := m.reachable()
	slices.Sort(reached)
	for _, k := range reached {
		if w.turns[k].recursive {
			c.Recursive = append(c.Recursive, m.functionName(len(m.imported)+k))
		}
	}
	if meter != nil && meter.Profile {
		w.lines = c.Places().lines()
	}
	w.write(c)
	return c, nil
}

// read parses a module and refuses what cannot be run.
func read(binary []byte) (*module, error) {
	m, err := parse(binary)
	var large *limitError
	if errors.As(err, &large) {
		return nil, large
	}
	if err != nil {
		return nil, &BrokenError{err}
	}
	return m, m.refuse()
}

// BrokenError says that an image is not a module.
type BrokenError struct{ error }

// Unwrap returns what is wrong.
func (e *BrokenError) Unwrap() error { return e.error }

// refuse names what the host cannot reach in an image, or what is reserved for the
// copy.
func (m *module) refuse() error {
	for name, e := range m.exports {
		if strings.HasPrefix(name, reserved) {
			return fmt.Errorf("exports %q: names that begin with %q are Starloom's; rename it", Clip(name), reserved)
		}
		if e.kind == kindGlobal && int(e.index) >= len(m.globals) {
			return &BrokenError{fmt.Errorf("the export %q is of no global", Clip(name))}
		}
	}
	for i, t := range m.types {
		if len(t.params) > parametersMax || len(t.results) > parametersMax {
			return fmt.Errorf("the type %d has %d parameters and %d results, allowed are %d; pass them in the memory", i, len(t.params), len(t.results), parametersMax)
		}
	}
	for i, entries := range m.tables {
		if entries > tableEntriesMax {
			return fmt.Errorf("the table %d starts with %d entries, allowed are %d; make it smaller", i, entries, tableEntriesMax)
		}
	}
	for _, g := range m.globals {
		if g.imported != "" {
			return fmt.Errorf("imports the global %s, which nothing provides; define it in the image", g.imported)
		}
	}
	for i, g := range m.globals {
		if g.mutable && (g.valueType < typeF64 || g.valueType > typeI32) {
			return fmt.Errorf("has the mutable global %s, whose type (%#x) cannot be saved; "+
				"keep it in the memory or in a global of type i32, i64, f32 or f64", m.globalName(i), g.valueType)
		}
	}
	return m.checkLines()
}

// analyse reads all code once. It refuses what is unknown, out of range or
// unreachable, and finds where to count.
func (w *weaver) analyse() error {
	m := w.m
	shapes := make([]shape, len(m.body))
	w.chosen = make([]map[int]byte, len(m.body))
	var limits limits
	for k := range m.body {
		f := &m.body[k]
		place := func(i *instruction) string {
			return fmt.Sprintf("%s at offset %#x", m.functionName(len(m.imported)+k), f.offset+len(f.locals)+i.start)
		}
		locals := uint64(len(m.types[f.signature].params)) + f.extra
		if err := limits.nextFunction(locals, len(m.types[f.signature].results)); err != nil {
			return fmt.Errorf("%s: %w", m.functionName(len(m.imported)+k), err)
		}
		s := &shapes[k]
		s.paths = make([]path, 1)
		open := []int{0} // path of every open block
		r := &reader{data: f.code, base: f.offset + len(f.locals)}
		var i instruction
		for len(open) > 0 && r.err == nil {
			r.instruction(&i)
			if r.err != nil {
				break
			}
			in := open[len(open)-1]
			s.note(in, &i, len(m.imported))
			switch i.op {
			case opBlock, opIf:
				open = append(open, in)
			case opLoop:
				s.paths = append(s.paths, path{})
				open = append(open, len(s.paths)-1)
			case opEnd:
				open = open[:len(open)-1]
			case opTableGet, opTableSize, opRefNull, opRefIsNull, opRefFunc, opSelectTyped:
				return &BrokenError{&UnknownError{fmt.Errorf("%s: %s is of reference types, which Starloom does not run", place(&i), opName(i.op))}}
			case opDataDrop, opTableInit, opElemDrop, opTableCopy, opTableSet, opTableGrow, opTableFill:
				return fmt.Errorf("%s: it changes tables or segments (%s), which the host cannot save; build without passive segments", place(&i), opName(i.op))
			}
			if err := limits.take(&i, len(open)-1); err != nil {
				return fmt.Errorf("%s: %w", place(&i), err)
			}
			if err := m.inRange(&i, locals); err != nil {
				return &BrokenError{fmt.Errorf("%s: %w", place(&i), err)}
			}
			if err := limits.carry(limits.carried(m, &i)); err != nil {
				return fmt.Errorf("%s: %w", place(&i), err)
			}
		}
		if err := limits.endFunction(); err != nil {
			return fmt.Errorf("%s: %w", m.functionName(len(m.imported)+k), err)
		}
		if r.err == nil && r.more() {
			r.broken("code after the end of the function")
		}
		if r.err == nil {
			w.chosen[k], r.err = m.selects(f)
		}
		if r.err != nil {
			return &BrokenError{fmt.Errorf("%s: %w", m.functionName(len(m.imported)+k), r.err)}
		}
	}
	w.turns, w.order = m.costs(shapes)
	w.called = m.called(shapes)
	return nil
}

// write makes the copy.
func (w *weaver) write(c *Copy) {
	m := w.m
	parts := map[byte][]byte{}
	widths := map[byte]int{}
	for _, s := range m.sections {
		if s.id != sectionCustom {
			parts[s.id], widths[s.id] = s.content, s.width
		}
	}
	signature := slices.Index(m.types, funcType{})
	if signature < 0 {
		signature = len(m.types)
		parts[sectionType] = appendElement(parts[sectionType], []byte{0x60, 0, 0})
	}
	shift := &copier{imported: w.tick}
	if content, ok := parts[sectionExport]; ok {
		parts[sectionExport] = shift.exports(content)
	}
	tick := appendName(appendName(nil, TickModule), TickName)
	parts[sectionImport] = appendElement(parts[sectionImport], appendU32(append(tick, kindFunction), uint32(signature), 1))
	for k, name := range []string{TurnsName, LapName} {
		parts[sectionGlobal] = appendElement(parts[sectionGlobal], append(appendS32([]byte{typeI32, 1, byte(opI32Const)}, TickTurns), byte(opEnd)))
		parts[sectionExport] = appendElement(parts[sectionExport], appendU32(append(appendName(nil, name), kindGlobal), w.counter+uint32(k), 1))
	}
	var globals []byte
	at := 0
	for i, g := range m.globals {
		if g.mutable {
			globals = appendU32(append(appendName(globals, c.Globals[at].Export), kindGlobal), uint32(i), 1)
			at++
		}
	}
	parts[sectionExport] = appendElements(parts[sectionExport], at, globals)
	if m.start >= 0 {
		c.Start = startName
		parts[sectionExport] = appendElement(parts[sectionExport], appendU32(append(appendName(nil, startName), kindFunction), shift.function(uint32(m.start)), 1))
		delete(parts, sectionStart)
	}
	if content, ok := parts[sectionElement]; ok {
		shift.to = nil
		m.readElements(&reader{data: content}, shift)
		parts[sectionElement] = shift.to
	}
	if content, ok := parts[sectionGlobal]; ok {
		parts[sectionGlobal] = m.shiftGlobals(content, shift)
	}
	var entries []*entry
	if _, ok := parts[sectionCode]; ok {
		parts[sectionCode], entries = w.code(c)
		c.Laps = w.laps
	}
	if w.meter != nil {
		w.meter.addMeter(parts)
		m.addEntries(entries, parts, shift, uint32(signature))
	}
	if w.cover != nil {
		w.addCover(parts, c)
	}
	out := slices.Clone(header)
	for _, id := range sectionOrder {
		if content, ok := parts[id]; ok {
			out = appendSection(out, id, widths[id], content)
		}
	}
	names := m.functionNames()
	for name, own := m.names[uint32(len(names))]; own; name, own = m.names[uint32(len(names))] {
		names = append(names, name) // of a function that the copy has beside them: see addMeter
	}
	out = appendSection(out, sectionCustom, 1, shift.names(names))
	if c.original != nil || c.SourceMap != "" {
		out = appendPlaces(out)
	}
	c.Binary = out
}

func (c *copier) exports(content []byte) []byte {
	r := &reader{data: content}
	n := r.count()
	to := appendU32(nil, uint32(n), r.at)
	for ; n > 0; n-- {
		to = appendName(to, r.name())
		kind, index := r.byte(), r.u32()
		if kind == kindFunction {
			index = c.function(index)
		}
		to = appendU32(append(to, kind), index, 1)
	}
	return to
}

// shiftGlobals copies the global section, whose initial values may name functions.
func (m *module) shiftGlobals(content []byte, c *copier) []byte {
	r := &reader{data: content}
	n := r.count()
	c.to = appendU32(nil, uint32(n), r.at)
	for ; n > 0; n-- {
		c.to = append(c.to, r.byte(), r.byte())
		m.constant(r, c)
	}
	return c.to
}

// names makes a name section of the functions' names, which messages need.
func (c *copier) names(names []string) []byte {
	list := appendU32(nil, uint32(len(names)), 1)
	for index, name := range names {
		list = appendName(appendU32(list, c.function(uint32(index)), 1), name)
	}
	return append(appendU32(append(appendName(nil, "name"), namesFunctions), uint32(len(list)), 1), list...)
}

// code makes the code section, and notes what has moved where.
func (w *weaver) code(c *Copy) (to []byte, entries []*entry) {
	m := w.m
	start := m.codeOffset()
	entries = w.entries()
	to = appendU32(nil, uint32(len(m.body)+2*len(entries)), 1)
	add := func(f *function, woven *woven) {
		from := f.offset - start
		to = appendU32(to, uint32(len(woven.to)), f.width)
		for _, place := range woven.moved {
			c.moved = append(c.moved, moved{uint32(len(to)) + place.to, uint32(from) + place.from, place.inserted})
		}
		to = append(to, woven.to...)
	}
	for k := range m.body {
		woven := w.function(k)
		for _, e := range entries {
			if e.k == k {
				woven = e.take(w, woven)
			}
		}
		add(&m.body[k], woven)
	}
	for n, e := range entries {
		over := uint32(len(m.imported)+len(m.body)+2*n) + 1
		add(&m.body[e.k], e.over(w))
		add(&m.body[e.k], e.each(w, over))
	}
	return to, entries
}

// function rewrites one function. What the passes put in goes before or after the
// instruction that it is about; a pass over whole blocks would start here, too.
func (w *weaver) function(k int) *woven {
	f := &w.m.body[k]
	out := &woven{copier: copier{imported: w.tick}, first: uint32(len(w.m.types[f.signature].params)) + uint32(f.extra)}
	head := uint32(len(f.locals))
	insert := func(at int, code []byte) {
		if len(code) == 0 {
			return
		}
		out.moved = append(out.moved, moved{uint32(len(out.to)), head + uint32(at), true})
		out.to = append(out.to, code...)
	}
	var meter *tally
	if w.meter != nil {
		meter = &tally{metering: w.meter, f: out, open: []opcode{opBlock}, tick: w.tick, lines: w.lines, base: uint32(f.offset-w.m.codeOffset()) + head}
	}
	count := func(at int, turns uint32) {
		insert(at, w.count(out, appendS32([]byte{byte(opI32Const)}, int32(turns))))
		if meter != nil {
			insert(at, meter.check())
		}
	}
	if units := w.turns[k].entry; units > 0 {
		count(0, units)
	}
	way := w.scout(out)
	insert(0, way.enter())
	loop, based := 0, false
	r := &reader{data: f.code}
	var i, before, second instruction
	for r.more() {
		second, before = before, i
		r.instruction(&i)
		if i.op == opMemoryCopy || i.op == opMemoryFill || i.op == opMemoryInit {
			if before.op != opI32Const || before.value < 0 || before.value >= 1<<bytesPerTurnLog2 {
				insert(i.start, w.countBytes(out))
			}
		}
		if meter != nil {
			insert(i.start, meter.before(&i, len(w.m.imported)))
		}
		insert(i.start, way.before(&second, &before, &i))
		out.moved = append(out.moved, moved{uint32(len(out.to)), head + uint32(i.start), false})
		switch {
		case based: // the constant before is in its offset now
			out.to = appendLoad(out.to, &i, uint32(before.value))
			based = false
		case addresses(&i, *r):
			out.to = appendU32(append(out.to, byte(opLocalGet)), out.local(scratchZero, typeI32), 1)
			based = true
		case choosesFloats(w.chosen[k][i.start]):
			out.to = append(out.to, choice(out, w.chosen[k][i.start])...)
		default:
			out.instruction(f.code, &i)
		}
		if i.op == opLoop {
			count(i.end, w.turns[k].loops[loop])
			loop++
		}
		if w.begins(&second, &before, &i) {
			insert(i.start, w.mark())
			w.laps = true
		}
		if kind := nanType(i.op); kind != 0 {
			insert(i.start, canonical(out, kind))
		}
		insert(i.end, way.after(&i))
	}
	// The locals that were added come before all that was copied.
	locals := out.addLocals(f.locals)
	for n := range out.moved {
		out.moved[n].to += uint32(len(locals))
	}
	out.to = slices.Concat(locals, out.to)
	out.moved = compact(out.moved)
	return out
}

// count takes turns, which code leaves on the stack, from the counter. When it has
// run out, the host is asked, which sets it again.
func (w *weaver) count(f *woven, turns []byte) []byte {
	left := f.local(scratchTurns, typeI32)
	code := appendU32([]byte{byte(opGlobalGet)}, w.counter, 1)
	code = append(code, turns...)
	code = append(code, byte(opI32Sub), byte(opLocalTee))
	code = appendU32(code, left, 1)
	code = appendU32(append(code, byte(opGlobalSet)), w.counter, 1)
	code = appendU32(append(code, byte(opLocalGet)), left, 1)
	code = append(code, byte(opI32Const), 0, byte(opI32LtS), byte(opIf), blockEmpty)
	return append(appendU32(append(code, byte(opCall)), w.tick, 1), byte(opEnd))
}

// countBytes counts an instruction on a range of memory by the bytes on top of the
// stack.
func (w *weaver) countBytes(f *woven) []byte {
	bytes := f.local(scratchBytes, typeI32)
	turns := appendU32([]byte{byte(opLocalGet)}, bytes, 1)
	turns = append(turns, byte(opI32Const), bytesPerTurnLog2, byte(opI32ShrU))
	return append(appendU32([]byte{byte(opLocalTee)}, bytes, 1), w.count(f, turns)...)
}

// canonical puts the canonical NaN in the place of any other on top of the stack: it chooses among the bits (see choice).
func canonical(f *woven, kind byte) []byte {
	nan32, nan64 := []byte{0, 0, 0xC0, 0x7F}, []byte{0, 0, 0, 0, 0, 0, 0xF8, 0x7F}
	var value uint32
	var bits, nan, choose []byte
	switch kind {
	case typeF32:
		value, bits, nan = f.local(scratchF32, typeF32), []byte{byte(opI32ReinterpretF32)}, appendS32([]byte{byte(opI32Const)}, 0x7FC00000)
		choose = []byte{byte(opF32Eq), byte(opSelect), byte(opF32ReinterpretI32)}
	case typeF64:
		value, bits, nan = f.local(scratchF64, typeF64), []byte{byte(opI64ReinterpretF64)}, appendS64([]byte{byte(opI64Const)}, 0x7FF8<<48)
		choose = []byte{byte(opF64Eq), byte(opSelect), byte(opF64ReinterpretI64)}
	default:
		lane, equal := nan32, opF32x4Eq
		if kind == nanF64x2 {
			lane, equal = nan64, opF64x2Eq
		}
		value, nan = f.local(scratchV128, typeV128), append([]byte{simd >> 16, byte(opV128Const & 0xFF)}, slices.Repeat(lane, 16/len(lane))...)
		choose = []byte{simd >> 16, byte(equal & 0xFF), simd >> 16, byte(opV128Bitselect & 0xFF)}
	}
	get := appendU32([]byte{byte(opLocalGet)}, value, 1)
	return slices.Concat(appendU32([]byte{byte(opLocalTee)}, value, 1), bits, nan, get, get, choose)
}

// opName names the instructions that are refused.
func opName(op opcode) string {
	return map[opcode]string{
		opDataDrop: "data.drop", opTableInit: "table.init", opElemDrop: "elem.drop", opTableCopy: "table.copy",
		opTableGet: "table.get", opTableSize: "table.size", opSelectTyped: "select with a type",
		opRefNull: "ref.null", opRefIsNull: "ref.is_null", opRefFunc: "ref.func",
		opTableSet: "table.set", opTableGrow: "table.grow", opTableFill: "table.fill",
	}[op]
}

// runtimeNames finds what the runtime calls a function in its errors: by its place among those that
// have code, with the names of its exports.
var runtimeNames = regexp.MustCompile(`\bfunction\[(\d+)\]( export\[("(\\.|[^"\\])*",?)*\])?`)

// Named puts the names that messages have for functions into an error of the runtime about the copy, whose
// functions stand in the order of the image.
func (c *Copy) Named(err error) error {
	text := err.Error()
	named := runtimeNames.ReplaceAllStringFunc(text, func(found string) string {
		k, bad := strconv.Atoi(runtimeNames.FindStringSubmatch(found)[1])
		if bad != nil || k >= len(c.functions) {
			return found
		}
		return c.functions[k]
	})
	if named == text {
		return err
	}
	return errors.New(named)
}

// Analyse describes an image and bounds its costs. Errors are those of Rewrite, and NoLoopError.
func Analyse(binary []byte, costs Costs, turns Turns) (*Static, error) {
	m, err := read(binary)
	if err != nil {
		return nil, err
	}
	w := &weaver{m: m}
	if err := w.analyse(); err != nil {
		return nil, err
	}
	start := m.contents(sectionCode).base
	p := &program{
		codeStart: start, names: m.functionNames(), m: m, costs: &costs, byType: m.callable(),
		worst: make([]uint64, len(m.body)), found: make([]functionBounds, len(m.body)),
		turns: turns, used: map[string]bool{},
	}
	if sections := m.debugSections(); len(sections["line"]) > 0 {
		places := (&Copy{original: sections}).Places()
		p.lines, p.inlined = places.lines(), places.inlinedCalls()
	}
	for k, t := range w.turns {
		p.recursive = append(p.recursive, t.recursive)
		if t.recursive {
			p.worst[k] = Unbounded
		}
	}
	for _, k := range w.order {
		p.found[k] = p.function(int(k), nil)
		if !p.recursive[k] {
			p.worst[k] = p.found[k].worst
		}
	}
	for _, place := range slices.Sorted(maps.Keys(turns)) {
		if !p.used[place] {
			return nil, &NoLoopError{place, p.open}
		}
	}
	return p.describe(), nil
}
