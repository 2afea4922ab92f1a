package emulator

import (
	"starloom/fabric"
	"starloom/nic"
	"starloom/traces"
)

// Boundary hears the slot before, runs the handlers and, unless it is the last
// boundary of the run, sends. When it is stopped in its middle, it is not whole: the run has ended with
// the boundary before.
func (m *Machine) Boundary(last bool) (whole bool) {
	m.last = last
	m.TurnShards()
	if m.stopped() {
		m.DropBoundary()
		return false
	}
	m.merge()
	return true
}

// TurnShards is the boundary of all shards.
func (m *Machine) TurnShards() {
	m.fillWords(m.slot)
	if m.Referee.Acknowledges() {
		// Sources know at once what has arrived, wherever that was: all receive
		// before any handler runs.
		m.phase = phaseHear
		m.workers.Run(len(m.Shards), (*boundaryTask)(m))
		m.acknowledge()
		if !m.stopped() {
			m.phase = phaseAct
			m.workers.Run(len(m.Shards), (*boundaryTask)(m))
		}
	} else {
		m.phase = phaseBoth
		m.workers.Run(len(m.Shards), (*boundaryTask)(m))
	}
}

// DropBoundary ends the run in the middle of a boundary: what the slot before has brought
// counts, what handlers have done since does not. Processors and firmware are in the middle
// of something; only a Reset gets them out.
func (m *Machine) DropBoundary() {
	if m.queues != nil {
		m.queues.Drop(m.slot)
	}
	m.crossed()
	for i := range m.Shards {
		shard := &m.Shards[i]
		m.Findings.pending = append(m.Findings.pending, shard.drop(m.slot)...)
		m.notArrived += shard.Ledger.Announced
		if m.Meter != nil {
			shard.meter.drop(m.Meter)
		}
		m.unstrike(shard)
	}
	if dropper, ok := m.Referee.(fabric.Dropper); ok {
		dropper.Drop(m.slot)
	}
	m.Replay.drop(m.slot)
	m.Log.clear()
	m.noteFindings()
	m.Interrupted, m.ended = true, true
}

// The parts of a boundary that one pass over the shards covers.
const (
	phaseBoth = iota
	phaseHear
	phaseAct
)

// boundaryTask is the machine as a hw.Task: the boundary of one shard.
type boundaryTask Machine

func (t *boundaryTask) Do(index int) { (*Machine)(t).turnShard(index) }

// turnShard is the boundary of one shard.
func (m *Machine) turnShard(index int) {
	w := window{m: m, index: index, shard: &m.Shards[index], strikes: m.faults != nil && m.faults.processors}
	if m.phase != phaseAct {
		m.begin(index, w.shard)
	}
	if m.offering != nil {
		m.offering.Create(index, m.slot)
	}
	if m.Parking != nil {
		m.turnBlocks(&w)
		return
	}
	for _, instance := range w.shard.Instances {
		w.turn(instance)
	}
}

// begin closes a shard's books of the slot before and opens those of the next.
func (m *Machine) begin(index int, shard *Shard) {
	l := &shard.Ledger
	shard.whole = ledgerTotals{l.Frames, l.HeldMax, l.FindingsTotal}
	l.BeginSlot()
	if m.Meter != nil {
		shard.meter.begin()
	}
	shard.met, shard.struck.turned = shard.met[:0], shard.struck.turned[:0]
	if m.slot > 0 {
		var yield func(int, uint32)
		if m.exact(m.slot - 1) {
			shard.slot, yield = m.slot-1, shard.collision
		}
		met, alone := m.transport.Collisions(index, m.slot-1, yield)
		l.Frames.Collided += met
		l.Frames.Alone += alone
		if m.RTL != nil {
			for _, medium := range m.Plant.Late() {
				l.Find(fabric.Finding{Kind: fabric.FindLate, Slot: m.slot - 1, Index: medium})
			}
		}
	}
	m.transport.Begin(index, m.slot, m.exact(m.slot))
}

// acknowledge tells the sources of packets that have arrived, where the network does
// that free of charge.
func (m *Machine) acknowledge() {
	m.Referee.Acknowledge(func(processor int) {
		bank, cell := m.Cell(processor)
		bank.Registers[cell].Flags |= nic.FlagDelivered
		bank.Wake(cell)
	})
}

// merge adds up what the shards have seen, in their order.
func (m *Machine) merge() {
	m.crossed()
	var sum traces.Sum
	sending := false
	m.Done = 0
	m.Log.clear()
	m.settle()
	m.judge()
	for i := range m.Shards {
		shard := &m.Shards[i]
		l := &shard.Ledger
		l.KeepFaults(true)
		sum.Merge(l.Sum)
		sending = sending || l.Sending
		m.Done += l.Finished
		if len(l.Findings) > 0 {
			m.Findings.pending = append(m.Findings.pending, l.Findings...)
		}
		m.Log.take(&shard.log)
		m.traps += shard.traps
		shard.traps = 0
	}
	m.Digest.Slot(m.slot, sum)
	quiet := !sending && m.Done == m.Shape.Processors()
	m.finished = quiet
	if m.ending != nil {
		m.finished = m.ending.Over(m.faults.column())
	}
	m.ended = m.last || m.finished || quiet
	m.followQueues()
	m.noteFindings()
	if m.losses != nil {
		m.losses.boundary(m.slot)
	}
	m.endByRTL()
}

// settle follows the packets that the host has offered.
func (m *Machine) settle() {
	if m.offering == nil {
		return
	}
	m.offering.Settle(m.slot, func(f fabric.Finding) {
		if m.Rules.ExactlyOnce {
			m.Shards[0].Ledger.Find(f)
		}
	})
}

// judge takes the results of all shards and holds them to the rules of the referee.
func (m *Machine) judge() {
	m.news = m.news[:0]
	for i := range m.Shards {
		for _, result := range m.Shards[i].Ledger.Results {
			if m.Results.Set(result) {
				m.news = append(m.news, result)
			}
		}
	}
	if len(m.news) == 0 { // as in most slots
		return
	}
	if judge, ok := m.Referee.(fabric.Judge); ok {
		judge.Judge(&m.Rules, m.news, func(f fabric.Finding) {
			f.Slot = m.slot
			m.Shards[0].Ledger.Find(f)
		})
	}
}

// turnBlocks is the boundary of a shard whose processors are parked.
func (m *Machine) turnBlocks(w *window) {
	shard := w.shard
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
		w.turn(instance)
		b.resting = shard.Ledger.Finished - finished
		instance.Bank().Park(&b.parked)
		b.look(m.slot)
		m.Parking.give(instance)
	}
}
