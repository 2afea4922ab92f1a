package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/hw"
	"starloom/traces"
)

// Reset takes the machine back to before slot 0, with a new seed. It fails if the
// workload cannot be built again, and in a recording.
func (m *Machine) Reset(seed uint64) error {
	if err := m.Enter("resetting"); err != nil {
		return err
	}
	defer m.Leave()
	if err := m.unrecorded("resetting"); err != nil {
		return err
	}
	m.torn = false
	return m.Restart(seed)
}

// Restart is Reset without a look at whether a call is in progress.
func (m *Machine) Restart(seed uint64) error {
	m.Referee.Reset()
	m.Results.Reset()
	if m.faults != nil {
		m.faults.reset(seed)
	}
	if m.held != nil {
		m.held.Reset()
	}
	if m.queues != nil {
		m.queues.Reset()
	}
	for i := range m.Shards {
		l := &m.Shards[i].Ledger
		*l = l.Next()
		m.Shards[i].meter.Reset()
	}
	if m.Meter != nil {
		clear(m.Meter.Longest)
	}
	m.slot, m.finished, m.Interrupted, m.ended, m.Done, m.traps = 0, false, false, false, 0, 0
	m.started, m.RTLFailed, m.half, m.Paused, m.notArrived = false, false, false, false, 0
	m.Digest = traces.Digest{}
	m.Findings = violationList{}
	m.transport.Reset(seed)
	return m.load(seed, true)
}

// stateMeter carries what was measured.
func (m *Machine) stateMeter(v *hw.StateVisitor) {
	if m.Meter == nil {
		return
	}
	hw.StateColumn(v, "meter.longest", m.Meter.Longest)
	for i := range m.Shards {
		s, name := &m.Shards[i].meter, hw.Index("shard", i)+".meter"
		s.Start.State(v, name+".start")
		s.Slot.State(v, name+".slot")
		hw.StateScalar(v, name+".overruns", &s.Overruns)
	}
}

// resetParked takes all processors back to before slot 0.
func (m *Machine) resetParked(seed uint64) {
	m.Parking.hide()
	m.Parking.each(func(instance firmware.Instance) { instance.Reset(seed) })
	for i := range m.Shards {
		for k := range m.Shards[i].blocks {
			b := &m.Shards[i].blocks[k]
			*b = block{first: b.first, cells: b.cells}
		}
	}
}

// stateShard carries the counters of a shard and its instances.
func (m *Machine) stateShard(v *hw.StateVisitor, name string, shard *Shard) {
	l := &shard.Ledger
	for k, counter := range []*uint64{
		&l.Frames.Sent, &l.Frames.Delivered, &l.Frames.Collided, &l.Frames.Alone, &l.Frames.Heard, &l.Frames.Faulted,
		&l.Frames.CRC, &l.Frames.Overflow, &l.Frames.TxOverflow, &l.Frames.Blocked, &l.Frames.OnTrust, &l.FindingsTotal,
	} {
		hw.StateScalar(v, fmt.Sprintf("%s.counter[%d]", name, k), counter)
	}
	hw.StateScalar(v, name+".held_max", &l.HeldMax)
	l.StateFaults(v, name)
	for k, instance := range shard.Instances {
		m.stateInstance(v, fmt.Sprintf("%s.instance[%d]", name, k), instance)
	}
}

// stateParked carries all processors.
func (m *Machine) stateParked(v *hw.StateVisitor) {
	m.Parking.hide()
	for i := range m.Shards {
		for k := range m.Shards[i].blocks {
			b := &m.Shards[i].blocks[k]
			name := fmt.Sprintf("shard[%d].block[%d]", i, k)
			b.parked.State(v, name)
			resting := uint32(b.resting)
			hw.StateScalar(v, name+".resting", &resting)
			v.AfterRestore(func() {
				b.resting = int(resting)
				if bank := m.Parking.free[b.cells][0].Bank(); !b.parked.Fits(bank) && m.restoreError == nil {
					m.restoreError = fmt.Errorf("restoring state: %s: processors of another firmware or number", name)
				}
				if m.started {
					b.look(m.slot)
				}
			})
		}
	}
}

// Save writes the whole state of the machine between two steps, after a Latch: registers,
// buffers, light in flight, firmware memory, RTL, counters and digest. Run to the end
// equals save, build again, restore and run on. Of RTL with a clock, only that of the
// backend wasm can be saved. A recording is not saved, and goes on; a machine that restores
// the state begins its own.
func (m *Machine) Save(w io.Writer) error {
	if err := m.enterWhole("saving state"); err != nil {
		return err
	}
	defer m.Leave()
	if m.Interrupted {
		return errors.New("saving state: the run was interrupted in the middle of a slot; reset the machine and run it again")
	}
	return hw.Save(w, (*machineState)(m))
}

// Restore reads what Save wrote into a machine that was built from the same
// scenario with the same engine, bank size and firmware mode. When it returns an
// error, the machine must be Reset before it is used again. In a recording it is refused,
// and nothing has happened: what is written cannot jump in time.
func (m *Machine) Restore(r io.Reader) error {
	if err := m.enterWhole("restoring state"); err != nil {
		return err
	}
	defer m.Leave()
	if err := m.unrecorded("restoring state"); err != nil {
		return err
	}
	m.torn = true
	if err := hw.Restore(r, (*machineState)(m)); err != nil {
		return err
	}
	m.torn = m.restoreError != nil
	return m.restoreError
}

// machineState is the machine as a hw.Stateful.
type machineState Machine

func (s *machineState) Path() string { return "machine" }

func (s *machineState) State(v *hw.StateVisitor) {
	m := (*Machine)(s)
	m.restoreError = nil
	m.stateIdentity(v)
	hw.StateScalar(v, "seed", &m.Seed)
	next := uint64(0) // the last slot that the digest may go on with: it may have the events of this one
	hw.StateScalar(v, "slot", &m.slot, func(_ int, value uint32) error {
		next = uint64(value) + 1
		if limit := m.Config.Slots; value > limit {
			return fmt.Errorf("the run is in slot %d, and ends with slot %d", value, limit)
		}
		return nil
	})
	hw.StateScalar(v, "traps", &m.traps)
	m.stateEnd(v)
	hw.StateScalar(v, "digest.hi", &m.Digest.Hi)
	hw.StateScalar(v, "digest.lo", &m.Digest.Lo)
	hw.StateScalar(v, "digest.events", &m.Digest.Events)
	hw.StateScalar(v, "digest.next_slot", &m.Digest.NextSlot, func(_ int, value uint64) error {
		if value > next {
			return fmt.Errorf("%d is after slot %d, which the digest may go on with", value, next)
		}
		return nil
	})
	m.Referee.State(v)
	if m.queues != nil {
		m.queues.State(v, func() uint32 { return uint32(next - 1) })
	}
	v.AfterRestore(func() {
		if timed, ok := m.Referee.(fabric.Timed); ok && m.restoreError == nil && timed.Slots() > int(m.slot)+1 {
			m.restoreError = fmt.Errorf("restoring state: what has arrived, has done so up to slot %d, and the run is in slot %d", timed.Slots()-1, m.slot)
		}
	})
	if m.held != nil {
		m.held.State(v)
	}
	if m.Image.results {
		m.Results.State(v)
	}
	if m.faults != nil {
		hw.StateColumn(v, "dead", m.faults.dead, hw.AtMost[uint8](1))
	}
	m.stateViolations(v)
	for i := range m.Shards {
		m.stateShard(v, hw.Index("shard", i), &m.Shards[i])
	}
	m.stateMeter(v)
	if m.Parking != nil {
		m.stateParked(v)
	}
	v.Within(m.transport)
	v.AfterRestore(func() {
		if m.Plant != nil && m.started && m.Plant.Clock().Cycle() != m.Cycles() && m.restoreError == nil {
			m.restoreError = fmt.Errorf("restoring state: the hardware is in cycle %d, and slot %d begins with cycle %d", m.Plant.Clock().Cycle(), m.slot, m.Cycles())
		}
	})
	v.AfterRestore(func() {
		if err := m.endError(); err != nil && m.restoreError == nil {
			m.restoreError = fmt.Errorf("restoring state: a run in slot %d cannot be so far: %w", m.slot, err)
		}
	})
	if m.RTL != nil {
		v.AfterRestore(func() {
			if err := m.RTL.Loop.Restored(); err != nil && m.restoreError == nil {
				m.restoreError = fmt.Errorf("restoring state: %w", err)
			}
		})
	}
}

// stateEnd carries how far the run is: one that has ended must not go on.
func (m *Machine) stateEnd(v *hw.StateVisitor) {
	flags := []*bool{&m.started, &m.finished, &m.ended, &m.RTLFailed}
	column := make([]uint8, len(flags))
	for i, flag := range flags {
		if *flag {
			column[i] = 1
		}
	}
	hw.StateColumn(v, "end", column, hw.AtMost[uint8](1))
	v.AfterRestore(func() {
		for i, flag := range flags {
			*flag = column[i] != 0
		}
		m.Interrupted, m.half = false, false // which is never saved
		m.Log.clear()
	})
}

// stateViolations carries the violations, whose texts are not columns, as JSON.
func (m *Machine) stateViolations(v *hw.StateVisitor) {
	var text []byte
	if v.Saving() {
		var err error
		if text, err = json.Marshal(m.Findings.Kept); err != nil {
			v.Fail(err)
		}
	}
	hw.StateList(v, "violations", &text)
	v.AfterRestore(func() {
		m.Findings = violationList{}
		if err := json.Unmarshal(text, &m.Findings.Kept); err != nil {
			m.restoreError = fmt.Errorf("restoring state: violations: %w", err)
		}
		if err := m.plan(); err != nil && m.restoreError == nil {
			m.restoreError = fmt.Errorf("restoring state: %w", err)
		}
	})
}

// stateInstance carries the memory and globals, the probes and the failed cells of one
// instance.
func (m *Machine) stateInstance(v *hw.StateVisitor, name string, instance firmware.Instance) {
	memory := instance.Memory()
	if !v.Saving() {
		memory = nil
	}
	globals := instance.Globals()
	hw.StateList(v, name+".memory", &memory)
	hw.StateColumn(v, name+".globals", globals)
	hw.StateColumn(v, name+".probes", instance.Probes())
	hw.StateColumn(v, name+".silenced", instance.Bank().SilencedCells())
	v.AfterRestore(func() {
		if err := instance.SetState(memory, globals); err != nil && m.restoreError == nil {
			m.restoreError = fmt.Errorf("restoring state: %s: %w", name, err)
		}
	})
}
