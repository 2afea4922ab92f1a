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
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
)

const (
	// LinkTypeUser0 is the link type of Starloom's frames, reserved for private use. The generated dissector
	// registers for this type.
	LinkTypeUser0 = layers.LinkType(147)
	// LinkTypeRaw is the link type of frames with an unknown format: LINKTYPE_USER1.
	LinkTypeRaw = layers.LinkType(148)
	// LinkTypeEthernet is the link type of Ethernet frames from the destination up to the frame check sequence.
	LinkTypeEthernet = layers.LinkTypeEthernet
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
	w       io.Writer
	ng      *pcapgo.NgWriter
	section pcapgo.NgSectionInfo
	link    layers.LinkType
	err     error
	closed  bool

	paths   []string
	byPath  map[string]InterfaceID
	numbers []int32 // numbers in the file, interfaceUnused before the first packet
	packet  []byte
}

const interfaceUnused = -1

// NewWriter returns a capture on w. The section header contains the comment of at most 65,535 bytes.
func NewWriter(w io.Writer, comment string) (*Writer, error) {
	if len(comment) > math.MaxUint16 {
		return nil, fmt.Errorf("pcapng: the comment has %d bytes; at most %d are allowed", len(comment), math.MaxUint16)
	}
	return &Writer{
		w:       w,
		section: pcapgo.NgSectionInfo{Application: application, Comment: comment},
		link:    LinkTypeUser0,
		byPath:  map[string]InterfaceID{},
		packet:  make([]byte, PseudoHeaderBytes, PseudoHeaderBytes+2048),
	}, nil
}

// NewFrameWriter is NewWriter for frames of another link type, which the method Frame writes without a pseudo-header.
func NewFrameWriter(w io.Writer, comment string, link layers.LinkType) (*Writer, error) {
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
	PutPseudoHeader(p.packet, h)
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
	p.packet = append(p.packet[:header], frame...)
	info := gopacket.CaptureInfo{
		Timestamp:      time.Unix(0, int64(cycle)),
		CaptureLength:  len(p.packet),
		Length:         len(p.packet),
		InterfaceIndex: int(p.numbers[id]),
	}
	if err := p.ng.WritePacket(info, p.packet); err != nil {
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
	var err error
	if p.ng == nil {
		err = p.writeEmpty()
	} else {
		err = p.ng.Flush()
	}
	if err != nil {
		p.err = fmt.Errorf("pcapng: write: %w", err)
	}
	return p.err
}

// addInterface adds an interface to the file. For the first interface it also writes the section header.
func (p *Writer) addInterface(id InterfaceID) error {
	description := p.describe(p.paths[id])
	if p.ng == nil {
		ng, err := pcapgo.NewNgWriterInterface(p.w, description, pcapgo.NgWriterOptions{SectionInfo: p.section})
		if err != nil {
			return err
		}
		p.ng = ng
		p.numbers[id] = 0
		return nil
	}
	number, err := p.ng.AddInterface(description)
	if err != nil {
		return err
	}
	p.numbers[id] = int32(number)
	return nil
}

// describe omits the operating system, which gopacket adds by default.
func (p *Writer) describe(name string) pcapgo.NgInterface {
	return pcapgo.NgInterface{Name: name, LinkType: p.link, TimestampResolution: 9}
}

// writeEmpty writes only the section header, without the interface that gopacket always adds.
func (p *Writer) writeEmpty() error {
	var b bytes.Buffer
	ng, err := pcapgo.NewNgWriterInterface(&b, p.describe(""), pcapgo.NgWriterOptions{SectionInfo: p.section})
	if err != nil {
		return err
	}
	if err := ng.Flush(); err != nil {
		return err
	}
	length := binary.LittleEndian.Uint32(b.Bytes()[4:])
	_, err = p.w.Write(b.Bytes()[:length])
	return err
}

func (p *Writer) fail(cycle uint64, id InterfaceID, err error) error {
	p.err = fmt.Errorf("pcapng: cycle %d: %s: %w", cycle, p.paths[id], err)
	return p.err
}
