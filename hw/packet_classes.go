package hw

import (
	"cmp"
	"fmt"
	"slices"
)

// checkTraffic checks the classes, types and replies of packets for routers and their routes.
func checkTraffic(path string, p *Packets, config *RouterConfig, routing *RouteTable) error {
	t := p.Traffic
	if t == nil {
		return nil
	}
	if t.Classes < 1 || t.Classes > PacketClassesMax || len(t.Class) != p.Count() ||
		config.Stages.Priority == PriorityClass && len(t.Priority) != t.Classes {
		return fmt.Errorf("%s: %d classes for %d of %d packets, with %d priorities; allowed: 1 to %d", path, t.Classes,
			len(t.Class), p.Count(), len(t.Priority), PacketClassesMax)
	}
	for i, class := range t.Class {
		if int(class) >= t.Classes {
			return fmt.Errorf("%s: packet %d has class %d of %d", path, i, class, t.Classes)
		}
	}
	return cmp.Or(checkTypes(path, p, config, routing), checkReplies(path, p))
}

func checkTypes(path string, p *Packets, config *RouterConfig, routing *RouteTable) error {
	t := p.Traffic
	switch {
	case t.Type == nil:
		return nil
	case routing.Sets != nil || routing.Classes != nil || routing.VCs != nil || p.FirstVC != nil:
		return fmt.Errorf("%s: types with virtual channels of their own, and routes with classes of virtual channels", path)
	case len(t.Type) != p.Count():
		return fmt.Errorf("%s: types of %d of %d packets", path, len(t.Type), p.Count())
	}
	least := 1
	if routing.Torus.K != nil {
		least = 2
	}
	for i, of := range t.VCs {
		if int(of.High)-int(of.Low)+1 < least || int(of.High) >= config.VCs {
			return fmt.Errorf("%s: type %d has the virtual channels %d to %d of %d; the routes need %d or more", path, i, of.Low,
				of.High, config.VCs, least)
		}
	}
	for i, of := range t.Type {
		if int(of) >= len(t.VCs) {
			return fmt.Errorf("%s: packet %d has type %d of %d", path, i, of, len(t.VCs))
		}
	}
	return nil
}

func checkReplies(path string, p *Packets) error {
	t := p.Traffic
	if t.Request == nil {
		return nil
	}
	if len(t.Request) != p.Count() || p.Harm != nil {
		return fmt.Errorf("%s: replies to %d of %d packets, harmed by faults: %t; faults allow no replies", path,
			len(t.Request), p.Count(), p.Harm != nil)
	}
	answered := make([]bool, p.Count())
	for i, request := range t.Request {
		if request == 0 {
			continue
		}
		of := int(request) - 1
		if of >= p.Count() || t.Request[of] != 0 || answered[of] || p.Source[i] != p.Destination[of] ||
			p.Destination[i] != p.Source[of] {
			return fmt.Errorf("%s: packet %d is no reply to packet %d: a request has one reply, which goes back to its source",
				path, i, of)
		}
		answered[of] = true
	}
	return nil
}

// sourceClasses is the state of sources with classes. Columns are by place*classes + class unless stated.
//
// Reset: no packet in work, no VC used before, class 0 has sent last, no reply waits.
type sourceClasses struct {
	traffic    *PacketTraffic
	classes    int
	queue      []uint32 // packets by place, then class, then creation
	start, end []uint32 // first packet in queue, and the number after the last
	next       []uint32 // number in queue of the next packet
	work       []uint32 // 1 + packet in work; 0 for none
	flits      []uint16 // number of flits sent of the packet in work
	vc         []uint16 // 1 + VC of the packet in work; 0: none found
	last       []uint16 // 1 + VC of the last head; 0 for none

	class         []uint8  // by place: class that has sent last
	taken         []uint32 // by place: packets taken into work
	first, latest []uint32 // by place: 1 + first and last waiting reply; 0 for none
	follows       []uint32 // by packet: 1 + the reply that follows in its queue; 0 for none
	replyTo       []uint32 // by packet: 1 + its reply; 0 for none; nil without replies
}

// newSourceClasses returns the state for the packets of sources, nil without classes.
func newSourceClasses(x *PacketSources) *sourceClasses {
	t, p := x.packets.Traffic, x.packets
	if t == nil {
		return nil
	}
	n, places := t.Classes, x.wiring.nodes
	numbers := func(count int) []uint32 { return make([]uint32, count) }
	c := &sourceClasses{traffic: t, classes: n, queue: append([]uint32{}, x.queue...), start: numbers(places * n),
		end: numbers(places * n), next: numbers(places * n), work: numbers(places * n), flits: make([]uint16, places*n),
		vc: make([]uint16, places*n), last: make([]uint16, places*n), class: make([]uint8, places), taken: numbers(places),
		first: numbers(places), latest: numbers(places)}
	at := func(packet uint32) uint32 {
		return uint32(x.wiring.place[p.Source[packet]]*n) + uint32(t.Class[packet])
	}
	SortByKey(c.queue, func(i *uint32) uint32 { return at(*i) })
	for _, packet := range c.queue {
		c.end[at(packet)]++
	}
	last := uint32(0)
	for i, count := range c.end {
		c.start[i] = last
		last += count
		c.end[i] = last
	}
	if t.Request != nil {
		c.follows, c.replyTo = numbers(p.Count()), numbers(p.Count())
		for i, request := range t.Request {
			if request != 0 {
				c.replyTo[request-1] = uint32(i) + 1
				p.Created[i] = PacketPending
			}
		}
	}
	return c
}

func (c *sourceClasses) registers(p *Packets) []Register {
	if c == nil {
		return nil
	}
	packets := AtMost(uint32(len(c.traffic.Class)))
	registers := []Register{
		Column("class_next", c.next, func(i int, next uint32) error {
			if next < c.start[i] || next > c.end[i] {
				return fmt.Errorf("element %d is %d, but the packets of this class are %d to %d", i, next, c.start[i], c.end[i])
			}
			return nil
		}).ResetTo(c.start...),
		Column("class_work", c.work, packets), Column("class_flits", c.flits),
		Column("class_vc", c.vc, AtMost[uint16](VCsMax)),
		Column("class_last", c.last, AtMost[uint16](VCsMax)), Column("class", c.class, AtMost(uint8(c.classes-1))),
		Column("taken", c.taken),
	}
	if c.replyTo == nil {
		return registers
	}
	return append(registers, Column("reply_first", c.first, packets), Column("reply_last", c.latest, packets),
		Column("reply_follows", c.follows, packets),
		Column("class_of", c.traffic.Class, AtMost(uint8(c.classes-1))).ResetTo(slices.Clone(c.traffic.Class)...),
		Column("created", p.Created).ResetTo(slices.Clone(p.Created)...))
}

// reply creates the reply to a packet whose tail has arrived, if it has one.
func (x *PacketSources) reply(shard, place int, packet uint32) {
	c := x.classes
	if c == nil || c.replyTo == nil || c.replyTo[packet] == 0 {
		return
	}
	reply := c.replyTo[packet]
	x.packets.Created[reply-1] = uint32(x.clock.cycle)
	if c.follows[reply-1] = 0; c.first[place] == 0 {
		c.first[place] = reply
	} else {
		c.follows[c.latest[place]-1] = reply
	}
	c.latest[place] = reply
	x.shards[shard].ready.Add(place - x.wiring.places[shard].First)
}

// take takes the next packet of a class into work, if it exists: a reply of the node first.
func (x *PacketSources) take(place, class int) {
	c, p, now := x.classes, x.packets, x.clock.cycle
	at := place*c.classes + class
	if reply := c.first[place]; reply != 0 && uint64(p.Created[reply-1]) < now {
		c.work[at], c.first[place] = reply, c.follows[reply-1]
		c.traffic.Class[reply-1] = uint8(class)
	} else if next := c.next[at]; next < c.end[at] && uint64(p.Created[c.queue[next]]) <= now {
		c.work[at] = c.queue[next] + 1
		c.next[at]++
	} else {
		return
	}
	c.taken[place]++
	if p.Sequence != nil {
		p.Sequence[c.work[at]-1] = c.taken[place]
	}
}

// sendOfClasses sends the next flit of a source with classes. It returns false if the source must wait for a credit or
// a packet.
func (x *PacketSources) sendOfClasses(shard, place int) (again bool) {
	c := x.classes
	first := place * c.classes
	for class := range c.classes {
		if c.work[first+class] == 0 {
			x.take(place, class)
		}
	}
	class := x.candidate(place)
	if class < 0 {
		return c.first[place] != 0
	}
	at, p := first+class, x.packets
	packet, vc, ordinal := c.work[at]-1, int(c.vc[at])-1, int(c.flits[at])
	f := Flit(packet) << flitPacketShift
	if ordinal == 0 {
		if x.holds() {
			return true
		}
		g := place*x.config.VCs + vc
		if x.used[g] != 0 { // another class has taken the VC that the head has kept; BookSim stops here
			c.vc[at] = 0
			return true
		}
		x.used[g], x.tailed[g], c.last[at] = 1, 0, uint16(vc)+1
		p.Sent[packet] = uint32(x.clock.cycle)
		f |= flitHead
	}
	c.class[place] = uint8(class)
	f |= x.count(place, packet, ordinal, vc)
	if c.flits[at]++; f.Tail() {
		c.work[at], c.flits[at], c.vc[at] = 0, 0, 0
	}
	to := &x.wiring.sources[place]
	x.flits.put(shard, to.wire, to.delay, uint64(f))
	return true
}

// candidate returns the class whose flit leaves in this cycle, -1 for none.
func (x *PacketSources) candidate(place int) (best int) {
	c := x.classes
	first, last := place*c.classes, int(c.class[place])
	best = -1
	if at := first + last; x.config.Stages.HoldSwitch && c.flits[at] > 0 && !x.full(place, int(c.vc[at])-1) {
		best = last
	}
	for k := range c.classes {
		class := (last + 1 + k) % c.classes
		at := first + class
		if c.work[at] == 0 || best >= 0 && x.priorityAt(first+best) >= x.priorityAt(at) {
			continue
		}
		if c.vc[at] == 0 {
			c.vc[at] = uint16(x.classVC(place, at) + 1)
		}
		if vc := int(c.vc[at]) - 1; vc >= 0 && !x.full(place, vc) {
			best = class
		}
	}
	return best
}

// priorityAt returns the priority of a class's packet in work at its source.
func (x *PacketSources) priorityAt(at int) int32 {
	p, packet := x.packets, x.classes.work[at]-1
	const most = 1<<31 - 1
	switch x.config.Stages.Priority {
	case PriorityClass:
		return x.classes.traffic.priority(packet)
	case PriorityAge:
		return most - int32(p.Created[packet])
	case PrioritySequence:
		return most - int32(p.Sequence[packet])
	}
	return 0
}

// classVC returns a free VC with credit for the head in work, after the VC of the class's last head, -1 for none. If
// that VC is outside the packet's range, only the first VC of the range counts.
func (x *PacketSources) classVC(place, at int) int {
	c := x.classes
	low, high, last := 0, x.config.VCs-1, int(c.last[at])-1
	if t := c.traffic; t.Type != nil {
		of := t.VCs[t.Type[c.work[at]-1]]
		low, high = int(of.Low), int(of.High)
	}
	free := func(vc int) bool { return x.used[place*x.config.VCs+vc] == 0 && !x.full(place, vc) }
	if last < low || last > high {
		if free(low) {
			return low
		}
		return -1
	}
	for k := range high - low + 1 {
		if vc := low + (last-low+1+k)%(high-low+1); free(vc) {
			return vc
		}
	}
	return -1
}
