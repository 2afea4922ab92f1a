package emulator

import (
	"starloom/nic"
)

// fillWords works out the schedule's words for the slot that begins: all of them in m.words,
// or those that are new in m.changed.
func (m *Machine) fillWords() {
	m.changed = m.changed[:0]
	switch slot := int(m.slot); {
	case m.Schedule == nil || slot > m.Schedule.Slots():
	case m.Sparse != nil:
		m.Sparse.Changes(slot, func(processor int, word uint64) { m.changed = append(m.changed, wordOf{processor, word}) })
	default:
		m.Schedule.Words(slot, m.words)
	}
}

// wordOf is a processor's new word of the schedule.
type wordOf struct {
	processor int
	word      uint64
}

// setWords gives a bank its words for the slot that begins.
func (m *Machine) setWords(bank *nic.Bank) {
	if m.Sparse == nil {
		bank.SetSchedule(m.words[bank.First : bank.First+bank.Cells])
		return
	}
	for _, c := range m.changed {
		if cell := c.processor - bank.First; cell >= 0 && cell < bank.Cells {
			bank.SetScheduleWord(cell, c.word)
		}
	}
}
