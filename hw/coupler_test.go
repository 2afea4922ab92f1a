package hw

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lamps drives a Light with what a test puts into its columns.
type lamps struct {
	light        *Light
	ports        *PortSelect
	rail1, rail0 []uint64
}

func (l *lamps) Path() string { return l.light.Bank().Path() }
func (l *lamps) Reset()       {}
func (l *lamps) State(v *StateVisitor) {
	StateColumn(v, Future, "rail1", l.rail1)
	StateColumn(v, Future, "rail0", l.rail0)
}
func (l *lamps) QuietFor(limit uint64) uint64 {
	if !slices.Equal(l.rail1, l.light.Rail1) || !slices.Equal(l.rail0, l.light.Rail0) {
		return 0
	}
	return limit
}
func (l *lamps) Drives() []Wire { return []Wire{l.light, l.ports} }
func (l *lamps) Drive(s Shard) {
	l.light.Clear(s.Index)
	first, end := l.light.Bank().Cells(s)
	for i := first; i < end; i++ {
		l.light.Put(s.Index, uint32(i), l.rail1[i], l.rail0[i])
	}
}

// optics is lamps -> couplers -> fibre, as POPS(d,g).
type optics struct {
	d, g     int
	kernel   *Kernel
	lamps    *lamps
	near     *Light
	couplers *StarCouplers
	far      *Light
	fibre    *Fibre
}

func testBank(name string, units, perUnit int) Bank {
	return Bank{Unit: "pops.group", Name: name, Units: units, PerUnit: perUnit}
}

func newOptics(t testing.TB, d, g, bits, delay, workers, unitsPerShard int, shuffle *rand.Rand) *optics {
	t.Helper()
	shards := Shards(g, unitsPerShard)
	w := NewWorkers(workers)
	t.Cleanup(w.Close)
	if shuffle != nil {
		shuffle.Shuffle(len(shards), func(i, j int) { shards[i], shards[j] = shards[j], shards[i] })
	}
	o := &optics{d: d, g: g, kernel: NewKernel(w, shards)}
	light, err := NewLight(testBank("lamp", g, d), "light", bits, shards, nil)
	require.NoError(t, err)
	o.lamps = &lamps{light, NewPortSelect(light.Bank(), "port"), make([]uint64, d*g), make([]uint64, d*g)}
	o.near, err = NewLight(testBank("coupler", g, g), "light", bits, shards, nil)
	require.NoError(t, err)
	base := make([]uint32, d*g)
	for i := range base {
		base[i] = uint32(i / d * g)
	}
	o.couplers, err = NewStarCouplers(light, o.lamps.ports, o.near, base, g)
	require.NoError(t, err)
	readers := make([]uint32, g*g)
	for c := range readers {
		readers[c] = uint32(c % g)
	}
	o.far, err = NewLight(testBank("fibre", g, g), "light", bits, shards, readers)
	require.NoError(t, err)
	o.fibre, err = NewFibre("pops.group.fibre", o.kernel.Clock(), o.near, o.far, delay)
	require.NoError(t, err)
	components := []Component{o.lamps, o.couplers, o.fibre}
	if shuffle != nil {
		shuffle.Shuffle(len(components), func(i, j int) { components[i], components[j] = components[j], components[i] })
	}
	o.kernel.Add(components...)
	require.NoError(t, o.kernel.Build())
	return o
}

// randomise gives every lamp new light, most of them none.
func (o *optics) randomise(r *rand.Rand) {
	mask := ^uint64(0) >> (64 - o.near.Bits())
	for i := range o.lamps.rail1 {
		o.lamps.rail1[i], o.lamps.rail0[i] = 0, 0
		o.lamps.ports.Value[i] = PortNone
		if r.IntN(3) == 0 {
			word := r.Uint64()
			o.lamps.rail1[i], o.lamps.rail0[i] = word&mask, ^word&mask
			o.lamps.ports.Value[i] = uint16(r.IntN(o.g))
			switch r.IntN(8) {
			case 0:
				o.lamps.ports.Value[i] = PortAll
			case 1:
				o.lamps.ports.Value[i] = PortNone
			}
		}
	}
}

// couple returns the expected light of the couplers by definition.
func (o *optics) couple() (rail1, rail0 []uint64) {
	rail1, rail0 = make([]uint64, o.g*o.g), make([]uint64, o.g*o.g)
	for c := range rail1 {
		for i := range o.d {
			lamp := c/o.g*o.d + i
			if port := o.lamps.ports.Value[lamp]; port == PortAll || int(port) == c%o.g {
				rail1[c] |= o.lamps.rail1[lamp]
				rail0[c] |= o.lamps.rail0[lamp]
			}
		}
	}
	return rail1, rail0
}

func TestCouplersAndFibreAgainstDefinition(t *testing.T) {
	const seed = 1
	for _, delay := range []int{0, 1, 2, 5} {
		for _, workers := range []int{1, 2} {
			for _, unitsPerShard := range []int{1, 2, 4} {
				r := rand.New(rand.NewPCG(seed, uint64(delay)))
				o := newOptics(t, 3, 4, 9, delay, workers, unitsPerShard, rand.New(rand.NewPCG(seed, 77)))
				var past1, past0 [][]uint64
				violated := make([]uint8, 16)
				for cycle := range 40 {
					o.randomise(r)
					rail1, rail0 := o.couple()
					past1, past0 = append(past1, rail1), append(past0, rail0)
					for c := range violated {
						if rail1[c]&rail0[c] != 0 {
							violated[c] = 1
						}
					}
					o.kernel.DriveAndSettle()
					require.Equal(t, rail1, o.near.Rail1)
					require.Equal(t, rail0, o.near.Rail0)
					require.Equal(t, violated, o.couplers.Violation)
					want1, want0 := make([]uint64, 16), make([]uint64, 16)
					if cycle >= delay {
						want1, want0 = past1[cycle-delay], past0[cycle-delay]
					}
					require.Equal(t, want1, o.far.Rail1, "seed %d, delay %d, cycle %d", seed, delay, cycle)
					require.Equal(t, want0, o.far.Rail0)
					requireLit(t, o)
					o.kernel.Latch()
					if cycle%10 == 9 {
						for s := range o.kernel.Shards() {
							o.couplers.ClearSlot(s)
							require.Empty(t, o.couplers.Violated(s))
						}
						clear(violated)
						require.Equal(t, violated, o.couplers.Violation)
					}
				}
			}
		}
	}
}

// requireLit checks that the lit lists hold the lit wires once, for their readers.
func requireLit(t *testing.T, o *optics) {
	t.Helper()
	for _, s := range o.kernel.Shards() {
		var want, got []uint32
		for c := range o.far.Rail1 {
			if o.far.Reader(uint32(c)) == s.Index && o.far.Rail1[c]|o.far.Rail0[c] != 0 {
				want = append(want, uint32(c))
			}
		}
		for driver := range o.kernel.Shards() {
			for _, c := range o.far.Lit(driver, s.Index) {
				require.Equal(t, driver, o.far.Owner(c))
				got = append(got, c)
			}
		}
		require.ElementsMatch(t, want, got)
	}
}

func TestOpticsSaveRestoreAndReset(t *testing.T) {
	const seed, cycles = 2, 15
	for _, delay := range []int{0, 1, 4} {
		play := func(o *optics, from, to uint64) {
			for cycle := from; cycle < to; cycle++ {
				o.randomise(rand.New(rand.NewPCG(seed, cycle)))
				o.kernel.DriveAndSettle()
				o.kernel.Latch()
			}
		}
		whole := newOptics(t, 2, 3, 64, delay, 1, 3, nil)
		fresh := saved(t, whole.fibre)
		play(whole, 0, cycles)
		want := saved(t, whole.kernel)
		for at := range uint64(cycles) {
			first := newOptics(t, 2, 3, 64, delay, 1, 2, nil)
			play(first, 3, 9)
			first.kernel.Reset()
			require.Equal(t, fresh, saved(t, first.fibre), "reset in mid-flight loses what is on its way")
			play(first, 0, at)
			second := newOptics(t, 2, 3, 64, delay, 2, 1, nil)
			play(second, 1, 6)
			require.NoError(t, Restore(bytes.NewReader(saved(t, first.kernel)), second.kernel))
			play(second, at, cycles)
			require.Equal(t, want, saved(t, second.kernel), "delay %d, saved at %d", delay, at)
		}
	}
}

func TestOpticsAllocateNothing(t *testing.T) {
	for _, workers := range []int{1, 2} {
		o := newOptics(t, 4, 4, 64, 3, workers, 1, nil)
		r := rand.New(rand.NewPCG(3, 0))
		cycle := func() {
			o.randomise(r)
			o.kernel.DriveAndSettle()
			o.kernel.Latch()
		}
		for i := range o.lamps.rail1 {
			o.lamps.rail1[i], o.lamps.ports.Value[i] = 1, PortAll // every list at its longest
		}
		run(o.kernel, 5)
		for range 300 {
			cycle()
		}
		assert.Zero(t, testing.AllocsPerRun(100, cycle))
	}
}

func TestCouplerPanicsOnImpossiblePort(t *testing.T) {
	o := newOptics(t, 1, 2, 4, 0, 1, 1, nil)
	o.lamps.rail1[1], o.lamps.ports.Value[1] = 1, 2
	requireFault(t, "pops.group[1].lamp[0]: cycle 0: port select is 2, but the transmitter has 2 "+
		"ports", o.kernel.DriveAndSettle)
}

func TestFibreRefusesBrokenState(t *testing.T) {
	o := newOptics(t, 1, 2, 4, 2, 1, 1, nil)
	put := func(wire, wait []uint32, rails int) []byte {
		return saved(t, fibreFile{wire, wait, make([]uint64, rails)})
	}
	restore := func(data []byte) error { return Restore(bytes.NewReader(data), o.fibre) }
	assert.NoError(t, restore(put([]uint32{3, 0}, []uint32{0, 1}, 2)))
	assert.ErrorContains(t, restore(put([]uint32{4}, []uint32{0}, 1)), "fibre.wire")
	assert.ErrorContains(t, restore(put([]uint32{0}, []uint32{2}, 1)), "fibre.wait")
	assert.ErrorContains(t, restore(put([]uint32{0}, []uint32{0, 0}, 1)), "they must be equal")
	assert.ErrorContains(t, restore(put([]uint32{0}, []uint32{0}, 2)), "they must be equal")
	assert.ErrorContains(t, restore(put(nil, nil, 1)), "they must be equal")
	assert.ErrorContains(t, restore(put([]uint32{0, 1}, []uint32{0}, 2)), "fibre")
}

type fibreFile struct {
	wire, wait []uint32
	rails      []uint64
}

func (f fibreFile) Path() string { return "pops.group.fibre" }
func (f fibreFile) State(v *StateVisitor) {
	StateList(v, Future, "wire", &f.wire)
	StateList(v, Future, "wait", &f.wait)
	StateList(v, Future, "rail1", &f.rails)
	StateList(v, Future, "rail0", &f.rails)
}

func TestOpticsConfigRefused(t *testing.T) {
	shards := Shards(2, 1)
	light := func(name string, perUnit, bits int, shards []Shard, readers []uint32) *Light {
		l, err := NewLight(testBank(name, 2, perUnit), "light", bits, shards, readers)
		require.NoError(t, err)
		return l
	}
	for _, c := range []struct {
		bank    Bank
		signal  string
		bits    int
		shards  []Shard
		readers []uint32
	}{
		{testBank("a", 0, 1), "light", 1, shards, nil},
		{testBank("a", 2, 1), "li ght", 1, shards, nil},
		{testBank("a", 2, 1), "light", 0, shards, nil},
		{testBank("a", 2, 1), "light", 65, shards, nil},
		{testBank("a", 3, 1), "light", 1, shards, nil},
		{testBank("a", 2, 1), "light", 1, shards, []uint32{0}},
		{testBank("a", 2, 1), "light", 1, shards, []uint32{0, 2}},
	} {
		_, err := NewLight(c.bank, c.signal, c.bits, c.shards, c.readers)
		assert.Error(t, err, "%+v", c)
	}

	in, out := light("lamp", 3, 8, shards, nil), light("coupler", 2, 8, shards, nil)
	ports := NewPortSelect(in.Bank(), "port")
	base := []uint32{0, 0, 0, 2, 2, 2}
	_, err := NewStarCouplers(in, ports, out, base, 2)
	require.NoError(t, err)
	routed := light("lamp", 3, 8, shards, make([]uint32, 6))
	for name, refused := range map[string]func() error{
		"bits": func() error { _, err := NewStarCouplers(in, ports, light("c", 2, 7, shards, nil), base, 2); return err },
		"shards": func() error {
			_, err := NewStarCouplers(in, ports, light("c", 2, 8, Shards(2, 2), nil), base, 2)
			return err
		},
		"routed":  func() error { _, err := NewStarCouplers(routed, ports, out, base, 2); return err },
		"bases":   func() error { _, err := NewStarCouplers(in, ports, out, base[:5], 2); return err },
		"fan 0":   func() error { _, err := NewStarCouplers(in, ports, out, base, 0); return err },
		"outside": func() error { _, err := NewStarCouplers(in, ports, out, base, 3); return err },
		"foreign": func() error { _, err := NewStarCouplers(in, ports, out, []uint32{0, 0, 2, 2, 2, 2}, 2); return err },
		"delay":   func() error { _, err := NewFibre("f", nil, in, in, -1); return err },
		"long":    func() error { _, err := NewFibre("f", nil, in, in, FibreDelayMax+1); return err },
		"size":    func() error { _, err := NewFibre("f", nil, in, out, 1); return err },
		"width":   func() error { _, err := NewFibre("f", nil, in, light("x", 3, 7, shards, nil), 1); return err },
		"cut":     func() error { _, err := NewFibre("f", nil, in, light("x", 3, 8, Shards(2, 2), nil), 1); return err },
		"route":   func() error { _, err := NewFibre("f", nil, routed, in, 1); return err },
	} {
		assert.Error(t, refused(), name)
	}
}

func TestOpticsProbes(t *testing.T) {
	o := newOptics(t, 1, 2, 4, 1, 1, 1, nil)
	o.lamps.rail1[0], o.lamps.rail0[0], o.lamps.ports.Value[0] = 0b1010, 0b0101, 1
	o.kernel.DriveAndSettle()
	values := map[string]uint64{}
	o.kernel.Probes(func(p Probe) {
		require.NoError(t, CheckPath(p.Path))
		require.NotContains(t, values, p.Path)
		values[p.Path] = p.Value()
	})
	assert.Len(t, values, 4*3+4*2)
	assert.EqualValues(t, 0b1010, values["pops.group[0].coupler[1].light.rail1"])
	assert.EqualValues(t, 0b0101, values["pops.group[0].coupler[1].light.rail0"])
	assert.EqualValues(t, 0, values["pops.group[0].coupler[1].violation"])
	assert.EqualValues(t, 0, values["pops.group[0].fibre[1].light.rail1"])
}

func TestProbe(t *testing.T) {
	p := NewProbe("a.b", 8, []uint8{1, 200}, 1)
	assert.EqualValues(t, 200, p.Value())
	p = NewProbe("a", 9, []uint16{1, 500}, 1)
	assert.EqualValues(t, 500, p.Value())
	p = NewProbe("a", 32, []uint32{1 << 31}, 0)
	assert.EqualValues(t, 1<<31, p.Value())
	column := []uint64{0}
	p = NewProbe("a", 64, column, 0)
	column[0] = 1 << 63
	assert.EqualValues(t, uint64(1)<<63, p.Value())
	assert.Panics(t, func() { NewProbe("a", 9, []uint8{1}, 0) })
	assert.Panics(t, func() { NewProbe("a", 0, []uint8{1}, 0) })
}
