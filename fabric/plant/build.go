package plant

import (
	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// What a network's Build needs of a plant, and gives it.

// Transmitters are those of all NICs. Where a NIC has one of them and one receiver for every port,
// they stand side by side, port by port: the one medium of a transmitter is its port 0, and
// Media.Hears has as many inputs for each processor.
func (t *Plant) Transmitters() *nic.Serialisers { return t.serialisers }

// Receivers are those of all NICs; they come with Carry.
func (t *Plant) Receivers() *nic.Deserialisers { return t.deserialisers }

// Shape is that of the network.
func (t *Plant) Shape() fabric.Shape { return t.shape }

// Timing returns the shape of a slot.
func (t *Plant) Timing() nic.Timing { return t.timing }

// Clock returns the one clock.
func (t *Plant) Clock() *hw.Clock { return t.kernel.Clock() }

// Light makes a wire for every element of a bank; readers is by whose shard each is read, in units, nil for the
// unit that it belongs to.
func (t *Plant) Light(bank hw.Bank, readers []uint32) (*hw.Light, error) {
	return hw.NewLight(bank, "light", t.timing.PhitBits, t.cuts, readers)
}

// Bank names perUnit elements for each unit, or parts of them.
func (t *Plant) Bank(name, part string, perUnit int) hw.Bank {
	bank := hw.Bank{Unit: t.names.Unit(), Name: name, Part: part, Units: t.shape.Units, PerUnit: perUnit}
	if bank.Unit == "" { // there is one unit, which has no name of its own
		bank.Name = t.kind + "." + name
	}
	return bank
}

// Seed is that of the first run.
func (t *Plant) Seed() uint64 { return t.seed }

// BankOf returns a processor's bank and its cell there.
func (t *Plant) BankOf(processor int) (bank *nic.Bank, cell int) { return t.bankOf(processor) }

// Shards are those of the machine.
func (t *Plant) Shards() []hw.Shard { return t.cuts }

// Carry gives the plant its media; the receivers are those of all NICs.
func (t *Plant) Carry(m fabric.Media) (err error) {
	t.media = m
	in := m.Far
	if t.faults != nil && t.faults.On(true) {
		if t.tap, in, err = hw.NewLightTap(t.kernel.Clock(), m.Far, t.timing.SlotCycles(), t.harm); err != nil {
			return err
		}
	}
	t.deserialisers, err = nic.NewDeserialisers(nic.DeserialiserConfig{
		Bank: t.nics("rx"), Clock: t.kernel.Clock(), Shards: t.cuts, PhitBits: t.timing.PhitBits,
		FrameBytesMax: nic.FrameBytes(t.payload), In: in, Hears: m.Hears, Taps: t.shape.NIC().Taps, Queues: t.queues(),
	})
	t.list()
	return err
}

// list lists all components: those for which RTL may stand, and the others. What moves several frames
// in a slot has no twin.
func (t *Plant) list() {
	t.sited, t.unsited = []hw.Sited{t.media.Links}, nil
	if sited, ok := t.media.Medium.(hw.Sited); ok {
		t.sited = []hw.Sited{sited, t.media.Links}
	} else {
		t.unsited = []hw.Component{t.media.Medium}
	}
	if t.credits != nil {
		for _, bank := range t.credits.Counters {
			t.sited = append(t.sited, bank)
		}
	}
	parts := []hw.Component{t.serialisers, t.deserialisers}
	if t.tap != nil {
		parts = append(parts, t.tap)
	}
	for _, part := range append(parts, t.media.Parts...) {
		if sited, ok := part.(hw.Sited); ok && !(t.queues() && queueing(part)) {
			t.sited = append(t.sited, sited)
		} else {
			t.unsited = append(t.unsited, part)
		}
	}
}

// queueing reports whether a part counts the frames of a slot, if there may be several.
func queueing(part hw.Component) bool {
	switch part.(type) {
	case *nic.Serialisers, *nic.Deserialisers, *hw.Filters:
		return true
	}
	return false
}

// queues reports whether a slot may bring a receiver several frames, one after the other.
func (t *Plant) queues() bool { return t.timing.Frames > 1 }

// harm is what faults do to a medium in a slot, for the tap.
func (t *Plant) harm(medium, slot uint32) hw.Harm {
	switch effect, number := t.faults.OnMedium(int(medium), slot); effect {
	case fabric.Dark:
		return hw.Harm{Dark: true}
	case fabric.Flipped:
		return hw.Harm{Flips: true, Bit: uint16(t.faults.Bit(number, int(medium), slot))}
	}
	return hw.Harm{}
}

// nics is the bank of a part of all NICs.
func (t *Plant) nics(part string) hw.Bank {
	return t.shape.NameLanes(t.Bank("nic", part, t.shape.PerUnit*t.lanes))
}
