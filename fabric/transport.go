package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// Transport carries frames across a POPS network. There are two, with one
// behaviour: SlotTransport moves whole frames, CycleTransport moves phits
// through the hardware of packages hw and nic, cycle by cycle.
//
// At the boundary in front of slot t a machine calls, for every shard,
//
//	Begin(shard, t)
//	Hear(shard, bank, ledger, t-1)   for every bank: what slot t-1 carried (t > 0)
//	... the handlers ...
//	Send(shard, bank, ledger, t)     for every bank
//
// and then, with all shards done, Cross(t). Shards may run in parallel.
type Transport interface {
	// Begin makes the shard's part of the fabric ready for a slot.
	Begin(shard int, slot uint32)
	// Hear delivers what the bank's processors heard in a slot to their NICs.
	Hear(shard int, bank *nic.Bank, ledger *Ledger, slot uint32)
	// Send takes the frame at the head of every TX FIFO.
	Send(shard int, bank *nic.Bank, ledger *Ledger, slot uint32)
	// Cross lets the light of a slot cross the fabric.
	Cross(slot uint32)
	// Collisions counts the frames of the shard that met another one in a slot
	// that has crossed, and yields the couplers in ascending order if yield is not
	// nil. It is called between Cross and the next Begin of the shard.
	Collisions(shard int, slot uint32, yield func(coupler int)) (frames uint64)
	// Reset makes the fabric dark.
	Reset()
	// Path and State save and restore all columns.
	hw.Stateful
}

// silenceIllegal drops an illegal frame and takes its sender off the fabric.
func silenceIllegal(bank *nic.Bank, cell int, frame nic.FrameView, ledger *Ledger, slot uint32) {
	ledger.Find(Finding{
		Kind: FindIllegalSend, Slot: slot, Index: bank.First + cell, Text: bank.Refusal(cell, frame),
	})
	bank.Silence(cell)
}
