package netlist

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"starloom/fabric"
	"starloom/fabric/traffic"
)

// packetBytes is the packet that every frame of a program carries.
const packetBytes = 8

// The programs.
const (
	floodProgram   = "netlist/flood"
	nextHopProgram = "netlist/next-hop"
	trafficProgram = "netlist/traffic"
	gossipProgram  = "netlist/gossip"

	// At routers.
	directProgram   = "netlist/direct"
	unicastProgram  = "netlist/unicast"
	exchangeProgram = "netlist/exchange"
)

// Programs implements fabric.Network.
func (n Network) Programs() []fabric.Program {
	net := n.drawn()
	switch {
	case net.routers > 0:
		return net.routed()
	case net.waits():
		return nil
	}
	processors, ports := len(net.Processors), max(1, net.ports)
	slots := uint64(processors)*uint64(processors)*uint64(ports) + 2
	needs := fabric.Needs{RxFrames: net.rxFrames(), PayloadMin: packetBytes, Slots: uint32(min(slots, math.MaxUint32))}
	free := &fabric.CollisionFree{Period: 1, Slots: []int{1}}
	note := strings.Join(net.notes, "; ")
	nextHop := fabric.Program{Name: nextHopProgram, Note: note, SlotsPerStep: 1, Needs: needs,
		Rules: fabric.Rules{CollisionFree: free, ExactlyOnce: true}, Workloads: []string{fabric.WorkloadPermutation}}
	if net.Mixed && net.hasWays() {
		return []fabric.Program{nextHop, net.traffic(note)}
	}
	if net.Switch || net.Mixed || len(net.Crossbars) > 0 {
		return nil
	}
	all := []fabric.Program{{Name: floodProgram, Note: note, SlotsPerStep: 1, Needs: needs,
		Rules: fabric.Rules{CollisionFree: free}, Workloads: []string{fabric.WorkloadOneToAll}}}
	turns := needs // each processor sends all packets: n after those that it waits for on the way, of which there are fewer than n
	turns.Slots = uint32(min(net.roundSlots()*2*uint64(processors)+2, math.MaxUint32))
	all = append(all, fabric.Program{Name: gossipProgram, Note: note, SlotsPerStep: 1, Needs: turns,
		Rules: fabric.Rules{CollisionFree: free}, Workloads: []string{fabric.WorkloadAllToAll}})
	if !net.OnePort && net.hasWays() {
		all = append(all, nextHop)
	}
	if _, free := net.Shape().Discipline.(fabric.AllPorts); free && net.hasWays() {
		all = append(all, net.traffic(note))
	}
	return all
}

// routed are the programs of processors at routers: frames go to whom they are addressed.
func (n *Net) routed() []fabric.Program {
	note, frames := strings.Join(n.notes, "; "), uint64(len(n.Processors))
	slots := uint32(min(frames*(frames+64)+1000, math.MaxUint32))
	once := fabric.Rules{ExactlyOnce: true}
	needs := fabric.Needs{PayloadMin: packetBytes, Slots: slots}
	all := []fabric.Program{
		{Name: directProgram, Note: note, SlotsPerStep: 1, Needs: needs, Rules: once, Workloads: []string{fabric.WorkloadPermutation}},
		{Name: unicastProgram, Note: note, SlotsPerStep: 1, Needs: needs, Workloads: []string{fabric.WorkloadOneToAll}},
		{Name: exchangeProgram, Note: note, SlotsPerStep: 1, Needs: needs, Workloads: []string{fabric.WorkloadAllToAll}},
	}
	if n.hasWays() {
		traffic := n.traffic(note)
		traffic.Rules.CollisionFree = nil
		all = append(all, traffic)
	}
	return all
}

// roundSlots are the slots in which every processor may send a packet to all neighbours.
func (n *Net) roundSlots() uint64 {
	switch {
	case n.OnePort: // in turns, and each at every port
		return uint64(len(n.Processors)) * uint64(max(1, n.ports))
	case n.meets():
		return uint64(len(n.Processors))
	}
	return 1
}

// waits reports whether a port that sends a frame in each of its turns has to wait for credits, though its receiver
// takes each frame at once.
func (n *Net) waits() bool {
	every := n.roundSlots()
	return slices.ContainsFunc(n.Media, func(m Medium) bool {
		return m.Credits != nil && uint64(m.Credits.Settled().RoundTripSlots) > uint64(m.Credits.Depth)*every
	})
}

// queueFramesMax is the longest queue of a port of netlist/traffic: the state of a processor with 72 ports fits in 1 MiB.
const queueFramesMax = 512

// Refuses implements fabric.Selective.
func (n Network) Refuses(program string) (why, remedy string) {
	net, own := n.drawn(), "write image: with firmware of your own"
	known := []string{floodProgram, gossipProgram, nextHopProgram, trafficProgram}
	switch {
	case !slices.Contains(known, program):
		return "", ""
	case net.waits():
		return "sends whenever it is its turn, and some links have fewer credits than that takes",
			"give links a credits depth of their round trip, 2 or more, or " + own
	case net.Switch:
		return "needs NICs that hear all of their ports, or one that they choose, and these have one switch to all of their buses", "take another access, or " + own
	case net.pure():
		return "is for networks that are more than one crossbar", own + ", or take fabric: {crossbar: ...}, which has programs"
	case net.Mixed && net.hasWays():
		return "is for networks in which no port asks before it sends", "take " + nextHopProgram + " or " + trafficProgram + ", or " + own
	case !net.hasWays():
		return fmt.Sprintf("reads the ways of the network, of which it has no table (routes: none, or more than %d processors)", nextHopsMax),
			"write routes: shortest, or take another program"
	case net.OnePort:
		return "needs NICs that hear all of their ports", "write access: all, or take another program"
	}
	return "", ""
}

// traffic is the program that carries packets of traffic.
func (n *Net) traffic(note string) fabric.Program {
	ways := sync.OnceValue(func() *rom { return newROM(n) })
	return fabric.Program{
		Name: trafficProgram, Note: note, SlotsPerStep: 1, Workloads: []string{fabric.WorkloadTraffic},
		Rules:  fabric.Rules{CollisionFree: &fabric.CollisionFree{Period: 1, Slots: []int{1}}, ExactlyOnce: true},
		Needs:  fabric.Needs{RxFrames: max(1, n.mostPlaces()), TxFrames: 1, PayloadMin: traffic.HeadBytes},
		Params: []fabric.Choice{{Name: "queue", Low: 1, High: queueFramesMax}},
		Carries: &fabric.Carries{Closed: true, Reaches: func(source, destination int) string {
			switch {
			case source == destination && n.routers == 0:
				return fmt.Sprintf("no way leads from processor %d to itself", source)
			case n.apart && ways().next[destination][source] == romNone:
				return fmt.Sprintf("no way leads from processor %d to processor %d", source, destination)
			}
			return ""
		}, Anywhere: n.anywhere},
	}
}

// anywhere says why not all processors can reach all others, "" if they can.
func (n *Net) anywhere() string {
	if !n.apart {
		return ""
	}
	ways := newROM(n)
	for destination, from := range ways.next {
		for source, way := range from {
			if source != destination && way == romNone {
				return fmt.Sprintf("no way leads from processor %d to processor %d", source, destination)
			}
		}
	}
	return ""
}
