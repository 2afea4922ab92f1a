package starloom

import "starloom/fabric"

// program returns what is known of the scenario's built-in program, nil for an image.
func (s *Scenario) program() *fabric.Program {
	if n := s.Fabric.network(); n != nil && s.Firmware.Program != "" {
		return fabric.ProgramNamed(n, s.Firmware.Program)
	}
	return nil
}

// programRules returns the rules that the scenario's program brings.
func (s *Scenario) programRules() Rules {
	if p := s.program(); p != nil {
		return p.Rules
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
	if p := s.program(); p != nil && p.Note != "" {
		notes = append(notes, p.Note)
	}
	return notes
}

// slotsPerStep returns the slots of one step of the algorithm, 1 if unknown.
func (s *Scenario) slotsPerStep() int {
	if p := s.program(); p != nil {
		return p.SlotsPerStep
	}
	if r := s.Rules; r != nil && r.CollisionFree != nil {
		return r.CollisionFree.Period
	}
	return 1
}
