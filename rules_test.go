package starloom

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/pops"
	"starloom/firmware"
)

var imageFolder = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "starloom-test-") })

// testImage builds testdata/firmware/<name>.c once per test run.
func testImage(t testing.TB, name string) string {
	folder, err := imageFolder()
	require.NoError(t, err)
	path := filepath.Join(folder, name+".wasm")
	if _, err := os.Stat(path); err != nil {
		require.NoError(t, firmware.Build(context.Background(), firmware.BuildOptions{
			Source: filepath.Join("testdata", "firmware", name+".c"), Output: path,
		}))
	}
	return path
}

func TestMain(m *testing.M) {
	code := m.Run()
	if folder, err := imageFolder(); err == nil {
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

// imageScenario runs a test image on POPS(1,4) with the reverse permutation and
// all rules.
func imageScenario(t testing.TB, name string) *Scenario {
	s := DefaultScenario()
	s.Name = name
	s.Fabric.POPS = &pops.Network{Groups: 4, GroupSize: 1}
	s.Firmware.Image = testImage(t, name)
	s.Workload.Permutation.Kind = PermutationReverse
	s.Stop.Slots = 20
	s.Rules = &Rules{PacketsPerProcessorMax: 3, ExactlyOnce: true}
	return s
}

// TestRulesFire breaks every rule with a small firmware made for it, in both
// engines and both modes: the run must fail with that rule, and name the
// processor or coupler and the cycle. A slot has 6 cycles: 4 phits of 64 bits,
// propagation and guard.
func TestRulesFire(t *testing.T) {
	for _, c := range []struct {
		image   string
		change  func(s *Scenario)
		rule    string
		path    string
		cycle   uint64
		message string
	}{
		{image: "collides", change: func(s *Scenario) {
			s.Fabric.POPS = &pops.Network{Groups: 2, GroupSize: 2}
			s.Rules = &Rules{CollisionFree: &CollisionFree{Period: 5, Slots: []int{3, 4, 5}}}
		}, rule: RuleCollisionFree, path: "pops.group[0].coupler[0]", cycle: 12, message: "the 3rd of the 5 slots of a step"},
		{image: "hoards", change: func(s *Scenario) { s.Rules.ExactlyOnce = false },
			rule: RuleHeld, path: "pops.group[3].nic[0]", cycle: 24, message: "holds 4 packets, at most 3"},
		{image: "hoards", change: func(s *Scenario) {
			s.Rules = &Rules{PacketsPerProcessorMax: 254}
			s.Firmware.Params = map[string]int64{"packets": 256}
		}, rule: RuleHeld, path: "pops.group[3].nic[0]", cycle: 6, message: "holds 255 packets, at most 254"},
		{image: "duplicates", rule: RuleExactlyOnce, path: "pops.group[1].nic[0]", cycle: 10, message: "received the packet of processor 2 again"},
		{image: "misroutes", rule: RuleExactlyOnce, path: "pops.group[1].nic[0]", cycle: 4, message: "origin 0 that is not for it"},
		{image: "loses", rule: RuleExactlyOnce, path: "pops.group[2].nic[0]", cycle: 6, message: "never received the packet of processor 1"},
		{image: "never_done", change: func(s *Scenario) { s.Rules.ExactlyOnce = false },
			rule: RuleFinishes, path: "pops.group[3].nic[0]", cycle: 120, message: "processor 3 was not done"},
		{image: "sends_on", change: noPackets,
			rule: RuleFinishes, path: "pops.group[0].nic[0]", cycle: 120, message: "processor 0 was done and had 1 frame left to send"},
		{image: "pretends", change: noPackets,
			rule: RuleFinishes, path: "pops.group[2].nic[0]", cycle: 0, message: "processor 2 set its own faulty flag"},
		{image: "gives_up", change: func(s *Scenario) { s.Rules.ExactlyOnce = false },
			rule: RuleFail, path: "pops.group[2].nic[0]", cycle: 6, message: "with code 42"},
		{image: "sends_to_no_port", change: noPackets, rule: RuleIllegalSend, path: "pops.group[1].nic[0]", message: "sends to port 4; the NIC has ports 0 to 3"},
		{image: "sends_too_much", change: noPackets, rule: RuleIllegalSend, path: "pops.group[1].nic[0]", message: "sends a payload of 17 bytes; nic.payload_bytes is 16"},
		{image: "sends_too_much", change: func(s *Scenario) { noPackets(s); s.NIC.PayloadBytes = 7 }, rule: RuleIllegalSend, path: "pops.group[1].nic[0]", message: "sends a payload of 8 bytes; nic.payload_bytes is 7"},
		{image: "sends_no_kind", change: noPackets, rule: RuleIllegalSend, path: "pops.group[1].nic[0]", message: "sends a frame of kind(7)"},
		{image: "lies", change: trap(1), rule: RuleIllegalSend, path: "pops.group[1].nic[0]", message: "says that its TX FIFO holds 255 frames; it has room for 4"},
		{image: "lies", change: trap(2), rule: RuleIllegalListen, path: "pops.group[1].nic[0]", message: "says that its RX FIFO holds 5 frames; it has room for 4"},
		{image: "listens_to_no_port", change: noPackets, rule: RuleIllegalListen, path: "pops.group[1].nic[0]", message: "listens to port 65534"},
		{image: "traps", change: trap(0), rule: RuleTrap, path: "pops.group[2].nic[0]", cycle: 6, message: "trapped in break_down at traps.c:28:"},
		{image: "traps", change: trap(1), rule: RuleTrap, path: "pops.group[2].nic[0]", cycle: 6, message: "out of bounds memory access"},
		{image: "traps", change: trap(2), rule: RuleTrap, path: "pops.group[2].nic[0]", cycle: 6, message: "integer divide by zero"},
		{image: "traps", change: trap(3), rule: RuleTrap, path: "pops.group[2].nic[0]", cycle: 6, message: "trapped in recurse at traps.c:"},
		{image: "wrecks", change: noPackets, rule: RuleTrap, path: "pops.group[1].nic[0]", message: "trapped"},
	} {
		for _, mode := range []string{ModeBanked, ModeIsolated} {
			for _, engine := range []string{EngineSlot, EngineCycle} {
				t.Run(strings.Join([]string{c.image, mode, engine}, "/"), func(t *testing.T) {
					s := imageScenario(t, c.image)
					if c.change != nil {
						c.change(s)
					}
					s.Firmware.Mode = mode
					m := machine(t, s, MachineOptions{Engine: engine})
					require.NoError(t, m.Run(context.Background(), nil))
					report := m.Report()
					require.Equal(t, VerdictFail, report.Verdict)
					require.NotEmpty(t, report.Violations)
					first := report.Violations[0]
					if c.image == "wrecks" && mode == ModeBanked {
						// No one knows whose handler ran: the whole bank is out.
						require.Equal(t, RuleTrap, first.Rule)
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

func noPackets(s *Scenario) { s.Rules = &Rules{} }

func trap(how int64) func(s *Scenario) {
	return func(s *Scenario) {
		s.Rules = &Rules{}
		s.Firmware.Params = map[string]int64{"how": how}
	}
}

// TestLiesAboutBothFIFOs: both are said, and the others go on.
func TestLiesAboutBothFIFOs(t *testing.T) {
	s := imageScenario(t, "lies")
	s.Rules = &Rules{}
	report, err := Run(context.Background(), s, RunOptions{})
	require.NoError(t, err)
	require.Len(t, report.Violations, 2)
	require.Equal(t, RuleIllegalListen, report.Violations[0].Rule)
	require.Equal(t, RuleIllegalSend, report.Violations[1].Rule)
}

// TestSendIntoAFullFIFO: what sl_send returns may be written to in any case; one
// overflow is counted, and the frames in the FIFO are whole.
func TestSendIntoAFullFIFO(t *testing.T) {
	for _, mode := range []string{ModeBanked, ModeIsolated} {
		s := imageScenario(t, "floods")
		s.Rules = &Rules{}
		s.Firmware.Mode = mode
		report, err := Run(context.Background(), s, RunOptions{})
		require.NoError(t, err)
		require.Equal(t, VerdictPass, report.Verdict, "%+v", report.Violations)
		require.EqualValues(t, 4, report.Frames.Sent)
		require.EqualValues(t, 4, report.Frames.Delivered)
		require.EqualValues(t, 1, report.Frames.Overflow)
	}
}

// TestTrapHarmsOneProcessor checks that the others go on: the run ends, and only
// the victim has failed.
func TestTrapHarmsOneProcessor(t *testing.T) {
	for _, mode := range []string{ModeBanked, ModeIsolated} {
		s := imageScenario(t, "traps")
		s.Rules = &Rules{}
		s.Firmware.Mode = mode
		m := machine(t, s, MachineOptions{})
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
		change func(s *Scenario)
		check  func(t *testing.T, r *Report)
	}{
		{image: "direct", check: func(t *testing.T, r *Report) {
			require.EqualValues(t, 1, r.Slots)
			require.Equal(t, 4, r.Metrics.Get("delivered"))
		}},
		{image: "grows", change: noPackets},
		{image: "deaf", change: noPackets, check: func(t *testing.T, r *Report) {
			require.EqualValues(t, 6, r.Frames.Sent)
			require.EqualValues(t, 4*4, r.Frames.Delivered, "the RX FIFOs of four listeners hold four frames each")
			require.EqualValues(t, 4*2, r.Frames.Overflow)
		}},
		{image: "babbles", change: noPackets, check: func(t *testing.T, r *Report) {
			require.EqualValues(t, 4, r.Frames.Sent)
			require.EqualValues(t, 1, r.Frames.Overflow)
			require.EqualValues(t, 4, r.Slots)
		}},
	} {
		for _, engine := range []string{EngineSlot, EngineCycle} {
			t.Run(c.image+"/"+engine, func(t *testing.T) {
				s := imageScenario(t, c.image)
				if c.change != nil {
					c.change(s)
				}
				m := machine(t, s, MachineOptions{Engine: engine})
				require.NoError(t, m.Run(context.Background(), nil))
				report := m.Report()
				require.Equal(t, VerdictPass, report.Verdict, "%+v", report.Violations)
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
	s := imageScenario(t, "talks")
	s.Rules = &Rules{}
	s.Traces.VCD = &VCDTrace{Signals: []string{"**.firmware.*"}}
	log, vcd := filepath.Join(dir, "run.log"), filepath.Join(dir, "run.vcd")
	_, err := Run(context.Background(), s, RunOptions{Log: File(log), VCD: File(vcd)})
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

// TestHeardTwice: with one_to_all a frame that a processor overhears is an arrival, too, which is said where that breaks exactly_once.
func TestHeardTwice(t *testing.T) {
	s := imageScenario(t, "overhears")
	s.Workload = Workload{OneToAll: &OneToAll{}}
	report := machineReport(t, s)
	require.Contains(t, violationsText(report), "processor 1 received the packet of processor 0 again")
	require.Contains(t, strings.Join(report.Notes, "\n"), "exactly_once counts each data frame with the packet that a NIC hears, whomever it is addressed to")
	require.NotContains(t, strings.Join(machineReport(t, imageScenario(t, "duplicates")).Notes, "\n"), "counts each data frame", "of a permutation")
}
