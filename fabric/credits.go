package fabric

import (
	"fmt"
	"slices"

	"starloom/hw"
	"starloom/nic"
)

// Credits bound the frames that a port of an all-port NIC may have sent without the receiver's
// firmware having taken them out of its RX FIFO. A port takes a credit with each frame and is
// given it back when the frame leaves that FIFO, or at once when the receiver sees that it is
// lost: no one listens, it meets another one, its CRC is wrong, the FIFO is full. What is given
// back at a boundary counts from the next one on, or later if the round trip is longer; a port
// without a credit keeps its frame, which is blocked.
//
//	boundary      t            t+1            t+2
//	sender     takes a credit                  may send again
//	receiver                 takes the frame out of its FIFO
//
// So depth 2 keeps a link busy whose receiver takes each frame at once, and a depth of two more
// than a port's part of the RX FIFO never blocks. Both engines keep the same books; in the
// cycle engine Counters are components.
//
// A frame that its receiver never sees takes its credit with it: a fault has made the link dark
// in that slot, or the receiver is off the fabric, with all that is in its FIFO. As in InfiniBand
// and Fibre Channel, only a resynchronisation restores such credits: every so many slots the
// sender tells how many frames it has sent, and the receiver gives back those that it misses.
// What it tells crosses the link in the slot before: a dark link or a receiver that is off
// leaves it to the next one.
type Credits struct {
	Counters *hw.CreditCounters // of every port, processor by processor

	limits CreditLimits
	names  Names
	ports  int
	from   []uint32 // by port: the port whose frames come there

	sent [2][]uint8 // by sending port: 1 if it has sent a frame in an even slot, an odd one, that has not arrived yet
	lost []uint8    // by sending port: credits of frames that their receiver has not seen

	// Credits on their way back, by receiving port: those of boundary t get there at boundary
	// t+len(back)-1. Nil for the shortest round trip.
	back [][]uint8

	// The ports of the frames in the RX FIFO of each processor, the oldest first.
	waiting []uint8 // fifoMax places for each
	held    []uint8

	restored restoredCredits
}

// portUnknown is the port of a frame that no one has sent: RTL can show one.
const portUnknown = 255

// NewCredits gives every port of a network its credits. Ports that the network has names for have
// counters below those.
func NewCredits(n Network, limits CreditLimits, shards []hw.Shard) (*Credits, error) {
	if limits.Depth > fifoMax {
		return nil, fmt.Errorf("%s: %d credits, allowed are 1 to %d", n.Kind(), limits.Depth, fifoMax)
	}
	shape, names := n.Shape(), n.Names()
	ports, all := shape.Ports, shape.Processors()*shape.Ports
	bank := hw.Bank{Unit: names.Unit(), Name: "nic", Part: "credits", Units: shape.Units, PerUnit: shape.PerUnit * ports, Parts: ports}
	if shape.PortLabels != nil || shape.Paths != nil {
		bank.Name, bank.Parts, bank.Labels = "port", 0, slices.Concat(shape.PortLabels, shape.Paths)
	}
	counters, err := hw.NewCreditCounters(bank, limits.Depth, shards)
	if err != nil {
		return nil, err
	}
	c := &Credits{
		Counters: counters, limits: limits, names: names, ports: ports,
		from: make([]uint32, all), sent: [2][]uint8{make([]uint8, all), make([]uint8, all)}, lost: make([]uint8, all),
		waiting: make([]uint8, fifoMax*shape.Processors()), held: make([]uint8, shape.Processors()),
	}
	if ways := limits.roundTrip() - 1; ways > 1 {
		c.back = make([][]uint8, ways)
		for i := range c.back {
			c.back[i] = make([]uint8, all)
		}
	}
	counters.Restoring = c.restoring
	sender := make([]uint32, shape.Media)
	for port := range all {
		sender[names.SentOn(port/ports, uint16(port%ports), 0)] = uint32(port)
	}
	for port := range all {
		c.from[port] = sender[names.HeardOn(port/ports, uint16(port%ports))]
	}
	return c, nil
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

// Heard notes what a processor's port has received in a slot, which its bank says.
func (c *Credits) Heard(shard int, bank *nic.Bank, cell int, port uint16, ledger *Ledger, slot uint32) {
	processor := bank.First + cell
	at := processor*c.ports + int(port)
	sender := c.from[at]
	sent := &c.sent[slot&1][sender]
	switch {
	case bank.Rx(cell, port) == nic.StatusOK:
		if *sent == 0 {
			port = portUnknown
		}
		c.waiting[processor*fifoMax+int(c.held[processor])] = uint8(port)
		c.held[processor]++
	case *sent == 0:
	case c.sees(bank, cell, port, ledger, slot):
		c.give(shard, at, slot+1)
	default:
		c.lose(sender)
	}
	*sent = 0
}

// sees reports whether a port has seen in a slot that a frame came which it has not taken: it
// need not listen, but light must reach it.
func (c *Credits) sees(bank *nic.Bank, cell int, port uint16, ledger *Ledger, slot uint32) bool {
	switch {
	case bank.Silenced(cell):
		return false
	case bank.Rx(cell, port) != nic.StatusIdle:
		return true
	}
	return !bank.Hears(cell, port, slot) && !c.dark(bank.First+cell, port, ledger, slot)
}

// dark reports whether a fault keeps the light of a slot from a port.
func (c *Credits) dark(processor int, port uint16, ledger *Ledger, slot uint32) bool {
	if ledger.Faults == nil {
		return false
	}
	effect, _ := ledger.Faults.OnMedium(c.names.HeardOn(processor, port), slot)
	return effect == Dark
}

// lose notes that a frame has taken a credit with it. RTL counters may have given too many.
func (c *Credits) lose(sender uint32) { c.lost[sender] = min(c.lost[sender], fifoMax-1) + 1 }

// give lets a port give back a credit at a boundary.
func (c *Credits) give(shard, port int, boundary uint32) {
	if c.back == nil {
		c.Counters.Give(shard, int(c.from[port]))
		return
	}
	way := c.back[(boundary+uint32(len(c.back))-1)%uint32(len(c.back))]
	way[port] = min(way[port], fifoMax-1) + 1
}

// Free gives back, at the boundary at which a slot begins, the credits of the frames that handlers
// have taken out of the RX FIFOs of a bank, and those that are resynchronised. It looks at all
// cells: an image can write the registers of those that sleep.
func (c *Credits) Free(shard int, bank *nic.Bank, ledger *Ledger, slot uint32) {
	for cell := range bank.Cells {
		processor := bank.First + cell
		held, left := int(c.held[processor]), int(bank.Registers[cell].RxCount)
		if left >= held {
			continue
		}
		waiting := c.waiting[processor*fifoMax:][:held]
		for _, port := range waiting[:held-left] {
			at := processor*c.ports + int(port)
			switch {
			case port == portUnknown:
			case bank.Silenced(cell):
				c.lose(c.from[at])
			default:
				c.give(shard, at, slot)
			}
		}
		copy(waiting, waiting[held-left:])
		c.held[processor] = uint8(left)
	}
	if every := c.limits.ResyncSlots; every > 0 && slot > 0 && slot%every == 0 {
		c.resync(shard, bank, ledger, slot)
	}
	if c.back != nil {
		c.arrive(shard, bank, slot)
	}
}

// resync lets the receivers of a bank give back the credits of frames that they have not seen.
func (c *Credits) resync(shard int, bank *nic.Bank, ledger *Ledger, slot uint32) {
	for at := bank.First * c.ports; at < (bank.First+bank.Cells)*c.ports; at++ {
		lost := &c.lost[c.from[at]]
		if *lost == 0 {
			continue
		}
		processor, port := at/c.ports, uint16(at%c.ports)
		if bank.Silenced(processor-bank.First) || c.dark(processor, port, ledger, slot-1) {
			continue
		}
		for ; *lost > 0; *lost-- {
			c.give(shard, at, slot)
		}
	}
}

// arrive lets the credits get back that receivers of a bank have given a round trip ago.
func (c *Credits) arrive(shard int, bank *nic.Bank, slot uint32) {
	way, first := c.back[slot%uint32(len(c.back))], bank.First*c.ports
	for i, count := range way[first : first+bank.Cells*c.ports] {
		for ; count > 0; count-- {
			c.Counters.Give(shard, int(c.from[first+i]))
		}
		way[first+i] = 0
	}
}

// WaitsFor says for which lost credit a processor waits with one of the frames in its TX FIFO, ""
// for none.
func (c *Credits) WaitsFor(bank *nic.Bank, cell int) string {
	for place := range min(int(bank.Registers[cell].TxCount), bank.TxFrames) {
		frame := bank.TxFrame(cell, place)
		if !bank.Legal(cell, frame) {
			break
		}
		first, end := c.span(bank.First+cell, frame.Port())
		for sender := first; sender < end; sender++ {
			if lost := c.lost[sender]; lost > 0 && c.Counters.Count(sender) == 0 {
				port := c.names.Port(sender/c.ports, uint16(sender%c.ports))
				return fmt.Sprintf("a credit of %s, which has lost %d of %d", port, lost, c.limits.Depth)
			}
		}
	}
	return ""
}

// Reset forgets all frames; the counters are reset with their engine.
func (c *Credits) Reset() {
	clear(c.sent[0])
	clear(c.sent[1])
	clear(c.lost)
	for _, way := range c.back {
		clear(way)
	}
	clear(c.waiting)
	clear(c.held)
}

// Credited is a Transport whose ports may have credits.
type Credited interface {
	Transport
	Credits() *Credits // nil for none
}
