package emulator

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/meter"
	"starloom/internal/outcome"
	"starloom/internal/rtl"
	"starloom/nic"
	"starloom/traces"
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
//	after the run has ended        everything; Step and Run do nothing, Record and Save of an interrupted slot are errors
//	after a Restore that failed    Reset, Close, and what reads
//	after Close                    Report and what returns a number; all else is an error
//
// Everything else is an error that says so, not a panic. One goroutine may use a machine
// at a time; different machines are independent.
type Machine struct {
	Config  *config.Config
	options Options
	Network fabric.Network
	Shape   fabric.Shape
	Names   fabric.Names
	Program *fabric.Program // nil: an image of the user's
	timing  nic.Timing
	Rules   fabric.Rules
	faults  *faulted     // nil for none
	Meter   *meter.Clock // nil if handlers take no time
	armed   []bool       // per slot of a step: must be free of collisions

	Host      *firmware.Host
	Stop      *atomic.Bool // set from outside: the boundary that runs is not wanted any more
	Image     Image
	workers   *hw.Workers
	Shards    []Shard
	Parking   *parking // nil if every processor has a bank
	transport fabric.Transport
	Plant     *fabric.Plant // the transport of the cycle engine, nil in the other
	RTL       *rtl.Devices  // nil if everything is model
	Referee   fabric.Referee
	ending    fabric.Ending   // the referee if it ends the run, else nil
	Results   fabric.Results  // of the firmware
	held      *fabric.Held    // nil if no one looks at what frames show of packets held
	queues    *fabric.Queues  // nil if no one asks how long frames wait or whether they are lost
	Schedule  fabric.Schedule // nil if the firmware takes none
	rom       fabric.ROM      // nil if the network has none
	words     []uint64        // the schedule's words for the slot that begins...
	Sparse    fabric.Sparse   // ...unless it has few of them in a slot:
	changed   []wordOf        // those that are new
	rxPorts   []uint16        // what the processors hear in this slot, nil unless somebody watches
	Given     []uint32        // permutation of the next run, instead of the scenario's

	// The state of the run.
	Seed         uint64
	slot         uint32 // slots that have crossed
	started      bool   // the boundary of this slot has run; else that of slot 0 comes next
	Digest       traces.Digest
	finished     bool
	Interrupted  bool
	ended        bool // the last boundary has run: the machine goes no further
	Paused       bool // the caller stops here, before the end; not part of a saved state
	phase        int
	last         bool // the boundary that runs now does not send
	RTLFailed    bool // RTL has ended the run
	half         bool // the last boundary was interrupted and does not count
	notArrived   int  // packets that handlers announced in it
	Done         int  // processors that are done or faulty
	Findings     violationList
	losses       *losses // while a run is repeated to find them, else nil
	traps        uint64
	Log          firmwareLog     // of the last boundary
	news         []fabric.Result // likewise, those that were new
	restoreError error

	// How the caller looks at it.
	observer   Observer // nil for none
	observed   bool     // it looks at cycles
	watch      func(cycle uint64) error
	watchError error      // the first one of this step
	Replay     *replay    // of one processor, or nil
	profiling  *profiling // of one call, or nil
	metered    []byte     // the image of metered firmware, of which a profile is made

	busy   atomic.Bool // a step or another call is in progress
	torn   bool        // Restore has failed: the state is not whole
	closed bool
	final  *outcome.Report // of a machine that is closed
}

// until says until when the firmware may run.
func (m *Machine) until(ctx context.Context) {
	if m.Host != nil {
		m.Host.Until(ctx)
	}
}

// Enter begins what must not happen while the machine is stepped; leave ends it.
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

// enterWhole is enter for what needs a state that is whole.
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

// unrecorded refuses what moves the machine to another time in a recording.
func (m *Machine) unrecorded(what string) error {
	if m.observer != nil {
		return fmt.Errorf("%s: what is recorded would jump in time; close the recording first", what)
	}
	return nil
}

// Release closes everything that the machine holds.
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

// stopped reports whether the boundary that runs is not wanted any more, or a handler
// was ended in its middle.
func (m *Machine) stopped() bool { return m.Stop.Load() || m.Host != nil && m.Host.Stopped() }

func (m *Machine) mustNotCollide(slot uint32) bool {
	return len(m.armed) > 0 && m.armed[int(slot)%len(m.armed)]
}

// exact reports whether it matters on which media frames meet in a slot, and when.
func (m *Machine) exact(slot uint32) bool { return m.losses != nil || m.mustNotCollide(slot) }

// Cycles returns the cycles that have passed, 0 before the end of slot 0.
func (m *Machine) Cycles() uint64 { return uint64(m.slot) * uint64(m.timing.SlotCycles()) }
