package netlist

import (
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/nic"
)

// Net is a network with every node, port and medium numbered: what a drawing becomes.
type Net struct {
	Name       string // the head of all paths
	OnePort    bool   // a NIC sends to one port, or to all, and hears one; else it does so at all at once
	Processors []Processor
	Media      []Medium
	Words      [nic.ShapeWords]uint32

	one, many string // what a medium is called
	wiring    *fabric.Wiring
	own       *nic.Own // nil if all processors have the same ports
	ports     int      // the most
	apart     bool     // some processors may not reach others
}

// Processor is one of a Net.
type Processor struct {
	Path  string
	Ports []Port
}

// Port is one of a Processor: the media that it sends to and hears, None for none.
type Port struct {
	Path         string
	Sends, Hears int
}

// None is the medium of a port that does not send, or does not hear; and the opposite of a medium that has none.
const None = -1

// Medium is where the frames of its senders meet, and what leads from there to all that hear it.
type Medium struct {
	Path, Link string
	Star       bool // it is a node of the drawing, not one direction of a link
	Latency    int  // cycles, Usual for those of link.propagation_cycles
	Opposite   int  // the other direction of the same half-duplex link, None for none
	Pair       string
}

// Usual is the latency of a medium that has none of its own.
const Usual = -1

// finish works out what follows from processors and media.
func (n *Net) finish() *Net {
	for i := range n.Processors {
		n.ports = max(n.ports, len(n.Processors[i].Ports))
	}
	all := n.ports * len(n.Processors)
	n.wiring = &fabric.Wiring{Sends: slices.Repeat([]uint32{fabric.NoMedium}, all), Hears: slices.Repeat([]uint32{fabric.NoMedium}, all)}
	counts, mute, own := make([]uint16, len(n.Processors)), make([]bool, all), false
	for i := range n.Processors {
		ports := n.Processors[i].Ports
		counts[i] = uint16(len(ports))
		own = own || len(ports) < n.ports
		for p := range n.ports {
			at := i*n.ports + p
			if p < len(ports) && ports[p].Hears != None {
				n.wiring.Hears[at] = uint32(ports[p].Hears)
			}
			if p < len(ports) && ports[p].Sends != None {
				n.wiring.Sends[at] = uint32(ports[p].Sends)
			} else {
				mute[at], own = true, true
			}
		}
	}
	if own {
		n.own = nic.NewOwn(counts, mute, n.ports)
	}
	for i := range n.Media {
		if n.Media[i].Opposite != None {
			n.wiring.Opposite = make([]uint32, len(n.Media))
			break
		}
	}
	for i := range n.wiring.Opposite {
		n.wiring.Opposite[i] = uint32(i)
		if other := n.Media[i].Opposite; other != None {
			n.wiring.Opposite[i] = uint32(other)
		}
	}
	return n
}

// Ports returns how many ports the processor with the most has.
func (n *Net) Ports() int { return n.ports }

// Shape is the size: one unit.
func (n *Net) Shape() fabric.Shape {
	s := fabric.Shape{Units: 1, PerUnit: len(n.Processors), Ports: n.ports, Media: len(n.Media), Words: n.Words}
	if n.OnePort {
		s.Discipline = fabric.OnePort{Wiring: n.wiring, Own: n.own}
		for i := range n.Processors {
			s.Paths = append(s.Paths, n.Processors[i].Path)
		}
	} else {
		s.Discipline = fabric.AllPorts{Wiring: n.wiring, Own: n.own}
		for i := range n.Processors {
			for p := range uint16(n.ports) {
				s.Paths = append(s.Paths, n.port(i, p))
			}
		}
	}
	if slices.ContainsFunc(n.Media, func(m Medium) bool { return m.Latency != Usual }) {
		s.Longest = n.longest
	}
	return s
}

// longest are the cycles of the longest link, if those without a latency have so many.
func (n *Net) longest(linkCycles int) (cycles int) {
	for _, delay := range n.delays(linkCycles) {
		cycles = max(cycles, int(delay))
	}
	return cycles
}

// delays are the cycles from each medium to those who hear it.
func (n *Net) delays(linkCycles int) []uint16 {
	delays := make([]uint16, len(n.Media))
	for i := range n.Media {
		if delays[i] = uint16(linkCycles); n.Media[i].Latency != Usual {
			delays[i] = uint16(n.Media[i].Latency)
		}
	}
	return delays
}

// port is the path of a port, also of one that its processor does not have.
func (n *Net) port(processor int, port uint16) string {
	if ports := n.Processors[processor].Ports; int(port) < len(ports) {
		return ports[port].Path
	}
	return fmt.Sprintf("%s.port[%d]", n.Processors[processor].Path, port)
}

// Opposites implements fabric.Directed for those that have a Net.
func (n *Net) Opposites() []uint32 { return n.wiring.Opposite }

// Names are the paths of everything.
func (n *Net) Names() fabric.Names { return names{n} }

type names struct{ net *Net }

func (names) Unit() string                  { return "" }
func (n names) Processor(i int) string      { return n.net.Processors[i].Path }
func (n names) Medium(medium int) string    { return n.net.Media[medium].Path }
func (n names) Link(medium int) string      { return n.net.Media[medium].Link }
func (n names) MediumNoun() (one, _ string) { return n.net.one, n.net.many }
func (n names) Port(i int, p uint16) string { return n.net.port(i, p) }
func (n names) HeardOn(i int, p uint16) int { return medium(n.net.wiring.Hears[i*n.net.ports+int(p)]) }

// SentOn is the medium of a port; a frame to all ports reaches a processor by the first that it hears.
func (n names) SentOn(i int, p uint16, towards int) int {
	if p != nic.PortAll {
		return medium(n.net.wiring.Sends[i*n.net.ports+int(p)])
	}
	first := None
	for _, port := range n.net.Processors[i].Ports {
		if port.Sends == None {
			continue
		}
		if first == None {
			first = port.Sends
		}
		for _, other := range n.net.Processors[towards].Ports {
			if other.Hears == port.Sends {
				return port.Sends
			}
		}
	}
	return first
}

// medium is the number of one, None for none.
func medium(wire uint32) int {
	if wire == fabric.NoMedium {
		return None
	}
	return int(wire)
}

// What a port and a medium take, in bytes, beside their frames.
const (
	memoryPort  = 24
	memorySlot  = 24
	memoryCycle = 160
)

// MemoryBytes is what carries the frames.
func (n *Net) MemoryBytes(c *fabric.Config) uint64 {
	lanes := uint64(len(n.Processors))
	if !n.OnePort {
		lanes *= uint64(n.ports)
	}
	bytes := uint64(len(n.Processors)*n.ports) * memoryPort
	if c.Cycle {
		return bytes + uint64(len(n.Media))*memoryCycle
	}
	return bytes + uint64(len(n.Media))*memorySlot + 2*lanes*c.RoomBytes(c.FramePayload())
}
