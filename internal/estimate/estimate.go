// Package estimate predicts, before a run, the memory and time of a scenario on this machine and of its next larger
// sizes.
//
//	subject: the scenario at any size
//	    |  itself, for some seconds ---------- ended? --> its time
//	    |  smaller sizes, to their end ------> law of slots, law of time
//	    v                                          |
//	  marks of both: the share of a run in its first slots --> time of the whole run
//
// A measured run equals the run of the command, but its outputs are discarded. Measurements are cached for the same
// executable on the same machine. Times are processor times, which depend little on other load.
package estimate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"starloom/hw"
	"starloom/internal/emulator"
)

// Size is a scenario at one size of its network.
type Size struct {
	Scenario   string
	Keys       []Key // keys whose values differ from the scenario; nil for the scenario itself
	Processors int
	SlotsMax   uint32               // limit after which an unfinished run fails
	Memory     emulator.MemoryParts // parts of the memory, as in the check before a run
	SlotBytes  uint64               // additional bytes stored per slot
	Engine     string
	// Run runs the scenario as the command does, discards the outputs, and reports progress. If the context ends
	// first, it returns the context's error. Otherwise it returns an error only if the scenario cannot run.
	Run func(ctx context.Context, progress func(Progress)) error

	clock func() time.Duration // clock in place of processor time; nil for processor time
}

type subject struct {
	// at returns the scenario at a size larger by steps, which may be negative, nil if there is no such size.
	at func(steps int) (*Size, error)
}

// LongestDefault is the time limit for the run of the scenario itself. The runs of all smaller sizes together have
// the same limit, so an estimate takes at most half a minute.
const LongestDefault = 10 * time.Second

const (
	smallerMost = 14                    // number of smaller sizes that are tried
	largerSizes = 3                     // number of larger sizes that are reported
	memoryPart  = 4                     // the scenario is run if it needs at most 1/memoryPart of the available memory
	memoryAlong = 1 << 30               // the scenario is also run if its memory is at most this number of bytes
	measurable  = 20 * time.Millisecond // shorter runs are too noisy to reveal the growth of time
	shareMin    = 0.05                  // minimum share of a run in its first slots for a prediction of the whole
)

type estimator struct {
	longest   time.Duration
	subject   subject
	available uint64 // bytes of available memory, 0 if unknown
	steps     []int  // ascending steps to the smaller sizes with complete measurements
	smaller   []*Measured
	own       *Measured // measurement of the scenario itself, nil if the scenario is too large
	told      *point    // predicted time of a scenario whose run was not completed
	kept      *kept
}

func of(ctx context.Context, subject subject, longest time.Duration, kept *kept) (*Estimate, error) {
	if longest == 0 {
		longest = LongestDefault
	}
	available, limit := hw.MemoryAvailable()
	if limit == "" {
		available = 0
	}
	e := &estimator{longest: longest, subject: subject, available: available, kept: kept}
	size, err := subject.at(0)
	if err != nil {
		return nil, err
	}
	r := &Estimate{
		Schema: Schema, Scenario: size.Scenario, Engine: size.Engine, Processors: size.Processors, SlotsMax: size.SlotsMax,
		MemoryParts: size.Memory, MemoryAvailable: available,
	}
	if e.begins(size) {
		if e.own, err = e.measure(ctx, 0, size, e.longest); err != nil {
			return nil, err
		}
	}
	if err := e.descend(ctx); err != nil {
		return nil, err
	}
	e.tell(&r.Time, size)
	many := e.own != nil && e.own.Of > 0 // the number of slots is unknown for several runs
	if !many {
		r.MemoryParts = size.kept(&r.Time)
	}
	r.MemoryBytes, r.Measurements = r.MemoryParts.Sum(), e.measurements()
	for steps := 1; steps <= largerSizes; steps++ {
		larger, err := subject.at(steps)
		if err != nil || larger == nil {
			break
		}
		l := Larger{Keys: larger.Keys, Processors: larger.Processors, MemoryParts: larger.Memory}
		e.tell(&l.Time, larger)
		if !many {
			l.MemoryParts = larger.kept(&l.Time)
		}
		l.MemoryBytes = l.MemoryParts.Sum()
		r.Larger = append(r.Larger, l)
	}
	r.Measured = e.kept.fresh
	return r, nil
}

// kept returns the parts of the memory, with the data stored in each slot of the run.
func (s *Size) kept(t *Time) emulator.MemoryParts {
	if bytes := s.SlotBytes * uint64(t.Slots); bytes > 0 {
		return append(slices.Clip(s.Memory), emulator.MemoryPart{Part: "data of each slot", Bytes: bytes})
	}
	return s.Memory
}

// measurements lists the measured sizes, largest last.
func (e *estimator) measurements() (list []Measurement) {
	all := e.smaller
	if e.own != nil {
		all = append(slices.Clip(all), e.own)
	}
	for _, m := range all {
		list = append(list, Measurement{Processors: m.Processors, Whole: m.Whole, Places: m.Places,
			Begin: m.Begin.Seconds(), Between: m.Between.Seconds(), Rest: m.Rest.Seconds()})
	}
	return list
}

func (e *estimator) begins(size *Size) bool {
	return e.available == 0 || size.Memory.Sum() <= max(e.available/memoryPart, min(memoryAlong, e.available))
}

func (e *estimator) measure(ctx context.Context, steps int, size *Size, limit time.Duration) (*Measured, error) {
	if m := e.kept.find(steps, limit); m != nil {
		return m, nil
	}
	m, err := probe(ctx, size, limit)
	if err == nil {
		e.kept.add(steps, limit, m)
	}
	return m, err
}

// descend measures smaller sizes to their end, smallest first, while the next size is likely to end in time. The
// results serve only for larger sizes.
func (e *estimator) descend(ctx context.Context) error {
	if e.own != nil && e.own.Of > 0 {
		return nil // the number of remaining runs is known for several runs
	}
	lowest := 0
	var sizes []*Size
	for steps := -1; steps >= -smallerMost; steps-- {
		size, err := e.subject.at(steps)
		if err != nil || size == nil || len(sizes) > 0 && size.Processors >= sizes[len(sizes)-1].Processors {
			break
		}
		sizes, lowest = append(sizes, size), steps
	}
	slices.Reverse(sizes)
	left := e.longest
	for i, size := range sizes {
		if e.expected(size) > left {
			break
		}
		m, err := e.measure(ctx, lowest+i, size, left)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !m.Whole { // sizes that cannot run are skipped
			continue
		}
		left -= m.total()
		e.smaller, e.steps = append(e.smaller, m), append(e.steps, lowest+i)
	}
	return nil
}

func (e *estimator) expected(size *Size) time.Duration {
	points := e.times()
	if len(points) < 2 {
		return 0
	}
	return time.Duration(fitted(points, float64(size.Processors)))
}

func (e *estimator) whole() []*Measured {
	if e.own != nil && e.own.Whole {
		return append(slices.Clip(e.smaller), e.own)
	}
	return e.smaller
}

// times returns the times of the sizes with sufficiently long runs, and always of the last two sizes.
func (e *estimator) times() (points []point) {
	all := e.whole()
	for i, m := range all {
		if m.total() >= measurable || i >= len(all)-2 {
			points = append(points, point{float64(m.Processors), float64(m.total())})
		}
	}
	if e.told != nil {
		points = append(points, *e.told)
	}
	return points
}

func (e *estimator) tell(t *Time, size *Size) {
	own, n := e.own, float64(size.Processors)
	t.runs = own != nil && own.Of > 0
	if size.Keys != nil {
		own = nil
	}
	switch {
	case own != nil && own.Whole:
		t.set(own.total(), own.cores(own.total()), float64(own.Places), BasisItself, "")
		return
	case own != nil && own.Of > 0:
		e.pace(t, own.Of, BasisPart, fmt.Sprintf("%d of %d runs", own.Places, own.Of))
		return
	}
	all := e.whole()
	if len(all) == 0 {
		if own != nil {
			e.pace(t, uint64(size.SlotsMax), BasisLimit, fmt.Sprintf("%d slots", own.Places))
		}
		return
	}
	slots, last := e.slots(size), all[len(all)-1]
	if own != nil && own.Places > 0 {
		slots = math.Max(slots, float64(own.Places))
		if total, ok := own.whole(last, slots); ok {
			t.set(total, own.cores(own.total()), slots, BasisPart, fmt.Sprintf("%d slots", own.Places))
			e.told = &point{n, float64(total)}
			return
		}
	}
	total := time.Duration(fitted(e.times(), n))
	busy := last
	if e.own != nil {
		busy = e.own
	}
	t.set(total, busy.cores(busy.total()), slots, BasisSmaller,
		fmt.Sprintf("%d to %d processors", all[0].Processors, last.Processors))
}

func (e *estimator) pace(t *Time, places uint64, basis, from string) {
	total := e.own.total() + time.Duration(e.own.pace()*float64(places-min(e.own.Places, places)))
	t.set(total, e.own.cores(e.own.total()), float64(places), basis, from)
}

func (e *estimator) slots(size *Size) float64 {
	all := e.whole()
	if last := all[len(all)-1]; last.Places == uint64(last.SlotsMax) {
		return float64(size.SlotsMax)
	}
	var points []point
	for _, m := range all {
		points = append(points, point{float64(m.Processors), float64(m.Places)})
	}
	return math.Min(places(points, float64(size.Processors)), float64(size.SlotsMax))
}

// whole predicts the time of an unfinished run with the given number of places from the distribution of time in a
// smaller run. It returns false if the measured part of the run is too small.
func (m *Measured) whole(smaller *Measured, places float64) (time.Duration, bool) {
	half, end := float64(m.Places/2), float64(m.Places)
	before, now := smaller.share(half/places), smaller.share(end/places)
	if now-before < shareMin/2 {
		return 0, false
	}
	between := (float64(m.Between) - m.after(half)) / (now - before) // time between places at the pace of the second half
	left := float64((1-now)*between) + float64(float64(smaller.Rest)/math.Max(float64(smaller.Between), 1)*between)
	return m.total() + time.Duration(left), true
}

type point struct{ n, y float64 }

type law func(points []point, n float64) float64

func power(points []point, n float64) float64 {
	a, b := points[len(points)-2], points[len(points)-1]
	if a.n == b.n || a.y <= 0 || b.y <= 0 {
		return b.y
	}
	return b.y * math.Pow(n/b.n, math.Log(b.y/a.y)/math.Log(b.n/a.n))
}

func logarithm(points []point, n float64) float64 {
	a, b := points[len(points)-2], points[len(points)-1]
	if a.n == b.n {
		return b.y
	}
	return b.y + float64((b.y-a.y)*math.Log(n/b.n)/math.Log(b.n/a.n))
}

func constant(points []point, _ float64) float64 {
	last := points[max(0, len(points)-3):]
	var sum float64
	for _, p := range last {
		sum += p.y
	}
	return sum / float64(len(last))
}

// places predicts the number of slots at size n by the law that best predicts the last points from the earlier
// points. points are sorted by size.
func places(points []point, n float64) float64 {
	if len(points) < 3 {
		if len(points) == 2 {
			return power(points, n)
		}
		return points[0].y
	}
	best, least := 0.0, math.Inf(1)
	for _, l := range []law{constant, logarithm, power} {
		var off float64
		for end := max(2, len(points)-3); end < len(points); end++ {
			told := l(points[:end], points[end].n)
			off += math.Abs(math.Log(math.Max(told, 1) / math.Max(points[end].y, 1)))
		}
		if off < least-1e-9 {
			best, least = l(points, n), off
		}
	}
	return math.Max(best, 1)
}

const pointsFitted = 3

func fitted(points []point, n float64) float64 {
	last := points[max(0, len(points)-pointsFitted):]
	var sx, sy, sxx, sxy float64
	for _, p := range last {
		x, y := math.Log(p.n), math.Log(math.Max(p.y, 1))
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+float64(x*x), sxy+float64(x*y)
	}
	count := float64(len(last))
	exponent := 1.0
	if spread := float64(count*sxx) - float64(sx*sx); len(last) > 1 && spread > 0 {
		// a larger size never takes less time; short runs are noisy
		exponent = max(0, (float64(count*sxy)-float64(sx*sy))/spread)
	}
	return math.Exp(sy/count + float64(exponent*(math.Log(n)-sx/count)))
}
