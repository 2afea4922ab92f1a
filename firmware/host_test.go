package firmware

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware/wasm"
	"starloom/hw"
	"starloom/nic"
)

func newHost(t testing.TB, runtime string) *Host {
	host, err := NewHost(context.Background(), runtime)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, host.Close()) })
	return host
}

func config(cells int) nic.BankConfig {
	return nic.BankConfig{
		Cells: cells, Processors: cells, Shape: [nic.ShapeWords]uint32{uint32(cells), 1}, Ports: cells,
		Sizes: nic.Sizes{PayloadBytes: 8, RxFrames: 2, TxFrames: 2}, Seed: 7,
	}
}

// TestBuildRefuses: an image that violates the ABI is never written; the error has reason and remedy.
func TestBuildRefuses(t *testing.T) {
	for source, want := range map[string]string{
		"no_exports.c":       "does not export starloom_abi; use STARLOOM_FIRMWARE of starloom.h, once, in one of its sources",
		"wrong_abi.c":        "built for ABI version 99, but this Starloom has version 3; run it with the Starloom for which it was built, or build the image again with its starloom.h",
		"wrong_signature.c":  "exports starloom_slot as (i64) -> (), but the ABI has 2 i32 parameters and 0 results",
		"unknown_import.c":   "imports the function env.open_file, which is not in the ABI; allowed: starloom.assert, starloom.deliver, starloom.fail, starloom.log, starloom.logf, starloom.probe and starloom.result",
		"asks_for_files.c":   "imports wasi_snapshot_preview1.fd_read, which firmware may not use: it has no files",
		"bad_param.c":        "parameter \"retries\": write name=default",
		"probe_twice.c":      "has two probes \"held\"; rename one",
		"probe_name.c":       "probe \"held[0]\": write a letter or _",
		"result_twice.c":     "has two results \"hops\"; rename one in STARLOOM_RESULTS",
		"result_name.c":      "result \"1st\": write a letter or _, then letters, digits and _ in STARLOOM_RESULTS",
		"param_twice.c":      "has two parameters \"k\"; rename one",
		"huge_data.c":        "has 300 MiB of its own data; at most 256 are allowed",
		"just_too_large.c":   "has 262208 KiB of its own data; at most 262144 are allowed",
		"unasked_register.c": "define STARLOOM_TX_STATUS before starloom.h is included",
		"unasked_rom.c":      "define STARLOOM_ROM before starloom.h is included",
		"unasked_tag.c":      "define STARLOOM_TAGS before starloom.h is included",
		"unasked_list.c":     "define STARLOOM_REQUESTS before starloom.h is included",
		"syntax_error.c":     "does not compile",
		"missing.c":          "no such file",
		"grows_table.wasm":   "not a C or C++ source",
	} {
		t.Run(source, func(t *testing.T) {
			output := filepath.Join(t.TempDir(), "out.wasm")
			err := Build(context.Background(), BuildOptions{Source: filepath.Join("testdata", source), Output: output})
			require.ErrorContains(t, err, want)
			entries, err := os.ReadDir(filepath.Dir(output))
			require.NoError(t, err)
			require.Empty(t, entries, "nothing may be left over")
		})
	}
}

// TestBuildWarns: a warning is shown and is not an error; messages name headers as the source does.
func TestBuildWarns(t *testing.T) {
	build := func(source string) (string, error) {
		path := filepath.Join(t.TempDir(), "warns.c")
		require.NoError(t, os.WriteFile(path, []byte(source), 0o644))
		var warnings bytes.Buffer
		err := Build(context.Background(), BuildOptions{Source: path, Warnings: &warnings})
		return warnings.String(), err
	}
	const frame = `#include "starloom.h"
typedef struct { uint32_t x; } state_t;
static void on_start(sl_nic *nic, state_t *s) {}
static void on_slot(sl_nic *nic, state_t *s) { %s }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`
	warnings, err := build(fmt.Sprintf(frame, "sl_done(nic);"))
	require.NoError(t, err)
	require.Empty(t, warnings, "a handler need not use what it is given")
	warnings, err = build(fmt.Sprintf(frame, "int unused; sl_done(nic);"))
	require.NoError(t, err)
	require.Contains(t, warnings, "warns.c:4:52: warning: unused variable 'unused'")
	for code, want := range map[string]string{
		"sl_dnoe(nic);":                          " function 'sl_dnoe'", // an implicit declaration of it, from clang 16 on a call to it
		"int":                                    "warns.c:4:52: error: ",
		"void missing(void); missing();":         "undefined symbol: missing\nfirmware is freestanding, without a C or C++ library: define the symbol, or add the source that defines it",
		"}\n#include <string.h>\nvoid f(void) {": "warns.c:5:10: fatal error: 'string.h' file not found",
		"}\n# include <vector>\nvoid f(void) {":  "__builtin_memset and __builtin_memcpy",
		"}\n#include \"own.h\"\nvoid f(void) {":  "give the header's folder with -I",
		"static int wide[64]; __builtin_memset(wide, s->x, sizeof wide);": "",
	} {
		_, err := build(fmt.Sprintf(frame, code))
		if want == "" {
			require.NoError(t, err, code)
			continue
		}
		require.ErrorContains(t, err, want, code)
		links := !strings.HasPrefix(want, "undefined symbol")
		require.Equal(t, links, strings.Contains(err.Error(), "warns.c does not compile"), "%v", err)
		require.Equal(t, !links, strings.Contains(err.Error(), "warns.c does not link"), "%v", err)
		require.NotContains(t, err.Error(), "starloom-build-")
		require.NotContains(t, err.Error(), "image0.o")
	}
}

func TestBuildOptions(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	main := write("main.c", `#include "starloom.h"
#include "table.h"
typedef struct { uint32_t x; } state_t;
static void on_start(sl_nic *nic, state_t *s) { s->x = table(DEPTH); }
static void on_slot(sl_nic *nic, state_t *s) { sl_probe(nic, 0, s->x); }
STARLOOM_PROBES("x")
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`)
	table := write("table.cc", `#include "table.h"
uint32_t table(uint32_t k) { return k * FACTOR; }
`)
	write("include/table.h", `#include <stdint.h>
#ifdef __cplusplus
extern "C"
#endif
uint32_t table(uint32_t k);
`)
	var sizes []int
	for _, level := range []string{"", "2", "0"} {
		output := filepath.Join(dir, "out.wasm")
		require.NoError(t, Build(t.Context(), BuildOptions{
			Source: main, More: []string{table}, Output: output, Level: level,
			Define: []string{"DEPTH=6", "FACTOR=7"}, Include: []string{filepath.Join(dir, "include")},
		}))
		binary, err := os.ReadFile(output)
		require.NoError(t, err)
		require.NotContains(t, string(binary), dir, "no path of the machine is in an image")
		sizes = append(sizes, len(binary))
		image, err := newHost(t, "compiler").Load("main.c", binary)
		require.NoError(t, err)
		in, err := image.NewInstance(config(1))
		require.NoError(t, err)
		in.Start()
		in.Slot(all(in), 0)
		require.EqualValues(t, 42, in.Probes()[0])
	}
	require.Equal(t, sizes[0], sizes[1])
	require.NotEqual(t, sizes[1], sizes[2])
	for want, o := range map[string]BuildOptions{
		"-O 4: unknown level: give one of 0, 1, 2, 3, s, z": {Source: main, Level: "4"},
		"-D 4=5: not a macro: give NAME or NAME=VALUE":      {Source: main, Define: []string{"4=5"}},
		"nowhere: not a folder":                             {Source: main, Include: []string{filepath.Join(dir, "nowhere")}},
		"given twice":                                       {Source: main, More: []string{main}},
		"does not compile":                                  {Source: main, Define: []string{"DEPTH=6"}},
	} {
		require.ErrorContains(t, Build(t.Context(), o), want)
	}
}

func TestBuildKeepsItsSource(t *testing.T) {
	source := filepath.Join(t.TempDir(), "draws.c")
	text, err := os.ReadFile("testdata/draws.c")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(source, text, 0o644))
	require.ErrorContains(t, Build(context.Background(), BuildOptions{Source: source, Output: source}), "would replace its source")
	kept, err := os.ReadFile(source)
	require.NoError(t, err)
	require.Equal(t, text, kept)
}

// TestBuildRunsNoOptimiser: clang's driver runs wasm-opt on its own where binaryen is
// installed; an image has the same bytes with it.
func TestBuildRunsNoOptimiser(t *testing.T) {
	plain, err := os.ReadFile(build(t, "testdata/draws.c"))
	require.NoError(t, err)
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "wasm-opt"), []byte("#!/bin/sh\n: >"+ran+"\n"), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	beside, err := os.ReadFile(build(t, "testdata/draws.c"))
	require.NoError(t, err)
	require.True(t, bytes.Equal(plain, beside))
	require.NoFileExists(t, ran)
}

func TestBuildNeedsTools(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := Build(context.Background(), BuildOptions{Source: "testdata/draws.c", Output: filepath.Join(t.TempDir(), "out.wasm")})
	require.ErrorContains(t, err, "install the packages clang and lld")
}

func TestLoadRefusesBrokenModules(t *testing.T) {
	host := newHost(t, "compiler")
	good, err := ProgramImage("pops/random")
	require.NoError(t, err)
	// Takes 4 GiB of the host's memory in starloom_abi, by table.grow.
	table, err := os.ReadFile("testdata/grows_table.wasm")
	require.NoError(t, err)
	for name, wasm := range map[string][]byte{
		"table":     table,
		"empty":     nil,
		"text":      []byte("int main(void) { return 0; }"),
		"truncated": good[:len(good)/2],
		"header":    good[:8],
	} {
		t.Run(name, func(t *testing.T) {
			_, err := host.Load(name, wasm)
			require.Error(t, err)
		})
	}
}

func FuzzLoad(f *testing.F) {
	good, err := ProgramImage("pops/random")
	require.NoError(f, err)
	f.Add(good, 100, byte(0))
	host, err := NewHost(context.Background(), "interpreter")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, wasm []byte, at int, value byte) {
		if len(wasm) > 0 {
			wasm = append([]byte(nil), wasm...)
			wasm[uint(at)%uint(len(wasm))] = value
		}
		if img, err := host.Load("fuzz", wasm); err == nil {
			_, _ = img.NewInstance(config(4))
		}
	})
}

func TestWildBankIsRefused(t *testing.T) {
	path := build(t, "testdata/wild_bank.c")
	wasm, err := os.ReadFile(path)
	require.NoError(t, err)
	image, err := newHost(t, "compiler").Load("wild", wasm)
	require.NoError(t, err)
	_, err = image.NewInstance(config(4))
	require.ErrorContains(t, err, "outside the memory")
}

func build(t testing.TB, source string) string {
	output := filepath.Join(t.TempDir(), "image.wasm")
	require.NoError(t, Build(context.Background(), BuildOptions{Source: source, Output: output}))
	return output
}

func all(in Instance) (cells []uint32) {
	for cell := range in.Bank().Cells {
		cells = append(cells, uint32(cell))
	}
	return cells
}

// TestDrawsAgree compares sl_random in the sandbox with hw.Stream, in both runtimes.
func TestDrawsAgree(t *testing.T) {
	wasm, err := os.ReadFile(build(t, "testdata/draws.c"))
	require.NoError(t, err)
	for _, runtime := range Runtimes {
		image, err := newHost(t, runtime).Load("draws", wasm)
		require.NoError(t, err)
		stream := hw.NewStream(12345, hw.PurposeFirmware)
		c := config(50)
		c.First, c.Processors, c.Seed = 1000, 2000, uint64(stream)
		in, err := image.NewInstance(c)
		require.NoError(t, err)
		in.Start()
		for _, slot := range []uint32{0, 1, 77, 1 << 31} {
			in.Slot(all(in), slot)
			for cell := range c.Cells {
				processor := uint32(c.First + cell)
				require.EqualValues(t, stream.Draw(processor, slot, 0), in.Probes()[2*cell])
				require.EqualValues(t, hw.Below(stream.Draw(processor, slot, 1), 1000), in.Probes()[2*cell+1])
			}
		}
	}
}

// TestChancesAgree compares sl_chance and sl_random_bits with the draws of hw.Stream: each is one draw.
func TestChancesAgree(t *testing.T) {
	wasm, err := os.ReadFile(build(t, "testdata/chances.c"))
	require.NoError(t, err)
	image, err := newHost(t, Runtimes[0]).Load("chances", wasm)
	require.NoError(t, err)
	stream := hw.NewStream(7, hw.PurposeFirmware)
	c := config(50)
	c.Seed = uint64(stream)
	in, err := image.NewInstance(c)
	require.NoError(t, err)
	in.Start()
	hits := 0
	for slot := range uint32(100) {
		in.Slot(all(in), slot)
		for cell := range c.Cells {
			processor, probes := uint32(c.First+cell), in.Probes()[3*cell:]
			chance := hw.Below(stream.Draw(processor, slot, 0), 10) < 3
			require.Equal(t, chance, probes[0] == 1)
			require.EqualValues(t, stream.Draw(processor, slot, 1)&31, probes[1])
			require.Zero(t, probes[2])
			hits += int(probes[0])
		}
	}
	require.InDelta(t, 1500, hits, 160) // 5000 draws with probability 0.3: 5 standard deviations
}

func TestSlotAllocatesNothing(t *testing.T) {
	wasm, err := ProgramImage("pops/random")
	require.NoError(t, err)
	image, err := newHost(t, "compiler").Load("pops/random", wasm)
	require.NoError(t, err)
	in, err := image.NewInstance(config(64))
	require.NoError(t, err)
	in.Start()
	slot, cells := uint32(0), all(in)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		in.Slot(cells, slot)
		slot++
	}))
}

func TestResetRestoresEverything(t *testing.T) {
	wasm, err := ProgramImage("pops/random")
	require.NoError(t, err)
	image, err := newHost(t, "compiler").Load("pops/random", wasm)
	require.NoError(t, err)
	in, err := image.NewInstance(config(16))
	require.NoError(t, err)
	run := func() []byte {
		in.Start()
		for slot := range uint32(7) {
			in.Slot(all(in), slot)
		}
		return append([]byte(nil), in.Memory()...)
	}
	first := run()
	in.Reset(7)
	require.Equal(t, first, run())
}

func bank(t testing.TB, source string, cells int) (Instance, error) {
	wasm, err := os.ReadFile(build(t, filepath.Join("testdata", source)))
	require.NoError(t, err)
	image, err := newHost(t, "compiler").Load(source, wasm)
	require.NoError(t, err)
	return image.NewInstance(config(cells))
}

// TestImageWithData: an image's data does not count against the memory of its bank, even for a small bank.
func TestImageWithData(t *testing.T) {
	in, err := bank(t, "large_data.c", 1)
	require.NoError(t, err)
	in.Start()
	in.Slot(all(in), 0)
	require.Empty(t, in.TakeEvents())
	require.NotZero(t, in.Bank().Registers[0].Flags&nic.FlagDone)
}

func TestAttachMayNotGiveUp(t *testing.T) {
	_, err := bank(t, "attach_talks.c", 4)
	require.ErrorContains(t, err, "starloom_attach traps: gave up with code 9")
}

// TestFailDoesNotReturn: the host ends the handler, regardless of the code after the call, and a neighbour's trap
// stays separate.
func TestFailDoesNotReturn(t *testing.T) {
	in, err := bank(t, "goes_on.c", 4)
	require.NoError(t, err)
	in.Start()
	in.Slot(all(in), 0)
	events := in.TakeEvents()
	require.Len(t, events, 2)
	require.Equal(t, EventFail, events[0].Kind)
	require.Equal(t, 0, events[0].Cell)
	require.Equal(t, "7", events[0].Text)
	require.Contains(t, events[0].Source, "goes_on.c:")
	require.Equal(t, EventTrap, events[1].Kind)
	require.Equal(t, 2, events[1].Cell)
	for cell, r := range in.Bank().Registers {
		require.Equal(t, cell%2 == 1, r.Flags&nic.FlagDone != 0)
	}
}

// TestCellFailsOnce overwrites the descriptor: no handler of the bank can run, and each processor is reported once,
// not in every slot.
func TestCellFailsOnce(t *testing.T) {
	in, err := bank(t, "wrecked.c", 4)
	require.NoError(t, err)
	in.Start()
	failed := 0
	for slot := range uint32(10) {
		in.Slot(all(in), slot)
		failed += len(in.TakeEvents())
	}
	require.Equal(t, 4, failed)
}

// TestTalkIsBounded: a processor's limit of events per slot does not depend on its bank, and a log line is one line.
func TestTalkIsBounded(t *testing.T) {
	const cells = 300
	together, err := bank(t, "chatters.c", cells)
	require.NoError(t, err)
	alone, err := bank(t, "chatters.c", 1)
	require.NoError(t, err)
	count := func(in Instance) (lines, lost, deliveries int) {
		in.Slot(all(in), 0)
		for _, e := range in.TakeEvents() {
			switch e.Kind {
			case EventLog:
				require.Equal(t, `one\x0atwo\x1b[2J three`, e.Text)
				lines++
			case EventLogFull:
				lost += e.Lines
			case EventDeliver:
				deliveries++
			}
		}
		return lines, lost, deliveries
	}
	for range 2 {
		lines, lost, deliveries := count(alone)
		require.Equal(t, []int{logLinesPerCellMax, 100 - logLinesPerCellMax, deliveriesPerCellMax},
			[]int{lines, lost, deliveries})
		lines, lost, deliveries = count(together)
		require.Equal(t, []int{logLinesPerCellMax * cells, (100 - logLinesPerCellMax) * cells, deliveriesPerCellMax * cells},
			[]int{lines, lost, deliveries})
	}
}

// TestParseTrap: names with parentheses, as C++, Go and AssemblyScript have them, and
// images without names.
func TestParseTrap(t *testing.T) {
	const head = "wasm error: unreachable\nwasm stack trace:\n"
	for _, c := range []struct{ trace, function string }{
		{"\t.on_slot(i32,i32)\n\t.starloom_slot(i32,i32)", "on_slot"},
		{"\t.main.(*Router).Slot(i32) (i32,i64)", "main.(*Router).Slot"},
		{"\t.(anonymous namespace)::slot(i32,i32) i32", "(anonymous namespace)::slot"},
		{"\t.(anonymous)()", "(anonymous)"},
		{"\tstarloom.fail(i32)\n\t.~lib/rt/abort(i32) i32", "~lib/rt/abort"},
		{"\t.$3(i32)", "$3"},
		{"\tstarloom.log(i32,i32)", ""},
	} {
		reason, function, _, _ := new(Image).parseTrap(errors.New(head + c.trace))
		require.Equal(t, "unreachable", reason)
		require.Equal(t, c.function, function, c.trace)
	}
}

// TestParseTrapWithoutTheMeter: the entry point of a metered copy, whose name varies, is in no backtrace, nor is its
// line if the trace is full.
func TestParseTrapWithoutTheMeter(t *testing.T) {
	const trace = "wasm error: unreachable\nwasm stack trace:\n\t.on_slot(i32,i32)\n\t.starloom_slot(i32,i32)"
	_, _, _, plain := new(Image).parseTrap(errors.New(trace))
	require.Len(t, plain, 2)
	for _, more := range []string{"", "\n\t\t0x1a: ?", "\n\t... maybe followed by omitted frames"} {
		_, _, _, metered := new(Image).parseTrap(errors.New(trace + "\n\t." + wasm.EachName + exportSlot + "(i32,i32,i32)" + more))
		require.Equal(t, plain, metered)
	}
}

// TestCPlusPlus runs firmware in C++, in the same image form as that in C.
func TestCPlusPlus(t *testing.T) {
	in, err := bank(t, "greets.cc", 4)
	require.NoError(t, err)
	in.Start()
	in.Slot(all(in), 0)
	b := in.Bank()
	require.EqualValues(t, 1, b.Registers[0].TxCount)
	require.Equal(t, []byte{4, 0, 0, 0}, b.TxHead(0).Payload(), "parameter 0 without the scenario's value, and four groups")
	b.PushRx(1, 0, b.TxHead(0))
	in.Slot(all(in), 1)
	require.NotZero(t, b.Registers[1].Flags&nic.FlagDone)
	require.Empty(t, in.TakeEvents())
	require.EqualValues(t, 4, in.Probes()[1])
}
