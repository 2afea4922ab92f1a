package referees

import (
	"fmt"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// Held derives the packets held by processors from frames, to check the counts of firmware (sl_hold). Packets are
// counted at boundaries. A packet received in slot t and sent in slot u > t was held at the boundaries t+1 to u. A
// processor's own packet was held from boundary 0 to the slot in which it is sent.
//
//	slot        t      t+1     t+2  ...   u
//	boundary |-------|-------|-------|-------|
//	      received   held    held    held  sent
//
// The result is a lower bound. Frames reveal only packets that the processor sends on, and its own packet. Held
// tracks at most heldPackets packets per processor at a time. A packet is identified by its origin, which comes from
// the frame unchecked.
type Held struct {
	// heldPackets places per processor, the own packet first: the origin, the first boundary with the packet, and the
	// end of the boundaries at which frames show the packet; end <= since if frames show it at no boundary.
	origin, since, end []uint32
	next               []uint8 // by processor: next place to use
	others             []uint8 // by processor: maximum number of other processors' packets shown at once
	said               []uint8 // by processor: maximum number announced by firmware or derived from frames
}

// heldPackets is the number of places per processor.
const heldPackets = 8

// HeldBytes is the memory of Held in bytes per processor.
const HeldBytes = 3*4*heldPackets + 3

// NewHeld returns a Held with each processor's own packet.
func NewHeld(processors int) *Held {
	h := &Held{
		origin: make([]uint32, processors*heldPackets), since: make([]uint32, processors*heldPackets),
		end:  make([]uint32, processors*heldPackets),
		next: make([]uint8, processors), others: make([]uint8, processors), said: make([]uint8, processors),
	}
	h.Reset()
	return h
}

// Reset discards all packets except each processor's own.
func (h *Held) Reset() {
	for i := range h.origin {
		h.origin[i], h.since[i], h.end[i] = never, never, 0
	}
	for p := range h.next {
		h.origin[p*heldPackets], h.since[p*heldPackets] = uint32(p), 0
		h.next[p], h.others[p], h.said[p] = 1, 0, 0
	}
}

// Restart records that a processor has lost its packets at a boundary and has its own packet again.
func (h *Held) Restart(processor int, slot uint32) {
	first := processor * heldPackets
	for i := first; i < first+heldPackets; i++ {
		h.origin[i], h.since[i], h.end[i] = never, never, 0
	}
	h.origin[first], h.since[first] = uint32(processor), slot
	h.next[processor], h.others[processor] = 1, 0
}

// never marks a free place. No run reaches this boundary.
const never = 1<<32 - 1

// State visits the columns.
func (h *Held) State(v *hw.StateVisitor) {
	hw.StateColumn(v, hw.Future, "held.origin", h.origin)
	hw.StateColumn(v, hw.Future, "held.since", h.since)
	hw.StateColumn(v, hw.Future, "held.end", h.end)
	hw.StateColumn(v, hw.Future, "held.next", h.next, hw.AtMost[uint8](heldPackets-1))
	hw.StateColumn(v, hw.Future, "held.others", h.others)
	hw.StateColumn(v, hw.Future, "held.said", h.said)
}

func (h *Held) Scan(b *nic.Bank, cells []uint32) {
	for _, cell := range cells {
		p := b.First + int(cell)
		h.said[p] = max(h.said[p], b.Registers[cell].Held)
	}
}

// Received records a packet that a processor has received in a slot.
func (h *Held) Received(processor int, origin, slot uint32) {
	first := processor * heldPackets
	place := first
	if origin != uint32(processor) {
		place = h.find(processor, origin)
		// A completed interval remains, and the packet's next interval uses another place.
		if place < 0 || h.end[place] > h.since[place] {
			place = first + int(h.next[processor])
			h.next[processor] = h.next[processor]%(heldPackets-1) + 1
		}
	} else {
		h.others[processor] = 0 // the count starts again when the processor's own packet returns
	}
	h.origin[place], h.since[place], h.end[place] = origin, slot+1, 0
}

func (h *Held) find(processor int, origin uint32) int {
	first, found := processor*heldPackets, -1
	for i := first; i < first+heldPackets; i++ {
		if h.origin[i] == origin && (found < 0 || h.since[i] >= h.since[found]) {
			found = i
		}
	}
	return found
}

// Sent records a packet that a processor sends in a slot, and checks the limit.
func (h *Held) Sent(l *fabric.Ledger, processor int, origin, slot uint32) {
	shown := h.sent(processor, origin, slot)
	l.HeldMax = max(l.HeldMax, shown)
	said := &h.said[processor]
	if limit := l.Checks.HeldMax; limit > 0 && int(shown) > limit && shown > *said {
		l.Find(fabric.Finding{Kind: fabric.FindHeld, Slot: slot, Index: processor, Value: uint32(shown),
			Text: fmt.Sprintf("its frames show that it held %d packets at once; at most %d are allowed; its firmware "+
				"reported at most %d", shown, limit, *said)})
		*said = shown
	}
}

// sent records a packet that a processor sends in a slot. It returns the maximum number of simultaneous packets in
// the processor, according to frames, while it held this packet.
func (h *Held) sent(processor int, origin, slot uint32) (shown uint8) {
	place := h.find(processor, origin)
	if place < 0 {
		return 0
	}
	h.end[place] = slot + 1
	first := processor * heldPackets
	if place == first {
		return 1 + h.others[processor]
	}
	// the overlap of intervals has its maximum at the start of an interval
	for i := first; i < first+heldPackets; i++ {
		at := max(h.since[i], h.since[place])
		if at > slot {
			continue
		}
		others := uint8(0)
		for k := first + 1; k < first+heldPackets; k++ {
			if h.since[k] <= at && at < h.end[k] {
				others++
			}
		}
		if h.since[first] <= at {
			h.others[processor] = max(h.others[processor], others)
			if at < h.end[first] {
				others++
			}
		}
		shown = max(shown, others)
	}
	return shown
}
