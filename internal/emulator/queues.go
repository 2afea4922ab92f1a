package emulator

import (
	"fmt"

	"starloom/fabric"
	"starloom/internal/outcome"
	"starloom/nic"
	"starloom/traces"
)

// crossed looks at what the last slot that has crossed has brought, before the books of the boundary
// after it are closed: frames that were lost, and deadlines that have passed.
func (m *Machine) crossed() {
	if m.slot == 0 {
		return
	}
	l := &m.Shards[0].Ledger
	if m.queues != nil {
		lossy := fabric.Lossy{Processors: m.Shape.Processors(), Ports: uint16(m.Shape.Ports), Killed: m.killedBefore}
		if m.faults != nil {
			lossy.Faults = m.faults.plan
		}
		m.queues.Crossed(&l.Found, m.slot, &lossy)
	}
	if limit := m.Rules.DeadlineSlots; limit != m.slot || !m.Config.Known.Carries {
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

// overdue is what has not arrived when its deadline is over, after so many slots.
func overdue(f fabric.Finding, slots uint32) fabric.Finding {
	what := "the packet of processor"
	if !f.Plain() { // no packet on its way
		what = "all that is for it from processor"
	}
	f.Text = fmt.Sprintf("has not received %s %d after %s", what, f.Value, traces.Plural(slots, "slot", "slots"))
	f.Kind, f.Slot, f.Write = fabric.FindOverdue, slots-1, nil
	return f
}

// followQueues notes what handlers have queued for the slot that begins, unless the run has ended.
func (m *Machine) followQueues() {
	if m.queues == nil || m.ended {
		return
	}
	m.queues.Begin(m.slot)
	m.eachBank(func(bank *nic.Bank) { m.queues.Look(bank, m.slot) })
}
