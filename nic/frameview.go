package nic

import (
	"encoding/binary"
)

// FrameView is a frame in a FIFO or in a medium's table: the little-endian frame block of the register map, then the
// payload. The view has FrameStride bytes. After the payload, zeros extend it to a multiple of 8 bytes, and to at
// least 8; further bytes belong to no frame.
type FrameView []byte

// Used returns the number of bytes to copy, with at least 8 bytes of payload if there is room.
func (f FrameView) Used() int { return min(sizeFrame+max(f.PayloadBytes()+7, 8)&^7, len(f)) }

// Kind returns the frame's kind; firmware may have written any byte.
func (f FrameView) Kind() Kind { return Kind(f[offFrameKind]) }

// PayloadBytes returns the length of the payload.
func (f FrameView) PayloadBytes() int {
	return int(binary.LittleEndian.Uint16(f[offFramePayloadBytes:]))
}

// Source returns the NIC that has sent the frame on this hop.
func (f FrameView) Source() uint32 { return binary.LittleEndian.Uint32(f[offFrameSource:]) }

// Destination returns the addressee on this hop.
func (f FrameView) Destination() uint32 { return binary.LittleEndian.Uint32(f[offFrameDestination:]) }

// Port returns the port to which the frame is sent, or at which it was heard.
func (f FrameView) Port() uint16 { return binary.LittleEndian.Uint16(f[offFramePort:]) }

// Payload returns the payload. The slice aliases f.
func (f FrameView) Payload() []byte { return f[sizeFrame : sizeFrame+f.PayloadBytes()] }

// PacketBytes is the size of the packet {origin, destination} at the head of a payload, sl_packet of the firmware
// SDK.
const PacketBytes = 8

// IsPacket reports whether the frame carries a packet that the host can read.
func (f FrameView) IsPacket() bool { return f.Kind() == KindData && f.PayloadBytes() >= PacketBytes }

// Origin returns the origin of the frame's packet.
func (f FrameView) Origin() uint32 { return binary.LittleEndian.Uint32(f.Payload()) }

// SetSource writes the source.
func (f FrameView) SetSource(processor uint32) {
	binary.LittleEndian.PutUint32(f[offFrameSource:], processor)
}

// SetDestination writes the destination.
func (f FrameView) SetDestination(processor uint32) {
	binary.LittleEndian.PutUint32(f[offFrameDestination:], processor)
}

func (f FrameView) setPort(port uint16) { binary.LittleEndian.PutUint16(f[offFramePort:], port) }

// Tag returns the tag.
func (f FrameView) Tag() uint16 { return binary.LittleEndian.Uint16(f[offFrameTag:]) }

// Words returns the header as two words for digests and copies: first kind, flags, payload_bytes and source; then
// destination, tag and port.
func (f FrameView) Words() (first, second uint64) {
	_ = f[sizeFrame-1]
	return binary.LittleEndian.Uint64(f), binary.LittleEndian.Uint64(f[8:])
}

// HeadBits returns the first 64 bits of the frame on the wire, with the first bit as the highest: version, kind,
// flags, payload length and source.
func (f FrameView) HeadBits() uint64 { return headBits(binary.LittleEndian.Uint64(f)) }

func headBits(head uint64) uint64 {
	return (Version<<4|head>>(8*offFrameKind)&0xFF)<<56 | head>>(8*offFrameFlags)&0xFF<<48 |
		head>>(8*offFramePayloadBytes)&0xFFFF<<32 | head>>(8*offFrameSource)&0xFFFFFFFF
}

// CopyTo copies a legal frame to an entry of a table. In the table, zeros follow the payload, even if other bytes
// follow it in the sender's FIFO.
func (f FrameView) CopyTo(dst []byte) {
	copyFrame(dst, f, f.Port())
	clear(dst[sizeFrame+f.PayloadBytes() : f.Used()])
}

// Held returns header and payload of a legal frame.
func (f FrameView) Held() []byte { return f[:min(sizeFrame+f.PayloadBytes(), len(f))] }

// Header returns the fields of the frame on the wire.
func (f FrameView) Header() Header {
	return Header{
		Kind:         f.Kind(),
		Flags:        f[offFrameFlags],
		PayloadBytes: f.PayloadBytes(),
		Source:       f.Source(),
		Destination:  f.Destination(),
		Tag:          binary.LittleEndian.Uint16(f[offFrameTag:]),
	}
}

// PutWire fills the view from a frame on the wire, except for the port.
func (f FrameView) PutWire(wire Frame) {
	be, le := binary.BigEndian, binary.LittleEndian
	_, _ = f[sizeFrame-1], wire[FrameBytesMin-1]
	head, rest := be.Uint64(wire), be.Uint64(wire[offsetDestination:])
	le.PutUint64(f, head>>56&0xF<<(8*offFrameKind)|head>>48&0xFF<<(8*offFrameFlags)|
		head>>32&0xFFFF<<(8*offFramePayloadBytes)|head<<(8*offFrameSource))
	le.PutUint32(f[offFrameDestination:], uint32(rest>>32))
	le.PutUint16(f[offFrameTag:], uint16(rest>>16))
	n := copy(f[sizeFrame:], wire.Payload())
	clear(f[sizeFrame+n : f.Used()])
}

// AppendWire overwrites dst with the frame's wire format, growing it if necessary.
func (f FrameView) AppendWire(dst []byte) Frame {
	size := FrameBytes(f.PayloadBytes())
	if cap(dst) < size {
		dst = make([]byte, size)
	}
	dst = dst[:size]
	be, le := binary.BigEndian, binary.LittleEndian
	be.PutUint64(dst, f.HeadBits())
	be.PutUint32(dst[offsetDestination:], f.Destination())
	be.PutUint16(dst[offsetTag:], le.Uint16(f[offFrameTag:]))
	copy(dst[HeaderBytes:size-CRCBytes], f.Payload())
	be.PutUint16(dst[size-CRCBytes:], Checksum(dst[:size-CRCBytes]))
	return dst
}

// FrameStride returns the size in bytes of a frame in a FIFO and in a medium's table: header and payload, rounded up
// to 8 bytes.
func FrameStride(payloadBytes int) int { return sizeFrame + (payloadBytes+7)/8*8 }

// copyFrame copies a frame word by word and sets its port. For two or three words, copy is slower.
func copyFrame(dst, src FrameView, port uint16) {
	le := binary.LittleEndian
	src = src[:src.Used()]
	dst = dst[:len(src)]
	le.PutUint64(dst, le.Uint64(src))
	le.PutUint64(dst[8:], le.Uint64(src[8:])&(1<<48-1)|uint64(port)<<48)
	for i := sizeFrame; i+8 <= len(src); i += 8 {
		le.PutUint64(dst[i:], le.Uint64(src[i:]))
	}
}
