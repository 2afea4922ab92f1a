package twin

import (
	"starloom/hw"
	"starloom/nic"
)

// traffic is the light at a receiver. In every slot, each wire carries no frame, an intact frame, a damaged frame, or
// frames that collide.
type traffic struct {
	phitBits, frameMax int
	slotCycles         int
	stream             hw.Stream
	slot               uint64
	wires              []trafficWire
	frame              []byte
}

type trafficWire struct{ rail1, rail0 []uint64 }

func newTraffic(phitBits, frameMax, wires int) *traffic {
	t := &traffic{
		phitBits: phitBits, frameMax: frameMax, slot: ^uint64(0),
		slotCycles: nic.Phits(frameMax, phitBits) + 4,
		wires:      make([]trafficWire, wires),
		frame:      make([]byte, frameMax),
	}
	for i := range t.wires {
		t.wires[i] = trafficWire{make([]uint64, t.slotCycles), make([]uint64, t.slotCycles)}
	}
	return t
}

func (t *traffic) stimulate(random *Random, rail1, rail0 []uint64) (last bool) {
	cycle := random.Cycle()
	slot, at := cycle/uint64(t.slotCycles), int(cycle%uint64(t.slotCycles))
	if slot != t.slot || random.stream != t.stream {
		t.slot, t.stream = slot, random.stream
		draws := *random
		draws.At(1<<63 | slot)
		for i := range t.wires {
			t.make(&draws, &t.wires[i])
		}
	}
	for i, wire := range t.wires {
		hw.PutBits(rail1, i*t.phitBits, t.phitBits, wire.rail1[at])
		hw.PutBits(rail0, i*t.phitBits, t.phitBits, wire.rail0[at])
	}
	return at == t.slotCycles-1
}

func (t *traffic) make(random *Random, wire *trafficWire) {
	clear(wire.rail1)
	clear(wire.rail0)
	if random.OneIn(12) {
		return
	}
	first := random.Below(4)
	frame := t.randomFrame(random)
	phits := t.send(wire, frame, first)
	at := first + random.Below(phits)
	bit := uint64(1) << random.Below(t.phitBits)
	switch random.Below(16) {
	case 0:
		t.send(wire, t.randomFrame(random), random.Below(5))
	case 1:
		wire.rail1[at] ^= bit
		wire.rail0[at] ^= bit
	case 2:
		wire.rail1[at] &^= bit
		wire.rail0[at] &^= bit
	case 3:
		wire.rail1[at] |= bit
	case 4:
		wire.rail1[at], wire.rail0[at] = 0, 0
	case 5:
		clear(wire.rail1[at:])
		clear(wire.rail0[at:])
	case 6:
		if end := first + phits; end < t.slotCycles {
			wire.rail1[end] = bit
		}
	}
}

func (t *traffic) randomFrame(random *Random) []byte {
	frame := random.Frame(t.frame)
	if !random.OneIn(4) {
		return frame
	}
	switch random.Below(4) {
	case 0:
		frame[0] ^= 1 << random.Below(8)
	case 1:
		frame[2+random.Below(2)] ^= 1 << random.Below(8)
	case 2: // any byte, which makes the CRC wrong
		frame[random.Below(len(frame))] ^= 1 << random.Below(8)
		return frame
	}
	crc := nic.Checksum(frame[:len(frame)-nic.CRCBytes])
	frame[len(frame)-2], frame[len(frame)-1] = byte(crc>>8), byte(crc)
	return frame
}

// Frame returns a legal frame of random length that fits into buffer.
func (r *Random) Frame(buffer []byte) []byte {
	payload := buffer[nic.HeaderBytes:][:r.Below(len(buffer)-nic.FrameBytesMin+1)]
	for i := range payload {
		payload[i] = byte(r.Uint32())
	}
	return nic.Marshal(buffer, nic.Header{
		Kind: nic.Kind(r.Below(nic.KindCount)), Flags: uint8(r.Uint32()), Tag: uint16(r.Uint32()),
		Source: r.Uint32(), Destination: r.Uint32(),
	}, payload)
}

func (t *traffic) send(wire *trafficWire, frame []byte, first int) (phits int) {
	for i := range 8 * len(frame) {
		cycle, place := first+i/t.phitBits, t.phitBits-1-i%t.phitBits
		if cycle >= t.slotCycles {
			continue
		}
		if frame[i/8]>>(7-i%8)&1 != 0 {
			wire.rail1[cycle] |= 1 << place
		} else {
			wire.rail0[cycle] |= 1 << place
		}
	}
	return nic.Phits(len(frame), t.phitBits)
}
