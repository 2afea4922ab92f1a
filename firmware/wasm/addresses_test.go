package wasm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm/binary"
)

// TestConstantAddresses: loads from constant addresses return the same values and trap at the same places as in the
// image: at both ends of the memory, for all widths, in both runtimes. Two constants whose sum is not a valid offset
// are unchanged.
func TestConstantAddresses(t *testing.T) {
	const page = 1 << 16
	type address struct {
		constant int32
		offset   uint32
	}
	addresses := []address{
		{0, 0}, {8, 0}, {0, 8}, {4, 4}, {1, 2}, {page - 8, 0}, {0, page - 8}, {page - 9, 1}, {page - 9, 2},
		{page - 2, 1}, {page - 1, 0},
		{page, 0}, {0, page}, {-1, 0}, {-1, 1}, {-1, math.MaxUint32}, {1, math.MaxUint32}, {0, math.MaxUint32},
		{math.MinInt32, 1 << 31}, {math.MinInt32, 1<<31 - 1},
	}
	a := &assembly{}
	names, based := []string{}, 0
	for _, at := range addresses {
		for op := binary.OpI32Load; op <= binary.OpLoadLast; op++ {
			if op == 0x2A || op == 0x2B { // floats: as i32 and i64
				continue
			}
			result := i32
			if op == binary.OpI32Load+1 || op >= 0x30 {
				result = i64
			}
			name := fmt.Sprintf("%#x %d+%d", uint32(op), uint32(at.constant), at.offset)
			load := binary.AppendU32([]byte{byte(op), 0}, at.offset, 1)
			// preceded by a load whose check may cover both
			a.add(name, "", result, "", slices.Concat(number(0), []byte{binary.OpI32Load, 0, 16, binary.OpDrop}, number(at.constant), load)...)
			names = append(names, name)
			if uint64(uint32(at.constant))+uint64(at.offset) <= math.MaxUint32 {
				based++
			}
		}
	}
	image := a.bytes()
	copied, err := binary.Parse(rewrite(t, image).Binary, false)
	require.NoError(t, err)
	constants := 0
	for _, f := range copied.Body {
		r := &binary.Reader{Data: f.Code}
		var i binary.Instruction
		for r.More() {
			if r.Instruction(&i); i.Op == binary.OpI32Const {
				constants++
			}
		}
	}
	require.Equal(t, len(names)-based, constants)
	require.Positive(t, constants)
	traps := 0
	for runtime, config := range runtimes {
		image, copied := run(t, config(), image, nil), run(t, config(), rewrite(t, image).Binary, nil)
		for _, m := range []api.Module{image, copied} {
			for k := range uint32(page) {
				require.True(t, m.Memory().WriteByte(k, byte(k*37+k>>8)))
			}
		}
		for _, name := range names {
			want, wantErr := image.ExportedFunction(name).Call(context.Background())
			got, err := copied.ExportedFunction(name).Call(context.Background())
			require.Equal(t, want, got, "%s in the %s", name, runtime)
			require.Equal(t, wantErr == nil, err == nil, "%s in the %s", name, runtime)
			if err != nil {
				require.ErrorContains(t, err, "out of bounds memory access")
				traps++
			}
		}
	}
	require.Positive(t, traps)
}
