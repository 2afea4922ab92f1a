package binary

// Segment is a part of the initial memory; its address is nil if it is not a constant.
type Segment struct {
	Address *uint32 `json:"address,omitempty"`
	Bytes   int     `json:"bytes"`
}

// Segments returns the initial contents of the memory.
func (m *Module) Segments() []Segment {
	list := []Segment{}
	r := m.Contents(sectionData)
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
