package explore

import (
	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/config"
)

// mattered counts the steps with a fault of a kind at a target.
type mattered struct {
	steps, differ uint64
	failing       uint64
}

// newMattered returns counts of all targets, by kind.
func newMattered(kinds []kind) [][]mattered {
	all := make([][]mattered, len(kinds))
	for k := range kinds {
		all[k] = make([]mattered, 64*len(kinds[k].fault.Targets.Words()))
	}
	return all
}

// tell counts a step. The first successor of a state is that of the step without faults.
func (w *worker) tell(chosen []event, x *successor) {
	if len(chosen) == 0 || len(w.found) == 0 {
		return
	}
	usual := &w.found[0]
	differs := x.failure != nil || usual.failure != nil || x.key != usual.key || x.ended != usual.ended
	for _, e := range chosen {
		m := &w.mattered[e.kind][e.target]
		m.steps++
		if differs {
			m.differ++
		}
	}
}

// gather adds the counts and branches of the workers since the last chunk.
func (s *search) gather() {
	for _, w := range s.workers {
		for k := range w.mattered {
			for i := range w.mattered[k] {
				from, to := &w.mattered[k][i], &s.mattered[k][i]
				to.steps, to.differ = to.steps+from.steps, to.differ+from.differ
				*from = mattered{}
			}
		}
		w.TakeBranches(&s.branches)
	}
}

// blame counts the faults of a schedule that breaks a rule.
func (s *search) blame(parent uint32, choice []event) {
	for _, step := range append(s.nodes.path(parent), choice) {
		for _, e := range step {
			s.mattered[e.kind][e.target].failing++
		}
	}
}

// targets lists the places at which a fault was tried, by kind and target.
func (s *search) targets(c *config.Config) (list []outcome.ExploredTarget) {
	for k := range s.mattered {
		kind := s.kinds[k].fault.Kind
		_, _, path := fabric.FaultTargets(c.Network, kind)
		for target := range s.mattered[k] {
			if m := &s.mattered[k][target]; m.steps > 0 {
				list = append(list, outcome.ExploredTarget{Kind: fabric.FaultNames[kind], Target: path(target),
					Steps: m.steps, Differ: m.differ, Failing: m.failing})
			}
		}
	}
	return list
}
