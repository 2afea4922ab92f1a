package binary

import "strings"

// Limits is the initial and maximum size of a memory in pages. Most is nil without a maximum.
type Limits struct {
	Start uint32  `json:"start"`
	Most  *uint32 `json:"most,omitempty"`
}

func (r *Reader) limits() (l Limits) {
	flags := r.Byte()
	l.Start = r.U32()
	if flags&1 != 0 {
		most := r.U32()
		l.Most = &most
	}
	return l
}

// Memories returns the defined memories.
func (m *Module) Memories() []Limits {
	list := []Limits{}
	r := m.Contents(SectionMemory)
	for n := r.Count(); n > 0 && r.Err == nil; n-- {
		list = append(list, r.limits())
	}
	return list
}

func (m *Module) readTables(r *Reader) {
	for n := r.list("tables"); n > 0 && r.Err == nil; n-- {
		r.valueType()
		m.Tables = append(m.Tables, r.limits().Start)
	}
}

// Segment is a part of the initial memory. Its address is nil unless constant.
type Segment struct {
	Address *uint32 `json:"address,omitempty"`
	Bytes   int     `json:"bytes"`
}

// Segments returns the initial contents of the memory.
func (m *Module) Segments() []Segment {
	list := []Segment{}
	r := m.Contents(SectionData)
	for n := r.Count(); n > 0 && r.Err == nil; n-- {
		var s Segment
		flags := r.U32()
		if flags == 2 {
			r.U32() // memory
		}
		if flags != 1 {
			plain := r.At < len(r.Data) && Opcode(r.Data[r.At]) == OpI32Const
			if address := uint32(r.constant(func(uint32, int, int) {})); plain {
				s.Address = &address
			}
		}
		s.Bytes = len(r.bytes(uint64(r.U32())))
		list = append(list, s)
	}
	return list
}

// elements reads the functions in tables. known is the number of functions found so far.
func (r *Reader) elements(known int, function found) {
	note := func(index uint32, from, end int) {
		known++
		function(index, from, end)
	}
	for n := r.list("element segments"); n > 0 && r.Err == nil; n-- {
		flags := r.U32()
		if flags > 7 {
			r.Broken("an element segment has the unknown flags %d", flags)
		}
		if flags&3 == 2 {
			r.U32() // table
		}
		if flags&1 == 0 {
			r.constant(note)
		}
		if flags&3 != 0 {
			r.Byte() // kind or type
		}
		count := r.Count()
		r.tooMany("functions in tables", known+count, ElementsMax)
		for ; count > 0 && r.Err == nil; count-- {
			if flags&4 != 0 {
				r.constant(note)
				continue
			}
			from := r.At
			index := r.U32()
			note(index, from, r.At)
		}
	}
}

// The custom section sourceMappingURL names the source map that compilers without DWARF (AssemblyScript) write to a
// file in the image's folder. The map is JSON whose columns are offsets in the image.
const sourceMapSection = "sourceMappingURL"

// DebugSections returns the DWARF sections by name: "info", "line".
func (m *Module) DebugSections() map[string][]byte {
	found := map[string][]byte{}
	for _, s := range m.Sections {
		if name, ok := strings.CutPrefix(s.Name, ".debug_"); ok && s.ID == SectionCustom {
			found[name] = s.Content
		}
	}
	return found
}

// SourceMap returns the name of the module's source map, "" for none.
func (m *Module) SourceMap() string {
	for _, s := range m.Sections {
		if s.ID == SectionCustom && s.Name == sourceMapSection {
			r := &Reader{Data: s.Content}
			if name := r.name(); r.Err == nil {
				return name
			}
		}
	}
	return ""
}
