package rules

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
	"starloom/nic"
)

// TestLostPacketsSayWhere loses one packet in every way that a model knows.
func TestLostPacketsSayWhere(t *testing.T) {
	const lost = "processor 2 never received the packet of processor 1: "
	for how, c := range []struct{ path, message string }{
		{"pops.group[1].coupler[2]", "sent for the last time by processor 1, and no one listened here"},
		{"pops.group[2].nic[0]", "it arrived here from processor 1 for the last time, but the RX FIFO of processor 2 was full"},
		{"pops.group[3].nic[0]", "processor 3 received it here from processor 1 and never forwarded it"},
		{"pops.group[2].nic[0]", "it came from processor 1 in a frame with another address"},
		{"pops.group[3].nic[0]", "processor 3 received it here from processor 1 and never forwarded it"},
	} {
		s := systemtest.ImageScenario(t, "drops")
		s.NIC.RXFrames = 1
		s.Firmware.Params = map[string]int64{"how": int64(how)}
		text := ""
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
				s.Firmware.Mode = mode
				report, err := starloom.Run(t.Context(), s,
					starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}})
				require.NoError(t, err)
				require.Len(t, report.Violations, 1, "%+v", report.Violations)
				v := report.Violations[0]
				v.Subject = starloom.Violation{}.Subject // numbers, for pages
				require.Equal(t,
					starloom.Violation{Rule: starloom.RuleExactlyOnce, Slot: 1, Cycle: 10, Path: c.path, Message: lost + c.message}, v)
				if text == "" {
					text = systemtest.ReportText(t, report)
				}
				require.Equal(t, text, systemtest.ReportText(t, report))
			}
		}
		// The window is where the packet was lost.
		s.Traces.VCD = &starloom.VCDTrace{Signals: []string{"pops.slot", "**.light.**"}, Trigger: starloom.TriggerFirstViolation, Before: 3, After: 2}
		require.Contains(t, systemtest.WaveformOf(t, s), "trigger in cycle 10, window from cycle 7 to 12")
	}
	// It is, too, when the run itself has shown a later violation, and its window is written.
	s := systemtest.ImageScenario(t, "drops")
	s.Firmware.Params = map[string]int64{"how": 5}
	s.Traces.VCD = &starloom.VCDTrace{Signals: []string{"pops.slot"}, Trigger: starloom.TriggerFirstViolation, Before: 3, After: 2}
	text := systemtest.WaveformOf(t, s)
	require.Contains(t, text, "trigger in cycle 10, window from cycle 7 to 12")
	require.NotContains(t, text, "trigger in cycle 12")

	never, err := starloom.Run(t.Context(), systemtest.ImageScenario(t, "loses"), starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, "processor 2 never received the packet of processor 1: processor 1 never sent it", never.Violations[0].Message)
	require.Equal(t, "pops.group[1].nic[0]", never.Violations[0].Path)
}

// TestLostPacketsAgainstAllFrames takes the published routing, which loses packets in
// slot 5, and looks for each of them in all frames of the run.
func TestLostPacketsAgainstAllFrames(t *testing.T) {
	s := systemtest.ProgramScenario("pops/random", 16, 4)
	type sending struct {
		slot      uint32
		processor int
		port      uint16
	}
	last := map[uint32]sending{}
	m := systemtest.Captured(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot})
	require.NoError(t, m.Run(context.Background(), func() error {
		for i := range inside.Machine(m).Shards {
			for _, f := range inside.Machine(m).Shards[i].Ledger.Sent {
				if f.Frame.Kind() != nic.KindData {
					continue
				}
				origin := uint32(f.Frame.Payload()[0]) | uint32(f.Frame.Payload()[1])<<8
				if before, ok := last[origin]; !ok || before.slot < m.Slots() || f.Processor < before.processor {
					last[origin] = sending{slot: m.Slots(), processor: f.Processor, port: f.Port}
				}
			}
		}
		return nil
	}))
	want := m.Report()
	text := ""
	for _, o := range []starloom.MachineOptions{{Engine: starloom.EngineSlot},
		{Engine: starloom.EngineCycle, BankSize: 16, Workers: 2}} {
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: o})
		require.NoError(t, err)
		require.Equal(t, want.Digest, report.Digest)
		require.Equal(t, want.ViolationsTotal, report.ViolationsTotal)
		lost := 0
		for i, v := range report.Violations {
			require.True(t, i == 0 || report.Violations[i-1].Cycle <= v.Cycle, "in the order of time")
			var to, origin uint32
			if n, _ := fmt.Sscanf(v.Message, "processor %d never received the packet of processor %d", &to, &origin); n != 2 {
				continue
			}
			lost++
			at := last[origin]
			require.EqualValues(t, at.slot, v.Slot, v.Message)
			require.Equal(t, inside.Machine(m).Names.Medium(inside.Machine(m).Names.SentOn(at.processor, at.port, 0)), v.Path)
			require.Contains(t, v.Message, fmt.Sprintf("sent for the last time by processor %d, it met another frame here", at.processor))
			require.True(t, func() bool {
				for _, c := range report.Violations {
					if c.Rule == starloom.RuleCollisionFree && c.Slot == v.Slot && c.Path == v.Path && c.Cycle == v.Cycle {
						return true
					}
				}
				return false
			}(), "the collision is a violation of its own: %+v", v)
		}
		require.Equal(t, report.Metrics.Get("lost"), lost)
		if text == "" {
			text = systemtest.ReportText(t, report)
		}
		require.Equal(t, text, systemtest.ReportText(t, report))
	}
}

// TestInterruptedWhileRepeated ends the search: the report stays what the run has shown,
// and says so.
func TestInterruptedWhileRepeated(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	path := filepath.Join(t.TempDir(), "run.vcd")
	s := systemtest.ImageScenario(t, "drops")
	s.Traces.VCD = &starloom.VCDTrace{Trigger: starloom.TriggerFirstViolation, Before: 3, After: 2}
	report, err := starloom.Run(ctx, s, starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(path)},
		Progress: func(p starloom.Progress) {
			if p.Repeated {
				cancel()
			}
		}})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictFail, report.Verdict)
	require.EqualValues(t, report.Slots, report.Violations[0].Slot)
	require.Equal(t, []string{"interrupted while the run was repeated to find where packets were lost"}, report.Notes)
	_, err = os.Stat(path)
	require.NoError(t, err)
}

// TestLostPacketsWhereNICsAsk loses each packet of a pair at one medium in the slot in which it crosses, and in no
// other: NICs that ask first learn a slot later that they have sent.
func TestLostPacketsWhereNICsAsk(t *testing.T) {
	for name, c := range map[string]struct {
		nodes string
		from  []int // by packet that is lost: whose it is
		paths []string
	}{
		"a link":            {`"p[0..1]": processor}, links: [["p[0]", "p[1]"]]`, []int{0}, []string{"netlist.link[0].forth"}},
		"a crossbar":        {`"p[0..1]": processor, x: crossbar}, links: [["p[0..1]", x]]`, []int{0}, []string{"netlist.x.output[1]"}},
		"an arbitrated bus": {`"p[0..1]": processor, x: {kind: bus, arbiter: fixed}}, links: [["p[0..1]", x]]`, []int{0, 1}, []string{"netlist.x", "netlist.x"}},
	} {
		for kind, why := range map[string]string{"drop": "and a fault made it dark here", "bit_flip": "and here a fault flipped its bit "} {
			t.Run(name+" "+kind, func(t *testing.T) {
				for lost, from := range c.from {
					s, err := starloom.ParseScenario("ask.yaml", fmt.Appendf(nil, `starloom: 1
fabric: {netlist: {nodes: {%s}}
firmware: {program: netlist/next-hop}
workload: {permutation: [1, 0]}
faults: {schedule: [{kind: %s, targets: ["%s"], slots: {list: [%d]}}]}
stop: {slots: 5}
`, c.nodes, kind, c.paths[lost], lost))
					require.NoError(t, err)
					text := ""
					for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
						report, err := starloom.Run(t.Context(), s,
							starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}})
						require.NoError(t, err)
						note := report.Notes[len(report.Notes)-1]
						require.Regexp(t, fmt.Sprintf(`^cycle \d+, slot %d, %s: the packet of processor %d for processor %d: sent for the last time by processor %[3]d, %[5]s`,
							lost, regexp.QuoteMeta(c.paths[lost]), from, 1-from, why), note)
						if text == "" {
							text = systemtest.ReportText(t, report)
						}
						require.Equal(t, text, systemtest.ReportText(t, report))
					}
				}
			})
		}
	}
}
