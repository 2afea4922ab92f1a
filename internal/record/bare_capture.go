package record

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"starloom/fabric/traffic"
	"starloom/hw"
	"starloom/internal/emulator"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/pcapng"
)

// bareCapture is a packet capture of a run without firmware, written after its end.
type bareCapture struct {
	file  *traces.File
	begin uint64 // its first cycle
}

// barePayload are the bytes of the pseudo frame of a packet: its number, the cycle in which it was created, its flits, and the
// routers that its head has passed.
const barePayload = 8 + 4 + 2 + 2

// write writes two pseudo frames for each packet: sent in the cycle in which its head is on the wire of its source, received
// in that of its tail at the sink; in the order of cycles, then of processors.
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
