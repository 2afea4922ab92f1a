package hw

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type words struct {
	path  string
	value []uint32
}

func (w *words) Path() string { return w.path }

// register is value <- in of the unit to the left, driven on out.
type register struct {
	path    string
	in, out *words
	q       []uint32
}

func (r *register) Path() string          { return r.path }
func (r *register) Reset()                { clear(r.q) }
func (r *register) State(v *StateVisitor) { StateColumn(v, Future, "q", r.q) }
func (r *register) Drives() []Wire        { return []Wire{r.out} }
func (r *register) Latches() []Wire       { return []Wire{r.in} }
func (r *register) Drive(s Shard)         { copy(r.out.value[s.First:s.End], r.q[s.First:s.End]) }
func (r *register) Latch(s Shard) {
	for i := s.First; i < s.End; i++ {
		r.q[i] = r.in.value[(i+len(r.q)-1)%len(r.q)]
	}
}

// adder is out = a*3 + b + the unit's number, with a taken from the unit on the right.
type adder struct {
	path      string
	a, b, out *words
}

func (a *adder) Path() string          { return a.path }
func (a *adder) Reset()                {}
func (a *adder) State(v *StateVisitor) {}
func (a *adder) Inputs() []Wire        { return []Wire{a.a, a.b} }
func (a *adder) Outputs() []Wire       { return []Wire{a.out} }
func (a *adder) Settle(s Shard) {
	for i := s.First; i < s.End; i++ {
		a.out.value[i] = a.a.value[(i+1)%len(a.a.value)]*3 + a.b.value[i] + uint32(i)
	}
}

func newWords(path string, units int) *words { return &words{path, make([]uint32, units)} }

// newPipeline is two registers with three ranks of adders between them.
func newPipeline(t *testing.T, units, unitsPerShard, workers int, shuffle *rand.Rand) *Kernel {
	t.Helper()
	wire := map[string]*words{}
	for _, name := range []string{"p", "q", "x", "y", "z"} {
		wire[name] = newWords("test."+name, units)
	}
	components := []Component{
		&register{"test.r0", wire["z"], wire["p"], make([]uint32, units)},
		&register{"test.r1", wire["x"], wire["q"], make([]uint32, units)},
		&adder{"test.c", wire["p"], wire["q"], wire["x"]},
		&adder{"test.a", wire["x"], wire["q"], wire["y"]},
		&adder{"test.b", wire["y"], wire["x"], wire["z"]},
	}
	shards := Shards(units, unitsPerShard)
	if shuffle != nil {
		shuffle.Shuffle(len(shards), func(i, j int) { shards[i], shards[j] = shards[j], shards[i] })
		shuffle.Shuffle(len(components), func(i, j int) { components[i], components[j] = components[j], components[i] })
	}
	w := NewWorkers(workers)
	t.Cleanup(w.Close)
	k := NewKernel(w, shards)
	k.Add(components...)
	require.NoError(t, k.Build())
	return k
}

func run(k *Kernel, cycles int) {
	for range cycles {
		k.DriveAndSettle()
		k.Latch()
	}
}

func TestKernelOrderDoesNotMatter(t *testing.T) {
	const seed = 1
	shuffle := rand.New(rand.NewPCG(seed, 0))
	plain := newPipeline(t, 12, 12, 1, nil)
	run(plain, 50)
	want := saved(t, plain)
	for range 30 {
		k := newPipeline(t, 12, 1+shuffle.IntN(12), 1+shuffle.IntN(2), shuffle)
		run(k, 50)
		require.Equal(t, want, saved(t, k))
	}
	assert.EqualValues(t, 50, plain.Cycle())
}

func TestKernelRanks(t *testing.T) {
	k := newPipeline(t, 4, 2, 1, nil)
	require.Len(t, k.settle, 3)
	for rank, path := range []string{"test.c", "test.a", "test.b"} {
		require.Len(t, k.settle[rank].components, 1)
		assert.Equal(t, path, k.settle[rank].components[0].Path())
	}
}

func TestKernelSaveRestoreReset(t *testing.T) {
	k := newPipeline(t, 6, 2, 2, nil)
	start := saved(t, k)
	run(k, 20)
	want := saved(t, k)
	for at := range 20 {
		k.Reset()
		require.Equal(t, start, saved(t, k))
		run(k, at)
		again := newPipeline(t, 6, 5, 1, nil)
		run(again, 3)
		require.NoError(t, Restore(bytes.NewReader(saved(t, k)), again))
		run(again, 20-at)
		require.Equal(t, want, saved(t, again), "saved at %d", at)
	}
}

func TestKernelAllocatesNothing(t *testing.T) {
	for _, workers := range []int{1, 2} {
		k := newPipeline(t, 8, 2, workers, nil)
		assert.Zero(t, testing.AllocsPerRun(100, func() { run(k, 1) }))
	}
}

func TestKernelRefuses(t *testing.T) {
	w := func(path string) *words { return newWords(path, 1) }
	p, q, x, y, z := w("m.p"), w("m.q"), w("m.x"), w("m.y"), w("m.z")
	reg := func(path string, in, out *words) Component { return &register{path, in, out, make([]uint32, 1)} }
	add := func(path string, a, b, out *words) Component { return &adder{path, a, b, out} }
	for name, c := range map[string]struct {
		components []Component
		errors     []string
	}{
		"loop of two": {
			[]Component{reg("m.r", x, p), add("m.a", p, y, x), add("m.b", x, p, y)},
			[]string{"combinational loop: m.a -> m.x -> m.b -> m.y -> m.a"},
		},
		"loop of one": {
			[]Component{add("m.a", x, x, x)},
			[]string{"combinational loop: m.a -> m.x -> m.a"},
		},
		"loop after a tail": {
			[]Component{add("m.a", y, y, x), add("m.b", z, z, y), add("m.c", y, y, z)},
			[]string{"combinational loop: m.b -> m.y -> m.c -> m.z -> m.b"},
		},
		"two drivers":         {[]Component{reg("m.r", p, p), reg("m.s", p, p)}, []string{"m.p", "two drivers", "m.r", "m.s"}},
		"driven and settled":  {[]Component{reg("m.r", p, p), add("m.a", p, p, p)}, []string{"m.p", "two drivers", "m.r", "m.a"}},
		"undriven, settle":    {[]Component{reg("m.r", x, p), add("m.a", p, q, x)}, []string{"m.a reads wire m.q, which has no driver"}},
		"undriven, latch":     {[]Component{reg("m.r", q, p)}, []string{"m.r reads wire m.q, which has no driver"}},
		"same component path": {[]Component{reg("m.r", p, p), reg("m.r", p, q)}, []string{"two components have the path m.r"}},
		"same wire path":      {[]Component{reg("m.r", p, p), reg("m.s", p, w("m.p"))}, []string{"m.r and m.s drive different wires", "m.p"}},
		"component path":      {[]Component{reg("m r", p, p)}, []string{`"m r"`}},
		"wire path":           {[]Component{reg("m.r", p, w("9"))}, []string{"wire of m.r", `"9"`}},
	} {
		k := NewKernel(NewWorkers(1), Shards(1, 1))
		k.Add(c.components...)
		err := k.Build()
		if assert.Error(t, err, name) {
			for _, text := range c.errors {
				assert.ErrorContains(t, err, text, name)
			}
		}
	}
	k := NewKernel(NewWorkers(1), nil)
	assert.ErrorContains(t, k.Build(), "shards")
	assert.Panics(t, k.DriveAndSettle, "not built")
	built := newPipeline(t, 1, 1, 1, nil)
	assert.Error(t, built.Build())
	assert.Panics(t, func() { built.Add(reg("m.r", p, p)) })
}

// requireQuiet compares two equal kernels, one with inactive cycles skipped: signals in each cycle, and the final
// state. give sets the inputs of both in a cycle; they change only in the first 6 of 20 cycles.
func requireQuiet(t *testing.T, stepped, skipping *Kernel, cycles uint64, give func(cycle uint64)) {
	t.Helper()
	shown := func(k *Kernel) (values []uint64) {
		k.Probes(func(p Probe) { values = append(values, p.Value()) })
		return values
	}
	skipped := uint64(0)
	for cycle := skipping.Cycle(); cycle < cycles; cycle = skipping.Cycle() {
		give(cycle)
		limit := uint64(1)
		if cycle%20 > 5 {
			limit = 20 - cycle%20
		}
		quiet := skipping.QuietFor(limit)
		require.LessOrEqual(t, quiet, limit)
		if quiet == 0 {
			for _, k := range []*Kernel{stepped, skipping} {
				k.DriveAndSettle()
				k.Latch()
			}
			continue
		}
		before := shown(stepped)
		for range quiet {
			stepped.DriveAndSettle()
			require.Equal(t, before, shown(stepped), "cycle %d: quiet for %d from cycle %d on", stepped.Cycle(), quiet, cycle)
			stepped.Latch()
		}
		skipping.Skip(quiet)
		require.Equal(t, saved(t, stepped), saved(t, skipping))
		skipped += quiet
	}
	for _, c := range skipping.components {
		if a, ok := c.(*Arbiters); ok && a.kind == ArbiterTDMA {
			require.Zero(t, skipped, "its turns never stop")
			return
		}
	}
	require.Greater(t, skipped, cycles/5)
	require.Less(t, skipped, cycles*9/10)
}

func TestOpticsQuiet(t *testing.T) {
	for delay := range 9 {
		stepped, skipping := newOptics(t, 2, 3, 64, delay, 1, 3, nil), newOptics(t, 2, 3, 64, delay, 1, 1, nil)
		requireQuiet(t, stepped.kernel, skipping.kernel, 400, func(cycle uint64) {
			for _, o := range []*optics{stepped, skipping} {
				o.randomise(rand.New(rand.NewPCG(3, cycle)))
				if cycle%20 >= 5 {
					clear(o.lamps.rail1)
					clear(o.lamps.rail0)
				}
			}
		})
	}
}

// TestKernelQuiet requires that a component that is not Quiet keeps the kernel running.
func TestKernelQuiet(t *testing.T) {
	k := newPipeline(t, 4, 2, 1, nil)
	require.Zero(t, k.QuietFor(5))
}
