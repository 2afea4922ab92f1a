package crossbar

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/traces/input"
)

// FuzzValues: every file is read or rejected with its place; accepted values can be written and
// read again.
func FuzzValues(f *testing.F) {
	for _, text := range []string{"", "1\n2\n", " 1, -2\n\n3", "# c\n9223372036854775807,-9223372036854775808", "1,x", "1\n\"2\n3", "1,,2", "\ufeff1", "+1", "1.0", "0x10", "1;2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := readValues("v.csv", []byte(text), "give integers")
		if err != nil {
			var refusal *input.Error
			require.True(t, errors.As(err, &refusal), "%v", err)
			require.Regexp(t, `^v\.csv:\d+:\d+$`, refusal.Place)
			return
		}
		var again strings.Builder
		for _, row := range rows {
			require.NotEmpty(t, row.values)
			again.WriteString(strings.Trim(strings.ReplaceAll(fmt.Sprint(row.values), " ", ","), "[]") + "\n")
		}
		twice, err := readValues("v.csv", []byte(again.String()), "give integers")
		require.NoError(t, err)
		require.Len(t, twice, len(rows))
		for i, row := range rows {
			require.Equal(t, row.values, twice[i].values)
		}
	})
}

// TestDrawsOutside: values of faulty modules lie outside the range of correct values.
func TestDrawsOutside(t *testing.T) {
	const most = 1<<63 - 1
	for seed := range uint64(200) {
		d := newDraws(seed)
		low, high := d.int64(), d.int64()
		low, high = min(low, high), max(low, high)
		value := d.outside(low, high)
		require.True(t, value < low || value > high)
	}
	newDraws(1).outside(-most-1, most)                                 // there is none: any
	require.EqualValues(t, most, newDraws(1).outside(-most-1, most-1)) // there is one
}

// TestHopfieldJudge: an update that raises the energy is reported with processor and session; a
// rise at the start of a recall is not an update.
func TestHopfieldJudge(t *testing.T) {
	x := Network{Ports: 2, program: hopfieldProgram, params: map[string]int64{"neurons": 3, "patterns": 1, "flips": 0, "sweeps": 1}}
	h, err := newHopfield(x, &fabric.Gossip{Sessions: 4})
	require.NoError(t, err)
	h.draw(1)
	pattern := []uint64{uint64(h.pattern[0][0]), uint64(h.pattern[0][1])}
	var r fabric.Results
	give := func(session int, blocks ...uint64) {
		for processor, block := range blocks {
			r.Set(fabric.Result{Processor: processor, Word: uint32(session), Value: block})
		}
	}
	judge := func() (found []string) {
		h.judge(&r, &fabric.Rules{Energy: true}, nil, func(f fabric.Finding) { found = append(found, fmt.Sprint(f.Index, " ", f.Text)) })
		return found
	}
	give(0, pattern[0], pattern[1])   // -15: all 15 pairs agree
	give(1, pattern[0], pattern[1]^1) // one neuron is wrong: 5 pairs do not
	give(2, pattern[0]^7, pattern[1]) // the start of a recall may be anything: +3
	require.Equal(t, []string{"1 raised the energy from -15 to -5 in session 1"}, judge())
	give(3, pattern[0]^7) // processor 1 has not come so far
	require.Empty(t, judge(), "it was told of before")
	give(3, pattern[0]^7, pattern[1]^7) // its complement is as good as the pattern
	require.Empty(t, judge())
	h.reset()
	require.Len(t, judge(), 1)
	var m fabric.Metrics
	h.metrics(&r, &m)
	require.Equal(t, []int64{-15, -5, 3, -15}, m.Get("energy"))
	require.Equal(t, []int{1, 6}, m.Get("wrong_bits"))
	require.Equal(t, 0, m.Get("recalled"))
	h.judge(&r, &fabric.Rules{}, nil, func(fabric.Finding) { t.Error("no rule, no finding") })
}
