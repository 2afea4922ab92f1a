package hw

const (
	// SeparableInputFirst matches in one round: each input picks an output by in-priority, then each output picks
	// among the inputs that picked it by out-priority. A TieBreak decides among equal priorities.
	SeparableInputFirst RouterAllocator = 1
	// SeparableOutputFirst is the same with outputs first.
	SeparableOutputFirst RouterAllocator = 2
)

func init() {
	registerAllocator(SeparableInputFirst, AllocatorSpec{Name: "separable_input_first", Ties: true,
		New: func(s *allocatorShape) allocation { return newSeparable(s, true) }})
	registerAllocator(SeparableOutputFirst, AllocatorSpec{Name: "separable_output_first", Ties: true,
		New: func(s *allocatorShape) allocation { return newSeparable(s, false) }})
}

type separable struct {
	inputFirst    bool
	grant, accept pointers // round robin

	// Matrix: ranks of the inputs at each output, and of the outputs at each input; the lowest rank goes first.
	name    string
	square  []int // by router: its first rank
	inRank  []uint16
	outRank []uint16
	inHigh  []uint16 // values at reset
	outHigh []uint16
}

func newSeparable(s *allocatorShape, inputFirst bool) *separable {
	a := &separable{inputFirst: inputFirst, grant: s.grant, accept: s.accept, name: s.name}
	if TieBreak(s.parameter) != MatrixTies {
		return a
	}
	for r, ins := range s.ins {
		a.square = append(a.square, len(a.inHigh))
		for i := range ins * s.outs[r] {
			a.inHigh = append(a.inHigh, uint16(ins-1-i%ins))
			a.outHigh = append(a.outHigh, uint16(s.outs[r]-1-i%s.outs[r]))
		}
	}
	a.inRank, a.outRank = make([]uint16, len(a.inHigh)), make([]uint16, len(a.inHigh))
	return a
}

func (a *separable) registers() []Register {
	if a.square == nil {
		return nil
	}
	return []Register{Column(a.name+"_in_rank", a.inRank).ResetTo(a.inHigh...),
		Column(a.name+"_out_rank", a.outRank).ResetTo(a.outHigh...)}
}

func (a *separable) match(m *matching) {
	m.begin()
	if a.inputFirst {
		a.inputsPick(m, nil)
		a.outputsPick(m, m.pick)
	} else {
		a.outputsPick(m, nil)
		a.inputsPick(m, m.best)
	}
	for k := range m.requests {
		q := &m.requests[k]
		if m.best[q.out] != int32(k) || m.pick[q.in] != int32(k) {
			continue
		}
		m.matches = append(m.matches, int32(k))
		if a.square != nil {
			at := a.square[m.router]
			won(a.inRank[at+int(q.out)*m.ins:][:m.ins], int(q.in))
			won(a.outRank[at+int(q.in)*m.outs:][:m.outs], int(q.out))
			continue
		}
		a.grant.set(m.out+int(q.out), next(int(q.in), m.ins))
		a.accept.set(m.in+int(q.in), next(int(q.out), m.outs))
	}
}

// inputsPick sets m.pick, among the requests that won at their outputs unless won is nil.
func (a *separable) inputsPick(m *matching, won []int32) {
	for k := range m.requests {
		q := &m.requests[k]
		if won != nil && won[q.out] != int32(k) {
			continue
		}
		b := m.pick[q.in]
		if b < 0 || q.inPriority > m.requests[b].inPriority {
			m.pick[q.in] = int32(k)
			continue
		}
		if q.inPriority == m.requests[b].inPriority && a.outBefore(m, int(q.in), int(q.out), int(m.requests[b].out)) {
			m.pick[q.in] = int32(k)
		}
	}
}

// outputsPick sets m.best, among the requests that won at their inputs unless won is nil.
func (a *separable) outputsPick(m *matching, won []int32) {
	for k := range m.requests {
		q := &m.requests[k]
		if won != nil && won[q.in] != int32(k) {
			continue
		}
		b := m.best[q.out]
		if b < 0 || q.outPriority > m.requests[b].outPriority {
			m.best[q.out] = int32(k)
			continue
		}
		if q.outPriority == m.requests[b].outPriority && a.inBefore(m, int(q.out), int(q.in), int(m.requests[b].in)) {
			m.best[q.out] = int32(k)
		}
	}
}

func (a *separable) outBefore(m *matching, in, out, other int) bool {
	if a.square != nil {
		at := a.square[m.router] + in*m.outs
		return a.outRank[at+out] < a.outRank[at+other]
	}
	p := a.accept.at(m.in + in)
	return distance(out, p, m.outs) < distance(other, p, m.outs)
}

func (a *separable) inBefore(m *matching, out, in, other int) bool {
	if a.square != nil {
		at := a.square[m.router] + out*m.ins
		return a.inRank[at+in] < a.inRank[at+other]
	}
	p := a.grant.at(m.out + out)
	return distance(in, p, m.ins) < distance(other, p, m.ins)
}

// won moves a winner to the end.
func won(ranks []uint16, winner int) {
	had := ranks[winner]
	for i, rank := range ranks {
		if rank > had {
			ranks[i] = rank - 1
		}
	}
	ranks[winner] = uint16(len(ranks) - 1)
}
