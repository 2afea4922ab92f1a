package emulator

import (
	"slices"

	"starloom/firmware"
)

// The longest handler call is known only at the end of a run, and profiling every call would take too long. A run is
// a function of scenario and seed. Therefore the run is repeated up to the longest call, which then runs again from
// the same state in a copy of the image that records source lines.

type profiling struct {
	processor  int
	from, slot uint32            // slots in which the call begins and ends
	image      *firmware.Image   // copy of the image that records its source lines
	profile    *firmware.Profile // nil before the call
	done       bool
	err        error
}

func (p *profiling) take(slot uint32, instance firmware.Instance, called []uint32) {
	if p == nil || slot < p.from || slot > p.slot {
		return
	}
	bank := instance.Bank()
	cell := p.processor - bank.First
	if cell < 0 || !slices.Contains(called, uint32(cell)) {
		return
	}
	again, err := p.image.NewInstance(bank.BankConfig)
	if err == nil {
		err = again.SetState(instance.Memory(), instance.Globals())
	}
	if p.err = err; err == nil {
		turn := again.(firmware.Profiler).ProfileSlot(uint32(cell), slot)
		turn.Add(p.profile)
		p.profile, p.done = turn, slot == p.slot
	}
}
