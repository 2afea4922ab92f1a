package emulator

import (
	"fmt"
	"strings"

	"starloom/hw"
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
