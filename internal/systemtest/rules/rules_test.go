package rules

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/pops"
	"starloom/internal/systemtest"
)

// TestRulesFire breaks every rule with a small firmware made for it, in both
// engines and both modes: the run must fail with that rule, and name the
// processor or coupler and the cycle. A slot has 6 cycles: 4 phits of 64 bits,
// propagation and guard.
func TestRulesFire(t *testing.T) {
	for _, c := range []struct {
		image   string
		change  func(s *starloom.Scenario)
		rule    string
		path    string
		cycle   uint64
		message string
	}{
		{image: "collides", change: func(s *starloom.Scenario) {
			s.Fabric.POPS = &pops.Network{Groups: 2, GroupSize: 2}
			s.Rules = &starloom.Rules{CollisionFree: &starloom.CollisionFree{Period: 5, Slots: []int{3, 4, 5}}}
		}, rule: starloom.RuleCollisionFree, path: "pops.group[0].coupler[0]", cycle: 12, message: "the 3rd of the 5 slots of a step"},
		{image: "hoards", change: func(s *starloom.Scenario) { s.Rules.ExactlyOnce = false },
			rule: starloom.RuleHeld, path: "pops.group[3].nic[0]", cycle: 24, message: "holds 4 packets, at most 3"},
		{image: "hoards", change: func(s *starloom.Scenario) {
			s.Rules = &starloom.Rules{PacketsPerProcessorMax: 254}
			s.Firmware.Params = map[string]int64{"packets": 256}
		}, rule: starloom.RuleHeld, path: "pops.group[3].nic[0]", cycle: 6, message: "holds 255 packets, at most 254"},
		{image: "duplicates", rule: starloom.RuleExactlyOnce, path: "pops.group[1].nic[0]", cycle: 10, message: "received the packet of processor 2 again"},
		{image: "misroutes", rule: starloom.RuleExactlyOnce, path: "pops.group[1].nic[0]", cycle: 4, message: "origin 0 that is not for it"},
		{image: "loses", rule: starloom.RuleExactlyOnce, path: "pops.group[2].nic[0]", cycle: 6, message: "never received the packet of processor 1"},
		{image: "never_done", change: func(s *starloom.Scenario) { s.Rules.ExactlyOnce = false },
			rule: starloom.RuleFinishes, path: "pops.group[3].nic[0]", cycle: 120, message: "processor 3 was not done"},
		{image: "sends_on", change: systemtest.NoPackets,
			rule: starloom.RuleFinishes, path: "pops.group[0].nic[0]", cycle: 120, message: "processor 0 was done and had 1 frame left to send"},
		{image: "pretends", change: systemtest.NoPackets,
			rule: starloom.RuleFinishes, path: "pops.group[2].nic[0]", cycle: 0, message: "processor 2 set its own faulty flag"},
		{image: "gives_up", change: func(s *starloom.Scenario) { s.Rules.ExactlyOnce = false },
			rule: starloom.RuleFail, path: "pops.group[2].nic[0]", cycle: 6, message: "with code 42"},
		{image: "sends_to_no_port", change: systemtest.NoPackets, rule: starloom.RuleIllegalSend, path: "pops.group[1].nic[0]",
			message: "sends to port 4; the NIC has ports 0 to 3"},
		{image: "sends_too_much", change: systemtest.NoPackets, rule: starloom.RuleIllegalSend, path: "pops.group[1].nic[0]",
			message: "sends a payload of 17 bytes; nic.payload_bytes is 16"},
		{image: "sends_too_much", change: func(s *starloom.Scenario) { systemtest.NoPackets(s); s.NIC.PayloadBytes = 7 },
			rule: starloom.RuleIllegalSend, path: "pops.group[1].nic[0]", message: "sends a payload of 8 bytes; nic.payload_bytes is 7"},
		{image: "sends_no_kind", change: systemtest.NoPackets, rule: starloom.RuleIllegalSend, path: "pops.group[1].nic[0]", message: "sends a frame of kind(7)"},
		{image: "lies", change: systemtest.Trap(1), rule: starloom.RuleIllegalSend, path: "pops.group[1].nic[0]",
			message: "says that its TX FIFO holds 255 frames; it has room for 4"},
		{image: "lies", change: systemtest.Trap(2), rule: starloom.RuleIllegalListen, path: "pops.group[1].nic[0]",
			message: "says that its RX FIFO holds 5 frames; it has room for 4"},
		{image: "listens_to_no_port", change: systemtest.NoPackets, rule: starloom.RuleIllegalListen, path: "pops.group[1].nic[0]", message: "listens to port 65534"},
		{image: "traps", change: systemtest.Trap(0), rule: starloom.RuleTrap, path: "pops.group[2].nic[0]", cycle: 6,
			message: "trapped in break_down at traps.c:28:"},
		{image: "traps", change: systemtest.Trap(1), rule: starloom.RuleTrap, path: "pops.group[2].nic[0]", cycle: 6, message: "out of bounds memory access"},
		{image: "traps", change: systemtest.Trap(2), rule: starloom.RuleTrap, path: "pops.group[2].nic[0]", cycle: 6, message: "integer divide by zero"},
		{image: "traps", change: systemtest.Trap(3), rule: starloom.RuleTrap, path: "pops.group[2].nic[0]", cycle: 6, message: "trapped in recurse at traps.c:"},
		{image: "wrecks", change: systemtest.NoPackets, rule: starloom.RuleTrap, path: "pops.group[1].nic[0]", message: "trapped"},
	} {
		for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
			for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
				t.Run(strings.Join([]string{c.image, mode, engine}, "/"), func(t *testing.T) {
					s := systemtest.ImageScenario(t, c.image)
					if c.change != nil {
						c.change(s)
					}
					s.Firmware.Mode = mode
					m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
					require.NoError(t, m.Run(context.Background(), nil))
					report := m.Report()
					require.Equal(t, starloom.VerdictFail, report.Verdict)
					require.NotEmpty(t, report.Violations)
					first := report.Violations[0]
					if c.image == "wrecks" && mode == starloom.ModeBanked {
						// No one knows whose handler ran: the whole bank is out.
						require.Equal(t, starloom.RuleTrap, first.Rule)
						require.EqualValues(t, 4, report.Firmware.Traps)
						return
					}
					require.Equal(t, c.rule, first.Rule, "%+v", report.Violations)
					require.Equal(t, c.path, first.Path)
					require.Equal(t, c.cycle, first.Cycle)
					require.Contains(t, first.Message, c.message)
				})
			}
		}
	}
}

// TestLiesAboutBothFIFOs: both are said, and the others go on.
func TestLiesAboutBothFIFOs(t *testing.T) {
	s := systemtest.ImageScenario(t, "lies")
	s.Rules = &starloom.Rules{}
	report, err := starloom.Run(context.Background(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Len(t, report.Violations, 2)
	require.Equal(t, starloom.RuleIllegalListen, report.Violations[0].Rule)
	require.Equal(t, starloom.RuleIllegalSend, report.Violations[1].Rule)
}

// TestSendIntoAFullFIFO: what sl_send returns may be written to in any case; one
// overflow is counted, and the frames in the FIFO are whole.
func TestSendIntoAFullFIFO(t *testing.T) {
	for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
		s := systemtest.ImageScenario(t, "floods")
		s.Rules = &starloom.Rules{}
		s.Firmware.Mode = mode
		report, err := starloom.Run(context.Background(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
		require.EqualValues(t, 4, report.Frames.Sent)
		require.EqualValues(t, 4, report.Frames.Delivered)
		require.EqualValues(t, 1, report.Frames.Overflow)
	}
}

// TestTrapHarmsOneProcessor checks that the others go on: the run ends, and only
// the victim has failed.
func TestTrapHarmsOneProcessor(t *testing.T) {
	for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
		s := systemtest.ImageScenario(t, "traps")
		s.Rules = &starloom.Rules{}
		s.Firmware.Mode = mode
		m := systemtest.Machine(t, s, starloom.MachineOptions{})
		require.NoError(t, m.Run(context.Background(), nil))
		report := m.Report()
		require.EqualValues(t, 1, report.Firmware.Traps)
		require.Len(t, report.Violations, 1)
		require.EqualValues(t, 2, report.Slots)
	}
}

// TestGoodFirmwarePasses is the other half of TestRulesFire: the programs that
// the broken ones derive from break nothing.
func TestGoodFirmwarePasses(t *testing.T) {
	for _, c := range []struct {
		image  string
		change func(s *starloom.Scenario)
		check  func(t *testing.T, r *starloom.Report)
	}{
		{image: "direct", check: func(t *testing.T, r *starloom.Report) {
			require.EqualValues(t, 1, r.Slots)
			require.Equal(t, 4, r.Metrics.Get("delivered"))
		}},
		{image: "grows", change: systemtest.NoPackets},
		{image: "deaf", change: systemtest.NoPackets, check: func(t *testing.T, r *starloom.Report) {
			require.EqualValues(t, 6, r.Frames.Sent)
			require.EqualValues(t, 4*4, r.Frames.Delivered, "the RX FIFOs of four listeners hold four frames each")
			require.EqualValues(t, 4*2, r.Frames.Overflow)
		}},
		{image: "babbles", change: systemtest.NoPackets, check: func(t *testing.T, r *starloom.Report) {
			require.EqualValues(t, 4, r.Frames.Sent)
			require.EqualValues(t, 1, r.Frames.Overflow)
			require.EqualValues(t, 4, r.Slots)
		}},
	} {
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			t.Run(c.image+"/"+engine, func(t *testing.T) {
				s := systemtest.ImageScenario(t, c.image)
				if c.change != nil {
					c.change(s)
				}
				m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
				require.NoError(t, m.Run(context.Background(), nil))
				report := m.Report()
				require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
				if c.check != nil {
					c.check(t, report)
				}
			})
		}
	}
}

// TestLogAndProbes follows what firmware says of itself into log and waveform.
func TestLogAndProbes(t *testing.T) {
	dir := t.TempDir()
	s := systemtest.ImageScenario(t, "talks")
	s.Rules = &starloom.Rules{}
	s.Traces.VCD = &starloom.VCDTrace{Signals: []string{"**.firmware.*"}}
	log, vcd := filepath.Join(dir, "run.log"), filepath.Join(dir, "run.vcd")
	_, err := starloom.Run(context.Background(), s,
		starloom.RunOptions{Record: starloom.RecordOptions{Log: starloom.File(log), VCD: starloom.File(vcd)}})
	require.NoError(t, err)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, strings.Join([]string{
		"cycle 0 slot 0 pops.group[3].nic[0]: hello from the firmware",
		"cycle 6 slot 1 pops.group[3].nic[0]: hello from the firmware",
		"cycle 12 slot 2 pops.group[3].nic[0]: hello from the firmware", "",
	}, "\n"), string(text))
	wave, err := os.ReadFile(vcd)
	require.NoError(t, err)
	require.Contains(t, string(wave), "$var wire 64 $ answer [63:0] $end")
	require.Contains(t, string(wave), "#0\n$dumpvars\nb1100100 !\nb1100101 \"\nb1100110 #\nb1100111 $\n$end\n#6\nb1100101 !\n")
}

// TestHeardTwice: with one_to_all a frame that a processor overhears is an arrival, too, which is said where that
// breaks exactly_once.
func TestHeardTwice(t *testing.T) {
	s := systemtest.ImageScenario(t, "overhears")
	s.Workload = starloom.Workload{OneToAll: &starloom.OneToAll{}}
	report := systemtest.MachineReport(t, s)
	require.Contains(t, systemtest.ViolationsText(report), "processor 1 received the packet of processor 0 again")
	require.Contains(t, strings.Join(report.Notes, "\n"), "exactly_once counts each data frame with the packet that a NIC receives, whatever its address")
	require.NotContains(t, strings.Join(systemtest.MachineReport(t, systemtest.ImageScenario(t, "duplicates")).Notes, "\n"),
		"counts each data frame", "of a permutation")
}
