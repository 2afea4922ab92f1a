package nic

import (
	"encoding/binary"
	"fmt"
)

// Owners of the firmware's memory. Checks use them to detect accesses of one cell's firmware to another cell's
// memory.

// Owners of memory outside cells.
const (
	OwnerNone = -1 // the descriptor, and data shared by all cells
	OwnerAny  = -2 // written at every call: the list of calls and the index of the running cell
)

// Owner returns the owner of an address in the firmware's memory: the bank's column, with its name in the register
// map, and the cell, OwnerNone or OwnerAny. Outside the bank the column is "".
func (b *Bank) Owner(address uint64) (column string, cell int) {
	for _, c := range b.claims {
		if address < c.at || address >= c.at+c.size {
			continue
		}
		switch {
		case c.calls:
			return c.name, OwnerAny
		case c.cellBytes > 0:
			return c.name, int((address - c.at) / c.cellBytes % uint64(b.Cells))
		case address-c.at >= offBankCurrent && address-c.at < offBankCurrent+4 && c.size == sizeBank:
			return c.name, OwnerAny
		}
		return c.name, OwnerNone
	}
	return "", OwnerNone
}

// Parts yields the data of a cell between two slots, part by part: registers, statuses, the port heard in a slot,
// waiting frames, and the handler's state. Bytes are little-endian. The slices alias the memory, except those of
// numbers. Data that only the host writes is omitted.
func (b *Bank) Parts(cell int, slot uint32, yield func(name string, bytes []byte)) {
	r := b.Registers[cell]
	le := binary.LittleEndian
	yield("flags", []byte{r.Flags})
	yield("rx_count", []byte{r.RxCount})
	yield("tx_count", []byte{r.TxCount})
	yield("held", []byte{r.Held})
	yield("wake", le.AppendUint16(nil, r.Wake))
	yield("listen", le.AppendUint16(nil, b.Listen(slot)[cell]))
	for lane := range b.Lanes() {
		yield(fmt.Sprintf("rx_status[%d]", lane), b.RxStatus[lane*b.Cells+cell:][:1])
	}
	if b.AcceptTag != nil {
		yield("accept_tag", le.AppendUint16(nil, b.AcceptTag[cell]))
	}
	if b.Choice != nil {
		yield("first_choice", le.AppendUint32(nil, b.Choice[cell]))
		for k, word := range b.Valid[cell*b.ValidWords():][:b.ValidWords()] {
			yield(fmt.Sprintf("list_valid[%d]", k), le.AppendUint64(nil, word))
		}
	}
	for place := range min(int(r.TxCount), b.TxFrames) {
		frame := b.frame(cell, &b.tx, place)
		yield(fmt.Sprintf("tx_frame[%d]", place), frame[:frame.Used()])
	}
	for place := range min(int(r.RxCount), b.RxFrames) {
		frame := b.frame(cell, &b.rx, place)
		yield(fmt.Sprintf("rx_frame[%d]", place), frame[:frame.Used()])
	}
	yield("state", b.State(cell))
}

// StainRx fills the unused bytes of a cell's RX FIFO with the byte with.
func (b *Bank) StainRx(cell int, with byte) {
	for place := range b.RxFrames {
		frame, at := b.frame(cell, &b.rx, place), 0
		if place < int(b.Registers[cell].RxCount) {
			at = frame.Used()
		}
		for i := range frame[at:] {
			frame[at+i] = with
		}
	}
}

// TxFrame returns a frame of a cell's TX FIFO. Place 0 is the head; place must be below TxFrames.
func (b *Bank) TxFrame(cell, place int) FrameView { return b.frame(cell, &b.tx, place) }
