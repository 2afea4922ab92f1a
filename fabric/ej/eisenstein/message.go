package eisenstein

// Message is what becomes of one message that starts at node 0. By symmetry it says what the
// messages of all nodes do when all start at once.
type Message struct {
	Packets, Steps int   // in all; to the last one
	Received       []int // packets by node
	First          []int // step of the first of them by node, 0 for none
	Loads          [][]int
	// BothWays: a link is used in both directions in one step. AllBothWays: the same when the
	// messages of all nodes start at once.
	BothWays, AllBothWays bool
}

// NewMessage follows a message (see Follow). Entry [s-1][6*(k-1)+j] of Loads is how many packets go in
// step s, in dimension k, in direction j: when all nodes start at once, that many are on each such link.
func NewMessage(t *Torus, algorithm Algorithm, rotation int) *Message {
	ports := 6 * t.Dims
	m := &Message{Received: make([]int, t.Nodes()), First: make([]int, t.Nodes())}
	var driven [][]uint64 // by step: a bit for each port of each node
	t.Follow(algorithm, rotation, func(h Hop) {
		for len(driven) < h.Step {
			driven = append(driven, make([]uint64, (t.Nodes()*ports+63)/64))
			m.Loads = append(m.Loads, make([]int, ports))
		}
		m.Packets++
		m.Steps = max(m.Steps, h.Step)
		m.Received[h.To]++
		if m.First[h.To] == 0 || h.Step < m.First[h.To] {
			m.First[h.To] = h.Step
		}
		m.Loads[h.Step-1][6*(h.Dim-1)+h.Direction]++
		sent, met := h.From*ports+6*(h.Dim-1)+h.Direction, h.To*ports+6*(h.Dim-1)+Opposite(h.Direction)
		driven[h.Step-1][sent/64] |= 1 << (sent % 64)
		m.BothWays = m.BothWays || driven[h.Step-1][met/64]>>(met%64)&1 > 0
	})
	for _, loads := range m.Loads {
		for port, packets := range loads {
			m.AllBothWays = m.AllBothWays || packets > 0 && loads[port/6*6+Opposite(port%6)] > 0
		}
	}
	return m
}

// Missing is the number of nodes that receive nothing.
func (m *Message) Missing() (nodes int) {
	for _, packets := range m.Received[1:] {
		if packets == 0 {
			nodes++
		}
	}
	return nodes
}

// Again is the number of packets that come to a node that has the message.
func (m *Message) Again() int { return m.Packets - (len(m.Received) - 1 - m.Missing()) }

// Most is the largest number of packets on a link in one step when all nodes start at once.
func (m *Message) Most() (most int) {
	for _, loads := range m.Loads {
		for _, packets := range loads {
			most = max(most, packets)
		}
	}
	return most
}
