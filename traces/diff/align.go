package diff

import (
	"fmt"
	"math"
	"slices"

	"starloom/traces/input"
	"starloom/traces/vcd"
)

func (d *differ) findShift(p *pairing) (int64, error) {
	o := &d.o
	if o.Align == "" {
		if o.A.Sampled() {
			return o.OffsetCycles, nil
		}
		count, ok := o.Offset.In(d.unit)
		if !ok || count > math.MaxInt64/4 {
			return 0, input.Mistake("--offset", fmt.Sprintf("%v does not fit 64 bits in units of %v", o.Offset, d.unit),
				"give a shorter offset")
		}
		if o.OffsetBack {
			return -int64(count), nil
		}
		return int64(count), nil
	}
	i := slices.IndexFunc(p.pairs, func(p pair) bool { return p.nameA == o.Align })
	if i < 0 {
		return 0, input.Mistake("--align", fmt.Sprintf("%s is not among the compared signals", o.Align),
			"give a signal of "+d.files[0].Name+" that the other file has, too")
	}
	if p.pairs[i].kind != vcd.KindBits || p.pairs[i].bits != 1 {
		return 0, input.Mistake("--align", o.Align+" is not a one-bit signal", "give a signal of one bit")
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

func (d *differ) firstEdge(p *pair, side int) (int64, error) {
	r, err := d.files[side].Open()
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
			return 0, input.Mistake("--align", fmt.Sprintf("%s never goes from 0 to 1 in %s", p.nameA, d.files[side].Name),
				"give another signal")
		}
		s.Commit()
		now := s.Value(id, low, 1).Bit(0)
		if before == '0' && now == '1' {
			return s.At, nil
		}
		before = now
	}
}

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
			reason := fmt.Sprintf("%v is a cycle, but times are compared", b.bound)
			remedy := "give a time with its unit, such as 10ns, or a clock or period to compare cycles"
			if d.o.A.Sampled() {
				reason, remedy = fmt.Sprintf("%v is a time, but cycles are compared", b.bound),
					"give the number of a cycle, such as 10, without a unit"
			}
			return input.Mistake(b.option, reason, remedy)
		}
		count, ok := b.bound.Cycle, true
		if b.bound.Timed {
			count, ok = b.bound.Time.In(d.unit)
		}
		if !ok || count > math.MaxInt64 {
			return input.Mistake(b.option, "the value is too large", "give a smaller one")
		}
		*b.limit = int64(count)
	}
	return nil
}
