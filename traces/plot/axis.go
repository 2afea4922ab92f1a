package plot

import (
	"math"
	"strconv"

	"starloom/internal/rounded"
)

// ticksMax is the most ticks of an axis.
const ticksMax = 10

// scale maps values of an axis to pixels.
type scale struct {
	low, high float64 // range of values, or of their logarithms
	from, to  float64 // pixels
	log       bool
}

// newScale covers the values from least to most, and 0 if that is near.
func newScale(axis Axis, least, most, from, to float64) scale {
	if axis.Log2 {
		least, most = rounded.Log2(least), rounded.Log2(most)
	} else if least > 0 && least <= most/2 {
		least = 0
	}
	if least == most {
		least, most = least-1, most+1
	}
	return scale{least, most, from, to, axis.Log2}
}

// at is the pixel of a value.
func (s scale) at(value float64) float64 {
	if s.log {
		value = rounded.Log2(value)
	}
	return s.from + float64((value-s.low)/(s.high-s.low)*(s.to-s.from))
}

// tick is a mark of an axis.
type tick struct {
	at   float64 // pixel
	text string
}

// ticks are at multiples of 1, 2 or 5 times a power of ten, or at powers of two.
func (s scale) ticks() []tick {
	step := tickStep(s.high - s.low)
	if s.log {
		step = math.Max(1, step)
	}
	var ticks []tick
	for i := math.Ceil(s.low/step - 1e-9); float64(i*step) <= s.high+float64(step*1e-9); i++ {
		value := float64(i * step)
		at := s.from + float64((value-s.low)/(s.high-s.low)*(s.to-s.from))
		if s.log {
			value = math.Ldexp(1, int(value)) // steps are whole
		}
		ticks = append(ticks, tick{at, tickText(value)})
	}
	return ticks
}

// tickStep is the smallest step of 1, 2 or 5 times a power of ten with ticksMax ticks or fewer.
func tickStep(span float64) float64 {
	exponent := int(math.Floor(math.Log10(span / ticksMax))) // or one beside it
	for ; math.Pow10(exponent) > span/ticksMax; exponent-- {
	}
	for ; math.Pow10(exponent+1) <= span/ticksMax; exponent++ {
	}
	unit := math.Pow10(exponent)
	for _, factor := range []float64{1, 2, 5} {
		if span/(factor*unit) <= ticksMax {
			return factor * unit
		}
	}
	return 10 * unit
}

// tickText is a value without the noise of its last bits.
func tickText(value float64) string {
	if value == 0 { // not -0
		return "0"
	}
	return strconv.FormatFloat(value, 'g', 10, 64)
}
