package diff

import (
	"slices"

	"starloom/traces/vcd"
)

// readTail reads the longer file up to the first change of a compared signal, or to the end of the file. If the last
// line of the shorter file is incomplete, its end is unknown, and readTail does nothing.
func (d *differ) readTail(m *merge) error {
	ended, longer, ofLonger := m.a, m.b, &m.ofB
	if m.a.Loaded {
		ended, longer, ofLonger = m.b, m.a, &m.ofA
	}
	if ended.Loaded || !longer.Loaded || !ended.Committed || ended.Off || ended.Reader.Truncated() {
		return nil
	}
	unknown := longer.Off // changes while the file was not dumped
	pairs := oneSided(d.pairs, longer == m.b)
	held := longer.Held()
	for count := 0; longer.Loaded && !longer.Cut && longer.Instant <= d.to; count++ {
		if count%checkEvery == 0 {
			if err := d.tick(m); err != nil {
				return err
			}
		}
		i := firstMoved(held, longer, pairs, ofLonger)
		if unknown && !longer.Off {
			i = slices.IndexFunc(d.pairs, func(p pair) bool { return !equalPair(m.a, m.b, &p, d.match) })
			held, unknown = longer.Held(), false
		}
		if i >= 0 {
			d.noteTail(m, longer, &d.pairs[i])
			return nil
		}
		if err := longer.Load(); err != nil {
			return err
		}
	}
	return nil
}

func oneSided(pairs []pair, sideB bool) []pair {
	own := make([]pair, len(pairs))
	for i, p := range pairs {
		if sideB {
			p.a, p.aLow = p.b, p.bLow
		} else {
			p.b, p.bLow = p.a, p.aLow
		}
		own[i] = p
	}
	return own
}

// firstMoved commits an instant and returns the first changed pair, -1 for none. Every clock edge counts as a change
// of the clock.
func firstMoved(held, s *vcd.Sampler, pairs []pair, of *byNet) int {
	first := -1
	keep := func(i int32) {
		if first < 0 || int(i) < first {
			first = int(i)
		}
	}
	for _, id := range s.Commit() {
		for _, i := range of.of(id) {
			if !equalPair(held, s, &pairs[i], matching{maybe: true}) {
				keep(i)
			}
		}
	}
	if clock, ok := s.Clock(); ok {
		for _, i := range of.of(clock) {
			keep(i)
		}
	}
	return first
}

func (d *differ) noteTail(m *merge, longer *vcd.Sampler, p *pair) {
	report := &d.report
	at := instant{number: longer.At, timeA: m.a.AtTime, timeB: m.b.AtTime}
	file := map[bool]string{true: "a", false: "b"}[longer == m.a]
	report.GoesOn = &GoesOn{File: file, Signal: p.nameA, SignalB: p.nameB, At: d.moment(m, at)}
	if !d.o.Prefix {
		report.Verdict = VerdictDifferent
	}
}
