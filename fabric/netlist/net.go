package netlist

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"starloom/fabric"
	"starloom/fabric/contend"
	"starloom/nic"
)

// Net is a drawing with numbered nodes, ports and media.
type Net struct {
	Name       string
	OnePort    bool // a NIC sends to one port or to all ports, and hears one port; otherwise a NIC uses all ports at once
	Switch     bool
	Mixed      bool // some ports of a NIC request their medium before they send
	Processors []Processor
	Media      []Medium
	Crossbars  []Crossbar
	Words      [nic.ShapeWords]uint32

	one, many string // singular and plural noun for media
	wiring    *fabric.Wiring
	own       *nic.Own // nil if all processors have equal ports
	ports     int      // largest number of ports of a processor
	places    []*Place // position of each processor, nil if unknown
	notes     []string
	unequal   bool // some media have their own latency
	reaching
	said
	contended
	hashed
}

type reaching struct {
	apart   bool // some processors may be unreachable
	routers *fabric.Routers
	calls   []string // name of each router in routes
	rule    string   // default routing rule of routers
	kept    keptKey  // key that draws the routers
	slotted int      // number of slotted media; the later media are channels of routers
}

type said struct {
	rtl          map[string]*NodeRTL
	replacements []Replacement     // RTL of nodes as entries of a scenario's key rtl
	routes       []Route           // routes other than the shortest
	noRoutes     bool              // only the routes in routes exist
	later        func() error      // computes the routes of routers; nil if they are computed
	credits      fabric.CreditPlan // ports whose links have credits
}

type contended struct {
	shared *contend.Buses   // buses with access switch, otherwise nil
	lanes  *nic.Classes     // classes of lanes if NICs are Mixed, otherwise nil
	asked  []contend.Shared // shared media that lanes request if NICs are Mixed
}

type hashed struct {
	hash sync.Once
	sum  uint32
}

// Processor is a processor of a Net.
type Processor struct {
	Path  string
	Ports []Port
}

// Port is a port of a Processor with its sending and its heard medium, None for no medium.
type Port struct {
	Path         string
	Sends, Hears int
	Asks         int `json:",omitempty"` // 1 + number of the port's crossbar, 0 for none
}

// None means no medium: for a port that does not send or hear, or as the Opposite of a medium.
const None = -1

// Medium collects the frames of its senders and carries them to all listeners.
type Medium struct {
	Path, Link string
	Star       bool // the medium is a node of the drawing instead of one direction of a link
	Bus        bool `json:",omitempty"`
	Latency    int  // latency in cycles, or Usual for link.propagation_cycles
	Opposite   int  // other direction of a half-duplex link, None for none
	Pair       string
	Arbiter    string `json:",omitempty"` // of a bus, "" for none
	Weights    []int  `json:",omitempty"` // weight of each sender on a bus with weights, 1 if missing
	Length     int    `json:",omitempty"` // limit of processors on a bus in one slot, 0 for no limit
	Taps       []Tap  `json:",omitempty"` // ports of a bus, in link order
	Legs       []Leg  `json:",omitempty"` // ways of an aligned medium, by processor and port, in before out

	// credits of the sending port at a direction of a link, nil for none
	Credits *fabric.CreditLimits `json:",omitempty"`

	round Place
	place string
}

// Leg is a path from a port into a star or bus, or from the star or bus to a port.
type Leg struct {
	Tap
	Out     bool
	Latency int // latency in cycles, before padding
}

// Tap is a port at a bus or a crossbar.
type Tap struct{ Processor, Port int }

// Crossbar is a crossbar of a Net. Its outputs are consecutive media, and its ports are in link order.
type Crossbar struct {
	contend.Crossbar
	First int
	Taps  []Tap
	drawn int // number of the crossbar's node among the drawn media
}

// Usual means the default latency of media.
const Usual = -1

func (n *Net) finish() *Net {
	for i := range n.Processors {
		n.ports = max(n.ports, len(n.Processors[i].Ports))
	}
	if n.routers == nil {
		n.slotted = len(n.Media)
	}
	all := n.ports * len(n.Processors)
	n.wiring = fabric.NewWiring(all)
	counts, mute, own := make([]uint16, len(n.Processors)), make([]bool, all), false
	for i := range n.Processors {
		ports := n.Processors[i].Ports
		counts[i] = uint16(len(ports))
		own = own || len(ports) < n.ports
		for p := range n.ports {
			at := i*n.ports + p
			if p < len(ports) && ports[p].Hears != None && ports[p].Hears < n.slotted {
				n.wiring.Hears[at] = uint32(ports[p].Hears)
			}
			switch {
			case p < len(ports) && n.streams(&ports[p]):
			case p < len(ports) && ports[p].Sends != None:
				n.wiring.Sends[at] = uint32(ports[p].Sends)
			case p < len(ports) && ports[p].Asks != 0:
			default:
				mute[at], own = true, true
			}
		}
	}
	if n.Switch {
		n.shared = n.makeBuses()
		own = false // taps define the ports
	}
	if n.Mixed {
		n.share()
	}
	n.wiring.Share(n.ports)
	if n.own = nil; own {
		n.own = nic.NewOwn(counts, mute, n.ports)
	}
	n.unequal = slices.ContainsFunc(n.Media, func(m Medium) bool { return m.Latency != Usual })
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
	n.credits = n.creditPlan()
	return n
}

// Ports returns the maximum number of ports of a processor.
func (n *Net) Ports() int { return n.ports }

// Shape returns the size of the network: one unit, or one unit per processor if all ports are at routers.
func (n *Net) Shape() fabric.Shape {
	s := fabric.Shape{Units: 1, PerUnit: len(n.Processors), Ports: n.ports, Media: len(n.Media),
		Words: n.Words, Paths: n.paths}
	switch {
	case n.routers != nil && n.slotted == 0:
		s.Units, s.PerUnit, s.Discipline, s.Paths = len(n.Processors), 1, fabric.Streaming{Own: n.own}, nil
	case n.Switch:
		s.Discipline, s.ArbitrationCycles = n.switched(), n.shared.Arbiter.Cycles()
	case n.pure():
		x := n.Crossbars[0].Crossbar
		s.Discipline, s.ArbitrationCycles, s.FramesPerSlot = x.Discipline(), x.Cycles(), x.Queue
	case n.Mixed:
		s.Discipline = fabric.Mixed{Wiring: n.wiring, Own: n.own, Lanes: n.lanes}
		for i := range n.asked {
			s.ArbitrationCycles = max(s.ArbitrationCycles, n.asked[i].Cycles())
		}
	case n.OnePort:
		s.Discipline, s.Loose = fabric.OnePort{Wiring: n.wiring, Own: n.own}, true
	default:
		s.Discipline, s.Loose = fabric.AllPorts{Wiring: n.wiring, Own: n.own}, !n.credited()
	}
	if n.unequal {
		s.Latencies = n.latencies
	}
	return s
}

func (n *Net) paths() (paths []string) {
	one := n.OnePort || n.Switch || n.pure()
	for i := range n.Processors {
		if one {
			paths = append(paths, n.Processors[i].Path)
			continue
		}
		for p := range uint16(n.ports) {
			paths = append(paths, n.port(i, p))
		}
	}
	return paths
}

func (n *Net) latencies(linkCycles int) (least, most int) {
	delays := n.delays(linkCycles)
	return int(slices.Min(delays)), int(slices.Max(delays))
}

// delays returns the latency in cycles from each medium to its listeners.
func (n *Net) delays(linkCycles int) []uint16 {
	delays := make([]uint16, n.slotted)
	for i := range delays {
		if delays[i] = uint16(linkCycles); n.Media[i].Latency != Usual {
			delays[i] = uint16(n.Media[i].Latency)
		}
	}
	return delays
}

func (n *Net) port(processor int, port uint16) string {
	if ports := n.Processors[processor].Ports; int(port) < len(ports) {
		return ports[port].Path
	}
	return fmt.Sprintf("%s.port[%d]", n.Processors[processor].Path, port)
}

func (n *Net) opposites() []uint32 { return n.wiring.Opposite }

// Names returns the paths of processors, ports and media.
func (n *Net) Names() fabric.Names { return names{n} }

type names struct{ net *Net }

func (names) Unit() string                  { return "" }
func (n names) Processor(i int) string      { return n.net.Processors[i].Path }
func (n names) Medium(medium int) string    { return n.medium(medium).Path }
func (n names) Link(medium int) string      { return n.medium(medium).Link }
func (n names) MediumNoun() (one, _ string) { return n.net.one, n.net.many }
func (n names) Port(i int, p uint16) string { return n.net.port(i, p) }

// HeardOn returns the medium that a port hears. It returns None if the processor lacks the port.
func (n names) HeardOn(i int, p uint16) int {
	if ports := n.net.Processors[i].Ports; int(p) < len(ports) {
		return ports[p].Hears
	}
	return None
}

func (n names) medium(medium int) Medium {
	if medium >= len(n.net.Media) {
		router := fmt.Sprintf("netlist.router[%d]", medium)
		return Medium{Path: router, Link: router}
	}
	return n.net.Media[medium]
}

// SentOn returns the medium of a port. For a frame to all ports it returns the first medium that the receiver hears.
func (n names) SentOn(i int, p uint16, towards int) int {
	if p != nic.PortAll {
		ports := n.net.Processors[i].Ports
		switch port := int(p); {
		case port >= len(ports):
			return None
		case ports[port].Asks != 0:
			return n.net.output(&n.net.Crossbars[ports[port].Asks-1], towards)
		default:
			return ports[port].Sends
		}
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

func medium(wire uint32) int {
	if wire == fabric.NoMedium {
		return None
	}
	return int(wire)
}

// Bytes per port, per medium in each engine, and per packet in routers, without frames.
const (
	memoryPort   = 24
	memorySlot   = 24
	memoryCycle  = 160
	memoryPacket = 64
)

// MemoryBytes returns the memory in bytes of all parts that transport frames.
func (n *Net) MemoryBytes(c *fabric.Config) uint64 {
	lanes := uint64(len(n.Processors))
	if !n.OnePort && !n.Switch {
		lanes *= uint64(n.ports)
	}
	bytes := uint64(len(n.Processors)*n.ports)*memoryPort + n.creditBytes()
	if n.routers != nil { // 9/8: measured on a 64x64 mesh; NICs contain further frames
		frames := uint64(len(n.routers.Graph.Nodes) * c.TxFrames)
		bytes += n.routers.Bytes()*9/8 + frames*(c.RoomBytes(c.FramePayload())+memoryPacket)
	}
	if c.Cycle {
		return bytes + uint64(len(n.Media))*memoryCycle
	}
	return bytes + uint64(len(n.Media))*memorySlot + 2*lanes*c.RoomBytes(c.FramePayload())
}

func (n *Net) credited() bool {
	return slices.ContainsFunc(n.Media, func(m Medium) bool { return m.Credits != nil })
}

func (n *Net) creditBytes() (bytes uint64) {
	for i := range n.Media {
		if c := n.Media[i].Credits; c != nil {
			bytes = max(bytes, c.Bytes(len(n.Processors), n.ports))
		}
	}
	return bytes
}

func (n *Net) streams(port *Port) bool { return port.Sends >= n.slotted }

// routedBy marks processors with a port at a router. It returns nil for a network without routers.
func (n *Net) routedBy() (routed []bool) {
	if n.routers == nil {
		return nil
	}
	routed = make([]bool, len(n.Processors))
	for i := range n.Processors {
		routed[i] = slices.ContainsFunc(n.Processors[i].Ports, func(p Port) bool { return n.streams(&p) })
	}
	return routed
}

func (n *Net) node(path string) string { return strings.TrimPrefix(path, n.Name+".") }

func (n *Net) end(processor, port int) string {
	p := &n.Processors[processor]
	return fmt.Sprintf("%s:%s", n.node(p.Path), n.portText(p, port))
}

func (n *Net) portText(p *Processor, port int) string {
	rest := strings.TrimPrefix(p.Ports[port].Path, p.Path+".")
	if label, ok := strings.CutPrefix(rest, "port["); ok {
		return strings.TrimSuffix(label, "]")
	}
	return rest
}

func (n *Net) named(p *Processor) bool {
	return len(p.Ports) > 0 && n.portText(p, 0) != "0"
}
