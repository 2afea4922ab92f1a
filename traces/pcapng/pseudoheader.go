package pcapng

import (
	"encoding/binary"
	"fmt"
)

// PseudoHeader is the byte view of what a capture puts before every frame,
// big-endian. It carries what the medium does not: when, which way, and what the
// receiver made of it.
//
//	byte  0         1                       2 ... 3   4 ... 7   8 ... 15   16 ...
//	     +---------+-----------+-----------+---------+---------+----------+-------+
//	     | version | direction | status    | port    | slot    | cycle    | frame |
//	     |         | 4 bits    | 4 bits    |         |         |          |       |
//	     +---------+-----------+-----------+---------+---------+----------+-------+
//
// A received collision has no frame. A PseudoHeader is at least
// PseudoHeaderBytes long; ParsePseudoHeader checks foreign bytes.
type PseudoHeader []byte

// Header is what a pseudo-header says. A frame that was sent has no status: 0.
type Header struct {
	Direction Direction
	Status    uint8  // what the receiver says, below 16
	Port      uint16 // of the NIC; PortNone if that is not known
	Slot      uint32
	Cycle     uint64
}

// PortNone is the port of a frame of which only the interface is known.
const PortNone = 0xFFFF

// PseudoHeaderVersion is the only version that this package reads and writes. The first one had no port.
const PseudoHeaderVersion = 2

// Byte offsets and sizes.
const (
	offsetVersion   = 0
	offsetDirection = 1 // and status
	offsetPort      = 2
	offsetSlot      = 4
	offsetCycle     = 8
	statusBits      = 4
	statusMax       = 1<<statusBits - 1

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
	Absent uint32 // the value that is not shown, since it says that there is none; 0: all are shown
	Doc    string
}

// PseudoHeaderFields is the definition that the Wireshark dissector is generated
// from, in wire order. The names of the statuses belong to the NIC.
var PseudoHeaderFields = []Field{
	{Name: "trace_version", Offset: 8 * offsetVersion, Bits: 8, Doc: "version of the pseudo-header"},
	{Name: "direction", Offset: 8 * offsetDirection, Bits: 8 - statusBits, Names: DirectionNames, Doc: "sent or received by this port"},
	{Name: "status", Offset: 8*offsetDirection + 8 - statusBits, Bits: statusBits, Doc: "what the receiver says; 0 when the frame was sent"},
	{Name: "port", Offset: 8 * offsetPort, Bits: 16, Absent: PortNone, Doc: "port of the NIC"},
	{Name: "slot", Offset: 8 * offsetSlot, Bits: 32, Doc: "slot of the run"},
	{Name: "cycle", Offset: 8 * offsetCycle, Bits: 64, Doc: "cycle of the run"},
}

// PutPseudoHeader writes a pseudo-header into the first PseudoHeaderBytes of b.
func PutPseudoHeader(b []byte, h *Header) {
	_ = b[PseudoHeaderBytes-1]
	b[offsetVersion] = PseudoHeaderVersion
	b[offsetDirection] = uint8(h.Direction)<<statusBits | h.Status&statusMax
	binary.BigEndian.PutUint16(b[offsetPort:], h.Port)
	binary.BigEndian.PutUint32(b[offsetSlot:], h.Slot)
	binary.BigEndian.PutUint64(b[offsetCycle:], h.Cycle)
}

// ParsePseudoHeader checks that b starts with a pseudo-header.
func ParsePseudoHeader(b []byte) (PseudoHeader, error) {
	if len(b) < PseudoHeaderBytes {
		return nil, fmt.Errorf("pseudo-header: %d bytes, it has %d", len(b), PseudoHeaderBytes)
	}
	if b[offsetVersion] != PseudoHeaderVersion {
		return nil, fmt.Errorf("pseudo-header: version %d, want %d", b[offsetVersion], PseudoHeaderVersion)
	}
	if p := PseudoHeader(b); int(p.Direction()) >= len(DirectionNames) {
		return nil, fmt.Errorf("pseudo-header: %v is neither sent nor received", p.Direction())
	}
	return PseudoHeader(b), nil
}

// Direction says which way the frame went.
func (p PseudoHeader) Direction() Direction { return Direction(p[offsetDirection] >> statusBits) }

// Status returns what the receiver said; 0 when the frame was sent.
func (p PseudoHeader) Status() uint8 { return p[offsetDirection] & statusMax }

// Port returns the port of the NIC, PortNone if it is not known.
func (p PseudoHeader) Port() uint16 { return binary.BigEndian.Uint16(p[offsetPort:]) }

// Slot returns the slot.
func (p PseudoHeader) Slot() uint32 { return binary.BigEndian.Uint32(p[offsetSlot:]) }

// Cycle returns the cycle.
func (p PseudoHeader) Cycle() uint64 { return binary.BigEndian.Uint64(p[offsetCycle:]) }

// Frame returns the bytes after the pseudo-header; they alias p.
func (p PseudoHeader) Frame() []byte { return p[PseudoHeaderBytes:] }
