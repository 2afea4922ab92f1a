package nic

import "unsafe"

func (b *Bank) listenToReset() {
	hears := b.hearsAtReset()
	for i := range b.listen {
		b.listen[i] = hears
	}
}

func (b *Bank) hearsAtReset() uint16 {
	if b.AllPorts {
		return PortAll
	}
	return PortNone
}

// ClearListen zeroes the listening table, for images of a bank before Reset.
func (b *Bank) ClearListen() { clear(b.listen) }

// ListenSlots returns the number of columns of the listening table.
func (b *Bank) ListenSlots() int { return b.listenSlots }

// Listen returns the port that each cell hears in a slot, PortNone for none.
func (b *Bank) Listen(slot uint32) []uint16 {
	column := int(slot%uint32(b.listenSlots)) * b.Cells
	return b.listen[column : column+b.Cells : column+b.Cells]
}

// SetListen sets the port of a cell in one column of its listening table.
func (b *Bank) SetListen(cell, column int, port uint16) { b.listen[column*b.Cells+cell] = port }

// Hears reports whether a cell hears a port in a slot.
func (b *Bank) Hears(cell int, port uint16, slot uint32) bool {
	hears := b.Listen(slot)[cell]
	return hears == port || b.AllPorts && hears == PortAll
}

// SetRx writes the receiver status of a cell's port.
func (b *Bank) SetRx(cell int, port uint16, status Status) {
	b.RxStatus[b.lane(cell, port)] = uint8(status)
}

// Rx returns the receiver status of a cell's port for the previous slot. Firmware may have written any value.
func (b *Bank) Rx(cell int, port uint16) Status { return Status(b.RxStatus[b.lane(cell, port)]) }

// ForgetRx sets the receivers of cells first to end-1 to idle.
func (b *Bank) ForgetRx(first, end int) {
	for lane := range b.Lanes() {
		clear(b.RxStatus[lane*b.Cells+first : lane*b.Cells+end])
	}
}

// ClearRx sets all receivers to idle.
func (b *Bank) ClearRx() { clear(b.RxStatus) }

// PushRx stores a frame heard on port in a cell's RX FIFO and sets the cell's status: StatusOK, or StatusOverflow if
// the FIFO is full. frame must be FrameStride bytes long.
func (b *Bank) PushRx(cell int, port uint16, frame FrameView) Status {
	place, status := b.claimRx(cell, port)
	if status == StatusOK {
		copyFrame(place, frame, port)
	}
	return status
}

// TakeRx is PushRx for a frame on the wire. It returns the view in the RX FIFO, or nil if the FIFO is full.
func (b *Bank) TakeRx(cell int, port uint16, frame Frame) (FrameView, Status) {
	place, status := b.claimRx(cell, port)
	if status == StatusOK {
		place.PutWire(frame)
		place.setPort(port)
	}
	return place, status
}

// claimRx returns the next place of a cell's RX FIFO, if any, and sets the cell's status.
func (b *Bank) claimRx(cell int, port uint16) (place FrameView, status Status) {
	r := &b.Registers[cell]
	count := int(r.RxCount)
	if depth := b.rxDepth(cell); count >= depth || b.AllPorts && b.Ports > 1 && b.waiting(cell, port) >= depth/b.Ports {
		b.SetRx(cell, port, StatusOverflow)
		return nil, StatusOverflow
	}
	r.RxCount = uint8(count + 1)
	b.stir(cell)
	b.SetRx(cell, port, StatusOK)
	return b.frame(cell, &b.rx, count), StatusOK
}

// PushSmallRx is PushRx for a small frame.
func (b *Bank) PushSmallRx(cell uint32, port uint16, frame *SmallFrame) Status {
	r := &b.Registers[cell]
	count := int(r.RxCount)
	if count >= b.RxFrames || b.depths != nil || b.AllPorts {
		return b.PushRx(int(cell), port, FrameView(SmallBytes(unsafe.Slice(frame, 1))))
	}
	*b.SmallRx(cell, count) = frame.On(port)
	r.RxCount = uint8(count + 1)
	b.stir(int(cell))
	b.SetRx(int(cell), port, StatusOK)
	return StatusOK
}

// RxFrom returns the number of frames from a port in a cell's RX FIFO.
func (b *Bank) RxFrom(cell int, port uint16) (frames int) {
	if b.Ports == 1 {
		return min(int(b.Registers[cell].RxCount), b.RxFrames)
	}
	return b.waiting(cell, port)
}

// waiting returns the number of frames from a port in a cell's RX FIFO; the ports share the FIFO equally.
func (b *Bank) waiting(cell int, port uint16) (frames int) {
	for place := range min(int(b.Registers[cell].RxCount), b.RxFrames) {
		if b.frame(cell, &b.rx, place).Port() == port {
			frames++
		}
	}
	return frames
}
