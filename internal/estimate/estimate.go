package estimate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"starloom/hw"
)

// Size is a scenario at one size of its network.
type Size struct {
	Scenario   string
	Keys       []Key // what is other than in the scenario; nil for the scenario itself
	Processors int
	SlotsMax   uint32 // after which a run that is not done fails
	Memory     uint64 // bytes, as what a run is refused for
	SlotBytes  uint64 // that are kept of each slot, beside that
	Engine     string // that runs it
	// Run runs it as the command does, with outputs that go nowhere, and says how far it is. It is an error
	// that of the context if that ends first, and else only if the scenario cannot run.
	Run func(ctx context.Context, progress func(Progress)) error

	clock func() time.Duration // nil for processor time
}

type subject struct {
	// at is the scenario so many steps larger, smaller if steps is negative; nil if it cannot be of that size.
	at func(steps int) (*Size, error)
}

// LongestDefault is how long the scenario itself is run; smaller sizes take at most as long in all, so that
// an estimate takes half a minute at most.
const LongestDefault = 10 * time.Second

const (
	smallerMost = 14                    // steps down at most
	largerSizes = 3                     // steps up that are told
	memoryPart  = 4                     // the scenario itself is begun if it takes at most this part of the memory there is
	memoryAlong = 1 << 30               // or this
	measurable  = 20 * time.Millisecond // runs that take less say nothing of how time grows
	shareMin    = 0.05                  // of a run, which its first slots must be to tell all of it
)

type estimator struct {
	longest   time.Duration
	subject   subject
	available uint64 // memory, 0 if that is not known
	steps     []int  // of the smaller sizes that were measured to their end, the smallest first
	smaller   []*Measured
	own       *Measured // the scenario itself, nil if it is too large to begin
	told      *point    // what it is said to take, if it was not run to its end
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
		MemoryBytes: size.Memory, MemoryAvailable: available,
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
	many := e.own != nil && e.own.Of > 0 // whose slots are not told
	if !many {
		r.MemoryBytes += size.kept(&r.Time)
	}
	for steps := 1; steps <= largerSizes; steps++ {
		larger, err := subject.at(steps)
		if err != nil || larger == nil {
			break
		}
		l := Larger{Keys: larger.Keys, Processors: larger.Processors, MemoryBytes: larger.Memory}
		e.tell(&l.Time, larger)
		if !many {
			l.MemoryBytes += larger.kept(&l.Time)
		}
		r.Larger = append(r.Larger, l)
	}
	r.Measured = e.kept.fresh
	return r, nil
}

func (s *Size) kept(t *Time) uint64 { return s.SlotBytes * uint64(t.Slots) }

// begins reports whether a size is begun: not one that would press other programs out of the memory.
func (e *estimator) begins(size *Size) bool {
	return e.available == 0 || size.Memory <= max(e.available/memoryPart, min(memoryAlong, e.available))
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

// descend measures smaller sizes to their end, the smallest first, as long as the next one is likely to end in
// time. What it finds out is of use for larger ones only.
func (e *estimator) descend(ctx context.Context) error {
	if e.own != nil && e.own.Of > 0 {
		return nil // of many runs it is known how many are left
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
		if err != nil || !m.Whole { // a size that cannot run says nothing of others
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

// whole are the sizes that were measured to their end, the smallest first.
func (e *estimator) whole() []*Measured {
	if e.own != nil && e.own.Whole {
		return append(slices.Clip(e.smaller), e.own)
	}
	return e.smaller
}

// times are the times of sizes that took long enough to tell, from the first place to the last.
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
		return // else nothing is known
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
	t.set(total, busy.cores(busy.total()), slots, BasisSmaller, fmt.Sprintf("%d to %d processors", all[0].Processors, last.Processors))
}

func (e *estimator) pace(t *Time, places uint64, basis, from string) {
	total := e.own.total() + time.Duration(e.own.pace()*float64(places-min(e.own.Places, places)))
	t.set(total, e.own.cores(e.own.total()), float64(places), basis, from)
}

// slots is how many slots a size is likely to take.
func (e *estimator) slots(size *Size) float64 {
	all := e.whole()
	if last := all[len(all)-1]; last.Places == uint64(last.SlotsMax) {
		return float64(size.SlotsMax) // which is what ends it
	}
	var points []point
	for _, m := range all {
		points = append(points, point{float64(m.Processors), float64(m.Places)})
	}
	return math.Min(places(points, float64(size.Processors)), float64(size.SlotsMax))
}

// whole is what a run takes that was left, if it takes so many places and its time is spread over them as
// that of a smaller one; false if too little of it has been run to tell.
func (m *Measured) whole(smaller *Measured, places float64) (time.Duration, bool) {
	half, end := float64(m.Places/2), float64(m.Places)
	before, now := smaller.share(half/places), smaller.share(end/places)
	if now-before < shareMin/2 {
		return 0, false
	}
	between := (float64(m.Between) - m.after(half)) / (now - before) // of a run that was as fast from its beginning
	left := float64((1-now)*between) + float64(float64(smaller.Rest)/math.Max(float64(smaller.Between), 1)*between)
	return m.total() + time.Duration(left), true
}

// point is a quantity of a run at one size.
type point struct{ n, y float64 }

// law is a way to go on from the last points of a list; it is asked for sizes above them.
type law func(points []point, n float64) float64

// power goes on as a power of the size, through the last two points.
func power(points []point, n float64) float64 {
	a, b := points[len(points)-2], points[len(points)-1]
	if a.n == b.n || a.y <= 0 || b.y <= 0 {
		return b.y
	}
	return b.y * math.Pow(n/b.n, math.Log(b.y/a.y)/math.Log(b.n/a.n))
}

// logarithm goes on as the logarithm of the size, through the last two points.
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

// places is how many slots a run at size n takes: by the law that would best have told each of the last
// points from those before it. points are in the order of their sizes.
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

// pointsFitted is how many of the largest sizes a power is fitted to.
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
		exponent = (float64(count*sxy) - float64(sx*sy)) / spread
	}
	return math.Exp(sy/count + float64(exponent*(math.Log(n)-sx/count)))
}
