package binary

import (
	"bytes"
	"fmt"
	"slices"
)

// Section reads the next section. The content of a custom section does not include its name.
func (r *Reader) Section() (s Section) {
	s.ID = r.Byte()
	before := r.At
	size := r.U32()
	s.Width, s.Offset = r.At-before, r.Base+r.At
	s.Content = r.bytes(uint64(size))
	if s.ID == SectionCustom && r.Err == nil {
		name := &Reader{Data: s.Content, Base: s.Offset}
		s.Name = name.name()
		s.Content, s.Offset, r.Err = s.Content[name.At:], s.Offset+name.At, name.Err
	}
	return s
}

// Parse parses a module; large disables the limits of size. Parts that Parse does not read are validated by the
// runtime.
func Parse(image []byte, large bool) (*Module, error) {
	r := &Reader{Data: image, large: large}
	if !bytes.Equal(r.bytes(uint64(len(Header))), Header) {
		return nil, fmt.Errorf("not a WebAssembly module of version 1")
	}
	m := &Module{Exports: map[string]Export{}, named: map[Export]string{}, Start: -1, Names: map[uint32]string{},
		given: map[uint32]string{}}
	last := -1
	for r.More() {
		s := r.Section()
		if r.Err != nil {
			return nil, r.Err
		}
		if s.ID != SectionCustom {
			place := slices.Index(sectionOrder, s.ID)
			if place < 0 {
				return nil, fmt.Errorf("section %d at offset %#x is unknown", s.ID, s.Offset)
			}
			if place <= last {
				return nil, fmt.Errorf("section %d at offset %#x is out of order", s.ID, s.Offset)
			}
			last = place
		}
		if err := m.section(&s, large); err != nil {
			return nil, err
		}
		m.Sections = append(m.Sections, s)
		r.tooMany("sections", len(m.Sections), ListMax)
	}
	if r.Err != nil {
		return nil, r.Err
	}
	for i := range m.Body {
		if m.Body[i].Code == nil {
			return nil, fmt.Errorf("function %d has no body", len(m.Imported)+i)
		}
	}
	return m, nil
}

func (m *Module) section(s *Section, large bool) error {
	r := &Reader{Data: s.Content, Base: s.Offset, large: large}
	switch s.ID {
	case SectionCustom:
		if s.Name == "name" {
			m.readNames(r)
		}
		return r.Err
	case SectionType:
		m.readTypes(r)
	case SectionImport:
		m.readImports(r)
	case SectionFunction:
		m.readFunctions(r)
	case SectionTable:
		m.readTables(r)
	case SectionGlobal:
		m.readGlobals(r)
	case SectionExport:
		m.readExports(r)
	case SectionStart:
		m.Start = int(r.U32())
	case SectionElement:
		r.elements(len(m.Elements), m.inTable)
	case SectionCode:
		r.tooMany("bytes of code", len(r.Data), CodeBytesMax)
		m.readCode(r)
	case SectionData:
		r.list("data segments")
		return r.Err
	default:
		return nil
	}
	if r.Err == nil && r.At < len(r.Data) {
		r.Broken("section %d has bytes after its end", s.ID)
	}
	return r.Err
}
