package traffic

import (
	"fmt"

	"starloom/hw"
)

// The word of an offer, from the highest bit: valid 1, destination 31, frames 8, number 24. Firmware clears the word
// to accept the packet.
const (
	wordValid            = 1 << 63
	wordDestinationShift = 32
	wordSizeShift        = 24
	numberMask           = 1<<24 - 1
)

func word(destination uint32, size uint8, number uint32) uint64 {
	return wordValid | uint64(destination)<<wordDestinationShift | uint64(size)<<wordSizeShift | uint64(number&numberMask)
}

// cursors are the columns of all sources: positions in the sequences of created and offered packets.
type cursors struct {
	created []uint32 // number of packets created so far, which is the number of the next packet
	at      []uint32 // slot in which the next packet is created, or never
	next    []uint32 // number of the packet that is offered, or will be offered next
	due     []uint32 // slot in which packet next is created
	shown   []uint8  // 1 while the word of packet next is shown
	open    []uint16 // packets in flight or unacknowledged; nil without a limit
	sent    []uint32 // number of packets with a sent first frame
}

func newCursors(processors int, closed bool) cursors {
	column := func() []uint32 { return make([]uint32, processors) }
	c := cursors{created: column(), at: column(), next: column(), due: column(),
		shown: make([]uint8, processors), sent: column()}
	if closed {
		c.open = make([]uint16, processors)
	}
	return c
}

func (c *cursors) state(v *hw.StateVisitor) {
	hw.StateColumn(v, hw.Future, "created", c.created)
	hw.StateColumn(v, hw.Future, "at", c.at)
	hw.StateColumn(v, hw.Future, "next", c.next)
	hw.StateColumn(v, hw.Future, "due", c.due)
	hw.StateColumn(v, hw.Future, "shown", c.shown, hw.AtMost[uint8](1))
	hw.StateColumn(v, hw.Future, "open", c.open)
	hw.StateColumn(v, hw.Future, "sent", c.sent)
}

// wheelSlots is the number of slots covered by the wheel. A source with a later packet waits for a whole turn of the
// wheel.
const wheelSlots = 1 << 10

const none = ^uint32(0)

// sources holds the sources of a shard by the slot of their next packet, and the sources with packets to offer. The
// cursors determine both lists.
type sources struct {
	first, end int
	wheel      [wheelSlots]uint32 // by slot modulo wheelSlots: first source with a packet in the slot
	after      []uint32           // next source in the same list
	waiting    []uint32           // sources whose packets were not accepted
	created    []creation         // packets created in this slot
	before     []creation         // packets created in the previous slot
}

func (s *sources) state(v *hw.StateVisitor, name string) {
	var words []uint32
	for _, c := range s.created {
		words = append(words, c.source, c.created)
	}
	hw.StateList(v, hw.Future, name, &words, func(i int, value uint32) error {
		if i%2 == 0 && (int(value) < s.first || int(value) >= s.end) {
			return fmt.Errorf("processor %d is in another shard", value)
		}
		return nil
	})
	v.AfterRestore(func() {
		for s.created = s.created[:0]; len(words) >= 2; words = words[2:] {
			s.created = append(s.created, creation{words[0], words[1]})
		}
	})
}

type creation struct{ source, created uint32 }

func (s *sources) file(source, at uint32) {
	if at == never {
		return
	}
	list := &s.wheel[at%wheelSlots]
	s.after[int(source)-s.first], *list = *list, source
}

func (s *sources) begin(c *cursors) {
	for i := range s.wheel {
		s.wheel[i] = none
	}
	s.waiting, s.created, s.before = s.waiting[:0], s.created[:0], s.before[:0]
	for source := uint32(s.first); source < uint32(s.end); source++ {
		s.file(source, c.at[source])
		if c.created[source] > c.next[source] {
			s.waiting = append(s.waiting, source)
		}
	}
}

func (s *sources) create(c *cursors, d *Draws, slot uint32) {
	s.created, s.before = s.before[:0], s.created
	list := &s.wheel[slot%wheelSlots]
	source := *list
	for *list = none; source != none; {
		following := s.after[int(source)-s.first]
		if c.at[source] == slot && c.created[source] == c.next[source] {
			s.waiting = append(s.waiting, source)
		}
		for c.at[source] == slot {
			c.created[source]++
			s.created = append(s.created, creation{source, c.created[source]})
			c.at[source] = d.Next(source, c.created[source], slot)
		}
		s.file(source, c.at[source])
		source = following
	}
}
