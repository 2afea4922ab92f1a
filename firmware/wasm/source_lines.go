package wasm

import (
	"cmp"
	"debug/dwarf"
	endian "encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"starloom/firmware/wasm/binary"
)

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

// Origin returns the offset in the image's own code section of an offset in the copy's.
func (c *Copy) Origin(offset uint64) (uint64, bool) {
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

// Places maps code to source lines. It must not be used concurrently.
type Places struct {
	copy   *Copy
	data   *dwarf.Data
	mapped *sourceMap // source map of an image without data

	variables []variable // read on first use: see listed
	listed    bool
}

// Places reads the debug information of the image. It returns nil if the image has none.
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
	return &Places{copy: c, data: data}
}

// Data returns the debug information, nil for none.
func (p *Places) Data() *dwarf.Data {
	if p == nil {
		return nil
	}
	return p.data
}

// PlacesIn reads a source map. It returns nil for an invalid one.
func (c *Copy) PlacesIn(sourceMap []byte) *Places {
	mapped, err := parseSourceMap(sourceMap)
	if err != nil {
		return nil
	}
	return &Places{copy: c, mapped: mapped}
}

// Frame is an active function and the file:line:column reached in it. Each is "" if unknown.
type Frame struct {
	Function string `json:"function"`
	Source   string `json:"source,omitempty"`

	// Instructions disassembles a program for RISC-V around the instruction that trapped, which has the mark >: lines.
	Instructions string `json:"instructions,omitempty"`
}

// Listing returns the lines of Instructions.
func (f Frame) Listing() []string {
	return strings.FieldsFunc(f.Instructions, func(r rune) bool { return r == '\n' })
}

func (f Frame) String() string {
	text := f.Function
	if text == "" {
		text = "an unknown function"
	}
	if f.Source != "" {
		text += " at " + f.Source
	}
	return text
}

// Line returns file:line of Source, "" if the line is unknown.
func (f Frame) Line() string {
	last := strings.LastIndexByte(f.Source, ':')
	if last > 0 && strings.IndexByte(f.Source[:last], ':') > 0 {
		return f.Source[:last] // drop the column
	}
	if last > 0 {
		return f.Source
	}
	return ""
}

// Frames returns the known functions at an offset in the copy's code section, innermost first.
func (p *Places) Frames(offset uint64) []Frame {
	if p == nil {
		return nil
	}
	at, ok := p.copy.Origin(offset)
	if !ok {
		return nil
	}
	return p.FramesAt(at)
}

// Breaking returns the functions at the change of a global that is not restored. The last of them always has a name.
func (p *Places) Breaking(g *Global) (frames []Frame) {
	if frames = p.FramesAt(g.at); len(frames) == 0 {
		frames = []Frame{{}}
	}
	if last := &frames[len(frames)-1]; last.Function == "" {
		last.Function = g.Breaks
	}
	return frames
}

// FramesAt is Frames for an offset in the image's own code section.
func (p *Places) FramesAt(at uint64) []Frame {
	if p == nil {
		return nil
	}
	if p.mapped != nil {
		return p.mapped.frames(int(at) + p.copy.codeStart)
	}
	for unit := range p.units {
		if line := p.inUnit(unit, at); line != nil {
			return p.callers(unit, at, formatLine(line))
		}
	}
	return nil
}

func (p *Places) units(yield func(*dwarf.Entry) bool) {
	units := binary.EntriesOf(p.data)
	for {
		unit, err := units.Next()
		if err != nil || unit == nil {
			return
		}
		units.Skip(unit)
		if unit.Tag == dwarf.TagCompileUnit && !yield(unit) {
			return
		}
	}
}

func (p *Places) callers(unit *dwarf.Entry, at uint64, source string) []Frame {
	var files []*dwarf.LineFile
	if lines, err := p.data.LineReader(unit); err == nil && lines != nil {
		files = lines.Files()
	}
	entries := binary.EntriesOf(p.data)
	entries.Seek(unit.Offset)
	if _, err := entries.Next(); err != nil {
		return []Frame{{Source: source}}
	}
	var frames []Frame // frames are outermost first; the Source of a frame is the call of the next frame
	for depth := 1; depth > 0; {
		entry, err := entries.Next()
		if err != nil || entry == nil {
			break
		}
		if entry.Tag == 0 {
			depth--
			continue
		}
		around := p.around(entry, at)
		switch entry.Tag {
		case dwarf.TagInlinedSubroutine:
			if around && len(frames) > 0 {
				frames[len(frames)-1].Source = callSite(entry, files)
				frames = append(frames, Frame{Function: p.name(entry)})
			}
		case dwarf.TagSubprogram:
			if around {
				frames = append(frames, Frame{Function: p.name(entry)})
			}
		case dwarf.TagLexDwarfBlock, dwarf.TagNamespace, dwarf.TagStructType, dwarf.TagClassType:
			around = true // the entry may contain functions
		}
		switch {
		case entry.Children && around:
			depth++
		case entry.Children:
			entries.Skip(entry)
		}
	}
	if len(frames) == 0 {
		frames = []Frame{{}}
	}
	frames[len(frames)-1].Source = source
	slices.Reverse(frames)
	return frames
}

// The linker assigns address 0 or one of the last addresses to removed functions.
func (p *Places) around(entry *dwarf.Entry, at uint64) bool {
	ranges, err := p.data.Ranges(entry)
	return err == nil && slices.ContainsFunc(ranges, func(r [2]uint64) bool {
		return !isDead(r[0]) && r[0] <= at && at < r[1]
	})
}

// the name may be in an entry referenced from this entry
func (p *Places) name(entry *dwarf.Entry) string {
	for range 4 { // from an inlined call to the function, then to its declaration
		if name, ok := entry.Val(dwarf.AttrName).(string); ok {
			return binary.Clip(name)
		}
		from, ok := entry.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if from, ok = entry.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				break
			}
		}
		entries := binary.EntriesOf(p.data)
		entries.Seek(from)
		var err error
		if entry, err = entries.Next(); err != nil || entry == nil {
			break
		}
	}
	return ""
}

func callSite(entry *dwarf.Entry, files []*dwarf.LineFile) string {
	line := &dwarf.LineEntry{}
	number := func(attribute dwarf.Attr) int {
		n, _ := entry.Val(attribute).(int64)
		return int(n)
	}
	if file := number(dwarf.AttrCallFile); file >= 0 && file < len(files) {
		line.File = files[file]
	}
	line.Line, line.Column = number(dwarf.AttrCallLine), number(dwarf.AttrCallColumn)
	return formatLine(line)
}

// inUnit searches the lines of one unit for an offset. It ignores the lines of removed functions (see around).
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
			dead = isDead(line.Address)
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

// checkLines rejects long line programs. A program shared by several units counts once for each unit.
func (m *module) checkLines() error {
	sections, total := m.DebugSections(), 0
	lines := sections["line"]
	places := (&Copy{original: sections}).Places()
	if len(lines) == 0 || places == nil {
		return nil
	}
	for unit := range places.units {
		if at, ok := unit.Val(dwarf.AttrStmtList).(int64); ok && at >= 0 && at+4 <= int64(len(lines)) {
			total += min(len(lines)-int(at), 4+int(endian.LittleEndian.Uint32(lines[at:])))
		}
		if total > linesBytesMax {
			return fmt.Errorf("has debug information with line programs of more than %d bytes in total; strip it, "+
				"or build without -g", linesBytesMax)
		}
	}
	return nil
}

// lineTable is sorted by address.
type lineTable []lineRange

type lineRange struct {
	from, to uint64
	line     string
}

func (p *Places) lines() (table lineTable) {
	if p == nil || p.data == nil {
		return nil
	}
	for unit := range p.units {
		lines, err := p.data.LineReader(unit)
		if err != nil || lines == nil {
			continue
		}
		var line, last dwarf.LineEntry
		for first, dead := true, false; lines.Next(&line) == nil; last, first = line, line.EndSequence {
			if first {
				dead = isDead(line.Address)
			} else if !dead && last.Address < line.Address {
				text := ""
				if last.Line != 0 { // otherwise no particular line
					text = formatLine(&last)
				}
				table = append(table, lineRange{last.Address, line.Address, text})
			}
		}
	}
	slices.SortStableFunc(table, func(a, b lineRange) int { return cmp.Compare(a.from, b.from) })
	return table
}

func (t lineTable) source(at uint64) string {
	return t.first(at, 1)
}

func (t lineTable) first(at uint64, bytes int) string {
	n := sort.Search(len(t), func(i int) bool { return t[i].to > at })
	for ; n < len(t) && t[n].from < at+uint64(bytes); n++ {
		if t[n].line != "" {
			return t[n].line
		}
	}
	return ""
}

type inlinedCall struct {
	ranges [][2]uint64
	source string
}

func (c *inlinedCall) contains(at uint64) bool {
	return slices.ContainsFunc(c.ranges, func(r [2]uint64) bool { return r[0] <= at && at < r[1] })
}

func (p *Places) inlinedCalls() (calls []inlinedCall) {
	if p == nil || p.data == nil {
		return nil
	}
	entries := binary.EntriesOf(p.data)
	var files []*dwarf.LineFile
	for {
		entry, err := entries.Next()
		switch {
		case err != nil || entry == nil:
			return calls
		case entry.Tag == dwarf.TagCompileUnit:
			files = nil
			if lines, err := p.data.LineReader(entry); err == nil && lines != nil {
				files = lines.Files()
			}
		case entry.Tag == dwarf.TagInlinedSubroutine:
			ranges, err := p.data.Ranges(entry)
			if err == nil && len(ranges) > 0 && !isDead(ranges[0][0]) {
				calls = append(calls, inlinedCall{ranges, callSite(entry, files)})
			}
		}
	}
}

// around returns the line of the statement whose loop spans from..to, with a branch back at back. This is usually the
// line at back. If an inlined call contains back but less than two thirds of the loop, around returns the line of the
// outermost such call. This is necessary because compilers may move the caller's code into a loop.
func (t lineTable) around(calls []inlinedCall, from, back, to uint64) string {
	for _, c := range calls {
		if !c.contains(back) {
			continue
		}
		inside, outside := uint64(0), uint64(0) // bytes
		n := sort.Search(len(t), func(i int) bool { return t[i].to > from })
		for ; n < len(t) && t[n].from < to; n++ {
			first := max(t[n].from, from)
			switch bytes := min(t[n].to, to) - first; {
			case t[n].line == "":
			case c.contains(first):
				inside += bytes
			default:
				outside += bytes
			}
		}
		if outside > inside/2 {
			return c.source
		}
	}
	return t.source(back)
}

func isDead(address uint64) bool { return address == 0 || uint32(address) >= 1<<32-2 }

func formatLine(line *dwarf.LineEntry) string {
	text := "?"
	if line.File != nil {
		text = binary.Clip(line.File.Name)
	}
	if line.Line != 0 {
		text += fmt.Sprintf(":%d", line.Line)
		if line.Column != 0 {
			text += fmt.Sprintf(":%d", line.Column)
		}
	}
	return text
}

// appendPlaces appends minimal debug information for all code, so that the runtime writes offsets into traces.
// Places.Frames maps the offsets to lines of the image.
func appendPlaces(to []byte) []byte {
	const first, bytes = 1, 1<<31 - 2
	word := endian.LittleEndian.AppendUint32
	unit := []byte{4, 0, 0, 0, 0, 0, 4, 1} // version, abbreviations, address size; the compile unit
	unit = word(word(word(unit, first), bytes), 0)
	header := []byte{
		1, 1, 1, 0xFB, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, // standard header, as compilers write it
		0, '?', 0, 0, 0, 0, 0, // no folders; one file
	}
	lines := append(word([]byte{4, 0}, uint32(len(header))), header...)
	lines = append(word(append(lines, 0, 5, 2), first), 1)                // a line at the first address,
	lines = append(binary.AppendU32(append(lines, 2), bytes, 1), 0, 1, 1) // the same line up to the last address
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
		to = binary.AppendSection(to, binary.SectionCustom, 1, append(binary.AppendName(nil, ".debug_"+s.name), s.content...))
	}
	return to
}

const opAddr = 0x03

type variable struct {
	first, end uint32
	text       string
}

// Variable returns name and line of the static variable at a memory address, "" for none.
func (p *Places) Variable(address uint32) string {
	if p == nil || p.data == nil {
		return ""
	}
	if !p.listed {
		p.variables, p.listed = p.listVariables(), true
	}
	for _, v := range p.variables {
		if v.first <= address && address < v.end {
			return v.text
		}
	}
	return ""
}

func (p *Places) listVariables() (list []variable) {
	entries := binary.EntriesOf(p.data)
	var unit *dwarf.Entry
	for {
		e, err := entries.Next()
		if err != nil || e == nil {
			return list
		}
		if e.Tag == dwarf.TagCompileUnit {
			unit = e
		}
		at, fixed := fixedAddress(e)
		offset, typed := e.Val(dwarf.AttrType).(dwarf.Offset)
		if e.Tag != dwarf.TagVariable || !fixed || !typed {
			continue
		}
		if t, err := p.data.Type(offset); err == nil {
			list = append(list, variable{at, at + uint32(max(t.Size(), 1)), p.declaration(unit, e)})
		}
	}
}

func fixedAddress(e *dwarf.Entry) (uint32, bool) {
	expression, ok := e.Val(dwarf.AttrLocation).([]byte)
	if !ok || len(expression) != 5 || expression[0] != opAddr {
		return 0, false
	}
	return endian.LittleEndian.Uint32(expression[1:]), true
}

func (p *Places) declaration(unit, variable *dwarf.Entry) string {
	text, _ := variable.Val(dwarf.AttrName).(string)
	name := binary.Clip(text)
	if name == "" {
		return ""
	}
	file, _ := variable.Val(dwarf.AttrDeclFile).(int64)
	line, _ := variable.Val(dwarf.AttrDeclLine).(int64)
	if unit == nil || line == 0 {
		return name
	}
	lines, err := p.data.LineReader(unit)
	if err != nil || lines == nil || file < 0 || file >= int64(len(lines.Files())) || lines.Files()[file] == nil {
		return name
	}
	return fmt.Sprintf("%s (%s:%d)", name, binary.Clip(lines.Files()[file].Name), line)
}
