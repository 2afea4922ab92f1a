package binary

import (
	"encoding/binary"
	"slices"
)

// Header is the start of every module.
var Header = []byte("\x00asm\x01\x00\x00\x00")

// AppendU32 appends an unsigned number in at least width bytes. Linkers pad numbers; equal widths keep all offsets.
func AppendU32(to []byte, value uint32, width int) []byte {
	start := len(to)
	to = binary.AppendUvarint(to, uint64(value))
	for len(to)-start < width {
		to[len(to)-1] |= 0x80
		to = append(to, 0)
	}
	return to
}

// AppendSigned appends a signed number.
func AppendSigned(to []byte, value int64) []byte {
	for {
		b := byte(value & 0x7F)
		if value >>= 7; value == 0 && b&0x40 == 0 || value == -1 && b&0x40 != 0 {
			return append(to, b)
		}
		to = append(to, b|0x80)
	}
}

// AppendName appends a name.
func AppendName(to []byte, name string) []byte {
	return append(AppendU32(to, uint32(len(name)), 1), name...)
}

// AppendElements appends count elements to a vector section.
func AppendElements(section []byte, count int, elements []byte) []byte {
	r := &Reader{Data: section}
	before := uint32(0)
	if len(section) > 0 {
		before = r.U32()
	}
	return slices.Concat(AppendU32(nil, before+uint32(count), r.At), section[r.At:], elements)
}

// AppendSection appends a section. Its encoded length has at least width bytes.
func AppendSection(to []byte, id byte, width int, content []byte) []byte {
	to = append(to, id)
	return append(AppendU32(to, uint32(len(content)), width), content...)
}

// Parts are the contents of sections by number, without custom sections.
type Parts map[byte][]byte

// Add appends count elements to a vector section.
func (p Parts) Add(id byte, count int, elements []byte) {
	p[id] = AppendElements(p[id], count, elements)
}

// Export appends an export.
func (p Parts) Export(name string, kind byte, index uint32) {
	p.Add(SectionExport, 1, AppendU32(append(AppendName(nil, name), kind), index, 1))
}

// Global appends a global and its export.
func (p Parts) Global(name string, index uint32, global []byte) {
	p.Add(SectionGlobal, 1, global)
	p.Export(name, KindGlobal, index)
}

// Parts returns the module's sections.
func (m *Module) Parts() Parts {
	parts := Parts{}
	for _, s := range m.Sections {
		if s.ID != SectionCustom {
			parts[s.ID] = s.Content
		}
	}
	return parts
}

// Encode encodes parts as a module. Encoded lengths have the widths of the original module.
func (m *Module) Encode(parts Parts) []byte {
	out, widths := slices.Clone(Header), map[byte]int{}
	for _, s := range m.Sections {
		widths[s.ID] = s.Width
	}
	for _, id := range sectionOrder {
		if content, ok := parts[id]; ok {
			out = AppendSection(out, id, widths[id], content)
		}
	}
	return out
}

// Renumber copies a section of globals, exports or elements with new function numbers.
func Renumber(id byte, content []byte, number func(uint32) uint32) (to []byte) {
	r, last := &Reader{Data: content}, 0
	function := func(index uint32, from, end int) {
		to = AppendU32(append(to, content[last:from]...), number(index), end-from)
		last = end
	}
	switch id {
	case SectionGlobal:
		for n := r.Count(); n > 0; n-- {
			r.bytes(2) // type, mutability
			r.constant(function)
		}
	case SectionExport:
		for n := r.Count(); n > 0; n-- {
			r.name()
			kind, from := r.Byte(), r.At
			if index := r.U32(); kind == KindFunction {
				function(index, from, r.At)
			}
		}
	case SectionElement:
		r.elements(0, function)
	}
	return append(to, content[last:]...)
}
