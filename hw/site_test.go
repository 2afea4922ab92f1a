package hw

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPins checks that only the selected bits and bytes change, and that the first unknown bits read are recorded.
func TestPins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 2000 {
		words := []uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
		before := append([]uint64(nil), words...)
		bytes := make([]byte, r.IntN(17))
		for i := range bytes {
			bytes[i] = byte(r.Uint32())
		}
		first, at := r.IntN(64), r.IntN(40)
		p := Pins{Words: words, First: first, Bits: 150}
		p.SetBytes(at, bytes)
		got := make([]byte, len(bytes))
		p.GetBytes(at, got)
		require.Equal(t, bytes, got)
		for i := range 256 {
			if i < first+at || i >= first+at+8*len(bytes) {
				require.Equal(t, before[i/64]>>(i%64)&1, words[i/64]>>(i%64)&1, "bit %d", i)
			}
		}
		p.Slice(at, 9).Set(0x155)
		require.EqualValues(t, 0x155, p.GetBits(at, 9))
		p.Clear()
		require.Zero(t, p.GetBits(3, 64)|p.GetBits(67, 64)|p.GetBits(131, 19))
		require.Equal(t, before[0]&(1<<first-1), words[0]&(1<<first-1))
	}
	wild := Wild{}
	p := Pins{Words: make([]uint64, 2), First: 60, Bits: 8, Unknown: []uint64{0, 1 << 2}, Wild: &wild}
	p.GetBits(0, 4)
	require.Zero(t, wild)
	p.GetBits(5, 3)
	p.Value()
	require.Equal(t, Wild{Mask: 2, First: 5}, wild)
}

func TestSites(t *testing.T) {
	bank := clockedBank("x")
	light, err := NewLight(bank, "light", 8, Shards(clockedUnits, 1), nil)
	require.NoError(t, err)
	far, err := NewLight(clockedBank("far"), "light", 8, Shards(clockedUnits, 1), nil)
	require.NoError(t, err)
	signal := func(bits int) *Signal {
		s, err := NewSignal(bank, "in", bits)
		require.NoError(t, err)
		return s
	}
	fibre, err := NewFibre("fibre", new(Clock), light, far, 3)
	require.NoError(t, err)
	couplers, err := NewStarCouplers(light, NewPortSelect(bank, "port"), far, make15(), 3)
	require.NoError(t, err)
	fifos, err := NewFIFOs(FIFOConfig{Bank: bank, Depth: 3, Width: 9, CountBits: 2, Push: signal(1),
		Pop: signal(1), Data: signal(9)})
	require.NoError(t, err)
	seeds := make([]uint32, bank.Size())
	for i := range seeds {
		seeds[i] = uint32(i) + 1
	}
	lfsrs, err := NewLFSRs(bank, seeds, signal(1))
	require.NoError(t, err)
	components := []Sited{fibre, couplers, fifos, lfsrs}
	for _, kind := range ArbiterKinds() {
		request, err := NewRequests(bank, "request", 5, Shards(clockedUnits, 1))
		require.NoError(t, err)
		a, err := NewArbiters(configOf(bank, kind, sliceOf(kind), request))
		require.NoError(t, err)
		components = append(components, a)
	}
	_, allocators := newListAllocators(t, 3, 4, ListRule{RoundRobin: true}, 1, 1, nil, nil)
	_, caps := newCapArbiters(t, 3, CapRule{ArbiterMatrix, 2}, 1, 1, nil)
	_, media, coins := newMedium(t, 3, 1, 1, nil)
	components = append(components, allocators, caps, media, coins)
	for _, c := range components {
		s := c.Site()
		require.NoError(t, s.Check())
		require.NoError(t, CheckPath(s.Path(s.Elements-1)))
		require.NotEmpty(t, s.What)
		require.NotEmpty(t, s.Parameters(s.Elements-1))
	}
	require.Equal(t, map[string]int{"SEED": 5}, lfsrs.Site().Parameters(4))
	require.Equal(t, "arbiter_matrix", components[6].Site().Twin)

	// Values that are put can be read back.
	words := []uint64{0x1A5}
	pins := Pins{Words: words, Bits: 9}
	data, head := fifos.Site().Ports[1], fifos.Site().Ports[3]
	require.NoError(t, data.Put(7, pins)())
	require.NoError(t, head.Put(2, pins)())
	require.EqualValues(t, 0x1A5, fifos.head.Value[2])
	words[0] = 0
	data.Get(7, pins)()
	require.EqualValues(t, 0x1A5, words[0])

	for text, change := range map[string]func(s *Site){
		"no twin":              func(s *Site) { s.Twin = "" },
		"nor combinational":    func(s *Site) { s.Clocked = false },
		`port "clock"`:         func(s *Site) { s.Ports[0].Name = "clock" },
		`port "pop_i"`:         func(s *Site) { s.Ports[0].Name = "pop_i" },
		`port "data_i" of 0`:   func(s *Site) { s.Ports[1].Bits = 0 },
		"cannot be read and w": func(s *Site) { s.Ports[3].Put = nil },
	} {
		s := fifos.Site()
		change(s)
		require.ErrorContains(t, s.Check(), text)
	}
}

// make15 is the wiring of 5 units of 3 senders and 3 couplers.
func make15() (base []uint32) {
	for i := range uint32(15) {
		base = append(base, i/3*3)
	}
	return base
}
