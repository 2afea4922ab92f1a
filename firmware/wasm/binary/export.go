package binary

import "slices"

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
