package hw

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stimulus is lamps whose light depends only on the cycle.
type stimulus struct{ *lamps }

func (stimulus) State(*StateVisitor) {}

// newDuplexLinks joins transmitters of any units at random, three to a unit's links.
func newDuplexLinks(t testing.TB, half bool, bits, unitsPerShard, workers int,
	shuffle *rand.Rand) (*clocked, *lamps, *DuplexLinks) {
	t.Helper()
	const perUnit = 2 * clockedPerUnit
	ends := clockedUnits * perUnit
	wiring := rand.New(rand.NewPCG(7, 7))
	c := DuplexLinkConfig{Bank: clockedBank("link"), Half: half}
	for _, transmitter := range wiring.Perm(ends) {
		c.From = append(c.From, uint32(transmitter))
	}
	for unit := range clockedUnits {
		for _, wire := range wiring.Perm(perUnit) {
			c.To = append(c.To, uint32(unit*perUnit+wire))
		}
	}
	shards := Shards(clockedUnits, unitsPerShard)
	light := func(name string) *Light {
		l, err := NewLight(Bank{Unit: "test.unit", Name: name, Units: clockedUnits, PerUnit: perUnit}, "light", bits, shards, nil)
		require.NoError(t, err)
		return l
	}
	c.In, c.Out = light("lamp"), light("wire")
	l, err := NewDuplexLinks(c)
	require.NoError(t, err)
	in := &lamps{c.In, NewPortSelect(c.In.Bank(), "port"), make([]uint64, ends), make([]uint64, ends)}
	k := &clocked{
		switches: newSwitches(t, clockedBank("none"), nil, nil),
		show: func() []uint64 {
			shown := slices.Concat(c.Out.Rail1, c.Out.Rail0)
			for _, v := range l.Violation {
				shown = append(shown, uint64(v))
			}
			return shown
		},
		random: func(cycle uint64, _ *switches) {
			r := rand.New(rand.NewPCG(3, cycle))
			for i := range in.rail1 {
				in.rail1[i], in.rail0[i] = 0, 0
				if r.IntN(2) == 0 {
					lit, word := ^uint64(0)>>(64-bits), r.Uint64()
					if r.IntN(4) == 0 {
						lit &= r.Uint64() // a last phit
					}
					in.rail1[i], in.rail0[i] = word&lit, ^word&lit
				}
			}
		},
		idle: func() {
			clear(in.rail1)
			clear(in.rail0)
		},
	}
	k.kernel = newKernelOf(t, unitsPerShard, workers, shuffle, stimulus{in}, l)
	return k, in, l
}

func TestDuplexLinksAgainstDefinition(t *testing.T) {
	for _, half := range []bool{false, true} {
		for _, bits := range []int{1, 9, 64} {
			for unitsPerShard := 1; unitsPerShard <= clockedUnits; unitsPerShard++ {
				c, in, l := newDuplexLinks(t, half, bits, unitsPerShard, 2, rand.New(rand.NewPCG(1, 1)))
				violated, met := make([]uint8, len(l.Violation)), 0
				for cycle := range uint64(200) {
					c.play(cycle, cycle+1)
					for link := range clockedBank("").Size() {
						a, b := l.from[2*link], l.from[2*link+1]
						both := half && in.rail1[a]|in.rail0[a] != 0 && in.rail1[b]|in.rail0[b] != 0
						for end, sender := range []uint32{a, b} {
							wire := l.to[2*link+end]
							want1, want0 := in.rail1[sender], in.rail0[sender]
							if both {
								want1, want0, violated[wire] = l.all, l.all, 1
								met++
							}
							require.Equal(t, want1, l.out.Rail1[wire])
							require.Equal(t, want0, l.out.Rail0[wire])
							require.EqualValues(t, wire, l.Reached(int(sender), 0))
						}
					}
					require.Equal(t, violated, l.Violation)
					for wire := range violated {
						listed := 0
						for _, s := range c.kernel.Shards() {
							if slices.Contains(l.Violated(s.Index), uint32(wire)) {
								require.Equal(t, l.out.Owner(uint32(wire)), s.Index)
								listed++
							}
						}
						require.Equal(t, l.Met(wire), listed == 1)
					}
					if cycle%10 == 9 {
						for s := range c.kernel.Shards() {
							l.ClearSlot(s)
						}
						clear(violated)
					}
				}
				require.Equal(t, half, met > 100)
			}
		}
	}
}

func TestDuplexLinksBank(t *testing.T) {
	requireBank(t, func(unitsPerShard, workers int, shuffle *rand.Rand) *clocked {
		c, _, _ := newDuplexLinks(t, true, 9, unitsPerShard, workers, shuffle)
		return c
	})
}

func TestDuplexLinksRefuse(t *testing.T) {
	c, _, _ := newDuplexLinks(t, true, 9, 2, 1, nil)
	shards := Shards(2, 1)
	light := func(perUnit, bits int, shards []Shard) *Light {
		l, err := NewLight(testBank("x", 2, perUnit), "light", bits, shards, nil)
		require.NoError(t, err)
		return l
	}
	good := func() DuplexLinkConfig {
		return DuplexLinkConfig{
			Bank: testBank("link", 2, 1), In: light(2, 8, shards), Out: light(2, 8, shards),
			From: []uint32{0, 3, 2, 1}, To: []uint32{0, 1, 3, 2},
		}
	}
	_, err := NewDuplexLinks(good())
	require.NoError(t, err)
	for text, edit := range map[string]func(c *DuplexLinkConfig){
		"0 units":                       func(c *DuplexLinkConfig) { c.Bank.Units = 0 },
		"7 bits in":                     func(c *DuplexLinkConfig) { c.In = light(2, 7, shards) },
		"the same units":                func(c *DuplexLinkConfig) { c.In = light(2, 8, Shards(2, 2)) },
		"of 6 and 4":                    func(c *DuplexLinkConfig) { c.In = light(3, 8, shards) },
		"3 transmitters":                func(c *DuplexLinkConfig) { c.From = c.From[:3] },
		"link[0]: end 1 joins":          func(c *DuplexLinkConfig) { c.From[1] = 0 },
		"link[0]: end 0 joins":          func(c *DuplexLinkConfig) { c.From[0] = 4 },
		"link[0]: end 1 joins trans":    func(c *DuplexLinkConfig) { c.To[1] = 2 },
		"group[1].link[0]: end 1 joins": func(c *DuplexLinkConfig) { c.To[3] = 3 },
	} {
		c := good()
		edit(&c)
		_, err := NewDuplexLinks(c)
		assert.ErrorContains(t, err, text)
	}
	_, _, l := newDuplexLinks(t, true, 9, 2, 1, nil)
	requireRefused(t, c.kernel, "violation", func() {
		for _, part := range c.kernel.components {
			if links, ok := part.(*DuplexLinks); ok {
				links.Violation[1] = 2
			}
		}
	})
	require.False(t, l.Met(1))
}

// TestReplacedDuplexLink requires that no light of the bank passes it, at either end.
func TestReplacedDuplexLink(t *testing.T) {
	_, in, l := newDuplexLinks(t, true, 8, clockedUnits, 1, nil)
	site := l.Site()
	site.Replace(4, nil)
	for i := range in.rail1 {
		in.rail1[i] = 1
	}
	s := Shards(clockedUnits, clockedUnits)[0]
	in.Drive(s)
	l.Settle(s)
	for link := range site.Elements {
		for end := range 2 {
			require.Equal(t, link != 4, l.Met(int(l.to[2*link+end])))
			require.Equal(t, link != 4, l.out.Rail1[l.to[2*link+end]] != 0)
		}
	}
	for name, value := range map[string]uint64{"rail1_o": 0x0102, "rail0_o": 0x0300, "violation_o": 0b10} {
		port := site.Port(name)
		require.NoError(t, port.Put(4, Pins{Words: []uint64{value}, Bits: port.Bits})())
	}
	towards0, towards1 := l.to[9], l.to[8]
	require.EqualValues(t, 0x02, l.out.Rail1[towards0])
	require.EqualValues(t, 0x01, l.out.Rail1[towards1])
	require.EqualValues(t, 0x03, l.out.Rail0[towards1])
	require.False(t, l.Met(int(towards0)))
	require.True(t, l.Met(int(towards1)))
}
