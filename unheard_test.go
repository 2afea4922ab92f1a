package starloom

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

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
		counted := countUnheard(t, s)
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
	require.Equal(t, countUnheard(t, silent), machineReport(t, silent).Frames.Unheard)
}

func machineReport(t *testing.T, s *Scenario) *Report {
	m := machine(t, s, MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	return m.Report()
}

// countUnheard counts from the frames themselves.
func countUnheard(t *testing.T, s *Scenario) (unheard uint64) {
	m := captured(t, s, MachineOptions{Engine: EngineSlot, Workers: 1})
	senders, last := map[int]int{}, false
	require.NoError(t, m.Run(context.Background(), func() error {
		senders = map[int]int{}
		heard := map[int]bool{}
		for i := range m.shards {
			l := &m.shards[i].ledger
			for _, f := range l.Sent {
				for port := range m.shape.Ports {
					if f.Port == nic.PortAll || int(f.Port) == port {
						senders[m.names.SentOn(f.Processor, uint16(port), 0)]++
					}
				}
			}
		}
		for i := range m.shards {
			for _, instance := range m.shards[i].instances {
				bank := instance.Bank()
				for cell, port := range bank.Listen(m.slot) {
					if int(port) < m.shape.Ports {
						heard[m.names.HeardOn(bank.First+cell, port)] = true
					}
				}
			}
		}
		last = m.ended
		for coupler, n := range senders {
			if n == 1 && !heard[coupler] {
				unheard++
			}
		}
		return nil
	}))
	require.True(t, last && len(senders) == 0, "the last boundary sends nothing")
	return unheard
}
