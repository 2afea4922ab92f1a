package wasm

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"

	"starloom/firmware/wasm/binary"
)

// largeImages are small files whose few bytes create n thousand values: declared locals, results of calls, and values
// carried by blocks and branches.
func largeImages(n int) map[string][]byte {
	thousand := strings.Repeat(i32, parametersMax)
	with := func(params, results string, code []byte, count int) []byte {
		a := (&assembly{}).add("", params, results, "", binary.OpUnreachable)
		return a.add("", "", "", "", append(bytes.Repeat(code, count), binary.OpUnreachable)...).bytes()
	}
	branch := []byte{binary.OpBlock, 0, binary.OpUnreachable, binary.OpBr, 0, binary.OpEnd}
	locals := &assembly{}
	for range n / 10 {
		locals.add("", "", "", strings.Repeat(i32, 10*1000))
	}
	return map[string][]byte{
		"locals":   locals.bytes(),
		"calls":    with("", thousand, []byte{binary.OpCall, 0}, n),
		"branches": with("", thousand, branch, n),
	}
}

// allocatedMiB is the memory allocated by f, including garbage.
func allocatedMiB(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) >> 20
}

// TestMemoryOfLargeImages: an image at a tenth of the limit takes a tenth of the bound in ABI.md; beyond the limit it
// is refused by arithmetic, with place and remedy.
func TestMemoryOfLargeImages(t *testing.T) {
	for name, image := range largeImages(190) { // a tenth
		took := allocatedMiB(func() {
			c := rewrite(t, image)
			r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigCompiler())
			_, err := r.CompileModule(t.Context(), c.Binary)
			require.NoError(t, err)
			require.NoError(t, r.Close(t.Context()))
		})
		t.Logf("%s: %d bytes, %d MiB", name, len(image), took)
		require.Less(t, took, uint64(1<<10/10), name)
	}
	for name, image := range largeImages(2050) {
		took := allocatedMiB(func() {
			_, err := Rewrite(image)
			require.ErrorContains(t, err, "more than 2000000 locals and values of calls, blocks and branches", name)
			require.ErrorContains(t, err, "function ", name)
		})
		require.Less(t, took, uint64(64), name)
	}
}

// TestMemoryOfSourceMaps: a source map at a tenth of the limit takes a tenth of the memory available beside an image.
func TestMemoryOfSourceMaps(t *testing.T) {
	const size = SourceMapBytesMax / 10
	for name, text := range map[string]string{
		"offsets": `{"version":3,"mappings":"` + strings.Repeat("C,", size/2) + `"}`,
		"lines":   `{"version":3,"sources":["a"],"mappings":"` + strings.Repeat("C,CAAA,", size/7) + `"}`,
		"sources": `{"version":3,"sources":[` + strings.Repeat(`"",`, size/3) + `"b"],"mappings":"AACAA"}`,
	} {
		took := allocatedMiB(func() {
			_, err := parseSourceMap([]byte(text))
			require.NoError(t, err)
		})
		t.Logf("%s: %d MiB", name, took)
		require.Less(t, took, uint64(64), name)
	}
	_, err := parseSourceMap([]byte(`{"version":3,"sources":["a"],"mappings":"ggggggCAAA,ggggggCAAA"}`))
	require.ErrorContains(t, err, "a source map with numbers of more than 32 bits")
}
