package starloom

import (
	"starloom/fabric"
	"starloom/internal/config"
)

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

// noteUnmetered is about a budget that nothing is held to.
const noteUnmetered = "budget_cycles reserves time at the start of every slot, and no handler is held to it: without a model, handlers take no time; to check deadlines add firmware: {cpu: {model: rv32-inorder}}"

// known takes the scenario's program, nil for an image.
func (s *Scenario) known(p *fabric.Program) config.Known {
	k := config.Known{SlotsPerStep: 1, Carries: s.rules().ExactlyOnce}
	if s.oneOf != "" {
		k.Notes = append(k.Notes, s.oneOf)
	}
	if c := &s.Firmware.CPU; c.BudgetCycles > 0 && !c.metered() {
		k.Notes = append(k.Notes, noteUnmetered)
	}
	switch r := s.Rules; {
	case p != nil:
		k.SlotsPerStep, k.Carries = p.SlotsPerStep, k.Carries || p.Rules.ExactlyOnce
		if p.Note != "" {
			k.Notes = append(k.Notes, p.Note)
		}
		if g := s.Workload.Gossip; g != nil && g.Count() == 1 && p.NoteOnce != "" {
			k.Notes = append(k.Notes, p.NoteOnce)
		}
	case r != nil && r.CollisionFree != nil:
		k.SlotsPerStep = r.CollisionFree.Period
	}
	return k
}
