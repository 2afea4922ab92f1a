package traffic

import (
	"math"

	"starloom/hw"
)

// Indices of the random draws of a packet.
const (
	drawBurst       = 0
	drawGap         = 1 // bits of the time since the previous packet: draws drawGap to drawGap+gapBits-1
	drawDestination = 40
	drawHotspot     = 41
	drawSize        = 42
	drawWrite       = 43
)

const never = math.MaxUint32

const oneFixed = 1 << 32

// share returns the bound for 32-bit draws: a draw is below it with probability p.
func share(p float64) uint64 { return uint64(math.Round(p * oneFixed)) }

const gapBits = 32

// geometric draws the number of failures before the first success in independent trials. The binary digits of this
// number are independent: digit k is 1 with probability x/(1+x), x = q^(2^k), where q is the probability of failure.
type geometric struct {
	bits  int // number of digits that may be 1
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
