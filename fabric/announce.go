package fabric

import (
	"fmt"

	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
)

// This file checks what firmware announces (sl_deliver): a packet has come to stay. A
// processor is believed if the packet is its own, or if a good frame has brought the
// packet there before. That proves that the packet has been there, not that it is still
// there when the firmware says so.
//
// Only the one packet that belongs to a processor can be announced there without breaking
// the rule exactly_once anyway, so one byte per processor says it all, whatever came, and
// only the processor's own shard writes it.

// What a processor has received, beside its own packet.
const (
	evidencePacket     = 1 << iota // a frame with the packet that belongs here
	evidenceUnreadable             // a payload that the host cannot read as a packet
)

// ExpectAnnouncements prepares for firmware that announces packets. Frames then cost more.
func (d *Delivery) ExpectAnnouncements() { d.evidence = make([]uint8, len(d.Destination)) }

// Reset forgets what has arrived.
func (d *Delivery) Reset() {
	clear(d.Arrived)
	clear(d.evidence)
}

// State visits what has arrived. The destinations are the caller's.
func (d *Delivery) State(v *hw.StateVisitor) {
	hw.StateColumn(v, "arrived", d.Arrived)
	hw.StateColumn(v, "evidence", d.evidence, hw.AtMost[uint8](evidencePacket|evidenceUnreadable))
}

// belongs reports whether a packet's journey ends at a processor.
func (d *Delivery) belongs(processor int, origin uint32) bool {
	switch {
	case uint64(origin) >= uint64(len(d.Destination)):
		return false
	case d.Mode == ArriveEverywhere:
		return origin == d.Source
	case d.Mode == ArriveInGroup:
		return int(d.Destination[origin])/d.GroupSize == processor/d.GroupSize
	}
	return d.Destination[origin] == uint32(processor)
}

// noteBrought notes a packet that a good frame has brought to a processor.
func (d *Delivery) noteBrought(processor int, origin uint32) {
	if d.evidence != nil && d.belongs(processor, origin) {
		d.evidence[processor] |= evidencePacket
	}
}

// noteUnreadable notes a frame that carries something, and no packet that the host can
// read: a shorter payload, or one of an ack or a control frame.
func (d *Delivery) noteUnreadable(processor int, frame nic.FrameView) {
	if d.evidence != nil && frame.PayloadBytes() > 0 {
		d.evidence[processor] |= evidenceUnreadable
	}
}

// Announce checks a packet that firmware says has come to stay at a processor.
func (l *Ledger) Announce(processor int, origin, slot uint32) {
	l.Sum.Event(traces.EventHead(eventAnnounced, 0, 0, uint32(processor)), uint64(origin), 0, 0)
	d := l.Delivery
	if d.belongs(processor, origin) && origin != uint32(processor) && !d.brought(processor, origin) {
		if d.evidence == nil || d.evidence[processor]&evidenceUnreadable == 0 {
			if l.Checks.ExactlyOnce {
				l.Find(Finding{Kind: FindUnbacked, Slot: slot, Index: processor, Value: origin})
			}
			return
		}
		l.Frames.OnTrust++
	}
	if d.Mode != ArriveInGroup && l.Checks.ExactlyOnce {
		wrong := Finding{Slot: slot, Index: processor, Value: origin}
		switch {
		case int(origin) >= len(d.Destination):
			wrong.Kind, wrong.Text = FindMisrouted, fmt.Sprintf("announced a packet of processor %d; there are processors 0 to %d", origin, len(d.Destination)-1)
		case !d.belongs(processor, origin):
			wrong.Kind, wrong.Text = FindMisrouted, fmt.Sprintf("announced the packet of processor %d, which is not for it", origin)
		case d.Arrived[processor] > 0:
			wrong.Kind, wrong.Text = FindDuplicate, fmt.Sprintf("announced the packet of processor %d, which had arrived before", origin)
		}
		if wrong.Text != "" {
			l.Find(wrong)
			return
		}
	}
	before := d.Arrived[processor]
	l.Deliver(processor, origin, slot)
	if before == 0 && d.Arrived[processor] > 0 {
		l.Announced++
	}
}

// brought reports whether a frame has brought a packet to the processor where it belongs.
func (d *Delivery) brought(processor int, origin uint32) bool {
	if d.Mode == ArriveInGroup {
		// Several packets belong to every processor of the group; a frame is an arrival there.
		return d.Arrived[d.Destination[origin]] > 0
	}
	return d.evidence != nil && d.evidence[processor]&evidencePacket != 0
}
