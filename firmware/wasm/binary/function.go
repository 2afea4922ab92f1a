package binary

import "slices"

func (m *Module) readFunctions(r *Reader) {
	for n := r.list("functions"); n > 0 && r.Err == nil; n-- {
		signature := r.U32()
		if uint64(signature) >= uint64(len(m.Types)) {
			r.Broken("a function has the unknown type %d", signature)
		}
		m.Body = append(m.Body, Function{Signature: signature})
	}
}

// Signature returns the type of a function. Indices begin with imported functions.
func (m *Module) Signature(index int) uint32 {
	if index < len(m.Imported) {
		return m.Imported[index]
	}
	return m.Body[index-len(m.Imported)].Signature
}

func (m *Module) readExports(r *Reader) {
	for n := r.list("exports"); n > 0 && r.Err == nil; n-- {
		name := r.name()
		e := Export{r.Byte(), r.U32()}
		if m.Exports[name] = e; m.named[e] == "" || name < m.named[e] {
			m.named[e] = name
		}
	}
}

// ExportNames returns the sorted names of the exports of a kind.
func (m *Module) ExportNames(kind byte) (names []string) {
	for name, e := range m.Exports {
		if e.Kind == kind {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

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
