package firmware

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware/wasm"
)

// trapOf is the failure of processor 0 in slot 1.
func trapOf(t *testing.T, binary []byte, ticks int) Event {
	t.Helper()
	host := newHost(t, "compiler")
	host.Limit(ticks)
	image, err := host.Load("image.wasm", binary)
	require.NoError(t, err)
	in, err := image.NewInstance(config(2))
	require.NoError(t, err)
	in.Start()
	in.Slot([]uint32{0, 1}, 1)
	events := in.TakeEvents()
	require.NotEmpty(t, events)
	return events[0]
}

func buildText(t *testing.T, text string) []byte {
	t.Helper()
	source := filepath.Join(t.TempDir(), "text.c")
	require.NoError(t, os.WriteFile(source, []byte(text), 0o644))
	binary, err := os.ReadFile(build(t, source))
	require.NoError(t, err)
	return binary
}

// TestLongNamesAreCut: all outputs truncate a function name of a megabyte and mark it.
func TestLongNamesAreCut(t *testing.T) {
	name := "f" + strings.Repeat("o", 1<<20)
	binary := buildText(t, `#include "starloom.h"
typedef struct { uint32_t x; } state_t;
static void on_start(sl_nic *nic, state_t *s) { (void)nic; (void)s; }
static __attribute__((noinline)) void `+name+`(volatile uint32_t *x) { if (!*x) __builtin_trap(); }
static void on_slot(sl_nic *nic, state_t *s) { (void)nic; `+name+`(&s->x); }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`)
	cut := name[:250] + "..."
	for stripped, image := range map[bool][]byte{false: binary, true: withoutDebug(t, binary)} {
		e := trapOf(t, image, 0)
		require.Equal(t, cut, e.Function)
		require.Equal(t, cut, e.Backtrace[0].Function)
		path := filepath.Join(t.TempDir(), "long.wasm")
		require.NoError(t, os.WriteFile(path, image, 0o644))
		view, err := View(t.Context(), path, "unit", nil, nil, Shown{Functions: true, Blocks: true})
		require.NoError(t, err)
		var text, json bytes.Buffer
		require.NoError(t, view.WriteText(&text))
		require.NoError(t, view.WriteJSON(&json))
		require.Less(t, text.Len()+json.Len(), 100_000, stripped)
		require.Contains(t, text.String(), cut)
	}
}

// withoutDebug removes debug information from an image, but keeps names.
func withoutDebug(t *testing.T, binary []byte) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stripped.wasm")
	require.NoError(t, os.WriteFile(path, binary, 0o644))
	out, err := exec.Command("wasm-opt", "-g", "--strip-dwarf", path, "-o", path).CombinedOutput()
	require.NoError(t, err, "%s (package binaryen)", out)
	binary, err = os.ReadFile(path)
	require.NoError(t, err)
	return binary
}

// TestFunctionsHaveOneName: a function without a name is called by its number in load errors, traps and inspect.
func TestFunctionsHaveOneName(t *testing.T) {
	text, err := os.ReadFile("testdata/direct.wat")
	require.NoError(t, err)
	dir := t.TempDir()
	source, path := filepath.Join(dir, "direct.wat"), filepath.Join(dir, "direct.wasm")
	const begin = "(func $begin "
	require.Contains(t, string(text), begin)
	at := strings.Index(string(text), begin)
	line := strings.IndexByte(string(text)[at:], '\n')
	require.NoError(t, os.WriteFile(source, []byte(string(text)[:at+line]+" (unreachable)"+string(text)[at+line:]), 0o644))
	out, err := exec.Command("wasm-as", source, "-o", path).CombinedOutput()
	require.NoError(t, err, "%s (package binaryen)", out)
	binary, err := os.ReadFile(path)
	require.NoError(t, err)
	e := trapOf(t, binary, 0)
	require.Regexp(t, `^function \d$`, e.Function)
	require.Equal(t, "starloom_start", e.Backtrace[1].Function)
	view, err := View(t.Context(), path, "unit", nil, nil, Shown{})
	require.NoError(t, err)
	require.Equal(t, e.Function,
		view.Static.Functions[int(e.Function[len(e.Function)-1]-'0')-len(view.Static.Imports)].Name)

	// One imported function and two defined ones; the second pops a missing value or uses references.
	module := func(code ...byte) []byte {
		imported := "\x02\x10\x01\x08starloom\x03log\x00\x01"
		body := append([]byte{byte(len(code) + 2), 0}, append(code, 0x0B)...)
		return []byte("\x00asm\x01\x00\x00\x00\x01\x09\x02\x60\x00\x00\x60\x02\x7f\x7f\x00" + imported + "\x03\x03\x02\x00\x00" +
			fmt.Sprintf("\x0a%c\x02\x02\x00\x0b%s", len(body)+4, body))
	}
	host := newHost(t, "compiler")
	_, err = host.Load("drops", module(0x1A))
	require.ErrorContains(t, err, "broken WebAssembly module: invalid function 2: ")
	require.ErrorContains(t, err, "; if the file is unchanged since the build, correct the tool that wrote it")
	_, err = host.Load("reference", module(0xD0, 0x70, 0x1A))
	require.ErrorContains(t, err, "function 2 at offset ")
	require.ErrorContains(t, err, ": ref.null has reference types, which Starloom does not support; build it without "+
		"that feature: firmware/ABI.md lists the refused features")
	_, err = host.Load("threads", module(0xFE, 3, 0))
	require.ErrorContains(t, err, "(threads), which Starloom does not support, at offset ")
	require.NotContains(t, err.Error(), "build it again")
}

// TestRecursionIsNotALoop: the error of recursion without a loop counts calls and offers no option for loops.
func TestRecursionIsNotALoop(t *testing.T) {
	binary := buildText(t, `#include "starloom.h"
typedef struct { volatile uint32_t x; } state_t;
static void on_start(sl_nic *nic, state_t *s) { s->x = sl_self(nic); }
static __attribute__((noinline)) uint32_t many(state_t *s, uint32_t n) { s->x++; return n < 2 ? s->x : many(s, n - 1) ^ (many(s, n - 2) * 3); }
static void on_slot(sl_nic *nic, state_t *s) { (void)nic; s->x = many(s, 60); }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`)
	e := trapOf(t, binary, 3)
	require.Regexp(t, `^it has not returned after \d+ calls of functions that may call themselves \(function \d+ \(many\)\) or iterations of its loops$`, e.Text)
	path := filepath.Join(t.TempDir(), "many.wasm")
	require.NoError(t, os.WriteFile(path, binary, 0o644))
	view, err := View(t.Context(), path, "unit", nil, nil, Shown{})
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, view.WriteText(&text))
	require.Contains(t, text.String(), "many: it may call itself")
	require.NotContains(t, text.String(), "--loop", text.String())
}

// TestHeadlineIsTheUsers: a panic names the user's function first.
func TestHeadlineIsTheUsers(t *testing.T) {
	panics := []wasm.Frame{
		{Function: "panic", Source: "starloom.rs:310:5"}, {Function: "panic_fmt", Source: "/rustc/9fc6b4312/library/core/src/panicking.rs:72:14"},
		{Function: "panic_bounds_check", Source: "/rustc/9fc6b4312/library/core/src/panicking.rs:275:5"},
		{Function: "index<u32>", Source: "/rustc/9fc6b4312/library/core/src/slice/index.rs:274:10"},
		{Function: "data_slot", Source: "router.rs:44:17"}, {Function: "starloom_slot", Source: "starloom.rs:200:9"},
	}
	require.Equal(t, 4, ownFrame(panics))
	require.Equal(t, 4, ownFrame(panics[:5]))
	require.Equal(t, 0, ownFrame(panics[:4]), "nothing is the user's")
	require.Equal(t, 0, ownFrame(panics[4:]))
	require.Equal(t, 0, ownFrame([]wasm.Frame{{Function: "closure", Source: "router.rs:9:1"},
		{Function: "map", Source: "/usr/src/rustc-1.63.0/library/core/src/iter/adapters/map.rs:84:28"}, {Function: "on_slot", Source: "router.rs:3:1"}}))
	require.Equal(t, 2, ownFrame([]wasm.Frame{{Function: "rust_begin_unwind"}, {Function: "core::panicking::panic_fmt::h1"}, {Function: "router::data_slot::h2"}}))
	require.Equal(t, 0, ownFrame([]wasm.Frame{{Function: "router/dataSlot", Source: "~lib/array.ts:114:42"}, {Function: "starloom_slot", Source: "router.ts:51:5"}}), "of a check that is inlined")
	require.Equal(t, 1, ownFrame([]wasm.Frame{{Function: "~lib/staticarray/StaticArray<u32>#__get"}, {Function: "router/dataSlot"}}))
	require.Equal(t, 2, ownFrame([]wasm.Frame{{Function: "runtime.fatalpanic"}, {Function: "runtime.gopanic"}, {Function: "main.dataSlot"}}))
	require.Equal(t, 0, ownFrame(nil))
}

// TestLoopByOffset: in an image without lines, a loop is named by its offset.
func TestLoopByOffset(t *testing.T) {
	path := filepath.Join(t.TempDir(), "direct.wasm")
	out, err := exec.Command("wasm-as", "testdata/direct.wat", "-o", path).CombinedOutput()
	require.NoError(t, err, "%s (package binaryen)", out)
	view, err := View(t.Context(), path, "unit", nil, nil, Shown{})
	require.NoError(t, err)
	var place string
	for _, f := range view.Static.Functions {
		for _, l := range f.Loops {
			place = l.String()
		}
	}
	require.Regexp(t, `^offset 0x[0-9a-f]+$`, place)
	turns, err := ParseTurns([]string{place + "=100"})
	require.NoError(t, err)
	view, err = View(t.Context(), path, "unit", nil, turns, Shown{Functions: true})
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, view.WriteText(&text))
	require.Contains(t, text.String(), place+": 100 turns (--loop)")
}

// TestSourceMap: an image without DWARF has lines from its source map if that is in the host's folder.
func TestSourceMap(t *testing.T) {
	text, err := os.ReadFile("testdata/direct.wat")
	require.NoError(t, err)
	dir := t.TempDir()
	source, path := filepath.Join(dir, "direct.wat"), filepath.Join(dir, "direct.wasm")
	const store = "(i32.store offset=1024 (i32.const 8) (local.get $place))"
	require.Contains(t, string(text), store)
	marked := strings.Replace(string(text), store, "\n    ;;@ router.ts:44:17\n    (unreachable) "+store, 1)
	require.NoError(t, os.WriteFile(source, []byte(marked), 0o644))
	out, err := exec.Command("wasm-as", source, "-o", path, "-sm", path+".map", "-su", "./direct.wasm.map").CombinedOutput()
	require.NoError(t, err, "%s (package binaryen)", out)
	binary, err := os.ReadFile(path)
	require.NoError(t, err)
	for folder, want := range map[string]string{dir: "router.ts:44:18", "": "", t.TempDir(): ""} {
		host := newHost(t, "compiler")
		host.MapsIn(folder)
		for _, meter := range []*wasm.Meter{nil, CountingMeter(nil)} {
			image, err := host.load("direct.wasm", binary, meter)
			require.NoError(t, err)
			in, err := image.NewInstance(config(2))
			require.NoError(t, err)
			in.Start()
			event := in.TakeEvents()[0]
			require.Regexp(t, `^function \d$`, event.Function)
			require.Equal(t, want, event.Source)
		}
	}
	for _, broken := range []string{"", "{}", `{"version":3,"sources":["a"],"mappings":"A$AA"}`, `{"version":3,"sources":["a"],"mappings":"AAA"}`, `{"version":3,"sources":["a"],"mappings":"CAAA,DAAA"}`, `{"version":3,"mappings":"gggggggggggggggggggg"}`} {
		require.NoError(t, os.WriteFile(path+".map", []byte(broken), 0o644))
		host := newHost(t, "compiler")
		host.MapsIn(dir)
		image, err := host.Load("direct.wasm", binary)
		require.NoError(t, err)
		in, err := image.NewInstance(config(1))
		require.NoError(t, err)
		in.Start()
		require.Empty(t, in.TakeEvents()[0].Source, broken)
	}
}
