package pcapng

import (
	"encoding/binary"
	"fmt"
)

// PseudoHeader is the header before every frame of a capture, big-endian. It adds three properties that are not on
// the medium: time, direction and the receiver's status.
//
//	byte  0         1                       2 ... 3   4 ... 7   8 ... 15   16 ...
//	     +---------+-----------+-----------+---------+---------+----------+-------+
//	     | version | direction | status    | port    | slot    | cycle    | frame |
//	     |         | 4 bits    | 4 bits    |         |         |          |       |
//	     +---------+-----------+-----------+---------+---------+----------+-------+
//
// A received collision has no frame. A PseudoHeader has at least PseudoHeaderBytes bytes; ParsePseudoHeader checks
// input.
type PseudoHeader []byte

// Header holds the fields of a pseudo-header. Sent frames have status 0.
type Header struct {
	Direction Direction
	Status    uint8  // receiver status, below 16
	Port      uint16 // port of the NIC, PortNone if unknown
	Slot      uint32
	Cycle     uint64
}

// PortNone is the port of a frame with a known interface and an unknown port.
const PortNone = 0xFFFF

// PseudoHeaderVersion is the only supported version. Version 1 had no port.
const PseudoHeaderVersion = 2

// Byte offsets and sizes.
const (
	offsetVersion   = 0
	offsetDirection = 1 // also the status
	offsetPort      = 2
	offsetSlot      = 4
	offsetCycle     = 8
	statusBits      = 4
	statusMax       = 1<<statusBits - 1

	// PseudoHeaderBytes is the length of the pseudo-header.
	PseudoHeaderBytes = 16
)

// Direction is the direction of a frame at its port.
type Direction uint8

// The directions.
const (
	Sent     Direction = 0 // sent by the port
	Received Direction = 1 // received by the port
)

// DirectionNames are indexed by Direction.
var DirectionNames = []string{"sent", "received"}

func (d Direction) String() string {
	if int(d) < len(DirectionNames) {
		return DirectionNames[d]
	}
	return fmt.Sprintf("direction(%d)", uint8(d))
}

// Field describes a field of the pseudo-header, or of the data after it. The field has Bits bits at bit Offset.
type Field struct {
	Name   string
	Offset int
	Bits   int
	Hex    bool
	Names  []string
	Absent uint32 // value that means absent and is not shown; 0 shows all values
	Doc    string
}

// PseudoHeaderFields defines the fields for the generated Wireshark dissector, in wire order. The NIC names the
// statuses.
var PseudoHeaderFields = []Field{
	{Name: "trace_version", Offset: 8 * offsetVersion, Bits: 8, Doc: "version of the pseudo-header"},
	{Name: "direction", Offset: 8 * offsetDirection, Bits: 8 - statusBits, Names: DirectionNames,
		Doc: "sent or received by this port"},
	{Name: "status", Offset: 8*offsetDirection + 8 - statusBits, Bits: statusBits,
		Doc: "status of the receiver; 0 for a sent frame"},
	{Name: "port", Offset: 8 * offsetPort, Bits: 16, Absent: PortNone, Doc: "port of the NIC"},
	{Name: "slot", Offset: 8 * offsetSlot, Bits: 32, Doc: "slot of the run"},
	{Name: "cycle", Offset: 8 * offsetCycle, Bits: 64, Doc: "cycle of the run"},
}

// PutPseudoHeader writes a pseudo-header into the first PseudoHeaderBytes of buffer.
func PutPseudoHeader(buffer []byte, h *Header) {
	_ = buffer[PseudoHeaderBytes-1]
	buffer[offsetVersion] = PseudoHeaderVersion
	buffer[offsetDirection] = uint8(h.Direction)<<statusBits | h.Status&statusMax
	binary.BigEndian.PutUint16(buffer[offsetPort:], h.Port)
	binary.BigEndian.PutUint32(buffer[offsetSlot:], h.Slot)
	binary.BigEndian.PutUint64(buffer[offsetCycle:], h.Cycle)
}

// ParsePseudoHeader checks that data starts with a pseudo-header.
func ParsePseudoHeader(data []byte) (PseudoHeader, error) {
	if len(data) < PseudoHeaderBytes {
		return nil, fmt.Errorf("pseudo-header: %d bytes, it has %d", len(data), PseudoHeaderBytes)
	}
	if data[offsetVersion] != PseudoHeaderVersion {
		return nil, fmt.Errorf("pseudo-header: version %d, want %d", data[offsetVersion], PseudoHeaderVersion)
	}
	if p := PseudoHeader(data); int(p.Direction()) >= len(DirectionNames) {
		return nil, fmt.Errorf("pseudo-header: %v is neither sent nor received", p.Direction())
	}
	return PseudoHeader(data), nil
}

// Direction returns the direction of the frame.
func (p PseudoHeader) Direction() Direction { return Direction(p[offsetDirection] >> statusBits) }

// Status returns the receiver status, 0 for a sent frame.
func (p PseudoHeader) Status() uint8 { return p[offsetDirection] & statusMax }

// Port returns the port of the NIC, PortNone if unknown.
func (p PseudoHeader) Port() uint16 { return binary.BigEndian.Uint16(p[offsetPort:]) }

// Slot returns the slot.
func (p PseudoHeader) Slot() uint32 { return binary.BigEndian.Uint32(p[offsetSlot:]) }

// Cycle returns the cycle.
func (p PseudoHeader) Cycle() uint64 { return binary.BigEndian.Uint64(p[offsetCycle:]) }

// Frame returns the bytes after the pseudo-header; they alias p.
func (p PseudoHeader) Frame() []byte { return p[PseudoHeaderBytes:] }
