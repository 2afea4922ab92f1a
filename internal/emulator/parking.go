package emulator

import (
	"sync"

	"starloom/firmware"
	"starloom/nic"
)

// A machine parks its processors if they usually sleep and their banks would exceed memory: a few banks then serve
// blocks of processors in turn. Only registers, states and waiting frames of parked processors remain in memory. In a
// slot without a frame or a wake-up, a block costs nothing. Parking does not change results.

type parking struct {
	lock  sync.Mutex
	free  map[int][]firmware.Instance // banks by number of cells
	shown firmware.Instance           // bank for access to a single processor
}

// block is a group of processors in a shard that shares a bank.
type block struct {
	first, cells int
	parked       nic.Parked
	next         uint32 // if wakes: slot in which the first processor of the block wakes up by itself
	wakes        bool   // a processor of the block wakes up by itself
	resting      int    // number of done or faulty processors
	calm         bool   // all processors are done, none is faulty
}

func (p *parking) take(cells int) firmware.Instance {
	p.lock.Lock()
	defer p.lock.Unlock()
	free := p.free[cells]
	instance := free[len(free)-1]
	p.free[cells] = free[:len(free)-1]
	return instance
}

func (p *parking) give(instance firmware.Instance) {
	p.lock.Lock()
	defer p.lock.Unlock()
	cells := instance.Bank().Cells
	p.free[cells] = append(p.free[cells], instance)
}

// each yields all banks. No bank may be in use.
func (p *parking) each(yield func(firmware.Instance)) {
	for _, free := range p.free {
		for _, instance := range free {
			yield(instance)
		}
	}
}

func (b *block) look(slot uint32) {
	sleeps, calm := b.parked.Look(slot)
	b.next, b.wakes, b.calm = slot+sleeps, sleeps > 0, calm
}

func (p *parking) hide() {
	if p.shown != nil {
		p.give(p.shown)
		p.shown = nil
	}
}
