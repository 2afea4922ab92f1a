package fabric

import (
	"starloom/hw"
	"starloom/nic"
)

// Plant is the hardware of the cycle engine as a network sees it that builds its media: transmitters and banks
// on one side, and Carry on the other.
type Plant interface {
	// Shape is that of the network, Timing the shape of a slot.
	Shape() Shape
	Timing() nic.Timing
	// Clock is the one clock, Shards are those of the machine, in units, and Seed is that of the first run.
	Clock() *hw.Clock
	Shards() []hw.Shard
	Seed() uint64
	// Transmitters are those of all NICs. Where a NIC has one of them and one receiver for every port,
	// they stand side by side, port by port: the one medium of a transmitter is its port 0, and
	// Media.Hears has as many inputs for each processor.
	Transmitters() *nic.Serialisers
	// BankOf returns a processor's bank and its cell there.
	BankOf(processor int) (bank *nic.Bank, cell int)
	// Bank names perUnit elements for each unit, or parts of them.
	Bank(name, part string, perUnit int) hw.Bank
	// Light makes a wire for every element of a bank; readers is by whose shard each is read, in units, nil for the
	// unit that it belongs to.
	Light(bank hw.Bank, readers []uint32) (*hw.Light, error)
	// Carry takes the media.
	Carry(m Media) error
}
