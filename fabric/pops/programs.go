package pops

import (
	"fmt"

	"starloom/fabric"
	"starloom/fabric/referees"
	"starloom/fabric/traffic"
	"starloom/traces/input"
)

const (
	randomProgram    = "pops/random"
	correctedProgram = "pops/random-corrected"
	twoHopsProgram   = "pops/two-hops"
	trafficProgram   = "pops/traffic"
)

const (
	scheduleOffline = "offline" // off-line routing of the permutation
	scheduleSort    = "sort"    // Batcher's odd-even merge-exchange
)

const packetBytes = 8

// Programs implements fabric.Network. The rules follow from a proof, or for published programs from the claim of
// their paper. A processor may hold three packets: its own, a received one and one copy.
func (p Network) Programs() []fabric.Program {
	permutation := []string{fabric.WorkloadPermutation}
	corrected := 5
	if p.GroupSize > p.Groups {
		corrected = 6
	}
	needs := fabric.Needs{PayloadMin: packetBytes}
	return []fabric.Program{
		// routes are computed beforehand, so nothing collides
		{Name: "pops/offline", SlotsPerStep: 1, Needs: needs, Rules: routed(1, 1), Workloads: permutation,
			Schedule: scheduleOffline},
		{Name: "pops/one-to-all", SlotsPerStep: 1, Needs: needs, Rules: routed(1, 1),
			Workloads: []string{fabric.WorkloadOneToAll}},
		// A step has five slots. Slots 3 to 5 use, in reverse, the couplers whose frames survived slots 1 and 2. For
		// d > g the claim is wrong: packets are lost in slot 5.
		{Name: randomProgram, SlotsPerStep: 5, Needs: needs, Rules: routed(3, 5), Workloads: permutation,
			Note: p.randomNote(), Instead: p.randomInstead(), Native: &nativeRandom},
		// six slots for d > g: hops to a random, a temporary and the destination group; three for acknowledgements
		{Name: correctedProgram, SlotsPerStep: corrected, Needs: needs,
			Rules: routed(corrected-2, corrected), Workloads: permutation},
		{Name: "pops/sort", SlotsPerStep: 1, Needs: needs, Rules: routed(1, 1),
			Workloads: permutation, Schedule: scheduleSort},
		// a packet makes two hops in two slots; collisions are expected
		{Name: twoHopsProgram, SlotsPerStep: 2, Needs: needs, Rules: fabric.Rules{ExactlyOnce: true},
			Workloads: []string{fabric.WorkloadPermutation, fabric.WorkloadAdversary}},
		{Name: trafficProgram, SlotsPerStep: 1, Needs: fabric.Needs{PayloadMin: traffic.HeadBytes},
			Rules:     fabric.Rules{ExactlyOnce: true, CollisionFree: &fabric.CollisionFree{Period: 1, Slots: []int{1}}},
			Workloads: []string{fabric.WorkloadTraffic}, Carries: &fabric.Carries{Direct: true},
			Params: []fabric.Choice{{Name: "queue", Low: 1, High: queuePacketsMax}}},
	}
}

const queuePacketsMax = 1 << 14

// routed returns the rules of a router without collisions in slots first to last of a step. A processor holds at most
// three packets, and every packet arrives exactly once.
func routed(first, last int) fabric.Rules {
	free := &fabric.CollisionFree{Period: last}
	for slot := first; slot <= last; slot++ {
		free.Slots = append(free.Slots, slot)
	}
	return fabric.Rules{CollisionFree: free, PacketsPerProcessorMax: 3, ExactlyOnce: true}
}

func (p Network) randomNote() string {
	if p.GroupSize == p.Groups {
		return ""
	}
	why := "more processors than groups: packets that are acknowledged already may collide in the fifth slot of a " +
		"step, and are lost"
	if p.GroupSize < p.Groups {
		why = "fewer processors than groups: a group hears only as many groups as it has processors, so the run may never end"
	}
	return fmt.Sprintf("pops/random is right where a group has as many processors as there are groups (d = g); here d "+
		"= %d and g = %d, %s; "+
		"pops/random-corrected routes any d and g", p.GroupSize, p.Groups, why)
}

// randomInstead returns the corrected router if the published router fails on this network, otherwise "".
func (p Network) randomInstead() string {
	if p.randomNote() == "" {
		return ""
	}
	return correctedProgram
}

func (p Network) schedule(name string, r fabric.Referee) (fabric.Schedule, error) {
	if name == scheduleSort {
		return PlanSort(p), nil
	}
	if referees.PacketsOf(r).ToAll() >= 0 {
		return nil, &input.Error{Place: "firmware.schedule", Reason: "an off-line schedule needs a permutation",
			Remedy: "give workload: {permutation: ...}"}
	}
	return PlanOffline(p, referees.PacketsOf(r).Destination)
}
