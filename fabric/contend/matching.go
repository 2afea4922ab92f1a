package contend

import (
	"cmp"
	"fmt"
	"slices"

	"starloom/fabric/flow"
	"starloom/hw"
	"starloom/nic"
)

// matching matches senders and outputs in a slot, as the arbiters do in their arbitration cycles. The work of ask,
// decide and clear grows with the number of requests.
type matching struct {
	ports int
	cap   int // maximum number of frames in a slot, 0 for no limit
	list  bool
	coins bool

	asked
	arbiters *decisions      // arbiters of the outputs; nil without arbiters
	capped   *hw.CapMatching // cap arbiter, nil without a cap
	decided                  // decisions of this slot

	// allocator for inputs with request lists, and their requests
	allocator hw.ListMatching
	request   func(input int) hw.ListRequest
	lists     []hw.ListRequest
	places    []uint32 // by served input: position of the output in the input's list
	order     []uint32

	contention hw.ContentionMatching // decisions on a medium without an arbiter
}

type asked struct {
	asking      hw.Set   // inputs with a request
	destination []uint32 // an output, or nic.ListedDestination
	tag         []uint16
	listeners   []hw.Listener
}

type decided struct {
	serves   []int32  // by output: served input, noOne for none
	servedBy []int32  // by input: serving output, noOne for none, or fabric.Met after a collision
	met      []uint32 // inputs that collided
	taken    []uint32 // outputs that serve an input, in the order of decisions
	serving  hw.Set   // the outputs in taken

	queue queue // queues of outputs that serve several inputs
}

const noOne = flow.NoOne

// queue links the inputs that an output serves one after the other; matching.serves holds the first.
type queue struct {
	frames int     // maximum number of frames at an output in a slot, 0 without queues
	next   []int32 // input served after each input
	last   []int32
	count  []int32
	rank   []uint64
}

func newMatching(x Crossbar) *matching {
	n := x.Ports
	m := &matching{
		ports: n, cap: x.Cap, list: x.List, coins: x.NoArbiter,
		asked: asked{asking: hw.NewSet(n), destination: make([]uint32, n), tag: make([]uint16, n),
			listeners: make([]hw.Listener, n)},
		decided: decided{serves: make([]int32, n), servedBy: make([]int32, n), serving: hw.NewSet(n)},
	}
	if x.Queue > 0 {
		m.queue = queue{frames: x.Queue, next: make([]int32, n), last: make([]int32, n),
			count: make([]int32, n), rank: make([]uint64, n)}
	}
	if !m.list && !m.coins {
		m.arbiters = x.arbiters().decisions(x.bank("output", "arbiter", n), n)
	}
	if m.cap > 0 && m.arbiters != nil {
		m.capped = hw.NewCapMatching(x.bank("cap", "", 1).Path(), n, x.capRule())
	}
	if m.list {
		m.lists, m.places = make([]hw.ListRequest, n), make([]uint32, n)
		m.allocator.Rule = x.listRule()
	}
	m.reset(0)
	return m
}

func (m *matching) reset(seed uint64) {
	m.asking.Clear()
	clear(m.destination)
	clear(m.tag)
	clear(m.listeners)
	m.allocator.Pointer = 0
	if m.capped != nil {
		m.capped.Reset()
	}
	if m.arbiters != nil {
		m.arbiters.reset(seed)
	}
	m.taken, m.met = m.taken[:0], m.met[:0]
	m.serving.Clear()
	for i := range m.ports {
		m.serves[i], m.servedBy[i] = noOne, noOne
	}
}

func (m *asked) ask(input int, asks bool) {
	if asks {
		m.asking.Add(input)
	} else {
		m.asking.Remove(input)
	}
}

func (m *asked) listen(output int, listens bool, tag uint16) {
	m.listeners[output] = hw.Listener{Listening: listens, Filtered: tag != nic.TagAny, Tag: tag}
}

func (m *decided) clear() {
	for _, output := range m.taken {
		for input := m.serves[output]; input != noOne; input = m.after(input) {
			m.servedBy[input] = noOne
		}
		m.serves[output] = noOne
		m.serving.Remove(int(output))
	}
	for _, input := range m.met {
		m.servedBy[input] = noOne
	}
	m.taken, m.met = m.taken[:0], m.met[:0]
}

func (m *decided) after(input int32) int32 {
	if m.queue.frames == 0 {
		return noOne
	}
	return m.queue.next[input]
}

func (m *decided) crossing() (frames uint64) {
	if m.queue.frames == 0 {
		return uint64(len(m.taken))
	}
	for _, output := range m.taken {
		frames += m.servedAt(int(output))
	}
	return frames
}

func (m *decided) servedAt(output int) uint64 {
	if m.queue.frames == 0 {
		return 1
	}
	return uint64(m.queue.count[output])
}

func (m *matching) decide(slot uint32) {
	m.clear()
	switch {
	case m.coins:
		m.contend(slot)
	case m.list:
		m.allocate()
	case m.queue.frames > 0:
		m.line(slot)
	default:
		m.meet(slot)
	}
	for _, output := range m.taken {
		m.serving.Add(int(output))
	}
}

func (m *matching) askOutputs() {
	for input := m.asking.Next(0, m.ports); input < m.ports; input = m.asking.Next(input+1, m.ports) {
		if output := m.destination[input]; m.listeners[output].Accepts(m.tag[input]) {
			m.arbiters.ask(output, uint32(input))
		}
	}
}

func (m *matching) meet(slot uint32) {
	m.askOutputs()
	for _, q := range m.arbiters.choose(slot) {
		m.taken = append(m.taken, q.Arbiter)
		m.serves[q.Arbiter] = int32(q.Requester)
	}
	if m.cap > 0 {
		m.limit()
	}
	for _, output := range m.taken {
		input := m.serves[output]
		m.servedBy[input] = int32(output)
		m.arbiters.grant(hw.Request{Arbiter: output, Requester: uint32(input)})
	}
}

// line serves the inputs that fit into a slot at each output, in the order of the output's arbiter. Grants do not
// change this order (hw.ForQueues).
func (m *matching) line(slot uint32) {
	q := &m.queue
	m.askOutputs()
	asks, ranks := m.arbiters.rank(slot)
	for k, ask := range asks {
		output, input := ask.Arbiter, int32(ask.Requester)
		if ranks[k] == hw.NeverRank {
			continue
		}
		if m.serves[output] == noOne {
			m.taken = append(m.taken, output)
			m.serves[output], q.count[output] = input, 0
		} else {
			q.next[q.last[output]] = input
		}
		q.last[output], q.next[input], q.rank[input] = input, noOne, ranks[k]
		q.count[output]++
	}
	for _, output := range m.taken {
		if q.count[output] > 1 {
			m.arrange(output)
		}
		for input := m.serves[output]; input != noOne; input = q.next[input] {
			m.servedBy[input] = int32(output)
			m.arbiters.grant(hw.Request{Arbiter: output, Requester: uint32(input)})
		}
	}
}

// arrange sorts the inputs of an output in the order of the output's arbiter, and drops the inputs that do not fit
// into the slot.
func (m *matching) arrange(output uint32) {
	q := &m.queue
	m.order = m.order[:0]
	for input := m.serves[output]; input != noOne; input = q.next[input] {
		m.order = append(m.order, uint32(input))
	}
	slices.SortFunc(m.order, func(a, b uint32) int { return cmp.Or(cmp.Compare(q.rank[a], q.rank[b]), cmp.Compare(a, b)) })
	m.order = m.order[:min(len(m.order), q.frames)]
	q.count[output] = int32(len(m.order))
	next := int32(noOne)
	for _, input := range slices.Backward(m.order) {
		q.next[input], next = next, int32(input)
	}
	m.serves[output] = next
}

func (m *matching) limit() {
	m.order = m.order[:0]
	for _, output := range m.taken {
		m.order = append(m.order, uint32(m.serves[output]))
		m.serves[output] = noOne
	}
	m.taken = m.taken[:0]
	for _, input := range m.capped.Slot(m.order, m.tag) {
		output := m.destination[input]
		m.taken = append(m.taken, output)
		m.serves[output] = int32(input)
	}
}

func (m *matching) contend(slot uint32) {
	m.order = m.order[:0]
	for input := m.asking.Next(0, m.ports); input < m.ports; input = m.asking.Next(input+1, m.ports) {
		m.order = append(m.order, uint32(input))
	}
	_, sent := m.contention.Slot(slot, m.order, m.destination, m.tag, m.listeners)
	if len(sent) == 1 {
		input := sent[0]
		output := m.destination[input]
		m.taken = append(m.taken, output)
		m.serves[output], m.servedBy[input] = int32(input), int32(output)
		return
	}
	for _, input := range sent {
		m.met = append(m.met, input)
		m.servedBy[input] = flow.Met
	}
}

func (m *matching) allocate() {
	m.order = m.order[:0]
	for input := m.asking.Next(0, m.ports); input < m.ports; input = m.asking.Next(input+1, m.ports) {
		m.order = append(m.order, uint32(input))
		m.lists[input] = m.request(input)
	}
	for _, claim := range m.allocator.Slot(m.order, m.lists, m.listeners) {
		m.taken = append(m.taken, claim.Output)
		m.serves[claim.Output], m.servedBy[claim.Input] = int32(claim.Input), int32(claim.Output)
		m.places[claim.Input] = claim.Position
	}
}

func (m *matching) place(input int) int {
	if !m.list {
		return 0
	}
	return int(m.places[input])
}

func listRequest(bank *nic.Bank, cell int) hw.ListRequest {
	frame := bank.TxHead(cell)
	if to := frame.Destination(); to != nic.ListedDestination {
		return hw.ListRequest{Tag: frame.Tag(), List: []uint32{to}, Valid: []uint64{1}}
	}
	list, valid, first := bank.Requests(cell)
	return hw.ListRequest{Tag: frame.Tag(), List: list, Valid: valid, First: first}
}

// state visits the arbiters and the requests, but not the decisions.
func (m *matching) state(v *hw.StateVisitor) {
	hw.StateColumn(v, hw.Future, "asking", m.asking.Words(), func(word int, bits uint64) error {
		if left := m.ports - word<<6; left < 64 && bits>>left != 0 {
			return fmt.Errorf("bits above the bit of processor %d", m.ports-1)
		}
		return nil
	})
	hw.StateColumn(v, hw.Future, "destination", m.destination, func(input int, to uint32) error {
		if to >= uint32(m.ports) && (to != nic.ListedDestination || !m.list) {
			return fmt.Errorf("processor %d requests output %d of %d", input, to, m.ports)
		}
		return nil
	})
	hw.StateColumn(v, hw.Future, "tag", m.tag)
	listens, accepts := make([]uint8, m.ports), make([]uint16, m.ports)
	for i, l := range m.listeners {
		if accepts[i] = nic.TagAny; l.Filtered {
			accepts[i] = l.Tag
		}
		if l.Listening {
			listens[i] = 1
		}
	}
	hw.StateColumn(v, hw.Future, "listens", listens, hw.AtMost[uint8](1))
	hw.StateColumn(v, hw.Future, "accepts", accepts)
	hw.StateScalar(v, hw.Future, "pointer", &m.allocator.Pointer, hw.AtMost(uint32(m.ports-1)))
	if m.capped != nil {
		v.Within(m.capped)
	}
	if m.arbiters != nil {
		v.Within(m.arbiters)
	}
	v.AfterRestore(func() {
		m.clear()
		m.asking.Derive()
		for i := range m.listeners {
			m.listen(i, listens[i] != 0, accepts[i])
		}
	})
}
