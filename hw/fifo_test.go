package hw

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newFIFOs(t testing.TB, depth, width, countBits, unitsPerShard, workers int,
	shuffle *rand.Rand) (*clocked, *FIFOs) {
	t.Helper()
	s := newSwitches(t, clockedBank("user"), []string{"push", "data", "pop"}, []int{1, width, 1})
	f, err := NewFIFOs(FIFOConfig{
		Bank: clockedBank("fifo"), Depth: depth, Width: width, CountBits: countBits,
		Push: s.wires[0], Data: s.wires[1], Pop: s.wires[2],
	})
	require.NoError(t, err)
	c := &clocked{switches: s, outputs: []*Signal{f.head, f.count, f.overflow, f.overflows}}
	c.random = func(cycle uint64, s *switches) {
		// Alternate between filling and emptying, for 4 depths each.
		r := rand.New(rand.NewPCG(1, cycle))
		pushes := 1 + 2*(1-int(cycle)/(4*depth)%2)
		for i := range s.value[0] {
			s.value[0][i] = chance(r, pushes)
			s.value[1][i] = r.Uint64() & (^uint64(0) >> (64 - width))
			s.value[2][i] = chance(r, 4-pushes)
		}
	}
	c.kernel = newKernelOf(t, unitsPerShard, workers, shuffle, s, f)
	return c, f
}

func chance(r *rand.Rand, quarters int) uint64 {
	if r.IntN(4) < quarters {
		return 1
	}
	return 0
}

func TestFIFOsAgainstPlainQueues(t *testing.T) {
	for _, p := range []struct{ depth, width, countBits int }{{1, 1, 1}, {2, 64, 32}, {3, 7, 2}, {8, 33, 3}, {5, 16, 9}} {
		c, f := newFIFOs(t, p.depth, p.width, p.countBits, 2, 1, nil)
		queues := make([][]uint64, clockedBank("x").Size())
		lost, total := make([]bool, len(queues)), make([]uint64, len(queues))
		full, empty := 0, 0
		for cycle := range uint64(2000) {
			c.play(cycle, cycle+1)
			for i := range queues {
				q := &queues[i]
				head := uint64(0)
				if len(*q) > 0 {
					head = (*q)[0]
				}
				require.Equal(t, head, f.head.Value[i], "%+v, cycle %d", p, cycle)
				require.EqualValues(t, len(*q), f.count.Value[i])
				require.Equal(t, lost[i], f.overflow.Value[i] == 1)
				require.Equal(t, min(total[i], 1<<p.countBits-1), f.overflows.Value[i])

				if c.switches.value[2][i] == 1 && len(*q) > 0 {
					*q = (*q)[1:]
				}
				push := c.switches.value[0][i] == 1
				lost[i] = push && len(*q) == p.depth
				switch {
				case lost[i]:
					total[i]++
					full++
				case push:
					*q = append(*q, c.switches.value[1][i])
				}
				if len(*q) == 0 {
					empty++
				}
			}
		}
		assert.Greater(t, full, 100, "the stimulus must overflow")
		assert.Greater(t, empty, 100, "the stimulus must empty")
	}
}

func TestFIFOsBank(t *testing.T) {
	requireBank(t, func(unitsPerShard, workers int, shuffle *rand.Rand) *clocked {
		c, _ := newFIFOs(t, 3, 9, 2, unitsPerShard, workers, shuffle)
		return c
	})
}

func TestFIFOsRefuse(t *testing.T) {
	s := newSwitches(t, clockedBank("user"), []string{"push", "data", "pop"}, []int{1, 8, 1})
	good := FIFOConfig{Bank: clockedBank("fifo"), Depth: 4, Width: 8, CountBits: 4, Push: s.wires[0], Data: s.wires[1], Pop: s.wires[2]}
	_, err := NewFIFOs(good)
	require.NoError(t, err)
	for text, edit := range map[string]func(c *FIFOConfig){
		"0 units":                       func(c *FIFOConfig) { c.Bank.Units = 0 },
		"depth of 0":                    func(c *FIFOConfig) { c.Depth = 0 },
		"depth of 65536":                func(c *FIFOConfig) { c.Depth = 65536 },
		"words of 0":                    func(c *FIFOConfig) { c.Width = 0 },
		"words of 65":                   func(c *FIFOConfig) { c.Width = 65 },
		"overflow counter of 0":         func(c *FIFOConfig) { c.CountBits = 0 },
		"overflow counter of 33":        func(c *FIFOConfig) { c.CountBits = 33 },
		"push test.unit.user.data":      func(c *FIFOConfig) { c.Push = s.wires[1] },
		"data test.unit.user.push":      func(c *FIFOConfig) { c.Data = s.wires[0] },
		"pop test.unit.user.data has 8": func(c *FIFOConfig) { c.Pop = s.wires[1] },
		"fifo: no pop wire":             func(c *FIFOConfig) { c.Pop = nil },
	} {
		c := good
		edit(&c)
		_, err := NewFIFOs(c)
		assert.ErrorContains(t, err, text)
	}
	c, f := newFIFOs(t, 3, 9, 2, 5, 1, nil)
	requireRefused(t, c.kernel, "words", func() { f.words[1] = 512 })
	requireRefused(t, c.kernel, "first", func() { f.first[1] = 3 })
	requireRefused(t, c.kernel, "held", func() { f.held[1] = 4 })
	requireRefused(t, c.kernel, "lost", func() { f.lost[1] = 2 })
	requireRefused(t, c.kernel, "total", func() { f.total[1] = 4 })
}
