package emulator

import (
	"fmt"
	"sync"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/hw"
	"starloom/nic"
)

// A machine whose processors mostly sleep, and whose banks would take more memory than there
// may be, parks them: a few banks serve a block of processors each, one block after the other,
// and of the others nothing is kept but registers, states and frames that wait. A block that
// nothing reaches, and in which nobody wakes up, costs nothing in a slot. Parking changes
// no result.

// parkingBytes is the memory of all banks from which on processors are parked.
const parkingBytes = 1 << 30

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

// mayPark reports whether the machine can park its processors, if their firmware can be
// parked.
func (m *Machine) mayPark() bool {
	return m.stands() && m.faults == nil && !m.followsFrames() && m.options.Engine == EngineSlot && !m.Config.Firmware.Isolated() && m.options.Runtime != "native" &&
		(m.options.Parks || uint64(m.Shape.Processors())*m.bankBytes() > parkingBytes)
}

// stands reports whether the network's slot transport is a fabric.Stillness.
func (m *Machine) stands() bool {
	network, ok := m.Network.(fabric.Parkable)
	return ok && network.Parks()
}

// park makes banks for blocks of processors, in the place of one for each shard. It does
// nothing if the firmware has something that is not parked.
func (m *Machine) park(b *instanceTask) error {
	units := fabric.BlockUnits
	p := &parking{free: map[int][]firmware.Instance{}}
	for i := range m.Shards {
		s := &m.Shards[i]
		for unit := s.shard.First; unit < s.shard.End; unit += units {
			cells := (min(unit+units, s.shard.End) - unit) * m.Shape.PerUnit
			s.blocks = append(s.blocks, block{first: unit * m.Shape.PerUnit, cells: cells})
			for len(p.free[cells]) < m.options.Workers+1 { // one for those who look
				config := b.config
				config.First, config.Cells = 0, cells
				instance, err := b.instance(config)
				if err != nil {
					return err
				}
				if !instance.Bank().Parks() || len(instance.Probes()) > 0 {
					for k := range m.Shards[:i+1] {
						m.Shards[k].blocks = nil
					}
					return nil
				}
				p.free[cells] = append(p.free[cells], instance)
			}
		}
	}
	m.Parking = p
	return nil
}

// turnBlocks is the boundary of a shard whose processors are parked.
func (m *Machine) turnBlocks(index int, shard *Shard) {
	still := m.transport.(fabric.Stillness).Still
	for i := range shard.blocks {
		b := &shard.blocks[i]
		if m.slot > 0 && !(b.wakes && b.next <= m.slot) && still(b.first, b.first+b.cells, m.slot-1) {
			shard.Ledger.Finished += b.resting
			continue
		}
		instance := m.Parking.take(b.cells)
		m.unpark(instance, b)
		finished := shard.Ledger.Finished
		m.turnInstance(index, shard, instance)
		b.resting = shard.Ledger.Finished - finished
		instance.Bank().Park(&b.parked)
		b.look(m.slot)
		m.Parking.give(instance)
	}
}

// unpark gives a bank the processors of a block.
func (m *Machine) unpark(instance firmware.Instance, b *block) {
	bank := instance.Bank()
	bank.Unpark(b.first, &b.parked)
	m.Referee.Tell(bank.First, bank.Workload)
}

// look works out when a block has something to do by itself, after a slot.
func (b *block) look(slot uint32) {
	sleeps, calm := b.parked.Look(slot)
	b.next, b.wakes, b.calm = slot+sleeps, sleeps > 0, calm
}

// show returns a bank with the processors of a block, to look at.
func (m *Machine) show(b *block) firmware.Instance {
	p := m.Parking
	if p.shown != nil {
		p.give(p.shown)
	}
	p.shown = p.take(b.cells)
	m.unpark(p.shown, b)
	return p.shown
}

// hide ends show.
func (p *parking) hide() {
	if p.shown != nil {
		p.give(p.shown)
		p.shown = nil
	}
}

// resetParked takes all processors back to before slot 0.
func (m *Machine) resetParked(seed uint64) {
	m.Parking.hide()
	m.Parking.each(func(instance firmware.Instance) { instance.Reset(seed) })
	for i := range m.Shards {
		for k := range m.Shards[i].blocks {
			b := &m.Shards[i].blocks[k]
			*b = block{first: b.first, cells: b.cells}
		}
	}
}

// stateParked carries all processors.
func (m *Machine) stateParked(v *hw.StateVisitor) {
	m.Parking.hide()
	for i := range m.Shards {
		for k := range m.Shards[i].blocks {
			b := &m.Shards[i].blocks[k]
			name := fmt.Sprintf("shard[%d].block[%d]", i, k)
			b.parked.State(v, name)
			resting := uint32(b.resting)
			hw.StateScalar(v, name+".resting", &resting)
			v.AfterRestore(func() {
				b.resting = int(resting)
				if bank := m.Parking.free[b.cells][0].Bank(); !b.parked.Fits(bank) && m.restoreError == nil {
					m.restoreError = fmt.Errorf("restoring state: %s: processors of another firmware or number", name)
				}
				if m.started {
					b.look(m.slot)
				}
			})
		}
	}
}

// parkedBytes is what a parked processor takes, 0 if none is parked.
func (m *Machine) parkedBytes() int {
	if m.Parking == nil {
		return 0
	}
	return memoryParked + int(m.Image.stateBytes)
}
