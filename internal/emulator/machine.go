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

// Machine is one emulated network: processors with their firmware, NICs and the
// fabric. It is built from a scenario and steps slot by slot.
//
//	m, err := starloom.NewMachine(ctx, scenario, starloom.MachineOptions{})
//	defer m.Close()
//	for !m.Ended() {
//		err := m.Step()
//	}
//	report := m.Report()
//
// What a run finds is a function of scenario and seed: nothing here can change the state
// of a machine but Step, Run, Reset and Restore.
//
//	when                           what may be called
//	between steps                  everything
//	in a recording                 everything but Reset and Restore; Save does not save the recording
//	from Watch's or Run's function what reads: Report, Violations, Processor, Signal, Signals, Slots, ...
//	after the run has ended        everything; Step and Run do nothing, Record, and Save of an interrupted run, are errors
//	after a Restore that failed    Reset, Close, and what reads
//	after Close                    Report and what returns a number; all else is an error
//
// Everything else is an error that says so, not a panic. One goroutine may use a machine
// at a time; different machines are independent.
type Machine struct {
	built     // what it is made of
	running   // the state of its run
	observers // who looks at it

	Given []uint32     // permutation of the next run, instead of the scenario's
	Stop  *atomic.Bool // set from outside: the boundary that runs is not wanted any more

	Until  uint32      // the slot of the next look, where a step may be many slots; 0 for none
	due    uint64      // packets of the workload that a deadline is for
	busy   atomic.Bool // a step or another call is in progress
	torn   bool        // Restore has failed: the state is not whole
	closed bool
	final  *outcome.Report // of a machine that is closed
}

func (m *Machine) until(ctx context.Context) {
	if m.Host != nil {
		m.Host.Until(ctx)
	}
}

// Enter begins what must not happen while the machine is stepped; Leave ends it.
func (m *Machine) Enter(what string) error {
	if !m.busy.CompareAndSwap(false, true) {
		return fmt.Errorf("%s: another call is in progress: wait for its end; functions given to Run and Watch may only read", what)
	}
	if m.closed {
		m.Leave()
		return fmt.Errorf("%s: the machine is closed", what)
	}
	return nil
}

// Leave ends Enter.
func (m *Machine) Leave() { m.busy.Store(false) }

func (m *Machine) enterWhole(what string) error {
	if err := m.Enter(what); err != nil {
		return err
	}
	if m.torn {
		m.Leave()
		return fmt.Errorf("%s: a Restore has failed in its middle; reset the machine first", what)
	}
	return nil
}

func (m *Machine) unrecorded(what string) error {
	if m.observer != nil {
		return fmt.Errorf("%s: what is recorded would jump in time; close the recording first", what)
	}
	return nil
}

// Release closes the machine without a word of its run.
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

// Slots returns the number of slots that have crossed the fabric, which is also the number
// of the next one.
func (m *Machine) Slots() uint32 { return m.slot }

// Finished reports whether all processors are done and nothing is left to send, or, where the
// firmware need not know, whether the workload has arrived.
func (m *Machine) Finished() bool { return m.finished }

// Ended reports whether the run goes no further: it has finished, has reached its limit of
// slots, was interrupted, or was ended by RTL.
func (m *Machine) Ended() bool { return m.ended }

// Engine returns the engine that executes the machine, EngineCycle or EngineSlot.
func (m *Machine) Engine() string { return m.options.Engine }

// Timing returns the shape of a slot, in cycles: its length and where its frames are.
func (m *Machine) Timing() nic.Timing { return m.timing }

// stopped reports whether the running boundary is void, or a handler was ended in its middle.
func (m *Machine) stopped() bool { return m.Stop.Load() || m.Host != nil && m.Host.Stopped() }

func (m *Machine) mustNotCollide(slot uint32) bool {
	return len(m.armed) > 0 && m.armed[int(slot)%len(m.armed)]
}

// exact reports whether it matters on which media frames meet in a slot, and when.
func (m *Machine) exact(slot uint32) bool {
	return m.losses != nil || m.onlookers != nil || m.mustNotCollide(slot)
}

// Cycles returns the cycles that have passed, 0 before the end of slot 0.
func (m *Machine) Cycles() uint64 { return uint64(m.slot) * uint64(m.timing.SlotCycles()) }

// eachProcessor calls f for all processors in order, but for blocks of parked ones that are
// all done, without a fault and with nothing left to send.
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
