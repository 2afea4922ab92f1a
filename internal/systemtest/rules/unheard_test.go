package rules

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/crossbar"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
	"starloom/nic"
)

// TestUnheardAgainstCounting counts the couplers with one sender and no listener slot by
// slot from captured frames and listening tables, and compares with the report of both
// engines: several listeners to one coupler, none, and frames to all ports among them.
func TestUnheardAgainstCounting(t *testing.T) {
	unheard := uint64(0)
	for _, c := range []struct {
		program string
		d, g    int
	}{{"pops/random", 8, 4}, {"pops/random", 6, 6}, {"pops/random", 3, 7}, {"pops/random-corrected", 3, 7}, {"pops/one-to-all", 5, 3}, {"pops/two-hops", 4, 4}} {
		s := systemtest.ProgramScenario(c.program, c.d, c.g)
		s.NIC.RXFrames = 1
		s.Stop.Slots = 60
		counted, _ := countUnheard(t, s)
		unheard += counted
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			for _, bank := range []int{1, 8, 64} {
				m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine, BankSize: bank, Workers: 2})
				require.NoError(t, m.Run(context.Background(), nil))
				require.Equal(t, counted, m.Report().Frames.Unheard, "%s engine, %+v", engine, c)
			}
		}
	}
	require.Positive(t, unheard)
	silent := systemtest.ImageScenario(t, "deaf")
	counted, _ := countUnheard(t, silent)
	require.Equal(t, counted, systemtest.MachineReport(t, silent).Frames.Unheard)
}

// TestFaultedAgainstCounting: frames that faults have dropped are not unheard, in either engine; those
// that no one would have heard are.
func TestFaultedAgainstCounting(t *testing.T) {
	for _, faults := range []string{"schedule: [{kind: drop, probability: 0.3}]",
		"schedule: [{kind: stuck, targets: ['pops.group[*].coupler[1]'], slots: {from: 2}}]", "schedule: [{kind: bit_flip, probability: 0.3}, {kind: drop, probability: 0.1}]"} {
		s := systemtest.FaultScenario(t, "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/random}\nstop: {slots: 60}", faults)
		unheard, faulted := countUnheard(t, s)
		require.Positive(t, unheard)
		require.Positive(t, faulted)
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			for _, bank := range []int{1, 8, 64} {
				m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine, BankSize: bank, Workers: 2})
				require.NoError(t, m.Run(t.Context(), nil))
				frames := m.Report().Frames
				require.Equal(t, []uint64{unheard, faulted}, []uint64{frames.Unheard, frames.Faulted}, "%s engine, %s", engine, faults)
			}
		}
	}
}

// TestFaultedWhereAllListen checks that losses at a crossbar's output count as the fault's: an output serves when its
// processor listens. That includes the frames after a damaged one.
func TestFaultedWhereAllListen(t *testing.T) {
	for _, name := range []string{"gossip", "scatter"} {
		for _, kind := range []string{"drop", "stuck", "bit_flip"} {
			for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
				m := systemtest.Machine(t, systemtest.FaultScenario(t, systemtest.FaultFabrics[name], systemtest.FaultKinds[kind]),
					starloom.MachineOptions{Engine: engine})
				require.NoError(t, m.Run(t.Context(), nil))
				frames := m.Report().Frames
				require.Zero(t, frames.Unheard, "%s, %s, %s", name, kind, engine)
				require.Equal(t, frames.Sent, frames.Delivered+frames.CRC+frames.Overflow+frames.Faulted, "%s, %s, %s", name, kind, engine)
				require.Equal(t, kind != "bit_flip" || name == "scatter", frames.Faulted > 0, "%s, %s, %s", name, kind, engine)
			}
		}
	}
	report := systemtest.MachineReport(t, crossbarFaults(t, 40))
	require.Equal(t, []uint64{0, 5}, []uint64{report.Frames.Unheard, report.Frames.Faulted})
}

// TestDeafAddressees: where outputs take a frame only if its processor listens, a frame for one that never does waits
// until the end. The report names it, in both engines; where all listen, it does not.
func TestDeafAddressees(t *testing.T) {
	const note = "processor 2 listens at no port, although a frame of processor 0 waits for it; the same holds for 1 " +
		"other processor: firmware hears only after sl_listen(nic, port)"
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		s := systemtest.ImageScenario(t, "deaf_pair")
		s.Fabric, s.Rules = starloom.Fabric{Crossbar: &crossbar.Network{Ports: 4}}, nil
		m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine, BankSize: 1})
		require.NoError(t, m.Run(t.Context(), nil))
		report := m.Report()
		require.Equal(t, starloom.VerdictFail, report.Verdict)
		require.Zero(t, report.Frames.Sent)
		require.Contains(t, report.Notes, note)
	}
	s := systemtest.GossipScenario(4, 2, starloom.Gossip{})
	s.Stop.Slots = 3 // not enough
	report := systemtest.MachineReport(t, s)
	require.Equal(t, starloom.VerdictFail, report.Verdict)
	require.NotContains(t, strings.Join(report.Notes, "\n"), "listens at no port")
}

// TestFramesAlwaysHaveAllCounters checks that zero counters are present.
func TestFramesAlwaysHaveAllCounters(t *testing.T) {
	report := systemtest.MachineReport(t, systemtest.ProgramScenario("pops/random", 4, 4))
	var text strings.Builder
	require.NoError(t, report.WriteText(&text))
	require.Regexp(t, `(?m)^frames .* 0 overflow, 0 unheard, 0 faulted, 0 blocked$`, text.String())
	var object struct{ Frames map[string]int }
	require.NoError(t, json.Unmarshal([]byte(systemtest.ReportText(t, report)), &object))
	require.Len(t, object.Frames, 8)
	require.Zero(t, object.Frames["blocked"]+object.Frames["faulted"])
}

// countUnheard counts from the frames themselves: frames without a listener, and frames with a listener but for a
// dark coupler.
func countUnheard(t *testing.T, s *starloom.Scenario) (unheard, faulted uint64) {
	m := systemtest.Captured(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot, Workers: 1})
	senders, last := map[int]int{}, false
	require.NoError(t, m.Run(context.Background(), func() error {
		senders = map[int]int{}
		heard := map[int]bool{}
		for i := range inside.Machine(m).Shards {
			l := &inside.Machine(m).Shards[i].Ledger
			for _, f := range l.Sent {
				for port := range inside.Machine(m).Shape.Ports {
					if f.Port == nic.PortAll || int(f.Port) == port {
						senders[inside.Machine(m).Names.SentOn(f.Processor, uint16(port), 0)]++
					}
				}
			}
		}
		for i := range inside.Machine(m).Shards {
			for _, instance := range inside.Machine(m).Shards[i].Instances {
				bank := instance.Bank()
				for cell, port := range bank.Listen(m.Slots()) {
					if int(port) < inside.Machine(m).Shape.Ports {
						heard[inside.Machine(m).Names.HeardOn(bank.First+cell, port)] = true
					}
				}
			}
		}
		last = m.Ended()
		for coupler, n := range senders {
			switch {
			case n > 1:
			case !heard[coupler]:
				unheard++
			case inside.Machine(m).Harmed(coupler, m.Slots()) == fabric.Dark:
				faulted++
			}
		}
		return nil
	}))
	require.True(t, last && len(senders) == 0, "the last boundary sends nothing")
	return unheard, faulted
}
