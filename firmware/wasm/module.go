package wasm

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The sections by their numbers in the format.
const (
	sectionCustom    = 0
	sectionType      = 1
	sectionImport    = 2
	sectionFunction  = 3
	sectionTable     = 4
	sectionMemory    = 5
	sectionGlobal    = 6
	sectionExport    = 7
	sectionStart     = 8
	sectionElement   = 9
	sectionCode      = 10
	sectionData      = 11
	sectionDataCount = 12
)

// sectionOrder are the sections in the order in which a module has them.
var sectionOrder = []byte{
	sectionType, sectionImport, sectionFunction, sectionTable, sectionMemory, sectionGlobal,
	sectionExport, sectionStart, sectionElement, sectionDataCount, sectionCode, sectionData,
}

// The kinds of imports and exports.
const (
	kindFunction = 0
	kindTable    = 1
	kindMemory   = 2
	kindGlobal   = 3
)

var header = []byte("\x00asm\x01\x00\x00\x00")

// section is a section as the file has it.
type section struct {
	id      byte
	name    string // of a custom section
	offset  int    // of its content in the file
	width   int    // bytes of its length
	content []byte
}

// funcType is a function's signature, the types one byte each.
type funcType struct{ params, results string }

// global is a global of the module, imported ones first.
type global struct {
	valueType byte
	mutable   bool
	imported  string // module.name
	initial   int64  // of an i32.const, else 0
}

// function is a function that the module defines.
type function struct {
	signature uint32
	offset    int // of its body in the file
	width     int // bytes of the body's length
	locals    []byte
	extra     uint64 // locals beside the parameters
	code      []byte // instructions, the last one its end
}

// module is what the rewriter knows of a module. Sections that no pass changes are
// kept as bytes.
type module struct {
	sections    []section
	types       []funcType
	imported    []uint32 // signatures of the imported functions
	importNames []string // module.name of them
	globals     []global
	tables      []uint32 // entries at the start
	exports     map[string]export
	named       map[export]string // the first name in their order
	start       int               // -1: none
	elements    []uint32
	body        []function
	names       map[uint32]string // of functions
	given       map[uint32]string // of globals
}

type export struct {
	kind  byte
	index uint32
}

// parse reads a module. Its errors say what is broken and where; what it does not
// look at is left for the runtime to check.
func parse(binary []byte) (*module, error) { return parseModule(binary, false) }

// parseModule is parse, without limits of size if the module may be large.
func parseModule(binary []byte, large bool) (*module, error) {
	r := &reader{data: binary, large: large}
	if !bytes.Equal(r.bytes(uint64(len(header))), header) {
		return nil, fmt.Errorf("not a WebAssembly module of version 1")
	}
	m := &module{exports: map[string]export{}, named: map[export]string{}, start: -1, names: map[uint32]string{}, given: map[uint32]string{}}
	last := -1
	for r.more() {
		id := r.byte()
		before := r.at
		size := r.u32()
		s := section{id: id, width: r.at - before, offset: r.at}
		s.content = r.bytes(uint64(size))
		if r.err != nil {
			return nil, r.err
		}
		if id != sectionCustom {
			place := slices.Index(sectionOrder, id)
			if place < 0 {
				return nil, fmt.Errorf("section %d at offset %#x is unknown", id, s.offset)
			}
			if place <= last {
				return nil, fmt.Errorf("section %d at offset %#x is out of order", id, s.offset)
			}
			last = place
		}
		if err := m.section(&s, large); err != nil {
			return nil, err
		}
		m.sections = append(m.sections, s)
		r.tooMany("sections", len(m.sections), listMax)
	}
	if r.err != nil {
		return nil, r.err
	}
	for i := range m.body {
		if m.body[i].code == nil {
			return nil, fmt.Errorf("function %d has no body", len(m.imported)+i)
		}
	}
	return m, nil
}

// section reads the sections that a pass looks into.
func (m *module) section(s *section, large bool) error {
	r := &reader{data: s.content, base: s.offset, large: large}
	switch s.id {
	case sectionCustom:
		s.name = r.name()
		s.content, s.offset = s.content[min(r.at, len(s.content)):], s.offset+r.at
		if s.name == "name" {
			m.readNames(r)
		}
		return r.err
	case sectionType:
		m.readTypes(r)
	case sectionImport:
		m.readImports(r)
	case sectionFunction:
		m.readFunctions(r)
	case sectionTable:
		m.readTables(r)
	case sectionGlobal:
		m.readGlobals(r)
	case sectionExport:
		m.readExports(r)
	case sectionStart:
		m.start = int(r.u32())
	case sectionElement:
		m.readElements(r, nil)
	case sectionCode:
		r.tooMany("bytes of code", len(r.data), codeBytesMax)
		m.readCode(r)
	case sectionData:
		r.list("data segments")
		return r.err
	default:
		return nil
	}
	if r.err == nil && r.at < len(r.data) {
		r.broken("section %d has bytes after its end", s.id)
	}
	return r.err
}

func (m *module) readTypes(r *reader) {
	values := 0
	for n := r.list("types"); n > 0 && r.err == nil; n-- {
		if form := r.byte(); form != 0x60 && r.err == nil {
			r.broken("a type of form %#x, which is not a function's,", form)
		}
		t := funcType{string(r.bytes(uint64(r.u32()))), string(r.bytes(uint64(r.u32())))}
		m.types, values = append(m.types, t), values+len(t.params)+len(t.results)
		r.tooMany("parameters and results of types", values, typeValuesMax)
	}
}

func (m *module) readFunctions(r *reader) {
	for n := r.list("functions"); n > 0 && r.err == nil; n-- {
		signature := r.u32()
		if uint64(signature) >= uint64(len(m.types)) {
			r.broken("a function has the unknown type %d", signature)
		}
		m.body = append(m.body, function{signature: signature})
	}
}

func (m *module) readTables(r *reader) {
	for n := r.list("tables"); n > 0 && r.err == nil; n-- {
		r.valueType()
		m.tables = append(m.tables, r.limits())
	}
}

func (m *module) readGlobals(r *reader) {
	for n := r.list("globals"); n > 0 && r.err == nil; n-- {
		g := global{valueType: r.valueType()}
		g.mutable = r.byte() == 1
		g.initial = m.constant(r, nil)
		m.globals = append(m.globals, g)
	}
}

func (m *module) readExports(r *reader) {
	for n := r.list("exports"); n > 0 && r.err == nil; n-- {
		name := r.name()
		e := export{r.byte(), r.u32()}
		if m.exports[name] = e; m.named[e] == "" || name < m.named[e] {
			m.named[e] = name
		}
	}
}

func (m *module) readImports(r *reader) {
	for n := r.list("imports"); n > 0 && r.err == nil; n-- {
		from, name := r.name(), r.name()
		switch kind := r.byte(); kind {
		case kindFunction:
			signature := r.u32()
			if uint64(signature) >= uint64(len(m.types)) {
				r.broken("an imported function has the unknown type %d", signature)
			}
			m.imported = append(m.imported, signature)
			m.importNames = append(m.importNames, Clip(from)+"."+Clip(name))
		case kindTable:
			r.valueType()
			m.tables = append(m.tables, r.limits())
		case kindMemory:
			r.limits()
		case kindGlobal:
			g := global{valueType: r.valueType(), imported: Clip(from) + "." + Clip(name)}
			g.mutable = r.byte() == 1
			m.globals = append(m.globals, g)
		default:
			r.broken("an import of the unknown kind %d", kind)
		}
	}
}

// valueType reads a type of one byte: of a number, a vector, or a plain reference.
func (r *reader) valueType() byte {
	t := r.byte()
	if t < typeV128 && t != typeFunction && t != typeExtern || t > typeI32 {
		r.broken("the type %#x, which Starloom does not know,", t)
	}
	return t
}

// limits reads the size of a table or memory and returns that at the start.
func (r *reader) limits() (start uint32) {
	flags := r.byte()
	start = r.u32()
	if flags&1 != 0 {
		r.u32()
	}
	return start
}

// constant reads a constant expression; with edit it is copied there. It returns the
// value of a single i32.const, else 0.
func (m *module) constant(r *reader, edit *copier) (value int64) {
	for count := 0; r.err == nil; count++ {
		var i instruction
		r.instruction(&i)
		switch {
		case r.err != nil:
		case edit != nil:
			edit.instruction(r.data, &i)
		case i.op == opRefFunc:
			m.elements = append(m.elements, i.index)
		}
		if i.op == opEnd {
			if count != 1 {
				value = 0
			}
			return value
		}
		if i.op == opI32Const {
			value = i.value
		}
	}
	return 0
}

// readElements reads the functions that tables hold; with edit the section is copied
// there.
func (m *module) readElements(r *reader, edit *copier) {
	copied := func(read func()) {
		from := r.at
		read()
		if edit != nil && r.err == nil {
			edit.to = append(edit.to, r.data[from:r.at]...)
		}
	}
	n := 0
	copied(func() { n = r.list("element segments") })
	for ; n > 0 && r.err == nil; n-- {
		var flags uint32
		copied(func() {
			if flags = r.u32(); flags > 7 {
				r.broken("an element segment has the unknown flags %d", flags)
			}
			if flags&3 == 2 {
				r.u32() // table
			}
		})
		if flags&1 == 0 {
			m.constant(r, edit)
		}
		count := 0
		copied(func() {
			if flags&3 != 0 {
				r.byte() // kind or type
			}
			count = r.count()
			if edit == nil {
				r.tooMany("functions in tables", len(m.elements)+count, elementsMax)
			}
		})
		for ; count > 0 && r.err == nil; count-- {
			if flags&4 != 0 {
				m.constant(r, edit)
				continue
			}
			from := r.at
			index := r.u32()
			if edit != nil {
				edit.to = appendU32(edit.to, edit.function(index), r.at-from)
			} else {
				m.elements = append(m.elements, index)
			}
		}
	}
}

func (m *module) readCode(r *reader) {
	n := r.count()
	if n != len(m.body) && r.err == nil {
		r.broken("%d functions have %d bodies", len(m.body), n)
	}
	for k := 0; k < n && r.err == nil; k++ {
		f := &m.body[k]
		before := r.at
		size := r.u32()
		f.width, f.offset = r.at-before, r.base+r.at
		b := &reader{data: r.bytes(uint64(size)), base: f.offset}
		for groups := b.count(); groups > 0 && b.err == nil; groups-- {
			f.extra += uint64(b.u32())
			b.valueType()
		}
		if b.err == nil && r.err == nil && !b.more() {
			b.broken("function %d has no instructions", len(m.imported)+k)
		}
		if b.err != nil {
			r.broken("%v", b.err)
			return
		}
		f.locals, f.code = b.data[:b.at], b.data[b.at:]
	}
}

// The parts of the name section that are read.
const (
	namesFunctions = 1
	namesGlobals   = 7
)

func (m *module) readNames(r *reader) {
	for r.more() {
		id := r.byte()
		content := r.bytes(uint64(r.u32()))
		to := map[byte]map[uint32]string{namesFunctions: m.names, namesGlobals: m.given}[id]
		if to == nil || r.err != nil {
			continue
		}
		part := &reader{data: content, base: r.base + r.at - len(content)}
		for n := part.count(); n > 0 && part.err == nil; n-- {
			index, name := part.u32(), part.name()
			if int(index) < len(m.imported)+len(m.body)+len(m.globals) && !strings.HasPrefix(name, reserved) {
				to[index] = Clip(name)
			}
		}
		if part.err != nil {
			r.broken("the name section: %v", part.err)
		}
	}
}

// codeOffset is that of the code section's content in the file, 0 if there is none.
func (m *module) codeOffset() int {
	for _, s := range m.sections {
		if s.id == sectionCode {
			return s.offset
		}
	}
	return 0
}

// nameBytesMax bounds a name in messages and reports, clipped is the mark of one that is longer.
const nameBytesMax, clipped = 250, "..."

// Clip cuts a name that an image gives something: it may have megabytes.
func Clip(name string) string {
	if len(name) <= nameBytesMax {
		return name
	}
	return strings.ToValidUTF8(name[:nameBytesMax], "") + clipped
}

// functionName names a function in messages.
func (m *module) functionName(index int) string {
	if name := m.names[uint32(index)]; name != "" {
		return fmt.Sprintf("function %d (%s)", index, name)
	}
	if name := m.named[export{kindFunction, uint32(index)}]; name != "" {
		return fmt.Sprintf("function %d (%s)", index, Clip(name))
	}
	return fmt.Sprintf("function %d", index)
}

// globalName names a global in messages and states.
func (m *module) globalName(index int) string {
	if name := m.given[uint32(index)]; name != "" {
		return name
	}
	if name := m.named[export{kindGlobal, uint32(index)}]; name != "" {
		return Clip(name)
	}
	return fmt.Sprintf("global %d", index)
}

// signature returns the type of a function, imported ones first.
func (m *module) signature(index int) uint32 {
	if index < len(m.imported) {
		return m.imported[index]
	}
	return m.body[index-len(m.imported)].signature
}

// inRange refuses an index that the module does not have: in the copy it might be
// one of the copy's own.
func (m *module) inRange(i *instruction, locals uint64) error {
	index, limit := uint64(i.index), uint64(0)
	what := ""
	switch i.op {
	case opCall, opRefFunc:
		what, limit = "function", uint64(len(m.imported)+len(m.body))
	case opCallIndirect:
		what, limit = "type", uint64(len(m.types))
	case opBlock, opLoop, opIf:
		if i.value < 0 {
			return nil
		}
		what, index, limit = "type", uint64(i.value), uint64(len(m.types))
	case opGlobalGet, opGlobalSet:
		what, limit = "global", uint64(len(m.globals))
	case opLocalGet, opLocalSet, opLocalTee:
		what, limit = "local", locals
	default:
		return nil
	}
	if index >= limit {
		return fmt.Errorf("there is no %s %d", what, index)
	}
	return nil
}

// debugSections returns the DWARF of the module by name: "info", "line".
func (m *module) debugSections() map[string][]byte {
	found := map[string][]byte{}
	for _, s := range m.sections {
		if name, ok := strings.CutPrefix(s.name, ".debug_"); ok && s.id == sectionCustom {
			found[name] = s.content
		}
	}
	return found
}

// sourceMap is what the module says of where its source map is, "" for nothing.
func (m *module) sourceMap() string {
	for _, s := range m.sections {
		if s.id == sectionCustom && s.name == sourceMapSection {
			r := &reader{data: s.content}
			if name := r.name(); r.err == nil {
				return name
			}
		}
	}
	return ""
}

// appendSection appends a section; a length keeps at least its width.
func appendSection(to []byte, id byte, width int, content []byte) []byte {
	to = append(to, id)
	return append(appendU32(to, uint32(len(content)), width), content...)
}

// functionNames names all functions: as the image does, or by import, export or number.
func (m *module) functionNames() []string {
	names := slices.Clone(m.importNames)
	for k := range m.body {
		index := len(m.imported) + k
		names = append(names, cmp.Or(Clip(m.named[export{kindFunction, uint32(index)}]), fmt.Sprintf("function %d", index)))
	}
	for index, name := range m.names {
		if name != "" && int(index) < len(names) {
			names[index] = name
		}
	}
	return names
}

// exportNames lists the exports of a kind in the order of their names.
func (m *module) exportNames(kind byte) (names []string) {
	for name, e := range m.exports {
		if e.kind == kind {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Compilers without DWARF, such as AssemblyScript's, write a source map beside the image: JSON, whose
// columns are offsets in the image. The image names it in a custom section.
const sourceMapSection = "sourceMappingURL"
