package vcd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/traces/internal/tracetest"
)

func smallSignals(t *testing.T) []Signal {
	v, err := NewWriter(io.Discard, Options{})
	require.NoError(t, err)
	declareSmall(t, v)
	return v.Signals()
}

func TestGTKWGolden(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteGTKW(&b, "/out/small.gtkw", "/out/small.vcd", smallSignals(t)))
	tracetest.Golden(t, "small.gtkw", b.Bytes())
}

// Every line has a form that GTKWave's reader knows, every group that begins
// ends, flags hold until others come, and every listed name is a variable of the
// VCD with its range.
func TestGTKWIsWellFormed(t *testing.T) {
	var signals []Signal
	for i := range 3000 {
		path := fmt.Sprintf("ej.node[%d].link[%d].s%d", i/100, i%6, i)
		switch i % 3 {
		case 0:
			signals = append(signals, Signal{Path: path, Bits: 1})
		case 1:
			signals = append(signals, Signal{Path: path, Bits: 2 + i%63})
		default:
			signals = append(signals, Signal{Path: path, States: []string{"a"}})
		}
	}
	declared := map[string]bool{}
	for _, s := range signals {
		name := s.Path
		if s.Bits > 1 {
			name = fmt.Sprintf("%s[%d:0]", name, s.Bits-1)
		}
		declared[name] = true
	}
	var b bytes.Buffer
	require.NoError(t, WriteGTKW(&b, "x.gtkw", "x.vcd", signals))
	directive := regexp.MustCompile(`^(\[\*\].*|\[(dumpfile|savefile)\] "x\.(vcd|gtkw)"|\[(timestart|sst_width|signals_width|sst_expanded|sst_vpaned_height|pattern_trace)\] \d+|\[(size|pos)\] -?\d+ -?\d+|\[treeopen\] ej\.|\*-4\.000000( -1){27})$`)
	var open string
	flags, listed := uint32(0), 0
	for _, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		switch line[0] {
		case '@':
			_, err := fmt.Sscanf(line, "@%x", &flags)
			require.NoError(t, err)
		case '-':
			if flags&gtkwGroupBegin != 0 {
				require.Empty(t, open)
				open = line
			} else {
				require.NotZero(t, flags&gtkwGroupEnd)
				require.Equal(t, open, line)
				open = ""
			}
		case '[', '*':
			require.Regexp(t, directive, line)
		default:
			require.True(t, declared[line], "%s", line)
			require.True(t, strings.HasPrefix(line, open[1:]+"."))
			require.Zero(t, flags&gtkwBlank)
			listed++
		}
	}
	require.Empty(t, open)
	assert.Equal(t, gtkwSignalsMax, listed)
	assert.Contains(t, b.String(), "@c00200\n-ej.", "closed groups have GTKWave's flags")
	assert.Contains(t, b.String(), "@1401200\n-ej.")
	assert.Contains(t, b.String(), "the first 2048 of 3000 signals")
}

func TestGTKWWriteError(t *testing.T) {
	full := errors.New("disk full")
	assert.ErrorIs(t, WriteGTKW(tracetest.FailingWriter{Err: full}, "a", "b", smallSignals(t)), full)
}
