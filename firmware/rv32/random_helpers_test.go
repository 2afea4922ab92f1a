package rv32

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Encodings by hand, from the tables of the specification.
func encodeR(funct7, rs2, rs1, funct3, rd, opcode uint32) uint32 {
	return funct7<<25 | rs2<<20 | rs1<<15 | funct3<<12 | rd<<7 | opcode
}
func encodeI(value int32, rs1, funct3, rd, opcode uint32) uint32 {
	return uint32(value)<<20 | rs1<<15 | funct3<<12 | rd<<7 | opcode
}
func encodeS(value int32, rs2, rs1, funct3 uint32) uint32 {
	v := uint32(value)
	return v>>5&0x7F<<25 | rs2<<20 | rs1<<15 | funct3<<12 | v&31<<7 | 0x23
}
func encodeB(value int32, rs2, rs1, funct3 uint32) uint32 {
	v := uint32(value)
	return v>>12&1<<31 | v>>5&0x3F<<25 | rs2<<20 | rs1<<15 | funct3<<12 | v>>1&15<<8 | v>>11&1<<7 | 0x63
}
func encodeJ(value int32, rd uint32) uint32 {
	v := uint32(value)
	return v>>20&1<<31 | v>>1&0x3FF<<21 | v>>11&1<<20 | v>>12&0xFF<<12 | rd<<7 | 0x6F
}

const (
	testText = 0x80000000
	testRAM  = 0x20000000
	wfiWord  = 0x10500073
	retWord  = 0x00008067
)

// drawing writes a random program: functions that call later ones, with branches, loops of a few turns, switches and
// accesses to RAM and text. x2 is the stack, x3 an address in RAM, x4 the counter of a loop.
type drawing struct {
	*rand.Rand
	compressed bool
	text       []byte
	starts     []int // offsets of functions
	calls      []pendingJump
}

type pendingJump struct{ at, function int }

func (d *drawing) word(w uint32) {
	if d.text = binary.LittleEndian.AppendUint16(d.text, uint16(w)); w&3 == 3 {
		d.text = binary.LittleEndian.AppendUint16(d.text, uint16(w>>16))
	}
}

// register draws a register that code may write.
func (d *drawing) register() uint32 {
	return [...]uint32{0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 28, 31}[d.IntN(15)]
}
func (d *drawing) anyRegister() uint32 { return d.Uint32N(32) }

func (d *drawing) small() int32 { return int32(d.IntN(4096)) - 2048 }

func (d *drawing) plain() {
	rd, a, b := d.register(), d.anyRegister(), d.anyRegister()
	if d.compressed && d.IntN(2) == 0 {
		d.short()
		return
	}
	switch d.IntN(8) {
	case 0:
		d.word(encodeR([2]uint32{0, 0x20}[d.IntN(2)], b, a, [2]uint32{0, 5}[d.IntN(2)], rd, 0x33))
	case 1:
		d.word(encodeR(0, b, a, d.Uint32N(8), rd, 0x33))
	case 2:
		d.word(encodeR(1, b, a, d.Uint32N(8), rd, 0x33))
	case 3:
		d.word(encodeI(d.small(), a, [...]uint32{0, 2, 3, 4, 6, 7}[d.IntN(6)], rd, 0x13))
	case 4:
		d.word(encodeI(int32(d.IntN(32))|int32(d.IntN(2)<<10), a, 5, rd, 0x13))
	case 5:
		d.word(d.Uint32()&0xFFFFF000 | rd<<7 | [2]uint32{0x37, 0x17}[d.IntN(2)])
	case 6: // in RAM, at any alignment
		d.word(encodeI(int32(d.IntN(1000)), 3, [...]uint32{0, 1, 2, 4, 5}[d.IntN(5)], rd, 0x03))
	default:
		d.word(encodeS(int32(d.IntN(1000)), a, 3, d.Uint32N(3)))
	}
}

// short writes a random compressed instruction without jumps that leaves x1 to x4 alone.
func (d *drawing) short() {
	for {
		w := d.Uint32N(1 << 16)
		if w&3 == 3 || foreign(w) != "" {
			continue
		}
		i := decompress(w)
		safe := !i.Op.ends() && (i.Rd == 0 || i.Rd > 4)
		if memory := i.Op.isLoad() || i.Op.isStore(); safe && (!memory || i.Rs1 == 2) {
			d.word(w)
			return
		}
	}
}

// piece writes straight code, a forward branch or jump, a loop, or a call.
func (d *drawing) piece(function, depth int) {
	switch kind := d.IntN(10); {
	case kind < 4 || depth > 3:
		d.plain()
	case kind < 6: // a branch over some pieces
		at := len(d.text)
		d.word(0xFFFFFFFF)
		a, b, funct3 := d.anyRegister(), d.anyRegister(), [...]uint32{0, 1, 4, 5, 6, 7}[d.IntN(6)]
		for range d.IntN(3) {
			d.piece(function, depth+1)
		}
		binary.LittleEndian.PutUint32(d.text[at:], encodeB(int32(len(d.text)-at), b, a, funct3))
	case kind == 6 && depth == 0: // a loop of a few turns
		d.word(encodeI(int32(1+d.IntN(4)), 0, 0, 4, 0x13))
		at := len(d.text)
		for range 1 + d.IntN(3) {
			d.piece(function, depth+2)
		}
		d.word(encodeI(-1, 4, 0, 4, 0x13))
		d.word(encodeB(int32(at-len(d.text)), 0, 4, 1))
	case kind == 7: // a jump over some pieces, by a register
		at := len(d.text)
		d.word(0xFFFFFFFF)
		d.word(0xFFFFFFFF)
		for range d.IntN(3) {
			d.plain()
		}
		binary.LittleEndian.PutUint32(d.text[at:], 5<<7|0x17) // auipc x5, 0
		binary.LittleEndian.PutUint32(d.text[at+4:], encodeI(int32(len(d.text)-at), 5, 0, 0, 0x67))
	case kind == 8 && depth < 2:
		d.calls = append(d.calls, pendingJump{len(d.text), function + 1 + d.IntN(3)})
		d.word(0xFFFFFFFF)
	default:
		d.plain()
	}
}

// draw returns a random program.
func draw(seed uint64, compressed bool) *Program {
	d := &drawing{Rand: rand.New(rand.NewPCG(seed, 32)), compressed: compressed}
	count := 2 + d.IntN(4)
	for function := range count {
		d.starts = append(d.starts, len(d.text))
		d.word(encodeI(-16, 2, 0, 2, 0x13))
		d.word(encodeS(12, 1, 2, 2))
		d.word(encodeS(8, 4, 2, 2))
		for range 3 + d.IntN(12) {
			d.piece(function, 0)
		}
		d.word(encodeI(8, 2, 2, 4, 0x03))
		d.word(encodeI(12, 2, 2, 1, 0x03))
		d.word(encodeI(16, 2, 0, 2, 0x13))
		if function == 0 {
			d.word(wfiWord)
		}
		d.word(retWord)
	}
	p := &Program{Entry: testText, Text: Range{testText, testText + uint32(len(d.text))}, Compressed: compressed,
		symbols: map[string]uint32{}, RAM: Memory{testRAM, make([]byte, 4096)}}
	for _, c := range d.calls {
		jump := uint32(encodeI(0, 0, 0, 0, 0x13)) // a call beyond the last function: a nop
		if c.function < count {
			jump = encodeJ(int32(d.starts[c.function]-c.at), 1)
		}
		binary.LittleEndian.PutUint32(d.text[c.at:], jump)
	}
	for k := range p.RAM.Bytes {
		p.RAM.Bytes[k] = byte(d.Uint32())
	}
	for k, from := range d.starts {
		to := len(d.text)
		if k+1 < count {
			to = d.starts[k+1]
		}
		p.functions = append(p.functions, function{Range{testText + uint32(from), testText + uint32(to)},
			fmt.Sprintf("f%d", k)})
	}
	p.Shared = Memory{testText, d.text}
	return p
}
