package flow

import (
	"fmt"
	"math"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// Credits limits, for each port of an all-port NIC, the number of sent frames that the receiver's firmware has not
// yet taken out of its RX FIFO. A frame uses a credit of its port. The credit returns when the frame leaves the FIFO.
// If the receiver sees that the frame is lost (no listener, a collision, a wrong CRC or a full FIFO), the credit
// returns at once. A credit returned at a boundary counts from the next boundary on; with a longer round trip, from a
// later boundary. Without a credit, frames to the port are blocked.
//
//	boundary      t            t+1            t+2
//	sender     takes a credit                  may send again
//	receiver                 takes the frame out of its FIFO
//
// Depth 2 therefore keeps a link busy if the receiver takes each frame at once. A depth of 2 plus the port's share of
// the RX FIFO never blocks. Both engines use the same code; in the cycle engine Counters are components.
//
// A credit is lost if the receiver never sees the frame: a fault has darkened the link in that slot, or the receiver
// is off the fabric, with all frames in its FIFO. As in InfiniBand and Fibre Channel, only a resynchronisation
// restores such credits: periodically the sender transmits the number of its sent frames, and the receiver returns
// the missing credits. The number crosses the link in the previous slot. A dark link or a disabled receiver delays it
// to the next resynchronisation.
type Credits struct {
	Counters []*hw.CreditCounters // a bank of counters per depth, processor by processor

	limits []fabric.CreditLimits // distinct limits
	of     []creditOf            // by sending port; nil if all ports have limits[0] and a counter in bank 0
	every  []uint32              // distinct resynchronisation periods in slots

	shape fabric.Shape
	names fabric.Names
	ports int
	from  []uint32 // by port: the sending port at the other end, or noCredits

	sent [2][]uint8 // by parity of the slot and sending port: 1 if a frame sent in that slot has not arrived yet
	lost []uint8    // by sending port: number of credits of frames that the receiver has not seen

	// by receiving port: credits on their way back; credits of boundary t arrive at t+len(back)-1; nil for the
	// minimum round trip
	back [][]uint8

	// by processor: ports of the frames in the RX FIFO, oldest first
	waiting []uint8 // FIFOMax places per processor
	held    []uint8

	restored restoredCredits
}

// portUnknown is the port of a frame without a known sender. Only RTL can produce such frames.
const portUnknown = 255

// CreditsOf returns the credits of a network's ports, nil if it has none.
func CreditsOf(n fabric.Network, shards []hw.Shard) (*Credits, error) {
	switch plan := n.Abilities().Credits; {
	case plan.All != nil:
		return NewCredits(n, *plan.All, shards)
	case len(plan.Some) > 0:
		return newPortCredits(n, plan.Some, shards)
	}
	return nil, nil
}

// NewCredits gives every port of a network the same limits. The path of a counter begins with the path of its port,
// if the port is named.
func NewCredits(n fabric.Network, limits fabric.CreditLimits, shards []hw.Shard) (*Credits, error) {
	shape := n.Shape()
	bank := hw.Bank{Unit: n.Names().Unit(), Name: "nic", Part: "credits", Units: shape.Units,
		PerUnit: shape.PerUnit * shape.Ports, Parts: shape.Ports}
	if shape.PortLabels != nil {
		bank.Name, bank.Parts, bank.Labels = "port", 0, shape.PortLabels
	}
	c := emptyCredits(shape, n.Names(), []fabric.CreditLimits{limits})
	if err := c.count(n.Kind(), bank, limits.Depth, shards); err != nil {
		return nil, err
	}
	for port := range c.from {
		c.from[port] = uint32(port)
	}
	c.lead(c.from)
	return c, nil
}

// Blocks reports whether a processor's frame to a port, or to all ports, must wait for a credit.
func (c *Credits) Blocks(processor int, port uint16) bool {
	first, end := c.span(processor, port)
	for sender := first; sender < end; sender++ {
		if c.has(sender) && c.credits(sender) == 0 {
			return true
		}
	}
	return false
}

// Sent takes the credits of a frame that is sent in a slot.
func (c *Credits) Sent(processor int, port uint16, slot uint32) {
	first, end := c.span(processor, port)
	for sender := first; sender < end; sender++ {
		if c.has(sender) {
			bank, counter := c.counter(sender)
			bank.Take(counter)
			c.sent[slot&1][sender] = 1
		}
	}
}

func (c *Credits) span(processor int, port uint16) (first, end int) {
	if first = processor * c.ports; port == nic.PortAll {
		return first, first + c.ports
	}
	return first + int(port), first + int(port) + 1
}

// Heard records the status of a processor's port in a slot, as stored in the bank.
func (c *Credits) Heard(shard int, bank *nic.Bank, cell int, port uint16, ledger *fabric.Ledger, slot uint32) {
	processor := bank.First + cell
	at, came := processor*c.ports+int(port), bank.Rx(cell, port) == nic.StatusOK
	sender := c.from[at]
	if sender == noCredits {
		if came {
			c.wait(processor, portUnknown)
		}
		return
	}
	sent := &c.sent[slot&1][sender]
	switch {
	case came && *sent == 0:
		c.wait(processor, portUnknown)
	case came:
		c.wait(processor, uint8(port))
	case *sent == 0:
	case c.sees(bank, cell, port, ledger, slot):
		c.give(shard, at, slot+1)
	default:
		c.lose(sender)
	}
	*sent = 0
}

func (c *Credits) wait(processor int, port uint8) {
	c.waiting[processor*fabric.FIFOMax+int(c.held[processor])] = port
	c.held[processor]++
}

// sees reports whether a port has seen the loss of a frame in a slot. Light must reach the port; the port need not
// listen.
func (c *Credits) sees(bank *nic.Bank, cell int, port uint16, ledger *fabric.Ledger, slot uint32) bool {
	switch {
	case bank.Silenced(cell):
		return false
	case bank.Rx(cell, port) != nic.StatusIdle:
		return true
	}
	return !bank.Hears(cell, port, slot) && !c.dark(bank.First+cell, port, ledger, slot)
}

func (c *Credits) dark(processor int, port uint16, ledger *fabric.Ledger, slot uint32) bool {
	if ledger.Faults == nil {
		return false
	}
	effect, _, _ := ledger.Faults.At(processor, port, slot)
	return effect == fabric.Dark || effect == fabric.Missed
}

// lose records a lost credit. It limits the number of lost credits, because RTL counters may have given too many.
func (c *Credits) lose(sender uint32) { c.lost[sender] = min(c.lost[sender], fabric.FIFOMax-1) + 1 }

func (c *Credits) give(shard, port int, boundary uint32) {
	sender := int(c.from[port])
	if c.back == nil {
		c.put(shard, sender)
		return
	}
	way := c.back[(boundary+uint32(c.limitsOf(sender).RoundTrip()-fabric.RoundTripMin))%uint32(len(c.back))]
	way[port] = min(way[port], fabric.FIFOMax-1) + 1
}

func (c *Credits) put(shard, sender int) {
	bank, counter := c.counter(sender)
	bank.Give(shard, counter)
}

// Free returns credits at the start of a slot: the credits of frames that the handlers of a window have taken out of
// RX FIFOs, and resynchronised credits. It checks all cells, because an image can write the registers of sleeping
// processors.
func (c *Credits) Free(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	resyncs := slot > 0 && slices.ContainsFunc(c.every, func(every uint32) bool { return slot%every == 0 })
	c.free(shard, bank, slot, window.First, window.End)
	if resyncs {
		c.resync(shard, bank, ledger, slot, window.First, window.End)
	}
	if c.back != nil {
		c.arrive(shard, slot, (bank.First+window.First)*c.ports, (bank.First+window.End)*c.ports)
	}
}

func (c *Credits) free(shard int, bank *nic.Bank, slot uint32, first, end int) {
	for cell := first; cell < end; cell++ {
		processor := bank.First + cell
		held, left := int(c.held[processor]), int(bank.Registers[cell].RxCount)
		if left >= held {
			continue
		}
		waiting := c.waiting[processor*fabric.FIFOMax:][:held]
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
}

// resync returns the lost credits of the ports with a due resynchronisation.
func (c *Credits) resync(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, first, end int) {
	for at := (bank.First + first) * c.ports; at < (bank.First+end)*c.ports; at++ {
		if c.from[at] == noCredits || c.lost[c.from[at]] == 0 {
			continue
		}
		lost, every := &c.lost[c.from[at]], c.limitsOf(int(c.from[at])).ResyncSlots
		processor, port := at/c.ports, uint16(at%c.ports)
		if every == 0 || slot%every != 0 || bank.Silenced(processor-bank.First) || c.dark(processor, port, ledger, slot-1) {
			continue
		}
		for ; *lost > 0; *lost-- {
			c.give(shard, at, slot)
		}
	}
}

func (c *Credits) arrive(shard int, slot uint32, first, end int) {
	way := c.back[slot%uint32(len(c.back))]
	for i, count := range way[first:end] {
		for ; count > 0; count-- {
			c.put(shard, int(c.from[first+i]))
		}
		way[first+i] = 0
	}
}

// WaitsFor describes the lost credit for which a frame in a processor's TX FIFO waits. It returns "" for none.
func (c *Credits) WaitsFor(bank *nic.Bank, cell int) string {
	for place := range min(int(bank.Registers[cell].TxCount), bank.TxFrames) {
		frame := bank.TxFrame(cell, place)
		if !bank.Legal(cell, frame) {
			break
		}
		first, end := c.span(bank.First+cell, frame.Port())
		for sender := first; sender < end; sender++ {
			if lost := c.lost[sender]; lost > 0 && c.credits(sender) == 0 {
				port := c.names.Port(sender/c.ports, uint16(sender%c.ports))
				return fmt.Sprintf("a credit of %s, which has lost %d of %d", port, lost, c.limitsOf(sender).Depth)
			}
		}
	}
	return ""
}

// Reset forgets all frames. The engine resets the counters.
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

// Latch is the clock edge of counters outside a kernel.
func (c *Credits) Latch(shards []hw.Shard) {
	for _, bank := range c.Counters {
		for _, s := range shards {
			bank.Latch(s)
		}
	}
}

// Restart is Reset for the frames and for counters outside a kernel.
func (c *Credits) Restart() {
	for _, bank := range c.Counters {
		bank.Reset()
	}
	c.Reset()
}

// Credited is a Transport with credits.
type Credited interface {
	fabric.Transport
	Credits() *Credits // nil if no port has credits
}

// noCredits marks a port without a sender, or with a sender that has no credits.
const noCredits = math.MaxUint32

// creditOf locates the limits and the counter of a sending port.
type creditOf struct {
	limits  uint32 // index of the limits + 1, 0 without credits
	bank    uint32
	counter uint32
}

// newPortCredits gives credits to some ports of a network. In a single unit, each depth has one bank of counters.
// ports must be in ascending order.
func newPortCredits(n fabric.Network, ports []fabric.PortCredits, shards []hw.Shard) (*Credits, error) {
	kind, shape, names := n.Kind(), n.Shape(), n.Names()
	var limits []fabric.CreditLimits
	of, depths, byDepth := make([]creditOf, shape.Processors()*shape.Ports), []int(nil), map[int][]uint32{}
	known := map[fabric.CreditLimits]uint32{}
	for _, p := range ports {
		l := p.Settled()
		if known[l] == 0 {
			limits = append(limits, l)
			known[l] = uint32(len(limits))
		}
		if byDepth[l.Depth] == nil {
			depths = append(depths, l.Depth)
		}
		of[p.Port] = creditOf{limits: known[l], bank: uint32(slices.Index(depths, l.Depth)),
			counter: uint32(len(byDepth[l.Depth]))}
		byDepth[l.Depth] = append(byDepth[l.Depth], p.Port)
	}
	c := emptyCredits(shape, names, limits)
	c.of = of
	for _, depth := range depths {
		bank := hw.Bank{Name: hw.Index(kind+".depth", depth), Part: "credits", Units: 1, PerUnit: len(byDepth[depth])}
		for _, port := range byDepth[depth] {
			bank.Labels = append(bank.Labels, names.Port(int(port)/c.ports, uint16(int(port)%c.ports)))
		}
		if err := c.count(kind, bank, depth, shards); err != nil {
			return nil, err
		}
	}
	senders := make([]uint32, len(ports))
	for i := range ports {
		senders[i] = ports[i].Port
	}
	c.lead(senders)
	return c, nil
}

func emptyCredits(shape fabric.Shape, names fabric.Names, limits []fabric.CreditLimits) *Credits {
	ports, all := shape.Ports, shape.Processors()*shape.Ports
	c := &Credits{
		limits: limits, shape: shape, names: names, ports: ports,
		from: make([]uint32, all), sent: [2][]uint8{make([]uint8, all), make([]uint8, all)}, lost: make([]uint8, all),
		waiting: make([]uint8, fabric.FIFOMax*shape.Processors()), held: make([]uint8, shape.Processors()),
	}
	longest := fabric.RoundTripMin
	for i := range limits {
		longest = max(longest, limits[i].RoundTrip())
		if every := limits[i].ResyncSlots; every > 0 && !slices.Contains(c.every, every) {
			c.every = append(c.every, every)
		}
	}
	if longest > fabric.RoundTripMin {
		c.back = make([][]uint8, longest-1)
		for i := range c.back {
			c.back[i] = make([]uint8, all)
		}
	}
	return c
}

func (c *Credits) count(kind string, bank hw.Bank, depth int, shards []hw.Shard) error {
	if depth > fabric.FIFOMax {
		return fmt.Errorf("%s: %d credits; allowed: 1 to %d", kind, depth, fabric.FIFOMax)
	}
	counters, err := hw.NewCreditCounters(bank, depth, shards)
	if err != nil {
		return err
	}
	number := len(c.Counters)
	var senders []uint32
	for sender, of := range c.of {
		if of.limits > 0 && int(of.bank) == number {
			senders = append(senders, uint32(sender))
		}
	}
	counters.Restoring = func(counter int, count uint16) {
		sender := counter
		if senders != nil {
			sender = int(senders[counter])
		}
		c.restoring(sender, count)
	}
	c.Counters = append(c.Counters, counters)
	return nil
}

func (c *Credits) lead(senders []uint32) {
	sender := slices.Repeat([]uint32{noCredits}, c.shape.Media)
	for _, port := range senders {
		sender[c.names.SentOn(int(port)/c.ports, uint16(int(port)%c.ports), 0)] = port
	}
	for port := range c.from {
		c.from[port] = noCredits
		if medium := c.names.HeardOn(port/c.ports, uint16(port%c.ports)); medium >= 0 {
			c.from[port] = sender[medium]
		}
	}
}

func (c *Credits) has(sender int) bool { return c.of == nil || c.of[sender].limits > 0 }

func (c *Credits) limitsOf(sender int) *fabric.CreditLimits {
	if c.of == nil {
		return &c.limits[0]
	}
	return &c.limits[c.of[sender].limits-1]
}

func (c *Credits) counter(sender int) (bank *hw.CreditCounters, counter int) {
	if c.of == nil {
		return c.Counters[0], sender
	}
	return c.Counters[c.of[sender].bank], int(c.of[sender].counter)
}

func (c *Credits) credits(sender int) int {
	bank, counter := c.counter(sender)
	return bank.Count(counter)
}

// restoredCredits sums the credits of each sending port in a saved state, before they are distributed to counters.
type restoredCredits struct {
	counters []uint16 // by sender
	credits  []int32
	held     []uint8
}

// restoring records a restored counter. The order of counters is arbitrary, but counters precede the other columns.
func (c *Credits) restoring(sender int, count uint16) {
	if c.restored.counters == nil {
		c.restored.counters = make([]uint16, len(c.from))
	}
	c.restored.counters[sender] = count
}

func (c *Credits) restoringBooks() {
	c.restored.credits, c.restored.held = make([]int32, len(c.from)), make([]uint8, len(c.held))
	for sender, count := range c.restored.counters {
		c.restored.credits[sender] = int32(count)
	}
}

// StateWhole is State for machines whose counters are outside a kernel; it includes the counters.
func (c *Credits) StateWhole(v *hw.StateVisitor) {
	for _, bank := range c.Counters {
		v.Within(bank)
	}
	c.State(v)
}

// State visits all columns except the counters.
func (c *Credits) State(v *hw.StateVisitor) {
	bySender := func(sender int, count uint8) error {
		c.restored.credits[sender] += int32(count)
		return nil
	}
	byReceiver := func(port int, count uint8) error {
		switch {
		case c.from[port] != noCredits:
			return bySender(int(c.from[port]), count)
		case count > 0:
			return fmt.Errorf("port %d of processor %d returns credits, but the port that sends to it has none",
				port%c.ports, port/c.ports)
		}
		return nil
	}
	hw.StateColumn(v, hw.Future, "credits.sent.even", c.sent[0], hw.AtMost[uint8](1), func(sender int, count uint8) error {
		if sender == 0 {
			c.restoringBooks()
		}
		return bySender(sender, count)
	})
	hw.StateColumn(v, hw.Future, "credits.sent.odd", c.sent[1], hw.AtMost[uint8](1), bySender)
	hw.StateColumn(v, hw.Future, "credits.lost", c.lost, bySender)
	for i, way := range c.back {
		hw.StateColumn(v, hw.Future, hw.Index("credits.back", i), way, byReceiver)
	}
	hw.StateColumn(v, hw.Future, "credits.held", c.held, func(processor int, held uint8) error {
		c.restored.held[processor] = held
		return nil
	})
	hw.StateColumn(v, hw.Future, "credits.waiting", c.waiting, func(i int, port uint8) error {
		processor, place := i/fabric.FIFOMax, i%fabric.FIFOMax
		switch {
		case int(port) >= c.ports && port != portUnknown:
			return fmt.Errorf("element %d is port %d, but ports are 0 to %d", i, port, c.ports-1)
		case port != portUnknown && place < int(c.restored.held[processor]):
			return byReceiver(processor*c.ports+int(port), 1)
		}
		return nil
	})
	v.Verify(func() error {
		for sender, credits := range c.restored.credits {
			depth, replaced := 0, false
			if c.has(sender) {
				bank, counter := c.counter(sender)
				depth, replaced = c.limitsOf(sender).Depth, bank.Replaced(counter)
			}
			if int(credits) != depth && !replaced {
				return fmt.Errorf("the credits of port %d of processor %d add up to %d instead of %d", sender%c.ports,
					sender/c.ports, credits, depth)
			}
		}
		c.restored = restoredCredits{}
		return nil
	})
}
