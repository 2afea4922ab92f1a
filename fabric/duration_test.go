package fabric_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/traces/input/strict"
)

type window struct {
	Measure *fabric.Duration `json:"measure,omitempty" jsonschema:"minimum=1,maximum=1000000"`
}

func readWindow(text string) (w window, err error) {
	node, err := strict.Document("w.yaml", []byte(text), "window", "write one")
	if err == nil {
		d := strict.Decoder{File: "w.yaml", Whole: "the window", Places: map[string]string{}}
		err = d.Decode(node, reflect.ValueOf(&w).Elem(), "", strict.Limits{})
	}
	return w, err
}

// TestDuration checks durations with units, and the remedies for mistakes.
func TestDuration(t *testing.T) {
	pattern := regexp.MustCompile(fabric.DurationPattern())
	for text, want := range map[string]fabric.Duration{
		"5000 cycles": {Count: 5000, Unit: fabric.UnitCycles}, "1 slot": {Count: 1, Unit: fabric.UnitSlots}, "200 slots": {Count: 200, Unit: fabric.UnitSlots},
		"3 ticks": {Count: 3, Unit: fabric.UnitTicks}, "40": {Count: 40}, `"7 cycles"`: {Count: 7, Unit: fabric.UnitCycles}, "1 slots": {Count: 1, Unit: fabric.UnitSlots},
	} {
		w, err := readWindow("measure: " + text)
		require.NoError(t, err, text)
		require.Equal(t, want, *w.Measure, text)
		data, err := json.Marshal(w)
		require.NoError(t, err)
		again, err := readWindow(string(data)) // JSON is YAML
		require.NoError(t, err, string(data))
		require.Equal(t, want, *again.Measure)
		require.Equal(t, want.Unit != "", pattern.MatchString(want.String()), text)
	}
	for text, want := range map[string]string{
		"5 ns":                        `w.yaml:1:10: measure is "5 ns", but models measure time in cycles; convert it to cycles or slots: 5 cycles, 5 slots`,
		"5000cycles":                  `measure is "5000cycles", which has another form; write 5000 cycles`,
		"200 Slots":                   `measure is "200 Slots", which has another form; write 200 slots`,
		"1 cycle s":                   `measure is "1 cycle s", a number without a known unit`,
		"3 cycls":                     `did you mean "cycles"?`,
		"4 steps":                     `write a number with its unit: 5000 cycles, 200 slots`,
		"5,000 cycles":                `write a number with its unit`,
		"-3 cycles":                   `which does not begin with a plain number`,
		"007 cycles":                  `which does not begin with a plain number`,
		`"40"`:                        `write the number without quotes, or with its unit: 40 cycles`,
		"0 slots":                     `measure is 0 slots; allowed: 1 to 1000000`,
		"0":                           `measure is 0; allowed: 1 to 1000000`,
		"2000000 cycles":              `measure is 2000000 cycles; allowed: 1 to 1000000`,
		"1e3":                         `measure is 1e3; write a number with its unit: 5000 cycles, 200 slots`,
		"[1]":                         `measure is a list; write a number with its unit`,
		"010":                         `write it in plain decimal digits`,
		"99999999999999999999 cycles": `which is too large`,
	} {
		_, err := readWindow("measure: " + text)
		require.ErrorContains(t, err, want, text)
	}
}

// TestPace checks durations in cycles, and the units of a network.
func TestPace(t *testing.T) {
	slots := fabric.Timebase{Cycles: 7, Unit: fabric.UnitSlots, Word: fabric.UnitSlots}
	ticks := fabric.Timebase{Cycles: 32, Unit: fabric.UnitCycles, Word: fabric.UnitTicks}
	bare := fabric.Timebase{Cycles: 1, Unit: fabric.UnitCycles}
	for _, c := range []struct {
		base   fabric.Timebase
		d      fabric.Duration
		cycles uint64
		known  string
		err    string
	}{
		{slots, fabric.Duration{Count: 10}, 70, "10 slots", ""},
		{slots, fabric.Duration{Count: 10, Unit: fabric.UnitCycles}, 10, "10 cycles", ""},
		{slots, fabric.Duration{Count: 10, Unit: fabric.UnitTicks}, 0, "", "at is 10 ticks, but only firmware at routers has ticks; write 10 slots"},
		{ticks, fabric.Duration{Count: 10}, 10, "10 cycles", ""},
		{ticks, fabric.Duration{Count: 10, Unit: fabric.UnitTicks}, 320, "10 ticks", ""},
		{ticks, fabric.Duration{Count: 10, Unit: fabric.UnitSlots}, 320, "10 slots", ""}, // ticks replace slots
		{bare, fabric.Duration{Count: 10}, 10, "10 cycles", ""},
		{bare, fabric.Duration{Count: 10, Unit: fabric.UnitSlots}, 0, "", "at is 10 slots, but routers without firmware have no slots; write 10 cycles"},
		{bare, fabric.Duration{Count: 1, Unit: fabric.UnitTicks}, 0, "", "at is 1 tick, but routers without firmware have no ticks; write 1 cycle"},
		{slots, fabric.Duration{Count: 1 << 62, Unit: fabric.UnitSlots}, 0, "", "give less"},
	} {
		known, cycles, err := c.base.Of(c.d, "at")
		if c.err != "" {
			require.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.cycles, cycles)
		require.Equal(t, c.known, known.String())
	}
}
