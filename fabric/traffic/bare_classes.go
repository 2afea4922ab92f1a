package traffic

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces/input"
)

// draws returns the draws of all classes, those of class 0 with the seed itself.
func (s *Spec) draws(processors int, seed uint64) (all []*Draws) {
	if len(s.classes) == 0 {
		return []*Draws{NewDraws(s, processors, seed, 1)}
	}
	for i := range s.classes {
		if i > 0 {
			seed = hw.Mix64(seed)
		}
		all = append(all, NewDraws(s.classes[i].spec, processors, seed, 1))
	}
	return all
}

// classes of the packets of a run, by number of the packet.
type classified struct {
	types []fabric.TrafficType
}

// begin returns the columns of classes for packets without any, nil without classes.
func (s *Spec) begin(p *hw.Packets) *classified {
	if len(s.classes) == 0 {
		return nil
	}
	p.Traffic = &hw.PacketTraffic{Classes: len(s.classes)}
	for i := range s.classes {
		p.Traffic.Priority = append(p.Traffic.Priority, int32(s.classes[i].Priority))
		p.Traffic.VCs = append(p.Traffic.VCs, s.classes[i].vcs[:]...)
	}
	return &classified{}
}

// add appends a packet to the columns: the latest of p. request is 1 + the packet that it replies to, 0 for none. The
// virtual channels are those of the class of, which for a reply is the class of its request.
func (x *classified) add(p *hw.Packets, class, of int, kind fabric.TrafficType, request uint32) {
	t := p.Traffic
	x.types = append(x.types, kind)
	t.Class, t.Type = append(t.Class, uint8(class)), append(t.Type, uint8(of*kinds+int(kind)))
	t.Request = append(t.Request, request)
}

// end drops the columns that the packets do not need.
func (x *classified) end(p *hw.Packets, s *Spec) {
	if x == nil {
		return
	}
	if !s.divided {
		p.Traffic.Type, p.Traffic.VCs = nil, nil
	}
	if !slices.ContainsFunc(p.Traffic.Request, func(of uint32) bool { return of != 0 }) {
		p.Traffic.Request = nil
	}
}

// request adds a request and its reply. Its class, source and number draw its type.
func (b *Bare) request(d *Draws, class int, source, number, destination, created uint32) {
	r := b.spec.classes[class].Requests
	kind, writes := fabric.ReadRequest, 0.5
	if r.WriteFraction != nil {
		writes = *r.WriteFraction
	}
	if uint64(d.stream.Draw(source, number, drawWrite)) < share(writes) {
		kind = fabric.WriteRequest
	}
	size := func(kind fabric.TrafficType) uint16 { return uint16(max(1, r.Message(kind).Size)) }
	b.Add(source, destination, size(kind), created)
	b.classes.add(b.Packets, class, class, kind, 0)
	b.Add(destination, source, size(kind+1), created)
	b.classes.add(b.Packets, class, class, kind+1, uint32(b.Count()-1))
}

// classify adds the classes of all rows of a file.
func (b *Bare) classify() error {
	s := b.spec
	number, packet := map[string]int{}, make(map[uint64]uint32, len(s.Rows))
	for i := range s.classes {
		number[s.classes[i].name] = i
	}
	for i := range s.Rows {
		packet[s.Rows[i].ID] = uint32(i)
	}
	answered := make([]bool, len(s.Rows))
	for i := range s.Rows {
		r := &s.Rows[i]
		class, known := number[r.Class]
		request, of, asks, place := uint32(0), uint32(0), class, fmt.Sprintf("%s:%d:1", s.Path, r.Line)
		if r.Request > 0 {
			exists := false
			if of, exists = packet[r.Request-1]; !exists || answered[of] || s.Rows[of].Request > 0 ||
				s.Rows[of].Source != r.Destination || s.Rows[of].Destination != r.Source {
				return input.Mistake(place, fmt.Sprintf("packet %d is no reply to a packet", r.ID),
					"request is the id of a packet in the opposite direction, which has one reply; -1 or nothing for none")
			}
			answered[of], request, asks = true, of+1, number[s.Rows[of].Class]
		}
		if !known {
			return input.Mistake(place, fmt.Sprintf("the class is %q", r.Class),
				input.DidYouMean(r.Class, s.ClassNames(), "write a name of classes: "+strings.Join(s.ClassNames(), ", ")))
		}
		if r.Type >= kinds {
			return input.Mistake(place, "the type is unknown",
				"write one of: "+strings.Join(fabric.TrafficTypes(), ", ")+"; or BookSim's number: 0 to 3, 4 for plain")
		}
		b.classes.add(b.Packets, class, asks, r.Type, request)
	}
	return nil
}

// addClasses adds the figures of each class.
func (s *Shown) addClasses(m *fabric.Metrics) {
	for i := range s.classes {
		c := &s.classes[i]
		name, of := "class."+s.b.spec.classes[i].name, ""
		if c.arrived < c.created {
			of = s.w.of()
		}
		m.Add(name+".created", c.created)
		c.latency.histogram().add(m, name+".latency", of, s.w.over)
		c.network.histogram().add(m, name+".network_latency", of, s.w.over)
	}
}

// classFigures holds the figures of the measured packets of a class.
type classFigures struct {
	created, arrived uint64
	latency, network tally
}
