// Package pcapng writes packet captures and reads them block by block. A packet is a pseudo-header with time,
// direction and the receiver's status, followed by the frame that a port has sent or received.
//
//	Packet(interface, direction, status, slot, cycle, frame)
//	--------------------------------------------------------> Writer --> run.pcapng --> Wireshark
//	                                                                          |
//	                  Block: section, interface, packet <-- Reader <----------+
//
// Package nic defines the contents of frames; it also writes Wireshark's dissector from PseudoHeaderFields.
//
//	pcapngtest       a strict reader of Starloom's captures, for tests
package pcapng

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// LinkType is the format of a capture's frames (www.tcpdump.org/linktypes.html).
type LinkType uint16

const (
	// LinkTypeUser0 is the link type of Starloom's frames, reserved for private use. The generated dissector
	// registers for this type.
	LinkTypeUser0 LinkType = 147
	// LinkTypeRaw is the link type of frames with an unknown format: LINKTYPE_USER1.
	LinkTypeRaw LinkType = 148
	// LinkTypeEthernet is the link type of Ethernet frames from the destination up to the frame check sequence.
	LinkTypeEthernet LinkType = 1
	// FrameBytesMax is the maximum length of a frame in a capture in bytes.
	FrameBytesMax = 65535

	application      = "Starloom"
	interfaceNameMax = 4096
)

// InterfaceID is 0, 1, 2 ... in the order of the first calls of Interface. The interface's number in the file may
// differ.
type InterfaceID uint32

// Writer writes a packet capture: every frame sent or received by a NIC, after a pseudo-header. An interface is a NIC
// or one of its ports; the pseudo-header contains the port. Numbers of interfaces in the file follow the order of
// their first packets; interfaces without packets are omitted. Time stamps have a resolution of 1 ns and one cycle is
// 1 ns, so they are cycle numbers. The file is a function of the calls: it does not depend on clock, host or
// operating system.
//
//	p, err := NewWriter(w, comment)
//	nic, err := p.Interface("net.unit[0].nic[3]")
//	err = p.Packet(nic, &Header{Direction: Sent, Port: 2, Slot: slot, Cycle: cycle}, frame)
//	err = p.Close()
//
// Packet and Close return the first error of the Writer. Packet allocates only for the first packet of an interface.
// A Writer must not be used concurrently.
type Writer struct {
	out    *bufio.Writer
	link   LinkType
	err    error
	closed bool

	paths   []string
	byPath  map[string]InterfaceID
	numbers []int32 // numbers in the file, interfaceUnused before the first packet
	used    int32   // interfaces in the file
	block   []byte  // of the file
}

const interfaceUnused = -1

// NewWriter returns a capture on w. The section header contains the comment of at most 65,535 bytes.
func NewWriter(w io.Writer, comment string) (*Writer, error) {
	if len(comment) > math.MaxUint16 {
		return nil, fmt.Errorf("pcapng: the comment has %d bytes; at most %d are allowed", len(comment), math.MaxUint16)
	}
	p := &Writer{out: bufio.NewWriter(w), link: LinkTypeUser0, byPath: map[string]InterfaceID{},
		block: make([]byte, packetBytes+PseudoHeaderBytes, 4096)}
	p.begin(blockSection)
	p.block = binary.LittleEndian.AppendUint32(p.block, sectionMagic)
	p.block = binary.LittleEndian.AppendUint32(p.block, 1)              // version 1.0
	p.block = binary.LittleEndian.AppendUint64(p.block, math.MaxUint64) // unspecified length
	p.option(optionUserAppl, application)
	if comment != "" {
		p.option(optionComment, comment)
	}
	p.option(optionEnd, "")
	return p, p.end()
}

// NewFrameWriter is NewWriter for frames of another link type, which the method Frame writes without a pseudo-header.
func NewFrameWriter(w io.Writer, comment string, link LinkType) (*Writer, error) {
	p, err := NewWriter(w, comment)
	if err == nil {
		p.link = link
	}
	return p, err
}

// Interface returns the interface with the given path, which is also its name. It writes nothing.
func (p *Writer) Interface(path string) (InterfaceID, error) {
	if id, ok := p.byPath[path]; ok {
		return id, nil
	}
	if path == "" || len(path) > interfaceNameMax {
		return 0, fmt.Errorf("pcapng: interface %.80q has %d characters; allowed: 1 to %d", path,
			len(path), interfaceNameMax)
	}
	for _, c := range []byte(path) {
		if c <= ' ' || c > '~' {
			return 0, fmt.Errorf("pcapng: interface %q: only printable ASCII without white space is allowed", path)
		}
	}
	id := InterfaceID(len(p.paths))
	p.byPath[path] = id
	p.paths = append(p.paths, path)
	p.numbers = append(p.numbers, interfaceUnused)
	return id, nil
}

// Packet writes a frame sent or received on an interface. The cycle must be below 2^63. Cycles may be out of order,
// but viewers expect ascending cycles. frame has at most FrameBytesMax bytes; A nil frame means that no frame was
// visible.
func (p *Writer) Packet(id InterfaceID, h *Header, frame []byte) error {
	if p.err != nil {
		return p.err
	}
	if h.Status > statusMax {
		return p.fail(h.Cycle, id, fmt.Errorf("status %d; a capture supports 0 to %d", h.Status, statusMax))
	}
	PutPseudoHeader(p.block[packetBytes:packetBytes+PseudoHeaderBytes], h)
	return p.write(id, h.Cycle, PseudoHeaderBytes, frame)
}

// Frame is Packet for NewFrameWriter.
func (p *Writer) Frame(id InterfaceID, cycle uint64, frame []byte) error {
	if p.err != nil {
		return p.err
	}
	return p.write(id, cycle, 0, frame)
}

func (p *Writer) write(id InterfaceID, cycle uint64, header int, frame []byte) error {
	switch {
	case p.closed:
		return p.fail(cycle, id, errors.New("packet after Close"))
	case cycle > math.MaxInt64:
		return p.fail(cycle, id, errors.New("cycles from 2^63 on have no timestamp"))
	case len(frame) > FrameBytesMax:
		return p.fail(cycle, id, fmt.Errorf("a frame of %d bytes; a capture supports up to %d", len(frame), FrameBytesMax))
	}
	if p.numbers[id] == interfaceUnused {
		if err := p.addInterface(id); err != nil {
			return p.fail(cycle, id, err)
		}
	}
	bytes, le := uint32(header+len(frame)), binary.LittleEndian
	p.block = append(p.block[:packetBytes+header], frame...)
	le.PutUint32(p.block, blockPacket)
	le.PutUint32(p.block[8:], uint32(p.numbers[id]))
	le.PutUint32(p.block[12:], uint32(cycle>>32))
	le.PutUint32(p.block[16:], uint32(cycle))
	le.PutUint32(p.block[20:], bytes)
	le.PutUint32(p.block[24:], bytes)
	if err := p.end(); err != nil {
		return p.fail(cycle, id, err)
	}
	return nil
}

// Close writes buffered data; it does not close the underlying writer. A capture without packets has only a section
// header. Close returns the first error of the Writer.
func (p *Writer) Close() error {
	if p.closed || p.err != nil {
		p.closed = true
		return p.err
	}
	p.closed = true
	if err := p.out.Flush(); err != nil {
		p.err = fmt.Errorf("pcapng: write: %w", err)
	}
	return p.err
}

// addInterface adds an interface to the file. The pseudo-header of the next packet remains in p.block.
func (p *Writer) addInterface(id InterfaceID) error {
	packet := p.block
	p.block = make([]byte, 0, len(p.paths[id])+64)
	p.begin(blockInterface)
	p.block = binary.LittleEndian.AppendUint32(p.block, uint32(p.link))
	p.block = binary.LittleEndian.AppendUint32(p.block, 0) // no limit of a packet
	p.option(optionName, p.paths[id])
	p.option(optionResolution, "\x09") // 1 ns
	p.option(optionEnd, "")
	err := p.end()
	p.block, p.numbers[id] = packet, p.used
	p.used++
	return err
}

// Blocks of the file (IETF draft-ietf-opsawg-pcapng).
const (
	blockSection   = 0x0A0D0D0A
	blockInterface = 1
	blockPacket    = 6
	packetBytes    = 28 // of a packet's block before the packet
	optionEnd      = 0
)

func (p *Writer) begin(kind uint32) {
	p.block = binary.LittleEndian.AppendUint32(p.block[:0], kind)
	p.block = binary.LittleEndian.AppendUint32(p.block, 0) // length, set by end
}

func (p *Writer) option(code uint16, value string) {
	p.block = binary.LittleEndian.AppendUint16(p.block, code)
	p.block = binary.LittleEndian.AppendUint16(p.block, uint16(len(value)))
	p.block = append(p.block, value...)
	p.pad()
}

func (p *Writer) pad() {
	for len(p.block)%4 != 0 {
		p.block = append(p.block, 0)
	}
}

// end writes the block with its length at both ends.
func (p *Writer) end() error {
	p.pad()
	length := uint32(len(p.block) + 4)
	binary.LittleEndian.PutUint32(p.block[4:], length)
	p.block = binary.LittleEndian.AppendUint32(p.block, length)
	_, err := p.out.Write(p.block)
	return err
}

func (p *Writer) fail(cycle uint64, id InterfaceID, err error) error {
	p.err = fmt.Errorf("pcapng: cycle %d: %s: %w", cycle, p.paths[id], err)
	return p.err
}
