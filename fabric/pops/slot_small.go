package pops

import (
	"starloom/fabric"
	"starloom/nic"
)

// This file is the slot engine's way of frames that carry at most a packet: the same
// as SlotTransport.send and Ledger.NoteHeard, word by word.

// sendSmall puts the frames at the heads of the senders' TX FIFOs on the couplers.
func (t *SlotTransport) sendSmall(shard int, bank *nic.Bank, senders []uint32, ledger *fabric.Ledger, slot uint32) {
	table, work := &t.tables[slot&1], &t.work[shard]
	exact := work.exact
	group, sent, collided, spare := -1, 0, uint64(0), t.spare(shard)
	var groupEnd, couplers uint32 // of the group: the cell after it, its first coupler
	for _, cell := range senders {
		head := bank.SmallTxHead(cell)
		if !head.Plain(t.net.Groups) || bank.Registers[cell].TxCount != 1 {
			t.send(shard, bank, int(cell), ledger, slot)
			continue
		}
		if group < 0 || cell >= groupEnd {
			group = (bank.First + int(cell)) / t.net.GroupSize
			groupEnd, couplers = uint32((group+1)*t.net.GroupSize-bank.First), uint32(t.at(group, 0))
		}
		processor := uint32(bank.First) + cell
		frame, port := head.From(processor), head.Port()
		coupler := int(couplers) + port
		place, met := table.place(coupler, spare)
		if exact && met > 0 {
			work.meet(coupler, table.frames[coupler].HeadBits(), frame.HeadBits())
		}
		table.frames[place] = frame
		collided += met
		bank.Registers[cell].TxCount = 0
		sent++
		ledger.Sum.Event(fabric.EventSent(uint16(port), processor), frame.Head, frame.Route, frame.Packet)
	}
	ledger.Frames.Sent += uint64(sent)
	table.collided[shard] += collided
	table.placed[shard] += uint64(sent)
}

// deliverSmall gives listeners the frames on their couplers.
func (t *SlotTransport) deliverSmall(w *slotWork, table *slotTable, bank *nic.Bank, hit []hearing, ledger *fabric.Ledger, slot uint32) {
	ports, arrivals := bank.Listen(slot), 0
	for _, h := range hit {
		cell := h.cell
		frame, r, port := &table.frames[h.coupler], &bank.Registers[cell], ports[cell]
		if !frame.IsSmall() {
			t.deliverOne(w, table, bank, h, ledger, slot)
			continue
		}
		processor, count := uint32(bank.First)+cell, int(r.RxCount)
		status := nic.StatusOK
		if count < bank.RxFrames {
			*bank.SmallRx(cell, count) = frame.On(port)
			r.RxCount = uint8(count + 1)
			ledger.Frames.Delivered++
			if frame.IsPacket() && (frame.Destination() == processor || ledger.Overhears) {
				w.arrived[arrivals&(slotBlock-1)] = fabric.Arrival{Processor: processor, Origin: frame.Origin()}
				arrivals++
			}
		} else {
			status = nic.StatusOverflow
			bank.RxStatus[cell] = uint8(status)
			ledger.Frames.Overflow++
		}
		ledger.Sum.EventOf(fabric.EventHeard(status, port, processor), uint64(frame.Source()))
	}
	arrived := w.arrived[:arrivals]
	if arrivals > 0 {
		w.touched ^= ledger.Referee.Routed().Touch(arrived)
		ledger.Referee.Arrive(ledger, slot, arrived)
	}
}

// touchSmall reads both ends of every frame that will be copied and of the place
// it goes to, so that all of them are on their way from memory before the first is
// needed. What it returns is of no use but to keep the loads.
func touchSmall(frames []nic.SmallFrame, bank *nic.Bank, hit []hearing) (any uint64) {
	for _, h := range hit {
		from, to := &frames[h.coupler], bank.SmallRx(h.cell, 0)
		any ^= from.Head ^ from.Packet ^ to.Head ^ to.Packet ^ bank.Words[h.cell]
	}
	return any
}
