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
	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/nic"
	"starloom/traces"
)

// Reset returns the machine to slot 0 with a new seed. It returns an error while recording, or if the workload cannot
// be built.
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

// Restart implements Reset for callers that hold the machine.
func (m *Machine) Restart(seed uint64) error {
	for _, p := range (&machineState{Machine: m}).parts() {
		p.reset(seed)
	}
	m.forget()
	return m.load()
}

// Save writes the complete state of the machine between two steps, after a Latch: registers, buffers, light in
// flight, firmware memory, RTL, counters and digest. A run that is saved, restored in a rebuilt machine and continued
// equals an uninterrupted run. Clocked RTL can be saved only with the wasm backend. Save does not affect or save a
// recording; a machine that restores the state begins its own.
func (m *Machine) Save(w io.Writer) error {
	if err := m.enterWhole("saving state"); err != nil {
		return err
	}
	defer m.Leave()
	if !m.Whole() {
		return errors.New("saving state: the run was interrupted; reset the machine and run it again")
	}
	if m.Interrupted { // between two slots, where the run continues
		m.ended = false
		defer func() { m.ended = true }()
	}
	return hw.Save(w, &machineState{Machine: m})
}

// Whole reports whether a run is between two slots and not interrupted in its handlers.
func (m *Machine) Whole() bool { return !m.Interrupted || m.bare != nil }

// Restore reads a state written by Save into a machine built from the same scenario with the same engine, bank size
// and firmware mode. After an error, Reset the machine before further use. While recording, Restore returns an error
// and changes nothing, because recorded time cannot jump.
func (m *Machine) Restore(r io.Reader) error {
	if err := m.enterWhole("restoring state"); err != nil {
		return err
	}
	defer m.Leave()
	if err := m.unrecorded("restoring state"); err != nil {
		return err
	}
	m.torn = true
	s := &machineState{Machine: m}
	if err := hw.Restore(r, s); err != nil {
		return err
	}
	m.torn = s.err != nil
	return s.err
}

type machineState struct {
	*Machine
	read uint32 // slot of the restored state
	err  error  // first reason to refuse the restored state
}

func (s *machineState) fail(err error) {
	if s.err == nil && err != nil {
		s.err = fmt.Errorf("restoring state: %w", err)
	}
}

type part struct {
	name  string // field of running or built
	reset func(seed uint64)
	state func(v *hw.StateVisitor)
}

func (s *machineState) parts() []part {
	m := s.Machine
	return []part{
		{"columns", m.columns.reset, s.stateColumns},
		{"Referee", func(uint64) { m.Referee.Reset() }, m.Referee.State},
		{"queues", func(uint64) { m.resetQueues() }, s.stateQueues},
		{"held", func(uint64) { m.resetHeld() }, s.stateHeld},
		{"Results", func(uint64) { m.Results.Reset() }, s.stateResults},
		{"states", func(uint64) { m.states.reset() }, m.states.state},
		{"faults", m.faults.reset, m.faults.state},
		{"Findings", func(uint64) { m.Findings = violationList{} }, s.stateViolations},
		{"Shards", m.resetShards, s.stateShards},
		{"Meter", func(uint64) { m.resetMeter() }, s.stateMeter},
		{"Parking", m.resetParked, s.stateParked},
		{"transport", m.transport.Reset, func(v *hw.StateVisitor) { v.Within(m.transport) }},
	}
}

func (s *machineState) Path() string { return "machine" }

func (s *machineState) State(v *hw.StateVisitor) {
	if v.Snapshots() {
		for _, p := range s.parts() {
			v.Group(p.state)
		}
		return
	}
	s.stateIdentity(v)
	for _, p := range s.parts() {
		p.state(v)
	}
	v.AfterRestore(s.agree)
}

func (s *machineState) agree() {
	m := s.Machine
	m.forget()
	if m.Hardware != nil && m.started && m.Hardware.Clock().Cycle() != m.Cycles() {
		s.fail(fmt.Errorf("the hardware is in cycle %d, but slot %d begins with cycle %d",
			m.Hardware.Clock().Cycle(), m.slot, m.Cycles()))
	}
	if err := m.endError(); err != nil {
		s.fail(fmt.Errorf("a run in slot %d cannot be in this state: %w", m.slot, err))
	}
	if m.RTL != nil {
		s.fail(m.RTL.Loop.Restored())
	}
}

func (s *machineState) stateColumns(v *hw.StateVisitor) {
	s.columns.state(v, s.Config.Slots, func(slot uint32) { s.read = slot })
}

func (m *Machine) resetQueues() {
	if m.queues != nil {
		m.queues.Reset()
	}
}

func (s *machineState) stateQueues(v *hw.StateVisitor) {
	if s.queues != nil {
		s.queues.State(v, func() uint32 {
			if v.Snapshots() {
				return s.slot
			}
			return s.read
		})
	}
	if v.Snapshots() {
		return
	}
	v.AfterRestore(func() {
		if timed, ok := s.Referee.(fabric.Timed); ok && timed.Slots() > int(s.slot)+1 {
			s.fail(fmt.Errorf("arrivals are recorded up to slot %d, but the run is in slot %d", timed.Slots()-1, s.slot))
		}
	})
}

func (m *Machine) resetHeld() {
	if m.held != nil {
		m.held.Reset()
	}
}

func (s *machineState) stateHeld(v *hw.StateVisitor) {
	if s.held != nil {
		s.held.State(v)
	}
}

func (s *machineState) stateResults(v *hw.StateVisitor) {
	if s.Image.results {
		s.Results.State(v)
	}
}

type savedViolation struct {
	outcome.Violation
	Subject outcome.Subject `json:"subject"`
}

func (s *machineState) stateViolations(v *hw.StateVisitor) {
	if v.Snapshots() { // exploration does not continue states with a broken rule
		return
	}
	StateViolations(v, &s.Findings.Kept, s.fail)
	v.AfterRestore(func() {
		s.Findings.pending = nil
		s.fail(s.planSchedule())
	})
}

// StateViolations saves and restores violations as JSON, because columns cannot hold text. fail is called for invalid
// input.
func StateViolations(v *hw.StateVisitor, list *[]outcome.Violation, fail func(error)) {
	var text []byte
	if v.Saving() {
		saved := make([]savedViolation, len(*list))
		for i, kept := range *list {
			saved[i] = savedViolation{kept, kept.Subject}
		}
		var err error
		if text, err = json.Marshal(saved); err != nil {
			v.Fail(err)
		}
	}
	hw.StateList(v, hw.Future, "violations", &text)
	v.AfterRestore(func() {
		var saved []savedViolation
		if err := json.Unmarshal(text, &saved); err != nil {
			fail(fmt.Errorf("violations: %w", err))
		}
		*list = nil
		for _, kept := range saved {
			kept.Violation.Subject = kept.Subject
			*list = append(*list, kept.Violation)
		}
	})
}

func (m *Machine) resetShards(seed uint64) {
	for i := range m.Shards {
		shard := &m.Shards[i]
		shard.Ledger = shard.Ledger.Next()
		shard.meter.Reset()
		for _, instance := range shard.Instances {
			instance.Reset(firmwareSeed(seed))
		}
	}
}

func (s *machineState) stateShards(v *hw.StateVisitor) {
	for i := range s.Shards {
		shard, name := &s.Shards[i], hw.Index("shard", i)
		stateLedger(v, name, &shard.Ledger)
		for k, instance := range shard.Instances {
			s.stateInstance(v, fmt.Sprintf("%s.instance[%d]", name, k), instance)
		}
	}
}

func (s *machineState) stateInstance(v *hw.StateVisitor, name string, instance firmware.Instance) {
	if v.Snapshots() {
		instance.Bank().Snapshot(v)
		class := hw.Statistic
		if s.states != nil {
			class = hw.Future
		}
		hw.StateColumn(v, class, name+".probes", instance.Probes())
		return
	}
	memory := instance.Memory()
	if !v.Saving() {
		memory = nil
	}
	globals := instance.Globals()
	hw.StateList(v, hw.Future, name+".memory", &memory)
	hw.StateColumn(v, hw.Future, name+".globals", globals)
	hw.StateColumn(v, hw.Future, name+".probes", instance.Probes())
	hw.StateColumn(v, hw.Future, name+".silenced", instance.Bank().SilencedCells())
	v.AfterRestore(func() {
		if err := instance.SetState(memory, globals); err != nil {
			s.fail(fmt.Errorf("%s: %w", name, err))
		}
	})
}

func (m *Machine) resetMeter() {
	if m.Meter != nil {
		clear(m.Meter.Longest)
	}
}

func (s *machineState) stateMeter(v *hw.StateVisitor) {
	if s.Meter == nil {
		return
	}
	hw.StateColumn(v, hw.Statistic, "meter.longest", s.Meter.Longest)
	for i := range s.Shards {
		s.Shards[i].meter.state(v, hw.Index("shard", i)+".meter")
	}
}

func (m *Machine) resetParked(seed uint64) {
	if m.Parking == nil {
		return
	}
	m.Parking.hide()
	m.Parking.each(func(instance firmware.Instance) { instance.Reset(firmwareSeed(seed)) })
	for i := range m.Shards {
		for k := range m.Shards[i].blocks {
			b := &m.Shards[i].blocks[k]
			*b = block{first: b.first, cells: b.cells}
		}
	}
}

func (s *machineState) stateParked(v *hw.StateVisitor) {
	if s.Parking == nil {
		return
	}
	s.Parking.hide()
	for i := range s.Shards {
		for k := range s.Shards[i].blocks {
			b := &s.Shards[i].blocks[k]
			name := fmt.Sprintf("shard[%d].block[%d]", i, k)
			b.parked.State(v, name)
			resting := uint32(b.resting)
			hw.StateScalar(v, hw.Future, name+".resting", &resting)
			v.AfterRestore(func() {
				b.resting = int(resting)
				if bank := s.Parking.free[b.cells][0].Bank(); !b.parked.Fits(bank) {
					s.fail(fmt.Errorf("%s: processors of another firmware or number", name))
				}
				if s.started {
					b.look(s.slot)
				}
			})
		}
	}
}

// Identity is a property in which a saved state and the restoring machine must agree.
type Identity struct {
	Name, Text string
	Other      string // description of the property in the state, if it differs
}

func (m *Machine) stateIdentity(v *hw.StateVisitor) {
	mode, rtl := cmp.Or(m.Config.Firmware.Mode, config.ModeBanked), ""
	if m.RTL != nil {
		rtl = string(m.RTL.Identity())
	}
	StateIdentity(v, IdentityOf(m.Config, m.Image.SHA256, m.Config.Seed),
		Identity{"engine", m.options.Engine, "another engine (this is " + m.options.Engine + ")"},
		Identity{"mode", mode, "a different mode of the firmware (this is " + mode + ")"},
		Identity{"bank", fmt.Sprint(m.options.BankSize), "banks of a different size (these are of " +
			traces.Plural(uint64(m.options.BankSize), "processor", "processors") + ")"},
		Identity{"rtl", rtl, "other RTL"})
}

// IdentityOf identifies runs of a scenario by scenario, firmware (SHA-256) and seed.
func IdentityOf(c *config.Config, image string, seed uint64) []Identity {
	return []Identity{{"firmware", image, "another firmware"}, {"seed", fmt.Sprint(seed), "another seed"},
		{"scenario", c.Source.Identity(), "another scenario"}}
}

// StateIdentity rejects a state that differs, and lists all differences.
func StateIdentity(v *hw.StateVisitor, list []Identity, further ...Identity) {
	var others []string
	for _, own := range append(list, further...) {
		sum := sha256.Sum256([]byte(own.Text))
		found := slices.Clone(sum[:])
		hw.StateColumn(v, hw.Future, "identity."+own.Name, found, func(i int, value byte) error {
			found[i] = value
			if i == len(sum)-1 && !bytes.Equal(found, sum[:]) {
				others = append(others, own.Other)
			}
			return nil
		})
	}
	if len(others) > 0 {
		v.Fail(errors.New("the state is of " + strings.Join(others, ", ")))
	}
}

func (m *Machine) endError() error {
	switch limit := m.slot >= m.Config.Slots; {
	case !m.started && (m.slot > 0 || m.finished || m.ended || m.RTLFailed || m.Digest.NextSlot > 0):
		return fmt.Errorf("the run has not started, but finished is %t, ended is %t, and the digest reaches slot "+
			"%d", m.finished,
			m.ended, m.Digest.NextSlot)
	case !m.started:
		return nil
	case m.startsSlot0():
		return errors.New("the run has started, but has neither ended nor reached the next slot")
	case m.RTLFailed != m.foundRTL():
		return fmt.Errorf("RTL failed is %t, but the violations say %t", m.RTLFailed, m.foundRTL())
	case !m.ended && (m.finished || m.RTLFailed || limit):
		return fmt.Errorf("the run has not ended, but finished is %t, RTL failed is %t, last slot reached is %t",
			m.finished, m.RTLFailed, limit)
	case m.brokenOff():
		return nil
	case m.ending != nil && m.finished != m.ending.Over(m.faults.column()):
		return fmt.Errorf("finished is %t, but all arrived is %t", m.finished, !m.finished)
	case !m.ended || limit && !m.finished || m.ending != nil && m.finished:
		return nil // the run continues, or was ended by its limit or its workload
	case !m.finished && m.ending == nil:
		return errors.New("the run has ended before its last slot, but has not finished")
	}
	return m.openError()
}

// startsSlot0 reports whether slot 0 has not yet crossed the fabric. No state can be saved at that time.
func (m *Machine) startsSlot0() bool { return m.slot == 0 && !m.ended && m.bare == nil }

func (m *Machine) brokenOff() bool { return m.RTLFailed || m.flying != nil && m.flying.Deadlocked() }

func (m *Machine) foundRTL() bool {
	return slices.ContainsFunc(m.Findings.Kept, func(v outcome.Violation) bool {
		return v.Rule == outcome.RuleRTLFault || v.Rule == outcome.RuleRTLUnknown || v.Rule == outcome.RuleRTLTool
	})
}

func (m *Machine) openError() error {
	open := -1
	m.eachProcessor(func(bank *nic.Bank, cell int) {
		if open < 0 && bank.Registers[cell].Flags&(nic.FlagDone|nic.FlagFaulty) == 0 {
			open = bank.First + cell
		}
	})
	if open >= 0 {
		return fmt.Errorf("all processors should be done, but processor %d is not", open)
	}
	return nil
}
