package emulator

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/outcome"
	"starloom/nic"
	"starloom/traces"
)

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
		shard := &m.Shards[i]
		l, name := &shard.Ledger, hw.Index("shard", i)
		for k, counter := range []*uint64{
			&l.Frames.Sent, &l.Frames.Delivered, &l.Frames.Collided, &l.Frames.Alone, &l.Frames.Heard, &l.Frames.Faulted, &l.Frames.CRC, &l.Frames.Overflow, &l.Frames.TxOverflow, &l.Frames.Blocked, &l.Frames.OnTrust, &l.FindingsTotal,
		} {
			hw.StateScalar(v, fmt.Sprintf("%s.counter[%d]", name, k), counter)
		}
		hw.StateScalar(v, name+".held_max", &l.HeldMax)
		l.StateFaults(v, name)
		for k, instance := range shard.Instances {
			m.stateInstance(v, fmt.Sprintf("%s.instance[%d]", name, k), instance)
		}
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

// stateIdentity refuses the state of another firmware, seed, scenario or way to run it, and says
// all in which it differs.
func (m *Machine) stateIdentity(v *hw.StateVisitor) {
	mode, rtl := cmp.Or(m.Config.Firmware.Mode, config.ModeBanked), ""
	if m.RTL != nil {
		rtl = string(m.RTL.Identity())
	}
	var others []string
	for _, own := range []struct{ name, text, other string }{
		{"firmware", m.Image.SHA256, "another firmware"},
		{"seed", fmt.Sprint(m.Config.Seed), "another seed"},
		{"scenario", m.Config.Source.Identity(), "another scenario"},
		{"engine", m.options.Engine, "another engine (this is " + m.options.Engine + ")"},
		{"mode", mode, "another mode of the firmware (this is " + mode + ")"},
		{"bank", fmt.Sprint(m.options.BankSize), fmt.Sprintf("banks of another size (these are of %s)", traces.Plural(uint64(m.options.BankSize), "processor", "processors"))},
		{"rtl", rtl, "other RTL"},
	} {
		sum := sha256.Sum256([]byte(own.text))
		found := slices.Clone(sum[:])
		hw.StateColumn(v, "identity."+own.name, found, func(i int, value byte) error {
			found[i] = value
			if i == len(sum)-1 && !bytes.Equal(found, sum[:]) {
				others = append(others, own.other)
			}
			return nil
		})
	}
	if len(others) > 0 {
		v.Fail(errors.New("the state is of " + strings.Join(others, ", ")))
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

// endError says why a restored run cannot be as far as its state says, nil if it can.
func (m *Machine) endError() error {
	if !m.started {
		if m.slot > 0 || m.finished || m.ended || m.RTLFailed || m.Digest.NextSlot > 0 {
			return fmt.Errorf("it has not started, and has finished %t, ended %t, a digest up to slot %d", m.finished, m.ended, m.Digest.NextSlot)
		}
		return nil
	}
	if m.slot == 0 && !m.ended {
		return errors.New("it has started, and has neither ended nor come to the next slot")
	}
	failed := slices.ContainsFunc(m.Findings.Kept, func(v outcome.Violation) bool {
		return v.Rule == outcome.RuleRTLFault || v.Rule == outcome.RuleRTLUnknown || v.Rule == outcome.RuleRTLTool
	})
	if m.RTLFailed != failed {
		return fmt.Errorf("its RTL has failed %t, and its violations say %t", m.RTLFailed, failed)
	}
	limit := m.slot >= m.Config.Slots
	if !m.ended && (m.finished || m.RTLFailed || limit) {
		return fmt.Errorf("it has not ended, and has finished %t, RTL that failed %t, its last slot reached %t", m.finished, m.RTLFailed, limit)
	}
	if m.RTLFailed {
		return nil
	}
	if m.ending != nil && m.finished != m.ending.Over(m.dead()) {
		return fmt.Errorf("it has finished %t, and all has arrived %t", m.finished, !m.finished)
	}
	switch {
	case !m.ended || limit && !m.finished || m.ending != nil && m.finished:
		return nil // it goes on, or its limit or its workload has ended it
	case !m.finished && m.ending == nil:
		return errors.New("it has ended, has not finished, and its last slot has not come")
	}
	open := -1
	m.eachProcessor(func(bank *nic.Bank, cell int) {
		if open < 0 && bank.Registers[cell].Flags&(nic.FlagDone|nic.FlagFaulty) == 0 {
			open = bank.First + cell
		}
	})
	if open >= 0 {
		return fmt.Errorf("all processors were done, and processor %d is not", open)
	}
	return nil
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
