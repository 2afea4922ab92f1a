package eisenstein

// Algorithm is a broadcast algorithm for the message of one node to all others.
type Algorithm int

const (
	// Improved is Algorithms 1 and 2 of the paper, with the printed counters M-1 for the diameter M. A node that
	// receives in dimension k broadcasts at once in the dimensions below k. For b = a+1 every node receives once; for
	// other alphas some nodes receive repeatedly.
	Improved Algorithm = iota
	// Misprinted is Algorithm 1 taken literally: packets sent via -rho in sector 4 have -rho^2 as their major
	// direction.
	Misprinted
	// General is Improved for any alpha, with staircases instead of counters.
	General
	// Previous is the iterative algorithm (Section 3 of the paper) with staircases: n rounds of M steps. In round r
	// every node with the message broadcasts it in dimension n-r+1.
	Previous
	// Phased is Algorithms 3 and 4, all-to-all, for half-duplex links: three phases of n*M steps with two sectors
	// each, {6,1}, {2,3}, {4,5}. A node broadcasts its own message at the start of each phase.
	Phased
	// Restarted is Algorithm 4 taken literally. A node broadcasts its own message in phase 1. Every packet that
	// arrives in the last step of a phase is broadcast again in the next phase.
	Restarted
	// Repaired is Phased with a correction: at the start of a phase, every node broadcasts each of its messages in
	// the dimensions in which node and source have equal coordinates. Every node receives each message once.
	Repaired
	// Oriented is General in one phase, with the three sectors of an orientation of the links.
	Oriented
)

// phases lists the sector indices of the three phases of all-to-all.
var phases = [3][]int{{5, 0}, {1, 2}, {3, 4}}

func (f *Field) phase(node int) int {
	if node == 0 {
		return 0
	}
	return [6]int{1, 2, 2, 3, 3, 1}[f.sectors.places[node].sector]
}

// Hop is the transfer of a packet across a link in a step.
type Hop struct {
	Step           int // step, from 1
	Dim, Direction int // dimension 1..n, direction 0..5
	From, To       int
}

type hop struct{ to, direction, depth int }

func (f *Field) climbed(s *stairs, sectors ...int) (hops []hop) {
	for _, i := range sectors {
		at := 0
		for q, extent := range s.extents[i] {
			at = f.Neighbour(at, s.sectors[i].major)
			hops = append(hops, hop{at, s.sectors[i].major, q + 1})
			aside := at
			for p := range extent {
				aside = f.Neighbour(aside, s.sectors[i].minor)
				hops = append(hops, hop{aside, s.sectors[i].minor, q + p + 2})
			}
		}
	}
	return hops
}

func (f *Field) counted(misprinted bool) (hops []hop) {
	var send func(from, direction int, packet sector, x, y, depth int)
	send = func(from, direction int, packet sector, x, y, depth int) {
		at := f.Neighbour(from, direction)
		hops = append(hops, hop{at, direction, depth})
		if x > 0 {
			send(at, packet.minor, packet, x-1, 0, depth+1)
		}
		if y > 0 {
			send(at, packet.major, packet, x-1, y-1, depth+1)
		}
	}
	M := f.Diameter()
	for i, sector := range sectorDirections {
		via := sector.major
		if misprinted && i == 3 {
			sector.major = 5
		}
		send(0, via, sector, M-1, M-1, 1)
	}
	return hops
}

type walk struct {
	*Torus
	algorithm Algorithm
	rotation  int
	phases    [][]hop // hops of the packets in one dimension: one phase, or the three phases of all-to-all
	steps     int     // steps of a phase
	yield     func(Hop)
}

// Follow yields the hops of all packets with the message of node 0, depth first, without a limit per link. Dimensions
// are served in the order Dimension(n), ..., Dimension(1) of a rotation, 0..n-1.
func (t *Torus) Follow(algorithm Algorithm, rotation int, yield func(Hop)) {
	w := walk{t, algorithm, rotation, nil, t.Dims * t.Diameter(), yield}
	switch algorithm {
	case Improved, Misprinted:
		w.phases = [][]hop{t.counted(algorithm == Misprinted)}
	case General, Previous:
		w.phases = [][]hop{t.climbed(&t.sectors, 0, 1, 2, 3, 4, 5)}
	case Oriented:
		w.phases = [][]hop{t.climbed(&t.oriented, 0, 1, 2)}
		w.steps = t.Dims * t.Directed()
	case Phased, Restarted, Repaired:
		for _, sectors := range phases {
			w.phases = append(w.phases, t.climbed(&t.sectors, sectors...))
		}
	}
	last := len(w.phases)
	if algorithm == Restarted {
		last = 1
	}
	for phase := range last {
		w.start(0, phase, t.Dims, phase*w.steps)
	}
}

// Dimension returns the k-th dimension, 1..n, of a rotation.
func (t *Torus) Dimension(k, rotation int) int { return (k-1+rotation)%t.Dims + 1 }

// Rotation distributes the sources over the rotations: it returns the sum of the source's coordinates modulo n.
func (t *Torus) Rotation(source int) (rotation int) {
	for k := range t.Dims {
		rotation += t.Coordinate(source, k+1)
	}
	return rotation % t.Dims
}

// start broadcasts in dimensions 1..below from a node that has the message after a step.
func (w *walk) start(node, phase, below, step int) {
	for k := below; k >= 1; k-- {
		dim := w.Dimension(k, w.rotation)
		c := w.Coordinate(node, dim)
		if w.algorithm == Repaired && c != 0 {
			continue
		}
		begin := step
		if w.algorithm == Previous {
			begin = (w.Dims - k) * w.Diameter()
		}
		at := func(c int) int { return node + (c-w.Coordinate(node, dim))*w.powers[dim-1] }
		for _, h := range w.phases[phase] {
			to := w.Field.Add(c, h.to)
			hop := Hop{begin + h.depth, dim, h.direction, at(w.Field.Neighbour(to, Opposite(h.direction))), at(to)}
			w.yield(hop)
			w.start(hop.To, phase, k-1, hop.Step)
			w.restart(hop, phase+1)
		}
	}
}

func (w *walk) restart(hop Hop, phase int) {
	for ; phase < len(w.phases); phase++ {
		switch {
		case w.algorithm == Repaired:
			w.start(hop.To, phase, w.Dims, phase*w.steps)
		case w.algorithm == Restarted && hop.Step == phase*w.steps:
			w.start(hop.To, phase, w.Dims, hop.Step)
			return
		}
	}
}

// ReceiveStep returns the step in which the message of node 0 first reaches a node, without a limit per link. It
// returns 0 for node 0, and for a node that the algorithm never reaches. By symmetry the message of node u reaches u
// + node in this step. Misprinted and Restarted have no closed form.
func (t *Torus) ReceiveStep(algorithm Algorithm, node int) (step int) {
	M, last := t.Diameter(), 0
	for k := t.Dims; k >= 1; k-- {
		c := t.Coordinate(node, k)
		switch algorithm {
		case Improved, General:
			step += t.Weight(c)
		case Oriented:
			step += t.OrientedWeight(c)
		case Previous:
			if c != 0 {
				step = (t.Dims-k)*M + t.Weight(c)
			}
		case Phased, Repaired:
			phase := t.phase(c)
			switch {
			case phase == 0:
			case phase == last:
				step += t.Weight(c)
			case last != 0 && algorithm == Phased:
				return 0
			case phase > last:
				last, step = phase, (phase-1)*t.Dims*M+t.Weight(c)
			}
		default:
			panic("eisenstein: no closed form of the steps of this algorithm")
		}
	}
	return step
}

// Message is the spread of one message from node 0. By symmetry it also describes the messages of all nodes with a
// simultaneous start.
type Message struct {
	Packets, Steps int   // total number; last step
	Received       []int // packets received by each node
	First          []int // first receive step of each node, 0 for none
	Loads          [][]int
	// BothWays: some step uses both directions of a link. AllBothWays: the same with a simultaneous start of all
	// nodes.
	BothWays, AllBothWays bool
}

// NewMessage follows a message (see Follow). Loads[s-1][6*(k-1)+j] is the number of packets in step s, dimension k
// and direction j. With a simultaneous start of all nodes, this is the number of packets on each such link.
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

// Missing returns the number of nodes that the message does not reach.
func (m *Message) Missing() (nodes int) {
	for _, packets := range m.Received[1:] {
		if packets == 0 {
			nodes++
		}
	}
	return nodes
}

// Again returns the number of packets to nodes that already have the message.
func (m *Message) Again() int { return m.Packets - (len(m.Received) - 1 - m.Missing()) }

// Most returns the maximum number of packets on a link in one step with a simultaneous start of all nodes.
func (m *Message) Most() (most int) {
	for _, loads := range m.Loads {
		for _, packets := range loads {
			most = max(most, packets)
		}
	}
	return most
}
