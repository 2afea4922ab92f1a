package fabric

import (
	"fmt"

	"starloom/hw"
)

// restoredCredits are what a state that is being read says, until it is assigned: the credits of
// each sending port, wherever they are.
type restoredCredits struct {
	credits []int32
	held    []uint8
}

// restoring takes what a state says of a counter, which comes before the books.
func (c *Credits) restoring(sender int, count uint16) {
	if sender == 0 {
		c.restored = restoredCredits{make([]int32, len(c.from)), make([]uint8, len(c.held))}
	}
	c.restored.credits[sender] += int32(count)
}

// State visits the books without the counters.
func (c *Credits) State(v *hw.StateVisitor) {
	bySender := func(sender int, count uint8) error {
		c.restored.credits[sender] += int32(count)
		return nil
	}
	byReceiver := func(port int, count uint8) error { return bySender(int(c.from[port]), count) }
	hw.StateColumn(v, "credits.sent.even", c.sent[0], hw.AtMost[uint8](1), bySender)
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
		processor, place := i/fifoMax, i%fifoMax
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
			if int(credits) != c.limits.Depth && !c.Counters.Replaced(sender) {
				return fmt.Errorf("the credits of port %d of processor %d are %d in all, there are %d",
					sender%c.ports, sender/c.ports, credits, c.limits.Depth)
			}
		}
		c.restored = restoredCredits{}
		return nil
	})
}
