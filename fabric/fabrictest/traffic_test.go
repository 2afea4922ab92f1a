package fabrictest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
)

// offering returns a scenario of traffic from its keys under fabric and workload.traffic, and the program.
func offering(network, program, workload, more string) func(t testing.TB) *starloom.Scenario {
	return func(t testing.TB) *starloom.Scenario {
		s, err := starloom.ParseScenario("traffic.yaml", []byte("starloom: 1\nname: traffic\nfabric: {"+network+"}\nfirmware: {program: "+program+
			"}\nworkload: {traffic: {warm_up: 9, measure: 40, "+workload+"}}\n"+more))
		require.NoError(t, err)
		return s
	}
}

// TestTraffic runs the suite with traffic.
func TestTraffic(t *testing.T) {
	const crossbar, bus = "crossbar/traffic", "bus/traffic"
	(&Suite{Cases: []Case{
		{Name: "crossbar", Scenario: offering("crossbar: {ports: 6, arbiter: round_robin}", crossbar, "rate: 0.5", "")},
		{Name: "sizes in bursts", Scenario: offering("crossbar: {ports: 5}", crossbar, "rate: 0.1, arrivals: bursty, size: [1, 4], self: false", "")},
		{Name: "queues", Scenario: offering("crossbar: {ports: 5, output: queue}", crossbar, "rate: 0.7, arrivals: periodic", "")},
		{Name: "closed", Scenario: offering("crossbar: {ports: 4, arbiter: matrix}", crossbar, "rate: 0.3, closed: 1, size: 2", "")},
		{Name: "aloha", Scenario: offering("crossbar: {ports: 4, medium: aloha}", crossbar, "rate: 0.05", "")},
		{Name: "saturated", Scenario: offering("crossbar: {ports: 3}", crossbar, "rate: 1, drain: 10, overload: true", "")},
		{Name: "lost", Scenario: offering("crossbar: {ports: 6, output: queue}", crossbar, "rate: 0.9, drain: 20", "nic: {rx_frames: 1}"), Breaks: starloom.RuleExactlyOnce},
		{Name: "bus", Scenario: offering("bus: {vertices: 5, buses: [[1, 2, 3, 4, 0]], arbiter: matrix}", bus, "rate: 0.15", "")},
		{Name: "bus without an arbiter", Scenario: offering("bus: {vertices: 5, buses: [[1, 2, 3, 4, 0]]}", bus, "rate: 0.2", "")},
	}, RTL: []starloom.RTL{{Replace: "crossbar.output[*].arbiter"}}}).Run(t)
}

// TestLongTrafficOnPOPS tests traffic by time division, also with more groups than slots of the listening table, and
// with paused processors that miss their turns.
func TestLongTrafficOnPOPS(t *testing.T) {
	pops := func(groups, size int) string { return fmt.Sprintf("pops: {groups: %d, group_size: %d}", groups, size) }
	const program = "pops/traffic"
	(&Suite{Cases: []Case{
		{Name: "uniform", Scenario: offering(pops(3, 2), program, "rate: 0.3, self: true", "")},
		{Name: "sizes in bursts", Scenario: offering(pops(2, 3), program, "rate: 0.1, arrivals: bursty, size: [1, {frames: 3, weight: 1}]", "")},
		{Name: "many groups", Scenario: offering(pops(67, 1), program, "rate: 0.1, pattern: tornado, drain: 70, overload: true", "")},
		{Name: "short queue", Scenario: offering(pops(2, 2), program+", params: {queue: 1}", "rate: 0.6, drain: 10, overload: true", "")},
		{Name: "stands still", Scenario: offering(pops(2, 2), program, "rate: 0.3, drain: 30",
			"faults: {schedule: [{kind: clock_pause, targets: ['pops.group[0].nic[*]'], slots: {from: 14, to: 23}}]}\n")},
	}, RTL: []starloom.RTL{{Replace: "pops.group[*].coupler[1]", Twin: "star_coupler"}, {Replace: "pops.group[1].nic[*].tx", Twin: "serialiser"}}}).Run(t)
}

// TestLongTrafficOnEJ tests traffic hop by hop, with and without acknowledgements and credits, up to a full queue.
func TestLongTrafficOnEJ(t *testing.T) {
	ej := func(a, b int, more string) string { return fmt.Sprintf("ej: {a: %d, b: %d, %s}", a, b, more) }
	const program = "ej/traffic"
	(&Suite{Cases: []Case{
		{Name: "uniform", Scenario: offering(ej(1, 2, "dimensions: 2"), program, "rate: 0.4", "")},
		{Name: "closed", Scenario: offering(ej(2, 2, "dimensions: 1"), program, "rate: 0.6, size: 2, closed: 2, drain: 9, overload: true", "")},
		{Name: "credits", Scenario: offering(ej(0, 4, "dimensions: 1, credits: {depth: 1, round_trip_slots: 3}"), program, "rate: 0.7, drain: 20, overload: true", "")},
		{Name: "overflow", Scenario: offering(ej(1, 3, "dimensions: 1"), program+", params: {queue: 1}",
			"rate: 0.9, pattern: hotspot, hotspots: [{node: 3, share: 0.9}], drain: 5, overload: true", ""), Breaks: starloom.RuleFail},
	}, RTL: long(starloom.RTL{Replace: "ej.node[*].dim[2].link[*]", Twin: "duplex_link"})}).Run(t)
}

// randomTraffic returns a random network with random traffic.
func randomTraffic(draw *rand.Rand) func(t testing.TB) *starloom.Scenario {
	of := func(words ...string) string { return words[draw.IntN(len(words))] }
	rate := 0.02 + 0.5*draw.Float64()*draw.Float64()
	keys := []string{fmt.Sprintf("rate: %.4f, pattern: %s, drain: %d", rate, of("uniform", "tornado", "neighbour", "permutation", "hotspot, hotspots: [{node: 1, share: 0.4}]"), draw.IntN(60))}
	keys = append(keys, of("arrivals: bernoulli", "arrivals: periodic", "arrivals: bursty", fmt.Sprintf("arrivals: bursty, burst: %d", 2+draw.IntN(9))))
	keys = append(keys, of("size: 1", "size: 2", "size: [1, 3]"))
	network, program := "", ""
	switch draw.IntN(4) {
	case 0:
		program, network = "crossbar/traffic", fmt.Sprintf("crossbar: {ports: %d, %s}", 2+draw.IntN(7), of("arbiter: fixed", "arbiter: round_robin", "arbiter: matrix", "arbiter: lottery, weights: [2, 1]", "arbiter: weighted_round_robin, weights: [2, 1]",
			"output: queue",
			"output: queue, queue_frames: 2, arbiter: matrix", "medium: aloha", "cap: 1", "cap: 2, cap_arbiter: round_robin"))
		keys = append(keys, of("self: true", "self: false", "closed: 1", "closed: 3"))
		program += of("", ", params: {take: 1}")
	case 1:
		n := 2 + draw.IntN(6)
		program, network = "bus/traffic", strings.ReplaceAll(fmt.Sprintf("bus: {vertices: %d, buses: [%v], arbiter: %s}", n, draw.Perm(n), of(busArbiters()...)), " ", ", ")
		network = strings.NewReplacer(":, ", ": ", ",, ", ", ").Replace(network)
	case 2:
		program, network = "pops/traffic", fmt.Sprintf("pops: {groups: %d, group_size: %d}", 1+draw.IntN(4), 2+draw.IntN(3))
	default:
		program, network = "ej/traffic", fmt.Sprintf("ej: {a: %d, b: %d, dimensions: %d%s}", 1+draw.IntN(2), 2+draw.IntN(2), 1+draw.IntN(2), of("", ", credits: 2"))
	}
	more := fmt.Sprintf("seed: %d\nlink: {phit_bits: %s, propagation_cycles: %d, guard_cycles: %d}\nrules: {}\n", draw.IntN(1e9), of("64", "7", "33", "1"), draw.IntN(3), 1+draw.IntN(2))
	return offering(network, program, strings.Join(keys, ", "), more)
}

// TestLongRandomTraffic compares engines, divisions and runs restored at random slots on random traffic.
func TestLongRandomTraffic(t *testing.T) {
	draw := rand.New(rand.NewPCG(23, 2))
	scenarios := 60
	if *full {
		scenarios = 500
	}
	for i := range scenarios {
		c := Case{Scenario: randomTraffic(draw)}
		s := c.Scenario(t)
		n := s.Processors()
		want := c.run(t, starloom.MachineOptions{Engine: starloom.EngineCycle})
		for range 3 {
			engine := []string{starloom.EngineSlot, starloom.EngineCycle}[draw.IntN(2)]
			o := starloom.MachineOptions{Engine: engine, BankSize: 1 + draw.IntN(n), Workers: 1 + draw.IntN(2)}
			m, other := machine(t, c.Scenario(t), o), machine(t, c.Scenario(t), o)
			for !m.Ended() {
				for range 1 + draw.IntN(30) {
					require.NoError(t, m.Step())
				}
				var state bytes.Buffer
				require.NoError(t, m.Save(&state))
				require.NoError(t, other.Restore(&state))
				m, other = other, m
			}
			require.Equal(t, want, text(t, m.Report()), "%d: %+v", i, o)
		}
	}
}
