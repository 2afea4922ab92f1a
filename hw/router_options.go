package hw

import "fmt"

// RouterStages holds the options of the stages of a router, with the meaning of BookSim 2. Zero values are the
// defaults.
type RouterStages struct {
	InputSpeedup    int     // crossbar inputs per input port; VC v uses input v mod InputSpeedup (0: 1)
	OutputSpeedup   int     // crossbar outputs per output port; input port i uses output i mod OutputSpeedup (0: 1)
	InternalSpeedup float64 // steps per cycle, 1 or more, also 1.5 (0: 1)
	OutputBuffer    int     // flits after the crossbar at which an output stops (0: no limit)
	CrossbarDelay   int     // cycles of the crossbar (0: 1)

	Speculation RouterSpeculation
	Buffers     RouterBuffers

	HoldSwitch bool // a packet keeps its connection through the switch while it has flits and credits

	BusyWhenFull    bool // heads do not request VCs without credit
	PrioritizeEmpty bool // heads prefer VCs without outstanding flits
	ShuffleRequests bool // allocators of VCs number inputs by VC first, then by port

	Priority RouterPriority
	Donate   bool // a VC has the highest priority among the flits in its buffer, not that of the first flit
}

// RouterSpeculation are the options of heads that request the switch together with an output VC.
type RouterSpeculation struct {
	On        bool
	AnyVC     bool            // requests even if every VC of the route is owned
	AnyCredit bool            // requests even if no free VC has credit
	Own       bool            // an allocator of its own serves speculative requests; otherwise they have least priority
	Allocator RouterAllocator // if Own
	// if Own: a request of another flit for the output excludes a speculative grant; otherwise only a grant does
	MaskByRequests bool
}

// RouterBuffers are buffers that the virtual channels of an input port share: BookSim's policy "shared". The zero value
// gives each virtual channel Depth flits of its own.
type RouterBuffers struct {
	Shared  bool // RouterConfig.Depth is then the number of flits of all virtual channels of a port
	Private int  // flits reserved for each pool
	Pools   int  // pools of virtual channels, 1..VCs: VC v is in pool j for j*VCs/Pools <= v < (j+1)*VCs/Pools
}

const (
	speedupMax       = 16
	stageDelayMax    = 64
	outputBufferMax  = VCsMax * VCDepthMax
	internalSpeedups = 16.0
)

// Beyond returns the first option of the stages that narrow routers, and their RTL, do not have, "" for none.
func (c *RouterConfig) Beyond() string {
	s := c.Stages.filled()
	for _, option := range []struct {
		is   bool
		name string
	}{
		{c.VCAllocator > SeparableInputFirst, "vc_allocator: " + c.VCAllocator.String()},
		{c.SwitchAllocator > SeparableInputFirst, "sw_allocator: " + c.SwitchAllocator.String()},
		{c.RoutingDelay > 1, "routing_delay above 1"},
		{s.InputSpeedup > 1, "input_speedup"}, {s.OutputSpeedup > 1, "output_speedup"},
		{s.InternalSpeedup > 1, "internal_speedup"}, {s.OutputBuffer > 0, "output_buffer"},
		{s.CrossbarDelay > 1, "crossbar_delay"}, {s.Speculation.On, "speculative"}, {s.HoldSwitch, "hold_switch"},
		{s.BusyWhenFull, "vc_busy_when_full"}, {s.PrioritizeEmpty, "vc_prioritize_empty"},
		{s.ShuffleRequests, "vc_shuffle_requests"}, {s.Priority != NoPriority, "priority"}, {s.Buffers.Shared, "buffers"},
		{s != RouterStages{}.filled(), "an option of the stages"},
	} {
		if option.is {
			return option.name
		}
	}
	return ""
}

// PassCycles returns the cycles that a head needs in a router without other traffic, without the latency of the link.
// With an internal speed-up that is no integer, it is the number for the next lower integer.
func (c *RouterConfig) PassCycles() (cycles int) {
	s := c.Stages.filled()
	stages := []int{c.RoutingDelay, 1, 1, s.CrossbarDelay}
	if s.Speculation.On {
		stages = []int{c.RoutingDelay, 1, s.CrossbarDelay}
	}
	step, steps := 0, int(s.InternalSpeedup)
	for _, delay := range stages {
		if delay == 0 {
			continue
		}
		if step == steps {
			cycles, step = cycles+1, 0
		}
		if step++; delay > 1 { // ends in the first step of a later cycle
			cycles, step = cycles+delay-1, 1
		}
	}
	return cycles + 1
}

// filled replaces zeros by defaults.
func (s RouterStages) filled() RouterStages {
	s.InputSpeedup, s.OutputSpeedup = max(1, s.InputSpeedup), max(1, s.OutputSpeedup)
	s.CrossbarDelay = max(1, s.CrossbarDelay)
	if s.InternalSpeedup == 0 {
		s.InternalSpeedup = 1
	}
	return s
}

// CheckStages checks the stages of routers of up to the given number of ports.
func (c *RouterConfig) CheckStages(ports int) error {
	s := c.Stages.filled()
	switch {
	case s.InputSpeedup > speedupMax || s.OutputSpeedup > speedupMax:
		return fmt.Errorf("speed-ups of input and output of %d and %d; allowed: 1 to %d", s.InputSpeedup,
			s.OutputSpeedup, speedupMax)
	case !(s.InternalSpeedup >= 1 && s.InternalSpeedup <= internalSpeedups):
		return fmt.Errorf("an internal speed-up of %v; allowed: 1 to %v", s.InternalSpeedup, internalSpeedups)
	case ports*max(s.InputSpeedup, s.OutputSpeedup) > RouterPortsMax:
		return fmt.Errorf("%d ports with a speed-up of %d; the crossbar has at most %d inputs and outputs", ports,
			max(s.InputSpeedup, s.OutputSpeedup), RouterPortsMax)
	case s.OutputBuffer < 0 || s.OutputBuffer > outputBufferMax || s.CrossbarDelay > stageDelayMax:
		return fmt.Errorf("a buffer of %d flits after a crossbar of %d cycles; allowed: 0 (no limit) to %d flits, 1 to "+
			"%d cycles", s.OutputBuffer, s.CrossbarDelay, outputBufferMax, stageDelayMax)
	case s.Buffers.Shared && (s.Buffers.Pools < 1 || s.Buffers.Pools > c.VCs || s.Buffers.Private < 0 ||
		s.Buffers.Pools*s.Buffers.Private > c.Depth):
		return fmt.Errorf("%d pools of %d private flits among %d flits; allowed: 1 to %d pools, and not more private flits "+
			"than flits", s.Buffers.Pools, s.Buffers.Private, c.Depth, c.VCs)
	case s.Priority > PriorityClass:
		return fmt.Errorf("priority %d; allowed: 0 to %d", s.Priority, PriorityClass)
	}
	if s.Speculation.Own {
		return s.Speculation.Allocator.check()
	}
	return nil
}

// banks returns the number of banks of credit wires.
func (c *RouterConfig) banks() int { return max(1, c.Stages.InputSpeedup) }

// RouterPriority is the priority of a flit. The larger wins.
type RouterPriority uint8

// Priorities, with M = 2^31-1.
const (
	NoPriority          RouterPriority = iota // all flits are equal
	PriorityAge                               // M - cycle of the packet's creation
	PriorityNetworkAge                        // M - cycle in which the source has sent the flit
	PriorityLocalAge                          // M - cycle of the flit's arrival at the router
	PriorityQueueLength                       // flits in the buffer of the VC
	PriorityHopCount                          // routers that the flit has passed
	PrioritySequence                          // M - ordinal of the packet at its source
	PriorityClass                             // PacketTraffic.Priority of the packet's class
)

var routerPriorities = []string{"none", "age", "network_age", "local_age", "queue_length", "hop_count", "sequence",
	"class"}

func (p RouterPriority) String() string { return routerPriorities[p] }

// RouterPriorities returns the names of all priorities in ascending order of their numbers.
func RouterPriorities() []string { return routerPriorities }

// carried reports whether each flit in a buffer has a priority of its own.
func (p RouterPriority) carried() bool { return p != NoPriority && p != PriorityQueueLength }

// prioritize makes the columns of packets that a priority needs, and returns their registers.
func (p *Packets) prioritize(by RouterPriority) []Register {
	p.Sequence, p.FirstFlit, p.FlitSent = nil, nil, nil
	switch by {
	case PrioritySequence:
		p.Sequence = make([]uint32, p.Count())
		return []Register{Column("sequence", p.Sequence)}
	case PriorityNetworkAge:
		flits := uint32(0)
		for _, size := range p.Size {
			p.FirstFlit = append(p.FirstFlit, flits)
			flits += uint32(size)
		}
		p.FlitSent = make([]uint32, flits)
		return []Register{Column("flit_sent", p.FlitSent)}
	}
	return nil
}
