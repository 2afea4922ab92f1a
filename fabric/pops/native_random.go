package pops

import (
	"encoding/binary"
	"math/bits"

	"starloom/firmware"
	"starloom/hw"
	"starloom/nic"
)

// nativeRandom is firmware/programs/pops/random.c in Go, line by line, with equal order and state layout.
var nativeRandom = firmware.NativeProgram{
	Name:        "pops/random",
	StateBytes:  16,
	ListenSlots: 5,
	Start:       nativeRandomStart,
	Slot:        nativeRandomSlot,
}

const (
	randomOrigin      = 0
	randomDestination = 4
	randomHas         = 8
	randomBad         = 12
)

const (
	hasOriginal = 1 << iota
	hasArrived
	hasCopy
	hasPassed
)

func nativeRandomStart(b *firmware.NativeBank, cells []uint32) {
	for _, number := range cells {
		cell := int(number)
		binary.LittleEndian.PutUint32(b.State(cell)[randomHas:], hasOriginal)
		b.Registers[cell].Held = 1
		self := uint32(b.First + cell)
		hears := randomHears(self, b.Shape[0], b.Shape[1])
		b.SetListen(cell, 0, hears)
		b.SetListen(cell, 1, hears)
		b.SetListen(cell, 4, uint16(self%b.Shape[0]))
	}
}

// randomHears is hears of firmware/programs/pops/random.c.
func randomHears(self, g, d uint32) uint16 {
	if d <= g {
		return uint16(self % g)
	}
	if index := self % d; index < g {
		return uint16(index)
	}
	return nic.PortNone
}

func nativeRandomSlot(b *firmware.NativeBank, cells []uint32, slot uint32) {
	le := binary.LittleEndian
	stream := hw.Stream(b.Stream)
	g, d, n := b.Shape[0], b.Shape[1], uint32(b.Processors)
	phase := slot % 5
	for place, c := range cells {
		cell := int(c)
		r := &b.Registers[cell]
		b.SetCurrent(place)
		r.Flags &^= nic.FlagSleeping
		self := uint32(b.First) + c
		s := b.State(cell)[:16]
		before := le.Uint32(s[randomHas:])
		has, sleep := before, 5-phase
		var heard nic.FrameView
		if r.RxCount > 0 {
			heard = b.RxHead(cell)
		}
		switch phase {
		case 0:
			if heard != nil && heard.Destination() == self {
				has |= hasArrived
			}
			has &^= hasCopy | hasPassed
			b.SetListen(cell, 2, nic.PortNone)
			b.SetListen(cell, 3, nic.PortNone)
			draws := uint16(0)
			if has&hasOriginal == 0 {
				sleep = firmware.SleepLong
			} else if takesPart(stream, self, slot, uint64(d), uint64(g), &draws) {
				group := uint16(hw.Below(stream.Draw(self, slot, draws), g))
				b.SendPacket(cell, group, nic.AnyDestination, self, b.Workload[cell])
				b.SetListen(cell, 3, group)
			}
		case 1:
			if origin, destination, ok := randomPacket(heard, s, n); ok {
				group := uint16(destination % g)
				has |= hasPassed
				b.SendPacket(cell, group, nic.AnyDestination, origin, destination)
				b.SetListen(cell, 2, group)
			}
		case 2:
			has &^= hasPassed
			if origin, destination, ok := randomPacket(heard, s, n); ok {
				has |= hasCopy
				le.PutUint32(s[randomOrigin:], origin)
				le.PutUint32(s[randomDestination:], destination)
				b.Send(cell, randomHears(self, g, d), nic.KindAck, nic.AnyDestination, 0)
				sleep = 2
			}
		case 3:
			if heard != nil {
				b.Send(cell, randomHears(self, g, d), nic.KindAck, nic.AnyDestination, 0)
			}
			if has&hasCopy != 0 {
				sleep = 1
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
		}
		b.Sleep(cell, slot+sleep)
		if has != before {
			le.PutUint32(s[randomHas:], has)
			r.Held = uint8(bits.OnesCount32(has))
		}
		if heard != nil {
			b.PopRx(cell)
		}
	}
}

// randomPacket is packet_of of firmware/programs/pops/random.c.
func randomPacket(heard nic.FrameView, s []byte, processors uint32) (origin, destination uint32, ok bool) {
	if heard == nil {
		return 0, 0, false
	}
	if origin, destination = firmware.NativePacket(heard); destination < processors {
		return origin, destination, true
	}
	le := binary.LittleEndian
	le.PutUint32(s[randomBad:], le.Uint32(s[randomBad:])+1)
	return 0, 0, false
}

func takesPart(stream hw.Stream, self, slot uint32, d, g uint64, draws *uint16) bool {
	step := uint64(slot)/5 + 1
	if d <= g || (step-1)*g >= 4*(d-g) {
		return true
	}
	*draws++
	return uint64(hw.Below(stream.Draw(self, slot, 0), uint32(4*d-g*(step-1)))) < 4*g
}
