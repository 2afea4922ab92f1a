package hw

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestToss checks that heads are the values below floor(2^32/count).
func TestToss(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	counts := []uint32{1, 2, 3, 7, 8, 1000, 65536, 1 << 31, 1<<31 + 1, math.MaxUint32}
	for range 1000 {
		counts = append(counts, r.Uint32()>>r.IntN(32)|1)
	}
	for _, count := range counts {
		heads := new(big.Int).Div(big.NewInt(1<<32), big.NewInt(int64(count))).Uint64()
		require.GreaterOrEqual(t, heads, uint64(1))
		require.True(t, Toss(uint32(heads-1), count), "count %d", count)
		if heads <= math.MaxUint32 {
			require.False(t, Toss(uint32(heads), count), "count %d", count)
			require.False(t, Toss(math.MaxUint32, count), "count %d", count)
		}
		require.True(t, Toss(0, count))
		require.Less(t, float64(1<<32)/float64(count)-float64(heads), 1.0, "the bound on the probability")
	}
	require.True(t, Toss(math.MaxUint32, 1))
	require.False(t, Toss(0, 0))
	require.False(t, Toss(math.MaxUint32, 0))
}

// TestCoinsAreFair checks the frequency of heads, of first and later tosses, within 5 standard deviations, and their
// independence.
func TestCoinsAreFair(t *testing.T) {
	const tosses = 200_000
	stream := NewStream(11, PurposeCoin)
	for _, count := range []uint32{2, 3, 5, 16} {
		var first, later, both int
		for i := range uint32(tosses) {
			value := stream.CoinSeed(i%64, i/64)
			if Toss(value, count) {
				first++
				if Toss(stream.CoinSeed(i%64+1, i/64), count) {
					both++
				}
			}
			for range 32 {
				value = stepLFSR(value)
			}
			if Toss(value, count) {
				later++
			}
		}
		within := func(heads int, p float64) {
			assert.InDelta(t, p*tosses, heads, 5*math.Sqrt(p*(1-p)*tosses), "count %d", count)
		}
		within(first, 1/float64(count))
		within(later, 1/float64(count))
		within(both, 1/float64(count)/float64(count))
	}
	require.NotEqual(t, stream.CoinSeed(1, 2), stream.CoinSeed(2, 1))
	require.Equal(t, stream.Draw(5, 9, 0), stream.CoinSeed(5, 9), "as sl_random")
}

// TestAloha is gossip on a medium without an arbiter. For N = 7 an independent program took 70.99 steps on average
// (sd 6.0) with identity permutations and 120.56 (12.4) with pipelined ones, in 1,000,000 runs.
func TestAloha(t *testing.T) {
	const runs = 1500
	for _, c := range []struct {
		orders   [][]uint32
		mean, sd float64
	}{{identity(8), 70.99, 6.0}, {pipelined(8), 120.56, 12.4}} {
		total, squares := 0.0, 0.0
		for seed := range uint64(runs) {
			steps := float64(aloha(&ContentionMatching{Stream: NewStream(seed, PurposeCoin)}, c.orders))
			total += steps
			squares += steps * steps
		}
		mean := total / runs
		assert.InDelta(t, c.mean, mean, 4*c.sd/math.Sqrt(runs))
		assert.InDelta(t, c.sd, math.Sqrt(squares/runs-mean*mean), c.sd/10)
	}
}

// aloha runs the automaton FSA of De Florio and Blondia, section 2, and returns its number of steps.
func aloha(m *ContentionMatching, orders [][]uint32) (steps int) {
	n := len(orders)
	received, sent, messages := make([]int, n), make([]int, n), 0
	addressees, tags, listeners := make([]uint32, n), make([]uint16, n), make([]Listener, n)
	for ; messages < n*(n-1); steps++ {
		var requesting []uint32
		for p := range orders {
			sending := received[p] >= p && sent[p] < n-1
			if listeners[p].Listening = !sending; sending {
				addressees[p] = orders[p][sent[p]]
				requesting = append(requesting, uint32(p))
			}
		}
		if _, transmitted := m.Slot(uint32(steps), requesting, addressees, tags, listeners); len(transmitted) == 1 {
			p := transmitted[0]
			sent[p]++
			received[addressees[p]]++
			messages++
		}
	}
	return steps
}

func newMedium(t testing.TB, ports, unitsPerShard, workers int, shuffle *rand.Rand) (*clocked, *Contentions, *Coins) {
	t.Helper()
	side := clockedBank("port")
	side.PerUnit *= ports
	central := newSwitches(t, clockedBank("slot"), []string{"start", "slot"}, []int{1, 32})
	sides := newSwitches(t, side, []string{"request", "addressee", "tag", "listen", "filter", "filter_tag"}, []int{1, IndexBits(ports), 16, 1, 1, 16})
	toss := &tosser{bank: side, open: make([]uint8, clockedBank("x").Size())}
	var err error
	toss.transmit, err = NewSignal(side, "transmit", 1)
	require.NoError(t, err)
	m, err := NewContentions(ContentionConfig{
		Bank: clockedBank("medium"), Ports: ports, Start: central.wires[0], Request: sides.wires[0], Addressee: sides.wires[1], Tag: sides.wires[2],
		Listen: sides.wires[3], Filter: sides.wires[4], FilterTag: sides.wires[5], Transmit: toss.transmit,
	})
	require.NoError(t, err)
	bank := clockedBank("coin")
	bank.PerUnit *= ports
	processors := make([]uint32, bank.Size())
	for i := range processors {
		processors[i] = uint32(i % ports)
	}
	coins, err := NewCoins(CoinConfig{
		Bank: bank, Inputs: ports, Stream: NewStream(21, PurposeCoin), Processors: processors,
		Start: central.wires[0], Slot: central.wires[1], Count: m.Count(), Toss: toss.transmit,
	})
	require.NoError(t, err)
	toss.media, toss.coins = m, coins
	c := &clocked{
		switches: &switches{value: append(slices.Clone(central.value), sides.value...)},
		outputs:  []*Signal{m.Count(), m.Contends(), m.passed, m.Collided(), coins.Heads(), coins.Value()},
		random: func(cycle uint64, s *switches) {
			r := rand.New(rand.NewPCG(9, cycle))
			for w, value := range s.value {
				for i := range value {
					switch w {
					case 0:
						value[i] = flag(r.IntN(3) == 0)
					case 1:
						value[i] = cycle
					case 3:
						value[i] = uint64(r.IntN(ports))
					default:
						value[i] = flag(r.IntN(3) > 0)
					}
				}
			}
		},
	}
	c.kernel = newKernelOf(t, unitsPerShard, workers, shuffle, central, sides, m, coins, toss)
	return c, m, coins
}

// tosser lets contenders with heads transmit in the cycle after start.
type tosser struct {
	bank     Bank
	media    *Contentions
	coins    *Coins
	transmit *Signal
	open     []uint8 // by medium: start was high in the previous cycle
}

func (x *tosser) Path() string          { return "tosser" }
func (x *tosser) Reset()                { clear(x.open) }
func (x *tosser) State(v *StateVisitor) { StateColumn(v, Future, "open", x.open) }
func (x *tosser) Inputs() []Wire        { return []Wire{x.media.Contends(), x.coins.Heads()} }
func (x *tosser) Outputs() []Wire       { return []Wire{x.transmit} }
func (x *tosser) Latches() []Wire       { return []Wire{x.media.start} }
func (x *tosser) Settle(s Shard) {
	first, end := x.bank.Cells(s)
	for i := first; i < end; i++ {
		x.transmit.Value[i] = x.media.Contends().Value[i] & x.coins.Heads().Value[i] & uint64(x.open[i/x.media.ports])
	}
}

func (x *tosser) Latch(s Shard) {
	first, end := x.media.bank.Cells(s)
	for i := first; i < end; i++ {
		x.open[i] = uint8(x.media.start.Value[i])
	}
}

func (x *tosser) QuietFor(limit uint64) uint64 {
	for i, open := range x.open {
		if open != 0 || x.media.start.Value[i] != 0 {
			return 0
		}
	}
	for _, transmit := range x.transmit.Value {
		if transmit != 0 {
			return 0
		}
	}
	return limit
}

// TestMediumAgainstMatching compares cells and function: contenders, transmissions, passes.
func TestMediumAgainstMatching(t *testing.T) {
	passed, collided := 0, 0
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 10))
		ports := 1 + r.IntN(9)
		c, m, _ := newMedium(t, ports, 2, 1, nil)
		matching := ContentionMatching{Stream: NewStream(21, PurposeCoin)}
		for slot := range uint64(8) {
			type outcome struct {
				contenders  int
				transmitted []uint32
			}
			var want []outcome
			for i := range clockedBank("x").Size() {
				requesting, requests, listeners := randomSlot(r, ports, 1)
				c.switches.value[0][i], c.switches.value[1][i] = 1, slot
				var addressees []uint32
				var tags []uint16
				for k, request := range requests {
					at := i*ports + k
					addressees, tags = append(addressees, min(request.List[0], 1<<IndexBits(ports)-1)), append(tags, request.Tag)
					for w, value := range []uint64{
						flag(slices.Contains(requesting, uint32(k))), uint64(addressees[k]), uint64(request.Tag),
						flag(listeners[k].Listening), flag(listeners[k].Filtered), uint64(listeners[k].Tag),
					} {
						c.switches.value[2+w][at] = value
					}
				}
				contenders, transmitted := matching.Slot(uint32(slot), requesting, addressees, tags, listeners)
				want = append(want, outcome{contenders, slices.Sorted(slices.Values(transmitted))})
			}
			run(c.kernel, 1)
			for i := range want {
				c.switches.value[0][i] = 0
			}
			run(c.kernel, 1)
			c.kernel.DriveAndSettle()
			for i, w := range want {
				require.EqualValues(t, w.contenders, m.Count().Value[i])
				var alone, together []uint32
				for k := range uint32(ports) {
					if m.passed.Value[i*ports+int(k)] != 0 {
						alone = append(alone, k)
					}
					if m.Collided().Value[i*ports+int(k)] != 0 {
						together = append(together, k)
					}
				}
				if len(w.transmitted) == 1 {
					require.Equal(t, w.transmitted, alone, "seed %d, slot %d", seed, slot)
					require.Empty(t, together)
					passed++
					continue
				}
				require.Empty(t, alone)
				require.True(t, slices.Equal(w.transmitted, together), "%v, want %v", together, w.transmitted)
				collided += min(len(together), 1)
			}
			c.kernel.Latch()
		}
	}
	require.Greater(t, passed, 300)
	require.Greater(t, collided, 100)
}

func TestMediumBank(t *testing.T) {
	requireBank(t, func(unitsPerShard, workers int, shuffle *rand.Rand) *clocked {
		c, _, _ := newMedium(t, 3, unitsPerShard, workers, shuffle)
		return c
	})
}

func TestMediumRefuses(t *testing.T) {
	c, m, coins := newMedium(t, 3, 5, 1, nil)
	requireRefused(t, c.kernel, "contenders", func() { m.contenders[1] = 4 })
	requireRefused(t, c.kernel, "contending", func() { m.contending[1] = 2 })
	requireRefused(t, c.kernel, "sent", func() { m.sent[1] = 2 })
	requireRefused(t, c.kernel, "which no register reaches", func() { coins.register[1] = 0 })

	good := ContentionConfig{
		Bank: m.bank, Ports: 3, Start: m.start, Request: m.request, Addressee: m.addressee, Tag: m.tag, Transmit: m.transmit,
		Listen: m.listen, Filter: m.filter, FilterTag: m.filterTag,
	}
	_, err := NewContentions(good)
	require.NoError(t, err)
	for text, edit := range map[string]func(c *ContentionConfig){
		"0 units":        func(c *ContentionConfig) { c.Bank.Units = 0 },
		" 0 ports":       func(c *ContentionConfig) { c.Ports = 0 },
		" 65537 ports":   func(c *ContentionConfig) { c.Ports = 65537 },
		"needs 60 of 1":  func(c *ContentionConfig) { c.Ports = 4 },
		"no start wire":  func(c *ContentionConfig) { c.Start = nil },
		"needs 45 of 2":  func(c *ContentionConfig) { c.Addressee = c.Request },
		"needs 45 of 16": func(c *ContentionConfig) { c.Tag = c.Request },
	} {
		c := good
		edit(&c)
		_, err := NewContentions(c)
		assert.ErrorContains(t, err, text)
	}

	coin := CoinConfig{Bank: coins.bank, Inputs: 3, Processors: coins.processor, Start: coins.start, Slot: coins.slot,
		Count: coins.count, Toss: coins.toss}
	_, err = NewCoins(coin)
	require.NoError(t, err)
	for text, edit := range map[string]func(c *CoinConfig){
		"0 units":                func(c *CoinConfig) { c.Bank.Units = 0 },
		"45 coins, 2 for":        func(c *CoinConfig) { c.Inputs = 2 },
		"45 coins of 2 proc":     func(c *CoinConfig) { c.Processors = make([]uint32, 2) },
		"no count wire":          func(c *CoinConfig) { c.Count = nil },
		"no start wire":          func(c *CoinConfig) { c.Start = nil },
		"15 elements of 1 bits,": func(c *CoinConfig) { c.Slot = c.Start },
	} {
		c := coin
		edit(&c)
		_, err := NewCoins(c)
		assert.ErrorContains(t, err, text)
	}
}
