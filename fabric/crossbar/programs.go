package crossbar

import (
	"fmt"
	"math"
	"strings"

	"starloom/fabric"
	"starloom/fabric/contend"
	"starloom/fabric/crossbar/gossip"
	"starloom/fabric/traffic"
	"starloom/nic"
	"starloom/traces"
)

const (
	fsaProgram      = "gossip/fsa"
	hopfieldProgram = "gossip/hopfield"
	optimalProgram  = "gossip/optimal" // gossip/fsa with its own orders
	votingProgram   = "gossip/voting"
	syncProgram     = "scatter/sync"
	asyncProgram    = "scatter/async"
	trafficProgram  = "crossbar/traffic"
)

// Values of the parameter scheduling.
const (
	schedulingNone  = 0
	scheduling2     = 2
	scheduling2Star = 3
)

// scatterUnits is the time limit of scattering in units. Scattering takes log2 n + ln n units, and k units more with
// a probability of about e^-k.
const scatterUnits = 100

func (x Network) Programs() []fabric.Program {
	free := &fabric.CollisionFree{Period: 1, Slots: []int{1}}
	if x.Medium == MediumALOHA {
		free = nil
	}
	once := fabric.Rules{ExactlyOnce: true, CollisionFree: free}
	votes, energy := once, once
	votes.Agreement, votes.Validity, energy.Energy = true, true, true
	gossips, scatters := []string{fabric.WorkloadGossip}, []string{fabric.WorkloadScatter}
	scheduling := []fabric.Choice{{Name: "scheduling",
		Values: []int64{schedulingNone, scheduling2, scheduling2Star}, Mean: []string{
			"a sender waits until its next addressee can hear",
			"Algorithm 2: if its next addressee cannot hear, a sender chooses the first remaining addressee that can",
			"Algorithm 2': a sender chooses the first remaining addressee that can hear"}}}
	adjudicate := fabric.Choice{Name: "adjudicate", Values: []int64{0, 1, 2}}
	messages := func(bytes int) fabric.Needs {
		return fabric.Needs{Sizes: nic.Sizes{PayloadBytes: packetBytes + bytes}, Slots: x.gossipSlots()}
	}
	return []fabric.Program{
		{Name: fsaProgram, SlotsPerStep: 1, Rules: once, Workloads: gossips, Params: scheduling,
			Needs: messages(0), Least: x.leastGossip},
		{Name: hopfieldProgram, SlotsPerStep: 1, Rules: energy, Workloads: gossips, Params: scheduling,
			Needs: messages(x.neuronBytes()),
			Least: x.leastGossip,
			NoteOnce: "a single session only spreads the initial state and updates no neuron: give workload.gossip.sessions: " +
				"2 or " +
				"more to recall"},
		{Name: optimalProgram, SlotsPerStep: 1, Rules: once, Workloads: gossips, Params: scheduling,
			Needs: messages(0), Least: x.leastGossip},
		{Name: votingProgram, SlotsPerStep: 1, Rules: votes, Workloads: gossips, Params: append(scheduling, adjudicate),
			Needs: fabric.Needs{Sizes: nic.Sizes{PayloadBytes: packetBytes + valueBytes},
				Slots: x.votingSlots()}, Least: x.leastVoting},
		// a unit is a slot; any number of processors may send to one processor
		{Name: syncProgram, SlotsPerStep: 1, Rules: fabric.Rules{CollisionFree: free}, Workloads: scatters,
			Needs: fabric.Needs{Sizes: nic.Sizes{PayloadBytes: packetBytes,
				RxFrames: min(max(1, x.Ports-1), fabric.FIFOMax)}, Slots: scatterUnits}},
		// a unit has one sending slot for each processor
		{Name: asyncProgram, SlotsPerStep: 1, Rules: fabric.Rules{CollisionFree: free},
			Workloads: scatters, Schedule: x.turns,
			Needs: fabric.Needs{Sizes: nic.Sizes{PayloadBytes: packetBytes, RxFrames: 1},
				Slots: scatterUnits * uint32(x.Ports)},
			Params: []fabric.Choice{{Name: "order", Values: []int64{0, 1, 2}}}},
		x.traffic(free),
	}
}

// traffic returns the program for the workload traffic. An output with a queue may accept a frame from each input in
// a slot.
func (x Network) traffic(free *fabric.CollisionFree) fabric.Program {
	p := fabric.Program{Name: trafficProgram, SlotsPerStep: 1, Rules: fabric.Rules{ExactlyOnce: true, CollisionFree: free},
		Workloads: []string{fabric.WorkloadTraffic}, Needs: fabric.Needs{PayloadMin: traffic.HeadBytes},
		Carries: &fabric.Carries{Direct: true, Closed: true},
		Params:  []fabric.Choice{{Name: "closed", Low: 0, High: 65535}, {Name: "take", Low: 0, High: math.MaxInt32}}}
	if x.Output == contend.OutputQueue {
		p.Needs.RxFrames = min(x.settled().QueueFrames+1, fabric.FIFOMax)
	}
	if x.params["take"] > 0 { // other frames wait
		p.Needs.RxFrames = fabric.FIFOMax
	}
	return p
}

// leastGossip returns lower bounds on the number of slots of gossip: for the automaton of Fig. 1, which sends only
// after its first receptions, and for any firmware with one action per processor and slot.
func (x Network) leastGossip() (least fabric.Least) {
	n := x.Ports - 1
	if n < 1 {
		return least
	}
	all, pairs := gossip.SerialLength(n), x.Ports/2
	least.Any = uint32(gossip.FreeLowerBound(n))
	if rounds := int(least.Any) / 2; x.Medium != MediumALOHA {
		rests := map[bool]string{true: ", and one rests"}[x.Ports%2 == 1]
		least.How = fmt.Sprintf("a round-robin tournament takes %d slots: in each of its %d rounds the processors meet in "+
			"pairs%s, and the processors of a pair "+
			"send to each other, one after the other", 2*rounds, rounds, rests)
	}
	count := fmt.Sprintf("Each of %d processors has a message for each of the other %d: %d * %d = %d. A processor "+
		"sends or receives one message in a slot, "+
		"so at most %d pass in a slot, one in each pair: %d / %d = %d slots for any firmware", x.Ports, n, x.Ports, n, all,
		pairs, all, pairs, least.Any)
	if x.params["scheduling"] == schedulingNone {
		least.Slots = uint32(gossip.LowerBound(n))
		least.Why = "With this program processor k may not send before it has heard processors 0 to k-1, one in a slot. " +
			"So at " +
			"first few can send, and at last " +
			"few have anything left to send"
		least.Sum = count + ". " + waitingSum(pairs, all, gossip.Unused(n), int(least.Slots))
	}
	if x.Cap > 0 {
		passes := uint32((all + x.Cap - 1) / x.Cap)
		if passes >= least.Slots {
			least.Why,
				least.Sum = fmt.Sprintf("At most %s in a slot (`cap`), of %d",
				traces.Plural(uint64(x.Cap), "message passes", "messages pass"), all), ""
		}
		if passes > least.Any {
			least.How = ""
		}
		least.Slots, least.Any = max(least.Slots, passes), max(least.Any, passes)
	}
	return least
}

const waitingShown = 8

// waitingSum explains the waits, one per pair, of the first processors before they may send, and the slots lost by
// these waits.
func waitingSum(pairs, all, waits, slots int) string {
	each := "2k for processor k, less the number of ones in k in binary"
	if pairs <= waitingShown {
		terms := make([]string, pairs)
		for k := range terms {
			terms[k] = fmt.Sprint(gossip.MayStart(k))
		}
		each = strings.Join(terms, " + ")
	}
	needed := all + 2*waits
	return fmt.Sprintf("Here fewer messages pass at first: before they may send, the first %d processors wait %d slots "+
		"in all, "+
		"with any orders (%s, in the best case), and each of these slots carries one message less than it could. "+
		"The end of the run, read backwards, is such a beginning, and lacks as many messages. "+
		"So there must be room for %d + %d + %d = %d messages; with %d in a slot this takes %d / %d = %d slots%s",
		pairs, waits, each, all, waits, waits, needed, pairs, needed, pairs, slots,
		map[bool]string{true: ", rounded up"}[needed%pairs > 0])
}

// leastVoting returns the same bounds for voters. With a timeout the bound is 0, because voters may give up messages.
func (x Network) leastVoting() (least fabric.Least) {
	if x.params["timeout"] == 0 {
		least = x.leastGossip()
	}
	return least
}

// packetBytes is the size in bytes of an item's packet, which is also the head of a message; valueBytes is the size
// of a module's value.
const (
	packetBytes = 8
	valueBytes  = 8
)

// gossipSlots returns twice the number of slots of a session without simultaneous messages, or 0, no bound, with
// collisions.
func (x Network) gossipSlots() uint32 {
	if x.Medium == MediumALOHA {
		return 0
	}
	return uint32(min(2*uint64(x.Ports)*uint64(x.Ports), math.MaxUint32))
}

func (x Network) votingSlots() uint32 {
	slots, timeout := uint64(x.gossipSlots()), uint64(max(0, min(x.params["timeout"], timeoutMax)))
	if slots == 0 {
		return 0
	}
	return uint32(min(slots+timeout*uint64(x.Ports)*uint64(x.Ports), math.MaxUint32))
}

func (x Network) adapt(program, _ string, params map[string]int64) fabric.Network {
	x.program, x.params = program, params
	switch program {
	case fsaProgram, optimalProgram, votingProgram, hopfieldProgram:
		if params["scheduling"] != schedulingNone {
			x.listsFor = fmt.Sprintf("scheduling %d", params["scheduling"])
			if x.Matching == "" {
				x.Matching, x.matchingBy = contend.MatchList, x.listsFor
			}
		}
	case trafficProgram:
		if x.Output == contend.OutputQueue && x.QueueFrames == 0 {
			x.QueueFrames = min(x.Ports, contend.QueueFramesMax) // an output's own input may send, too
		}
	case syncProgram, asyncProgram:
		if x.Output == "" {
			x.Output, x.outputBy = contend.OutputQueue, program
		}
		x.turns = turnsRandom
		if order := params["order"]; order > 0 && int(order) < len(turnOrders) {
			x.turns = turnOrders[order]
		}
	}
	return x.settled()
}

// SessionsMax is the maximum number of sessions. Each session has a tag.
const SessionsMax = 65534
