// Package diff compares two VCDs side by side in one pass: at every change or, for sampled files, in every cycle.
//
//	a.vcd --> vcd.Reader --> vcd.Sampler --+
//	               |                       |
//	            pairing of signals,        +--> merge --> compare --> Report --> draw
//	            whole or by bits           |   instant by instant    first difference,
//	               |                       |                         skipped parts
//	b.vcd --> vcd.Reader --> vcd.Sampler --+
//
// The verdict is equal only after a complete comparison of both files. A file that ends before the other's last
// change differs.
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

const contextDefault = 16

// Files compares two waveforms side by side in one pass; see vcd.Open for the formats. Memory grows with the number
// of signals, not with the length of the files. Files reads only the few cycles before the first difference twice.
// Files returns an *input.Error for unusable files and options, and ctx's error when ctx ends.
func Files(ctx context.Context, pathA, pathB string, o Options) (*Report, error) {
	d := &differ{ctx: ctx, o: o, match: matching{lenient: o.Lenient, tolerance: o.RealTolerance, maybe: true},
		halfGiven: map[int32]bool{}}
	if pathA == input.StandardInput && pathB == pathA {
		return nil, input.Mistake("standard input", "it cannot stand for both files", "give a file for one of them")
	}
	for i, path := range []string{pathA, pathB} {
		var err error
		if d.files[i], err = vcd.Keep(path); err != nil {
			return nil, err
		}
		defer d.files[i].Drop()
	}
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

func (d *differ) prepare() error {
	a, err := d.files[0].Open()
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := d.files[1].Open()
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
		Schema: Schema, Verdict: VerdictEqual, A: d.files[0].Name, B: d.files[1].Name,
		Compared: len(p.pairs), Shapes: p.shapes,
		OnlyA: traces.NewNameList(p.onlyA), OnlyB: traces.NewNameList(p.onlyB),
		Span:  Span{Unit: d.unit.String(), Sampled: d.o.A.Sampled()},
		Skips: Skips{Skipped: slices.Concat(p.leftBits(), p.otherRanges(), p.leftOut())}, RealTolerance: d.o.RealTolerance,
	}
	if d.match != (matching{maybe: true}) ||
		slices.ContainsFunc(p.pairs, func(p pair) bool { return p.kind == vcd.KindEvent }) {
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

func (d *differ) checkSampling(a, b *vcd.Reader) error {
	o := &d.o
	if o.A.Sampled() != o.B.Sampled() {
		return input.Mistake("sampling", "one file is sampled and the other is not",
			"give a clock or a period for both: --sample-period, or a: and b: in the map")
	}
	for _, s := range []vcd.Sampling{o.A, o.B} {
		if s.Clock != "" && s.Period.Count != 0 {
			return input.Mistake("sampling", "a file has both a clock and a period", "give one of them")
		}
	}
	if o.OffsetCycles != 0 && !o.A.Sampled() {
		return input.Mistake("--offset-cycles", "cycles are not known", "give a clock or a period, or --offset with a time")
	}
	if o.Offset.Count != 0 && o.A.Sampled() {
		return input.Mistake("--offset", "cycles are compared, not times", "give --offset-cycles")
	}
	d.unit = min(a.Header().Timescale, b.Header().Timescale)
	for _, duration := range []vcd.Duration{o.A.Period, o.B.Period, o.Offset, o.From.Time, o.To.Time} {
		if duration.Count != 0 {
			d.unit = min(d.unit, duration.Unit)
		}
	}
	for _, r := range []*vcd.Reader{a, b} {
		if scale, ok := (vcd.Duration{Count: 1, Unit: r.Header().Timescale}).In(d.unit); !ok || scale > math.MaxInt64/2 {
			return input.Mistake(r.Name(),
				fmt.Sprintf("its $timescale of %v is too coarse for times of %v", r.Header().Timescale, d.unit),
				"sample by a clock")
		}
	}
	return nil
}
