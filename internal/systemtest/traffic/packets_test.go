package traffic

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/pops"
	"starloom/internal/emulator"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// TestAnnouncedDeliveries holds what firmware announces to the frames: only a packet that
// is the processor's own, or that a frame has brought, is believed.
func TestAnnouncedDeliveries(t *testing.T) {
	for _, c := range []struct {
		by        int64
		delivered int
		message   string
		note      string
	}{
		{by: 0, message: "processor 3 announced the packet of processor 0, but had received no frame with it"},
		{by: 1, delivered: 4},
		{by: 2, delivered: 4, note: "4 announced deliveries are not verified: the processors received frames for which only their firmware knows the packet"},
		{by: 3, message: "processor 3 announced the packet of processor 0, but had received no frame with it"},
		{by: 4, message: "processor 3 announced the packet of processor 3, which is not for it"},
		{by: 5, message: "processor 3 announced a packet of processor 9; there are processors 0 to 3"},
	} {
		s := systemtest.ImageScenario(t, "announces")
		s.Firmware.Params = map[string]int64{"by": c.by}
		s.Rules.PacketsPerProcessorMax = 0
		want := ""
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
				s.Firmware.Mode = mode
				m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
				require.NoError(t, m.Run(context.Background(), nil))
				report := m.Report()
				require.Equal(t, c.delivered, report.Metrics.Get("delivered"), "by %d", c.by)
				require.Equal(t, c.message == "", report.Verdict == starloom.VerdictPass, "by %d: %+v", c.by, report.Violations)
				if c.message != "" {
					require.Contains(t, messages(report, starloom.RuleExactlyOnce), c.message)
				}
				require.Equal(t, c.note != "", len(report.Notes) > 0)
				if c.note != "" {
					require.Contains(t, report.Notes[0], c.note)
				}
				if want == "" {
					want = systemtest.ReportText(t, report)
				}
				require.Equal(t, want, systemtest.ReportText(t, report), "by %d", c.by)
			}
		}
	}
	own := systemtest.ImageScenario(t, "announces")
	own.Workload.Permutation.Kind = starloom.PermutationIdentity
	systemtest.Finish(t, own, starloom.MachineOptions{})
}

func messages(r *starloom.Report, rule string) (list []string) {
	for _, v := range r.Violations {
		if v.Rule == rule {
			list = append(list, v.Message)
		}
	}
	return list
}

// TestHeldIsCountedBeforeTheNextSlot checks the definition: a packet received in slot t and sent in slot t+1 is held
// at the boundary between them.
func TestHeldIsCountedBeforeTheNextSlot(t *testing.T) {
	two := systemtest.ProgramScenario("pops/offline", 2, 1)
	two.Workload.Permutation = starloom.Permutation{Kind: starloom.PermutationList, List: []uint32{1, 0}}
	rules := inside.Decided(two).Program.Rules
	rules.PacketsPerProcessorMax = 1
	two.Rules = &rules
	m := systemtest.Machine(t, two, starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	report := m.Report()
	require.Equal(t, starloom.VerdictFail, report.Verdict)
	require.Contains(t, messages(report, starloom.RuleHeld)[0], "holds 2 packets, at most 1 are allowed")
	require.Equal(t, 2, report.Metrics.Get("packets_per_processor_max"))

	for _, program := range []string{"pops/offline", "pops/sort"} {
		for _, size := range [][2]int{{16, 5}, {5, 16}, {64, 4}, {4, 64}} {
			report := systemtest.Finish(t, systemtest.ProgramScenario(program, size[0], size[1]), starloom.MachineOptions{})
			if size[0] > size[1] {
				require.Equal(t, 3, report.Metrics.Get("packets_per_processor_max"), "%s on POPS(%d,%d)", program, size[0], size[1])
			}
			t.Log(program, size, report.Metrics.Get("packets_per_processor_max"))
		}
	}
}

// TestProgramsSayWhatTheyHold runs the built-in programs with the audit that images of
// users get: no frame may show more than they say.
func TestProgramsSayWhatTheyHold(t *testing.T) {
	for _, program := range []string{"pops/random", "pops/random-corrected", "pops/offline", "pops/sort", "pops/one-to-all", "pops/two-hops"} {
		for _, size := range [][2]int{{4, 4}, {8, 2}, {16, 5}, {3, 5}, {1, 6}, {7, 1}, {64, 4}} {
			if program == "pops/random" && size[0] < size[1] {
				continue
			}
			s := systemtest.ProgramScenario(program, size[0], size[1])
			rules := inside.Decided(s).Program.Rules
			rules.PacketsPerProcessorMax = 254
			s.Rules, s.Stop.Slots = &rules, 2000
			said := systemtest.Machine(t, s, starloom.MachineOptions{})
			require.NoError(t, said.Run(context.Background(), nil))
			shown := systemtest.Machine(t, s, systemtest.With(starloom.MachineOptions{}, emulator.Options{Audit: true}))
			highest := uint8(0)
			require.NoError(t, shown.Run(context.Background(), func() error {
				for i := range inside.Machine(shown).Shards {
					highest = max(highest, inside.Machine(shown).Shards[i].Ledger.HeldMax)
				}
				return nil
			}))
			require.Equal(t, systemtest.ReportText(t, said.Report()), systemtest.ReportText(t, shown.Report()), "%s on POPS(%d,%d)", program, size[0], size[1])
		}
	}
}

// TestFramesShowWhatIsHeld lets firmware say that it holds nothing: its frames show that
// it does, up to the own packet and one on its way.
func TestFramesShowWhatIsHeld(t *testing.T) {
	for limit, want := range map[int]string{
		1: "its frames show that it held 2 packets at once; at most 1 are allowed; its firmware reported at most 0",
		2: "",
	} {
		s := systemtest.ImageScenario(t, "understates")
		s.Fabric.POPS = &pops.Network{Groups: 2, GroupSize: 4}
		s.Firmware.Schedule = "offline"
		s.Rules.PacketsPerProcessorMax = limit
		text := ""
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			for _, o := range []starloom.MachineOptions{{Engine: engine}, {Engine: engine, BankSize: 4, Workers: 2}} {
				m := systemtest.Machine(t, s, o)
				require.NoError(t, m.Run(context.Background(), nil))
				report := m.Report()
				require.Equal(t, 2, report.Metrics.Get("packets_per_processor_max"))
				if want == "" {
					require.Equal(t, starloom.VerdictPass, report.Verdict)
				} else {
					require.Contains(t, fmt.Sprint(messages(report, starloom.RuleHeld)), want)
				}
				if text == "" {
					text = systemtest.ReportText(t, report)
				}
				require.Equal(t, text, systemtest.ReportText(t, report))
			}
		}
	}
}
