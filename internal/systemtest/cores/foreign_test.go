package cores

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/firmware/rv32"
	"starloom/firmware/rv32/rv32test"
	"starloom/internal/systemtest"
)

// foreign is a core whose RTL this repository does not contain.
type foreign struct {
	core   *rv32.Core
	source cosim.Source
}

// foreigners returns PicoRV32 and Ibex, with each measured set of parameters, from the clones picorv32 and ibex in a
// folder.
func foreigners(folder string) (all []foreign) {
	in := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(folder, name))
		}
		return paths
	}
	const prim = "ibex/vendor/lowrisc_ip/ip/prim/rtl/prim_"
	for k := range rv32.Cores() {
		core := &rv32.Cores()[k]
		s := cosim.Source{Top: core.Model + "_testbench", Clocks: []string{"clock"}}
		switch core.Model {
		case "picorv32":
			s.Files = append(in("picorv32/picorv32.v"), "internal/systemtest/cores/testdata/picorv32_testbench.v")
		case "ibex":
			s.Params = map[string]string{}
			for name, value := range core.Parameters {
				s.Params[name] = fmt.Sprint(value)
			}
			s.Files = append(in(prim+"util_pkg.sv", prim+"mubi_pkg.sv", prim+"cipher_pkg.sv", prim+"secded_pkg.sv",
				prim+"count_pkg.sv", "ibex/vendor/lowrisc_ip/ip/prim_generic/rtl/prim_ram_1p_pkg.sv",
				"ibex/rtl/ibex_cheriot_pkg.sv", "ibex/rtl/ibex_pkg.sv"),
				"internal/systemtest/cores/testdata/ibex_testbench.sv")
			s.IncludeDirs = in("ibex/rtl", "ibex/vendor/lowrisc_ip/ip/prim/rtl", "ibex/vendor/lowrisc_ip/ip/prim_generic/rtl",
				"ibex/vendor/lowrisc_ip/dv/sv/dv_utils")
		default:
			continue
		}
		all = append(all, foreign{core, s})
	}
	return all
}

// interval is an access to the NIC's window, with the cycles since the access before.
type interval struct {
	address, cycles uint32
	stores          bool
}

// intervals are the accesses of a run.
type intervals struct {
	all  []interval
	last uint64
}

func (x *intervals) add(address uint32, stores bool, cycle uint64) {
	x.all = append(x.all, interval{address &^ 3, uint32(cycle - x.last), stores})
	x.last = cycle
}

// interpreted returns the accesses of a program in the interpreter, in some turns.
func interpreted(p *rv32.Program, core *rv32.Core, turns, limit int, seed uint32) []interval {
	w := &window{seed: seed}
	c := rv32.NewProcessor(p, core, w)
	c.X[bootRegister] = p.Entry
	var found intervals
	for n := 0; n < limit && turns > 0; n++ {
		pc := c.PC
		start, accesses := c.Cycles, len(w.accesses)
		waits, err := c.Step()
		if len(w.accesses) > accesses {
			a := w.accesses[accesses]
			if core.Model == "picorv32" {
				start += two(c, pc) + two(c, pc+size(c, pc))
			}
			found.add(a.address, a.stores, start)
		}
		if err != nil {
			break
		}
		if waits {
			turns--
		}
	}
	return found.all
}

// size returns the bytes of the instruction at an address.
func size(c *rv32.Processor, pc uint32) uint32 {
	if b := c.Bytes(pc, 1); b != nil && b[0]&3 == 3 {
		return 4
	}
	return 2
}

// two returns 1 if the instruction at an address is in two words, otherwise 0.
func two(c *rv32.Processor, pc uint32) uint64 {
	return uint64(size(c, pc)/4) * uint64(pc>>1&1)
}

// run returns the first accesses of a program on the RTL.
func (b *bench) run(p *rv32.Program, accesses int, seed uint32) (found intervals) {
	m := memory{ram: rv32.Memory{From: p.RAM.From, Bytes: slices.Clone(p.RAM.Bytes)},
		shared: rv32.Memory{From: p.Shared.From, Bytes: awake(p)}, window: window{seed: seed}}
	b.set("reset", 1)
	for range 2 {
		if err := b.Edge(1); err != nil {
			panic(err)
		}
	}
	b.set("reset", 0)
	waited, idle := 0, 0
	for cycle := uint64(0); len(found.all) < accesses && idle < 100_000; cycle++ {
		idle++
		if b.on("fetch_o") {
			b.set("fetch_data_i", uint64(m.fetch(b.get("fetch_address_o"), p.Entry)))
		}
		b.set("ready_i", 0)
		if b.on("valid_o") {
			address, writes := b.get("address_o"), b.on("write_o")
			if waited == 0 && m.window.has(address) {
				found.add(address, writes, cycle)
				idle = 0
			}
			if waited++; waited > b.late {
				waited = 0
				word, _ := m.serve(address, b.get("bytes_o"), b.get("data_o"), writes, cycle)
				b.set("ready_i", 1)
				b.set("data_i", uint64(word))
			}
		}
		if err := b.Edge(1); err != nil {
			panic(err)
		}
	}
	return found
}

// The first instructions after reset clear the registers and jump to the program.
const bootFrom, bootRegister = 0x7000_0080, 5

// fetch reads a word of the text, or of the first instructions.
func (m *memory) fetch(address, entry uint32) uint32 {
	if n := (address - bootFrom) / 4; n < 31 {
		return rv32test.EncodeI(0, 0, 0, n+1, 0x13)
	} else if n < 33 {
		return []uint32{entry | bootRegister<<7 | 0x37, rv32test.EncodeI(0, bootRegister, 0, 0, 0x67)}[n-31]
	}
	var word uint32
	for k := range uint32(4) {
		if at := address + k - m.shared.From; at < uint32(len(m.shared.Bytes)) {
			word |= uint32(m.shared.Bytes[at]) << (8 * k)
		}
	}
	return word
}

// awake returns the text and constants of a program with a nop in place of each wfi.
func awake(p *rv32.Program) []byte {
	text := slices.Clone(p.Shared.Bytes)
	for at := int(p.Text.From - p.Shared.From); at+4 <= int(p.Text.To-p.Shared.From); at += 2 {
		if binary.LittleEndian.Uint32(text[at:]) == rv32test.WaitWord {
			binary.LittleEndian.PutUint32(text[at:], rv32test.EncodeI(0, 0, 0, 0, 0x13))
		}
	}
	return text
}

// drawnFor returns a random program with accesses to the window. PicoRV32 has no unaligned accesses.
func drawnFor(core *rv32.Core, seed uint64) *rv32.Program {
	d := rv32test.Draw(seed, rv32test.Options{Compressed: seed%4 != 0, Multiply: true, Window: true, Start: true,
		Aligned: core.Model == "picorv32"})
	return assembled(seed%4 != 0, d.Text, d.RAM)
}

const (
	frozenIntervals = "testdata/intervals.txt"
	frozenPrograms  = 100
)

// waits returns the numbers of cycles by which the data of a core arrives late.
func waits(core *rv32.Core) []int {
	if _, err := core.Late(1); err != nil {
		return []int{0}
	}
	return []int{0, 1, 3}
}

// TestFrozenIntervals: the cycles between the accesses of random programs to the window equal the table that
// TestForeignCores measured on PicoRV32 and Ibex.
func TestFrozenIntervals(t *testing.T) {
	frozen, err := os.ReadFile(filepath.Join("internal/systemtest/cores", frozenIntervals))
	require.NoError(t, err)
	_, lines, _ := strings.Cut(string(frozen), "\n\n")
	var got strings.Builder
	for _, f := range foreigners("") {
		for seed := range uint64(frozenPrograms) {
			late := waits(f.core)[seed%uint64(len(waits(f.core)))]
			all := interpreted(drawnFor(f.core, seed), later(t, f.core, late), 1, 20_000, uint32(seed)+1)
			got.WriteString(f.line(seed, late, all))
		}
	}
	require.Equal(t, lines, got.String())
}

// line is a line of the frozen table, "" without intervals.
func (f *foreign) line(seed uint64, late int, all []interval) string {
	if len(all) < 2 {
		return ""
	}
	text := f.core.Model
	for _, name := range slices.Sorted(maps.Keys(f.core.Parameters)) {
		text += fmt.Sprintf(" %s=%d", name, f.core.Parameters[name])
	}
	text += fmt.Sprintf(" data_wait=%d program %d:", late, seed)
	for k, i := range all {
		if k > 0 {
			text += fmt.Sprintf(" %d", i.cycles)
		}
	}
	return text + "\n"
}

// TestForeignCores runs programs on the RTL of PicoRV32 and Ibex, from clones picorv32 and ibex of their repositories
// in the folder STARLOOM_CORES. Every access to the window is that of the interpreter, after the same number of cycles.
func TestForeignCores(t *testing.T) {
	folder := os.Getenv("STARLOOM_CORES")
	if folder == "" {
		t.Skip("STARLOOM_CORES does not name a folder with clones of PicoRV32 and Ibex")
	}
	head := "Cycles between accesses to the window of random programs, measured on RTL by\n" +
		"STARLOOM_CORES=DIR go test ./internal/systemtest/cores -run TestForeignCores -update\n"
	for _, name := range []string{"picorv32", "ibex"} {
		commit, err := exec.Command("git", "-C", filepath.Join(folder, name), "rev-parse", "HEAD").Output()
		require.NoError(t, err)
		head += fmt.Sprintf("%s at commit %s", name, commit)
	}
	var lines strings.Builder
	for _, f := range foreigners(folder) {
		b, count := openSource(t, f.source), 0
		compare := func(p *rv32.Program, turns int, seed uint32, place string) []interval {
			want := interpreted(p, later(t, f.core, b.late), turns, 50_000, seed)
			got := b.run(p, len(want), seed).all
			require.Len(t, got, len(want), place)
			for k := 1; k < len(want); k++ {
				require.Equal(t, want[k], got[k], "%s, data_wait %d, access %d", place, b.late, k)
			}
			count += max(len(want)-1, 0)
			return got
		}
		for seed := range uint64(300) {
			b.late = waits(f.core)[seed%uint64(len(waits(f.core)))]
			got := compare(drawnFor(f.core, seed), 1, uint32(seed)+1, fmt.Sprintf("program %d", seed))
			if seed < frozenPrograms {
				lines.WriteString(f.line(seed, b.late, got))
			}
		}
		random := count
		for _, source := range []string{"internal/systemtest/cores/testdata/kernels.c", "examples/languages/c/router.c"} {
			for _, way := range [][2]string{{"rv32im", "2"}, {"rv32imc", "2"}, {"rv32imc", "s"}} {
				for compiler, path := range built(t, source, way[0], way[1]) {
					file, err := os.ReadFile(path)
					require.NoError(t, err)
					p, err := rv32.Load(file)
					require.NoError(t, err)
					for _, b.late = range waits(f.core) {
						compare(p, 9, 0, fmt.Sprintf("%s with %s -O%s by %s", source, way[0], way[1], compiler))
					}
				}
			}
		}
		t.Logf("%s %v: %d intervals of random programs, %d of compiled programs", f.core.Model, f.core.Parameters, random,
			count-random)
	}
	if *systemtest.Update {
		require.NoError(t, os.WriteFile(filepath.Join("internal/systemtest/cores", frozenIntervals),
			[]byte(head+"\n"+lines.String()), 0o644))
	}
}
