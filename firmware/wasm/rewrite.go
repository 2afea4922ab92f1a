package wasm

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/firmware/wasm/binary"
)

// Rewrite returns the copy of an image for the host, or an error with place and remedy.
func Rewrite(image []byte) (*Copy, error) { return RewriteWith(image, Additions{}) }

// RewriteMetered is Rewrite with cost counters.
func RewriteMetered(image []byte, meter Meter) (*Copy, error) {
	return RewriteWith(image, Additions{Meter: &meter})
}

// Additions select what a copy does beside the image's code.
type Additions struct {
	Meter   *Meter // cost counters, nil for none
	Covers  bool   // coverage: see cover.go
	Chooses bool   // the host chooses draws: see choices.go
}

// RewriteWith is Rewrite with additions.
func RewriteWith(image []byte, a Additions) (*Copy, error) {
	m, err := read(image)
	if err != nil {
		return nil, err
	}
	w := &weaver{m: m, tick: uint32(len(m.Imported)), counter: uint32(len(m.Globals)), current: m.bankCurrent()}
	next := w.lap() + 1
	if a.Meter != nil {
		_, checked := m.Exports["starloom_checked"]
		w.meter = &metering{*a.Meter, next, next + 1, checked}
		if next = w.meter.at(); a.Meter.Profile {
			next++
		}
	}
	if a.Chooses {
		if w.choices = m.choices(next); w.choices != nil {
			next += choiceGlobals
		}
	}
	if a.Covers {
		w.cover = &cover{first: next}
	}
	if err := w.analyse(); err != nil {
		return nil, err
	}
	c := &Copy{}
	if err := m.findGlobals(c); err != nil {
		return nil, err
	}
	if len(m.DebugSections()["line"]) > 0 {
		c.original = m.DebugSections()
	} else {
		c.SourceMap, c.codeStart = m.SourceMap(), m.Contents(binary.SectionCode).Base
	}
	for k := range m.Body {
		c.functions = append(c.functions, m.FunctionName(len(m.Imported)+k))
	}
	reached := m.reachable()
	slices.Sort(reached)
	for _, k := range reached {
		if w.turns[k].recursive {
			c.Recursive = append(c.Recursive, m.FunctionName(len(m.Imported)+k))
		}
	}
	if a.Meter != nil && a.Meter.Profile {
		w.lines = c.Places().lines()
	}
	w.write(c)
	return c, nil
}

func read(image []byte) (*module, error) {
	m, err := binary.Parse(image, false)
	var large *binary.LimitError
	if errors.As(err, &large) {
		return nil, large
	}
	if err != nil {
		return nil, &BrokenError{err}
	}
	read := &module{m, choiceOf(m)}
	return read, read.refuse()
}

// BrokenError reports an invalid module.
type BrokenError struct{ error }

// Unwrap returns the underlying error.
func (e *BrokenError) Unwrap() error { return e.error }

func (m *module) refuse() error {
	for name, e := range m.Exports {
		if strings.HasPrefix(name, binary.Reserved) {
			return fmt.Errorf("exports %q: names that begin with %q are reserved for Starloom; rename it",
				binary.Clip(name), binary.Reserved)
		}
		if e.Kind == binary.KindGlobal && int(e.Index) >= len(m.Globals) {
			return &BrokenError{fmt.Errorf("the export %q names no global", binary.Clip(name))}
		}
	}
	for i, t := range m.Types {
		if len(t.Params) > parametersMax || len(t.Results) > parametersMax {
			return fmt.Errorf("the type %d has %d parameters and %d results; at most %d are allowed; pass them in the memory", i,
				len(t.Params), len(t.Results), parametersMax)
		}
	}
	for i, entries := range m.Tables {
		if entries > tableEntriesMax {
			return fmt.Errorf("the table %d starts with %d entries; at most %d are allowed; make it smaller", i,
				entries, tableEntriesMax)
		}
	}
	for _, g := range m.Globals {
		if g.Imported != "" {
			return fmt.Errorf("imports the global %s, which Starloom does not provide; define it in the image", g.Imported)
		}
	}
	for i, g := range m.Globals {
		if g.Mutable && (g.ValueType < binary.F64 || g.ValueType > binary.I32) {
			return fmt.Errorf("has the mutable global %s, whose type (%#x) cannot be saved; "+
				"keep it in the memory or in a global of type i32, i64, f32 or f64", m.GlobalName(i), g.ValueType)
		}
	}
	return m.checkLines()
}

// analyse rejects code that is unknown, out of range or beyond limits, and finds the places to count.
func (w *weaver) analyse() error {
	m := w.m
	shapes := make([]shape, len(m.Body))
	w.chosen = make([]map[int]byte, len(m.Body))
	var limits limits
	for k := range m.Body {
		f := &m.Body[k]
		place := func(i *binary.Instruction) string {
			return fmt.Sprintf("%s at offset %#x", m.FunctionName(len(m.Imported)+k), f.Offset+len(f.Locals)+i.Start)
		}
		locals := uint64(len(m.Types[f.Signature].Params)) + f.Extra
		if err := limits.nextFunction(locals, len(m.Types[f.Signature].Results)); err != nil {
			return fmt.Errorf("%s: %w", m.FunctionName(len(m.Imported)+k), err)
		}
		s := &shapes[k]
		s.paths = make([]path, 1)
		open := []int{0} // path of each open block
		r := &binary.Reader{Data: f.Code, Base: f.Offset + len(f.Locals)}
		var i binary.Instruction
		for len(open) > 0 && r.Err == nil {
			r.Instruction(&i)
			if r.Err != nil {
				break
			}
			in := open[len(open)-1]
			s.note(in, &i, len(m.Imported))
			switch i.Op {
			case binary.OpBlock, binary.OpIf:
				open = append(open, in)
			case binary.OpLoop:
				s.paths = append(s.paths, path{})
				open = append(open, len(s.paths)-1)
			case binary.OpEnd:
				open = open[:len(open)-1]
			case binary.OpTableGet, binary.OpTableSize, binary.OpRefNull, binary.OpRefIsNull,
				binary.OpRefFunc, binary.OpSelectTyped:
				return &BrokenError{&binary.UnknownError{Err: fmt.Errorf(
					"%s: %s has reference types, which Starloom does not support", place(&i), opName(i.Op))}}
			case binary.OpDataDrop, binary.OpTableInit, binary.OpElemDrop, binary.OpTableCopy, binary.OpTableSet,
				binary.OpTableGrow, binary.OpTableFill:
				return fmt.Errorf("%s: it changes tables or segments (%s), which the host cannot save; build without passive "+
					"segments", place(&i), opName(i.Op))
			}
			if err := limits.take(&i, len(open)-1); err != nil {
				return fmt.Errorf("%s: %w", place(&i), err)
			}
			if err := m.InRange(&i, locals); err != nil {
				return &BrokenError{fmt.Errorf("%s: %w", place(&i), err)}
			}
			if err := limits.carry(limits.carried(m, &i)); err != nil {
				return fmt.Errorf("%s: %w", place(&i), err)
			}
		}
		if err := limits.endFunction(); err != nil {
			return fmt.Errorf("%s: %w", m.FunctionName(len(m.Imported)+k), err)
		}
		if r.Err == nil && r.More() {
			r.Broken("code after the end of the function")
		}
		if r.Err == nil {
			w.chosen[k], r.Err = m.selects(f)
		}
		if r.Err != nil {
			return &BrokenError{fmt.Errorf("%s: %w", m.FunctionName(len(m.Imported)+k), r.Err)}
		}
	}
	w.turns, w.order = m.costs(shapes)
	w.called = m.called(shapes)
	return nil
}

func (w *weaver) write(c *Copy) {
	m := w.m
	parts := m.Parts()
	signature := slices.Index(m.Types, binary.FuncType{})
	if signature < 0 {
		signature = len(m.Types)
		parts.Add(binary.SectionType, 1, []byte{0x60, 0, 0})
	}
	shift := &copier{imported: w.tick}
	for _, id := range []byte{binary.SectionGlobal, binary.SectionExport, binary.SectionElement} {
		if content, ok := parts[id]; ok {
			parts[id] = binary.Renumber(id, content, shift.function)
		}
	}
	tick := binary.AppendName(binary.AppendName(nil, TickModule), TickName)
	parts.Add(binary.SectionImport, 1, binary.AppendU32(append(tick, binary.KindFunction), uint32(signature), 1))
	for k, name := range []string{TurnsName, LapName} {
		parts.Global(name, w.counter+uint32(k), emit(binary.I32, 1, binary.OpI32Const, int64(TickTurns), binary.OpEnd))
	}
	var globals []byte
	at := 0
	for i, g := range m.Globals {
		if g.Mutable {
			globals = binary.AppendU32(append(binary.AppendName(globals, c.Globals[at].Export), binary.KindGlobal), uint32(i), 1)
			at++
		}
	}
	parts.Add(binary.SectionExport, at, globals)
	if m.Start >= 0 {
		c.Start = startName
		parts.Export(startName, binary.KindFunction, shift.function(uint32(m.Start)))
		delete(parts, binary.SectionStart)
	}
	var entries []*entry
	if _, ok := parts[binary.SectionCode]; ok {
		parts[binary.SectionCode], entries = w.code(c)
		c.Laps = w.laps
	}
	if w.meter != nil {
		w.meter.addMeter(parts)
		m.addEntries(entries, parts, shift, uint32(signature))
	}
	w.choices.add(parts)
	if w.cover != nil {
		w.addCover(parts, c)
	}
	out := m.Encode(parts)
	names := m.FunctionNames()
	for name, own := m.Names[uint32(len(names))]; own; name, own = m.Names[uint32(len(names))] {
		names = append(names, name) // a function added by the copy has its name already; see addEntries
	}
	out = binary.AppendSection(out, binary.SectionCustom, 1, binary.NameSection(names, shift.function))
	if c.original != nil || c.SourceMap != "" {
		out = appendPlaces(out)
	}
	c.Binary = out
}

func (w *weaver) code(c *Copy) (to []byte, entries []*entry) {
	m := w.m
	start := m.Contents(binary.SectionCode).Base
	entries = w.entries()
	to = binary.AppendU32(nil, uint32(len(m.Body)+2*len(entries)), 1)
	add := func(f *binary.Function, woven *woven) {
		from := f.Offset - start
		to = binary.AppendU32(to, uint32(len(woven.to)), f.Width)
		for _, place := range woven.moved {
			c.moved = append(c.moved, moved{uint32(len(to)) + place.to, uint32(from) + place.from, place.inserted})
		}
		to = append(to, woven.to...)
	}
	for k := range m.Body {
		woven := w.function(k)
		for _, e := range entries {
			if e.k == k {
				woven = e.take(w, woven)
			}
		}
		add(&m.Body[k], woven)
	}
	for n, e := range entries {
		over := uint32(len(m.Imported)+len(m.Body)+2*n) + 1
		add(&m.Body[e.k], e.over(w))
		add(&m.Body[e.k], e.each(w, over))
	}
	return to, entries
}

func (w *weaver) function(k int) *woven {
	f := &w.m.Body[k]
	out := &woven{copier: copier{imported: w.tick}, first: uint32(len(w.m.Types[f.Signature].Params)) + uint32(f.Extra)}
	head := uint32(len(f.Locals))
	insert := func(at int, code []byte) {
		if len(code) == 0 {
			return
		}
		out.moved = append(out.moved, moved{uint32(len(out.to)), head + uint32(at), true})
		out.to = append(out.to, code...)
	}
	var meter *tally
	base := uint32(f.Offset-w.m.Contents(binary.SectionCode).Base) + head
	if w.meter != nil && len(w.m.Imported)+k != w.m.choice {
		meter = &tally{metering: w.meter, f: out, open: []binary.Opcode{binary.OpBlock}, tick: w.tick,
			lines: w.lines, base: base}
	}
	count := func(at int, turns uint32) {
		insert(at, w.count(out, emit(binary.OpI32Const, int64(int32(turns)))))
		if meter != nil {
			insert(at, meter.check())
		}
	}
	if units := w.turns[k].entry; units > 0 {
		count(0, units)
	}
	way := w.scout(out, base)
	insert(0, slices.Concat(way.enter(), w.choices.ask(k, w.tick)))
	loop, based := 0, false
	r := &binary.Reader{Data: f.Code}
	var i, before, second binary.Instruction
	for r.More() {
		second, before = before, i
		r.Instruction(&i)
		short := before.Op == binary.OpI32Const && before.Value >= 0 && before.Value < 1<<bytesPerTurnLog2
		if !short && (i.Op == binary.OpMemoryCopy || i.Op == binary.OpMemoryFill || i.Op == binary.OpMemoryInit) {
			insert(i.Start, w.countBytes(out))
		}
		if meter != nil {
			insert(i.Start, meter.before(&i, w.m.cost(&meter.Costs, &i, *r)))
		}
		insert(i.Start, way.before(&second, &before, &i))
		out.moved = append(out.moved, moved{uint32(len(out.to)), head + uint32(i.Start), false})
		switch {
		case based: // the offset of a based address includes the preceding constant
			out.to = append(out.to, emit(i.Op, i.Index, uint32(i.Value)+uint32(before.Value))...)
			based = false
		case addresses(&i, *r):
			out.to = append(out.to, emit(binary.OpLocalGet, out.local(scratchZero, binary.I32))...)
			based = true
		case w.choices == nil && w.m.chooses(&i):
			out.to = append(out.to, emit(binary.OpDrop, binary.OpDrop)...)
		case choosesFloats(w.chosen[k][i.Start]):
			out.to = append(out.to, choice(out, w.chosen[k][i.Start])...)
		default:
			out.instruction(f.Code, &i)
		}
		if i.Op == binary.OpLoop {
			count(i.End, w.turns[k].loops[loop])
			loop++
		}
		if w.begins(&second, &before, &i) {
			insert(i.Start, w.mark())
			w.laps = true
		}
		if kind := nanType(i.Op); kind != 0 {
			insert(i.Start, canonical(out, kind))
		}
		insert(i.End, way.after(&i))
	}
	// declarations of added locals come before the copied code
	locals := out.addLocals(f.Locals)
	for n := range out.moved {
		out.moved[n].to += uint32(len(locals))
	}
	out.to = slices.Concat(locals, out.to)
	out.moved = compact(out.moved)
	return out
}

// count subtracts the turns on the stack from the counter. Below zero, the code calls the host, which resets the
// counter.
func (w *weaver) count(f *woven, turns []byte) []byte {
	left := f.local(scratchTurns, binary.I32)
	return emit(binary.OpGlobalGet, w.counter, turns, binary.OpI32Sub, binary.OpLocalTee, left,
		binary.OpGlobalSet, w.counter,
		binary.OpLocalGet, left, binary.OpI32Const, 0, binary.OpI32LtS, binary.OpIf, binary.BlockEmpty,
		binary.OpCall, w.tick, binary.OpEnd)
}

func (w *weaver) countBytes(f *woven) []byte {
	bytes := f.local(scratchBytes, binary.I32)
	turns := emit(binary.OpLocalGet, bytes, binary.OpI32Const, bytesPerTurnLog2, binary.OpI32ShrU)
	return emit(binary.OpLocalTee, bytes, w.count(f, turns))
}

// canonical replaces a NaN on top of the stack by the canonical NaN. It uses a select of the bits (see choice).
func canonical(f *woven, kind byte) []byte {
	nan32, nan64 := []byte{0, 0, 0xC0, 0x7F}, []byte{0, 0, 0, 0, 0, 0, 0xF8, 0x7F}
	var value uint32
	var bits, nan, choose []byte
	switch kind {
	case binary.F32:
		value, bits, nan = f.local(scratchF32, binary.F32), []byte{binary.OpI32ReinterpretF32},
			emit(binary.OpI32Const, int64(0x7FC00000))
		choose = []byte{binary.OpF32Eq, binary.OpSelect, binary.OpF32ReinterpretI32}
	case binary.F64:
		value, bits, nan = f.local(scratchF64, binary.F64), []byte{binary.OpI64ReinterpretF64},
			emit(binary.OpI64Const, int64(0x7FF8<<48))
		choose = []byte{binary.OpF64Eq, binary.OpSelect, binary.OpF64ReinterpretI64}
	default:
		lane, equal := nan32, binary.OpF32x4Eq
		if kind == nanF64x2 {
			lane, equal = nan64, binary.OpF64x2Eq
		}
		value, nan = f.local(scratchV128, binary.V128),
			emit(simd>>16, binary.OpV128Const&0xFF, slices.Repeat(lane, 16/len(lane)))
		choose = []byte{simd >> 16, byte(equal & 0xFF), simd >> 16, binary.OpV128Bitselect & 0xFF}
	}
	return emit(binary.OpLocalTee, value, bits, nan, binary.OpLocalGet, value, binary.OpLocalGet, value, choose)
}

func opName(op binary.Opcode) string {
	return map[binary.Opcode]string{
		binary.OpDataDrop: "data.drop", binary.OpTableInit: "table.init", binary.OpElemDrop: "elem.drop",
		binary.OpTableCopy: "table.copy",
		binary.OpTableGet:  "table.get", binary.OpTableSize: "table.size", binary.OpSelectTyped: "select with a type",
		binary.OpRefNull: "ref.null", binary.OpRefIsNull: "ref.is_null", binary.OpRefFunc: "ref.func",
		binary.OpTableSet: "table.set", binary.OpTableGrow: "table.grow", binary.OpTableFill: "table.fill",
	}[op]
}

// runtimeNames matches a function in errors of the runtime: its index among defined functions, and its exports.
var runtimeNames = regexp.MustCompile(`\bfunction\[(\d+)\]( export\[("(\\.|[^"\\])*",?)*\])?`)

// Named replaces function indices of the runtime by function names in an error about the copy.
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

// Analyse describes an image and bounds its costs. It returns the errors of Rewrite, and NoLoopError.
func Analyse(image []byte, costs Costs, turns Turns) (*Static, error) {
	m, err := read(image)
	if err != nil {
		return nil, err
	}
	w := &weaver{m: m}
	if err := w.analyse(); err != nil {
		return nil, err
	}
	start := m.Contents(binary.SectionCode).Base
	p := &program{
		codeStart: start, names: m.FunctionNames(), m: m, costs: &costs, byType: m.callable(),
		worst: make([]uint64, len(m.Body)), found: make([]functionBounds, len(m.Body)),
		turns: turns, used: map[string]bool{},
	}
	if sections := m.DebugSections(); len(sections["line"]) > 0 {
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
