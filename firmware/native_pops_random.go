package firmware

import (
	"encoding/binary"
	"math/bits"

	"starloom/hw"
	"starloom/nic"
)

// NativePOPSRandom is pops/random in Go; see programs/pops/random.c, whose order
// and state layout it follows line by line.
var NativePOPSRandom = NativeProgram{
	Name:       "pops/random",
	StateBytes: 16,
	Start:      nativePOPSRandomStart,
	Slot:       nativePOPSRandomSlot,
}

// Offsets of state_t in programs/pops/random.c.
const (
	randomOrigin      = 0
	randomDestination = 4
	randomDelta       = 8
	randomRandom      = 10
	randomForwarded   = 12
	randomHas         = 14
)

// The bits of randomHas.
const (
	hasOriginal = 1 << iota
	hasArrived
	hasCopy
	hasSent
	hasPassed
	hasPackets = hasOriginal | hasArrived | hasCopy
)

func nativePOPSRandomStart(b *NativeBank) {
	for cell := range b.Registers {
		s := b.State(cell)
		binary.LittleEndian.PutUint16(s[randomDelta:], uint16((b.First+cell)%b.Groups))
		binary.LittleEndian.PutUint16(s[randomHas:], hasOriginal)
		b.Registers[cell].Held = 1
	}
}

func nativePOPSRandomSlot(b *NativeBank, first, count int, slot uint32) {
	le := binary.LittleEndian
	stream := hw.Stream(b.Stream)
	g, d := uint32(b.Groups), uint32(b.GroupSize)
	phase := slot % 5
	for cell := first; cell < first+count; cell++ {
		r := &b.Registers[cell]
		if r.Flags&nic.FlagFaulty != 0 {
			continue
		}
		b.SetCurrent(cell)
		self := uint32(b.First + cell)
		s := b.State(cell)[:16]
		before := le.Uint16(s[randomHas:])
		has := before
		var heard nic.FrameView
		if r.RxCount > 0 {
			heard = b.RxHead(cell)
		}
		listen := le.Uint16(s[randomDelta:])
		if d > g {
			listen = nic.PortNone
			if k := self % d; k < g {
				listen = uint16(k)
			}
		}
		switch phase {
		case 0:
			if heard != nil && heard.Destination() == self {
				has |= hasArrived
			}
			has &^= hasCopy | hasSent | hasPassed
			draws := uint16(0)
			if has&hasOriginal != 0 && takesPart(stream, self, slot, uint64(d), uint64(g), &draws) {
				has |= hasSent
				group := hw.Below(stream.Draw(self, slot, draws), g)
				le.PutUint16(s[randomRandom:], uint16(group))
				b.SendPacket(cell, uint16(group), nic.AnyDestination, self, b.Workload[cell])
			}
		case 1:
			if heard != nil {
				has |= hasCopy | hasPassed
				origin, destination := nativePacket(heard)
				forwarded := uint16(destination % g)
				le.PutUint16(s[randomForwarded:], forwarded)
				b.SendPacket(cell, forwarded, nic.AnyDestination, origin, destination)
			}
		case 2:
			has &^= hasCopy
			if heard != nil {
				has |= hasCopy
				origin, destination := nativePacket(heard)
				le.PutUint32(s[randomOrigin:], origin)
				le.PutUint32(s[randomDestination:], destination)
				b.Send(cell, listen, nic.KindAck, nic.AnyDestination, 0)
			}
			listen = nic.PortNone
			if has&hasPassed != 0 {
				listen = le.Uint16(s[randomForwarded:])
			}
		case 3:
			if heard != nil {
				b.Send(cell, listen, nic.KindAck, nic.AnyDestination, 0)
			}
			listen = nic.PortNone
			if has&hasSent != 0 {
				listen = le.Uint16(s[randomRandom:])
			}
		case 4:
			if heard != nil {
				has &^= hasOriginal
				r.Flags |= nic.FlagDone
			}
			if has&hasCopy != 0 {
				origin, destination := le.Uint32(s[randomOrigin:]), le.Uint32(s[randomDestination:])
				b.SendPacket(cell, uint16(destination/d), destination, origin, destination)
			}
			listen = le.Uint16(s[randomDelta:])
		}
		r.RxPort = listen
		if has != before {
			le.PutUint16(s[randomHas:], has)
			r.Held = uint8(bits.OnesCount16(has & hasPackets))
		}
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
