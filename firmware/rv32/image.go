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
	words
)

// Image translates a program into an image that states its costs on a core. It returns an error if the core lacks an
// extension that the program uses.
func Image(p *Program, core *Core) ([]byte, error) {
	if err := core.refuse(p); err != nil {
		return nil, err
	}
	return newImage(&translator{Program: p, timing: timing{&core.cost, p}})
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
	t.signatureAt = uint32(len(m.Types))
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
	return appendLines(out, t, x.bodyOffsets()), nil
}

// named returns the number of a function of the shim.
func (x *image) named(name string) uint32 {
	return uint32(slices.Index(x.shim.FunctionNames(), name))
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
	x.word = [words]uint32{
		wordRAMBytes: uint32(len(x.RAM.Bytes)), wordRAMFrom: x.RAM.From,
		wordSharedFrom: x.Shared.From, wordSharedBytes: uint32(len(x.Shared.Bytes)), wordSharedAt: x.place(x.Shared.Bytes),
		wordEntry: x.Entry, wordRAMAt: x.place(written), wordRAMDataBytes: uint32(len(written)),
		wordParams: x.list("starloom_params"), wordProbes: x.list("starloom_probes"), wordResults: x.list("starloom_results"),
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

// shimCode returns the start of a code section with more additional functions: the shim's functions, two of them
// replaced.
func (x *image) shimCode(more uint32) []byte {
	run, split := x.named("program_run"), x.named("program_split")
	section := format.AppendU32(nil, uint32(len(x.shim.Body))+more, 1)
	for k, f := range x.shim.Body {
		replaced := &code{}
		switch uint32(len(x.shim.Imported) + k) {
		case run:
			replaced.add(0)
			replaced.get(localPC)
			replaced.get(localState)
			replaced.add(format.OpCall, x.run(), format.OpEnd)
		case split:
			replaced.add(0)
			replaced.cost(x.timing.split)
			replaced.add(format.OpEnd)
		default:
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
