package wasm

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm/binary"
)

// TestCoveredNotesTheWay: a bit for each side of a branch, the operands of comparisons, and the constants in
// comparisons; results are unchanged.
func TestCoveredNotesTheWay(t *testing.T) {
	// f(x) = x == 0x1234567 ? 7 : (x - 5 <u 3 ? 8 : 9), by a branch and a selection
	code := []byte{binary.OpBlock, binary.BlockEmpty, binary.OpLocalGet, 0}
	code = binary.AppendSigned(append(code, binary.OpI32Const), 0x1234567)
	code = append(code, binary.OpI32Ne, binary.OpBrIf, 0, binary.OpI32Const, 7, binary.OpReturn, binary.OpEnd)
	code = append(code, binary.OpI32Const, 8, binary.OpI32Const, 9)
	code = append(code, binary.OpLocalGet, 0, binary.OpI32Const, 0x7B, binary.OpI32Add, binary.OpI32Const, 3,
		binary.OpI32LtU, binary.OpSelect)
	unit, _ := Model("unit")
	for _, meter := range []*Meter{nil, {Costs: unit, Limit: 1000}} {
		c, err := RewriteWith((&assembly{}).add("f", i32, i32, "", code...).bytes(), Additions{Meter: meter, Covers: true})
		require.NoError(t, err)
		// the code begins after 3 bytes: br_if at 10, end of the block at 15, select at 28
		offsets := []uint32{3, 3 + 10, 3 + 10, 3 + 15, 3 + 28, 3 + 28}
		require.Equal(t, Covered{Branches: 6, Offsets: offsets, Comparisons: 2, Constants: []uint64{3, 5, 0x1234567}},
			c.Covered)
		for name, config := range runtimes {
			m := run(t, config(), c.Binary, nil)
			global := func(kind string, k int) uint64 { return m.ExportedGlobal(fmt.Sprint(kind, k)).Get() }
			for _, want := range []struct{ x, result, branches, second uint64 }{
				{0x1234567, 7, 0b000101, 0}, {6, 8, 0b011011, 1}, {9, 9, 0b101011, 4},
			} {
				m.ExportedGlobal(BranchName + "0").(api.MutableGlobal).Set(0)
				m.ExportedGlobal(OperandName + "2").(api.MutableGlobal).Set(0)
				result, err := m.ExportedFunction("f").Call(t.Context(), want.x)
				require.NoError(t, err)
				require.Equal(t, []uint64{want.result}, result, name)
				require.Equal(t, want.branches, global(BranchName, 0), "%s %#b", name, global(BranchName, 0))
				require.Equal(t, []uint64{want.x, 0x1234567, want.second},
					[]uint64{global(OperandName, 0), global(OperandName, 1), global(OperandName, 2)})
			}
		}
	}
}
