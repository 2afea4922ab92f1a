package explore

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/traces"
)

// kind is a kind of fault for the environment to choose, with its targets and its limit. The number of a kind is its
// number among the scripted faults of a machine.
type kind struct {
	fault *fabric.Fault
	limit int
}

// vector counts the faults of a path by kind, 8 bits for each of at most 8 kinds.
type vector uint64

func (v vector) of(kind int) int { return int(v >> (8 * kind) & 0xFF) }

func (v vector) plus(kind int) vector { return v + 1<<(8*kind) }

// total returns the number of all faults.
func (v vector) total() (n int) {
	for ; v != 0; v >>= 8 {
		n += int(v & 0xFF)
	}
	return n
}

// within reports whether every count of v is at most that of o.
func (v vector) within(o vector) bool {
	const tops = 0x8080808080808080 // limits are below 128, so a larger count borrows from the top bit
	return ((o|tops)-v)&tops == tops
}

// event is one fault of a step.
type event struct {
	kind   uint8
	target uint32
}

// options lists the effective faults for the slot that x has just crossed without faults: on light that would reach a
// listener, on live processors, and pauses of due handlers.
func options(to []event, kinds []kind, x *emulator.Exploring, used vector) []event {
	for k := range kinds {
		if used.of(k) >= kinds[k].limit {
			continue
		}
		f := kinds[k].fault
		n := 64 * len(f.Targets.Words())
		for target := f.Targets.Next(0, n); target < n; target = f.Targets.Next(target+1, n) {
			var matters bool
			switch f.Kind {
			case fabric.FaultDead:
				matters = !x.Dead(target)
			case fabric.FaultRestart:
				matters = true
			case fabric.FaultPause:
				matters = x.Script.Due.Has(target)
			case fabric.FaultMiss:
				media := fabric.FaultMedia(x.Network, f.Kind)
				matters = target >= media && x.Script.Heard.Has(target-media)
			default:
				matters = x.Script.Lit.Has(target)
			}
			if matters {
				to = append(to, event{uint8(k), uint32(target)})
			}
		}
	}
	return to
}

// subsets yields every non-empty set of events that the limits permit in addition to the used faults, until yield
// returns false. A medium has one fault in a slot, and a processor is not both killed and restarted.
func subsets(events []event, kinds []kind, used vector, faults int, yield func(chosen []event, used vector) bool) {
	var chosen []event
	var extend func(from int, used vector, left int) bool
	extend = func(from int, used vector, left int) bool {
		if left == 0 {
			return true
		}
		for i := from; i < len(events); i++ {
			e := events[i]
			if used.of(int(e.kind)) >= kinds[e.kind].limit || excluded(chosen, e, kinds) {
				continue
			}
			chosen = append(chosen, e)
			if used := used.plus(int(e.kind)); !yield(chosen, used) || !extend(i+1, used, left-1) {
				return false
			}
			chosen = chosen[:len(chosen)-1]
		}
		return true
	}
	extend(0, used, faults)
}

func excluded(chosen []event, e event, kinds []kind) bool {
	is := func(e event) fabric.FaultKind { return kinds[e.kind].fault.Kind }
	for _, c := range chosen {
		if c.target != e.target || is(c).OnMedia() != is(e).OnMedia() {
			continue
		}
		if is(e).OnMedia() || is(c) == fabric.FaultDead || is(e) == fabric.FaultDead {
			return true
		}
	}
	return false
}

// text describes the faults of a kind.
func (k *kind) text(c *config.Config, slots string) string {
	noun, all, _ := fabric.FaultTargets(c.Network, k.fault.Kind)
	targets, of := k.fault.Targets.Count(0, all), "any of "
	if targets == 1 {
		of = ""
	}
	return fmt.Sprintf("%s: at most %d, each in %s, at %s%s", fabric.FaultNames[k.fault.Kind], k.limit, slots, of,
		traces.Plural(targets, noun, nounPlural(c.Network, noun)))
}

func nounPlural(n fabric.Network, noun string) string {
	if one, many := n.Names().MediumNoun(); noun == one {
		return many
	}
	if one, other, two := strings.Cut(noun, " or "); two {
		return nounPlural(n, one) + " or " + nounPlural(n, other)
	}
	return noun + "s"
}

// drawn is the kind of an event that is the outcome of a draw. Such events follow the faults of a choice, in the order
// of the calls.
const drawn = 0xFF

const outcomeBits = 12

func drawEvent(processor int, outcome uint32) event {
	return event{drawn, uint32(processor)<<outcomeBits | outcome}
}

func (e event) draw() (processor int, outcome uint32) {
	return int(e.target >> outcomeBits), e.target & (1<<outcomeBits - 1)
}

// faultsOf returns the faults of a choice.
func faultsOf(choice []event) []event {
	if k := slices.IndexFunc(choice, func(e event) bool { return e.kind == drawn }); k >= 0 {
		return choice[:k]
	}
	return choice
}

// wide counts the steps whose draws have too many joint outcomes. Their states stay open.
type wide struct {
	Steps int
	Slot  uint32 // of the first
}

func (x *wide) note(slot uint32) {
	if x.Steps == 0 {
		x.Slot = slot
	}
	x.Steps++
}

func (x *wide) text() string {
	return fmt.Sprintf("draws of one slot have more than %d joint outcomes, first in slot %d, in %s",
		emulator.JointOutcomesMax, x.Slot, traces.Plural(x.Steps, "step", "steps"))
}

// openInterrupted is the reason of a search that its caller has ended.
const openInterrupted = "interrupted"
