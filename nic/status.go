package nic

import (
	_ "embed"

	"starloom/traces/meaning"
)

// Status is the result of a receiver at one port in one slot.
type Status uint8

// Receive statuses, in the order of the register map.
const (
	StatusIdle      Status = 0 // no light, or the receiver was not listening
	StatusOK        Status = 1 // one frame with a correct CRC, stored in the RX FIFO
	StatusCollision Status = 2 // code violation: two senders on one medium
	StatusCRC       Status = 3 // a damaged or truncated frame
	StatusOverflow  Status = 4 // a good frame, lost because the RX FIFO was full
)

// StatusNames are the names of the statuses in reports, traces and the dissector, indexed by Status.
var StatusNames = []string{"idle", "ok", "collision", "crc", "overflow"}

func (s Status) String() string {
	if int(s) < len(StatusNames) {
		return StatusNames[s]
	}
	return "status?"
}

// TxStatus is the result of a transmitter in one slot.
type TxStatus uint8

// Transmit statuses, in the order of the register map.
const (
	TxNone     TxStatus = 0 // no frame to send
	TxSent     TxStatus = 1 // the medium has taken the frame
	TxBlocked  TxStatus = 2 // the medium was taken; the frame remains at the head of the TX FIFO
	TxCollided TxStatus = 3 // sent, and the medium reports a collision
)

// FlagNames are the names of the bits of a processor's flags in waveforms, lowest bit first.
var FlagNames = []string{"done", "faulty", "tx_overflow", "delivered", "sleeping"}

//go:embed metrics.yaml
var metrics string

// Meanings returns the meanings of receive statuses.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
