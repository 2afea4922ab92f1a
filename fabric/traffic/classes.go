package traffic

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces/input"
)

const kinds = fabric.TrafficTypeCount

// class is a class of packets with values for all defaults.
type class struct {
	fabric.TrafficClass
	name string
	spec *Spec // packets of the class, as if no other class existed
	vcs  [kinds]hw.VCRange
}

// settleClasses fills in the defaults of all classes. Its errors have the key of the class or, for values of the
// traffic, the key of the traffic as their place.
func (s *Spec) settleClasses(n fabric.Network) error {
	routers := fabric.RoutersOf(n)
	names := s.ClassNames()
	err := refuse(
		refusal{routers == nil || s.Timebase.Word != "", "classes",
			"classes are for packets of routers without firmware", "delete classes"},
		refusal{len(names) > fabric.TrafficClassesMax, "classes", fmt.Sprintf("there are %d classes", len(names)),
			fmt.Sprintf("at most %d are allowed", fabric.TrafficClassesMax)})
	for _, name := range names {
		if err != nil {
			return err
		}
		c := class{TrafficClass: s.Classes[name], name: name, spec: s.alone(name)}
		if err = c.check(n.Shape().Processors()); err == nil {
			err = c.settleVCs(routers, s)
		}
		s.classes = append(s.classes, c)
	}
	if err == nil && s.divided && routers.Routes.Torus.K != nil {
		err = s.checkApart()
	}
	return err
}

// alone returns the workload of a class as if no other class existed.
func (s *Spec) alone(name string) *Spec {
	own, c := *s, s.Classes[name]
	own.Classes, own.classes = nil, nil
	if c.Rate > 0 {
		own.Rate = c.Rate
	}
	if len(c.Size) > 0 {
		own.Size = c.Size
	}
	if c.Pattern != "" {
		own.Pattern = c.Pattern
	}
	return &own
}

func (c *class) check(processors int) error {
	for _, check := range []func() error{c.spec.checkKeys, func() error { return c.spec.checkPattern(processors) },
		func() error { return c.spec.checkLists(processors) }} {
		err := check()
		var wrong *input.Error
		if !errors.As(err, &wrong) {
			if err != nil {
				return err
			}
			continue
		}
		key, _, _ := strings.Cut(strings.TrimPrefix(wrong.Place, "workload.traffic."), "[")
		if c.Rate > 0 && key == "rate" || len(c.Size) > 0 && key == "size" || c.Pattern != "" && key == "pattern" {
			wrong.Place = strings.Replace(wrong.Place, "workload.traffic.", "workload.traffic.classes."+c.name+".", 1)
		}
		return wrong
	}
	return refuse(refusal{c.Requests != nil && len(c.Size) > 0, "classes." + c.name + ".size",
		"a size is given, but requests and replies have sizes of their own", "delete size, or give size in requests"})
}

// settleVCs sets the virtual channels of each type of the class.
func (c *class) settleVCs(routers *fabric.Routers, s *Spec) error {
	all, key := routers.Config.VCs, "classes."+c.name+"."
	set := func(given []int, usual hw.VCRange, key string) (of hw.VCRange, err error) {
		if given == nil {
			return usual, nil
		}
		if s.divided = true; len(given) != 2 {
			return usual, refuse(refusal{true, key, fmt.Sprintf("%d virtual channels are given", len(given)),
				"give first and last, for example [0, 1]"})
		}
		return hw.VCRange{Low: uint8(given[0]), High: uint8(given[1])}, refuse(
			refusal{given[0] > given[1] || given[1] >= all, key, fmt.Sprintf("the virtual channels are %d to %d, but routers "+
				"have %d", given[0], given[1], all), fmt.Sprintf("give first and last, within 0 to %d", all-1)},
			refusal{given[0] == given[1] && routers.Routes.Torus.K != nil, key, "the range has one virtual channel, but " +
				"routes on a torus need two", "give a range of two or more"},
			refusal{routers.Routes.Sets != nil || routers.Routes.Classes != nil || routers.Routes.VCs != nil ||
				routers.Later != nil, key, "the routes choose virtual channels by themselves",
				"delete vcs, or use routes of dimension order or tables"})
	}
	usual, err := set(c.VCs, hw.VCRange{High: uint8(all - 1)}, key+"vcs")
	if err != nil {
		return err
	}
	c.vcs[fabric.PlainPacket] = usual
	for kind := fabric.ReadRequest; kind < kinds; kind++ {
		if c.vcs[kind] = usual; c.Requests == nil {
			continue
		}
		c.vcs[kind], err = set(c.Requests.Message(kind).VCs, usual, fmt.Sprintf("%srequests.%s.vcs", key, kind))
		if err != nil {
			return err
		}
	}
	return nil
}

// checkApart refuses ranges of virtual channels that overlap in part on a torus. The routes divide each range into a
// part before and a part after a wraparound link. A virtual channel in both parts of two ranges may close a cycle.
func (s *Spec) checkApart() error {
	for i := range s.classes {
		for _, a := range s.classes[i].used() {
			for _, b := range s.classes[:i+1] {
				for _, b := range b.used() {
					if a != b && a.Low <= b.High && b.Low <= a.High {
						return refuse(refusal{true, "classes." + s.classes[i].name, fmt.Sprintf("the virtual channels %d to %d "+
							"overlap %d to %d in part, so packets may deadlock on a torus", a.Low, a.High, b.Low, b.High),
							"give equal ranges, or ranges without a common channel"})
					}
				}
			}
		}
	}
	return nil
}

// used returns the ranges of the types that the class has.
func (c *class) used() []hw.VCRange {
	if c.Requests == nil {
		return c.vcs[:fabric.ReadRequest]
	}
	return c.vcs[fabric.ReadRequest:]
}

// rate returns the packets per processor and cycle of all classes.
func (s *Spec) rate() (sum float64) {
	if len(s.classes) == 0 {
		return s.Rate
	}
	for i := range s.classes {
		if sum += s.classes[i].spec.Rate; s.classes[i].Requests != nil {
			sum += s.classes[i].spec.Rate
		}
	}
	return sum
}

// Replies reports whether packets of a class get replies.
func (s *Spec) Replies() bool {
	return slices.ContainsFunc(s.classes, func(c class) bool { return c.Requests != nil })
}

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
