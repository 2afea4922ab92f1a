package wasm

import (
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"
)

// moved says where code of the copy comes from. Offsets are from the start of the
// code section, as those of DWARF in WebAssembly are.
type moved struct {
	to, from uint32
	inserted bool // all up to the next entry is about the instruction at from
}

// compact leaves out the entries that follow from those before.
func compact(list []moved) []moved {
	kept := list[:0]
	for _, m := range list {
		if n := len(kept); n > 0 && !m.inserted && !kept[n-1].inserted && m.to-kept[n-1].to == m.from-kept[n-1].from {
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

// origin returns the offset in the image of what is at an offset of the copy.
func (c *Copy) origin(offset uint64) (uint64, bool) {
	n := sort.Search(len(c.moved), func(i int) bool { return uint64(c.moved[i].to) > offset })
	if n == 0 {
		return 0, false
	}
	m := c.moved[n-1]
	if m.inserted {
		return uint64(m.from), true
	}
	return uint64(m.from) + offset - uint64(m.to), true
}

// Places are the source lines of an image. They are for one goroutine.
type Places struct {
	copy *Copy
	data *dwarf.Data
}

// Places reads the debug information of the image; without any it is nil.
func (c *Copy) Places() *Places {
	if c.original == nil {
		return nil
	}
	s := c.original
	data, err := dwarf.New(s["abbrev"], s["aranges"], nil, s["info"], s["line"], nil, s["ranges"], s["str"])
	if err != nil {
		return nil
	}
	for _, name := range []string{"addr", "line_str", "str_offsets", "rnglists", "loclists"} {
		if content, ok := s[name]; ok {
			if err := data.AddSection(".debug_"+name, content); err != nil {
				return nil
			}
		}
	}
	return &Places{c, data}
}

// Source returns file:line:column of what is at an offset of the copy's code
// section, as far as the image says it, or "".
func (p *Places) Source(offset uint64) string {
	if p == nil {
		return ""
	}
	at, ok := p.copy.origin(offset)
	if !ok {
		return ""
	}
	units := p.data.Reader()
	for {
		unit, err := units.Next()
		if err != nil || unit == nil {
			return ""
		}
		units.SkipChildren()
		if unit.Tag != dwarf.TagCompileUnit {
			continue
		}
		if line := p.inUnit(unit, at); line != nil {
			return formatLine(line)
		}
	}
}

// inUnit looks for an offset in the lines of one unit. A sequence that starts at 0
// or at one of the last addresses is of a function that the linker has left out.
func (p *Places) inUnit(unit *dwarf.Entry, at uint64) *dwarf.LineEntry {
	lines, err := p.data.LineReader(unit)
	if err != nil || lines == nil {
		return nil
	}
	var best, last dwarf.LineEntry
	found, first, dead := false, true, false
	for {
		var line dwarf.LineEntry
		if err := lines.Next(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil
		}
		if first {
			dead = line.Address == 0 || uint32(line.Address) >= 1<<32-2
		} else if !dead && last.Address <= at && at < line.Address && (!found || last.Address > best.Address) {
			best, found = last, true
		}
		last, first = line, line.EndSequence
	}
	if !found {
		return nil
	}
	return &best
}

func formatLine(line *dwarf.LineEntry) string {
	text := "?"
	if line.File != nil {
		text = line.File.Name
	}
	if line.Line != 0 {
		text += fmt.Sprintf(":%d", line.Line)
		if line.Column != 0 {
			text += fmt.Sprintf(":%d", line.Column)
		}
	}
	return text
}

// appendPlaces appends debug information that says only one thing of all code: that
// there is some. It makes the runtime write offsets into its traces, from which
// Places.Source finds the lines in the image's own.
func appendPlaces(to []byte) []byte {
	const first, bytes = 1, 1<<31 - 2
	word := binary.LittleEndian.AppendUint32
	unit := []byte{4, 0, 0, 0, 0, 0, 4, 1} // version, abbreviations, bytes of an address; the compile unit
	unit = word(word(word(unit, first), bytes), 0)
	header := []byte{
		1, 1, 1, 0xFB, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, // as compilers write it
		0, '?', 0, 0, 0, 0, 0, // no folders; a file
	}
	lines := append(word([]byte{4, 0}, uint32(len(header))), header...)
	lines = append(word(append(lines, 0, 5, 2), first), 1)         // a line at the first address
	lines = append(appendU32(append(lines, 2), bytes, 1), 0, 1, 1) // to the last one
	for _, s := range []struct {
		name    string
		content []byte
	}{
		{"abbrev", []byte{
			1, 0x11, 0, // a compile unit without children:
			0x11, 0x01, 0x12, 0x06, 0x10, 0x17, // low_pc, high_pc, stmt_list
			0, 0, 0,
		}},
		{"info", append(word(nil, uint32(len(unit))), unit...)},
		{"line", append(word(nil, uint32(len(lines))), lines...)},
	} {
		to = appendSection(to, sectionCustom, 1, append(appendName(nil, ".debug_"+s.name), s.content...))
	}
	return to
}
