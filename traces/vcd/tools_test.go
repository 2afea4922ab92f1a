package vcd

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/traces/internal/tracetest"
)

// TestRealGHDL reads GHDL's waveform of a counter.
func TestRealGHDL(t *testing.T) {
	dir := t.TempDir()
	source, err := filepath.Abs(filepath.Join("testdata", "rtl", "counter.vhd"))
	require.NoError(t, err)
	tracetest.RunIn(t, dir, "ghdl", "-a", source)
	tracetest.RunIn(t, dir, "ghdl", "-e", "tb")
	tracetest.RunIn(t, dir, "ghdl", "-r", "tb", "--vcd=ghdl.vcd")
	data, err := os.ReadFile(filepath.Join(dir, "ghdl.vcd"))
	require.NoError(t, err)
	r, err := NewReader(bytes.NewReader(data), "ghdl.vcd")
	require.NoError(t, err)
	events, err := eventsOf(r)
	require.NoError(t, err)
	for _, want := range []string{
		"0 tb.t=z", "0 tb.r=0.5", "5000000 tb.d.n=0x00", "30000000 tb.t=1", "30000000 tb.r=1.25", "30000000 tb.b=1",
		"35000000 tb.q=0x01", "35000000 tb.up=0x1", "995000000 tb.q=0x61", "1000000000 tb.n=0x00000064",
	} {
		require.Contains(t, events, want)
	}
	require.False(t, r.Truncated())
}
