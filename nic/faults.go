package nic

import "slices"

// Faults of a processor's NIC: removal from the fabric, restart, smaller FIFOs.

// Silence removes a processor from the fabric. Its faulty flag is set, its NIC neither sends nor hears, and its
// handler is not called again.
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

// Silenced reports whether Silence has removed a cell. Firmware can write the faulty flag, but only the host can
// silence a cell.
func (b *Bank) Silenced(cell int) bool { return b.silenced[cell>>6]>>(cell&63)&1 != 0 }

// SilencedCells returns the bits of Silenced, 64 cells per word, for saved states.
func (b *Bank) SilencedCells() []uint64 { return b.silenced }

// Restart returns a processor to its state after the attachment, even if it was silenced. Its NIC is reset, and its
// FIFOs are empty. The handlers' state comes from attached, the memory after the attachment (zero beyond its end).
// Data of the host remains: the words of workload and schedule, the ROM, the delivered flag, and the FIFO depths.
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

// clearDirty zeroes a frame unless it is already zero, so that untouched memory remains unallocated.
func clearDirty(frame FrameView) {
	if slices.ContainsFunc(frame, func(b byte) bool { return b != 0 }) {
		clear(frame)
	}
}

// Told is a copy of the columns that the host writes before handlers run.
type Told struct {
	workload     []uint32
	schedule     []uint64
	rom, machine []uint32
	delivered    []uint8
}

// Told returns a copy of the data written by the host, for Tell.
func (b *Bank) Told() Told {
	t := Told{slices.Clone(b.Workload), slices.Clone(b.Schedule), slices.Clone(b.ROM),
		slices.Clone(b.Machine), make([]uint8, b.Cells)}
	for cell := range t.delivered {
		t.delivered[cell] = b.Registers[cell].Flags & FlagDelivered
	}
	return t
}

// Tell restores the data of Told.
func (b *Bank) Tell(t Told) {
	copy(b.Workload, t.workload)
	copy(b.Schedule, t.schedule)
	copy(b.ROM, t.rom)
	copy(b.Machine, t.machine)
	for cell, flag := range t.delivered {
		b.Registers[cell].Flags |= flag
	}
}

// Shrink limits the FIFOs of a cell to fewer frames per lane than RxFrames and TxFrames; 0 keeps a depth. The limits
// last until the bank is attached again.
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

// Unshrink restores the full depth of all FIFOs from the next Reset on.
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

// CutTx drops frames beyond the depth that Shrink has set for a cell's TX FIFO, because handlers may ignore tx_fewer.
// It reports whether a frame of the cell did not fit, even if the handler has not noticed. Counts above the full
// depth are left to the rules.
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
