package rv32

import (
	"encoding/binary"

	format "starloom/firmware/wasm/binary"
)

// appendLines appends debug information to an image: functions and source lines of the program, by offset in the code
// section. It is one unit of DWARF version 4.
func appendLines(image []byte, t *translator, offsets []int) []byte {
	w := &dwarfWriter{files: map[string]uint32{}}
	last := uint32(0)
	for k, b := range t.bodies {
		from := uint32(offsets[k])
		last = from + uint32(len(b.code))
		if k >= 3 {
			w.function(b.name, from, last)
		}
		for _, p := range b.places {
			file, line := t.lines.at(p.pc)
			w.row(from+uint32(p.at), file, line)
		}
		w.end(last)
	}
	for _, section := range []struct {
		name    string
		content []byte
	}{{".debug_abbrev", dwarfAbbreviations}, {".debug_info", w.unit(last)}, {".debug_line", w.program()}} {
		image = format.AppendSection(image, format.SectionCustom, 1,
			append(format.AppendName(nil, section.name), section.content...))
	}
	return image
}

// dwarfAbbreviations declares two entries: a compile unit with name, line program, start and size; a function with
// name, start and size.
var dwarfAbbreviations = []byte{
	1, 0x11, 1, 0x03, 0x08, 0x10, 0x17, 0x11, 0x01, 0x12, 0x06, 0, 0,
	2, 0x2E, 0, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0, 0,
}

type dwarfWriter struct {
	functions []byte
	rows      []byte
	names     []byte
	files     map[string]uint32 // number by name

	open         bool // in a sequence of rows
	at           uint32
	file, number uint32
}

func (w *dwarfWriter) function(name string, from, to uint32) {
	w.functions = append(append(append(w.functions, 2), name...), 0)
	w.functions = binary.LittleEndian.AppendUint32(w.functions, from)
	w.functions = binary.LittleEndian.AppendUint32(w.functions, to-from)
}

// row adds a row of the line program. Code without a line ends the sequence.
func (w *dwarfWriter) row(at uint32, file string, line int) {
	if line <= 0 {
		w.end(at)
		return
	}
	number, ok := w.files[file]
	if !ok {
		number = uint32(len(w.files) + 1)
		w.files[file] = number
		w.names = append(append(w.names, file...), 0, 0, 0, 0)
	}
	if !w.open {
		w.rows = binary.LittleEndian.AppendUint32(append(w.rows, 0, 5, 2), at) // set_address
		w.open, w.at, w.file, w.number = true, at, 1, 1
	} else if number == w.file && uint32(line) == w.number {
		return
	}
	w.advance(at)
	if number != w.file {
		w.rows = format.AppendU32(append(w.rows, 4), number, 1) // set_file
	}
	w.rows = format.AppendSigned(append(w.rows, 3), int64(line)-int64(w.number)) // advance_line
	w.rows = append(w.rows, 1)                                                   // copy
	w.file, w.number = number, uint32(line)
}

func (w *dwarfWriter) advance(at uint32) {
	if at != w.at {
		w.rows = format.AppendU32(append(w.rows, 2), at-w.at, 1) // advance_pc
		w.at = at
	}
}

func (w *dwarfWriter) end(at uint32) {
	if !w.open {
		return
	}
	w.advance(at)
	w.rows = append(w.rows, 0, 1, 1) // end_sequence
	w.open = false
}

func (w *dwarfWriter) unit(size uint32) []byte {
	content := []byte{4, 0, 0, 0, 0, 0, 4, 1} // version 4, abbreviations at 0, addresses of 4 bytes; the unit
	content = append(append(content, "program"...), 0)
	content = append(content, 0, 0, 0, 0) // line program at 0
	content = append(content, 0, 0, 0, 0) // from 0
	content = binary.LittleEndian.AppendUint32(content, size)
	content = append(append(content, w.functions...), 0)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(content))), content...)
}

func (w *dwarfWriter) program() []byte {
	header := []byte{1, 1, 1, 0xFB, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0} // standard opcodes; no folders
	header = append(append(header, w.names...), 0)
	content := binary.LittleEndian.AppendUint32([]byte{4, 0}, uint32(len(header)))
	content = append(append(content, header...), w.rows...)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(content))), content...)
}
