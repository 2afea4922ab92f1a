package record

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/traffic"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/pcapng"
)

// capture writes every frame at every port to a pcapng file, with an interface per NIC or per port.
type capture struct {
	pcapng     *pcapng.Writer
	interfaces map[uint64]pcapng.InterfaceID // interfaces by processor, or by processor and port
}

func openCapture(m *emulator.Machine, file *traces.File) (*capture, error) {
	out, err := pcapng.NewWriter(file,
		strings.Join(traceComments(m.Config, m.Seed, "firmware "+m.Image.Name+" sha256 "+m.Image.SHA256), "\n"))
	if err != nil {
		return nil, err
	}
	return &capture{pcapng: out, interfaces: map[uint64]pcapng.InterfaceID{}}, nil
}

// slot writes the frames received in the previous slot and the frames sent, sorted by cycle, then processor. Frames
// of NICs and lanes that require a grant were sent in the previous slot; other frames are sent in the beginning slot.
func (c *capture) slot(m *emulator.Machine) error {
	if fabric.RoutersOf(m.Network) != nil {
		return c.streamed(m)
	}
	return errors.Join(c.sent(m, true), c.heard(m), c.sent(m, false))
}

// streamed writes the frames of a tick, sorted by cycle, then processor. The send cycle of a streaming frame is the
// cycle in which its head is on the wire. The frame is reported in the tick in which its tail leaves.
func (c *capture) streamed(m *emulator.Machine) error {
	type event struct {
		*fabric.Captured
		port      uint16
		direction pcapng.Direction
		cycle     uint64
	}
	var events []event
	timing := m.Timing()
	for i := range m.Shards {
		l := &m.Shards[i].Ledger
		for k := range l.Sent {
			sent := &l.Sent[k]
			first, end := sent.Port, sent.Port+1
			if sent.Port == nic.PortAll {
				first, end = 0, uint16(m.Shape.PortsOf(sent.Processor))
			}
			for port := first; port < end; port++ {
				events = append(events, event{sent, port, pcapng.Sent, sent.Cycle(timing.FirstPhitCycle(sent.Slot))})
			}
		}
		for k := range l.Heard {
			heard := &l.Heard[k]
			events = append(events, event{heard, heard.Port, pcapng.Received, heard.Cycle(timing.LastPhitCycle(heard.Slot))})
		}
	}
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.cycle, b.cycle), cmp.Compare(a.Processor, b.Processor))
	})
	for _, e := range events {
		if err := c.packet(m, *e.Captured, e.port, e.direction, e.cycle); err != nil {
			return err
		}
	}
	return nil
}

func (c *capture) heard(m *emulator.Machine) error {
	for i := range m.Shards {
		l := &m.Shards[i].Ledger
		byProcessor(l.Heard)
		for _, heard := range l.Heard {
			if err := c.packet(m, heard, heard.Port, pcapng.Received, m.Timing().LastPhitCycle(heard.Slot)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *capture) sent(m *emulator.Machine, before bool) error {
	for i := range m.Shards {
		l := &m.Shards[i].Ledger
		byProcessor(l.Sent)
		for _, sent := range l.Sent {
			if sent.Slot < m.Slots() != before {
				continue
			}
			cycle := m.Timing().FirstPhitCycle(sent.Slot)
			if sent.Port != nic.PortAll {
				if err := c.packet(m, sent, sent.Port, pcapng.Sent, cycle); err != nil {
					return err
				}
				continue
			}
			for port := range uint16(m.Shape.Ports) {
				if err := c.packet(m, sent, port, pcapng.Sent, cycle); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func byProcessor(frames []fabric.Captured) {
	slices.SortStableFunc(frames, func(a, b fabric.Captured) int { return cmp.Compare(a.Processor, b.Processor) })
}

func (c *capture) packet(m *emulator.Machine, captured fabric.Captured, port uint16,
	direction pcapng.Direction, cycle uint64) error {
	key := uint64(captured.Processor) << 16
	if m.Config.PerPort {
		key |= uint64(port)
	}
	id, ok := c.interfaces[key]
	if !ok {
		name, err := m.Names.Processor(captured.Processor), error(nil)
		if m.Config.PerPort {
			name = m.Names.Port(captured.Processor, port)
		}
		if id, err = c.pcapng.Interface(name); err != nil {
			return err
		}
		c.interfaces[key] = id
	}
	h := pcapng.Header{Direction: direction, Port: port, Slot: captured.Slot, Cycle: cycle}
	if direction == pcapng.Received {
		h.Status = uint8(captured.Status)
	}
	return c.pcapng.Packet(id, &h, captured.Frame)
}

// traceComments describes the run of a trace in printable ASCII without dollar signs, which are special in a VCD.
func traceComments(c *config.Config, seed uint64, further ...string) []string {
	lines := append([]string{"scenario " + c.Name, "scenario-sha256 " + c.Source.Hash(),
		fmt.Sprintf("seed %d", seed)}, further...)
	for i, line := range lines {
		lines[i] = strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' || r == '$' {
				return '?'
			}
			return r
		}, line)
	}
	return lines
}

// bareCapture is the packet capture of a run without firmware, written after the run.
type bareCapture struct {
	file  *traces.File
	begin uint64
}

// barePayload is the size in bytes of a packet's pseudo frame: its number, creation cycle, flits, and the routers
// passed by its head.
const barePayload = 8 + 4 + 2 + 2

// write writes two pseudo frames for each packet. The packet is sent when its head is on the wire of its source, and
// received when its tail is at the sink. The frames are sorted by cycle, then processor.
func (c *bareCapture) write(m *emulator.Machine) error {
	out, err := pcapng.NewWriter(c.file, strings.Join(traceComments(m.Config, m.Seed), "\n"))
	if err != nil {
		return err
	}
	type event struct {
		cycle, processor, packet uint32
		direction                pcapng.Direction
	}
	var events []event
	p := m.Referee.(*traffic.Bare)
	note := func(at, wire, processor, packet uint32, direction pcapng.Direction) {
		if at != hw.PacketPending && uint64(at+wire) >= c.begin {
			events = append(events, event{at + wire, processor, packet, direction})
		}
	}
	for i := range uint32(p.Count()) {
		note(p.Sent[i], 1, p.Source[i], i, pcapng.Sent)
		note(p.Received[i], 0, p.Destination[i], i, pcapng.Received)
	}
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.cycle, b.cycle), cmp.Compare(a.processor, b.processor))
	})
	names, interfaces := m.Names, map[uint32]pcapng.InterfaceID{}
	frame := make([]byte, nic.FrameBytes(barePayload))
	for _, e := range events {
		id, known := interfaces[e.processor]
		if !known {
			name := names.Processor(int(e.processor))
			if m.Config.PerPort {
				name = names.Port(int(e.processor), 0)
			}
			if id, err = out.Interface(name); err != nil {
				return err
			}
			interfaces[e.processor] = id
		}
		h := pcapng.Header{Direction: e.direction, Slot: e.cycle, Cycle: uint64(e.cycle)}
		hops := uint16(0)
		if e.direction == pcapng.Received {
			h.Status, hops = uint8(nic.StatusOK), p.Hops[e.packet]
		}
		var payload [barePayload]byte
		binary.BigEndian.PutUint64(payload[:], p.ID(e.packet))
		binary.BigEndian.PutUint32(payload[8:], p.Created[e.packet])
		binary.BigEndian.PutUint16(payload[12:], p.Size[e.packet])
		binary.BigEndian.PutUint16(payload[14:], hops)
		nic.Marshal(frame, nic.Header{Kind: nic.KindData, Source: p.Source[e.packet], Destination: p.Destination[e.packet],
			Tag: uint16(p.ID(e.packet))}, payload[:])
		if err := out.Packet(id, &h, frame); err != nil {
			return err
		}
	}
	return out.Close()
}
