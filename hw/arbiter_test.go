package hw

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// requestBits is the number of requesters that request in these tests.
const requestBits = 64

// raiser raises request lines by the bits of a word per arbiter; bit b is requester spread(b).
type raiser struct {
	word   *Signal
	lines  *Requests
	spread func(bit int) uint32
}

func (r *raiser) Path() string                 { return "raiser" }
func (r *raiser) Reset()                       {}
func (r *raiser) State(*StateVisitor)          {}
func (r *raiser) Inputs() []Wire               { return []Wire{r.word} }
func (r *raiser) Outputs() []Wire              { return []Wire{r.lines} }
func (r *raiser) QuietFor(limit uint64) uint64 { return limit }
func (r *raiser) Settle(s Shard) {
	r.lines.Clear(s.Index)
	first, end := r.word.bank.Cells(s)
	for i := first; i < end; i++ {
		Pins{Words: r.word.Value[i:],
			Bits: r.word.width}.Ones(func(bit int) { r.lines.Raise(s.Index, uint32(i), r.spread(bit)) })
	}
}

// holdRequests holds requests for 1 to 8 or more cycles, for frames and gaps of many lengths.
func holdRequests(requesters int) func(cycle uint64, s *switches) {
	return func(cycle uint64, s *switches) {
		for i := range s.value[0] {
			s.value[0][i] = 0
			for j := range requesters {
				own := Mix64(uint64(i*requestBits + j + 1))
				turn := (cycle + own>>8%8) / (1 + own%8)
				s.value[0][i] |= Mix64(own+turn) & 1 << j
			}
		}
	}
}

// newArbiters returns arbiters whose requesters, all or 64 of them, request at times.
func newArbiters(t testing.TB, kind ArbiterKind, requesters, slice, unitsPerShard, workers int,
	shuffle *rand.Rand) (*clocked, *Arbiters) {
	t.Helper()
	width := min(requesters, requestBits)
	s := newSwitches(t, clockedBank("requester"), []string{"request"}, []int{width})
	shards := Shards(clockedUnits, unitsPerShard)
	lines, err := NewRequests(clockedBank("arbiter"), "request", requesters, shards)
	require.NoError(t, err)
	a, err := NewArbiters(configOf(clockedBank("arbiter"), kind, slice, lines))
	require.NoError(t, err)
	c := &clocked{switches: s, outputs: []*Signal{a.Busy(), a.Index()}, random: holdRequests(width)}
	c.kernel = newKernelOf(t, unitsPerShard, workers, shuffle, s, &raiser{s.wires[0], lines, spreadOver(requesters)}, a)
	return c, a
}

func spreadOver(requesters int) func(bit int) uint32 {
	width := min(requesters, requestBits)
	return func(bit int) uint32 { return uint32(bit * (requesters - 1) / max(width-1, 1)) }
}

// configOf returns a configuration with weights 1 to 4 and seeds if the kind takes them.
func configOf(bank Bank, kind ArbiterKind, slice int, lines *Requests) ArbiterConfig {
	c := ArbiterConfig{Bank: bank, Kind: kind, SliceCycles: slice, Request: lines}
	for i := range bank.Size() {
		if kind.Spec().Weighted {
			c.Weights = append(c.Weights, make([]uint8, min(lines.Requesters(), 80))) // missing weights are 1
			for requester := range c.Weights[i] {
				c.Weights[i][requester] = uint8(1 + (i+requester)%4)
			}
		}
		if kind.Spec().Seeded {
			c.Seeds = append(c.Seeds, uint32(77+i))
		}
	}
	return c
}

func weightOf(arbiter, requester int) int {
	if requester < 80 {
		return 1 + (arbiter+requester)%4
	}
	return 1
}

func sliceOf(kind ArbiterKind) int {
	if kind.Spec().Slices {
		return 3
	}
	return 0
}

// arbiterByDefinition is one arbiter in its simplest form.
type arbiterByDefinition struct {
	kind       ArbiterKind
	requesters int
	slice      int
	granted    int   // -1 for none
	last       int   // round robin: requester granted last
	order      []int // matrix: requesters, least recently granted first
	cycle      int

	number  int
	credits []int  // weighted round robin
	lfsr    uint32 // lottery
}

func newArbiterByDefinition(kind ArbiterKind, number, requesters, slice int) *arbiterByDefinition {
	a := &arbiterByDefinition{kind: kind, requesters: requesters, slice: slice, granted: -1, last: requesters - 1,
		number: number, lfsr: uint32(77 + number)}
	for i := range requesters {
		a.credits = append(a.credits, weightOf(number, i))
		a.order = append(a.order, i)
	}
	return a
}

func (a *arbiterByDefinition) latch(request []bool) {
	turn := a.cycle
	if a.kind == ArbiterTDMA {
		turn = a.cycle / a.slice % a.requesters
	}
	a.cycle++
	if a.granted >= 0 && request[a.granted] {
		return
	}
	a.granted = -1
	if a.kind == ArbiterLottery {
		a.draw(request)
		return
	}
	rich := false
	for i, requests := range request {
		rich = rich || requests && a.credits[i] > 0
	}
	for i := range a.requesters {
		switch a.kind {
		case ArbiterWeightedRoundRobin:
			if i = (a.last + 1 + i) % a.requesters; rich && a.credits[i] == 0 {
				continue
			}
		case ArbiterRoundRobin:
			i = (a.last + 1 + i) % a.requesters
		case ArbiterMatrix:
			i = a.order[i]
		case ArbiterTDMA:
			i = turn
		}
		if !request[i] {
			continue
		}
		a.granted, a.last = i, i
		if !rich {
			for k := range a.credits {
				a.credits[k] = weightOf(a.number, k)
			}
		}
		a.credits[i]--
		if a.kind == ArbiterMatrix {
			at := slices.Index(a.order, i)
			a.order = append(slices.Delete(a.order, at, at+1), i)
		}
		return
	}
}

// draw assigns consecutive numbers to the tickets of all requests.
func (a *arbiterByDefinition) draw(request []bool) {
	var tickets []int
	for i, requests := range request {
		for range weightOf(a.number, i) {
			if requests {
				tickets = append(tickets, i)
			}
		}
	}
	if len(tickets) == 0 {
		return
	}
	a.granted = tickets[uint64(a.lfsr)*uint64(len(tickets))>>32]
	for range 32 {
		lowest := a.lfsr & 1
		if a.lfsr >>= 1; lowest == 1 {
			a.lfsr ^= 0x80200003
		}
	}
}

func TestArbitersAgainstDefinition(t *testing.T) {
	for _, kind := range ArbiterKinds() {
		for _, requesters := range []int{1, 2, 3, 5, 16, 63, 64, 65, 1024, 65536} {
			slice, cycles := sliceOf(kind), uint64(3000)
			if requesters > 64 {
				cycles = 300
			}
			c, a := newArbiters(t, kind, requesters, slice, 2, 1, nil)
			model := make([]*arbiterByDefinition, clockedBank("x").Size())
			for i := range model {
				model[i] = newArbiterByDefinition(kind, i, requesters, slice)
			}
			request, spread := make([]bool, requesters), spreadOver(requesters)
			served := map[int]bool{}
			for cycle := range cycles {
				c.play(cycle, cycle+1) // outputs show the registers of the previous cycle
				for i, m := range model {
					busy, index := uint64(0), uint64(0)
					if m.granted >= 0 {
						busy, index = 1, uint64(m.granted)
						served[m.granted] = true
					}
					if a.Busy().Value[i] != busy || a.Index().Value[i] != index {
						require.Fail(t, "another grant", "%v of %d, cycle %d, arbiter %d: %d %d, want %d %d",
							kind, requesters, cycle, i, a.Busy().Value[i], a.Index().Value[i], busy, index)
					}
					for bit := range min(requesters, requestBits) {
						request[spread(bit)] = c.switches.value[0][i]>>bit&1 == 1
					}
					m.latch(request)
				}
			}
			if kind != ArbiterFixed && requesters <= requestBits {
				assert.Len(t, served, requesters, "%v of %d starves no one", kind, requesters)
			}
			if kind != ArbiterTDMA { // TDMA serves only a few requesters
				assert.Greater(t, len(served), min(requesters, requestBits)/8, "%v of %d", kind, requesters)
			}
		}
	}
}

// TestArbiterHold checks the timing diagram of Arbiters.
func TestArbiterHold(t *testing.T) {
	for _, kind := range ArbiterKinds() {
		slice := 0
		if kind.Spec().Slices {
			slice = 1 // the turn is A's in cycles 0, 2 and B's in 1, 3
		}
		c, a := newArbiters(t, kind, 2, slice, 5, 1, nil)
		var got []uint64
		for _, request := range []uint64{0b01, 0b11, 0b11, 0b10, 0b10, 0b10, 0b00, 0b00} {
			c.switches.value[0][0] = request
			c.kernel.DriveAndSettle()
			got = append(got, a.Busy().Value[0]<<a.Index().Value[0])
			c.kernel.Latch()
		}
		assert.Equal(t, []uint64{0, 1, 1, 1, 2, 2, 2, 0}, got, kind.String())
	}
}

// TestArbiterWait counts the frames of others that a requester waits for.
func TestArbiterWait(t *testing.T) {
	const requesters = 7
	for _, kind := range []ArbiterKind{ArbiterRoundRobin, ArbiterMatrix} {
		c, a := newArbiters(t, kind, requesters, 0, 5, 1, nil)
		waited, most := [requesters]int{}, 0
		const everybody = 1<<requesters - 1
		request, previous := uint64(everybody), uint64(0)
		for range 1000 {
			c.switches.value[0][0] = request
			c.kernel.DriveAndSettle()
			grant := a.Busy().Value[0] << a.Index().Value[0]
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
			request = everybody &^ grant // frames of one phit
			previous = grant
		}
		assert.Equal(t, requesters-1, most, kind.String())
	}
}

// TestWeightedShares requires that requesters that always request are served by weight.
func TestWeightedShares(t *testing.T) {
	for _, kind := range []ArbiterKind{ArbiterWeightedRoundRobin, ArbiterLottery} {
		c, a := newArbiters(t, kind, 4, 0, 5, 1, nil) // arbiter 0 has weights 1, 2, 3, 4
		grants := make([]int, 4)
		for range 10000 {
			for _, requests := range []uint64{0b1111, 0} { // a slot: all request, and none holds on
				c.switches.value[0][0] = requests
				c.kernel.DriveAndSettle()
				if a.Busy().Value[0] != 0 {
					grants[a.Index().Value[0]]++
				}
				c.kernel.Latch()
			}
		}
		for i, n := range grants {
			assert.InEpsilon(t, 1000*(i+1), n, map[ArbiterKind]float64{ArbiterWeightedRoundRobin: 0.002, ArbiterLottery: 0.1}[kind], "%v: %v", kind, grants)
		}
	}
}

// TestWrongArbiterKinds requires that inconsistent declarations are refused.
func TestWrongArbiterKinds(t *testing.T) {
	good := ArbiterSpec{Name: "good", Uses: ForOutputs, New: newRoundRobin, Mutants: make([]Mistake, 3)}
	require.Empty(t, good.wrong(77))
	for why, edit := range map[string]func(s *ArbiterSpec) ArbiterKind{
		"0 to 254":              func(*ArbiterSpec) ArbiterKind { return 255 },
		"has the number":        func(*ArbiterSpec) ArbiterKind { return ArbiterMatrix },
		"not none":              func(s *ArbiterSpec) ArbiterKind { s.Name = "none"; return 77 },
		"lower-case":            func(s *ArbiterSpec) ArbiterKind { s.Name = "two words"; return 77 },
		"has the name":          func(s *ArbiterSpec) ArbiterKind { s.Name = "tdma"; return 77 },
		"without New":           func(s *ArbiterSpec) ArbiterKind { s.New = nil; return 77 },
		"three mutants":         func(s *ArbiterSpec) ArbiterKind { s.Mutants = nil; return 77 },
		"serves only buses":     func(s *ArbiterSpec) ArbiterKind { s.Slices = true; return 77 },
		"no pins":               func(s *ArbiterSpec) ArbiterKind { s.Weighted, s.Whole = true, true; return 77 },
		"own arbiter_choice.v":  func(s *ArbiterSpec) ArbiterKind { s.RTL, s.Whole = os.DirFS("."), true; return 77 },
		"ForCaps without Whole": func(s *ArbiterSpec) ArbiterKind { s.Uses = ForCaps; return 77 },
		"the kinds of ListRule": func(s *ArbiterSpec) ArbiterKind { s.Uses = ForLists; return 77 },
	} {
		spec := good
		kind := edit(&spec)
		require.Contains(t, spec.wrong(kind), why)
	}
}

func TestArbitersBank(t *testing.T) {
	for _, kind := range ArbiterKinds() {
		for _, requesters := range []int{5, 1000} {
			t.Run(fmt.Sprintf("%v/%d", kind, requesters), func(t *testing.T) {
				requireBank(t, func(unitsPerShard, workers int, shuffle *rand.Rand) *clocked {
					c, _ := newArbiters(t, kind, requesters, sliceOf(kind), unitsPerShard, workers, shuffle)
					return c
				})
			})
		}
	}
}

// FuzzArbiters lets each byte change one request of one of three arbiters, or pass two cycles.
func FuzzArbiters(f *testing.F) {
	f.Add(uint8(ArbiterRoundRobin), uint16(5), []byte("\x01\x02\xFF\x01\x81\xFF\x02\x82\xFF"))
	f.Add(uint8(ArbiterMatrix), uint16(65535), []byte("\x01\x02\x03\xFF\x01\xFF\x02\x01\xFF\x03\xFF\xFF"))
	f.Add(uint8(ArbiterTDMA), uint16(2), []byte("\x00\x01\xFF\xFF\xFF\xFF\x00\xFF"))
	f.Fuzz(func(t *testing.T, kind uint8, last uint16, steps []byte) {
		k, requesters := ArbiterKind(kind)%ArbiterKind(len(ArbiterKinds())), int(last)%4096+1
		bank, shards := Bank{Name: "arbiter", Units: 3, PerUnit: 1}, Shards(3, 2)
		lines, err := NewRequests(bank, "request", requesters, shards)
		require.NoError(t, err)
		a, err := NewArbiters(configOf(bank, k, sliceOf(k), lines))
		require.NoError(t, err)
		var models [3]*arbiterByDefinition
		var high [3][]bool
		for i := range models {
			models[i], high[i] = newArbiterByDefinition(k, i, requesters, sliceOf(k)), make([]bool, requesters)
		}
		for _, step := range steps[:min(len(steps), 100)] {
			if step < 0xF0 {
				requester := (int(step) * 8191) % requesters
				high[step%3][requester] = !high[step%3][requester]
				continue
			}
			for range 2 {
				for _, s := range shards {
					lines.Clear(s.Index)
				}
				for i := range high {
					for requester, is := range high[i] {
						if is {
							lines.Raise(requester%len(shards), uint32(i), uint32(requester)) // by any shard
						}
					}
				}
				for _, s := range shards {
					a.Latch(s)
				}
				for _, s := range shards {
					a.Drive(s)
				}
				for i, m := range models {
					m.latch(high[i])
					granted := -1
					if a.Busy().Value[i] != 0 {
						granted = int(a.Index().Value[i])
					}
					require.Equal(t, m.granted, granted, "%v of %d, arbiter %d", k, requesters, i)
				}
			}
		}
	})
}

func TestArbitersRefuse(t *testing.T) {
	lines := func(bank Bank, requesters int) *Requests {
		r, err := NewRequests(bank, "request", requesters, Shards(bank.Units, 1))
		require.NoError(t, err)
		return r
	}
	good := ArbiterConfig{Bank: clockedBank("arbiter"), Kind: ArbiterTDMA, SliceCycles: 2, Request: lines(clockedBank("arbiter"), 4)}
	_, err := NewArbiters(good)
	require.NoError(t, err)
	for text, edit := range map[string]func(c *ArbiterConfig){
		"0 units":  func(c *ArbiterConfig) { c.Bank.Units = 0 },
		"kind(99)": func(c *ArbiterConfig) { c.Kind = 99 },
		"weights are not supported by arbiter tdma": func(c *ArbiterConfig) { c.Weights = make([][]uint8, 1) },
		"seeds are not supported by arbiter tdma":   func(c *ArbiterConfig) { c.Seeds = make([]uint32, 1) },
		"seeds for 1 arbiters instead of 15": func(c *ArbiterConfig) {
			c.Kind, c.SliceCycles, c.Seeds = ArbiterLottery, 0, make([]uint32, 1)
		},
		"weights for 1 arbiters instead of 15": func(c *ArbiterConfig) {
			c.Kind, c.SliceCycles, c.Weights = ArbiterLottery, 0, make([][]uint8, 1)
		},
		"0 cycles; for tdma allowed: 1 to 65535": func(c *ArbiterConfig) { c.SliceCycles = 0 },
		"65536 cycles":                           func(c *ArbiterConfig) { c.SliceCycles = 65536 },
		"2 cycles; for fixed allowed: 0 to 0":    func(c *ArbiterConfig) { c.Kind = ArbiterFixed },
		"no request":                             func(c *ArbiterConfig) { c.Request = nil },
		"belong to 1 arbiters in 1 units":        func(c *ArbiterConfig) { c.Request = lines(Bank{Name: "one", Units: 1, PerUnit: 1}, 4) },
	} {
		c := good
		edit(&c)
		_, err := NewArbiters(c)
		assert.ErrorContains(t, err, text)
	}

	c, a := newArbiters(t, ArbiterMatrix, 3, 0, 5, 1, nil)
	requireRefused(t, c.kernel, "granted", func() { a.granted[2] = 4 })
	requireRefused(t, c.kernel, "served_at", func() { a.arbitration.(*matrix).served.set(2, 1, NeverRank) })
	m := a.arbitration.(*matrix)
	requireRefused(t, c.kernel, "there are 15 arbiters of 3", func() { m.served.set(2, 3, 1) })
	requireRefused(t, c.kernel, "grants", func() { m.grants[2] = NeverRank })
	c, a = newArbiters(t, ArbiterRoundRobin, 3, 0, 5, 1, nil)
	requireRefused(t, c.kernel, "first", func() { a.arbitration.(*roundRobin).first[1] = 3 })
	c, a = newArbiters(t, ArbiterTDMA, 3, 2, 5, 1, nil)
	requireRefused(t, c.kernel, "turn", func() { a.arbitration.(*tdma).turn[0] = 3 })
	requireRefused(t, c.kernel, "elapsed", func() { a.arbitration.(*tdma).elapsed[0] = 2 })
	c, a = newArbiters(t, ArbiterWeightedRoundRobin, 3, 0, 5, 1, nil)
	requireRefused(t, c.kernel, "spent", func() { a.arbitration.(*weightedRoundRobin).spent.set(2, 1, 256) })
}

func TestRequestsRefuse(t *testing.T) {
	bank, shards := clockedBank("arbiter"), Shards(clockedUnits, 1)
	for text, build := range map[string]func() (*Requests, error){
		"0 units":           func() (*Requests, error) { return NewRequests(Bank{Name: "a", PerUnit: 1}, "request", 4, shards) },
		"x y":               func() (*Requests, error) { return NewRequests(bank, "x y", 4, shards) },
		" 0 requesters":     func() (*Requests, error) { return NewRequests(bank, "request", 0, shards) },
		" 65537 requesters": func() (*Requests, error) { return NewRequests(bank, "request", 65537, shards) },
		"hold 4 of 5 units": func() (*Requests, error) { return NewRequests(bank, "request", 4, shards[:4]) },
	} {
		_, err := build()
		assert.ErrorContains(t, err, text)
	}
}

// TestTwoGrantsAreRefused requires that replacing RTL grants at most one requester.
func TestTwoGrantsAreRefused(t *testing.T) {
	_, a := newArbiters(t, ArbiterFixed, 100, 0, 5, 1, nil)
	port := a.Site().Port("grant_o")
	pins := Pins{Words: make([]uint64, 2), Bits: 100}
	pins.SetBits(70, 1, 1)
	require.NoError(t, port.Put(3, pins)())
	require.EqualValues(t, 1, a.Busy().Value[3])
	require.EqualValues(t, 70, a.Index().Value[3])
	pins.SetBits(3, 1, 1)
	require.EqualError(t, port.Put(3, pins)(), "it grants 2 requesters at once, including 3 and 70")
	pins.Clear()
	require.NoError(t, port.Put(3, pins)())
	require.Zero(t, a.Busy().Value[3])
}

func BenchmarkArbiters(b *testing.B) {
	for _, kind := range ArbiterKinds() {
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

// BenchmarkArbitersSparse has 4,096 arbiters of 65,536 requesters, 16 of them with three requests; a granted
// requester withdraws.
func BenchmarkArbitersSparse(b *testing.B) {
	const arbiters, used = 4096, 16
	for _, kind := range ArbiterKinds() {
		b.Run(kind.String(), func(b *testing.B) {
			bank, shards := Bank{Name: "arbiter", Units: arbiters, PerUnit: 1}, Shards(arbiters, arbiters)
			lines, err := NewRequests(bank, "request", RequestersMax, shards)
			require.NoError(b, err)
			a, err := NewArbiters(configOf(bank, kind, sliceOf(kind), lines))
			require.NoError(b, err)
			for b.Loop() {
				lines.Clear(0)
				for i := range uint32(used) {
					for k := range uint32(3) {
						if requester := 9000 * k; a.granted[i*200] != requester+1 {
							lines.Raise(0, i*200, requester)
						}
					}
				}
				a.Latch(shards[0])
				a.Drive(shards[0])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/used, "ns/used_arbiter")
		})
	}
}
