package emulator

import (
	"errors"

	"starloom/fabric"
)

// Observer observes a running machine without changing it.
type Observer interface {
	Cycle(cycle uint64) // called between Settle and Latch of every cycle, if attached for cycles
	Boundary() error    // called after the handlers of a boundary; an error ends the recording
	Dropped() error     // called if the machine is closed during the recording; Machine.Close returns the error
}

// observers observe a machine. They do not change results and are not part of saved states.
type observers struct {
	observer   Observer // nil without a recording
	observed   bool     // observer wants cycles
	watch      func(cycle uint64) error
	watchError error              // first error of watch in this step
	rxPorts    []uint16           // by processor: port heard in this slot; nil without observers
	Replay     *replay            // replay of one processor, nil for none
	probed     selection          // variables of states that waveforms show
	profiling  *profiling         // profile of one call, nil for none
	losses     *losses            // set during a repetition that locates losses
	ways       *ways              // paths of the run without faults, until TellWays
	onlookers  Onlookers          // onlookers that draw the run; nil for none
	draws      func(cycle uint64) // called in every cycle; nil for none
}

// Onlookers draw a run without changing it.
type Onlookers interface {
	Shard(index int) fabric.Onlooker // observer of a shard
	// Boundary is called at each complete boundary, after all events before this slot. It is also called for an
	// interrupted boundary; events of that slot do not count.
	Boundary(slot uint32)
}

// Look installs onlookers, nil for none. Call it between steps.
func (m *Machine) Look(o Onlookers) {
	m.onlookers = o
	for i := range m.Shards {
		m.Shards[i].Ledger.Onlooker = nil
		if o != nil {
			m.Shards[i].Ledger.Onlooker = o.Shard(i)
		}
	}
}

// LookAtCycles sets a function that is called in every cycle, between Settle and Latch; nil removes it.
func (m *Machine) LookAtCycles(look func(cycle uint64)) {
	m.draws = look
	m.setWatch()
}

// MayRecord returns an error if no recording can begin now.
func (m *Machine) MayRecord() error {
	if err := m.enterWhole("recording"); err != nil {
		return err
	}
	defer m.Leave()
	switch {
	case m.observer != nil:
		return errors.New("recording: the machine already has a recording; close it first")
	case m.ended:
		return errors.New("recording: the run has ended; reset the machine, or build another")
	}
	return nil
}

// Attach installs an observer. cycles and frames select its events.
func (m *Machine) Attach(o Observer, cycles, frames bool) {
	m.observer, m.observed = o, cycles
	for i := range m.Shards {
		m.Shards[i].Ledger.Capture = frames
	}
	m.setWatch()
}

// Detach removes o if it is the attached observer.
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

// an error of one observer does not stop the others
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
