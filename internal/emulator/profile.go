package emulator

import (
	"slices"

	"starloom/firmware"
)

// Which call of a handler was the longest shows only the end of a run, and a profile of every
// call would cost much time. But a run is a function of its scenario and seed. So it is
// repeated up to that call, which then runs once more, from the same state, in a copy that tells
// of every source line.

// profiling is the call that is profiled while a run is repeated.
type profiling struct {
	processor int
	slot      uint32
	image     *firmware.Image   // the copy that tells of its lines
	profile   *firmware.Profile // of the call, once it has run
	err       error
}

func (p *profiling) take(slot uint32, instance firmware.Instance, called []uint32) {
	if p == nil || slot != p.slot {
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
		p.profile = again.(firmware.Profiler).ProfileSlot(uint32(cell), slot)
	}
}
