package binary

import "strings"

// Compilers without DWARF, such as AssemblyScript's, write a source map beside the image: JSON, whose
// columns are offsets in the image. The image names it in a custom section.
const sourceMapSection = "sourceMappingURL"

// DebugSections returns the DWARF of the module by name: "info", "line".
func (m *Module) DebugSections() map[string][]byte {
	found := map[string][]byte{}
	for _, s := range m.Sections {
		if name, ok := strings.CutPrefix(s.Name, ".debug_"); ok && s.ID == SectionCustom {
			found[name] = s.Content
		}
	}
	return found
}

// SourceMap is what the module says of where its source map is, "" for nothing.
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
