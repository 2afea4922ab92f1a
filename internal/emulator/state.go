package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/hw"
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

// Restart is Reset within another call.
func (m *Machine) Restart(seed uint64) error {
	for _, p := range (&machineState{Machine: m}).parts() {
		p.reset(seed)
	}
	m.forget()
	return m.load()
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
	if !m.Whole() {
		return errors.New("saving state: the run was interrupted; reset the machine and run it again")
	}
	if m.Interrupted { // between two slots, and goes on from there
		m.ended = false
		defer func() { m.ended = true }()
	}
	return hw.Save(w, &machineState{Machine: m})
}

// Whole reports whether a run is between two slots: handlers may be interrupted in the middle of one.
func (m *Machine) Whole() bool { return !m.Interrupted || m.bare != nil }

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
	s := &machineState{Machine: m}
	if err := hw.Restore(r, s); err != nil {
		return err
	}
	m.torn = s.err != nil
	return s.err
}

type machineState struct {
	*Machine
	read uint32 // the slot of the state that is read
	err  error  // the first reason why what was read cannot be
}

func (s *machineState) fail(err error) {
	if s.err == nil && err != nil {
		s.err = fmt.Errorf("restoring state: %w", err)
	}
}

// part is what has a share in the state of a run: how it begins a run, and what of it is saved.
type part struct {
	name  string // of the field of running, or of built, that it is
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
	s.stateIdentity(v)
	for _, p := range s.parts() {
		p.state(v)
	}
	v.AfterRestore(s.agree)
}

// agree looks at what has been restored: whether the parts are in the same slot, and the run as far as it says.
func (s *machineState) agree() {
	m := s.Machine
	m.forget()
	if m.Hardware != nil && m.started && m.Hardware.Clock().Cycle() != m.Cycles() {
		s.fail(fmt.Errorf("the hardware is in cycle %d, and slot %d begins with cycle %d", m.Hardware.Clock().Cycle(), m.slot, m.Cycles()))
	}
	if err := m.endError(); err != nil {
		s.fail(fmt.Errorf("a run in slot %d cannot be so far: %w", m.slot, err))
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
		s.queues.State(v, func() uint32 { return s.read })
	}
	v.AfterRestore(func() {
		if timed, ok := s.Referee.(fabric.Timed); ok && timed.Slots() > int(s.slot)+1 {
			s.fail(fmt.Errorf("what has arrived, has done so up to slot %d, and the run is in slot %d", timed.Slots()-1, s.slot))
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

// savedViolation is a violation as a saved state has it: with what reports leave out.
type savedViolation struct {
	outcome.Violation
	Subject outcome.Subject `json:"subject"`
}

func (s *machineState) stateViolations(v *hw.StateVisitor) {
	StateViolations(v, &s.Findings.Kept, s.fail)
	v.AfterRestore(func() {
		s.Findings.pending = nil
		s.fail(s.planSchedule())
	})
}

// StateViolations carries violations, whose texts are not columns, as JSON; fail refuses what has been read.
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
	hw.StateList(v, "violations", &text)
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

// resetShards takes books and processors of all shards back to before slot 0.
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

// stateInstance carries the memory and globals, the probes and the failed cells of one instance.
func (s *machineState) stateInstance(v *hw.StateVisitor, name string, instance firmware.Instance) {
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
	hw.StateColumn(v, "meter.longest", s.Meter.Longest)
	for i := range s.Shards {
		s.Shards[i].meter.state(v, hw.Index("shard", i)+".meter")
	}
}

// resetParked takes all parked processors back to before slot 0.
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
			hw.StateScalar(v, name+".resting", &resting)
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
