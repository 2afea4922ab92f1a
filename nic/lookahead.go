package nic

import (
	"encoding/binary"

	"starloom/hw"
)

// A frame is foreseen where its first phit has shown that it is alone on its media, nothing changes on its way before its end, and no
// one watches single cycles: then it is known what its other phits will do. The transmitter ends with the first phit, and where
// that arrives the receivers take the whole frame, with registers as all its phits would have left them:
//
//	cycle               0    1    2    3    4
//	transmitter, phits  a0   a1   a2
//	receiver                 a0   a1   a2   good
//	foreseen            a0
//	                         a0   good              due, bits and frame as in cycle 4

// Finish makes all transmitters idle but those that go on, as their last phit does: what they have loaded stands in their registers.
func (t *Serialisers) Finish(goesOn []bool) {
	for i := range t.shards {
		shard := &t.shards[i]
		kept := shard.active[:0]
		for _, cell := range shard.active {
			if goesOn[cell] {
				kept = append(kept, cell)
				continue
			}
			t.length[cell], t.ports.Value[cell] = 0, hw.PortNone
		}
		shard.active = kept
	}
}

// Foreseen is where the frames of a slot stand.
type Foreseen struct {
	Transmitters *Serialisers
	Carries      []uint32 // by wire that is lit in this slot: a transmitter whose frame it carries
	GoesOn       []bool   // by transmitter: it is not foreseen, and light that it has a part in comes phit by phit
}

// Foresee says which light to come in this slot is the first phits of frames that are foreseen; nil for none. It reports whether that
// can be: not if light has come in this slot. Links have a latency.
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

// take lets all cells of a medium's list take the frame of a transmitter; now is the cycle of its first phit.
func (d *Deserialisers) take(shard int, medium, transmitter uint32, now uint64) {
	t := d.foreseen.Transmitters
	frame := t.frames[int(transmitter)*t.stride:][:t.stride]
	bytes := FrameBytes(int(binary.BigEndian.Uint16(frame[offsetPayloadBytes:])))
	phits := Phits(bytes, d.phitBits)
	frame = frame[:(phits-1)*d.phitBits>>3+9] // what putPhit writes, up to the last phit
	for cell := d.head[medium]; cell != noOne; cell = d.next[cell] {
		d.state[cell], d.bits[cell], d.due[cell] = receiverGood, uint32(8*bytes), now+uint64(phits)
		copy(d.frames[int(cell)*d.stride:], frame)
		d.heard[shard] = append(d.heard[shard], uint32(cell))
	}
}
