package fabric

import (
	"os"

	"starloom/hw"
	"starloom/nic"
)

// Transport carries frames across a network. There are two for each, with one
// behaviour: that of a SlotEngine moves whole frames, a Plant moves phits
// through the hardware of packages hw and nic, cycle by cycle.
//
// After Reset a machine calls Start, and from then on for every slot t, beginning with 0,
//
//	Cross(t-1), if t > 0: the cycles of slot t-1, up to Settle of the last one
//	the boundary, in that cycle, for every shard:
//		Begin(shard, t)
//		Hear(shard, bank, ledger, t-1, w) for every bank: what slot t-1 carried (t > 0)
//		... the handlers ...
//		Send(shard, bank, ledger, t, w, cells) for every bank
//	Latch(), with all shards done: the edge at the end of that cycle
//
// Shards may run in parallel. State is saved after Reset or Latch.
type Transport interface {
	// Start takes the fabric into the last cycle of reset, which has no number and in
	// which the handlers of slot 0 run.
	Start()
	// Begin makes the shard's part of the fabric ready for a slot. exact says that
	// Collisions will be asked when its frames met.
	Begin(shard int, slot uint32, exact bool)
	// Hear delivers what the bank's processors heard in a slot to their NICs: those
	// whose number in their unit lies in the window, of all units of the bank. Of what it
	// receives it tells the ledger (NoteHeard, Judge). Of light that comes to a receiver it asks
	// Ledger.Harm first: faults may leave nothing to do.
	Hear(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window)
	// Send takes the frame at the head of every TX FIFO of the window that is not
	// empty; cells lists the cells where that may be so, in ascending order. It says what
	// has become of each: Ledger.NoteSent, Bank.NoteTx and PopTx, or Ledger.NoteBlocked for
	// one that stays. The handlers see it at the next boundary.
	Send(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window, cells []uint32)
	// Cross lets the light of a slot cross the fabric: then Hear tells what was received.
	Cross(slot uint32)
	// Latch is the edge at the end of a slot, which takes what Send has said.
	Latch()
	// Collisions counts the frames of the shard that met another one in a slot that has
	// crossed, per medium, and those that were alone on theirs, and yields the media in ascending order if
	// yield is not nil and the slot is exact: each with the first cycle of the slot, from 0, in which
	// its wire `violation` is 1. It is called between Cross and the next Begin of the shard.
	Collisions(shard int, slot uint32, yield func(medium int, cycle uint32)) (met, alone uint64)
	// Reset makes the fabric dark, for a run with another seed.
	Reset(seed uint64)
	// Path and State save and restore all columns.
	hw.Stateful
}

// Config is what a transport is made for.
type Config struct {
	Timing       nic.Timing
	PayloadBytes int
	RxFrames     int // of the FIFOs of a NIC
	TxFrames     int
	Shards       []hw.Shard // in units
	Seed         uint64     // of the first run; Transport.Reset gives others
	Cycle        bool       // MemoryBytes: of the cycle engine...
	Workload     *Workload  // ...what is carried...
	Program      *Program   // ...and by which program, nil for an image
	Faults       *Faults    // nil for none
	// Bank returns a processor's bank and its cell there.
	Bank func(processor int) (bank *nic.Bank, cell int)
}

// FramePayload is the longest payload that a program sends; an image may fill its frames.
func (c *Config) FramePayload() int {
	if p := c.Program; p != nil {
		return min(max(p.Needs.PayloadBytes, p.Needs.PayloadMin), c.PayloadBytes)
	}
	return c.PayloadBytes
}

// RoomBytes is what of the room for a frame, in a FIFO or in a table, takes memory after one with
// such a payload was there: what it uses, and the rest of the last page.
func (c *Config) RoomBytes(payload int) uint64 {
	return uint64(min(nic.FrameStride(max(payload, 8))+os.Getpagesize(), nic.FrameStride(c.PayloadBytes)))
}

// Window is a range of cells of a bank, End excluded: a bank is heard, run and sent in windows that fit into a
// processor's cache.
type Window struct{ First, End int }

// SilenceIllegal drops an illegal frame and takes its sender off the fabric.
func SilenceIllegal(bank *nic.Bank, cell int, frame nic.FrameView, ledger *Ledger, slot uint32) {
	ledger.Find(Finding{
		Kind: FindIllegalSend, Slot: slot, Index: bank.First + cell, Text: bank.Refusal(cell, frame),
	})
	bank.Silence(cell)
}

// Stillness is a Transport that knows where a slot brings nothing, so that processors which
// have nothing to do need not be looked at.
type Stillness interface {
	Transport
	// Still reports whether a slot that has crossed brings nothing to the processors
	// first..end-1, a block of BlockUnits units of a shard or less.
	Still(first, end int, slot uint32) bool
}

// BlockUnits is how many units of a shard, from its first on, are a block.
const BlockUnits = 2048
