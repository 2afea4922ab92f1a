package rv32test

import (
	"encoding/binary"
	"math/rand/v2"
)

const (
	// TextFrom is the address of a program's text, and of its start.
	TextFrom = 0x80000000
	// RAMFrom is the address of its RAM.
	RAMFrom = 0x20000000

	ramBytes = 4096
)

// Options select the instructions of a random program.
type Options struct {
	Compressed, Multiply bool // with the extensions C and M
	Window               bool // with aligned accesses to the NIC's window and FIFOs
	Aligned              bool // accesses are aligned
	Start                bool // the program sets all registers first; otherwise x2 and x3 point into RAM before it
}

// Program is a random program. It begins in its first function, which ends with wfi.
type Program struct {
	Text, RAM []byte
	Functions []int // offsets in Text
}

// Values of x2 and x3 after the start of a program.
const (
	stack = RAMFrom + ramBytes/2
	data  = RAMFrom + 16
)

// drawing writes a random program: functions that call later ones, with branches, loops of a few turns, switches and
// accesses to RAM and text. x2 is the stack, x3 an address in RAM, x4 the counter of a loop, x30 an address in the
// window.
type drawing struct {
	*rand.Rand
	Options
	text   []byte
	starts []int // offsets of functions
	calls  []pendingJump
}

type pendingJump struct {
	at, function int
	short        bool
}

func (d *drawing) word(w uint32) {
	if d.text = binary.LittleEndian.AppendUint16(d.text, uint16(w)); w&3 == 3 {
		d.text = binary.LittleEndian.AppendUint16(d.text, uint16(w>>16))
	}
}

func (d *drawing) put(at int, w uint32) {
	if binary.LittleEndian.PutUint16(d.text[at:], uint16(w)); w&3 == 3 {
		binary.LittleEndian.PutUint16(d.text[at+2:], uint16(w>>16))
	}
}

// register draws a register that code may write.
func (d *drawing) register() uint32 {
	return [...]uint32{0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 28, 31}[d.IntN(15)]
}
func (d *drawing) anyRegister() uint32 { return d.Uint32N(32) }

func (d *drawing) small() int32 { return int32(d.IntN(4096)) - 2048 }

func (d *drawing) coin() bool { return d.IntN(2) == 0 }

func (d *drawing) plain() {
	rd, a, b := d.register(), d.anyRegister(), d.anyRegister()
	if d.Window && d.IntN(5) == 0 {
		d.window(rd, a)
		return
	}
	if d.Compressed && d.coin() {
		d.short()
		return
	}
	kind := d.IntN(8)
	if kind == 2 && !d.Multiply {
		kind = 1
	}
	switch kind {
	case 0:
		d.word(EncodeR([2]uint32{0, 0x20}[d.IntN(2)], b, a, [2]uint32{0, 5}[d.IntN(2)], rd, 0x33))
	case 1:
		d.word(EncodeR(0, b, a, d.Uint32N(8), rd, 0x33))
	case 2:
		d.word(EncodeR(1, b, a, d.Uint32N(8), rd, 0x33))
	case 3:
		d.word(EncodeI(d.small(), a, [...]uint32{0, 2, 3, 4, 6, 7}[d.IntN(6)], rd, 0x13))
	case 4:
		d.word(EncodeI(int32(d.IntN(32))|int32(d.IntN(2)<<10), a, 5, rd, 0x13))
	case 5:
		d.word(d.Uint32()&0xFFFFF000 | rd<<7 | [2]uint32{0x37, 0x17}[d.IntN(2)])
	case 6: // in RAM, at any alignment
		offset, size := d.offset(1000), [...]uint32{0, 1, 2, 4, 5}[d.IntN(5)]
		d.word(EncodeI(offset, 3, size, rd, 0x03))
	default:
		offset := d.offset(1000)
		d.word(EncodeS(offset, a, 3, d.Uint32N(3)))
	}
}

// offset draws an offset from x3.
func (d *drawing) offset(below int) int32 {
	at := int32(d.IntN(below))
	if d.Aligned {
		at &^= 3
	}
	return at
}

// window writes an access to the NIC's window, or to the head of a FIFO.
func (d *drawing) window(rd, from uint32) {
	base, at, size := uint32(0x40000000), int32(4*d.IntN(26)), uint32(2)
	if d.coin() {
		base, size = [2]uint32{0x42000000, 0x44000000}[d.IntN(2)], d.Uint32N(3)
		at = int32(d.IntN(64)) &^ (1<<size - 1)
	}
	d.word(base | 30<<7 | 0x37)
	if d.coin() {
		d.word(EncodeS(at, from, 30, size))
		return
	}
	if size < 2 && d.coin() {
		size |= 4 // unsigned
	}
	d.word(EncodeI(at, 30, size, rd, 0x03))
}

// short writes a random compressed instruction without jumps that leaves x1 to x4 alone, or an access of a compressed
// instruction to RAM.
func (d *drawing) short() {
	if d.IntN(8) == 0 {
		pointer := 8 + d.Uint32N(8)
		d.word(EncodeI(d.offset(500), 3, 0, pointer, 0x13))
		d.word([2]uint32{0x4000, 0xC000}[d.IntN(2)] | d.Uint32N(8)<<10 | (pointer-8)<<7 | d.Uint32N(32)<<2)
		return
	}
	for {
		if w := d.Uint32N(1 << 16); straight(w) {
			d.word(w)
			return
		}
	}
}

// straight reports whether a half word is a compressed instruction without jumps, that accesses memory only by the
// stack pointer and leaves x1 to x4 alone.
func straight(w uint32) bool {
	rd, high, low := w>>7&31, w>>12&1 != 0, w>>2&31 != 0
	free := rd == 0 || rd > 4
	switch w&3<<3 | w>>13 {
	case 0o00: // c.addi4spn
		return w>>5 != 0
	case 0o10, 0o12: // c.addi, c.li
		return free
	case 0o13: // c.lui
		return free && (high || low)
	case 0o14:
		return !high || w>>10&3 == 2
	case 0o20: // c.slli
		return free && !high
	case 0o22: // c.lwsp
		return rd > 4
	case 0o24: // c.mv, c.add
		return free && low
	}
	return w&3<<3|w>>13 == 0o26 // c.swsp
}

// piece writes straight code, a forward branch or jump, a loop, or a call.
func (d *drawing) piece(function, depth int) {
	switch kind := d.IntN(10); {
	case kind < 4 || depth > 3:
		d.plain()
	case kind < 6:
		d.branch(function, depth)
	case kind == 6 && depth == 0: // a loop of a few turns
		d.word(EncodeI(int32(1+d.IntN(4)), 0, 0, 4, 0x13))
		at := len(d.text)
		for range 1 + d.IntN(3) {
			d.piece(function, depth+2)
		}
		d.word(EncodeI(-1, 4, 0, 4, 0x13))
		d.word(EncodeB(int32(at-len(d.text)), 0, 4, 1))
	case kind == 7:
		d.jump()
	case kind == 8 && depth < 2:
		short := d.Compressed && d.coin()
		d.calls = append(d.calls, pendingJump{len(d.text), function + 1 + d.IntN(3), short})
		d.word(map[bool]uint32{true: shortNop, false: 0xFFFFFFFF}[short])
	default:
		d.plain()
	}
}

// branch writes a branch over some pieces.
func (d *drawing) branch(function, depth int) {
	at, short := len(d.text), d.Compressed && d.coin()
	d.word(map[bool]uint32{true: shortNop, false: 0xFFFFFFFF}[short])
	a, b, funct3 := d.anyRegister(), d.anyRegister(), [...]uint32{0, 1, 4, 5, 6, 7}[d.IntN(6)]
	for range d.IntN(3) {
		d.piece(function, depth+1)
	}
	switch by := int32(len(d.text) - at); {
	case !short:
		d.put(at, EncodeB(by, b, a, funct3))
	case by < 256:
		d.put(at, encodeShortB(by, 8+a&7, funct3&1))
	}
}

// jump writes a jump over some instructions: direct, or by x5.
func (d *drawing) jump() {
	at, short, links := len(d.text), d.Compressed && d.coin(), uint32(d.IntN(2))
	direct := d.coin()
	switch {
	case direct && short:
		d.word(shortNop)
	case direct:
		d.word(0xFFFFFFFF)
	default:
		d.word(5<<7 | 0x17) // auipc x5, 0
		d.word(0xFFFFFFFF)
		if short { // c.jr, c.jalr; ra was saved
			d.word(0x8002 | links<<12 | 5<<7)
		}
	}
	for range d.IntN(3) {
		d.plain()
	}
	switch by := int32(len(d.text) - at); {
	case direct && short:
		d.put(at, encodeShortJ(by, links != 0))
	case direct:
		d.put(at, EncodeJ(by, 6*links))
	case short:
		d.put(at+4, EncodeI(by, 5, 0, 5, 0x13))
	default:
		d.put(at+4, EncodeI(by|int32(links), 5, 0, 7*links, 0x67)) // jalr clears the lowest bit
	}
}

// start sets all registers.
func (d *drawing) start() {
	for n := uint32(1); n < 32; n++ {
		if d.coin() {
			d.word(d.Uint32()&0xFFFFF000 | n<<7 | 0x37)
		}
		d.word(EncodeI(d.small(), n*d.Uint32N(2), 0, n, 0x13))
	}
	d.word((stack+ramBytes/2)&0xFFFFF000 | 2<<7 | 0x37)
	d.word(EncodeI(-ramBytes/2, 2, 0, 2, 0x13))
	d.word(RAMFrom | 3<<7 | 0x37)
	d.word(EncodeI(data-RAMFrom, 3, 0, 3, 0x13))
}

// Draw returns the program of a seed.
func Draw(seed uint64, o Options) Program {
	d := &drawing{Rand: rand.New(rand.NewPCG(seed, 32)), Options: o}
	count := 2 + d.IntN(4)
	for function := range count {
		d.starts = append(d.starts, len(d.text))
		if function == 0 && o.Start {
			d.start()
		}
		d.word(EncodeI(-16, 2, 0, 2, 0x13))
		d.word(EncodeS(12, 1, 2, 2))
		d.word(EncodeS(8, 4, 2, 2))
		for range 3 + d.IntN(12) {
			d.piece(function, 0)
		}
		d.word(EncodeI(8, 2, 2, 4, 0x03))
		d.word(EncodeI(12, 2, 2, 1, 0x03))
		d.word(EncodeI(16, 2, 0, 2, 0x13))
		if function == 0 {
			d.word(WaitWord)
		}
		d.word(returnWord)
	}
	for _, c := range d.calls { // a call beyond the last function is a nop
		if by := int32(0); c.function < count {
			by = int32(d.starts[c.function] - c.at)
			switch {
			case !c.short:
				d.put(c.at, EncodeJ(by, 1))
			case by < 2048:
				d.put(c.at, encodeShortJ(by, true))
			}
		} else if !c.short {
			d.put(c.at, EncodeI(0, 0, 0, 0, 0x13))
		}
	}
	p := Program{Text: d.text, RAM: make([]byte, ramBytes), Functions: d.starts}
	for k := range p.RAM {
		p.RAM[k] = byte(d.Uint32())
	}
	return p
}
