package crossbar

import (
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// matching decides who sends to whom in a slot, as the arbiters do in its arbitration
// cycles. A slot of asking, decide and clear costs what is asked.
type matching struct {
	ports   int
	cap     int // frames of a slot, 0 for no limit
	list    bool
	aloha   bool
	arbiter hw.ArbiterKind
	capped  hw.CapMatching

	// What inputs ask for, by processor.
	asking      hw.Set   // those that ask
	destination []uint32 // an output, or nic.ListedDestination
	tag         []uint16

	listeners []hw.Listener // what outputs take, by processor

	// Where inputs ask by lists: the allocator, and what each that asks wants.
	allocator hw.ListMatching
	request   func(input int) hw.ListRequest
	lists     []hw.ListRequest
	order     []uint32

	contention hw.ContentionMatching // of a medium without an arbiter

	// What has been decided, by processor; nobody for none.
	serves   []int32  // the input that an output serves
	servedBy []int32  // the output that serves an input, fabric.Met for one that has met others
	met      []uint32 // the inputs that have
	taken    []uint32 // the outputs that serve somebody, in the order of the decisions
	serving  hw.Set   // the same

	queue queue // where outputs serve more than one

	// Registers of the outputs' arbiters, nil if their kind has none.
	first []uint32 // round robin: who goes first
	since []uint32 // matrix: when each input was served, 0 for never, output by output
	now   []uint32 // matrix: how many have been served
}

const nobody = fabric.Nobody

// queue are the lists of inputs that outputs serve one after the other, linked from
// matching.serves on.
type queue struct {
	frames int     // of an output in a slot, 0 where there are no queues
	next   []int32 // by input: the one that is served after it
	last   []int32 // by output
	count  []int32 // by output
}

func newMatching(x Network) *matching {
	x = x.settled()
	n := x.Ports
	m := &matching{
		ports: n, cap: x.Cap, list: x.Matching == MatchList, aloha: x.Medium == MediumALOHA,
		arbiter: kindOf(x.Arbiter), capped: hw.CapMatching{Rule: x.capRule(), Served: make([]uint64, n)},
		asking: hw.NewSet(n), destination: make([]uint32, n), tag: make([]uint16, n),
		listeners: make([]hw.Listener, n),
		serves:    make([]int32, n), servedBy: make([]int32, n), serving: hw.NewSet(n),
	}
	if x.Output == OutputQueue {
		m.queue = queue{frames: x.QueueFrames, next: make([]int32, n), last: make([]int32, n), count: make([]int32, n)}
	}
	if m.list {
		m.lists = make([]hw.ListRequest, n)
		m.allocator.Rule = x.listRule()
		m.reset()
		return m
	}
	switch m.arbiter {
	case hw.ArbiterRoundRobin:
		m.first = make([]uint32, n)
	case hw.ArbiterMatrix:
		m.since, m.now = make([]uint32, n*n), make([]uint32, n)
	}
	m.reset()
	return m
}

// kindOf is the arbiter of a name, which has been checked.
func kindOf(name string) hw.ArbiterKind { return hw.ArbiterKind(slices.Index(hw.ArbiterKinds, name)) }

func (m *matching) reset() {
	m.asking.Clear()
	clear(m.listeners)
	m.allocator.Pointer = 0
	m.capped.Pointer, m.capped.Grants = 0, 0
	clear(m.capped.Served)
	clear(m.first)
	clear(m.since)
	clear(m.now)
	m.taken, m.met = m.taken[:0], m.met[:0]
	m.serving.Clear()
	for i := range m.ports {
		m.serves[i], m.servedBy[i] = nobody, nobody
	}
}

// ask says whether an input asks.
func (m *matching) ask(input int, asks bool) {
	if asks {
		m.asking.Add(input)
	} else {
		m.asking.Remove(input)
	}
}

// listen says what an output takes: any tag, or one.
func (m *matching) listen(output int, listens bool, tag uint16) {
	m.listeners[output] = hw.Listener{Listening: listens, Filtered: tag != nic.TagAny, Tag: tag}
}

// inputs yields those that ask among first..end-1, in ascending order.
func (m *matching) inputs(first, end int, yield func(input int)) { m.asking.Each(first, end, yield) }

// clear forgets what has been decided.
func (m *matching) clear() {
	for _, output := range m.taken {
		for input := m.serves[output]; input != nobody; input = m.after(input) {
			m.servedBy[input] = nobody
		}
		m.serves[output] = nobody
		m.serving.Remove(int(output))
	}
	for _, input := range m.met {
		m.servedBy[input] = nobody
	}
	m.taken, m.met = m.taken[:0], m.met[:0]
}

// after is the input that is served by the same output after another one.
func (m *matching) after(input int32) int32 {
	if m.queue.frames == 0 {
		return nobody
	}
	return m.queue.next[input]
}

// crossing counts the frames that cross in the slot that has been decided.
func (m *matching) crossing() (frames uint64) {
	if m.queue.frames == 0 {
		return uint64(len(m.taken))
	}
	for _, output := range m.taken {
		frames += m.servedAt(int(output))
	}
	return frames
}

// servedAt counts the frames that an output takes which serves somebody.
func (m *matching) servedAt(output int) uint64 {
	if m.queue.frames == 0 {
		return 1
	}
	return uint64(m.queue.count[output])
}

// decide serves those who ask in a slot.
func (m *matching) decide(slot uint32) {
	m.clear()
	switch {
	case m.aloha:
		m.contend(slot)
	case m.list:
		m.allocate()
	case m.queue.frames > 0:
		m.line()
	default:
		m.meet()
	}
	for _, output := range m.taken {
		m.serving.Add(int(output))
	}
}

// meet serves at most one input by each output.
func (m *matching) meet() {
	m.inputs(0, m.ports, func(input int) {
		output := m.destination[input]
		if !m.listeners[output].Accepts(m.tag[input]) {
			return
		}
		switch rival := m.serves[output]; {
		case rival == nobody:
			m.taken = append(m.taken, output)
			m.serves[output] = int32(input)
		case m.arbiter != hw.ArbiterFixed && m.before(int(output), input, int(rival)):
			m.serves[output] = int32(input)
		}
	})
	if m.cap > 0 {
		m.limit()
	}
	for _, output := range m.taken {
		input := m.serves[output]
		m.servedBy[input] = int32(output)
		m.rotate(int(output), int(input))
	}
}

// line serves as many inputs by each output as a slot has time for, in the order of its arbiter.
func (m *matching) line() {
	q := &m.queue
	m.inputs(0, m.ports, func(input int) {
		output := m.destination[input]
		if !m.listeners[output].Accepts(m.tag[input]) {
			return
		}
		switch {
		case m.serves[output] == nobody:
			m.taken = append(m.taken, output)
			m.serves[output], q.count[output] = int32(input), 0
		case m.arbiter == hw.ArbiterFixed && int(q.count[output]) == q.frames:
			return
		default:
			q.next[q.last[output]] = int32(input)
		}
		q.last[output], q.next[input] = int32(input), nobody
		q.count[output]++
	})
	for _, output := range m.taken {
		if m.arbiter != hw.ArbiterFixed && q.count[output] > 1 {
			m.arrange(output)
		}
		for input := m.serves[output]; input != nobody; input = q.next[input] {
			m.servedBy[input] = int32(output)
			m.rotate(int(output), int(input))
		}
	}
}

// arrange puts the inputs that an output could serve into the order of its arbiter, and drops
// those for which there is no time.
func (m *matching) arrange(output uint32) {
	q := &m.queue
	m.order = m.order[:0]
	for input := m.serves[output]; input != nobody; input = q.next[input] {
		m.order = append(m.order, uint32(input))
	}
	slices.SortFunc(m.order, func(a, b uint32) int {
		if m.before(int(output), int(a), int(b)) {
			return -1
		}
		return 1
	})
	m.order = m.order[:min(len(m.order), q.frames)]
	q.count[output] = int32(len(m.order))
	next := int32(nobody)
	for _, input := range slices.Backward(m.order) {
		q.next[input], next = next, int32(input)
	}
	m.serves[output] = next
}

// limit lets no more frames cross than the cap allows.
func (m *matching) limit() {
	m.order = m.order[:0]
	for _, output := range m.taken {
		m.order = append(m.order, uint32(m.serves[output]))
		m.serves[output] = nobody
	}
	m.taken = m.taken[:0]
	for _, input := range m.capped.Slot(m.order, m.tag) {
		output := m.destination[input]
		m.taken = append(m.taken, output)
		m.serves[output] = int32(input)
	}
}

// before reports whether an output serves input a before input b.
func (m *matching) before(output, a, b int) bool {
	switch m.arbiter {
	case hw.ArbiterRoundRobin:
		first := int(m.first[output])
		if behind := a >= first; behind != (b >= first) {
			return behind
		}
	case hw.ArbiterMatrix:
		since := m.since[output*m.ports:]
		if since[a] != since[b] {
			return since[a] < since[b]
		}
	}
	return a < b
}

// rotate tells an output's arbiter that an input was served.
func (m *matching) rotate(output, input int) {
	switch m.arbiter {
	case hw.ArbiterRoundRobin:
		m.first[output] = uint32((input + 1) % m.ports)
	case hw.ArbiterMatrix:
		m.now[output]++
		m.since[output*m.ports+input] = m.now[output]
	}
}

// contend lets those whose addressee listens toss their coins.
func (m *matching) contend(slot uint32) {
	m.order = m.order[:0]
	m.inputs(0, m.ports, func(input int) { m.order = append(m.order, uint32(input)) })
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
		m.servedBy[input] = fabric.Met
	}
}

// allocate lets the inputs claim outputs one after the other, as the list allocator does.
func (m *matching) allocate() {
	m.order = m.order[:0]
	m.inputs(0, m.ports, func(input int) {
		m.order = append(m.order, uint32(input))
		m.lists[input] = m.request(input)
	})
	for _, claim := range m.allocator.Slot(m.order, m.lists, m.listeners) {
		m.taken = append(m.taken, claim.Output)
		m.serves[claim.Output], m.servedBy[claim.Input] = int32(claim.Input), int32(claim.Output)
	}
}

// listRequest is what an input asks for by its list, or one output as a list of one.
func listRequest(bank *nic.Bank, cell int) hw.ListRequest {
	frame := bank.TxHead(cell)
	if to := frame.Destination(); to != nic.ListedDestination {
		return hw.ListRequest{Tag: frame.Tag(), List: []uint32{to}, Valid: []uint64{1}}
	}
	list, valid, first := bank.Requests(cell)
	return hw.ListRequest{Tag: frame.Tag(), List: list, Valid: valid, First: first}
}

// state visits what the arbiters keep and what is asked; what has been decided is forgotten
// with the slot.
func (m *matching) state(v *hw.StateVisitor) {
	hw.StateColumn(v, "asking", m.asking.Words(), func(word int, bits uint64) error {
		if left := m.ports - word<<6; left < 64 && bits>>left != 0 {
			return fmt.Errorf("bits above that of processor %d", m.ports-1)
		}
		return nil
	})
	hw.StateColumn(v, "destination", m.destination, func(input int, to uint32) error {
		if to >= uint32(m.ports) && (to != nic.ListedDestination || !m.list) {
			return fmt.Errorf("processor %d asks for output %d of %d", input, to, m.ports)
		}
		return nil
	})
	hw.StateColumn(v, "tag", m.tag)
	listens, accepts := make([]uint8, m.ports), make([]uint16, m.ports)
	for i, l := range m.listeners {
		if accepts[i] = nic.TagAny; l.Filtered {
			accepts[i] = l.Tag
		}
		if l.Listening {
			listens[i] = 1
		}
	}
	hw.StateColumn(v, "listens", listens, hw.AtMost[uint8](1))
	hw.StateColumn(v, "accepts", accepts)
	hw.StateScalar(v, "pointer", &m.allocator.Pointer, hw.AtMost(uint32(m.ports-1)))
	hw.StateScalar(v, "cap.pointer", &m.capped.Pointer, hw.AtMost(uint32(m.ports-1)))
	hw.StateScalar(v, "cap.grants", &m.capped.Grants)
	hw.StateColumn(v, "cap.served", m.capped.Served)
	hw.StateColumn(v, "first", m.first, hw.AtMost(uint32(m.ports-1)))
	hw.StateColumn(v, "since", m.since)
	hw.StateColumn(v, "now", m.now)
	v.AfterRestore(func() {
		m.clear()
		m.asking.Derive()
		for i := range m.listeners {
			m.listen(i, listens[i] != 0, accepts[i])
		}
	})
}
