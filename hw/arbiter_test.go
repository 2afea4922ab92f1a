package hw

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// holdRequests lets requests stay for 1 to 8 cycles and more, so that frames of
// many lengths and gaps come about.
func holdRequests(requesters int) func(cycle uint64, s *switches) {
	return func(cycle uint64, s *switches) {
		for i := range s.value[0] {
			s.value[0][i] = 0
			for j := range requesters {
				own := Mix64(uint64(i*RequestersMax + j + 1))
				turn := (cycle + own>>8%8) / (1 + own%8)
				s.value[0][i] |= Mix64(own+turn) & 1 << j
			}
		}
	}
}

func newArbiters(t testing.TB, kind ArbiterKind, requesters, slice, unitsPerShard, workers int, shuffle *rand.Rand) (*clocked, *Arbiters) {
	t.Helper()
	s := newSwitches(t, clockedBank("requester"), []string{"request"}, []int{requesters})
	a, err := NewArbiters(ArbiterConfig{
		Bank: clockedBank("arbiter"), Kind: kind, Requesters: requesters, SliceCycles: slice, Request: s.wires[0],
	})
	require.NoError(t, err)
	c := &clocked{switches: s, outputs: []*Signal{a.Grant(), a.Index()}, random: holdRequests(requesters)}
	c.kernel = newKernelOf(t, unitsPerShard, workers, shuffle, s, a)
	return c, a
}

func sliceOf(kind ArbiterKind) int {
	if kind == ArbiterTDMA {
		return 3
	}
	return 0
}

// arbiterByDefinition is one arbiter written with lists, without any trick.
type arbiterByDefinition struct {
	kind       ArbiterKind
	requesters int
	slice      int
	granted    int   // -1 for nobody
	last       int   // round robin: who was granted last
	order      []int // matrix: who was granted longest ago, first
	cycle      int
}

func newArbiterByDefinition(kind ArbiterKind, requesters, slice int) *arbiterByDefinition {
	a := &arbiterByDefinition{kind: kind, requesters: requesters, slice: slice, granted: -1, last: requesters - 1}
	for i := range requesters {
		a.order = append(a.order, i)
	}
	return a
}

func (a *arbiterByDefinition) latch(request uint64) {
	requests := func(i int) bool { return request>>i&1 == 1 }
	turn := a.cycle
	if a.kind == ArbiterTDMA {
		turn = a.cycle / a.slice % a.requesters
	}
	a.cycle++
	if a.granted >= 0 && requests(a.granted) {
		return
	}
	a.granted = -1
	var candidates []int // best first
	for i := range a.requesters {
		switch a.kind {
		case ArbiterFixed:
			candidates = append(candidates, i)
		case ArbiterRoundRobin:
			candidates = append(candidates, (a.last+1+i)%a.requesters)
		case ArbiterMatrix:
			candidates = append(candidates, a.order[i])
		case ArbiterTDMA:
			if i == turn {
				candidates = append(candidates, i)
			}
		}
	}
	if i := slices.IndexFunc(candidates, requests); i >= 0 {
		winner := candidates[i]
		a.granted, a.last = winner, winner
		a.order = append(slices.DeleteFunc(a.order, func(j int) bool { return j == winner }), winner)
	}
}

func TestArbitersAgainstDefinition(t *testing.T) {
	for kind := range ArbiterKind(len(ArbiterKinds)) {
		for _, requesters := range []int{1, 2, 3, 5, 16, 63, 64} {
			slice := sliceOf(kind)
			c, a := newArbiters(t, kind, requesters, slice, 2, 1, nil)
			model := make([]*arbiterByDefinition, clockedBank("x").Size())
			for i := range model {
				model[i] = newArbiterByDefinition(kind, requesters, slice)
			}
			served := uint64(0)
			for cycle := range uint64(3000) {
				c.play(cycle, cycle+1) // outputs are those of the registers before
				for i, m := range model {
					want, index := uint64(0), uint64(0)
					if m.granted >= 0 {
						want, index = 1<<m.granted, uint64(m.granted)
					}
					require.Equal(t, want, a.Grant().Value[i], "%v of %d, cycle %d", kind, requesters, cycle)
					require.Equal(t, index, a.Index().Value[i])
					served |= want
					m.latch(c.switches.value[0][i])
				}
			}
			if kind != ArbiterFixed {
				assert.Equal(t, everybody(requesters), served, "%v of %d starves nobody", kind, requesters)
			}
		}
	}
}

// TestArbiterHold is the drawing in the comment of Arbiters.
func TestArbiterHold(t *testing.T) {
	for kind := range ArbiterKind(len(ArbiterKinds)) {
		slice := 0
		if kind == ArbiterTDMA {
			slice = 1 // the turn is A's in cycles 0, 2 and B's in 1, 3
		}
		c, a := newArbiters(t, kind, 2, slice, 5, 1, nil)
		var got []uint64
		for _, request := range []uint64{0b01, 0b11, 0b11, 0b10, 0b10, 0b10, 0b00, 0b00} {
			c.switches.value[0][0] = request
			c.kernel.DriveAndSettle()
			got = append(got, a.Grant().Value[0])
			c.kernel.Latch()
		}
		assert.Equal(t, []uint64{0, 1, 1, 1, 2, 2, 2, 0}, got, kind.String())
	}
}

// TestArbiterWait counts how many frames of others a requester waits for at most.
func TestArbiterWait(t *testing.T) {
	const requesters = 7
	for _, kind := range []ArbiterKind{ArbiterRoundRobin, ArbiterMatrix} {
		c, a := newArbiters(t, kind, requesters, 0, 5, 1, nil)
		waited, most := [requesters]int{}, 0
		request, previous := everybody(requesters), uint64(0)
		for range 1000 {
			c.switches.value[0][0] = request
			c.kernel.DriveAndSettle()
			grant := a.Grant().Value[0]
			c.kernel.Latch()
			if grant == previous || grant == 0 {
				request |= previous
				continue
			}
			for i := range waited {
				if waited[i]++; grant == 1<<i {
					most = max(most, waited[i]-1)
					waited[i] = 0
				}
			}
			request = everybody(requesters) &^ grant // frames of one phit
			previous = grant
		}
		assert.Equal(t, requesters-1, most, kind.String())
	}
}

func TestArbitersBank(t *testing.T) {
	for kind := range ArbiterKind(len(ArbiterKinds)) {
		t.Run(kind.String(), func(t *testing.T) {
			requireBank(t, func(unitsPerShard, workers int, shuffle *rand.Rand) *clocked {
				c, _ := newArbiters(t, kind, 5, sliceOf(kind), unitsPerShard, workers, shuffle)
				return c
			})
		})
	}
}

func TestArbitersRefuse(t *testing.T) {
	s := newSwitches(t, clockedBank("requester"), []string{"request"}, []int{4})
	good := ArbiterConfig{Bank: clockedBank("arbiter"), Kind: ArbiterTDMA, Requesters: 4, SliceCycles: 2, Request: s.wires[0]}
	_, err := NewArbiters(good)
	require.NoError(t, err)
	for text, edit := range map[string]func(c *ArbiterConfig){
		"0 units":      func(c *ArbiterConfig) { c.Bank.Units = 0 },
		"kind(4)":      func(c *ArbiterConfig) { c.Kind = 4 },
		"0 requesters": func(c *ArbiterConfig) { c.Requesters = 0 },
		"65 request":   func(c *ArbiterConfig) { c.Requesters = 65 },
		"0 cycles, allowed for tdma are 1 to 65535": func(c *ArbiterConfig) { c.SliceCycles = 0 },
		"65536 cycles":                           func(c *ArbiterConfig) { c.SliceCycles = 65536 },
		"2 cycles, allowed for fixed are 0 to 0": func(c *ArbiterConfig) { c.Kind = ArbiterFixed },
		"needs 3":                                func(c *ArbiterConfig) { c.Requesters = 3 },
		"no request":                             func(c *ArbiterConfig) { c.Request = nil },
		"1 in 1":                                 func(c *ArbiterConfig) { c.Bank = clockedBank("a"); c.Request = oneWire(t) },
	} {
		c := good
		edit(&c)
		_, err := NewArbiters(c)
		assert.ErrorContains(t, err, text)
	}

	c, a := newArbiters(t, ArbiterMatrix, 3, 0, 5, 1, nil)
	requireRefused(t, c.kernel, "at most one of 3", func() { a.granted[2] = 3 })
	requireRefused(t, c.kernel, "at most one of 3", func() { a.granted[2] = 8 })
	requireRefused(t, c.kernel, "requester 1 of 3", func() { a.beaten[4] = 2 })
	requireRefused(t, c.kernel, "requester 0 of 3", func() { a.beaten[3] = 8 })
	requireRefused(t, c.kernel, "in no order", func() { a.beaten[0] = 2 })
	c, a = newArbiters(t, ArbiterRoundRobin, 3, 0, 5, 1, nil)
	requireRefused(t, c.kernel, "first", func() { a.first[1] = 3 })
	c, a = newArbiters(t, ArbiterTDMA, 3, 2, 5, 1, nil)
	requireRefused(t, c.kernel, "turn", func() { a.turn[1] = 3 })
	requireRefused(t, c.kernel, "elapsed", func() { a.elapsed[1] = 2 })
}

func oneWire(t *testing.T) *Signal {
	s, err := NewSignal(Bank{Name: "one", Units: 1, PerUnit: 1}, "request", 4)
	require.NoError(t, err)
	return s
}

func BenchmarkArbiters(b *testing.B) {
	for kind := range ArbiterKind(len(ArbiterKinds)) {
		b.Run(fmt.Sprintf("%v/16", kind), func(b *testing.B) {
			c, _ := newArbiters(b, kind, 16, sliceOf(kind), 5, 1, nil)
			c.random(1, c.switches)
			for b.Loop() {
				c.switches.value[0][c.kernel.Cycle()%15] ^= 1
				run(c.kernel, 1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/15, "ns/arbiter")
		})
	}
}
