package sweep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"starloom/fabric/outcome"
	"starloom/internal/sweep/folder"
	"starloom/internal/sweep/plan"
	"starloom/traces/input"
)

// A bisection searches along one axis. lines holds the points along this axis for each combination of the other axes.
type bisection struct {
	axis  int
	lines [][]int
}

func (s *sweeper) bisection(points []plan.Point) (*bisection, error) {
	if s.Adaptive == "" {
		return nil, nil
	}
	names := s.plan.Names()
	b := &bisection{axis: slices.Index(names, s.Adaptive)}
	if b.axis < 0 {
		return nil,
			&input.Error{Place: "--adaptive", Reason: fmt.Sprintf("there is no axis %q", s.Adaptive),
				Remedy: input.RemedyOf(s.Adaptive, names)}
	}
	for _, together := range s.plan.Zip {
		if slices.Contains(together, s.Adaptive) {
			return nil, &input.Error{Place: s.plan.Place("zip"), Reason: "the axis " + s.Adaptive + " is zipped with other axes",
				Remedy: "bisect an axis that is not zipped"}
		}
	}
	of := map[string]int{}
	for i := range points {
		others := strings.Join(b.others(points[i].Labels), "\x00")
		k, ok := of[others]
		if !ok {
			k = len(b.lines)
			of[others] = k
			b.lines = append(b.lines, nil)
		}
		b.lines[k] = append(b.lines[k], i)
	}
	return b, nil
}

func (b *bisection) others(labels []string) []string {
	return slices.Delete(slices.Clone(labels), b.axis, b.axis+1)
}

// A search narrows a line down to two points between which the outcome changes.
type search struct {
	line      []int
	low, top  int
	passes    map[int]bool // outcomes, by index in the line
	unknown   bool         // a point could not be finished
	saturates bool
}

func (x *search) wants() []int {
	_, low := x.passes[x.low]
	_, top := x.passes[x.top]
	switch {
	case x.unknown:
		return nil
	case !low || !top:
		return slices.Compact([]int{x.low, x.top})
	case x.passes[x.low] == x.passes[x.top] || x.top-x.low <= 1:
		return nil
	}
	return []int{(x.low + x.top) / 2}
}

func (x *search) learn(at int, passes bool) {
	x.passes[at] = passes
	if at > x.low && at < x.top {
		if passes == x.passes[x.low] {
			x.low = at
		} else {
			x.top = at
		}
	}
}

// bisect finds the change of outcome in each line with as few runs as possible, assuming a single change. It returns
// the points with runs.
func (s *sweeper) bisect(ctx context.Context, r *Report, b *bisection, points []*point) (run []*point, err error) {
	searches := make([]*search, len(b.lines))
	for k, line := range b.lines {
		searches[k] = &search{line: line, top: len(line) - 1, passes: map[int]bool{}}
	}
	for ctx.Err() == nil {
		var next []*point
		for _, x := range searches {
			for _, at := range x.wants() {
				next = append(next, points[x.line[at]])
			}
		}
		if len(next) == 0 {
			break
		}
		if err := s.runAll(ctx, r, next); err != nil {
			return nil, err
		}
		run = append(run, next...)
		for _, x := range searches {
			for _, at := range x.wants() {
				if err := s.look(x, at, points[x.line[at]]); err != nil {
					return nil, err
				}
			}
		}
	}
	slices.SortFunc(run, func(a, b *point) int { return a.index - b.index })
	r.Limits = b.limits(r.Axes, searches, points)
	r.Extent.Points, r.Extent.Runs = len(run), 0
	for _, x := range run {
		r.Extent.Runs += x.total
	}
	return run, nil
}

// saturated is the metric of runs that could not carry the offered load.
const saturated = "saturated"

// look determines the outcome of a point. The point passes if no run fails and fewer than half of the runs are
// saturated. In a run with too few packets for the metric, undelivered packets count as saturation.
func (s *sweeper) look(x *search, at int, p *point) error {
	runs, err := s.folder.Runs(p.key)
	if err != nil {
		return err
	}
	count, full, failed := uint64(0), 0, false
	for i := range runs {
		if r := &runs[i]; p.wants(r) {
			count++
			failed = failed || r.Verdict != outcome.VerdictPass
			if k := slices.Index(r.Figures, saturated); k >= 0 {
				x.saturates = true
				if is, known := number(r, saturated); is > 0 || !known && left(r) {
					full++
				}
			}
		}
	}
	if count < p.total {
		x.unknown = true
		return nil
	}
	x.learn(at, !failed && uint64(2*full) < count)
	return nil
}

func number(r *folder.Record, name string) (value float64, known bool) {
	if k := slices.Index(r.Figures, name); k >= 0 {
		_, err := fmt.Sscan(fmt.Sprint(r.Values[k]), &value)
		return value, err == nil
	}
	return 0, false
}

func left(r *folder.Record) bool {
	pending, _ := number(r, "pending")
	return pending > 0
}

func (b *bisection) limits(axes []string, searches []*search, points []*point) *Limits {
	l := &Limits{Axis: axes[b.axis], Others: b.others(axes)}
	rising := risingFails(searches)
	for _, x := range searches {
		row := Limit{Others: b.others(points[x.line[0]].Labels)}
		low, knownLow := x.passes[x.low]
		top, knownTop := x.passes[x.top]
		at := map[bool]int{low: x.low, top: x.top}
		if low == top {
			at = map[bool]int{low: x.low}
			if low == rising {
				at[low] = x.top
			}
		}
		for passes, k := range at {
			switch label := points[x.line[k]].Labels[b.axis]; {
			case x.unknown || !knownLow || !knownTop:
			case passes:
				row.Passes = label
			default:
				row.Fails = label
			}
		}
		l.Rows = append(l.Rows, row)
	}
	return l
}

// risingFails reports whether larger values are expected to fail. The first line with a change decides. Without a
// change, the answer is true if runs saturate.
func risingFails(searches []*search) bool {
	rising := false
	for _, x := range searches {
		if x.passes[x.low] != x.passes[x.top] {
			return x.passes[x.low]
		}
		rising = rising || x.saturates
	}
	return rising
}
