package referees

import (
	"fmt"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// Held follows what frames show of the packets that processors hold, as a check of what
// firmware says (sl_hold). Packets held are counted at a boundary, after what the slot
// before has brought and before what the next slot takes: a packet that was received in
// slot t and sent in slot u > t was held at the boundaries t+1 to u, and a processor's own
// packet from boundary 0 to the slot that sends it.
//
//	slot        t      t+1     t+2  ...   u
//	boundary |-------|-------|-------|-------|
//	      received   held    held    held  sent
//
// What is shown is a lower bound. Frames do not show a packet that is neither sent on nor
// the processor's own, and of others heldPackets are remembered at a time. A packet is known
// by its origin; what the frame says is not doubted.
type Held struct {
	// Packets, heldPackets per processor, the own one first: its origin; the first boundary
	// at which it is there; and the end of those at which it has been shown to be there,
	// which is since or less if it has not.
	origin, since, end []uint32
	next               []uint8 // per processor: the place that is used next
	others             []uint8 // per processor: most packets shown at once beside the own one
	said               []uint8 // per processor: the most that its firmware has said, or that was found
}

// heldPackets is the number of packets that are remembered of a processor.
const heldPackets = 8

// HeldBytes is what Held takes for one processor.
const HeldBytes = 3*4*heldPackets + 3

// NewHeld starts with every processor's own packet.
func NewHeld(processors int) *Held {
	h := &Held{
		origin: make([]uint32, processors*heldPackets), since: make([]uint32, processors*heldPackets), end: make([]uint32, processors*heldPackets),
		next: make([]uint8, processors), others: make([]uint8, processors), said: make([]uint8, processors),
	}
	h.Reset()
	return h
}

// Reset forgets everything.
func (h *Held) Reset() {
	for i := range h.origin {
		h.origin[i], h.since[i], h.end[i] = never, never, 0
	}
	for p := range h.next {
		h.origin[p*heldPackets], h.since[p*heldPackets] = uint32(p), 0
		h.next[p], h.others[p], h.said[p] = 1, 0, 0
	}
}

// Restart notes that a processor has forgotten its packets at a boundary, and has its own again.
func (h *Held) Restart(processor int, slot uint32) {
	first := processor * heldPackets
	for i := first; i < first+heldPackets; i++ {
		h.origin[i], h.since[i], h.end[i] = never, never, 0
	}
	h.origin[first], h.since[first] = uint32(processor), slot
	h.next[processor], h.others[processor] = 1, 0
}

// never is a boundary that no run reaches, for places that are free.
const never = 1<<32 - 1

// State visits all columns.
func (h *Held) State(v *hw.StateVisitor) {
	hw.StateColumn(v, "held.origin", h.origin)
	hw.StateColumn(v, "held.since", h.since)
	hw.StateColumn(v, "held.end", h.end)
	hw.StateColumn(v, "held.next", h.next, hw.AtMost[uint8](heldPackets-1))
	hw.StateColumn(v, "held.others", h.others)
	hw.StateColumn(v, "held.said", h.said)
}

func (h *Held) Scan(b *nic.Bank, cells []uint32) {
	for _, cell := range cells {
		p := b.First + int(cell)
		h.said[p] = max(h.said[p], b.Registers[cell].Held)
	}
}

// Received notes a packet that a slot has brought to a processor.
func (h *Held) Received(processor int, origin, slot uint32) {
	first := processor * heldPackets
	place := first
	if origin != uint32(processor) {
		place = h.find(processor, origin)
		// An interval that has been shown stays; the packet's next one takes another place.
		if place < 0 || h.end[place] > h.since[place] {
			place = first + int(h.next[processor])
			h.next[processor] = h.next[processor]%(heldPackets-1) + 1
		}
	} else {
		h.others[processor] = 0 // of the time since it is back
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

// Sent notes a packet that a processor sends in a slot, and what that shows.
func (h *Held) Sent(l *fabric.Ledger, processor int, origin, slot uint32) {
	shown := h.sent(processor, origin, slot)
	l.HeldMax = max(l.HeldMax, shown)
	said := &h.said[processor]
	if limit := l.Checks.HeldMax; limit > 0 && int(shown) > limit && shown > *said {
		l.Find(fabric.Finding{Kind: fabric.FindHeld, Slot: slot, Index: processor, Value: uint32(shown),
			Text: fmt.Sprintf("its frames show that it has held %d packets at once, at most %d are allowed; its firmware said %d at most", shown, limit, *said)})
		*said = shown
	}
}

// sent notes a packet that a processor sends in a slot, and returns how many packets its
// frames now show that it held at once, at some boundary while it held this one.
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
	// The largest number of intervals at one boundary is reached where one of them begins.
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
