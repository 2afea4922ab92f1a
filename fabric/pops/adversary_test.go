package pops

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/hw"
)

// twoHops is RouteTwoHops as the paper reads: a list of frames per coupler, and
// packets in the buffers of groups.
func twoHops(p Network, choice ChoiceTable, destination []uint32, slots int) []uint32 {
	delivered := make([]uint32, len(destination))
	groupOf := func(processor int) int { return processor / p.GroupSize }
	type coupler struct{ from, to int }
	for slot := 1; slot <= slots; slot += 2 {
		row := choice.Group[slot/2]
		first := map[coupler][]int{}
		for i := range destination {
			if delivered[i] == 0 {
				c := coupler{groupOf(i), int(row[i])}
				first[c] = append(first[c], i)
			}
		}
		second := map[coupler][]int{}
		for c, packets := range first {
			if len(packets) > 1 || choice.Heard != nil && !choice.Heard[slot/2][p.Coupler(c.from, c.to)] {
				continue
			}
			if to := groupOf(int(destination[packets[0]])); to == c.to {
				delivered[packets[0]] = uint32(slot)
			} else {
				second[coupler{c.to, to}] = append(second[coupler{c.to, to}], packets[0])
			}
		}
		for _, packets := range second {
			if len(packets) == 1 {
				delivered[packets[0]] = uint32(slot + 1)
			}
		}
	}
	return delivered
}

// choices are the deterministic schedules of the specification.
func choices(p Network, seed uint64) map[string]func(packet, slot int) int {
	g := p.Groups
	stream := hw.NewStream(seed, hw.PurposeFirmware)
	return map[string]func(packet, slot int) int{
		"random":      func(i, t int) int { return int(hw.Below(stream.Draw(uint32(i), uint32(t), 0), uint32(g))) },
		"i mod g":     func(i, _ int) int { return i % g },
		"i+t mod g":   func(i, t int) int { return (i + t) % g },
		"i*3+t mod g": func(i, t int) int { return (i*3 + t) % g },
		"i*t mod g":   func(i, t int) int { return i * t % g },
		"hash":        func(i, t int) int { return int(hw.Mix64(uint64(i)<<8|uint64(t)) % uint64(g)) },
		"group+t":     func(i, t int) int { return (i/p.GroupSize + t) % g },
		"local+group": func(i, t int) int { return (i%p.GroupSize + i/p.GroupSize*t) % g },
		"one group":   func(_, t int) int { return t % g },
	}
}

func TestAdversary(t *testing.T) {
	for _, size := range []struct{ g, slots int }{{16, 8}, {32, 10}, {64, 12}, {128, 14}} {
		p := Network{size.g, size.g}
		for name, choose := range choices(p, uint64(size.g)) {
			choice := NewChoiceTable(p, size.slots, choose)
			for slots := 2; slots <= size.slots; slots += 2 {
				destination, start, err := Adversary(p, choice, slots)
				require.NoError(t, err, "%s, g = %d, T = %d", name, size.g, slots)
				delivered, err := RouteTwoHops(p, choice, destination, slots)
				require.NoError(t, err)
				require.Zero(t, delivered[start], "%s, g = %d, T = %d: packet %d", name, size.g, slots, start)
				if slots == size.slots && size.g <= 32 || *full {
					require.Equal(t, twoHops(p, choice, destination, slots), delivered)
				}
				again, _, err := Adversary(p, choice, slots)
				require.NoError(t, err)
				require.Equal(t, destination, again)
			}
		}
	}
}

func TestAdversaryOtherShapes(t *testing.T) {
	for _, p := range []Network{{16, 64}, {16, 40}, {5, 9}} {
		for name, choose := range choices(p, 4) {
			choice := NewChoiceTable(p, 4, choose)
			destination, start, err := Adversary(p, choice, 4)
			require.NoError(t, err, "%s, %+v", name, p)
			delivered := twoHops(p, choice, destination, 4)
			require.Zero(t, delivered[start], "%s, %+v", name, p)
		}
	}
}

// TestAdversaryUnheard: with fewer processors than groups a group hears d of the g couplers
// (listening rule k + t), and packets on the others cannot be delivered.
func TestAdversaryUnheard(t *testing.T) {
	const slots = 6
	for _, p := range []Network{{32, 16}, {64, 16}, {16, 8}} {
		for name, choose := range choices(p, 5) {
			choice := NewChoiceTable(p, slots, choose)
			_, _, err := Adversary(p, choice, slots)
			require.ErrorContains(t, err, "not all couplers can be heard")
			heardAndAlone := false
			for h := range slots / 2 {
				heard := make([]bool, p.Couplers())
				for to := range p.Groups {
					for k := range p.GroupSize {
						heard[p.Coupler((k+2*h+to)%p.Groups, to)] = true
					}
				}
				choice.Heard = append(choice.Heard, heard)
			}
			destination, start, err := Adversary(p, choice, slots)
			require.NoError(t, err, "%s, %+v", name, p)
			delivered, err := RouteTwoHops(p, choice, destination, slots)
			require.NoError(t, err)
			require.Equal(t, twoHops(p, choice, destination, slots), delivered)
			require.Zero(t, delivered[start], "%s, %+v", name, p)
			for _, slot := range delivered {
				heardAndAlone = heardAndAlone || slot != 0
			}
			require.True(t, heardAndAlone || name == "one group" || name == "group+t", "%s, %+v: nothing is delivered at all", name, p)
		}
	}
}

// The simulator of the class agrees with the plain one on routes that succeed.
func TestRouteTwoHops(t *testing.T) {
	p := Network{16, 16}
	const slots = 40
	choice := NewChoiceTable(p, slots, choices(p, 1)["random"])
	destination := make([]uint32, p.Processors())
	fabric.FillRandom(destination, 2)
	delivered, err := RouteTwoHops(p, choice, destination, slots)
	require.NoError(t, err)
	require.Equal(t, twoHops(p, choice, destination, slots), delivered)
	require.NotContains(t, delivered, uint32(0), "a random permutation is routed")
	require.Contains(t, delivered, uint32(1))
	require.Contains(t, delivered, uint32(2))
}

// The published construction marks a partner that never leaves its group: the
// packet it should stop arrives in slot 2. The repaired one holds.
func TestPublishedAdversaryGap(t *testing.T) {
	p := Network{64, 64}
	choice := GapTable(p)
	destination, start, err := PublishedAdversary(p, choice, 2)
	require.NoError(t, err)
	require.NoError(t, fabric.CheckPermutation(destination, p.Processors()))
	delivered, err := RouteTwoHops(p, choice, destination, 2)
	require.NoError(t, err)
	require.EqualValues(t, 2, delivered[start])
	require.Equal(t, twoHops(p, choice, destination, 2), delivered)

	destination, start, err = Adversary(p, choice, 2)
	require.NoError(t, err)
	delivered, err = RouteTwoHops(p, choice, destination, 2)
	require.NoError(t, err)
	require.Zero(t, delivered[start])
	require.Equal(t, twoHops(p, choice, destination, 2), delivered)
}

// TestPublishedAdversary checks the published construction on schedules for which it holds.
func TestPublishedAdversary(t *testing.T) {
	p := Network{64, 64}
	for _, name := range []string{"i mod g", "group+t", "one group"} {
		choice := NewChoiceTable(p, 4, choices(p, 1)[name])
		destination, start, err := PublishedAdversary(p, choice, 4)
		require.NoError(t, err, name)
		require.Zero(t, twoHops(p, choice, destination, 4)[start], name)
	}
	choice := NewChoiceTable(Network{4, 4}, 8, choices(Network{4, 4}, 1)["random"])
	_, _, err := PublishedAdversary(Network{4, 4}, choice, 8)
	require.ErrorContains(t, err, "fewer slots are needed")
}

func TestAdversaryRefuses(t *testing.T) {
	p := Network{16, 16}
	choice := NewChoiceTable(p, 40, choices(p, 1)["random"])
	_, _, err := Adversary(p, choice, 40)
	require.ErrorContains(t, err, "no permutation found on 16 groups of 16 for 40 slots; the largest number of slots possible is ")
	var largest int
	_, scanErr := fmt.Sscanf(err.Error()[len("adversary: no permutation found on 16 groups of 16 for 40 slots; the largest number of slots possible is "):], "%d", &largest)
	require.NoError(t, scanErr)
	destination, start, err := Adversary(p, choice, largest)
	require.NoError(t, err)
	require.Zero(t, twoHops(p, choice, destination, largest)[start])
	_, _, err = Adversary(p, choice, largest+2)
	require.ErrorContains(t, err, fmt.Sprintf("the largest number of slots possible is %d", largest))

	_, _, err = Adversary(p, choice, 3)
	require.EqualError(t, err, "adversary: 3 slots: the number must be even, and 2 or more")
	_, _, err = Adversary(p, choice, 42)
	require.EqualError(t, err, "adversary: the choice table has 20 odd slots, but 42 slots need 21")
	_, _, err = Adversary(Network{8, 16}, choice, 2)
	require.EqualError(t, err, "adversary: slot 1: the choice table has 256 packets, but the network has 128 processors")
	choice.Group[0][3] = 16
	_, _, err = Adversary(p, choice, 2)
	require.EqualError(t, err, "adversary: slot 1: packet 3 goes to group 16, but groups are 0 to 15")
	_, _, err = Adversary(Network{1, 1}, NewChoiceTable(Network{1, 1}, 2, func(int, int) int { return 0 }), 2)
	require.ErrorContains(t, err, "nor for fewer: the network is too small")
}

// TestAdversaryAlwaysBelowBound: |Fail| <= 2^(T/2) (dT/2 + g); if that is below n = d*g, a
// permutation exists for every table. The tables are small and random.
func TestAdversaryAlwaysBelowBound(t *testing.T) {
	rounds := uint64(20)
	if *full {
		rounds = 1000
	}
	for seed := range rounds {
		g := 8 + int(hw.Mix64(seed+1)%25)
		p := Network{g, g}
		choice := NewChoiceTable(p, 4, choices(p, seed)["random"])
		for slots := 2; slots <= 4 && 1<<(slots/2)*(g*slots/2+g) < g*g; slots += 2 {
			destination, start, err := Adversary(p, choice, slots)
			require.NoError(t, err, "seed %d, g = %d, T = %d", seed, g, slots)
			require.Zero(t, twoHops(p, choice, destination, slots)[start], "seed %d, g = %d, T = %d", seed, g, slots)
		}
	}
}
