package pcapng

import (
	"encoding/binary"
	"fmt"
)

// PseudoHeader is the byte view of what a capture puts before every frame,
// big-endian. It carries what the medium does not: when, which way, and what the
// receiver made of it.
//
//	byte  0         1           2        3          4 ... 7   8 ... 15   16 ...
//	     +---------+-----------+--------+----------+---------+----------+-------+
//	     | version | direction | status | reserved | slot    | cycle    | frame |
//	     +---------+-----------+--------+----------+---------+----------+-------+
//
// A received collision has no frame. A PseudoHeader is at least
// PseudoHeaderBytes long; ParsePseudoHeader checks foreign bytes.
type PseudoHeader []byte

// PseudoHeaderVersion is the only version that this package reads and writes.
const PseudoHeaderVersion = 1

// Byte offsets and sizes.
const (
	offsetVersion   = 0
	offsetDirection = 1
	offsetStatus    = 2
	offsetReserved  = 3
	offsetSlot      = 4
	offsetCycle     = 8

	// PseudoHeaderBytes is the length of the pseudo-header.
	PseudoHeaderBytes = 16
)

// Direction says whether the port sent or received the frame.
type Direction uint8

// The directions.
const (
	Sent     Direction = 0 // by the port
	Received Direction = 1 // by the port
)

// DirectionNames are indexed by Direction.
var DirectionNames = []string{"sent", "received"}

// String returns the direction's name.
func (d Direction) String() string {
	if int(d) < len(DirectionNames) {
		return DirectionNames[d]
	}
	return fmt.Sprintf("direction(%d)", uint8(d))
}

// Field describes one field of the pseudo-header, or of what a frame's owner puts
// after it: Bits bits that start Offset bits into the header. Names maps values to
// names where the field is an enumeration.
type Field struct {
	Name   string
	Offset int
	Bits   int
	Hex    bool
	Names  []string
	Doc    string
}

// PseudoHeaderFields is the definition that the Wireshark dissector is generated
// from, in wire order. The names of the statuses belong to the NIC.
var PseudoHeaderFields = []Field{
	{Name: "trace_version", Offset: 8 * offsetVersion, Bits: 8, Doc: "version of the pseudo-header"},
	{Name: "direction", Offset: 8 * offsetDirection, Bits: 8, Names: DirectionNames, Doc: "sent or received by this port"},
	{Name: "status", Offset: 8 * offsetStatus, Bits: 8, Doc: "what the receiver says; 0 when the frame was sent"},
	{Name: "reserved", Offset: 8 * offsetReserved, Bits: 8, Hex: true, Doc: "zero"},
	{Name: "slot", Offset: 8 * offsetSlot, Bits: 32, Doc: "slot of the run"},
	{Name: "cycle", Offset: 8 * offsetCycle, Bits: 64, Doc: "cycle of the run"},
}

// PutPseudoHeader writes a pseudo-header into the first PseudoHeaderBytes of b.
func PutPseudoHeader(b []byte, direction Direction, status uint8, slot uint32, cycle uint64) {
	_ = b[PseudoHeaderBytes-1]
	b[offsetVersion] = PseudoHeaderVersion
	b[offsetDirection] = uint8(direction)
	b[offsetStatus] = status
	b[offsetReserved] = 0
	binary.BigEndian.PutUint32(b[offsetSlot:], slot)
	binary.BigEndian.PutUint64(b[offsetCycle:], cycle)
}

// ParsePseudoHeader checks that b starts with a pseudo-header.
func ParsePseudoHeader(b []byte) (PseudoHeader, error) {
	if len(b) < PseudoHeaderBytes {
		return nil, fmt.Errorf("pseudo-header: %d bytes, it has %d", len(b), PseudoHeaderBytes)
	}
	if b[offsetVersion] != PseudoHeaderVersion {
		return nil, fmt.Errorf("pseudo-header: version %d, want %d", b[offsetVersion], PseudoHeaderVersion)
	}
	if int(b[offsetDirection]) >= len(DirectionNames) {
		return nil, fmt.Errorf("pseudo-header: %v is neither sent nor received", Direction(b[offsetDirection]))
	}
	if b[offsetReserved] != 0 {
		return nil, fmt.Errorf("pseudo-header: the reserved byte is %#02x, want 0", b[offsetReserved])
	}
	return PseudoHeader(b), nil
}

// Direction says which way the frame went.
func (p PseudoHeader) Direction() Direction { return Direction(p[offsetDirection]) }

// Status returns what the receiver said; 0 when the frame was sent.
func (p PseudoHeader) Status() uint8 { return p[offsetStatus] }

// Slot returns the slot.
func (p PseudoHeader) Slot() uint32 { return binary.BigEndian.Uint32(p[offsetSlot:]) }

// Cycle returns the cycle.
func (p PseudoHeader) Cycle() uint64 { return binary.BigEndian.Uint64(p[offsetCycle:]) }

// Frame returns the bytes after the pseudo-header; they alias p.
func (p PseudoHeader) Frame() []byte { return p[PseudoHeaderBytes:] }
