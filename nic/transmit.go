package nic

import (
	"fmt"

	"starloom/traces"
)

// TxHead returns the frame at the head of a cell's TX FIFO; TxCount must not be 0.
func (b *Bank) TxHead(cell int) FrameView { return b.frame(cell, &b.tx, 0) }

// ListSenders fills list with the given cells that have a frame in the TX FIFO. list is at least as long as cells, and
// may be cells.
// Whether a cell sends is as random as the traffic: no branch.
func (b *Bank) ListSenders(list, cells []uint32) []uint32 {
	n := 0
	for _, cell := range cells {
		list[n] = cell
		count := b.Words[cell] >> WordTxCountShift & 0xFF
		n += int((count + 0xFF) >> 8)
	}
	return list[:n]
}

// PopSent removes the frames at the given places from a cell's TX FIFO. The places are in ascending order; missing
// places are ignored.
func (b *Bank) PopSent(cell int, places []int) {
	kept := 0
	for place := range min(int(b.Registers[cell].TxCount), b.TxFrames) {
		if len(places) > 0 && places[0] == place {
			places = places[1:]
			continue
		}
		if from := b.frame(cell, &b.tx, place); kept != place {
			copyFrame(b.frame(cell, &b.tx, kept), from, from.Port())
		}
		kept++
	}
	b.Registers[cell].TxCount = uint8(kept)
}

// PopTx removes the head of a cell's TX FIFO.
func (b *Bank) PopTx(cell int) {
	left := int(b.Registers[cell].TxCount) - 1
	b.Registers[cell].TxCount = uint8(left)
	b.popFrames(cell, &b.tx, left)
}

// NoteTx records the result of a cell's frame to a port in this slot: the head of the TX FIFO, or the first frame to
// this port. The handler reads the result at the next boundary. A sent frame wakes the handler.
func (b *Bank) NoteTx(cell int, port uint16, status TxStatus, addressee uint32) {
	if b.TxStatus == nil {
		return
	}
	if b.AllPorts && port == PortAll {
		for p := range b.PortsOf(cell) {
			b.NoteTx(cell, uint16(p), status, addressee)
		}
		return
	}
	at := b.lane(cell, port)
	b.TxStatus[at], b.Served[at] = uint8(status), addressee
	if status == TxSent {
		b.Wake(cell)
	}
}

// NoteAllSent is NoteTx for the heads of cells' TX FIFOs, for media that always accept frames. Call it before the
// heads are removed.
func (b *Bank) NoteAllSent(cells []uint32) {
	if b.TxStatus == nil {
		return
	}
	for _, cell := range cells {
		head := b.TxHead(int(cell))
		b.NoteTx(int(cell), head.Port(), TxSent, head.Destination())
	}
}

// ForgetTx clears the transmit statuses of cells first to end-1.
func (b *Bank) ForgetTx(first, end int) {
	if b.TxStatus == nil {
		return
	}
	for lane := range b.Lanes() {
		clear(b.TxStatus[lane*b.Cells+first : lane*b.Cells+end])
		clear(b.Served[lane*b.Cells+first : lane*b.Cells+end])
	}
}

// SendAll sends the frames that can leave a cell in this slot, from the head on. An all-port NIC sends the first
// frame to each port, and a frame to all ports only from the head; other NICs send only the head. send puts a frame
// on the fabric and reports whether its medium has accepted it. SendAll stops at a frame that is not Legal and
// returns that frame.
func (b *Bank) SendAll(cell int, send func(frame FrameView) (taken bool)) (illegal FrameView) {
	var busy [(LanesMax + 63) / 64]uint64
	all, kept, count := false, 0, int(b.Registers[cell].TxCount)
	for place := range count {
		frame := b.frame(cell, &b.tx, min(place, b.TxFrames-1))
		port, waits := frame.Port(), all || !b.AllPorts && place > 0
		if !waits && !b.Legal(cell, frame) {
			return frame
		}
		if port == PortAll {
			waits, all = waits || busy != [len(busy)]uint64{}, true
		} else if b.AllPorts && !waits {
			waits = busy[port>>6]>>(port&63)&1 != 0
			busy[port>>6] |= 1 << (port & 63)
		}
		if !waits && send(frame) {
			b.NoteTx(cell, port, TxSent, frame.Destination())
			continue
		}
		if kept != place {
			copyFrame(b.frame(cell, &b.tx, kept), frame, port)
		}
		kept++
	}
	b.Registers[cell].TxCount = uint8(kept)
	return nil
}

// Requests returns the request list of a cell: the processors in order, a valid bit for each, and the index of the
// first choice.
func (b *Bank) Requests(cell int) (list []uint32, valid []uint64, first uint32) {
	words := b.ValidWords()
	return b.ROM[cell*b.ROMWords:][:b.ListWords], b.Valid[cell*words:][:words], b.Choice[cell]
}

// SentListed records that the addressee at a place of the request list has accepted the frame at the head of a cell's
// TX FIFO. Afterwards the place is invalid.
func (b *Bank) SentListed(cell int, place int) {
	b.TxHead(cell).SetDestination(b.ROM[cell*b.ROMWords+place])
	b.Valid[cell*b.ValidWords()+place>>6] &^= 1 << (place & 63)
}

// Accepts returns the tag that a cell's output accepts, TagAny for any.
func (b *Bank) Accepts(cell int) uint16 {
	if b.AcceptTag == nil {
		return TagAny
	}
	return b.AcceptTag[cell]
}

// Legal reports whether the NIC accepts f, the head of a cell's nonempty TX FIFO. It checks count, kind, payload
// length, port and destination.
func (b *Bank) Legal(cell int, f FrameView) bool {
	return int(b.Registers[cell].TxCount) <= b.TxFrames && f.Kind() < KindCount && f.PayloadBytes() <= b.PayloadBytes &&
		(int(f.Port()) < b.PortsOf(cell) || f.Port() == PortAll && b.Taps == nil) && (!b.Addressed || b.addressable(f)) &&
		(b.Own == nil || b.Own.Sends(b.First+cell, f.Port())) && (b.Classes == nil || b.Classes.takes(b.First+cell, f))
}

// PortsOf returns the number of ports of a cell's NIC.
func (b *Bank) PortsOf(cell int) int {
	switch {
	case b.Taps != nil:
		return len(b.Taps.Bus[b.First+cell])
	case b.Own != nil:
		return int(b.Own.Ports[b.First+cell])
	}
	return b.Ports
}

func (b *Bank) addressable(f FrameView) bool {
	to := f.Destination()
	return f.Port() != PortAll && (to < uint32(b.Processors) || to == ListedDestination && b.Choice != nil)
}

// Refusal returns the reason why a frame is not Legal.
func (b *Bank) Refusal(cell int, f FrameView) string {
	switch {
	case int(b.Registers[cell].TxCount) > b.TxFrames:
		return fmt.Sprintf("says that its TX FIFO holds %d frames; it has room for %d", b.Registers[cell].TxCount, b.TxFrames)
	case f.Kind() >= KindCount:
		return fmt.Sprintf("sends a frame of %v; allowed are data, ack and control", f.Kind())
	case f.PayloadBytes() > b.PayloadBytes:
		return fmt.Sprintf("sends a payload of %s; nic.payload_bytes is %d",
			traces.Plural(f.PayloadBytes(), "byte", "bytes"), b.PayloadBytes)
	case b.Addressed:
		return b.refusalAddressed(cell, f)
	case b.Taps != nil && f.Port() == PortAll:
		return "sends to all ports; the NIC has one switch, which reaches only one port"
	case b.Own != nil && (f.Port() == PortAll || int(f.Port()) < b.PortsOf(cell)):
		return "sends to a port that only hears"
	case b.Classes != nil && f.Port() == PortAll && b.Classes.Routed != nil:
		return "sends to all ports; some ports request before they send, or are at routers"
	case b.Classes != nil && f.Port() == PortAll:
		return "sends to all ports; some ports request before they send"
	case b.Classes != nil && int(f.Port()) < b.PortsOf(cell) && b.Classes.Class(b.First+cell, f.Port()) == ClassStreams:
		return fmt.Sprintf("sends to processor %d at port %d; the routers there do not lead to it", f.Destination(), f.Port())
	case b.Classes != nil && int(f.Port()) < b.PortsOf(cell):
		return fmt.Sprintf("sends to processor %d at port %d; the crossbar there does not lead to it",
			f.Destination(), f.Port())
	case b.Taps != nil || b.Own != nil:
		return fmt.Sprintf("sends to port %d; the NIC has %s, counted from 0", f.Port(),
			traces.Plural(b.PortsOf(cell), "port", "ports"))
	default:
		return fmt.Sprintf("sends to port %d; the NIC has ports 0 to %d, %#x is all", f.Port(), b.Ports-1, PortAll)
	}
}

func (b *Bank) refusalAddressed(cell int, f FrameView) string {
	switch {
	case f.Destination() == ListedDestination && b.ListWords == 0:
		return "sends to an addressee of its request list; this network has no request lists"
	case f.Destination() == ListedDestination:
		return "sends to an addressee of its request list, but has no list: STARLOOM_REQUESTS is not defined"
	case f.Port() == PortAll:
		return "sends to all ports; this network delivers a frame to one processor"
	case b.PortsOf(cell) == 1 && f.Port() != 0:
		return fmt.Sprintf("sends to port %d; the NIC has only port 0, where the destination selects the processor",
			f.Port())
	case int(f.Port()) >= b.PortsOf(cell):
		return fmt.Sprintf("sends to port %d; the NIC has %d ports, counted from 0", f.Port(), b.PortsOf(cell))
	default:
		return fmt.Sprintf("sends to processor %d; processors are 0 to %d", f.Destination(), b.Processors-1)
	}
}

// TxTo returns the first frame to a port in a cell's TX FIFO, and its place. ok is false for none.
func (b *Bank) TxTo(cell int, port uint16) (place int, frame FrameView, ok bool) {
	for place := range min(int(b.Registers[cell].TxCount), b.TxFrames) {
		if frame := b.frame(cell, &b.tx, place); frame.Port() == port {
			return place, frame, true
		}
	}
	return 0, nil, false
}

// RemoveTx removes the frame at a place of a cell's TX FIFO.
func (b *Bank) RemoveTx(cell, place int) {
	left := int(b.Registers[cell].TxCount) - 1
	b.Registers[cell].TxCount = uint8(left)
	for ; place < left; place++ {
		from := b.frame(cell, &b.tx, place+1)
		copyFrame(b.frame(cell, &b.tx, place), from, from.Port())
	}
}
