package diff

import (
	"fmt"
	"maps"
	"slices"

	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

func (d *differ) finish(m *merge, before bool) error {
	report := &d.report
	d.noteUnvalued(m)
	d.noteHalfGiven()
	d.noteSkipped(m, before)
	report.EndedA = !m.a.Loaded && (!m.b.Loaded || m.b.Instant <= d.to)
	report.EndedB = !m.b.Loaded && (!m.a.Loaded || m.a.Instant <= d.to)
	report.TruncatedA, report.TruncatedB = m.readA.Truncated(), m.readB.Truncated()
	report.TruncatedFromA, report.TruncatedFromB = m.readA.CutFrom(), m.readB.CutFrom()
	report.UnreadA, report.UnreadB = m.readA.Unread(), m.readB.Unread()
	switch {
	case report.Instants == 0 && len(report.Shapes) == 0:
		return d.nothingCompared(m)
	case report.Differs():
	case !slices.ContainsFunc(d.pairs, m.valued):
		return d.nothing("neither file has a value of a compared signal", "compare files of runs that reached their first "+
			"values")
	case !d.compared:
		return d.nothing("at every compared time, one of the files has x or z, or an event that may have been triggered",
			"compare without --x lenient, or other signals")
	}
	report.judge()
	return nil
}

func (m *merge) valued(p pair) bool { return m.readA.Changes(p.a)+m.readB.Changes(p.b) > 0 }

func (d *differ) noteUnvalued(m *merge) {
	var names []string
	for _, p := range d.pairs {
		if p.kind != vcd.KindEvent && !m.valued(p) {
			names = append(names, p.nameA)
		}
	}
	if len(names) == 0 || d.o.First && d.report.First != nil { // the files were not read completely
		return
	}
	d.report.Compared -= len(names)
	list := traces.NewNameList(names)
	d.report.Skipped = append(d.report.Skipped,
		fmt.Sprintf("%s without a value in A or B: %s",
			traces.Plural(uint64(list.Count), "signal", "signals"), list.Some()))
}

func (d *differ) noteHalfGiven() {
	if len(d.halfGiven) == 0 {
		return
	}
	var names []string
	for _, i := range slices.Sorted(maps.Keys(d.halfGiven)) {
		names = append(names, d.pairs[i].nameA)
	}
	list := traces.NewNameList(names)
	d.report.Skipped = append(d.report.Skipped, fmt.Sprintf("%s with NaN or an empty text where the other file has no "+
		"value: %s",
		traces.Plural(list.Count, "signal", "signals"), list.Some()))
}

func (d *differ) nothing(reason, remedy string) error {
	return input.Mistake(d.files[0].Name+" and "+d.files[1].Name, reason, remedy)
}

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
	if d.maybeCount > 0 {
		skip("events that may have been triggered ($dumpall, $dumpon, the beginning of an FST): %s",
			traces.Plural(d.maybeCount, "time", "times"))
	}
	if hasA, hasB := m.readA.Header().HasTimescale, m.readB.Header().HasTimescale; hasA != hasB {
		skip("in %s: no $timescale, 1 ns is assumed", map[bool]string{true: "A", false: "B"}[hasB])
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
		skip("within a period only the values at its end are compared")
	}
	passedA, passedB := m.readA.Passed(), m.readB.Passed()
	for _, what := range passedA {
		where := "in A"
		if slices.Contains(passedB, what) {
			where = "in both"
		}
		skip("%s: %s", where, what)
	}
	for _, what := range passedB {
		if !slices.Contains(passedA, what) {
			skip("in B: %s", what)
		}
	}
}

func began(s *vcd.Sampler) bool { return s.Loaded || s.Committed }

func (d *differ) nothingCompared(m *merge) error {
	for i, s := range []*vcd.Sampler{m.a, m.b} {
		if s.Loaded && s.Cut && !s.Committed {
			return input.Mistake(s.Reader.Name(),
				"its last line is incomplete, and no value precedes the time of that line",
				"compare files that simulators have written completely")
		}
		if how := [2]vcd.Sampling{d.o.A, d.o.B}[i]; !began(s) && how.Clock == "" {
			return input.Mistake(s.Reader.Name(), "there are no values in it",
				"compare files of runs that reached their first time")
		}
	}
	reason, remedy := "the files have no time in common", "check the offset and the bounds"
	if m.a.Off || m.b.Off {
		reason, remedy = "the files are never dumped at the same time ($dumpoff)",
			"compare files that are dumped at the same times"
	}
	if d.o.A.Clock != "" || d.o.B.Clock != "" {
		reason, remedy = "the files have no cycle in common", "check the clocks, the offset and the bounds"
	}
	return d.nothing(reason, remedy)
}
