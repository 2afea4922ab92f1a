package hw

import "hash/fnv"

// Randomness is counter-based: a draw is a pure function of (seed, processor,
// slot, draw), never the next value of a shared stream, so neither the order in
// which processors run nor the number of workers can change it. The firmware
// SDK computes the same function inside the sandbox (sl_random in starloom.h);
// a test holds the two together.

// Multipliers of the finaliser (D. Stafford's variant 13 of MurmurHash3's, the
// one splitmix64 uses) and the golden-ratio increment of splitmix64.
const (
	mixA        = 0xBF58476D1CE4E5B9
	mixB        = 0x94D049BB133111EB
	goldenGamma = 0x9E3779B97F4A7C15
)

// Mix64 is a bijection on 64 bits with full avalanche.
func Mix64(x uint64) uint64 {
	x = (x ^ x>>30) * mixA
	x = (x ^ x>>27) * mixB
	return x ^ x>>31
}

// Stream is one family of draws, made from the run's seed and a purpose, so that
// the workload, the firmware and the faults of one run never share a draw.
type Stream uint64

// The purposes of a run's random streams.
const (
	PurposeFirmware    = 1 // what handlers draw
	PurposeWorkload    = 2 // what the processors are given to do
	PurposeFault       = 3 // where and when faults strike
	PurposePermutation = 4 // seeds of the runs of all permutations
	PurposeCoin        = 5 // who transmits on a medium without an arbiter
	PurposeTraffic     = 6 // when packets of traffic are created, and where they go
	PurposeArbiter     = 7 // whom arbiters that draw grant
)

// NewStream returns the stream of a seed for one purpose.
func NewStream(seed uint64, purpose uint64) Stream {
	return Stream(Mix64(seed + goldenGamma*purpose))
}

// Draw returns 32 uniform bits. processor and slot are below 1<<32; draw counts
// the draws of one processor in one slot, 0..65535.
func (s Stream) Draw(processor, slot uint32, draw uint16) uint32 {
	return s.Of(processor).Draw(slot, draw)
}

// SeedOf is a seed for the LFSR at a path, never 0.
func (s Stream) SeedOf(path string) uint32 {
	name := fnv.New32a()
	name.Write([]byte(path))
	return max(1, s.Draw(name.Sum32(), 0, 0))
}

// Draws are those of one processor: half of the work of a Stream's Draw is done.
type Draws uint64

// Of returns the draws of a processor.
func (s Stream) Of(processor uint32) Draws {
	return Draws(Mix64(uint64(s) + goldenGamma*uint64(processor)))
}

// Draw is that of the stream.
func (d Draws) Draw(slot uint32, draw uint16) uint32 {
	return uint32(Mix64(uint64(d)+goldenGamma*(uint64(slot)<<16|uint64(draw))) >> 32)
}

// Seed returns seed k of the stream, for a run that is one of many made from one
// seed. No two k of a stream give the same seed.
func (s Stream) Seed(k uint64) uint64 { return Mix64(uint64(s) + goldenGamma*k) }

// Below maps 32 uniform bits to 0..bound-1, bound >= 1, by multiplication. The
// probabilities differ by at most 2^-32, and not at all for powers of two.
func Below(bits, bound uint32) uint32 {
	return uint32(uint64(bits) * uint64(bound) >> 32)
}
