package hw

// ISLIP matches in rounds, by default one: each unmatched output grants an unmatched input in circular order, then
// each input accepts an output in circular order. Only matches of the first round advance pointers. Priorities are
// ignored.
//
// Source: N. McKeown, The iSLIP scheduling algorithm for input-queued switches, IEEE/ACM Transactions on Networking 7,
// 1999.
const ISLIP RouterAllocator = 0

func init() {
	registerAllocator(ISLIP, AllocatorSpec{Name: "islip", Rounds: true, New: func(s *allocatorShape) allocation {
		return &islip{s.parameter + 1, s.grant, s.accept}
	}})
}

type islip struct {
	rounds        int
	grant, accept pointers
}

func (a *islip) registers() []Register { return nil }

func (a *islip) match(m *matching) {
	m.begin()
	if a.rounds > 1 {
		for _, q := range m.requests {
			m.toOut[q.in], m.fromIn[q.out] = -1, -1
		}
	}
	for round := range a.rounds {
		before := len(m.matches)
		a.round(m, round)
		if round+1 == a.rounds || len(m.matches) == before {
			return
		}
		for _, k := range m.matches[before:] {
			q := &m.requests[k]
			m.toOut[q.in], m.fromIn[q.out] = k, k
		}
		for _, q := range m.requests {
			m.best[q.out], m.pick[q.in] = -1, -1
		}
	}
}

func (a *islip) round(m *matching, round int) {
	for k := range m.requests {
		q := &m.requests[k]
		if round > 0 && (m.toOut[q.in] >= 0 || m.fromIn[q.out] >= 0) {
			continue
		}
		b := m.best[q.out]
		if b < 0 {
			m.best[q.out] = int32(k)
			continue
		}
		if g := a.grant.at(m.out + int(q.out)); distance(int(q.in), g, m.ins) < distance(int(m.requests[b].in), g, m.ins) {
			m.best[q.out] = int32(k)
		}
	}
	for k := range m.requests {
		q := &m.requests[k]
		if m.best[q.out] != int32(k) {
			continue
		}
		b := m.pick[q.in]
		if b < 0 {
			m.pick[q.in] = int32(k)
			continue
		}
		if p := a.accept.at(m.in + int(q.in)); distance(int(q.out), p, m.outs) < distance(int(m.requests[b].out), p, m.outs) {
			m.pick[q.in] = int32(k)
		}
	}
	for k := range m.requests {
		q := &m.requests[k]
		if m.pick[q.in] != int32(k) {
			continue
		}
		m.matches = append(m.matches, int32(k))
		if round == 0 {
			a.grant.set(m.out+int(q.out), next(int(q.in), m.ins))
			a.accept.set(m.in+int(q.in), next(int(q.out), m.outs))
		}
	}
}
