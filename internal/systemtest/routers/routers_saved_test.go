package routers

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// TestFirmwareRoutersSaved: a run on routers is the same run if it is saved and restored at any tick, with flits in
// links, buffers and sinks that wait for places, on other workers.
func TestFirmwareRoutersSaved(t *testing.T) {
	for _, rest := range []string{"workload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}",
		"workload: {gossip: {}}\nfirmware: {program: netlist/gossip}"} {
		s := systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 2, depth: 2}, streaming: {tick: 7}", "nic: {rx_frames: 1}\n"+rest)
		want := savedAtEveryTick(t, s)
		require.Equal(t, starloom.VerdictPass, want.Verdict)
	}
}

// savedAtEveryTick requires that a run is the same, state by state and in its report, if it is saved and restored at
// any tick, on other workers.
func savedAtEveryTick(t *testing.T, s *starloom.Scenario) *starloom.Report {
	t.Helper()
	build := func(workers int) *starloom.Machine {
		m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{Workers: workers})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, m.Close()) })
		return m
	}
	whole := build(1)
	var states [][]byte
	for !whole.Ended() {
		var state bytes.Buffer
		require.NoError(t, whole.Save(&state))
		states = append(states, state.Bytes())
		require.NoError(t, whole.Step())
	}
	require.Greater(t, len(states), 10)
	want, other := whole.Report(), build(2)
	for i, state := range states {
		require.NoError(t, other.Restore(bytes.NewReader(state)), i)
		var again bytes.Buffer
		require.NoError(t, other.Save(&again))
		require.Equal(t, state, again.Bytes(), i)
		for !other.Ended() {
			require.NoError(t, other.Step())
		}
		require.Equal(t, want, other.Report(), i)
	}
	return want
}

// TestFirmwareRoutersWatched: waveforms, captures, a check of the image and faults of processors work at routers as
// elsewhere, and change nothing; the slot engine and RTL for which there is no place are refused.
func TestFirmwareRoutersWatched(t *testing.T) {
	const netlist, rest = "mesh: {k: [3, 3]}, router: {}", "workload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}\n"
	plain, err := starloom.Run(t.Context(), systemtest.RoutedScenario(t, netlist, rest), starloom.RunOptions{})
	require.NoError(t, err)
	var wave, capture bytes.Buffer
	report, err := starloom.Run(t.Context(), systemtest.RoutedScenario(t, netlist, rest),
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.Writer(&wave), PCAPNG: starloom.Writer(&capture)}})
	require.NoError(t, err)
	require.Equal(t, plain.Digest, report.Digest)
	require.Contains(t, wave.String(), "rx_status")
	cycles := map[uint64]bool{} // of frames: not all at the ends of ticks
	for _, packets := range systemtest.PacketsOf(t, capture.Bytes()) {
		for _, p := range packets {
			cycles[p.Cycle%16] = true
		}
	}
	require.Greater(t, len(cycles), 8)

	dead := systemtest.RoutedScenario(t, netlist, rest+"faults: {schedule: [{kind: dead, targets: [\"netlist.p[4]\"], slots: {from: 1, to: 1}}]}\nstop: {slots: 200}")
	report, err = starloom.Run(t.Context(), dead, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictFail, report.Verdict)

	for says, more := range map[string]string{
		"no component of kind arbiter": "rtl: [{replace: \"netlist.router[0]\", twin: arbiter}]",
	} {
		s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {netlist: {"+netlist+"}}\n"+rest+more))
		if err == nil {
			_, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
		}
		require.ErrorContains(t, err, says)
	}
	_, err = starloom.Run(t.Context(), systemtest.RoutedScenario(t, netlist, rest),
		starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: starloom.EngineSlot}})
	require.ErrorContains(t, err, "without slots")
}

// BenchmarkRoutedFirmware is the time of frames of one flit between processors with firmware, and of the same packets
// without.
func BenchmarkRoutedFirmware(b *testing.B) {
	const routers = "mesh: {k: [8, 8]}, router: {vcs: 4, depth: 8}"
	rest := "nic: {tx_frames: 255, rx_frames: 255}\nrules: {}\nfirmware: {image: " + systemtest.Image(b, "burst") + ", params: {frames: 255, sizes: 1}}"
	firmware := systemtest.RoutedScenario(b, routers+", streaming: {tick: 16, flit_bits: 512}", rest)
	_, rows := frameRows(b, firmware, starloom.MachineOptions{Workers: 1})
	var file strings.Builder
	file.WriteString("source,destination,size,created\n")
	for _, row := range rows {
		file.WriteString(strings.Join(row[1:5], ",") + "\n")
	}
	bare := routerBare(b, routers, file.String())
	var took [2]time.Duration
	for b.Loop() {
		for i, s := range []*starloom.Scenario{firmware, bare} {
			start := time.Now()
			_, err := starloom.Run(b.Context(), s, starloom.RunOptions{MachineOptions: starloom.MachineOptions{Workers: 1}})
			require.NoError(b, err)
			took[i] += time.Since(start)
		}
	}
	b.ReportMetric(took[0].Seconds()/took[1].Seconds(), "firmware/bare")
	b.ReportMetric(1.5, "at-most")
}
