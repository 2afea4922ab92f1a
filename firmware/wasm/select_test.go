package wasm

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"

	"starloom/firmware/wasm/binary"
)

// TestSelectsChooseTheSame: a select of every type, plain and with its type, gives the same bits in a copy, for all
// conditions, as the condition says.
func TestSelectsChooseTheSame(t *testing.T) {
	values := [][2]uint64{{1, 2}, {0x7FF0000000000001, 0xFFFC0000DEADBEEF}, {0x7F800001_FFA00000, 1 << 63}, {0, 0}}
	conditions := []uint64{0, 1, 2, 1 << 31, 0xFFFFFFFF}
	for valueType, name := range map[byte]string{binary.I32: "i32", binary.I64: "i64", binary.F32: "f32", binary.F64: "f64", binary.V128: "v128"} {
		for _, choose := range [][]byte{{binary.OpSelect}, {binary.OpSelectTyped, 1, valueType}} {
			code := []byte{binary.OpI32Const, 32}
			for k := range 2 {
				code = append(append(append(code, binary.OpI32Const, byte(16*k)), loadOf[valueType]...), 0, 0)
			}
			code = append(append(append(code, binary.OpLocalGet, 0), choose...), storeOf[valueType]...)
			image := (&assembly{}).add("f", i32, "", "", append(code, 0, 0)...).bytes()
			chosen, err := Selects(image)
			require.NoError(t, err)
			require.Equal(t, !choosesFloats(valueType), slices.Equal(image, chosen), "%s: only selects of floats change", name)
			requireNoFloatSelects(t, chosen)
			copies := [][]byte{image, chosen}
			if choose[0] == binary.OpSelect { // Rewrite refuses the other
				copies = append(copies, rewrite(t, image).Binary)
			}
			for runtime, config := range runtimes {
				for _, image := range copies {
					m := run(t, config(), image, nil)
					for _, pair := range values {
						for _, condition := range conditions {
							for k := range uint32(2) {
								m.Memory().WriteUint64Le(16*k, pair[k])
								m.Memory().WriteUint64Le(16*k+8, pair[k]*3)
							}
							_, err := m.ExportedFunction("f").Call(context.Background(), condition)
							require.NoError(t, err)
							from := uint32(0)
							if condition == 0 {
								from = 16
							}
							size := map[byte]uint32{binary.I32: 4, binary.I64: 8, binary.F32: 4, binary.F64: 8, binary.V128: 16}[valueType]
							want, _ := m.Memory().Read(from, size)
							got, _ := m.Memory().Read(32, size)
							require.Equal(t, want, got, "%s, %s, %#x", name, runtime, condition)
						}
					}
				}
			}
		}
	}
}

// TestSelectsOfAnyModule: selects in code that is never reached stay, and broken modules are refused.
func TestSelectsOfAnyModule(t *testing.T) {
	choose := slices.Concat([]byte{binary.OpF64Const, 0, 0, 0, 0, 0, 0, 0, 0, binary.OpLocalGet, 0,
		binary.OpI32Const, 1, binary.OpSelect})
	never := slices.Concat([]byte{binary.OpBlock, binary.F64, binary.OpF64Const, 0, 0, 0, 0, 0, 0, 0, 0, binary.OpBr, 0,
		binary.OpSelect, binary.OpEnd})
	a := (&assembly{elements: []byte{0}}).add("f", f64, f64, i32, choose...).add("g", f64, f64, "", never...)
	chosen, err := Selects(a.bytes())
	require.NoError(t, err)
	requireNoFloatSelects(t, chosen)
	r := wazero.NewRuntime(t.Context())
	_, err = r.CompileModule(t.Context(), chosen)
	require.NoError(t, err)
	require.NoError(t, r.Close(t.Context()))

	for name, code := range map[string][]byte{"missing operands": {binary.OpI32Const, 1, binary.OpSelect, binary.OpDrop}, "there is no local 7": {binary.OpLocalGet, 7, binary.OpSelect}} {
		broken := (&assembly{}).add("f", "", "", "", code...).bytes()
		_, err := Selects(broken)
		require.ErrorContains(t, err, name)
		_, err = Rewrite(broken)
		require.ErrorContains(t, err, name)
	}
	_, err = Selects([]byte("no module"))
	require.ErrorContains(t, err, "not a WebAssembly module")
}

// TestResultTypes holds the table of types to what the runtime accepts: after unreachable code, where operands may be
// of any type, a function that ends with an instruction has results of one type only.
func TestResultTypes(t *testing.T) {
	r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter())
	defer func() { require.NoError(t, r.Close(t.Context())) }()
	compared := 0
	for op := binary.Opcode(0x28); op <= simd|0xFF; op++ {
		switch {
		case op == 0x100:
			op = bulk
		case op == bulk|0x100:
			op = simd
		}
		code := []byte{binary.OpUnreachable, byte(op)}
		if op>>16 != 0 {
			code = binary.AppendU32([]byte{binary.OpUnreachable, byte(op >> 16)}, uint32(op&0xFFFF), 1)
		}
		r0 := &binary.Reader{Data: append(slices.Clone(code[1:]), make([]byte, 20)...)}
		var i binary.Instruction
		r0.Instruction(&i)
		if _, pushes := effect(op); r0.Err != nil || pushes == 0 || i.Op != op {
			continue
		}
		code = append(code, r0.Data[len(code)-1:i.End]...)
		var found []byte
		for _, result := range []byte{binary.I32, binary.I64, binary.F32, binary.F64, binary.V128} {
			image := (&assembly{}).add("f", "", string(rune(result)), "", code...).bytes()
			if compiled, err := r.CompileModule(t.Context(), image); err == nil {
				found = append(found, result)
				require.NoError(t, compiled.Close(t.Context()))
			}
		}
		if len(found) == 1 {
			require.Equal(t, found[0], resultType(op), fmt.Sprintf("%#x", uint32(op)))
			compared++
		}
	}
	require.Greater(t, compared, 350)
}

// TestProgramsHaveNoFloats checks that the code for floats costs the built-in programs nothing.
func TestProgramsHaveNoFloats(t *testing.T) {
	for name, image := range images(t) {
		m, err := binary.Parse(image, false)
		require.NoError(t, err)
		for k := range m.Body {
			r := &binary.Reader{Data: m.Body[k].Code}
			var i binary.Instruction
			for r.More() {
				r.Instruction(&i)
				require.Zero(t, nanType(i.Op), "%s, function %d", name, k)
			}
			types, err := (&module{Module: m}).selects(&m.Body[k])
			require.NoError(t, err)
			for _, valueType := range types {
				require.False(t, choosesFloats(valueType), "%s, function %d", name, k)
			}
		}
	}
}
