package traffic

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/firmware"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// trafficOn is a scenario of traffic.
func trafficOn(t testing.TB, network, firmware, workload string) *starloom.Scenario {
	t.Helper()
	s, err := starloom.ParseScenario("traffic.yaml", []byte("starloom: 1\nfabric: {"+network+"}\nfirmware: {program: "+firmware+"}\nworkload: {traffic: {"+workload+"}}\n"))
	require.NoError(t, err)
	return s
}

// trafficSeeds is how many seeds a law is held to.
const trafficSeeds = 40

// requireLaw holds the mean of a figure over the seeds to a law, within 3 standard errors.
func requireLaw(t *testing.T, s *starloom.Scenario, figure string, law float64) {
	t.Helper()
	report, err := starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: trafficSeeds}, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	x := report.Statistics.Get(figure)
	require.NotNil(t, x, figure)
	require.EqualValues(t, trafficSeeds, x.Runs, "a run of %s lacks it", figure)
	t.Logf("%s: %.5f, se %.5f, law %.5f: %+.2f se", figure, *x.Mean, *x.SE, law, (*x.Mean-law)/math.Max(*x.SE, 1e-12))
	require.InDelta(t, law, *x.Mean, 3**x.SE+1e-9)
}

// TestLongSaturatedCrossbar: a frame that waits holds back all that came after it. The laws for 2 to 4 are exact; those
// for 8 and 64 are Karol, Hluchyj and Morgan's, "Input Versus Output Queueing on a Space-Division Packet Switch", Table
// I.
func TestLongSaturatedCrossbar(t *testing.T) {
	for _, c := range []struct {
		ports, measure int
		self           bool
		law            float64
	}{{2, 4000, true, 0.75}, {3, 3000, true, 0.6825}, {4, 3000, true, 0.6553},
		{8, 1500, true, 0.6184}, {2, 500, false, 1}, {3, 3000, false, 0.75}, {64, 400, true, 0.5896}} {
		for _, arbiter := range []string{"fixed", "round_robin", "matrix"} {
			t.Run(fmt.Sprintf("%d ports, self %v, %s", c.ports, c.self, arbiter), func(t *testing.T) {
				requireLaw(t, trafficOn(t, fmt.Sprintf("crossbar: {ports: %d, arbiter: %s}", c.ports, arbiter), "crossbar/traffic",
					fmt.Sprintf("rate: 1, self: %v, warm_up: 200, measure: %d, drain: 0, overload: true", c.self, c.measure)), "accepted", c.law)
			})
		}
	}
	if *systemtest.Full {
		requireLaw(t, trafficOn(t, "crossbar: {ports: 64, arbiter: round_robin}", "crossbar/traffic",
			"rate: 1, warm_up: 500, measure: 10000, drain: 0, overload: true"), "accepted", 0.5896)
	}
}

// TestQueueLaw: with output: queue the wait is that of an output, to which each of N inputs sends in a slot with
// probability p/N, and which takes one frame in a slot.
func TestQueueLaw(t *testing.T) {
	for _, c := range []struct {
		ports int
		rate  float64
	}{{2, 0.5}, {4, 0.7}, {8, 0.3}} {
		n, p := float64(c.ports), c.rate
		requireLaw(t, trafficOn(t, fmt.Sprintf("crossbar: {ports: %d, output: queue}", c.ports), "crossbar/traffic, params: {take: 1}",
			fmt.Sprintf("rate: %v, warm_up: 300, measure: 2000", p)), "latency_slots.mean", 1+(n-1)/n*p/(2*(1-p)))
	}
}

// oneBus is a bus of so many vertices.
func oneBus(vertices int, arbiter string) string {
	list := make([]string, vertices)
	for i := range list {
		list[i] = fmt.Sprint(i)
	}
	return fmt.Sprintf("bus: {vertices: %d, buses: [[%s]], arbiter: %s}", vertices, strings.Join(list, ", "), arbiter)
}

// TestLongBusLaws checks that the frames of N senders wait as in one queue under any order of service, that a sender
// with turns waits for its own turn, and that without an arbiter a frame arrives only if it is alone.
func TestLongBusLaws(t *testing.T) {
	const n = 5
	window := ", warm_up: 300, measure: 3000"
	for _, arbiter := range []string{"fixed", "round_robin", "matrix"} {
		for _, rate := range []float64{0.05, 0.15} {
			rho := n * rate
			requireLaw(t, trafficOn(t, oneBus(n, arbiter), "bus/traffic", fmt.Sprintf("rate: %v", rate)+window), "latency_slots.mean", 1+(n-1.0)/n*rho/(2*(1-rho)))
		}
	}
	for _, rate := range []float64{0.03, 0.12} {
		requireLaw(t, trafficOn(t, oneBus(n, "tdma"), "bus/traffic", fmt.Sprintf("rate: %v", rate)+window), "latency_slots.mean", 1+(n-1.0)/(2*(1-n*rate)))
	}
	for _, rate := range []float64{0.1, 0.3} {
		requireLaw(t, trafficOn(t, oneBus(n, "none"), "bus/traffic", fmt.Sprintf("rate: %v", rate)+window), "accepted", rate*math.Pow(1-rate, n-1))
	}
}

// TestLongALOHALaw: all of N want the medium, and each sends with probability 1/N.
func TestLongALOHALaw(t *testing.T) {
	for _, n := range []int{2, 5, 16} {
		requireLaw(t, trafficOn(t, fmt.Sprintf("crossbar: {ports: %d, medium: aloha}", n), "crossbar/traffic",
			"rate: 1, warm_up: 20, measure: 4000, drain: 0, overload: true"),
			"accepted", math.Pow(1-1/float64(n), float64(n-1))/float64(n))
	}
}

// TestLongFixedPriorityLaw: the k-th sender of a bus with fixed priorities waits r/2 [k(k-1)/(1-kr) -
// (k-1)(k-2)/(1-(k-1)r)] / r slots, as the difference of what waits of the first k and of the first k-1.
func TestLongFixedPriorityLaw(t *testing.T) {
	const n, rate, seeds = 5, 0.15, 60
	s := trafficOn(t, oneBus(n, "fixed"), "bus/traffic", fmt.Sprintf("rate: %v, warm_up: 300, measure: 3000", rate))
	slot := systemtest.Elaborated(t, s).Timing.SlotCycles()
	var waits [n][]float64
	for seed := range uint64(seeds) {
		s.Seed = seed + 1
		path := filepath.Join(t.TempDir(), "packets.csv")
		_, err := starloom.Run(t.Context(), s, starloom.RunOptions{Packets: starloom.File(path)})
		require.NoError(t, err)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		var sum, count [n]float64
		for _, row := range systemtest.Table(t, string(data)) {
			if row["measured"] == "1" {
				var source, created, sent int
				_, err := fmt.Sscan(row["source"]+" "+row["created"]+" "+row["sent"], &source, &created, &sent)
				require.NoError(t, err)
				sum[source] += float64(sent/slot - created/slot)
				count[source]++
			}
		}
		for k := range n {
			waits[k] = append(waits[k], sum[k]/count[k])
		}
	}
	for i := range n {
		mean, squares := 0.0, 0.0
		for _, w := range waits[i] {
			mean += w / seeds
		}
		for _, w := range waits[i] {
			squares += (w - mean) * (w - mean)
		}
		k, r := float64(i+1), rate
		law := (k*(k-1)/(1-k*r) - (k-1)*(k-2)/(1-(k-1)*r)) * r / 2
		se := math.Sqrt(squares/(seeds-1)) / math.Sqrt(seeds)
		t.Logf("sender %d: %.5f, se %.5f, law %.5f", i+1, mean, se, law)
		require.InDelta(t, law, mean, 3*se+1e-9)
	}
}

// TestPacketsRoundTrip: the packets of a run, read from its file, make the same run.
func TestPacketsRoundTrip(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	scenario := func(workload string) *starloom.Scenario {
		path := in("s.yaml")
		require.NoError(t, os.WriteFile(path, []byte("starloom: 1\nname: round\nfabric: {crossbar: {ports: 6, arbiter: matrix}}\nfirmware: {program: crossbar/traffic}\n"+
			"workload: {traffic: {warm_up: 50, measure: 400, drain: 100, "+workload+"}}\n"), 0o600))
		s, err := starloom.LoadScenario(path)
		require.NoError(t, err)
		return s
	}
	for _, workload := range []string{"rate: 0.2, size: [1, 3], arrivals: bursty", "rate: 0.9, self: false, overload: true"} { // the second one is saturated
		drawn, err := starloom.Run(t.Context(), scenario(workload), starloom.RunOptions{Packets: starloom.File(in("a.csv"))})
		require.NoError(t, err)
		read, err := starloom.Run(t.Context(), scenario("file: a.csv, overload: true"), starloom.RunOptions{Packets: starloom.File(in("b.csv"))})
		require.NoError(t, err)
		// the file has packets outside the window, and says so
		drawn.Files, read.Files, drawn.Notes, read.Notes = nil, nil, nil, nil
		require.Equal(t, systemtest.ReportText(t, drawn), systemtest.ReportText(t, read))
		a, err := os.ReadFile(in("a.csv"))
		require.NoError(t, err)
		b, err := os.ReadFile(in("b.csv"))
		require.NoError(t, err)
		require.True(t, bytes.Equal(a, b))

		// The same by BookSim's names, in another order, with columns of its own.
		var other strings.Builder
		other.WriteString("pid,size,dest,src,ctime,itime,atime,hops,measured\n")
		for _, row := range systemtest.Table(t, string(a)) {
			fmt.Fprintf(&other, "%s,%s,%s,%s,%s,0,0,0,1\n", row["id"], row["size"], row["destination"], row["source"], row["created"])
		}
		require.NoError(t, os.WriteFile(in("c.csv"), []byte(other.String()), 0o600))
		renamed, err := starloom.Run(t.Context(), scenario("file: c.csv"), starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, read.Digest, renamed.Digest)
	}
}

// TestPacketsAddUp: what the file says of each packet is what the report says of all.
func TestPacketsAddUp(t *testing.T) {
	s := trafficOn(t, "crossbar: {ports: 6}", "crossbar/traffic", "rate: 0.35, size: [1, 2], warm_up: 100, measure: 1000")
	path := filepath.Join(t.TempDir(), "packets.csv")
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{Packets: starloom.File(path)})
	require.NoError(t, err)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	cycles := systemtest.Elaborated(t, s).Timing.SlotCycles()
	var offered, accepted, sum, most, inCycles float64
	last := 0
	for i, row := range systemtest.Table(t, string(data)) {
		var created, sent, received, measured int
		require.Equal(t, fmt.Sprint(map[bool]int{true: 1}[row["received"] != ""]), row["hops"])
		if row["received"] == "" {
			require.Equal(t, "0", row["measured"], "packet %d", i)
			continue
		}
		_, err := fmt.Sscan(row["created"]+" "+row["sent"]+" "+row["received"]+" "+row["measured"], &created, &sent, &received, &measured)
		require.NoError(t, err)
		require.True(t, created <= sent && sent < received && last <= received)
		last = received
		if slot := received / cycles; slot >= 100 && slot < 1100 {
			accepted++
		}
		if measured == 1 {
			latency := float64(received/cycles - created/cycles + 1)
			offered, sum, most, inCycles = offered+1, sum+latency, max(most, latency), inCycles+float64(received-created)
		}
	}
	require.InDelta(t, offered/6000, report.Metrics.Get("offered"), 1e-12)
	require.InDelta(t, accepted/6000, report.Metrics.Get("accepted"), 1e-12)
	require.InDelta(t, sum/offered, report.Metrics.Get("latency_slots.mean"), 1e-9)
	require.InDelta(t, inCycles/offered, report.Metrics.Get("latency.mean"), 1e-9)
	require.EqualValues(t, most, report.Metrics.Get("latency_slots.max"))
}

// TestTrafficOfAnImage: a user's image carries traffic as the program does; one that does not do it as it should is
// found out by its frames, or what it keeps has not arrived.
func TestTrafficOfAnImage(t *testing.T) {
	image := filepath.Join(t.TempDir(), "carries.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/firmware/carries_traffic.c", Output: image}))
	run := func(fault int, o starloom.MachineOptions) *starloom.Report {
		s, err := starloom.ParseScenario("traffic.yaml", []byte(fmt.Sprintf("starloom: 1\nname: traffic\nfabric: {crossbar: {ports: 5}}\nfirmware: {image: %s, params: {fault: %d}}\n"+
			"workload: {traffic: {rate: 0.2, size: 2, warm_up: 0, measure: 200, drain: 100}}\nrules: {exactly_once: true}\n", image, fault)))
		require.NoError(t, err)
		m := systemtest.Machine(t, s, o)
		require.NoError(t, m.Run(t.Context(), nil))
		return m.Report()
	}
	program, honest := systemtest.Machine(t, trafficOn(t, "crossbar: {ports: 5}", "crossbar/traffic",
		"rate: 0.2, size: 2, warm_up: 0, measure: 200, drain: 100"), starloom.MachineOptions{}), run(0, starloom.MachineOptions{})
	require.NoError(t, program.Run(t.Context(), nil))
	require.Equal(t, starloom.VerdictPass, honest.Verdict)
	require.Equal(t, program.Report().Digest, honest.Digest)
	require.Equal(t, program.Report().Metrics, honest.Metrics)
	for fault, says := range map[int]string{2: "again", 3: "again", 4: "is not for it", 5: "again", 6: "again"} {
		for _, o := range []starloom.MachineOptions{{Engine: starloom.EngineSlot}, {Engine: starloom.EngineCycle}} {
			report := run(fault, o)
			require.Equal(t, starloom.VerdictFail, report.Verdict, "fault %d", fault)
			require.Equal(t, starloom.RuleExactlyOnce, report.Violations[0].Rule)
			require.Contains(t, report.Violations[0].Message, says, "fault %d", fault)
		}
	}
	for _, fault := range []int{1, 7} {
		report := run(fault, starloom.MachineOptions{})
		require.Equal(t, starloom.VerdictFail, report.Verdict, "fault %d", fault)
		require.Equal(t, starloom.RuleFinishes, report.Violations[len(report.Violations)-1].Rule, "fault %d", fault)
		require.Positive(t, report.Metrics.Get("pending"))
	}
}

// TestRulesOfTraffic: those of one packet for each processor do not apply; frames that are lost are found by no_loss,
// too.
func TestRulesOfTraffic(t *testing.T) {
	s := trafficOn(t, "crossbar: {ports: 5, output: queue}", "crossbar/traffic", "rate: 0.5, measure: 50, warm_up: 0, drain: 10")
	s.Rules = &starloom.Rules{PacketsPerProcessorMax: 3}
	_, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	require.ErrorContains(t, err, "packets_per_processor_max counts one packet of each processor")
	s.Rules, s.NIC.RXFrames = &starloom.Rules{NoLoss: true, ExactlyOnce: true}, 1
	m := systemtest.Machine(t, s, starloom.MachineOptions{})
	require.NoError(t, m.Run(t.Context(), nil))
	report := m.Report()
	broken := map[string]uint64{}
	for _, v := range report.Violations {
		broken[v.Rule]++
	}
	require.Equal(t,
		map[string]uint64{starloom.RuleNoLoss: report.Frames.Overflow,
			starloom.RuleExactlyOnce: report.Frames.Overflow}, broken)
	require.Positive(t, report.Frames.Overflow)
	require.EqualValues(t, report.Frames.Overflow, report.Metrics.Get("lost"))
}

// TestOverloadIsSaid: a drain that is long enough lets queues empty that have grown without end.
func TestOverloadIsSaid(t *testing.T) {
	for rate, overloaded := range map[string]bool{"0.1": false, "0.2": true} {
		report, err := starloom.Run(t.Context(), trafficOn(t,
			"bus: {vertices: 8, buses: [[0, 1, 2, 3, 4, 5, 6, 7]], arbiter: round_robin}", "bus/traffic", "rate: "+rate), starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictPass, report.Verdict)
		require.Equal(t, overloaded, strings.Contains(strings.Join(report.Notes, "\n"), "saturated: in the second half"), "%s: %q", rate, report.Notes)
	}
}

// TestTrafficNeedsASchedule: packets are offered there.
func TestTrafficNeedsASchedule(t *testing.T) {
	s := systemtest.ImageScenario(t, "counts")
	s.Workload, s.Rules = starloom.Workload{Traffic: &fabric.Traffic{Rate: 0.1}}, &starloom.Rules{}
	_, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	require.ErrorContains(t, err, "accepts no schedule, but packets of traffic reach firmware through the schedule; include starloom_traffic.h")
	s = systemtest.ImageScenario(t, "counts")
	path := filepath.Join(t.TempDir(), "packets.csv")
	_, err = starloom.Run(t.Context(), s, starloom.RunOptions{Packets: starloom.File(path)})
	require.ErrorContains(t, err, "--packets: the workload permutation has no packets of traffic; run a scenario with workload: {traffic: {rate: 0.1}}")
	require.NoFileExists(t, path)
}

// TestPooledQuantiles: over seeds they are those of all packets together that have arrived, by nearest rank.
func TestPooledQuantiles(t *testing.T) {
	s := trafficOn(t, "crossbar: {ports: 4}", "crossbar/traffic", "rate: 0.45, warm_up: 50, measure: 300")
	var latencies []int
	seeds := starloom.Seeds{First: 3, Last: 6}
	for seed := seeds.First; seed <= seeds.Last; seed++ {
		one := *s
		one.Seed = seed
		path := filepath.Join(t.TempDir(), "packets.csv")
		_, err := starloom.Run(t.Context(), &one, starloom.RunOptions{Packets: starloom.File(path)})
		require.NoError(t, err)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, row := range systemtest.Table(t, string(data)) {
			var created, received int
			if row["measured"] == "1" {
				_, err := fmt.Sscan(row["created"]+" "+row["received"], &created, &received)
				require.NoError(t, err)
				latencies = append(latencies, received-created)
			}
		}
	}
	slices.Sort(latencies)
	report, err := starloom.RunSeeds(t.Context(), s, seeds, starloom.RunOptions{})
	require.NoError(t, err)
	for name, per := range map[string]int{"p50": 500, "p95": 950, "p99": 990, "p999": 999} {
		x := report.Statistics.Get("latency.pooled." + name)
		require.EqualValues(t, latencies[(len(latencies)*per+999)/1000-1], *x.Mean, name)
		require.EqualValues(t, 4, x.Runs)
		require.Nil(t, x.SD)
	}

	s = trafficOn(t, "crossbar: {ports: 4}", "crossbar/traffic", "rate: 0.55, warm_up: 50, measure: 600, drain: 4, overload: true") // some are saturated
	report, err = starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: 12}, starloom.RunOptions{})
	require.NoError(t, err)
	saturated := *report.Statistics.Get("saturated").Mean
	require.True(t, saturated > 0 && saturated < 1, "%v", saturated)
	require.Positive(t, *report.Statistics.Get("pending").Mean)
	require.EqualValues(t, 12, report.Statistics.Get("latency.p99").Runs, "those of what has arrived")
}

// TestMissedSlotTakesNothing: of a handler that comes too late the word that it has cleared is put back, so that the
// packet is offered again.
func TestMissedSlotTakesNothing(t *testing.T) {
	const text = "starloom: 1\nfabric: {crossbar: {ports: 4}}\nfirmware: {program: crossbar/traffic, cpu: {model: unit, budget_cycles: %d}}\nworkload: {traffic: {rate: 0.3, warm_up: 0, measure: 50, drain: 5}}\n"
	for budget, sends := range map[int]bool{40: false, 400: true} {
		s, err := starloom.ParseScenario("s.yaml", []byte(fmt.Sprintf(text, budget)))
		require.NoError(t, err)
		for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
			s.Firmware.Mode = mode
			m := systemtest.Machine(t, s, starloom.MachineOptions{})
			require.NoError(t, m.Run(t.Context(), nil))
			report := m.Report()
			require.Equal(t, sends, report.Verdict == starloom.VerdictPass)
			require.Equal(t, sends, report.Frames.Sent > 0)
			if !sends {
				bank, cell := inside.Machine(m).Cell(2)
				require.NotZero(t, bank.Schedule[cell])
				require.Zero(t, bank.Schedule[cell]&0xFFFFFF, "the first packet is still offered")
				require.Equal(t, starloom.RuleFinishes, report.Violations[len(report.Violations)-1].Rule)
			}
		}
	}
}
