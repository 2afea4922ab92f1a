package fabric

import (
	"fmt"

	"starloom/hw"
	"starloom/nic"
)

// Credits bound the frames that a port of an all-port NIC may have sent without the receiver's
// firmware having taken them out of its RX FIFO. A port takes a credit with each frame and is
// given it back when the frame leaves that FIFO, or at once when it is lost: nobody listens,
// it meets another one, its CRC is wrong, the FIFO is full. What is given back at a boundary
// counts from the next one on; a port without a credit keeps its frame, which is blocked.
//
//	boundary      t            t+1            t+2
//	sender     takes a credit                  may send again
//	receiver                 takes the frame out of its FIFO
//
// So depth 2 keeps a link busy whose receiver takes each frame at once, and a depth of two more
// than a port's part of the RX FIFO never blocks. Both engines keep the same books; in the
// cycle engine Counters are components.
type Credits struct {
	Counters *hw.CreditCounters // of every port, processor by processor

	ports int
	from  []uint32 // by port: the port whose frames come there

	sent [2][]uint8 // by sending port: 1 if it has sent a frame in an even slot, an odd one, that has not arrived yet

	// The ports of the frames in the RX FIFO of each processor, the oldest first.
	waiting []uint8 // fifoMax places for each
	held    []uint8
}

// fifoMax is the largest RX FIFO of a NIC.
const fifoMax = 255

// portUnknown is the port of a frame that nobody has sent: RTL can show one.
const portUnknown = 255

// NewCredits gives every port of a network so many credits. Ports that the network has names
// for have counters below those.
func NewCredits(n Network, depth int, shards []hw.Shard) (*Credits, error) {
	shape, names := n.Shape(), n.Names()
	ports, all := shape.Ports, shape.Processors()*shape.Ports
	bank := hw.Bank{Unit: names.Unit(), Name: "nic", Part: "credits", Units: shape.Units, PerUnit: shape.PerUnit * ports, Parts: ports}
	if shape.PortLabels != nil {
		bank.Name, bank.Parts, bank.Labels = "port", 0, shape.PortLabels
	}
	counters, err := hw.NewCreditCounters(bank, depth, shards)
	if err != nil {
		return nil, err
	}
	c := &Credits{
		Counters: counters, ports: ports, from: make([]uint32, all), sent: [2][]uint8{make([]uint8, all), make([]uint8, all)},
		waiting: make([]uint8, fifoMax*shape.Processors()), held: make([]uint8, shape.Processors()),
	}
	sender := make([]uint32, shape.Media)
	for port := range all {
		sender[names.SentOn(port/ports, uint16(port%ports), 0)] = uint32(port)
	}
	for port := range all {
		c.from[port] = sender[names.HeardOn(port/ports, uint16(port%ports))]
	}
	return c, nil
}

// CreditBytes is what credits take.
func CreditBytes(processors, ports int) uint64 {
	return uint64(processors) * (fifoMax + 1 + uint64(ports)*(4+2+hw.CreditCounterBytes))
}

// Blocks reports whether a processor's frame to a port, or to all, has to wait for a credit.
func (c *Credits) Blocks(processor int, port uint16) bool {
	first, end := c.span(processor, port)
	for sender := first; sender < end; sender++ {
		if c.Counters.Count(sender) == 0 {
			return true
		}
	}
	return false
}

// Sent takes the credits of a frame that leaves in a slot.
func (c *Credits) Sent(processor int, port uint16, slot uint32) {
	first, end := c.span(processor, port)
	for sender := first; sender < end; sender++ {
		c.Counters.Take(sender)
		c.sent[slot&1][sender] = 1
	}
}

// span are the ports that a frame is sent at.
func (c *Credits) span(processor int, port uint16) (first, end int) {
	if first = processor * c.ports; port == nic.PortAll {
		return first, first + c.ports
	}
	return first + int(port), first + int(port) + 1
}

// Heard notes what has become of a slot's light at a processor's port: in the RX FIFO is a
// frame of which the port has put one there.
func (c *Credits) Heard(shard, processor int, port uint16, slot uint32, inFIFO bool) {
	sender := c.from[processor*c.ports+int(port)]
	sent := &c.sent[slot&1][sender]
	switch {
	case inFIFO:
		if *sent == 0 {
			port = portUnknown
		}
		c.waiting[processor*fifoMax+int(c.held[processor])] = uint8(port)
		c.held[processor]++
	case *sent != 0:
		c.Counters.Give(shard, int(sender))
	}
	*sent = 0
}

// Free gives back the credits of the frames that handlers have taken out of the RX FIFOs of
// a bank. It looks at all cells: an image can write the registers of those that sleep.
func (c *Credits) Free(shard int, bank *nic.Bank) {
	for cell := range bank.Cells {
		processor := bank.First + cell
		held, left := int(c.held[processor]), int(bank.Registers[cell].RxCount)
		if left >= held {
			continue
		}
		waiting := c.waiting[processor*fifoMax:][:held]
		for _, port := range waiting[:held-left] {
			if port != portUnknown {
				c.Counters.Give(shard, int(c.from[processor*c.ports+int(port)]))
			}
		}
		copy(waiting, waiting[held-left:])
		c.held[processor] = uint8(left)
	}
}

// Reset forgets all frames; the counters are reset with their engine.
func (c *Credits) Reset() {
	clear(c.sent[0])
	clear(c.sent[1])
	clear(c.waiting)
	clear(c.held)
}

// State visits the books without the counters.
func (c *Credits) State(v *hw.StateVisitor) {
	hw.StateColumn(v, "credits.sent.even", c.sent[0], hw.AtMost[uint8](1))
	hw.StateColumn(v, "credits.sent.odd", c.sent[1], hw.AtMost[uint8](1))
	hw.StateColumn(v, "credits.waiting", c.waiting, func(i int, port uint8) error {
		if int(port) >= c.ports && port != portUnknown {
			return fmt.Errorf("element %d is port %d, there are 0 to %d", i, port, c.ports-1)
		}
		return nil
	})
	hw.StateColumn(v, "credits.held", c.held)
}
