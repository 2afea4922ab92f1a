package starloom

// program is what Starloom knows about a built-in firmware program beside its
// image: the rules it must keep, and how many slots one step of it has.
type program struct {
	slotsPerStep int
	rules        Rules
}

// programs by name. The rules are those that the specification proves.
var programs = map[string]program{
	// A. Mei and R. Rizzi, randomised routing for d = g: five slots a step; slots
	// 3 to 5 use couplers that survived slots 1 and 2 in reverse; own packet,
	// packet for me and one copy make three.
	"pops/random": {
		slotsPerStep: 5,
		rules: Rules{
			CollisionFree:          &CollisionFree{Period: 5, Slots: []int{3, 4, 5}},
			PacketsPerProcessorMax: 3,
			ExactlyOnce:            true,
		},
	},
}

// rules returns the rules of a scenario: its own, or those of its program.
func (s *Scenario) rules() Rules {
	if s.Rules != nil {
		return *s.Rules
	}
	return programs[s.Firmware.Program].rules
}

// slotsPerStep returns the slots of one step of the algorithm, 1 if unknown.
func (s *Scenario) slotsPerStep() int {
	if p, ok := programs[s.Firmware.Program]; ok {
		return p.slotsPerStep
	}
	if r := s.Rules; r != nil && r.CollisionFree != nil {
		return r.CollisionFree.Period
	}
	return 1
}
