package pops

import (
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
)

// checker runs a schedule packet by packet and rejects every transfer that the network cannot
// carry. It models processors and couplers, but no classes.
type checker struct {
	net              Network
	own, held, final []int // packets by number, none if there is none
	keepOwn          bool  // sending one's own packet leaves it in place
	packetsMax       int
	words            []uint64
}

const none = -1

func newChecker(p Network, own []int) *checker {
	c := &checker{net: p, own: own, words: make([]uint64, p.Processors())}
	for range own {
		c.held, c.final = append(c.held, none), append(c.final, none)
	}
	return c
}

// lit is the packet on a coupler {from, to} in a slot.
type lit struct {
	packet int
	heard  bool
}

// slot runs one slot; less is the order of packets for comparators.
func (c *checker) slot(words []uint64, less func(a, b int) bool) error {
	on := map[[2]int]*lit{}
	for i, word := range words {
		if err := c.send(i, word, on); err != nil {
			return err
		}
	}
	for i, word := range words {
		if err := c.hear(i, word, on); err != nil {
			return err
		}
	}
	for coupler, l := range on {
		if !l.heard {
			return fmt.Errorf("no one hears coupler %v", coupler)
		}
	}
	for i, word := range words {
		if err := c.compare(i, word, less); err != nil {
			return err
		}
	}
	return nil
}

// send executes the send part of a processor's word.
func (c *checker) send(i int, word uint64, on map[[2]int]*lit) error {
	if word>>36 != 0 {
		return fmt.Errorf("processor %d: word %#x", i, word)
	}
	port := int(word & 0xFFFF)
	if port == 0xFFFF {
		if word&WordOwn != 0 {
			return fmt.Errorf("processor %d sends its own packet nowhere", i)
		}
		return nil
	}
	if port >= c.net.Groups {
		return fmt.Errorf("processor %d sends to group %d", i, port)
	}
	from := &c.held[i]
	if word&WordOwn != 0 {
		from = &c.own[i]
	}
	if *from == none {
		return fmt.Errorf("processor %d has nothing to send", i)
	}
	coupler := [2]int{i / c.net.GroupSize, port}
	if on[coupler] != nil {
		return fmt.Errorf("processor %d: collision on coupler %v", i, coupler)
	}
	on[coupler] = &lit{packet: *from}
	if !(c.keepOwn && word&WordOwn != 0) {
		*from = none
	}
	return nil
}

// hear executes the listen part of a processor's word.
func (c *checker) hear(i int, word uint64, on map[[2]int]*lit) error {
	port := int(word >> 16 & 0xFFFF)
	if port == 0xFFFF {
		if word&WordFinal != 0 {
			return fmt.Errorf("processor %d hears its packet nowhere", i)
		}
		return nil
	}
	coupler := [2]int{port, i / c.net.GroupSize}
	l := on[coupler]
	if l == nil || l.heard {
		return fmt.Errorf("processor %d hears coupler %v, which is dark or heard already", i, coupler)
	}
	l.heard = true
	to := &c.held[i]
	if word&WordFinal != 0 {
		to = &c.final[i]
	}
	if *to != none {
		return fmt.Errorf("processor %d: packet %d would overwrite packet %d", i, l.packet, *to)
	}
	*to = l.packet
	return nil
}

// compare counts the packets of a comparator and keeps the smaller or the larger one, if its word
// requires that.
func (c *checker) compare(i int, word uint64, less func(a, b int) bool) error {
	packets := 0
	for _, packet := range []int{c.own[i], c.held[i], c.final[i]} {
		if packet != none {
			packets++
		}
	}
	c.packetsMax = max(c.packetsMax, packets)
	lower, higher := word&WordKeepMin != 0, word&WordKeepMax != 0
	if !lower && !higher {
		return nil
	}
	if lower && higher || c.final[i] == none {
		return fmt.Errorf("processor %d has nothing to compare, word %#x", i, word)
	}
	if less(c.final[i], c.own[i]) == lower {
		c.own[i] = c.final[i]
	}
	c.final[i] = none
	return nil
}

// run runs a whole schedule.
func (c *checker) run(s fabric.Schedule, less func(a, b int) bool) error {
	for slot := range s.Slots() {
		for i := range c.words {
			c.words[i] = 0xBAD // Words must not rely on earlier contents
		}
		s.Words(slot, c.words)
		if err := c.slot(c.words, less); err != nil {
			return fmt.Errorf("slot %d: %w", slot, err)
		}
	}
	return nil
}

// checkOffline routes a permutation and returns an error for a wrong schedule.
func checkOffline(p Network, destination []uint32) error {
	plan, err := PlanOffline(p, destination)
	if err != nil {
		return err
	}
	slots := 1
	if p.GroupSize > 1 {
		slots = 2 * ((p.GroupSize-1)/p.Groups + 1)
	}
	if plan.Slots() != slots {
		return fmt.Errorf("%d slots for %d", plan.Slots(), slots)
	}
	own := make([]int, p.Processors())
	for i := range own {
		own[i] = i
	}
	c := newChecker(p, own)
	if err := c.run(plan, nil); err != nil {
		return err
	}
	for i, to := range destination {
		if c.final[to] != i || c.own[i] != none || c.held[i] != none {
			return fmt.Errorf("packet %d is not where it belongs", i)
		}
	}
	allowed := 1
	if p.GroupSize > p.Groups {
		allowed = 3
	}
	if c.packetsMax > allowed {
		return fmt.Errorf("a processor holds %d packets", c.packetsMax)
	}
	return nil
}

// TestOffline routes on all POPS(d,g) with d, g <= 30: 900 networks, with d = 1, g =
// 1, d < g and d no multiple of g among them.
func TestOffline(t *testing.T) {
	cases := 0
	for g := 1; g <= 30; g++ {
		for d := 1; d <= 30; d++ {
			p, err := New(g, d)
			require.NoError(t, err)
			n := p.Processors()
			destination := make([]uint32, n)
			fabric.FillRandom(destination, uint64(n))
			require.NoError(t, checkOffline(p, destination), "random on %+v", p)
			switch cases % 3 {
			case 0:
				require.NoError(t, checkOffline(p, filled(n, fabric.FillIdentity)), "identity on %+v", p)
			case 1:
				require.NoError(t, checkOffline(p, filled(n, fabric.FillReverse)), "reverse on %+v", p)
			case 2: // every group scatters its packets
				for i := range destination {
					destination[i] = uint32(i%d*g + i/d)
				}
				require.NoError(t, checkOffline(p, destination), "transposition on %+v", p)
			}
			cases++
		}
	}
	require.GreaterOrEqual(t, cases, 900)
}

// TestOfflineAll routes every permutation of some networks of 6.
func TestOfflineAll(t *testing.T) {
	for _, p := range []Network{{1, 6}, {2, 3}, {3, 2}, {6, 1}} {
		destination := filled(6, fabric.FillIdentity)
		var permute func(k int)
		permute = func(k int) {
			if k == len(destination) {
				require.NoError(t, checkOffline(p, append([]uint32(nil), destination...)), "%v on %+v", destination, p)
			}
			for i := k; i < len(destination); i++ {
				destination[k], destination[i] = destination[i], destination[k]
				permute(k + 1)
				destination[k], destination[i] = destination[i], destination[k]
			}
		}
		permute(0)
	}
}

func TestOfflineLarge(t *testing.T) {
	sizes := []Network{{64, 64}, {16, 256}, {100, 37}, {37, 100}, {512, 3}, {2000, 1}, {1, 100}}
	if *full {
		sizes = append(sizes, Network{1024, 1024}, Network{1023, 1025}, Network{256, 4096}, Network{4096, 2},
			Network{8192, 65}, Network{1, 5000})
	}
	for _, p := range sizes {
		destination := make([]uint32, p.Processors())
		fabric.FillRandom(destination, 7)
		require.NoError(t, checkOffline(p, destination), "%+v", p)
	}
}

func TestOfflineRefuses(t *testing.T) {
	_, err := PlanOffline(Network{2, 2}, []uint32{0, 1, 1, 2})
	require.EqualError(t, err, "off-line routing: destination 1 of processor 2 is used twice")
	_, err = PlanOffline(Network{2, 2}, []uint32{0, 1})
	require.EqualError(t, err, "off-line routing: 2 destinations for 4 processors")
}

// TestOfflineCheckerFails: the checker rejects a schedule with one wrong bit in one word.
func TestOfflineCheckerFails(t *testing.T) {
	p := Network{3, 5}
	destination := make([]uint32, p.Processors())
	fabric.FillRandom(destination, 1)
	plan, err := PlanOffline(p, destination)
	require.NoError(t, err)
	words := make([]uint64, p.Processors())
	for slot := range plan.Slots() {
		for i := range words {
			for _, bit := range []int{0, 1, 16, 17, 32, 33, 36} {
				own := make([]int, p.Processors())
				for k := range own {
					own[k] = k
				}
				c := newChecker(p, own)
				failed := false
				for s := range plan.Slots() {
					plan.Words(s, words)
					if s == slot {
						words[i] ^= 1 << bit
					}
					failed = failed || c.slot(words, nil) != nil
				}
				for k, to := range destination {
					failed = failed || c.final[to] != k
				}
				require.True(t, failed, "slot %d, processor %d, bit %d", slot, i, bit)
			}
		}
	}
}

func TestOfflineWordsAllocateNothing(t *testing.T) {
	p := Network{16, 40}
	destination := make([]uint32, p.Processors())
	fabric.FillRandom(destination, 1)
	plan, err := PlanOffline(p, destination)
	require.NoError(t, err)
	words := make([]uint64, p.Processors())
	require.Zero(t, testing.AllocsPerRun(10, func() { plan.Words(1, words) }))
}

func BenchmarkOfflineWords(b *testing.B) {
	p := Network{1024, 1024}
	destination := make([]uint32, p.Processors())
	fabric.FillRandom(destination, 1)
	plan, err := PlanOffline(p, destination)
	require.NoError(b, err)
	words := make([]uint64, p.Processors())
	for b.Loop() {
		plan.Words(0, words)
		plan.Words(1, words)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(2*len(words)), "ns/word")
}

var full = flag.Bool("full", false, "run the long tests")

// filled returns a permutation of a kind.
func filled(n int, fill func([]uint32)) []uint32 {
	p := make([]uint32, n)
	fill(p)
	return p
}
