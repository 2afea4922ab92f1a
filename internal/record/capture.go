package record

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/internal/emulator"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/pcapng"
)

// capture writes every frame at every port into a pcapng file, with an interface for each NIC or for each port.
type capture struct {
	pcapng     *pcapng.Writer
	interfaces map[uint64]pcapng.InterfaceID // by processor and, if it is that fine, port
}

func openCapture(m *emulator.Machine, file *traces.File) (*capture, error) {
	out, err := pcapng.NewWriter(file, strings.Join(traceComments(m.Config, m.Seed, "firmware "+m.Image.Name+" sha256 "+m.Image.SHA256), "\n"))
	if err != nil {
		return nil, err
	}
	return &capture{pcapng: out, interfaces: map[uint64]pcapng.InterfaceID{}}, nil
}

// slot writes what was heard in the slot before and what was sent, in that slot by NICs, or lanes of them, that
// must ask first and else in the one that begins: in the order of cycles, then of processors.
func (c *capture) slot(m *emulator.Machine) error {
	if fabric.RoutersOf(m.Network) != nil {
		return c.streamed(m)
	}
	return errors.Join(c.sent(m, true), c.heard(m), c.sent(m, false))
}

// streamed writes the frames of a tick in the order of cycles, then of processors: a frame that streams is sent in the cycle in which
// its head is on the wire, and is told in the tick in which its tail has left.
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

// sent writes what was sent in the slot before, or in the one that begins.
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

func (c *capture) packet(m *emulator.Machine, captured fabric.Captured, port uint16, direction pcapng.Direction, cycle uint64) error {
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
