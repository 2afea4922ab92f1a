package emulator

import (
	"fmt"

	"starloom/fabric"
	"starloom/fabric/referees"
	"starloom/hw"
	"starloom/internal/meter"
	"starloom/traces"
)

// running is the state of a run. Each field is one of Machine.parts, except the last two, which follow from the
// others.
type running struct {
	columns
	Findings violationList
	Results  fabric.Results
	faults   *faulted         // nil without faults
	held     *referees.Held   // nil if claims of held packets are not audited
	queues   *referees.Queues // nil unless waiting times or losses of frames are observed
	Meter    *meter.Clock     // nil if handlers take no time
	states   *stateRules      // nil without rules on probes and results

	scheduled // the firmware's schedule
	boundary  // the current boundary, or the last one
}

// columns are the scalars of a run, initially zero except for the seed. A restore zeroes unsaved scalars.
type columns struct {
	Seed      uint64
	slot      uint32 // number of completed slots
	started   bool   // the boundary of slot 0 has run
	finished  bool
	ended     bool // the last boundary has run
	RTLFailed bool // RTL has ended the run
	traps     uint64
	Digest    traces.Digest

	// Not saved:
	Interrupted bool
	Paused      bool // the caller stops before the end
	notArrived  int  // packets announced in the interrupted boundary
}

func (c *columns) reset(seed uint64) { *c = columns{Seed: seed} }

// state rejects a restored slot above limit. It calls read as soon as the slot is known.
func (c *columns) state(v *hw.StateVisitor, limit uint32, read func(slot uint32)) {
	next := &columns{}
	if v.Saving() || v.Snapshots() {
		next = c
	}
	hw.StateScalar(v, hw.Derived, "seed", &next.Seed)
	last := uint64(0) // highest slot of the digest, which may contain events of the current slot
	hw.StateScalar(v, hw.Future, "slot", &next.slot, func(_ int, value uint32) error {
		if value > limit {
			return fmt.Errorf("the run is in slot %d, but ends with slot %d", value, limit)
		}
		last = uint64(value) + 1
		read(value)
		return nil
	})
	hw.StateScalar(v, hw.Statistic, "traps", &next.traps)
	hw.StateFlags(v, hw.Future, "end", &next.started, &next.finished, &next.ended, &next.RTLFailed)
	hw.StateScalar(v, hw.Statistic, "digest.hi", &next.Digest.Hi)
	hw.StateScalar(v, hw.Statistic, "digest.lo", &next.Digest.Lo)
	hw.StateScalar(v, hw.Statistic, "digest.events", &next.Digest.Events)
	hw.StateScalar(v, hw.Statistic, "digest.next_slot", &next.Digest.NextSlot, func(_ int, value uint64) error {
		if value > last {
			return fmt.Errorf("%d is after slot %d, the last slot of the digest", value, last)
		}
		return nil
	})
	v.Derive(func() {
		if next != c {
			*c = *next
		}
	})
}

type boundary struct {
	phase int
	last  bool // this boundary does not send
	Done  int  // number of processors done or faulty
	Log   firmwareLog
	news  []fabric.Result // new results
}

func (b *boundary) forget() {
	b.Done, b.news = 0, b.news[:0]
	b.Log.clear()
}

type scheduled struct {
	offering fabric.Offering                  // source of packets in place of a schedule, nil for none
	Schedule fabric.Schedule                  // nil for firmware without schedule
	words    []uint64                         // words for the slot that begins
	Sparse   fabric.Sparse                    // Schedule if few of its words change per slot, otherwise nil
	changed  []wordOf                         // changed words of a sparse schedule
	change   func(processor int, word uint64) // appends to changed
}

type wordOf struct {
	processor int
	word      uint64
}
