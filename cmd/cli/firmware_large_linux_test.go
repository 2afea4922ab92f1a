package cli

import (
	"bytes"
	bin "encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware"
	wasm "starloom/firmware/wasm/binary"
)

// enlargeImage appends entries to sections of an image. A new custom section replaces all custom sections.
func enlargeImage(t *testing.T, image []byte, more map[byte]largeSection) []byte {
	m, err := wasm.Parse(image, true)
	require.NoError(t, err)
	parts := m.Parts()
	for id, s := range more {
		if s.replaces {
			delete(parts, id)
		}
		if id != wasm.SectionCustom {
			parts.Add(id, s.count, s.entries)
		}
	}
	out := m.Encode(parts)
	for name, content := range more[wasm.SectionCustom].custom {
		out = wasm.AppendSection(out, wasm.SectionCustom, 1, append(wasm.AppendName(nil, name), content...))
	}
	return out
}

// largeSection holds additional entries of a section.
type largeSection struct {
	count    int
	entries  []byte
	replaces bool
	custom   map[string][]byte
}

// functionsOf returns copies of a function body, of the last type.
func functionsOf(copies int, code []byte) (bodies []byte) {
	body := slices.Concat([]byte{0}, code, []byte{0x0b})
	return bytes.Repeat(append(wasm.AppendU32(nil, uint32(len(body)), 1), body...), copies)
}

// TestMemoryOfInspect checks that inspect needs less than 1 GiB and a check of a small scenario less than 2 GiB, as
// stated in ABI.md. Larger images are refused with a remedy.
func TestMemoryOfInspect(t *testing.T) {
	image, err := firmware.ProgramImage("pops/random")
	require.NoError(t, err)
	m, err := wasm.Parse(image, false)
	require.NoError(t, err)
	types := wasm.AppendU32(nil, uint32(len(m.Types)), 1)
	code := func(typ string, copies int, body []byte) map[byte]largeSection {
		return map[byte]largeSection{
			1:  {count: 1, entries: []byte(typ)},
			3:  {count: copies, entries: bytes.Repeat(types, copies)},
			10: {count: copies, entries: functionsOf(copies, body)},
		}
	}
	loads := code("\x60\x01\x7f\x01\x7f", 1, slices.Concat([]byte{0x20, 0}, bytes.Repeat([]byte{0x28, 2, 0}, 50_000)))
	loads[5] = largeSection{replaces: true, count: 1, entries: []byte{0, 0x80, 0x20}} // 256 MiB
	lines := bytes.Repeat([]byte{0x21}, 5<<20)
	bin.LittleEndian.PutUint32(lines, uint32(len(lines)-4))
	scenario := filepath.Join(t.TempDir(), "small.yaml")
	require.NoError(t, os.WriteFile(scenario, []byte("starloom: 1\nfabric: {pops: {groups: 1, group_size: 2}}\nfirmware: {program: pops/random}\n"+
		"workload: {permutation: reverse}\n"), 0o644))
	unit := []byte{12, 0, 0, 0, 4, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0}
	for name, c := range map[string]struct {
		more map[byte]largeSection
		want string
	}{
		"loads and data": {loads, ""},
		"types": {map[byte]largeSection{1: {count: 800, entries: bytes.Repeat(slices.Concat([]byte{0x60, 0x80, 5}, bytes.Repeat([]byte{0x7f}, 640), []byte{0}), 800)}},
			"parameters and results of types; at most 500000 are allowed; make it smaller"},
		"instructions": {code("\x60\x00\x00", 1, bytes.Repeat([]byte{0x41, 0}, 100_001)), "the function has more than 100000 instructions; split it"},
		"image":        {code("\x60\x00\x00", 21, bytes.Repeat([]byte{0x41, 0, 0x1a}, 49_900)), "with this instruction the image has more than 2000000 instructions; make it smaller"},
		"code":         {code("\x60\x00\x00", 1, make([]byte, 9<<20)), "bytes of code; at most 8388608 are allowed; make it smaller"},
		"lines": {map[byte]largeSection{0: {custom: map[string][]byte{
			".debug_abbrev": {1, 0x11, 0, 0x10, 0x17, 0, 0, 0}, ".debug_info": unit, ".debug_line": lines,
		}}}, "line programs of more than 4194304 bytes in total; strip it, or build without -g"},
	} {
		file := filepath.Join(t.TempDir(), "large.wasm")
		require.NoError(t, os.WriteFile(file, enlargeImage(t, image, c.more), 0o644))
		run := func(most int64, arguments ...string) (text []byte, status int) {
			child := exec.Command(binary, append([]string{"firmware"}, arguments...)...)
			text, _ = child.CombinedOutput()
			used := child.ProcessState.SysUsage().(*syscall.Rusage)
			t.Logf("%s: %s: %d MiB, %v: %.200s", arguments[0], name, used.Maxrss>>10, child.ProcessState.UserTime(), text)
			require.Less(t, used.Maxrss>>10, most, name)
			return text, child.ProcessState.ExitCode()
		}
		text, status := run(1024, "inspect", file)
		if c.want == "" {
			require.Zero(t, status, string(text))
			text, status = run(2048, "check", file, scenario, "--fuzz", "0")
			require.Zero(t, status, string(text))
			continue
		}
		require.Equal(t, 2, status, name)
		require.Contains(t, string(text), c.want)
		require.Equal(t, 1, strings.Count(strings.TrimSpace(string(text)), file), name)
	}
}
