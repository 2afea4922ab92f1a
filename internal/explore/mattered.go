package explore

import (
	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/config"
)

// mattered counts the steps with a fault of a kind at a target.
type mattered struct{ steps, differ, failing uint64 }

// effects are the counts of all targets, by kind.
type effects [][]mattered

func newEffects(kinds []kind) effects {
	all := make(effects, len(kinds))
	for k := range kinds {
		all[k] = make([]mattered, 64*len(kinds[k].fault.Targets.Words()))
	}
	return all
}

// step counts a step with faults. differs means that the step without them leads to another state.
func (all effects) step(chosen []event, differs bool) {
	for _, e := range chosen {
		m := &all[e.kind][e.target]
		m.steps++
		if differs {
			m.differ++
		}
	}
}

// take adds other counts to all, and clears them.
func (all effects) take(from effects) {
	for k := range from {
		for i := range from[k] {
			m, to := &from[k][i], &all[k][i]
			to.steps, to.differ = to.steps+m.steps, to.differ+m.differ
		}
		clear(from[k])
	}
}

// blame counts the faults of a schedule that breaks a rule.
func (all effects) blame(schedule [][]event) {
	for _, step := range schedule {
		for _, e := range faultsOf(step) {
			all[e.kind][e.target].failing++
		}
	}
}

// list lists the places at which a fault was tried, by kind and target.
func (all effects) list(c *config.Config, kinds []kind) (list []outcome.ExploredTarget) {
	for k := range all {
		kind := kinds[k].fault.Kind
		_, _, path := fabric.FaultTargets(c.Network, kind)
		for target := range all[k] {
			if m := &all[k][target]; m.steps > 0 {
				list = append(list, outcome.ExploredTarget{Kind: fabric.FaultNames[kind], Target: path(target),
					Steps: m.steps, Differ: m.differ, Failing: m.failing})
			}
		}
	}
	return list
}
