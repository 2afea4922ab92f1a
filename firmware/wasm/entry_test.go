package wasm

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm/binary"
)

// Addresses of randomEntry's list, and of words read before its loop.
const testList, testWords = 8192, 8256

// randomEntry is a module with an entry point over a list and two functions that it calls. Like compiled code, the
// entry point reads words before a loop; the loop is random and changes these words, the parameters, and memory below
// 4 KiB.
func randomEntry(seed uint64) []byte {
	a := &assembly{}
	random := rand.New(rand.NewPCG(seed, 11))
	w := &writer{Rand: random, left: 20}
	w.labels = []bool{false}
	w.value(3)
	a.add("f0", i32, i32, string(slices.Repeat([]byte{binary.I32}, 3+testLocals)), w.code...)
	const count, place = 4 + testLocals, 5 + testLocals
	w = &writer{Rand: random, functions: 1, left: 60, labels: []bool{true, true}}
	w.emit(binary.OpBlock, binary.BlockEmpty, binary.OpLocalGet, 0, binary.OpI32Eqz, binary.OpBrIf, 0)
	w.emit(binary.OpLocalGet, 0, binary.OpLocalSet, count)
	for k := range byte(1 + random.IntN(4)) {
		w.emit(number(0)...)
		w.code = append(w.code, binary.OpI32Load, 2)
		w.code = binary.AppendU32(w.code, testWords+4*uint32(k), 1)
		w.emit(binary.OpLocalSet, []byte{2, 3, 4 + testLocals/2, 3 + testLocals}[k])
	}
	if random.IntN(2) == 0 { // the head ends here, or does not
		w.statements(1)
	}
	w.emit(binary.OpLoop, binary.BlockEmpty)
	w.labels = append(w.labels, false)
	w.emit(binary.OpLocalGet, place)
	w.emit(number(2)...)
	w.emit(binary.OpI32Shl, binary.OpI32Load, 2)
	w.code = binary.AppendU32(w.code, testList, 1)
	w.emit(binary.OpLocalSet, byte(random.IntN(4)))
	w.statements(4)
	w.emit(binary.OpLocalGet, place)
	w.emit(number(1)...)
	w.emit(binary.OpI32Add, binary.OpLocalTee, place, binary.OpLocalGet, count, binary.OpI32LtU, binary.OpBrIf, 0)
	w.emit(binary.OpEnd, binary.OpEnd, binary.OpI32Const, 0, binary.OpI32Const, 0, binary.OpI32Load, 2, 0)
	w.emit(number(1)...)
	w.emit(binary.OpI32Add, binary.OpI32Store, 2, 0)
	return a.add("starloom_slot", i32+i32, "", string(slices.Repeat([]byte{binary.I32}, 4+testLocals)), w.code...).bytes()
}

// TestEntryForEachCell: on random entry points each cell of a list has the same cost and effects as in a separate
// call with a counter before every instruction.
func TestEntryForEachCell(t *testing.T) {
	modules := uint64(40)
	if *full {
		modules = 1000
	}
	unit, _ := Model("unit")
	heads, different := 0, map[uint64]bool{}
	for seed := range modules {
		image := randomEntry(seed)
		naive := run(t, runtimes["interpreter"](), Naive(image, nil), nil)
		copied, err := RewriteMetered(image, Meter{Costs: unit, Limit: 1 << 30})
		require.NoError(t, err)
		for name, config := range runtimes {
			metered := run(t, config(), copied.Binary, nil)
			prepare := func(m api.Module, cells ...uint32) {
				for k := range uint32(4) {
					require.True(t, m.Memory().WriteUint32Le(testWords+4*k, 77*k+uint32(seed)))
				}
				for k, cell := range cells {
					require.True(t, m.Memory().WriteUint32Le(testList+4*uint32(k), cell))
				}
			}
			cells := []uint32{3, 0, 9, 4}
			prepare(metered, cells...)
			_, err := metered.ExportedFunction(EachName+"starloom_slot").Call(context.Background(), uint64(len(cells)), seed, testList)
			require.NoError(t, err)
			clearMemory(naive)
			for k, cell := range cells {
				prepare(naive, cell)
				counter := naive.ExportedGlobal(NaiveName).(api.MutableGlobal)
				counter.Set(0)
				_, err := naive.ExportedFunction("starloom_slot").Call(context.Background(), 1, seed)
				require.NoError(t, err)
				cost := metered.ExportedGlobal(CounterName).Get()
				if k+1 < len(cells) {
					word, _ := metered.Memory().ReadUint32Le(testList + 4*uint32(k+1))
					cost = uint64(word)
				}
				require.Equal(t, counter.Get(), cost, "seed %d, place %d, %s", seed, k, name)
				different[cost] = true
			}
			want, _ := naive.Memory().Read(0, 4200)
			got, _ := metered.Memory().Read(0, 4200)
			require.Equal(t, want, got, "seed %d, %s", seed, name)
		}
		if headOf(t, image) > 40 {
			heads++
		}
	}
	require.Greater(t, heads, int(modules)/4)
	require.Greater(t, len(different), 25)
}

// headOf is the number of bytes of starloom_slot executed once for all cells.
func headOf(t *testing.T, image []byte) int {
	m, err := read(image)
	require.NoError(t, err)
	unit, _ := Model("unit")
	w := &weaver{m: m, tick: uint32(len(m.Imported)), counter: uint32(len(m.Globals)),
		meter: &metering{Meter{Costs: unit, Limit: 1}, 2, 3, false}}
	require.NoError(t, w.analyse())
	for _, e := range w.entries() {
		if e.name == "starloom_slot" {
			e.take(w, w.function(e.k))
			return e.head
		}
	}
	return 0
}

// TestEntryStores: an entry point rereads for each cell what it stores: a static variable that counts calls counts
// each cell of a list.
func TestEntryStores(t *testing.T) {
	static := func(read byte) []byte {
		code := []byte{binary.OpBlock, binary.BlockEmpty, binary.OpLocalGet, 0, binary.OpI32Eqz, binary.OpBrIf, 0,
			binary.OpI32Const, 0, binary.OpI32Load, 2, read}
		code = append(code, binary.OpLocalSet, 2, binary.OpI32Const, 0, binary.OpLocalGet, 2,
			binary.OpI32Const, 1, binary.OpI32Add)
		return (&assembly{}).add("starloom_slot", i32+i32, "", i32, append(code, binary.OpI32Store, 2, 32, binary.OpEnd)...).bytes()
	}
	unit, _ := Model("unit")
	copied, err := RewriteMetered(static(32), Meter{Costs: unit, Limit: 1000})
	require.NoError(t, err)
	m := run(t, runtimes["compiler"](), copied.Binary, nil)
	_, err = m.ExportedFunction(EachName+"starloom_slot").Call(context.Background(), 3, 0, 1024)
	require.NoError(t, err)
	counted, _ := m.Memory().ReadUint32Le(32)
	require.EqualValues(t, 3, counted)
	for read, again := range map[byte]bool{28: false, 29: true, 32: true, 35: true, 36: false} {
		require.Equal(t, again, headOf(t, static(read)) == headOf(t, static(32)), "of 4 bytes at %d, with a store to those at 32", read)
	}
}
