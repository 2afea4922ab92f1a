package stream

import (
	"bytes"

	"starloom/hw"
)

// takenFrames holds the ports of the frames taken by NICs, in order. These frames are at the head of their TX FIFOs.
type takenFrames struct {
	room  int     // places per TX FIFO
	count []uint8 // by processor: number of taken frames
	port  []uint8 // [processor * room + place]: port of the frame
}

func newTakenFrames(processors, room int) takenFrames {
	return takenFrames{room, make([]uint8, processors), make([]uint8, processors*room)}
}

func (t *takenFrames) ports(processor int) []uint8 {
	return t.port[processor*t.room:][:t.count[processor]]
}

func (t *takenFrames) to(processor, port int) int {
	return bytes.Count(t.ports(processor), []byte{byte(port)})
}

func (t *takenFrames) take(processor, port int) {
	t.count[processor]++
	ports := t.ports(processor)
	ports[len(ports)-1] = uint8(port)
}

// leave removes the first entries of a port and appends their places to places. frames is the number of removed
// entries.
func (t *takenFrames) leave(processor, port, frames int, places []int) []int {
	ports := t.ports(processor)
	kept := 0
	for place, by := range ports {
		if int(by) == port && frames > 0 {
			frames--
			places = append(places, place)
			continue
		}
		ports[kept] = by
		kept++
	}
	clear(ports[kept:])
	t.count[processor] = uint8(kept)
	return places
}

func (t *takenFrames) forget(processor int) {
	clear(t.ports(processor))
	t.count[processor] = 0
}

func (t *takenFrames) reset() {
	clear(t.count)
	clear(t.port)
}

func (t *takenFrames) state(v *hw.StateVisitor, most int) {
	hw.StateColumn(v, hw.Future, "mirrored", t.count, hw.AtMost(uint8(t.room)))
	hw.StateColumn(v, hw.Future, "mirrored.port", t.port, hw.AtMost(uint8(most-1)))
}
