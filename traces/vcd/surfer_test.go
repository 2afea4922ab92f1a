package vcd

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/traces/internal/tracetest"
)

// surferRow matches a command as Surfer parses it from a file: # begins a comment and ; a command; the name of a
// command has letters, digits and underscores and ends before the first other character.
var surferRow = regexp.MustCompile(`^(\w+) (.+)$`)

// asSurferReads parses a command file by the documented grammar. It returns the shown signals, the times of markers
// by name, and the final place of the cursor, -1 for none.
func asSurferReads(t *testing.T, text string) (signals []string, markers map[string]int, cursor int) {
	t.Helper()
	markers, cursor = map[string]int{}, -1
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		if line == "" {
			continue
		}
		require.NotContains(t, line, ";")
		row := surferRow.FindStringSubmatch(line)
		require.NotNil(t, row, line)
		switch row[1] {
		case "variable_add":
			require.NotContains(t, row[2], " ")
			signals = append(signals, row[2])
		case "cursor_set":
			at, err := strconv.Atoi(row[2])
			require.NoError(t, err)
			cursor = at
		case "marker_set":
			name, time, ok := strings.Cut(row[2], " ")
			require.True(t, ok, line)
			require.NotContains(t, markers, name, "it would be moved")
			at, err := strconv.Atoi(time)
			require.NoError(t, err)
			require.Equal(t, cursor, at, "versions differ in which of the two counts")
			markers[name] = at
		default:
			t.Fatalf("not a command that is used: %s", line)
		}
	}
	return signals, markers, cursor
}

func TestSurferGolden(t *testing.T) {
	var b bytes.Buffer
	save := SaveFile{Path: "small.gtkw", VCD: "small.vcd", Signals: smallSignals(t), Markers: []Marker{{3, "in_order"}, {5, "in_order"}, {8, "deadline"}}}
	require.NoError(t, save.WriteSurfer(&b))
	tracetest.Golden(t, "small.sucl", b.Bytes())
	signals, markers, cursor := asSurferReads(t, b.String())
	require.Len(t, signals, len(save.Signals))
	require.Equal(t, map[string]int{"in_order": 3, "in_order.2": 5, "deadline": 8}, markers)
	require.Equal(t, 3, cursor)
}

// TestSurferFirst: First comes first even if many signals are left out; without markers the cursor stays.
func TestSurferFirst(t *testing.T) {
	save := SaveFile{First: []string{"top.slot", "top.unit[7]"}}
	for i := range 100 {
		for _, name := range []string{"wide", "narrow"} {
			bits := 1
			if name == "wide" {
				bits = 8
			}
			save.Signals = append(save.Signals,
				Signal{Path: fmt.Sprintf("top.unit[%d].%s", i, name), Bits: bits},
				Signal{Path: fmt.Sprintf("top.unit[%d].deep[%d].link[+rho^2].%s", i, i, name), Bits: bits},
				Signal{Path: fmt.Sprintf("top.unit[%d].state_%s", i, name), States: []string{"a"}})
		}
	}
	save.Signals = append(save.Signals, Signal{Path: "top.slot", Bits: 32})
	var b bytes.Buffer
	require.NoError(t, save.WriteSurfer(&b))
	require.Contains(t, b.String(), "# the first 512 of 601 signals; the others are in the tree of scopes\n")
	signals, markers, cursor := asSurferReads(t, b.String())
	require.Len(t, signals, 512)
	require.Equal(t, []string{
		"top.slot", "top.unit[7].state_wide", "top.unit[7].narrow", "top.unit[7].state_narrow", "top.unit[7].wide",
		"top.unit[7].deep[7].link[+rho^2].narrow", "top.unit[7].deep[7].link[+rho^2].wide", "top.unit[0].state_wide",
	}, signals[:8])
	require.Empty(t, markers)
	require.Equal(t, -1, cursor)
	full := errors.New("full")
	require.ErrorIs(t, save.WriteSurfer(tracetest.FailingWriter{Err: full}), full)
}
