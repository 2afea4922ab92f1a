package wasm

import (
	"context"
	endian "encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm/binary"
)

// BenchmarkCanonicalFloats sets a copy, whose NaNs are canonical, beside its image: loops of eight
// instructions, each of which waits for the one before.
//
//	integers   nothing is canonical: what counting turns costs
//	others     the same, and a comparison and a selection after each instruction
//
// ratio is the median time of the copy divided by that of the image, rounds alternating.
func BenchmarkCanonicalFloats(b *testing.B) {
	for _, c := range []struct {
		name        string
		operandType byte
		operation   []byte // local 1 and local 2 to one value
	}{
		{"integers", binary.I64, []byte{0x20, 1, 0x20, 2, 0x7E}},
		{"f32.add", binary.F32, []byte{0x20, 1, 0x20, 2, 0x92}},
		{"f64.add", binary.F64, []byte{0x20, 1, 0x20, 2, 0xA0}},
		{"f64.mul", binary.F64, []byte{0x20, 1, 0x20, 2, 0xA2}},
		{"f64.div", binary.F64, []byte{0x20, 1, 0x20, 2, 0xA3}},
		{"f64.min", binary.F64, []byte{0x20, 1, 0x20, 2, 0xA4}},
		{"demote+promote", binary.F64, []byte{0x20, 1, 0xB6, 0xBB}},
	} {
		b.Run(c.name, func(b *testing.B) {
			a := &assembly{}
			a.add("loop", i32, "", string(rune(c.operandType))+string(rune(c.operandType)), benchLoop(c.operandType, c.operation)...)
			image := a.bytes()
			functions := [2]api.Function{}
			for i, module := range [][]byte{image, rewrite(b, image).Binary} {
				functions[i] = run(b, runtimes["compiler"](), module, nil).ExportedFunction("loop")
			}
			var times [2][]float64
			const turns = 1 << 16
			for b.Loop() {
				for i, f := range functions {
					start := time.Now()
					_, err := f.Call(context.Background(), turns)
					require.NoError(b, err)
					times[i] = append(times[i], float64(time.Since(start)))
				}
			}
			for i := range times {
				slices.Sort(times[i])
			}
			middle := len(times[0]) / 2
			b.ReportMetric(times[1][middle]/times[0][middle], "ratio")
			b.ReportMetric(times[1][middle]/turns/8, "ns/instruction")
		})
	}
}

// benchLoop is a function that lets local 1 be the result of eight operations, so many times as its
// parameter says.
func benchLoop(operandType byte, operation []byte) (code []byte) {
	for local, value := range []float64{1.5, 1.0000001} {
		switch operandType {
		case binary.I64:
			code = append(code, binary.OpI64Const, 3)
		case binary.F32:
			code = endian.LittleEndian.AppendUint32(append(code, 0x43), math.Float32bits(float32(value)))
		default:
			code = endian.LittleEndian.AppendUint64(append(code, 0x44), math.Float64bits(value))
		}
		code = append(code, 0x21, byte(local+1))
	}
	code = append(code, 0x03, 0x40) // loop
	for range 8 {
		code = append(append(code, operation...), 0x21, 1)
	}
	return append(code, 0x20, 0, binary.OpI32Const, 1, binary.OpI32Sub, 0x22, 0, 0x0D, 0, binary.OpEnd) // br_if
}
