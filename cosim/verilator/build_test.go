package verilator

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func refusal(t *testing.T, s cosim.Source) *cosim.InputError {
	t.Helper()
	_, err := Build(context.Background(), s, cosim.BuildOptions{Cache: testCache})
	var input *cosim.InputError
	require.ErrorAs(t, err, &input)
	require.NotEmpty(t, input.Remedy)
	return input
}

// interfacePortText crashes Verilator 5.006 after its error message.
const interfacePortText = `interface bus; logic [3:0] r; logic [3:0] g; modport m(input r, output g); endinterface
module top (input clock, input reset, bus.m b, output [5:0] index); assign b.g = b.r; assign index=0; endmodule
`

func TestBuildRefuses(t *testing.T) {
	refused := func(top string) cosim.Source { return conforming("refused.sv", top, "clk_i") }
	counter := func(change func(s *cosim.Source)) cosim.Source {
		s := conforming("counter.v", "counter", "clk_i")
		change(&s)
		return s
	}
	vhdl := func(change func(s *cosim.Source)) cosim.Source {
		s := conforming("counter.vhd", "counter", "clk_i")
		change(&s)
		return s
	}
	text := func(name, text string) cosim.Source {
		return cosim.Source{Top: "top", Files: []string{write(t, name, text)}}
	}
	dimensions, generic := "ifs.sv:2:45", "anyif.sv:2:39"
	switch {
	case cosimtest.Since(t, "verilator", 5, 48):
		generic = "anyif.sv:2:49"
	case cosimtest.Since(t, "verilator", 5, 32):
		dimensions = "ifs.sv:2:85"
	}
	for _, c := range []struct {
		name   string
		source cosim.Source
		place  string // end of the place
		reason string
		remedy string
	}{
		{"inout", refused("with_inout"), "refused.sv:9:49", "pad_io is an inout", "wrapper"},
		{"interface", refused("with_interface"), "refused.sv:6:49", "port bus is an interface without a modport", "name one: wires.MODPORT bus"},
		{"interfaces", text("ifs.sv", strings.Replace(interfacePortText, "bus.m b", "bus.m b [2][2]", 1)), dimensions, "in several dimensions", "wrapper"},
		{"any interface", text("anyif.sv", strings.Replace(interfacePortText, "bus.m b", "interface b", 1)), generic, "generic interface port", "wrapper"},
		{
			"no modport", text("noport.sv", strings.Replace(interfacePortText, "bus.m b", "bus.n b", 1)), "noport.sv:2:43",
			"Modport not found under interface 'bus': 'n'", "lint-only",
		},
		{
			"unpacked structure", text("open.sv", "\nmodule top(x); typedef struct {logic a;} s; input s x; endmodule\n"),
			"open.sv:2:53", "x is an unpacked structure", "make it packed: `struct packed`, in ",
		},
		{
			"ref", text("ref.sv", "module top(input clk, input [3:0] a, output logic [3:0] q);\nfunction automatic void add(ref logic [3:0] x); x += a; "+
				"endfunction\nlogic [3:0] t; always_ff @(posedge clk) begin t = a; add(t); q <= t; end\nendmodule\n"),
			"ref.sv:3:54", "a ref argument of add: Verilator may pass an earlier value of the variable", "write inout",
		},
		{"real", refused("with_real"), "refused.sv:16:50", "level_o is of the type real", "wrapper"},
		{"no ports", refused("without_ports"), "refused.sv:19:8", "no ports", "test bench"},
		{"no top", counter(func(s *cosim.Source) { s.Top = "" }), "--top", "no top", "name"},
		{"strange top", counter(func(s *cosim.Source) { s.Top = "a b" }), "--top", `"a b"`, "name"},
		{"missing top", counter(func(s *cosim.Source) { s.Top = "conter" }), "--top", "no module conter", "counter"},
		{"missing file", counter(func(s *cosim.Source) { s.Files[0] = "none.v" }), "none.v", "no such file", "existing"},
		{"directory", counter(func(s *cosim.Source) { s.Files[0] = "testdata" }), "testdata", "directory", "-I"},
		{"no file", counter(func(s *cosim.Source) { s.Files = nil }), "counter", "no source", "files"},
		{"two languages", counter(func(s *cosim.Source) { s.Files = append(s.Files, "testdata/conformance/counter.vhd") }), "counter.vhd", "VHDL", "synth"},
		{"parameter", counter(func(s *cosim.Source) { s.Params = map[string]string{"WIDHT": "3"} }), "counter.v", "no parameter WIDHT", "FIRST, WIDTH"},
		{
			"parameter inside", text("inner.sv", "module top(input d, output q);\n  leaf #(.Stages(2)) u (d, q);\nendmodule\nmodule leaf #(parameter STAGES = 2) (input d, output q); endmodule\n"),
			"inner.sv:2:11", "this instance has no parameter Stages", "it has",
		},
		{"clock", counter(func(s *cosim.Source) { s.Clocks[0] = "clk" }), "--clock", "no port clk", "clk_i"},
		{"clock is an output", counter(func(s *cosim.Source) { s.Clocks[0] = "count_o" }), "--clock", "output of 8 bits", "one bit"},
		{"clock twice", counter(func(s *cosim.Source) { s.Clocks = []string{"clk_i", "clk_i"} }), "--clock", "twice", "once"},
		{"syntax", text("broken.v", "module top (input wire a);\n  assign = 3;\nendmodule\n"), "broken.v:2:10", "syntax error", "--lint-only"},
		{"include", text("include.v", "`include \"none.vh\"\nmodule top (input wire a); endmodule\n"), "include.v:1:10", "none.vh", "-I"},
		{"module", text("module.v", "module top (input wire a);\n  none n (.a(a));\nendmodule\n"), "module.v:2:3", "none", "-I"},
		{"memory file", text("data.v", "module top (input wire a, output wire b);\n  reg m [0:1]; initial $readmemh(\"none.hex\", m);\n  assign b = m[a];\nendmodule\n"), "none.hex", "$readmem", "path"},
		{"DPI", text("dpi.sv", "module top (input int a, output int b);\n  import \"DPI-C\" function int outside(int x);\n  always_comb b = outside(a);\nendmodule\n"), "dpi.sv", "outside", "DPI"},
		{"waits", text("waits.sv", "module top (input logic a, output logic b);\n  initial begin @(posedge a); b = 1; end\nendmodule\n"), "waits.sv:2:17", "", "test bench"},
		{"own error", text("own.sv", "module top #(parameter N = 3) (input a);\n  if (N > 1) $error(\"N is %0d\", N);\nendmodule\n"), "own.sv:2:14", "its own $error: N is 3", "values"},
		{"own fatal", text("own.sv", "module top (input a);\n  if (1) begin $fatal(1, \"no\"); end\nendmodule\n"), "own.sv:2:16", "its own $fatal: no", "values"},
		{"text for a number", vhdl(func(s *cosim.Source) { s.Params = map[string]string{"WIDTH": "abc"} }), "--param", "is a number (", "number such as"},
		{"VHDL syntax", text("broken.vhd", "entity top is\n  port (a : in bit;\nend entity;\n"), "broken.vhd:3:1", "", "ghdl"},
		{"VHDL top", vhdl(func(s *cosim.Source) { s.Top = "conter" }), "--top", "conter", "counter"},
		{"generic", vhdl(func(s *cosim.Source) { s.Params = map[string]string{"depth": "3"} }), "--param", "no generic depth", "generics that it has"},
	} {
		t.Run(c.name, func(t *testing.T) {
			input := refusal(t, c.source)
			require.True(t, strings.HasSuffix(input.Place, c.place), "%v", input)
			require.Contains(t, input.Reason, c.reason)
			require.Contains(t, input.Remedy, c.remedy)
		})
	}
}

func TestBuildNamesMissingTools(t *testing.T) {
	tools := []cosim.Tool{verilatorTool, clangTool, linkerTool, ghdlTool}
	for _, missing := range tools {
		t.Run(missing.Command, func(t *testing.T) {
			bin := t.TempDir()
			for _, present := range tools {
				path, err := exec.LookPath(present.Command)
				require.NoError(t, err)
				if present != missing {
					require.NoError(t, os.Symlink(path, filepath.Join(bin, present.Command)))
				}
			}
			t.Setenv("PATH", bin)
			input := refusal(t, conforming("counter.vhd", "counter", "clk_i"))
			require.Equal(t, missing.Command, input.Place)
			require.Contains(t, input.Remedy, missing.Packages)
		})
	}
}

// TestBuildOfVHDL checks that a circuit in VHDL counts like the one in Verilog, and that VHDL ignores case.
func TestBuildOfVHDL(t *testing.T) {
	s := conforming("counter.vhd", "Counter", "CLK_I")
	s.Params = map[string]string{"WIDTH": "5"}
	b := bench(t, viaWasm, s, cosim.Options{})
	require.Equal(t, 5, b.ports["count_o"].Bits)
	b.reset()
	b.set("enable_i", 1)
	for cycle := range uint64(40) {
		require.Equal(t, cycle&31, b.one("count_o"))
		b.edge()
	}
}

// TestLongBuildIsFoundAgain checks that no build is repeated, and that every relevant change leads to another one.
func TestLongBuildIsFoundAgain(t *testing.T) {
	dir := t.TempDir()
	include := filepath.Join(dir, "include")
	require.NoError(t, os.Mkdir(include, 0o755))
	header, source := filepath.Join(include, "size.vh"), filepath.Join(dir, "top.v")
	put := func(path, text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o644)) }
	put(header, "`define SIZE 4\n")
	put(source, "`include \"size.vh\"\n`ifndef MORE\n`define MORE 0\n`endif\n"+
		"module top #(parameter P = 1) (input wire [`SIZE-1:0] a, output wire [`SIZE-1:0] b);\n  assign b = a + P + `MORE;\nendmodule\n")

	s := cosim.Source{Top: "top", Files: []string{source}, IncludeDirs: []string{include}}
	o := cosim.BuildOptions{Cache: testCache}
	compiled := 0
	o.Progress = func(step string) {
		if strings.HasPrefix(step, "verilator translates") {
			compiled++
		}
	}
	build := func() (hash string, sum uint64) {
		c, err := Build(context.Background(), s, o)
		require.NoError(t, err)
		d, err := Open(c, cosim.Options{})
		require.NoError(t, err)
		d.Inputs()[0] = 1
		require.NoError(t, d.Settle())
		sum = d.Outputs()[0]
		require.NoError(t, d.Close())
		require.NoError(t, c.Close())
		return c.Hash, sum
	}
	first, sum := build()
	require.EqualValues(t, 2, sum)
	again, _ := build()
	require.Equal(t, first, again)
	require.Equal(t, 1, compiled)

	// The hash, which is the name of a result in the cache, is enough to detect each change.
	hashes := map[string]bool{first: true}
	last := first
	changed := func() {
		t.Helper()
		b, err := newBuilder(context.Background(), &s, &o, wasmTarget)
		require.NoError(t, err)
		require.NoError(t, b.discover())
		require.NoError(t, os.RemoveAll(b.work))
		last = b.description.Hash
		require.False(t, hashes[last], "the result is another one")
		hashes[last] = true
	}
	s.Params = map[string]string{"P": "3"}
	changed()
	s.Defines = map[string]string{"MORE": "10"}
	changed()
	put(header, "`define SIZE 3\n")
	changed()
	text, err := os.ReadFile(source)
	require.NoError(t, err)
	put(source, strings.Replace(string(text), "a + P", "a ^ P", 1))
	changed()
	hash, sum := build()
	require.Equal(t, last, hash)
	require.EqualValues(t, (1^(3+10))&7, sum, "with all changes")
	require.Equal(t, 2, compiled)
}

// TestHashCoversTheLinker checks that another C library or linker leads to another result.
func TestHashCoversTheLinker(t *testing.T) {
	source := conforming("adder.v", "adder")
	b, err := newBuilder(context.Background(), &source, &cosim.BuildOptions{Cache: testCache}, wasmTarget)
	require.NoError(t, err)
	defer func() { require.NoError(t, os.RemoveAll(b.work)) }()
	require.NoError(t, b.discover())
	require.Len(t, b.libraries.hash, 64)
	hashes := map[string]bool{b.description.Hash: true}
	b.libraries.hash = "another libc"
	require.NoError(t, b.discover())
	hashes[b.description.Hash] = true
	for i := range b.tools {
		b.tools[i].Text += " of another version"
		require.NoError(t, b.discover())
		hashes[b.description.Hash] = true
	}
	require.Len(t, hashes, 2+3, "verilator, clang and wasm-ld")
}

// TestBuildsAtOnce checks that concurrent builds of one source in one cache yield one result.
func TestBuildsAtOnce(t *testing.T) {
	cache := t.TempDir()
	library, err := filepath.Glob(filepath.Join(testCache, "runtime-*"))
	require.NoError(t, err)
	require.NotEmpty(t, library)
	for _, path := range library { // the library takes long to compile
		require.NoError(t, os.Symlink(path, filepath.Join(cache, filepath.Base(path))))
	}
	var group sync.WaitGroup
	results := make([][]byte, 2)
	for i := range results {
		group.Go(func() {
			c, err := Build(context.Background(), conforming("mealy.v", "mealy", "clk_i"), cosim.BuildOptions{Cache: cache})
			if err == nil {
				results[i] = c.Wasm()
			}
		})
	}
	group.Wait()
	require.NotEmpty(t, results[0])
	for _, result := range results {
		require.True(t, bytes.Equal(results[0], result), "a build is deterministic")
	}
	left, err := filepath.Glob(filepath.Join(cache, ".build-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestLibraryIsCompiledOnce checks that the cache of these tests takes Verilator's library from the user's cache.
func TestLibraryIsCompiledOnce(t *testing.T) {
	_, err := Build(context.Background(), conforming("adder.v", "adder"), cosim.BuildOptions{Cache: testCache})
	require.NoError(t, err)
	objects, err := filepath.Glob(filepath.Join(testCache, "runtime-*-verilated.o"))
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(objects, func(path string) bool {
		to, err := os.Readlink(path)
		return err == nil && filepath.Base(to) == filepath.Base(path)
	}), "%v", objects)
}

// TestLongBuildSurvivesABrokenCache checks that a damaged result is rebuilt.
func TestLongBuildSurvivesABrokenCache(t *testing.T) {
	s := conforming("adder.v", "adder")
	c, err := Build(context.Background(), s, cosim.BuildOptions{Cache: testCache})
	require.NoError(t, err)
	path := filepath.Join(testCache, c.Hash+".wasm")
	require.NoError(t, os.WriteFile(path, c.Wasm()[:100], 0o644))
	again, err := Build(context.Background(), s, cosim.BuildOptions{Cache: testCache})
	require.NoError(t, err)
	require.Equal(t, c.Wasm(), again.Wasm())
}

// TestLongHeadersAreKept checks that precompiled headers do not change the result, and that broken ones are removed.
func TestLongHeadersAreKept(t *testing.T) {
	cache := t.TempDir()
	libraries, err := filepath.Glob(filepath.Join(testCache, "runtime-*.o"))
	require.NoError(t, err)
	for _, path := range libraries {
		require.NoError(t, os.Link(path, filepath.Join(cache, filepath.Base(path))))
	}
	build := func() (wasm []byte, headers []string) {
		c, err := Build(context.Background(), conforming("adder.v", "adder"), cosim.BuildOptions{Cache: cache})
		require.NoError(t, err)
		require.NoError(t, os.Remove(filepath.Join(cache, c.Hash+".wasm")))
		headers, err = filepath.Glob(filepath.Join(cache, "*.pch"))
		require.NoError(t, err)
		return c.Wasm(), headers
	}
	with, headers := build()
	require.Len(t, headers, 1)
	require.NoError(t, os.WriteFile(headers[0], []byte("broken"), 0o644))
	without, headers := build()
	require.Empty(t, headers)
	require.Equal(t, with, without)
}

func TestBuildEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := cosim.BuildOptions{Cache: t.TempDir(), Progress: func(step string) {
		if strings.Contains(step, "which happens once") {
			time.AfterFunc(100*time.Millisecond, cancel)
		}
	}}
	start := time.Now()
	_, err := Build(ctx, conforming("adder.v", "adder"), o)
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, time.Since(start), 10*time.Second)
	left, err := os.ReadDir(o.Cache)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestBuildCacheMustBeADirectory(t *testing.T) {
	_, err := Build(context.Background(), conforming("adder.v", "adder"), cosim.BuildOptions{Cache: write(t, "file", "")})
	var input *cosim.InputError
	require.ErrorAs(t, err, &input)
	require.Contains(t, input.Remedy, "--cache")
}

// TestWasmAloneIsEnough checks that an image opens without any tool.
func TestWasmAloneIsEnough(t *testing.T) {
	s := conforming("rom.v", "rom", "clk_i")
	c, err := Build(context.Background(), s, cosim.BuildOptions{Cache: testCache})
	require.NoError(t, err)
	t.Setenv("PATH", "")
	t.Chdir(t.TempDir())
	loaded, err := Load(bytes.Clone(c.Wasm()))
	require.NoError(t, err)
	require.Equal(t, c.Description, loaded.Description)
	d, err := Open(loaded, cosim.Options{})
	require.NoError(t, err)
	require.NoError(t, d.Edge(1))
	require.EqualValues(t, 0x3a, d.Outputs()[0], "with the files of $readmem")
	require.NoError(t, d.Close())
	require.NoError(t, loaded.Close())
}

func TestLoadWasmRefuses(t *testing.T) {
	c, err := Build(context.Background(), conforming("counter.v", "counter", "clk_i"), cosim.BuildOptions{Cache: testCache})
	require.NoError(t, err)
	wasm := c.Wasm()
	replaced := func(old, new string) []byte { return bytes.Replace(wasm, []byte(old), []byte(new), 1) }
	for name, wrong := range map[string][]byte{
		"nothing":         nil,
		"text":            []byte("module counter"),
		"plain wasm":      wasm[:8],
		"half":            wasm[:len(wasm)/2],
		"without its end": wasm[:len(wasm)-3],
		"other format":    replaced(`"format":1`, `"format":9`),
		"strange word":    replaced(`"Word":1`, `"Word":9`),
		"no width":        replaced(`"Bits":8`, `"Bits":0`),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(wrong)
			var input *cosim.InputError
			require.ErrorAs(t, err, &input)
			require.Contains(t, input.Remedy, "cosim build")
		})
	}
}

func FuzzLoadWasm(f *testing.F) {
	f.Add([]byte("\x00asm\x01\x00\x00\x00"))
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x00\x10\x0estarloom.cosim{}"))
	f.Fuzz(func(t *testing.T, wasm []byte) {
		if c, err := Load(wasm); err == nil {
			_, err := Open(c, cosim.Options{})
			require.Error(t, err)
		}
	})
}

func TestWarningsArePassedOn(t *testing.T) {
	var said bytes.Buffer
	s := cosim.Source{Top: "top", Files: []string{write(t, "top.v", "module top (input wire [3:0] a, output wire [7:0] b);\n  assign b = a;\nendmodule\n")}}
	_, err := Build(context.Background(), s, cosim.BuildOptions{Cache: testCache, Warnings: &said})
	require.NoError(t, err)
	require.Contains(t, said.String(), "top.v:2:")
}

// TestManyDevicesOfOneCircuit checks that devices share only the code.
func TestManyDevicesOfOneCircuit(t *testing.T) {
	c, err := Build(context.Background(), conforming("counter.v", "counter", "clk_i"), cosim.BuildOptions{Cache: testCache})
	require.NoError(t, err)
	defer c.Close()
	var group sync.WaitGroup
	failed := make(chan error, 8)
	for i := range 8 {
		group.Go(func() {
			d, err := Open(c, cosim.Options{})
			if err == nil {
				d.Inputs()[1] = 1
				err = d.Step(1, 1000+i)
			}
			if err == nil && d.Outputs()[0] != uint64(1000+i)&255 {
				err = fmt.Errorf("device %d: %d", i, d.Outputs()[0])
			}
			if err != nil {
				failed <- err
				return
			}
			if err := d.Close(); err != nil {
				failed <- err
			}
		})
	}
	group.Wait()
	require.Empty(t, failed)
}

// TestEdgeAllocatesNothing checks that Edge and the other calls of a cycle do not allocate.
func TestEdgeAllocatesNothing(t *testing.T) {
	b := bench(t, viaWasm, conforming("mealy.v", "mealy", "clk_i"), cosim.Options{})
	require.Zero(t, testing.AllocsPerRun(100, func() {
		b.Inputs()[1]++
		if b.Settle() != nil || b.Edge(1) != nil || b.Step(1, 3) != nil {
			t.Fail()
		}
	}))
}
