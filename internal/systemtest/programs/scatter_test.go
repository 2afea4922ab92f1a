package programs

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/crossbar/scatter"
	"starloom/firmware"
	"starloom/internal/systemtest"
)

// scatterRuns runs a scenario with the seeds from 1 on and gives every report to take.
func scatterRuns(t testing.TB, s *starloom.Scenario, runs int, take func(*starloom.Report)) {
	m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{Workers: 1})
	require.NoError(t, err)
	defer m.Close()
	for seed := range runs {
		require.NoError(t, m.Reset(uint64(seed+1)))
		require.NoError(t, m.Run(t.Context(), nil))
		report := m.Report()
		require.Equal(t, starloom.VerdictPass, report.Verdict, "seed %d: %+v", seed+1, report.Violations)
		take(report)
	}
}

// completions counts runs by their completion time.
func completions(t testing.TB, s *starloom.Scenario, runs int) (counts []uint64, overflow, blocked uint64) {
	counts = make([]uint64, s.Stop.Slots+1)
	scatterRuns(t, s, runs, func(r *starloom.Report) {
		completion := r.Metrics.Get("completion").(int)
		coloured := r.Metrics.Get("coloured").([]int)
		require.Len(t, coloured, completion+1)
		if r.Frames.Overflow+r.Frames.Blocked == 0 {
			require.Equal(t, []int{1, 2}, coloured[:2], "one message, which always colours another one")
		}
		require.Equal(t, s.Processors(), coloured[completion])
		require.Less(t, coloured[completion-1], coloured[completion])
		counts[completion]++
		overflow += r.Frames.Overflow
		blocked += r.Frames.Blocked
	})
	return counts, overflow, blocked
}

// TestLongScatterSyncFollowsTheLaw: the hardware's completion times are those of the exact law
// (Drezner and Barak, section 2), by Pearson's test; those of another n are not.
func TestLongScatterSyncFollowsTheLaw(t *testing.T) {
	runs := 5_000
	if *systemtest.Full {
		runs = 100_000
	}
	for n := 2; n <= 128; n *= 2 {
		counts, overflow, blocked := completions(t, systemtest.ScatterScenario(t, "scatter/sync", n, ""), runs)
		require.Zero(t, overflow+blocked)
		result := scatter.Pearson(counts, scatter.NewChain(n).Completion())
		require.Greater(t, result.P, 1e-3, "n = %d: %+v", n, result)
		wrong := scatter.Pearson(counts, scatter.NewChain(n+n/8+1).Completion())
		require.Less(t, wrong.P, 1e-6, "n = %d: %+v", n, wrong)
	}
}

// TestScatterBends: frames that find no room in an RX FIFO, or no time at an output, bend the
// law, and both are counted.
func TestScatterBends(t *testing.T) {
	const n, runs = 16, 2_000
	law := scatter.NewChain(n).Completion()
	counts, overflow, blocked := completions(t, systemtest.ScatterScenario(t, "scatter/sync", n, "nic: {rx_frames: 1}\n"), runs)
	require.Positive(t, overflow)
	require.Zero(t, blocked)
	require.Less(t, scatter.Pearson(counts, law).P, 1e-6)

	s := systemtest.ScatterScenario(t, "scatter/sync", n, "")
	s.Fabric.Crossbar.QueueFrames = 1
	counts, overflow, blocked = completions(t, s, runs)
	require.Zero(t, overflow)
	require.Positive(t, blocked)
	require.Less(t, scatter.Pearson(counts, law).P, 1e-6)
}

// TestLongScatterAsyncMeans compares mean and standard deviation with values drawn by a separate program, whose
// standard errors are se, within four standard errors of both sides. The last nodes follow Gumbel's law with a
// kurtosis of 5.4, which gives the standard error of a standard deviation.
func TestLongScatterAsyncMeans(t *testing.T) {
	for _, c := range []struct {
		n, order int
		mean, sd float64 // sd 0: not known
		se       float64
		runs     int
		long     bool
	}{
		{128, 0, 10.269, 1.354, 0.001, 20_000, false}, {128, 1, 10.271, 1.355, 0.001, 20_000, false},
		{128, 2, 10.766, 1.820, 0.001, 20_000, false},
		{1024, 0, 14.500, 1.342, 0.003, 20_000, true}, {1024, 1, 14.502, 1.345, 0.003, 20_000, true},
		{1024, 2, 15.005, 1.820, 0.003, 20_000, true},
		{16384, 0, 20.10, 0, 0.025, 50, true}, {16384, 1, 20.10, 0, 0.025, 50, true}, {16384, 2, 20.58, 0, 0.033, 50, true},
	} {
		if c.long && !*systemtest.Full {
			continue
		}
		t.Run(fmt.Sprintf("n=%d,order=%d", c.n, c.order), func(t *testing.T) {
			runs := c.runs
			if !*systemtest.Full {
				runs = 400
			}
			s := systemtest.ScatterScenario(t, "scatter/async", c.n, "")
			s.Firmware.Params = map[string]int64{"order": int64(c.order)}
			sum, squares := 0.0, 0.0
			began := time.Now()
			scatterRuns(t, s, runs, func(r *starloom.Report) {
				completion := r.Metrics.Get("completion").(float64)
				require.Equal(t, float64(r.Slots)/float64(c.n), completion, "a send in every slot")
				coloured := r.Metrics.Get("coloured").([]int)
				require.Len(t, coloured, 1+int(math.Ceil(completion)))
				require.Equal(t, c.n, coloured[len(coloured)-1])
				sum += completion
				squares += completion * completion
			})
			mean := sum / float64(runs)
			sd := math.Sqrt((squares - sum*mean) / float64(runs-1))
			t.Logf("mean %.3f, sd %.3f, %v for each run", mean, sd, time.Since(began)/time.Duration(runs))
			require.InDelta(t, c.mean, mean, 4*math.Hypot(sd/math.Sqrt(float64(runs)), c.se))
			if c.sd > 0 {
				require.InDelta(t, c.sd, sd, 4*math.Sqrt((5.4-1)/4)*math.Hypot(sd/math.Sqrt(float64(runs)), c.se))
			}
		})
	}
}

// TestScatterTurns: who sends in a slot. Random and fixed orders let everybody send once in a
// unit, the fixed one in the same order always; poisson does not.
func TestScatterTurns(t *testing.T) {
	const n = 16
	senders := func(order int64, seed uint64) (sent [][]int) {
		s := systemtest.ScatterScenario(t, "scatter/async", n, "")
		s.Firmware.Params = map[string]int64{"order": order}
		m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
		require.NoError(t, err)
		defer m.Close()
		require.NoError(t, m.Reset(seed))
		for !m.Ended() {
			require.NoError(t, m.Step())
			unit := (int(m.Slots()) - 1) / n
			if unit == len(sent) {
				sent = append(sent, nil)
			}
			for i := range n {
				if p, err := m.Processor(i); err == nil && p.TxFrames > 0 {
					sent[unit] = append(sent[unit], i) // in the slot to come
				}
			}
		}
		return sent
	}
	flat := func(units [][]int) (all []int) {
		for _, unit := range units {
			all = append(all, unit...)
		}
		return all
	}
	random, fixed, poisson := flat(senders(0, 5)), flat(senders(1, 5)), flat(senders(2, 5))
	require.Equal(t, random, flat(senders(0, 5)))
	require.NotEqual(t, random[:n], flat(senders(0, 6))[:n])
	// Entry i is slot i+1: the boundary of slot 0 runs in the first step, too.
	unit := func(all []int, k int) []int { return all[k*n-1 : (k+1)*n-1] }
	everybody := make([]int, n)
	for i := range everybody {
		everybody[i] = i
	}
	for k := 1; k < 3; k++ {
		require.ElementsMatch(t, everybody, unit(random, k))
		require.ElementsMatch(t, everybody, unit(fixed, k))
		require.NotElementsMatch(t, everybody, unit(poisson, k))
	}
	require.NotEqual(t, unit(random, 1), unit(random, 2))
	require.Equal(t, unit(fixed, 1), unit(fixed, 2))
}

// scatterImage builds a program with some text replaced.
func scatterImage(t *testing.T, program, before, after string) string {
	source, err := os.ReadFile("firmware/programs/" + program + ".c")
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(source), before))
	dir := t.TempDir()
	changed, image := filepath.Join(dir, "changed.c"), filepath.Join(dir, "changed.wasm")
	require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(source), before, after, 1)), 0o644))
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: changed, Output: image}))
	return image
}

// scatterWith runs a program's scenario with another image.
func scatterWith(t *testing.T, program string, n int, image string) *starloom.Report {
	s := systemtest.ScatterScenario(t, program, n, "")
	if image != "" {
		require.NoError(t, s.Override(t.Context(), starloom.Overrides{Image: image}))
	}
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	return report
}

// TestScatterNeverColours: a run without the item ends at its limit of slots and names who has
// not received it.
func TestScatterNeverColours(t *testing.T) {
	for program, slots := range map[string]uint64{"scatter/sync": 100, "scatter/async": 800} {
		image := scatterImage(t, program, "s->coloured = sl_self(nic) == sl_workload(nic);", "s->coloured = 0;")
		report := scatterWith(t, program, 8, image)
		require.Equal(t, starloom.VerdictFail, report.Verdict)
		require.Equal(t, slots, report.Slots)
		require.EqualValues(t, 7, report.ViolationsTotal)
		require.Equal(t, starloom.RuleFinishes, report.Violations[0].Rule)
		require.Equal(t, "processor 0 had not received the item when the run ended", report.Violations[0].Message)
		require.Equal(t, 1, report.Metrics.Get("coloured").([]int)[100])
	}
}

// TestScatterLiars: messages that claim to carry the item, from those who have not received it,
// colour no one.
func TestScatterLiars(t *testing.T) {
	for _, program := range []string{"scatter/sync", "scatter/async"} {
		image := scatterImage(t, program, "if (s->coloured)", "if (1)")
		honest, lies := scatterWith(t, program, 32, ""), scatterWith(t, program, 32, image)
		require.Equal(t, honest.Metrics, lies.Metrics)
		require.NotEqual(t, honest.Digest, lies.Digest)
	}
}

// TestScatterSleepIsAHint: handlers that are called in every slot do the same.
func TestScatterSleepIsAHint(t *testing.T) {
	image := scatterImage(t, "scatter/async", "sl_sleep(nic, SL_LONG);", "")
	short := scatterImage(t, "scatter/async", "sl_sleep(nic, SL_LONG);", "sl_sleep(nic, 1 + sl_self(nic) * 37);")
	want := scatterWith(t, "scatter/async", 150, "")
	for _, image := range []string{image, short} {
		have := scatterWith(t, "scatter/async", 150, image)
		require.Equal(t, want.Digest, have.Digest)
		require.Equal(t, want.Metrics, have.Metrics)
	}
}

// TestScatterRefused checks that bad values are refused with their place and the allowed values.
func TestScatterRefused(t *testing.T) {
	const scenario = "starloom: 1\nfabric: {crossbar: {ports: 8}}\nfirmware: {program: scatter/async, params: {order: 0}}\nworkload: {scatter: {origin: 0}}\n"
	_, err := starloom.ParseScenario("s.yaml", []byte(scenario))
	require.NoError(t, err)
	for _, c := range []struct{ before, after, says string }{
		{"ports: 8", "ports: 1", "s.yaml:2:20: scatter needs at least 2 processors; choose a network of 2 processors or more"},
		{"origin: 0", "origin: 8", "s.yaml:4:30: workload.scatter.origin is 8; allowed: 0 to 7"},
		{"origin: 0", "origin: -1", "s.yaml:4:30: workload.scatter.origin is -1"},
		{"order: 0", "order: 3", "s.yaml:3:52: firmware.params.order is 3; allowed: 0, 1, 2"},
		{"order: 0", "order: -1", "firmware.params.order is -1; allowed: 0, 1, 2"},
		{"scatter: {origin: 0}", "gossip: {}", "the program scatter/async does not carry gossip; write workload: {scatter: {origin: 0}}"},
		{"ports: 8", "ports: 8, output: queue, cap: 2", "s.yaml:2:51: output is queue, but a cap needs outputs that accept one frame in a slot; delete cap"},
		{"ports: 8", "ports: 8, cap: 2", "s.yaml:2:36: scatter/async takes output: queue, but a cap needs outputs"},
		{"ports: 8", "ports: 8, medium: aloha", "s.yaml:2:39: scatter/async takes output: queue, but only one frame crosses the medium aloha in a slot; use output: rendezvous or medium: crossbar"},
		{"ports: 8", "ports: 8, output: rendezvous, queue_frames: 2", "queue_frames is 2, but output is rendezvous, not queue"},
		{"ports: 8", "ports: 8, output: queue, queue_frames: 0", "fabric.crossbar.queue_frames is 0"},
	} {
		_, err := starloom.ParseScenario("s.yaml", []byte(strings.Replace(scenario, c.before, c.after, 1)))
		require.ErrorContains(t, err, c.says)
		var refused *starloom.InputError
		require.ErrorAs(t, err, &refused)
	}
}

// TestProgramsSetWhatTheyNeed: what the file leaves open is the program's, what it gives stays,
// and another program brings its own.
func TestProgramsSetWhatTheyNeed(t *testing.T) {
	s := systemtest.ScatterScenario(t, "scatter/sync", 400, "")
	require.Equal(t, starloom.NIC{PayloadBytes: 8, RXFrames: 255, TXFrames: 4}, s.NIC)
	require.EqualValues(t, 100, s.Stop.Slots)
	require.NoError(t, s.Override(t.Context(), starloom.Overrides{Image: "scatter/async"}))
	require.Equal(t, starloom.NIC{PayloadBytes: 8, RXFrames: 1, TXFrames: 4}, s.NIC)
	require.EqualValues(t, 40_000, s.Stop.Slots)
	s = systemtest.ScatterScenario(t, "scatter/sync", 8, "nic: {rx_frames: 3}\nstop: {slots: 17}\n")
	require.Equal(t, starloom.NIC{PayloadBytes: 8, RXFrames: 3, TXFrames: 4}, s.NIC)
	require.EqualValues(t, 17, s.Stop.Slots)
}

// BenchmarkScatterAsync is one run: a slot costs what moves, and a bit for each processor.
func BenchmarkScatterAsync(b *testing.B) {
	for _, n := range []int{128, 16384} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m, err := starloom.NewMachine(b.Context(), systemtest.ScatterScenario(b, "scatter/async", n, ""), starloom.MachineOptions{Workers: 1})
			require.NoError(b, err)
			defer m.Close()
			slots := uint64(0)
			for seed := uint64(1); b.Loop(); seed++ {
				require.NoError(b, m.Reset(seed))
				require.NoError(b, m.Run(b.Context(), nil))
				slots += uint64(m.Slots())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(slots), "ns/slot")
		})
	}
}

// TestScatterFailedRunsHaveNoCompletion: runs that reach their limit do not count in the
// completion time of many seeds.
func TestScatterFailedRunsHaveNoCompletion(t *testing.T) {
	report, err := starloom.RunSeeds(t.Context(), systemtest.ScatterScenario(t, "scatter/sync", 16, "stop: {slots: 7}\n"),
		starloom.Seeds{First: 1, Last: 200}, starloom.RunOptions{})
	require.NoError(t, err)
	require.Positive(t, report.FailedTotal)
	require.Less(t, report.FailedTotal, report.Runs)
	require.Equal(t, report.Runs-report.FailedTotal, report.Statistics.Get("completion").Runs)
	var text strings.Builder
	require.NoError(t, report.WriteText(&text))
	require.Contains(t, text.String(), "note: slots, cycles, steps, completion are those of the runs that passed")
}
