package wasm

import (
	"context"
	endian "encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware/wasm/binary"
)

// floatOps are all instructions that take or make floats, by operand, number of
// operands and result.
var floatOps = []struct {
	first, last binary.Opcode
	operand     byte
	operands    int
	result      byte
}{
	{0x5B, 0x60, binary.F32, 2, binary.I32}, {0x61, 0x66, binary.F64, 2, binary.I32}, // comparisons
	{0x8B, 0x91, binary.F32, 1, binary.F32}, {0x92, 0x98, binary.F32, 2, binary.F32},
	{0x99, 0x9F, binary.F64, 1, binary.F64}, {0xA0, 0xA6, binary.F64, 2, binary.F64},
	{0xB2, 0xB3, binary.I32, 1, binary.F32}, {0xB4, 0xB5, binary.I64, 1, binary.F32},
	{0xB6, 0xB6, binary.F64, 1, binary.F32},
	{0xB7, 0xB8, binary.I32, 1, binary.F64}, {0xB9, 0xBA, binary.I64, 1, binary.F64},
	{0xBB, 0xBB, binary.F32, 1, binary.F64},
	{0xBC, 0xBC, binary.F32, 1, binary.I32}, {0xBD, 0xBD, binary.F64, 1, binary.I64},
	{0xBE, 0xBE, binary.I32, 1, binary.F32}, {0xBF, 0xBF, binary.I64, 1, binary.F64},
	{0xA8, 0xA9, binary.F32, 1, binary.I32}, {0xAA, 0xAB, binary.F64, 1, binary.I32}, // trap
	{0xAE, 0xAF, binary.F32, 1, binary.I64}, {0xB0, 0xB1, binary.F64, 1, binary.I64}, // trap
	{bulk | 0, bulk | 1, binary.F32, 1, binary.I32}, {bulk | 2, bulk | 3, binary.F64, 1, binary.I32},
	{bulk | 4, bulk | 5, binary.F32, 1, binary.I64}, {bulk | 6, bulk | 7, binary.F64, 1, binary.I64},
	{simd | 0x41, simd | 0x4C, binary.V128, 2, binary.V128},
	{simd | 0x5E, simd | 0x5F, binary.V128, 1, binary.V128},
	{simd | 0x67, simd | 0x6A, binary.V128, 1, binary.V128}, {simd | 0x74, simd | 0x75, binary.V128, 1, binary.V128},
	{simd | 0x7A, simd | 0x7A, binary.V128, 1, binary.V128}, {simd | 0x94, simd | 0x94, binary.V128, 1, binary.V128},
	{simd | 0xE0, simd | 0xE1, binary.V128, 1, binary.V128}, {simd | 0xE3, simd | 0xE3, binary.V128, 1, binary.V128},
	{simd | 0xE4, simd | 0xEB, binary.V128, 2, binary.V128},
	{simd | 0xEC, simd | 0xED, binary.V128, 1, binary.V128}, {simd | 0xEF, simd | 0xEF, binary.V128, 1, binary.V128},
	{simd | 0xF0, simd | 0xF7, binary.V128, 2, binary.V128},
	{simd | 0xF8, simd | 0xFF, binary.V128, 1, binary.V128},
}

// Loads and stores by type.
var (
	loadOf = map[byte][]byte{binary.I32: {0x28}, binary.I64: {0x29}, binary.F32: {0x2A},
		binary.F64: {0x2B}, binary.V128: {0xFD, 0}}
	storeOf = map[byte][]byte{binary.I32: {0x36}, binary.I64: {0x37}, binary.F32: {0x38},
		binary.F64: {0x39}, binary.V128: {0xFD, 11}}
)

// Values whose signs, payloads and kinds meet in all pairs; also 32-bit halves of each
// other, so that the same bytes serve as f32 and f64.
var floatBits = []uint64{
	0, 1 << 63, math.Float64bits(1.5), math.Float64bits(-2.5), math.Float64bits(1e300), math.Float64bits(-1e-310),
	math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(-1)),
	0x7FF8000000000000, 0xFFF8000000000000, // canonical, of both signs
	0x7FF8000000000001, 0xFFFC0000DEADBEEF, 0x7FFFFFFFFFFFFFFF, // quiet
	0x7FF0000000000001, 0xFFF4000000000000, 0x7FF0000040000000, // signalling
	// Pairs of f32.
	0x7FC00000_FFC00000, 0x7F800001_FFA00000, 0x7FC00001_FFFFFFFF, 0x3FC00000_7F800000, 0xFF800000_C0200000,
	0x7FBFFFFF_00000000, 0x80000000_7F7FFFFF,
}

// TestNaNBits runs every instruction with floats on NaNs of both signs and several
// payloads, infinities, zeros and numbers, in the compiler and the interpreter: every
// result has the same bits in both, and every NaN that the specification leaves open
// is canonical. Without the rewriter they differ.
func TestNaNBits(t *testing.T) {
	a := &assembly{}
	type operation struct {
		op     binary.Opcode
		name   string
		result byte
	}
	var operations []operation
	for _, f := range floatOps {
		for op := f.first; op <= f.last; op++ {
			code := []byte{binary.OpI32Const, 32}
			for k := range f.operands {
				code = append(append(code, binary.OpI32Const, byte(16*k)), loadOf[f.operand]...)
				code = append(code, 0, 0)
			}
			if op>>16 != 0 {
				code = binary.AppendU32(append(code, byte(op>>16)), uint32(op&0xFFFF), 1)
			} else {
				code = append(code, byte(op))
			}
			code = append(append(code, storeOf[f.result]...), 0, 0)
			name := fmt.Sprintf("op %#x", uint32(op))
			a.add(name, "", "", "", code...)
			operations = append(operations, operation{op, name, f.result})
		}
	}
	results := func(binary_ []byte) map[string][]string {
		all := map[string][]string{}
		for name, config := range runtimes {
			m := run(t, config(), binary_, nil)
			memory := m.Memory()
			for _, o := range operations {
				f := m.ExportedFunction(o.name)
				for _, x := range floatBits {
					for _, y := range floatBits {
						for k, value := range []uint64{x, y, y, x} {
							require.True(t, memory.WriteUint64Le(uint32(8*k), value))
						}
						require.True(t, memory.WriteUint64Le(32, 0))
						require.True(t, memory.WriteUint64Le(40, 0))
						_, err := f.Call(context.Background())
						got, _ := memory.Read(32, 16)
						text := fmt.Sprintf("%s(%#x, %#x) = %x", o.name, x, y, got)
						if err != nil {
							text += " trap"
						}
						all[name] = append(all[name], text)
						if err == nil && nanType(o.op) != 0 && name == "compiler" {
							all["not canonical"] = append(all["not canonical"], otherNaNs(o.op, got, text)...)
						}
					}
				}
			}
		}
		return all
	}
	raw, copied := results(a.bytes()), results(rewrite(t, a.bytes()).Binary)
	require.NotEmpty(t, raw["not canonical"])
	require.NotEqual(t, raw["compiler"], raw["interpreter"], "the rewriter would not be needed")
	require.Empty(t, copied["not canonical"])
	for i := range copied["compiler"] {
		require.Equal(t, copied["interpreter"][i], copied["compiler"][i])
	}

	// What does not compute keeps every bit.
	for i, o := range operations {
		if nanType(o.op) == 0 {
			n := len(floatBits) * len(floatBits)
			require.Equal(t, raw["compiler"][i*n:(i+1)*n], copied["compiler"][i*n:(i+1)*n])
		}
	}
}

// otherNaNs lists the NaNs in a result that are not canonical.
func otherNaNs(op binary.Opcode, got []byte, text string) (found []string) {
	wide := map[byte]bool{binary.F64: true, nanF64x2: true}[nanType(op)]
	lanes := map[byte]int{binary.F32: 1, binary.F64: 1, nanF32x4: 4, nanF64x2: 2}[nanType(op)]
	for lane := range lanes {
		if wide {
			if bits := endian.LittleEndian.Uint64(got[8*lane:]); math.IsNaN(math.Float64frombits(bits)) &&
				bits != 0x7FF8000000000000 {
				found = append(found, text)
			}
		} else if bits := endian.LittleEndian.Uint32(got[4*lane:]); bits&0x7F800000 == 0x7F800000 &&
			bits&0x7FFFFF != 0 && bits != 0x7FC00000 {
			found = append(found, text)
		}
	}
	return found
}
