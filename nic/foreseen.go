package nic

import (
	"encoding/binary"

	"starloom/hw"
)

// Frames are foreseen where the first phits of a slot have shown that each is alone on its medium, nothing changes on its way
// before its end, and no one watches single cycles: then it is known what its other phits will do. The transmitters end with the first
// phit, and where that arrives the receivers take the whole frame, with registers as all its phits would have left them:
//
//	cycle               0    1    2    3    4
//	transmitter, phits  a0   a1   a2
//	receiver                 a0   a1   a2   good
//	foreseen            a0
//	                         a0   good              due, bits and frame as in cycle 4

// Finish makes all transmitters idle, as their last phit does: what they have loaded stands in their registers.
func (t *Serialisers) Finish() {
	for i := range t.shards {
		shard := &t.shards[i]
		shard.active = retire(shard.active, t.length, t.ports.Value, 8*t.frameMax)
	}
}

// Foreseen is where the frames of a slot stand.
type Foreseen struct {
	Transmitters *Serialisers
	Carried      []uint32 // by wire: whose frame it carries, if it is lit
}

// Foresee says that all light to come in this slot is the first phits of frames, each the only one of its medium; nil for light that
// comes phit by phit. It reports whether that can be: not if light has come in this slot. Links have a latency.
func (d *Deserialisers) Foresee(frames *Foreseen) bool {
	d.foreseen = nil
	for _, heard := range d.heard {
		if len(heard) > 0 {
			return false
		}
	}
	d.foreseen = frames
	return true
}

// take lets all cells of a coupler's list take the frame that it carries; now is the cycle of its first phit.
func (d *Deserialisers) take(shard int, coupler uint32, now uint64) {
	t := d.foreseen.Transmitters
	frame := t.frames[int(d.foreseen.Carried[coupler])*t.stride:][:t.stride]
	bytes := FrameBytes(int(binary.BigEndian.Uint16(frame[offsetPayloadBytes:])))
	phits := Phits(bytes, d.phitBits)
	frame = frame[:(phits-1)*d.phitBits>>3+9] // what putPhit writes, up to the last phit
	for cell := d.head[coupler]; cell != noOne; cell = d.next[cell] {
		d.state[cell], d.bits[cell], d.due[cell] = receiverGood, uint32(8*bytes), now+uint64(phits)
		copy(d.frames[int(cell)*d.stride:], frame)
		d.heard[shard] = append(d.heard[shard], uint32(cell))
	}
}

// takeAll is Latch in a slot whose frames are foreseen.
func (d *Deserialisers) takeAll(s hw.Shard) {
	now := d.clock.Cycle()
	for driver := range d.in.Shards() {
		for _, coupler := range d.in.Lit(driver, s.Index) {
			if d.head[coupler] != noOne {
				d.take(s.Index, coupler, now)
			}
		}
	}
}
