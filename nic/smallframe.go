package nic

import "unsafe"

// SmallFrame is the frame block with room for 8 bytes of payload, a packet, as the
// three little-endian words that it is in a FIFO or in a medium's table. Most
// frames of most networks are of this size, and moving words is several times
// faster than moving bytes.
type SmallFrame struct {
	Head   uint64 // kind, flags, payload_bytes, source
	Route  uint64 // destination, tag, port
	Packet uint64 // the payload
}

// smallFrameBytes is the FrameStride of small frames.
const (
	smallFrameBytes   = int(unsafe.Sizeof(SmallFrame{}))
	smallPayloadBytes = 8
)

// SmallFrames returns a column of frames as what it is if all are small ones, nil
// otherwise. The column must be aligned to 8 bytes.
func SmallFrames(column []byte, stride int) []SmallFrame {
	first := unsafe.Pointer(unsafe.SliceData(column))
	if stride != smallFrameBytes || len(column) < stride || uintptr(first)%8 != 0 {
		return nil
	}
	return unsafe.Slice((*SmallFrame)(first), len(column)/stride)
}

// Plain reports whether the frame is a legal one to one of the ports and carries
// nothing or a packet.
func (f *SmallFrame) Plain(ports int) bool {
	return uint8(f.Head>>(8*offFrameKind)) < KindCount && uint16(f.Head>>(8*offFramePayloadBytes))&^8 == 0 && f.Port() < ports
}

// Port returns the port the frame is sent to or was heard on.
func (f *SmallFrame) Port() int { return int(f.Route >> (8 * (offFramePort - 8))) }

// Source returns the NIC that sent the frame on this hop.
func (f *SmallFrame) Source() uint32 { return uint32(f.Head >> (8 * offFrameSource)) }

// From returns a plain frame with its sender; what the FIFO held behind an empty
// payload is gone.
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

// Small reports whether the frames of the bank are small ones that may carry a packet.
// (With a smaller payload a packet is illegal, and frames take the same room.)
func (b *Bank) Small() bool {
	return b.frameStride == smallFrameBytes && b.PayloadBytes == smallPayloadBytes
}

// SmallRx returns a frame of a cell's RX FIFO, in a bank of small frames.
func (b *Bank) SmallRx(cell uint32, place int) *SmallFrame {
	return (*SmallFrame)(unsafe.Pointer(unsafe.SliceData(b.frame(int(cell), b.rx, place))))
}

// SmallTxHead returns the head of a cell's TX FIFO, in a bank of small frames.
func (b *Bank) SmallTxHead(cell uint32) *SmallFrame {
	return (*SmallFrame)(unsafe.Pointer(unsafe.SliceData(b.frame(int(cell), b.tx, 0))))
}
