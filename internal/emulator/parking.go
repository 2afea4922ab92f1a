package emulator

import (
	"sync"

	"starloom/firmware"
	"starloom/nic"
)

// A machine whose processors mostly sleep, and whose banks would take more memory than there
// may be, parks them: a few banks serve a block of processors each, one block after the other,
// and of the others nothing is kept but registers, states and frames that wait. A block that
// nothing reaches, and in which no one wakes up, costs nothing in a slot. Parking changes
// no result.

// parking is the banks of a machine that parks its processors.
type parking struct {
	lock  sync.Mutex
	free  map[int][]firmware.Instance // by number of cells
	shown firmware.Instance           // for those who look at a single processor
}

// block is some processors of a shard that have a bank together.
type block struct {
	first, cells int
	parked       nic.Parked
	next         uint32 // the slot in which one of them is called by itself...
	wakes        bool   // ...if any is
	resting      int    // of them are done or faulty
	calm         bool   // all are done, and none is faulty
}

// take returns a bank for so many processors, which the caller gives back.
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

// each yields all banks; none may be taken.
func (p *parking) each(yield func(firmware.Instance)) {
	for _, free := range p.free {
		for _, instance := range free {
			yield(instance)
		}
	}
}

// look works out when a block has something to do by itself, after a slot.
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
