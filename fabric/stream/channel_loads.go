package stream

import (
	"starloom/fabric"
	"starloom/hw"
)

// ChannelLoads are the flits that have crossed each channel between two routers, of packets that have arrived.
type ChannelLoads struct {
	ways  *fabric.RouterWays
	flits []uint64 // by link
}

// NewChannelLoads are those of no packets.
func NewChannelLoads(r *fabric.Routers) *ChannelLoads {
	return &ChannelLoads{r.Ways(), make([]uint64, len(r.Graph.Links))}
}

// Note counts a packet that has arrived, from one node to another.
func (l *ChannelLoads) Note(source, destination uint32, flits uint16) {
	l.ways.Follow(source, destination, func(link int) { l.flits[link] += uint64(flits) })
}

// PerCycle are the flits of each channel, in the order of links, in a cycle of a run.
func (l *ChannelLoads) PerCycle(cycles uint64) []float64 {
	loads := make([]float64, len(l.flits))
	for i, flits := range l.flits {
		loads[i] = float64(flits) / float64(max(cycles, 1))
	}
	return loads
}

// Total are the flits of all channels.
func (l *ChannelLoads) Total() (flits uint64) {
	for _, of := range l.flits {
		flits += of
	}
	return flits
}

func (l *ChannelLoads) reset() { clear(l.flits) }

func (l *ChannelLoads) state(v *hw.StateVisitor) { hw.StateColumn(v, "channel_flits", l.flits) }
