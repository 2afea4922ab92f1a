package netlist

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"starloom/fabric"
	"starloom/fabric/traffic"
	"starloom/nic"
)

const packetBytes = 8

const (
	floodProgram   = "netlist/flood"
	nextHopProgram = "netlist/next-hop"
	trafficProgram = "netlist/traffic"
	gossipProgram  = "netlist/gossip"
	// reliableProgram runs with and without routers.
	reliableProgram = "netlist/reliable"

	directProgram   = "netlist/direct"
	unicastProgram  = "netlist/unicast"
	exchangeProgram = "netlist/exchange"
	requestProgram  = "netlist/request-reply"
)

var toldWorkloads = []string{fabric.WorkloadGossip, fabric.WorkloadAllToAll}

func (n Network) Programs() []fabric.Program {
	net := n.drawn()
	switch {
	case net.routers != nil && net.slotted > 0:
		return nil
	case net.routers != nil:
		return net.routed()
	}
	if why, _ := net.unserved(); why != "" {
		return nil
	}
	note, whole := strings.Join(net.notes, "; "),
		fabric.Rules{CollisionFree: &fabric.CollisionFree{Period: 1, Slots: []int{1}}}
	if net.tosses() {
		whole.CollisionFree = nil // collided frames are sent again
	}
	once := whole
	once.ExactlyOnce = true
	processors, needs := uint64(len(net.Processors)),
		fabric.Needs{Sizes: nic.Sizes{RxFrames: net.rxFrames()}, PayloadMin: packetBytes}
	all := processors * processors * uint64(max(1, net.ports))
	within := func(slots uint64) fabric.Needs {
		needs.Slots = uint32(min(slots+2, math.MaxUint32))
		return needs
	}
	var programs []fabric.Program
	if net.hasHearers() {
		programs = append(programs, fabric.Program{Name: floodProgram, Note: note, SlotsPerStep: 1, Rules: whole,
			Needs: within(max(all, processors*net.roundSlots())), Workloads: []string{fabric.WorkloadOneToAll}})
		// a processor sends n packets and waits for fewer than n packets of others
		gossip := fabric.Program{Name: gossipProgram, Note: note, SlotsPerStep: 1, Rules: whole, Workloads: toldWorkloads,
			Needs: within(2 * processors * net.roundSlots())}
		gossip.Rules.NoCreation = true
		programs = append(programs, gossip)
	}
	if net.hasWays() {
		programs = append(programs, fabric.Program{Name: nextHopProgram, Note: note, SlotsPerStep: 1, Rules: once,
			Needs: within(max(all, 2*processors*net.turnSlots())), Workloads: []string{fabric.WorkloadPermutation}})
		traffic := net.traffic(note)
		traffic.Rules = once
		programs = append(programs, traffic, net.reliable(note, once, net.rxFrames()))
	}
	return programs
}

func (n *Net) routed() []fabric.Program {
	note, frames := strings.Join(n.notes, "; "), uint64(len(n.Processors))
	slots := uint32(min(frames*(frames+64)+1000, math.MaxUint32))
	once := fabric.Rules{ExactlyOnce: true}
	needs := fabric.Needs{PayloadMin: packetBytes, Slots: slots}
	all := []fabric.Program{
		{Name: directProgram, Note: note, SlotsPerStep: 1, Needs: needs, Rules: once,
			Workloads: []string{fabric.WorkloadPermutation}},
		{Name: unicastProgram, Note: note, SlotsPerStep: 1, Needs: needs, Workloads: []string{fabric.WorkloadOneToAll}},
		{Name: gossipProgram, Note: note, SlotsPerStep: 1, Needs: needs, Rules: fabric.Rules{NoCreation: true},
			Workloads: toldWorkloads},
		{Name: exchangeProgram, Note: note, SlotsPerStep: 1, Needs: needs, Workloads: toldWorkloads},
		{Name: requestProgram, Note: note, SlotsPerStep: 1, Needs: needs, Workloads: []string{fabric.WorkloadAllToAll}},
	}
	if n.hasWays() {
		traffic := n.traffic(note)
		traffic.Rules = once
		all = append(all, traffic, n.reliable(note, once, 0))
	}
	return all
}

// pieceBytes is the payload of a frame of reliableProgram in bytes.
const pieceBytes = 16

// reliable returns the program that numbers and repeats pieces. Its rules are those of programs with a single
// delivery.
func (n *Net) reliable(note string, rules fabric.Rules, rxFrames int) fabric.Program {
	rules.NoLoss, rules.Results = true, fabric.NoneOf("wrong")
	return fabric.Program{Name: reliableProgram, Note: note, SlotsPerStep: 1, Rules: rules, Retransmits: true,
		Needs:     fabric.Needs{Sizes: nic.Sizes{RxFrames: rxFrames}, PayloadMin: pieceBytes},
		Workloads: []string{fabric.WorkloadPermutation},
		Params: []fabric.Choice{
			{Name: "pieces", Low: 1, High: math.MaxInt32}, {Name: "timeout", Low: 0, High: 1 << 20},
		}}
}

// turnSlots returns the number of slots in which every port can send a frame.
func (n *Net) turnSlots() uint64 {
	slots, processors := uint64(1), uint64(len(n.Processors))
	switch {
	case n.hearsOne(): // the media take turns
		slots = processors * uint64(len(n.Media))
	case n.tosses(): // at least one of three random attempts succeeds
		slots = 8 * processors
	case n.Mixed, len(n.Crossbars) > 0, n.meets():
		slots = processors
	}
	for i := range n.Media {
		if c := n.Media[i].Credits; c != nil {
			slots = max(slots, uint64(c.Settled().RoundTripSlots))
		}
	}
	return slots
}

// roundSlots returns the number of slots in which a processor can send a packet to all its listeners.
func (n *Net) roundSlots() uint64 {
	switch processors := uint64(len(n.Processors)); {
	case n.OnePort: // processors take turns, each at every port
		return processors * uint64(max(1, n.ports))
	case len(n.Crossbars) > 0:
		return processors * n.turnSlots()
	}
	return n.turnSlots()
}

func (n *Net) tosses() bool { return len(n.Crossbars) > 0 && n.Crossbars[0].Shared() }

// unserved returns the reason why the programs cannot run, and a remedy, or "" if they can run. A frame must not wait
// for a credit during the turn of another processor, and a bus must accept a frame from each of its NICs.
func (n *Net) unserved() (why, remedy string) {
	for i := range n.Media {
		m := &n.Media[i]
		if m.Opposite != None && m.Credits != nil &&
			uint64(m.Credits.Settled().RoundTripSlots) > uint64(m.Credits.Depth)*uint64(len(n.Processors)) {
			return "sends in each of its turns, but half-duplex links have fewer credits than this needs",
				"give them a credits depth of 2 or more, equal to their round trip"
		}
		if m.Length > 0 && m.Length < len(m.Taps) {
			return fmt.Sprintf("needs all NICs of a bus on it in one slot, but %s accepts only %d of %d", m.Path, m.Length,
				len(m.Taps)), "delete length"
		}
	}
	return "", ""
}

// queueFramesMax limits the queue of a port of netlist/traffic, so that the state of a processor with 72 ports is at
// most 1 MiB.
const queueFramesMax = 512

func (n Network) refuses(program string) (why, remedy string) {
	const own = ", or write image: with firmware of your own"
	net := n.drawn()
	if net.routers != nil && net.slotted > 0 {
		return "requires all ports at routers, or none, but this network mixes both", "use one kind of ports" + own
	}
	if other, known := likewise[program]; known && (net.routers != nil) != atRouters(program) {
		if why = "is for processors at routers, but this network has none"; net.routers != nil {
			why = "is for netlists without routers"
		}
		return why, "use " + other + own
	}
	why, remedy = net.unserved()
	switch tells := program == floodProgram || program == gossipProgram; {
	case !tells && program != nextHopProgram && program != trafficProgram && program != reliableProgram:
	case why != "":
		return why, remedy + own
	case tells && !net.hasHearers():
		return fmt.Sprintf("reads the table of a crossbar's listeners, which does not exist (more than %d "+
				"processors)", nextHopsMax),
			"use a smaller network" + own
	case !tells && !net.hasWays():
		return fmt.Sprintf("reads the table of the network's routes, which does not exist (routes: none, or more than %d "+
				"processors)", nextHopsMax),
			"write routes: shortest, or use another program"
	}
	return "", ""
}

var likewise = map[string]string{
	floodProgram: unicastProgram, nextHopProgram: directProgram, unicastProgram: floodProgram,
	directProgram:   nextHopProgram,
	exchangeProgram: gossipProgram, requestProgram: gossipProgram,
}

func atRouters(program string) bool {
	return slices.Contains([]string{directProgram, unicastProgram, exchangeProgram, requestProgram}, program)
}

func (n *Net) traffic(note string) fabric.Program {
	ways := sync.OnceValue(func() *rom { return newROM(n) })
	return fabric.Program{
		Name: trafficProgram, Note: note, SlotsPerStep: 1, Workloads: []string{fabric.WorkloadTraffic},
		Needs: fabric.Needs{Sizes: nic.Sizes{RxFrames: max(1, n.mostPlaces(), n.rxFrames()), TxFrames: 1},
			PayloadMin: traffic.HeadBytes},
		Params: []fabric.Choice{{Name: "queue", Low: 1, High: queueFramesMax}},
		Carries: &fabric.Carries{Closed: true, Reaches: func(source, destination int) string {
			switch {
			case source == destination && n.routers == nil:
				return fmt.Sprintf("no route leads from processor %d to itself", source)
			case n.apart && ways().next[destination][source] == romNone:
				return fmt.Sprintf("no route leads from processor %d to processor %d", source, destination)
			}
			return ""
		}, Anywhere: n.anywhere},
	}
}

func (n *Net) anywhere() string {
	if !n.apart {
		return ""
	}
	ways := newROM(n)
	for destination, from := range ways.next {
		for source, way := range from {
			if source != destination && way == romNone {
				return fmt.Sprintf("no route leads from processor %d to processor %d", source, destination)
			}
		}
	}
	return ""
}

func (n Network) Abilities() fabric.Abilities {
	net := n.drawn()
	return fabric.Abilities{
		Refuses: n.refuses, Settle: n.Settle, CheckFIFOs: net.checkFIFOs, Holds: net.holds, ROM: n.rom,
		Slot:   fabric.SlotEngine{Transport: n.slotTransport},
		Server: net.server, Opposites: net.opposites, Credits: net.credits, Routers: n.routers,
		Memory: fabric.Memory{Workload: n.workloadBytes},
		Description: fabric.Description{
			Keys: "mesh: {k: [4, 4]}", Example: example, Studies: []fabric.Study{routersStudy()}, Sketch: n.sketch,
			Routers: n.sketchRouters,
		},
	}
}

func example(string) fabric.Example {
	return fabric.Example{Program: nextHopProgram, Set: []string{
		`fabric.netlist.nodes={"p[0..3]": processor, hub: star}`,
		`fabric.netlist.links=[["p[0..3]:0", hub], ["p[0]:1", "p[1]:1"]]`,
	}}
}
