package traces

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"starloom/traces/input"
)

// CaptureInfo says what is in a packet capture.
type CaptureInfo struct {
	Application string `json:"application,omitempty"`
	Comment     string `json:"comment,omitempty"`
	Packets     uint64 `json:"packets"`
	Bytes       int64  `json:"bytes"`

	// First and Last are the smallest and the largest cycle.
	First uint64 `json:"first_cycle"`
	Last  uint64 `json:"last_cycle"`

	Directions []Count         `json:"directions"`
	Statuses   []Count         `json:"statuses"` // of what was received
	Foreign    uint64          `json:"foreign,omitempty"`
	Interfaces []InterfaceInfo `json:"interfaces"`
}

// Count is how often something was.
type Count struct {
	Name  string `json:"name"`
	Count uint64 `json:"count"`
}

// InterfaceInfo is what went over one interface.
type InterfaceInfo struct {
	Name     string `json:"name"`
	Sent     uint64 `json:"sent"`
	Received uint64 `json:"received"`
}

// captureReader walks over the blocks of a capture.
type captureReader struct {
	path  string
	in    *bufio.Reader
	at    int64
	block []byte
}

const (
	// blockBytesMax is the longest block that is read: a packet of any length that
	// link type and snap length allow.
	blockBytesMax   = 16 << 20
	optionComment   = 1
	optionUserAppl  = 4
	captureRemedy   = "give a capture that Starloom wrote, or that Wireshark saved as pcapng on this machine"
	interfacesMax   = 1 << 22
	statusesCounted = 256
)

// next reads one block. It returns io.EOF at the end of the file.
func (c *captureReader) next() (kind uint32, body []byte, err error) {
	var head [8]byte
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return 0, nil, io.EOF
		}
		return 0, nil, c.cut(err)
	}
	kind, length := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	if kind == blockSection && length&0xFF == 0 && length > blockBytesMax {
		return 0, nil, c.fail("it is big-endian", "save it on a machine with Intel's byte order")
	}
	if length < blockBytesMin || length%4 != 0 || length > blockBytesMax {
		return 0, nil, c.fail(fmt.Sprintf("a block of %d bytes, expected %d to %d", length, blockBytesMin, blockBytesMax), captureRemedy)
	}
	c.block = slices.Grow(c.block[:0], int(length)-8)[:length-8]
	if _, err := io.ReadFull(c.in, c.block); err != nil {
		return 0, nil, c.cut(err)
	}
	if binary.LittleEndian.Uint32(c.block[length-12:]) != length {
		return 0, nil, c.fail("the lengths at both ends of a block differ", captureRemedy)
	}
	c.at += int64(length)
	return kind, c.block[:length-12], nil
}

func (c *captureReader) fail(reason, remedy string) *input.Error {
	return &input.Error{Place: c.path, Reason: fmt.Sprintf("byte %d: %s", c.at, reason), Remedy: remedy}
}

func (c *captureReader) cut(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return c.fail("the file ends within a block", "write it anew: its end is cut off")
	}
	return c.fail(fmt.Sprintf("cannot be read: %v", input.WithoutPath(err)), "check the disk")
}

// readCaptureInfo reads a capture block by block.
func readCaptureInfo(path string, o InfoOptions) (*CaptureInfo, error) {
	file, err := OpenInput(path)
	if err != nil {
		return nil, traceFileError(path, err)
	}
	defer file.Close()
	c := &captureReader{path: path, in: bufio.NewReaderSize(file, 1<<18)}
	t := captureTally{info: &CaptureInfo{Interfaces: []InterfaceInfo{}}, names: map[string]int{}}
	for blocks := 0; ; blocks++ {
		if blocks%checkEvery == 0 {
			if err := o.Interrupted(); err != nil {
				return nil, err
			}
		}
		kind, body, err := c.next()
		if errors.Is(err, io.EOF) {
			return t.finish(c.at, o.StatusNames), nil
		}
		if err == nil {
			err = t.block(c, kind, body)
		}
		if err != nil {
			return nil, err
		}
	}
}

// captureTally counts what a capture holds.
type captureTally struct {
	info     *CaptureInfo
	numbers  []int          // index into info.Interfaces of the section's interfaces
	names    map[string]int // the same by name
	statuses [statusesCounted]uint64
	received uint64
	sent     uint64
	started  bool
}

func (t *captureTally) block(c *captureReader, kind uint32, body []byte) error {
	switch kind {
	case blockSection:
		if len(body) < 16 || binary.LittleEndian.Uint32(body) != sectionMagic {
			return c.fail("a section header without the byte order's mark", captureRemedy)
		}
		t.numbers = t.numbers[:0]
		if t.info.Application == "" && t.info.Comment == "" {
			t.info.Application, t.info.Comment = optionText(body[16:], optionUserAppl), optionText(body[16:], optionComment)
		}
	case blockInterface:
		if len(body) < 8 || len(t.numbers) == interfacesMax {
			return c.fail("an interface that is too short, or one too many", captureRemedy)
		}
		t.addInterface(optionText(body[8:], optionName))
	case blockPacket:
		return t.packet(c, body)
	}
	return nil // other tools add names and statistics
}

func (t *captureTally) addInterface(name string) {
	if name == "" {
		name = fmt.Sprintf("interface %d", len(t.numbers))
	}
	i, ok := t.names[name]
	if !ok {
		i = len(t.info.Interfaces)
		t.names[name] = i
		t.info.Interfaces = append(t.info.Interfaces, InterfaceInfo{Name: name})
	}
	t.numbers = append(t.numbers, i)
}

func (t *captureTally) packet(c *captureReader, body []byte) error {
	if len(body) < 20 {
		return c.fail("a packet that is too short", captureRemedy)
	}
	number, captured := binary.LittleEndian.Uint32(body), binary.LittleEndian.Uint32(body[12:])
	if uint64(number) >= uint64(len(t.numbers)) || uint64(captured) > uint64(len(body)-20) {
		return c.fail(fmt.Sprintf("a packet of %d bytes on interface %d of %d", captured, number, len(t.numbers)), captureRemedy)
	}
	t.info.Packets++
	header, err := ParsePseudoHeader(body[20 : 20+captured])
	if err != nil {
		t.info.Foreign++ // of another program
		return nil
	}
	at := &t.info.Interfaces[t.numbers[number]]
	if header.Direction() == Sent {
		t.sent++
		at.Sent++
	} else {
		t.received++
		at.Received++
		t.statuses[header.Status()]++
	}
	cycle := header.Cycle()
	if !t.started {
		t.started, t.info.First, t.info.Last = true, cycle, cycle
	}
	t.info.First, t.info.Last = min(t.info.First, cycle), max(t.info.Last, cycle)
	return nil
}

func (t *captureTally) finish(bytes int64, statusNames []string) *CaptureInfo {
	t.info.Bytes = bytes
	t.info.Directions = []Count{{Sent.String(), t.sent}, {Received.String(), t.received}}
	t.info.Statuses = []Count{}
	for status, count := range t.statuses {
		if count == 0 {
			continue
		}
		name := fmt.Sprintf("status %d", status)
		if status < len(statusNames) {
			name = statusNames[status]
		}
		t.info.Statuses = append(t.info.Statuses, Count{name, count})
	}
	return t.info
}

// optionText returns the text of an option, "" if it is missing or broken.
func optionText(options []byte, wanted uint16) string {
	for len(options) >= 4 {
		code, length := binary.LittleEndian.Uint16(options), int(binary.LittleEndian.Uint16(options[2:]))
		if 4+length > len(options) || code == 0 {
			return ""
		}
		if code == wanted {
			return string(options[4 : 4+length])
		}
		options = options[min(4+(length+3)&^3, len(options)):]
	}
	return ""
}

// interfacesShown is how many interfaces the text shows.
const interfacesShown = 5

// write writes the information as text.
func (i *CaptureInfo) write(w io.Writer) {
	t := newTable(w)
	t.row("kind", "pcapng")
	if i.Application != "" {
		t.row("written by", "%s", i.Application)
	}
	t.lines("comment", i.Comment)
	t.row("packets", "%d", i.Packets)
	if i.Packets > i.Foreign {
		t.row("cycles", "%d to %d", i.First, i.Last)
	}
	for _, d := range i.Directions {
		t.row("direction", "%s  %d", d.Name, d.Count)
	}
	for _, s := range i.Statuses {
		t.row("received", "%s  %d", s.Name, s.Count)
	}
	if i.Foreign > 0 {
		t.row("foreign", "%d packets without Starloom's pseudo-header", i.Foreign)
	}
	t.row("interfaces", "%d", len(i.Interfaces))
	for _, p := range i.Interfaces[:min(len(i.Interfaces), interfacesShown)] {
		t.row("interfaces", "%s  %d sent, %d received", p.Name, p.Sent, p.Received)
	}
	if more := len(i.Interfaces) - interfacesShown; more > 0 {
		t.row("interfaces", "and %d more", more)
	}
	t.flush()
}
