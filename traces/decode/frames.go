package decode

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
)

// Form describes frames of bytes.
type Form struct {
	Name     string // raw or ethernet
	Preamble bool   // an Ethernet preamble with start delimiter precedes each frame
	FCS      bool   // an Ethernet frame check sequence ends each frame
}

// Frame is a frame of bytes in a waveform, without preamble and without a correct frame check sequence.
type Frame struct {
	Lane  LaneID
	Cycle uint64 // cycle of the last transfer
	Bytes []byte
	Fault string // damage, "" for none
}

// Framer assembles frames of bytes from the transfers of many interfaces.
//
//	Put(lane, cycle, phit) ... Flush() --> emit(frame)
//
// A frame ends with last. Without last, it ends at the next first, or before the first cycle without a transfer.
// Frames are emitted in the order of their last cycles, then by lane.
type Framer struct {
	form  Form
	lanes []framing
	emit  func(*Frame) error
	err   error
}

type framing struct {
	first, last bool // the interface has these wires
	open        bool
	cycle       uint64
	bytes       []byte
	fault       string
}

// NewFramer returns a framer. It calls emit with every frame, which is valid until emit returns. An error from emit
// ends the framer.
func NewFramer(r *Reader, form Form, emit func(*Frame) error) *Framer {
	f := &Framer{form: form, lanes: make([]framing, len(r.lanes)), emit: emit}
	for i := range r.lanes {
		f.lanes[i].first, f.lanes[i].last = r.lanes[i].first != nil, r.lanes[i].last != nil
	}
	return f
}

// Packet captures have the same limit.
const frameBytesMax = 65535

// Put adds the phit of an interface in a cycle. Cycles must not decrease.
func (f *Framer) Put(lane LaneID, cycle uint64, p Phit) {
	l := &f.lanes[lane]
	switch {
	case p.Dark:
		if l.open && !l.first && !l.last {
			f.end(lane, "")
		}
		return
	case l.open && l.first && p.First:
		fault := ""
		if l.last {
			fault = "it has no last transfer"
		}
		f.end(lane, fault)
	}
	if !l.open {
		if l.first && !p.First {
			return // end of a frame that began before the recording
		}
		l.open, l.bytes, l.fault = true, l.bytes[:0], ""
	}
	l.cycle = cycle
	l.bytes = append(l.bytes, p.Octets...)
	if len(l.bytes) > frameBytesMax {
		l.bytes, l.fault = l.bytes[:frameBytesMax], fmt.Sprintf("it has more than %d bytes", frameBytesMax)
	}
	switch {
	case p.Unknown:
		l.fault = "x or z"
	case p.Bad && l.fault == "":
		l.fault = "its error signal is set"
	}
	if l.last && p.Last {
		f.end(lane, "")
	}
}

func (f *Framer) end(lane LaneID, fault string) {
	l := &f.lanes[lane]
	l.open = false
	frame := Frame{Lane: lane, Cycle: l.cycle, Bytes: l.bytes, Fault: l.fault}
	if frame.Fault == "" {
		frame.Fault = fault
	}
	f.form.open(&frame)
	if f.err == nil {
		f.err = f.emit(&frame)
	}
}

const (
	preambleByte   = 0x55
	startDelimiter = 0xD5
	fcsBytes       = 4
	// ethernetBytesMin is the size in bytes of an Ethernet header: destination, source and type.
	ethernetBytesMin = 14
)

func (form Form) open(f *Frame) {
	fail := func(what string) {
		if f.Fault == "" {
			f.Fault = what
		}
	}
	if form.Preamble {
		start := slices.IndexFunc(f.Bytes, func(b byte) bool { return b != preambleByte })
		if start < 0 || f.Bytes[start] != startDelimiter {
			fail("no preamble with its start delimiter")
		} else {
			f.Bytes = f.Bytes[start+1:]
		}
	}
	if form.FCS {
		at := len(f.Bytes) - fcsBytes
		if at < 0 || binary.LittleEndian.Uint32(f.Bytes[at:]) != crc32.ChecksumIEEE(f.Bytes[:at]) {
			fail("wrong frame check sequence")
		} else {
			f.Bytes = f.Bytes[:at]
		}
	}
	if form.Name == "ethernet" && len(f.Bytes) < ethernetBytesMin {
		fail("too short for an Ethernet frame")
	}
	if len(f.Bytes) == 0 {
		fail("no bytes")
	}
}

// Flush ends the stream, and emits open frames as damaged. It returns the first error from emit.
func (f *Framer) Flush() error {
	for lane := range f.lanes {
		if f.lanes[lane].open {
			f.end(LaneID(lane), "the waveform ends within it")
		}
	}
	return f.err
}
