package emulator

import (
	"slices"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/nic"
)

// windowBytes is how much of a bank's records is heard, run and sent at a time:
// what one step has touched is still in the cache when the next one needs it.
const windowBytes = 512 << 10

// listenScan is how many cells side by side are scanned in the time of one alone.
const listenScan = 16

// window is where the boundary of a shard is: at a part of one of its banks, in each of whose units the
// processors First to End-1. There is one for all of them, so that a processor with a bank of its own costs
// no more than it must.
type window struct {
	m       *Machine
	index   int // of the shard
	shard   *Shard
	strikes bool // a fault may hit processors

	instance firmware.Instance
	bank     *nic.Bank
	fabric.Window

	// Its cells: so many runs of so many side by side, each a span after the one before.
	runs, span, length int

	awake  []uint32 // cells that have something to do
	called []uint32 // those of them whose handlers are called
}

// turn is the boundary of one instance's processors.
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

// each hears the slot before, runs the handlers and sends, window by window. When the
// machine is stopped it only hears: the slot before is whole.
func (w *window) each() {
	m, bank := w.m, w.bank
	if bank.Schedule != nil && m.phase != phaseHear {
		m.tell(w.index, bank)
	}
	units, cells, width := m.Shape.Windows(bank, windowBytes/bank.RecordBytes())
	if wanted := units * width; cap(w.shard.awake) < wanted {
		w.shard.awake = make([]uint32, 0, wanted)
	}
	for first := 0; first < cells; first += width {
		w.First, w.End = first, min(first+width, cells)
		if m.phase != phaseAct && m.slot > 0 {
			w.hear()
		}
		if m.phase == phaseHear || m.stopped() {
			continue
		}
		w.runs, w.span, w.length = units, cells, w.End-w.First
		if width == cells {
			w.runs, w.length = 1, bank.Cells
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

// hear gives the NICs what the slot before has brought.
func (w *window) hear() {
	l, whole := &w.shard.Ledger, &w.shard.whole.frames
	sent, blocked := l.Frames.Sent, l.Frames.Blocked
	w.m.transport.Hear(w.index, w.bank, l, w.m.slot-1, w.Window)
	whole.Sent += l.Frames.Sent - sent // of NICs that have asked for their media
	whole.Blocked += l.Frames.Blocked - blocked
}

// choose lists the cells that have something to do, after faults have hit some, and those whose
// handlers are called.
func (w *window) choose() {
	awake := w.shard.awake[:0]
	w.shard.struck.killed = w.shard.struck.killed[:0]
	for run := range w.runs {
		first := run*w.span + w.First
		if w.strikes {
			w.m.strike(w.shard, w.instance, first, first+w.length)
		}
		var resting int
		awake, resting = w.bank.ListAwake(awake, first, first+w.length, w.m.slot)
		w.shard.Ledger.Finished += resting
	}
	w.awake, w.called = awake, awake
	if w.strikes {
		w.called = w.m.pause(w.shard, w.bank, awake)
	}
}

// call runs the handlers; they are not done if the machine was stopped.
func (w *window) call() (done bool) {
	m := w.m
	call := m.Replay.begin(w.instance, CallSlot, w.called, m.slot)
	m.profiling.take(m.slot, w.instance, w.called)
	if m.Rules.MeetsBudget {
		w.bank.Keep(&w.shard.meter.kept, w.called)
	}
	w.instance.Slot(w.called, m.slot)
	if m.stopped() {
		return false
	}
	m.Replay.end(call, w.instance)
	return true
}

// settle takes what the handlers have written: what they cost, what they have queued, where they listen.
func (w *window) settle() {
	m, bank, l := w.m, w.bank, &w.shard.Ledger
	if m.Meter != nil {
		w.shard.meter.noteSlot(m.Meter, m.slot, bank, w.called, w.instance.Costs(), l)
	}
	if w.strikes {
		m.cut(w.shard, bank, w.called)
	}
	l.Scan(bank, w.awake, m.slot)
	few := bank.ListenSlots() == 1 && m.slot > 0 && len(w.awake) < w.runs*w.length/listenScan
	if few { // without a table, only handlers that were called listen elsewhere
		for _, cell := range w.awake {
			l.ScanListen(bank, int(cell), int(cell)+1, m.slot)
		}
	}
	for run := range w.runs {
		first := run*w.span + w.First
		if !few {
			l.ScanListen(bank, first, first+w.length, m.slot)
		}
		bank.ForgetTx(first, first+w.length)
	}
}

// send takes the frames at the heads of the TX FIFOs, and what was said of media.
func (w *window) send() {
	cells := w.awake
	if killed := w.shard.struck.killed; len(killed) > 0 { // they stop asking and listening
		cells = append(cells, killed...)
		slices.Sort(cells)
		cells = slices.Compact(cells) // who was restarted in the same slot is awake
	}
	w.m.transport.Send(w.index, w.bank, &w.shard.Ledger, w.m.slot, w.Window, cells)
}
