package twin

import "starloom/hw"

const purposeStimulus = 4

// Random draws the stimulus of a circuit. A draw is a function of the seed, the cycle and the draw's number in the
// cycle, so that a test can begin anywhere.
type Random struct {
	stream hw.Stream
	cycle  uint64
	draw   uint16
	again  uint32

	draws hw.Draws
	of    uint32
}

// NewRandom returns the draws of a seed, at cycle 0.
func NewRandom(seed uint64) *Random {
	stream := hw.NewStream(seed, purposeStimulus)
	return &Random{stream: stream, draws: stream.Of(0)}
}

// At selects the first draw of a cycle.
func (r *Random) At(cycle uint64) { r.cycle, r.draw = cycle, 0 }

// Cycle returns the current cycle.
func (r *Random) Cycle() uint64 { return r.cycle }

// Uint32 returns 32 uniform bits.
func (r *Random) Uint32() uint32 {
	r.draw++
	if of := uint32(r.cycle>>32) ^ r.again<<16; of != r.of {
		r.of, r.draws = of, r.stream.Of(of)
	}
	return r.draws.Draw(uint32(r.cycle), r.draw)
}

// Uint64 returns 64 uniform bits.
func (r *Random) Uint64() uint64 { return uint64(r.Uint32())<<32 | uint64(r.Uint32()) }

// Below returns a uniform number from 0 to bound-1.
func (r *Random) Below(bound int) int { return int(hw.Below(r.Uint32(), uint32(bound))) }

// OneIn returns true with probability 1/draws.
func (r *Random) OneIn(draws int) bool { return r.Below(draws) == 0 }

// Between returns a number from low to high with a uniformly distributed length in binary digits.
func (r *Random) Between(low, high uint64) uint64 { return r.between(max(low, 1), max(low, high, 1)) }

// Sparse returns 64 bits, each set with probability 1/2^halvings.
func (r *Random) Sparse(halvings int) uint64 {
	bits := ^uint64(0)
	for range halvings {
		bits &= r.Uint64()
	}
	return bits
}

func stimulateLight(random *Random, rail1, rail0 []uint64, wires, bits int) {
	all := ^uint64(0) >> (64 - bits)
	for i := range wires {
		var on1, on0 uint64
		switch random.Below(8) {
		case 0, 1, 2:
			on1 = random.Uint64()
			on0 = ^on1
		case 3:
			on1, on0 = random.Sparse(2), random.Sparse(2)
		}
		hw.PutBits(rail1, i*bits, bits, on1&all)
		hw.PutBits(rail0, i*bits, bits, on0&all)
	}
}
