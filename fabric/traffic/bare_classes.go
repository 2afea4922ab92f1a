package traffic

import (
	"starloom/fabric"
	"starloom/hw"
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

// beginClasses adds the table of classes, for packets to come.
func (b *Bare) beginClasses() {
	if b.types = nil; !b.classed() {
		return
	}
	t := &hw.PacketTraffic{Classes: len(b.spec.classes)}
	for i := range b.spec.classes {
		c := &b.spec.classes[i]
		t.Priority = append(t.Priority, int32(c.Priority))
		if b.spec.divided {
			t.VCs = append(t.VCs, c.vcs[:]...)
		}
	}
	if b.spec.Replies() {
		t.Request = []uint32{}
	}
	b.Traffic = t
}

// classed reports whether packets have classes.
func (b *Bare) classed() bool { return len(b.spec.classes) > 0 }

// class sets the class of the latest packet.
func (b *Bare) class(of rowClass) {
	t := b.Traffic
	b.types, t.Class = append(b.types, of.kind), append(t.Class, of.class)
	if t.VCs != nil {
		t.Type = append(t.Type, of.asks*kinds+uint8(of.kind))
	}
	if t.Request != nil {
		t.Request = append(t.Request, of.request)
	}
}

// create adds a packet that draws have made, and the reply to a request. Source and number draw the type of a request.
func (b *Bare) create(d *Draws, class uint8, source, number, at uint32) {
	destination, size := d.Packet(source, number)
	if !b.classed() {
		b.Add(source, destination, uint16(size), at)
		return
	}
	r := b.spec.classes[class].Requests
	if r == nil {
		b.Add(source, destination, uint16(size), at)
		b.class(rowClass{class: class, asks: class})
		return
	}
	kind, writes := fabric.ReadRequest, 0.5
	if r.WriteFraction != nil {
		writes = *r.WriteFraction
	}
	if uint64(d.stream.Draw(source, number, drawWrite)) < share(writes) {
		kind = fabric.WriteRequest
	}
	flits := func(kind fabric.TrafficType) uint16 { return uint16(max(1, r.Message(kind).Size)) }
	b.Add(source, destination, flits(kind), at)
	b.class(rowClass{class, class, kind, 0})
	b.Add(destination, source, flits(kind+1), at)
	b.class(rowClass{class, class, kind + 1, uint32(b.Count() - 1)})
}

// classFigures holds the figures of the measured packets of a class.
type classFigures struct {
	created, arrived uint64
	latency, network tally
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
