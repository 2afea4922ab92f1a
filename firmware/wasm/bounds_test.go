package wasm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm/binary"
)

// oddCosts has different costs for all classes, including bytes.
func oddCosts() (c Costs) {
	for k := range c {
		c[k] = uint32(3 + 2*k)
	}
	return c
}

func worstCases(t *testing.T, image []byte, costs Costs) (all []uint64) {
	s, err := Analyse(image, costs, nil)
	require.NoError(t, err)
	for _, f := range s.Functions {
		worst := uint64(Unbounded)
		if f.WorstCase != nil {
			worst = *f.WorstCase
		}
		all = append(all, worst)
	}
	return all
}

// metered runs the functions of a module; cost is that of a call, over means that it exceeded limit.
func metered(t *testing.T, image []byte, meter Meter) (cost func(name string, arguments ...uint64) uint64) {
	copied, err := RewriteMetered(image, meter)
	require.NoError(t, err)
	var m api.Module
	m = run(t, runtimes["interpreter"](), copied.Binary, func() {
		if m.ExportedGlobal(CounterName).Get() == Spent {
			panic(stop{})
		}
	})
	counter := m.ExportedGlobal(CounterName).(api.MutableGlobal)
	return func(name string, arguments ...uint64) uint64 {
		counter.Set(0)
		_, err := m.ExportedFunction(name).Call(context.Background(), arguments...)
		if errors.Is(err, stop{}) {
			return meter.Limit + 1
		}
		return counter.Get() // after a trap, too
	}
}

// TestWorstCases: in random modules of counting loops every function has a bound, no call costs more, and some cost
// exactly that.
func TestWorstCases(t *testing.T) {
	modules := uint64(40)
	if *full {
		modules = 400
	}
	unit, _ := Model("unit")
	reached, calls := 0, 0
	for seed := range modules {
		image := randomModule(seed)
		for _, costs := range []Costs{unit, oddCosts()} {
			worst := worstCases(t, image, costs)
			cost := metered(t, image, Meter{Costs: costs, Limit: 1 << 40})
			for k := range worst {
				require.NotEqual(t, uint64(Unbounded), worst[k], "seed %d, f%d", seed, k)
				for _, argument := range []uint64{0, 1, 3, 1 << 31} {
					c := cost(fmt.Sprint("f", k), argument)
					require.LessOrEqual(t, c, worst[k], "seed %d, f%d(%d)", seed, k, argument)
					calls++
					if c == worst[k] {
						reached++
					}
				}
			}
		}
	}
	require.Greater(t, reached, calls/20)
}

// wild writes code with arbitrary branches and changes of locals.
type wild struct {
	writer
}

func (w *wild) local() byte { return byte(w.IntN(7)) }

func (w *wild) condition() {
	limit := number([]int32{0, 1, 5, 10, -1, -6, 1<<31 - 1, -1 << 31}[w.IntN(8)])
	compare := binary.OpI32Eq + byte(w.IntN(10))
	switch w.IntN(6) {
	case 0:
		w.emit(binary.OpLocalGet, w.local())
	case 1:
		w.emit(binary.OpLocalGet, w.local(), binary.OpI32Eqz)
	case 2:
		w.emit(limit...)
		w.emit(binary.OpLocalGet, w.local(), compare)
	case 3:
		w.emit(binary.OpLocalGet, w.local())
		w.emit(number(w.Int32N(5) - 2)...)
		w.emit(binary.OpI32Add)
		w.emit(limit...)
		w.emit(compare)
	default:
		w.emit(binary.OpLocalGet, w.local())
		w.emit(limit...)
		w.emit(compare)
	}
}

func (w *wild) block(op binary.Opcode, depth int) {
	w.emit(byte(op), binary.BlockEmpty)
	w.labels = append(w.labels, true)
	w.anyCode(depth - 1)
	if op == binary.OpLoop && w.IntN(4) > 0 {
		if w.IntN(3) > 0 { // as compilers count
			local := w.local()
			w.emit(binary.OpLocalGet, local)
			w.emit(number([]int32{1, 1, -1, 2, -3, 4}[w.IntN(6)])...)
			w.emit([]byte{binary.OpI32Add, binary.OpI32Sub}[w.IntN(2)], binary.OpLocalTee, local)
			if w.IntN(2) == 0 {
				w.emit(number(w.Int32N(12))...)
				w.emit(binary.OpI32Eq + byte(w.IntN(10)))
			}
		} else {
			w.condition()
		}
		w.emit(binary.OpBrIf, 0)
	}
	if op == binary.OpIf && w.IntN(3) == 0 {
		w.emit(binary.OpElse)
		w.anyCode(depth - 1)
	}
	w.labels = w.labels[:len(w.labels)-1]
	w.emit(binary.OpEnd)
}

// anyCode leaves nothing on the stack.
func (w *wild) anyCode(depth int) {
	for n := 1 + w.IntN(3); n > 0 && w.left > 0; n-- {
		w.left--
		switch kind := w.IntN(12); {
		case kind < 2:
			w.emit(number(w.Int32N(12) - 1)...)
			w.emit(binary.OpLocalSet, w.local())
		case kind == 2:
			w.emit(binary.OpLocalGet, w.local())
			w.emit(number(w.Int32N(5) - 2)...)
			w.emit(binary.OpI32Add, binary.OpLocalSet, w.local())
		case kind < 5:
			w.condition()
			w.emit(binary.OpBrIf, byte(w.IntN(len(w.labels))))
		case kind == 5 && w.IntN(4) == 0:
			w.emit(binary.OpBr, byte(w.IntN(len(w.labels))))
		case kind == 6 && w.IntN(3) == 0:
			w.condition()
			w.emit(binary.OpBrTable, 1, byte(w.IntN(len(w.labels))), byte(w.IntN(len(w.labels))))
		case kind == 7 && w.functions > 0:
			w.emit(binary.OpLocalGet, w.local(), binary.OpCall, byte(w.IntN(w.functions)), binary.OpLocalSet, w.local())
		case depth == 0:
			w.emit(0x01)
		case kind == 8:
			w.block(binary.OpBlock, depth)
		case kind == 9:
			w.condition()
			w.block(binary.OpIf, depth)
		default:
			w.block(binary.OpLoop, depth)
		}
	}
}

func wildModule(seed uint64) []byte {
	a := &assembly{}
	random := rand.New(rand.NewPCG(seed, 11))
	for k := range 4 {
		w := &wild{writer{Rand: random, functions: k, left: 25}}
		w.block(binary.OpBlock, 4)
		w.emit(binary.OpLocalGet, 1)
		a.add(fmt.Sprint("f", k), i32, i32, strings.Repeat(i32, 6), w.code...)
	}
	return a.bytes()
}

// TestBoundsAreProved: a stated bound holds for arbitrary changes of loop counters. Most entered loops here have no
// bound; enough have one.
func TestBoundsAreProved(t *testing.T) {
	modules := uint64(300)
	if *full {
		modules = 20_000
	}
	const limit = 20_000
	bounded, ended, turned := 0, 0, 0
	for seed := range modules {
		image := wildModule(seed)
		costs := oddCosts()
		s, err := Analyse(image, costs, nil)
		require.NoError(t, err)
		cost := metered(t, image, Meter{Costs: costs, Limit: limit})
		for k, f := range s.Functions {
			for _, l := range f.Loops {
				if l.Turns > 1 {
					turned++
				}
			}
			if f.WorstCase == nil {
				ended++
				continue
			}
			bounded++
			for _, argument := range []uint64{0, 1, 2, 7, 1<<32 - 1, 1 << 31, uint64(seed & 15)} {
				require.LessOrEqual(t, cost(fmt.Sprint("f", k), argument), *f.WorstCase, "seed %d, f%d(%d)", seed, k, argument)
			}
		}
	}
	t.Logf("%d functions with a bound, %d without; %d loops of several turns", bounded, ended, turned)
	require.Greater(t, bounded, int(modules)/2)
	require.Greater(t, ended, int(modules)/2)
	require.Greater(t, turned, int(modules)/4)
}

// TestWorstCaseIsReached: of straight code, of loops as compilers write them, and of calls.
func TestWorstCaseIsReached(t *testing.T) {
	get := func(l byte) []byte { return []byte{binary.OpLocalGet, l} }
	set := func(l byte) []byte { return []byte{binary.OpLocalSet, l} }
	tee := func(l byte) []byte { return []byte{binary.OpLocalTee, l} }
	code := func(parts ...any) (all []byte) {
		for _, part := range parts {
			switch part := part.(type) {
			case []byte:
				all = append(all, part...)
			case binary.Opcode:
				all = append(all, byte(part))
			case int:
				all = append(all, byte(part))
			}
		}
		return all
	}
	down := code(number(9), set(1), binary.OpLoop, binary.BlockEmpty, get(1), number(-1), binary.OpI32Add, tee(1),
		binary.OpBrIf, 0, binary.OpEnd)
	for name, c := range map[string]struct {
		code  []byte
		turns []uint64 // of each loop
	}{
		"straight":      {code(get(0), get(0), binary.OpI32Add, set(1)), nil},
		"both ways":     {code(get(0), binary.OpIf, binary.BlockEmpty, get(0), set(1), binary.OpElse, get(0), binary.OpDrop, binary.OpEnd), nil},
		"down":          {down, []uint64{9}},
		"up":            {code(binary.OpLoop, binary.BlockEmpty, get(1), number(3), binary.OpI32Add, tee(1), number(21), binary.OpI32Ne, binary.OpBrIf, 0, binary.OpEnd), []uint64{7}},
		"up to a bound": {code(binary.OpLoop, binary.BlockEmpty, get(1), number(3), binary.OpI32Add, tee(1), number(20), binary.OpI32LtS, binary.OpBrIf, 0, binary.OpEnd), []uint64{7}},
		"test first": {code(binary.OpBlock, binary.BlockEmpty, binary.OpLoop, binary.BlockEmpty, get(1), number(5), binary.OpI32GeU, binary.OpBrIf, 1,
			get(1), number(1), binary.OpI32Add, set(1), binary.OpBr, 0, binary.OpEnd, binary.OpEnd), []uint64{6}},
		"test by if": {code(binary.OpLoop, binary.BlockEmpty, get(1), number(5), binary.OpI32LtS, binary.OpIf, binary.BlockEmpty,
			get(1), number(1), binary.OpI32Add, set(1), binary.OpBr, 1, binary.OpEnd, binary.OpEnd), []uint64{6}},
		"in a loop": {code(number(4), set(2), binary.OpLoop, binary.BlockEmpty, down, get(2), number(1), binary.OpI32Sub, tee(2), binary.OpI32Eqz, binary.OpI32Eqz, binary.OpBrIf, 0, binary.OpEnd), []uint64{4, 9}},
		"fill":      {code(number(0), number(0), number(100), 0xFC, 11, 0), nil},
		"around":    {code(number(-2), set(1), binary.OpLoop, binary.BlockEmpty, get(1), number(1), binary.OpI32Add, tee(1), binary.OpBrIf, 0, binary.OpEnd), []uint64{2}},
	} {
		image := (&assembly{}).add("f", i32, "", i32+i32, c.code...).add("g", i32, "", "", code(get(0), binary.OpCall, 0, get(0), binary.OpCall, 0)...).bytes()
		s, err := Analyse(image, oddCosts(), nil)
		require.NoError(t, err, name)
		cost := metered(t, image, Meter{Costs: oddCosts(), Limit: 1 << 40})
		for k, f := range []string{"f", "g"} {
			require.NotNil(t, s.Functions[k].WorstCase, name)
			require.Equal(t, max(cost(f, 0), cost(f, 1)), *s.Functions[k].WorstCase, "%s: %s", name, f)
		}
		var turns []uint64
		for _, l := range s.Functions[0].Loops {
			turns = append(turns, l.Turns)
		}
		require.Equal(t, c.turns, turns, name)
	}

	// None of these has a bound, and the last ones have no end.
	count := code(get(1), number(1), binary.OpI32Add, tee(1))
	for name, c := range map[string][]byte{
		"start":                      code(get(0), set(1), binary.OpLoop, binary.BlockEmpty, count, number(9), binary.OpI32Ne, binary.OpBrIf, 0, binary.OpEnd),
		"limit":                      code(binary.OpLoop, binary.BlockEmpty, count, get(0), binary.OpI32Ne, binary.OpBrIf, 0, binary.OpEnd),
		"two ways back":              code(binary.OpLoop, binary.BlockEmpty, get(0), binary.OpBrIf, 0, count, number(9), binary.OpI32Ne, binary.OpBrIf, 0, binary.OpEnd),
		"two ways back, each a step": code(binary.OpLoop, binary.BlockEmpty, count, binary.OpDrop, get(0), binary.OpBrIf, 0, get(1), number(9), binary.OpI32Ne, binary.OpBrIf, 0, binary.OpEnd),
		"set inside":                 code(binary.OpLoop, binary.BlockEmpty, get(0), binary.OpIf, binary.BlockEmpty, number(0), set(1), binary.OpEnd, count, number(9), binary.OpI32Ne, binary.OpBrIf, 0, binary.OpEnd),
		"guard jumped over": code(binary.OpBlock, binary.BlockEmpty, binary.OpLoop, binary.BlockEmpty, count, binary.OpDrop, get(0), binary.OpBrIf, 0,
			get(1), number(5), binary.OpI32GeU, binary.OpBrIf, 1, binary.OpBr, 0, binary.OpEnd, binary.OpEnd),
		"guard in a block": code(binary.OpBlock, binary.BlockEmpty, binary.OpLoop, binary.BlockEmpty, count, binary.OpDrop, binary.OpBlock, binary.BlockEmpty, get(0), binary.OpBrIf, 0,
			get(1), number(5), binary.OpI32GeU, binary.OpBrIf, 2, binary.OpEnd, binary.OpBr, 0, binary.OpEnd, binary.OpEnd),
		"guard of an if jumped over": code(binary.OpLoop, binary.BlockEmpty, count, binary.OpDrop, get(0), binary.OpBrIf, 0,
			get(1), number(5), binary.OpI32LtS, binary.OpIf, binary.BlockEmpty, binary.OpBr, 1, binary.OpEnd, binary.OpEnd),
		"back after the if": code(binary.OpLoop, binary.BlockEmpty, count, number(5), binary.OpI32LtS, binary.OpIf, binary.BlockEmpty, get(0), binary.OpBrIf, 1, binary.OpEnd, get(0), binary.OpBrIf, 0, binary.OpEnd),
		"counts at times":   code(binary.OpLoop, binary.BlockEmpty, get(0), binary.OpIf, binary.BlockEmpty, count, binary.OpDrop, binary.OpEnd, get(1), number(5), binary.OpI32Ne, binary.OpBrIf, 0, binary.OpEnd),
		"jumps over":        code(binary.OpLoop, binary.BlockEmpty, get(1), number(2), binary.OpI32Add, tee(1), number(9), binary.OpI32Ne, binary.OpBrIf, 0, binary.OpEnd),
		"length":            code(number(0), number(0), get(0), 0xFC, 11, 0),
		"for ever":          forever,
		"itself":            code(get(0), binary.OpCall, 0),
	} {
		s, err := Analyse((&assembly{}).add("starloom_f", i32, "", i32+i32, c...).bytes(), oddCosts(), nil)
		require.NoError(t, err, name)
		require.Nil(t, s.Functions[0].WorstCase, name)
		require.Len(t, s.Handlers, 1)
		require.Len(t, s.Handlers[0].Unbounded, 1, name)
		require.Equal(t, name == "itself", s.Functions[0].Recursive)
	}
}

// TestTurnsAreBelieved: a loop whose argument is its number of turns costs the bound at the provided maximum, and so
// do its callers; a proved bound stays, and unneeded turns are an error.
func TestTurnsAreBelieved(t *testing.T) {
	code := func(start ...byte) []byte { // a loop that counts down from the top of the stack
		return append(append(start, binary.OpLocalSet, 1, binary.OpLoop, binary.BlockEmpty, binary.OpLocalGet, 1),
			append(number(-1), binary.OpI32Add, binary.OpLocalTee, 1, binary.OpBrIf, 0, binary.OpEnd)...)
	}
	image := (&assembly{}).add("starloom_f", i32, "", i32, append(code(binary.OpLocalGet, 0), code(number(3)...)...)...).add("starloom_g", i32, "", "", binary.OpLocalGet, 0, binary.OpCall, 0).bytes()
	free, err := Analyse(image, oddCosts(), nil)
	require.NoError(t, err)
	require.Nil(t, free.Functions[0].WorstCase)
	open, proved := free.Functions[0].Loops[0], free.Functions[0].Loops[1]
	require.Zero(t, open.Turns)
	require.EqualValues(t, 3, proved.Turns)
	cost := metered(t, image, Meter{Costs: oddCosts(), Limit: 1 << 40})
	for _, turns := range []uint64{1, 2, 7} {
		s, err := Analyse(image, oddCosts(), Turns{open.String(): turns})
		require.NoError(t, err)
		for k, name := range []string{"starloom_f", "starloom_g"} {
			require.True(t, s.Handlers[k].Given)
			require.Equal(t, cost(name, turns), *s.Handlers[k].WorstCase)
			require.Less(t, *s.Handlers[k].WorstCase, cost(name, turns+1))
		}
		require.Equal(t, []bool{true, false}, []bool{s.Functions[0].Loops[0].Given, s.Functions[0].Loops[1].Given})
	}
	_, err = Analyse(image, oddCosts(), Turns{open.String(): 2, proved.String(): 5})
	var none *NoLoopError
	require.ErrorAs(t, err, &none)
	require.Equal(t, NoLoopError{proved.String(), []string{open.String()}}, *none)
}

// TestHandlersOfOneProcessor follows the built-in programs to their last instruction. The loop over the cells turns
// once, if clang keeps a loop for one entry.
func TestHandlersOfOneProcessor(t *testing.T) {
	unit, _ := Model("unit")
	once, programs := 0, 0
	for name, image := range images(t) {
		s, err := Analyse(image, unit, nil)
		require.NoError(t, err)
		for _, f := range s.Functions {
			require.NotEmpty(t, f.Blocks, "%s: %s", name, f.Name)
			if f.Name != ChoiceFunction { // has no debug information
				require.NotEmpty(t, f.Source, f.Name)
			}
			for _, l := range f.Loops {
				require.NotEmpty(t, l.Source)
			}
		}
		at := slices.IndexFunc(s.Handlers, func(h Handler) bool { return h.Name == "starloom_slot" })
		require.GreaterOrEqual(t, at, 0)
		programs++
		if loops := s.Handlers[at].Loops; len(loops) > 0 && loops[0].Turns == 1 {
			once++
		}
		for _, h := range s.Handlers {
			for _, reason := range h.Unbounded {
				require.NotContains(t, reason, "too large", "%s: %s", name, h.Name)
			}
		}
	}
	require.GreaterOrEqual(t, once, programs-2)
}
