package hw

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireFault requires a Fault of a phase with the given start of its text.
func requireFault(t *testing.T, want string, run func()) *Fault {
	t.Helper()
	var found *Fault
	func() {
		defer func() { found, _ = recover().(*Fault) }()
		run()
	}()
	require.NotNil(t, found, "no fault, want %s", want)
	require.EqualError(t, found, want)
	require.Contains(t, string(found.Stack), "Phase).Do", "the stack is that of the phase")
	return found
}

// TestBrokenInvariants sets an unreachable state in one element. The panic must name the element, cycle and values,
// for any number of shards and workers.
func TestBrokenInvariants(t *testing.T) {
	const element, cycles = 7, 20 // test.unit[2].x[1]
	arbiters := func(kind ArbiterKind, corrupt func(a *Arbiters, c *clocked)) func(shard, workers int) *clocked {
		return func(shard, workers int) *clocked {
			c, a := newArbiters(t, kind, 4, sliceOf(kind), shard, workers, nil)
			c.play(0, cycles)
			corrupt(a, c)
			return c
		}
	}
	fifos := func(corrupt func(f *FIFOs)) func(shard, workers int) *clocked {
		return func(shard, workers int) *clocked {
			c, f := newFIFOs(t, 3, 9, 2, shard, workers, nil)
			c.play(0, cycles)
			corrupt(f)
			return c
		}
	}
	// requests sets the element's requests of the next cycle.
	requests := func(c *clocked, request uint64) {
		c.random = func(_ uint64, s *switches) { s.value[0][element] = request }
	}
	for name, c := range map[string]struct {
		build func(shard, workers int) *clocked
		says  string
	}{
		"granted": {arbiters(ArbiterFixed, func(a *Arbiters, _ *clocked) {
			a.granted[element] = 5
			a.changed[a.request.Owner(element)] = append(a.changed[a.request.Owner(element)], element)
		}), "arbiter[1]: cycle 20: requester 4 of 4 is granted"},
		"pointer": {arbiters(ArbiterRoundRobin, func(a *Arbiters, c *clocked) {
			requests(c, 1)
			a.granted[element] = 0
			a.arbitration.(*roundRobin).first[element] = 4
		}), "arbiter[1]: cycle 20: the pointer is 4 of 4 requesters"},
		"turn": {arbiters(ArbiterTDMA, func(a *Arbiters, c *clocked) {
			requests(c, 0)
			turns := a.arbitration.(*tdma)
			for shard := range turns.turn {
				turns.turn[shard], turns.elapsed[shard] = 4, uint16(turns.SliceCycles-1)
			}
		}), fmt.Sprintf("test.unit.arbiter: cycle 20: turn of requester 4 of 4 in cycle %[1]d of a slice of %[1]d", sliceOf(ArbiterTDMA))},
		"slice": {arbiters(ArbiterTDMA, func(a *Arbiters, _ *clocked) {
			turns := a.arbitration.(*tdma)
			for shard := range turns.turn {
				turns.turn[shard], turns.elapsed[shard] = 1, 9
			}
		}), fmt.Sprintf("test.unit.arbiter: cycle 20: turn of requester 1 of 4 in cycle 10 of a slice of %d", sliceOf(ArbiterTDMA))},
		"count": {fifos(func(f *FIFOs) { f.held[element], f.first[element] = 4, 1 }),
			"fifo[1]: cycle 20: 4 words with the head in place 1, but the depth is 3"},
		"place": {fifos(func(f *FIFOs) { f.held[element], f.first[element] = 1, 3 }),
			"fifo[1]: cycle 20: 1 words with the head in place 3, but the depth is 3"},
		"lost pushes": {fifos(func(f *FIFOs) { f.total[element] = 4 }),
			"fifo[1]: cycle 20: 4 pushes were lost, but the counter saturates at 3"},
		"register": {func(shard, workers int) *clocked {
			c, l := newLFSRs(t, shard, workers, nil)
			c.play(0, cycles)
			l.register[element] = 0
			requests(c, 1)
			return c
		}, "lfsr[1]: cycle 20: the register is 0, at which it never changes"},
	} {
		t.Run(name, func(t *testing.T) {
			path := "test.unit[2]."
			if strings.HasPrefix(c.says, "test.") { // of the whole bank
				path = ""
			}
			for _, cut := range [][2]int{{clockedUnits, 1}, {1, 1}, {1, 2}} {
				k := c.build(cut[0], cut[1])
				requireFault(t, path+c.says, func() { k.play(cycles, cycles+1) })
			}
		})
	}
}

// hasty indexes out of range, in one unit.
type hasty struct {
	register
	unit int
}

func (h *hasty) Latch(s Shard) {
	if s.First <= h.unit && h.unit < s.End {
		h.q[len(h.in.value)] = 1
	}
}

// TestPanicInAPhase requires that any panic of a component becomes a Fault with its path and cycle.
func TestPanicInAPhase(t *testing.T) {
	for _, workers := range []int{1, 2} {
		w := NewWorkers(workers)
		t.Cleanup(w.Close)
		wire := newWords("test.p", 6)
		k := NewKernel(w, Shards(6, 2))
		k.Add(&hasty{register{"test.r0", wire, wire, make([]uint32, 6)}, 3}, &register{"test.r1", wire, newWords("test.q", 6), make([]uint32, 6)})
		require.NoError(t, k.Build())
		k.BeforeCycle0()
		found := requireFault(t, "test.r0: last cycle of reset: runtime error: index out of range [6] with length 6", func() { run(k, 1) })
		require.Contains(t, string(found.Stack), "(*hasty).Latch")
		k.Reset()
		requireFault(t, "test.r0: cycle 0: runtime error: index out of range [6] with length 6", func() { run(k, 1) })
	}
}
