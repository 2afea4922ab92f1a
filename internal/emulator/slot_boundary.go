package emulator

import (
	"slices"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/nic"
	"starloom/traces"
)

// Boundary receives the previous slot's frames, runs the handlers and sends. The last boundary of the run only
// receives. It returns false for an interrupted boundary; the run then ends with the previous boundary.
func (m *Machine) Boundary(last bool) (whole bool) {
	m.last = last
	m.TurnShards()
	if m.stopped() && m.bare == nil {
		m.DropBoundary()
		return false
	}
	m.merge()
	if m.bare != nil && m.stopped() && !m.ended {
		m.Interrupted, m.ended = true, true
	}
	return true
}

// TurnShards runs the boundary of all shards.
func (m *Machine) TurnShards() {
	m.fillWords(m.slot)
	m.chosen.begin()
	if m.Referee.Acknowledges() {
		// sources learn of arrivals anywhere at once, so all processors receive before any handler runs
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

// DropBoundary ends the run in the middle of a boundary: receptions of the previous slot count, but effects of this
// boundary's handlers do not. Processors and firmware are then inconsistent until Reset.
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
	if m.onlookers != nil {
		m.onlookers.Boundary(m.slot)
	}
	m.Interrupted, m.ended = true, true
}

const (
	phaseBoth = iota
	phaseHear
	phaseAct
)

type boundaryTask Machine

func (t *boundaryTask) Do(index int) { (*Machine)(t).turnShard(index) }

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
	for i, instance := range w.shard.Instances {
		if i%touchAhead == 0 && len(w.shard.Instances) > 1 {
			w.touch(w.shard.Instances[i:min(i+touchAhead, len(w.shard.Instances))])
		}
		w.turn(instance)
	}
	if m.bare != nil && index == 0 {
		m.bare.Hear(0, nil, &w.shard.Ledger, m.slot, fabric.Window{})
	}
}

const touchAhead = 16

// touch loads the words that the turns of the next instances read first. Each instance has its own memory: the loads
// overlap instead of waiting for each other.
func (w *window) touch(instances []firmware.Instance) {
	for _, instance := range instances {
		w.shard.touched ^= instance.Bank().TouchFirst(w.m.slot)
	}
}

func (m *Machine) begin(index int, shard *Shard) {
	l := &shard.Ledger
	shard.whole = ledgerTotals{l.Frames, l.HeldMax, l.FindingsTotal}
	l.BeginSlot()
	if m.Meter != nil {
		shard.meter.begin()
	}
	shard.met, shard.struck.turned, shard.struck.begun = shard.met[:0], shard.struck.turned[:0], shard.struck.begun[:0]
	if m.slot > 0 {
		var yield func(int, uint32)
		if m.exact(m.slot - 1) {
			shard.slot, yield = m.slot-1, shard.collision
		}
		met, alone := m.transport.Collisions(index, m.slot-1, yield)
		l.Frames.Collided += met
		l.Frames.Alone += alone
		if m.RTL != nil && m.Plant != nil {
			for _, medium := range m.Plant.Late() {
				l.Find(fabric.Finding{Kind: fabric.FindLate, Slot: m.slot - 1, Index: medium})
			}
		}
	}
	m.transport.Begin(index, m.slot, m.exact(m.slot))
}

// The network acknowledges at no cost.
func (m *Machine) acknowledge() {
	m.Referee.Acknowledge(func(processor int) {
		bank, cell := m.Cell(processor)
		bank.Registers[cell].Flags |= nic.FlagDelivered
		bank.Wake(cell)
	})
}

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
	quiet := !sending && m.Done == m.Shape.Processors() &&
		(m.flying == nil || m.flying.InFlight() == 0 || m.flying.Stands())
	m.finished = quiet
	if m.ending != nil {
		m.finished = m.ending.Over(m.faults.column())
	}
	m.ended = m.last || m.finished || quiet || m.brokenOff()
	m.mustBeOver()
	m.judgeStates()
	m.followQueues()
	m.noteFindings()
	if m.losses != nil {
		m.losses.boundary(m.slot)
	}
	if m.onlookers != nil {
		m.onlookers.Boundary(m.slot)
	}
	m.endByRTL()
}

func (m *Machine) settle() {
	if m.offering == nil {
		return
	}
	m.offering.Settle(m.slot, func(f fabric.Finding) {
		if m.Rules.ExactlyOnce || f.Kind.Rule() != fabric.RuleExactlyOnce {
			m.Shards[0].Ledger.Find(f)
		}
	})
}

func (m *Machine) judge() {
	m.news = m.news[:0]
	for i := range m.Shards {
		m.Results.Forget(m.Shards[i].struck.begun)
		for _, result := range m.Shards[i].Ledger.Results {
			if m.Results.Set(result) {
				m.news = append(m.news, result)
			}
		}
	}
	if len(m.news) == 0 { // the usual case
		return
	}
	if judge, ok := m.Referee.(fabric.Judge); ok {
		judge.Judge(&m.Rules, m.news, func(f fabric.Finding) {
			f.Slot = m.slot
			m.Shards[0].Ledger.Find(f)
		})
	}
}

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

// windowBytes is the size in bytes of the bank records that a shard hears, runs and sends in one pass. Records of one
// phase, and the media of their units, are then still in the cache in the next phase.
const windowBytes = 256 << 10

// listenScan is the number of adjacent cells that take as long to scan as one separate cell.
const listenScan = 16

// window is the current group of cells. Each shard has one struct, so that processors with their own banks need
// little memory.
type window struct {
	m       *Machine
	index   int // index of the shard
	shard   *Shard
	strikes bool // faults may hit processors

	instance firmware.Instance
	bank     *nic.Bank
	fabric.Window

	awake  []uint32 // cells with something to do
	called []uint32 // subset of awake whose handlers are called
}

func (w *window) turn(instance firmware.Instance) {
	m, shard := w.m, w.shard
	w.instance, w.bank = instance, instance.Bank()
	if m.phase != phaseAct && m.slot == 0 && !m.stopped() {
		call := m.Replay.begin(instance, callStart, nil, 0)
		instance.Start()
		m.Replay.end(call, instance)
		if m.Meter != nil && !m.stopped() {
			shard.meter.noteStart(m.Meter, w.bank, instance.Costs())
		}
		shard.note(instance, 0)
	}
	w.each()
	if m.phase != phaseHear && !m.stopped() {
		shard.note(instance, m.slot)
	}
}

// each hears, runs and sends window by window. In an interrupted machine, it only hears.
func (w *window) each() {
	m, bank := w.m, w.bank
	if bank.Schedule != nil && m.phase != phaseHear {
		m.tell(w.index, bank)
	}
	width := max(1, windowBytes/bank.RecordBytes())
	if cap(w.shard.awake) < min(width, bank.Cells) {
		w.shard.awake = make([]uint32, 0, min(width, bank.Cells))
	}
	for first := 0; first < bank.Cells; first += width {
		w.First, w.End = first, min(first+width, bank.Cells)
		if m.phase != phaseAct && m.slot > 0 {
			w.hear()
		}
		if m.phase == phaseHear || m.stopped() {
			continue
		}
		w.choose()
		if !w.call() {
			continue
		}
		w.settle()
		if !m.last {
			w.send()
		}
	}
}

func (w *window) hear() {
	l, whole := &w.shard.Ledger, &w.shard.whole.frames
	sent, blocked := l.Frames.Sent, l.Frames.Blocked
	w.m.transport.Hear(w.index, w.bank, l, w.m.slot-1, w.Window)
	whole.Sent += l.Frames.Sent - sent // NICs that request their media send now
	whole.Blocked += l.Frames.Blocked - blocked
}

func (w *window) choose() {
	awake := w.shard.awake[:0]
	w.shard.struck.killed = w.shard.struck.killed[:0]
	if w.strikes {
		w.m.strike(w.shard, w.instance, w.First, w.End)
	}
	awake, resting := w.bank.ListAwake(awake, w.First, w.End, w.m.slot)
	w.shard.Ledger.Finished += resting
	w.awake, w.called = awake, awake
	if w.strikes {
		w.called = w.m.pause(w.shard, w.bank, awake)
	}
}

func (w *window) call() (done bool) {
	m := w.m
	call := m.Replay.begin(w.instance, CallSlot, w.called, m.slot)
	m.profiling.take(m.slot, w.instance, w.called)
	if m.Rules.MeetsBudget && !m.Meter.Resumes {
		w.bank.Keep(&w.shard.meter.kept, w.called)
	}
	w.shard.touched ^= w.bank.Touch(w.called)
	w.instance.Slot(w.called, m.slot)
	if m.stopped() {
		return false
	}
	m.Replay.end(call, w.instance)
	return true
}

func (w *window) settle() {
	m, bank, l := w.m, w.bank, &w.shard.Ledger
	if m.Meter != nil {
		w.shard.meter.noteSlot(m.Meter, m.slot, bank, w.called, w.instance.Costs(), l)
	}
	if w.strikes {
		m.cut(w.shard, bank, w.called)
	}
	l.Scan(bank, w.awake, m.slot)
	if killed := w.shard.struck.killed; len(killed) > 0 && l.Onlooker != nil {
		l.Onlooker.Acted(bank, killed, m.slot)
	}
	few := bank.ListenSlots() == 1 && m.slot > 0 && len(w.awake) < (w.End-w.First)/listenScan
	if few { // without a table, only called handlers change the listening ports
		for _, cell := range w.awake {
			l.ScanListen(bank, int(cell), int(cell)+1, m.slot)
		}
	}
	if !few {
		l.ScanListen(bank, w.First, w.End, m.slot)
	}
	bank.ForgetTx(w.First, w.End)
}

func (w *window) send() {
	cells := w.awake
	if killed := w.shard.struck.killed; len(killed) > 0 { // killed processors stop asking and listening
		cells = append(cells, killed...)
		slices.Sort(cells)
		cells = slices.Compact(cells) // a cell restarted in the same slot is also awake
	}
	w.m.transport.Send(w.index, w.bank, &w.shard.Ledger, w.m.slot, w.Window, cells)
}
