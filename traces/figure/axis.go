package figure

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"

	"starloom/traces/rounded"
)

// ticksMax is the maximum number of ticks; ticksMin is the minimum for ticks at powers.
const ticksMax, ticksMin = 10, 2

// span is the range of values on an axis.
type span struct{ least, most float64 }

func (s *span) take(values ...float64) {
	for _, v := range values {
		s.least, s.most = min(s.least, v), max(s.most, v)
	}
}

// logRoom is the free fraction at either end of a logarithmic axis.
const logRoom = 0.02

// lay sets range, scale, ticks and label of an axis with room for the given numbers of names and ticks.
func (a *Axis) lay(axis *plot.Axis, s span, names, ticks int) {
	switch {
	case a.Scale != Linear:
		axis.Scale = logScale(a.Scale)
		if s.least == s.most {
			s = span{s.least / 2, s.most * 2}
		}
		room := rounded.Exp(float64(logRoom * float64(rounded.Log(s.most)-rounded.Log(s.least))))
		s = span{s.least / room, s.most * room}
	case a.Names != nil:
		s = span{-0.5, float64(len(a.Names)) - 0.5}
	default:
		if s.least > 0 && s.least <= s.most/2 {
			s.least = 0
		}
		if s.least == s.most {
			s = a.around(s.least)
		}
	}
	axis.Min, axis.Max, axis.Label.Text = s.least, s.most, a.Label
	axis.Tick.Marker = ticker{a, max(1, names), min(max(ticks, ticksLeast), ticksMax)}
}

// around returns a range around a single value. The range extends by a tenth of the value on either side; on an axis
// of counts, it extends by at least 1.
func (a *Axis) around(value float64) span {
	room := float64(math.Abs(value) * 0.1)
	if room == 0 || a.Whole {
		room = max(room, 1)
	}
	return span{value - room, value + room}
}

// ticksLeast is the minimum number of ticks on an axis.
const ticksLeast = 3

type logScale Scale

func (logScale) Normalize(least, most, value float64) float64 {
	low := rounded.Log2(least)
	return (rounded.Log2(value) - low) / (rounded.Log2(most) - low)
}

type ticker struct {
	*Axis
	names int // maximum number of names
	most  int // maximum number of ticks
}

// Ticks implements plot.Ticker: multiples of 1, 2 or 5 times a power of ten, powers of two or ten, or names.
func (t ticker) Ticks(least, most float64) (ticks []plot.Tick) {
	switch {
	case t.Names != nil:
		every := (len(t.Names) + t.names - 1) / t.names
		for i := 0; i < len(t.Names); i += max(1, every) {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: t.Names[i]})
		}
		return ticks
	case t.Scale == Linear:
		return t.even(least, most)
	}
	base := 2.0
	if t.Scale == Log10 {
		base = 10
	}
	low, high := rounded.Log2(least)/rounded.Log2(base), rounded.Log2(most)/rounded.Log2(base)
	every, within := max(1, tickStep(high-low, t.most)), []float64{1}
	if t.Scale == Log10 && high-low < float64(t.most)/3.3 {
		within = []float64{1, 2, 5}
	}
	for k := math.Floor(low/every) * every; k <= high+1e-9; k += every {
		for _, factor := range within {
			if value := factor * math.Pow(base, k); value >= least*(1-1e-9) && value <= most*(1+1e-9) {
				label := tickText(value)
				if t.Scale == Log2 && value >= 1<<16 {
					label = "2^" + strconv.Itoa(int(k))
				}
				ticks = append(ticks, plot.Tick{Value: value, Label: label})
			}
		}
	}
	if len(ticks) < ticksMin {
		return t.even(least, most)
	}
	return ticks
}

// even returns ticks at multiples of 1, 2 or 5 times a power of ten.
func (t ticker) even(least, most float64) (ticks []plot.Tick) {
	step := tickStep(most-least, t.most)
	if t.Whole {
		step = max(step, 1)
	}
	for i := math.Ceil(least/step - 1e-9); float64(i*step) <= most+float64(step*1e-9); i++ {
		ticks = append(ticks, plot.Tick{Value: float64(i * step), Label: tickText(float64(i * step))})
	}
	return ticks
}

// tickStep returns the smallest step of 1, 2 or 5 times a power of ten that yields at most ticks ticks.
func tickStep(span float64, ticks int) float64 {
	most := float64(ticks)
	exponent := int(math.Floor(math.Log10(span / most))) // Log10 may be off by one
	for ; math.Pow10(exponent) > span/most; exponent-- {
	}
	for ; math.Pow10(exponent+1) <= span/most; exponent++ {
	}
	unit := math.Pow10(exponent)
	for _, factor := range []float64{1, 2, 5} {
		if span/(factor*unit) <= most {
			return factor * unit
		}
	}
	return 10 * unit
}

// tickText formats a value without rounding errors in the last digits; very large and small values have an exponent.
func tickText(value float64) string {
	if value == 0 { // not -0
		return "0"
	}
	if size := math.Abs(value); size >= 1e-4 && size < 1e6 {
		return strconv.FormatFloat(value, 'g', 10, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(value, 'e', 9, 64), "e")
	power, err := strconv.Atoi(exponent)
	if err != nil { // NaN, infinity
		return mantissa
	}
	return strings.TrimRight(strings.TrimRight(mantissa, "0"), ".") + "e" + strconv.Itoa(power)
}
