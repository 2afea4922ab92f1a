package nic

import (
	"encoding/binary"
	"fmt"

	"starloom/traces/pcapng"
)

// Frame is the byte view of one frame as it crosses the fabric, big-endian:
//
//	byte  0        1        2        3        4 ... 7   8 ... 11     12 13  14 ...    last 2
//	     +----+----+--------+--------+--------+---------+-------------+------+---------+--------+
//	     |ver |kind| flags  | payload bytes   | source  | destination | tag  | payload | CRC-16 |
//	     +----+----+--------+--------+--------+---------+-------------+------+---------+--------+
//
// Source is the NIC that sends this frame on this hop, so two frames that are
// on one medium in the same slot always differ. A packet's origin and final
// destination travel in the payload (see Packet).
//
// A Frame is at least FrameBytesMin long and always a whole frame; Marshal
// makes one and Parse checks foreign bytes.
type Frame []byte

// Version is the only frame version this package reads and writes.
const Version = 1

// Byte offsets and sizes of the wire format. FrameFields names every field for
// the gopacket layer and for the generated Wireshark dissector.
const (
	offsetVersionKind  = 0
	offsetFlags        = 1
	offsetPayloadBytes = 2
	offsetSource       = 4
	offsetDestination  = 8
	offsetTag          = 12

	// HeaderBytes is the length of everything before the payload.
	HeaderBytes = 14
	// CRCBytes is the length of the trailing CRC-16/CCITT-FALSE.
	CRCBytes = 2
	// FrameBytesMin is the length of a frame without payload.
	FrameBytesMin = HeaderBytes + CRCBytes
	// PayloadBytesMax is the largest payload that Starloom models, in bytes.
	PayloadBytesMax = 65504
	// PayloadBytesRTL is the largest payload of a NIC in RTL, or on a fabric with RTL.
	PayloadBytesRTL = 1024
)

// Kind says what a frame carries (4 bits on the wire).
type Kind uint8

// The frame kinds. Other values are illegal to send and are refused by Parse.
const (
	KindData    Kind = 0 // data
	KindAck     Kind = 1 // acknowledgement
	KindControl Kind = 2 // control
	// KindCount is the number of legal kinds.
	KindCount = 3
)

// String returns the name that reports, traces and the dissector use.
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

// AnyDestination addresses whoever hears the frame.
const AnyDestination = 0xFFFFFFFF

// ListedDestination addresses whom the sender's request list says: the NIC writes the one
// that was served in its place.
const ListedDestination = 0xFFFFFFFE

// TagAny is the tag filter of an output that takes requests with any tag.
const TagAny = 0xFFFF

// FrameFields is the frame definition that the Wireshark dissector is generated
// from, in wire order, the CRC (which follows the payload) not included.
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

// FrameBytes returns the length on the wire of a frame with the given payload.
func FrameBytes(payloadBytes int) int { return FrameBytesMin + payloadBytes }

// PutHeader writes h into the first HeaderBytes of b.
func PutHeader(b []byte, h Header) {
	_ = b[HeaderBytes-1]
	b[offsetVersionKind] = Version<<4 | uint8(h.Kind)
	b[offsetFlags] = h.Flags
	binary.BigEndian.PutUint16(b[offsetPayloadBytes:], uint16(h.PayloadBytes))
	binary.BigEndian.PutUint32(b[offsetSource:], h.Source)
	binary.BigEndian.PutUint32(b[offsetDestination:], h.Destination)
	binary.BigEndian.PutUint16(b[offsetTag:], h.Tag)
}

// GetHeader decodes the first HeaderBytes of b without judging them.
func GetHeader(b []byte) Header {
	_ = b[HeaderBytes-1]
	return Header{
		Kind:         Kind(b[offsetVersionKind] & 0xF),
		Flags:        b[offsetFlags],
		PayloadBytes: int(binary.BigEndian.Uint16(b[offsetPayloadBytes:])),
		Source:       binary.BigEndian.Uint32(b[offsetSource:]),
		Destination:  binary.BigEndian.Uint32(b[offsetDestination:]),
		Tag:          binary.BigEndian.Uint16(b[offsetTag:]),
	}
}

// Marshal writes header, payload and CRC into dst and returns the frame. dst
// must hold FrameBytes(len(payload)); h.PayloadBytes is taken from payload.
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

// Parse checks that b is one whole frame: version, kind, length and CRC.
func Parse(b []byte) (Frame, error) {
	if len(b) < FrameBytesMin {
		return nil, fmt.Errorf("frame: %d bytes, a frame has at least %d", len(b), FrameBytesMin)
	}
	if v := b[offsetVersionKind] >> 4; v != Version {
		return nil, fmt.Errorf("frame: version %d, want %d", v, Version)
	}
	f := Frame(b)
	if k := f.Kind(); k >= KindCount {
		return nil, fmt.Errorf("frame: %v is not data, ack or control", k)
	}
	if want := FrameBytes(f.Header().PayloadBytes); len(b) != want {
		return nil, fmt.Errorf("frame: %d bytes, its header says %d", len(b), want)
	}
	if !f.Valid() {
		return nil, fmt.Errorf("frame: CRC %#04x, want %#04x", f.CRC(), Checksum(b[:len(b)-CRCBytes]))
	}
	return f, nil
}

// Header returns the decoded header.
func (f Frame) Header() Header { return GetHeader(f) }

// Kind returns what the frame carries.
func (f Frame) Kind() Kind { return Kind(f[offsetVersionKind] & 0xF) }

// Source returns the NIC that sent the frame on this hop.
func (f Frame) Source() uint32 { return binary.BigEndian.Uint32(f[offsetSource:]) }

// Destination returns the addressee on this hop.
func (f Frame) Destination() uint32 { return binary.BigEndian.Uint32(f[offsetDestination:]) }

// Payload returns the bytes between header and CRC; it aliases f.
func (f Frame) Payload() []byte { return f[HeaderBytes : len(f)-CRCBytes] }

// CRC returns the checksum that the frame carries.
func (f Frame) CRC() uint16 { return binary.BigEndian.Uint16(f[len(f)-CRCBytes:]) }

// Valid reports whether the checksum fits the rest of the frame.
func (f Frame) Valid() bool { return f.CRC() == Checksum(f[:len(f)-CRCBytes]) }
