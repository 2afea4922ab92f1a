package nic

// Class is the permission that a lane needs before it sends.
type Class uint8

// Classes of lanes.
const (
	ClassFree      Class = iota // the lane sends at once
	ClassMedium                 // the lane asks for the medium of its port
	ClassAddressee              // the lane asks for the output of its frame's destination
	ClassStreams                // the lane sends flit by flit into a router, which forwards the frame to its destination
)

// Classes describes the lanes of NICs that send and receive on all ports at once. Some lanes repeat a request until
// the network serves it.
type Classes struct {
	Of      []Class             // classes by processor and port; each row has the maximum number of ports
	At      []uint32            // crossbar of each lane that asks for an addressee
	Hears   []bool              // by lane: the lane hears an output of a crossbar, with a tag filter
	Outputs []map[uint32]uint16 // output of each processor, by crossbar
	Routed  []bool              // processors reachable through routers; nil without routers
	all     int                 // largest number of ports
	free    []bool              // processors without a lane that asks
}

// NewClasses returns the classes of lanes; most is the maximum number of ports of a processor.
func NewClasses(of []Class, at []uint32, hears []bool, outputs []map[uint32]uint16, most int) *Classes {
	c := &Classes{Of: of, At: at, Hears: hears, Outputs: outputs, all: most, free: make([]bool, len(of)/max(1, most))}
	for i := range c.free {
		c.free[i] = true
	}
	for lane, class := range of {
		if class != ClassFree {
			c.free[lane/most] = false
		}
	}
	return c
}

// Class returns the class of a processor's port.
func (c *Classes) Class(processor int, port uint16) Class {
	if port == PortAll {
		return ClassFree
	}
	return c.Of[processor*c.all+int(port)]
}

// Output returns the output that a processor requests at a port for a frame to a destination: 0 for the single
// medium, otherwise the destination's output of the crossbar. ok is false if there is no such output.
func (c *Classes) Output(processor int, port uint16, destination uint32) (output uint16, ok bool) {
	lane := processor*c.all + int(port)
	if c.Of[lane] != ClassAddressee {
		return 0, true
	}
	output, ok = c.Outputs[c.At[lane]][destination]
	return output, ok
}

func (c *Classes) takes(processor int, frame FrameView) bool {
	if frame.Port() == PortAll {
		return c.free[processor]
	}
	to := frame.Destination()
	if c.Class(processor, frame.Port()) == ClassStreams {
		return to < uint32(len(c.Routed)) && c.Routed[to]
	}
	_, ok := c.Output(processor, frame.Port(), to)
	return ok
}
