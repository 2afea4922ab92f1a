package emulator

import (
	"context"
	"slices"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/nic"
)

// resuming sees what processors that stood still in a run with faults do next in the run without them.
type resuming struct {
	m      *Machine
	stood  map[int]*outcome.Stood
	states map[int][]byte
}

// Shard implements Onlookers. A processor belongs to one shard.
func (r *resuming) Shard(int) fabric.Onlooker { return r }

func (*resuming) Acted(*nic.Bank, []uint32, uint32) {}

func (*resuming) Blocked(int, nic.FrameView, uint32) {}

func (*resuming) Collided(int, uint32) {}

func (r *resuming) Sent(processor int, _ nic.FrameView, slot uint32, _ bool) {
	r.note(processor, slot, &outcome.Next{Sent: true})
}

func (r *resuming) Heard(processor int, _ uint16, status nic.Status, _ nic.FrameView, slot uint32) {
	if status == nic.StatusOK {
		r.note(processor, slot, &outcome.Next{Heard: true})
	}
}

func (r *resuming) note(processor int, slot uint32, next *outcome.Next) {
	s := r.stood[processor]
	if s == nil || uint64(slot) < s.From {
		return
	}
	if s.Next == nil {
		s.Next, next.Slot = next, uint64(slot)
	} else if s.Next.Slot == uint64(slot) {
		s.Next.Sent, s.Next.Heard = s.Next.Sent || next.Sent, s.Next.Heard || next.Heard
	}
	if next.Sent && s.Next.Sends == nil {
		at := uint64(slot)
		s.Next.Sends = &at
	}
}

func (r *resuming) Boundary(slot uint32) {
	for processor := range r.stood {
		bank, cell := r.m.Cell(processor)
		if before, state := r.states[processor], bank.State(cell); !slices.Equal(before, state) {
			r.states[processor] = append(before[:0], state...)
			r.note(processor, slot, &outcome.Next{})
		}
	}
}

// Resume repeats a run that faults have kept from finishing without them, up to where each processor that stood still goes
// on, and says what that does, and which fault has kept its handler from being called there. Retell has found who stood still.
func (m *Machine) Resume(ctx context.Context, report *outcome.Report, each func() error) error {
	stood := report.Aside.Stood
	if len(stood) == 0 || report.Without == nil || report.Interrupted() || m.Interrupted {
		return nil
	}
	r := &resuming{m: m, stood: map[int]*outcome.Stood{}, states: map[int][]byte{}}
	for i := range stood {
		r.stood[stood[i].Processor] = &stood[i]
	}
	m.faults.plan.Off = true
	m.eachBank((*nic.Bank).Unshrink)
	m.Look(r)
	err := m.Repeat(ctx, report, nil, each)
	m.Look(nil)
	m.faults.plan.Off = false
	m.eachBank(m.faults.shrink)
	if err != nil {
		return err
	}
	for i := range stood {
		s := &stood[i]
		if m.Interrupted || m.RTLFailed {
			s.Next = nil
		}
		if s.Next == nil {
			continue
		}
		s.Next.Paused = -1
		for k := range m.faults.plan.All {
			if m.faults.plan.All[k].Kind == fabric.FaultPause && m.faults.plan.Happens(k, s.Processor, uint32(s.Next.Slot)) {
				s.Next.Paused = k
			}
		}
	}
	return nil
}
