package fabric

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Duration is a time in a scenario with its unit, e.g. 5000 cycles or 200 slots. A bare number counts slots, on
// networks of routers cycles.
type Duration struct {
	Count uint64
	Unit  string // UnitCycles, UnitSlots, UnitTicks, or "" for a bare number
}

const (
	UnitCycles = "cycles" // clock cycles, on every network
	UnitSlots  = "slots"  // the time that a frame needs to cross a slotted network
	UnitTicks  = "ticks"  // period of firmware at routers, the counterpart of a slot
)

// DurationUnits returns the units of a Duration in the plural; the singular lacks the s.
func DurationUnits() []string { return []string{UnitCycles, UnitSlots, UnitTicks} }

// DurationPattern returns a regular expression for durations with a unit.
func DurationPattern() string {
	return "^(0|[1-9][0-9]*) (" + strings.Join(DurationUnits(), "?|") + "?)$"
}

func (d Duration) String() string {
	text := strconv.FormatUint(d.Count, 10)
	switch {
	case d.Unit == "":
		return text
	case d.Count == 1:
		return text + " " + strings.TrimSuffix(d.Unit, "s")
	}
	return text + " " + d.Unit
}

// Setting returns the value for a list of settings.
func (d Duration) Setting() any {
	if d.Unit == "" {
		return d.Count
	}
	return d.String()
}

func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.Setting()) }

func (d Duration) Magnitude() strict.Number { return strict.Number{Magnitude: d.Count} }

func (d *Duration) ReadYAML(decoder *strict.Decoder, node *yaml.Node, path string) (err error) {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str" {
		var n strict.Number
		if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" {
			return decoder.Wrong(node, path, durationForm)
		}
		n, err = decoder.Integer(node, path, strict.Span{Max: 1<<63 - 1})
		*d = Duration{Count: n.Magnitude}
		return err
	}
	var reason, remedy string
	if *d, reason, remedy = parseDuration(node.Value); reason != "" {
		return decoder.Refuse(node, path+" is "+strconv.Quote(strict.Clip(node.Value))+reason, remedy)
	}
	return nil
}

const durationForm = "a number with its unit: 5000 cycles, 200 slots"

func parseDuration(text string) (d Duration, reason, remedy string) {
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(text)
	}
	digits, word := text[:end], strings.TrimSpace(text[end:])
	count, err := strconv.ParseUint(digits, 10, 63)
	unit := slices.IndexFunc(DurationUnits(), func(u string) bool {
		return strings.TrimSuffix(u, "s") == strings.TrimSuffix(strings.ToLower(word), "s")
	})
	switch {
	case err != nil && digits != "":
		return d, ", which is too large", "write " + durationForm
	case digits == "" || len(digits) > 1 && digits[0] == '0':
		return d, ", which does not begin with a plain number", "write " + durationForm
	case word == "":
		return d, ", a text", fmt.Sprintf("write the number without quotes, or with its unit: %s cycles", digits)
	case unit < 0 && slices.Contains(secondsUnits, word):
		return d, ", but models measure time in cycles",
			fmt.Sprintf("convert it to cycles or slots: %s cycles, %s slots", digits, digits)
	case unit < 0:
		return d, ", a number without a known unit", input.DidYouMean(word, DurationUnits(), "write "+durationForm)
	}
	d = Duration{Count: count, Unit: DurationUnits()[unit]}
	if text != d.String() && text != digits+" "+d.Unit {
		return Duration{}, ", which has another form", "write " + d.String()
	}
	return d, "", ""
}

// secondsUnits are units of real time. Models do not have real time.
var secondsUnits = []string{"ps", "ns", "us", "µs", "ms", "s", "sec", "min", "seconds"}

// Timebase converts durations of a run.
type Timebase struct {
	Cycles int    // cycles per slot or tick
	Unit   string // unit of a bare number: UnitSlots, or UnitCycles at routers
	Word   string // UnitSlots or UnitTicks; "" for routers without firmware, which have neither slots nor ticks
}

// Of returns the duration with its unit, and its length in cycles. An error is an *input.Error about the key at.
func (b Timebase) Of(d Duration, at string) (known Duration, cycles uint64, err error) {
	if d.Unit == "" {
		d.Unit = b.Unit
	}
	each := uint64(b.Cycles)
	switch {
	case d.Unit == UnitCycles:
		return d, d.Count, nil
	case b.Word == "":
		return d, 0, input.Mistake(at, fmt.Sprintf("%s is %s, but routers without firmware have no %s", at, d, d.Unit),
			fmt.Sprintf("write %s", Duration{Count: d.Count, Unit: UnitCycles}))
	case d.Unit == UnitTicks && b.Word == UnitSlots:
		return d, 0, input.Mistake(at, fmt.Sprintf("%s is %s, but only firmware at routers has ticks", at, d),
			fmt.Sprintf("write %s", Duration{Count: d.Count, Unit: UnitSlots}))
	case d.Count > (1<<63-1)/each:
		return d, 0, input.Mistake(at, fmt.Sprintf("%s is %s of %d cycles", at, d, each), "give less")
	}
	return d, d.Count * each, nil
}
