package emulator

import (
	"slices"

	"starloom/fabric"
	"starloom/internal/config"
	"starloom/nic"
)

// Faults of processors happen at the boundary of a slot, between what the slot before has brought
// and the handlers, in both engines alike. Those of media are the transports'.

// faulted is a machine's part in its faults.
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
}

// newFaulted returns that of a plan, nil for none.
func newFaulted(c *config.Config, processors int) *faulted {
	if len(c.Faults) == 0 {
		return nil
	}
	plan := fabric.NewFaults(c.Network.Names(), slices.Clone(c.Faults), c.Seed)
	return &faulted{plan: plan, processors: plan.On(false), dead: make([]uint8, processors)}
}

// reset begins a run with a seed.
func (f *faulted) reset(seed uint64) {
	f.plan.Reset(seed)
	clear(f.dead)
}

// shrink gives the processors of a bank their FIFOs.
func (f *faulted) shrink(bank *nic.Bank) {
	for i := range f.plan.All {
		if fault := &f.plan.All[i]; fault.Kind == fabric.FaultBuffers {
			fault.Targets.Each(bank.First, bank.First+bank.Cells, func(processor int) {
				bank.Shrink(processor-bank.First, fault.RxFrames, fault.TxFrames)
			})
		}
	}
}

// killed reports whether a fault has killed a processor.
func (m *Machine) killed(processor int) bool { return m.faults != nil && m.faults.dead[processor] != 0 }

// dead has a 1 for each processor that a fault has killed; nil for no faults.
func (m *Machine) dead() []uint8 {
	if m.faults == nil {
		return nil
	}
	return m.faults.dead
}
