package starloom

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/crossbar"
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
		s := programScenario(c.program, c.d, c.g)
		s.NIC.RXFrames = 1
		s.Stop.Slots = 60
		counted, _ := countUnheard(t, s)
		unheard += counted
		for _, engine := range []string{EngineSlot, EngineCycle} {
			for _, bank := range []int{1, 8, 64} {
				m := machine(t, s, MachineOptions{Engine: engine, BankSize: bank, Workers: 2})
				require.NoError(t, m.Run(context.Background(), nil))
				require.Equal(t, counted, m.Report().Frames.Unheard, "%s engine, %+v", engine, c)
			}
		}
	}
	require.Positive(t, unheard)
	silent := imageScenario(t, "deaf")
	counted, _ := countUnheard(t, silent)
	require.Equal(t, counted, machineReport(t, silent).Frames.Unheard)
}

// TestFaultedAgainstCounting: frames that faults have dropped are not unheard, in either engine; those
// that no one would have heard are.
func TestFaultedAgainstCounting(t *testing.T) {
	for _, faults := range []string{"schedule: [{kind: drop, probability: 0.3}]", "schedule: [{kind: stuck, targets: ['pops.group[*].coupler[1]'], slots: {from: 2}}]", "schedule: [{kind: bit_flip, probability: 0.3}, {kind: drop, probability: 0.1}]"} {
		s := faultScenario(t, "fabric: {pops: {groups: 6, group_size: 5}}\nfirmware: {program: pops/random}\nstop: {slots: 60}", faults)
		unheard, faulted := countUnheard(t, s)
		require.Positive(t, unheard)
		require.Positive(t, faulted)
		for _, engine := range []string{EngineSlot, EngineCycle} {
			for _, bank := range []int{1, 8, 64} {
				m := machine(t, s, MachineOptions{Engine: engine, BankSize: bank, Workers: 2})
				require.NoError(t, m.Run(t.Context(), nil))
				frames := m.Report().Frames
				require.Equal(t, []uint64{unheard, faulted}, []uint64{frames.Unheard, frames.Faulted}, "%s engine, %s", engine, faults)
			}
		}
	}
}

// TestFaultedWhereAllListen: an output of a crossbar serves when its processor listens, so that what is
// lost there is lost to the fault: of frames that follow each other, those after a damaged one, too.
func TestFaultedWhereAllListen(t *testing.T) {
	for _, name := range []string{"gossip", "scatter"} {
		for _, kind := range []string{"drop", "stuck", "bit_flip"} {
			for _, engine := range []string{EngineSlot, EngineCycle} {
				m := machine(t, faultScenario(t, faultFabrics[name], faultKinds[kind]), MachineOptions{Engine: engine})
				require.NoError(t, m.Run(t.Context(), nil))
				frames := m.Report().Frames
				require.Zero(t, frames.Unheard, "%s, %s, %s", name, kind, engine)
				require.Equal(t, frames.Sent, frames.Delivered+frames.CRC+frames.Overflow+frames.Faulted, "%s, %s, %s", name, kind, engine)
				require.Equal(t, kind != "bit_flip" || name == "scatter", frames.Faulted > 0, "%s, %s, %s", name, kind, engine)
			}
		}
	}
	report := machineReport(t, crossbarFaults(t, 40))
	require.Equal(t, []uint64{0, 5}, []uint64{report.Frames.Unheard, report.Frames.Faulted})
}

// TestDeafAddressees: where outputs take a frame only if its processor listens, a frame for one that never does waits
// until the end. The report names it, in both engines; where all listen, it does not.
func TestDeafAddressees(t *testing.T) {
	const note = "processor 2 listens at no port, and a frame of processor 0 for it waits; so it is with 1 other processor: firmware hears only after sl_listen(nic, port)"
	for _, engine := range []string{EngineSlot, EngineCycle} {
		s := imageScenario(t, "deaf_pair")
		s.Fabric, s.Rules = Fabric{Crossbar: &crossbar.Network{Ports: 4}}, nil
		m := machine(t, s, MachineOptions{Engine: engine, BankSize: 1})
		require.NoError(t, m.Run(t.Context(), nil))
		report := m.Report()
		require.Equal(t, VerdictFail, report.Verdict)
		require.Zero(t, report.Frames.Sent)
		require.Contains(t, report.Notes, note)
	}
	s := gossipScenario(4, 2, Gossip{})
	s.Stop.Slots = 3 // not enough
	report := machineReport(t, s)
	require.Equal(t, VerdictFail, report.Verdict)
	require.NotContains(t, strings.Join(report.Notes, "\n"), "listens at no port")
}

// TestFramesAlwaysHaveAllCounters: also those that are 0.
func TestFramesAlwaysHaveAllCounters(t *testing.T) {
	report := machineReport(t, programScenario("pops/random", 4, 4))
	var text strings.Builder
	require.NoError(t, report.WriteText(&text))
	require.Regexp(t, `(?m)^frames .* 0 overflow, 0 unheard, 0 faulted, 0 blocked$`, text.String())
	var object struct{ Frames map[string]int }
	require.NoError(t, json.Unmarshal([]byte(reportText(t, report)), &object))
	require.Len(t, object.Frames, 8)
	require.Zero(t, object.Frames["blocked"]+object.Frames["faulted"])
}

func machineReport(t *testing.T, s *Scenario) *Report {
	m := machine(t, s, MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	return m.Report()
}

// countUnheard counts from the frames themselves: those to which no one listened, and those that somebody
// would have heard, if a fault had not made their coupler dark.
func countUnheard(t *testing.T, s *Scenario) (unheard, faulted uint64) {
	m := captured(t, s, MachineOptions{Engine: EngineSlot, Workers: 1})
	senders, last := map[int]int{}, false
	require.NoError(t, m.Run(context.Background(), func() error {
		senders = map[int]int{}
		heard := map[int]bool{}
		for i := range m.own.Shards {
			l := &m.own.Shards[i].Ledger
			for _, f := range l.Sent {
				for port := range m.own.Shape.Ports {
					if f.Port == nic.PortAll || int(f.Port) == port {
						senders[m.own.Names.SentOn(f.Processor, uint16(port), 0)]++
					}
				}
			}
		}
		for i := range m.own.Shards {
			for _, instance := range m.own.Shards[i].Instances {
				bank := instance.Bank()
				for cell, port := range bank.Listen(m.Slots()) {
					if int(port) < m.own.Shape.Ports {
						heard[m.own.Names.HeardOn(bank.First+cell, port)] = true
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
			case m.own.Harmed(coupler, m.Slots()) == fabric.Dark:
				faulted++
			}
		}
		return nil
	}))
	require.True(t, last && len(senders) == 0, "the last boundary sends nothing")
	return unheard, faulted
}
