package wasm

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
)

// largeImages are small files whose few bytes make n thousand values: locals that are declared by
// their number, results of calls, and what blocks and branches carry.
func largeImages(n int) map[string][]byte {
	thousand := strings.Repeat(i32, parametersMax)
	with := func(params, results string, code []byte, count int) []byte {
		a := (&assembly{}).add("", params, results, "", byte(opUnreachable))
		return a.add("", "", "", "", append(bytes.Repeat(code, count), byte(opUnreachable))...).bytes()
	}
	branch := []byte{byte(opBlock), 0, byte(opUnreachable), byte(opBr), 0, byte(opEnd)}
	locals := &assembly{}
	for range n / 10 {
		locals.add("", "", "", strings.Repeat(i32, 10*1000))
	}
	return map[string][]byte{
		"locals":   locals.bytes(),
		"calls":    with("", thousand, []byte{byte(opCall), 0}, n),
		"branches": with("", thousand, branch, n),
	}
}

// TestMemoryOfLargeImages: an image at a tenth of the limit takes a tenth of the bound that ABI.md states, and beyond the limit it is refused by
// arithmetic, with its place and a remedy.
func TestMemoryOfLargeImages(t *testing.T) {
	allocated := func(do func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) >> 20
	}
	for name, binary := range largeImages(190) { // a tenth
		took := allocated(func() {
			c := rewrite(t, binary)
			r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigCompiler())
			_, err := r.CompileModule(t.Context(), c.Binary)
			require.NoError(t, err)
			require.NoError(t, r.Close(t.Context()))
		})
		t.Logf("%s: %d bytes, %d MiB", name, len(binary), took)
		require.Less(t, took, uint64(1<<10/10), name)
	}
	for name, binary := range largeImages(2050) {
		took := allocated(func() {
			_, err := Rewrite(binary)
			require.ErrorContains(t, err, "more than 2000000 locals and values of calls, blocks and branches", name)
			require.ErrorContains(t, err, "function ", name)
		})
		require.Less(t, took, uint64(64), name)
	}
}
