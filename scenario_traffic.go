package starloom

import (
	"fmt"

	"starloom/fabric"
	"starloom/fabric/traffic"
	"starloom/hw"
	"starloom/traces/input"
)

// moveArrivals puts packets of a file into the slots that the scenario chooses.
func (s *Scenario) moveArrivals(own *fabric.Traffic, each uint64) error {
	var moves []traffic.Move
	for _, x := range s.Choices.Arrivals {
		moves = append(moves, traffic.Move{ID: x.Packet, Slot: x.Slot})
	}
	rows, unknown := traffic.Moved(own.Rows, moves, each)
	if unknown < len(moves) {
		return input.Mistake(hw.Index("choices.arrivals", unknown)+".packet", fmt.Sprintf("the file has no packet %d",
			moves[unknown].ID), "give the id of a row of "+own.File)
	}
	own.Rows = rows
	return nil
}

// checkClasses checks the classes of a workload against the other keys of the scenario.
func (s *Scenario) checkClasses(spec *traffic.Spec) error {
	const key = "workload.traffic.classes"
	for _, name := range spec.ClassNames() {
		if spec.Classes[name].Deadline > 0 && (s.Rules == nil || s.Rules.DeadlineSlots == 0) {
			return input.Mistake(key+"."+name+".deadline", "a class has a deadline, but rules have no deadline_slots",
				"add rules: {deadline_slots: N}, the deadline of the other classes")
		}
	}
	switch {
	case len(spec.Classes) > 0 && len(s.RTL) > 0:
		return input.Mistake(key, "RTL of routers knows no classes", "delete classes, or rtl")
	case spec.Replies() && s.Faults != nil:
		return input.Mistake(key, "with faults, packets get no replies", "delete requests, or faults")
	}
	return nil
}

// checkPriority refuses routers with priority by class for packets without classes.
func checkPriority(n fabric.Network, t *fabric.Traffic) error {
	if r := fabric.RoutersOf(n); r == nil || r.Config.Stages.Priority != hw.PriorityClass || t != nil && t.Classes != nil {
		return nil
	}
	return input.Mistake("fabric."+n.Kind()+".router.priority", "priority is class, but packets have no classes",
		"add workload: {traffic: {classes: {...}}}, or write another priority")
}
