package emulator

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/nic"
)

// Machine is one emulated network: processors with firmware, NICs and the fabric. It is built from a scenario and
// steps slot by slot.
//
//	m, err := starloom.NewMachine(ctx, scenario, starloom.MachineOptions{})
//	defer m.Close()
//	for !m.Ended() {
//		err := m.Step()
//	}
//	report := m.Report()
//
// Results of a run are a function of scenario and seed: only Step, Run, Reset and Restore change the state of a
// machine.
//
//	when                           permitted calls
//	between steps                  all
//	while recording                all but Reset and Restore; Save does not save the recording
//	in functions of Watch and Run  readers: Report, Violations, Processor, Signal, Signals, Slots, ...
//	after the end of the run       all; Step and Run do nothing, Record, and Save of an interrupted run, are errors
//	after a failed Restore         Reset, Close and readers
//	after Close                    Report and methods that return a number
//
// All other calls return an error; they do not panic. One goroutine may use a machine at a time; different machines
// are independent.
type Machine struct {
	built
	running
	observers

	Given []uint32     // permutation of the next run, which replaces the scenario's
	Stop  *atomic.Bool // set by other goroutines to interrupt the current boundary

	Until  uint32      // slot of the next observation, if a step may cover many slots; 0 for none
	due    uint64      // number of workload packets with a deadline
	busy   atomic.Bool // a call is in progress
	torn   bool        // Restore has failed: the state is incomplete
	closed bool
	final  *outcome.Report // report of a closed machine
}

func (m *Machine) until(ctx context.Context) {
	if m.Host != nil {
		m.Host.Until(ctx)
	}
}

// Enter locks the machine until Leave. It returns an error if a call is in progress or the machine is closed.
func (m *Machine) Enter(what string) error {
	if !m.busy.CompareAndSwap(false, true) {
		return fmt.Errorf("%s: another call is in progress: wait for its end; callbacks of Run and Watch may only read",
			what)
	}
	if m.closed {
		m.Leave()
		return fmt.Errorf("%s: the machine is closed", what)
	}
	return nil
}

// Leave ends a call that Enter began.
func (m *Machine) Leave() { m.busy.Store(false) }

func (m *Machine) enterWhole(what string) error {
	if err := m.Enter(what); err != nil {
		return err
	}
	if m.torn {
		m.Leave()
		return fmt.Errorf("%s: a Restore has failed halfway; reset the machine first", what)
	}
	return nil
}

func (m *Machine) unrecorded(what string) error {
	if m.observer != nil {
		return fmt.Errorf("%s: the recording would jump in time; close it first", what)
	}
	return nil
}

// Release closes RTL, workers and firmware without a summary of the run.
func (m *Machine) Release() error {
	m.closed = true
	var err error
	if m.RTL != nil {
		err = m.RTL.Close()
	}
	if m.workers != nil {
		m.workers.Close()
	}
	if m.Host != nil {
		err = errors.Join(err, m.Host.Close())
	}
	return err
}

// Slots returns the number of slots that have crossed the fabric, which is also the number of the next slot.
func (m *Machine) Slots() uint32 { return m.slot }

// Finished reports whether all processors are done and all queues are empty or, if the firmware need not detect the
// end, whether the workload has arrived.
func (m *Machine) Finished() bool { return m.finished }

// Ended reports whether the run has finished, has reached its slot limit, or was ended by an interruption or by RTL.
func (m *Machine) Ended() bool { return m.ended }

// Engine returns EngineCycle or EngineSlot.
func (m *Machine) Engine() string { return m.options.Engine }

// Timing returns the timing of a slot, in cycles.
func (m *Machine) Timing() nic.Timing { return m.timing }

func (m *Machine) stopped() bool { return m.Stop.Load() || m.Host != nil && m.Host.Stopped() }

func (m *Machine) mustNotCollide(slot uint32) bool {
	return len(m.armed) > 0 && m.armed[int(slot)%len(m.armed)]
}

// exact reports whether ledgers must record the medium and cycle of each collision in a slot.
func (m *Machine) exact(slot uint32) bool {
	return m.losses != nil || m.onlookers != nil || m.mustNotCollide(slot)
}

// Cycles returns the number of completed cycles, a multiple of the slot length.
func (m *Machine) Cycles() uint64 { return uint64(m.slot) * uint64(m.timing.SlotCycles()) }

// eachProcessor calls f for all processors. It omits parked blocks that are done and have no faults or queues.
func (m *Machine) eachProcessor(f func(bank *nic.Bank, cell int)) {
	for i := range m.Shards {
		for k := range m.Shards[i].blocks {
			if b := &m.Shards[i].blocks[k]; !b.calm || b.wakes && b.next == m.slot+1 {
				bank := m.show(b).Bank()
				for cell := range bank.Registers {
					f(bank, cell)
				}
			}
		}
		for _, instance := range m.Shards[i].Instances {
			bank := instance.Bank()
			for cell := range bank.Registers {
				f(bank, cell)
			}
		}
	}
}

func (m *Machine) circumstances() *fabric.Circumstances {
	return &fabric.Circumstances{Names: m.Names, Timing: m.timing, Rules: &m.Rules}
}

func (m *Machine) noteFindings() {
	if len(m.Findings.pending) > 0 {
		m.Findings.take(m.circumstances())
	}
}
