package binary

func (m *Module) readImports(r *Reader) {
	for n := r.list("imports"); n > 0 && r.Err == nil; n-- {
		from, name := r.name(), r.name()
		switch kind := r.Byte(); kind {
		case KindFunction:
			signature := r.U32()
			if uint64(signature) >= uint64(len(m.Types)) {
				r.Broken("an imported function has the unknown type %d", signature)
			}
			m.Imported = append(m.Imported, signature)
			m.ImportNames = append(m.ImportNames, Clip(from)+"."+Clip(name))
		case kindTable:
			r.valueType()
			m.Tables = append(m.Tables, r.limits().Start)
		case KindMemory:
			r.limits()
		case KindGlobal:
			g := Global{ValueType: r.valueType(), Imported: Clip(from) + "." + Clip(name)}
			g.Mutable = r.Byte() == 1
			m.Globals = append(m.Globals, g)
		default:
			r.Broken("an import of the unknown kind %d", kind)
		}
	}
}
