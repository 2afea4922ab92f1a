package pops

import (
	"slices"

	"starloom/fabric"
	"starloom/fabric/referees"
	"starloom/nic"
)

// This file is the slot engine's way of frames that carry at most a packet: the same
// as SlotTransport.send and Ledger.NoteHeard, word by word.

func (t *SlotTransport) sendSmall(shard int, bank *nic.Bank, senders []uint32, ledger *fabric.Ledger, slot uint32) {
	for len(senders) > 0 {
		group := (bank.First + int(senders[0])) / t.net.GroupSize
		end, n := uint32((group+1)*t.net.GroupSize-bank.First), len(senders)
		if senders[n-1] >= end {
			n, _ = slices.BinarySearch(senders, end)
		}
		t.sendGroup(shard, group, bank, senders[:n], ledger, slot)
		senders = senders[n:]
	}
}

// sendGroup is sendSmall for cells of one group. Each step is a loop of its own: who waits for memory in a long
// loop has no room to ask for the next place.
func (t *SlotTransport) sendGroup(shard, group int, bank *nic.Bank, senders []uint32, ledger *fabric.Ledger, slot uint32) {
	table, work := &t.tables[slot&1], &t.work[shard]
	n := 0
	for _, cell := range senders {
		head, r := bank.SmallTxHead(cell), &bank.Registers[cell]
		if !head.Plain(t.net.Groups) || r.TxCount != 1 {
			t.send(shard, bank, int(cell), ledger, slot)
			continue
		}
		work.out[n&(slotBlock-1)] = sending{head.From(uint32(bank.First) + cell), cell}
		r.TxCount = 0
		n++
	}
	out, row := work.out[:n], table.frames[group*t.row:(group+1)*t.row]
	couplers := t.at(group, 0)
	counts, first := table.senders[couplers:couplers+t.net.Groups], table.first[couplers:couplers+t.net.Groups]
	lit, collided := table.lit[group], uint64(0)
	for i := range out {
		frame := &out[i].SmallFrame
		port := frame.Port()
		count := counts[port]
		counts[port] = count + 1 - count>>1 // 0, 1 or 2
		collided += uint64(collidedBy[count&3])
		if work.exact && count > 0 {
			work.meet(couplers+port, row[first[port]].HeadBits(), frame.HeadBits())
		}
		// Whether a coupler is taken is as random as the traffic: there is no branch.
		fresh := uint16(1) - uint16(count+1)>>1
		row[lit] = *frame
		first[port] ^= (first[port] ^ lit) & -fresh
		lit += fresh
	}
	table.lit[group] = lit
	ledger.Frames.Sent += uint64(n)
	table.collided[shard] += collided
	table.placed[shard] += uint64(n)
	for i := range out {
		o := &out[i]
		ledger.Sum.Event(fabric.EventSent(uint16(o.Port()), uint32(bank.First)+o.cell), o.Head, o.Route, o.Packet)
	}
}

func (t *SlotTransport) deliverSmall(w *slotWork, table *slotTable, bank *nic.Bank, hit []hearing, ledger *fabric.Ledger, slot uint32) {
	ports, arrivals := bank.Listen(slot), 0
	for i, h := range hit {
		cell, at := h.cell, w.at[i&(slotBlock-1)]
		frame, r, port := &table.frames[at], &bank.Registers[cell], ports[cell]
		if !frame.IsSmall() {
			t.deliverOne(w, table, bank, cell, at, ledger, slot)
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
		w.touched ^= referees.PacketsOf(ledger.Referee).Touch(arrived)
		ledger.Referee.Arrive(ledger, slot, arrived)
	}
}

// touchSmall reads both ends of every frame that will be copied and of the place
// it goes to, so that all of them are on their way from memory before the first is
// needed. What it returns is of no use but to keep the loads.
func touchSmall(frames []nic.SmallFrame, bank *nic.Bank, hit []hearing, at []uint32) (any uint64) {
	for i, h := range hit {
		from, to := &frames[at[i]], bank.SmallRx(h.cell, 0)
		any ^= from.Head ^ from.Packet ^ to.Head ^ to.Packet ^ bank.Words[h.cell]
	}
	return any
}
