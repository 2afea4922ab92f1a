package emulator

import (
	"fmt"

	"starloom/fabric"
	"starloom/fabric/referees"
	"starloom/hw"
	"starloom/internal/meter"
	"starloom/traces"
)

// running is the state of a run: plain columns, and the books of those who keep their own. Each of
// its fields is one of Machine.parts, but for the last two: they follow from the others.
type running struct {
	columns
	Findings violationList
	Results  fabric.Results   // of the firmware
	faults   *faulted         // nil for none
	held     *referees.Held   // nil if no one looks at what frames show of packets held
	queues   *referees.Queues // nil if no one asks how long frames wait or whether they are lost
	Meter    *meter.Clock     // nil if handlers take no time

	scheduled // what the firmware is told of its schedule
	boundary  // of the last one, or the one that runs
}

// columns are the plain figures of a run. A run begins with none of them but its seed; state lists
// those that are saved. The others are zero after a restore.
type columns struct {
	Seed      uint64
	slot      uint32 // slots that have crossed
	started   bool   // the boundary of this slot has run; else that of slot 0 comes next
	finished  bool
	ended     bool // the last boundary has run: the machine goes no further
	RTLFailed bool // RTL has ended the run
	traps     uint64
	Digest    traces.Digest

	// Of a run that is cut off, which is not saved.
	Interrupted bool
	Paused      bool // the caller stops here, before the end
	notArrived  int  // packets that handlers announced in the boundary that was interrupted
}

func (c *columns) reset(seed uint64) { *c = columns{Seed: seed} }

// state visits the saved state. A restored run ends with slot limit at the latest; read tells its slot at once.
func (c *columns) state(v *hw.StateVisitor, limit uint32, read func(slot uint32)) {
	next := &columns{}
	if v.Saving() {
		next = c
	}
	hw.StateScalar(v, "seed", &next.Seed)
	last := uint64(0) // the slot that the digest may go on with: it may have the events of this one
	hw.StateScalar(v, "slot", &next.slot, func(_ int, value uint32) error {
		if value > limit {
			return fmt.Errorf("the run is in slot %d, and ends with slot %d", value, limit)
		}
		last = uint64(value) + 1
		read(value)
		return nil
	})
	hw.StateScalar(v, "traps", &next.traps)
	stateFlags(v, "end", &next.started, &next.finished, &next.ended, &next.RTLFailed)
	hw.StateScalar(v, "digest.hi", &next.Digest.Hi)
	hw.StateScalar(v, "digest.lo", &next.Digest.Lo)
	hw.StateScalar(v, "digest.events", &next.Digest.Events)
	hw.StateScalar(v, "digest.next_slot", &next.Digest.NextSlot, func(_ int, value uint64) error {
		if value > last {
			return fmt.Errorf("%d is after slot %d, which the digest may go on with", value, last)
		}
		return nil
	})
	v.AfterRestore(func() { *c = *next })
}

func stateFlags(v *hw.StateVisitor, name string, flags ...*bool) {
	column := make([]uint8, len(flags))
	for i, flag := range flags {
		if *flag {
			column[i] = 1
		}
	}
	hw.StateColumn(v, name, column, hw.AtMost[uint8](1))
	v.AfterRestore(func() {
		for i, flag := range flags {
			*flag = column[i] != 0
		}
	})
}

// boundary is what a boundary keeps for itself, and for those who look at it until the next one.
type boundary struct {
	phase int
	last  bool            // it does not send
	Done  int             // processors that were done or faulty
	Log   firmwareLog     // what they have logged
	news  []fabric.Result // those that were new
}

func (b *boundary) forget() {
	b.Done, b.news = 0, b.news[:0]
	b.Log.clear()
}

// scheduled is what firmware is told of its schedule. It follows from what a run has to carry.
type scheduled struct {
	offering fabric.Offering                  // what offers packets in the place of a schedule, nil for nothing
	Schedule fabric.Schedule                  // nil if the firmware takes none
	words    []uint64                         // its words for the slot that begins...
	Sparse   fabric.Sparse                    // ...unless it has few of them in a slot:
	changed  []wordOf                         // those that are new, which...
	change   func(processor int, word uint64) // ...adds to
}

type wordOf struct {
	processor int
	word      uint64
}
