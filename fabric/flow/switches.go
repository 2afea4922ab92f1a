package flow

import (
	"fmt"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// Switches are where the one switch of every NIC is in a slot (Switched), and the rules of
// that: one_bus and bus_length. Both transports ask it at the boundary, cell by cell. Between
// boundaries there is nothing to keep.
type Switches struct {
	names fabric.Names
	taps  *hw.Taps
	most  int   // processors on a medium in a slot
	each  []int // the same, by medium; nil: most to all

	sends   []uint16 // by processor: the port that it sends to, or asks for, in the slot that begins; nic.PortNone for none
	on      []uint32 // by medium: the processors that are switched to it so far...
	touched []uint32 // ...and the media where that is not 0
}

// NewSwitches returns those of a network of that shape.
func NewSwitches(names fabric.Names, of fabric.Switched, shape fabric.Shape) *Switches {
	s := &Switches{names: names, taps: of.Taps, most: of.Most, each: of.Each, sends: make([]uint16, shape.Processors()), on: make([]uint32, shape.Media)}
	for i := range s.sends {
		s.sends[i] = nic.PortNone
	}
	return s
}

// Begin begins a slot.
func (s *Switches) Begin() {
	for _, medium := range s.touched {
		s.on[medium] = 0
	}
	s.touched = s.touched[:0]
}

// Send says that a processor sends to a port in the slot that begins, or asks for it.
func (s *Switches) Send(processor int, port uint16) { s.sends[processor] = port }

// Turn says to which port a processor would listen, nic.PortNone for none, and returns the one
// that it hears: where it sends, if it does. Call it once in a slot, after Send.
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
			Text: fmt.Sprintf("more than %d vertices are on the %s in one slot, senders included; its length is %d", most, one, most)})
	}
	if listens != nic.PortNone && listens != at && ledger.Checks.OneBus {
		ledger.Find(fabric.Finding{Kind: fabric.FindTwoBuses, Slot: slot, Index: processor,
			Text: fmt.Sprintf("sends to %s and listens to %s in one slot: its switch is at the first, it does not hear the other",
				s.names.Port(processor, at), s.names.Port(processor, listens))})
	}
	if listens == nic.PortNone {
		return nic.PortNone
	}
	return at
}
