package starloom

import "fmt"

// program is what Starloom knows about a built-in firmware program beside its
// image: how many slots one step of it has, and the rules it must keep. Both are
// functions of the network's size.
type program struct {
	slotsPerStep func(p POPS) int
	rules        func(p POPS) Rules
	workloads    []string // what it can carry
	schedule     string   // the schedule it takes, "" for none
}

const twoHopsProgram = "pops/two-hops"

var permutationWorkload = []string{"permutation"}

// programs by name. The rules are those that the specification proves, for the
// published programs those that their paper claims. Own packet, packet for me and
// one copy make three packets.
var programs = map[string]program{
	// Five slots a step; slots 3 to 5 use couplers that survived slots 1 and 2 in
	// reverse. For d > g the claim is wrong: packets are lost in slot 5.
	"pops/random": {slots(5), acknowledged(3, 4, 5), permutationWorkload, ""},
	// Six slots for d > g: random, temporary, destination group, and three acks.
	"pops/random-corrected": {correctedSlots, func(p POPS) Rules {
		if p.GroupSize > p.Groups {
			return acknowledged(4, 5, 6)(p)
		}
		return acknowledged(3, 4, 5)(p)
	}, permutationWorkload, ""},
	// Known routes: nothing ever collides.
	"pops/offline":    {slots(1), neverCollides, permutationWorkload, ScheduleOffline},
	"pops/sort":       {slots(1), neverCollides, permutationWorkload, ScheduleSort},
	"pops/one-to-all": {slots(1), neverCollides, []string{"one_to_all"}, ""},
	// Two slots take a packet over its two hops; collisions are its fate.
	twoHopsProgram: {slots(2), func(POPS) Rules { return Rules{ExactlyOnce: true} }, []string{"permutation", "adversary"}, ""},
}

func slots(perStep int) func(POPS) int { return func(POPS) int { return perStep } }

// neverCollides are the rules of routes that are known before they are taken.
func neverCollides(POPS) Rules {
	return Rules{
		CollisionFree:          &CollisionFree{Period: 1, Slots: []int{1}},
		PacketsPerProcessorMax: 3,
		ExactlyOnce:            true,
	}
}

func correctedSlots(p POPS) int {
	if p.GroupSize > p.Groups {
		return 6
	}
	return 5
}

// acknowledged returns the rules of a randomised router: its last slots are free
// of collisions, a processor holds at most three packets, and every packet
// arrives exactly once.
func acknowledged(slots ...int) func(POPS) Rules {
	return func(POPS) Rules {
		return Rules{
			CollisionFree:          &CollisionFree{Period: slots[len(slots)-1], Slots: slots},
			PacketsPerProcessorMax: 3,
			ExactlyOnce:            true,
		}
	}
}

// programRules returns the rules that the scenario's program brings.
func (s *Scenario) programRules() Rules {
	if p, ok := programs[s.Firmware.Program]; ok {
		return p.rules(*s.Fabric.POPS)
	}
	return Rules{}
}

// rules returns the rules of a scenario: its own, or those of its program.
func (s *Scenario) rules() Rules {
	if s.Rules != nil {
		return *s.Rules
	}
	return s.programRules()
}

// notes say which of many runs this is, and what is known of the scenario's program on
// a network of this size.
func (s *Scenario) notes() (notes []string) {
	if s.oneOf != "" {
		notes = append(notes, s.oneOf)
	}
	p := s.Fabric.POPS
	if s.Firmware.Program != "pops/random" || p.GroupSize == p.Groups {
		return notes
	}
	why := "d > g: packets that are acknowledged already may collide in slot 5 of a step, and are lost"
	if p.GroupSize < p.Groups {
		why = "d < g: a group hears only d of the g groups, so the run may never end"
	}
	return append(notes, fmt.Sprintf("pops/random is right for d = g; here d = %d and g = %d, %s; pops/random-corrected routes any d and g", p.GroupSize, p.Groups, why))
}

// slotsPerStep returns the slots of one step of the algorithm, 1 if unknown.
func (s *Scenario) slotsPerStep() int {
	if p, ok := programs[s.Firmware.Program]; ok {
		return p.slotsPerStep(*s.Fabric.POPS)
	}
	if r := s.Rules; r != nil && r.CollisionFree != nil {
		return r.CollisionFree.Period
	}
	return 1
}
