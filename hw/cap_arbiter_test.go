package hw

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// naiveCap chooses one input at a time among the rest.
type naiveCap struct {
	rule    CapRule
	pointer int
	order   []uint32 // matrix: inputs, least recently chosen first
}

func (n *naiveCap) slot(granted []uint32, tags []uint16) (chosen []uint32) {
	if n.order == nil {
		for i := range tags {
			n.order = append(n.order, uint32(i))
		}
	}
	left := slices.Clone(granted)
	for len(left) > 0 && len(chosen) < n.rule.Cap {
		lowest := tags[left[0]]
		for _, input := range left {
			lowest = min(lowest, tags[input])
		}
		winner := uint32(0)
		for k := range tags {
			candidate := uint32(k)
			switch n.rule.Kind {
			case ArbiterRoundRobin:
				candidate = uint32((n.pointer + k) % len(tags))
			case ArbiterMatrix:
				candidate = n.order[k]
			}
			if tags[candidate] == lowest && slices.Contains(left, candidate) {
				winner = candidate
				break
			}
		}
		chosen = append(chosen, winner)
		left = slices.DeleteFunc(left, func(input uint32) bool { return input == winner })
		n.order = append(slices.DeleteFunc(n.order, func(input uint32) bool { return input == winner }), winner)
		n.pointer = int(winner) + 1
	}
	return chosen
}

// randomGranted returns random grants and tags.
func randomGranted(r *rand.Rand, ports int) (granted []uint32, tags []uint16) {
	kinds := 1 + r.IntN(3)
	for i := range ports {
		tags = append(tags, uint16(r.IntN(kinds))*30000)
		if r.IntN(3) > 0 {
			granted = append(granted, uint32(i))
		}
	}
	r.Shuffle(len(granted), func(i, j int) { granted[i], granted[j] = granted[j], granted[i] })
	return granted, tags
}

func TestCapMatchingAgainstDefinition(t *testing.T) {
	for kind := range ArbiterMatrix + 1 {
		for seed := range uint64(60) {
			r := rand.New(rand.NewPCG(seed, 4))
			ports := 1 + r.IntN(30)
			rule := CapRule{kind, 1 + r.IntN(ports)}
			m, n := NewCapMatching("cap", ports, rule), naiveCap{rule: rule}
			for slot := range 12 {
				granted, tags := randomGranted(r, ports)
				want := n.slot(granted, tags)
				require.True(t, slices.Equal(want, m.Slot(granted, tags)), "%+v, seed %d, slot %d: want %v", rule, seed, slot, want)
			}
		}
	}
}

func FuzzCapMatching(f *testing.F) {
	f.Add(uint64(1), uint8(5), uint8(2), uint8(1))
	f.Add(uint64(2), uint8(40), uint8(39), uint8(2))
	f.Fuzz(func(t *testing.T, seed uint64, ports, limit, kind uint8) {
		inputs := int(ports)%64 + 1
		rule := CapRule{ArbiterKind(kind) % (ArbiterMatrix + 1), int(limit)%inputs + 1}
		m, n := NewCapMatching("cap", inputs, rule), naiveCap{rule: rule}
		r := rand.New(rand.NewPCG(seed, 5))
		for range 5 {
			granted, tags := randomGranted(r, inputs)
			require.True(t, slices.Equal(n.slot(granted, tags), m.Slot(granted, tags)))
		}
	})
}

func newCapArbiters(t testing.TB, ports int, rule CapRule, unitsPerShard, workers int,
	shuffle *rand.Rand) (*clocked, *CapArbiters) {
	t.Helper()
	side := clockedBank("port")
	side.PerUnit *= ports
	central := newSwitches(t, clockedBank("slot"), []string{"start"}, []int{1})
	sides := newSwitches(t, side, []string{"request", "tag"}, []int{1, 16})
	a, err := NewCapArbiters(CapArbiterConfig{
		Bank: clockedBank("arbiter"), Ports: ports, Rule: rule, Start: central.wires[0], Request: sides.wires[0], Tag: sides.wires[1],
	})
	require.NoError(t, err)
	c := &clocked{
		switches: &switches{value: append(slices.Clone(central.value), sides.value...)},
		outputs:  []*Signal{a.served, a.servedInput, a.Grant()},
		random: func(cycle uint64, s *switches) {
			r := rand.New(rand.NewPCG(6, cycle))
			for w, value := range s.value {
				for i := range value {
					value[i] = flag(r.IntN(2+2*(1-min(w, 1))) == 0)
				}
			}
		},
	}
	c.kernel = newKernelOf(t, unitsPerShard, workers, shuffle, central, sides, a)
	return c, a
}

// TestCapArbitersAgainstMatching compares cell and function; the cell takes as many cycles as its cap.
func TestCapArbitersAgainstMatching(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		ports := 1 + r.IntN(20)
		rule := CapRule{ArbiterKind(seed) % (ArbiterMatrix + 1), 1 + r.IntN(ports)}
		c, a := newCapArbiters(t, ports, rule, 2, 1, nil)
		cells := clockedBank("x").Size()
		matchings := make([]*CapMatching, cells)
		for i := range matchings {
			matchings[i] = NewCapMatching("cap", ports, rule)
		}
		for range 8 {
			want, got := make([][]uint32, cells), make([][]uint32, cells)
			for i := range cells {
				granted, tags := randomGranted(r, ports)
				for k, tag := range tags {
					c.switches.value[1][i*ports+k], c.switches.value[2][i*ports+k] = flag(slices.Contains(granted, uint32(k))),
						uint64(tag)
				}
				want[i] = slices.Clone(matchings[i].Slot(granted, tags))
			}
			for cycle := range rule.Cap + 1 {
				for i := range cells {
					c.switches.value[0][i] = flag(cycle == 0)
				}
				c.kernel.DriveAndSettle()
				for i := range cells {
					if cycle > 0 && a.served.Value[i] != 0 {
						got[i] = append(got[i], uint32(a.servedInput.Value[i]))
					}
					for k := range uint32(ports) {
						if cycle > 0 {
							require.Equal(t, flag(slices.Contains(got[i], k)), a.Grant().Value[i*ports+int(k)])
						}
					}
				}
				if cycle < rule.Cap {
					c.kernel.Latch()
				}
			}
			for i := range cells {
				require.True(t, slices.Equal(want[i], got[i]), "%+v, seed %d: %v, want %v", rule, seed, got[i], want[i])
			}
			c.kernel.Latch()
		}
	}
}

func TestCapArbitersBank(t *testing.T) {
	for kind := range ArbiterMatrix + 1 {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			requireBank(t, func(unitsPerShard, workers int, shuffle *rand.Rand) *clocked {
				c, _ := newCapArbiters(t, 4, CapRule{kind, 2}, unitsPerShard, workers, shuffle)
				return c
			})
		})
	}
}

func TestCapArbitersRefuse(t *testing.T) {
	bank, side := Bank{Name: "arbiter", Units: 1, PerUnit: 1}, Bank{Name: "port", Units: 1, PerUnit: 4}
	signal := func(bank Bank, name string, bits int) *Signal {
		s, err := NewSignal(bank, name, bits)
		require.NoError(t, err)
		return s
	}
	good := CapArbiterConfig{
		Bank: bank, Ports: 4, Rule: CapRule{ArbiterFixed, 2}, Start: signal(bank, "start", 1),
		Request: signal(side, "request", 1), Tag: signal(side, "tag", 16),
	}
	_, err := NewCapArbiters(good)
	require.NoError(t, err)
	for text, edit := range map[string]func(c *CapArbiterConfig){
		"0 units":     func(c *CapArbiterConfig) { c.Bank.Units = 0 },
		"65537 ports": func(c *CapArbiterConfig) { c.Ports = 65537 },
		"a cap of 0":  func(c *CapArbiterConfig) { c.Rule.Cap = 0 },
		"a cap of 5":  func(c *CapArbiterConfig) { c.Rule.Cap = 5 },
		"of tdma; allowed: [fixed round_robin matrix]": func(c *CapArbiterConfig) { c.Rule.Kind = ArbiterTDMA },
		"no start wire": func(c *CapArbiterConfig) { c.Start = nil },
		"needs 4 of 16": func(c *CapArbiterConfig) { c.Tag = c.Request },
	} {
		c := good
		edit(&c)
		_, err := NewCapArbiters(c)
		assert.ErrorContains(t, err, text)
	}
	c, a := newCapArbiters(t, 3, CapRule{ArbiterRoundRobin, 2}, 5, 1, nil)
	requireRefused(t, c.kernel, "busy", func() { a.busy[1] = 2 })
	requireRefused(t, c.kernel, "chosen", func() { a.chosen[1] = 3 })
	requireRefused(t, c.kernel, "result", func() { a.result[1] = 4 })
	requireRefused(t, c.kernel, "granted", func() { a.granted[1] = 2 })
	requireRefused(t, c.kernel, "first", func() { a.choice.(*roundRobin).first[1] = 3 })
}
