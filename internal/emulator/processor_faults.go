package emulator

import (
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/nic"
)

// Faults of processors happen at the boundary of a slot, between what the slot before has brought
// and the handlers, in both engines alike. Those of media are the transports'.

type faulted struct {
	plan       *fabric.Faults
	processors bool    // some fault is one of processors
	dead       []uint8 // by processor: 1 if a fault has killed it
}

// struck are the cells of one window that a fault has hit at this boundary, and what of the
// boundary has to be taken back when it ends in its middle.
type struck struct {
	killed, restarted, called []uint32
	turned                    []int // processors that have died or come back, in order
	begun                     []int // processors that a boundary has restarted, in ascending order
}

// newFaulted returns that of a plan, nil for none.
func newFaulted(c *config.Config, processors int) *faulted {
	if len(c.Faults) == 0 {
		return nil
	}
	plan := fabric.NewFaults(c.Network.Names(), slices.Clone(c.Faults), c.Seed)
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
			for processor := fault.Targets.Next(bank.First, end); processor < end; processor = fault.Targets.Next(processor+1, end) {
				bank.Shrink(processor-bank.First, fault.RxFrames, fault.TxFrames)
			}
		}
	}
}

func (f *faulted) killed(processor int) bool { return f != nil && f.dead[processor] != 0 }

// column has a 1 for each processor that a fault has killed; nil for no faults.
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

func (f *faulted) state(v *hw.StateVisitor) {
	if f != nil {
		hw.StateColumn(v, "dead", f.dead, hw.AtMost[uint8](1))
	}
}
