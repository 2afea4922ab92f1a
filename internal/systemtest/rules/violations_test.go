package rules

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/pops"
	"starloom/internal/systemtest"
)

// wire is a signal of one bit in a waveform: the cycles of its changes and its values.
type wire struct {
	cycles []uint64
	values []byte
}

// at returns the wire's value in a cycle, 'x' before the first.
func (w *wire) at(cycle uint64) byte {
	value := byte('x')
	for i, c := range w.cycles {
		if c <= cycle {
			value = w.values[i]
		}
	}
	return value
}

// wires reads the one-bit signals of a waveform as Starloom writes it, by path.
func wires(t testing.TB, vcd string) map[string]*wire {
	byID, byPath := map[string]*wire{}, map[string]*wire{}
	var scope []string
	now := uint64(0)
	for line := range strings.Lines(vcd) {
		f := strings.Fields(line)
		switch {
		case len(f) > 2 && f[0] == "$scope":
			scope = append(scope, f[2])
		case len(f) > 0 && f[0] == "$upscope":
			scope = scope[:len(scope)-1]
		case len(f) > 4 && f[0] == "$var" && f[2] == "1":
			w := &wire{}
			byID[f[3]], byPath[strings.Join(scope, ".")+"."+f[4]] = w, w
		case line[0] == '#':
			var err error
			now, err = strconv.ParseUint(strings.TrimSpace(line[1:]), 10, 64)
			require.NoError(t, err)
		case line[0] == '0' || line[0] == '1':
			if w := byID[strings.TrimSpace(line[1:])]; w != nil {
				w.cycles, w.values = append(w.cycles, now), append(w.values, line[0])
			}
		}
	}
	return byPath
}

// TestCollisionCycleIsTheWires holds, for random machines in which no frames may meet,
// that both engines name the cycle in which the coupler's own wire shows it: 1 there, and
// in no cycle of the slot before.
func TestCollisionCycleIsTheWires(t *testing.T) {
	machines := 12
	if *systemtest.Full {
		machines = 300
	}
	random := rand.New(rand.NewPCG(9, 8))
	collisions, late := 0, 0
	for k := range machines {
		g := 2 + random.IntN(3)
		s := systemtest.Routing(g+random.IntN(4), g)
		s.Seed = random.Uint64()
		s.Link = starloom.Link{PhitBits: []int{1, 3, 8, 16, 64}[k%5], PropagationCycles: random.IntN(4),
			GuardCycles: 1 + random.IntN(3)}
		s.NIC.PayloadBytes = 8 + random.IntN(9)
		s.Firmware.CPU.BudgetCycles = random.IntN(6)
		s.Rules = &starloom.Rules{CollisionFree: &starloom.CollisionFree{Period: 5, Slots: []int{1, 2, 3, 5}}}
		s.Stop.Slots = 20
		s.Traces.VCD = &starloom.VCDTrace{Signals: []string{"**.violation"}}
		name := fmt.Sprintf("machine %d: %+v", k, *s)

		m := systemtest.Machine(t, s,
			starloom.MachineOptions{Engine: starloom.EngineSlot, Workers: 2, BankSize: 1 + random.IntN(8)})
		require.NoError(t, m.Run(context.Background(), nil))
		report := m.Report()
		violations := report.Violations
		require.Equal(t, systemtest.ReportText(t, report),
			systemtest.Result(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle, BankSize: 1 + random.IntN(8)}), name)

		shown := wires(t, systemtest.WaveformOf(t, s))
		timing := m.Timing()
		for i, v := range violations {
			if v.Rule != starloom.RuleCollisionFree {
				continue
			}
			collisions++
			require.True(t, i == 0 || violations[i-1].Cycle <= v.Cycle, "in the order of time: %s", name)
			w := shown[v.Path+".violation"]
			require.NotNil(t, w, v.Path)
			require.Equal(t, byte('1'), w.at(v.Cycle), "%+v: %s", v, name)
			for cycle := timing.SlotCycle(uint32(v.Slot)); cycle < v.Cycle; cycle++ {
				require.Equal(t, byte('0'), w.at(cycle), "%+v, cycle %d: %s", v, cycle, name)
			}
			if v.Cycle > timing.FirstPhitCycle(uint32(v.Slot)) {
				late++
			}
		}
	}
	require.Greater(t, collisions, 100)
	require.Greater(t, late, 50)
}

// TestFramesDifferInTheirKind collides frames that differ before their sources do: an ack
// and a packet, in the second phit of four bits.
func TestFramesDifferInTheirKind(t *testing.T) {
	s := systemtest.ImageScenario(t, "collides")
	s.Fabric.POPS = &pops.Network{Groups: 2, GroupSize: 2}
	s.Rules = &starloom.Rules{CollisionFree: &starloom.CollisionFree{Period: 5, Slots: []int{3, 4, 5}}}
	s.Link.PhitBits = 4
	for _, c := range []struct {
		kinds int64
		phit  uint64
	}{{0, 15}, {1, 1}} { // the last bit of the sources 0 and 1; the kinds 0 and 1
		s.Firmware.Params = map[string]int64{"kinds": c.kinds}
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
			require.NoError(t, m.Run(context.Background(), nil))
			v := m.Report().Violations[0]
			require.Equal(t, m.Timing().FirstPhitCycle(2)+c.phit, v.Cycle, "%s engine, kinds %d: %+v", engine, c.kinds, v)
		}
	}
}

// TestTriggerShowsTheCollision holds that a window around a collision contains it, where
// the frames differ late: narrow phits, and sources after the fourth byte.
func TestTriggerShowsTheCollision(t *testing.T) {
	s := systemtest.Routing(7, 3)
	s.Seed, s.Link.PhitBits = 8, 8
	s.Traces.VCD = &starloom.VCDTrace{Signals: []string{"**.violation"}, Trigger: starloom.TriggerFirstViolation, Before: 2, After: 5}
	text := systemtest.WaveformOf(t, s)
	m := systemtest.Machine(t, s, starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	v := m.Report().Violations[0]
	require.Equal(t, starloom.RuleCollisionFree, v.Rule)
	require.Contains(t, text, fmt.Sprintf("trigger in cycle %d, window from cycle %d to %d", v.Cycle, v.Cycle-2, v.Cycle+5))
	w := wires(t, text)[v.Path+".violation"]
	require.Equal(t, byte('0'), w.at(v.Cycle-1))
	require.Equal(t, byte('1'), w.at(v.Cycle))
}
