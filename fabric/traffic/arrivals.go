package traffic

import (
	"math"

	"starloom/fabric"
	"starloom/hw"
)

// arrivals determines the creation times of a source's packets. The intervals between packets are independent. The
// number of the later packet selects the draw of the interval.
type arrivals struct {
	kind   string
	stream hw.Stream

	gap   geometric // bernoulli: empty slots between two packets; bursty: additional slots between two bursts
	burst uint64    // bursty: the burst continues if a 32-bit draw is below this bound
	on    uint64    // bursty: a source begins in a burst if a 32-bit draw is below this bound

	period uint64 // periodic: slots between two packets, in fixed point with 32 fractional bits
}

func newArrivals(s *Spec, stream hw.Stream) arrivals {
	a := arrivals{kind: s.Arrivals, stream: stream}
	switch s.Arrivals {
	case fabric.ArrivalsBernoulli:
		a.gap = newGeometric(s.Rate)
	case fabric.ArrivalsBursty:
		a.burst, a.on = share(1-1/s.Burst), share(s.Rate)
		a.gap = newGeometric(s.leaves())
	case fabric.ArrivalsPeriodic:
		a.period = uint64(math.Round(oneFixed / s.Rate))
	}
	return a
}

// first returns the slot in which a source creates packet 0. The process is stationary: it has no beginning.
func (a *arrivals) first(source uint32) uint32 {
	switch a.kind {
	case fabric.ArrivalsBursty:
		if uint64(a.stream.Draw(source, 0, drawBurst)) < a.on {
			return 0
		}
		return after(0, 1+a.gap.draw(a.stream, source, 0))
	case fabric.ArrivalsPeriodic:
		return uint32(a.phase(source) >> 32)
	}
	return after(0, a.gap.draw(a.stream, source, 0))
}

func (a *arrivals) next(source, number, at uint32) uint32 {
	switch a.kind {
	case fabric.ArrivalsBursty:
		if uint64(a.stream.Draw(source, number, drawBurst)) < a.burst {
			return after(at, 1)
		}
		return after(at, 2+a.gap.draw(a.stream, source, number))
	case fabric.ArrivalsPeriodic:
		// a period of 2^32 slots yields few packets, so product and sum stay below 2^64 until the result is never
		if at == never || uint64(number) > (math.MaxUint64-a.period)/a.period {
			return never
		}
		return uint32(min((a.phase(source)+uint64(number)*a.period)>>32, never))
	}
	return after(at, 1+a.gap.draw(a.stream, source, number))
}

func (a *arrivals) phase(source uint32) uint64 {
	return (a.period >> 16) * uint64(a.stream.Draw(source, 0, drawGap)) >> 16
}

func after(at uint32, slots uint64) uint32 { return uint32(min(uint64(at)+slots, never)) }
