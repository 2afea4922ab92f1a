package wasm

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"

	"starloom/firmware/wasm/binary"
)

// images are the embedded images.
func images(t testing.TB) map[string][]byte {
	paths, err := filepath.Glob("../images/*/*.wasm")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	all := map[string][]byte{}
	for _, path := range paths {
		image, err := os.ReadFile(path)
		require.NoError(t, err)
		all[filepath.Base(path)] = image
	}
	return all
}

// TestRoundTrip reads every embedded image to its last instruction and writes it again
// without any pass: the bytes are the same.
func TestRoundTrip(t *testing.T) {
	for name, image := range images(t) {
		m, err := binary.Parse(image, false)
		require.NoError(t, err)
		same := func() *copier { return &copier{imported: math.MaxUint32} }
		out := slices.Clone(binary.Header)
		for _, s := range m.Sections {
			content := s.Content
			switch s.ID {
			case binary.SectionCustom:
				content = append(binary.AppendName(nil, s.Name), content...)
			case binary.SectionGlobal, binary.SectionExport, binary.SectionElement:
				content = binary.Renumber(s.ID, content, same().function)
			case binary.SectionCode:
				content = binary.AppendU32(nil, uint32(len(m.Body)), 1)
				for _, f := range m.Body {
					c := same()
					r := &binary.Reader{Data: f.Code}
					for r.More() {
						var i binary.Instruction
						r.Instruction(&i)
						c.instruction(f.Code, &i)
					}
					require.NoError(t, r.Err)
					content = binary.AppendU32(content, uint32(len(f.Locals)+len(c.to)), f.Width)
					content = append(append(content, f.Locals...), c.to...)
				}
			}
			before := len(out)
			out = binary.AppendSection(out, s.ID, s.Width, content)
			require.Equal(t, image[before:len(out)], out[before:], "%s: section %d", name, s.ID)
		}
		require.Len(t, out, len(image))
	}
}

// TestOrigins holds that every instruction of an image is in its copy, and that its
// offset there leads back to it.
func TestOrigins(t *testing.T) {
	for name, image := range images(t) {
		c := rewrite(t, image)
		image, err := binary.Parse(image, false)
		require.NoError(t, err)
		choice := choiceOf(image)
		woven, err := binary.Parse(c.Binary, false)
		require.NoError(t, err)
		inserted := 0
		for k := range image.Body {
			from, to := &image.Body[k], &woven.Body[k]
			base := from.Offset + len(from.Locals) - image.Contents(binary.SectionCode).Base
			want := &binary.Reader{Data: from.Code}
			got := &binary.Reader{Data: to.Code}
			for want.More() {
				var i, j binary.Instruction
				want.Instruction(&i)
				op := i.Op
				if addresses(&i, *want) {
					op = binary.OpLocalGet
				}
				draws := i.Op == binary.OpCall && int(i.Index) == choice
				if draws {
					op = binary.OpDrop
				}
				for { // up to the instruction that this one has become
					got.Instruction(&j)
					require.NoError(t, got.Err)
					at, ok := c.Origin(uint64(to.Offset + len(to.Locals) - woven.Contents(binary.SectionCode).Base + j.Start))
					require.True(t, ok)
					if int(at) == base+i.Start && j.Op == op &&
						!c.isInserted(uint64(to.Offset+len(to.Locals)-woven.Contents(binary.SectionCode).Base+j.Start)) {
						break
					}
					inserted++
				}
				if i.Op == binary.OpCall && !draws {
					require.Equal(t, (&copier{imported: uint32(len(image.Imported))}).function(i.Index), j.Index)
				}
			}
			require.False(t, got.More())
		}
		require.Positive(t, inserted, name)
	}
}

func (c *Copy) isInserted(offset uint64) bool {
	n, found := slices.BinarySearchFunc(c.moved, offset,
		func(m moved, offset uint64) int { return int(int64(m.to) - int64(offset)) })
	if !found {
		n--
	}
	return c.moved[n].inserted
}

// Code of the tests.
var (
	getSP   = []byte{binary.OpGlobalGet, 0}
	setSP   = []byte{binary.OpGlobalSet, 0}
	forever = []byte{binary.OpLoop, binary.BlockEmpty, binary.OpBr, 0, binary.OpEnd}
)

func number(value int32) []byte { return binary.AppendSigned([]byte{binary.OpI32Const}, int64(value)) }

type stop struct{}

func (stop) Error() string { return "stopped" }

// TestNothingRunsForEver runs what would never end, or not before the end of time: the
// host is asked again and again, however the image goes on.
func TestNothingRunsForEver(t *testing.T) {
	big := slices.Concat(number(0), number(0), number(60<<10), []byte{0xFC, 11, 0}) // memory.fill of 60 KiB
	chain := (&assembly{}).add("f", "", "", "")
	for k := range 64 { // 2^64 calls without a loop
		chain.add(map[bool]string{true: "run"}[k == 63], "", "", "", binary.OpCall, byte(k), binary.OpCall, byte(k))
	}
	indirect := (&assembly{elements: []byte{0}})
	indirect.signature("", "")
	indirect.add("run", "", "", "", slices.Concat(getSP, number(1), []byte{binary.OpI32Sub}, []byte{binary.OpLocalTee, 0}, setSP,
		[]byte{binary.OpLocalGet, 0, binary.OpIf, binary.BlockEmpty},
		number(0), []byte{binary.OpCallIndirect, 0, 0},
		number(0), []byte{binary.OpCallIndirect, 0, 0, binary.OpEnd},
		[]byte{binary.OpLocalGet, 0}, number(1), []byte{binary.OpI32Add}, setSP)...)
	indirect.functions[0].locals = i32
	for name, c := range map[string]struct {
		image *assembly
		ticks int
	}{
		"loop":     {(&assembly{}).add("run", "", "", "", forever...), 2},
		"nested":   {(&assembly{}).add("run", "", "", "", slices.Concat([]byte{binary.OpLoop, binary.BlockEmpty}, forever, []byte{binary.OpBr, 0, binary.OpEnd})...), 2},
		"indirect": {indirect.mutable(40), 2},
		"calls":    {chain, 2},
		"fill":     {(&assembly{}).add("run", "", "", "", slices.Concat([]byte{binary.OpLoop, binary.BlockEmpty}, big, []byte{binary.OpBr, 0, binary.OpEnd})...), 2},
	} {
		for runtime, config := range runtimes {
			ticks := 0
			m := run(t, config(), rewrite(t, c.image.bytes()).Binary, func() {
				if ticks++; ticks == c.ticks {
					panic(stop{})
				}
			})
			_, err := m.ExportedFunction("run").Call(context.Background())
			require.ErrorIs(t, err, stop{}, "%s in the %s", name, runtime)
		}
	}
}

// TestCountsOnlyWhereNeeded: straight functions are copied as they are.
func TestCountsOnlyWhereNeeded(t *testing.T) {
	a := (&assembly{}).add("f", i32, i32, "", binary.OpLocalGet, 0, binary.OpLocalGet, 0, binary.OpI32Add)
	a.add("g", i32, i32, "", binary.OpLocalGet, 0, binary.OpCall, 0)
	m, err := binary.Parse(rewrite(t, a.bytes()).Binary, false)
	require.NoError(t, err)
	require.Equal(t, []byte{binary.OpLocalGet, 0, binary.OpLocalGet, 0, binary.OpI32Add, binary.OpEnd}, m.Body[0].Code)
	require.Equal(t, []byte{binary.OpLocalGet, 0, binary.OpCall, 1, binary.OpEnd}, m.Body[1].Code)
}

// TestGivenBack finds the globals that must be set back after a trap.
func TestGivenBack(t *testing.T) {
	lower := slices.Concat(getSP, number(16), []byte{binary.OpI32Sub, binary.OpLocalTee, 0}, setSP)
	raise := slices.Concat([]byte{binary.OpLocalGet, 0}, number(16), []byte{binary.OpI32Add}, setSP)
	onlyIf := func(code ...[]byte) []byte {
		return slices.Concat(number(1), []byte{binary.OpIf, binary.BlockEmpty}, slices.Concat(code...), []byte{binary.OpEnd})
	}
	aligned := slices.Concat(getSP, []byte{binary.OpLocalTee, 0}, number(40), []byte{binary.OpI32Sub}, number(-32),
		[]byte{0x71, binary.OpLocalTee, 1}, setSP)
	for name, c := range map[string]struct {
		code []byte
		back bool
	}{
		"LLVM":           {slices.Concat(lower, raise), true},
		"aligned":        {slices.Concat(aligned, []byte{binary.OpLocalGet, 0}, setSP), true},
		"AssemblyScript": {slices.Concat(getSP, number(4), []byte{binary.OpI32Sub}, setSP, getSP, number(4), []byte{binary.OpI32Add}, setSP), true},
		"early return":   {slices.Concat(lower, onlyIf(raise, []byte{binary.OpReturn}), raise), true},
		"forgotten":      {slices.Concat(lower, onlyIf([]byte{binary.OpReturn}), raise), false},
		"in a loop": {slices.Concat(number(9), []byte{binary.OpLocalSet, 1, binary.OpLoop, binary.BlockEmpty}, lower, raise,
			[]byte{binary.OpLocalGet, 1}, number(1),
			[]byte{binary.OpI32Sub, binary.OpLocalTee, 1, binary.OpBrIf, 0, binary.OpEnd}), true},
		"each turn": {slices.Concat([]byte{binary.OpLoop, binary.BlockEmpty}, lower, number(1), []byte{binary.OpBrIf, 0, binary.OpEnd}, raise), false},
		"heap":      {slices.Concat(getSP, number(16), []byte{binary.OpI32Add}, setSP), false},
		"one way":   {onlyIf(getSP, number(8), []byte{binary.OpI32Add}, setSP), false},
		"both ways": {slices.Concat(lower, number(1), []byte{binary.OpIf, binary.BlockEmpty}, raise, []byte{binary.OpElse}, raise, []byte{binary.OpEnd}), true},
		"half":      {slices.Concat(lower, number(1), []byte{binary.OpIf, binary.BlockEmpty}, raise, []byte{binary.OpElse, binary.OpEnd}), false},
		"never":     {slices.Concat(lower, forever), true},
		"trap":      {slices.Concat(lower, []byte{binary.OpUnreachable}), true},
		"read":      {slices.Concat(getSP, []byte{binary.OpDrop}), true},
		"unknown":   {slices.Concat(getSP, number(0), []byte{0x28, 0, 0, binary.OpI32Sub}, setSP, getSP, number(0), []byte{binary.OpI32Sub}, setSP), false},
	} {
		a := (&assembly{}).mutable(1024).add("starloom_slot", "", "", i32+i32, c.code...)
		g := rewrite(t, a.bytes()).Globals
		require.Len(t, g, 1)
		require.Equal(t, c.back, g[0].GivenBack, name)
	}

	// A function that nothing calls does not count; one that is called does, and
	// then the image must name its stack pointer.
	leak := slices.Concat(getSP, number(0), []byte{0x28, 0, 0, binary.OpI32Sub}, setSP)
	a := (&assembly{}).mutable(1024).add("starloom_slot", "", "", i32, slices.Concat(lower, raise)...).add("stackRestore", "", "", "", leak...)
	require.True(t, rewrite(t, a.bytes()).Globals[0].GivenBack)
	a.functions[0].code = slices.Concat(lower, []byte{binary.OpCall, 1}, raise)
	a.add("starloom_start", "", "", i32, slices.Concat(lower, raise)...)
	_, err := Rewrite(a.bytes())
	require.EqualError(t, err, "keeps a stack with global 0 in function 2 (starloom_start), but function 1 "+
		"(stackRestore) may not restore it, so a trap could harm other processors: export it as __stack_pointer")
	names := binary.AppendSection(a.bytes(), binary.SectionCustom, 1, append(append(binary.AppendName(nil, "name"), 7, 18, 1, 0), binary.AppendName(nil, "__stack_pointer")...))
	require.True(t, rewrite(t, names).Globals[0].GivenBack)
	require.Equal(t, "__stack_pointer", rewrite(t, names).Globals[0].Name)
}

// TestReservedNames: a function of an image that calls itself what those of a copy are called has no
// name, so that nothing is left out of a backtrace but what the copy has added.
func TestReservedNames(t *testing.T) {
	a := (&assembly{}).add("starloom_slot", "", "", i32)
	for name, kept := range map[string]bool{EachName + "starloom_slot": false, "starloom_slot": true} {
		list := binary.AppendName([]byte{1, 0}, name)
		image := binary.AppendSection(a.bytes(), binary.SectionCustom, 1, append(append(binary.AppendName(nil, "name"), binary.NamesFunctions, byte(len(list))), list...))
		m, err := read(image)
		require.NoError(t, err)
		require.Equal(t, kept, m.Names[0] == name)
	}
}

// TestRefuses names what cannot be run or kept, and where it is.
func TestRefuses(t *testing.T) {
	one := func(code ...byte) []byte { return (&assembly{}).add("f", "", "", "", code...).bytes() }
	table := func(targets int) []byte {
		code := append(number(0), binary.OpBrTable)
		code = binary.AppendU32(code, uint32(targets-1), 1)
		return append(code, make([]byte, targets)...)
	}
	nested := bytes.Repeat([]byte{binary.OpBlock, binary.BlockEmpty}, 1001)
	nested = append(nested, bytes.Repeat([]byte{binary.OpEnd}, 1001)...)
	many := (&assembly{})
	for range 9 {
		many.add("f", "", "", "", table(8192)...)
		many.functions[len(many.functions)-1].name = ""
	}
	branches := func(count int) []byte { return bytes.Repeat(append(number(1), binary.OpBrIf, 0), count) }
	locals := strings.Repeat(i32, 40_000)
	loops := bytes.Repeat([]byte{binary.OpLoop, binary.BlockEmpty, binary.OpEnd}, 2)
	busy := &assembly{}
	for range 12 {
		busy.add("", "", "", "", branches(8192)...)
	}
	functions := &assembly{}
	functions.signature("", "")
	for range binary.ListMax + 1 {
		functions.functions = append(functions.functions, testFunction{})
	}
	global := (&assembly{globals: [][]byte{append([]byte{binary.V128, 1, simd >> 16, 12}, append(make([]byte, 16), binary.OpEnd)...)}}).add("f", "", "", "")
	for name, c := range map[string]struct {
		binary []byte
		want   string
	}{
		"br_table":    {one(table(8193)...), "function 0 (f) at offset 0x30: with this br_table the function has 8193 branch targets in br_tables; at most 8192 are allowed; split the switch"},
		"br_tables":   {many.bytes(), "with this br_table the image has 73728 branch targets in br_tables; at most 65536 are allowed"},
		"blocks":      {one(bytes.Repeat([]byte{binary.OpBlock, binary.BlockEmpty, binary.OpEnd}, 8193)...), "the function has more than 8192 blocks"},
		"branches":    {one(branches(8193)...), "the function has more than 8192 branches (br, br_if); split it"},
		"locals":      {(&assembly{}).add("f", "", "", locals, loops...).bytes(), "function 0 (f): a function of 40000 locals, 2 blocks, 0 branches and 0 calls takes the compiler about 16 s; at most 10 s are allowed; split it"},
		"all of it":   {busy.bytes(), "function 11: with this function, of 0 locals, 0 blocks, 8192 branches and 0 calls, the image takes the compiler more than 30 s; make it smaller"},
		"functions":   {functions.bytes(), "has 100001 functions; at most 100000 are allowed; make it smaller"},
		"code":        {one(make([]byte, 16<<20)...), "bytes of code; at most 8388608 are allowed"},
		"nesting":     {one(nested...), "blocks are nested deeper than 1000"},
		"data.drop":   {one(0xFC, 9, 0), "function 0 (f) at offset 0x2c: it changes tables or segments (data.drop), which the host cannot save"},
		"table.copy":  {one(slices.Concat(number(0), number(0), number(0), []byte{0xFC, 14, 0, 0})...), "(table.copy), which the host cannot save"},
		"v128 global": {global.bytes(), "has the mutable global global 0, whose type (0x7b) cannot be saved"},
		"atomics":     {one(0xFE, 3, 0), "function 0 (f): the instruction 0xfe (threads), which Starloom does not support, at offset 0x2c"},
		"relaxed":     {one(0xFD, 0x80, 2), "the instruction 0xfd 256 (relaxed SIMD), which Starloom does not support"},
		"tail call":   {one(0x12, 0), "the instruction 0x12 (tail calls), which Starloom does not support"},
		"our counter": {(&assembly{}).mutable(1).add("f", "", "", "", binary.OpGlobalGet, 1, binary.OpDrop).bytes(), "there is no global 1"},
		"our local":   {(&assembly{}).add("f", "", "", "", slices.Concat(forever, []byte{binary.OpLocalGet, 0, binary.OpDrop})...).bytes(), "there is no local 0"},
		"our name":    {(&assembly{}).add("starloom.start", "", "", "").bytes(), `exports "starloom.start": names that begin with "starloom." are reserved for Starloom`},
	} {
		_, err := Rewrite(c.binary)
		require.ErrorContains(t, err, c.want, name)
	}
}

// TestLimitsAreStated holds the table for those who write images.
func TestLimitsAreStated(t *testing.T) {
	text, err := os.ReadFile("../ABI.md")
	require.NoError(t, err)
	thousands := func(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
	for _, row := range []string{
		fmt.Sprintf("| code | %d MiB |", binary.CodeBytesMax>>20),
		fmt.Sprintf("sections | %s each |", thousands(binary.ListMax)),
		fmt.Sprintf("results of a function | %s each |", thousands(parametersMax)),
		fmt.Sprintf("all types | %s |", thousands(binary.TypeValuesMax)),
		fmt.Sprintf("instructions | %s in a function, %s,000 in the image |", thousands(instructionsMax), thousands(allInstructionsMax/1000)),
		fmt.Sprintf("all units together | %d MiB |", linesBytesMax>>20),
		fmt.Sprintf("parameters | %s |", thousands(localsMax)),
		fmt.Sprintf("`if` of a function | %s, nested at most %s deep |", thousands(blocksMax), thousands(nestingMax)),
		fmt.Sprintf("`br_if` of a function | %s |", thousands(branchesMax)),
		fmt.Sprintf("`br_table` | %s in a function, %s in the image |", thousands(targetsPerFunctionMax), thousands(targetsMax)),
		fmt.Sprintf("at the start | %s |", thousands(tableEntriesMax)),
		fmt.Sprintf("branches carry | %s,000 |", thousands(valuesMax/1000)),
		fmt.Sprintf("segments of tables | %s,000 |", thousands(binary.ElementsMax/1000)),
		fmt.Sprintf("compiler | %d s for a function, %d s for the image |", workMax/nanoseconds, workImageMax/nanoseconds),
	} {
		require.Contains(t, string(text), row)
	}
}

// TestCompilesSoon checks that images at the limits compile in the stated time.
func TestCompilesSoon(t *testing.T) {
	table := append(number(0), binary.OpBrTable)
	table = append(binary.AppendU32(table, targetsPerFunctionMax-1, 1), make([]byte, targetsPerFunctionMax)...)
	tables := &assembly{}
	for range targetsMax / targetsPerFunctionMax {
		tables.add("", "", "", "", table...)
	}
	images := map[string]*assembly{"br_tables": tables}
	if *full {
		one := func(locals string, code ...byte) *assembly { return (&assembly{}).add("", i32, "", locals, code...) }
		get := []byte{binary.OpLocalGet, 0}
		branch := slices.Concat(get, []byte{binary.OpBrIf, 0})
		images["branches"] = one("", slices.Concat([]byte{binary.OpBlock, binary.BlockEmpty}, bytes.Repeat(branch, branchesMax), []byte{binary.OpEnd})...)
		images["calls"] = one("", bytes.Repeat([]byte{binary.OpLocalGet, 0, binary.OpCall, 0}, 250_000)...)
		const locals, loops = 13_000, 11
		var live []byte
		for range loops {
			live = slices.Concat(live, []byte{binary.OpLoop, binary.BlockEmpty}, branch, []byte{binary.OpEnd})
		}
		for local := range uint32(locals) {
			live = append(binary.AppendU32(append(live, binary.OpLocalGet), local+1, 1), binary.OpDrop)
		}
		images["locals"] = one(strings.Repeat(i32, locals), live...)
		images["code"] = &assembly{}
		for range 8 {
			images["code"].add("", i32, "", "", bytes.Repeat(slices.Concat(get, get, []byte{binary.OpI32Add, binary.OpDrop}), 340_000)...)
		}
		images["functions"] = &assembly{}
		images["functions"].signature("", "")
		for range binary.ListMax {
			images["functions"].functions = append(images["functions"].functions, testFunction{})
		}
	}
	for name, a := range images {
		copied := rewrite(t, a.bytes()).Binary
		r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigCompiler())
		start := time.Now()
		_, err := r.CompileModule(t.Context(), copied)
		took := time.Since(start)
		require.NoError(t, err)
		require.NoError(t, r.Close(t.Context()))
		var usage syscall.Rusage
		require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
		t.Logf("%s: %.1f s; so far at most %d MiB", name, took.Seconds(), usage.Maxrss>>10)
		require.Less(t, took, time.Minute, name)
	}
}

// FuzzRewrite checks that arbitrary bytes cause no panic, and that the runtime accepts the copy of every image that
// it accepts.
func FuzzRewrite(f *testing.F) {
	for _, image := range images(f) {
		f.Add(image, uint(100), byte(0))
	}
	seed := &assembly{elements: []byte{0}}
	seed.mutable(64).add("starloom_slot", i32, "", i32+i64, slices.Concat(getSP, number(16), []byte{binary.OpI32Sub}, setSP, forever)...)
	f.Add(seed.bytes(), uint(30), byte(3))
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	f.Fuzz(func(t *testing.T, image []byte, at uint, value byte) {
		if len(image) > 0 {
			image = slices.Clone(image)
			image[at%uint(len(image))] = value
		}
		c, err := Rewrite(image)
		if err != nil {
			return
		}
		raw, err := r.CompileModule(ctx, image)
		if err != nil {
			return
		}
		require.NoError(t, raw.Close(ctx))
		copied, err := r.CompileModule(ctx, c.Binary)
		require.NoError(t, err)
		require.NoError(t, copied.Close(ctx))
		c.Places().Frames(0x20)
	})
}
