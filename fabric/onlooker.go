package fabric

import "starloom/nic"

// Onlooker is told what a shard sees as it happens, to draw it. It changes nothing; a ledger has one only if
// somebody wants a picture.
type Onlooker interface {
	// Acted: the handlers of a slot have run, and the processors of these cells may have done something.
	Acted(bank *nic.Bank, cells []uint32, slot uint32)
	// Sent: a frame is on the fabric in a slot. One that stays has met another one, and remains in its TX FIFO.
	Sent(processor int, frame nic.FrameView, slot uint32, stays bool)
	// Blocked: the medium of a frame is taken in a slot.
	Blocked(processor int, frame nic.FrameView, slot uint32)
	// Heard: what a receiver says of a slot, unless it is idle; the frame can be read for StatusOK and StatusOverflow.
	Heard(processor int, port uint16, status nic.Status, frame nic.FrameView, slot uint32)
	// Collided: frames have met on a medium in a slot.
	Collided(medium int, slot uint32)
}
