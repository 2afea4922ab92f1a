package verilator

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
)

// TestFloatSelect checks that a circuit that selects among floats, as with `real`, computes the same in the compiler
// and the interpreter.
func TestFloatSelect(t *testing.T) {
	path := filepath.Join(t.TempDir(), "circuit.wasm")
	out, err := exec.CommandContext(t.Context(), "clang", "--target=wasm32", "-O2", "-w", "-ffreestanding", "-nostdlib", "-Wl,--no-entry",
		"-o", path, "testdata/float_select.c").CombinedOutput()
	require.NoError(t, err, "%s", out)
	c := &Circuit{}
	c.wasm, err = os.ReadFile(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	settled := func(interpreter bool) (results []uint64) {
		r, err := c.runtime(interpreter)
		require.NoError(t, err)
		m, err := r.InstantiateModule(t.Context(), r.compiled, wazero.NewModuleConfig())
		require.NoError(t, err)
		for x := range uint64(100) {
			result, err := m.ExportedFunction("sl_settle").Call(t.Context(), x*2654435761&0xFFFFFFFF)
			require.NoError(t, err)
			results = append(results, result...)
		}
		return results
	}
	require.Equal(t, settled(true), settled(false))
}
