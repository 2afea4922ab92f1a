package nic

import (
	"bytes"
	"slices"
)

// Cell is all that the NIC of one processor and its handler tell each other: registers,
// FIFOs, statuses, tables and words, copied out of a bank.
type Cell struct {
	Registers
	RxStatus, TxStatus []uint8  // per lane
	Served             []uint32 // per lane
	Workload           uint32
	Schedule           uint64
	Listen             []uint16 // the listening table
	Choice             uint32
	Valid              []uint64
	AcceptTag          uint16
	Rx, Tx             []byte // the FIFOs: FrameStride bytes for each frame there is room for
}

// Cell copies what a cell's NIC and handler tell each other.
func (b *Bank) Cell(cell int) (c Cell) {
	b.moveCell(cell, &c, false)
	return c
}

// SetCell writes it into a bank of the same configuration, but for its processors.
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

// moveColumn moves a cell's elements of columns that lie one after the other.
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

// Difference names what differs first between two cells, "" if nothing does.
func (c *Cell) Difference(o *Cell) string {
	for _, part := range []struct {
		name  string
		equal bool
	}{
		{"registers", c.Registers == o.Registers},
		{"TX FIFO", bytes.Equal(c.Tx, o.Tx)},
		{"listening table", slices.Equal(c.Listen, o.Listen)},
		{"RX FIFO", bytes.Equal(c.Rx, o.Rx)},
		{"accept_tag", c.AcceptTag == o.AcceptTag},
		{"first_choice", c.Choice == o.Choice},
		{"list_valid", slices.Equal(c.Valid, o.Valid)},
		{"statuses", bytes.Equal(c.RxStatus, o.RxStatus) && bytes.Equal(c.TxStatus, o.TxStatus) && slices.Equal(c.Served, o.Served)},
		{"workload and schedule", c.Workload == o.Workload && c.Schedule == o.Schedule},
	} {
		if !part.equal {
			return part.name
		}
	}
	return ""
}

// RxFrames returns the frames in the RX FIFO; stride is FrameStride.
func (c *Cell) RxFrames(stride int) []FrameView { return frames(c.Rx, int(c.RxCount), stride) }

// TxFrames returns the frames in the TX FIFO.
func (c *Cell) TxFrames(stride int) []FrameView { return frames(c.Tx, int(c.TxCount), stride) }

func frames(fifo []byte, count, stride int) (list []FrameView) {
	for place := range min(count, len(fifo)/stride) {
		list = append(list, FrameView(fifo[place*stride:(place+1)*stride]))
	}
	return list
}

// Body returns the payload as far as there is room for it, whatever length firmware says.
func (f FrameView) Body() []byte { return f[sizeFrame:][:min(f.PayloadBytes(), len(f)-sizeFrame)] }
