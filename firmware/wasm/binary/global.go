package binary

func (m *Module) readGlobals(r *Reader) {
	for n := r.list("globals"); n > 0 && r.Err == nil; n-- {
		g := Global{ValueType: r.valueType()}
		g.Mutable = r.Byte() == 1
		g.Initial = r.constant(m.inTable)
		m.Globals = append(m.Globals, g)
	}
}

type found func(index uint32, from, end int)

// constant reads a constant expression. It returns the value of a single i32.const, 0 for other expressions.
func (r *Reader) constant(function found) (value int64) {
	for count := 0; r.Err == nil; count++ {
		var i Instruction
		r.Instruction(&i)
		switch {
		case r.Err != nil:
		case i.Op == OpRefFunc:
			function(i.Index, i.At, i.End)
		case i.Op == OpI32Const:
			value = i.Value
		case i.Op == OpEnd:
			if count != 1 {
				value = 0
			}
			return value
		}
	}
	return 0
}
