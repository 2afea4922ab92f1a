package emulator

import (
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/nic"
)

// Processor faults occur at the slot boundary, between reception and handlers, in both engines.

type faulted struct {
	plan       *fabric.Faults
	processors bool    // the plan has faults of processors
	dead       []uint8 // by processor: 1 if a fault has killed it
}

// struck holds the cells of a window with faults, and the changes to undo if the boundary is interrupted.
type struck struct {
	killed, restarted, called []uint32
	turned                    []int // processors that died or restarted, in order
	begun                     []int // restarted processors, ascending
}

func newFaulted(c *config.Config, processors int) *faulted {
	if len(c.Faults) == 0 {
		return nil
	}
	plan := fabric.NewFaults(c.Network.Names(), fabric.ReceiversOf(c.Network), slices.Clone(c.Faults), c.Seed)
	return &faulted{plan: plan, processors: plan.On(false), dead: make([]uint8, processors)}
}

func (f *faulted) reset(seed uint64) {
	if f == nil {
		return
	}
	f.plan.Reset(seed)
	clear(f.dead)
}

func (f *faulted) shrink(bank *nic.Bank) {
	for i := range f.plan.All {
		if fault := &f.plan.All[i]; f.plan.Shrinks(i) {
			end := bank.First + bank.Cells
			for processor := fault.Targets.Next(bank.First,
				end); processor < end; processor = fault.Targets.Next(processor+1, end) {
				bank.Shrink(processor-bank.First, fault.RxFrames, fault.TxFrames)
			}
		}
	}
}

func (f *faulted) killed(processor int) bool { return f != nil && f.dead[processor] != 0 }

func (f *faulted) column() []uint8 {
	if f == nil {
		return nil
	}
	return f.dead
}

func (f *faulted) harm(medium int, slot uint32) fabric.Effect {
	if f == nil {
		return fabric.Unharmed
	}
	effect, _ := f.plan.OnMedium(medium, slot)
	return effect
}

// missed reports whether a processor misses a medium in a slot.
func (f *faulted) missed(processor, medium int, ports uint16, slot uint32) bool {
	if f == nil {
		return false
	}
	_, ok := f.plan.MissedAt(processor, medium, ports, slot)
	return ok
}

func (f *faulted) state(v *hw.StateVisitor) {
	if f != nil {
		hw.StateColumn(v, hw.Future, "dead", f.dead, hw.AtMost[uint8](1))
	}
}
