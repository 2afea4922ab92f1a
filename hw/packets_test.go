package hw

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSortByKey compares lists of all lengths around the limit of short lists, and keys of one and two digits, with a
// stable comparison sort.
func TestSortByKey(t *testing.T) {
	type element struct{ key, number uint32 }
	random := rand.New(rand.NewPCG(1, 2))
	for _, length := range []int{0, 1, 2, keySortMin - 1, keySortMin, 3 * keySortMin} {
		for _, most := range []uint32{0, 1, 7, 1<<keyDigitBits - 1, 1 << keyDigitBits, 1<<20 + 5, 1<<32 - 1} {
			list := make([]element, length)
			for i := range list {
				list[i] = element{uint32(random.Uint64N(uint64(most) + 1)), uint32(i)}
			}
			want := slices.Clone(list)
			slices.SortStableFunc(want, func(a, b element) int { return cmp.Compare(a.key, b.key) })
			SortByKey(list, func(x *element) uint32 { return x.key })
			assert.Equal(t, want, list, "%d elements, keys to %d", length, most)
			slices.Reverse(list)
			slices.SortStableFunc(want, func(a, b element) int {
				return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(b.number, a.number))
			})
			SortByKey(list, func(x *element) uint32 { return x.key })
			assert.Equal(t, want, list, "%d elements in falling order, keys to %d", length, most)
		}
	}
}

// TestArrivedOrder checks the order of arrivals: by cycle, then source, then number, without packets under way.
func TestArrivedOrder(t *testing.T) {
	p, random := &Packets{}, rand.New(rand.NewPCG(3, 4))
	for i := range uint32(5000) {
		p.Add(random.Uint32N(70), 0, 1, i)
		if random.Uint32N(10) > 0 {
			p.Received[i] = random.Uint32N(900)
		}
	}
	order := p.Arrived()
	sorted := slices.IsSortedFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(p.Received[a], p.Received[b]), cmp.Compare(p.Source[a], p.Source[b]), cmp.Compare(a, b))
	})
	pending := 0
	for _, received := range p.Received {
		if received == PacketPending {
			pending++
		}
	}
	assert.True(t, sorted)
	assert.Equal(t, p.Count(), len(order)+pending)
}
