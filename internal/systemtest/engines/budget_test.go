package engines

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
	"starloom/nic"
)

// lateInstance is what a budget does, in another way: handlers are called one at a time, and of one that is
// late all that it has written is put back, byte by byte, but its state and its RX FIFO. What it
// costs is never more than the budget, so that the machine itself has nothing to put back.
type lateInstance struct {
	firmware.Instance
	budget uint32
	costs  []uint32
	late   *int
}

func (l *lateInstance) Slot(cells []uint32, slot uint32) {
	l.costs = []uint32{}
	bank := l.Bank()
	for _, cell := range cells {
		before := bytes.Clone(l.Memory())
		l.Instance.Slot([]uint32{cell}, slot)
		cost := l.Instance.Costs()[0]
		l.costs = append(l.costs, min(cost, l.budget))
		if cost <= l.budget {
			continue
		}
		*l.late++
		received := bank.Registers[cell].RxCount
		after := l.Memory()
		for at := range before {
			if before[at] != after[at] && l.of(uint64(at), int(cell)) {
				after[at] = before[at]
			}
		}
		r := &bank.Registers[cell]
		r.RxCount, r.Flags = received, r.Flags&^nic.FlagSleeping
	}
}

// of reports whether a byte of the memory is one that a late handler must not have written.
func (l *lateInstance) of(address uint64, cell int) bool {
	column, owner := l.Bank().Owner(address)
	switch column {
	case "record":
		inRecord := int(address-l.recordsAt()) % l.Bank().RecordBytes()
		return owner == cell && inRecord >= l.Bank().StateBytes()+nic.FrameStride(l.Bank().PayloadBytes)
	case "rx_more", "descriptor", "":
		return false
	}
	return owner == cell
}

// recordsAt is where the records are in the memory.
func (l *lateInstance) recordsAt() uint64 {
	state := l.Bank().State(0)
	return uint64(addressOf(state) - addressOf(l.Memory()))
}

func (l *lateInstance) Costs() []uint32 {
	if l.costs == nil { // of Start
		return l.Instance.Costs()
	}
	return l.costs
}

// cellsOf is all that the cells of a machine are at the end of its run.
func cellsOf(m *starloom.Machine) string {
	var text strings.Builder
	for i := range inside.Machine(m).Shards {
		for _, instance := range inside.Machine(m).Shards[i].Instances {
			bank := instance.Bank()
			for cell := range bank.Cells {
				bank.Parts(cell, m.Slots(), func(name string, part []byte) {
					fmt.Fprintf(&text, "%d %s %x\n", bank.First+cell, name, part)
				})
			}
		}
	}
	return text.String()
}

// TestLongBudgetInEveryFabric checks in every fabric that a late handler sends nothing and keeps its earlier ports
// and requests, for writes to FIFO, listening table, request list and tag filter. The reference is lateInstance;
// engine and mode change nothing.
func TestLongBudgetInEveryFabric(t *testing.T) {
	for name, text := range map[string]string{
		"pops":             "fabric: {pops: {groups: 4, group_size: 8}}\nfirmware: {program: pops/random-corrected}\n",
		"crossbar lists":   "fabric: {crossbar: {ports: 7}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: shared-random}}\n",
		"crossbar first":   "fabric: {crossbar: {ports: 4}}\nfirmware: {program: gossip/fsa, params: {scheduling: 2}}\nworkload: {gossip: {orders: shared-random, sessions: 4}}\n",
		"pops, some sleep": "fabric: {pops: {groups: 8, group_size: 8}}\nfirmware: {program: pops/random}\n",
		"crossbar tags":    "fabric: {crossbar: {ports: 12}}\nfirmware: {program: gossip/hopfield, params: {neurons: 4, patterns: 3, flips: 2, sweeps: 2}}\nworkload: {gossip: {values: random, sessions: 2}}\n",
		"crossbar queue":   "fabric: {crossbar: {ports: 16, queue_frames: 2}}\nfirmware: {program: scatter/sync}\nworkload: {scatter: {origin: 0}}\n",
		"bus":              "fabric: {bus: {vertices: 21, length: 4}}\nfirmware: {program: bus/two-phase}\n",
		"bus sensors":      "fabric: {bus: {vertices: 8, buses: [[1, 2, 3, 4, 5, 6, 7, 0]], arbiter: fixed}}\nfirmware: {program: bus/sensors, params: {period: 4, spread: 2, readings: 9}}\n",
		"ej":               "fabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 5}}\n",
		"ej all-to-all":    "fabric: {ej: {a: 2, b: 3, dimensions: 1, duplex: full}}\nfirmware: {program: ej/all-to-all}\nworkload: {all_to_all: {}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			parsed := func(cpu starloom.CPU, mode string) *starloom.Scenario {
				s, err := starloom.ParseScenario("budget.yaml", []byte("starloom: 1\n"+text+"stop: {slots: 40}\n"))
				require.NoError(t, err)
				s.Firmware.CPU, s.Firmware.Mode = cpu, mode
				return s
			}
			run := func(s *starloom.Scenario, o starloom.MachineOptions, wrap func(*starloom.Machine)) *starloom.Machine {
				m := systemtest.Machine(t, s, o)
				if wrap != nil {
					wrap(m)
				}
				require.NoError(t, m.Run(context.Background(), nil))
				return m
			}
			cycles := run(parsed(starloom.CPU{Model: "unit"}, starloom.ModeBanked), starloom.MachineOptions{}, nil).Report().Firmware.Cycles
			total := 0
			for _, budget := range []uint64{cycles.P50 - 1, cycles.P90 - 1, cycles.P99 - 1, cycles.Max - 1} {
				cpu, late := starloom.CPU{Model: "unit", BudgetCycles: int(budget)}, 0
				for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
					for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
						o := starloom.MachineOptions{Engine: engine}
						late = 0
						reference := run(parsed(cpu, mode), o, func(m *starloom.Machine) {
							for i := range inside.Machine(m).Shards {
								for k, instance := range inside.Machine(m).Shards[i].Instances {
									inside.Machine(m).Shards[i].Instances[k] = &lateInstance{Instance: instance,
										budget: uint32(budget), late: &late}
								}
							}
						})
						got := run(parsed(cpu, mode), o, nil)
						want, report := reference.Report(), got.Report()
						require.EqualValues(t, late, *report.Firmware.Overruns)
						require.Equal(t, want.Digest, report.Digest, "%s %s budget %d", mode, engine, budget)
						require.Equal(t, want.Frames, report.Frames)
						require.Equal(t, want.Slots, report.Slots)
						require.Equal(t, want.Metrics, report.Metrics)
						require.Equal(t, cellsOf(reference), cellsOf(got), "%s %s budget %d", mode, engine, budget)
					}
				}
				total += late
			}
			require.Positive(t, total)
		})
	}
}

func addressOf(bytes []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(bytes))) }
