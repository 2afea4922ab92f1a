package wasm

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm/binary"
)

var full = flag.Bool("full", false, "run the long tests")

// NaiveName is the export of Naive's counter.
const NaiveName = "naive"

// Naive is the simplest counter: before every instruction it adds 1, or cost of the instruction, to a global. Before a
// call of ChoiceFunction it takes back the costs of two arguments; the function itself is free.
func Naive(image []byte, cost func(i *binary.Instruction, imported int) uint64) []byte {
	m, err := binary.Parse(image, false)
	if err != nil {
		panic(err)
	}
	counter := uint32(len(m.Globals))
	parts := m.Parts()
	parts.Global(NaiveName, counter, emit(binary.I64, 1, binary.OpI64Const, 0, binary.OpEnd))
	code := binary.AppendU32(nil, uint32(len(m.Body)), 1)
	choice := choiceOf(m)
	for k, f := range m.Body {
		body := slices.Clone(f.Locals)
		r := &binary.Reader{Data: f.Code}
		var i binary.Instruction
		var before []binary.Instruction
		of := func(i *binary.Instruction) uint64 {
			if len(m.Imported)+k == choice {
				return 0
			}
			if cost == nil {
				return 1
			}
			return cost(i, len(m.Imported))
		}
		for r.More() {
			r.Instruction(&i)
			before = append(before, i)
			if i.Op != binary.OpElse && i.Op != binary.OpEnd {
				n := of(&i)
				if i.Op == binary.OpCall && int(i.Index) == choice {
					n = 0
					for k, left := len(before)-2, 2; left > 0; k-- {
						switch b := &before[k]; b.Op {
						case binary.OpI64Const, binary.OpLocalGet:
							left--
							n -= of(b)
						case binary.OpI64ExtendI32U:
							n -= of(b)
						default:
							left = 0
						}
					}
				}
				body = binary.AppendU32(append(body, binary.OpGlobalGet), counter, 1)
				body = append(binary.AppendSigned(append(body, binary.OpI64Const), int64(n)), binary.OpI64Add, binary.OpGlobalSet)
				body = binary.AppendU32(body, counter, 1)
			}
			body = append(body, f.Code[i.Start:i.End]...)
		}
		code = append(binary.AppendU32(code, uint32(len(body)), 1), body...)
	}
	parts[binary.SectionCode] = code
	return m.Encode(parts)
}

// writer writes functions of random blocks. Each loop counts down a local of its own, so it ends.
type writer struct {
	*rand.Rand
	code      []byte
	labels    []bool // of the blocks around, whether one may jump to it: not to loops
	functions int    // that may be called: those before
	counters  byte   // locals in use
	left      int    // instructions that may still be written
}

const testLocals = 40

func (w *writer) emit(code ...byte) { w.code = append(w.code, code...) }

func (w *writer) value(depth int) {
	w.left--
	switch n := w.IntN(9); {
	case depth == 0 || n < 2:
		w.emit(number(w.Int32N(100))...)
	case n < 5:
		w.emit(binary.OpLocalGet, byte(w.IntN(4)))
	case n == 5:
		w.value(depth - 1)
		w.emit(number(4092)...)
		w.emit(0x71, binary.OpI32Load, 2, 0) // of an address below 4 KiB
	case n == 6 && w.functions > 0:
		w.value(depth - 1)
		w.emit(binary.OpCall, byte(w.IntN(w.functions)))
	case n == 7:
		w.value(depth - 1)
		w.emit(binary.OpIf, binary.I32)
		w.value(depth - 1)
		w.emit(binary.OpElse)
		w.value(depth - 1)
		w.emit(binary.OpEnd)
	default:
		w.value(depth - 1)
		w.value(depth - 1)
		w.emit([]byte{binary.OpI32Add, binary.OpI32Sub, 0x6C, 0x73, binary.OpI32LtU}[w.IntN(5)])
	}
}

// target is a possible branch target, if one exists: blocks, ifs and the function.
func (w *writer) target() byte {
	for {
		if k := w.IntN(len(w.labels)); w.labels[k] {
			return byte(len(w.labels) - 1 - k)
		}
	}
}

func (w *writer) statements(depth int) {
	for n := 1 + w.IntN(4); n > 0 && w.left > 0; n-- {
		w.left--
		switch kind := w.IntN(9); {
		case kind == 0:
			w.value(2)
			w.emit(number(4092)...)
			w.emit(0x71)
			w.value(2)
			w.emit(binary.OpI32Store, 2, 0)
		case kind < 3 || depth == 0:
			w.value(3)
			w.emit(binary.OpLocalSet, byte(w.IntN(4)))
		case kind == 3:
			w.emit(binary.OpBlock, binary.BlockEmpty)
			w.inside(true, depth)
		case kind == 4:
			w.value(2)
			w.emit(binary.OpIf, binary.BlockEmpty)
			w.labels = append(w.labels, true)
			w.statements(depth - 1)
			w.labels = w.labels[:len(w.labels)-1]
			if w.IntN(2) == 0 {
				w.emit(binary.OpElse)
			}
			w.inside(true, depth)
		case kind == 5 && w.counters < testLocals:
			counter := 4 + w.counters
			w.counters++
			w.emit(number(1 + w.Int32N(6))...)
			w.emit(binary.OpLocalSet, counter, binary.OpLoop, binary.BlockEmpty)
			w.labels = append(w.labels, false)
			w.statements(depth - 1)
			w.labels = w.labels[:len(w.labels)-1]
			w.emit(binary.OpLocalGet, counter)
			w.emit(number(1)...)
			w.emit(binary.OpI32Sub, binary.OpLocalTee, counter, binary.OpBrIf, 0, binary.OpEnd)
		case kind == 6:
			w.value(2)
			w.emit(binary.OpBrIf, w.target())
		case kind == 7:
			w.emit(binary.OpBlock, binary.BlockEmpty)
			w.labels = append(w.labels, true)
			w.value(2)
			w.emit(binary.OpBrTable, 2, w.target(), w.target(), w.target(), binary.OpEnd)
			w.labels = w.labels[:len(w.labels)-1]
		case kind == 8 && w.IntN(3) == 0:
			w.value(1)
			w.emit(binary.OpIf, binary.BlockEmpty)
			w.value(1)
			w.emit(binary.OpReturn, binary.OpEnd)
		default:
			w.emit(number(8)...)
			w.value(1)
			w.emit(number(w.Int32N(64))...)
			w.emit(0xFC, 11, 0) // memory.fill
		}
	}
}

func (w *writer) inside(label bool, depth int) {
	w.labels = append(w.labels, label)
	w.statements(depth - 1)
	w.labels = w.labels[:len(w.labels)-1]
	w.emit(binary.OpEnd)
}

// randomModule has six functions; each may call those before it.
func randomModule(seed uint64) []byte {
	a := &assembly{}
	random := rand.New(rand.NewPCG(seed, 7))
	for k := range 6 {
		w := &writer{Rand: random, functions: k, left: 60}
		// The body is in a block, so that jumps out of everything leave no value...
		w.emit(binary.OpBlock, binary.BlockEmpty)
		w.labels = []bool{false, true}
		w.statements(4)
		w.emit(binary.OpEnd)
		if random.IntN(2) == 0 { // ...but one that leaves the function
			w.emit(number(5)...)
			w.value(1)
			w.emit(binary.OpBrIf, 0, binary.OpDrop)
		}
		w.value(2)
		locals := slices.Repeat([]byte{binary.I32}, 3+testLocals)
		a.add(fmt.Sprint("f", k), i32, i32, string(locals), w.code...)
	}
	return a.bytes()
}

// TestCostsAreThoseOfTheNaiveCounter: in random modules the counter per block equals a counter before every
// instruction, in both runtimes, for the model unit and for a table with different costs for all classes.
func TestCostsAreThoseOfTheNaiveCounter(t *testing.T) {
	modules := uint64(20)
	if *full {
		modules = 200
	}
	unit, _ := Model("unit")
	odd := unit
	for k := range odd {
		odd[k] = uint32(3 + 2*k)
	}
	odd[classMemoryByte] = 0
	total, different := uint64(0), map[uint64]bool{}
	for seed := range modules {
		image := randomModule(seed)
		for _, costs := range []Costs{unit, odd} {
			cost := costs.of
			if costs == unit {
				cost = nil // 1 each, for all classes
			}
			naive := run(t, runtimes["interpreter"](), Naive(image, cost), nil)
			copied, err := RewriteMetered(image, Meter{Costs: costs, Limit: 1 << 40})
			require.NoError(t, err)
			profiled, err := RewriteMetered(image, Meter{Costs: costs, Limit: 1 << 40, Profile: true})
			require.NoError(t, err)
			var told uint64 // by the last question of the copy for a profile
			var asks api.Module
			asks = run(t, runtimes["interpreter"](), profiled.Binary, func() { told = asks.ExportedGlobal(CounterName).Get() })
			for k := range 6 {
				for _, argument := range []uint64{0, 3, 1 << 31} {
					want, before := callCounted(t, naive, NaiveName, k, argument)
					got, counted := callCounted(t, asks, CounterName, k, argument)
					require.Equal(t, want, got)
					require.Equal(t, before, counted, "seed %d, f%d(%d)", seed, k, argument)
					require.Equal(t, counted, told, "no cost is left over")
				}
			}
			clearMemory(naive)
			for name, config := range runtimes {
				metered := run(t, config(), copied.Binary, nil)
				for k := range 6 {
					for _, argument := range []uint64{0, 3, 1 << 31} {
						want, before := callCounted(t, naive, NaiveName, k, argument)
						got, counted := callCounted(t, metered, CounterName, k, argument)
						require.Equal(t, want, got)
						require.Equal(t, before, counted, "seed %d, f%d(%d), %s", seed, k, argument, name)
						total += counted
						different[counted] = true
					}
				}
				clearMemory(naive)
			}
		}
	}
	require.Greater(t, total, 10_000*modules/20)
	require.Greater(t, len(different), 50)
}

func clearMemory(m api.Module) {
	memory, _ := m.Memory().Read(0, 4096)
	clear(memory)
}

func callCounted(t *testing.T, m api.Module, counter string, k int, argument uint64) (result, cost uint64) {
	g := m.ExportedGlobal(counter).(api.MutableGlobal)
	g.Set(0)
	results, err := m.ExportedFunction(fmt.Sprint("f", k)).Call(context.Background(), argument)
	require.NoError(t, err)
	return results[0], g.Get()
}

// TestLimitEndsTheSameInstruction: endless code (a loop, or calls without a loop) ends at its limit after the same
// number of turns in both runtimes.
func TestLimitEndsTheSameInstruction(t *testing.T) {
	count := slices.Concat(getSP, number(1), []byte{binary.OpI32Add}, setSP)
	unit, _ := Model("unit")
	for name, code := range map[string][]byte{
		"loop":      slices.Concat([]byte{binary.OpLoop, binary.BlockEmpty}, count, []byte{binary.OpBr, 0, binary.OpEnd}),
		"recursion": slices.Concat(count, []byte{binary.OpCall, 0}),
	} {
		copied, err := RewriteMetered((&assembly{}).mutable(0).add("run", "", "", "", code...).bytes(), Meter{Costs: unit, Limit: 1000})
		require.NoError(t, err)
		for runtime, config := range runtimes {
			var m api.Module
			m = run(t, config(), copied.Binary, func() {
				if m.ExportedGlobal(CounterName).Get() == Spent {
					panic(stop{})
				}
			})
			_, err := m.ExportedFunction("run").Call(context.Background())
			require.ErrorIs(t, err, stop{}, "%s in the %s", name, runtime)
			turns := m.ExportedGlobal(copied.Globals[0].Export).Get()
			want := map[string]uint64{"loop": 200, "recursion": 201}[name] // 1 + 5*200 and 5*201 are more than 1000
			require.Equal(t, want, turns, "%s in the %s", name, runtime)
		}
	}
}
