package emulator

import (
	"starloom/fabric"
	"starloom/firmware"
	"starloom/nic"
)

// loadWorkload works out what a run has to carry, and the schedule of firmware that
// takes one.
func (m *Machine) loadWorkload() error {
	load := fabric.Load{Workload: &m.Config.Workload, Seed: m.Seed, Shards: len(m.Shards), Table: m.options.RunTable, Results: &m.Results}
	if m.Given != nil {
		load.Workload = &fabric.Workload{Permutation: fabric.Permutation{Kind: fabric.PermutationList, List: m.Given}}
	}
	if caller, ok := m.anyInstance().(firmware.Caller); ok {
		load.Call = caller.Call
	}
	if err := m.Referee.Load(&load); err != nil {
		return m.Config.Source.Refusal(err)
	}
	for i := range m.Shards {
		m.Shards[i].Ledger.Overhears = m.Referee.Overhears()
	}
	return m.plan()
}

// plan builds the schedule of firmware that takes one.
func (m *Machine) plan() (err error) {
	name := m.Config.Firmware.Schedule
	if name == "" {
		return nil
	}
	if m.words == nil {
		m.words = make([]uint64, m.Shape.Processors())
	}
	m.Schedule, err = fabric.ScheduleOf(m.Network, name, m.Referee)
	m.Sparse, _ = m.Schedule.(fabric.Sparse)
	return m.Config.Source.Refusal(err)
}

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
