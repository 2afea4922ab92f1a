package netlist

import (
	"cmp"
	"slices"
)

// Layout of a netlist's words for firmware, by processor: the ports, and the next hop to each destination.
//
//	0            number of ports
//	1+4p ..4+4p  port p: medium that it sends to, medium that it hears, processor at the other end if there is one,
//	             credits << 24 | kind << 16 | latency; 0xffffffff: none
//	1+4P+d       port << 16 | next processor on the shortest way to processor d, 0xffffffff: none. P is the most ports
//	             of a processor
//	then         with crossbars: for each port, a bit for each processor that hears it; the own bit: the same port
//	             hears it
//
// All processors share three words: flags, the hash of the netlist, the number of media.
const (
	romPort      = 4
	romNone      = 1<<32 - 1
	romStar      = 1 << 16 // kind of a port at a star
	romBus       = 2 << 16 // kind of a port at a bus with an arbiter
	romCrossbar  = 3 << 16 // kind of a port at a crossbar
	romRouter    = 4 << 16 // kind of a port at a router
	romCredits   = 24      // shift of credits
	romMeets     = 1       // flag: frames of several senders may collide on a medium
	romHearsOne  = 2       // flag: access is one, or switch
	romNoWays    = 4       // flag: there are no next hops
	romOneSwitch = 8       // flag: access is switch
	nextHopsMax  = 4096    // largest number of processors with next hops
	hopBits      = 16
	romMachine   = 3
)

type rom struct {
	net     *Net
	senders [][]int
	hearers [][]int
	next    [][]uint32 // hops by destination and processor; nil above nextHopsMax
}

func newROM(n *Net) *rom {
	// the last entry stands for all routers
	r := &rom{net: n, senders: make([][]int, len(n.Media)+1), hearers: make([][]int, len(n.Media)+1)}
	for i := range n.Processors {
		for _, port := range n.Processors[i].Ports {
			if n.streams(&port) {
				r.senders[len(n.Media)], r.hearers[len(n.Media)] = append(r.senders[len(n.Media)], i),
					append(r.hearers[len(n.Media)], i)
			}
			if m := port.Sends; m != None {
				r.senders[m] = append(r.senders[m], i)
			}
			if m := port.Hears; m != None {
				r.hearers[m] = append(r.hearers[m], i)
			}
		}
	}
	for i := range n.Crossbars { // a crossbar port may send to every output
		x, senders := &n.Crossbars[i], []int(nil)
		for _, tap := range x.Taps {
			if n.Processors[tap.Processor].Ports[tap.Port].Asks == i+1 {
				senders = append(senders, tap.Processor)
			}
		}
		for k := range x.Media() {
			r.senders[x.First+k] = senders
		}
	}
	if !n.hasWays() {
		return r
	}
	if n.routers != nil && n.slotted == 0 { // the only port reaches all processors
		r.next = make([][]uint32, len(n.Processors))
		for d := range r.next {
			r.next[d] = slices.Repeat([]uint32{uint32(d)}, len(n.Processors))
		}
		return r
	}
	ports := map[[2]int]int{}
	for _, way := range n.routes {
		ports[[2]int{way.From, way.To}] = way.Port
	}
	for d := range n.Processors {
		r.next = append(r.next, r.towards(d, ports))
	}
	return r
}

func (n *Net) hasWays() bool {
	return len(n.Processors) <= nextHopsMax && (!n.noRoutes || n.routes != nil)
}

func (n *Net) hearsOne() bool { return n.OnePort || n.Switch }

// hasHearers reports whether firmware can read the listeners of crossbars, true for no crossbars.
func (n *Net) hasHearers() bool { return len(n.Crossbars) == 0 || n.leadsWords() > 0 }

func (n *Net) leadsWords() int {
	if len(n.Crossbars) == 0 || len(n.Processors) > nextHopsMax {
		return 0
	}
	return (len(n.Processors) + 31) / 32
}

func (n *Net) meets() bool {
	senders := make([]uint8, len(n.Media))
	for i := range n.Processors {
		for _, port := range n.Processors[i].Ports {
			if m := port.Sends; m != None && m < n.slotted {
				if senders[m] > 0 && n.free(m) || n.Media[m].Opposite != None {
					return true
				}
				senders[m] = 1
			}
		}
	}
	return false
}

func (r *rom) Words() (processor, machine int) {
	return 1 + romPort*r.net.ports + len(r.next) + r.net.ports*r.net.leadsWords(), romMachine
}

func (r *rom) Machine(_ uint64, dst []uint32) {
	dst[0] = 0
	if r.net.meets() {
		dst[0] = romMeets
	}
	if r.net.hearsOne() {
		dst[0] |= romHearsOne
	}
	if r.net.Switch {
		dst[0] |= romOneSwitch
	}
	if r.next == nil {
		dst[0] |= romNoWays
	}
	dst[1], dst[2] = r.net.Hash(), uint32(len(r.net.Media))
}

func (r *rom) Processor(processor int, _ uint64, dst []uint32) {
	p := &r.net.Processors[processor]
	for i := range dst {
		dst[i] = romNone
	}
	dst[0] = uint32(len(p.Ports))
	for i := range p.Ports {
		words, port := dst[1+romPort*i:], &p.Ports[i]
		medium := port.Sends
		if port.Hears != None {
			words[1], medium = uint32(port.Hears), port.Hears
		}
		if port.Sends != None {
			words[0], medium = uint32(port.Sends), port.Sends
			if hearers := r.hearers[port.Sends]; len(hearers) == 1 {
				words[2] = uint32(hearers[0])
			}
		}
		if medium == None {
			continue
		}
		if port.Asks != 0 {
			medium = r.net.Crossbars[port.Asks-1].First
			words[0] = uint32(medium)
		}
		words[3] = uint32(r.latency(medium))
		if r.net.streams(port) {
			words[3] |= romRouter
		}
		if port.Sends != None {
			words[3] |= uint32(r.net.depth(port.Sends)) << romCredits
		}
		if r.net.Media[medium].Star {
			words[3] |= romStar
		}
		switch {
		case r.net.crossbarOf(medium) != nil:
			words[3] |= romCrossbar
		case r.net.Media[medium].Arbiter != "":
			words[3] ^= romStar | romBus
		}
	}
	for d := range r.next {
		dst[1+romPort*r.net.ports+d] = r.next[d][processor]
	}
	if words := r.net.leadsWords(); words > 0 {
		leads := dst[1+romPort*r.net.ports+len(r.next):]
		clear(leads)
		for i := range p.Ports {
			r.leads(processor, &p.Ports[i], leads[i*words:])
		}
	}
}

func (r *rom) leads(processor int, port *Port, bits []uint32) {
	first, end := port.Sends, port.Sends+1
	if port.Asks != 0 {
		x := &r.net.Crossbars[port.Asks-1]
		first, end = x.First, x.First+x.Media()
	}
	for m := max(0, first); m < end; m++ {
		for _, hearer := range r.hearers[m] {
			if hearer != processor || port.Hears == m {
				bits[hearer/32] |= 1 << (hearer % 32)
			}
		}
	}
}

func (r *rom) latency(medium int) int {
	if medium == len(r.net.Media) {
		return 1
	}
	if l := r.net.Media[medium].Latency; l != Usual {
		return l
	}
	return 1
}

// through returns the medium of a port; all ports at routers share one medium.
func (r *rom) through(port *Port, medium int) int {
	if r.net.streams(port) {
		return len(r.net.Media)
	}
	return medium
}

// towards returns the hop of each processor towards a destination. A port may be set by the drawing; the hop then
// leads to the nearest listener. Otherwise the hop has the lowest latency, then the fewest hops, the lowest port and
// the lowest processor.
func (r *rom) towards(destination int, said map[[2]int]int) []uint32 {
	const far = 1<<63 - 1
	processors, media := make([]int, len(r.net.Processors)), make([]int, len(r.net.Media)+1)
	for i := range processors {
		processors[i] = far
	}
	for i := range media {
		media[i] = far
	}
	queue := nearest{{0, destination}}
	processors[destination] = 0
	for len(queue) > 0 {
		at := queue.pop()
		if at.distance > processors[at.processor] {
			continue
		}
		for _, port := range r.net.Processors[at.processor].Ports {
			hears := r.through(&port, port.Hears)
			if hears == None || media[hears] != far { // the first processor reached is the nearest
				continue
			}
			media[hears] = at.distance + latencyWeight*r.latency(hears) + 1
			for _, sender := range r.senders[hears] {
				if media[hears] < processors[sender] {
					processors[sender] = media[hears]
					queue.push(reach{processors[sender], sender})
				}
			}
		}
	}
	outputs := make([]int, len(r.net.Crossbars)) // output of each crossbar on the way
	for c := range outputs {
		x := &r.net.Crossbars[c]
		outputs[c] = x.First
		for k := range x.Media() {
			if media[x.First+k] < media[outputs[c]] {
				outputs[c] = x.First + k
			}
		}
	}
	sendsTo := func(port Port) int {
		if port.Asks != 0 {
			return outputs[port.Asks-1]
		}
		return r.through(&port, port.Sends)
	}
	next := make([]uint32, len(processors))
	for i := range next {
		next[i] = romNone
		if i == destination {
			continue
		}
		if p, ok := said[[2]int{i, destination}]; ok {
			next[i] = hop(p, r.hearers[sendsTo(r.net.Processors[i].Ports[p])], processors)
			continue
		}
		if processors[i] == far || r.net.noRoutes {
			continue
		}
		for p, port := range r.net.Processors[i].Ports {
			sends := sendsTo(port)
			if sends == None || media[sends] != processors[i] {
				continue
			}
			for _, hearer := range r.hearers[sends] {
				if processors[hearer]+latencyWeight*r.latency(sends)+1 == processors[i] && next[i] == romNone {
					next[i] = uint32(p)<<hopBits | uint32(hearer)
				}
			}
		}
	}
	return next
}

// hop encodes a port and its nearest listener; romNone without listeners.
func hop(port int, hearers, distances []int) uint32 {
	if len(hearers) == 0 {
		return romNone
	}
	return uint32(port)<<hopBits | uint32(slices.MinFunc(hearers,
		func(a, b int) int { return cmp.Compare(distances[a], distances[b]) }))
}
