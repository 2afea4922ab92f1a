package sweep

import (
	"context"
	"maps"
	"slices"
	"time"

	"starloom/internal/config"
	"starloom/internal/estimate"
)

// timing bounds the runs that measure the times of points.
type timing struct {
	each time.Duration
	all  time.Duration
}

// A cluster task is killed at its time limit. In this process, times are only displayed, and measured runs are
// repeated.
var (
	timingOfTasks = timing{2 * time.Second, 20 * time.Second}
	timingHere    = timing{100 * time.Millisecond, 500 * time.Millisecond}
)

const timedMost = 5

func kindOf(c *config.Config) string {
	return c.Network.Kind() + " " + c.Firmware.Name + " " + c.Firmware.Mode
}

// times estimates the times of the missing runs of all points. It measures runs of some points, smallest networks
// first.
func (s *sweeper) times(ctx context.Context, points []*point, t timing) ([]time.Duration, error) {
	kinds := map[string][]*point{}
	for _, x := range points {
		kinds[x.kind] = append(kinds[x.kind], x)
	}
	measured, begun := map[string][]*estimate.Measured{}, time.Now()
	var longest, build time.Duration // longest time of a run, and of the preparations before it
	for i, kind := range slices.Sorted(maps.Keys(kinds)) {
		for _, x := range spread(kinds[kind]) {
			if time.Since(begun) > t.all*time.Duration(i+1)/time.Duration(len(kinds)) {
				break
			}
			one, err := s.elaborate(x.Point)
			if err != nil {
				return nil, err
			}
			m, err := estimate.One(ctx, one.Batch, t.each)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				continue // the point's task will report the error
			}
			build, m.Begin = max(build, m.Begin), 0
			measured[kind] = append(measured[kind], m)
			longest = max(longest, m.Time())
		}
		measured[kind] = averaged(measured[kind])
	}
	all := make([]time.Duration, len(points))
	for i, x := range points {
		each := longest
		if m := measured[x.kind]; len(m) > 0 {
			each = estimate.Grown(m, x.processors)
		}
		all[i] = each*time.Duration(max(len(x.missing), 1)) + build
	}
	return all, nil
}

// averaged returns one measurement per size. For a size with two finished runs, it ignores unfinished runs.
func averaged(measured []*estimate.Measured) (sizes []*estimate.Measured) {
	left := func(m *estimate.Measured) bool { return !m.Whole }
	if whole := slices.DeleteFunc(slices.Clone(measured), left); len(whole) > 1 {
		measured = whole
	}
	counts := []time.Duration{}
	for _, m := range measured {
		if k := len(sizes) - 1; k >= 0 && sizes[k].Processors == m.Processors {
			sizes[k].Between, sizes[k].Rest = sizes[k].Between+m.Between, sizes[k].Rest+m.Rest
			counts[k]++
			continue
		}
		sizes, counts = append(sizes, m), append(counts, 1)
	}
	for k, m := range sizes {
		m.Between, m.Rest = m.Between/counts[k], m.Rest/counts[k]
	}
	return sizes
}

func (s *sweeper) timeHere(ctx context.Context, points []*point) (sum time.Duration, err error) {
	points = slices.DeleteFunc(slices.Clone(points), func(x *point) bool { return len(x.missing) == 0 })
	times, err := s.times(ctx, points, timingHere)
	for _, t := range times {
		sum += t
	}
	return sum / time.Duration(s.workers), err
}

// spread selects points of different sizes. If all points have equal sizes, it selects points at equal distances.
func spread(points []*point) (some []*point) {
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b *point) int { return a.processors - b.processors })
	if sizes := slices.CompactFunc(slices.Clone(sorted),
		func(a, b *point) bool { return a.processors == b.processors }); len(sizes) >= timedMost {
		sorted = sizes
	}
	if len(sorted) <= timedMost {
		return sorted
	}
	for i := range timedMost {
		some = append(some, sorted[i*(len(sorted)-1)/(timedMost-1)])
	}
	return some
}
