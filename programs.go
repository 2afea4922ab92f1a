package starloom

import "starloom/fabric"

// network returns the scenario's network, with what its program wants where the scenario
// leaves something open; nil if there is none.
func (s *Scenario) network() fabric.Network {
	n := s.Fabric.network()
	if open, ok := n.(fabric.Adaptable); ok {
		return open.Adapt(s.Firmware.Program, s.Firmware.Schedule, s.Firmware.Params)
	}
	return n
}

// program returns what is known of the scenario's built-in program, nil for an image.
func (s *Scenario) program() *fabric.Program {
	if n := s.network(); n != nil && s.Firmware.Program != "" {
		return fabric.ProgramNamed(n, s.Firmware.Program)
	}
	return nil
}

// rules returns the rules of a scenario: its own, or those of its program.
func (s *Scenario) rules() Rules {
	if s.Rules != nil {
		return *s.Rules
	}
	if p := s.program(); p != nil {
		return p.Rules
	}
	return Rules{}
}

// knownOf is what reports say of a scenario's program. It is the same in all runs.
type knownOf struct {
	notes        []string // which of many runs this is, and what is known of the program on a network of this size
	slotsPerStep int      // of the algorithm, 1 if unknown
	carries      bool     // the firmware routes the workload's packets: an image says so by its rules. Others use the fabric for something else
}

// noteUnmetered is about a budget that nothing is held to.
const noteUnmetered = "budget_cycles reserves time at the start of every slot, and no handler is held to it: without a model, handlers take no time; to check deadlines add firmware: {cpu: {model: rv32-inorder}}"

// knownOf takes the scenario's program, nil for an image.
func (s *Scenario) knownOf(p *fabric.Program) knownOf {
	k := knownOf{slotsPerStep: 1, carries: s.rules().ExactlyOnce}
	if s.oneOf != "" {
		k.notes = append(k.notes, s.oneOf)
	}
	if c := &s.Firmware.CPU; c.BudgetCycles > 0 && !c.metered() {
		k.notes = append(k.notes, noteUnmetered)
	}
	switch r := s.Rules; {
	case p != nil:
		k.slotsPerStep, k.carries = p.SlotsPerStep, k.carries || p.Rules.ExactlyOnce
		if p.Note != "" {
			k.notes = append(k.notes, p.Note)
		}
		if g := s.Workload.Gossip; g != nil && g.Count() == 1 && p.NoteOnce != "" {
			k.notes = append(k.notes, p.NoteOnce)
		}
	case r != nil && r.CollisionFree != nil:
		k.slotsPerStep = r.CollisionFree.Period
	}
	return k
}
