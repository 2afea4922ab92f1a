package hw

// Select is ISLIP with priorities: outputs grant by out-priority, inputs accept by in-priority; pointers decide among
// equal priorities. A grant stands until its output grants again: a matched input with grants of two outputs accepts
// again in each round and may change its match. The output that it gives up stays closed.
const Select RouterAllocator = 3

func init() {
	registerAllocator(Select, AllocatorSpec{Name: "select", Rounds: true, New: func(s *allocatorShape) allocation {
		return &selecting{s.parameter + 1, s.grant, s.accept}
	}})
}

type selecting struct {
	rounds        int
	grant, accept pointers
}

func (a *selecting) registers() []Register { return nil }

func (a *selecting) match(m *matching) {
	m.begin()
	for _, q := range m.requests {
		m.toOut[q.in], m.fromIn[q.out] = -1, -1
	}
	for round := range a.rounds {
		a.grants(m)
		for _, q := range m.requests {
			m.pick[q.in] = -1
		}
		a.accepts(m)
		for k := range m.requests {
			q := &m.requests[k]
			if m.pick[q.in] != int32(k) {
				continue
			}
			m.toOut[q.in], m.fromIn[q.out] = int32(k), int32(k)
			if round == 0 {
				a.grant.set(m.out+int(q.out), next(int(q.in), m.ins))
				a.accept.set(m.in+int(q.in), next(int(q.out), m.outs))
			}
		}
	}
	for k := range m.requests {
		switch q := &m.requests[k]; int32(k) {
		case m.toOut[q.in]:
			m.matches = append(m.matches, int32(k))
		case m.fromIn[q.out]:
			m.closed = append(m.closed, q.out)
		}
	}
}

// grants sets the grant of each open output with a request of an unmatched input. Other grants stand.
func (a *selecting) grants(m *matching) {
	m.order = m.order[:0]
	for k := range m.requests {
		q := &m.requests[k]
		if m.fromIn[q.out] >= 0 || m.toOut[q.in] >= 0 {
			continue
		}
		b := m.best[q.out]
		if b < 0 || m.toOut[m.requests[b].in] >= 0 || a.grantBefore(m, q, &m.requests[b]) {
			m.best[q.out] = int32(k)
		}
	}
}

func (a *selecting) grantBefore(m *matching, q, b *request) bool {
	if q.outPriority != b.outPriority {
		return q.outPriority > b.outPriority
	}
	p := a.grant.at(m.out + int(q.out))
	return distance(int(q.in), p, m.ins) < distance(int(b.in), p, m.ins)
}

func (a *selecting) accepts(m *matching) {
	for k := range m.requests {
		q := &m.requests[k]
		if m.best[q.out] != int32(k) {
			continue
		}
		b := m.pick[q.in]
		if b < 0 || q.inPriority > m.requests[b].inPriority {
			m.pick[q.in] = int32(k)
			continue
		}
		p := a.accept.at(m.in + int(q.in))
		if q.inPriority == m.requests[b].inPriority &&
			distance(int(q.out), p, m.outs) < distance(int(m.requests[b].out), p, m.outs) {
			m.pick[q.in] = int32(k)
		}
	}
}
