package wired

import (
	"slices"

	"starloom/fabric"
	"starloom/nic"
)

// addSmall and the methods below are a faster path for frames with at most one packet that need not be observed
// individually. The path is equivalent to wired.send, wired.deliver and the records of Ledger.

func (f *wiredFrames) addSmall(frame *nic.SmallFrame) {
	start := len(f.bytes)
	f.processors, f.ports, f.starts = append(f.processors, frame.Source()), append(f.ports, uint16(frame.Port())),
		append(f.starts, uint32(start/8))
	f.bytes = slices.Grow(f.bytes, nic.SmallFrameBytes)[:start+nic.SmallFrameBytes]
	*nic.SmallAt(f.bytes, start) = *frame
}

func (t *wired) sendSmall(shard int, bank *nic.Bank, cells []uint32, ledger *fabric.Ledger, slot uint32) {
	list := &t.sent[slot&1][shard]
	for _, cell := range cells {
		r := &bank.Registers[cell]
		if r.TxCount == 0 {
			continue
		}
		head, processor := bank.SmallTxHead(cell), bank.First+int(cell)
		if r.TxCount != 1 || !head.Plain(t.shape.Ports) || bank.Own != nil &&
			!bank.Own.Sends(processor, uint16(head.Port())) {
			t.send(shard, bank, int(cell), ledger, slot)
			continue
		}
		frame := head.From(uint32(processor))
		list.addSmall(&frame)
		ledger.NoteSmallSent(uint32(processor), &frame)
		if bank.TxStatus != nil {
			bank.NoteTx(int(cell), uint16(frame.Port()), nic.TxSent, frame.Destination())
		}
		r.TxCount = 0
	}
}

func (t *wired) deliverSmall(work *wiredWork, bank *nic.Bank, ledger *fabric.Ledger, slot uint32) {
	sent := t.sent[slot&1]
	for i := range work.hearing {
		h := &work.hearing[i]
		m, processor := &t.media[h.medium], uint32(bank.First)+h.cell
		if t.carries[h.medium] == wiredMet {
			bank.SetRx(int(h.cell), h.port, nic.StatusCollision)
			ledger.Sum.EventOf(fabric.EventHeard(nic.StatusCollision, h.port, processor), 0)
			continue
		}
		if m.first() {
			ledger.Frames.Heard++
		}
		frame := nic.SmallAt(sent[m.shard].bytes, int(m.start)*8)
		if !frame.IsSmall() {
			view := sent[m.shard].frame(m.start)
			ledger.NoteHeard(int(processor), h.port, bank.PushRx(int(h.cell), h.port, view), view, slot)
			continue
		}
		ledger.NoteSmallHeard(processor, h.port, bank.PushSmallRx(h.cell, h.port, frame), frame)
	}
}
