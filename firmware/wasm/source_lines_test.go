package wasm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// trapSource traps in place k, some of them inside of loops, of functions that become
// part of others, and after calls.
const trapSource = `typedef unsigned u;
volatile u data[64];
static u clip(u x) {
    if (x == 7) __builtin_trap();
    return data[x & 63];
}
__attribute__((noinline)) u divide(u x, u y) {
    float f = (float)x;
    data[1] = (u)(f * 3.5f);
    return x / y;
}
__attribute__((noinline)) u sum(u n) {
    u s = 0;
    for (u k = 0; k < n; k++) {
        s += clip(k);
        if (s == 12345) __builtin_trap();
        for (u j = 0; j < 4; j++) data[j] += s;
    }
    return s;
}
__attribute__((export_name("trap"))) u trap(u k) {
    switch (k) {
    case 0: return clip(7);
    case 1: return sum(9);
    case 2: return divide(3, 0);
    case 3: return sum(3) + divide(k, k - 3);
    case 4: return *(volatile u *)0xFFFFFFF0;
    }
    data[0] = sum(5);
    __builtin_memset((void *)0xFFFF0000, (int)k, 100000 + k);
    return 0;
}
`

// TestSourceLines traps a copy and the image itself in the same places, in both
// runtimes, with DWARF 4 as clang writes it: function, file, line and column are those
// that the runtime finds in the image. DWARF 5, which it cannot read, says the same.
func TestSourceLines(t *testing.T) {
	dir := t.TempDir()
	// Compiled where it lies: of an absolute name in DWARF 5 package debug/dwarf makes one
	// below the working folder.
	const source = "trap.c"
	require.NoError(t, os.WriteFile(filepath.Join(dir, source), []byte(trapSource), 0o644))
	build := func(version string) []byte {
		object, image := filepath.Join(dir, "trap.o"), filepath.Join(dir, version+".wasm")
		for _, command := range [][]string{
			{"clang", "--target=wasm32", "-O2", "-gdwarf-" + version, "-mbulk-memory", "-c", "-o", object, source},
			{"wasm-ld", "--no-entry", "-o", image, object},
		} {
			tool := exec.Command(command[0], command[1:]...)
			tool.Dir = dir
			out, err := tool.CombinedOutput()
			require.NoError(t, err, string(out))
		}
		built, err := os.ReadFile(image)
		require.NoError(t, err)
		return built
	}
	number := regexp.MustCompile(`0x[0-9a-f]+`)
	lines := map[string]bool{}
	for runtime, config := range runtimes {
		raw := run(t, config(), build("4"), nil)
		for _, version := range []string{"4", "5"} {
			c := rewrite(t, build(version))
			copied := run(t, config(), c.Binary, nil)
			places := c.Places()
			for k := range uint64(6) {
				_, want := raw.ExportedFunction("trap").Call(context.Background(), k)
				_, got := copied.ExportedFunction("trap").Call(context.Background(), k)
				require.Error(t, want)
				require.Error(t, got)
				wantLines, gotLines := strings.Split(want.Error(), "\n"), strings.Split(got.Error(), "\n")
				wantLines[2] = strings.Replace(wantLines[2], "\t4.wasm.", "\t.", 1) // wasm-ld 19 names a module as its file
				require.Equal(t, wantLines[:3], gotLines[:3])
				offset, err := strconv.ParseUint(number.FindString(gotLines[3]), 0, 64)
				require.NoError(t, err, gotLines[3])
				// wazero itself reports the calls of inlined functions.
				var chain, have []string
				for _, line := range wantLines[3:] {
					if !strings.HasPrefix(line, "\t\t") {
						break
					}
					line = strings.TrimSuffix(strings.TrimSpace(line), " (inlined)")
					if _, after, first := strings.Cut(line, ": "); first {
						line = after
					}
					chain = append(chain, line)
				}
				for _, frame := range places.Frames(offset) {
					require.NotEmpty(t, frame.Function)
					have = append(have, frame.Source)
				}
				require.Equal(t, chain, have, "place %d in the %s, DWARF %s", k, runtime, version)
				lines[fmt.Sprint(chain)] = true
			}
		}
	}
	require.GreaterOrEqual(t, len(lines), 4, lines)
	require.Empty(t, (*Places)(nil).Frames(1))
	require.Nil(t, rewrite(t, (&assembly{}).add("f", "", "", "").bytes()).Places())
}
