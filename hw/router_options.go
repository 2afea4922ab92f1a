package hw

import "fmt"

// RouterStages holds the options of the stages of a router, with the meaning of BookSim 2. Zero values are the
// defaults.
type RouterStages struct {
	InputSpeedup    int     // crossbar inputs per input port; VC v uses input v mod InputSpeedup (0: 1)
	OutputSpeedup   int     // crossbar outputs per output port; input port i uses output i mod OutputSpeedup (0: 1)
	InternalSpeedup float64 // steps per cycle, 1 or more, also 1.5 (0: 1)
	OutputBuffer    int     // flits behind the crossbar at which an output stops (0: no limit)
	CrossbarDelay   int     // cycles of the crossbar (0: 1)

	Speculation RouterSpeculation

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

const (
	speedupMax       = 16
	stageDelayMax    = 64
	outputBufferMax  = VCsMax * VCDepthMax
	internalSpeedups = 16.0
)

// plain reports whether the narrow path serves the configuration.
func (c *RouterConfig) plain() bool {
	kinds := c.VCAllocator <= SeparableInputFirst && c.SwitchAllocator <= SeparableInputFirst
	return c.Stages == RouterStages{}.filled() && kinds && c.RoutingDelay <= 1
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

func (c *RouterConfig) checkStages(path string, ports int) error {
	s := c.Stages.filled()
	switch {
	case s.InputSpeedup > speedupMax || s.OutputSpeedup > speedupMax:
		return fmt.Errorf("%s: speed-ups of input and output of %d and %d; allowed: 1 to %d", path, s.InputSpeedup,
			s.OutputSpeedup, speedupMax)
	case !(s.InternalSpeedup >= 1 && s.InternalSpeedup <= internalSpeedups):
		return fmt.Errorf("%s: an internal speed-up of %v; allowed: 1 to %v", path, s.InternalSpeedup, internalSpeedups)
	case s.InputSpeedup > c.VCs:
		return fmt.Errorf("%s: %d crossbar inputs for %d virtual channels; allowed: at most one for each", path,
			s.InputSpeedup, c.VCs)
	case ports*max(s.InputSpeedup, s.OutputSpeedup) > RouterPortsMax:
		return fmt.Errorf("%s: %d ports with a speed-up of %d; the crossbar has at most %d inputs and outputs", path, ports,
			max(s.InputSpeedup, s.OutputSpeedup), RouterPortsMax)
	case s.OutputBuffer < 0 || s.OutputBuffer > outputBufferMax || s.CrossbarDelay > stageDelayMax:
		return fmt.Errorf("%s: a buffer of %d flits behind a crossbar of %d cycles; allowed: 0 (no limit) to %d flits, 1 to "+
			"%d cycles", path, s.OutputBuffer, s.CrossbarDelay, outputBufferMax, stageDelayMax)
	case s.Priority > PrioritySequence:
		return fmt.Errorf("%s: priority %d; allowed: 0 to %d", path, s.Priority, PrioritySequence)
	}
	if s.Speculation.Own {
		return s.Speculation.Allocator.check(path)
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
	PriorityClass                             // Packets.Priority, given with the packets
	PriorityAge                               // M - cycle of the packet's creation
	PriorityNetworkAge                        // M - cycle in which the source has sent the flit
	PriorityLocalAge                          // M - cycle of the flit's arrival at the router
	PriorityQueueLength                       // flits in the buffer of the VC
	PriorityHopCount                          // routers that the flit has passed
	PrioritySequence                          // M - ordinal of the packet at its source
)

var routerPriorities = []string{"none", "class", "age", "network_age", "local_age", "queue_length", "hop_count", "sequence"}

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
	case PriorityClass:
		if p.Priority == nil {
			p.Priority = make([]int32, p.Count())
		}
	}
	return nil
}
