package vcd

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Timescale is a unit of time: 10^e seconds, e from -21 to 2.
type Timescale int8

// Units of time.
const (
	timescaleMin Timescale = -21
	Femtosecond  Timescale = -15 // the finest that simulators use
	Nanosecond   Timescale = -9  // the unit of Starloom's files
	timescaleMax Timescale = 2
)

// timeUnits are the units from the finest to the coarsest, three powers of ten apart. GTKWave supports zs and as.
var timeUnits = []string{"zs", "as", "fs", "ps", "ns", "us", "ms", "s"}

// String returns the unit as in a VCD: 1 ns, 100 ps.
func (t Timescale) String() string {
	i := int(t - timescaleMin)
	return fmt.Sprintf("1%s %s", strings.Repeat("0", i%3), timeUnits[i/3])
}

// parseTimescale parses a $timescale such as 1 ns, 10ps or 100 s as in the standard. It also accepts other numbers of
// at most 9 digits, such as 244 ns or 0.1 ps, as tick times a power of ten. It accepts 0 as 1, because some versions
// of Verilator write 0.
func parseTimescale(text string) (unit Timescale, tick uint64, err error) {
	fail := func() (Timescale, uint64, error) {
		return 0, 0, fmt.Errorf("%q is not a unit of time: write a number such as 1, 10, 100, 244 or 0.1 and s, ms, us, "+
			"ns, ps or fs", text)
	}
	text = strings.TrimSpace(text)
	end := strings.LastIndexAny(text, "0123456789.") + 1
	i := slices.Index(timeUnits, strings.ToLower(strings.TrimSpace(text[end:])))
	whole, fraction, _ := strings.Cut(text[:end], ".")
	digits := strings.TrimLeft(whole+strings.TrimRight(fraction, "0"), "0")
	places := len(strings.TrimRight(fraction, "0"))
	if i < 0 || end == 0 || whole == "" || len(digits) > tickDigitsMax {
		return fail()
	}
	if digits == "" {
		digits = "1"
	}
	if tick, err = strconv.ParseUint(digits, 10, 64); err != nil {
		return fail()
	}
	e := int(timescaleMin) + 3*i - places
	for ; tick%10 == 0 && e < int(timescaleMax); e++ {
		tick /= 10
	}
	if e < int(timescaleMin) {
		return fail()
	}
	return Timescale(e), tick, nil
}

const tickDigitsMax = 9

// Shorten divides numbers by 1000 while all of them are multiples of 1000. It returns the resulting unit for a
// drawing.
func (t Timescale) Shorten(numbers []uint64) string {
	for ; (t-timescaleMin)%3 != 0; t-- { // 10 or 100 of a unit
		for i := range numbers {
			numbers[i] *= 10
		}
	}
	if slices.Max(numbers) == 0 {
		return timeUnits[(t-timescaleMin)/3]
	}
	for t < 0 && !slices.ContainsFunc(numbers, func(n uint64) bool { return n%1000 != 0 }) {
		t += 3
		for i := range numbers {
			numbers[i] /= 1000
		}
	}
	return timeUnits[(t-timescaleMin)/3]
}

func splitUnit(text string) (number, unit string) {
	text = strings.TrimSpace(text)
	i := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}

// Duration is a length of time: Count units.
type Duration struct {
	Count uint64
	Unit  Timescale
}

// ParseDuration parses a whole number with a unit: 10ns, 2500 ps.
func ParseDuration(text string) (Duration, error) {
	number, unit := splitUnit(text)
	i := slices.Index(timeUnits, unit)
	count, err := strconv.ParseUint(number, 10, 64)
	if i < 0 || err != nil {
		return Duration{}, fmt.Errorf("%q is not a time: write a whole number and s, ms, us, ns, ps or fs", text)
	}
	return Duration{Count: count, Unit: timescaleMin + Timescale(3*i)}, nil
}

// String formats the duration as a whole number of the coarsest unit.
func (d Duration) String() string {
	count, i := d.Count, int(d.Unit-timescaleMin)
	for ; i%3 != 0; i-- {
		// only for a time scale of 10 or 100 units
		high, low := bits.Mul64(count, 10)
		if high != 0 {
			return fmt.Sprintf("%d x %v", d.Count, d.Unit)
		}
		count = low
	}
	for ; count != 0 && count%1000 == 0 && i/3 < len(timeUnits)-1; i += 3 {
		count /= 1000
	}
	return fmt.Sprintf("%d %s", count, timeUnits[i/3])
}

// Before reports whether d is earlier than other.
func (d Duration) Before(other Duration) bool {
	low := min(d.Unit, other.Unit)
	a, fits := d.In(low)
	if !fits { // d is longer than any count of other's unit
		return false
	}
	b, fits := other.In(low)
	return !fits || a < b
}

// In returns the duration in another unit. ok is false if the result is not a whole number, or too large.
func (d Duration) In(unit Timescale) (count uint64, ok bool) {
	if max(d.Unit-unit, unit-d.Unit) > power10Max {
		return 0, d.Count == 0
	}
	if d.Unit >= unit {
		high, low := bits.Mul64(d.Count, power10(d.Unit-unit))
		return low, high == 0
	}
	divisor := power10(unit - d.Unit)
	return d.Count / divisor, d.Count%divisor == 0
}

// power10Max is the exponent of the largest power of ten in 64 bits.
const power10Max = 19

func power10(e Timescale) uint64 { return uint64(math.Pow10(int(e))) }
