package firmware

import (
	"encoding/binary"

	"starloom/hw"
	"starloom/nic"
)

// NativePOPSRandom is pops/random in Go; see programs/pops/random.c, whose order
// and state layout it follows line by line.
var NativePOPSRandom = NativeProgram{
	Name:       "pops/random",
	StateBytes: 24,
	Start:      nativePOPSRandomStart,
	Slot:       nativePOPSRandomSlot,
}

// Offsets of state_t in programs/pops/random.c.
const (
	randomOrigin      = 0
	randomDestination = 4
	randomRandom      = 8
	randomForwarded   = 10
	randomDelta       = 12
	randomHears       = 14
	randomOriginal    = 16
	randomArrived     = 17
	randomSent        = 18
	randomPassed      = 19
	randomHoldsCopy   = 20
)

func nativePOPSRandomStart(b *NativeBank) {
	for cell := range b.Registers {
		s, k := b.State(cell), (b.First+cell)%b.GroupSize
		delta, hears := uint16((b.First+cell)%b.Groups), uint16(nic.PortNone)
		switch {
		case b.GroupSize < b.Groups:
			hears = delta
		case k < b.Groups:
			hears = uint16(k)
		}
		binary.LittleEndian.PutUint16(s[randomDelta:], delta)
		binary.LittleEndian.PutUint16(s[randomHears:], hears)
		s[randomOriginal] = 1
		b.Registers[cell].Held = 1
	}
}

func nativePOPSRandomSlot(b *NativeBank, first, count int, slot uint32) {
	le := binary.LittleEndian
	stream := hw.Stream(b.Stream)
	g, d := uint32(b.Groups), uint32(b.GroupSize)
	for cell := first; cell < first+count; cell++ {
		r := &b.Registers[cell]
		if r.Flags&nic.FlagFaulty != 0 {
			continue
		}
		b.SetCurrent(cell)
		self := uint32(b.First + cell)
		s := b.State(cell)[:24]
		hears := le.Uint16(s[randomHears:])
		var heard nic.FrameView
		if r.RxCount > 0 {
			heard = b.RxHead(cell)
		}
		listen := hears
		switch slot % 5 {
		case 0:
			if heard != nil && heard.Destination() == self {
				s[randomArrived] = 1
			}
			s[randomHoldsCopy] = 0
			s[randomSent] = 0
			draws := uint16(0)
			if s[randomOriginal] != 0 && takesPart(stream, self, slot, uint64(d), uint64(g), &draws) {
				s[randomSent] = 1
				group := hw.Below(stream.Draw(self, slot, draws), g)
				le.PutUint16(s[randomRandom:], uint16(group))
				b.SendPacket(cell, uint16(group), nic.AnyDestination, self, b.Workload[cell])
			}
		case 1:
			s[randomPassed], s[randomHoldsCopy] = 0, 0
			if heard != nil {
				s[randomPassed], s[randomHoldsCopy] = 1, 1
				origin, destination := nativePacket(heard)
				forwarded := uint16(destination % g)
				le.PutUint16(s[randomForwarded:], forwarded)
				b.SendPacket(cell, forwarded, nic.AnyDestination, origin, destination)
			}
		case 2:
			s[randomHoldsCopy] = 0
			if heard != nil {
				s[randomHoldsCopy] = 1
				origin, destination := nativePacket(heard)
				le.PutUint32(s[randomOrigin:], origin)
				le.PutUint32(s[randomDestination:], destination)
				b.Send(cell, hears, nic.KindAck, nic.AnyDestination, 0)
			}
			listen = nic.PortNone
			if s[randomPassed] != 0 {
				listen = le.Uint16(s[randomForwarded:])
			}
		case 3:
			if heard != nil {
				b.Send(cell, hears, nic.KindAck, nic.AnyDestination, 0)
			}
			listen = nic.PortNone
			if s[randomSent] != 0 {
				listen = le.Uint16(s[randomRandom:])
			}
		case 4:
			if heard != nil {
				s[randomOriginal] = 0
				r.Flags |= nic.FlagDone
			}
			if s[randomHoldsCopy] != 0 {
				origin, destination := le.Uint32(s[randomOrigin:]), le.Uint32(s[randomDestination:])
				b.SendPacket(cell, uint16(destination/d), destination, origin, destination)
			}
			listen = le.Uint16(s[randomDelta:])
		}
		r.RxPort = listen
		r.Held = s[randomOriginal] + s[randomArrived] + s[randomHoldsCopy]
		if heard != nil {
			b.PopRx(cell)
		}
	}
}

// takesPart says whether a source takes part in the step that begins in slot.
func takesPart(stream hw.Stream, self, slot uint32, d, g uint64, draws *uint16) bool {
	step := uint64(slot)/5 + 1
	if d <= g || (step-1)*g >= 4*(d-g) {
		return true
	}
	*draws++
	return uint64(hw.Below(stream.Draw(self, slot, 0), uint32(4*d-g*(step-1)))) < 4*g
}
