package fabric

import (
	"fmt"
	"reflect"
	"strings"

	"starloom/cosim/twin"
	"starloom/nic"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Adapted returns a network after adaptation to a program (Abilities.Adapt).
func Adapted(n Network, program, schedule string, params map[string]int64) Network {
	if adapt := n.Abilities().Adapt; adapt != nil {
		if adapted := adapt(program, schedule, params); alike(n, adapted) {
			return adapted
		}
	}
	return n
}

// Settled returns a network with a value for every key, and the names of the keys decided by its program
// (Abilities.Settled).
func Settled(n Network) (settled Network, program []string) {
	if settle := n.Abilities().Settled; settle != nil {
		if settled, program = settle(); alike(n, settled) {
			return settled, program
		}
	}
	return n, nil
}

// Resized returns a network enlarged by steps, or nil if the network cannot have that size.
func Resized(n Network, steps int) Network {
	if resize := n.Abilities().Resized; resize != nil {
		if resized := resize(steps); alike(n, resized) {
			return resized
		}
	}
	return nil
}

// alike reports whether two networks have the same type. The abilities of a wrapped network may return the inner
// network, which lacks the wrapper's replacements.
func alike(n, other Network) bool {
	return other != nil && reflect.Indirect(reflect.ValueOf(n)).Type() == reflect.Indirect(reflect.ValueOf(other)).Type()
}

// Holds returns the reason why no run on a network can break a rule, or "" if a run may break the rule or the answer
// is unknown.
func Holds(n Network, rule string) (why string) {
	if holds := n.Abilities().Holds; holds != nil {
		return holds(rule)
	}
	return ""
}

// Idle is a rule that no run on a network can break.
type Idle struct {
	Rule, Why string
	Delete    func() // disables the rule
}

// Unbreakable returns the enabled rules that no run on a network can break.
func (r *Rules) Unbreakable(n Network) (all []Idle) {
	for _, k := range []struct {
		rule    string
		checked bool
		off     func()
	}{
		{RuleCollisionFree, r.CollisionFree != nil, func() { r.CollisionFree = nil }},
		{RuleOneBus, r.OneBus, func() { r.OneBus = false }},
		{RuleBusLength, r.BusLength, func() { r.BusLength = false }},
		{RuleInOrder, r.InOrder, func() { r.InOrder = false }},
	} {
		if !k.checked {
			continue
		}
		if why := Holds(n, k.rule); why != "" {
			all = append(all, Idle{k.rule, why, k.off})
		}
	}
	return all
}

// Scaled returns size, doubled steps times or halved -steps times. It returns 0 if the result is less than 1.
func Scaled(size, steps int) int {
	if steps >= 0 {
		return size << min(steps, 32)
	}
	return size >> min(-steps, 63)
}

// Refused returns the reason why a network cannot run a program, and a remedy: the remedy of the network if it has
// one, otherwise the argument remedy.
func Refused(n Network, program, remedy string) (why, helps string) {
	if refuses := n.Abilities().Refuses; refuses != nil {
		if why, helps := refuses(program); why != "" {
			return "the program " + program + " " + why, helps
		}
	}
	return "the program " + program + " is for another fabric", remedy
}

// ScheduleOf returns the named schedule of a network.
func ScheduleOf(n Network, name string, r Referee) (Schedule, error) {
	if schedule := n.Abilities().Schedules.Plan; schedule != nil {
		return schedule(name, r)
	}
	return nil, fmt.Errorf("%s has no schedule %q", n.Kind(), name)
}

// ROMOf returns the ROM of a network, nil if it has none.
func ROMOf(n Network, w *Workload, p *Program) (ROM, error) {
	if rom := n.Abilities().ROM; rom != nil {
		return rom(w, p)
	}
	return nil, nil
}

// TwinOf returns the Verilog twin of a whole network, nil if it has none.
func TwinOf(n Network) (*twin.Twin, twin.Parameters) {
	if whole := n.Abilities().Twins.Whole; whole != nil {
		return whole()
	}
	return nil, nil
}

// WiringOf returns the wiring in the network's discipline, or a wiring derived from the network's names.
func WiringOf(n Network) *Wiring {
	shape, names := n.Shape(), n.Names()
	if w := shape.Wired(); w != nil {
		return w
	}
	w := NewWiring(shape.Processors() * shape.Ports)
	for processor := range shape.Processors() {
		for port := range shape.PortsOf(processor) {
			at := processor*shape.Ports + port
			w.Sends[at] = uint32(names.SentOn(processor, uint16(port), 0))
			w.Hears[at] = uint32(names.HeardOn(processor, uint16(port)))
		}
	}
	if opposites := n.Abilities().Opposites; opposites != nil {
		w.Opposite = opposites()
	}
	return w
}

// CheckWiring returns an error if a port that can send (Own) has no medium.
func CheckWiring(n Network) error {
	shape := n.Shape()
	w := shape.Wired()
	if _, mixed := shape.Chosen().(Mixed); mixed || w == nil { // lanes that ask have no medium
		return nil
	}
	own := shape.NIC().Own
	for processor := range shape.Processors() {
		for port := range shape.PortsOf(processor) {
			if w.Sends[w.SendRow(processor, shape.Ports)+port] == NoMedium &&
				(own == nil || own.Sends(processor, uint16(port))) {
				return fmt.Errorf("%s: port %d of processor %d sends to NoMedium; give it a medium, or declare in Own"+
					" that the processor lacks the port or that the port only receives", n.Kind(), port, processor)
			}
		}
	}
	return nil
}

// Pace sets the tick of a network with routers. Without firmware (bare) a tick is 1 cycle. Pace returns an
// *input.Error for a key of the scenario.
func Pace(n Network, bare bool, t *nic.Timing) error {
	r := RoutersOf(n)
	if r == nil {
		return nil
	}
	if Slotted(n) {
		return paceSlots(r, t)
	}
	if t.Tick, t.PhitBits = r.Tick, r.Bits; bare {
		t.Tick = 1
	} else if t.ComputeCycles >= t.Tick {
		return &input.Error{Place: "firmware.cpu.budget_cycles",
			Reason: fmt.Sprintf("budget_cycles is %d, but a tick has %d cycles", t.ComputeCycles, t.Tick),
			Remedy: fmt.Sprintf("allowed: 0 to %d; or write a longer fabric.netlist.streaming.tick", t.Tick-1)}
	}
	return nil
}

// paceSlots extends the guard of a slot so that a slot fills a tick.
func paceSlots(r *Routers, t *nic.Timing) error {
	slot := t.SlotCycles()
	if slot > r.Tick {
		return input.Mistake("fabric.netlist.streaming.tick",
			fmt.Sprintf("a tick has %d cycles, but the ports outside routers need slots of %d cycles", r.Tick, slot),
			fmt.Sprintf("write tick: %d or more", slot))
	}
	t.GuardCycles += r.Tick - slot
	return nil
}

// TimebaseOf returns the time base of a run. cycles is the length of a slot or tick in cycles.
func TimebaseOf(n Network, bare bool, cycles int) Timebase {
	switch routers := RoutersOf(n) != nil; {
	case routers && bare:
		return Timebase{Cycles: 1, Unit: UnitCycles}
	case routers:
		return Timebase{Cycles: cycles, Unit: UnitCycles, Word: UnitTicks}
	}
	return Timebase{Cycles: cycles, Unit: UnitSlots, Word: UnitSlots}
}

// Slotted reports whether a network has both routers and slotted media.
func Slotted(n Network) bool {
	r := RoutersOf(n)
	return r != nil && r.Media > 0
}

// RoutersOf returns the routers of a network, nil if it has none.
func RoutersOf(n Network) *Routers { return n.Abilities().Routers }

// ExampleOf returns the example of a network, empty if it has none.
func ExampleOf(n Network, program string) (e Example) {
	if example := n.Abilities().Description.Example; example != nil {
		e = example(program)
	}
	return e
}

// KeysOf returns the keys of a network's shortest scenario: Description.Keys if set, otherwise the required keys.
func KeysOf(n Network) string {
	if keys := n.Abilities().Description.Keys; keys != "" {
		return keys
	}
	var keys []string
	for _, field := range strict.Fields(reflect.Indirect(reflect.ValueOf(n)).Type()) {
		if field.Limits.Required {
			keys = append(keys, field.Key+": ...")
		}
	}
	return strings.Join(keys, ", ")
}

// MeaningsOf returns the meanings of a network's figures, nil if it has none.
func MeaningsOf(n Network) []MeaningGroup {
	if text := n.Abilities().Description.Meanings; text != "" {
		return ReadMeanings(text)
	}
	return nil
}
