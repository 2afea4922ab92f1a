package twin

import "starloom/hw"

// purposeStimulus keeps the stimulus apart from all other draws of a seed.
const purposeStimulus = 4

// Random draws the stimulus of a circuit. Counter-based: a draw is a function of
// seed, cycle and its number within the cycle, so a test can begin anywhere.
type Random struct {
	stream hw.Stream
	cycle  uint64
	draw   uint16
	again  uint32 // other draws of the same cycle

	draws hw.Draws // of processor of
	of    uint32
}

// NewRandom returns the draws of a seed, in cycle 0.
func NewRandom(seed uint64) *Random {
	stream := hw.NewStream(seed, purposeStimulus)
	return &Random{stream: stream, draws: stream.Of(0)}
}

// At goes to the first draw of a cycle.
func (r *Random) At(cycle uint64) { r.cycle, r.draw = cycle, 0 }

// Cycle returns the cycle of the draws.
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

// Below returns 0..bound-1.
func (r *Random) Below(bound int) int { return int(hw.Below(r.Uint32(), uint32(bound))) }

// OneIn is true once in n draws.
func (r *Random) OneIn(draws int) bool { return r.Below(draws) == 0 }

// Between returns low to high, as many of one length in binary digits as of another.
func (r *Random) Between(low, high uint64) uint64 { return r.between(max(low, 1), max(low, high, 1)) }

// Sparse returns 64 bits, each one once in 2^halvings.
func (r *Random) Sparse(halvings int) uint64 {
	bits := ^uint64(0)
	for range halvings {
		bits &= r.Uint64()
	}
	return bits
}

// stimulateLight fills the wires of two rails: dark, a phit, or any light at all.
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
