package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// Transport carries frames across a POPS network. There are two, with one
// behaviour: SlotTransport moves whole frames, CycleTransport moves phits
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
	// whose local index lies in the window, of all groups of the bank.
	Hear(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window)
	// Send takes the frame at the head of every TX FIFO of the window that is not
	// empty; cells lists the cells where that may be so, in ascending order.
	Send(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window, cells []uint32)
	// Cross lets the light of a slot cross the fabric: then Hear tells what was received.
	Cross(slot uint32)
	// Latch is the edge at the end of a slot, which takes what Send has said.
	Latch()
	// Collisions counts the frames of the shard that met another one in a slot that has
	// crossed, per coupler, and those that were alone on their coupler, and yields the couplers in ascending order if yield is not
	// nil and the slot is exact: each with the first cycle of the slot, from 0, in which
	// its wire `violation` is 1. It is called between Cross and the next Begin of the shard.
	Collisions(shard int, slot uint32, yield func(coupler int, cycle uint32)) (met, alone uint64)
	// Reset makes the fabric dark.
	Reset()
	// Path and State save and restore all columns.
	hw.Stateful
}

// Window is a range of local indexes, End excluded. A bank of whole groups is
// heard, run and sent in windows that fit into a processor's cache; a bank that is only
// a part of a group has one window, {0, bank.Cells}.
type Window struct{ First, End int }

// groupsOf returns how many groups a bank holds and how many of its cells are in
// each: one group of all cells if the bank is only part of one.
func (p POPS) groupsOf(bank *nic.Bank) (groups, cells int) {
	if bank.Cells%p.GroupSize == 0 && bank.First%p.GroupSize == 0 {
		return bank.Cells / p.GroupSize, p.GroupSize
	}
	return 1, bank.Cells
}

// Windows cuts a bank into windows of about so many cells.
func (p POPS) Windows(bank *nic.Bank, cells int) (groups, groupCells, width int) {
	groups, groupCells = p.groupsOf(bank)
	return groups, groupCells, min(groupCells, max(1, cells/groups))
}

// silenceIllegal drops an illegal frame and takes its sender off the fabric.
func silenceIllegal(bank *nic.Bank, cell int, frame nic.FrameView, ledger *Ledger, slot uint32) {
	ledger.Find(Finding{
		Kind: FindIllegalSend, Slot: slot, Index: bank.First + cell, Text: bank.Refusal(cell, frame),
	})
	bank.Silence(cell)
}
