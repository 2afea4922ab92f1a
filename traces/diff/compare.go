package diff

import (
	"fmt"
	"slices"

	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// compare reads both files to the end.
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

// comparison is how far two files have been compared.
type comparison struct {
	*differ
	m       *merge
	all     []int32 // all pairs
	differs []bool  // pairs that were found to differ
	found   []int32 // those of this instant
	resync  bool    // everything is to be compared, not what changes
	before  bool    // there was something before From

	first, last instant // that were compared
}

func newComparison(d *differ, m *merge) *comparison {
	c := &comparison{differ: d, m: m, all: make([]int32, len(d.pairs)), differs: make([]bool, len(d.pairs)), resync: true}
	for i := range c.all {
		c.all[i] = int32(i)
	}
	return c
}

// at compares an instant, unless it is before both files have begun, or while one is not dumped.
func (c *comparison) at(s step) {
	a, b := c.m.a, c.m.b
	switch {
	case s.instant < c.from:
		c.before = true
	case !a.Committed || !b.Committed:
		c.report.SkippedBegin++
	case a.Off || b.Off:
		if a.Off != b.Off {
			c.report.SkippedOff++ // else neither file says anything
		}
	default:
		c.compareAt(s)
		c.resync = false
		return
	}
	c.resync = true
}

// compareAt compares what changes at an instant, or everything.
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

// finish says how far the comparison has come, and judges. before tells that there was something
// before From.
func (d *differ) finish(m *merge, before bool) error {
	report := &d.report
	d.noteSkipped(m, before)
	report.EndedA = !m.a.Loaded && (!m.b.Loaded || m.b.Instant <= d.to)
	report.EndedB = !m.b.Loaded && (!m.a.Loaded || m.a.Instant <= d.to)
	report.TruncatedA, report.TruncatedB = m.readA.Truncated(), m.readB.Truncated()
	report.TruncatedFromA, report.TruncatedFromB = m.readA.CutFrom(), m.readB.CutFrom()
	report.UnreadA, report.UnreadB = m.readA.Unread(), m.readB.Unread()
	if report.Instants == 0 && (began(m.a) || began(m.b) || d.o.A.Clock != "" || d.o.From.Given) {
		return d.nothingCompared(m)
	}
	report.judge()
	return nil
}

// noteSkipped says what the options, the clock or the period kept from being compared.
func (d *differ) noteSkipped(m *merge, before bool) {
	skip := func(format string, arguments ...any) {
		d.report.Skipped = append(d.report.Skipped, fmt.Sprintf(format, arguments...))
	}
	unit := map[bool]string{true: "cycles", false: "times"}[d.o.A.Sampled()]
	if before {
		skip("%s before --from %v", unit, d.o.From)
	}
	if m.a.Loaded && m.a.Instant > d.to || m.b.Loaded && m.b.Instant > d.to {
		skip("%s after --to %v", unit, d.o.To)
	}
	if g := d.report.GoesOn; g != nil && d.o.Prefix {
		longer, ended := g.files()
		skip("%s from %v on, after the end of %s (--prefix)", longer, g.At, ended)
	}
	if d.relaxedCount > 0 {
		skip("x or z matched anything: %s", traces.Plural(d.relaxedCount, "value", "values"))
	}
	if d.o.A.Clock != "" || d.o.B.Clock != "" {
		skip("between clock edges nothing is compared")
		edgeA, edgeB := m.a.Tail(), m.b.Tail()
		switch {
		case edgeA != "" && edgeA == edgeB:
			skip("after the last edge of the clock, from %s", edgeA)
		case edgeA != "" && edgeB != "":
			skip("after the last edge of the clock, from %s in A and %s in B", edgeA, edgeB)
		case edgeA != "":
			skip("after the last edge of the clock, from %s in A", edgeA)
		case edgeB != "":
			skip("after the last edge of the clock, from %s in B", edgeB)
		}
	}
	if d.o.A.Period.Count != 0 || d.o.B.Period.Count != 0 {
		skip("within a period nothing is compared but the values at its end")
	}
}

// began reports whether there is anything in the file.
func began(s *vcd.Sampler) bool { return s.Loaded || s.Committed }

func (d *differ) nothingCompared(m *merge) error {
	for i, s := range []*vcd.Sampler{m.a, m.b} {
		if s.Loaded && s.Cut && !s.Committed {
			return &input.Error{
				Place:  s.Reader.Name(),
				Reason: "its last line has no end and may be cut off, and there is nothing before the time of that line",
				Remedy: "compare files that their simulators have written to the end",
			}
		}
		if how := [2]vcd.Sampling{d.o.A, d.o.B}[i]; !began(s) && how.Clock == "" {
			return &input.Error{
				Place:  s.Reader.Name(),
				Reason: "there are no values in it",
				Remedy: "compare files of runs that got to their first time",
			}
		}
	}
	reason, remedy := "the files have no time in common", "check the offset and the bounds"
	if d.o.A.Clock != "" || d.o.B.Clock != "" {
		reason, remedy = "the files have no cycle in common", "check the clocks, the offset and the bounds"
	}
	return &input.Error{Place: d.paths[0] + " and " + d.paths[1], Reason: reason, Remedy: remedy}
}

// unequal appends those pairs of the list that differ now and never did before.
func (d *differ) unequal(m *merge, found, list []int32, differs []bool) []int32 {
	for _, i := range list {
		switch p := &d.pairs[i]; {
		case differs[i]:
		case !equalPair(m.a, m.b, p, d.match):
			differs[i] = true
			found = append(found, i)
		case d.relaxed != nil && d.relaxed[i] != d.report.Instants && !equalPair(m.a, m.b, p, exact):
			d.relaxed[i] = d.report.Instants // a pair may be listed twice, for both files
			if p.kind == vcd.KindReal && equalPair(m.a, m.b, p, matching{tolerance: d.match.tolerance}) {
				d.report.RealsWithin++
			} else {
				d.relaxedCount++
			}
		}
	}
	return found
}

// note writes down signals that differ for the first time.
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

// valueText is what a signal is at an instant, for a sentence.
func valueText(s *vcd.Sampler, id vcd.NetID, low uint32, p *pair, instant int64) string {
	switch {
	case p.kind != vcd.KindEvent:
		return s.Value(id, low, p.bits).String()
	case s.Triggered(id, instant):
		return "triggered"
	}
	return "not triggered"
}
