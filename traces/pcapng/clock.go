package pcapng

import (
	"math"
	"math/big"
)

// Clock says what the times of an interface are: counts of its resolution, from an offset on.
type Clock struct {
	Resolution uint8 // n for 10^-n s, with the highest bit for 2^-n s (if_tsresol)
	Offset     int64 // seconds that are added (if_tsoffset)
}

// microseconds is the clock of an interface that does not say.
const (
	microseconds     = 6
	resolutionBinary = 0x80
)

// Seconds returns a time in seconds.
func (c Clock) Seconds(count uint64) *big.Rat {
	base := int64(10)
	if c.Resolution&resolutionBinary != 0 {
		base = 2
	}
	units := new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(c.Resolution&^resolutionBinary)), nil)
	time := new(big.Rat).SetFrac(new(big.Int).SetUint64(count), units)
	return time.Add(time, new(big.Rat).SetInt64(c.Offset))
}

// Text is a time in seconds with as many digits as the resolution has: 1.000000007 s.
func (c Clock) Text(count uint64) string {
	digits := int(c.Resolution &^ resolutionBinary)
	if c.Resolution&resolutionBinary != 0 {
		digits = int(math.Ceil(float64(digits) * math.Log10(2)))
	}
	return c.Seconds(count).FloatString(digits) + " s"
}
