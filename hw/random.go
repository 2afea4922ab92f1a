package hw

import "hash/fnv"

// Randomness is counter-based: a draw is a pure function of (seed, processor, slot, draw). Hence it depends neither
// on the order of processors nor on the number of workers. The firmware SDK computes the same function (sl_random in
// starloom.h).

// Multipliers of the finaliser (D. Stafford's variant 13 of MurmurHash3's finaliser, as in splitmix64) and
// splitmix64's golden-ratio increment.
const (
	mixA        = 0xBF58476D1CE4E5B9
	mixB        = 0x94D049BB133111EB
	goldenGamma = 0x9E3779B97F4A7C15
)

// Mix64 is a bijection on 64 bits with full avalanche.
func Mix64(bits64 uint64) uint64 {
	bits64 = (bits64 ^ bits64>>30) * mixA
	bits64 = (bits64 ^ bits64>>27) * mixB
	return bits64 ^ bits64>>31
}

// Stream is a family of draws, derived from the run's seed and a purpose. The workload, the firmware and the faults
// of a run have different streams.
type Stream uint64

const (
	PurposeFirmware    = 1 // draws of handlers
	PurposeWorkload    = 2 // work of the processors
	PurposeFault       = 3 // place and time of faults
	PurposePermutation = 4 // seeds of the runs over all permutations
	PurposeCoin        = 5 // transmitters on a medium without an arbiter
	PurposeTraffic     = 6 // creation and destinations of traffic packets
	PurposeArbiter     = 7 // grants of random arbiters
)

// NewStream returns the stream of a seed for a purpose.
func NewStream(seed uint64, purpose uint64) Stream {
	return Stream(Mix64(seed + goldenGamma*purpose))
}

// Draw returns 32 uniform bits. draw is the number of the draw within one slot of one processor.
func (s Stream) Draw(processor, slot uint32, draw uint16) uint32 {
	return s.Of(processor).Draw(slot, draw)
}

// SeedOf returns a seed for the LFSR at a path, never 0.
func (s Stream) SeedOf(path string) uint32 {
	name := fnv.New32a()
	name.Write([]byte(path))
	return max(1, s.Draw(name.Sum32(), 0, 0))
}

// Draws is the stream of one processor. Draws.Draw does half of the work of Stream.Draw.
type Draws uint64

// Of returns the draws of a processor.
func (s Stream) Of(processor uint32) Draws {
	return Draws(Mix64(uint64(s) + goldenGamma*uint64(processor)))
}

// Draw returns the bits of Stream.Draw for this processor.
func (d Draws) Draw(slot uint32, draw uint16) uint32 {
	return uint32(Mix64(uint64(d)+goldenGamma*(uint64(slot)<<16|uint64(draw))) >> 32)
}

// Seed returns a seed of the stream, for one of several runs that share a seed. Different indices yield different
// seeds.
func (s Stream) Seed(index uint64) uint64 { return Mix64(uint64(s) + goldenGamma*index) }

// Below maps 32 uniform bits to 0..bound-1, bound >= 1, by multiplication. The probabilities of the results differ by
// at most 2^-32, and not at all for powers of two.
func Below(bits, bound uint32) uint32 {
	return uint32(uint64(bits) * uint64(bound) >> 32)
}
