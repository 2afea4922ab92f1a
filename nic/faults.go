package nic

import "slices"

// What faults do to the NIC of one processor, beside Silence: it is reset, and its FIFOs are
// smaller than those of the others.

// Silence takes a processor off the fabric: faulty, silent, deaf, its handler never called again.
func (b *Bank) Silence(cell int) {
	b.silenced[cell>>6] |= 1 << (cell & 63)
	r := &b.Registers[cell]
	r.Flags |= FlagFaulty
	r.TxCount, r.RxCount = 0, 0
	b.stir(cell)
	for column := range b.listenSlots {
		b.SetListen(cell, column, PortNone)
	}
}

// Silenced reports whether Silence has taken the cell off the fabric. Firmware can
// write the faulty flag too; this is what the host knows.
func (b *Bank) Silenced(cell int) bool { return b.silenced[cell>>6]>>(cell&63)&1 != 0 }

// SilencedCells is the column of Silenced, 64 cells a word, for saved states.
func (b *Bank) SilencedCells() []uint64 { return b.silenced }

// Restart takes one processor back to where all are after the attachment: its NIC is reset and
// on the fabric, even if it was silenced, with nothing in its FIFOs, and its handlers' state is
// that of attached, the memory as it was then (what is after its end is zero). What the host
// tells a processor stays: its word of the workload and of the schedule, its ROM, that its packet
// has arrived, and how deep its FIFOs are.
func (b *Bank) Restart(cell int, attached []byte) {
	b.silenced[cell>>6] &^= 1 << (cell & 63)
	b.Registers[cell] = Registers{Flags: b.Registers[cell].Flags & FlagDelivered, TxFewer: b.txFewer(cell)}
	record := b.records[cell*b.recordBytes:][:b.rx.at]
	from := min(b.recordsAt+cell*b.recordBytes, len(attached))
	clear(record[copy(record, attached[from:]):])
	for place := range b.RxFrames {
		clearDirty(b.frame(cell, &b.rx, place))
	}
	for place := range b.TxFrames {
		clearDirty(b.frame(cell, &b.tx, place))
	}
	for lane := range b.Lanes() {
		b.RxStatus[lane*b.Cells+cell] = uint8(StatusIdle)
	}
	b.ForgetTx(cell, cell+1)
	for column := range b.listenSlots {
		b.SetListen(cell, column, b.hearsAtReset())
	}
	if b.AcceptTag != nil {
		b.AcceptTag[cell] = TagAny
	}
	if b.Choice != nil {
		words := b.ValidWords()
		b.Choice[cell] = 0
		clear(b.Valid[cell*words:][:words])
	}
	b.stir(cell)
}

// clearDirty makes a frame zero and writes only if it is not: untouched places stay without memory of their own.
func clearDirty(frame FrameView) {
	if slices.ContainsFunc(frame, func(b byte) bool { return b != 0 }) {
		clear(frame)
	}
}

// Told is what the host tells processors before their handlers run: columns of the bank.
type Told struct {
	workload     []uint32
	schedule     []uint64
	rom, machine []uint32
	delivered    []uint8 // FlagDelivered
}

// Told returns a copy of what the host has told the processors, for Tell.
func (b *Bank) Told() Told {
	t := Told{slices.Clone(b.Workload), slices.Clone(b.Schedule), slices.Clone(b.ROM), slices.Clone(b.Machine), make([]uint8, b.Cells)}
	for cell := range t.delivered {
		t.delivered[cell] = b.Registers[cell].Flags & FlagDelivered
	}
	return t
}

// Tell tells the processors the same again.
func (b *Bank) Tell(t Told) {
	copy(b.Workload, t.workload)
	copy(b.Schedule, t.schedule)
	copy(b.ROM, t.rom)
	copy(b.Machine, t.machine)
	for cell, flag := range t.delivered {
		b.Registers[cell].Flags |= flag
	}
}

// Shrink lets the FIFOs of a cell hold fewer frames than RxFrames and TxFrames, of each lane;
// 0 leaves one as it is. It lasts until the bank is attached again.
func (b *Bank) Shrink(cell, rxFrames, txFrames int) {
	if b.depths == nil {
		b.depths = &depths{make([]uint8, b.Cells), make([]uint8, b.Cells)}
	}
	if rxFrames > 0 {
		b.depths.rx[cell] = uint8(rxFrames)
	}
	if txFrames > 0 {
		b.depths.tx[cell] = uint8(txFrames)
	}
	b.Registers[cell].TxFewer = b.txFewer(cell)
}

// Unshrink gives all FIFOs their full depth again, from the next Reset on.
func (b *Bank) Unshrink() { b.depths = nil }

func (b *Bank) txFewer(cell int) uint8 {
	if b.depths == nil || b.depths.tx[cell] == 0 {
		return 0
	}
	return uint8(max(b.TxFrames-int(b.depths.tx[cell])*b.Lanes(), 0))
}

func (b *Bank) tellDepths() {
	if b.depths == nil {
		return
	}
	for cell := range b.Cells {
		b.Registers[cell].TxFewer = b.txFewer(cell)
	}
}

// CutTx drops those frames at the end of the TX FIFO of a cell that Shrink has left no room
// for, of a handler that does not look at tx_fewer, and reports whether some frame of the cell has
// not found room, as the handler saw by itself or not. A count that no FIFO can have is left to
// the rules.
func (b *Bank) CutTx(cell int) (overflow bool) {
	fewer := int(b.txFewer(cell))
	if fewer == 0 {
		return false
	}
	r := &b.Registers[cell]
	if count := int(r.TxCount); count > b.TxFrames-fewer && count <= b.TxFrames {
		r.TxCount = uint8(b.TxFrames - fewer)
		r.Flags |= FlagTxOverflow
	}
	return r.Flags&FlagTxOverflow != 0
}
