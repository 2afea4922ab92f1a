package traffic

import (
	"math"

	"starloom/fabric"
	"starloom/hw"
)

// A draw of a packet, by its number at its source: which of its random numbers it is.
const (
	drawBurst       = 0  // whether the burst goes on
	drawGap         = 1  // the bits of the time since the packet before, to drawGap+gapBits-1
	drawDestination = 40 // where it goes
	drawHotspot     = 41 // whether to a hotspot
	drawSize        = 42 // how many frames it has
)

// never is the time of a packet that does not come.
const never = math.MaxUint32

// arrivals say when a source creates packets, at independent intervals drawn with the number of the later packet.
type arrivals struct {
	kind   string
	stream hw.Stream

	gap   geometric // bernoulli: slots without a packet between two; bursty: further slots between two bursts
	burst uint64    // bursty: below it, of 2^32, the burst goes on
	on    uint64    // bursty: below it, of 2^32, a source begins in a burst

	period uint64 // periodic: slots between two packets, as a fixed-point number of 32 fractional bits
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

// oneFixed is 1 as a fixed-point number, and as the sum of all shares.
const oneFixed = 1 << 32

// share is a probability as what a draw of 32 bits is compared with.
func share(p float64) uint64 { return uint64(math.Round(p * oneFixed)) }

// first is when a source creates its packet 0, and so the beginning of its process: it has gone on for ever.
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

// next is when a source creates a packet, if it created the one before it in slot at.
func (a *arrivals) next(source, number, at uint32) uint32 {
	switch a.kind {
	case fabric.ArrivalsBursty:
		if uint64(a.stream.Draw(source, number, drawBurst)) < a.burst {
			return after(at, 1)
		}
		return after(at, 2+a.gap.draw(a.stream, source, number))
	case fabric.ArrivalsPeriodic:
		// The numbers of a period of 2^32 slots are few: neither product nor sum is above 2^64 before it is never.
		if at == never || uint64(number) > (math.MaxUint64-a.period)/a.period {
			return never
		}
		return uint32(min((a.phase(source)+uint64(number)*a.period)>>32, never))
	}
	return after(at, 1+a.gap.draw(a.stream, source, number))
}

// phase is when a periodic source would have created packet 0, within the first period.
func (a *arrivals) phase(source uint32) uint64 {
	return (a.period >> 16) * uint64(a.stream.Draw(source, 0, drawGap)) >> 16
}

// after is so many slots after another, never if that is too late.
func after(at uint32, slots uint64) uint32 { return uint32(min(uint64(at)+slots, never)) }

// gapBits is how many bits the number of slots without a packet may have.
const gapBits = 32

// geometric is how often in a row something does not happen that happens with a probability each time. The binary digits
// of such a number are independent of each other, and digit k is 1 with probability x/(1+x), x = q^(2^k), where
// q is the probability that it does not happen.
type geometric struct {
	bits  int // that may be 1
	below [gapBits]uint64
}

func newGeometric(p float64) (g geometric) {
	x := 1 - p
	for g.bits < gapBits {
		below := share(x / (1 + x))
		if below == 0 {
			break
		}
		g.below[g.bits] = below
		g.bits++
		x = float64(x * x)
	}
	return g
}

func (g *geometric) draw(stream hw.Stream, source, number uint32) (n uint64) {
	for k, below := range g.below[:g.bits] {
		if uint64(stream.Draw(source, number, uint16(drawGap+k))) < below {
			n |= 1 << k
		}
	}
	return n
}
