package hw

import (
	"fmt"
	"math/bits"
)

// Lists is the wire on which the inputs' memories send lists to a list allocator. It carries the request of the input
// whose turn it is. The Tag of the request is unused, because tags have their own wire. The driver must settle after
// the allocator's Turn and Input.
type Lists struct {
	bank   Bank
	path   string
	length int

	Answer []ListRequest // answers by allocator
}

// NewLists returns the wire of a bank of allocators. length is the number of positions per list.
func NewLists(bank Bank, name string, length int) (*Lists, error) {
	if err := bank.Check(); err != nil {
		return nil, err
	}
	path := Join(bank.Path(), name)
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	if length < 1 || length > AllocatorPortsMax {
		return nil, fmt.Errorf("%s: lists of %d positions; allowed: 1 to %d", path, length, AllocatorPortsMax)
	}
	return &Lists{bank: bank, path: path, length: length, Answer: make([]ListRequest, bank.Size())}, nil
}

func (l *Lists) Path() string { return l.path }

// ListAllocators is a bank of allocators. Each allocator matches inputs and outputs of a crossbar, slot by slot, by
// lists of outputs (ListMatching). One requesting input per cycle has its turn:
//
//	cycle       0    1    2    3    4
//	start      /-\___________________
//	turn       /----------\__________
//	input       a    b    c             by tag and index, or from the pointer on
//	lists       A    B    C             the memories answer in the same cycle
//	served      _____/--\_/---\______   b gets no output
//	grant       -    a    a    a,c      until the next start
//
// Allocation ends when no input is left or Cap inputs are granted; it takes at most one cycle per input. Requests,
// tags and listeners should be stable from start to end. At the next start, the round-robin pointer advances past the
// first granted input. A start in the middle of an allocation starts a new one.
//
// Reset: no claims, idle until start, pointer 0.
//
// Parameters: ports, list positions, cap, kind. Inputs: start; request and tag of each input port; listening, filter
// and tag of each output port; list, valid bits and first choice of the input whose turn it is. Combinational
// outputs: turn, input. Registered outputs: served with input and position, grant of each input port, claimed and
// source of each output port. Twin: list_allocator.v.
type ListAllocators struct {
	Registers
	bank  Bank
	ports int
	rule  ListRule

	start, request, tag, listen, filter, filterTag *Signal
	lists                                          *Lists

	turn, input, served, servedInput, position, grant, claimed, source *Signal

	// Registers.
	busy    []uint8
	claims  []uint32 // number of claims in this slot
	first   []uint32 // pointer of this slot
	next    []uint32 // pointer of the next slot
	result  []uint32 // input granted in the previous cycle, plus 1; 0 for none
	at      []uint32 // position of the granted output in the input's list
	had     []uint8  // by input: 1 once the input has had its turn
	granted []uint8  // by input: 1 if the input was granted in this slot
	owner   []uint32 // by output: the claiming input, plus 1; 0 for none

	changed []bool // outputs differ from the registers
}

// ListAllocatorConfig holds the parameters of a bank of list allocators. Signals of inputs and outputs have Ports
// elements per allocator, side by side.
type ListAllocatorConfig struct {
	Bank  Bank
	Ports int // 1..AllocatorPortsMax
	Rule  ListRule

	Start             *Signal // 1 bit per allocator
	Request, Tag      *Signal // 1 bit and 16 bits per input
	Listen            *Signal // 1 bit per output
	Filter, FilterTag *Signal // 1 bit and 16 bits per output
	Lists             *Lists
}

// NewListAllocators returns a bank in its reset state.
func NewListAllocators(c ListAllocatorConfig) (*ListAllocators, error) {
	if err := c.Bank.Check(); err != nil {
		return nil, err
	}
	path := c.Bank.Path()
	if c.Ports < 1 || c.Ports > AllocatorPortsMax {
		return nil, fmt.Errorf("%s: %d ports; allowed: 1 to %d", path, c.Ports, AllocatorPortsMax)
	}
	if c.Rule.Cap < 0 || c.Rule.Cap > c.Ports {
		return nil, fmt.Errorf("%s: a cap of %d; allowed: 0 (none) to %d ports", path, c.Rule.Cap, c.Ports)
	}
	for _, err := range []error{
		c.Start.checkColumn(path, "start", c.Bank.Size(), 1),
		c.Request.checkColumn(path, "request", c.Bank.Size()*c.Ports, 1),
		c.Tag.checkColumn(path, "tag", c.Bank.Size()*c.Ports, 16),
		c.Listen.checkColumn(path, "listen", c.Bank.Size()*c.Ports, 1),
		c.Filter.checkColumn(path, "filter", c.Bank.Size()*c.Ports, 1),
		c.FilterTag.checkColumn(path, "filter tag", c.Bank.Size()*c.Ports, 16),
	} {
		if err != nil {
			return nil, err
		}
	}
	if c.Lists == nil || len(c.Lists.Answer) != c.Bank.Size() {
		return nil, fmt.Errorf("%s: no lists for %d allocators", path, c.Bank.Size())
	}
	cells, all := c.Bank.Size(), c.Bank.Size()*c.Ports
	a := &ListAllocators{
		bank: c.Bank, ports: c.Ports, rule: c.Rule,
		start: c.Start, request: c.Request, tag: c.Tag, listen: c.Listen, filter: c.Filter,
		filterTag: c.FilterTag, lists: c.Lists,
		busy: make([]uint8, cells), claims: make([]uint32, cells), first: make([]uint32, cells), next: make([]uint32, cells),
		result: make([]uint32, cells), at: make([]uint32, cells),
		had: make([]uint8, all), granted: make([]uint8, all), owner: make([]uint32, all),
		changed: make([]bool, cells),
	}
	index, position := IndexBits(c.Ports), IndexBits(c.Lists.length)
	for _, out := range []struct {
		wire **Signal
		bank Bank
		name string
		bits int
	}{
		{&a.turn, c.Bank, "turn", 1}, {&a.input, c.Bank, "input", index},
		{&a.served, c.Bank, "served", 1}, {&a.servedInput, c.Bank, "served_input", index},
		{&a.position, c.Bank, "position", position},
		{&a.grant, c.Request.bank, "grant", 1}, {&a.claimed, c.Listen.bank, "claimed", 1},
		{&a.source, c.Listen.bank, "source", index},
	} {
		var err error
		if *out.wire, err = NewSignal(out.bank, out.name, out.bits); err != nil {
			return nil, err
		}
	}
	last, ports := uint32(c.Ports-1), uint32(c.Ports)
	a.Registers = Declare(Declaration{
		Bank: c.Bank,
		Registers: []Register{
			Column("busy", a.busy, AtMost[uint8](1)), Column("claims", a.claims, AtMost(ports)),
			Column("first", a.first, AtMost(last)), Column("next", a.next, AtMost(last)),
			Column("result", a.result, AtMost(ports)), Column("at", a.at, AtMost(uint32(c.Lists.length-1))),
			Column("had", a.had, AtMost[uint8](1)), Column("granted", a.granted, AtMost[uint8](1)),
			Column("owner", a.owner, AtMost(ports)),
		},
		Wires:  []Probed{a.turn, a.input, a.served, a.servedInput, a.position, a.grant, a.claimed, a.source},
		Derive: func() { fill(a.changed, true) },
	})
	a.Reset()
	return a, nil
}

// IndexBits returns the width in bits of an index below things, at least 1.
func IndexBits(things int) int { return max(1, bits.Len(uint(things-1))) }

func fill(all []bool, value bool) {
	for i := range all {
		all[i] = value
	}
}

// Turn returns a wire per allocator: 1 while an input has its turn.
func (a *ListAllocators) Turn() *Signal { return a.turn }

// Input returns the input whose turn it is, 0 for none.
func (a *ListAllocators) Input() *Signal { return a.input }

// Claimed returns a wire per output: 1 if an input has claimed the output.
func (a *ListAllocators) Claimed() *Signal { return a.claimed }

// Source returns the input that has claimed each output, 0 for none.
func (a *ListAllocators) Source() *Signal { return a.source }

func (a *ListAllocators) Site() *Site {
	input := SignalPort("input_o", a.input, false)
	input.Put = PutValue(func(element int, value uint64) error {
		if value >= uint64(a.ports) {
			return fmt.Errorf("output input_o is %d, but inputs are 0 to %d", value, a.ports-1)
		}
		a.input.Value[element] = value
		return nil
	})
	column := func(name string, signal *Signal, input bool) Port { return ColumnPort(name, signal, input, a.ports) }
	round := 0
	if a.rule.RoundRobin {
		round = 1
	}
	return &Site{
		Twin: "list_allocator", What: "list allocators",
		Parameters: Same(map[string]int{"PORTS": a.ports, "LIST": a.lists.length, "CAP": a.rule.Cap, "ROUND_ROBIN": round}),
		Elements:   a.bank.Size(), Path: a.bank.Element, Clocked: true, Combinational: true,
		Ports: []Port{
			SignalPort("start_i", a.start, true),
			column("request_i", a.request, true), column("tag_i", a.tag, true),
			column("listen_i", a.listen, true), column("filter_i", a.filter, true), column("filter_tag_i", a.filterTag, true),
			a.listPort(), a.validPort(), a.firstPort(),
			SignalPort("turn_o", a.turn, false), input,
			SignalPort("served_o", a.served, false), SignalPort("served_input_o", a.servedInput, false),
			SignalPort("position_o", a.position, false),
			column("grant_o", a.grant, false), column("claimed_o", a.claimed, false), column("source_o", a.source, false),
		},
	}
}

// listPort returns the port for the list. Positions beyond a shorter list are 0 and invalid.
func (a *ListAllocators) listPort() Port {
	width := IndexBits(a.ports)
	return Port{
		Name: "list_i", Bits: a.lists.length * width, Input: true,
		Get: GetPins(func(element int, to Pins) {
			to.Clear()
			for position, output := range a.lists.Answer[element].List {
				to.SetBits(position*width, width, uint64(output))
			}
		}),
		Put: PutPins(func(element int, from Pins) error {
			list := make([]uint32, a.lists.length)
			for position := range list {
				list[position] = uint32(from.GetBits(position*width, width))
			}
			a.lists.Answer[element].List = list
			return nil
		}),
	}
}

func (a *ListAllocators) validPort() Port {
	return Port{
		Name: "valid_i", Bits: a.lists.length, Input: true,
		Get: GetPins(func(element int, to Pins) {
			to.Clear()
			r := &a.lists.Answer[element]
			for position := range r.List {
				if r.valid(position) {
					to.SetBits(position, 1, 1)
				}
			}
		}),
		Put: PutPins(func(element int, from Pins) error {
			valid := make([]uint64, (a.lists.length+63)/64)
			from.Ones(func(position int) { valid[position>>6] |= 1 << (position & 63) })
			a.lists.Answer[element].Valid = valid
			return nil
		}),
	}
}

// firstPort returns the port for the first choice. A choice beyond the list reads as the maximum length of a list.
func (a *ListAllocators) firstPort() Port {
	return Port{
		Name: "first_i", Bits: bits.Len(uint(a.lists.length)), Input: true,
		Get: GetPins(func(element int, to Pins) {
			r := &a.lists.Answer[element]
			if first := uint64(r.First); first < uint64(len(r.List)) {
				to.Set(first)
				return
			}
			to.Set(uint64(a.lists.length))
		}),
		Put: PutValue(func(element int, value uint64) error {
			a.lists.Answer[element].First = uint32(value)
			return nil
		}),
	}
}

func (a *ListAllocators) Inputs() []Wire { return []Wire{a.start, a.request, a.tag} }

func (a *ListAllocators) Outputs() []Wire {
	return []Wire{a.turn, a.input, a.served, a.servedInput, a.position, a.grant, a.claimed, a.source}
}

func (a *ListAllocators) Settle(s Shard) {
	first, end := a.bank.CentralCells(s)
	for i := first; i < end; i++ {
		a.turn.Value[i], a.input.Value[i] = 0, 0
		if input, ok := a.whoseTurn(i); ok {
			a.turn.Value[i], a.input.Value[i] = 1, uint64(input)
		}
		if a.changed[i] {
			a.changed[i] = false
			a.show(i)
		}
	}
}

func (a *ListAllocators) whoseTurn(i int) (input uint32, ok bool) {
	starts := a.start.Value[i] != 0
	if !starts && (a.busy[i] == 0 || a.rule.full(int(a.claims[i]))) {
		return 0, false
	}
	pointer := a.first[i]
	if starts {
		pointer = a.next[i]
	}
	request, tag, had := a.request.Value[i*a.ports:][:a.ports], a.tag.Value[i*a.ports:][:a.ports],
		a.had[i*a.ports:][:a.ports]
	for k, requests := range request {
		if requests == 0 || had[k] != 0 && !starts {
			continue
		}
		if !ok || a.rule.before(uint16(tag[k]), uint32(k), uint16(tag[input]), input, pointer) < 0 {
			input, ok = uint32(k), true
		}
	}
	return input, ok
}

func (a *ListAllocators) show(i int) {
	a.served.Value[i], a.servedInput.Value[i], a.position.Value[i] = 0, 0, uint64(a.at[i])
	if result := a.result[i]; result != 0 {
		a.served.Value[i], a.servedInput.Value[i] = 1, uint64(result-1)
	}
	for k := i * a.ports; k < (i+1)*a.ports; k++ {
		a.grant.Value[k] = uint64(a.granted[k])
		a.claimed.Value[k], a.source.Value[k] = 0, 0
		if owner := a.owner[k]; owner != 0 {
			a.claimed.Value[k], a.source.Value[k] = 1, uint64(owner-1)
		}
	}
}

func (a *ListAllocators) Latches() []Wire {
	return []Wire{a.start, a.request, a.tag, a.listen, a.filter, a.filterTag, a.lists}
}

func (a *ListAllocators) Latch(s Shard) {
	first, end := a.bank.CentralCells(s)
	for i := first; i < end; i++ {
		if a.start.Value[i] != 0 {
			a.begin(i)
		}
		if a.busy[i] == 0 && a.result[i] == 0 {
			continue
		}
		a.changed[i] = true
		a.result[i], a.at[i] = 0, 0
		// Read the wire instead of calling whoseTurn, because RTL may drive the wire.
		if a.turn.Value[i] == 0 {
			a.busy[i] = 0
			continue
		}
		a.claim(i, uint32(a.input.Value[i]))
	}
}

func (a *ListAllocators) begin(i int) {
	clear(a.had[i*a.ports:][:a.ports])
	clear(a.granted[i*a.ports:][:a.ports])
	clear(a.owner[i*a.ports:][:a.ports])
	a.busy[i], a.claims[i], a.first[i] = 1, 0, a.next[i]
}

func (a *ListAllocators) claim(i int, input uint32) {
	ports := i * a.ports
	tag := uint16(a.tag.Value[ports+int(input)])
	r := &a.lists.Answer[i]
	a.had[ports+int(input)] = 1
	position, ok := r.choose(func(output uint32) bool {
		if int(output) >= a.ports {
			return false
		}
		k := ports + int(output)
		listener := Listener{a.listen.Value[k] != 0, a.filter.Value[k] != 0, uint16(a.filterTag.Value[k])}
		return a.owner[k] == 0 && listener.Accepts(tag)
	}, nil)
	if !ok {
		return
	}
	if a.claims[i] == 0 {
		a.next[i] = following(input, a.ports)
	}
	a.claims[i]++
	a.granted[ports+int(input)] = 1
	a.owner[ports+int(r.List[position])] = input + 1
	a.result[i], a.at[i] = input+1, uint32(position)
}

func (a *ListAllocators) QuietFor(limit uint64) uint64 {
	for i, busy := range a.busy {
		if a.start.Value[i] != 0 || busy != 0 || a.result[i] != 0 || a.changed[i] || a.turn.Value[i] != 0 {
			return 0
		}
	}
	return limit
}
