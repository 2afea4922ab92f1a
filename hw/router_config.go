package hw

import "fmt"

// RouterPortsMax is the largest number of ports of a router.
const RouterPortsMax = 256

// RoutersPerShard are so many that going through them takes longer than the barrier after them.
const RoutersPerShard = 64

// VCDepthMax is the largest number of flits of a buffer.
const VCDepthMax = 4096

// RouterAllocator is how requests and grants are matched.
type RouterAllocator uint8

const (
	// ISLIP matches in one iteration: outputs grant, then inputs accept; only accepted grants move pointers.
	ISLIP RouterAllocator = iota
	// SeparableInputFirst matches in one iteration: inputs pick an output, then outputs take an input.
	SeparableInputFirst
)

// RouterConfig is what the routers of a network have in common.
type RouterConfig struct {
	VCs             int  // virtual channels of a port, 1..VCsMax
	Depth           int  // flits of the buffer of a virtual channel, 1..VCDepthMax
	RoutingDelay    int  // 1: a cycle for routing; 0: lookahead
	CreditDelay     int  // further cycles before a credit counts in a router
	WaitForTail     bool // an output VC is released when the credit of the tail is back, not when the tail leaves
	VCAllocator     RouterAllocator
	SwitchAllocator RouterAllocator
	Classes         int // of traffic, each with a block of as many VCs of its own at every port; 0 or 1: one, with all
}

// ClassVCs are the virtual channels of a class: class c has those from c*ClassVCs on.
func (c *RouterConfig) ClassVCs() int { return c.VCs / max(1, c.Classes) }

func (c *RouterConfig) check(path string) error {
	if c.Classes > 1 && c.VCs%c.Classes != 0 {
		return fmt.Errorf("%s: %d classes of %d virtual channels, allowed are divisors", path, c.Classes, c.VCs)
	}
	for _, k := range []struct {
		name        string
		value       int
		least, most int
	}{
		{"virtual channels", c.VCs, 1, VCsMax}, {"flits of a buffer", c.Depth, 1, VCDepthMax},
		{"cycles of routing", c.RoutingDelay, 0, 1}, {"cycles of a credit", c.CreditDelay, 0, ChannelDelayMax / 2},
		{"as allocator", int(c.VCAllocator), 0, int(SeparableInputFirst)}, {"as allocator", int(c.SwitchAllocator), 0, int(SeparableInputFirst)},
	} {
		if k.value < k.least || k.value > k.most {
			return fmt.Errorf("%s: %d %s, allowed are %d to %d", path, k.value, k.name, k.least, k.most)
		}
	}
	return nil
}
