package traffic

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/bus"
	"starloom/fabric/contend"
	"starloom/internal/systemtest"
)

// busImage runs a test image on buses.
func busImage(t testing.TB, image string, b bus.Network) *starloom.Scenario {
	s := starloom.DefaultScenario()
	s.Name, s.Fabric.Bus, s.Firmware.Image, s.Stop.Slots = image, &b, systemtest.Image(t, image), 20
	s.Rules = &starloom.Rules{OneBus: true, BusLength: true,
		CollisionFree: &starloom.CollisionFree{Period: 1, Slots: []int{1}}}
	for _, idle := range s.Rules.Unbreakable(b) {
		idle.Delete()
	}
	return s
}

// TestLongBusRulesFire breaks every rule of buses with a small firmware made for it, in both engines,
// with and without an arbiter. A slot has 4 cycles without a payload to send: 2 phits of 64 bits,
// and 6 with one: it is that of a full payload, and one more with an arbiter.
func TestLongBusRulesFire(t *testing.T) {
	path, pair := [][]int{{0, 1, 3}, {1, 2}, {3, 2}}, [][]int{{2, 0, 1, 3}, {3, 0}}
	for _, c := range []struct {
		name, image   string
		network       bus.Network
		params        map[string]int64
		rule, path    string
		cycle, blocks uint64
		message       string
	}{
		{"one bus", "two_buses", bus.Network{Vertices: 4, Buses: path}, nil, starloom.RuleOneBus, "bus.nic[1]", 12, 0,
			"processor 1 sends to bus.bus[0].tap[1] and listens to bus.bus[1].tap[0] in one slot: its switch is at the " +
				"first, so it does not hear the second"},
		{"one bus, granted", "two_buses", bus.Network{Vertices: 4, Buses: path, ArbiterKeys: contend.ArbiterKeys{Arbiter: "matrix"}}, nil, starloom.RuleOneBus,
			"bus.nic[1]", 14, 0, "sends to bus.bus[0].tap[1]"},
		{"bus length", "crowds", bus.Network{Vertices: 4, Length: 3, Buses: pair}, nil, starloom.RuleBusLength, "bus.bus[0]", 18, 0,
			"more than 3 vertices, senders included, are on the bus in one slot; its length is 3"},
		{"bus length, arbiter", "crowds", bus.Network{Vertices: 4, Length: 2, Buses: pair, ArbiterKeys: contend.ArbiterKeys{Arbiter: "tdma"}}, nil, starloom.RuleBusLength,
			"bus.bus[0]", 14, 4, "more than 2 vertices"},
		{"two senders", "contends", bus.Network{Vertices: 4, Buses: pair}, nil, starloom.RuleCollisionFree, "bus.bus[0]", 18, 0,
			"frames collided on a bus; no slot may have a collision"},
		{"no such tap", "leaves_its_taps", bus.Network{Vertices: 4, Buses: pair}, map[string]int64{"to": 1}, starloom.RuleIllegalSend,
			"bus.nic[1]", 0, 0, "sends to port 1; the NIC has 1 port, counted from 0"},
		{"no such tap, arbiter", "leaves_its_taps", bus.Network{Vertices: 4, Buses: pair, ArbiterKeys: contend.ArbiterKeys{Arbiter: "fixed"}}, map[string]int64{"to": 1},
			starloom.RuleIllegalSend, "bus.nic[1]", 0, 0, "sends to port 1"},
		{"all taps", "leaves_its_taps", bus.Network{Vertices: 4, Buses: pair}, map[string]int64{"to": 0xFFFE}, starloom.RuleIllegalSend,
			"bus.nic[1]", 0, 0, "sends to all ports; the NIC has one switch, which reaches only one port"},
		{"hears no such tap", "leaves_its_taps", bus.Network{Vertices: 4, Buses: pair}, map[string]int64{"to": 0},
			starloom.RuleIllegalListen, "bus.nic[2]", 0, 0, "listens to port 1; its receiver has 1 port, counted from 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
				s := busImage(t, c.image, c.network)
				s.Firmware.Params = c.params
				m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
				require.NoError(t, m.Run(context.Background(), nil))
				report := m.Report()
				require.Equal(t, starloom.VerdictFail, report.Verdict)
				first := report.Violations[0]
				require.Equal(t, c.rule, first.Rule, "%+v", report.Violations)
				require.Equal(t, c.path, first.Path)
				require.Equal(t, c.cycle, first.Cycle)
				require.Contains(t, first.Message, c.message)
				require.Equal(t, c.blocks, report.Frames.Blocked)
				for _, v := range report.Violations {
					require.Equal(t, c.rule, v.Rule)
				}

				s.Rules = &starloom.Rules{} // rules not asked for are not checked
				unasked := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
				require.NoError(t, unasked.Run(context.Background(), nil))
				if c.rule != starloom.RuleIllegalSend && c.rule != starloom.RuleIllegalListen {
					require.Empty(t, unasked.Report().Violations)
				}
			}
		})
	}
}

// TestBusRulesAreForBuses: no one can check them elsewhere.
func TestBusRulesAreForBuses(t *testing.T) {
	for rule, rules := range map[string]starloom.Rules{starloom.RuleOneBus: {OneBus: true},
		starloom.RuleBusLength: {BusLength: true}} {
		s := systemtest.ImageScenario(t, "talks")
		s.Rules = &rules
		_, err := starloom.NewMachine(context.Background(), s, starloom.MachineOptions{})
		require.ErrorContains(t, err, "rules."+rule+": the rule "+rule+" applies to networks whose NICs have one switch to all of their ports; delete it, or use fabric: {bus: ...}")
	}
}

// sensors runs bus/sensors on one bus, all sensors before the controller in the order of
// priority, and returns the longest wait at each tap.
func sensors(t testing.TB, count int, arbiter, engine string, params map[string]int64) (waits []int,
	report *starloom.Report) {
	s := starloom.DefaultScenario()
	members := make([]int, count+1)
	for i := range count {
		members[i] = i + 1
	}
	s.Fabric.Bus = &bus.Network{Vertices: count + 1, Buses: [][]int{members},
		ArbiterKeys: contend.ArbiterKeys{Arbiter: arbiter}}
	s.Firmware.Program, s.Firmware.Params, s.NIC.TXFrames = "bus/sensors", params, 64
	report, err := starloom.Run(context.Background(), s,
		starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}})
	require.NoError(t, err)
	for i, tap := range report.Metrics.Get("taps").(bus.TapsWaiting) {
		require.Equal(t, i+1, tap.Vertex)
		require.EqualValues(t, params["readings"], tap.Frames)
		waits = append(waits, int(tap.GrantWaitSlotsMax))
	}
	return waits, report
}

// response is how long a reading waits at most where readings come every periods[i] slots at
// priority i, all of them in slot 0: the analysis of response times for fixed priorities, with
// frames of one slot (K. Tindell, A. Burns, A. J. Wellings, "Calculating Controller Area Network
// Message Response Times", 1995). Those of a higher priority that come while it waits go before it.
// It is -1 if it may wait for longer than its period.
func response(periods []int, priority int) int {
	for wait := 0; ; {
		before := 0
		for _, period := range periods[:priority] {
			before += wait/period + 1
		}
		if before >= periods[priority] {
			return -1
		}
		if before == wait {
			return wait
		}
		wait = before
	}
}

// TestPrioritiesOrderWaits: on a bus with fixed priorities who is more urgent waits less, and as
// long as the analysis says.
func TestPrioritiesOrderWaits(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 12))
	analysed, longer := 0, 0
	for range 40 {
		count, period, spread := 2+random.IntN(9), 3+random.IntN(12), random.IntN(4)
		var periods, want []int
		for i := range count {
			periods = append(periods, period+spread*i)
			want = append(want, response(periods, i))
		}
		if slices.Contains(want, -1) {
			continue // somebody starves, or queues
		}
		analysed++
		params := map[string]int64{"period": int64(period), "spread": int64(spread), "readings": 30}
		waits, report := sensors(t, count, "fixed", starloom.EngineSlot, params)
		require.Equal(t, starloom.VerdictPass, report.Verdict)
		require.Equal(t, want, waits, "%v", params)
		require.True(t, slices.IsSorted(waits))
		require.EqualValues(t, slices.Max(waits), report.Metrics.Get("grant_wait_slots_max"))
		if want[count-1] >= count {
			longer++ // it is overtaken by readings that came later
		}
	}
	require.Greater(t, analysed, 12)
	require.Positive(t, longer)
}

// TestPrioritiesAreTheOrderOfTheList: and not that of the vertices.
func TestPrioritiesAreTheOrderOfTheList(t *testing.T) {
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		s := starloom.DefaultScenario()
		s.Fabric.Bus = &bus.Network{Vertices: 5, Buses: [][]int{{3, 1, 4, 0, 2}}, ArbiterKeys: contend.ArbiterKeys{Arbiter: "fixed"}}
		s.Firmware.Program, s.Firmware.Params = "bus/sensors", map[string]int64{"period": 9, "readings": 5}
		report, err := starloom.Run(context.Background(), s,
			starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}})
		require.NoError(t, err)
		var served []int
		for i, tap := range report.Metrics.Get("taps").(bus.TapsWaiting) {
			require.EqualValues(t, i, tap.GrantWaitSlotsMax)
			served = append(served, tap.Vertex)
		}
		require.Equal(t, []int{3, 1, 4, 2}, served)
	}
}

// TestTurnsBoundWaits: in turns no one waits for more than one frame of each other, and with TDMA
// until its turn comes.
func TestTurnsBoundWaits(t *testing.T) {
	params := map[string]int64{"period": 9, "spread": 1, "readings": 40}
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		fixed, _ := sensors(t, 7, "fixed", engine, params)
		require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6}, fixed)
		for _, arbiter := range []string{"round_robin", "matrix"} {
			waits, _ := sensors(t, 7, arbiter, engine, params)
			require.LessOrEqual(t, slices.Max(waits), 6)
			require.Positive(t, waits[0], "no one has a priority")
		}
		waits, _ := sensors(t, 7, "tdma", engine, params) // the controller's turn is the eighth
		require.Equal(t, 7, slices.Max(waits))
	}
	alarms := map[string]int64{"events": 100, "readings": 200}
	waits, report := sensors(t, 7, "fixed", starloom.EngineSlot, alarms)
	require.Zero(t, waits[0])
	require.Greater(t, waits[6], waits[1])
	again, other := sensors(t, 7, "fixed", starloom.EngineCycle, alarms)
	require.Equal(t, waits, again)
	require.Equal(t, report.Digest, other.Digest)

	lost, report := sensors(t, 7, "none", starloom.EngineSlot, params)
	require.Equal(t, make([]int, 7), lost)
	require.Equal(t, starloom.VerdictFail, report.Verdict)
	require.Equal(t, starloom.RuleCollisionFree, report.Violations[0].Rule)
	require.Positive(t, report.Frames.Collided)
	require.Less(t, report.Frames.Delivered, report.Frames.Sent)
}

// TestSensorsExample: the report names taps and their waits.
func TestSensorsExample(t *testing.T) {
	s, err := starloom.LoadScenario("examples/bus-sensors.yaml")
	require.NoError(t, err)
	table := filepath.Join(t.TempDir(), "run.csv")
	report, err := starloom.Run(context.Background(), s,
		starloom.RunOptions{Reports: starloom.ReportFiles{CSV: starloom.File(table)}})
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, report.WriteText(&text))
	require.Contains(t, text.String(), "bus.bus[0].tap[6] vertex 7: 60 frames, queue wait 11 slots at most (mean ")
	require.Equal(t, 11, response([]int{4, 6, 8, 10, 12, 14, 16}, 6))
	row, err := os.ReadFile(table)
	require.NoError(t, err)
	require.Contains(t, string(row), "; bus.bus[0].tap[6] vertex 7: 60 frames, queue wait 11 slots at most (mean ")
	var data struct {
		Metrics struct {
			QueueWaitSlotsMax int `json:"queue_wait_slots_max"`
			GrantWaitSlotsMax int `json:"grant_wait_slots_max"`
			Taps              []bus.TapWaiting
		}
	}
	var written strings.Builder
	require.NoError(t, report.WriteJSON(&written))
	require.NoError(t, json.Unmarshal([]byte(written.String()), &data))
	require.Equal(t, 11, data.Metrics.QueueWaitSlotsMax)
	require.Equal(t, 11, data.Metrics.GrantWaitSlotsMax)
	require.Equal(t, []bus.TapWaiting(report.Metrics.Get("taps").(bus.TapsWaiting)), data.Metrics.Taps)
	require.Equal(t, "bus.bus[0].tap[6]", data.Metrics.Taps[6].Tap)
}

// TestBusTracesOpen: the tools for waveforms and captures read those of a bus, with the names of
// taps.
func TestBusTracesOpen(t *testing.T) {
	s, err := starloom.LoadScenario("examples/bus-sensors.yaml")
	require.NoError(t, err)
	s.Firmware.Params["readings"] = 2
	s.Traces.PCAPNG = &starloom.PCAPNGTrace{Interfaces: "port"}
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	_, err = starloom.Run(context.Background(), s, starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(file("run.vcd")), PCAPNG: starloom.File(file("run.pcapng"))}})
	require.NoError(t, err)
	output := func(name string, arguments ...string) string {
		out, err := exec.Command(name, arguments...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	output("vcd2fst", file("run.vcd"), file("run.fst"))
	output("fst2vcd", "-f", file("run.fst"), "-o", file("back.vcd"))
	for _, name := range []string{"run.vcd", "back.vcd"} {
		text, err := os.ReadFile(file(name))
		require.NoError(t, err)
		for _, scope := range []string{"bus[0]", "tap[0]", "tap[6]", "arbiter", "wire", "nic[7]"} {
			require.Contains(t, string(text), "$scope module "+scope+" $end", name)
		}
	}
	interfaces := output("tshark", "-r", file("run.pcapng"), "-T", "fields", "-e", "frame.interface_name")
	for _, tap := range []string{"bus.bus[0].tap[0]\n", "bus.bus[0].tap[6]\n", "bus.bus[0].tap[7]\n"} {
		require.Contains(t, interfaces, tap)
	}
	require.NotContains(t, interfaces, "nic")
	s.Traces.PCAPNG = nil
	_, err = starloom.Run(context.Background(), s, starloom.RunOptions{Record: starloom.RecordOptions{PCAPNG: starloom.File(file("run.pcapng"))}})
	require.NoError(t, err)
	interfaces = output("tshark", "-r", file("run.pcapng"), "-T", "fields", "-e", "frame.interface_name")
	require.Contains(t, interfaces, "bus.nic[6]\n")
	require.NotContains(t, interfaces, "tap")
}

// TestPacketsOnBuses checks firmware that carries the packets of a workload: it is held to them, and lost packets are
// found at the collision.
func TestPacketsOnBuses(t *testing.T) {
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		run := func(arbiter string, params map[string]int64) *starloom.Report {
			s := busImage(t, "routes_on_buses", bus.Network{Vertices: 4, Buses: [][]int{{2, 0, 1, 3}}, ArbiterKeys: contend.ArbiterKeys{Arbiter: arbiter}})
			s.Workload.Permutation.Kind, s.Firmware.Params = starloom.PermutationReverse, params
			s.Rules = &starloom.Rules{ExactlyOnce: true}
			report, err := starloom.Run(context.Background(), s,
				starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}})
			require.NoError(t, err)
			return report
		}
		inTurn := run("none", nil)
		require.Equal(t, starloom.VerdictPass, inTurn.Verdict, "%+v", inTurn.Violations)
		require.Equal(t, 4, inTurn.Metrics.Get("delivered"))
		require.Equal(t, 0, inTurn.Metrics.Get("lost"))
		require.Equal(t, starloom.VerdictPass, run("matrix", map[string]int64{"at_once": 1}).Verdict)

		lost := run("none", map[string]int64{"at_once": 1})
		require.Equal(t, starloom.VerdictFail, lost.Verdict)
		require.Equal(t, 4, lost.Metrics.Get("lost"))
		require.Equal(t, starloom.RuleExactlyOnce, lost.Violations[0].Rule)
		require.Equal(t, "bus.bus[0]", lost.Violations[0].Path)
		require.Contains(t, lost.Violations[0].Message, "never received the packet of processor 0: sent for the last time by processor 0, it met another frame here")
		twice := run("none", map[string]int64{"twice": 1})
		require.Equal(t, starloom.VerdictFail, twice.Verdict)
		require.Contains(t, twice.Violations[0].Message, "again")
	}
}
