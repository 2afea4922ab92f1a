package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// Referee follows the workload of a run: what has to arrive where, what has arrived, and
// what never will. Everything but Load, Acknowledge, Metrics and Missing is called by
// shards in parallel, and touches only what belongs to the processors of one shard.
type Referee interface {
	// Load takes what the next run has to carry. Errors are those of Call, and *input.Error whose place is a key of the scenario.
	Load(l *Load) error
	// Tell fills in what the processors from first on are told of the workload.
	Tell(first int, words []uint32)
	// Overhears reports whether packets in frames for somebody else are arrivals, too.
	Overhears() bool
	// Arrive judges packets that a slot has brought to processors of a shard, a window's
	// at a time, in any order.
	Arrive(l *Ledger, slot uint32, arrivals []Arrival)
	// Announce judges a packet that firmware says has come to stay. It counts a packet
	// that has arrived by that alone in Ledger.Announced.
	Announce(l *Ledger, processor int, origin, slot uint32)
	// Witness is called once, before anything else; announces says that the firmware may
	// announce. What it returns sees every frame; nil if it need not.
	Witness(announces bool) Witness
	// Acknowledges reports whether senders learn at once, free of charge, what has
	// arrived: then all processors hear before any handler runs, and Acknowledge, called
	// in between, yields those whose packets have arrived.
	Acknowledges() bool
	Acknowledge(yield func(processor int))
	// Metrics are the figures of a run. carries says that the firmware carries the
	// workload's packets, and not something else.
	Metrics(e *End, carries bool) Metrics
	// Missing yields what a finished run has not brought, in the order of the report,
	// until yield returns false.
	Missing(yield func(Finding) bool)
	// Reset forgets what has arrived.
	Reset()
	// State visits what has arrived and what a run has to carry.
	State(v *hw.StateVisitor)
}

// Ending is a Referee of a workload that is over when it has arrived: the run has finished
// then, whatever the firmware goes on to do.
type Ending interface {
	Referee
	// Over reports whether all has arrived at every processor that lives: dead has a 1 for each that a fault
	// has killed, nil for no such faults. It is called after the boundaries of all shards.
	Over(dead []uint8) bool
	// Unfinished yields what has not arrived, in the order of the report.
	Unfinished(yield func(Finding))
}

// Offering is a Referee that offers packets to the firmware, word by word of its schedule.
type Offering interface {
	Ending
	// Create creates what the sources of a shard create in a slot, at its boundary, before Offer.
	Create(shard int, slot uint32)
	// Offer takes back the words that firmware has cleared, and shows what there is to send in a slot.
	Offer(shard int, bank *nic.Bank, slot uint32)
	// Settle judges what the slot before has brought, after the boundaries of all shards and before Over.
	Settle(slot uint32, find func(Finding))
}

// AllAliveHave reports whether every processor that lives has something, and some processor lives. It looks
// from at on and leaves there the one that lacks it, so that the next call need not look at the others again.
func AllAliveHave(dead []uint8, at *int, has func(processor int) bool) bool {
	alive := false
	for range dead {
		if dead[*at] == 0 {
			if !has(*at) {
				return false
			}
			alive = true
		}
		if *at++; *at == len(dead) {
			*at = 0
		}
	}
	return alive
}

// Load is what a run has to carry.
type Load struct {
	Workload *Workload
	Seed     uint64
	Shards   int      // of the machine: Ledger.Shard is below it
	Table    bool     // somebody wants a run-table, if the referee has one
	Results  *Results // of the run, which grow while it goes on
	// Call calls the firmware by name (firmware.Caller); nil for firmware in Go.
	Call func(name string, arguments ...uint32) (uint32, error)
}

// Arrival is a packet that a good frame has brought to a processor.
type Arrival struct{ Processor, Origin uint32 }

// Witness sees what a processor does in a slot: the frames that it sends, those that have to
// wait, and the good ones that it receives. Frames are views of a FIFO or a table.
type Witness interface {
	Sent(l *Ledger, processor int, frame nic.FrameView, slot uint32)
	Blocked(l *Ledger, processor int, frame nic.FrameView, slot uint32)
	Received(l *Ledger, processor int, frame nic.FrameView, slot uint32)
}

// Dropper is a Witness that notes in which slot something was sent or had to wait. Drop takes back what
// it has noted of a slot that never crosses, because the boundary before it was interrupted. It is
// called after the boundaries of all shards.
type Dropper interface {
	Drop(slot uint32)
}

// Timed is a referee with figures by slot or step: Slots is the number of slots up to the last one of which
// it has any.
type Timed interface {
	Slots() int
}

// Waiter is a referee that knows what keeps a processor which is not done: what it waits for,
// "" if that cannot be said. frame is the one that its NIC sends next, nil for none; listens
// reports whether a processor would listen in the slot after the last.
type Waiter interface {
	WaitsFor(processor int, frame nic.FrameView, listens func(processor int) bool) string
}

// End is how a run has ended, so far.
type End struct {
	Finished   bool
	Slots      uint32 // that have crossed
	NotArrived int    // packets that were announced in a boundary that does not count
	HeldMax    int    // most packets that a processor has held
}
