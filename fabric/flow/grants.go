package flow

import (
	"slices"

	"starloom/fabric"
	"starloom/nic"
)

// Results of a request other than outputs, for Answer.
const (
	NoOne = -1 // the frame was not sent
	Met   = -2 // the frame was sent and has collided
)

// Answer gives a NIC the result of its request in a slot. output is the output that has accepted the frame at the
// head of the TX FIFO, or NoOne or Met. place is the output's position in the NIC's list, if any. Answer reports
// whether the frame has left the NIC or the NIC is off the fabric.
func Answer(bank *nic.Bank, ledger *fabric.Ledger, cell, output, place int, slot uint32) (sent bool) {
	frame := bank.TxHead(cell)
	if !bank.Legal(cell, frame) { // another handler has overwritten the frame since the request
		fabric.SilenceIllegal(bank, cell, frame, ledger, slot)
		return true
	}
	switch output {
	case NoOne:
		ledger.NoteBlocked(bank, cell, frame, slot)
		return false
	case Met:
		ledger.NoteMet(bank, cell, frame, slot)
		return false
	}
	if bank.Addressed && frame.Destination() == nic.ListedDestination {
		if list, _, _ := bank.Requests(cell); place >= len(list) || list[place] != uint32(output) {
			place = slices.Index(list, uint32(output))
		}
		bank.SentListed(cell, place)
	}
	ledger.NoteSent(bank.First+cell, frame, slot)
	bank.NoteTx(cell, frame.Port(), nic.TxSent, frame.Destination())
	bank.PopTx(cell)
	return true
}

// AnswerLanes gives each NIC of a window the results of its lanes' requests in a slot.
func AnswerLanes(ports int, bank *nic.Bank, window fabric.Window, asked []uint8, served func(transmitter int) bool,
	ledger *fabric.Ledger, slot uint32) {
	for cell := window.First; cell < window.End; cell++ {
		for lane := range ports {
			if transmitter := (bank.First+cell)*ports + lane; asked[transmitter] != 0 {
				asked[transmitter] = 0
				answerLane(bank, ledger, cell, uint16(lane), served(transmitter), slot)
			}
		}
	}
}

func answerLane(bank *nic.Bank, ledger *fabric.Ledger, cell int, lane uint16, served bool, slot uint32) {
	if bank.Silenced(cell) {
		return
	}
	place, frame, ok := bank.TxTo(cell, lane)
	switch {
	case !ok || !bank.Legal(cell, frame): // another handler has overwritten the frame since the request
		fabric.SilenceIllegal(bank, cell, bank.TxHead(cell), ledger, slot)
	case !served:
		ledger.NoteBlocked(bank, cell, frame, slot)
	default:
		ledger.NoteSent(bank.First+cell, frame, slot)
		bank.NoteTx(cell, lane, nic.TxSent, frame.Destination())
		bank.RemoveTx(cell, place)
	}
}
