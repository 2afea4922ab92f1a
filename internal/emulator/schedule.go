package emulator

import (
	"starloom/fabric"
	"starloom/nic"
)

func (s *scheduled) plan(network fabric.Network, name string, referee fabric.Referee, processors int) (err error) {
	if s.words == nil {
		s.words = make([]uint64, processors)
		s.change = func(processor int, word uint64) { s.changed = append(s.changed, wordOf{processor, word}) }
	}
	s.Schedule, err = fabric.ScheduleOf(network, name, referee)
	s.Sparse, _ = s.Schedule.(fabric.Sparse)
	return err
}

// fillWords works out the words for the slot that begins: all of them, or those that are new.
func (s *scheduled) fillWords(begins uint32) {
	s.changed = s.changed[:0]
	switch slot := int(begins); {
	case s.Schedule == nil || slot > s.Schedule.Slots():
	case s.Sparse != nil:
		s.Sparse.Changes(slot, s.change)
	default:
		s.Schedule.Words(slot, s.words)
	}
}

func (m *Machine) tell(shard int, bank *nic.Bank) {
	if m.offering != nil {
		m.offering.Offer(shard, bank, m.slot)
		return
	}
	m.setWords(bank)
}

func (s *scheduled) setWords(bank *nic.Bank) {
	if s.Sparse == nil {
		bank.SetSchedule(s.words[bank.First : bank.First+bank.Cells])
		return
	}
	for _, c := range s.changed {
		if cell := c.processor - bank.First; cell >= 0 && cell < bank.Cells {
			bank.SetScheduleWord(cell, c.word)
		}
	}
}
