package nic

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// Cell is a copy of the data that a processor's NIC and handler exchange: registers, FIFOs, statuses, tables and
// words.
type Cell struct {
	Registers
	RxStatus, TxStatus []uint8
	Served             []uint32
	Workload           uint32
	Schedule           uint64
	Listen             []uint16
	Choice             uint32
	Valid              []uint64
	AcceptTag          uint16
	Rx, Tx             []byte // FIFOs at full depth, FrameStride bytes per frame
}

// Cell copies the data of a cell.
func (b *Bank) Cell(cell int) (c Cell) {
	b.moveCell(cell, &c, false)
	return c
}

// SetCell writes c to a cell. The bank must have the configuration of the bank that Cell read; only its processors
// may differ.
func (b *Bank) SetCell(cell int, c Cell) {
	b.moveCell(cell, &c, true)
	b.stir(cell)
}

func (b *Bank) moveCell(cell int, c *Cell, in bool) {
	moveWord(&b.Registers[cell], &c.Registers, in)
	moveWord(&b.Workload[cell], &c.Workload, in)
	moveColumn(b.RxStatus, &c.RxStatus, cell, b.Cells, in)
	moveColumn(b.TxStatus, &c.TxStatus, cell, b.Cells, in)
	moveColumn(b.Served, &c.Served, cell, b.Cells, in)
	moveColumn(b.listen, &c.Listen, cell, b.Cells, in)
	if b.Schedule != nil {
		moveWord(&b.Schedule[cell], &c.Schedule, in)
	}
	if len(b.Choice) > 0 {
		moveWord(&b.Choice[cell], &c.Choice, in)
		words := b.ValidWords()
		moveBlock(b.Valid[cell*words:(cell+1)*words], &c.Valid, 0, in)
	}
	if len(b.AcceptTag) > 0 {
		moveWord(&b.AcceptTag[cell], &c.AcceptTag, in)
	}
	for place := range b.RxFrames {
		moveBlock(b.frame(cell, &b.rx, place), &c.Rx, place*b.frameStride, in)
	}
	for place := range b.TxFrames {
		moveBlock(b.frame(cell, &b.tx, place), &c.Tx, place*b.frameStride, in)
	}
}

func moveWord[T any](bank, word *T, in bool) {
	if in {
		*bank = *word
	} else {
		*word = *bank
	}
}

func moveColumn[T any](bank []T, list *[]T, cell, cells int, in bool) {
	for k := 0; k*cells+cell < len(bank); k++ {
		moveBlock(bank[k*cells+cell:][:1], list, k, in)
	}
}

func moveBlock[T any](bank []T, list *[]T, at int, in bool) {
	if in {
		copy(bank, (*list)[at:])
	} else {
		*list = append((*list)[:at], bank...)
	}
}

// Difference names the first difference of two cells, "" if they are equal.
func (c *Cell) Difference(other *Cell) string {
	for _, part := range []struct {
		name  string
		equal bool
	}{
		{"registers", c.Registers == other.Registers},
		{"TX FIFO", bytes.Equal(c.Tx, other.Tx)},
		{"listening table", slices.Equal(c.Listen, other.Listen)},
		{"RX FIFO", bytes.Equal(c.Rx, other.Rx)},
		{"accept_tag", c.AcceptTag == other.AcceptTag},
		{"first_choice", c.Choice == other.Choice},
		{"list_valid", slices.Equal(c.Valid, other.Valid)},
		{"statuses", bytes.Equal(c.RxStatus, other.RxStatus) && bytes.Equal(c.TxStatus, other.TxStatus) &&
			slices.Equal(c.Served, other.Served)},
		{"workload and schedule", c.Workload == other.Workload && c.Schedule == other.Schedule},
	} {
		if !part.equal {
			return part.name
		}
	}
	return ""
}

// RxFrames returns the frames in the RX FIFO. stride is the value of FrameStride.
func (c *Cell) RxFrames(stride int) []FrameView { return frames(c.Rx, int(c.RxCount), stride) }

// TxFrames returns the frames in the TX FIFO.
func (c *Cell) TxFrames(stride int) []FrameView { return frames(c.Tx, int(c.TxCount), stride) }

func frames(fifo []byte, count, stride int) (list []FrameView) {
	for place := range min(count, len(fifo)/stride) {
		list = append(list, FrameView(fifo[place*stride:(place+1)*stride]))
	}
	return list
}

// Body returns the payload, truncated to the available bytes if firmware claims more.
func (f FrameView) Body() []byte { return f[sizeFrame:][:min(f.PayloadBytes(), len(f)-sizeFrame)] }

// The following methods are the handler's side of a bank, for firmware in Go. In the sandbox starloom.h has this
// role.

// PlaceBank returns memory with a bank's descriptor at the given address, followed by registers, workload, states and
// FIFOs, all zero, ready for AttachBank. It returns an error if the memory cannot hold the bank.
func PlaceBank(descriptor uint32, c BankConfig, stateBytes, listenSlots int) ([]byte, error) {
	frames, rx := FrameStride(c.PayloadBytes), (stateBytes+7)/8*8
	tx := rx + frames
	record := tx + frames
	at := uint64(descriptor) + sizeBank
	type place struct {
		offset, elementBytes int
		at                   uint64
	}
	places := []place{
		{offBankProcessor, sizeProcessor, 0}, {offBankRxStatus, c.Lanes(), 0},
		{offBankListen, 2 * listenSlots, 0}, {offBankCalls, 4, 0},
		{offBankWorkload, 4, 0}, {offBankRecord, record, 0},
		{offBankRxMore, (c.RxFrames - 1) * frames, 0}, {offBankTxMore, (c.TxFrames - 1) * frames, 0},
	}
	for i := range places {
		at = (at + 63) / 64 * 64
		places[i].at = at
		at += uint64(c.Cells) * uint64(places[i].elementBytes)
	}
	if at > 1<<32-1 {
		return nil, fmt.Errorf("a bank of %d processors takes %d bytes, too many for 32-bit addresses; use smaller banks",
			c.Cells, at)
	}
	memory := make([]byte, at)
	put := func(offset int, value uint64) {
		binary.LittleEndian.PutUint32(memory[int(descriptor)+offset:], uint32(value))
	}
	for _, p := range places {
		put(p.offset, p.at)
	}
	put(offBankABI, ABIVersion)
	put(offBankCells, uint64(c.Cells))
	put(offBankPayloadBytes, uint64(c.PayloadBytes))
	put(offBankRxFrames, uint64(c.RxFrames))
	put(offBankTxFrames, uint64(c.TxFrames))
	put(offBankFrameStride, uint64(frames))
	put(offBankRecordStride, uint64(record))
	put(offBankRx, uint64(rx))
	put(offBankTx, uint64(tx))
	put(offBankListenSlots, uint64(listenSlots))
	return memory, nil
}

// Clear zeroes registers, workload, states and FIFOs.
func (b *Bank) Clear() {
	clear(b.Registers)
	clear(b.RxStatus)
	clear(b.Workload)
	clear(b.records)
	clear(b.rx.more)
	clear(b.tx.more)
}

// State returns a cell's state. The slice aliases the bank.
func (b *Bank) State(cell int) []byte {
	at := cell * b.recordBytes
	return b.records[at : at+b.rx.at : at+b.rx.at]
}

// RxHead returns the frame at the head of a cell's RX FIFO; RxCount must not be 0.
func (b *Bank) RxHead(cell int) FrameView { return b.frame(cell, &b.rx, 0) }

// SetCurrent sets the index in Calls of the running handler's cell, -1 for none.
func (b *Bank) SetCurrent(place int) {
	binary.LittleEndian.PutUint32(b.descriptor[offBankCurrent:], uint32(place))
}

// Sleep suspends the calls of a cell's handler until a slot. A frame that arrives before that slot wakes the handler.
func (b *Bank) Sleep(cell int, until uint32) {
	r := &b.Registers[cell]
	r.Wake, r.Flags = uint16(until), r.Flags|FlagSleeping
}

// PopRx removes the head of a cell's RX FIFO.
func (b *Bank) PopRx(cell int) {
	left := int(b.Registers[cell].RxCount) - 1
	b.Registers[cell].RxCount = uint8(left)
	b.popFrames(cell, &b.rx, left)
}

// Send appends a frame to a cell's TX FIFO and returns the frame. It returns nil if the FIFO is full, or if the
// payload is too large; the NIC will reject an oversized frame.
func (b *Bank) Send(cell int, port uint16, kind Kind, destination uint32, payloadBytes int) FrameView {
	r := &b.Registers[cell]
	count := int(r.TxCount)
	if count+int(r.TxFewer) >= b.TxFrames {
		r.Flags |= FlagTxOverflow
		return nil
	}
	r.TxCount = uint8(count + 1)
	f := b.frame(cell, &b.tx, count)
	binary.LittleEndian.PutUint64(f, uint64(kind)|uint64(payloadBytes)<<16)
	binary.LittleEndian.PutUint64(f[8:], uint64(destination)|uint64(port)<<48)
	if payloadBytes > b.PayloadBytes {
		return nil
	}
	return f
}

// SendPacket sends a data frame with one packet.
func (b *Bank) SendPacket(cell int, port uint16, destination, origin, final uint32) {
	if f := b.Send(cell, port, KindData, destination, 8); f != nil {
		binary.LittleEndian.PutUint64(f[sizeFrame:], uint64(origin)|uint64(final)<<32)
	}
}
