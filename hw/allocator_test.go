package hw

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// naiveSlot is one slot of list matching with maps, after Algorithm 2 (De Florio and Blondia, section 6) with a
// rotating pointer.
func naiveSlot(rule ListRule, pointer int, requesting []uint32, requests []ListRequest,
	listeners []Listener) (claims []ListClaim) {
	type turn struct{ tag, late, input int }
	var turns []turn
	for _, input := range requesting {
		t := turn{tag: int(requests[input].Tag), input: int(input)}
		if rule.RoundRobin {
			t.late = (int(input) - pointer + len(requests)) % len(requests)
		}
		turns = append(turns, t)
	}
	slices.SortFunc(turns, func(a, b turn) int {
		return slices.Compare([]int{a.tag, a.late, a.input}, []int{b.tag, b.late, b.input})
	})
	taken := map[uint32]bool{}
	for _, t := range turns {
		r := requests[t.input]
		able := func(position int) bool {
			if position >= len(r.List) || r.Valid[position/64]>>(position%64)&1 == 0 {
				return false
			}
			output := r.List[position]
			if int(output) >= len(listeners) || taken[output] || !listeners[output].Listening {
				return false
			}
			return !listeners[output].Filtered || listeners[output].Tag == r.Tag
		}
		choice := -1
		if able(int(r.First)) {
			choice = int(r.First)
		} else {
			for position := range r.List {
				if able(position) {
					choice = position
					break
				}
			}
		}
		if choice >= 0 && (rule.Cap == 0 || len(claims) < rule.Cap) {
			taken[r.List[choice]] = true
			claims = append(claims, ListClaim{uint32(t.input), uint32(choice), r.List[choice]})
		}
	}
	return claims
}

func randomSlot(r *rand.Rand, ports, length int) (requesting []uint32, requests []ListRequest, listeners []Listener) {
	tags, density := 1+r.IntN(3), r.IntN(4)
	tag := func() uint16 { return uint16(r.IntN(tags)) * 40000 }
	for i := range ports {
		if r.IntN(4) <= density {
			requesting = append(requesting, uint32(i))
		}
		request := ListRequest{Tag: tag(), Valid: make([]uint64, (length+63)/64), First: uint32(r.IntN(length + 2))}
		for range length {
			request.List = append(request.List, uint32(r.IntN(ports+1))) // also one beyond the last output
		}
		for w := range request.Valid {
			request.Valid[w] = r.Uint64() & r.Uint64()
		}
		requests = append(requests, request)
		listeners = append(listeners, Listener{r.IntN(3) > 0, r.IntN(3) == 0, tag()})
	}
	r.Shuffle(len(requesting), func(i, j int) { requesting[i], requesting[j] = requesting[j], requesting[i] })
	return requesting, requests, listeners
}

func randomRule(r *rand.Rand, ports int) ListRule {
	rule := ListRule{RoundRobin: r.IntN(2) == 0}
	if r.IntN(3) == 0 {
		rule.Cap = 1 + r.IntN(ports)
	}
	return rule
}

func TestListMatchingAgainstDefinition(t *testing.T) {
	claims := 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 1))
		ports, length := 1+r.IntN(70), 1+r.IntN(80)
		m := ListMatching{Rule: randomRule(r, ports)}
		pointer := 0
		for slot := range 8 {
			requesting, requests, listeners := randomSlot(r, ports, length)
			want := naiveSlot(m.Rule, pointer, requesting, requests, listeners)
			got := m.Slot(requesting, requests, listeners)
			require.Equal(t, len(want), len(got), "seed %d, slot %d", seed, slot)
			require.True(t, slices.Equal(want, got), "seed %d, slot %d: %v, want %v", seed, slot, got, want)
			if len(want) > 0 {
				pointer = (int(want[0].Input) + 1) % ports
			}
			require.EqualValues(t, pointer, m.Pointer)
			claims += len(got)
		}
	}
	require.Greater(t, claims, 10_000)
}

// gossip runs the automaton FSA of De Florio and Blondia, section 2, with several sessions, and returns its
// run-table.
func gossip(m *ListMatching, orders [][]uint32, sessions int, ask func(sent int, r *ListRequest)) (table [][]string) {
	n := len(orders)
	requests, listeners := make([]ListRequest, n), make([]Listener, n)
	received, sent, session := make([]int, n), make([]int, n), make([]int, n)
	table = make([][]string, n)
	for p := range requests {
		requests[p] = ListRequest{List: orders[p], Valid: allValid(n - 1)}
	}
	for finished := 0; finished < n; {
		var requesting []uint32
		for p := range requests {
			sending := session[p] < sessions && received[p] >= p && sent[p] < n-1
			listeners[p] = Listener{session[p] < sessions && !sending, true, uint16(session[p])}
			if requests[p].Tag = uint16(session[p]); sending {
				ask(sent[p], &requests[p])
				requesting = append(requesting, uint32(p))
			}
			table[p] = append(table[p], "-")
		}
		step := len(table[0]) - 1
		if step > sessions*n*n { // N(N+1) are enough for any permutation
			panic("the run does not end")
		}
		for _, p := range requesting {
			table[p][step] = "~"
		}
		for _, c := range m.Slot(requesting, requests, listeners) {
			table[c.Input][step], table[c.Output][step] = fmt.Sprintf("S%d", c.Output), fmt.Sprintf("R%d", c.Input)
			requests[c.Input].Valid[c.Position/64] &^= 1 << (c.Position % 64)
			sent[c.Input]++
			received[c.Output]++
		}
		for p := range requests {
			if session[p] < sessions && sent[p] == n-1 && received[p] == n-1 {
				session[p], sent[p], received[p], requests[p].Valid = session[p]+1, 0, 0, allValid(n-1)
				if session[p] == sessions {
					finished++
				}
			}
		}
	}
	return table
}

func allValid(positions int) []uint64 {
	valid := make([]uint64, (positions+63)/64)
	for position := range positions {
		valid[position/64] |= 1 << (position % 64)
	}
	return valid
}

var asks = map[string]func(sent int, r *ListRequest){
	"head": func(sent int, r *ListRequest) { // its next addressee only
		clear(r.Valid)
		r.Valid[sent/64] = 1 << (sent % 64)
	},
	"alg2":      func(sent int, r *ListRequest) { r.First = uint32(sent) },
	"alg2prime": func(sent int, r *ListRequest) { r.First = uint32(len(r.List)) },
}

func identity(n int) (orders [][]uint32) {
	for p := range n {
		var order []uint32
		for q := range n {
			if q != p {
				order = append(order, uint32(q))
			}
		}
		orders = append(orders, order)
	}
	return orders
}

func pipelined(n int) (orders [][]uint32) {
	for p := range n {
		var order []uint32
		for k := range n - 1 {
			order = append(order, uint32((p+1+k)%n))
		}
		orders = append(orders, order)
	}
	return orders
}

func readCSV(t *testing.T, name string) [][]string {
	file, err := os.Open("testdata/" + name)
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	return rows
}

func number(t *testing.T, text string) int {
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// TestAlgorithm2PublishedTables compares every cell of Tables 7 and 9.
func TestAlgorithm2PublishedTables(t *testing.T) {
	for _, c := range []struct {
		name   string
		orders [][]uint32
	}{{"gossip_table_7.csv", identity(8)}, {"gossip_table_9.csv", pipelined(5)}} {
		rows := readCSV(t, c.name)[1:]
		table := gossip(&ListMatching{}, c.orders, 1, asks["alg2"])
		for p, row := range rows[:len(c.orders)] { // the rows below hold the outputs used in each step
			assert.Equal(t, strings.Join(row[1:], " "), strings.Join(table[p], " "), "%s, processor %d", c.name, p)
		}
	}
}

// TestGossipLengths checks lengths of plain permutations, Algorithm 2 and Algorithm 2' for every N.
func TestGossipLengths(t *testing.T) {
	nMax := 64
	if testing.Short() {
		nMax = 16
	}
	rows := readCSV(t, "gossip_lengths.csv")
	column := func(name string) int { return slices.Index(rows[0], name) }
	for _, row := range rows[1 : nMax+1] {
		n := number(t, row[0]) + 1
		for name, c := range map[string]struct {
			orders [][]uint32
			ask    string
		}{
			"lambda_identity": {identity(n), "head"}, "lambda_pipelined": {pipelined(n), "head"},
			"alg2_identity": {identity(n), "alg2"}, "alg2_pipelined": {pipelined(n), "alg2"},
			"cursor_free_identity": {identity(n), "alg2prime"}, "cursor_free_pipelined": {pipelined(n), "alg2prime"},
		} {
			assert.Len(t, gossip(&ListMatching{}, c.orders, 1, asks[c.ask])[0], number(t, row[column(name)]), "%s of N = %d", name, n-1)
		}
	}
	for i, lambda := range []int{2, 7, 19, 42, 89, 185, 376, 760} { // section 7e
		assert.Len(t, gossip(&ListMatching{}, identity(2<<i), 1, asks["alg2"])[0], lambda, "N = %d", 2<<i-1)
	}
}

// TestGossipCapAndSessions checks lengths of sections 9 (caps) and 6 (sessions by tag).
func TestGossipCapAndSessions(t *testing.T) {
	for _, c := range []struct{ n, cap, identity, pipelined int }{
		{10, 1, 90, 90}, {10, 2, 74, 47}, {10, 3, 74, 36}, {10, 4, 74, 29}, {10, 0, 74, 27},
		{32, 4, 767, 254}, {32, 8, 767, 138}, {32, 0, 767, 93},
	} {
		m := ListMatching{Rule: ListRule{Cap: c.cap}}
		assert.Len(t, gossip(&m, identity(c.n), 1, asks["head"])[0], c.identity, "%+v", c)
		assert.Len(t, gossip(&m, pipelined(c.n), 1, asks["head"])[0], c.pipelined, "%+v", c)
	}
	for _, row := range readCSV(t, "gossip_sessions.csv")[1:] {
		for k := 1; k <= 4; k++ {
			assert.Len(t, gossip(&ListMatching{}, pipelined(number(t, row[0])+1), k, asks["head"])[0], number(t, row[k]), "N = %s, %d sessions", row[0], k)
		}
	}
}

// TestListMatchingFair: with a pointer, an input that always requests an output is served at least once in as many
// slots as inputs request it.
func TestListMatchingFair(t *testing.T) {
	const ports = 7
	m := ListMatching{Rule: ListRule{RoundRobin: true}}
	requests, listeners := make([]ListRequest, ports), make([]Listener, ports)
	listeners[3].Listening = true
	var requesting []uint32
	for i := range requests {
		requests[i] = ListRequest{List: []uint32{3}, Valid: []uint64{1}}
		requesting = append(requesting, uint32(i))
	}
	for slot := range uint32(30) {
		require.Equal(t, []ListClaim{{slot % ports, 0, 3}}, m.Slot(requesting, requests, listeners))
	}
	listeners[3].Listening = false
	require.Empty(t, m.Slot(requesting, requests, listeners))
	require.EqualValues(t, 30%ports, m.Pointer, "it moves only when a frame starts")
	require.Zero(t, testing.AllocsPerRun(20, func() { m.Slot(requesting, requests, listeners) }))
}

// memory answers allocators within the cycle, like the memories of inputs.
type memory struct {
	allocators *ListAllocators
	lists      *Lists
	requests   func(allocator int, input uint32) ListRequest
}

func (m *memory) Path() string                 { return "memory" }
func (m *memory) Reset()                       {}
func (m *memory) State(*StateVisitor)          {}
func (m *memory) QuietFor(limit uint64) uint64 { return limit }
func (m *memory) Inputs() []Wire               { return []Wire{m.allocators.Turn(), m.allocators.Input()} }
func (m *memory) Outputs() []Wire              { return []Wire{m.lists} }
func (m *memory) Settle(s Shard) {
	first, end := m.allocators.bank.CentralCells(s)
	for i := first; i < end; i++ {
		if m.allocators.Turn().Value[i] != 0 {
			m.lists.Answer[i] = m.requests(i, uint32(m.allocators.Input().Value[i]))
		}
	}
}

// newListAllocators returns an allocator per element of the bank, with its ports in the same unit.
func newListAllocators(t testing.TB, ports, length int, rule ListRule, unitsPerShard, workers int, shuffle *rand.Rand,
	requests func(allocator int, input uint32) ListRequest,
) (*clocked, *ListAllocators) {
	t.Helper()
	bank := clockedBank("allocator")
	side := clockedBank("port")
	side.PerUnit *= ports
	central := newSwitches(t, clockedBank("slot"), []string{"start"}, []int{1})
	sides := newSwitches(t, side, []string{"request", "tag", "listen", "filter", "filter_tag"}, []int{1, 16, 1, 1, 16})
	lists, err := NewLists(bank, "lists", length)
	require.NoError(t, err)
	a, err := NewListAllocators(ListAllocatorConfig{
		Bank: bank, Ports: ports, Rule: rule, Start: central.wires[0], Request: sides.wires[0], Tag: sides.wires[1],
		Listen: sides.wires[2], Filter: sides.wires[3], FilterTag: sides.wires[4], Lists: lists,
	})
	require.NoError(t, err)
	c := &clocked{
		switches: &switches{value: append(slices.Clone(central.value), sides.value...)},
		outputs:  []*Signal{a.Turn(), a.Input(), a.served, a.servedInput, a.position, a.grant, a.Claimed(), a.Source()},
	}
	c.kernel = newKernelOf(t, unitsPerShard, workers, shuffle, central, sides, a, &memory{a, lists, requests})
	return c, a
}

// showSlot sets the switches of a slot.
func (s *switches) showSlot(allocator, ports int, requesting []uint32, requests []ListRequest, listeners []Listener) {
	for i := range ports {
		k := allocator*ports + i
		s.value[1][k], s.value[2][k] = flag(slices.Contains(requesting, uint32(i))), uint64(requests[i].Tag)
		s.value[3][k], s.value[4][k], s.value[5][k] = flag(listeners[i].Listening),
			flag(listeners[i].Filtered), uint64(listeners[i].Tag)
	}
}

func flag(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

// TestListAllocatorsAgainstMatching compares cell and function slot by slot; the cell takes at most as many cycles as
// ports.
func TestListAllocatorsAgainstMatching(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		ports, length := 1+r.IntN(12), 1+r.IntN(12)
		if seed%8 == 0 {
			ports, length = 1+r.IntN(130), 1+r.IntN(130)
		}
		rule := randomRule(r, ports)
		cells := clockedBank("x").Size()
		all := make([][]ListRequest, cells)
		c, a := newListAllocators(t, ports, length, rule, 2, 1, nil,
			func(i int, input uint32) ListRequest { return all[i][input] })
		matchings := make([]ListMatching, cells)
		for range 10 {
			want := make([][]ListClaim, cells)
			for i := range cells {
				requesting, requests, listeners := randomSlot(r, ports, length)
				all[i] = requests
				c.switches.showSlot(i, ports, requesting, requests, listeners)
				matchings[i].Rule = rule
				want[i] = slices.Clone(matchings[i].Slot(requesting, requests, listeners))
			}
			got := make([][]ListClaim, cells)
			for cycle := range ports + 1 {
				for i := range cells {
					c.switches.value[0][i] = flag(cycle == 0)
				}
				c.kernel.DriveAndSettle()
				for i := range cells {
					if cycle > 0 && a.served.Value[i] != 0 {
						input, position := a.servedInput.Value[i], a.position.Value[i]
						got[i] = append(got[i], ListClaim{uint32(input), uint32(position), all[i][input].List[position]})
					}
				}
				if cycle < ports {
					c.kernel.Latch()
				}
			}
			for i := range cells {
				require.Equal(t, len(want[i]), len(got[i]), "seed %d", seed)
				require.True(t, slices.Equal(want[i], got[i]), "seed %d: %v, want %v", seed, got[i], want[i])
				for k := range ports {
					from := slices.IndexFunc(want[i], func(c ListClaim) bool { return int(c.Output) == k })
					require.Equal(t, flag(from >= 0), a.Claimed().Value[i*ports+k])
					if from >= 0 {
						require.EqualValues(t, want[i][from].Input, a.Source().Value[i*ports+k])
					}
					require.Equal(t, flag(slices.ContainsFunc(want[i], func(c ListClaim) bool { return int(c.Input) == k })),
						a.grant.Value[i*ports+k])
				}
			}
			c.kernel.Latch() // with turn 0
		}
	}
}

// TestOneAllocatorOfManyShards tests a bank of one unit in a machine of many.
func TestOneAllocatorOfManyShards(t *testing.T) {
	b := Bank{Name: "allocator", Units: 1, PerUnit: 1}
	for shard, want := range map[Shard][2]int{{0, 0, 4}: {0, 1}, {1, 4, 8}: {1, 1}} {
		first, end := b.CentralCells(shard)
		require.Equal(t, want, [2]int{first, end})
	}
}

func TestListAllocatorsBank(t *testing.T) {
	const ports, length = 3, 4
	for _, rule := range []ListRule{{}, {RoundRobin: true, Cap: 2}} {
		requireBank(t, func(unitsPerShard, workers int, shuffle *rand.Rand) *clocked {
			var requests [ports]ListRequest
			for i := range requests {
				requests[i] = ListRequest{List: []uint32{0, 1, 2, uint32(i)},
					Valid: []uint64{uint64(5 + 3*i)}, First: uint32(i + 2)}
			}
			c, _ := newListAllocators(t, ports, length, rule, unitsPerShard, workers, shuffle,
				func(_ int, input uint32) ListRequest { return requests[input] })
			c.random = func(cycle uint64, s *switches) {
				r := rand.New(rand.NewPCG(3, cycle))
				for w, value := range s.value {
					for i := range value {
						switch w {
						case 0:
							value[i] = flag(r.IntN(4) == 0)
						case 2, 5:
							value[i] = r.Uint64N(2)
						default:
							value[i] = flag(r.IntN(3) > 0)
						}
					}
				}
			}
			return c
		})
	}
}

func FuzzListMatching(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed, uint8(5+20*seed), uint8(9*seed), seed%2 == 0, uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, ports, length uint8, roundRobin bool, limit uint8) {
		n := int(ports)%100 + 1
		m := ListMatching{Rule: ListRule{RoundRobin: roundRobin, Cap: int(limit) % (n + 1)}}
		r := rand.New(rand.NewPCG(seed, 3))
		pointer := 0
		for range 4 {
			requesting, requests, listeners := randomSlot(r, n, int(length)%100+1)
			want := naiveSlot(m.Rule, pointer, requesting, requests, listeners)
			require.True(t, slices.Equal(want, m.Slot(requesting, requests, listeners)))
			if len(want) > 0 {
				pointer = (int(want[0].Input) + 1) % n
			}
		}
	})
}

func TestListAllocatorsRefuse(t *testing.T) {
	bank, side := Bank{Name: "allocator", Units: 1, PerUnit: 1}, Bank{Name: "port", Units: 1, PerUnit: 4}
	signal := func(bank Bank, name string, bits int) *Signal {
		s, err := NewSignal(bank, name, bits)
		require.NoError(t, err)
		return s
	}
	lists, err := NewLists(bank, "lists", 3)
	require.NoError(t, err)
	good := ListAllocatorConfig{
		Bank: bank, Ports: 4, Start: signal(bank, "start", 1), Request: signal(side, "request", 1), Tag: signal(side, "tag", 16),
		Listen: signal(side, "listen", 1), Filter: signal(side, "filter", 1), FilterTag: signal(side, "filter_tag", 16), Lists: lists,
	}
	a, err := NewListAllocators(good)
	require.NoError(t, err)
	for text, edit := range map[string]func(c *ListAllocatorConfig){
		"0 units":               func(c *ListAllocatorConfig) { c.Bank.Units = 0 },
		" 0 ports":              func(c *ListAllocatorConfig) { c.Ports = 0 },
		" 65537 ports":          func(c *ListAllocatorConfig) { c.Ports = 65537 },
		"a cap of 5":            func(c *ListAllocatorConfig) { c.Rule.Cap = 5 },
		"a cap of -1":           func(c *ListAllocatorConfig) { c.Rule.Cap = -1 },
		"no start wire":         func(c *ListAllocatorConfig) { c.Start = nil },
		"has 4 elements of 1 b": func(c *ListAllocatorConfig) { c.Tag = c.Request },
		"needs 3 of 1":          func(c *ListAllocatorConfig) { c.Ports = 3 },
		"no lists":              func(c *ListAllocatorConfig) { c.Lists = nil },
	} {
		c := good
		edit(&c)
		_, err := NewListAllocators(c)
		assert.ErrorContains(t, err, text)
	}
	for _, length := range []int{0, 65537} {
		_, err := NewLists(bank, "lists", length)
		assert.ErrorContains(t, err, "allowed: 1 to 65536")
	}
	port := a.Site().Port("input_o")
	require.EqualValues(t, 2, port.Bits)
	require.NoError(t, port.Put(0, Pins{Words: []uint64{3}, Bits: 2})())

	c, x := newListAllocators(t, 3, 4, ListRule{}, 5, 1, nil, func(int, uint32) ListRequest { return ListRequest{} })
	require.ErrorContains(t, x.Site().Port("input_o").Put(0, Pins{Words: []uint64{3}, Bits: 2})(), "is 3, but inputs "+
		"are 0 to 2")
	requireRefused(t, c.kernel, "busy", func() { x.busy[1] = 2 })
	requireRefused(t, c.kernel, "claims", func() { x.claims[1] = 4 })
	requireRefused(t, c.kernel, "first", func() { x.first[1] = 3 })
	requireRefused(t, c.kernel, "next", func() { x.next[1] = 3 })
	requireRefused(t, c.kernel, "result", func() { x.result[1] = 4 })
	requireRefused(t, c.kernel, "at", func() { x.at[1] = 4 })
	requireRefused(t, c.kernel, "had", func() { x.had[1] = 2 })
	requireRefused(t, c.kernel, "granted", func() { x.granted[1] = 2 })
	requireRefused(t, c.kernel, "owner", func() { x.owner[1] = 4 })
}

func BenchmarkListMatching(b *testing.B) {
	for _, ports := range []int{64, 1024} {
		b.Run(strconv.Itoa(ports), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			requesting, requests, listeners := randomSlot(r, ports, ports-1)
			m := ListMatching{}
			for b.Loop() {
				m.Slot(requesting, requests, listeners)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(ports), "ns/port")
		})
	}
}
