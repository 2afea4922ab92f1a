//go:build linux

package lockstep

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// wideArbiter is a fixed-priority arbiter of 1,024 requesters in another style: a mask that must be all ones, and
// requests on three pins, one of them active low.
const wideArbiter = `module dut(input logic clk, input logic rst_n, input logic [1023:0] mask, input logic [123:0] top, input logic [799:0] middle_n, input logic [99:0] low,
  output logic [511:0] grant_high, grant_low);
  wire [1023:0] request = {top, ~middle_n, low} & mask MISTAKE;
  logic [1023:0] owner_q;
  wire [1023:0] hold = owner_q & request;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) owner_q <= '0; else owner_q <= |hold ? hold : request & (~request + 1'b1);
  assign {grant_high, grant_low} = owner_q;
endmodule`

func wideMap(t *testing.T, mistake string) *pinmap.Map {
	return foreign(t, string(bytes.Replace([]byte(wideArbiter), []byte("MISTAKE"), []byte(mistake), 1)), &pinmap.Map{
		Library: library(),
		Model:   "arbiter_fixed", Parameters: twin.Parameters{"REQUESTERS": 1024}, Clock: "clk", Reset: "rst_n", ResetLow: true,
		Pins: []pinmap.Wiring{
			{Port: "request", Pins: []string{"top", "~middle_n[799:300]", "~middle_n[299:0]", "low"}},
			{Port: "grant", Pins: []string{"grant_high", "grant_low"}},
		},
		Absent: []string{"index"},
		Ties:   []pinmap.Tie{{Pin: "~mask", Value: 0}},
	})
}

// TestLongWideVectors maps, drives, compares, shrinks, draws, writes and reads ports of 1,024 bits.
func TestLongWideVectors(t *testing.T) {
	for _, backend := range []string{cosim.BackendWasm, cosim.BackendIcarus} {
		m := wideMap(t, "")
		m.Backend = backend
		r := runLockstep(t, m, Options{Cycles: 3000})
		require.Nil(t, r.Divergence, backend)
		require.Empty(t, r.Unexercised)
	}

	m := wideMap(t, "& ~(1024'd1 << 1000)") // the RTL ignores requester 1000
	r := runLockstep(t, m, Options{Cycles: 20_000})
	require.NotNil(t, r.Divergence)
	require.Equal(t, "grant_o", r.Divergence.Signal)
	require.Contains(t, r.Divergence.Text, "in cycle 2, first in bit 1000: the model says 0000010..0000000, the RTL 0")
	require.Len(t, r.Divergence.Model, 1024/4)
	require.LessOrEqual(t, r.Shown.Stimulus.Cycles(), 3)
	require.LessOrEqual(t, r.Shown.Stimulus.ones(), 2, "reset, and the request that is not seen")
	var text bytes.Buffer
	require.NoError(t, r.WriteText(&text))
	t.Logf("\n%s", text.String())
	for _, line := range bytes.Split(text.Bytes(), []byte("\n")) {
		require.Less(t, len(line), 160, "a drawing that fits on a screen")
	}

	var waveform, table bytes.Buffer
	_, err := r.Shown.WriteVCD(&waveform, nil)
	require.NoError(t, err)
	for low := 0; low < 1024; low += 64 {
		require.Contains(t, waveform.String(), fmt.Sprintf(" grant_o_%d_%d [63:0] $end", low+63, low))
	}
	require.NoError(t, r.Shown.Stimulus.WriteCSV(&table))
	for ending, form := range map[string]*bytes.Buffer{".vcd": &waveform, ".csv": &table} {
		path := filepath.Join(t.TempDir(), "case"+ending)
		require.NoError(t, os.WriteFile(path, form.Bytes(), 0o666))
		s, err := ReadStimulus(m, path)
		require.NoError(t, err, ending)
		require.Equal(t, r.Shown.Stimulus, s, ending)
		replayed := runLockstep(t, m, Options{Stimulus: s, NoShrink: true})
		require.NotNil(t, replayed.Divergence)
		require.Equal(t, r.Divergence.Text, replayed.Divergence.Text)
	}
}
