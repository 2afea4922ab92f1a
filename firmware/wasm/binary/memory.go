package binary

// Limits is the initial and maximum size of a memory in pages; Most is nil without a maximum.
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
