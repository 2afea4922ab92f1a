package faults

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/fabric"
	"starloom/firmware"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
	"starloom/nic"
)

// faultRun returns all that a report says, but for the engine.
func faultRun(t testing.TB, s *starloom.Scenario, o starloom.MachineOptions) (string, *starloom.Report) {
	m, err := starloom.NewMachine(t.Context(), s, o)
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	require.NoError(t, m.Run(t.Context(), nil))
	r := m.Report()
	return resultText(t, r), r
}

// resultText is what a report says beside how the machine was executed.
func resultText(t testing.TB, r *starloom.Report) string {
	result := *r
	return systemtest.ReportText(t, &result)
}

// TestFaultsAgree: neither engine nor mode, banks, workers or runtime change what a fault does.
func TestFaultsAgree(t *testing.T) {
	for name, machine := range systemtest.FaultFabrics {
		for kind, faults := range systemtest.FaultKinds {
			t.Run(name+"/"+kind, func(t *testing.T) {
				s := systemtest.FaultScenario(t, machine, faults)
				want, report := faultRun(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot})
				did := uint64(0)
				for _, f := range report.Faults {
					did += f.Count
				}
				if kind != "buffers" { // most FIFOs hold no more than one frame
					require.Positive(t, did, "the faults do nothing")
				}
				got, _ := faultRun(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle})
				assert.Equal(t, want, got, "cycle engine")
				s.Firmware.Mode = starloom.ModeIsolated
				got, _ = faultRun(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot, BankSize: 1, Workers: 2})
				assert.Equal(t, want, got, "isolated, small banks, two workers")
				s.Firmware.Mode = starloom.ModeBanked
				got, _ = faultRun(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle, BankSize: 5, Workers: 2})
				assert.Equal(t, want, got, "cycle engine, small banks, two workers")
			})
		}
	}
}

// TestFaultExamples: each kind of fault does something in an example, on every fabric, and the report says
// the same in both engines.
func TestFaultExamples(t *testing.T) {
	kinds, fabrics := map[string]bool{}, map[string]bool{}
	for path, verdict := range map[string]starloom.Verdict{"pops-4x4-faults": starloom.VerdictPass,
		"crossbar-faults": starloom.VerdictPass, "bus-faults": starloom.VerdictFail, "ej-faults": starloom.VerdictFail,
		"bus-reliable": starloom.VerdictPass} {
		s, err := starloom.LoadScenario("examples/" + path + ".yaml")
		require.NoError(t, err)
		s.Seed = 3
		fabrics[inside.Decided(s).Network.Kind()] = true
		var want string
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			report, err := starloom.Run(t.Context(), s,
				starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}})
			require.NoError(t, err)
			require.Equal(t, verdict, report.Verdict, path)
			for _, f := range report.Faults {
				kinds[f.Kind] = kinds[f.Kind] || f.Count > 0
			}
			for i := range report.Violations {
				require.Equal(t, starloom.CauseFaults, report.Violations[i].Cause)
			}
			text := systemtest.ReportText(t, report)
			require.Equal(t, cmp.Or(want, text), text)
			want = text
		}
	}
	require.Len(t, fabrics, 4)
	for _, kind := range fabric.FaultNames {
		require.True(t, kinds[kind] || kind == "credit_loss", kind) // of routers: TestRouterFaults
	}
}

// TestFaultNames: the schema and the program know the same kinds.
func TestFaultNames(t *testing.T) {
	var s starloom.Scenario
	for _, name := range fabric.FaultNames {
		s = *starloom.DefaultScenario()
		s.Faults = &starloom.Faults{Schedule: []starloom.Fault{{Kind: name, RXFrames: 0}}}
		if name == "buffers" {
			s.Faults.Schedule[0].RXFrames = 1
		}
		var refused *starloom.InputError
		if err := s.Check(); err != nil {
			require.ErrorAs(t, err, &refused)
			require.NotContains(t, refused.Place, "faults", name)
		}
	}
}

// TestFaultTargets: what only the machine knows is refused with its place.
func TestFaultTargets(t *testing.T) {
	for _, c := range []struct{ faults, says string }{
		{"schedule: [{kind: dead, targets: ['pops.group[9].nic[*]']}]",
			`faulty.yaml:6:37: "pops.group[9].nic[*]" is the path of no processor; paths are pops.group[0].nic[0] to pops.group[3].nic[3]`},
		{"schedule: [{kind: drop, targets: ['**.nic[*]']}]",
			`faulty.yaml:6:37: "**.nic[*]" is the path of no coupler; paths are pops.group[0].coupler[0] to pops.group[3].coupler[3]`},
		{"schedule: [{kind: buffers, rx_frames: 9}]", "faulty.yaml:6:41: rx_frames is 9, but nic.rx_frames is 4; give a " +
			"smaller depth"},
		{"schedule: [{kind: drop, targets: ['" + strings.Repeat("*a", 99) + "']}]",
			`faulty.yaml:6:37: "` + strings.Repeat("*a", 30) + `..." is the path of no coupler; ` +
				"paths are pops.group[0].coupler[0] to pops.group[3].coupler[3]"},
	} {
		_, err := starloom.NewMachine(t.Context(), systemtest.FaultScenario(t, systemtest.FaultFabrics["pops"], c.faults), starloom.MachineOptions{})
		require.EqualError(t, err, c.says)
	}
}

// TestFaultState: a run that is saved at every boundary and goes on in another machine suffers
// the same.
func TestFaultState(t *testing.T) {
	for name, machine := range systemtest.FaultFabrics {
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			t.Run(name+"/"+engine, func(t *testing.T) {
				s := systemtest.FaultScenario(t, machine, systemtest.FaultKinds["all"])
				want, _ := faultRun(t, s, starloom.MachineOptions{})
				var machines [2]*starloom.Machine
				for i := range machines {
					m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{Engine: engine})
					require.NoError(t, err)
					defer func() { require.NoError(t, m.Close()) }()
					machines[i] = m
				}
				m, other := machines[0], machines[1]
				for !m.Ended() {
					var state bytes.Buffer
					require.NoError(t, m.Save(&state))
					require.NoError(t, other.Restore(&state))
					require.NoError(t, other.Step())
					m, other = other, m
				}
				require.Equal(t, want, resultText(t, m.Report()))
				require.NoError(t, m.Reset(s.Seed))
				require.NoError(t, m.Run(t.Context(), nil))
				require.Equal(t, want, resultText(t, m.Report()), "after a reset")
			})
		}
	}
}

// TestLongFaultRTL: with RTL in the place of parts, of taps at which faults of media act among them,
// faults do to every fabric what they do to the models, in both engines. RTL in wasm has to be
// compiled, so without -full it is one tap, and Icarus has taps and some receivers of machines in
// which everything happens; with -full it is all parts in wasm, and each kind alone, too.
func TestLongFaultRTL(t *testing.T) {
	for name, c := range map[string]struct{ some, all []string }{
		"pops":       {[]string{"pops.group[*].coupler[*].fibre_tapped", "pops.group[0].nic[*].rx"}, []string{"pops.**"}},
		"pops long":  {[]string{"pops.group[*].coupler[*].fibre_tapped"}, []string{"pops.**"}},
		"gossip":     {[]string{"crossbar.output[*].link_tapped", "crossbar.nic[*].rx"}, []string{"crossbar.**"}},
		"scatter":    {[]string{"crossbar.output[*].link_tapped"}, []string{"crossbar.**"}}, // receivers of queues have no twin
		"aloha":      {[]string{"crossbar.medium[0].link_tapped"}, []string{"crossbar.**"}},
		"bus":        {[]string{"bus.bus[*].wire_tapped"}, []string{"bus.**"}},
		"sensors":    {[]string{"bus.bus[*].wire_tapped"}, []string{"bus.**"}},
		"ej":         {[]string{"**.out.fibre_tapped"}, []string{"ej.**"}},
		"ej credits": {[]string{"**.dim[1].link[*].out.fibre_tapped"}, []string{"ej.node[0..13].**"}}, // all are too many
	} {
		same := func(kind, backend string, replace ...string) {
			t.Run(name+"/"+kind+" "+backend, func(t *testing.T) {
				s := systemtest.FaultScenario(t, systemtest.FaultFabrics[name], systemtest.FaultKinds[kind])
				_, want := faultRun(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot})
				for _, path := range replace {
					s.RTL = append(s.RTL, starloom.RTL{Replace: path, Backend: backend})
				}
				_, got := faultRun(t, s, starloom.MachineOptions{})
				require.NotEmpty(t, got.RTL)
				require.Equal(t, systemtest.ModelText(t, want), systemtest.ModelText(t, got))
			})
		}
		same("all", cosim.BackendIcarus, c.some...)
		if name == "pops" {
			same("all", cosim.BackendWasm, c.some[0])
		}
		for kind := range systemtest.FaultKinds {
			if *systemtest.Full {
				same(kind, cosim.BackendWasm, c.all...)
			}
		}
	}
}

// TestFaultWholeRTL: faults of processors go with RTL of all hardware at once, those of media do not.
func TestFaultWholeRTL(t *testing.T) {
	s := systemtest.FaultScenario(t, systemtest.FaultFabrics["pops"], systemtest.FaultKinds["restart"])
	_, want := faultRun(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot})
	s.RTL = []starloom.RTL{{Replace: "pops", Backend: cosim.BackendIcarus}}
	_, got := faultRun(t, s, starloom.MachineOptions{})
	require.NotEmpty(t, got.RTL)
	require.Equal(t, systemtest.ModelText(t, want), systemtest.ModelText(t, got))
	for _, rtl := range []string{"{replace: pops}", "{replace: pops.**, twin: pops_slot}"} {
		s := systemtest.FaultScenario(t, "rtl: ["+rtl+"]\n"+systemtest.FaultFabrics["pops"], systemtest.FaultKinds["drop"])
		_, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
		require.EqualError(t, err, "faulty.yaml:2:17: pops_slot is the whole hardware, but faults of media act between "+
			"its parts; "+
			"replace pops.**, which covers all parts, or leave drop, miss, bit_flip and stuck out of faults")
	}
}

// TestFaultsDoWhatTheySay, one by one on a one-to-all broadcast and a permutation.
func TestFaultsDoWhatTheySay(t *testing.T) {
	const pops = "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random}\nstop: {slots: 200}"
	run := func(faults string) *starloom.Report {
		_, r := faultRun(t, systemtest.FaultScenario(t, pops, faults), starloom.MachineOptions{Engine: starloom.EngineSlot})
		return r
	}
	none := run("random: {kind: dead, rate: 0}")
	require.Equal(t, starloom.VerdictPass, none.Verdict)
	require.Zero(t, none.Faults[0].Count)
	require.Nil(t, none.Faults[0].First)

	all := run("schedule: [{kind: dead}]")
	require.Zero(t, all.Frames.Sent, "all processors are dead before they send")
	require.EqualValues(t, 16, all.Faults[0].Count)
	require.Contains(t, all.Notes, "faults have killed 16 processors, the first is pops.group[0].nic[0]: the rule finishes leaves them out")

	one := run("schedule: [{kind: dead, targets: ['pops.group[1].nic[2]'], slots: {list: [3]}}]")
	require.Equal(t, &starloom.FaultFirst{Cycle: 3 * none.Cycles / none.Slots, Slot: 3, Path: "pops.group[1].nic[2]"}, one.Faults[0].First)
	for _, v := range one.Violations {
		require.False(t, v.Rule == starloom.RuleFinishes && v.Path == "pops.group[1].nic[2]", "the dead need not finish")
	}

	paused := run("schedule: [{kind: clock_pause, slots: {to: 9}}]")
	require.Equal(t, starloom.VerdictPass, paused.Verdict)
	require.Zero(t, paused.Slots%5, "a pause of two steps")
	require.Equal(t, none.Slots+10, paused.Slots+(none.Slots+10-paused.Slots)/5*5)

	require.Zero(t, run("schedule: [{kind: stuck}]").Frames.Delivered)
	flipped := run("schedule: [{kind: bit_flip}]")
	require.Zero(t, flipped.Frames.Delivered)
	require.Equal(t, flipped.Faults[0].Count, flipped.Frames.CRC)
	require.Positive(t, flipped.Frames.CRC)

	half := run("schedule: [{kind: drop, targets: ['pops.group[*].coupler[0]', 'pops.group[*].coupler[1].fibre'], slots: {every: 2}}]")
	require.Positive(t, half.Faults[0].Count)
	require.Positive(t, half.Frames.Delivered)

	// A restart in the middle is a new start: it sends its packet again.
	again := run("schedule: [{kind: restart, slots: {list: [50]}}]")
	require.Equal(t, none.Digest, again.Digest, "the run was over before")
	early := run("schedule: [{kind: restart, slots: {list: [0]}}]")
	require.Equal(t, none.Digest, early.Digest, "a start twice is a start")
	require.EqualValues(t, 16, early.Faults[0].Count)
	revived := run("schedule: [{kind: dead, targets: ['pops.group[0].nic[*]'], slots: {to: 4}}, {kind: restart, targets: ['pops.group[0].**'], slots: {list: [5]}}]")
	for _, v := range revived.Violations { // an intermediate has acknowledged what its destination was too dead to hear
		require.Equal(t, starloom.RuleExactlyOnce, v.Rule, "%+v", v)
		require.Contains(t, v.Path, "pops.group[0].")
	}
	require.EqualValues(t, 4, revived.Faults[0].Count)
	require.EqualValues(t, 4, revived.Faults[1].Count)
	require.Empty(t, revived.Notes, "no one is dead at the end")
}

// TestSurvival: of many runs with a random fault, the curve falls from slot to slot to the
// fraction that passes, and is the same for any workers.
func TestSurvival(t *testing.T) {
	const pops = "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random-corrected}\nstop: {slots: 100}"
	s := systemtest.FaultScenario(t, pops, "random: {kind: bit_flip, rate: 0.01}")
	var before *starloom.SeedsReport
	for _, workers := range []int{1, 2} {
		report, err := starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: 60},
			starloom.RunOptions{MachineOptions: starloom.MachineOptions{Workers: workers}})
		require.NoError(t, err)
		last, points := 1.0, 0
		for _, x := range report.Statistics {
			if strings.HasPrefix(x.Name, "survival[") {
				require.Less(t, *x.Mean, last, x.Name)
				last = *x.Mean
				points++
			}
		}
		require.Greater(t, points, 2)
		require.InDelta(t, float64(60-report.FailedTotal)/60, last, 1e-12)
		require.Positive(t, *report.Statistics.Get("fault[0].bit_flip").Mean)
		if before != nil {
			require.Equal(t, before, report)
		}
		before = report
	}
	none := systemtest.FaultScenario(t, pops, "random: {kind: bit_flip, rate: 0}")
	none.Faults = nil
	report, err := starloom.RunSeeds(t.Context(), none, starloom.Seeds{First: 1, Last: 5}, starloom.RunOptions{})
	require.NoError(t, err)
	for _, x := range report.Statistics {
		require.NotContains(t, x.Name, "survival")
		require.NotContains(t, strings.ReplaceAll(x.Name, "frames.faulted", ""), "fault") // which is always counted
	}
}

// TestFaultTraces: a waveform shows the light before and after the faults, a capture the frame with
// the wrong CRC, and looking changes nothing.
func TestFaultTraces(t *testing.T) {
	s := systemtest.FaultScenario(t, systemtest.FaultFabrics["pops"], systemtest.FaultKinds["all"])
	captures := map[string]string{}
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		var capture bytes.Buffer
		report, err := starloom.Run(t.Context(), s,
			starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine},
				Record: starloom.RecordOptions{PCAPNG: starloom.Writer(&capture)}})
		require.NoError(t, err)
		require.Positive(t, report.Frames.CRC)
		captures[engine] = capture.String()
	}
	require.True(t, captures[starloom.EngineSlot] == captures[starloom.EngineCycle], "the engines capture other bytes")
	var wave bytes.Buffer
	report, err := starloom.Run(t.Context(), s,
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.Writer(&wave)}})
	require.NoError(t, err)
	_, plain := faultRun(t, s, starloom.MachineOptions{})
	require.Equal(t, plain.Digest, report.Digest)
	require.Equal(t, plain.Faults, report.Faults)
	require.Contains(t, wave.String(), "fibre_tapped")
}

// TestSmallerTX: a handler that asks how many frames its FIFO takes is told the truth; what does not
// fit is the fault's only where the fault is, and where a handler asks no one the NIC drops the same.
func TestSmallerTX(t *testing.T) {
	image := filepath.Join(t.TempDir(), "fills.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/firmware/fills.c", Output: image}))
	const slots = 10
	run := func(manner int64, mode, faults string) (whole, target nic.Registers, overflow uint64,
		reports []starloom.FaultReport, digest string) {
		s := systemtest.FaultScenario(t, "fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}\nstop: {slots: 10}", faults)
		s.Firmware.Program, s.Firmware.Image, s.Firmware.Mode, s.Firmware.Params = "", image, mode, map[string]int64{"manner": manner}
		m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
		require.NoError(t, err)
		defer func() { require.NoError(t, m.Close()) }()
		for _, seed := range []uint64{3, 1} { // the second is a run after a reset
			require.NoError(t, m.Reset(seed))
			require.NoError(t, m.Run(t.Context(), nil))
		}
		registers := func(processor int) nic.Registers {
			bank, cell := inside.Machine(m).Cell(processor)
			return bank.Registers[cell]
		}
		r := m.Report()
		return registers(0), registers(3), r.Frames.Overflow, r.Faults, r.Digest
	}
	const one = `schedule: [{kind: buffers, targets: ["*.group[1].nic[1]"], tx_frames: 1}, {kind: buffers, rx_frames: 4}, {kind: restart, targets: ["*.group[1].nic[*]"], slots: {list: [5]}}]`
	for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
		whole, target, overflow, reports, digest := run(0, mode, one)
		require.EqualValues(t, 4, whole.TxCount)
		require.EqualValues(t, 1, target.TxCount)
		require.Equal(t, [2]uint8{0, 3}, [2]uint8{whole.TxFewer, target.TxFewer})
		require.Zero(t, overflow)
		require.Zero(t, reports[0].Count, "it never sends more than fits")

		_, target, overflow, reports, tooFar := run(1, mode, one)
		require.EqualValues(t, 1, target.TxCount)
		require.EqualValues(t, (slots+1)*4, overflow, "a frame of each handler in each slot")
		require.EqualValues(t, slots+1, reports[0].Count, "of one of them it is the fault's")
		require.Zero(t, reports[1].Count, "and none that of an RX FIFO")
		require.Equal(t, "pops.group[1].nic[1]", reports[0].First.Path)
		require.Equal(t, digest, tooFar, "what is sent is the same")

		_, target, overflow, reports, blind := run(2, mode, one)
		require.EqualValues(t, 1, target.TxCount)
		require.EqualValues(t, slots+1, overflow)
		require.EqualValues(t, slots+1, reports[0].Count)
		require.Equal(t, digest, blind)
	}
}

// TestPausedSleeper: a handler that would have woken up in a slot of a pause is called after it.
func TestPausedSleeper(t *testing.T) {
	m, err := starloom.NewMachine(t.Context(), systemtest.FaultScenario(t, systemtest.FaultFabrics["sensors"],
		"schedule: [{kind: clock_pause, slots: {list: [8]}}]"), starloom.MachineOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	var asleep [8]bool
	for m.Slots() < 8 {
		for processor := range asleep {
			bank, cell := inside.Machine(m).Cell(processor)
			asleep[processor] = bank.Registers[cell].Flags&nic.FlagSleeping != 0
		}
		require.NoError(t, m.Step())
	}
	woken := 0
	for processor := range asleep {
		bank, cell := inside.Machine(m).Cell(processor)
		if asleep[processor] && bank.Registers[cell].Flags&nic.FlagSleeping == 0 {
			woken++
		}
	}
	require.Positive(t, woken)
	require.Positive(t, m.Report().Faults[0].Count)
}

// TestLostAcknowledgement: pops/random-corrected delivers every packet exactly once without faults, and again where one
// coupler loses what it carries in one slot, as docs/reference/pops.md says.
func TestLostAcknowledgement(t *testing.T) {
	const machine = "seed: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random-corrected}\n" +
		"workload: {permutation: reverse}\nstop: {slots: 100}"
	const drop = "schedule: [{kind: drop, targets: ['pops.group[0].coupler[0]'], slots: {list: [3]}}]"
	_, lost := faultRun(t, systemtest.FaultScenario(t, machine, drop), starloom.MachineOptions{})
	require.Equal(t, starloom.VerdictFail, lost.Verdict)
	require.Equal(t, starloom.RuleExactlyOnce, lost.Violations[0].Rule)
	require.Contains(t, lost.Violations[0].Message, "processor 3 received the packet of processor 0 again")
	_, none := faultRun(t, systemtest.FaultScenario(t, machine, "schedule: [{kind: drop, slots: {list: [90]}}]"), starloom.MachineOptions{}) // after the end
	require.Equal(t, starloom.VerdictPass, none.Verdict)
}

// TestGlobsAreBounded: comparisons of globs with paths are bounded: a repeated glob counts once, a plain path not at
// all, and length does not matter.
func TestGlobsAreBounded(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, c := range []struct {
		glob    string
		count   int
		refused bool
	}{{"pops.group[%d].nic[7]", 64, false}, {"pops.group[%d].*[7]", 16, false}, {"pops.group[%d].*[7]", 17, true},
		{"**.group[%d].*[7]", 4, false}, {"**.group[%d].*[7]", 5, true}, {strings.Repeat("**.", 5000) + "group[%d].nic[7]", 2, false}} {
		text := "starloom: 1\nfabric: {pops: {groups: 1024, group_size: 1024}}\nfirmware: {program: pops/random}\nfaults:\n  schedule:\n"
		for i := range 2 * c.count {
			text += fmt.Sprintf("    - {kind: dead, targets: ['"+c.glob+"']}\n", i/2)
		}
		s, err := starloom.ParseScenario("many.yaml", []byte(text))
		require.NoError(t, err)
		start := systemtest.ProcessorTime()
		built, err := inside.Config(s)
		require.Less(t, systemtest.ProcessorTime()-start, systemtest.ReaderSlack*systemtest.ReaderSecondsMax*time.Second)
		if c.refused {
			require.EqualError(t, err, fmt.Sprintf("many.yaml:5:3: more than %d globs are compared with 1048576 paths; "+
				"combine several targets in one glob, or begin with a prefix of only a few paths", c.count-1))
			continue
		}
		require.NoError(t, err)
		for i := range built.Faults {
			first := built.Faults[i].Targets.Next(0, 1<<20)
			require.Equal(t, i/2*1024+7, first)
			require.Equal(t, 1<<20, built.Faults[i].Targets.Next(first+1, 1<<20))
		}
	}
}
