package hw

import (
	"cmp"
	"fmt"
	"slices"
)

// CapRule orders the candidates for transfers under a cap: by ascending tag, then in the order of the arbiter kind.
type CapRule struct {
	Kind ArbiterKind // must support ForCaps
	Cap  int         // transfers per slot, at least 1
}

// CapMatching chooses the transfers of a slot among the granted inputs. A cap arbiter makes the same choices in Cap
// cycles. A CapMatching must not be used concurrently. It allocates only while its buffers grow.
type CapMatching struct {
	Registers // memory of the kind
	rule      CapRule
	choice    Arbitration

	order  []uint32
	asks   []Request
	ranks  []uint64
	chosen []uint32
}

// NewCapMatching returns a matching in its reset state. path is its path in saved states.
func NewCapMatching(path string, inputs int, rule CapRule) *CapMatching {
	m := &CapMatching{rule: rule, choice: rule.Kind.Spec().New(ArbiterShape{
		Path: path, Element: func(int) string { return path }, Arbiters: 1, Requesters: inputs, Shards: 1,
	})}
	d := m.choice.Memory()
	d.Path = path
	m.Registers = Declare(d)
	m.Reset()
	return m
}

// Slot returns the chosen inputs in the order of choice; the slice is valid until the next call. granted lists the
// inputs with a grant of an output, in any order; tags has a tag for every input.
func (m *CapMatching) Slot(granted []uint32, tags []uint16) []uint32 {
	m.order = append(m.order[:0], granted...)
	slices.SortFunc(m.order, func(a, b uint32) int { return cmp.Or(cmp.Compare(tags[a], tags[b]), cmp.Compare(a, b)) })
	m.chosen = m.chosen[:0]
	for first := 0; first < len(m.order) && len(m.chosen) < m.rule.Cap; {
		end := first
		for end < len(m.order) && tags[m.order[end]] == tags[m.order[first]] {
			end++
		}
		m.choose(m.order[first:end])
		first = end
	}
	return m.chosen
}

// choose selects inputs with equal tags up to the cap. A choice keeps the order of the other inputs (ForCaps).
func (m *CapMatching) choose(inputs []uint32) {
	m.asks = m.asks[:0]
	for _, input := range inputs {
		m.asks = append(m.asks, Request{Requester: input})
	}
	m.ranks = append(m.ranks[:0], make([]uint64, len(inputs))...)
	m.choice.Rank(0, m.asks, m.ranks)
	for k := range m.asks { // the field Arbiter holds the index of the rank
		m.asks[k].Arbiter = uint32(k)
	}
	slices.SortFunc(m.asks, func(a, b Request) int {
		return cmp.Or(cmp.Compare(m.ranks[a.Arbiter], m.ranks[b.Arbiter]), cmp.Compare(a.Requester, b.Requester))
	})
	for _, q := range m.asks[:min(len(m.asks), m.rule.Cap-len(m.chosen))] {
		if m.ranks[q.Arbiter] == NeverRank {
			break // all other ranks are NeverRank, too
		}
		m.chosen = append(m.chosen, q.Requester)
		m.choice.Granted(0, q.Requester)
	}
}

// CapArbiters is a bank of arbiters that limit the transfers of a slot. In each cycle after start, an arbiter chooses
// one input among the inputs with a grant of a crossbar output. It stops after Cap inputs, or when no input is left
// (CapMatching).
//
//	cycle       0    1    2    3    4
//	start      /-\___________________
//	request     a,b,c----------------
//	served      _____/---------\_____   a, b with a cap of 2
//	grant       -    a    a,b  a,b      until the next start
//
// The output arbiters decide in the cycle before start, so head matching with a cap takes 1 + Cap cycles. Requests
// and tags should be stable from start on. A start in the middle of a slot starts a new choice.
//
// Reset: idle until start, pointer at 0, no input served.
//
// Parameters: ports, cap, kind. Inputs: start, and request and tag of each input port. Outputs: grant of each input
// port, and served with the input chosen in the previous cycle. Twin: cap_arbiter.v.
type CapArbiters struct {
	Registers
	bank   Bank
	ports  int
	rule   CapRule
	choice Arbitration

	start, request, tag        *Signal
	served, servedInput, grant *Signal

	// Registers in addition to those of the arbiter kind.
	busy    []uint8
	chosen  []uint32 // number of inputs chosen in this slot
	result  []uint32 // input chosen in the previous cycle, plus 1; 0 for none
	granted []uint8  // by input: 1 if the input was chosen in this slot

	changed []bool      // outputs differ from the registers
	rivals  []capRivals // by arbiter
}

type capRivals struct {
	asks  []Request
	ranks []uint64
}

// CapArbiterConfig holds the parameters of a bank of cap arbiters.
type CapArbiterConfig struct {
	Bank  Bank
	Ports int // inputs per arbiter, 1..AllocatorPortsMax
	Rule  CapRule

	Start        *Signal // 1 bit per arbiter
	Request, Tag *Signal // 1 bit and 16 bits for each of the Ports inputs of an arbiter, side by side
}

// NewCapArbiters returns a bank in its reset state.
func NewCapArbiters(c CapArbiterConfig) (*CapArbiters, error) {
	if err := c.Bank.Check(); err != nil {
		return nil, err
	}
	path := c.Bank.Path()
	switch {
	case c.Ports < 1 || c.Ports > AllocatorPortsMax:
		return nil, fmt.Errorf("%s: %d ports; allowed: 1 to %d", path, c.Ports, AllocatorPortsMax)
	case c.Rule.Cap < 1 || c.Rule.Cap > c.Ports:
		return nil, fmt.Errorf("%s: a cap of %d; allowed: 1 to %d ports", path, c.Rule.Cap, c.Ports)
	case !c.Rule.Kind.Works(ForCaps):
		return nil, fmt.Errorf("%s: a cap arbiter of %v; allowed: %v", path, c.Rule.Kind, ArbitersFor(ForCaps))
	}
	cells, all, spec := c.Bank.Size(), c.Bank.Size()*c.Ports, c.Rule.Kind.Spec()
	for _, err := range []error{
		c.Start.checkColumn(path, "start", cells, 1), c.Request.checkColumn(path, "request", all, 1),
		c.Tag.checkColumn(path, "tag", all, 16),
	} {
		if err != nil {
			return nil, err
		}
	}
	a := &CapArbiters{
		bank: c.Bank, ports: c.Ports, rule: c.Rule, start: c.Start, request: c.Request, tag: c.Tag,
		busy: make([]uint8, cells), chosen: make([]uint32, cells), result: make([]uint32, cells), granted: make([]uint8, all),
		changed: make([]bool, cells), rivals: make([]capRivals, cells),
	}
	for _, out := range []struct {
		wire **Signal
		bank Bank
		name string
		bits int
	}{{&a.served, c.Bank, "served", 1}, {&a.servedInput, c.Bank, "served_input", IndexBits(c.Ports)},
		{&a.grant, c.Request.bank, "grant", 1}} {
		var err error
		if *out.wire, err = NewSignal(out.bank, out.name, out.bits); err != nil {
			return nil, err
		}
	}
	a.choice = spec.New(ArbiterShape{Path: path, Element: c.Bank.Element, Arbiters: cells, Requesters: c.Ports, Shards: 1})
	d := a.choice.Memory()
	derive := d.Derive
	d.Bank, d.Wires = c.Bank, []Probed{a.served, a.servedInput, a.grant}
	d.Registers = append([]Register{
		Column("busy", a.busy, AtMost[uint8](1)), Column("chosen", a.chosen, AtMost(uint32(c.Rule.Cap))),
		Column("result", a.result, AtMost(uint32(c.Ports))), Column("granted", a.granted, AtMost[uint8](1)),
	}, d.Registers...)
	d.Derive = func() {
		fill(a.changed, true)
		if derive != nil {
			derive()
		}
	}
	a.Registers = Declare(d)
	a.Reset()
	return a, nil
}

// Grant returns a wire per input: 1 if the input was chosen in this slot.
func (a *CapArbiters) Grant() *Signal { return a.grant }

func (a *CapArbiters) Site() *Site {
	return &Site{
		Twin: "cap_arbiter", What: "cap arbiters",
		Parameters: Same(map[string]int{"PORTS": a.ports, "CAP": a.rule.Cap, "KIND": int(a.rule.Kind)}),
		Elements:   a.bank.Size(), Path: a.bank.Element, Clocked: true,
		Ports: []Port{
			SignalPort("start_i", a.start, true), ColumnPort("request_i", a.request, true, a.ports),
			ColumnPort("tag_i", a.tag, true, a.ports),
			SignalPort("served_o", a.served, false), SignalPort("served_input_o", a.servedInput, false),
			ColumnPort("grant_o", a.grant, false, a.ports),
		},
	}
}

func (a *CapArbiters) Drives() []Wire { return []Wire{a.served, a.servedInput, a.grant} }

func (a *CapArbiters) Drive(s Shard) {
	first, end := a.bank.CentralCells(s)
	for i := first; i < end; i++ {
		if !a.changed[i] {
			continue
		}
		a.changed[i] = false
		a.served.Value[i], a.servedInput.Value[i] = 0, 0
		if result := a.result[i]; result != 0 {
			a.served.Value[i], a.servedInput.Value[i] = 1, uint64(result-1)
		}
		for k := i * a.ports; k < (i+1)*a.ports; k++ {
			a.grant.Value[k] = uint64(a.granted[k])
		}
	}
}

func (a *CapArbiters) Latches() []Wire { return []Wire{a.start, a.request, a.tag} }

func (a *CapArbiters) Latch(s Shard) {
	first, end := a.bank.CentralCells(s)
	for i := first; i < end; i++ {
		if a.start.Value[i] != 0 {
			clear(a.granted[i*a.ports:][:a.ports])
			a.busy[i], a.chosen[i] = 1, 0
		}
		if a.busy[i] == 0 && a.result[i] == 0 {
			continue
		}
		a.changed[i] = true
		a.result[i] = 0
		input, ok := a.choose(i)
		if !ok {
			a.busy[i] = 0
			continue
		}
		a.granted[i*a.ports+int(input)] = 1
		a.chosen[i]++
		a.result[i] = input + 1
		a.choice.Granted(uint32(i), input)
	}
}

// choose returns the first candidate in the order of the rule; ok is false without a candidate.
func (a *CapArbiters) choose(i int) (input uint32, ok bool) {
	if a.busy[i] == 0 || int(a.chosen[i]) == a.rule.Cap {
		return 0, false
	}
	request, tag, granted := a.request.Value[i*a.ports:][:a.ports], a.tag.Value[i*a.ports:][:a.ports],
		a.granted[i*a.ports:][:a.ports]
	rivals := &a.rivals[i]
	asks := rivals.asks[:0]
	least := uint64(0)
	for k, requests := range request {
		if requests == 0 || granted[k] != 0 || len(asks) > 0 && tag[k] > least {
			continue
		}
		if tag[k] < least {
			asks = asks[:0]
		}
		least = tag[k]
		asks = append(asks, Request{uint32(i), uint32(k)})
	}
	if len(asks) == 0 {
		rivals.asks = asks
		return 0, false
	}
	rivals.asks, rivals.ranks = asks, append(rivals.ranks[:0], make([]uint64, len(asks))...)
	a.choice.Rank(0, asks, rivals.ranks)
	best := 0 // ties go to the lower input
	for k, rank := range rivals.ranks {
		if rank < rivals.ranks[best] {
			best = k
		}
	}
	return asks[best].Requester, rivals.ranks[best] != NeverRank
}

func (a *CapArbiters) QuietFor(limit uint64) uint64 {
	for i, busy := range a.busy {
		if a.start.Value[i] != 0 || busy != 0 || a.result[i] != 0 || a.changed[i] {
			return 0
		}
	}
	return limit
}
