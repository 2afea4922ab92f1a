package diff

import (
	"context"
	"fmt"
	"math"

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
	// RealTolerance is how far apart reals may be that match, as a part of the larger
	// one. 0: only the same number matches.
	RealTolerance float64
	// Prefix lets one file end before the other.
	Prefix bool

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
// zero value means no limit.
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
// of signals, not with the length of the files; only the few cycles before
// the first difference are read a second time. It returns an *input.Error for files and
// options that cannot be used, and the context's error when that ends.
func Files(ctx context.Context, pathA, pathB string, o Options) (*Report, error) {
	d := &differ{ctx: ctx, paths: [2]string{pathA, pathB}, o: o, match: matching{lenient: o.Lenient, tolerance: o.RealTolerance}}
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

	// relaxed is, by pair, the number of the last instant at which only the options
	// made values match: x or z, or reals within the tolerance. It is nil if they do not.
	match        matching
	relaxed      []uint64
	relaxedCount uint64 // by x or z

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
		Schema: Schema, Verdict: VerdictEqual, A: d.paths[0], B: d.paths[1],
		Compared: len(p.pairs), Shapes: p.shapes,
		OnlyA: traces.NewNameList(p.onlyA), OnlyB: traces.NewNameList(p.onlyB),
		Span:  Span{Unit: d.unit.String(), Sampled: d.o.A.Sampled()},
		Skips: Skips{Skipped: p.leftOut()}, RealTolerance: d.o.RealTolerance,
	}
	if d.match != exact {
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
		return &input.Error{
			Place:  "sampling",
			Reason: "one file is sampled and the other is not",
			Remedy: "give a clock or a period for both: --sample-period, or a: and b: in the map",
		}
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
			return &input.Error{
				Place:  r.Name(),
				Reason: fmt.Sprintf("its $timescale of %v is too coarse for times of %v", r.Header().Timescale, d.unit),
				Remedy: "sample by a clock",
			}
		}
	}
	return nil
}
