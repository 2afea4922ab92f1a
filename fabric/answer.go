package fabric

import (
	"slices"

	"starloom/nic"
)

// What Answer is told of a frame that no output has taken.
const (
	NoOne = -1 // it was not sent
	Met   = -2 // it was sent, and has met another one
)

// Answer tells a NIC that asks before it sends what has become of its request in a slot: output
// is what has taken the frame at the head of its TX FIFO, NoOne or Met. It reports whether the
// frame has left, or its NIC.
func Answer(bank *nic.Bank, ledger *Ledger, cell, output int, slot uint32) (sent bool) {
	if frame := bank.TxHead(cell); !bank.Legal(cell, frame) { // since it was asked for, another handler has written over it
		SilenceIllegal(bank, cell, frame, ledger, slot)
		return true
	}
	switch output {
	case NoOne:
		ledger.NoteBlocked(bank, cell, bank.TxHead(cell), slot)
		return false
	case Met:
		ledger.NoteMet(bank, cell, bank.TxHead(cell), slot)
		return false
	}
	if bank.Addressed && bank.TxHead(cell).Destination() == nic.ListedDestination {
		list, _, _ := bank.Requests(cell)
		bank.SentListed(cell, slices.Index(list, uint32(output)))
	}
	frame := bank.TxHead(cell)
	ledger.NoteSent(bank.First+cell, frame, slot)
	bank.NoteTx(cell, frame.Port(), nic.TxSent, frame.Destination())
	bank.PopTx(cell)
	return true
}
