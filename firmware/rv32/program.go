package rv32

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"starloom/nic"
)

// stateBytes is the size of a processor's state before its RAM: registers, address of the next instruction, and the
// NIC's latches (state_t in shim/shim.c).
const stateBytes = 176

// Limits of programs.
const (
	// TextBytesMax limits executable sections, because the sandbox compiles about 14 times their size.
	TextBytesMax = 1 << 20
	// RAMBytesMax limits the RAM of each processor.
	RAMBytesMax = 1<<20 - stateBytes

	sharedMax  = 16 << 20 // text, constants and the gaps between them
	addressMax = 1<<32 - 1<<16
)

// windowFrom and windowTo bound the NIC's window and its FIFOs.
var windowFrom, windowTo = nic.WindowConstant("window"), nic.WindowConstant("fifo_end")

// Program is an executable in memory.
type Program struct {
	Entry  uint32
	Text   Range  // executable sections
	Shared Memory // text, constants, and initial values at the addresses from which a start routine copies them
	RAM    Memory // initial contents: data, zeros, stack

	Compressed bool // extension C: instructions begin at even addresses

	// StackBytesMax is the size of the stack in bytes, below which a processor traps; 0: the stack has no limit.
	StackBytesMax uint32

	stackTop  uint32     // 0: the end of the RAM
	functions []function // in order, without gaps, over Text
	symbols   map[string]uint32
	lines     lines
}

// Range is a range of addresses.
type Range struct{ From, To uint32 }

func (r Range) has(address uint32) bool { return address >= r.From && address < r.To }
func (r Range) bytes() uint32           { return r.To - r.From }

// Memory is the content of an address range that begins at From.
type Memory struct {
	From  uint32
	Bytes []byte
}

func (m *Memory) at(address, bytes uint32) []byte {
	at := address - m.From
	if uint64(at)+uint64(bytes) > uint64(len(m.Bytes)) {
		return nil
	}
	return m.Bytes[at:][:bytes]
}

type function struct {
	Range
	name string
}

// Is reports whether a file begins with the ELF magic number.
func Is(file []byte) bool { return bytes.HasPrefix(file, []byte(elf.ELFMAG)) }

// Load reads a statically linked, little-endian ELF for RV32I, RV32IM or RV32IMC. Errors name the remedy.
func Load(file []byte) (*Program, error) {
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("broken ELF: %w; link it again", err)
	}
	defer f.Close()
	if err := checkKind(f); err != nil {
		return nil, err
	}
	p := &Program{Entry: uint32(f.Entry), symbols: map[string]uint32{}}
	flags := binary.LittleEndian.Uint32(file[36:]) // e_flags
	p.Compressed = flags&1 != 0
	if flags&6 != 0 {
		return nil, errors.New("uses the floating-point calling convention; compile with -mabi=ilp32")
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("has no symbols, which are needed to find functions: %w; do not strip it", err)
	}
	for _, s := range symbols {
		if s.Name != "" {
			p.symbols[s.Name] = uint32(s.Value)
		}
	}
	if err := p.place(f); err != nil {
		return nil, err
	}
	p.findFunctions(symbols)
	p.lines = readLines(f)
	return p, p.refuseForeign()
}

func checkKind(f *elf.File) error {
	switch {
	case f.Machine != elf.EM_RISCV || f.Class != elf.ELFCLASS32:
		return fmt.Errorf("is an ELF for %s, %s; only 32-bit RISC-V is translated: compile with --target=riscv32",
			f.Machine, f.Class)
	case f.Data != elf.ELFDATA2LSB:
		return errors.New("is big-endian; compile for little-endian RISC-V")
	case f.Type != elf.ET_EXEC:
		return fmt.Errorf("is not an executable (%s); link it statically, for fixed addresses", f.Type)
	case slices.ContainsFunc(f.Progs, isDynamic):
		return errors.New("is linked dynamically; link it with -static")
	}
	return nil
}

func isDynamic(p *elf.Prog) bool { return p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC }

type section struct {
	Range
	name string
	data []byte // nil: zeros
}

// place reads the sections that take memory: sections that the program may write are RAM, all others are shared.
func (p *Program) place(f *elf.File) error {
	var ram, shared []section
	p.Text = Range{From: ^uint32(0)}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Size == 0 {
			continue
		}
		one := section{Range{uint32(s.Addr), uint32(s.Addr + s.Size)}, s.Name, nil}
		if s.Addr > addressMax || s.Size > addressMax || s.Addr+s.Size > addressMax {
			return fmt.Errorf("section %s ends beyond the address %#x; correct the linker script", s.Name, uint32(addressMax))
		}
		if s.Type != elf.SHT_NOBITS {
			var err error
			if one.data, err = s.Data(); err != nil {
				return fmt.Errorf("section %s: %w; link it again", s.Name, err)
			}
		}
		switch {
		case s.Flags&elf.SHF_EXECINSTR != 0:
			p.Text.From, p.Text.To = min(p.Text.From, one.From), max(p.Text.To, one.To)
			shared = append(shared, one)
		case s.Flags&elf.SHF_WRITE != 0 || s.Type == elf.SHT_NOBITS:
			if ram = append(ram, one); one.data != nil {
				shared = append(shared, loadedFrom(f, one)...)
			}
		default:
			shared = append(shared, one)
		}
	}
	if p.Text.bytes() > TextBytesMax || p.Text.To == 0 {
		return fmt.Errorf("has %d bytes of text; at most %d are allowed, because the sandbox compiles about 14 times as "+
			"many; leave out functions that are not called (-ffunction-sections, --gc-sections)",
			p.Text.To-min(p.Text.From, p.Text.To), TextBytesMax)
	}
	p.Shared, p.RAM = join(shared), join(ram)
	if len(p.Shared.Bytes) == 0 || len(p.Shared.Bytes) > sharedMax {
		return fmt.Errorf("has text and constants too far apart: together they may span at most %d bytes; correct the "+
			"linker "+
			"script", sharedMax)
	}
	p.takeStack()
	return p.checkRAM(ram)
}

// loadedFrom returns the initial values of a section, at the address from which a start routine copies them.
func loadedFrom(f *elf.File, s section) []section {
	for _, part := range f.Progs {
		if part.Type == elf.PT_LOAD && part.Paddr != part.Vaddr && uint64(s.From) >= part.Vaddr &&
			uint64(s.To) <= part.Vaddr+part.Filesz {
			from := s.From - uint32(part.Vaddr) + uint32(part.Paddr)
			return []section{{Range{from, from + uint32(len(s.data))}, s.name, s.data}}
		}
	}
	return nil
}

// join combines sections into one range. The result has no bytes if the range is too large.
func join(sections []section) Memory {
	all := Range{From: ^uint32(0)}
	for _, s := range sections {
		all.From, all.To = min(all.From, s.From), max(all.To, s.To)
	}
	if len(sections) == 0 {
		return Memory{}
	}
	all.From &^= 15
	m := Memory{From: all.From}
	if all.bytes() > sharedMax {
		return m
	}
	m.Bytes = make([]byte, all.bytes())
	for _, s := range sections {
		copy(m.Bytes[s.From-all.From:], s.data)
	}
	return m
}

// stackSymbols are the symbols by which linker scripts name the end of the stack.
var stackSymbols = []string{"__stack", "__stack_top", "_stack_top", "_estack", "__stack_end", "_stack"}

// takeStack extends the RAM to the end of the stack.
func (p *Program) takeStack() {
	for _, name := range stackSymbols {
		top, ok := p.symbols[name]
		if !ok {
			continue
		}
		if top > p.RAM.From && top-p.RAM.From < sharedMax {
			p.stackTop = top
		}
		if bytes := uint32(len(p.RAM.Bytes)); bytes > 0 && top-p.RAM.From > bytes && top-p.RAM.From < sharedMax {
			p.RAM.Bytes = append(p.RAM.Bytes, make([]byte, top-p.RAM.From-bytes)...)
			return
		}
	}
}

func (p *Program) checkRAM(sections []section) error {
	if len(p.RAM.Bytes) > RAMBytesMax || len(sections) > 0 && len(p.RAM.Bytes) == 0 {
		var sizes []string
		for _, s := range sections {
			sizes = append(sizes, fmt.Sprintf("%s %d", s.name, s.bytes()))
		}
		return fmt.Errorf("takes %d bytes of RAM for each processor; at most %d are allowed (%s, and the stack up to the "+
			"symbol __stack); make its tables constant or smaller", len(p.RAM.Bytes), RAMBytesMax, strings.Join(sizes, ", "))
	}
	for len(p.RAM.Bytes)%16 != 0 {
		p.RAM.Bytes = append(p.RAM.Bytes, 0)
	}
	ram := Range{p.RAM.From, p.RAM.From + uint32(len(p.RAM.Bytes))}
	for _, other := range []struct {
		name string
		Range
	}{{"text and constants", Range{p.Shared.From, p.Shared.From + uint32(len(p.Shared.Bytes))}},
		{"the NIC's window", Range{windowFrom, windowTo}}} {
		if ram.From < other.To && other.From < ram.To {
			return fmt.Errorf("has RAM at %#x to %#x, which overlaps %s at %#x to %#x; give them separate addresses in the "+
				"linker script", ram.From, ram.To, other.name, other.From, other.To)
		}
	}
	return nil
}

// stackEnd returns the address at which the stack begins to grow downwards.
func (p *Program) stackEnd() uint32 {
	return cmp.Or(p.stackTop, p.RAM.From+uint32(len(p.RAM.Bytes)))
}

// fetch returns the instruction word at an address of the text.
func (p *Program) fetch(pc uint32) (word uint32, ok bool) {
	low := p.Shared.at(pc, 2)
	if low == nil || pc&1 != 0 || !p.Text.has(pc) || !p.Compressed && pc&3 != 0 {
		return 0, false
	}
	word = uint32(binary.LittleEndian.Uint16(low))
	if word&3 != 3 {
		return word, p.Compressed
	}
	high := p.Shared.at(pc+2, 2)
	if high == nil {
		return 0, false
	}
	return word | uint32(binary.LittleEndian.Uint16(high))<<16, true
}

// instruction decodes the instruction at an address; outside the text it is illegal.
func (p *Program) instruction(pc uint32) Instruction {
	word, ok := p.fetch(pc)
	if !ok {
		return Instruction{PC: pc, Size: 2 + 2*uint8(btoi(!p.Compressed))}
	}
	return Decode(word, pc)
}

// wide reports whether the instruction at an address spans two words, which a core fetches one after the other.
func (p *Program) wide(pc uint32) bool {
	word, ok := p.fetch(pc)
	return ok && pc&2 != 0 && word&3 == 3
}
