package hw

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// creditInputs gives counters impossible inputs, too, like RTL's ports.
type creditInputs struct {
	take []uint8
	give []uint16
}

func randomCredits(cycle uint64, n, depth int) (in creditInputs) {
	r := rand.New(rand.NewPCG(5, cycle))
	takes := 1 + 2*(int(cycle)/(4*depth)%2)
	for range n {
		in.take = append(in.take, uint8(chance(r, takes)))
		give := uint16(chance(r, 4-takes))
		if r.IntN(16) == 0 {
			give = uint16(r.IntN(depth + 1))
		}
		in.give = append(in.give, give)
	}
	return in
}

func newCreditCounters(t testing.TB, depth, unitsPerShard, workers int,
	shuffle *rand.Rand) (*clocked, *CreditCounters) {
	t.Helper()
	c, err := NewCreditCounters(clockedBank("port"), depth, Shards(clockedUnits, unitsPerShard))
	require.NoError(t, err)
	k := &clocked{
		switches: newSwitches(t, clockedBank("none"), nil, nil),
		show: func() (shown []uint64) {
			for i, count := range c.count {
				shown = append(shown, uint64(count), uint64(c.underflow[i]), uint64(c.overflow[i]))
			}
			return shown
		},
		random: func(cycle uint64, _ *switches) {
			in := randomCredits(cycle, len(c.count), depth)
			copy(c.take, in.take)
			copy(c.give, in.give)
			for i := range c.count {
				c.ask(int(c.owner[i/clockedPerUnit]), i)
			}
		},
	}
	k.kernel = newKernelOf(t, unitsPerShard, workers, shuffle, k.switches, c)
	return k, c
}

func TestCreditCountersAgainstSums(t *testing.T) {
	for _, depth := range []int{1, 2, 5, 4095} {
		k, c := newCreditCounters(t, depth, 2, 1, nil)
		have := make([]int, len(c.count))
		for i := range have {
			have[i] = depth
		}
		underflows, overflows := 0, 0
		for cycle := range uint64(2000) {
			in := randomCredits(cycle, len(have), depth)
			k.play(cycle, cycle+1)
			for i := range have {
				given, taken := min(int(in.give[i]), depth-have[i]), min(int(in.take[i]), have[i])
				require.Equal(t, given < int(in.give[i]), c.overflow[i] == 1)
				require.Equal(t, taken < int(in.take[i]), c.underflow[i] == 1)
				overflows, underflows = overflows+int(c.overflow[i]), underflows+int(c.underflow[i])
				have[i] += given - taken
				require.Equal(t, have[i], c.Count(i))
			}
		}
		assert.Greater(t, overflows, 100)
		assert.True(t, underflows > 100 || depth > 1000)
	}
}

func TestCreditCountersBank(t *testing.T) {
	requireBank(t, func(unitsPerShard, workers int, shuffle *rand.Rand) *clocked {
		k, _ := newCreditCounters(t, 3, unitsPerShard, workers, shuffle)
		return k
	})
}

// TestCreditsInUse requires that a machine's takes and gives are checked at once.
func TestCreditsInUse(t *testing.T) {
	k, c := newCreditCounters(t, 2, 1, 2, nil)
	edge := func() {
		k.kernel.DriveAndSettle()
		k.kernel.Latch()
	}
	for range 2 {
		c.Take(4)
		edge()
	}
	require.Zero(t, c.Count(4))
	require.PanicsWithError(t, "test.unit[1].port[1]: cycle 0: a frame is sent without a credit", func() { c.Take(4) })
	c.Give(3, 4)
	c.Give(3, 4)
	require.Zero(t, c.Count(4), "what is given counts from the next cycle on")
	edge()
	require.Equal(t, 2, c.Count(4))
	require.PanicsWithError(t, "test.unit[1].port[1]: cycle 0: 1 credits are returned, but only 0 are "+
		"outstanding", func() { c.Give(0, 4) })
}

func TestCreditCountersRefuse(t *testing.T) {
	shards := Shards(clockedUnits, 1)
	for text, refused := range map[string]func() error{
		"0 units":    func() error { _, err := NewCreditCounters(testBank("x", 0, 1), 1, shards); return err },
		"0 credits":  func() error { _, err := NewCreditCounters(clockedBank("x"), 0, shards); return err },
		"65536":      func() error { _, err := NewCreditCounters(clockedBank("x"), 65536, shards); return err },
		"the shards": func() error { _, err := NewCreditCounters(testBank("x", 9, 1), 1, shards); return err },
	} {
		assert.ErrorContains(t, refused(), text)
	}
	k, c := newCreditCounters(t, 2, 5, 1, nil)
	requireRefused(t, k.kernel, "count", func() { c.count[1] = 3 })
	requireRefused(t, k.kernel, "underflow", func() { c.underflow[1] = 2 })
	requireRefused(t, k.kernel, "overflow", func() { c.overflow[1] = 2 })
}
