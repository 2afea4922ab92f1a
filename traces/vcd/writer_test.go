package vcd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/traces"
	"starloom/traces/internal/tracetest"
)

// waves is the content of a VCD: for each variable the values by time, without repeats.
type waves map[string][]sample

type sample struct {
	time  uint64
	value string
}

// parseVCD is a small independent reader. It strips leading zeros of values and drops repeated values.
func parseVCD(t *testing.T, text string) (w waves, end uint64) {
	t.Helper()
	w = waves{}
	names := map[string]string{}
	var scopes []string
	fields := strings.Fields(text)
	set := func(code, value string) {
		name, ok := names[code]
		require.True(t, ok, "unknown code %q", code)
		if n := len(w[name]); n == 0 || w[name][n-1].value != value {
			w[name] = append(w[name], sample{end, value})
		}
	}
	skip := func(i int) int {
		for fields[i] != "$end" {
			i++
		}
		return i
	}
	for i := 0; i < len(fields); i++ {
		switch f := fields[i]; {
		case f == "$scope":
			scopes = append(scopes, fields[i+2])
			i = skip(i)
		case f == "$upscope":
			scopes = scopes[:len(scopes)-1]
			i = skip(i)
		case f == "$var":
			name := strings.Join(append(append([]string(nil), scopes...), fields[i+4]), ".")
			require.NotContains(t, names, fields[i+3])
			names[fields[i+3]] = name
			w[name] = nil
			i = skip(i)
		case f == "$dumpvars" || f == "$end":
		case f[0] == '$':
			i = skip(i)
		case f[0] == '#':
			at, err := strconv.ParseUint(f[1:], 10, 64)
			require.NoError(t, err)
			require.True(t, at > end || end == 0, "time %d after %d", at, end)
			end = at
		case f[0] == 'b':
			value := strings.TrimLeft(f[1:], "0")
			if value == "" {
				value = "0"
			}
			set(fields[i+1], value)
			i++
		case f[0] == 's':
			set(fields[i+1], f[1:])
			i++
		default:
			set(f[1:], f[:1])
		}
	}
	require.Empty(t, scopes)
	return w, end
}

// declareSmall declares one signal of every kind, with mixed scopes.
func declareSmall(t *testing.T, v *Writer) (phit, busy, state, tick SignalID) {
	t.Helper()
	var err error
	phit, err = v.Declare("pops.group[0].coupler[1].phit", 12)
	require.NoError(t, err)
	busy, err = v.Declare("pops.group[1].busy", 1)
	require.NoError(t, err)
	state, err = v.DeclareStates("pops.group[0].coupler[1].state", []string{"idle", "send", "collision"})
	require.NoError(t, err)
	tick, err = v.Declare("slot", 64)
	require.NoError(t, err)
	return
}

// small writes a short run, with later Set calls in reverse order.
func small(t *testing.T, options Options, reverse bool, trigger int) string {
	t.Helper()
	var b bytes.Buffer
	v, err := NewWriter(&b, options)
	require.NoError(t, err)
	phit, busy, state, tick := declareSmall(t, v)
	v.Set(state, 1)
	require.NoError(t, v.Begin())
	for cycle := range uint64(20) {
		require.NoError(t, v.Cycle(cycle))
		sets := []func(){
			func() { v.Set(phit, cycle*cycle) },
			func() { v.Set(busy, cycle/3%2) },
			func() { v.Set(state, cycle/5%3) },
			func() { v.Set(tick, cycle/4*0x0123456789ABCDEF) },
		}
		for i := range sets {
			if reverse {
				i = len(sets) - 1 - i
			}
			sets[i]()
		}
		if int(cycle) == trigger {
			require.NoError(t, v.Trigger(cycle-3)) // reported three cycles late
		}
	}
	require.NoError(t, v.Close(20))
	return b.String()
}

func TestGolden(t *testing.T) {
	got := small(t, Options{Comments: []string{"seed 1", "scenario 0123abcd"}}, false, -1)
	tracetest.Golden(t, "small.vcd", []byte(got))
	assert.NotContains(t, got, "$date")
	assert.NotContains(t, got, "\t")
}

func TestDoesNotDependOnTheOrderOfSets(t *testing.T) {
	assert.Equal(t, small(t, Options{}, false, -1), small(t, Options{}, true, -1))
}

// cut is the reference for windows: the part first..last of a full VCD.
func cut(full waves, first, last uint64) waves {
	w := waves{}
	for name, samples := range full {
		w[name] = nil
		for _, s := range samples {
			switch {
			case s.time <= first:
				w[name] = []sample{{first, s.value}}
			case s.time <= last:
				w[name] = append(w[name], s)
			}
		}
	}
	return w
}

func TestWindow(t *testing.T) {
	full, end := parseVCD(t, small(t, Options{}, false, -1))
	require.EqualValues(t, 20, end)
	for from := uint64(0); from < 20; from++ {
		for to := from; to < 25; to++ {
			if to == 0 {
				continue // no end
			}
			got, end := parseVCD(t, small(t, Options{From: from, To: to}, false, -1))
			require.Equal(t, cut(full, from, to), got, "%d to %d", from, to)
			require.Equal(t, min(to+1, 20), end)
		}
	}
}

func TestTrigger(t *testing.T) {
	full, _ := parseVCD(t, small(t, Options{}, false, -1))
	for late := 3; late < 20; late++ {
		for before := range uint64(6) {
			for after := range uint64(8) {
				options := Options{OnTrigger: true, Before: before, After: after, SlackCycles: 3}
				text := small(t, options, false, late)
				got, end := parseVCD(t, text)
				trigger := uint64(late - 3)
				first := trigger - min(before, trigger)
				require.Equal(t, cut(full, first, trigger+after), got, "trigger %d -%d +%d", trigger, before, after)
				require.Equal(t, min(trigger+after+1, 20), end)
				require.Contains(t, text, fmt.Sprintf("trigger in cycle %d, window from cycle %d to %d", trigger, first, trigger+after))
				require.NotContains(t, text, "should start")
			}
		}
	}
}

func TestTriggerWithinFromAndTo(t *testing.T) {
	full, _ := parseVCD(t, small(t, Options{}, false, -1))
	options := Options{OnTrigger: true, Before: 5, After: 5, SlackCycles: 3, From: 8, To: 11}
	got, end := parseVCD(t, small(t, options, false, 13)) // trigger in cycle 10
	assert.Equal(t, cut(full, 8, 11), got)
	assert.EqualValues(t, 12, end)
	got, _ = parseVCD(t, small(t, options, false, 15)) // in cycle 12: too late to count
	assert.Empty(t, got["slot"])
}

// Without the trigger the file has a header and no value at all.
func TestTriggerThatNeverComes(t *testing.T) {
	text := small(t, Options{OnTrigger: true, Before: 2, After: 2}, false, -1)
	assert.True(t, strings.HasSuffix(text, "$enddefinitions $end\n"), text)
	got, _ := parseVCD(t, text)
	assert.Len(t, got, 4)
	path := filepath.Join(t.TempDir(), "never.vcd")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	_, stderr := tracetest.Run(t, "vcd2fst", path, path+".fst")
	assert.Empty(t, stderr)
}

// The ring never exceeds its limit. A window that has lost its beginning says so and is correct from its start.
func TestTriggerWithFullRing(t *testing.T) {
	full, _ := parseVCD(t, small(t, Options{}, false, -1))
	options := Options{OnTrigger: true, Before: 10, After: 2, SlackCycles: 3, RingChangesMax: 8}
	text := small(t, options, false, 17)
	assert.Contains(t, text, "the window should start in cycle 4: more than 8 changes in the window")
	var first uint64
	_, err := fmt.Sscanf(text[strings.Index(text, "window from cycle"):], "window from cycle %d", &first)
	require.NoError(t, err)
	assert.Greater(t, first, uint64(10))
	got, _ := parseVCD(t, text)
	assert.Equal(t, cut(full, first, 16), got)
}

func TestRingIsBounded(t *testing.T) {
	v, err := NewWriter(io.Discard, Options{OnTrigger: true, Before: 1 << 40, RingChangesMax: 5000})
	require.NoError(t, err)
	var ids []SignalID
	for i := range 300 {
		id, err := v.Declare(fmt.Sprintf("top.s%d", i), 64)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	require.NoError(t, v.Begin())
	for cycle := uint64(1); cycle < 200; cycle++ {
		require.NoError(t, v.Cycle(cycle))
		for _, id := range ids {
			v.Set(id, cycle)
		}
	}
	assert.LessOrEqual(t, len(v.ring), 5000)
	assert.LessOrEqual(t, v.count, 5000)
}

// A machine that samples only what NeedsCycle asks for gets the same file.
func TestNeedsCycle(t *testing.T) {
	for _, options := range []Options{{}, {From: 7}, {From: 7, To: 9}, {To: 9},
		{From: 3, To: 15, OnTrigger: true, Before: 2, After: 2}} {
		files := map[bool]string{}
		for _, lazy := range []bool{false, true} {
			var b bytes.Buffer
			v, err := NewWriter(&b, options)
			require.NoError(t, err)
			a, err := v.Declare("top.a", 8)
			require.NoError(t, err)
			require.NoError(t, v.Begin())
			for cycle := range uint64(20) {
				if lazy && !v.NeedsCycle(cycle) {
					continue
				}
				require.NoError(t, v.Cycle(cycle))
				v.Set(a, cycle)
				if cycle == 10 {
					require.NoError(t, v.Trigger(cycle))
				}
			}
			require.NoError(t, v.Close(20))
			files[lazy] = b.String()
		}
		assert.Equal(t, files[false], files[true], "%+v", options)
	}
}

// A restored run starts in the middle; the file claims nothing about earlier times.
func TestStartsLate(t *testing.T) {
	for _, options := range []Options{{}, {From: 90}, {OnTrigger: true, Before: 1000}} {
		var b bytes.Buffer
		v, err := NewWriter(&b, options)
		require.NoError(t, err)
		a, err := v.Declare("top.a", 8)
		require.NoError(t, err)
		require.NoError(t, v.Begin())
		for cycle := uint64(100); cycle < 105; cycle++ {
			require.NoError(t, v.Cycle(cycle))
			v.Set(a, cycle)
		}
		require.NoError(t, v.Trigger(103))
		require.NoError(t, v.Close(105))
		got, _ := parseVCD(t, b.String())
		assert.EqualValues(t, 100, got["top.a"][0].time, "%+v", options)
		assert.NotContains(t, b.String(), "should start")
	}
}

func TestRefuses(t *testing.T) {
	_, err := NewWriter(io.Discard, Options{From: 5, To: 4})
	assert.ErrorContains(t, err, "ends at cycle 4")
	_, err = NewWriter(io.Discard, Options{Before: 1})
	assert.ErrorContains(t, err, "no trigger")
	_, err = NewWriter(io.Discard, Options{RingChangesMax: -1})
	assert.Error(t, err)
	for _, comment := range []string{"a $end b", "two\nlines", "caf\u00e9"} {
		_, err = NewWriter(io.Discard, Options{Comments: []string{comment}})
		assert.Error(t, err, comment)
	}
	v, err := NewWriter(io.Discard, Options{})
	require.NoError(t, err)
	for _, path := range []string{"", ".", "a.", ".a", "a..b", "a b", "a.b c", "0a", "a.0", "a.$end", "a.b[0]", "a[.b", "a[].b", "a[x].b", "a[+1rho].b", "a[0]b.c", "a]0[.b", "a\tb", "a.\u00e9", "[0].a"} {
		_, err := v.Declare(path, 1)
		assert.Error(t, err, "%q", path)
	}
	for _, path := range []string{"a", "_", "a.b", "a[0].b", "a[0][12].b", "ej.node[-1,2].b-c_d9", "A1.b", "ej.node[27].dim[1].port[+rho^2].tx", "a[-rho].b"} {
		_, err := v.Declare(path, 1)
		assert.NoError(t, err, "%q", path)
	}
	for _, bits := range []int{-1, 0, 65} {
		_, err := v.Declare("width", bits)
		assert.ErrorContains(t, err, "width")
	}
	for _, states := range [][]string{nil, {""}, {"a b"}, {"a", "b\tc"}, {"a\\b"}, {strings.Repeat("x", 65)}} {
		_, err := v.DeclareStates("states", states)
		assert.ErrorContains(t, err, "states")
	}
	_, err = v.Declare("a.b", 2)
	assert.ErrorContains(t, err, "a.b: declared twice")
	require.NoError(t, v.Begin())
	assert.ErrorContains(t, v.Begin(), "twice")
	_, err = v.Declare("late", 1)
	assert.ErrorContains(t, err, "late: declared after Begin")
}

// begun returns a VCD with a signal of 4 bits and an enumeration of 2 states.
func begun(t *testing.T, w io.Writer, options Options) (v *Writer, vector, states SignalID) {
	t.Helper()
	v, err := NewWriter(w, options)
	require.NoError(t, err)
	vector, err = v.Declare("top.vector", 4)
	require.NoError(t, err)
	states, err = v.DeclareStates("top.states", []string{"on", "off"})
	require.NoError(t, err)
	require.NoError(t, v.Begin())
	return v, vector, states
}

func TestErrorsStay(t *testing.T) {
	v, _, _ := begun(t, io.Discard, Options{})
	require.NoError(t, v.Cycle(7))
	require.NoError(t, v.Cycle(7))
	err := v.Cycle(6)
	assert.ErrorContains(t, err, "cycle 6 after cycle 7: time cannot go back")
	assert.Equal(t, err, v.Cycle(8))
	assert.Equal(t, err, v.Trigger(8))
	assert.Equal(t, err, v.Close(9))
	assert.False(t, v.NeedsCycle(10))

	v, vector, _ := begun(t, io.Discard, Options{})
	require.NoError(t, v.Cycle(3))
	v.Set(vector, 16)
	assert.EqualError(t, v.Cycle(4), "vcd: cycle 3: top.vector is set to 0x10, which has more than its 4 bits")

	v, _, states := begun(t, io.Discard, Options{OnTrigger: true})
	require.NoError(t, v.Cycle(3))
	v.Set(states, 2)
	assert.EqualError(t, v.Close(4), "vcd: cycle 3: top.states is set to 0x2, which is not one of its 2 states (on off)")

	v, _, _ = begun(t, io.Discard, Options{})
	require.NoError(t, v.Cycle(3))
	assert.ErrorContains(t, v.Close(3), "time cannot go back")

	v, _, _ = begun(t, io.Discard, Options{OnTrigger: true})
	require.NoError(t, v.Cycle(3))
	assert.ErrorContains(t, v.Trigger(4), "is in the future")

	v, _, _ = begun(t, io.Discard, Options{})
	require.NoError(t, v.Close(0))
	require.NoError(t, v.Close(0))
	assert.ErrorContains(t, v.Cycle(1), "after Close")

	v, err = NewWriter(io.Discard, Options{})
	require.NoError(t, err)
	assert.ErrorContains(t, v.Cycle(0), "before Begin")

	full := errors.New("disk full")
	v, err = NewWriter(tracetest.FailingWriter{Err: full}, Options{})
	require.NoError(t, err)
	assert.ErrorIs(t, v.Begin(), full)
	assert.ErrorIs(t, v.Cycle(1), full)
	assert.ErrorIs(t, v.Close(2), full)
}

func TestCodesAreDenseAndUnique(t *testing.T) {
	seen := map[string]bool{}
	length := 0
	for id := range SignalID(94 + 94*94 + 94) {
		code := appendCode(nil, id)
		for _, c := range code {
			require.True(t, c >= '!' && c <= '~')
		}
		require.False(t, seen[string(code)], "%d", id)
		require.GreaterOrEqual(t, len(code), length, "codes never get shorter")
		length = len(code)
		seen[string(code)] = true
	}
	assert.Equal(t, "!", string(appendCode(nil, 0)))
	assert.Equal(t, "~", string(appendCode(nil, 93)))
	assert.Len(t, appendCode(nil, 94+94*94-1), 2)
	assert.Len(t, appendCode(nil, 94+94*94), 3)
	assert.LessOrEqual(t, len(appendCode(nil, signalCountMax)), 5)
}

func TestVectors(t *testing.T) {
	for shift := range 64 {
		for _, value := range []uint64{1 << shift, 1<<shift - 1, 0xD1B54A32D192ED03 >> shift} {
			require.Equal(t, "b"+strconv.FormatUint(value, 2), string(appendVector(nil, value)))
		}
	}
}

// The real converter must accept the file without messages, and the result must be the same.
func TestThroughFST(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	v, err := NewWriter(&b, Options{Comments: []string{"seed 1"}})
	require.NoError(t, err)
	var ids []SignalID
	for i := range 400 { // enough for codes of two characters
		path := fmt.Sprintf("pops.group[%d].processor[%d].s%d", i%5, i%7, i)
		var id SignalID
		if i%10 == 9 {
			id, err = v.DeclareStates(path, []string{"idle", "busy", "code-violation"})
		} else {
			id, err = v.Declare(path, 1+i%64)
		}
		require.NoError(t, err)
		ids = append(ids, id)
	}
	require.NoError(t, v.Begin())
	cycle := uint64(0)
	for range 300 {
		require.NoError(t, v.Cycle(cycle))
		for range random.IntN(20) {
			id := ids[random.IntN(len(ids))]
			if signal := v.Signals()[id]; signal.States != nil {
				v.Set(id, random.Uint64N(uint64(len(signal.States))))
			} else {
				v.Set(id, random.Uint64()>>(64-signal.Bits))
			}
		}
		cycle += 1 + random.Uint64N(3)
	}
	require.NoError(t, v.Close(cycle))

	path := filepath.Join(t.TempDir(), "run.vcd")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
	_, stderr := tracetest.Run(t, "vcd2fst", path, path+".fst")
	assert.Empty(t, stderr)
	var out [2][]byte
	for i := range out { // FST writes the same twice
		file, err := traces.Create(path + ".fst")
		require.NoError(t, err)
		require.NoError(t, file.Through(FST()))
		_, err = file.Write(b.Bytes())
		require.NoError(t, err)
		require.NoError(t, file.Commit())
		out[i], err = os.ReadFile(path + ".fst")
		require.NoError(t, err)
	}
	require.Equal(t, out[0], out[1])
	require.Contains(t, string(out[0]), "Thu Jan  1 00:00:00 1970", "a date of a run would differ")
	back, stderr := tracetest.Run(t, "fst2vcd", path+".fst")
	assert.Empty(t, stderr)
	want, wantEnd := parseVCD(t, b.String())
	got, gotEnd := parseVCD(t, back)
	assert.Equal(t, want, got)
	assert.Equal(t, wantEnd, gotEnd)
	assert.Len(t, want, 400)

	// A truncated or damaged file is refused.
	whole := out[0]
	for _, broken := range [][]byte{
		nil, whole[:100], whole[:330], whole[:len(whole)-1], append(slices.Clone(whole), 0),
		slices.Concat(whole[:400], whole[500:]),
	} {
		require.NoError(t, os.WriteFile(path, broken, 0o666))
		file, err := os.Open(path)
		require.NoError(t, err)
		require.Error(t, checkFST(file), len(broken))
		require.NoError(t, file.Close())
	}
}

func TestAllocatesNothingPerCycle(t *testing.T) {
	for name, options := range map[string]Options{
		"all":     {},
		"before":  {From: 1 << 40},
		"after":   {To: 1},
		"trigger": {OnTrigger: true, Before: 100, SlackCycles: 10},
		"full":    {OnTrigger: true, Before: 1 << 40, RingChangesMax: 4000},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := NewWriter(io.Discard, options)
			require.NoError(t, err)
			var ids []SignalID
			for i := range 200 {
				id, err := v.Declare(fmt.Sprintf("top.s%d", i), 64)
				require.NoError(t, err)
				ids = append(ids, id)
			}
			require.NoError(t, v.Begin())
			cycle := uint64(0)
			step := func() {
				cycle++
				if err := v.Cycle(cycle); err != nil {
					panic(err)
				}
				for _, id := range ids {
					v.Set(id, cycle*0x9E3779B97F4A7C15)
				}
			}
			for range 300 {
				step() // until the ring has its size
			}
			assert.Zero(t, testing.AllocsPerRun(200, step))
		})
	}
}

func BenchmarkChange(b *testing.B) {
	v, err := NewWriter(io.Discard, Options{})
	require.NoError(b, err)
	var ids []SignalID
	for i := range 1000 {
		id, err := v.Declare(fmt.Sprintf("top.s%d", i), 32)
		require.NoError(b, err)
		ids = append(ids, id)
	}
	require.NoError(b, v.Begin())
	cycle := uint64(0)
	for b.Loop() {
		cycle++
		_ = v.Cycle(cycle)
		for _, id := range ids {
			v.Set(id, uint64(uint32(cycle*0x9E3779B9)+uint32(id)))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/change")
}
