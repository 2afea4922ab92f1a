package nic

import (
	"encoding/binary"
	"fmt"

	"starloom/traces/pcapng"
)

// Frame is the byte view of one frame on the fabric, big-endian:
//
//	byte  0        1        2        3        4 ... 7   8 ... 11     12 13  14 ...    last 2
//	     +----+----+--------+--------+--------+---------+-------------+------+---------+--------+
//	     |ver |kind| flags  | payload bytes   | source  | destination | tag  | payload | CRC-16 |
//	     +----+----+--------+--------+--------+---------+-------------+------+---------+--------+
//
// Source is the NIC that sends the frame on this hop, so two frames on one medium in the same slot always differ. A
// packet's origin and final destination are in the payload (see Packet).
//
// A Frame is always whole, with at least FrameBytesMin bytes. Marshal builds a Frame, and Parse checks foreign bytes.
type Frame []byte

// Version is the only supported frame version.
const Version = 1

// Byte offsets and sizes of the wire format. FrameFields names every field for the gopacket layer and the Wireshark
// dissector.
const (
	offsetVersionKind  = 0
	offsetFlags        = 1
	offsetPayloadBytes = 2
	offsetSource       = 4
	offsetDestination  = 8
	offsetTag          = 12

	// HeaderBytes is the length of the header.
	HeaderBytes = 14
	// CRCBytes is the length of the trailing CRC-16/CCITT-FALSE.
	CRCBytes = 2
	// FrameBytesMin is the length of a frame without payload.
	FrameBytesMin = HeaderBytes + CRCBytes
	// PayloadBytesMax is the maximum payload of a model in bytes.
	PayloadBytesMax = 65504
	// PayloadBytesRTL is the maximum payload, in bytes, of a NIC in RTL and of a fabric with RTL.
	PayloadBytesRTL = 1024
)

// Kind is the type of a frame's content (4 bits on the wire).
type Kind uint8

// Frame kinds. Parse rejects other values, and NICs never send them.
const (
	KindData    Kind = 0 // data
	KindAck     Kind = 1 // acknowledgement
	KindControl Kind = 2 // control
	// KindCount is the number of legal kinds.
	KindCount = 3
)

// String returns the kind's name in reports, traces and the dissector.
func (k Kind) String() string {
	switch k {
	case KindData:
		return "data"
	case KindAck:
		return "ack"
	case KindControl:
		return "control"
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// AnyDestination addresses every listener.
const AnyDestination = 0xFFFFFFFF

// ListedDestination addresses the sender's request list. The NIC replaces it by the served addressee.
const ListedDestination = 0xFFFFFFFE

// TagAny is the tag filter of an output that accepts every tag.
const TagAny = 0xFFFF

// FrameFields defines the frame for the Wireshark dissector, in wire order, without the CRC after the payload.
var FrameFields = []pcapng.Field{
	{Name: "version", Offset: 0, Bits: 4, Doc: "frame version"},
	{Name: "kind", Offset: 4, Bits: 4, Names: []string{"data", "ack", "control"}, Doc: "what the frame carries"},
	{Name: "flags", Offset: 8, Bits: 8, Hex: true, Doc: "free for the firmware"},
	{Name: "payload_bytes", Offset: 16, Bits: 16, Doc: "length of the payload"},
	{Name: "source", Offset: 32, Bits: 32, Doc: "NIC that sends the frame on this hop"},
	{Name: "destination", Offset: 64, Bits: 32, Hex: true, Doc: "addressee on this hop, 0xffffffff for anybody"},
	{Name: "tag", Offset: 96, Bits: 16, Hex: true, Doc: "free for the firmware"},
}

// Header is the decoded fixed part of a frame.
type Header struct {
	Kind         Kind
	Flags        uint8
	PayloadBytes int // 0..PayloadBytesMax
	Source       uint32
	Destination  uint32
	Tag          uint16
}

// FrameBytes returns the length in bytes, on the wire, of a frame with the given payload.
func FrameBytes(payloadBytes int) int { return FrameBytesMin + payloadBytes }

// PutHeader writes h to the first HeaderBytes of buffer.
func PutHeader(buffer []byte, h Header) {
	_ = buffer[HeaderBytes-1]
	buffer[offsetVersionKind] = Version<<4 | uint8(h.Kind)
	buffer[offsetFlags] = h.Flags
	binary.BigEndian.PutUint16(buffer[offsetPayloadBytes:], uint16(h.PayloadBytes))
	binary.BigEndian.PutUint32(buffer[offsetSource:], h.Source)
	binary.BigEndian.PutUint32(buffer[offsetDestination:], h.Destination)
	binary.BigEndian.PutUint16(buffer[offsetTag:], h.Tag)
}

// GetHeader decodes the first HeaderBytes of data without checks.
func GetHeader(data []byte) Header {
	_ = data[HeaderBytes-1]
	return Header{
		Kind:         Kind(data[offsetVersionKind] & 0xF),
		Flags:        data[offsetFlags],
		PayloadBytes: int(binary.BigEndian.Uint16(data[offsetPayloadBytes:])),
		Source:       binary.BigEndian.Uint32(data[offsetSource:]),
		Destination:  binary.BigEndian.Uint32(data[offsetDestination:]),
		Tag:          binary.BigEndian.Uint16(data[offsetTag:]),
	}
}

// Marshal writes header, payload and CRC to dst and returns the frame. dst must have room for
// FrameBytes(len(payload)) bytes; the length of payload replaces h.PayloadBytes.
func Marshal(dst []byte, h Header, payload []byte) Frame {
	h.PayloadBytes = len(payload)
	size := FrameBytes(len(payload))
	PutHeader(dst, h)
	copy(dst[HeaderBytes:size-CRCBytes], payload)
	binary.BigEndian.PutUint16(dst[size-CRCBytes:], Checksum(dst[:size-CRCBytes]))
	return Frame(dst[:size])
}

func (f Frame) readdress(destination uint32) {
	binary.BigEndian.PutUint32(f[offsetDestination:], destination)
	binary.BigEndian.PutUint16(f[len(f)-CRCBytes:], Checksum(f[:len(f)-CRCBytes]))
}

// Parse checks that data is one whole frame: version, kind, length and CRC.
func Parse(data []byte) (Frame, error) {
	if len(data) < FrameBytesMin {
		return nil, fmt.Errorf("frame: %d bytes; a frame has at least %d", len(data), FrameBytesMin)
	}
	if v := data[offsetVersionKind] >> 4; v != Version {
		return nil, fmt.Errorf("frame: version %d, want %d", v, Version)
	}
	f := Frame(data)
	if k := f.Kind(); k >= KindCount {
		return nil, fmt.Errorf("frame: %v is not data, ack or control", k)
	}
	if want := FrameBytes(f.Header().PayloadBytes); len(data) != want {
		return nil, fmt.Errorf("frame: %d bytes, its header says %d", len(data), want)
	}
	if !f.Valid() {
		return nil, fmt.Errorf("frame: CRC %#04x, want %#04x", f.CRC(), Checksum(data[:len(data)-CRCBytes]))
	}
	return f, nil
}

// Header returns the decoded header.
func (f Frame) Header() Header { return GetHeader(f) }

// Kind returns the kind of the frame.
func (f Frame) Kind() Kind { return Kind(f[offsetVersionKind] & 0xF) }

// Source returns the NIC that has sent the frame on this hop.
func (f Frame) Source() uint32 { return binary.BigEndian.Uint32(f[offsetSource:]) }

// Destination returns the addressee on this hop.
func (f Frame) Destination() uint32 { return binary.BigEndian.Uint32(f[offsetDestination:]) }

// Payload returns the bytes between header and CRC. The slice aliases f.
func (f Frame) Payload() []byte { return f[HeaderBytes : len(f)-CRCBytes] }

// CRC returns the checksum in the frame.
func (f Frame) CRC() uint16 { return binary.BigEndian.Uint16(f[len(f)-CRCBytes:]) }

// Valid reports whether the checksum is correct.
func (f Frame) Valid() bool { return f.CRC() == Checksum(f[:len(f)-CRCBytes]) }
