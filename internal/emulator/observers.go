package emulator

import (
	"errors"

	"starloom/fabric"
)

// Observer looks at what a machine does, while it runs. It changes nothing.
type Observer interface {
	Cycle(cycle uint64) // in every cycle, between Settle and Latch, if it looks at cycles
	Boundary() error    // after the handlers of a boundary; an error ends it
	Dropped() error     // the machine is closed before it; the error is that of Machine.Close
}

// observers are those who look at a machine. None of them changes a result, none is part of a saved state.
type observers struct {
	observer   Observer // of a recording; nil for none
	observed   bool     // it looks at cycles
	watch      func(cycle uint64) error
	watchError error              // the first one of this step
	rxPorts    []uint16           // what the processors hear in this slot, nil unless someone watches
	Replay     *replay            // of one processor, or nil
	profiling  *profiling         // of one call, or nil
	losses     *losses            // while a run is repeated to find them, else nil
	ways       *ways              // of a run without faults, until they are told
	onlookers  Onlookers          // who draws the run, or nil
	draws      func(cycle uint64) // likewise, every cycle
}

// Onlookers draw a run. They change nothing.
type Onlookers interface {
	Shard(index int) fabric.Onlooker // who looks at a shard
	// Boundary is called at each that is whole: what happened before this slot is all told. Of a run that is cut
	// off in the middle of a boundary it is called there, too, and what was told of this slot does not count.
	Boundary(slot uint32)
}

// Look lets somebody draw what the machine does from now on, nil for no one. It is called between steps.
func (m *Machine) Look(o Onlookers) {
	m.onlookers = o
	for i := range m.Shards {
		m.Shards[i].Ledger.Onlooker = nil
		if o != nil {
			m.Shards[i].Ledger.Onlooker = o.Shard(i)
		}
	}
}

// LookAtCycles lets somebody draw every cycle from now on, between Settle and Latch, nil for no one.
func (m *Machine) LookAtCycles(f func(cycle uint64)) {
	m.draws = f
	m.setWatch()
}

// MayRecord refuses a recording that cannot begin now.
func (m *Machine) MayRecord() error {
	if err := m.enterWhole("recording"); err != nil {
		return err
	}
	defer m.Leave()
	switch {
	case m.observer != nil:
		return errors.New("recording: the machine has a recording already; close it first")
	case m.ended:
		return errors.New("recording: the run has ended; reset the machine, or build another")
	}
	return nil
}

// Attach lets an observer see what the machine does: single cycles, and frames, if it looks at them.
func (m *Machine) Attach(o Observer, cycles, frames bool) {
	m.observer, m.observed = o, cycles
	for i := range m.Shards {
		m.Shards[i].Ledger.Capture = frames
	}
	m.setWatch()
}

// Detach ends attach, if it is this one that looks.
func (m *Machine) Detach(o Observer) {
	if m.observer == o {
		m.Attach(nil, false, false)
	}
}

func (m *Machine) setWatch() {
	if m.Hardware == nil {
		return
	}
	w := m.Hardware.Watching()
	w.Watch, w.WatchError = nil, nil
	if m.watch != nil || m.observed || m.draws != nil {
		w.Watch = m.watchCycle
	}
}

// watchCycle is called in every cycle between Settle and Latch. An error of one observer stops no other.
func (m *Machine) watchCycle(cycle uint64) error {
	if m.draws != nil {
		m.draws(cycle)
	}
	if m.observed {
		m.observer.Cycle(cycle)
	}
	if m.watch != nil && m.watchError == nil {
		m.watchError = m.watch(cycle)
	}
	return nil
}
