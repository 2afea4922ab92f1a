package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// Referee tracks the workload of a run: the expected packets and their receivers, the arrived packets, and the lost
// packets. Shards call the methods concurrently, except Load, Acknowledge, Metrics and Missing. A concurrent call
// accesses only the data of one shard's processors.
type Referee interface {
	// Load sets the workload of the next run. Its errors are errors of Call, or *input.Errors with a key of the
	// scenario.
	Load(l *Load) error
	// Tell sets the words about the workload for the processors from first on.
	Tell(first int, words []uint32)
	// Overhears reports whether a packet in a frame for another processor counts as an arrival.
	Overhears() bool
	// Arrive judges the packets that a slot has brought to processors of a shard, one window per call, in any order.
	Arrive(l *Ledger, slot uint32, arrivals []Arrival)
	// Announce judges a packet announced by firmware. It counts the packet in Ledger.Announced if only the
	// announcement shows the arrival.
	Announce(l *Ledger, processor int, origin, slot uint32)
	// Witness is called once, before the other methods. announces means that the firmware may announce packets. The
	// result observes every frame; nil if the referee need not see frames.
	Witness(announces bool) Witness
	// Acknowledges reports whether senders learn of arrivals at once. In this case all processors hear before any
	// handler runs; then Acknowledge is called and yields the senders of the arrived packets.
	Acknowledges() bool
	Acknowledge(yield func(processor int))
	// Metrics returns the figures of a run. carries means that the firmware transports the workload's packets.
	Metrics(e *End, carries bool) Metrics
	// Missing yields the undelivered packets of a finished run, in report order, until yield returns false.
	Missing(yield func(Finding) bool)
	// Reset forgets all arrivals.
	Reset()
	// State visits the arrivals and the workload.
	State(v *hw.StateVisitor)
}

// NoPackets implements some methods of Referee without effect, for workloads without multi-hop packets whose
// processors learn nothing about the workload.
type NoPackets struct{}

// Tell implements Referee.
func (NoPackets) Tell(int, []uint32) {}

// Overhears implements Referee.
func (NoPackets) Overhears() bool { return false }

// Arrive implements Referee.
func (NoPackets) Arrive(*Ledger, uint32, []Arrival) {}

// Acknowledges implements Referee.
func (NoPackets) Acknowledges() bool { return false }

// Acknowledge implements Referee.
func (NoPackets) Acknowledge(func(int)) {}

// Missing implements Referee.
func (NoPackets) Missing(func(Finding) bool) {}

// Ending is a Referee of a workload that ends after the last arrival, even if the firmware continues.
type Ending interface {
	Referee
	// Over reports whether every live processor has received everything. dead marks processors killed by faults; nil
	// for none. Over is called after the boundaries of all shards.
	Over(dead []uint8) bool
	// Unfinished yields the packets that have not arrived, in report order.
	Unfinished(yield func(Finding))
}

// Offering is a Referee that offers packets to the firmware through words of the schedule.
type Offering interface {
	Ending
	// Create creates the packets of a shard's sources for a slot, at the slot's boundary, before Offer.
	Create(shard int, slot uint32)
	// Offer removes packets whose words firmware has cleared, and offers the packets of the slot.
	Offer(shard int, bank *nic.Bank, slot uint32)
	// Settle judges the arrivals of the previous slot, after the boundaries of all shards and before Over.
	Settle(slot uint32, find func(Finding))
}

// AllAliveHave reports whether has is true for every live processor, and at least one processor is alive. The search
// starts at *at. AllAliveHave stores a processor for which has is false in *at, so that the next call is cheap.
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

// Load is the workload of a run.
type Load struct {
	Workload *Workload
	Seed     uint64
	Shards   int      // number of shards; Ledger.Shard is less
	Table    bool     // record a run-table, if the referee supports it
	Results  *Results // results of the run so far
	// calls firmware by name (firmware.Caller); nil for firmware in Go
	Call func(name string, arguments ...uint32) (uint32, error)
}

// Arrival is a packet that a good frame has brought to a processor.
type Arrival struct{ Processor, Origin uint32 }

// Witness observes sent, blocked and correctly received frames of a slot. Frames are views of a FIFO or a table.
type Witness interface {
	Sent(l *Ledger, processor int, frame nic.FrameView, slot uint32)
	Blocked(l *Ledger, processor int, frame nic.FrameView, slot uint32)
	Received(l *Ledger, processor int, frame nic.FrameView, slot uint32)
}

// Dropper is a Witness that records sending and waiting by slot. After an interrupted boundary its slot never
// crosses, and Drop discards the records of the slot. Drop is called after the boundaries of all shards.
type Dropper interface {
	Drop(slot uint32)
}

// Timed is a referee with figures by slot or step. Slots returns the number of slots up to the last slot with
// figures.
type Timed interface {
	Slots() int
}

// Waiter is a referee that can explain why a processor is not done. WaitsFor returns the awaited event, "" if
// unknown. frame is the next frame of the processor's NIC, nil for none; listens reports whether a processor would
// listen in the next slot.
type Waiter interface {
	WaitsFor(processor int, frame nic.FrameView, listens func(processor int) bool) string
}

// End is the state of a run at its end, or the current state of an unfinished run.
type End struct {
	Finished   bool
	Slots      uint32 // crossed slots
	NotArrived int    // packets announced in an interrupted boundary, which does not count
	HeldMax    int    // maximum number of packets in a processor
}
