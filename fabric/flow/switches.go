// Package flow holds the state of NIC ports between two slot boundaries, for both engines.
package flow

import (
	"fmt"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// Switches tracks the port switch of every NIC in a slot (Switched), and checks the rules one_bus and bus_length.
// Both transports use Switches at the boundary, cell by cell. Switches stores nothing between boundaries.
type Switches struct {
	names fabric.Names
	taps  *hw.Taps
	most  int   // maximum number of processors on a medium in a slot
	each  []int // maximum by medium; nil if most applies to all media

	sends   []uint16 // by processor: port to which it sends (a frame or a request) in the new slot, or nic.PortNone
	on      []uint32 // by medium: number of processors switched to the medium so far
	touched []uint32 // media with a non-zero count
}

// NewSwitches returns the switches of a network.
func NewSwitches(names fabric.Names, of fabric.Switched, shape fabric.Shape) *Switches {
	s := &Switches{names: names, taps: of.Taps, most: of.Most, each: of.Each, sends: make([]uint16, shape.Processors()),
		on: make([]uint32, shape.Media)}
	for i := range s.sends {
		s.sends[i] = nic.PortNone
	}
	return s
}

func (s *Switches) Begin() {
	for _, medium := range s.touched {
		s.on[medium] = 0
	}
	s.touched = s.touched[:0]
}

// Send records the port to which a processor sends, or sends a request, in the new slot.
func (s *Switches) Send(processor int, port uint16) { s.sends[processor] = port }

// Turn returns the port that a processor hears in a slot: the port on which it sends, or else the port listens. Either
// may be nic.PortNone. Call Turn once per slot, after Send.
func (s *Switches) Turn(ledger *fabric.Ledger, processor int, listens uint16, slot uint32) (hears uint16) {
	at := s.sends[processor]
	s.sends[processor] = nic.PortNone
	if at == nic.PortNone {
		at = listens
	}
	if at == nic.PortNone {
		return nic.PortNone
	}
	medium := s.taps.Bus[processor][at]
	if s.on[medium]++; s.on[medium] == 1 {
		s.touched = append(s.touched, medium)
	}
	most := s.most
	if s.each != nil {
		most = s.each[medium]
	}
	if int(s.on[medium]) == most+1 && ledger.Checks.BusLength {
		one, _ := s.names.MediumNoun()
		ledger.Find(fabric.Finding{Kind: fabric.FindCrowded, Slot: slot, Index: int(medium),
			Text: fmt.Sprintf("more than %d vertices, senders included, are on the %s in one slot; its length is %d", most, one,
				most)})
	}
	if listens != nic.PortNone && listens != at && ledger.Checks.OneBus {
		ledger.Find(fabric.Finding{Kind: fabric.FindTwoBuses, Slot: slot, Index: processor,
			Text: fmt.Sprintf(
				"sends to %s and listens to %s in one slot: its switch is at the first, so it does not hear the second",
				s.names.Port(processor, at), s.names.Port(processor, listens))})
	}
	if listens == nic.PortNone {
		return nic.PortNone
	}
	return at
}
