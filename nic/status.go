package nic

import (
	_ "embed"

	"starloom/traces/meaning"
)

// Status is what a receiver says about one port and one slot.
type Status uint8

// The receive statuses, in the order of the register map.
const (
	StatusIdle      Status = 0 // no light, or the receiver did not listen
	StatusOK        Status = 1 // one frame, CRC right, stored in the RX FIFO
	StatusCollision Status = 2 // code violation: two senders on one medium
	StatusCRC       Status = 3 // a damaged or truncated frame
	StatusOverflow  Status = 4 // a good frame, lost because the RX FIFO was full
)

// StatusNames are the names of the statuses in reports, traces and the
// dissector, indexed by Status.
var StatusNames = []string{"idle", "ok", "collision", "crc", "overflow"}

func (s Status) String() string {
	if int(s) < len(StatusNames) {
		return StatusNames[s]
	}
	return "status?"
}

// TxStatus is what a transmitter says about one slot.
type TxStatus uint8

// The transmit statuses, in the order of the register map.
const (
	TxNone     TxStatus = 0 // nothing was to be sent
	TxSent     TxStatus = 1 // the medium has taken the frame
	TxBlocked  TxStatus = 2 // the medium was taken: the frame is still at the head of the TX FIFO
	TxCollided TxStatus = 3 // sent, and the medium tells that it met another frame
)

// FlagNames are the names of the bits of a processor's flags in waveforms, the lowest first.
var FlagNames = []string{"done", "faulty", "tx_overflow", "delivered", "sleeping"}

//go:embed metrics.yaml
var metrics string

// Meanings says what receive statuses mean.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
