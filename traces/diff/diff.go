package diff

import (
	"context"
	"fmt"
	"math"
	"slices"

	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// Options says what of two VCDs is compared, and when. The zero value compares
// all signals that both have, at every change, x and z as values of their own.
type Options struct {
	// Rules say what signals of A are called in B; the first that fits counts. A
	// signal without rule is the one with the same path, or the same path but for
	// scopes around everything, such as TOP.
	Rules []NameRule
	// Only and Ignore are patterns (see vcd.Pattern): a signal neither of whose names
	// fits an Only, or one of whose names fits an Ignore, is left out.
	Only, Ignore []string

	// Lenient lets x and z match everything.
	Lenient bool

	// A and B say how the files are sampled: both are, or none is. If both
	// give A's name of a clock, B's is what it is called there.
	A, B vcd.Sampling
	// Align is a signal of A. Its first change from 0 to 1 is the same moment in
	// both files. Without it OffsetCycles (sampled) or Offset (not) says how much
	// later things happen in B.
	Align        string
	OffsetCycles int64
	Offset       vcd.Duration
	OffsetBack   bool // B is earlier by Offset

	// From and To bound what is compared, in cycles or common units of A; To -1
	// means to the end.
	From, To Bound

	// Context is how many cycles or changes are drawn, up to the first difference.
	// 0 means 16.
	Context int
	// First ends the comparison at the first difference.
	First bool

	// Progress is called now and then with the bytes read and their total.
	Progress func(read, size int64)
}

// Bound is a limit of a comparison: a cycle when it is sampled, else a time. The
// zero value is no limit.
type Bound struct {
	Given bool
	Cycle uint64
	Time  vcd.Duration // of A
	Timed bool         // Time counts, not Cycle
}

// String is the bound as it is given: a cycle, or a time with its unit.
func (b Bound) String() string {
	if b.Timed {
		return b.Time.String()
	}
	return fmt.Sprint(b.Cycle)
}

const (
	contextDefault = 16
	// checkEvery is how many instants pass between two looks at the context.
	checkEvery = 4096
)

// Files compares two VCDs in one pass, side by side. Memory grows with the number
// of signals, not with the length of the files; only the few cycles in front of
// the first difference are read a second time. It returns an *input.Error for files and
// options that cannot be used, and the context's error when that ends.
func Files(ctx context.Context, pathA, pathB string, o Options) (*Report, error) {
	d := &differ{ctx: ctx, paths: [2]string{pathA, pathB}, o: o}
	if d.o.Context <= 0 {
		d.o.Context = contextDefault
	}
	if err := d.prepare(); err != nil {
		return nil, err
	}
	m, err := d.open(d.pairs)
	if err != nil {
		return nil, err
	}
	defer m.close()
	if err := d.compare(m); err != nil {
		return nil, err
	}
	if d.report.First != nil {
		if err := d.draw(); err != nil {
			return nil, err
		}
	}
	return &d.report, nil
}

// differ is one comparison.
type differ struct {
	ctx   context.Context
	paths [2]string
	o     Options

	unit     vcd.Timescale // the finest of both files and of the options
	shift    int64         // instants of B are this much later
	from, to int64
	pairs    []pair
	clocks   [2]string // for the drawing

	// relaxed is, by pair, the number of the last instant at which x or z matched
	// another value; nil if they do not match.
	relaxed      []uint64
	relaxedCount uint64

	firstPair int
	firstAt   int64
	report    Report
}

// prepare opens both files, decides what to compare, and aligns them.
func (d *differ) prepare() error {
	a, err := vcd.Open(d.paths[0])
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := vcd.Open(d.paths[1])
	if err != nil {
		return err
	}
	defer b.Close()
	if err := d.checkSampling(a, b); err != nil {
		return err
	}
	p, err := newPairing(a, b, &d.o)
	if err != nil {
		return err
	}
	if err := p.find(&d.o); err != nil {
		return err
	}
	d.pairs = p.pairs
	p.mapClock(&d.o)
	d.report = Report{
		Schema: Schema, Verdict: VerdictEqual, A: d.paths[0], B: d.paths[1], Unit: d.unit.String(), Sampled: d.o.A.Sampled(),
		Compared: len(p.pairs), Shapes: p.shapes,
		OnlyA: traces.NewNameList(p.onlyA), OnlyB: traces.NewNameList(p.onlyB),
		Skipped: p.leftOut(),
	}
	if d.o.Lenient {
		d.relaxed = make([]uint64, len(p.pairs))
	}
	if len(p.shapes) > 0 {
		d.report.Verdict = VerdictDifferent
	}
	if p.stripA != p.stripB {
		d.report.ScopeA, d.report.ScopeB = p.stripA, p.stripB
	}
	if d.shift, err = d.findShift(p); err != nil {
		return err
	}
	return d.findBounds()
}

// checkSampling checks that instants of both files can be compared.
func (d *differ) checkSampling(a, b *vcd.Reader) error {
	o := &d.o
	if o.A.Sampled() != o.B.Sampled() {
		return &input.Error{Place: "sampling", Reason: "one file is sampled and the other is not", Remedy: "give a clock or a period for both: --sample-period, or a: and b: in the map"}
	}
	for _, s := range []vcd.Sampling{o.A, o.B} {
		if s.Clock != "" && s.Period.Count != 0 {
			return &input.Error{Place: "sampling", Reason: "a file has both a clock and a period", Remedy: "give one of them"}
		}
	}
	if o.OffsetCycles != 0 && !o.A.Sampled() {
		return &input.Error{Place: "--offset-cycles", Reason: "cycles are not known", Remedy: "give a clock or a period, or --offset with a time"}
	}
	if o.Offset.Count != 0 && o.A.Sampled() {
		return &input.Error{Place: "--offset", Reason: "cycles are compared, not times", Remedy: "give --offset-cycles"}
	}
	d.unit = min(a.Header().Timescale, b.Header().Timescale)
	for _, duration := range []vcd.Duration{o.A.Period, o.B.Period, o.Offset, o.From.Time, o.To.Time} {
		if duration.Count != 0 {
			d.unit = min(d.unit, duration.Unit)
		}
	}
	for _, r := range []*vcd.Reader{a, b} {
		if scale, ok := (vcd.Duration{Count: 1, Unit: r.Header().Timescale}).In(d.unit); !ok || scale > math.MaxInt64/2 {
			return &input.Error{Place: r.Name(), Reason: fmt.Sprintf("its $timescale of %v is too coarse for times of %v", r.Header().Timescale, d.unit), Remedy: "sample by a clock"}
		}
	}
	return nil
}

// findShift returns how much later B's instants are.
func (d *differ) findShift(p *pairing) (int64, error) {
	o := &d.o
	if o.Align == "" {
		if o.A.Sampled() {
			return o.OffsetCycles, nil
		}
		count, ok := o.Offset.In(d.unit)
		if !ok || count > math.MaxInt64/4 {
			return 0, &input.Error{Place: "--offset", Reason: fmt.Sprintf("%v does not fit 64 bits in units of %v", o.Offset, d.unit), Remedy: "give a shorter offset"}
		}
		if o.OffsetBack {
			return -int64(count), nil
		}
		return int64(count), nil
	}
	i := slices.IndexFunc(p.pairs, func(p pair) bool { return p.nameA == o.Align })
	if i < 0 {
		return 0, &input.Error{Place: "--align", Reason: fmt.Sprintf("%s is not among the signals that are compared", o.Align), Remedy: "give a signal of " + d.paths[0] + " that the other file has, too"}
	}
	if p.pairs[i].kind != vcd.KindBits || p.pairs[i].bits != 1 {
		return 0, &input.Error{Place: "--align", Reason: o.Align + " is not a signal of one bit", Remedy: "give a signal of one bit"}
	}
	var first [2]int64
	for side := range first {
		var err error
		if first[side], err = d.firstEdge(&p.pairs[i], side); err != nil {
			return 0, err
		}
	}
	return first[1] - first[0], nil
}

// firstEdge returns the first instant at which a signal is 1 and was 0 before.
func (d *differ) firstEdge(p *pair, side int) (int64, error) {
	r, err := vcd.Open(d.paths[side])
	if err != nil {
		return 0, err
	}
	defer r.Close()
	how, id, low := d.o.A, p.a, p.aLow
	if side == 1 {
		how, id, low = d.o.B, p.b, p.bLow
	}
	s, err := vcd.NewSampler(r, how, d.unit, []vcd.NetID{id})
	if err != nil {
		return 0, err
	}
	before := byte('x')
	for count := 0; ; count++ {
		if err := s.Load(); err != nil {
			return 0, err
		}
		if count%checkEvery == 0 && d.ctx.Err() != nil {
			return 0, d.ctx.Err()
		}
		if !s.Loaded || s.Cut {
			return 0, &input.Error{Place: "--align", Reason: fmt.Sprintf("%s never goes from 0 to 1 in %s", p.nameA, d.paths[side]), Remedy: "give another signal"}
		}
		s.Commit()
		now := s.Value(id, low, 1).Bit(0)
		if before == '0' && now == '1' {
			return s.At, nil
		}
		before = now
	}
}

// findBounds turns From and To into instants.
func (d *differ) findBounds() error {
	d.from, d.to = math.MinInt64, math.MaxInt64
	for _, b := range []struct {
		option string
		bound  Bound
		limit  *int64
	}{{"--from", d.o.From, &d.from}, {"--to", d.o.To, &d.to}} {
		if !b.bound.Given {
			continue
		}
		if b.bound.Timed == d.o.A.Sampled() {
			reason, remedy := fmt.Sprintf("%v is a cycle, but times are compared", b.bound), "give a time with its unit, such as 10ns, or a clock or period to compare cycles"
			if d.o.A.Sampled() {
				reason, remedy = fmt.Sprintf("%v is a time, but cycles are compared", b.bound), "give the number of a cycle, such as 10, without a unit"
			}
			return &input.Error{Place: b.option, Reason: reason, Remedy: remedy}
		}
		count, ok := b.bound.Cycle, true
		if b.bound.Timed {
			count, ok = b.bound.Time.In(d.unit)
		}
		if !ok || count > math.MaxInt64 {
			return &input.Error{Place: b.option, Reason: "the value is too large", Remedy: "give a smaller one"}
		}
		*b.limit = int64(count)
	}
	return nil
}

// merge walks over two files, instant by instant.
type merge struct {
	a, b         *vcd.Sampler
	readA, readB *vcd.Reader
	ofA, ofB     byNet
}

// open opens both files and watches the pairs.
func (d *differ) open(pairs []pair) (m *merge, err error) {
	m = &merge{}
	if m.readA, err = vcd.Open(d.paths[0]); err != nil {
		return nil, err
	}
	if m.readB, err = vcd.Open(d.paths[1]); err != nil {
		m.close()
		return nil, err
	}
	m.a, err = vcd.NewSampler(m.readA, d.o.A, d.unit, nets(pairs, sideA))
	if err == nil {
		m.b, err = vcd.NewSampler(m.readB, d.o.B, d.unit, nets(pairs, sideB))
	}
	if err != nil {
		m.close()
		return nil, err
	}
	m.b.Shift = d.shift
	m.ofA = newByNet(m.readA.Nets(), pairs, sideA)
	m.ofB = newByNet(m.readB.Nets(), pairs, sideB)
	return m, nil
}

func (m *merge) close() {
	// Files that were read only.
	_ = m.readA.Close()
	if m.readB != nil {
		_ = m.readB.Close()
	}
}

// start loads the first instant of both files.
func (m *merge) start() error {
	if err := m.a.Load(); err != nil {
		return err
	}
	return m.b.Load()
}

// next commits the next instant, of one file or of both. It returns false when one
// file has ended, or is cut off within that instant.
func (m *merge) next() (instant int64, fromA, fromB, ok bool) {
	if !m.a.Loaded || !m.b.Loaded {
		return 0, false, false, false
	}
	instant = min(m.a.Instant, m.b.Instant)
	fromA, fromB = m.a.Instant == instant, m.b.Instant == instant
	return instant, fromA, fromB, !(fromA && m.a.Cut) && !(fromB && m.b.Cut)
}

// compare reads both files to the end.
func (d *differ) compare(m *merge) error {
	if err := m.start(); err != nil {
		return err
	}
	all := make([]int32, len(d.pairs))
	for i := range all {
		all[i] = int32(i)
	}
	differs := make([]bool, len(d.pairs))
	var found []int32
	resync := true  // everything is to be compared, not what changes
	before := false // there was something before From
	var first, last instant
	report := &d.report
	for count := 0; ; count++ {
		if count%checkEvery == 0 {
			if err := d.tick(m); err != nil {
				return err
			}
		}
		now, fromA, fromB, ok := m.next()
		if !ok || now > d.to {
			break
		}
		var changedA, changedB []vcd.NetID
		if fromA {
			changedA = m.a.Commit()
		}
		if fromB {
			changedB = m.b.Commit()
		}
		switch {
		case now < d.from:
			resync, before = true, true
		case !m.a.Committed || !m.b.Committed:
			report.SkippedBegin++
			resync = true
		case m.a.Off || m.b.Off:
			if m.a.Off != m.b.Off {
				report.SkippedOff++ // else neither file says anything
			}
			resync = true
		default:
			last = instant{now, m.a.AtTime, m.b.AtTime}
			if report.Instants == 0 {
				first = last
			}
			report.Instants++
			found = found[:0]
			if resync {
				found = d.unequal(m, found, all, differs)
				resync = false
			} else {
				for _, id := range changedA {
					found = d.unequal(m, found, m.ofA.of(id), differs)
				}
				for _, id := range changedB {
					found = d.unequal(m, found, m.ofB.of(id), differs)
				}
			}
			if len(found) > 0 {
				slices.Sort(found)
				d.note(m, last, found)
			}
		}
		if d.o.First && report.First != nil {
			break
		}
		if fromA {
			if err := m.a.Load(); err != nil {
				return err
			}
		}
		if fromB {
			if err := m.b.Load(); err != nil {
				return err
			}
		}
	}
	report.From, report.To = d.moment(m, first), d.moment(m, last)
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
			return &input.Error{Place: s.Reader.Name(), Reason: "its last line has no end and may be cut off, and there is nothing before the time of that line", Remedy: "compare files that their simulators have written to the end"}
		}
		if how := [2]vcd.Sampling{d.o.A, d.o.B}[i]; !began(s) && how.Clock == "" {
			return &input.Error{Place: s.Reader.Name(), Reason: "there are no values in it", Remedy: "compare files of runs that got to their first time"}
		}
	}
	reason, remedy := "the files have no time in common", "check the offset and the bounds"
	if d.o.A.Clock != "" || d.o.B.Clock != "" {
		reason, remedy = "the files have no cycle in common", "check the clocks, the offset and the bounds"
	}
	return &input.Error{Place: d.paths[0] + " and " + d.paths[1], Reason: reason, Remedy: remedy}
}

// tick looks for an interrupt and reports progress.
func (d *differ) tick(m *merge) error {
	if d.o.Progress != nil {
		readA, sizeA := m.readA.Progress()
		readB, sizeB := m.readB.Progress()
		d.o.Progress(readA+readB, sizeA+sizeB)
	}
	return d.ctx.Err()
}

// unequal appends those pairs of the list that differ now and never did before.
func (d *differ) unequal(m *merge, found, list []int32, differs []bool) []int32 {
	for _, i := range list {
		switch p := &d.pairs[i]; {
		case differs[i]:
		case !equalPair(m.a, m.b, p, d.o.Lenient):
			differs[i] = true
			found = append(found, i)
		case d.relaxed != nil && d.relaxed[i] != d.report.Instants && !equalPair(m.a, m.b, p, false):
			d.relaxed[i] = d.report.Instants // a pair may be listed twice, for both files
			d.relaxedCount++
		}
	}
	return found
}

// realTolerance is how far apart equal reals may be, in parts: simulators print 16
// digits or fewer.
const realTolerance = 1e-12

// equalPair compares the columns of both files.
func equalPair(a, b *vcd.Sampler, p *pair, lenient bool) bool {
	switch {
	case p.whole:
		valueA, unknownA := a.Word(p.a)
		valueB, unknownB := b.Word(p.b)
		return equalBits(valueA, unknownA, valueB, unknownB, lenient)
	case p.kind == vcd.KindBits:
		for done := uint32(0); done < p.bits; done += 64 {
			count := min(64, p.bits-done)
			valueA, unknownA := a.Bits(p.a, p.aLow+done, count)
			valueB, unknownB := b.Bits(p.b, p.bLow+done, count)
			if !equalBits(valueA, unknownA, valueB, unknownB, lenient) {
				return false
			}
		}
		return true
	case p.kind == vcd.KindEvent:
		now := max(a.At, b.At)
		return a.Triggered(p.a, now) == b.Triggered(p.b, now) || a.Reader.Maybe(p.a) || b.Reader.Maybe(p.b)
	}
	valueA, valueB := a.Value(p.a, p.aLow, p.bits), b.Value(p.b, p.bLow, p.bits)
	if p.kind == vcd.KindText {
		return valueA.Text == valueB.Text
	}
	x, y := valueA.Real, valueB.Real
	if math.IsNaN(x) || math.IsNaN(y) {
		return lenient || math.IsNaN(x) && math.IsNaN(y)
	}
	return x == y || math.Abs(x-y) <= realTolerance*max(math.Abs(x), math.Abs(y))
}

func equalBits(valueA, unknownA, valueB, unknownB uint64, lenient bool) bool {
	if lenient {
		return (valueA^valueB)&^(unknownA|unknownB) == 0
	}
	return valueA == valueB && unknownA == unknownB
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

// instant is a cycle, or a time in common units, with what the files say then.
type instant struct {
	number       int64
	timeA, timeB uint64
}

// moment writes an instant down.
func (d *differ) moment(m *merge, at instant) Moment {
	t := Moment{
		TimeA: m.readA.Duration(at.timeA).String(),
		TimeB: m.readB.Duration(at.timeB).String(),
	}
	if d.o.A.Sampled() {
		t.Cycle = &at.number
	} else {
		t.TimeA = vcd.Duration{Count: uint64(max(at.number, 0)), Unit: d.unit}.String()
	}
	return t
}
