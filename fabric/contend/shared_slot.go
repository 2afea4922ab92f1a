package contend

import (
	"fmt"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// Shared is a set of buses, or a crossbar, shared by lanes of NICs beside other media.
type Shared struct {
	Buses     *Buses    // buses with one tap for each entry of Senders; nil for a crossbar
	Outputs   *Crossbar // crossbar with one input for each entry of Senders; nil for buses
	Senders   []uint32  // transmitters; NoLane for an input without a transmitter
	Receivers []uint32  // receiver of each output of a crossbar; NoLane for an output without a receiver
	Media     []uint32  // medium of the network for each medium of the part
}

// NoLane means no transmitter or receiver.
const NoLane = ^uint32(0)

// Cycles returns the arbitration cycles of a slot.
func (s *Shared) Cycles() int {
	if s.Buses != nil {
		return s.Buses.Arbiter.Cycles()
	}
	return s.Outputs.Cycles()
}

// servers decides which transmitters the shared media serve.
type servers struct {
	parts []*servedPart
	of    []placeIn
	heard []placeIn
}

type placeIn struct {
	part  int32
	place uint32
}

type servedPart struct {
	*Shared
	path string

	arbiters *decisions

	matching *matching
}

// NewServer returns the server of the slot engine for media shared by lanes. It returns an error for an illegal
// arbiter.
func NewServer(shared []Shared, lanes int, timing nic.Timing) (fabric.Server, error) {
	s := &servers{of: make([]placeIn, lanes), heard: make([]placeIn, lanes)}
	for i := range lanes {
		s.of[i].part, s.heard[i].part = -1, -1
	}
	for i := range shared {
		p := &servedPart{Shared: &shared[i], path: fmt.Sprintf("shared[%d]", i)}
		if b := p.Buses; b != nil {
			if _, err := b.slice(timing); err != nil {
				return nil, err
			}
			p.arbiters = b.arbiters().decisions(b.arbiterBank(), b.Taps.Longest)
		} else if err := p.Outputs.check(); err != nil {
			return nil, err
		} else {
			p.matching = newMatching(*p.Outputs)
		}
		for place, lane := range p.Senders {
			if lane != NoLane {
				s.of[lane] = placeIn{int32(i), uint32(place)}
			}
		}
		for place, lane := range p.Receivers {
			if lane != NoLane {
				s.heard[lane] = placeIn{int32(i), uint32(place)}
			}
		}
		s.parts = append(s.parts, p)
	}
	s.Reset(0)
	return s, nil
}

func (s *servers) Listen(receiver int, listens bool, tag uint16) {
	at := s.heard[receiver]
	s.parts[at.part].matching.listen(int(at.place), listens, tag)
}

func (s *servers) Serve(slot uint32, asks []fabric.Ask, served func(transmitter int, medium uint32)) {
	for i := range asks {
		at := s.of[asks[i].Transmitter]
		p := s.parts[at.part]
		if m := p.matching; m != nil {
			m.ask(int(at.place), true)
			m.destination[at.place], m.tag[at.place] = uint32(asks[i].Output), asks[i].Tag
		} else {
			p.arbiters.ask(p.Buses.Taps.Bus[at.place][0], uint32(p.Buses.Taps.Tap[at.place][0]))
		}
	}
	for _, p := range s.parts {
		p.serve(slot, served)
	}
}

func (p *servedPart) serve(slot uint32, served func(transmitter int, medium uint32)) {
	if p.arbiters != nil {
		for _, q := range p.arbiters.choose(slot) {
			p.arbiters.grant(q)
			served(int(p.Senders[p.Buses.Taps.Members[q.Arbiter][q.Requester]]), p.Media[q.Arbiter])
		}
	}
	if m := p.matching; m != nil {
		m.decide(slot)
		m.asking.Clear()
		for _, output := range m.taken {
			served(int(p.Senders[m.serves[output]]), p.Media[output])
		}
	}
}

func (s *servers) Reset(seed uint64) {
	for _, p := range s.parts {
		if p.matching != nil {
			p.matching.reset(seed)
		} else {
			p.arbiters.reset(seed)
		}
	}
}

func (s *servers) State(v *hw.StateVisitor) {
	for _, p := range s.parts {
		v.Within(p)
	}
}

func (p *servedPart) Path() string { return p.path }

func (p *servedPart) State(v *hw.StateVisitor) {
	if p.matching != nil {
		p.matching.state(v)
	} else {
		v.Within(p.arbiters)
	}
}
