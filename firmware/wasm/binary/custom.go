package binary

import "strings"

// The custom section sourceMappingURL names the source map that compilers without DWARF (AssemblyScript) write beside
// the image: JSON, with offsets in the image as columns.
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
