package emulator

import (
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/fabric/referees"
	"starloom/nic"
	"starloom/traces"
)

// crossed checks the last slot for lost frames and missed deadlines, before merge closes the ledgers of the boundary.
func (m *Machine) crossed() {
	if m.slot == 0 {
		return
	}
	l := &m.Shards[0].Ledger
	if m.queues != nil {
		lossy := referees.Lossy{Processors: m.Shape.Processors(), Ports: uint16(m.Shape.Ports), Killed: m.killedBefore}
		if m.faults != nil {
			lossy.Faults = m.faults.plan
		}
		m.queues.Crossed(&l.Found, m.slot, &lossy)
	}
	if limit := m.Rules.DeadlineSlots; limit != m.slot || !m.Config.Known.Carries || m.offering != nil {
		return
	}
	late := 0
	m.Referee.Missing(func(f fabric.Finding) bool {
		if late++; late > outcome.ViolationsMax {
			l.FindingsTotal++
			return true
		}
		l.Find(overdue(f, m.slot))
		return true
	})
}

func (m *Machine) deadlineJudged() uint64 {
	switch limit := m.Rules.DeadlineSlots; {
	case limit == 0 || !m.Config.Known.Carries && m.queues == nil:
		return 0
	case !m.Config.Known.Carries:
		return m.queues.Judged()
	case m.finished || m.slot >= limit:
		return m.due
	}
	return 0
}

// endDeadline reports packets that are missing at the end of a run, even before the deadline, because they cannot
// arrive in time.
func (m *Machine) endDeadline(find func(fabric.Finding) bool) {
	if !m.finished || !m.Config.Known.Carries || m.slot >= m.Rules.DeadlineSlots {
		return
	}
	m.Referee.Missing(func(f fabric.Finding) bool {
		find(overdue(f, m.slot))
		return true
	})
}

func (m *Machine) countDue() {
	if m.due = 0; m.Rules.DeadlineSlots > 0 && m.Config.Known.Carries && m.ending == nil {
		m.Referee.Missing(func(fabric.Finding) bool {
			m.due++
			return true
		})
	}
}

func (m *Machine) mustBeOver() {
	by := m.Config.FinishBy
	if by == 0 || m.finished || uint64(m.slot) != by/uint64(m.timing.SlotCycles()) {
		return
	}
	if told := func(v outcome.Violation) bool { return v.Rule == fabric.RuleFinishBy }; slices.ContainsFunc(
		m.Findings.Kept, told) {
		return // the last cycle has two boundaries
	}
	all := m.Shape.Processors()
	text := fmt.Sprintf("the run was not over after %s", m.Rules.FinishBy)
	if m.bare == nil {
		text += fmt.Sprintf(": %d of %s done", m.Done, traces.Plural(all, "processor was", "processors were"))
	}
	if m.Done == all {
		text += ", and frames were still to be sent or received"
	}
	m.Shards[0].Ledger.FindingsTotal++
	m.Findings.pending = append(m.Findings.pending, fabric.Finding{Kind: fabric.FindUnended, Slot: m.slot, Text: text})
}

func overdue(f fabric.Finding, slots uint32) fabric.Finding {
	what := "the packet of processor"
	if !f.Plain() { // frames do not carry this packet
		what = "all that is for it from processor"
	}
	f.Text = fmt.Sprintf("has not received %s %d after %s", what, f.Value, traces.Plural(slots, "slot", "slots"))
	f.Kind, f.Slot, f.Write = fabric.FindOverdue, slots-1, nil
	return f
}

func (m *Machine) followQueues() {
	if m.queues == nil || m.ended {
		return
	}
	m.queues.Begin(m.slot)
	m.eachBank(func(bank *nic.Bank) { m.queues.Look(bank, m.slot) })
}
