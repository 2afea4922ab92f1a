package binary

func (m *Module) readFunctions(r *Reader) {
	for n := r.list("functions"); n > 0 && r.Err == nil; n-- {
		signature := r.U32()
		if uint64(signature) >= uint64(len(m.Types)) {
			r.Broken("a function has the unknown type %d", signature)
		}
		m.Body = append(m.Body, Function{Signature: signature})
	}
}

// Signature returns the type of a function; indices begin with imported functions.
func (m *Module) Signature(index int) uint32 {
	if index < len(m.Imported) {
		return m.Imported[index]
	}
	return m.Body[index-len(m.Imported)].Signature
}
