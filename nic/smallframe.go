package nic

import "unsafe"

// SmallFrame is the frame block with a payload of 0 or 8 bytes, a packet, as the three
// little-endian words that it is in a FIFO or in a medium's table. Most frames of most
// networks are of this size, and moving words is several times faster than moving bytes.
type SmallFrame struct {
	Head   uint64 // kind, flags, payload_bytes, source
	Route  uint64 // destination, tag, port
	Packet uint64 // the payload
}

// SmallFrameBytes is the least FrameStride that has room for a packet.
const SmallFrameBytes = int(unsafe.Sizeof(SmallFrame{}))

const smallPayloadBytes = 8

// SmallBytes returns a column of small frames as bytes.
func SmallBytes(frames []SmallFrame) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(frames))), len(frames)*SmallFrameBytes)
}

// SmallAt returns the frame at an offset of a table as if it was a small one, which
// IsSmall tells. The table is aligned to 8 bytes, as everything that make returns of this
// size, and offset a multiple of a FrameStride.
func SmallAt(table []byte, offset int) *SmallFrame {
	return (*SmallFrame)(unsafe.Pointer(unsafe.SliceData(table[offset : offset+SmallFrameBytes])))
}

// IsSmall reports whether the frame carries nothing or 8 bytes.
func (f *SmallFrame) IsSmall() bool { return uint16(f.Head>>(8*offFramePayloadBytes))&^8 == 0 }

// Plain reports whether the frame is a legal one to one of the ports and carries nothing or a packet.
func (f *SmallFrame) Plain(ports int) bool {
	return uint8(f.Head>>(8*offFrameKind)) < KindCount && f.IsSmall() && f.Port() < ports
}

// Port returns the port the frame is sent to or was heard on.
func (f *SmallFrame) Port() int { return int(f.Route >> (8 * (offFramePort - 8))) }

// Source returns the NIC that sent the frame on this hop.
func (f *SmallFrame) Source() uint32 { return uint32(f.Head >> (8 * offFrameSource)) }

// From returns a plain frame with its sender; what the FIFO held after an empty payload is gone.
func (f *SmallFrame) From(processor uint32) SmallFrame {
	mask := -(f.Head >> (8*offFramePayloadBytes + 3) & 1) // all ones or all zeros
	return SmallFrame{f.Head&(1<<(8*offFrameSource)-1) | uint64(processor)<<(8*offFrameSource), f.Route, f.Packet & mask}
}

// HeadBits returns the first 64 bits of the frame on the wire, the first one highest.
func (f *SmallFrame) HeadBits() uint64 { return headBits(f.Head) }

// On returns the frame as it is heard on a port.
func (f *SmallFrame) On(port uint16) SmallFrame {
	const shift = 8 * (offFramePort - 8)
	return SmallFrame{f.Head, f.Route&(1<<shift-1) | uint64(port)<<shift, f.Packet}
}

// IsPacket reports whether a plain frame carries a packet as data.
func (f *SmallFrame) IsPacket() bool {
	const mask = 0xFF<<(8*offFrameKind) | 0xFFFF<<(8*offFramePayloadBytes)
	return f.Head&mask == uint64(KindData)<<(8*offFrameKind)|8<<(8*offFramePayloadBytes)
}

// Destination returns the addressee on this hop.
func (f *SmallFrame) Destination() uint32 { return uint32(f.Route) }

// Origin returns the origin of the packet.
func (f *SmallFrame) Origin() uint32 { return uint32(f.Packet) }

// Small reports whether a frame of the bank may carry a packet; if not, none is small.
func (b *Bank) Small() bool { return b.PayloadBytes >= smallPayloadBytes }

// SmallRx returns the place of a frame in a cell's RX FIFO, 0 the head, as a small one's.
func (b *Bank) SmallRx(cell uint32, place int) *SmallFrame {
	return SmallAt(b.frame(int(cell), &b.rx, place), 0)
}

// SmallTxHead returns the head of a cell's TX FIFO as if it was a small frame.
func (b *Bank) SmallTxHead(cell uint32) *SmallFrame {
	return SmallAt(b.frame(int(cell), &b.tx, 0), 0)
}
