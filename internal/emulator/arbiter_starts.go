package emulator

import (
	"fmt"
	"strings"

	"starloom/hw"
	"starloom/internal/config"
)

// arbiterStart is the register of a round-robin arbiter with the requester that is first in turn.
type arbiterStart struct {
	name string // of the arbiter
	cell hw.Cell
}

// arbiterStarts lists the arbiters whose turn may start anywhere, in the order of the state. Both engines have the
// same arbiters.
func (m *Machine) arbiterStarts() (list []arbiterStart) {
	part, ok := m.transport.(hw.Stateful)
	if !ok {
		return nil
	}
	cells, _ := hw.Cells(part)
	for _, c := range cells {
		bank, index, found := strings.Cut(c.Path, ".arbiter.first")
		if found && c.Limit > 0 {
			list = append(list, arbiterStart{bank + index + ".arbiter", c})
		}
	}
	return list
}

// startArbiters sets the turns that the scenario chooses.
func (m *Machine) startArbiters() error {
	chosen := m.Config.Choices.ArbiterStart
	if len(chosen) == 0 {
		return nil
	}
	all := m.arbiterStarts()
	for i, x := range chosen {
		at := hw.Index("choices.arbiter_start", i)
		k, names := -1, make([]string, len(all))
		for n := range all {
			if names[n] = all[n].name; names[n] == x.Arbiter {
				k = n
			}
		}
		if k < 0 {
			return m.Config.Source.Refuse(at+".arbiter", fmt.Sprintf("there is no arbiter %q with a turn", x.Arbiter),
				"arbiters of the kind round_robin have turns: "+orNone(names))
		}
		if uint64(x.First) > all[k].cell.Limit {
			return m.Config.Source.Refuse(at+".first", fmt.Sprintf("%s has the requesters 0 to %d", x.Arbiter,
				all[k].cell.Limit), "give one of them")
		}
		all[k].cell.Set(uint64(x.First))
	}
	return nil
}

// StartsMax bounds the starts of all arbiters together.
const StartsMax = 4096

// Starts returns all starts of the arbiters: for each arbiter, the requester that is first in turn.
func (x *Exploring) Starts() (starts [][]config.ArbiterStart, err error) {
	arbiters := x.arbiterStarts()
	if len(arbiters) == 0 {
		return nil, x.Config.Source.Refuse("explore.choices", "no arbiter of this machine has a turn",
			"arbiters of the kind round_robin have turns; delete arbiter_start")
	}
	starts = [][]config.ArbiterStart{nil}
	for _, a := range arbiters {
		var more [][]config.ArbiterStart
		if uint64(len(starts)) > StartsMax/(a.cell.Limit+1) {
			return nil, x.Config.Source.Refuse("explore.choices", fmt.Sprintf("%d arbiters have more than %d starts together",
				len(arbiters), StartsMax), "explore a smaller machine, or delete arbiter_start")
		}
		for _, s := range starts {
			for first := range uint32(a.cell.Limit) + 1 {
				more = append(more, append(s[:len(s):len(s)], config.ArbiterStart{Arbiter: a.name, First: first}))
			}
		}
		starts = more
	}
	return starts, nil
}

// StartAt sets the turns of all arbiters in the reset state.
func (x *Exploring) StartAt(start []config.ArbiterStart) {
	for i, a := range x.arbiterStarts() {
		a.cell.Set(uint64(start[i].First))
	}
}
