package diff

import (
	"slices"

	"starloom/traces"
	"starloom/traces/vcd"
)

func (d *differ) compare(m *merge) error {
	c := newComparison(d, m)
	for step, err := range m.instants(d.to, func() error { return d.tick(m) }) {
		if err != nil {
			return err
		}
		c.at(step)
		if d.o.First && d.report.First != nil {
			break
		}
	}
	if !d.o.First || d.report.First == nil {
		if err := d.readTail(m); err != nil {
			return err
		}
	}
	d.report.From, d.report.To = d.moment(m, c.first), d.moment(m, c.last)
	return d.finish(m, c.before)
}

type comparison struct {
	*differ
	m       *merge
	all     []int32
	differs []bool  // pairs with a difference so far
	found   []int32 // pairs with a difference at this instant
	resync  bool    // compare all pairs, not only changed ones
	before  bool    // the files have instants before From

	first, last instant // first and last compared instant
}

func newComparison(d *differ, m *merge) *comparison {
	c := &comparison{differ: d, m: m, all: make([]int32, len(d.pairs)), differs: make([]bool, len(d.pairs)), resync: true}
	for i := range c.all {
		c.all[i] = int32(i)
	}
	return c
}

func (c *comparison) at(s step) {
	a, b := c.m.a, c.m.b
	switch {
	case s.instant < c.from:
		c.before = true
	case !a.Committed || !b.Committed:
		c.report.SkippedBegin++
	case a.Off || b.Off:
		if a.Off != b.Off {
			c.report.SkippedOff++ // otherwise both files are silent
		}
	default:
		c.compareAt(s)
		c.resync = false
		return
	}
	c.resync = true
}

func (c *comparison) compareAt(s step) {
	m := c.m
	c.last = instant{s.instant, m.a.AtTime, m.b.AtTime}
	if c.report.Instants == 0 {
		c.first = c.last
	}
	c.report.Instants++
	found := c.found[:0]
	if c.resync {
		found = c.unequal(m, found, c.all, c.differs)
	} else {
		for _, id := range s.changedA {
			found = c.unequal(m, found, m.ofA.of(id), c.differs)
		}
		for _, id := range s.changedB {
			found = c.unequal(m, found, m.ofB.of(id), c.differs)
		}
	}
	if len(found) > 0 {
		slices.Sort(found)
		c.note(m, c.last, found)
	}
	c.found = found
}

func (d *differ) unequal(m *merge, found, list []int32, differs []bool) []int32 {
	for _, i := range list {
		switch p := &d.pairs[i]; {
		case differs[i]:
		case !equalPair(m.a, m.b, p, d.match):
			differs[i] = true
			found = append(found, i)
		case (p.kind == vcd.KindReal || p.kind == vcd.KindText) && m.a.Given(p.a) != m.b.Given(p.b):
			d.halfGiven[i] = true
		case d.relaxed != nil && d.relaxed[i] == d.report.Instants: // the signal is listed for both files
		case d.relaxed != nil && !equalPair(m.a, m.b, p, exact):
			d.relaxed[i] = d.report.Instants
			d.countRelaxed(m, p)
		default:
			d.compared = true
		}
	}
	return found
}

func (d *differ) countRelaxed(m *merge, p *pair) {
	switch {
	case p.kind == vcd.KindEvent:
		d.maybeCount++
	case p.kind == vcd.KindReal && equalPair(m.a, m.b, p, matching{tolerance: d.match.tolerance}):
		d.report.RealsWithin++
		d.compared = true
	default:
		d.relaxedCount++
		d.compared = d.compared || knownInBoth(m.a, m.b, p)
	}
}

func (d *differ) note(m *merge, at instant, found []int32) {
	report := &d.report
	report.Verdict = VerdictDifferent
	now := d.moment(m, at)
	for _, i := range found {
		p := &d.pairs[i]
		report.Differing++
		if len(report.Signals) < traces.NamesKept {
			report.Signals = append(report.Signals, Difference{
				Signal: p.nameA, SignalB: p.nameB, At: now,
				A: valueText(m.a, p.a, p.aLow, p, at.number), B: valueText(m.b, p.b, p.bLow, p, at.number),
			})
		}
	}
	if report.First == nil {
		first := report.Signals[0]
		report.First = &first
		d.firstPair, d.firstAt = int(found[0]), at.number
	}
}

func valueText(s *vcd.Sampler, id vcd.NetID, low uint32, p *pair, instant int64) string {
	switch {
	case p.kind != vcd.KindEvent:
		return s.Value(id, low, p.bits).String()
	case s.Triggered(id, instant):
		return "triggered"
	}
	return "not triggered"
}
