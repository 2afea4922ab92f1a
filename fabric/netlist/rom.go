package netlist

import (
	"container/heap"

	"starloom/fabric"
)

// What firmware reads of a netlist, in words: the number of its ports, four words for each port, and one for each
// processor: how to get there.
//
//	0            ports
//	1+4p ..4+4p  of port p: the medium that it sends to, the one that it hears, the processor at the other end if there
//	             is one, kind << 16 | latency. 0xffffffff: none
//	1+4P+d       port << 16 | processor: the next one on the shortest way to processor d; 0xffffffff: none. P is the most ports of a processor
//
// All processors share two words: flags, and the hash of the netlist.
const (
	romPort       = 4
	romNone       = 1<<32 - 1
	romStar       = 1 << 16 // kind of a port at a star
	romMeets      = 1       // flag: on some medium frames of several senders may meet
	romOnePort    = 2       // flag: access is one
	nextHopsMax   = 4096    // processors of a netlist with ways to all of them
	hopBits       = 16
	romMachine    = 2
	latencyWeight = 1 << 20 // more than there are hops
)

// ROM implements fabric.WithROM.
func (n Network) ROM(*fabric.Workload, *fabric.Program) (fabric.ROM, error) {
	return newROM(n.drawn()), nil
}

// rom are the tables of a netlist.
type rom struct {
	net     *Net
	senders [][]int // by medium, ascending
	hearers [][]int
	next    [][]uint32 // by destination and processor; nil above nextHopsMax
}

func newROM(n *Net) *rom {
	r := &rom{net: n, senders: make([][]int, len(n.Media)), hearers: make([][]int, len(n.Media))}
	for i := range n.Processors {
		for _, port := range n.Processors[i].Ports {
			if m := port.Sends; m != None {
				r.senders[m] = append(r.senders[m], i)
			}
			if m := port.Hears; m != None {
				r.hearers[m] = append(r.hearers[m], i)
			}
		}
	}
	if len(n.Processors) <= nextHopsMax {
		for d := range n.Processors {
			r.next = append(r.next, r.towards(d))
		}
	}
	return r
}

// Words implements fabric.ROM.
func (r *rom) Words() (processor, machine int) {
	return 1 + romPort*r.net.ports + len(r.next), romMachine
}

// Machine implements fabric.ROM.
func (r *rom) Machine(_ uint64, dst []uint32) {
	dst[0] = 0
	for m := range r.senders {
		if len(r.senders[m]) > 1 || r.net.Media[m].Opposite != None {
			dst[0] = romMeets
		}
	}
	if r.net.OnePort {
		dst[0] |= romOnePort
	}
	dst[1] = r.net.Hash()
}

// Processor implements fabric.ROM.
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
		words[3] = uint32(r.latency(medium))
		if r.net.Media[medium].Star {
			words[3] |= romStar
		}
	}
	for d := range r.next {
		dst[1+romPort*r.net.ports+d] = r.next[d][processor]
	}
}

// latency is that of a medium, 1 if it has none of its own.
func (r *rom) latency(medium int) int {
	if l := r.net.Media[medium].Latency; l != Usual {
		return l
	}
	return 1
}

// towards is how each processor gets to a destination: by the least latency, then the fewest hops, then the lowest
// port, then the lowest processor.
func (r *rom) towards(destination int) []uint32 {
	const far = 1<<63 - 1
	processors, media := make([]int, len(r.net.Processors)), make([]int, len(r.net.Media))
	for i := range processors {
		processors[i] = far
	}
	for i := range media {
		media[i] = far
	}
	queue := &reached{{0, destination}}
	processors[destination] = 0
	for queue.Len() > 0 {
		at := heap.Pop(queue).(reach)
		if at.distance > processors[at.processor] {
			continue
		}
		for _, port := range r.net.Processors[at.processor].Ports {
			if port.Hears == None || media[port.Hears] != far { // who is reached first is the nearest
				continue
			}
			media[port.Hears] = at.distance + latencyWeight*r.latency(port.Hears) + 1
			for _, sender := range r.senders[port.Hears] {
				if media[port.Hears] < processors[sender] {
					processors[sender] = media[port.Hears]
					heap.Push(queue, reach{processors[sender], sender})
				}
			}
		}
	}
	next := make([]uint32, len(processors))
	for i := range next {
		next[i] = romNone
		if i == destination || processors[i] == far {
			continue
		}
		for p, port := range r.net.Processors[i].Ports {
			if port.Sends == None || media[port.Sends] != processors[i] {
				continue
			}
			for _, hearer := range r.hearers[port.Sends] {
				if processors[hearer]+latencyWeight*r.latency(port.Sends)+1 == processors[i] && next[i] == romNone {
					next[i] = uint32(p)<<hopBits | uint32(hearer)
				}
			}
		}
	}
	return next
}

// reached are processors whose distance is known, the nearest first.
type reached []reach

type reach struct{ distance, processor int }

func (h reached) Len() int { return len(h) }
func (h reached) Less(i, j int) bool {
	return h[i].distance < h[j].distance || h[i].distance == h[j].distance && h[i].processor < h[j].processor
}
func (h reached) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *reached) Push(x any)   { *h = append(*h, x.(reach)) }
func (h *reached) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
