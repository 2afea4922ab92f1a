package hw

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// switches drives signals with what a test puts into its columns.
type switches struct {
	bank  Bank
	wires []*Signal
	value [][]uint64
}

func newSwitches(t testing.TB, bank Bank, names []string, bits []int) *switches {
	s := &switches{bank: bank}
	for i, name := range names {
		wire, err := NewSignal(bank, name, bits[i])
		require.NoError(t, err)
		s.wires = append(s.wires, wire)
		s.value = append(s.value, make([]uint64, bank.Size()))
	}
	return s
}

func (s *switches) Path() string          { return s.bank.Path() }
func (s *switches) Reset()                {}
func (s *switches) State(v *StateVisitor) {}
func (s *switches) QuietFor(limit uint64) uint64 {
	for i, w := range s.wires {
		if !slices.Equal(s.value[i], w.Value) {
			return 0
		}
	}
	return limit
}
func (s *switches) Drives() (wires []Wire) {
	for _, w := range s.wires {
		wires = append(wires, w)
	}
	return wires
}
func (s *switches) Drive(shard Shard) {
	first, end := s.bank.Cells(shard)
	for i, w := range s.wires {
		copy(w.Value[first:end], s.value[i][first:end])
	}
}

// clocked is a bank with its switches in a kernel, and its outputs.
type clocked struct {
	kernel   *Kernel
	switches *switches
	outputs  []*Signal
	show     func() []uint64                 // additional outputs, nil for none
	random   func(cycle uint64, s *switches) // sets all switches, as a function of the cycle
	idle     func()                          // disables inputs other than the switches, nil for none
}

const clockedUnits, clockedPerUnit = 5, 3

func clockedBank(name string) Bank {
	return Bank{Unit: "test.unit", Name: name, Units: clockedUnits, PerUnit: clockedPerUnit}
}

// newKernelOf builds a kernel; shuffle may be nil.
func newKernelOf(t testing.TB, unitsPerShard, workers int, shuffle *rand.Rand, components ...Component) *Kernel {
	t.Helper()
	shards := Shards(clockedUnits, unitsPerShard)
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

// play runs the cycles from..to-1 on random inputs and returns all outputs.
func (c *clocked) play(from, to uint64) (log []uint64) {
	for cycle := from; cycle < to; cycle++ {
		c.random(cycle, c.switches)
		c.kernel.DriveAndSettle()
		for _, out := range c.outputs {
			log = append(log, out.Value...)
		}
		if c.show != nil {
			log = append(log, c.show()...)
		}
		c.kernel.Latch()
	}
	return log
}

// requireBank checks what every bank of this package guarantees: results do not depend on shards, workers or order;
// reset and restored states are as good as new; cycles do not allocate; skipped cycles change nothing; probes have
// legal names.
func requireBank(t *testing.T, build func(unitsPerShard, workers int, shuffle *rand.Rand) *clocked) {
	t.Helper()
	const cycles = 60
	plain := build(clockedUnits, 1, nil)
	fresh := saved(t, plain.kernel)
	want := plain.play(0, cycles)
	final := saved(t, plain.kernel)
	require.NotEqual(t, fresh, final, "the stimulus must move something")

	shuffle := rand.New(rand.NewPCG(2, 0))
	for unitsPerShard := 1; unitsPerShard <= clockedUnits; unitsPerShard++ {
		for workers := 1; workers <= 2; workers++ {
			c := build(unitsPerShard, workers, shuffle)
			require.Equal(t, want, c.play(0, cycles))
			require.Equal(t, final, saved(t, c.kernel))
			c.kernel.Reset()
			require.Equal(t, fresh, saved(t, c.kernel))
			require.Equal(t, want, c.play(0, cycles), "after a reset")
		}
	}
	step := uint64(1)
	if testing.Short() { // under the race detector, which sees nothing on one worker
		step = 15
	}
	for at := uint64(0); at < cycles; at += step {
		first, second := build(2, 1, nil), build(1, 1, nil)
		first.play(0, at)
		second.play(7, 20)
		require.NoError(t, Restore(bytes.NewReader(saved(t, first.kernel)), second.kernel))
		require.Equal(t, want[at*uint64(len(want))/cycles:], second.play(at, cycles), "saved in cycle %d", at)
		require.Equal(t, final, saved(t, second.kernel))
	}
	require.Zero(t, testing.AllocsPerRun(50, func() { run(plain.kernel, 1) }))

	stepped, skipping := build(2, 1, nil), build(2, 1, nil)
	requireQuiet(t, stepped.kernel, skipping.kernel, 10*cycles, func(cycle uint64) {
		for _, c := range []*clocked{stepped, skipping} {
			if cycle%20 < 5 {
				c.random(cycle, c.switches)
				continue
			}
			for _, value := range c.switches.value {
				clear(value)
			}
			if c.idle != nil {
				c.idle()
			}
		}
	})

	paths := map[string]bool{}
	plain.kernel.Probes(func(p Probe) {
		require.NoError(t, CheckPath(p.Path))
		require.False(t, paths[p.Path], p.Path)
		paths[p.Path] = true
		p.Value()
	})
	require.NotEmpty(t, paths)
}

// requireRefused requires that a state saved after a change of the registers is refused.
func requireRefused(t *testing.T, k *Kernel, text string, change func()) {
	t.Helper()
	k.Reset()
	change()
	data := saved(t, k)
	k.Reset()
	want := saved(t, k)
	require.ErrorContains(t, Restore(bytes.NewReader(data), k), text)
	require.Equal(t, want, saved(t, k))
}

func TestSignalRefused(t *testing.T) {
	for _, c := range []struct {
		bank Bank
		name string
		bits int
	}{
		{Bank{Name: "a", Units: 0, PerUnit: 1}, "x", 1},
		{Bank{Name: "a", Units: 1, PerUnit: 1}, "x y", 1},
		{Bank{Name: "a", Units: 1, PerUnit: 1}, "x", 0},
		{Bank{Name: "a", Units: 1, PerUnit: 1}, "x", 65},
	} {
		_, err := NewSignal(c.bank, c.name, c.bits)
		assert.Error(t, err, "%+v", c)
	}
	bank := Bank{Name: "a", Units: 2, PerUnit: 1}
	s, err := NewSignal(bank, "x", 3)
	require.NoError(t, err)
	assert.NoError(t, s.checkInput(bank, "request", 3))
	assert.ErrorContains(t, s.checkInput(bank, "request", 4), "a: its request a.x has 3 bits, but needs 4")
	assert.ErrorContains(t, s.checkInput(Bank{Name: "b", Units: 1, PerUnit: 2}, "request", 3), "has 2 in 2")
	assert.ErrorContains(t, (*Signal)(nil).checkInput(bank, "request", 3), "no request wire")
}
