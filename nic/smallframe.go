package nic

import "unsafe"

// SmallFrame is a frame with a payload of 0 or 8 bytes (a packet), in the three little-endian words that it occupies
// in a FIFO or in a medium's table. Most frames in most networks have this size, and copies of words are several
// times faster than copies of bytes.
type SmallFrame struct {
	Head   uint64 // kind, flags, payload_bytes, source
	Route  uint64 // destination, tag, port
	Packet uint64 // payload
}

// SmallFrameBytes is the minimum FrameStride with room for a packet.
const SmallFrameBytes = int(unsafe.Sizeof(SmallFrame{}))

const smallPayloadBytes = 8

// SmallBytes returns the bytes of a column of small frames.
func SmallBytes(frames []SmallFrame) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(frames))), len(frames)*SmallFrameBytes)
}

// SmallAt returns a view of the frame at an offset of a table as a small frame (IsSmall). The table must be aligned
// to 8 bytes, as make guarantees for tables of this size. offset must be a multiple of a FrameStride.
func SmallAt(table []byte, offset int) *SmallFrame {
	return (*SmallFrame)(unsafe.Pointer(unsafe.SliceData(table[offset : offset+SmallFrameBytes])))
}

// IsSmall reports whether the payload has 0 or 8 bytes.
func (f *SmallFrame) IsSmall() bool { return uint16(f.Head>>(8*offFramePayloadBytes))&^8 == 0 }

// Plain reports whether the frame is legal, addresses one of the ports, and carries nothing or a packet.
func (f *SmallFrame) Plain(ports int) bool {
	return uint8(f.Head>>(8*offFrameKind)) < KindCount && f.IsSmall() && f.Port() < ports
}

// Port returns the port to which the frame is sent, or at which it was heard.
func (f *SmallFrame) Port() int { return int(f.Route >> (8 * (offFramePort - 8))) }

// Source returns the NIC that has sent the frame on this hop.
func (f *SmallFrame) Source() uint32 { return uint32(f.Head >> (8 * offFrameSource)) }

// From returns a plain frame with its source set. Without a payload, the word Packet is zero.
func (f *SmallFrame) From(processor uint32) SmallFrame {
	mask := -(f.Head >> (8*offFramePayloadBytes + 3) & 1) // all ones or all zeros
	return SmallFrame{f.Head&(1<<(8*offFrameSource)-1) | uint64(processor)<<(8*offFrameSource), f.Route, f.Packet & mask}
}

// ReadSmall fills f from a good frame on the wire, except for the port. It returns false if the payload has neither 0
// nor 8 bytes.
func (f *SmallFrame) ReadSmall(wire Frame) bool {
	if len(wire)&^smallPayloadBytes != FrameBytesMin {
		return false
	}
	FrameView(SmallBytes(unsafe.Slice(f, 1))).PutWire(wire)
	return true
}

// AppendWire overwrites dst with the wire format of a plain frame.
func (f *SmallFrame) AppendWire(dst []byte) Frame {
	return FrameView(SmallBytes(unsafe.Slice(f, 1))).AppendWire(dst)
}

// HeadBits returns the first 64 bits of the frame on the wire, with the first bit as the highest.
func (f *SmallFrame) HeadBits() uint64 { return headBits(f.Head) }

// On returns the frame with the port at which it was received.
func (f *SmallFrame) On(port uint16) SmallFrame {
	const shift = 8 * (offFramePort - 8)
	return SmallFrame{f.Head, f.Route&(1<<shift-1) | uint64(port)<<shift, f.Packet}
}

// IsPacket reports whether a plain frame is a data frame with a packet.
func (f *SmallFrame) IsPacket() bool {
	const mask = 0xFF<<(8*offFrameKind) | 0xFFFF<<(8*offFramePayloadBytes)
	return f.Head&mask == uint64(KindData)<<(8*offFrameKind)|8<<(8*offFramePayloadBytes)
}

// Destination returns the addressee on this hop.
func (f *SmallFrame) Destination() uint32 { return uint32(f.Route) }

// Origin returns the origin of the packet.
func (f *SmallFrame) Origin() uint32 { return uint32(f.Packet) }

// Small reports whether frames of the bank have room for a packet. Otherwise the bank has no small frames.
func (b *Bank) Small() bool { return b.PayloadBytes >= smallPayloadBytes }

// SmallRx returns a frame of a cell's RX FIFO as a small frame. Place 0 is the head.
func (b *Bank) SmallRx(cell uint32, place int) *SmallFrame {
	return SmallAt(b.frame(int(cell), &b.rx, place), 0)
}

// SmallTxHead returns the head of a cell's TX FIFO as a small frame.
func (b *Bank) SmallTxHead(cell uint32) *SmallFrame {
	return SmallAt(b.frame(int(cell), &b.tx, 0), 0)
}
