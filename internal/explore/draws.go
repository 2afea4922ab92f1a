package explore

import (
	"fmt"
	"slices"

	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/traces"
)

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

// branch takes the step with some faults for all outcomes of its draws.
func (w *worker) branch(o *open, faults []event, used vector) {
	first := len(w.found)
	w.step(o, faults, used)
	for d := w.Draws; d != nil && !d.Bare && !w.search.stop.Load(); {
		if d.Wide || len(w.found)-first > emulator.JointOutcomesMax {
			w.found = append(w.found[:first], successor{used: used, wide: true})
			return
		}
		if !d.Next() {
			return
		}
		w.take(o, faults, used)
	}
}

// choice returns the faults of the last step with the outcomes of its draws.
func (w *worker) choice(faults []event) []event {
	all := slices.Clone(faultsOf(faults))
	if w.Draws != nil {
		for _, d := range w.Draws.Made {
			all = append(all, drawEvent(d.Processor, d.Drawn))
		}
	}
	return all
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

// draws lists the outcomes of the draws of a path; see schedule.
func (s *search) draws(c *config.Config, steps [][]event) (list []outcome.ExploredDraws) {
	names := c.Network.Names()
	for n, choice := range steps {
		for _, e := range choice[len(faultsOf(choice)):] {
			processor, value := e.draw()
			slot := uint32(n - 1)
			k := slices.IndexFunc(list, func(d outcome.ExploredDraws) bool {
				return d.Processor == processor && d.Slot == slot
			})
			if k < 0 {
				k = len(list)
				list = append(list, outcome.ExploredDraws{Processor: processor, Path: names.Processor(processor), Slot: slot})
			}
			list[k].Outcomes = append(list[k].Outcomes, value)
		}
	}
	return list
}
