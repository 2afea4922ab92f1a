package binary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Reserved is the prefix of names that images must not use. Such names in an image are ignored.
const Reserved = "starloom."

// nameBytesMax is the maximum length of a name in messages; clipped marks a truncated name.
const nameBytesMax, clipped = 250, "..."

// Clip truncates a name from an image, because names may have megabytes.
func Clip(name string) string {
	if len(name) <= nameBytesMax {
		return name
	}
	return strings.ToValidUTF8(name[:nameBytesMax], "") + clipped
}

// Subsections of the name section.
const (
	NamesFunctions = 1 // names of functions
	namesGlobals   = 7
)

func (m *Module) readNames(r *Reader) {
	for r.More() {
		id := r.Byte()
		content := r.bytes(uint64(r.U32()))
		to := map[byte]map[uint32]string{NamesFunctions: m.Names, namesGlobals: m.given}[id]
		if to == nil || r.Err != nil {
			continue
		}
		part := &Reader{Data: content, Base: r.Base + r.At - len(content)}
		for n := part.Count(); n > 0 && part.Err == nil; n-- {
			index, name := part.U32(), part.name()
			if int(index) < len(m.Imported)+len(m.Body)+len(m.Globals) && !strings.HasPrefix(name, Reserved) {
				to[index] = Clip(name)
			}
		}
		if part.Err != nil {
			r.Broken("the name section: %v", part.Err)
		}
	}
}

// FunctionName returns the name of a function for messages.
func (m *Module) FunctionName(index int) string {
	if name := cmp.Or(m.Names[uint32(index)], Clip(m.named[Export{KindFunction, uint32(index)}])); name != "" {
		return fmt.Sprintf("function %d (%s)", index, name)
	}
	return fmt.Sprintf("function %d", index)
}

// GlobalName returns the name of a global for messages and states.
func (m *Module) GlobalName(index int) string {
	return cmp.Or(m.given[uint32(index)], Clip(m.named[Export{KindGlobal, uint32(index)}]),
		fmt.Sprintf("global %d", index))
}

// FunctionNames returns the names of all functions: from the name section, an import, an export, or the index.
func (m *Module) FunctionNames() []string {
	names := slices.Clone(m.ImportNames)
	for k := range m.Body {
		index := len(m.Imported) + k
		names = append(names, cmp.Or(Clip(m.named[Export{KindFunction, uint32(index)}]), fmt.Sprintf("function %d", index)))
	}
	for index, name := range m.Names {
		if name != "" && int(index) < len(names) {
			names[index] = name
		}
	}
	return names
}

// NameSection encodes a name section with function names, for messages.
func NameSection(names []string, number func(uint32) uint32) []byte {
	list := AppendU32(nil, uint32(len(names)), 1)
	for index, name := range names {
		list = AppendName(AppendU32(list, number(uint32(index)), 1), name)
	}
	return append(AppendU32(append(AppendName(nil, "name"), NamesFunctions), uint32(len(list)), 1), list...)
}
