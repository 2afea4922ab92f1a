package bus

import (
	"fmt"

	"starloom/fabric"
	"starloom/fabric/bus/gossip"
	"starloom/traces/input"
)

// schedules maps the name of a gossip schedule to its steps and its length.
var schedules = map[string]struct {
	steps  func(n, l int) []gossip.Step
	length func(n, l int) int
}{
	twoPhase: {gossip.TwoPhase, gossip.Length},
	improved: {gossip.Improved, gossip.ImprovedLength},
	naive:    {gossip.Naive, gossip.NaiveLength},
}

// Names of schedules. Program bus/NAME follows schedule NAME.
const (
	twoPhase = "two-phase"
	improved = "improved"
	naive    = "naive"
)

func scheduleNames() []string { return []string{twoPhase, improved, naive} }

func (b Network) scheduled(name string, _ fabric.Referee) (fabric.Schedule, error) {
	if name != b.schedule {
		return nil, &input.Error{
			Place: "firmware.schedule", Reason: fmt.Sprintf("the schedule %s does not match the buses", name),
			Remedy: "delete fabric.bus.buses",
		}
	}
	return &stepSchedule{
		plan: b.Plan(), steps: schedules[name].steps(b.Vertices, b.Length),
		now: make([]uint64, b.Vertices), before: make([]uint64, b.Vertices),
	}, nil
}

// The schedule word of a vertex in a slot.
//
//	 63      32 31          16 15          0
//	+----------+--------------+-------------+
//	|    0     | listen port  |  send port  |   each plus one; 0 for none
//	+----------+--------------+-------------+
const wordListenShift = 16

type stepSchedule struct {
	plan        *Plan
	steps       []gossip.Step
	now, before []uint64 // words of this slot and of the previous one
}

var _ fabric.Sparse = (*stepSchedule)(nil)

func (s *stepSchedule) Slots() int { return len(s.steps) }

func (s *stepSchedule) Words(slot int, dst []uint64) {
	s.Changes(slot, func(vertex int, word uint64) { dst[vertex] = word })
}

func (s *stepSchedule) Changes(slot int, yield func(vertex int, word uint64)) {
	s.fill(s.before, slot-1)
	s.fill(s.now, slot)
	for vertex, word := range s.now {
		if word != s.before[vertex] {
			yield(vertex, word)
		}
	}
}

func (s *stepSchedule) fill(words []uint64, slot int) {
	clear(words)
	if slot < 0 || slot >= len(s.steps) {
		return
	}
	for i, bus := range s.steps[slot] {
		number := s.plan.Steps[slot][i]
		words[bus.Sender] = s.port(bus.Sender, number)
		for _, receiver := range bus.Receivers {
			words[receiver] = s.port(receiver, number) << wordListenShift
		}
	}
}

func (s *stepSchedule) port(vertex, bus int) uint64 { return uint64(s.plan.Port(vertex, bus) + 1) }
