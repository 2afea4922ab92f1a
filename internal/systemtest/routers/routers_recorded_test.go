package routers

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/systemtest"
	"starloom/nic"
	"starloom/traces/pcapng/pcapngtest"
	"starloom/traces/vcd"
)

const recordedMesh = "mesh: {k: [3, 3]}, router: {vcs: 2, depth: 2}"
const recordedTraffic = "workload: {traffic: {rate: 0.05, size: [{frames: 1}, {frames: 3}], measure: 200}}\n"

// TestBareRecorded: a waveform and a capture of bare packets change nothing, and the capture has each packet in the
// cycles of its row.
func TestBareRecorded(t *testing.T) {
	s := systemtest.RoutedScenario(t, recordedMesh, recordedTraffic)
	plain, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	var wave, other, capture, log bytes.Buffer
	report, err := starloom.Run(t.Context(), s,
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.Writer(&wave), PCAPNG: starloom.Writer(&capture)},
			Packets: starloom.Writer(&log)})
	require.NoError(t, err)
	require.Equal(t, plain.Digest, report.Digest)
	require.Equal(t, plain.Metrics, report.Metrics)
	_, err = starloom.Run(t.Context(), s,
		starloom.RunOptions{MachineOptions: starloom.MachineOptions{Workers: 2},
			Record: starloom.RecordOptions{VCD: starloom.Writer(&other)}})
	require.NoError(t, err)
	require.Equal(t, wave.Bytes(), other.Bytes())

	rows, err := csv.NewReader(&log).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(rows), 50)
	want := map[string]bool{}
	for _, row := range rows[1:] {
		sent, err := strconv.Atoi(row[5])
		require.NoError(t, err)
		want[fmt.Sprintf("sent %d netlist.p[%s] %v 0", sent+1, row[1], row[:5])] = true
		want[fmt.Sprintf("received %s netlist.p[%s] %v %s", row[6], row[2], row[:5], row[7])] = true
	}
	packets, err := pcapngtest.Read(capture.Bytes())
	require.NoError(t, err)
	require.Len(t, packets.Packets, len(want))
	before := uint64(0)
	for _, p := range packets.Packets {
		h := p.PseudoHeader
		f, err := nic.Parse(h.Frame())
		require.NoError(t, err)
		number := func(at, bytes int) uint64 {
			return binary.BigEndian.Uint64(append(make([]byte, 8-bytes), f.Payload()[at:at+bytes]...))
		}
		row := []any{number(0, 8), f.Source(), f.Destination(), number(12, 2), number(8, 4)}
		says := fmt.Sprintf("%s %d %s %v %d", h.Direction(), h.Cycle(), p.Interface, row, number(14, 2))
		require.True(t, want[says], says)
		require.GreaterOrEqual(t, h.Cycle(), before)
		before = h.Cycle()
	}
}

// TestBareTriggered: of a run in which packets wait for one another the waveform shows the cycles before it is found,
// of the signals that are wanted alone; a pattern that matches nothing is refused, with examples.
func TestBareTriggered(t *testing.T) {
	const workload = "workload: {traffic: {rate: 0.1, size: 8, measure: 300}}\n"
	const netlist = "ring: {n: 6}, router: {vcs: 1, depth: 1}, routes: shortest"
	const traces = "traces: {vcd: {signals: [%s], trigger: first_violation, before: 20, after: 5}}\n"
	var wave bytes.Buffer
	s := systemtest.RoutedScenario(t, netlist, workload+fmt.Sprintf(traces, `"netlist.router[*].input[*].vc[0].*"`))
	report, err := starloom.Run(t.Context(), s,
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.Writer(&wave)}})
	require.NoError(t, err)
	require.Equal(t, "deadlock", report.Violations[0].Rule)
	r, err := vcd.NewReader(&wave, "wave")
	require.NoError(t, err)
	require.NoError(t, r.WatchAll())
	active := 0
	require.True(t, r.Next())
	require.EqualValues(t, report.Violations[0].Cycle-20, r.NextTime())
	_, err = r.Step()
	require.NoError(t, err)
	for i := range r.Header().Vars {
		v := &r.Header().Vars[i]
		require.Contains(t, v.Path, ".vc[0].")
		if r.Value(v.Net).Label() == "active" {
			active++
		}
	}
	require.GreaterOrEqual(t, active, 4) // of each router, one at the least

	_, err = starloom.Run(t.Context(), systemtest.RoutedScenario(t, netlist, workload+fmt.Sprintf(traces, "nothing")),
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.Writer(io.Discard)}})
	require.ErrorContains(t, err, "netlist.router[0].input[0].vc[0].state")
}

// TestFirmwareRouterSignals: with firmware the same columns show, and a machine finds them by their paths.
func TestFirmwareRouterSignals(t *testing.T) {
	s := systemtest.RoutedScenario(t, recordedMesh, "workload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}\n")
	m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	valid, err := m.Signals("netlist.router[*].input[*].flit.head")
	require.NoError(t, err)
	require.Len(t, valid, 2*12+9) // links one way, and processors
	heads := 0
	require.NoError(t, m.Watch(func(uint64) error {
		for _, s := range valid {
			heads += int(s.Value())
		}
		return nil
	}))
	require.NoError(t, m.Run(t.Context(), nil))
	hops := 0
	for from := range 9 {
		for to := range 9 {
			if x, y := from%3-to%3, from/3-to/3; from != to {
				hops += 1 + max(x, -x) + max(y, -y)
			}
		}
	}
	require.Equal(t, hops, heads)
}
