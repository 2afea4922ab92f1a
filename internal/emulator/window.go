package emulator

import (
	"slices"

	"starloom/fabric"
	"starloom/firmware"
)

// windowBytes is how much of a bank's records is heard, run and sent at a time:
// what one step has touched is still in the cache when the next one needs it.
const windowBytes = 512 << 10

// listenScan is how many cells side by side are scanned in the time of one alone.
const listenScan = 16

// windows hears the slot before, runs the handlers and sends, window by window. When the
// machine is stopped it only hears: the slot before is whole.
func (m *Machine) windows(index int, shard *Shard, instance firmware.Instance) {
	bank, l := instance.Bank(), &shard.Ledger
	if bank.Schedule != nil && m.phase != phaseHear {
		m.setWords(bank)
	}
	units, cells, width := m.Shape.Windows(bank, windowBytes/bank.RecordBytes())
	if wanted := units * width; cap(shard.awake) < wanted {
		shard.awake = make([]uint32, 0, wanted)
	}
	for first := 0; first < cells; first += width {
		window := fabric.Window{First: first, End: min(first+width, cells)}
		if m.phase != phaseAct && m.slot > 0 {
			sent, blocked := l.Frames.Sent, l.Frames.Blocked
			m.transport.Hear(index, bank, l, m.slot-1, window)
			shard.whole.frames.Sent += l.Frames.Sent - sent // of NICs that have asked for their media
			shard.whole.frames.Blocked += l.Frames.Blocked - blocked
		}
		if m.phase == phaseHear || m.stopped() {
			continue
		}
		runs, span, length := units, cells, window.End-window.First // of cells side by side
		if width == cells {
			runs, length = 1, bank.Cells
		}
		awake := shard.awake[:0]
		shard.struck.killed = shard.struck.killed[:0]
		strikes := m.faults != nil && m.faults.processors
		for run := range runs {
			var resting int
			if strikes {
				m.strike(shard, instance, run*span+first, run*span+first+length)
			}
			awake, resting = bank.ListAwake(awake, run*span+first, run*span+first+length, m.slot)
			l.Finished += resting
		}
		called := awake
		if strikes {
			called = m.pause(shard, bank, awake)
		}
		call := m.Replay.begin(instance, CallSlot, called, m.slot)
		m.profiling.take(m, instance, called)
		if m.Rules.MeetsBudget {
			bank.Keep(&shard.meter.kept, called)
		}
		instance.Slot(called, m.slot)
		if m.stopped() {
			continue
		}
		m.Replay.end(call, instance)
		if m.Meter != nil {
			m.meterSlot(shard, bank, called, instance.Costs())
		}
		if strikes {
			m.cut(shard, bank, called)
		}
		l.Scan(bank, awake, m.slot)
		few := bank.ListenSlots() == 1 && m.slot > 0 && len(awake) < runs*length/listenScan
		if few { // without a table, only handlers that were called listen elsewhere
			for _, cell := range awake {
				l.ScanListen(bank, int(cell), int(cell)+1, m.slot)
			}
		}
		for run := range runs {
			if !few {
				l.ScanListen(bank, run*span+first, run*span+first+length, m.slot)
			}
			bank.ForgetTx(run*span+first, run*span+first+length)
		}
		if !m.last {
			if len(shard.struck.killed) > 0 { // they stop asking and listening
				awake = append(awake, shard.struck.killed...)
				slices.Sort(awake)
				awake = slices.Compact(awake) // who was restarted in the same slot is awake
			}
			m.transport.Send(index, bank, l, m.slot, window, awake)
		}
	}
}
