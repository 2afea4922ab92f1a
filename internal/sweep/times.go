package sweep

import (
	"context"
	"slices"
	"time"

	"starloom/internal/estimate"
)

const (
	timedEach = 2 * time.Second  // for which a point is run at most, to know how long it takes
	timedAll  = 20 * time.Second // and all that are
	timedMost = 5                // sizes of networks of one kind that are
)

// kindOf is what points have in common whose times grow alike.
func kindOf(x *point, one *Case) string {
	c := one.Batch.Config
	return c.Network.Kind() + " " + c.Firmware.Name + " " + c.Firmware.Mode
}

// times are the times that the missing runs of points are likely to take: a run of some is made, the smallest networks first.
func (s *sweeper) times(ctx context.Context, points []*point) ([]time.Duration, error) {
	kinds, cases, at := map[string][]*point{}, map[*point]*Case{}, map[*point]string{}
	for _, x := range points {
		one, err := s.elaborate(x.Point)
		if err != nil {
			return nil, err
		}
		cases[x], at[x] = one, kindOf(x, one)
		kinds[at[x]] = append(kinds[at[x]], x)
	}
	measured, begun, longest := map[string][]*estimate.Measured{}, time.Now(), time.Duration(0)
	for kind, of := range kinds {
		for _, x := range spread(of) {
			if time.Since(begun) > timedAll {
				break
			}
			m, err := estimate.One(ctx, cases[x].Batch, timedEach)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				continue // its task will say so
			}
			measured[kind] = append(measured[kind], m)
			longest = max(longest, m.Time())
		}
	}
	all := make([]time.Duration, len(points))
	for i, x := range points {
		each := longest
		if m := measured[at[x]]; len(m) > 0 {
			each = estimate.Grown(m, x.processors)
		}
		all[i] = each * time.Duration(max(len(x.missing), 1))
	}
	return all, nil
}

// spread are some points of different sizes, the smallest and the largest among them, by size.
func spread(points []*point) (some []*point) {
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b *point) int { return a.processors - b.processors })
	sorted = slices.CompactFunc(sorted, func(a, b *point) bool { return a.processors == b.processors })
	if len(sorted) <= timedMost {
		return sorted
	}
	for i := range timedMost {
		some = append(some, sorted[i*(len(sorted)-1)/(timedMost-1)])
	}
	return some
}
