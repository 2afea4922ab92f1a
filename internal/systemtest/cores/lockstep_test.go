// Package cores compares RTL of processor cores with the interpreter and the timing of package rv32.
package cores

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/verilator"
	"starloom/firmware/rv32"
	"starloom/firmware/rv32/rv32test"
)

const coreFolder = "examples/rtl/rv32_multicycle/"

var (
	coreFiles = []string{"rv32_multicycle.v", "rv32_decompress.v", "rv32_decode.v", "rv32_alu.v"}
	testbench = "internal/systemtest/cores/testdata/rv32_testbench.v"
)

// bench is the core in its testbench.
type bench struct {
	cosim.Device
	ports map[string]cosim.Port
	late  int // cycles by which memory is later than in the second cycle of an access

	dataOnly bool // only loads and stores are late, and their late cycles count
	limit    int  // instructions of a program that does not end
}

// open builds and opens a module of Verilog without random values in its registers.
func open(t testing.TB, top string, files ...string) *bench {
	s := cosim.Source{Top: top, Files: files}
	if top == "rv32_testbench" {
		s.Clocks = []string{"clock"}
	}
	return openSource(t, s)
}

func openSource(t testing.TB, s cosim.Source) *bench {
	c, err := verilator.Build(context.Background(), s, cosim.BuildOptions{})
	require.NoError(t, err)
	b := &bench{limit: 1_000_000, ports: map[string]cosim.Port{}}
	b.Device, err = verilator.Open(c, cosim.Options{})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, b.Close())
		require.NoError(t, c.Close())
	})
	for _, p := range b.Ports() {
		b.ports[p.Name] = p
	}
	return b
}

// openCore opens the core with its files from a folder.
func openCore(t testing.TB, folder string) *bench {
	return open(t, "rv32_testbench", sources(folder)...)
}

func sources(folder string) []string {
	files := []string{testbench}
	for _, f := range coreFiles {
		files = append(files, filepath.Join(folder, f))
	}
	return files
}

func (b *bench) set(name string, value uint64) { b.Inputs()[b.ports[name].Word] = value }
func (b *bench) get(name string) uint32        { return uint32(b.Outputs()[b.ports[name].Word]) }
func (b *bench) on(name string) bool           { return b.get(name) != 0 }

func (b *bench) register(n int) uint32 {
	return uint32(b.Outputs()[b.ports["registers_o"].Word+(n-1)/2] >> (32 * ((n - 1) % 2)))
}

// access is an access to the NIC's window. It ends with a cycle.
type access struct {
	address, bytes, value uint32
	stores                bool
	cycle                 uint64
}

// window is a NIC's window whose registers have a new random value at each load.
type window struct {
	accesses []access
	seed     uint32
}

var errNowhere = errors.New("nothing is at this address")

func (w *window) word(address uint32) uint32 {
	if w.seed == 0 { // plausible values of a NIC: one frame
		values := map[uint32]uint32{0: 5, 4: 16, 8: uint32(len(w.accesses)) / 8, 16: 2, 20: 1, 24: 1, 32: 4, 100: 4}
		return values[address&^3-0x40000000]
	}
	x := (uint32(len(w.accesses))+w.seed)*0x9E3779B1 ^ address>>2*0x85EBCA77
	x ^= x >> 15
	return x*0x2C1B3C6D ^ x>>12
}

func (w *window) Load(address, bytes uint32) (uint32, error) {
	if !w.has(address) {
		return 0, errNowhere
	}
	value := w.word(address) >> (8 * (address & 3)) & uint32(1<<(8*bytes)-1)
	w.accesses = append(w.accesses, access{address, bytes, value, false, 0})
	return value, nil
}

func (w *window) Store(address, bytes, value uint32) error {
	if !w.has(address) {
		return errNowhere
	}
	w.accesses = append(w.accesses, access{address, bytes, value & uint32(1<<(8*bytes)-1), true, 0})
	return nil
}

func (w *window) Deep() error { return nil }

func (w *window) has(address uint32) bool { return address >= 0x40000000 && address < 0x46000000 }

// memory is what the core's bus reaches.
type memory struct {
	ram, shared rv32.Memory
	window      window
}

// serve answers an access of the bus. Reads and writes of bytes outside memory fail, but text may end within a word.
func (m *memory) serve(address, lanes, data uint32, writes bool, cycle uint64) (word uint32, ok bool) {
	if m.window.has(address) {
		first := uint32(bits.TrailingZeros32(lanes))
		at, count := address+first, uint32(bits.OnesCount32(lanes))
		if writes {
			_ = m.window.Store(at, count, data>>(8*first))
		} else {
			word = m.window.word(address)
			_, _ = m.window.Load(at, count)
		}
		m.window.accesses[len(m.window.accesses)-1].cycle = cycle
		return word, true
	}
	for k := range uint32(4) {
		part, from := m.ram, address+k-m.ram.From
		if from >= uint32(len(part.Bytes)) && !writes {
			part, from = m.shared, address+k-m.shared.From
		}
		if lanes>>k&1 == 0 || from >= uint32(len(part.Bytes)) {
			continue
		}
		ok = true
		if writes {
			part.Bytes[from] = byte(data >> (8 * k))
		}
		word |= uint32(part.Bytes[from]) << (8 * k)
	}
	return word, ok
}

// lockstep is a core and the interpreter with the same program.
type lockstep struct {
	*bench
	memory
	reference *rv32.Processor
	window    window // of the reference
	cycles    uint64 // without those by which memory is late, unless they count
	waited    int    // cycles of the access so far
}

// compare runs a program for some turns, and compares registers, memory, program counter and cycles after every
// instruction, and all accesses to the window. It returns the number of instructions.
func (b *bench) compare(p *rv32.Program, core *rv32.Core, turns int, seed uint32) (instructions int, err error) {
	l := &lockstep{bench: b}
	l.reference = rv32.NewProcessor(p, core, &l.window)
	l.ram = rv32.Memory{From: p.RAM.From, Bytes: append([]byte(nil), p.RAM.Bytes...)}
	l.shared = p.Shared
	l.memory.window.seed, l.window.seed = seed, seed
	b.set("reset", 1)
	for range 2 {
		if err := b.Edge(1); err != nil {
			return 0, err
		}
	}
	b.set("reset", 0)
	for n := 1; n < 32; n++ {
		l.reference.X[n] = b.register(n) // reset leaves the registers alone
	}
	for idle := 0; turns > 0 && instructions < b.limit; idle++ {
		waits := b.on("waits_o")
		if err := l.cycle(); err != nil {
			return instructions, err
		}
		if waits {
			idle = 0
		}
		if !b.on("retired_o") {
			if b.on("trap_o") {
				return instructions, l.trapped()
			}
			if idle > 100+10*b.late {
				return instructions, fmt.Errorf("no instruction ends after cycle %d", l.cycles)
			}
			continue
		}
		idle = 0
		instructions++
		at := l.reference.PC
		waiting, err := l.reference.Step()
		if err == nil {
			err = l.differs(waiting)
		}
		if err != nil {
			word := binary.LittleEndian.Uint32(append(l.reference.Bytes(at, 4), 0, 0, 0, 0))
			return instructions, fmt.Errorf("instruction %d, %#x at %#x: %w", instructions, word, at, err)
		}
		if waiting {
			turns--
		}
	}
	return instructions, nil
}

// cycle runs a clock cycle, which counts unless the core waits for its next turn.
func (l *lockstep) cycle() error {
	waits := l.on("waits_o")
	l.set("wake_i", 0)
	if waits {
		l.set("wake_i", 1)
	} else {
		l.cycles++
	}
	l.set("ready_i", 0)
	l.set("error_i", 0)
	if l.on("valid_o") {
		late := l.late
		if l.dataOnly && l.on("fetch_o") {
			late = 0
		}
		if l.waited++; l.waited > 1+late {
			if !l.dataOnly {
				l.cycles -= uint64(late)
			}
			word, ok := l.serve(l.get("address_o"), l.get("bytes_o"), l.get("data_o"), l.on("write_o"), l.cycles)
			ok = ok && (!l.on("fetch_o") || l.get("address_o")-l.shared.From < uint32(len(l.shared.Bytes)))
			l.waited = 0
			l.set("ready_i", 1)
			l.set("data_i", uint64(word))
			if !ok {
				l.set("error_i", 1)
			}
		}
	}
	return l.Edge(1)
}

// differs returns an error if core and interpreter differ after an instruction.
func (l *lockstep) differs(waiting bool) error {
	r := l.reference
	for n := 1; n < 32; n++ {
		if got := l.register(n); got != r.X[n] {
			return fmt.Errorf("x%d is %#x, the interpreter has %#x", n, got, r.X[n])
		}
	}
	switch {
	case l.get("pc_o") != r.PC:
		return fmt.Errorf("next is %#x, the interpreter has %#x", l.get("pc_o"), r.PC)
	case l.cycles != r.Cycles:
		return fmt.Errorf("cycle %d, the interpreter has %d", l.cycles, r.Cycles)
	case l.on("waits_o") != waiting:
		return fmt.Errorf("waits: %v, the interpreter: %v", l.on("waits_o"), waiting)
	case !bytes.Equal(l.ram.Bytes, r.RAM):
		return fmt.Errorf("memory differs")
	case len(l.memory.window.accesses) != len(l.window.accesses):
		return fmt.Errorf("%d accesses to the window, the interpreter had %d", len(l.memory.window.accesses),
			len(l.window.accesses))
	}
	if n := len(l.window.accesses) - 1; n >= 0 {
		if l.window.accesses[n].cycle == 0 {
			l.window.accesses[n].cycle = r.Cycles
		}
		if got := l.memory.window.accesses[n]; got != l.window.accesses[n] {
			return fmt.Errorf("access %+v to the window, the interpreter had %+v", got, l.window.accesses[n])
		}
	}
	return nil
}

// trapped returns an error unless the interpreter traps at the same instruction.
func (l *lockstep) trapped() error {
	at := l.get("pc_o")
	if _, err := l.reference.Step(); err == nil || at != l.reference.PC {
		return fmt.Errorf("trap at %#x, the interpreter is at %#x: %v", at, l.reference.PC, err)
	}
	return nil
}

// drawn returns a random program for the core.
func drawn(seed uint64, compressed bool) *rv32.Program {
	d := rv32test.Draw(seed, rv32test.Options{Compressed: compressed, Window: true, Start: true})
	return assembled(compressed, d.Text, d.RAM)
}

func assembled(compressed bool, text, ram []byte) *rv32.Program {
	return &rv32.Program{Entry: rv32test.TextFrom, Compressed: compressed,
		Text:   rv32.Range{From: rv32test.TextFrom, To: rv32test.TextFrom + uint32(len(text))},
		Shared: rv32.Memory{From: rv32test.TextFrom, Bytes: text}, RAM: rv32.Memory{From: rv32test.RAMFrom, Bytes: ram}}
}

func multicycle(t testing.TB) *rv32.Core {
	core, err := rv32.NewCore("rv32-multicycle", nil)
	require.NoError(t, err)
	return core
}
