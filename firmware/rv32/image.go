package rv32

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"slices"

	format "starloom/firmware/wasm/binary"
)

// shim is shim/shim.c as an image; `go test ./firmware -run Shim -update` builds it.
//
//go:embed shim/shim.wasm
var shim []byte

// Words that the shim reads, in the order of the shim's enumeration.
const (
	wordRAMBytes = iota
	wordRAMFrom
	wordSharedFrom
	wordSharedBytes
	wordSharedAt
	wordEnd
	wordEntry
	wordRAMAt
	wordRAMDataBytes
	wordParams
	wordProbes
	wordResults
	wordWindowLow // 0: no boundary ends a turn
	wordWindowHigh
	words
)

// Translation is a program as an image that states its costs on a core.
type Translation struct {
	Image  []byte
	text   Range
	table  []uint32 // of entries
	places []place  // of instructions, by offset in the code section
}

// Enters reports whether a turn of the image can begin at an address.
func (t *Translation) Enters(pc uint32) bool {
	return t.text.has(pc) && pc&1 == 0 && t.table[(pc-t.text.From)/2]&(1<<entryBits-1) != 0
}

// Translate translates a program. With a window, in cycles, a slot's turn ends between two instructions at the
// latest after so many cycles; the host runs the turn's last instructions. Translate returns an error if the core
// lacks an extension that the program uses.
func Translate(p *Program, core *Core, window uint64) (*Translation, error) {
	if err := core.refuse(p); err != nil {
		return nil, err
	}
	t := &translator{Program: p, timing: timing{&core.cost, p}, window: window}
	image, err := newImage(t)
	return &Translation{image, p.Text, t.table, t.places}, err
}

type image struct {
	*translator
	shim  *format.Module
	parts format.Parts
	data  []byte // after the shim's own
	at    uint32 // address of data
	word  [words]uint32
}

func newImage(t *translator) ([]byte, error) {
	m, err := format.Parse(shim, false)
	if err != nil {
		return nil, err
	}
	x := &image{translator: t, shim: m, parts: m.Parts()}
	imported := uint32(len(m.Imported))
	t.first = imported + uint32(len(m.Body))
	t.load, t.store, t.lost = m.Exports["window_load"].Index,
		m.Exports["window_store"].Index, m.Exports["program_lost"].Index
	t.deep = m.Exports["program_deep"].Index
	t.signatureAt = uint32(len(m.Types))
	t.left = uint32(len(m.Globals))
	x.at = x.constantOf("program_data_at")
	t.analyse()
	x.layout()
	t.emit()
	x.write()
	out := m.Encode(x.parts)
	names := m.FunctionNames()
	for _, b := range t.bodies {
		names = append(names, b.name)
	}
	out = format.AppendSection(out, format.SectionCustom, 1,
		format.NameSection(names, func(index uint32) uint32 { return index }))
	offsets := x.bodyOffsets()
	for k, b := range t.bodies {
		for _, p := range b.places {
			t.places = append(t.places, place{offsets[k] + p.at, p.pc})
		}
	}
	return appendLines(out, t, offsets), nil
}

// place appends data at an address that is a multiple of 16, and returns the address.
func (x *image) place(data []byte) uint32 {
	for (x.at+uint32(len(x.data)))%16 != 0 {
		x.data = append(x.data, 0)
	}
	at := x.at + uint32(len(x.data))
	x.data = append(x.data, data...)
	return at
}

func (x *image) layout() {
	var table []byte
	for _, entry := range x.table {
		table = binary.LittleEndian.AppendUint32(table, entry)
	}
	x.tableAt = x.place(table)
	written := bytes.TrimRight(x.RAM.Bytes, "\x00")
	written = x.RAM.Bytes[:(len(written)+3)&^3]
	x.sharedAt = x.place(x.Shared.Bytes)
	x.word = [words]uint32{
		wordRAMBytes: uint32(len(x.RAM.Bytes)), wordRAMFrom: x.RAM.From,
		wordSharedFrom: x.Shared.From, wordSharedBytes: uint32(len(x.Shared.Bytes)), wordSharedAt: x.sharedAt,
		wordEntry: x.Entry, wordRAMAt: x.place(written), wordRAMDataBytes: uint32(len(written)),
		wordParams: x.list("starloom_params"), wordProbes: x.list("starloom_probes"), wordResults: x.list("starloom_results"),
		wordWindowLow: uint32(x.window), wordWindowHigh: uint32(x.window >> 32),
	}
	x.word[wordEnd] = x.place(nil)
}

// namesMax is the host's limit on the number of names and on the bytes of a name. The host rejects longer lists.
const namesMax = 64

// list copies a zero-terminated list of pointers to texts, and the texts, from the program.
func (x *image) list(symbol string) uint32 {
	at, ok := x.symbols[symbol]
	var texts [][]byte
	for ; ok && len(texts) <= namesMax; at += 4 {
		word := x.constantAt(at, 4)
		if word == nil || binary.LittleEndian.Uint32(word) == 0 {
			break
		}
		var text []byte
		for from := binary.LittleEndian.Uint32(word); len(text) <= namesMax; from++ {
			one := x.constantAt(from, 1)
			if one == nil || one[0] == 0 {
				break
			}
			text = append(text, one[0])
		}
		texts = append(texts, append(text, 0))
	}
	var list []byte
	for _, text := range texts {
		list = binary.LittleEndian.AppendUint32(list, x.place(text))
	}
	return x.place(binary.LittleEndian.AppendUint32(list, 0))
}

func (x *image) constantAt(address, bytes uint32) []byte {
	if found := x.Shared.at(address, bytes); found != nil {
		return found
	}
	return x.RAM.at(address, bytes)
}

// write adds the program's functions, table and data to the sections of the shim. The shim's own table is empty.
func (x *image) write() {
	m, u32 := x.shim, func(value uint32) []byte { return format.AppendU32(nil, value, 1) }
	two := []byte{0x60, 2, format.I32, format.I32, 1, format.I32}
	x.parts.Add(format.SectionType, 2, append(two, 0x60, 1, format.I32, 0))
	if x.window > 0 {
		x.parts.Add(format.SectionGlobal, 1, []byte{format.I64, 1, format.OpI64Const, 0, format.OpEnd})
	}
	var added []byte
	for k := range x.bodies {
		signature := x.signatureAt
		if k == 2 {
			signature++ // wide(pc)
		}
		x.parts.Add(format.SectionFunction, 1, u32(signature))
		added = append(append(added, u32(uint32(len(x.bodies[k].code)))...), x.bodies[k].code...)
	}
	x.parts[format.SectionCode] = append(x.shimCode(uint32(len(x.bodies))), added...)
	callable := uint32(len(x.bodies) - 3)
	x.parts[format.SectionTable] = append([]byte{1, 0x70, 0}, u32(callable)...)
	elements := append([]byte{1, 0, format.OpI32Const, 0, format.OpEnd}, u32(callable)...)
	for k := range callable {
		elements = append(elements, u32(x.function(int(k)))...)
	}
	x.parts[format.SectionElement] = elements
	x.addData()
	pages := (x.word[wordEnd] + 65535) / 65536
	x.parts[format.SectionMemory] = append([]byte{1, 0}, u32(max(pages, uint32(m.Memories()[0].Start)))...)
}

// shimCode returns the start of a code section with more additional functions: the shim's functions, some of them
// replaced.
func (x *image) shimCode(more uint32) []byte {
	section := format.AppendU32(nil, uint32(len(x.shim.Body))+more, 1)
	names := x.shim.FunctionNames()
	for k, f := range x.shim.Body {
		replaced := &code{bytes: []byte{0}}
		switch name := names[len(x.shim.Imported)+k]; {
		case name == "program_run":
			replaced.get(localPC)
			replaced.get(localState)
			replaced.add(format.OpCall, x.run(), format.OpEnd)
		case name == "program_split":
			x.spend(replaced, x.timing.split)
			replaced.add(format.OpEnd)
		case name == "program_left" && x.window > 0:
			replaced.add(format.OpGlobalGet, x.left, format.OpEnd)
		case name == "program_left":
			replaced.add(format.OpI64Const, 0, format.OpEnd)
		case name == "program_allow" && x.window > 0:
			replaced.get(0)
			replaced.add(format.OpGlobalSet, x.left, format.OpEnd)
		default:
			replaced.bytes = nil
			replaced.add(f.Locals, f.Code)
		}
		section = append(format.AppendU32(section, uint32(len(replaced.bytes)), 1), replaced.bytes...)
	}
	return section
}

func (x *image) addData() {
	delete(x.parts, format.SectionDataCount) // only passive segments need it
	segment := func(at uint32, data []byte) {
		c := &code{}
		c.add(0)
		c.constant(at)
		c.add(format.OpEnd, uint32(len(data)), data)
		x.parts.Add(format.SectionData, 1, c.bytes)
	}
	var list []byte
	for _, word := range x.word {
		list = binary.LittleEndian.AppendUint32(list, word)
	}
	segment(x.constantOf("program_words_at"), list)
	segment(x.at, x.data)
}

// constantOf returns the result of a shim export that returns a constant.
func (x *image) constantOf(export string) uint32 {
	f := x.shim.Body[x.shim.Exports[export].Index-uint32(len(x.shim.Imported))]
	r := &format.Reader{Data: f.Code}
	var i format.Instruction
	r.Instruction(&i)
	return uint32(i.Value)
}

// bodyOffsets returns the offset of each function of the program in the code section.
func (x *image) bodyOffsets() (offsets []int) {
	at := len(x.parts[format.SectionCode])
	for k := range slices.Backward(x.bodies) {
		at -= len(x.bodies[k].code)
		offsets = append(offsets, at)
		at -= len(format.AppendU32(nil, uint32(len(x.bodies[k].code)), 1))
	}
	slices.Reverse(offsets)
	return offsets
}
