package programs

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math/bits"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/bus"
	"starloom/fabric/bus/gossip"
	"starloom/internal/systemtest"
	"starloom/nic"
	"starloom/traces/pcapng"
	"starloom/traces/pcapng/pcapngtest"
)

// busRun runs a scenario, which must pass, and returns its report and its run-table.
func busRun(t testing.TB, s *starloom.Scenario, o starloom.MachineOptions) (*starloom.Report, *gossip.Table) {
	o.RunTable = true
	m, err := starloom.NewMachine(t.Context(), s, o)
	require.NoError(t, err)
	defer m.Close()
	require.NoError(t, m.Run(t.Context(), nil))
	report := m.Report()
	require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
	return report, m.RunTable().(*gossip.Table)
}

// busGolden are rows of n, l, q, r, T, upper and lower bound.
func busGolden(t testing.TB) (rows [][]int) {
	file, err := os.Open("fabric/bus/gossip/testdata/bus_T.csv")
	require.NoError(t, err)
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	for _, record := range records[1:] {
		var row []int
		for _, text := range record {
			value, err := strconv.Atoi(text)
			require.NoError(t, err)
			row = append(row, value)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestBusLengths runs the sizes of the reference to n = 10,000, in CI a sample of them: the firmware needs as many
// steps as the formula gives, and in the end every vertex has all items.
func TestBusLengths(t *testing.T) {
	runs := 0
	for i, row := range busGolden(t) {
		n, l, steps := row[0], row[1], row[4]
		if n > 10_000 || !*systemtest.Full && (n > 1000 && i%200 != 0 || i%7 != 0) {
			continue
		}
		runs++
		report, _ := busRun(t, systemtest.BusGossipScenario(t, "two-phase", n, l, ""), starloom.MachineOptions{Engine: starloom.EngineSlot})
		at := fmt.Sprintf("n = %d, l = %d", n, l)
		require.Equal(t, steps, report.Metrics.Get("steps"), at)
		known := report.Metrics.Get("known").([]int)
		require.Len(t, known, steps, at)
		require.Equal(t, n, known[steps-1], at)
		require.Less(t, known[max(0, steps-2)], n, at)
	}
	t.Logf("%d runs", runs)
}

// TestBusProgramsLengths: the other programs take what their schedules have.
func TestBusProgramsLengths(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {5, 2}, {8, 3}, {10, 3}, {64, 4}, {65, 64}, {100, 7}, {129, 5}} {
		n, l := size[0], size[1]
		for program, steps := range map[string]int{"improved": gossip.ImprovedLength(n, l), "naive": gossip.NaiveLength(n, l)} {
			report, _ := busRun(t, systemtest.BusGossipScenario(t, program, n, l, ""), starloom.MachineOptions{Engine: starloom.EngineSlot})
			require.Equal(t, steps, report.Metrics.Get("steps"), "%s, n = %d, l = %d", program, n, l)
		}
	}
}

// TestBusEnginesAgree: both engines, any mode and workers, runs one after the other, and arbiters that
// have nothing to decide.
func TestBusEnginesAgree(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {5, 2}, {13, 4}, {40, 3}, {70, 80}} {
		for _, program := range []string{"two-phase", "improved", "naive"} {
			s := systemtest.BusGossipScenario(t, program, size[0], size[1], "link: {phit_bits: 8, propagation_cycles: 2}\n")
			want := systemtest.Result(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot})
			require.Equal(t, want, systemtest.Result(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot, Workers: 2}))
			require.Equal(t, want, systemtest.Result(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle}))
			s.Firmware.Mode = starloom.ModeIsolated
			require.Equal(t, want, systemtest.Result(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle, Workers: 2}))
			s.Fabric.Bus.Arbiter = "round_robin"
			arbitrated, _ := busRun(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle})
			require.Zero(t, arbitrated.Frames.Blocked)
			require.Contains(t, want, fmt.Sprintf(`"steps": %v`, arbitrated.Metrics.Get("steps")))
		}
	}
}

// TestLargeBusEnginesAgree: 10,000 vertices, cycle by cycle.
func TestLargeBusEnginesAgree(t *testing.T) {
	if !*systemtest.Full {
		t.Skip("20 seconds: -full")
	}
	s := systemtest.BusGossipScenario(t, "two-phase", 10_000, 3, "")
	require.Equal(t, systemtest.Result(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot}),
		systemtest.Result(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle}))
}

// crossed is a frame in a capture: who sent it or heard it in a slot, and at which tap.
type crossed struct {
	slot      uint32
	direction pcapng.Direction
	tap       string
}

// TestBusFramesHaveTheSets reads a capture: every frame has what its sender knew when the step began, by
// a run of the schedule beside it, and passes between the taps of the bus that its vertices are.
func TestBusFramesHaveTheSets(t *testing.T) {
	for _, size := range [][2]int{{9, 4}, {61, 3}, {64, 5}, {67, 8}} {
		n, l := size[0], size[1]
		var capture bytes.Buffer
		s := systemtest.BusGossipScenario(t, "two-phase", n, l, "")
		s.Traces.PCAPNG = &starloom.PCAPNGTrace{Interfaces: "port"}
		report, err := starloom.Run(t.Context(), s,
			starloom.RunOptions{Record: starloom.RecordOptions{PCAPNG: starloom.Writer(&capture)}})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictPass, report.Verdict)
		packets, err := pcapngtest.Read(capture.Bytes())
		require.NoError(t, err)
		frames := map[crossed][]byte{}
		for _, p := range packets.Packets {
			frame, err := nic.Parse(p.PseudoHeader.Frame())
			require.NoError(t, err)
			require.Equal(t, nic.KindControl, frame.Kind())
			at := crossed{p.PseudoHeader.Slot(), p.PseudoHeader.Direction(), p.Interface}
			require.NotContains(t, frames, at)
			frames[at] = frame.Payload()
		}
		want, known := busFrames(n, l)
		require.Equal(t, want, frames, "n = %d, l = %d", n, l)
		require.Equal(t, known, report.Metrics.Get("known"), "n = %d, l = %d", n, l)
	}
}

// busFrames are the frames of bus/two-phase by its schedule, and how many items everybody knows
// after each step.
func busFrames(n, l int) (frames map[crossed][]byte, least []int) {
	known, number := make([][]byte, n), map[string]int{}
	for v := range known {
		known[v] = make([]byte, (n+7)/8)
		known[v][v/8] = 1 << (v % 8)
	}
	frames = map[crossed][]byte{}
	for slot, step := range gossip.TwoPhase(n, l) {
		for _, b := range step {
			members := append([]int{b.Sender}, b.Receivers...)
			slices.Sort(members)
			key := fmt.Sprint(members)
			if _, ok := number[key]; !ok {
				number[key] = len(number)
			}
			tap := func(v int) string { return fmt.Sprintf("bus.bus[%d].tap[%d]", number[key], slices.Index(members, v)) }
			set := slices.Clone(known[b.Sender])
			frames[crossed{uint32(slot), pcapng.Sent, tap(b.Sender)}] = set
			for _, v := range b.Receivers {
				frames[crossed{uint32(slot), pcapng.Received, tap(v)}] = set
				for k := range set { // a vertex is on one bus: no one else reads its set in this step
					known[v][k] |= set[k]
				}
			}
		}
		least = append(least, n)
		for _, set := range known {
			items := 0
			for _, b := range set {
				items += bits.OnesCount8(b)
			}
			least[slot] = min(least[slot], items)
		}
	}
	return frames, least
}

// TestBusPhase2Runs: t steps into phase 2 a vertex of line i knows F_i(t) columns, by its frames.
func TestBusPhase2Runs(t *testing.T) {
	for _, size := range [][2]int{{1000, 4}, {96, 2}, {300, 5}} {
		n, l := size[0], size[1]
		_, table := busRun(t, systemtest.BusGossipScenario(t, "two-phase", n, l, ""), starloom.MachineOptions{Engine: starloom.EngineSlot})
		phase2 := gossip.Phase2Length(n/l, l)
		first := table.Columns() - phase2
		for time := range phase2 + 1 {
			amounts := gossip.Amounts(l, time)
			for v := range n {
				require.Equal(t, l*min(amounts[v%l], n/l), table.Known(v, first+time-1), "n = %d, l = %d, t = %d, vertex %d", n, l, time, v)
			}
		}
	}
}

// TestBusRules: firmware that makes items up, and firmware that forgets what it has received. The
// schedule of a program is there for the image in its place, and for one that names it.
func TestBusRules(t *testing.T) {
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		for _, c := range []struct {
			how   int64
			first starloom.Violation
			total uint64
		}{
			{1, starloom.Violation{Rule: starloom.RuleNoCreation, Cycle: 8, Slot: 1, Path: "bus.nic[4]",
				Message: "processor 4 sent the item of processor 7, but had received no frame with it"}, 1},
			{2, starloom.Violation{Rule: starloom.RuleFinishes, Cycle: 40, Slot: 8, Path: "bus.nic[1]",
				Message: "processor 1 knew 8 of 10 items when the run ended; the first that it lacks is that of processor 2"}, 9},
			{3, starloom.Violation{Rule: starloom.RuleOneBus, Cycle: 15, Slot: 3, Path: "bus.nic[3]",
				Message: "processor 3 sends to bus.bus[8].tap[0] and listens to bus.bus[11].tap[2] in one slot: its switch is " +
					"at the first, so it does not hear the second"}, 2},
			// What is no set of items brings none, and so who passes them on has created them.
			{4, starloom.Violation{Rule: starloom.RuleNoCreation, Cycle: 28, Slot: 5, Path: "bus.nic[1]",
				Message: "processor 1 sent the item of processor 3, but had received no frame with it"}, 4},
			{5, starloom.Violation{Rule: starloom.RuleNoCreation, Cycle: 28, Slot: 5, Path: "bus.nic[1]",
				Message: "processor 1 sent the item of processor 3, but had received no frame with it"}, 4},
		} {
			s := systemtest.BusGossipScenario(t, "two-phase", 10, 3, "")
			require.NoError(t, s.Override(t.Context(), starloom.Overrides{Image: systemtest.Image(t, "bus_gossips")}))
			require.Equal(t, "two-phase", s.Firmware.Schedule)
			s.Firmware.Params, s.NIC.PayloadBytes = map[string]int64{"how": c.how}, 3
			m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
			require.NoError(t, m.Run(t.Context(), nil))
			report := m.Report()
			require.Equal(t, starloom.VerdictFail, report.Verdict)
			require.Equal(t, c.total, report.ViolationsTotal)
			report.Violations[0].Subject = starloom.Violation{}.Subject // numbers, for pages
			require.Equal(t, c.first, report.Violations[0])
		}
	}
	text := "starloom: 1\nfabric: {bus: {vertices: 10, length: 3}}\nnic: {payload_bytes: 2}\nrules: {no_creation: true, one_bus: true}\n"
	text += "firmware: {image: %q, schedule: improved, params: {how: 0}}\n"
	s, err := starloom.ParseScenario("bus.yaml", fmt.Appendf(nil, text, systemtest.Image(t, "bus_gossips")))
	require.NoError(t, err)
	report, _ := busRun(t, s, starloom.MachineOptions{})
	require.Equal(t, gossip.ImprovedLength(10, 3), report.Metrics.Get("steps"))
}

// TestBusClaims: what firmware says of its deliveries is compared with the frames: the truth breaks no
// rule, a lie does, and the run goes on.
func TestBusClaims(t *testing.T) {
	for how, want := range map[int][]string{0: nil, 6: nil, 7: {"processor 2 announced the packet of processor 0, but " +
		"had received no frame with it"}} {
		text := "starloom: 1\nfabric: {bus: {vertices: 10, length: 3}}\nnic: {payload_bytes: 2}\nrules: {exactly_once: true}\nfirmware: {image: %q, schedule: improved, params: {how: %d}}\n"
		s, err := starloom.ParseScenario("bus.yaml", fmt.Appendf(nil, text, systemtest.Image(t, "bus_gossips"), how))
		require.NoError(t, err)
		m := systemtest.Machine(t, s, starloom.MachineOptions{})
		require.NoError(t, m.Run(t.Context(), nil))
		report := m.Report()
		var got []string
		for _, v := range report.Violations {
			require.Equal(t, starloom.RuleExactlyOnce, v.Rule)
			require.EqualValues(t, 2, v.Slot)
			require.Equal(t, "bus.nic[2]", v.Path)
			got = append(got, v.Message)
		}
		require.Equal(t, want, got)
		require.Equal(t, gossip.ImprovedLength(10, 3), report.Metrics.Get("steps"))
	}
}

// TestBusGossipRefused: what gossip cannot run with.
func TestBusGossipRefused(t *testing.T) {
	for _, c := range []struct{ more, says string }{
		{"workload: {permutation: random}\n", "bus.yaml:4:11: the program bus/two-phase takes no workload; delete workload"},
		{"workload: {gossip: {}}\n", "the program bus/two-phase takes no workload"},
		{"nic: {payload_bytes: 12}\n", "bus.yaml:4:22: nic.payload_bytes is 12, but a message of bus/two-phase has 13 " +
			"bytes; give at least 13"},
	} {
		_, err := starloom.ParseScenario("bus.yaml", []byte("starloom: 1\nfabric: {bus: {vertices: 100, length: 4}}\nfirmware: {program: bus/two-phase}\n"+c.more))
		require.ErrorAs(t, err, new(*starloom.InputError), c.more)
		require.ErrorContains(t, err, c.says)
	}
	_, err := starloom.ParseScenario("bus.yaml", []byte("starloom: 1\nfabric: {bus: {vertices: 100, length: 4}}\nfirmware: {program: bus/two-phase, schedule: naive}\n"))
	require.ErrorContains(t, err, "bus.yaml:3:46: a built-in program has its own schedule; delete schedule, or give an "+
		"image")
	other, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}\nrules: {no_creation: true}\n"))
	require.NoError(t, err)
	_, err = starloom.NewMachine(t.Context(), other, starloom.MachineOptions{})
	require.EqualError(t, err, "s.yaml:4:22: the rule no_creation cannot be checked: it does not apply to this program "+
		"and workload; delete it, or run the program to which it belongs")
	s := systemtest.BusGossipScenario(t, "naive", 100, 4, "")
	require.Equal(t, starloom.NIC{PayloadBytes: 13, RXFrames: 1, TXFrames: starloom.DefaultScenario().NIC.TXFrames}, s.NIC)
	require.Equal(t, gossip.NaiveLength(100, 4), int(s.Stop.Slots))
	s.Workload.OneToAll = &starloom.OneToAll{}
	require.ErrorContains(t, s.Check(), "takes no workload")
}

// TestBusExample: the example passes, in as many steps as its comments say; another program and
// left-over vertices, which they propose, have their lengths.
func TestBusExample(t *testing.T) {
	s, err := starloom.LoadScenario("examples/bus-gossip.yaml")
	require.NoError(t, err)
	report, table := busRun(t, s, starloom.MachineOptions{})
	require.Equal(t, 9, report.Metrics.Get("steps"))
	require.Equal(t, []int{1, 1, 4, 4, 8, 16, 32, 60, 100}, report.Metrics.Get("known"))
	var csv, svg bytes.Buffer
	require.NoError(t, table.WriteCSV(&csv))
	require.NoError(t, table.WriteSVG(&svg))
	plan := bus.PlanSteps(100, gossip.TwoPhase(100, 4))
	var scheduled bytes.Buffer
	of := gossip.TableOf(100, gossip.TwoPhase(100, 4), func(step, entry int) int { return plan.Steps[step][entry] })
	require.NoError(t, of.WriteCSV(&scheduled))
	require.Equal(t, scheduled.String(), csv.String(), "the run did what the schedule says")
	scheduled.Reset()
	require.NoError(t, of.WriteSVG(&scheduled))
	require.Equal(t, scheduled.String(), svg.String())

	s.Fabric.Bus.Vertices, s.NIC.PayloadBytes, s.Stop.Slots = 102, 13, 100
	for program, steps := range map[string]int{"bus/two-phase": 11, "bus/improved": 10, "bus/naive": 11} {
		s.Firmware.Program = program
		report, _ := busRun(t, s, starloom.MachineOptions{})
		require.Equal(t, steps, report.Metrics.Get("steps"), program)
	}
}

// TestBusSameAgain: one run after the other in a machine, and in another machine, are the same to the
// byte; the seed changes nothing but its own name.
func TestBusSameAgain(t *testing.T) {
	s := systemtest.BusGossipScenario(t, "improved", 77, 6, "")
	m := systemtest.Machine(t, s, starloom.MachineOptions{})
	texts := make([]string, 3)
	for i := range texts {
		require.NoError(t, m.Reset(1))
		require.NoError(t, m.Run(t.Context(), nil))
		texts[i] = systemtest.ReportText(t, m.Report())
		require.Equal(t, texts[0], texts[i])
	}
	require.Equal(t, texts[0], systemtest.Result(t, s, starloom.MachineOptions{}))
	digest := m.Report().Digest
	require.NoError(t, m.Reset(2))
	require.NoError(t, m.Run(t.Context(), nil))
	require.Equal(t, digest, m.Report().Digest)
}

// TestBusSaves a run in the middle and goes on in another machine.
func TestBusSaves(t *testing.T) {
	s := systemtest.BusGossipScenario(t, "two-phase", 30, 4, "")
	want := systemtest.Result(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle})
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		m, other := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine}),
			systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
		for range 4 {
			require.NoError(t, m.Step())
		}
		var saved bytes.Buffer
		require.NoError(t, m.Save(&saved))
		require.NoError(t, other.Restore(&saved))
		require.NoError(t, other.Run(t.Context(), nil))
		require.Equal(t, want, systemtest.ReportText(t, other.Report()))
	}
}

// TestBusHasNoRunTable: sensors have none, and the refusal does not ask for a workload.
func TestBusHasNoRunTable(t *testing.T) {
	s, err := starloom.ParseScenario("bus.yaml", []byte("starloom: 1\nfabric: {bus: {vertices: 3, buses: [[0, 1, 2]], arbiter: fixed}}\nfirmware: {program: bus/sensors}\n"))
	require.NoError(t, err)
	_, err = starloom.Run(t.Context(), s,
		starloom.RunOptions{RunTables: starloom.TableFiles{CSV: starloom.Writer(io.Discard)}})
	require.EqualError(t, err, "--run-table: the program bus/sensors has no run-table; delete the option")
}
