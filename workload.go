package starloom

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/firmware"
)

// loadWorkload works out what a run has to carry: the destination of every
// packet, what counts as an arrival, and the schedule of an off-line program.
func (m *Machine) loadWorkload() error {
	s, destination := m.scenario, m.delivery.Destination
	w := s.Workload
	switch {
	case w.OneToAll != nil:
		copy(destination, fabric.Identity(len(destination)))
		m.delivery.Mode, m.delivery.Source = fabric.ArriveEverywhere, uint32(w.OneToAll.Source)
	case w.Adversary != nil:
		permutation, err := m.defeat(w.Adversary.Slots)
		if err != nil {
			return err
		}
		copy(destination, permutation)
	case m.given != nil:
		copy(destination, m.given)
	default:
		switch w.Permutation.Kind {
		case PermutationIdentity, PermutationAll:
			copy(destination, fabric.Identity(len(destination)))
		case PermutationReverse:
			copy(destination, fabric.Reverse(len(destination)))
		case PermutationList:
			copy(destination, w.Permutation.List)
		default:
			fabric.Random(destination, m.seed)
		}
	}
	if s.Firmware.Program == twoHopsProgram || w.Adversary != nil {
		m.delivery.Mode, m.delivery.GroupSize = fabric.ArriveInGroup, m.pops.GroupSize
	}
	return m.plan()
}

// plan builds the schedule of an off-line program.
func (m *Machine) plan() (err error) {
	switch m.scenario.schedule() {
	case ScheduleOffline:
		m.schedule, err = fabric.PlanOffline(m.pops, m.delivery.Destination)
	case ScheduleSort:
		m.schedule = fabric.PlanSort(m.pops)
	default:
		return nil
	}
	if m.words == nil {
		m.words = make([]uint64, m.pops.Processors())
	}
	return err
}

// fillWords puts the schedule's words for the slot that begins into m.words.
func (m *Machine) fillWords() {
	if m.schedule == nil {
		return
	}
	if int(m.slot) < m.schedule.Slots() {
		m.schedule.Words(int(m.slot), m.words)
		return
	}
	if int(m.slot) == m.schedule.Slots() {
		for i := range m.words {
			m.words[i] = fabric.WordIdle | fabric.WordEnd
		}
	}
}

// defeat asks a deterministic two-hops firmware for its choices and builds the
// permutation that it cannot route in the given number of slots.
func (m *Machine) defeat(slots int) ([]uint32, error) {
	place := m.scenario.Place("workload.adversary")
	chooser, ok := m.shards[0].instances[0].(firmware.Chooser)
	if !ok {
		return nil, &InputError{Place: place, Reason: "this firmware has no choice table", Remedy: "define STARLOOM_CHOICE in the firmware, or use pops/two-hops"}
	}
	var failed error
	table := fabric.NewChoiceTable(m.pops, slots, func(packet, slot int) int {
		if failed != nil {
			return 0
		}
		var choice uint32
		choice, failed = chooser.Choose(uint32(packet), uint32(slot-1), uint32(m.pops.Groups), uint32(m.pops.GroupSize))
		if failed == nil && choice >= uint32(m.pops.Groups) {
			failed = fmt.Errorf("the choice table sends packet %d to group %d in slot %d; groups are 0 to %d", packet, choice, slot, m.pops.Groups-1)
		}
		return int(choice)
	})
	if failed != nil {
		return nil, &InputError{Place: place, Reason: failed.Error(), Remedy: "define STARLOOM_CHOICE in the firmware as a function that returns a group, or use pops/two-hops"}
	}
	permutation, _, err := fabric.Adversary(m.pops, table, slots)
	if err != nil {
		return nil, &InputError{Place: place, Reason: err.Error(), Remedy: "ask for fewer slots, or take a larger network with d >= g"}
	}
	return permutation, nil
}

// workloadExample is what a workload of each kind can look like.
var workloadExample = map[string]string{"permutation": "random", "one_to_all": "{source: 0}", "adversary": "{slots: 4}"}

// checkWorkload checks that there is one workload, and that the program can carry
// it.
func (s *Scenario) checkWorkload() error {
	w, n := s.Workload, s.Processors()
	if w.OneToAll != nil && w.Adversary != nil {
		return s.refuse("workload", "workload has both one_to_all and adversary", "delete one")
	}
	_, permuted := s.places["workload.permutation"]
	if permuted && (w.OneToAll != nil || w.Adversary != nil) {
		return s.refuse("workload", "workload has a permutation and something else", "keep one of permutation, file, one_to_all and adversary")
	}
	if w.OneToAll != nil && w.OneToAll.Source >= n {
		return s.refuse("workload.one_to_all.source", fmt.Sprintf("workload.one_to_all.source is %d", w.OneToAll.Source), fmt.Sprintf("allowed are 0 to %d", n-1))
	}
	if w.Adversary != nil && w.Adversary.Slots%2 != 0 {
		return s.refuse("workload.adversary.slots", fmt.Sprintf("workload.adversary.slots is %d", w.Adversary.Slots), "give an even number: two slots take a packet over its two hops")
	}
	if w.Permutation.Kind == PermutationAll && n > allProcessorsMax {
		return s.refuse("workload.permutation", fmt.Sprintf("all permutations of %d processors are too many", n),
			fmt.Sprintf("take a network of at most %d processors", allProcessorsMax))
	}
	kind := "permutation"
	switch {
	case w.OneToAll != nil:
		kind = "one_to_all"
	case w.Adversary != nil:
		kind = "adversary"
	}
	if p, ok := programs[s.Firmware.Program]; ok && !slices.Contains(p.workloads, kind) {
		path := "workload"
		if _, given := s.places[path]; !given {
			path = "firmware.program"
		}
		var write []string
		for _, kind := range p.workloads {
			write = append(write, fmt.Sprintf("workload: {%s: %s}", kind, workloadExample[kind]))
		}
		return s.refuse(path, fmt.Sprintf("the program %s does not carry %s", s.Firmware.Program, kind), "write "+strings.Join(write, " or "))
	}
	if s.Firmware.Schedule != "" && s.Firmware.Program != "" {
		return s.refuse("firmware.schedule", "a built-in program brings its own schedule", "delete schedule, or give an image")
	}
	if s.Firmware.Schedule == ScheduleOffline && kind != "permutation" {
		return s.refuse("firmware.schedule", "an off-line schedule needs a permutation", "give workload: {permutation: ...}")
	}
	return nil
}

// schedule returns which schedule the firmware takes, "" for none.
func (s *Scenario) schedule() string {
	if p, ok := programs[s.Firmware.Program]; ok {
		return p.schedule
	}
	return s.Firmware.Schedule
}
