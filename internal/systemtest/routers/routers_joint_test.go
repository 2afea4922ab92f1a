package routers

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/internal/systemtest"
)

// clusters are three stars of three processors each. The first processor of a star is also at a router.
const clusters = `streaming: {tick: %d}, nodes: {"r[0..2]": router, "gate[0..2]": processor, "a[0..1]": processor, "b[0..1]": processor, "c[0..1]": processor, "bus[0..2]": star},
  links: [["r[0..1]:1", "r[1..2]:2"], ["r[2]:1", "r[0]:2"], ["gate[0..2]:0", "r[0..2]:0"], ["gate[0..2]:1", "bus[0..2]"],
    ["a[0..1]", "bus[0]"], ["b[0..1]", "bus[1]"], ["c[0..1]", "bus[2]"]]`

// jointScenario takes a packet from each processor to another one, over stars and through routers.
func jointScenario(t testing.TB, tick int, more string) *starloom.Scenario {
	return systemtest.RoutedScenario(t, fmt.Sprintf(clusters, tick),
		"nic: {rx_frames: 8, tx_frames: 4}\nrules: {exactly_once: true, latency_max: 100, in_order: true}\n"+
			"workload: {permutation: [8, 7, 3, 5, 6, 0, 1, 2, 4]}\nstop: {slots: 400}\nfirmware: {image: "+systemtest.Image(t, "bridges")+"}\n"+more)
}

// TestJointBridges checks that packets cross a star, routers and another star, for any banks, workers and observers.
func TestJointBridges(t *testing.T) {
	var wave, capture, packets bytes.Buffer
	want, err := starloom.Run(t.Context(), jointScenario(t, 16, ""),
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.Writer(&wave), PCAPNG: starloom.Writer(&capture)},
			Packets: starloom.Writer(&packets)})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, want.Verdict, want.Violations)
	require.Contains(t, wave.String(), "rx_status")
	require.Equal(t, 1+7, strings.Count(packets.String(), "\n")) // all but two go to another cluster
	cycles := map[uint64]bool{}
	for _, list := range systemtest.PacketsOf(t, capture.Bytes()) {
		for _, p := range list {
			cycles[p.Cycle%16] = true
		}
	}
	require.Greater(t, len(cycles), 3)
	for _, o := range []starloom.MachineOptions{{Workers: 2}, {BankSize: 2}, {Runtime: "interpreter"}, {Engine: starloom.EngineCycle}} {
		got, err := starloom.Run(t.Context(), jointScenario(t, 16, ""), starloom.RunOptions{MachineOptions: o})
		require.NoError(t, err)
		require.Equal(t, want.Digest, got.Digest)
		require.Equal(t, want.Frames, got.Frames)
	}
	isolated := jointScenario(t, 16, "")
	isolated.Firmware.Mode = "isolated"
	got, err := starloom.Run(t.Context(), isolated, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, want.Digest, got.Digest)
}

// TestJointSaved: a run with both kinds of ports is the same one if it is saved and restored at any tick.
func TestJointSaved(t *testing.T) {
	require.Equal(t, starloom.VerdictPass, savedAtEveryTick(t, jointScenario(t, 9, "")).Verdict)
}

// TestJointHarmed: faults strike channels and stars by their paths, and a budget of the handlers holds at both kinds of
// ports.
func TestJointHarmed(t *testing.T) {
	strikes := func(kind, target string) *starloom.Report {
		faults := "faults: {schedule: [{kind: " + kind + ", targets: [" + target + "]}]}"
		report, err := starloom.Run(t.Context(), jointScenario(t, 16, faults), starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictFail, report.Verdict)
		return report
	}
	channel, star := strikes("drop", `"netlist.gate[0].in"`), strikes("drop", `"netlist.bus[0]"`)
	require.NotZero(t, channel.Faults[0].Count)
	require.NotZero(t, star.Faults[0].Count)
	require.Contains(t, channel.Faults[0].First.Path, "netlist.gate[0].in")
	require.Contains(t, star.Faults[0].First.Path, "netlist.bus[0]")
	missed := strikes("miss", `"netlist.a[0].port[0]"`)
	require.NotZero(t, missed.Faults[0].Count)
	for budget, verdict := range map[int]starloom.Verdict{4: starloom.VerdictFail, 3000: starloom.VerdictPass} {
		s := jointScenario(t, 4096, "")
		s.Firmware.CPU = starloom.CPU{Model: "unit", ClockRatio: s.Firmware.CPU.ClockRatio, BudgetCycles: budget}
		s.Rules.LatencyMax = 0
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, verdict, report.Verdict, report.Violations)
	}
}

// TestJointRefused: what does not go together is refused with what does.
func TestJointRefused(t *testing.T) {
	const rest = "workload: {permutation: reverse}\nfirmware: {program: netlist/next-hop}"
	for says, netlist := range map[string]string{
		"requires all ports at routers, or none": fmt.Sprintf(clusters, 16),
		"a router is linked with it":             `nodes: {r: router, p: processor, s: star}, links: [["p", "r:0"], ["p", "s"], ["r:1", "s"]]`,
		"from 0 on, and the other ports after":   `nodes: {r: router, "p[0..1]": processor, s: star}, links: [["p[0]:1", "r:0"], ["p[1]", "r:1"], ["p[0]:0", "s"]]`,
		"no processor is linked to a router":     `nodes: {r: router, q: router, "p[0..1]": processor, s: star}, links: [["r:0", "q:0"], ["p[0..1]", "s"]]`,
		"no way leads from":                      `nodes: {r: router, "p[0..3]": processor, s: star}, links: [["p[0]", "r:0"], ["p[1]", "r:1"], ["p[2..3]", "s"]]`,
	} {
		text := "starloom: 1\nfabric: {netlist: {" + netlist + "}}\n"
		s, err := starloom.ParseScenario("s.yaml", []byte(text+rest))
		if err == nil {
			_, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
		}
		require.ErrorContains(t, err, says, netlist)
	}
	_, short := starloom.Run(t.Context(), jointScenario(t, 1, ""), starloom.RunOptions{})
	require.ErrorContains(t, short, "write tick: ")
	var least int
	_, after, _ := strings.Cut(short.Error(), "write tick: ")
	_, err := fmt.Sscan(after, &least)
	require.NoError(t, err)
	_, err = starloom.Run(t.Context(), jointScenario(t, least-1, ""), starloom.RunOptions{})
	require.ErrorContains(t, err, fmt.Sprintf("write tick: %d or more", least))
	report, err := starloom.Run(t.Context(), jointScenario(t, least, ""), starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	_, err = starloom.Run(t.Context(), jointScenario(t, 16, ""), starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: starloom.EngineSlot}})
	require.ErrorContains(t, err, "without slots")
}

// TestJointSilent: if one kind of ports is silent, the other behaves as in a network without the first.
func TestJointSilent(t *testing.T) {
	draw := rand.New(rand.NewPCG(27, 5))
	for range 6 {
		silentJoint(t, draw)
	}
}

// silentJoint draws a network of routers, with a star, a bus or links beside it, and compares it with its halves.
func silentJoint(t *testing.T, draw *rand.Rand) {
	n, tick := 3+draw.IntN(4), 12+draw.IntN(20)
	routers := fmt.Sprintf(`"r[0..%d]": {kind: router, ports: [next, before, local]}`, n-1)
	ring := fmt.Sprintf(`["r[0..%d]:next", "r[1..%d]:before"], ["r[%d]:next", "r[0]:before"], ["p[0..%d]:0", "r[0..%d]:local"]`, n-2, n-1, n-1, n-1, n-1)
	medium := []string{"s: star", "s: {kind: bus, arbiter: round_robin}", "s: {kind: crossbar}"}[draw.IntN(3)]
	ends := fmt.Sprintf(`["p[0..%d]:1", s]`, n-1)
	processors := fmt.Sprintf(`"p[0..%d]": processor`, n-1)
	keys := fmt.Sprintf("router: {vcs: 4, depth: %d}, streaming: {tick: %d}, routes: dateline, ", 1+draw.IntN(4), tick)
	both := keys + "nodes: {" + strings.Join([]string{processors, routers, medium}, ", ") + "}, links: [" + ring + ", " + ends + "]"
	streams := keys + "nodes: {" + processors + ", " + routers + "}, links: [" + ring + "]"
	slots := fmt.Sprintf(`nodes: {"p[0..%d]": {kind: processor, ports: ["+0", "+1"], open: ["+0"]}, %s}, links: [%s]`, n-1, medium,
		strings.ReplaceAll(ends, ":1", ":+1"))
	run := func(netlist string, ports, guard int) *starloom.Report {
		s := systemtest.RoutedScenario(t, netlist, fmt.Sprintf("nic: {payload_bytes: 24, rx_frames: 3, tx_frames: 3}\nlink: {guard_cycles: %d}\nrules: {}\nstop: {slots: 2000}\n"+
			"firmware: {image: %s, params: {ports: %d, routed: %d}}", guard, systemtest.Image(t, "mixes"), ports, n))
		report, err := starloom.Run(t.Context(), s,
			starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: starloom.EngineCycle}})
		require.NoError(t, err, netlist)
		require.Greater(t, report.Frames.Delivered, uint64(n), "%v %v", report.Violations, report.Frames)
		return report
	}
	one, alone := run(both, 1, 1), run(streams, 1, 1)
	require.Equal(t, alone.Digest, one.Digest, both)
	require.Equal(t, alone.Frames, one.Frames, both)
	// the guard of the slotted network alone fills the tick
	shortest := run(slots, 2, 1)
	one = run(both, 2, 1)
	alone = run(slots, 2, 1+tick-int(shortest.Cycles/uint64(shortest.Slots)))
	require.Equal(t, alone.Digest, one.Digest, both)
	require.Equal(t, alone.Frames, one.Frames, both)
	require.Equal(t, alone.Cycles, one.Cycles, both)
}

// cluster is the example with all that a netlist may join, with keys of its own after it.
func cluster(t testing.TB, edit ...string) *starloom.Scenario {
	t.Helper()
	folder, err := systemtest.ImageFolder()
	require.NoError(t, err)
	image := filepath.Join(folder, "cluster.wasm")
	if _, err := os.Stat(image); err != nil {
		require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "examples/routers/cluster.c", Output: image}))
	}
	text, err := os.ReadFile("examples/routers/cluster.yaml")
	require.NoError(t, err)
	s, err := starloom.ParseScenario("cluster.yaml", []byte(strings.NewReplacer(append(edit, "cluster.wasm", image)...).Replace(string(text))))
	require.NoError(t, err)
	return s
}

// TestJointCluster: what works on one kind of network works on one with all: saves, replays, seeds; routers that are
// RTL are refused.
func TestJointCluster(t *testing.T) {
	want := savedAtEveryTick(t, cluster(t))
	require.Equal(t, starloom.VerdictPass, want.Verdict, want.Violations)
	require.Subset(t, want.Rules, []string{"deadlock", "collision_free", "exactly_once", "latency_max", "in_order"})
	var told bytes.Buffer
	report, err := starloom.Run(t.Context(), cluster(t),
		starloom.RunOptions{Replay: starloom.ReplayOptions{Output: starloom.Writer(&told), Processor: 2}})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	require.Contains(t, told.String(), "netlist.gate[2] alone")
	seeds, err := starloom.RunSeeds(t.Context(), cluster(t, "{permutation: [10, 4, 7, 5, 9, 8, 1, 0, 3, 6, 2]}",
		"{permutation: random}"), starloom.Seeds{First: 1, Last: 8}, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, seeds.Verdict)
	for _, replaced := range []string{"netlist.router[*]", "netlist.router[2]"} {
		_, err = starloom.Run(t.Context(), cluster(t, "rules:", "rtl: [{replace: '"+replaced+"'}]\nrules:"), starloom.RunOptions{})
		require.ErrorContains(t, err, replaced+" are routers, which cannot be RTL in a network with stars, buses, "+
			"crossbars or links; use a network of routers alone")
	}
}

// TestLongJointCluster: nor does the check of the firmware find anything there, and RTL in the place of what keeps to
// slots changes nothing.
func TestLongJointCluster(t *testing.T) {
	checked, err := starloom.CheckFirmware(t.Context(), cluster(t), starloom.FirmwareCheckOptions{Fuzz: 50})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, checked.Verdict)
	for _, replaced := range []string{"netlist.star", "netlist.bus", "netlist.bar.output[1]"} {
		report, err := starloom.Run(t.Context(), cluster(t, "rules:", "rtl: [{replace: '"+replaced+"'}]\nrules:"), starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, checked.Runs[0].Digest, report.Digest)
		require.NotEmpty(t, report.RTL)
	}
}

// TestJointKnots: packets that wait for one another in the routers of such a network break the rule deadlock, frames
// that meet on a star collision_free.
func TestJointKnots(t *testing.T) {
	s := cluster(t, "vcs: 2, depth: 4", "vcs: 1, depth: 1", "tick: 16", "tick: 16, flit_bits: 8", "routes: dateline", "routes: shortest",
		"[10, 4, 7, 5, 9, 8, 1, 0, 3, 6, 2]", "[2, 3, 0, 1, 4, 5, 6, 7, 8, 9, 10]", ", latency_max: 100, in_order: true", "")
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictFail, report.Verdict)
	require.Equal(t, "deadlock", report.Violations[0].Rule, report.Violations)
	require.Contains(t, report.Violations[0].Path, "netlist.r")
	s = cluster(t, "cluster.wasm", systemtest.Image(t, "collides"))
	report, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictFail, report.Verdict)
	require.True(t, slices.ContainsFunc(report.Violations, func(v starloom.Violation) bool {
		return v.Rule == "collision_free" && v.Path == "netlist.star"
	}), report.Violations)
}
