package hw

import (
	"cmp"
	"fmt"
	"slices"
)

// CapRule says who goes first to one of the transfers that a cap allows: lower tag, then as
// the kind says.
type CapRule struct {
	Kind ArbiterKind // fixed, round robin or matrix
	Cap  int         // transfers of a slot, at least 1
}

// CapMatching chooses the transfers of one slot out of those that outputs have granted: what
// a cap arbiter does in as many cycles as its cap says. It belongs to one goroutine at a
// time and allocates nothing once it has grown.
type CapMatching struct {
	Rule CapRule

	// What the kinds remember of the transfers: they begin with frames.
	Pointer uint32   // round robin: who goes first
	Grants  uint64   // matrix: how many there were...
	Served  []uint64 // ...and the number of each input's last one, 0 for none

	order  []uint32
	chosen []uint32
}

// Slot returns the inputs that may transmit, in the order in which they are chosen, valid
// until the next call. granted are the inputs that an output has granted, in any order;
// tags are those of all inputs.
func (m *CapMatching) Slot(granted []uint32, tags []uint16) []uint32 {
	m.order = append(m.order[:0], granted...)
	slices.SortFunc(m.order, func(a, b uint32) int { return cmp.Or(cmp.Compare(tags[a], tags[b]), cmp.Compare(a, b)) })
	if len(m.Served) < len(tags) {
		m.Served = append(m.Served, make([]uint64, len(tags)-len(m.Served))...)
	}
	m.chosen = m.chosen[:0]
	for first := 0; first < len(m.order) && len(m.chosen) < m.Rule.Cap; {
		end := first // of those with this tag
		for end < len(m.order) && tags[m.order[end]] == tags[m.order[first]] {
			end++
		}
		// None of them goes before another one because of what is chosen meanwhile.
		equal := m.order[first:end]
		slices.SortFunc(equal, func(a, b uint32) int { return cmp.Or(cmp.Compare(m.rank(a), m.rank(b)), cmp.Compare(a, b)) })
		for _, input := range equal[:min(len(equal), m.Rule.Cap-len(m.chosen))] {
			m.chosen = append(m.chosen, input)
			m.remember(input, len(tags))
		}
		first = end
	}
	return m.chosen
}

// rank orders inputs of one tag, the least goes first.
func (m *CapMatching) rank(input uint32) uint64 {
	switch m.Rule.Kind {
	case ArbiterRoundRobin:
		return rankRoundRobin(input, m.Pointer)
	case ArbiterMatrix:
		return m.Served[input]
	}
	return 0
}

func (m *CapMatching) remember(input uint32, inputs int) {
	switch m.Rule.Kind {
	case ArbiterRoundRobin:
		m.Pointer = following(input, inputs)
	case ArbiterMatrix:
		m.Grants++
		m.Served[input] = m.Grants
	}
}

// CapArbiters is a bank of arbiters that limit the transfers of a slot: of the inputs that
// an output of their crossbar has granted, one in a cycle is chosen, until Cap are, or none
// is left (CapMatching).
//
//	cycle       0    1    2    3    4
//	start      /-\___________________
//	request     a,b,c----------------
//	served      _____/---------\_____   a, b with a cap of 2
//	grant       -    a    a,b  a,b      until the next start
//
// The arbiters of the outputs decide in the cycle before start, so that head matching with a
// cap takes 1 + Cap cycles. Requests and tags should stand from start on.
//
// Reset: idle until start; the pointer at 0, none served. A start in the midst begins again.
//
// Parameters: ports, cap, kind. Ports: start; request and tag of all inputs; grant of all
// inputs out, and served with the input that was chosen in the cycle before. Twin:
// cap_arbiter.v.
type CapArbiters struct {
	Registers
	bank  Bank
	ports int
	rule  CapRule

	start, request, tag        *Signal
	served, servedInput, grant *Signal

	// Registers; those that the kind does not use are nil.
	busy    []uint8
	chosen  []uint32 // how many in this slot
	result  []uint32 // who was chosen in the cycle before, plus 1; 0 for none
	granted []uint8  // by input
	first   []uint32 // round robin: the pointer
	grants  []uint64 // matrix: how many there were...
	last    []uint64 // ...and the number of the last one, by input; 0 for none

	changed []bool // the outputs do not show the registers
}

// CapArbiterConfig are the parameters of a bank of cap arbiters.
type CapArbiterConfig struct {
	Bank  Bank
	Ports int // inputs of each, 1..AllocatorPortsMax
	Rule  CapRule

	Start        *Signal // 1 bit, of each arbiter
	Request, Tag *Signal // 1 bit and 16 bits, of Ports inputs for each arbiter, side by side
}

// NewCapArbiters returns a bank that waits for its first start.
func NewCapArbiters(c CapArbiterConfig) (*CapArbiters, error) {
	if err := c.Bank.Check(); err != nil {
		return nil, err
	}
	path := c.Bank.Path()
	switch {
	case c.Ports < 1 || c.Ports > AllocatorPortsMax:
		return nil, fmt.Errorf("%s: %d ports, allowed are 1 to %d", path, c.Ports, AllocatorPortsMax)
	case c.Rule.Cap < 1 || c.Rule.Cap > c.Ports:
		return nil, fmt.Errorf("%s: a cap of %d, allowed are 1 to %d ports", path, c.Rule.Cap, c.Ports)
	case !c.Rule.Kind.Works(ForCaps):
		return nil, fmt.Errorf("%s: a cap arbiter of %v, allowed are %v", path, c.Rule.Kind, ArbitersFor(ForCaps))
	}
	cells, all := c.Bank.Size(), c.Bank.Size()*c.Ports
	for _, err := range []error{
		c.Start.checkColumn(path, "start", cells, 1), c.Request.checkColumn(path, "request", all, 1), c.Tag.checkColumn(path, "tag", all, 16),
	} {
		if err != nil {
			return nil, err
		}
	}
	a := &CapArbiters{
		bank: c.Bank, ports: c.Ports, rule: c.Rule, start: c.Start, request: c.Request, tag: c.Tag,
		busy: make([]uint8, cells), chosen: make([]uint32, cells), result: make([]uint32, cells), granted: make([]uint8, all), changed: make([]bool, cells),
	}
	for _, out := range []struct {
		wire **Signal
		bank Bank
		name string
		bits int
	}{{&a.served, c.Bank, "served", 1}, {&a.servedInput, c.Bank, "served_input", IndexBits(c.Ports)}, {&a.grant, c.Request.bank, "grant", 1}} {
		var err error
		if *out.wire, err = NewSignal(out.bank, out.name, out.bits); err != nil {
			return nil, err
		}
	}
	registers := []Register{
		Column("busy", a.busy, AtMost[uint8](1)), Column("chosen", a.chosen, AtMost(uint32(c.Rule.Cap))),
		Column("result", a.result, AtMost(uint32(c.Ports))), Column("granted", a.granted, AtMost[uint8](1)),
	}
	switch c.Rule.Kind {
	case ArbiterFixed:
	case ArbiterRoundRobin:
		a.first = make([]uint32, cells)
		registers = append(registers, Column("first", a.first, AtMost(uint32(c.Ports-1))))
	case ArbiterMatrix:
		a.grants, a.last = make([]uint64, cells), make([]uint64, all)
		registers = append(registers, Column("grants", a.grants), Column("last", a.last))
	default:
		return nil, fmt.Errorf("%s: a cap arbiter of %v has no hardware", path, c.Rule.Kind)
	}
	a.Registers = Declare(Declaration{
		Bank: c.Bank, Registers: registers, Wires: []Probed{a.served, a.servedInput, a.grant},
		Derive: func() { fill(a.changed, true) },
	})
	a.Reset()
	return a, nil
}

// Served is 1 in the cycle after an input was chosen.
func (a *CapArbiters) Served() *Signal { return a.served }

// ServedInput is which input that is, 0 for none.
func (a *CapArbiters) ServedInput() *Signal { return a.servedInput }

// Grant is 1 for every input that was chosen in this slot.
func (a *CapArbiters) Grant() *Signal { return a.grant }

// Site says what the ports of an arbiter are.
func (a *CapArbiters) Site() *Site {
	return &Site{
		Twin: "cap_arbiter", What: "cap arbiters",
		Parameters: Same(map[string]int{"PORTS": a.ports, "CAP": a.rule.Cap, "KIND": int(a.rule.Kind)}),
		Elements:   a.bank.Size(), Path: a.bank.Element, Clocked: true,
		Ports: []Port{
			SignalPort("start_i", a.start, true), ColumnPort("request_i", a.request, true, a.ports), ColumnPort("tag_i", a.tag, true, a.ports),
			SignalPort("served_o", a.served, false), SignalPort("served_input_o", a.servedInput, false), ColumnPort("grant_o", a.grant, false, a.ports),
		},
	}
}

// Drives are all outputs.
func (a *CapArbiters) Drives() []Wire { return []Wire{a.served, a.servedInput, a.grant} }

// Drive shows the registers that have changed.
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

// Latches are all inputs.
func (a *CapArbiters) Latches() []Wire { return []Wire{a.start, a.request, a.tag} }

// Latch chooses one input.
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
		a.remember(i, input)
	}
}

// choose finds who goes first of those that were not chosen in this slot.
func (a *CapArbiters) choose(i int) (input uint32, ok bool) {
	if a.busy[i] == 0 || int(a.chosen[i]) == a.rule.Cap {
		return 0, false
	}
	request, tag, granted := a.request.Value[i*a.ports:][:a.ports], a.tag.Value[i*a.ports:][:a.ports], a.granted[i*a.ports:][:a.ports]
	for k, requests := range request {
		if requests == 0 || granted[k] != 0 {
			continue
		}
		if !ok || cmp.Or(cmp.Compare(tag[k], tag[input]), cmp.Compare(a.rank(i, uint32(k)), a.rank(i, input))) < 0 {
			input, ok = uint32(k), true
		}
	}
	return input, ok
}

func (a *CapArbiters) rank(i int, input uint32) uint64 {
	switch a.rule.Kind {
	case ArbiterRoundRobin:
		return rankRoundRobin(input, a.first[i])
	case ArbiterMatrix:
		return a.last[i*a.ports+int(input)]
	}
	return 0
}

func (a *CapArbiters) remember(i int, input uint32) {
	switch a.rule.Kind {
	case ArbiterRoundRobin:
		a.first[i] = following(input, a.ports)
	case ArbiterMatrix:
		a.grants[i]++
		a.last[i*a.ports+int(input)] = a.grants[i]
	}
}

// QuietFor implements Quiet: nothing starts or goes on, and the outputs show the registers.
func (a *CapArbiters) QuietFor(limit uint64) uint64 {
	for i, busy := range a.busy {
		if a.start.Value[i] != 0 || busy != 0 || a.result[i] != 0 || a.changed[i] {
			return 0
		}
	}
	return limit
}
