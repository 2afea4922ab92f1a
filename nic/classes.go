package nic

// Class is what the transmitter of a lane does before it sends.
type Class uint8

// The classes of lanes.
const (
	ClassFree      Class = iota // it sends
	ClassMedium                 // it asks for the medium of its port
	ClassAddressee              // it asks for the output at which the destination of its frame is
	ClassStreams                // it sends flit by flit into a router, through which the frame goes to its destination
)

// Classes are lanes of NICs that send and receive at all ports at once, some of which ask first, again and
// again until they are served.
type Classes struct {
	Of      []Class             // by processor and port, as many for each as the most
	At      []uint32            // the same: which crossbar a lane leads to that asks for an addressee
	Hears   []bool              // the same: whether a lane hears an output of a crossbar, which takes a tag or any
	Outputs []map[uint32]uint16 // by crossbar: the output at which a processor is
	Routed  []bool              // by processor: routers lead to it; nil for no routers
	all     int                 // ports, the most
	free    []bool              // by processor: no lane asks
}

// NewClasses returns those of lanes; most is how many ports a processor has at most.
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

// Class is that of a processor's port.
func (c *Classes) Class(processor int, port uint16) Class {
	if port == PortAll {
		return ClassFree
	}
	return c.Of[processor*c.all+int(port)]
}

// Output is what a processor asks for at a port with a frame to a destination: 0 for the one medium there, and
// of a crossbar the output of the destination. It is ok if there is one.
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
