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
)

// images are the embedded images.
func images(t testing.TB) map[string][]byte {
	paths, err := filepath.Glob("../images/*/*.wasm")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	all := map[string][]byte{}
	for _, path := range paths {
		binary, err := os.ReadFile(path)
		require.NoError(t, err)
		all[filepath.Base(path)] = binary
	}
	return all
}

// TestRoundTrip reads every embedded image to its last instruction and writes it again
// without any pass: the bytes are the same.
func TestRoundTrip(t *testing.T) {
	for name, binary := range images(t) {
		m, err := parse(binary)
		require.NoError(t, err)
		same := func() *copier { return &copier{imported: math.MaxUint32} }
		out := slices.Clone(header)
		for _, s := range m.sections {
			content := s.content
			switch s.id {
			case sectionCustom:
				content = append(appendName(nil, s.name), content...)
			case sectionExport:
				content = same().exports(content)
			case sectionGlobal:
				content = m.shiftGlobals(content, same())
			case sectionElement:
				c := same()
				m.readElements(&reader{data: content}, c)
				content = c.to
			case sectionCode:
				content = appendU32(nil, uint32(len(m.body)), 1)
				for _, f := range m.body {
					c := same()
					r := &reader{data: f.code}
					for r.more() {
						var i instruction
						r.instruction(&i)
						c.instruction(f.code, &i)
					}
					require.NoError(t, r.err)
					content = appendU32(content, uint32(len(f.locals)+len(c.to)), f.width)
					content = append(append(content, f.locals...), c.to...)
				}
			}
			before := len(out)
			out = appendSection(out, s.id, s.width, content)
			require.Equal(t, binary[before:len(out)], out[before:], "%s: section %d", name, s.id)
		}
		require.Len(t, out, len(binary))
	}
}

// TestOrigins holds that every instruction of an image is in its copy, and that its
// offset there leads back to it.
func TestOrigins(t *testing.T) {
	for name, binary := range images(t) {
		c := rewrite(t, binary)
		image, err := parse(binary)
		require.NoError(t, err)
		woven, err := parse(c.Binary)
		require.NoError(t, err)
		start := func(m *module) int {
			return m.sections[slices.IndexFunc(m.sections, func(s section) bool { return s.id == sectionCode })].offset
		}
		inserted := 0
		for k := range image.body {
			from, to := &image.body[k], &woven.body[k]
			base := from.offset + len(from.locals) - start(image)
			want := &reader{data: from.code}
			got := &reader{data: to.code}
			for want.more() {
				var i, j instruction
				want.instruction(&i)
				op := i.op
				if addresses(&i, *want) {
					op = opLocalGet
				}
				for { // up to the instruction that this one has become
					got.instruction(&j)
					require.NoError(t, got.err)
					at, ok := c.origin(uint64(to.offset + len(to.locals) - start(woven) + j.start))
					require.True(t, ok)
					if int(at) == base+i.start && j.op == op && !c.isInserted(uint64(to.offset+len(to.locals)-start(woven)+j.start)) {
						break
					}
					inserted++
				}
				if i.op == opCall {
					require.Equal(t, (&copier{imported: uint32(len(image.imported))}).function(i.index), j.index)
				}
			}
			require.False(t, got.more())
		}
		require.Positive(t, inserted, name)
	}
}

func (c *Copy) isInserted(offset uint64) bool {
	n, found := slices.BinarySearchFunc(c.moved, offset, func(m moved, offset uint64) int { return int(int64(m.to) - int64(offset)) })
	if !found {
		n--
	}
	return c.moved[n].inserted
}

// Code of the tests.
var (
	getSP   = []byte{byte(opGlobalGet), 0}
	setSP   = []byte{byte(opGlobalSet), 0}
	forever = []byte{byte(opLoop), blockEmpty, byte(opBr), 0, byte(opEnd)}
)

func number(value int32) []byte { return appendS32([]byte{byte(opI32Const)}, value) }

type stop struct{}

func (stop) Error() string { return "stopped" }

// TestNothingRunsForEver runs what would never end, or not before the end of time: the
// host is asked again and again, however the image goes on.
func TestNothingRunsForEver(t *testing.T) {
	big := slices.Concat(number(0), number(0), number(60<<10), []byte{0xFC, 11, 0}) // memory.fill of 60 KiB
	chain := (&assembly{}).add("f", "", "", "")
	for k := range 64 { // 2^64 calls without a loop
		chain.add(map[bool]string{true: "run"}[k == 63], "", "", "", byte(opCall), byte(k), byte(opCall), byte(k))
	}
	indirect := (&assembly{elements: []byte{0}})
	indirect.signature("", "")
	indirect.add("run", "", "", "", slices.Concat(getSP, number(1), []byte{byte(opI32Sub)}, []byte{byte(opLocalTee), 0}, setSP,
		[]byte{byte(opLocalGet), 0, byte(opIf), blockEmpty},
		number(0), []byte{byte(opCallIndirect), 0, 0},
		number(0), []byte{byte(opCallIndirect), 0, 0, byte(opEnd)},
		[]byte{byte(opLocalGet), 0}, number(1), []byte{byte(opI32Add)}, setSP)...)
	indirect.functions[0].locals = i32
	for name, c := range map[string]struct {
		image *assembly
		ticks int
	}{
		"loop":     {(&assembly{}).add("run", "", "", "", forever...), 2},
		"nested":   {(&assembly{}).add("run", "", "", "", slices.Concat([]byte{byte(opLoop), blockEmpty}, forever, []byte{byte(opBr), 0, byte(opEnd)})...), 2},
		"indirect": {indirect.mutable(40), 2},
		"calls":    {chain, 2},
		"fill":     {(&assembly{}).add("run", "", "", "", slices.Concat([]byte{byte(opLoop), blockEmpty}, big, []byte{byte(opBr), 0, byte(opEnd)})...), 2},
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
	a := (&assembly{}).add("f", i32, i32, "", byte(opLocalGet), 0, byte(opLocalGet), 0, byte(opI32Add))
	a.add("g", i32, i32, "", byte(opLocalGet), 0, byte(opCall), 0)
	m, err := parse(rewrite(t, a.bytes()).Binary)
	require.NoError(t, err)
	require.Equal(t, []byte{byte(opLocalGet), 0, byte(opLocalGet), 0, byte(opI32Add), byte(opEnd)}, m.body[0].code)
	require.Equal(t, []byte{byte(opLocalGet), 0, byte(opCall), 1, byte(opEnd)}, m.body[1].code)
}

// TestGivenBack finds the globals that must be set back after a trap.
func TestGivenBack(t *testing.T) {
	lower := slices.Concat(getSP, number(16), []byte{byte(opI32Sub), byte(opLocalTee), 0}, setSP)
	raise := slices.Concat([]byte{byte(opLocalGet), 0}, number(16), []byte{byte(opI32Add)}, setSP)
	onlyIf := func(code ...[]byte) []byte {
		return slices.Concat(number(1), []byte{byte(opIf), blockEmpty}, slices.Concat(code...), []byte{byte(opEnd)})
	}
	aligned := slices.Concat(getSP, []byte{byte(opLocalTee), 0}, number(40), []byte{byte(opI32Sub)}, number(-32), []byte{0x71, byte(opLocalTee), 1}, setSP)
	for name, c := range map[string]struct {
		code []byte
		back bool
	}{
		"LLVM":           {slices.Concat(lower, raise), true},
		"aligned":        {slices.Concat(aligned, []byte{byte(opLocalGet), 0}, setSP), true},
		"AssemblyScript": {slices.Concat(getSP, number(4), []byte{byte(opI32Sub)}, setSP, getSP, number(4), []byte{byte(opI32Add)}, setSP), true},
		"early return":   {slices.Concat(lower, onlyIf(raise, []byte{byte(opReturn)}), raise), true},
		"forgotten":      {slices.Concat(lower, onlyIf([]byte{byte(opReturn)}), raise), false},
		"in a loop": {slices.Concat(number(9), []byte{byte(opLocalSet), 1, byte(opLoop), blockEmpty}, lower, raise,
			[]byte{byte(opLocalGet), 1}, number(1), []byte{byte(opI32Sub), byte(opLocalTee), 1, byte(opBrIf), 0, byte(opEnd)}), true},
		"each turn": {slices.Concat([]byte{byte(opLoop), blockEmpty}, lower, number(1), []byte{byte(opBrIf), 0, byte(opEnd)}, raise), false},
		"heap":      {slices.Concat(getSP, number(16), []byte{byte(opI32Add)}, setSP), false},
		"one way":   {onlyIf(getSP, number(8), []byte{byte(opI32Add)}, setSP), false},
		"both ways": {slices.Concat(lower, number(1), []byte{byte(opIf), blockEmpty}, raise, []byte{byte(opElse)}, raise, []byte{byte(opEnd)}), true},
		"half":      {slices.Concat(lower, number(1), []byte{byte(opIf), blockEmpty}, raise, []byte{byte(opElse), byte(opEnd)}), false},
		"never":     {slices.Concat(lower, forever), true},
		"trap":      {slices.Concat(lower, []byte{byte(opUnreachable)}), true},
		"read":      {slices.Concat(getSP, []byte{byte(opDrop)}), true},
		"unknown":   {slices.Concat(getSP, number(0), []byte{0x28, 0, 0, byte(opI32Sub)}, setSP, getSP, number(0), []byte{byte(opI32Sub)}, setSP), false},
	} {
		a := (&assembly{}).mutable(1024).add("starloom_slot", "", "", i32+i32, c.code...)
		g := rewrite(t, a.bytes()).Globals
		require.Len(t, g, 1)
		require.Equal(t, c.back, g[0].GivenBack, name)
	}

	// A function that nothing calls does not count; one that is called does, and
	// then the image must name its stack pointer.
	leak := slices.Concat(getSP, number(0), []byte{0x28, 0, 0, byte(opI32Sub)}, setSP)
	a := (&assembly{}).mutable(1024).add("starloom_slot", "", "", i32, slices.Concat(lower, raise)...).add("stackRestore", "", "", "", leak...)
	require.True(t, rewrite(t, a.bytes()).Globals[0].GivenBack)
	a.functions[0].code = slices.Concat(lower, []byte{byte(opCall), 1}, raise)
	a.add("starloom_start", "", "", i32, slices.Concat(lower, raise)...)
	_, err := Rewrite(a.bytes())
	require.EqualError(t, err, "keeps a stack by global 0 in function 2 (starloom_start), but function 1 (stackRestore) need not set it back, so that a trap could harm others: export it as __stack_pointer")
	names := appendSection(a.bytes(), sectionCustom, 1, append(append(appendName(nil, "name"), 7, 18, 1, 0), appendName(nil, "__stack_pointer")...))
	require.True(t, rewrite(t, names).Globals[0].GivenBack)
	require.Equal(t, "__stack_pointer", rewrite(t, names).Globals[0].Name)
}

// TestReservedNames: a function of an image that calls itself what those of a copy are called has no
// name, so that nothing is left out of a backtrace but what the copy has added.
func TestReservedNames(t *testing.T) {
	a := (&assembly{}).add("starloom_slot", "", "", i32)
	for name, kept := range map[string]bool{EachName + "starloom_slot": false, "starloom_slot": true} {
		list := appendName([]byte{1, 0}, name)
		binary := appendSection(a.bytes(), sectionCustom, 1, append(append(appendName(nil, "name"), namesFunctions, byte(len(list))), list...))
		m, err := read(binary)
		require.NoError(t, err)
		require.Equal(t, kept, m.names[0] == name)
	}
}

// TestRefuses names what cannot be run or kept, and where it is.
func TestRefuses(t *testing.T) {
	one := func(code ...byte) []byte { return (&assembly{}).add("f", "", "", "", code...).bytes() }
	table := func(targets int) []byte {
		code := append(number(0), byte(opBrTable))
		code = appendU32(code, uint32(targets-1), 1)
		return append(code, make([]byte, targets)...)
	}
	nested := bytes.Repeat([]byte{byte(opBlock), blockEmpty}, 1001)
	nested = append(nested, bytes.Repeat([]byte{byte(opEnd)}, 1001)...)
	many := (&assembly{})
	for range 9 {
		many.add("f", "", "", "", table(8192)...)
		many.functions[len(many.functions)-1].name = ""
	}
	branches := func(count int) []byte { return bytes.Repeat(append(number(1), byte(opBrIf), 0), count) }
	locals := strings.Repeat(i32, 40_000)
	loops := bytes.Repeat([]byte{byte(opLoop), blockEmpty, byte(opEnd)}, 2)
	busy := &assembly{}
	for range 12 {
		busy.add("", "", "", "", branches(8192)...)
	}
	functions := &assembly{}
	functions.signature("", "")
	for range listMax + 1 {
		functions.functions = append(functions.functions, testFunction{})
	}
	global := (&assembly{globals: [][]byte{append([]byte{typeV128, 1, simd >> 16, 12}, append(make([]byte, 16), byte(opEnd))...)}}).add("f", "", "", "")
	for name, c := range map[string]struct {
		binary []byte
		want   string
	}{
		"br_table":    {one(table(8193)...), "function 0 (f) at offset 0x30: with this br_table the function has 8193 branch targets in br_tables, allowed are 8192; split the switch"},
		"br_tables":   {many.bytes(), "with this br_table the image has 73728 branch targets in br_tables, allowed are 65536"},
		"blocks":      {one(bytes.Repeat([]byte{byte(opBlock), blockEmpty, byte(opEnd)}, 8193)...), "the function has more than 8192 blocks"},
		"branches":    {one(branches(8193)...), "the function has more than 8192 branches (br, br_if); split it"},
		"locals":      {(&assembly{}).add("f", "", "", locals, loops...).bytes(), "function 0 (f): a function of 40000 locals, 2 blocks, 0 branches and 0 calls takes the compiler about 16 s, allowed are 10; split it"},
		"all of it":   {busy.bytes(), "function 11: with this function, of 0 locals, 0 blocks, 8192 branches and 0 calls, the image takes the compiler more than 30 s; make it smaller"},
		"functions":   {functions.bytes(), "has 100001 functions, allowed are 100000; make it smaller"},
		"code":        {one(make([]byte, 16<<20)...), "bytes of code, allowed are 4194304"},
		"nesting":     {one(nested...), "blocks are nested deeper than 1000"},
		"data.drop":   {one(0xFC, 9, 0), "function 0 (f) at offset 0x2c: it changes tables or segments (data.drop), which the host cannot save"},
		"table.copy":  {one(slices.Concat(number(0), number(0), number(0), []byte{0xFC, 14, 0, 0})...), "(table.copy), which the host cannot save"},
		"v128 global": {global.bytes(), "has the mutable global global 0, whose type (0x7b) cannot be saved"},
		"atomics":     {one(0xFE, 3, 0), "function 0 (f): the instruction 0xfe (threads), which Starloom does not run, at offset 0x2c"},
		"relaxed":     {one(0xFD, 0x80, 2), "the instruction 0xfd 256 (relaxed SIMD), which Starloom does not run"},
		"tail call":   {one(0x12, 0), "the instruction 0x12 (tail calls), which Starloom does not run"},
		"our counter": {(&assembly{}).mutable(1).add("f", "", "", "", byte(opGlobalGet), 1, byte(opDrop)).bytes(), "there is no global 1"},
		"our local":   {(&assembly{}).add("f", "", "", "", slices.Concat(forever, []byte{byte(opLocalGet), 0, byte(opDrop)})...).bytes(), "there is no local 0"},
		"our name":    {(&assembly{}).add("starloom.start", "", "", "").bytes(), `exports "starloom.start": names that begin with "starloom." are Starloom's`},
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
		fmt.Sprintf("| code | %d MiB |", codeBytesMax>>20),
		fmt.Sprintf("sections | %s each |", thousands(listMax)),
		fmt.Sprintf("results of a function | %s each |", thousands(parametersMax)),
		fmt.Sprintf("all types | %s |", thousands(typeValuesMax)),
		fmt.Sprintf("instructions | %s in a function, %s,000 in the image |", thousands(instructionsMax), thousands(allInstructionsMax/1000)),
		fmt.Sprintf("all units together | %d MiB |", linesBytesMax>>20),
		fmt.Sprintf("parameters | %s |", thousands(localsMax)),
		fmt.Sprintf("`if` of a function | %s, nested at most %s deep |", thousands(blocksMax), thousands(nestingMax)),
		fmt.Sprintf("`br_if` of a function | %s |", thousands(branchesMax)),
		fmt.Sprintf("`br_table` | %s in a function, %s in the image |", thousands(targetsPerFunctionMax), thousands(targetsMax)),
		fmt.Sprintf("at the start | %s |", thousands(tableEntriesMax)),
		fmt.Sprintf("branches carry | %s,000 |", thousands(valuesMax/1000)),
		fmt.Sprintf("segments of tables | %s,000 |", thousands(elementsMax/1000)),
		fmt.Sprintf("compiler | %d s for a function, %d s for the image |", workMax/nanoseconds, workImageMax/nanoseconds),
	} {
		require.Contains(t, string(text), row)
	}
}

// TestCompilesSoon: what is at the limits compiles in the time that is stated.
func TestCompilesSoon(t *testing.T) {
	table := append(number(0), byte(opBrTable))
	table = append(appendU32(table, targetsPerFunctionMax-1, 1), make([]byte, targetsPerFunctionMax)...)
	tables := &assembly{}
	for range targetsMax / targetsPerFunctionMax {
		tables.add("", "", "", "", table...)
	}
	images := map[string]*assembly{"br_tables": tables}
	if *full {
		one := func(locals string, code ...byte) *assembly { return (&assembly{}).add("", i32, "", locals, code...) }
		get := []byte{byte(opLocalGet), 0}
		branch := slices.Concat(get, []byte{byte(opBrIf), 0})
		images["branches"] = one("", slices.Concat([]byte{byte(opBlock), blockEmpty}, bytes.Repeat(branch, branchesMax), []byte{byte(opEnd)})...)
		images["calls"] = one("", bytes.Repeat([]byte{byte(opLocalGet), 0, byte(opCall), 0}, 250_000)...)
		const locals, loops = 13_000, 11
		var live []byte
		for range loops {
			live = slices.Concat(live, []byte{byte(opLoop), blockEmpty}, branch, []byte{byte(opEnd)})
		}
		for local := range uint32(locals) {
			live = append(appendU32(append(live, byte(opLocalGet)), local+1, 1), byte(opDrop))
		}
		images["locals"] = one(strings.Repeat(i32, locals), live...)
		images["code"] = &assembly{}
		for range 8 {
			images["code"].add("", i32, "", "", bytes.Repeat(slices.Concat(get, get, []byte{byte(opI32Add), byte(opDrop)}), 340_000)...)
		}
		images["functions"] = &assembly{}
		images["functions"].signature("", "")
		for range listMax {
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

// FuzzRewrite: whatever the bytes are, nothing panics, and what the runtime accepts it
// accepts as a copy, too.
func FuzzRewrite(f *testing.F) {
	for _, binary := range images(f) {
		f.Add(binary, uint(100), byte(0))
	}
	seed := &assembly{elements: []byte{0}}
	seed.mutable(64).add("starloom_slot", i32, "", i32+i64, slices.Concat(getSP, number(16), []byte{byte(opI32Sub)}, setSP, forever)...)
	f.Add(seed.bytes(), uint(30), byte(3))
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	f.Fuzz(func(t *testing.T, binary []byte, at uint, value byte) {
		if len(binary) > 0 {
			binary = slices.Clone(binary)
			binary[at%uint(len(binary))] = value
		}
		c, err := Rewrite(binary)
		if err != nil {
			return
		}
		raw, err := r.CompileModule(ctx, binary)
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
