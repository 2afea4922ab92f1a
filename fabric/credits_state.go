package fabric

import (
	"fmt"

	"starloom/hw"
)

// restoredCredits are what a state that is being read says, until it is assigned: the credits of
// each sending port, wherever they are.
type restoredCredits struct {
	counters []uint16 // by sender
	credits  []int32
	held     []uint8
}

// restoring takes what a state says of a counter; all counters come before the books, in any order.
func (c *Credits) restoring(sender int, count uint16) {
	if c.restored.counters == nil {
		c.restored.counters = make([]uint16, len(c.from))
	}
	c.restored.counters[sender] = count
}

// restoringBooks takes the counters, when the books begin.
func (c *Credits) restoringBooks() {
	c.restored.credits, c.restored.held = make([]int32, len(c.from)), make([]uint8, len(c.held))
	for sender, count := range c.restored.counters {
		c.restored.credits[sender] = int32(count)
	}
}

// StateWhole is State with the counters, where no kernel has them.
func (c *Credits) StateWhole(v *hw.StateVisitor) {
	for _, bank := range c.Counters {
		v.Within(bank)
	}
	c.State(v)
}

// State visits the books without the counters.
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
			return fmt.Errorf("port %d of processor %d gives back credits, and what it hears has none", port%c.ports, port/c.ports)
		}
		return nil
	}
	hw.StateColumn(v, "credits.sent.even", c.sent[0], hw.AtMost[uint8](1), func(sender int, count uint8) error {
		if sender == 0 {
			c.restoringBooks()
		}
		return bySender(sender, count)
	})
	hw.StateColumn(v, "credits.sent.odd", c.sent[1], hw.AtMost[uint8](1), bySender)
	hw.StateColumn(v, "credits.lost", c.lost, bySender)
	for i, way := range c.back {
		hw.StateColumn(v, hw.Index("credits.back", i), way, byReceiver)
	}
	hw.StateColumn(v, "credits.held", c.held, func(processor int, held uint8) error {
		c.restored.held[processor] = held
		return nil
	})
	hw.StateColumn(v, "credits.waiting", c.waiting, func(i int, port uint8) error {
		processor, place := i/FIFOMax, i%FIFOMax
		switch {
		case int(port) >= c.ports && port != portUnknown:
			return fmt.Errorf("element %d is port %d, there are 0 to %d", i, port, c.ports-1)
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
				return fmt.Errorf("the credits of port %d of processor %d are %d in all, there are %d", sender%c.ports, sender/c.ports, credits, depth)
			}
		}
		c.restored = restoredCredits{}
		return nil
	})
}
