package fabric

import (
	"os"

	"starloom/hw"
	"starloom/nic"
)

// Transport carries frames across a network. Each network has two transports with the same behaviour: a SlotEngine
// moves whole frames, and a Plant moves phits through hardware of packages hw and nic, cycle by cycle.
//
// After Reset a machine calls Start, and then for every slot t from 0:
//
//	Cross(t-1), if t > 0: the cycles of slot t-1, up to Settle of the last one
//	the boundary, in that cycle, for every shard:
//	 Begin(shard, t)
//	 Hear(shard, bank, ledger, t-1, w) for every bank: what slot t-1 carried (t > 0)
//	 ... the handlers ...
//	 Send(shard, bank, ledger, t, w, cells) for every bank
//	Latch(), with all shards done: the edge at the end of that cycle
//
// Shards may run concurrently. State is saved after Reset or Latch.
type Transport interface {
	// Start enters the last cycle of reset, which has no number; the handlers of slot 0 run in this cycle.
	Start()
	// Begin prepares the shard's part of the fabric for a slot. exact means that Collisions will have a yield
	// function.
	Begin(shard int, slot uint32, exact bool)
	// Hear delivers the frames of a slot to the NICs in the window, which selects NICs by their number in the unit.
	// Hear reports receptions to the ledger (NoteHeard, Judge). When light reaches a receiver, Hear first calls
	// Ledger.Harm.
	Hear(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window)
	// Send processes the frame at the head of every non-empty TX FIFO of the window; cells lists the candidates in
	// ascending order. Send reports the outcome of each frame: Ledger.NoteSent, Bank.NoteTx and PopTx, or
	// Ledger.NoteBlocked for a blocked frame. Handlers see the outcome at the next boundary.
	Send(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window, cells []uint32)
	// Cross carries the light of a slot across the fabric. Afterwards Hear can report the received frames.
	Cross(slot uint32)
	// Latch is the clock edge at the end of a slot, when Send takes effect.
	Latch()
	// Collisions counts the frames of a shard in a crossed slot: met frames collided, alone frames did not. If yield
	// is not nil and the slot is exact, Collisions yields the media with collisions in ascending order, each with the
	// first cycle of the slot, from 0, in which its wire `violation` is 1. Call Collisions between Cross and the
	// shard's next Begin.
	Collisions(shard int, slot uint32, yield func(medium int, cycle uint32)) (met, alone uint64)
	// Reset darkens the fabric for a run with another seed.
	Reset(seed uint64)
	hw.Stateful
}

// Config holds the parameters of a transport.
type Config struct {
	Timing nic.Timing
	nic.Sizes
	Shards   []hw.Shard // shards of units
	Seed     uint64     // seed of the first run; Transport.Reset sets the seed of each later run
	Cycle    bool       // for MemoryBytes: estimate the cycle engine
	Workload *Workload  // workload for MemoryBytes
	Program  *Program   // program for MemoryBytes; nil for an image
	Faults   *Faults    // nil for none
	// Bank returns a processor's bank and its cell in the bank.
	Bank func(processor int) (bank *nic.Bank, cell int)
}

// FramePayload returns the length, in bytes, of the longest payload that a program sends. An image may fill its
// frames.
func (c *Config) FramePayload() int {
	if p := c.Program; p != nil {
		return min(max(p.Needs.PayloadBytes, p.Needs.PayloadMin), c.PayloadBytes)
	}
	return c.PayloadBytes
}

// RoomBytes returns the memory of a FIFO or table place after it has held a frame with this payload: the used bytes,
// rounded up to whole pages.
func (c *Config) RoomBytes(payload int) uint64 {
	return uint64(min(nic.FrameStride(max(payload, 8))+os.Getpagesize(), nic.FrameStride(c.PayloadBytes)))
}

// Window is a range of cells of a bank, End excluded, that fits into a CPU's cache. Each phase processes a bank
// window by window.
type Window struct{ First, End int }

// SilenceIllegal drops an illegal frame and disconnects its sender from the fabric.
func SilenceIllegal(bank *nic.Bank, cell int, frame nic.FrameView, ledger *Ledger, slot uint32) {
	ledger.Find(Finding{
		Kind: FindIllegalSend, Slot: slot, Index: bank.First + cell, Text: bank.Refusal(cell, frame),
	})
	bank.Silence(cell)
}

// Stillness is a Transport that can identify the processors that a slot cannot reach, so that a machine can skip idle
// processors.
type Stillness interface {
	Transport
	// Still reports whether a crossed slot brings nothing to the processors first..end-1. The range lies within one
	// block of BlockUnits units of a shard.
	Still(first, end int, slot uint32) bool
}

// Timeless is a Transport that can report whether slot numbers affect its behaviour. If they do not, a slot depends
// only on the transport's columns.
type Timeless interface {
	Transport
	Timeless() bool
}

// BlockUnits is the number of units of a block. Blocks start at the first unit of a shard.
const BlockUnits = 2048
